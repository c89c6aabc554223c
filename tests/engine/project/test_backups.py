"""Which backups are kept, in which order they are, and what is put aside and given back."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.files import make_private_folder
from engine.papers.store import PaperStore
from engine.project import Project, backup, backups, excerpt, last_good_backup, restore
from engine.project.backup import KEEP_NEWEST, backup_folder, file_problems, make_backup, undo_set_aside
from engine.project.database import connect
from engine.project.lock import WriterLock
from engine.project.records import Changes
from engine.project.watch import FileChanged, abandon

STAMP = "%Y-%m-%dT%H-%M-%S-%fZ"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as made:
        yield made


def planted(path: Path, number: int, age: timedelta, reason: str = "regular") -> Path:
    """A file with the name of a backup of this age."""
    folder = backup_folder(path)
    make_private_folder(folder)
    moment = (datetime.now(UTC) - age).strftime(STAMP)
    file = folder / f"{number:06d}.{moment}.s{number}.{reason}.rejoinder"
    file.write_bytes(b"x" * number)
    return file


def test_one_an_hour_is_kept_for_a_day_one_a_day_for_a_month_and_one_a_month_after(project: Project) -> None:
    """Of each hour, day or month the newest; the newest five and those made before a migration always."""
    now = datetime.now(UTC)
    ages = [timedelta(days=days, minutes=minutes) for days in range(400, 40, -9) for minutes in (20, 10)]
    ages += [timedelta(days=days, minutes=minutes) for days in range(34, 2, -1) for minutes in (90, 60, 30)]
    ages += [timedelta(minutes=minutes) for minutes in range(23 * 60, 4, -7)]
    files = [planted(project.path, number, age) for number, age in enumerate(ages, start=1)]
    old = planted(project.path, len(ages) + 1, timedelta(days=300), "before-migration")
    strange = backup_folder(project.path) / "notes.txt"
    strange.write_text("mine")
    made = project.back_up("asked")
    assert made.number == len(ages) + 2 and made.reason == "asked" and made.entry == project.last_entry
    newest_first = [made.path, old, *reversed(files)]
    kept, slots = [], set[str]()
    for place, file in enumerate(newest_first):
        moment = datetime.strptime(file.name.split(".")[1], STAMP).replace(tzinfo=UTC)
        age = now - moment
        slot = (
            f"{moment:%Y%m%d%H}" if age < timedelta(days=1) else f"{moment:%Y%m%d}" if age < timedelta(days=31) else ""
        )
        slot = slot or f"{moment:%Y%m}"
        if place < KEEP_NEWEST or slot not in slots or file == old:
            kept.append(file)
        slots.add(slot)
    assert 60 < len(kept) < 90
    assert [backup.path for backup in backups(project.path)] == kept and strange.exists()
    assert [backup.size for backup in backups(project.path)[1:]] == [file.stat().st_size for file in kept[1:]]


def test_the_highest_number_is_the_newest_whatever_the_clock_said(project: Project) -> None:
    first = planted(project.path, 7, timedelta(days=-3))
    second = project.back_up()
    folder = backup_folder(project.path)
    ancient = folder / f"{datetime(2020, 1, 1, tzinfo=UTC):{STAMP}}.regular.rejoinder"
    ancient.write_bytes(b"of version 0.1")
    found = backups(project.path)
    assert [(backup.path, backup.number) for backup in found] == [(second.path, 8), (first, 7), (ancient, 0)]
    assert found[2].entry is None and found[2].created_at == "2020-01-01T00:00:00+00:00"
    assert last_good_backup(project.path) == second, "what can't be read is none"
    second.path.write_bytes(b"damaged")
    assert last_good_backup(project.path) is None
    assert backups(project.path.with_name("another.rejoinder")) == ()


def test_restoring_needs_a_sound_backup_and_a_closed_project(project: Project) -> None:
    PaperStore(project).add_paper("Before")
    backup = project.back_up()
    with pytest.raises(BadInput, match="is open"):
        restore(project.path, backup.path)
    PaperStore(project).add_paper("After")
    project.close()
    whole = backup.path.read_bytes()
    with closing(sqlite3.connect(backup.path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE paper SET annotator_id = 'nobody'")
        connection.commit()
    before = project.path.read_bytes()
    with pytest.raises(BadInput, match="is damaged: a row of paper refers to a row of annotator that doesn't exist"):
        restore(project.path, backup.path)
    assert project.path.read_bytes() == before
    backup.path.write_bytes(whole)
    kept = restore(project.path, backup.path)
    assert kept is not None and kept.read_bytes() == before and kept.name.startswith("p.replaced-")
    with Project.open(project.path) as opened:
        assert [paper.title for paper in PaperStore(opened).papers()] == ["Before"]
    with Project.open(kept) as opened:
        assert [paper.title for paper in PaperStore(opened).papers()] == ["Before", "After"]
    project.path.unlink()
    assert restore(project.path, backup.path) is None, "there is nothing to keep"


def test_a_copy_is_made_in_steps_that_are_reported(project: Project) -> None:
    with project.results("Fill") as write:
        row = {"sha256": "0" * 64, "media_type": "x", "size": 1, "bytes": b"x" * 20_000_000}
        write.db.table("blob").insert(row)
    reported: list[float] = []
    project.back_up(progress=reported.append)
    assert len(reported) > 2 and reported == sorted(reported) and 0 < reported[0] < 1 and reported[-1] == 1


def test_a_person_whose_work_is_imported_is_announced_and_written_once(project: Project) -> None:
    heard: list[Changes] = []
    end = project.subscribe(heard.append)
    key = project.add_annotator("Bo")
    assert [(one.kind, dict(one.rows)) for one in heard] == [("results", {"annotator": frozenset({key})})]
    assert project.add_annotator("Bo") == key and len(heard) == 1
    end()
    end()
    project.set_title("Another")
    assert len(heard) == 1
    assert [name for _, name in project.annotators()] == ["Ada", "Bo"]


def test_the_backups_of_a_project_are_beside_its_file_whichever_way_leads_there(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (link := elsewhere / "link.rejoinder").symlink_to(project.path)
    made = project.back_up()
    assert backup_folder(link) == backup_folder(project.path) == made.path.parent and backups(link) == (made,)
    monkeypatch.chdir(project.path.parent)
    assert backups(Path(project.path.name)) == (made,)


def test_restoring_keeps_the_file_where_it_can_have_no_second_name(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no hard links here")

    PaperStore(project).add_paper("Before")
    backup = project.back_up()
    PaperStore(project).add_paper("After")
    project.close()
    monkeypatch.setattr(os, "link", refuse)
    kept = restore(project.path, backup.path)
    assert kept is not None
    for path, titles in ((project.path, ["Before"]), (kept, ["Before", "After"])):
        with Project.open(path) as opened:
            assert [paper.title for paper in PaperStore(opened).papers()] == titles


@pytest.mark.parametrize("second_name", [False, True])
def test_what_a_killed_restore_put_aside_is_given_back(tmp_path: Path, second_name: bool) -> None:
    path, kept = tmp_path / "p.rejoinder", tmp_path / "p.replaced-2026.rejoinder"
    other = tmp_path / "q.replaced-2026.rejoinder-wal"
    path.write_text("file"), other.write_text("of another project")
    for ending in ("-wal", "-shm"):
        kept.with_name(kept.name + ending).write_text(ending)
    if second_name:
        os.link(path, kept)
    undo_set_aside(path)
    assert not kept.exists() and path.read_text() == "file" and other.exists()
    for ending in ("-wal", "-shm"):
        assert path.with_name(path.name + ending).read_text() == ending
        assert not kept.with_name(kept.name + ending).exists()


def test_only_an_opening_that_may_write_gives_back_what_was_put_aside(tmp_path: Path) -> None:
    path, kept = tmp_path / "p.rejoinder", tmp_path / "p.replaced-2026.rejoinder"
    Project.create(path).close()
    os.link(path, kept)
    Project.open(path, read_only=True).close()
    assert kept.exists()
    with Project.open(path) as opened:
        assert not kept.exists() and not opened.read_only


def test_what_a_finished_restore_put_aside_stays(tmp_path: Path) -> None:
    path, kept = tmp_path / "p.rejoinder", tmp_path / "p.replaced-2026.rejoinder"
    path.write_text("restored"), kept.write_text("before")
    kept.with_name(f"{kept.name}-wal").write_text("log of before")
    undo_set_aside(path)
    assert kept.read_text() == "before" and kept.with_name(f"{kept.name}-wal").exists()
    assert not path.with_name(f"{path.name}-wal").exists()
    lock = WriterLock(path)
    assert lock.acquire()
    kept.unlink()
    undo_set_aside(path)
    assert kept.with_name(f"{kept.name}-wal").exists(), "a restore that is running is left alone"
    lock.release()


@pytest.mark.parametrize(
    ("where", "write"),
    [
        (backup, lambda project, path: project.save_copy(path)),
        (backup, lambda project, path: make_backup(project.connection(), path)),
        (excerpt, lambda project, path: excerpt.write_excerpt(project.path, path, excerpt.Excerpt("nobody"))),
    ],
    ids=["a copy", "a backup", "a shared copy"],
)
def test_a_copy_that_fails_its_check_is_not_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch, where: ModuleType, write: Callable[[Project, Path], object]
) -> None:
    (folder := project.path.with_name("out")).mkdir()
    monkeypatch.setattr(where, "file_problems", lambda *_, **__: ("row 7 is missing from an index",))
    with pytest.raises(EnvironmentProblem, match="damaged: row 7 is missing from an index"):
        write(project, folder / "copy.rejoinder")
    assert not any(file.is_file() for file in folder.rglob("*"))


def test_nothing_is_written_to_a_file_whose_structure_another_program_changed(project: Project) -> None:
    PaperStore(project).add_paper("One")
    with closing(connect(project.path)) as other:
        other.execute("CREATE TRIGGER theirs AFTER INSERT ON paper BEGIN DELETE FROM comment; END")
    for _ in range(2):
        with pytest.raises(FileChanged, match=r"changed the structure of p\.rejoinder"):
            PaperStore(project).add_paper("Two")
    assert [paper.title for paper in PaperStore(project).papers()] == ["One"]


def test_commits_of_others_are_announced_and_what_is_no_commit_ends_all_writing(project: Project) -> None:
    heard: list[Changes] = []
    PaperStore(project).add_paper("One")
    project.subscribe(heard.append)
    project.look()
    assert not heard
    with closing(connect(project.path)) as other:
        other.execute("UPDATE paper SET title = 'Two'")
        project.look()
        assert [(one.kind, "paper" in one.tables) for one in heard] == [("elsewhere", True)]
        other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        project.look()
    assert len(heard) == 1
    assert project.checkpoint()
    project._watch._settled = 0.0  # type: ignore[union-attr]  # long ago
    project.look()
    os.utime(project.path, (1, 1))
    for _ in range(2):
        with pytest.raises(FileChanged, match="overwrote") as caught:
            project.look()
        assert caught.value.other_content
    with pytest.raises(FileChanged):
        PaperStore(project).add_paper("Three")
    assert len(heard) == 1


def test_a_copy_is_not_written_over_anything(project: Project) -> None:
    (there := project.path.with_name("notes.txt")).write_text("mine")
    with pytest.raises(BadInput, match=r"notes\.txt already exists"):
        project.save_copy(there)
    assert there.read_text() == "mine"


def test_a_log_that_another_program_still_reads_goes_with_the_file_that_was_replaced(project: Project) -> None:
    PaperStore(project).add_paper("One")
    backup = project.back_up().path
    path = project.path
    with closing(connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM paper").fetchall()
        PaperStore(project).add_paper("Two")
        project.close()
        kept = restore(path, backup)
        assert kept is not None and kept.with_name(f"{kept.name}-wal").stat().st_size > 0
        assert not path.with_name(f"{path.name}-wal").exists()
    for file, titles in ((path, ["One"]), (kept, ["One", "Two"])):
        with Project.open(file) as opened:
            assert [paper.title for paper in PaperStore(opened).papers()] == titles


def test_a_file_that_can_not_be_checked_has_a_problem(project: Project) -> None:
    with closing(connect(project.path)) as other:
        other.execute("CREATE TABLE t(x REFERENCES paper(colour))")
        other.execute("PRAGMA foreign_keys = OFF")
        other.execute("INSERT INTO t VALUES ('p')")
    assert file_problems(project.path) == ('foreign key mismatch - "t" referencing "paper"',)
    with closing(sqlite3.connect(blank := project.path.with_name("blank.rejoinder"))) as other:
        other.execute("CREATE TABLE t(x)")
    (problem,) = file_problems(blank)
    assert problem.startswith("blank.rejoinder is a database, but not a Rejoinder project.")


def test_a_file_that_is_missing_inside_is_named(project: Project) -> None:
    with pytest.raises(EnvironmentProblem, match="A file is missing from this project"):
        project.get_blob("0" * 64)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python itself sets it from 3.12 on")
def test_a_connection_whose_log_would_be_moved_is_left_open(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = connect(project.path)
    with monkeypatch.context() as patch:
        patch.setattr(ctypes, "CDLL", lambda *_: (_ for _ in ()).throw(OSError("no such library")))
        abandon([connection], project.path, other_content=False)
    assert connection.execute("SELECT count(*) FROM paper").fetchone()[0] == 0
    abandon([connection], project.path, other_content=False)
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(connection))
