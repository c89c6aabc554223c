"""One file has one writer and stays one file, whatever path, link or mount leads to it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project, backups, restore
from engine.project.merge import merge_into

ROOT = Path(__file__).resolve().parents[3]
ARCHIVE = Path(__file__).resolve().parents[2] / "archive"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")

OTHER_PROCESS = """
import json, os, sys
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project
os.chdir(sys.argv[1])
found = {}
for path in sys.argv[2:]:
    try:
        with Project.open(path, annotator="Second") as project:
            found[path] = "read-only" if project.read_only and project.read_only_reason else "writes"
            if not project.read_only:
                PaperStore(project).add_paper("a second writer")
    except EnvironmentProblem as problem:
        found[path] = "refused" if problem.do else "refused without a word"
print(json.dumps(found))
"""


@pytest.fixture
def ways(tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A project, and other paths to it (relative ones are from its folder)."""
    real = tmp_path / "real"
    (real / "below").mkdir(parents=True)
    path = real / "mine.rejoinder"
    Project.create(path, annotator="First").close()
    (tmp_path / "link.rejoinder").symlink_to(path)
    (tmp_path / "link of a link.rejoinder").symlink_to("link.rejoinder")
    (tmp_path / "folder").symlink_to(real)
    found = [
        str(path), "mine.rejoinder", "./mine.rejoinder", "../real/mine.rejoinder",
        str(real / "below/../mine.rejoinder"),
        str(tmp_path / "link.rejoinder"), str(tmp_path / "link of a link.rejoinder"),
        str(tmp_path / "folder/mine.rejoinder"), str(tmp_path / "folder/../link.rejoinder"),
    ]  # fmt: skip
    with ExitStack() as stack:
        bound = tmp_path / "bound"
        bound.mkdir()
        if (
            shutil.which("mount")
            and not subprocess.run(
                ["mount", "--bind", str(real), str(bound)], capture_output=True, check=False
            ).returncode
        ):
            stack.callback(subprocess.run, ["umount", "-l", str(bound)], check=True)
            found.append(str(bound / "mine.rejoinder"))
        yield path, found


def _second(folder: Path, *ways: str) -> dict[str, str]:
    """What another process can do at each of the paths: writes, read-only or refused."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", OTHER_PROCESS, str(folder), *ways]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_there_is_one_writer_whatever_path_leads_to_the_file(
    ways: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, found = ways
    monkeypatch.chdir(path.parent)
    for first in (str(path), found[5], found[-1]):  # the writer itself may have come through a link
        with Project.open(first, annotator="First") as project:
            assert not project.read_only
            PaperStore(project).add_paper(f"through {first}")
            in_other = _second(path.parent, *found)
            assert set(in_other.values()) <= {"read-only", "refused"}, f"written through {first}: {in_other}"
            for way in found:
                try:
                    with Project.open(way, annotator="Second") as second:
                        assert second.read_only, f"{way} is written while {first} is"
                except EnvironmentProblem as problem:
                    assert problem.do
            PaperStore(project).add_paper(f"still through {first}")
    with Project.open(path, annotator="First") as project:
        assert len(PaperStore(project).papers()) == 6 and not project.check()


def _open(path: Path) -> Project | None:
    try:
        return Project.open(path, annotator="First")
    except EnvironmentProblem as problem:
        assert problem.do
        return None


def test_a_file_with_two_names_has_one_writer_and_loses_nothing(tmp_path: Path) -> None:
    """SQLite names its log after the path, so that two names have two logs; refusing such files is fine too."""
    path, hard = tmp_path / "mine.rejoinder", tmp_path / "hard.rejoinder"
    with Project.create(path, annotator="First") as project:
        PaperStore(project).add_paper("before")
    hard.hardlink_to(path)
    opened = _open(path)
    if opened is not None:
        with opened as project:
            writes = not project.read_only
            assert writes or project.read_only_reason
            second = _open(hard)
            assert second is None or second.read_only or not writes
            if second is not None:
                second.close()
            assert not writes or _second(tmp_path, str(hard))[str(hard)] != "writes"
    code = (
        "import os, sys; from engine.project import Project; from engine.papers.store import PaperStore\n"
        "p = Project.open(sys.argv[1], annotator='First')\n"
        "p.read_only or (PaperStore(p).add_paper('in the log'), print('acted', flush=True)); os._exit(1)"
    )
    crashed = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    wanted = ["before", "in the log"] if "acted" in crashed.stdout else ["before"]
    for name in (hard, path):
        opened = _open(name)
        if opened is not None:
            with opened as project:
                assert [paper.title for paper in PaperStore(project).papers()] == wanted, f"through {name.name}"
                assert not project.check()


def test_a_project_is_not_merged_with_itself_through_a_link(ways: tuple[Path, list[str]], tmp_path: Path) -> None:
    path, found = ways
    (tmp_path / "hard.rejoinder").hardlink_to(path)
    with Project.open(path, annotator="First") as project:
        for way in (found[5], found[7], str(tmp_path / "hard.rejoinder")):
            with pytest.raises(EnvironmentProblem, match="itself"):
                merge_into(project, Path(way))


@pytest.mark.parametrize("kind", ["symlink", "symlink of a folder"])
def test_migrating_through_a_symlink_keeps_the_link_and_migrates_the_file(kind: str, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", real / "old.rejoinder")
    if kind == "symlink":
        link = tmp_path / "link.rejoinder"
        link.symlink_to(real / "old.rejoinder")
        way = link
    else:
        link = tmp_path / "folder"
        link.symlink_to(real)
        way = link / "old.rejoinder"
    with Project.open(way, annotator="First") as project:
        PaperStore(project).add_paper("after the migration")
    assert link.is_symlink() and not (real / "old.rejoinder").is_symlink()
    for path in (way, real / "old.rejoinder"):
        with Project.open(path, read_only=True) as project:  # an old schema would be refused here
            assert [paper.title for paper in PaperStore(project).papers()] == ["Archived paper", "after the migration"]
    left = [file.name for folder in (tmp_path, real) for file in folder.iterdir() if not file.is_dir()]
    assert {name for name in left if not name.endswith((".lock", "-wal", "-shm"))} <= {link.name, "old.rejoinder"}


def test_migrating_a_file_with_two_names_does_not_fork_it(tmp_path: Path) -> None:
    first, second = tmp_path / "first.rejoinder", tmp_path / "second.rejoinder"
    shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", first)
    second.hardlink_to(first)
    try:
        Project.open(first, annotator="First").close()
    except EnvironmentProblem as problem:
        assert problem.do
    assert first.samefile(second), "one name has another file now"


def test_restoring_through_a_symlink_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / "mine.rejoinder", tmp_path / "link.rejoinder"
    with Project.create(path, annotator="First") as project:
        PaperStore(project).add_paper("kept")
        backup = project.back_up().path
        PaperStore(project).add_paper("replaced")
    link.symlink_to(path)
    assert [found.path.resolve() for found in backups(link)] == [backup.resolve()], "the same project, the same backups"
    kept = restore(link, backup)
    assert link.is_symlink() and kept is not None and not kept.is_symlink()
    for way in (path, link):
        with Project.open(way, read_only=True) as project:
            assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]
    with Project.open(kept, read_only=True) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept", "replaced"]


def test_a_link_planted_at_a_temporary_name_is_not_followed(tmp_path: Path) -> None:
    """Another user who can write to the folder cannot make the program write elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    names = ("new", "restoring", "migrating", "part", "tmp")
    old = tmp_path / "old.rejoinder"
    shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", old)
    for name in names:
        (tmp_path / f".mine.rejoinder.{name}").symlink_to(victim)
        (tmp_path / f".old.rejoinder.{name}").symlink_to(victim)
    with Project.create(tmp_path / "mine.rejoinder", annotator="First") as project:
        backup = project.back_up().path
    restore(tmp_path / "mine.rejoinder", backup)
    Project.open(old, annotator="First").close()
    Project.open(tmp_path / "mine.rejoinder", annotator="First").close()
    assert victim.read_text() == "precious" and not victim.is_symlink()
    assert not (tmp_path / "mine.rejoinder").is_symlink() and not old.is_symlink()
