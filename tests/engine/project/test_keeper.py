"""An open project is looked after: its log goes into the file, and what other programs do to it is reported."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.papers.store import PaperStore
from engine.project import Project, keeper
from engine.project.keeper import Keeper
from engine.project.watch import FileChanged


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(keeper, "EVERY", 0.01)
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as made:
        yield made


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        threading.Event().wait(0.005)


def log(project: Project) -> int:
    path = project.path.with_name(project.path.name + "-wal")
    return path.stat().st_size if path.exists() else 0


def test_finished_work_is_moved_into_the_file_when_it_is_asked_for_or_nobody_works(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "IDLE", 1000.0)
    kept: list[bool] = []
    checkpoint = project.checkpoint
    monkeypatch.setattr(project, "checkpoint", lambda: kept.append(checkpoint()) or kept[-1])
    looks: list[int] = []
    look = project.look
    monkeypatch.setattr(project, "look", lambda: looks.append(1) or look())
    looked_after = Keeper(project, lambda _problem: None)
    try:
        until(lambda: len(looks) > 2)
        assert not kept, "there is nothing to move"
        PaperStore(project).add_paper("One")
        before = len(looks)
        until(lambda: len(looks) > before + 2)
        assert log(project) > 0 and not kept, "somebody may go on"
        looked_after.checkpoint_soon()
        until(lambda: log(project) == 0)
        assert kept == [True]
        monkeypatch.setattr(keeper, "IDLE", 0.0)
        PaperStore(project).add_paper("Two")
        until(lambda: len(kept) == 2 and log(project) == 0)
        before = len(looks)
        until(lambda: len(looks) > before + 2)
        assert len(kept) == 2, "once is enough"
    finally:
        looked_after.stop()
    assert not looked_after._thread.is_alive()


def test_a_file_that_was_changed_from_outside_is_reported_once(project: Project) -> None:
    reported: list[FileChanged] = []
    PaperStore(project).add_paper("One")
    looked_after = Keeper(project, reported.append)
    project.path.rename(project.path.with_name("elsewhere"))
    until(lambda: bool(reported))
    looked_after._thread.join(20)
    assert (
        not looked_after._thread.is_alive() and len(reported) == 1 and "moved, removed or replaced" in reported[0].what
    )
    looked_after.stop()


def test_it_ends_with_the_project(project: Project) -> None:
    looked_after = Keeper(project, lambda _problem: None)
    project.close()
    looked_after._thread.join(20)
    assert project.closed and not looked_after._thread.is_alive()


def test_a_pause_is_counted_from_the_last_act(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, kept = [100.0], list[float]()
    looked_after = Keeper(project, lambda _problem: None)
    looked_after.stop()
    monkeypatch.setattr(keeper.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(project, "checkpoint", lambda: kept.append(clock[0]) or len(kept) > 1)
    for seconds, acts in (
        (0.0, 1),
        (keeper.IDLE - 0.1, 0),
        (0.2, 1),
        (keeper.IDLE - 0.1, 0),
        (0.1, 0),
        (0.1, 0),
        (9.0, 0),
    ):
        clock[0] += seconds
        for _ in range(acts):
            PaperStore(project).add_paper("Paper")
        looked_after._checkpoint_if_idle()
    first = 100 + keeper.IDLE + 0.1 + keeper.IDLE
    assert kept == [pytest.approx(first), pytest.approx(first + 0.1)], (
        "it is tried again where it had to wait, then done"
    )


def test_a_request_that_comes_while_commits_are_counted_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_after, kept = Keeper(project, lambda _problem: None), list[int]()
    looked_after.stop()

    def counted(_project: Project) -> int:
        before = project._commits
        if before == looked_after._kept:
            PaperStore(project).add_paper("Paper")
            looked_after.checkpoint_soon()
        return before

    monkeypatch.setattr(Project, "commits", property(counted))
    monkeypatch.setattr(project, "checkpoint", lambda: kept.append(project._commits) or True)
    looked_after._checkpoint_if_idle()
    looked_after._checkpoint_if_idle()
    assert len(kept) == 1
