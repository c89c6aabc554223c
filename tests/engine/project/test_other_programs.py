"""Other programs at the live file: they read and write it, overwrite, cut, move and remove it while it is open here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork a process")
def test_another_program_reads_and_writes_and_nothing_is_missing_after_a_kill() -> None:
    """Whatever verb ran before, the other program does not take the log away; nobody opens the file but SQLite."""
    command = [sys.executable, "-m", "tests.engine.project.bystanders"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    assert len(found) > 20
    good: dict[str, list[str]] = {"opened": [], "missing": [], "problems": []}
    wrong = {verb: seen for verb, seen in found.items() if seen != good}
    assert not wrong, json.dumps(wrong, indent=1)


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two closed projects: mine with five papers, other with two."""
    folder = tmp_path_factory.mktemp("projects")
    for name, papers in (("mine", 5), ("other", 2)):
        with Project.create(folder / f"{name}.rejoinder", annotator="First") as project:
            for number in range(papers):
                PaperStore(project).add_paper(f"{name} {number}")
    return folder


def _copies(projects: Path, folder: Path) -> tuple[Path, Path]:
    copied = [
        Path(shutil.copyfile(projects / f"{name}.rejoinder", folder / f"{name}.rejoinder"))
        for name in ("mine", "other")
    ]
    return copied[0], copied[1]


def _titles(project: Project) -> list[str]:
    return [paper.title for paper in PaperStore(project).papers()]


def _elsewhere(code: str, *paths: Path) -> str:
    """Runs ``code`` in a process of its own, as another program would; p is the list of paths. Returns its output."""
    command = [sys.executable, "-I", "-S", "-c", f"import hashlib, os, shutil, sys; p = sys.argv[1:]\n{code}"]
    return subprocess.run([*command, *map(str, paths)], check=True, capture_output=True, text=True).stdout


def _files(folder: Path) -> str:
    """Names and hashes of the projects, read by another process: this one must not open what it has open."""
    code = "for name in p: print(name, hashlib.sha256(open(name, 'rb').read()).hexdigest())"
    return _elsewhere(code, *sorted(folder.glob("[!.]*.rejoinder")))


WHOLE = {
    "removed": "os.unlink(p[0])",
    "moved": "os.rename(p[0], p[0] + '.elsewhere')",
    "replaced by a rename": "shutil.copyfile(p[1], p[0] + '.part'); os.replace(p[0] + '.part', p[0])",
    "log removed": "os.unlink(p[0] + '-wal')",
    "log and shared memory removed": "os.unlink(p[0] + '-wal'); os.unlink(p[0] + '-shm')",
    "file and log removed": "os.unlink(p[0]); os.unlink(p[0] + '-wal')",
    "swapped for its copy": "os.replace(shutil.copy2(p[0], p[0] + '.part'), p[0])",
    "log swapped for its copy": "os.replace(shutil.copy2(p[0] + '-wal', p[0] + '.part'), p[0] + '-wal')",
    "lock removed": "os.unlink(os.path.join(os.path.dirname(p[0]), f'.{os.path.basename(p[0])}.lock'))",
}
"""What another program does while our connection still reaches everything: the copy holds all acts."""
PARTLY = {
    "overwritten in place": "shutil.copyfile(p[1], p[0])",
    "overwritten by a file of the same size": (
        "size = os.path.getsize(p[0]); data = open(p[1], 'rb').read(size).ljust(size, b'\\0')\n"
        "open(p[0], 'r+b').write(data)"
    ),
    "emptied": "os.truncate(p[0], 0)",
    "cut in the middle": "os.truncate(p[0], os.path.getsize(p[0]) // 2)",
    "log emptied": "os.truncate(p[0] + '-wal', 0)",
}
"""What destroys pages that are nowhere else: the copy cannot hold all, but is sound or is refused."""


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let others change an open file")
@pytest.mark.parametrize("what", [*WHOLE, *PARTLY])
def test_a_file_that_another_program_changed_is_written_no_more(what: str, projects: Path, tmp_path: Path) -> None:
    mine, other = _copies(projects, tmp_path)
    done = [f"mine {number}" for number in range(5)]
    with Project.open(mine, annotator="First") as project:
        for number in range(5, 8):
            PaperStore(project).add_paper(f"mine {number}")
            done.append(f"mine {number}")
        _elsewhere(WHOLE.get(what) or PARTLY[what], mine, other)
        left = _files(tmp_path)
        for _ in range(2):
            with pytest.raises(EnvironmentProblem) as refused:
                PaperStore(project).add_paper("lost")
            assert refused.value.means and refused.value.do, "it says what it means and what to do"
        assert "copy" in refused.value.do or "backup" in refused.value.do
        rescued = tmp_path / "rescued.rejoinder"
        try:
            project.save_copy(rescued)
        except EnvironmentProblem as problem:
            assert what in PARTLY, problem
            assert not rescued.exists()
    if rescued.exists():
        with Project.open(rescued, annotator="First") as copy:
            assert not copy.check()
            if what in WHOLE:
                assert _titles(copy) == done
        rescued.unlink()
    if what.startswith("log") and what in WHOLE:  # the file itself is ours: closing may bring acts into it
        with Project.open(mine, annotator="First") as again:
            assert not again.check() and _titles(again) == done[: len(_titles(again))]
    else:
        assert _files(tmp_path) == left, "nothing more was written into it, and closing wrote nothing either"
    if "overwritten in place" in what or "replaced" in what:
        with Project.open(mine, annotator="First") as theirs:
            assert not theirs.check() and _titles(theirs) == ["other 0", "other 1"]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let others change an open file")
def test_a_commit_of_another_connection_is_seen_and_work_goes_on(projects: Path, tmp_path: Path) -> None:
    mine, _ = _copies(projects, tmp_path)
    with Project.open(mine, annotator="First") as project:
        PaperStore(project).add_paper("before")
        _elsewhere(
            "import sqlite3; c = sqlite3.connect(p[0]); c.execute(\"UPDATE paper SET abstract = 'other'\"); c.commit()",
            mine,
        )
        PaperStore(project).add_paper("after")
        assert [paper.abstract for paper in PaperStore(project).papers()] == ["other"] * 6 + [""]
    with Project.open(mine, annotator="First") as project:
        assert _titles(project)[5:] == ["before", "after"] and not project.check()


def _copied(path: Path) -> Path:
    """The file alone, as a file manager or a mail program copies it."""
    copy = path.with_name("copied.rejoinder")
    copy.write_bytes(path.read_bytes())
    return copy


def test_a_project_that_was_closed_is_one_file(projects: Path, tmp_path: Path) -> None:
    mine, _ = _copies(projects, tmp_path)
    with Project.open(mine, annotator="First") as project:
        PaperStore(project).add_paper("last")
    assert not [path.name for path in tmp_path.iterdir() if path.name.endswith(("-wal", "-shm", "-journal"))]
    with Project.open(_copied(mine), annotator="First") as copy:
        assert _titles(copy)[4:] == ["mine 4", "last"]
