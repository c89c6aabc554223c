"""The lane's promises: order, duplicates, cancel, failures, and an end without a thread left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from engine.errors import BadInput, Cancelled
from engine.jobs import DuplicatePolicy, JobEngine, JobSnapshot, JobState, Lane, Report, Task
from engine.jobs import task as make_task

LONG = 10.0


@dataclass
class Mutable:
    value: int = 0


@dataclass(frozen=True)
class Number:
    value: int = 0


@pytest.fixture
def lane() -> Iterator[JobEngine]:
    lane = JobEngine(interval=0.0)
    yield lane
    assert lane.shutdown(LONG), "the engine thread outlived its shutdown"


def task(run: Callable[[Number, Report], Any], value: int = 0, **options: Any) -> Task[Any]:
    settings: dict[str, Any] = {
        "kind": "test.work",
        "title": "Work",
        "duplicate": DuplicatePolicy.AFTER,
        "scope": "doc:1",
    } | options
    return Task(run=partial(run, Number(value)), params=(Number(value),), **settings)


class Gate:
    """A task that says when it runs, and runs until it is let go or cancelled."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.release = threading.Event()

    def __call__(self, params: Number, report: Report) -> Number:
        self.entered.set()
        while not self.release.wait(0.005):
            report.check()
        return params


def test_result_arrives_on_the_engine_thread(lane: JobEngine) -> None:
    seen: list[tuple[Number, str]] = []
    job = lane.submit(
        task(lambda params, _: Number(params.value * 2), 21),
        on_done=lambda result: seen.append((result, threading.current_thread().name)),
    )
    assert job.result(LONG) == Number(42)
    assert seen == [(Number(42), "rejoinder-interactive")]
    assert job.state is JobState.DONE


def test_tasks_run_one_after_the_other_in_order(lane: JobEngine) -> None:
    order: list[int] = []
    inside = 0

    def run(params: Number, _: Report) -> None:
        nonlocal inside
        inside += 1
        assert inside == 1
        order.append(params.value)
        inside -= 1

    jobs = [lane.submit(task(run, value, scope=f"doc:{value % 3}")) for value in range(20)]
    assert [job.wait(LONG) for job in jobs] == [JobState.DONE] * 20
    assert order == list(range(20))


def test_cancel_of_a_running_job_delivers_nothing(lane: JobEngine) -> None:
    gate, delivered = Gate(), []
    job = lane.submit(task(gate), on_done=delivered.append, on_error=delivered.append)
    assert gate.entered.wait(LONG)
    assert job.cancel()
    assert job.wait(LONG) is JobState.CANCELLED
    assert delivered == []
    with pytest.raises(Cancelled):
        job.result(LONG)


def test_a_job_that_ends_although_cancelled_still_delivers_nothing(lane: JobEngine) -> None:
    entered, release, delivered = threading.Event(), threading.Event(), []

    def deaf(params: Number, _: Report) -> Number:
        entered.set()
        assert release.wait(LONG)
        return params

    job = lane.submit(task(deaf), on_done=delivered.append)
    assert entered.wait(LONG)
    assert job.cancel()
    release.set()
    assert job.wait(LONG) is JobState.CANCELLED
    assert delivered == []


def test_cancel_of_a_waiting_job_ends_it_at_once_and_it_never_runs(lane: JobEngine) -> None:
    gate, ran = Gate(), []
    first = lane.submit(task(gate))
    second = lane.submit(task(lambda *_: ran.append(1)))
    assert gate.entered.wait(LONG)
    assert second.cancel()
    assert second.state is JobState.CANCELLED
    gate.release.set()
    assert first.wait(LONG) is JobState.DONE
    assert lane.submit(task(lambda params, _: params, scope="other")).wait(LONG) is JobState.DONE
    assert ran == []


def test_a_listener_may_cancel_the_job_that_it_hears_of(lane: JobEngine) -> None:
    gate, holding, answers = Gate(), Gate(), []
    jobs: list[Any] = []
    lane.submit(task(holding))
    lane.subscribe(lambda snapshot: answers.append(jobs[0].cancel()) if jobs else None)
    jobs.append(lane.submit(task(gate)))
    second = lane.submit(task(lambda params, _: params))
    holding.release.set()
    assert jobs[0].wait(LONG) is JobState.CANCELLED
    assert second.wait(LONG) is JobState.DONE
    assert set(answers) == {True}


def test_cancel_after_the_end_says_so(lane: JobEngine) -> None:
    job = lane.submit(task(lambda params, _: params))
    assert job.wait(LONG) is JobState.DONE
    assert job.cancel() is False
    assert job.state is JobState.DONE


def test_partial_results_arrive_and_must_be_frozen(lane: JobEngine) -> None:
    partials: list[Number] = []

    def run(_: Number, report: Report) -> None:
        report.partial(Number(1))
        report.part(0.5, 1.0).partial(Number(2))
        report.partial([1, 2])

    job = lane.submit(task(run), on_partial=partials.append)
    assert job.wait(LONG) is JobState.FAILED
    assert partials == [Number(1), Number(2)]
    assert job.failure is not None and "must be frozen" in job.failure.summary


@pytest.mark.parametrize("thing", [[1], {"a": 1}, (1, [2]), Mutable()])
def test_mutable_parameters_are_refused(thing: object) -> None:
    with pytest.raises(TypeError, match="must be frozen"):
        make_task("k", "t", DuplicatePolicy.AFTER)(lambda _report, params: None)(thing)


def test_a_function_makes_a_task_of_its_parameters(lane: JobEngine) -> None:
    store = object()

    @make_task(
        "test.add", "Add {number.value}", DuplicatePolicy.DISCARD, lambda unit, **_: f"in {unit}", lane=Lane.LONG
    )
    def add(report: Report, known: object, number: Number, *, unit: str = "{m}") -> tuple[bool, int, str]:
        report.check()
        return known is store, number.value + 1, unit

    made, other = add(store, Number(2)), add(object(), Number(2))
    assert (made.kind, made.title, made.scope, made.lane) == ("test.add", "Add 2", "in {m}", Lane.LONG)
    assert made.params == (Number(2), "{m}") == other.params, "stores don't tell two tasks apart"
    assert lane.submit(made).result(LONG) == (True, 3, "{m}")
    assert add(store, Number(2), unit="s").params != made.params


def test_mutable_result_is_a_bug(lane: JobEngine) -> None:
    job = lane.submit(task(lambda *_: [1]))
    assert job.wait(LONG) is JobState.FAILED
    assert job.failure is not None and job.failure.problem is None


def test_environment_problem_and_bug_are_told_apart_and_the_lane_goes_on(lane: JobEngine) -> None:
    failures: list[Any] = []

    def bad(params: Number, _: Report) -> None:
        if params.value == 0:
            raise BadInput("The file is not a PDF.", "Nothing was changed.", "Choose another file.")
        raise KeyError("oops")

    lane.submit(task(bad, 0), on_error=failures.append).wait(LONG)
    bug = lane.submit(task(bad, 1), on_error=failures.append)
    bug.wait(LONG)
    assert failures[0].problem is not None and failures[0].problem.do == "Choose another file."
    assert (
        failures[1].problem is None and "oops" in failures[1].traceback and "test_job_engine" in failures[1].traceback
    )
    with pytest.raises(RuntimeError, match="oops"):
        bug.result(LONG)
    assert lane.submit(task(lambda params, _: params, 5)).result(LONG) == Number(5)


def test_running_out_of_memory_is_the_worlds_doing(lane: JobEngine) -> None:
    def hungry(*_: object) -> None:
        raise MemoryError

    job = lane.submit(task(hungry))
    assert job.wait(LONG) is JobState.FAILED
    assert job.failure is not None and job.failure.problem is not None
    assert "memory" in job.failure.summary


def test_even_a_system_exit_does_not_stop_the_lane(lane: JobEngine) -> None:
    def leave(*_: object) -> None:
        raise SystemExit(3)

    assert lane.submit(task(leave)).wait(LONG) is JobState.FAILED
    assert lane.submit(task(lambda params, _: params)).wait(LONG) is JobState.DONE


def test_listener_that_raises_reaches_the_hook_and_the_lane_goes_on(
    lane: JobEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    caught: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", caught.append)

    def broken(_: object) -> None:
        raise ValueError("listener")

    assert lane.submit(task(lambda params, _: params), on_done=broken).wait(LONG) is JobState.DONE
    assert [str(hooked.exc_value) for hooked in caught] == ["listener"]
    assert lane.submit(task(lambda params, _: params)).wait(LONG) is JobState.DONE


# --- duplicates -----------------------------------------------------------------------------------


def test_discard_returns_the_existing_job_and_joins_equal_parameters(lane: JobEngine) -> None:
    gate, first, second, third = Gate(), [], [], []
    discard = {"duplicate": DuplicatePolicy.DISCARD}
    job = lane.submit(task(gate, 1, **discard), on_done=first.append)
    assert lane.submit(task(gate, 1, **discard), on_done=second.append) is job
    assert lane.submit(task(gate, 2, **discard), on_done=third.append) is job
    other = lane.submit(task(lambda params, _: params, 9, scope="doc:2", **discard))
    assert other is not job
    gate.release.set()
    other.wait(LONG)
    assert (first, second, third) == ([Number(1)], [Number(1)], [])


def test_discard_does_not_join_a_job_that_is_being_cancelled(lane: JobEngine) -> None:
    gate = Gate()
    job = lane.submit(task(gate, duplicate=DuplicatePolicy.DISCARD))
    assert gate.entered.wait(LONG)
    job.cancel()
    again = lane.submit(task(lambda params, _: params, duplicate=DuplicatePolicy.DISCARD))
    assert again is not job
    assert again.wait(LONG) is JobState.DONE


def test_a_finished_twin_is_no_duplicate_even_inside_its_listener(lane: JobEngine) -> None:
    again: list[Any] = []
    work = task(lambda params, _: params, duplicate=DuplicatePolicy.DISCARD)
    first = lane.submit(work, on_done=lambda _: again.append(lane.submit(work)))
    assert first.wait(LONG) is JobState.DONE
    assert again[0] is not first
    assert again[0].wait(LONG) is JobState.DONE


def test_replace_cancels_those_that_wait_and_leaves_the_running_one(lane: JobEngine) -> None:
    gate, ran = Gate(), []

    def note(params: Number, _: Report) -> None:
        ran.append(params.value)

    replace = {"duplicate": DuplicatePolicy.REPLACE}
    running = lane.submit(task(gate, 0, **replace))
    assert gate.entered.wait(LONG)
    old = lane.submit(task(note, 1, **replace))
    between = lane.submit(task(note, 2, scope="doc:2", **replace))
    new = lane.submit(task(note, 3, **replace))
    assert old.state is JobState.CANCELLED
    gate.release.set()
    assert [job.wait(LONG) for job in (running, new, between)] == [JobState.DONE] * 3
    assert ran == [3, 2], "the new job takes the place of the one that it replaces"


def test_after_runs_all_of_them(lane: JobEngine) -> None:
    ran: list[int] = []
    jobs = [lane.submit(task(lambda params, _: ran.append(params.value), value)) for value in range(3)]
    assert all(job.wait(LONG) is JobState.DONE for job in jobs)
    assert ran == [0, 1, 2]


# --- snapshots ------------------------------------------------------------------------------------


def test_snapshots_tell_the_whole_story_in_order(lane: JobEngine) -> None:
    seen: list[JobSnapshot] = []
    unsubscribe = lane.subscribe(seen.append)

    def run(_: Number, report: Report) -> None:
        report.progress(0.25, "reading")
        report.part(0.5, 1.0).progress(0.5, "writing")

    job = lane.submit(task(run))
    job.wait(LONG)
    unsubscribe()
    lane.submit(task(lambda params, _: params)).wait(LONG)
    ordered = sorted(seen, key=lambda snapshot: snapshot.sequence)
    assert {snapshot.id for snapshot in seen} == {job.id}
    assert [(snapshot.state, snapshot.fraction, snapshot.words) for snapshot in ordered] == [
        (JobState.QUEUED, None, ""),
        (JobState.RUNNING, None, ""),
        (JobState.RUNNING, 0.25, "reading"),
        (JobState.RUNNING, 0.75, "writing"),
        (JobState.DONE, 1.0, "writing"),
    ] or ordered[0].state is JobState.RUNNING  # the thread may take it before the first snapshot is made
    assert ordered[-1].state is JobState.DONE


def test_progress_is_throttled_but_the_end_is_always_told() -> None:
    moments = iter(range(10**9))
    lane = JobEngine(clock=lambda: next(moments) * 0.001, interval=1.0)
    seen: list[JobSnapshot] = []
    lane.subscribe(seen.append)

    def run(_: Number, report: Report) -> None:
        for step in range(1000):
            report.progress(step / 1000)

    lane.submit(task(run)).wait(LONG)
    assert lane.shutdown(LONG)
    assert sum(snapshot.state is JobState.RUNNING for snapshot in seen) <= 6
    assert seen[-1].state is JobState.DONE and seen[-1].fraction == 1.0


def test_jobs_lists_ended_running_and_waiting(lane: JobEngine) -> None:
    gate = Gate()
    lane.submit(task(lambda params, _: params, title="first")).wait(LONG)
    lane.submit(task(gate, title="second"))
    lane.submit(task(gate, title="third"))
    assert gate.entered.wait(LONG)
    assert [(job.title, job.state) for job in lane.jobs()] == [
        ("first", JobState.DONE),
        ("second", JobState.RUNNING),
        ("third", JobState.QUEUED),
    ]
    assert [job.title for job in lane.busy()] == ["second", "third"]
    gate.release.set()


# --- lanes ----------------------------------------------------------------------------------------


def test_an_interactive_job_runs_while_a_long_one_and_a_training_run(lane: JobEngine) -> None:
    long, training = Gate(), Gate()
    slow = [lane.submit(task(long, lane=Lane.LONG)), lane.submit(task(training, lane=Lane.TRAINING))]
    assert long.entered.wait(LONG) and training.entered.wait(LONG)
    quick = lane.submit(task(lambda params, _: params, 7))
    assert quick.result(LONG) == Number(7)
    assert [job.state for job in slow] == [JobState.RUNNING] * 2
    behind = lane.submit(task(lambda params, _: params, lane=Lane.LONG))
    assert behind.wait(0.05) is JobState.QUEUED, "a lane runs one job after the other"
    long.release.set()
    training.release.set()
    assert behind.wait(LONG) is JobState.DONE


def test_duplicates_are_found_across_lanes(lane: JobEngine) -> None:
    gates = {Lane.INTERACTIVE: Gate(), Lane.LONG: Gate()}
    running = {one: lane.submit(task(gate, scope=one.value, lane=one)) for one, gate in gates.items()}
    assert all(gate.entered.wait(LONG) for gate in gates.values())
    waiting = lane.submit(task(gates[Lane.LONG], 1, lane=Lane.LONG))
    twin = task(gates[Lane.LONG], 2, lane=Lane.INTERACTIVE, duplicate=DuplicatePolicy.DISCARD)
    assert lane.submit(twin) is waiting
    newer = lane.submit(task(lambda params, _: params, 3, duplicate=DuplicatePolicy.REPLACE))
    assert waiting.state is JobState.CANCELLED
    gates[Lane.INTERACTIVE].release.set()
    assert newer.result(LONG) == Number(3)
    assert running[Lane.LONG].state is JobState.RUNNING
    gates[Lane.LONG].release.set()


def test_a_waiting_job_says_what_it_waits_for(lane: JobEngine) -> None:
    gate, latest = Gate(), {}
    lane.subscribe(lambda snapshot: latest.update({snapshot.title: snapshot}))
    lane.submit(task(gate, title="first", lane=Lane.LONG))
    assert gate.entered.wait(LONG)
    middle = lane.submit(task(lambda params, _: params, title="second", lane=Lane.LONG))
    lane.submit(task(lambda params, _: params, title="third", lane=Lane.LONG))
    assert (latest["second"].waits_for, latest["third"].waits_for) == ("first", "second")
    assert latest["first"].waits_for == ""
    middle.cancel()
    assert latest["third"].waits_for == "first"
    gate.release.set()


def test_a_task_that_must_be_alone_waits_for_all_lanes_and_keeps_them_empty(lane: JobEngine) -> None:
    long, alone, latest = Gate(), Gate(), {}
    lane.subscribe(lambda snapshot: latest.update({snapshot.title: snapshot}))
    running = lane.submit(task(long, title="run", lane=Lane.LONG))
    assert long.entered.wait(LONG)
    erasing = lane.submit(task(alone, title="erase", alone=True))
    after = lane.submit(task(lambda params, _: params, title="after", lane=Lane.LONG))
    training = lane.submit(task(lambda params, _: params, title="train", lane=Lane.TRAINING))
    assert not alone.entered.wait(0.05)
    assert (latest["erase"].waits_for, latest["train"].waits_for) == ("run", "erase")
    long.release.set()
    assert alone.entered.wait(LONG)
    assert running.wait(LONG) is JobState.DONE
    assert training.wait(0.05) is JobState.QUEUED and after.state is JobState.QUEUED
    alone.release.set()
    assert [job.wait(LONG) for job in (erasing, after, training)] == [JobState.DONE] * 3


# --- shutdown -------------------------------------------------------------------------------------


def test_shutdown_cancels_everything_and_leaves_no_thread() -> None:
    others = set(threading.enumerate())  # what earlier tests in this process still have is not ours
    lane, gate, delivered = JobEngine(), Gate(), []
    running = lane.submit(task(gate), on_done=delivered.append)
    waiting = lane.submit(task(gate), on_done=delivered.append)
    assert gate.entered.wait(LONG)
    ours = set(threading.enumerate()) - others
    assert ours
    assert lane.shutdown(LONG)
    assert (running.state, waiting.state) == (JobState.CANCELLED, JobState.CANCELLED)
    assert delivered == []
    assert not [thread for thread in ours if thread.is_alive()]
    assert lane.shutdown(LONG)
    with pytest.raises(RuntimeError, match="shut down"):
        lane.submit(task(gate))


def test_shutdown_is_bounded_when_a_task_is_deaf() -> None:
    lane, entered, release = JobEngine(), threading.Event(), threading.Event()

    def deaf(*_: object) -> None:
        entered.set()
        release.wait(LONG)

    lane.submit(task(deaf))
    assert entered.wait(LONG)
    assert lane.shutdown(0.05) is False
    release.set()
    assert lane.shutdown(LONG)


def test_an_engine_that_never_worked_has_no_thread() -> None:
    before = threading.active_count()
    lane = JobEngine()
    assert threading.active_count() == before
    assert lane.shutdown()


def test_many_threads_submit_and_cancel_and_each_job_reaches_one_end(lane: JobEngine) -> None:
    done: list[int] = []
    jobs: list[Any] = []

    def feed(number: int) -> None:
        for value in range(50):
            job = lane.submit(
                task(lambda params, _: params, number * 100 + value), on_done=lambda result: done.append(result.value)
            )
            jobs.append(job)
            if value % 3 == 0:
                job.cancel()

    feeders = [threading.Thread(target=feed, args=(number,)) for number in range(4)]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    states = [job.wait(LONG) for job in jobs]
    assert all(state in (JobState.DONE, JobState.CANCELLED) for state in states)
    assert sorted(done) == sorted(
        job.task.params[0].value for job, state in zip(jobs, states, strict=True) if state is JobState.DONE
    )
