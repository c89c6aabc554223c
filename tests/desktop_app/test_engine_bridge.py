"""Jobs and changes arrive on the GUI thread, and nothing arrives late."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop_app.engine_bridge import EngineBridge
from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Failure, JobSnapshot, JobState, Report, Task
from engine.project import Changes, Project
from tests.desktop_app.shell_helpers import do_acts


def task(run: object, name: str = "test") -> Task[object]:
    return Task(f"test.{name}", "A test", run, DuplicatePolicy.AFTER)  # type: ignore[arg-type]


@pytest.fixture
def bridge(qapp: object) -> Iterator[EngineBridge]:
    bridge = EngineBridge()
    yield bridge
    assert bridge.close()


def test_results_partials_and_snapshots_arrive_on_the_gui_thread(bridge: EngineBridge, qtbot: QtBot) -> None:
    threads: set[threading.Thread] = set()
    got: list[object] = []
    states: list[JobState] = []

    def take(value: object) -> None:
        threads.add(threading.current_thread())
        got.append(value)

    def seen(job: JobSnapshot) -> None:
        threads.add(threading.current_thread())
        states.append(job.state)

    bridge.job_changed.connect(seen)

    def run(report: Report) -> int:
        assert threading.current_thread() is not threading.main_thread()
        report.partial(1)
        report.partial(2)
        return 3

    bridge.submit(task(run), bridge, on_done=take, on_partial=take)
    qtbot.waitUntil(lambda: got == [1, 2, 3] and JobState.DONE in states)
    assert threads == {threading.main_thread()}
    order = list(JobState)
    assert states == sorted(states, key=order.index)


def test_a_cancelled_job_delivers_nothing_even_if_it_had_ended(bridge: EngineBridge, qtbot: QtBot) -> None:
    late: list[object] = []
    job = bridge.submit(task(lambda _report: 1), bridge, on_done=late.append)
    # The engine thread ends the job while this thread never turned its event loop: the result is on its way.
    assert job._job is not None
    assert job._job.wait(5) is JobState.DONE
    job.cancel()
    with qtbot.waitSignal(bridge.job_changed):
        bridge.submit(task(lambda _report: 2), bridge, on_done=late.append)
    qtbot.waitUntil(lambda: late == [2])


def test_the_tray_cancels_by_number(bridge: EngineBridge, qtbot: QtBot) -> None:
    begun = threading.Event()

    def run(report: Report) -> int:
        begun.set()
        while True:
            report.check()
            threading.Event().wait(0.005)

    ended: list[JobSnapshot] = []
    bridge.job_changed.connect(lambda job: ended.append(job) if job.state.ended else None)
    wrong: list[object] = []
    job = bridge.submit(task(run), bridge, on_done=wrong.append, on_error=wrong.append)
    assert begun.wait(5)
    bridge.cancel_job(job.id)
    qtbot.waitUntil(lambda: len(ended) == 1, timeout=1000)
    assert ended[0].state is JobState.CANCELLED
    (failure,) = wrong
    assert isinstance(failure, Failure) and "“A test” was cancelled." in failure.summary


def test_every_owner_of_a_shared_job_hears_that_it_was_cancelled_elsewhere(bridge: EngineBridge, qtbot: QtBot) -> None:
    def run(report: Report) -> int:
        while True:
            report.check()
            threading.Event().wait(0.005)

    work: Task[object] = Task("test.shared", "A test", run, DuplicatePolicy.DISCARD)
    heard: list[str] = []
    failed: list[Failure] = []
    jobs = [
        bridge.submit(work, bridge, on_cancelled=partial(heard.append, name), on_error=failed.append)
        for name in ("first", "second")
    ]
    bridge.job_failed.connect(failed.append)
    bridge.submit(work, bridge)  # does not care
    assert jobs[0].id == jobs[1].id
    bridge.cancel_job(jobs[0].id)
    qtbot.waitUntil(lambda: heard == ["first", "second"])
    assert failed == []


def test_partial_results_on_their_way_arrive_before_the_owner_hears_of_the_end(
    bridge: EngineBridge, qtbot: QtBot
) -> None:
    handed_over = threading.Event()

    def run(report: Report) -> int:
        report.partial(1)
        handed_over.set()
        while True:
            report.check()
            threading.Event().wait(0.005)

    heard: list[object] = []
    job = bridge.submit(
        task(run), bridge, on_partial=heard.append, on_done=heard.append, on_cancelled=partial(heard.append, "end")
    )
    assert handed_over.wait(5)
    bridge.cancel_job(job.id)
    qtbot.waitUntil(lambda: heard == [1, "end"])


def test_nothing_is_delivered_to_an_owner_that_is_gone(bridge: EngineBridge, qtbot: QtBot) -> None:
    owner = QObject()
    got: list[object] = []
    gate = threading.Event()
    bridge.submit(task(lambda _report: gate.wait(5)), owner, on_done=got.append)
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gate.set()
    after: list[object] = []
    bridge.submit(task(lambda _report: 1), bridge, on_done=after.append)
    qtbot.waitUntil(lambda: after == [1])
    assert got == []


def test_failures_go_to_the_listener_or_to_everybody(bridge: EngineBridge, qtbot: QtBot) -> None:
    def world(_report: Report) -> None:
        raise BadInput("The file is empty.")

    def bug(_report: Report) -> None:
        raise KeyError("oops")

    own: list[Failure] = []
    bridge.submit(task(world), bridge, on_error=own.append)
    qtbot.waitUntil(lambda: len(own) == 1)
    assert own[0].problem is not None
    with qtbot.waitSignal(bridge.job_failed) as shown:
        bridge.submit(task(bug), bridge)
    assert shown.args[0].problem is None
    assert "oops" in shown.args[0].traceback


def test_changes_arrive_at_once_from_here_and_queued_from_elsewhere(
    bridge: EngineBridge, qtbot: QtBot, tmp_path: Path
) -> None:
    project = Project.create(tmp_path / "p.rejoinder", "P")
    bridge.set_project(project)
    got: list[tuple[Changes, threading.Thread]] = []
    bridge.changes.connect(lambda changes: got.append((changes, threading.current_thread())))
    do_acts(project, 1)
    assert len(got) == 1
    other = threading.Thread(target=do_acts, args=(project, 1))
    other.start()
    other.join()
    assert len(got) == 1
    qtbot.waitUntil(lambda: len(got) == 2)
    assert {thread for _, thread in got} == {threading.main_thread()}


def test_changes_of_a_project_that_was_closed_meanwhile_do_not_arrive(
    bridge: EngineBridge, qtbot: QtBot, tmp_path: Path
) -> None:
    first, second = (Project.create(tmp_path / f"{n}.rejoinder", n) for n in "ab")
    bridge.set_project(first)
    other = threading.Thread(target=do_acts, args=(first, 1))
    other.start()
    other.join()
    bridge.set_project(second)
    assert first.closed
    got: list[Changes] = []
    bridge.changes.connect(got.append)
    other = threading.Thread(target=do_acts, args=(second, 1, "Second {}"))
    other.start()
    other.join()
    qtbot.waitUntil(lambda: bool(got))
    assert [changes.title for changes in got] == ["Second 0"]


def test_a_job_that_outlives_its_window_tells_nobody_and_raises_nothing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    window, begun, go, late = QObject(), threading.Event(), threading.Event(), list[object]()
    bridge = EngineBridge(window)
    job = bridge.submit(task(lambda _report: (begun.set(), go.wait(30))), QObject(bridge), on_done=late.append)._job
    assert job is not None and begun.wait(30)
    engine = bridge.engine
    delete(window)
    go.set()
    assert job.wait(30) is JobState.DONE
    assert engine.shutdown(30)
    QCoreApplication.sendPostedEvents()
    assert (late, raised) == ([], [])
