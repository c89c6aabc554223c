"""Nothing is lost: full disks, damage, removal, read-only places, second processes."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import DamagedProject, Project, backups, last_good_backup, restore
from engine.project.lock import WriterLock


def _paper(project: Project, title: str) -> str:
    return PaperStore(project).add_paper(title)


def _fill(path: Path, papers: int = 300) -> None:
    with Project.create(path) as project:
        with project.action("Add papers"):
            for number in range(papers):
                _paper(project, f"paper {number} " + "x" * 200)
        project.back_up()


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_a_truncated_file_is_refused_and_its_backup_restores(tmp_path: Path, share: float) -> None:
    path = tmp_path / "cut.rejoinder"
    _fill(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    damaged = path.read_bytes()
    with pytest.raises(DamagedProject) as caught:
        Project.open(path)
    assert "backup" in caught.value.do
    assert path.read_bytes() == damaged, "opening must not write to a damaged file"
    good = last_good_backup(path)
    assert good is not None
    kept = restore(path, good.path)
    assert kept is not None and kept.read_bytes() == damaged
    with Project.open(path) as project:
        assert len(PaperStore(project).papers()) == 300


def test_flipped_bits_are_found_and_never_crash(tmp_path: Path) -> None:
    path = tmp_path / "flipped.rejoinder"
    _fill(path)
    whole = path.read_bytes()
    chance = random.Random(7)
    found = 0
    rounds = 25
    for _ in range(rounds):
        hurt = bytearray(whole)
        for _ in range(200):
            hurt[chance.randrange(len(hurt))] ^= 1 << chance.randrange(8)
        path.write_bytes(hurt)
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        try:
            with Project.open(path) as project:
                found += bool(project.check())
                PaperStore(project).papers()
                project.history()
        except EnvironmentProblem:
            found += 1
    assert found == rounds, "200 flipped bits always hit something that a check can see"
    assert last_good_backup(path) is not None


def test_a_backup_of_a_damaged_project_is_refused_and_older_ones_stay(tmp_path: Path) -> None:
    path = tmp_path / "hurt.rejoinder"
    _fill(path)
    before = [backup.path for backup in backups(path)]
    with closing(sqlite3.connect(path)) as connection:
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    hurt = bytearray(path.read_bytes())
    for start in range(page * 4, len(hurt), page):
        hurt[start : start + 64] = os.urandom(64)
    path.write_bytes(hurt)
    with pytest.raises(DamagedProject), Project.open(path) as project:
        project.back_up()
    assert [backup.path for backup in backups(path)] == before


def test_a_full_disk_keeps_what_was_done_and_says_so(tmp_path: Path) -> None:
    with Project.create(tmp_path / "full.rejoinder") as project:
        _paper(project, "kept")
        connection = project.connection()
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(EnvironmentProblem, match="The disk is full"):
            _paper(project, "too long " + "x" * 1_000_000)
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]
        assert project.undo_title == "Add paper “kept”"
        connection.execute("PRAGMA max_page_count = 1000000")
        _paper(project, "after")
        assert len(project.history()) == 2


def test_a_full_disk_leaves_no_half_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "full.rejoinder"
    _fill(path)
    present = {file.name for file in (tmp_path / "full.backups").iterdir()}
    real = sqlite3.connect

    def small(address: object, *arguments: object, **options: object) -> sqlite3.Connection:
        connection = real(address, *arguments, **options)  # type: ignore[call-overload]
        if str(address).endswith(".unfinished"):
            connection.execute("PRAGMA max_page_count = 3")
        return connection

    with Project.open(path) as project:
        monkeypatch.setattr(sqlite3, "connect", small)
        with pytest.raises(EnvironmentProblem, match="disk is full"):
            project.back_up()
    assert {file.name for file in (tmp_path / "full.backups").iterdir()} == present


def test_a_removed_file_is_noticed_and_can_be_rescued(tmp_path: Path) -> None:
    path = tmp_path / "gone.rejoinder"
    with Project.create(path) as project:
        _paper(project, "kept")
        path.unlink()
        with pytest.raises(EnvironmentProblem, match="moved, removed or replaced"):
            _paper(project, "lost")
        rescued = tmp_path / "rescued.rejoinder"
        project.save_copy(rescued)
    with Project.open(rescued) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]


READ_ONLY_PLACE = """
import encodings.idna, json, os, pwd, sys
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project, opening
with Project.open(sys.argv[1], read_only=True) as project:
    PaperStore(project).papers()  # imports while the interpreter's own folder can still be read
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
project = Project.open(sys.argv[1])
assert project.read_only, "a place that can't be written must open read-only"
print(len(PaperStore(project).papers()))
try:
    PaperStore(project).add_paper("no")
except EnvironmentProblem as problem:
    print(problem)
project.close()
"""


def test_a_read_only_folder_opens_for_reading() -> None:
    # Not under tmp_path: pytest keeps its folders from the other user that this test becomes when run by root.
    folder = Path(tempfile.mkdtemp())
    _fill(folder / "p.rejoinder", papers=3)
    (folder / ".p.rejoinder.lock").unlink()
    for file in folder.iterdir():
        file.chmod(0o555 if file.is_dir() else 0o444)
    folder.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY_PLACE, str(folder / "p.rejoinder")],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).resolve().parents[3],
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == "3"
        assert "is open read-only" in done.stdout
    finally:
        for place in (folder, *folder.iterdir()):
            place.chmod(0o755)
        shutil.rmtree(folder)


def test_a_second_process_reads_and_is_told_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "shared.rejoinder"
    with Project.create(path) as project:
        _paper(project, "first")
        code = (
            "import sys, json; from engine.project import Project\n"
            "p = Project.open(sys.argv[1]); from engine.papers.store import PaperStore\n"
            "papers = len(PaperStore(p).papers())\n"
            "print(json.dumps([p.read_only, p.current_holder().process, p.read_only_reason, papers])); p.close()"
        )
        heard = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        read_only, process, reason, papers = json.loads(heard.stdout)
        assert read_only and process == os.getpid() and papers == 1
        assert "Another Rejoinder has it open" in reason
    with Project.open(path) as again:
        assert not again.read_only, "the lock is free again"


def test_inputs_that_are_no_project(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t(x)")
    empty = tmp_path / "empty.rejoinder"
    empty.touch()
    for path, kind in (
        (tmp_path / "nothing.rejoinder", BadInput),
        (tmp_path, BadInput),
        (text, BadInput),
        (other, BadInput),
        (empty, DamagedProject),
    ):
        with pytest.raises(kind) as caught:
            Project.open(path)
        assert caught.value.do, "every problem says what to do next"
    assert text.read_text() == "hello"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.rejoinder"
    path.write_text("precious")
    with pytest.raises(BadInput, match="already exists"):
        Project.create(path)
    assert path.read_text() == "precious"
    with pytest.raises(BadInput, match="doesn't exist"):
        Project.create(tmp_path / "no" / "such.rejoinder")


def test_an_unclean_end_is_checked_at_the_next_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "unclean.rejoinder"
    Project.create(path).close()
    path.with_name(f".{path.name}.holder").touch()  # left by a process that was killed
    checked: list[Path] = []

    def pretend(found: Path, *, quick: bool = False) -> tuple[str, ...]:
        checked.append(found)
        return ("row 3 missing from index",)

    monkeypatch.setattr("engine.project.opening.file_problems", pretend)
    with pytest.raises(DamagedProject, match="It wasn't closed properly, and part of"):
        Project.open(path)
    assert checked == [path]


CRASHES = """
import os, sys
from engine.papers.store import PaperStore
from engine.project import Project
PaperStore(Project.open(sys.argv[1])).add_paper("in the log")
os._exit(1)
"""


def test_restoring_over_a_project_that_crashed_keeps_its_last_acts_too(tmp_path: Path) -> None:
    path = tmp_path / "crashed.rejoinder"
    _fill(path, papers=1)
    subprocess.run([sys.executable, "-c", CRASHES, str(path)], check=False)
    kept = restore(path, backups(path)[0].path)
    assert kept is not None
    for file, papers in ((path, 1), (kept, 2)):
        with Project.open(file) as project:
            assert not project.check() and len(PaperStore(project).papers()) == papers, file.name


def test_opening_leaves_a_restore_that_is_under_way_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    Project.create(path).close()
    kept = path.with_name("p.replaced-2026-01-01T00-00-00-000000Z.rejoinder")
    kept.hardlink_to(path)  # between the second name and the replacement
    running = WriterLock(path)
    assert running.acquire()
    with Project.open(path) as project:
        assert project.read_only and kept.exists()
    running.release()
    with Project.open(path) as project:
        assert not project.read_only and not kept.exists(), "it was killed: its second name goes"


def test_other_things_in_the_folder_of_backups_keep_their_rights(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    with Project.create(path) as project:
        _paper(project, "one")
        folder = project.back_up().path.parent
    own = folder / "my own"
    own.mkdir(mode=0o755)
    Project.open(path).close()
    assert own.stat().st_mode & 0o777 == 0o755
