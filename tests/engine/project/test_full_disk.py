"""Full disks, limits on files, read-only media and missing rights: what was done is kept, and an explanation given."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project

ROOT = Path(__file__).resolve().parents[3]
NOBODY = 65_534
LONG = "x" * 400_000


@contextmanager
def _mounted(options: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
        )
    except OSError:
        done = None
    if done is None or done.returncode != 0:
        folder.rmdir()
        pytest.skip("a small disk cannot be mounted here (it needs root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


@pytest.fixture
def disk() -> Iterator[Path]:
    """A disk of 8 MB."""
    with _mounted("size=8m") as folder:
        yield folder


def _titles(project: Project) -> list[str]:
    return [paper.title for paper in PaperStore(project).papers()]


def _fill_up(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65_536, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
    return filler


def _explained(caught: pytest.ExceptionInfo[EnvironmentProblem]) -> None:
    problem = caught.value
    assert problem.what and problem.means and problem.do, f"not a whole explanation: {problem}"
    assert "Traceback" not in str(problem)


def test_a_full_disk_refuses_the_act_and_keeps_the_others(disk: Path, tmp_path: Path) -> None:
    path = disk / "mine.rejoinder"
    with Project.create(path, annotator="First") as project:
        PaperStore(project).add_paper("before")
        filler = _fill_up(disk)
        for _ in range(3):
            with pytest.raises(EnvironmentProblem, match=r"(?i)full|space") as caught:
                PaperStore(project).add_paper("too long", abstract=LONG)
            _explained(caught)
        assert _titles(project) == ["before"]
        with pytest.raises(EnvironmentProblem, match=r"(?i)full|space"):
            project.back_up()
        copy = tmp_path / "elsewhere.rejoinder"
        project.save_copy(copy)
        filler.unlink()
        PaperStore(project).add_paper("after", abstract=LONG)
        assert _titles(project) == ["before", "after"] and not project.check()
    with Project.open(copy, annotator="First") as saved:
        assert _titles(saved) == ["before"] and not saved.check()
    left = {file.name for file in disk.rglob("*") if file.is_file() and not file.name.endswith(".lock")}
    assert left == {"mine.rejoinder"}, "no half copy is left"


@pytest.mark.parametrize("crashed", [False, True])
def test_a_project_on_a_full_disk_opens_for_reading_and_again_for_writing(
    disk: Path, tmp_path: Path, crashed: bool
) -> None:
    path = disk / "mine.rejoinder"
    with Project.create(path, annotator="First") as project:
        PaperStore(project).add_paper("before")
    if crashed:  # acts that are only in the log
        code = (
            "import os, sys; from engine.project import Project; from engine.papers.store import PaperStore\n"
            "p = Project.open(sys.argv[1], annotator='First'); PaperStore(p).add_paper('in the log'); os._exit(1)"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False)
    wanted = ["before", "in the log"] if crashed else ["before"]
    filler = _fill_up(disk)
    with Project.open(path, annotator="First") as project:
        # A log that a crash left may still have room for what opening writes.
        assert project.read_only or crashed
        assert not project.read_only or re.search(r"(?i)full|space", project.read_only_reason)
        with pytest.raises(EnvironmentProblem) as caught:
            PaperStore(project).add_paper("too long", abstract=LONG)
        _explained(caught)
        assert _titles(project) == wanted
        assert len(project.history()) == len(wanted)
        project.save_copy(tmp_path / "elsewhere.rejoinder")
    with Project.open(tmp_path / "elsewhere.rejoinder", annotator="First") as copy:
        assert _titles(copy) == wanted
        PaperStore(copy).add_paper("work goes on")
    filler.unlink()
    with Project.open(path, annotator="First") as project:
        assert not project.read_only
        PaperStore(project).add_paper("after")
        assert _titles(project) == [*wanted, "after"] and not project.check()


def test_a_new_project_on_a_full_disk_leaves_nothing(disk: Path) -> None:
    filler = _fill_up(disk)
    with pytest.raises(EnvironmentProblem) as caught:
        Project.create(disk / "new.rejoinder")
    assert caught.value.do
    assert [file.name for file in disk.iterdir() if not file.name.endswith(".lock")] == ["filler"]
    filler.unlink()
    Project.create(disk / "new.rejoinder").close()


@pytest.mark.parametrize("crashed", [False, True])
def test_read_only_media(disk: Path, tmp_path: Path, crashed: bool) -> None:
    path = disk / "mine.rejoinder"
    with Project.create(path, annotator="First") as project:
        PaperStore(project).add_paper("before")
        if crashed:  # the file with the log that it had in the middle of work
            for name in (path.name, f"{path.name}-wal"):  # by another process: this one has it open
                subprocess.run(["cp", str(disk / name), str(tmp_path / name)], check=True)
    if crashed:
        for name in (path.name, f"{path.name}-wal"):
            shutil.copyfile(tmp_path / name, disk / name)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    with Project.open(path, annotator="First") as project:
        assert project.read_only and project.read_only_reason
        assert _titles(project) == ["before"]
        with pytest.raises(EnvironmentProblem, match="read-only") as caught:
            PaperStore(project).add_paper("no")
        _explained(caught)
        project.save_copy(tmp_path / "copy.rejoinder")
    with Project.open(tmp_path / "copy.rejoinder", annotator="First") as copy:
        assert _titles(copy) == ["before"] and not copy.read_only
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    with Project.open(path, annotator="First") as project:
        assert not project.read_only and _titles(project) == ["before"]


REVOKED = """
import os, sys
from pathlib import Path
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project
path, copy = Path(sys.argv[1]), Path(sys.argv[2])
with Project.create(Path(sys.argv[3])) as project:  # imports while the interpreter's own folder can still be read
    PaperStore(project).add_paper("warm up")
    PaperStore(project).papers()
    project.save_copy(Path(sys.argv[3] + ".copy.rejoinder"))
Project.open(sys.argv[3], read_only=True).close()
import encodings.ascii, encodings.idna, pwd
os.setgid(65534); os.setuid(65534)
with Project.open(path, annotator="First") as project:
    PaperStore(project).add_paper("before")
    print("ready", flush=True); sys.stdin.readline()
    try:
        PaperStore(project).add_paper("rights were taken away")
        acted = True
    except EnvironmentProblem as problem:
        assert problem.means and problem.do, problem
        acted = False
    project.save_copy(copy)
with Project.open(copy, read_only=True) as project:
    print([paper.title for paper in PaperStore(project).papers()] == ["before"] + ["rights were taken away"] * acted)
print("ready", flush=True); sys.stdin.readline()
with Project.open(path, annotator="First") as project:
    assert project.read_only and project.read_only_reason, "rights are gone: for reading only"
    print([paper.title for paper in PaperStore(project).papers()][0] == "before")
"""


def test_rights_that_are_revoked_while_it_is_open(disk: Path, tmp_path: Path) -> None:
    path = disk / "mine.rejoinder"
    Project.create(path, annotator="First").close()
    public = disk / "public"
    public.mkdir()
    public.chmod(0o777)
    os.chown(disk, NOBODY, NOBODY)
    for file in disk.iterdir():
        os.chown(file, NOBODY, NOBODY)
    worker = subprocess.Popen(
        [sys.executable, "-c", REVOKED, str(path), str(public / "copy.rejoinder"), str(tmp_path / "warm.rejoinder")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert worker.stdin is not None and worker.stdout is not None
    answers = []
    for _ in range(2):
        for line in worker.stdout:
            if line.strip() == "ready":
                break
            answers.append(line.strip())
        for file in (disk, *disk.glob("mine*"), *disk.glob(".mine*")):
            os.chown(file, 0, 0)
            file.chmod(0o755 if file.is_dir() else 0o644)
        if worker.poll() is None:
            worker.stdin.write("\n")
            worker.stdin.flush()
    rest, problems = worker.communicate()
    assert worker.returncode == 0, problems
    assert [*answers, *rest.split()] == ["True", "True"]


LIMITED = """
import resource, sys
from pathlib import Path
from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project
path = Path(sys.argv[1])
with Project.open(path, annotator="First") as project:
    store = PaperStore(project)
    store.add_paper("before")
    room = max(file.stat().st_size for file in path.parent.iterdir()) + 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    for _ in range(2):
        try:
            store.add_paper("too long", abstract="x" * 3_000_000)
            raise SystemExit("the act was not refused")
        except EnvironmentProblem as problem:
            assert problem.what and problem.means and problem.do, problem
    assert [paper.title for paper in store.papers()] == ["before"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    store.add_paper("after", abstract="x" * 3_000_000)
with Project.open(path, annotator="First") as project:
    assert [paper.title for paper in PaperStore(project).papers()] == ["before", "after"]
    assert not project.check()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_limit_on_the_size_of_files_is_like_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "mine.rejoinder"
    Project.create(path, annotator="First").close()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
