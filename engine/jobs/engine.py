"""The job engine: one thread per lane, so that short jobs don't wait for long ones.

Lanes can run in parallel because shared parts protect themselves: MuPDF and models run in worker processes that take
one request at a time, and results are written in short transactions under the project's lock. A task is a pure function
with a report. Cancelling sets a flag that the task checks at its next report; once it is set, no result of the job is
delivered (compare Orange's concurrent.py for this contract, INCEpTION's scheduler for the duplicate policies).
"""

import itertools
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs.progress import QuietReport, RemainingTime
from engine.jobs.records import DuplicatePolicy, Failure, JobSnapshot, JobState, Lane, Result, Task, require_frozen

SLICE = 0.0005
"""Seconds between checks of the other thread."""
MOST = 0.05
"""The longest wait in seconds. After it, the job runs for as long, whatever the other thread does."""


def cpu_clock(thread: int) -> Callable[[], float] | None:
    """Returns a function for the CPU seconds of the thread with this ``ident``; None if the system lacks it."""
    if sys.platform != "linux":
        return None
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


class Precedence:
    """Makes jobs wait while the window's thread works: ``wait`` returns when the thread with CPU time ``used`` is idle.

    Each call into Qt releases Python's lock, and a computing job takes it every time: a key press that calls Qt 500
    times then waits for 500 time slices of the job. Shorter slices don't help.
    """

    def __init__(
        self,
        used: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._used, self._clock, self._sleep = used, clock, sleep
        self._seen = used()
        self._free_until = 0.0

    def wait(self) -> None:
        begun = self._clock()
        if begun < self._free_until or self._used() == self._seen:
            return
        while True:
            before = self._used()
            self._sleep(SLICE)
            self._seen = self._used()
            if self._seen - before < SLICE / 10:
                return
            if self._clock() - begun >= MOST:
                self._free_until = self._clock() + MOST
                return


Listener = Callable[[Any], None]


class Job(Generic[Result]):
    """A submitted task. All methods can be called on any thread."""

    def __init__(self, engine: "JobEngine", number: int, task: Task[Result]) -> None:
        self._engine = engine
        self.id = number
        self.task = task
        self.state = JobState.QUEUED
        self.failure: Failure | None = None
        self._result: Result | None = None
        self._on_done: list[Listener] = []
        self._on_error: list[Listener] = []
        self._on_partial: list[Listener] = []
        self._cancel = threading.Event()
        self._ended = threading.Event()
        self._fraction: float | None = None
        self._words = ""
        self._started: float | None = None
        self._finished = 0.0
        self._remaining = RemainingTime()
        self._shown = float("-inf")

    @property
    def cancelling(self) -> bool:
        return self._cancel.is_set() and not self.state.ended

    def cancel(self) -> bool:
        """Requests cancellation. True: the job will end or has ended as cancelled, without a result. False: it ended
        before."""
        return self._engine._cancel(self)

    def wait(self, timeout: float | None = None) -> JobState:
        """Blocks until the job and its listeners are done, or ``timeout`` seconds. Never call it on a GUI thread."""
        self._ended.wait(timeout)
        return self.state

    def result(self, timeout: float | None = None) -> Result:
        """Waits for the result. Raises Cancelled, the job's EnvironmentProblem, TimeoutError, or RuntimeError for a
        bug."""
        state = self.wait(timeout)
        if state is JobState.CANCELLED:
            raise Cancelled
        if self.failure is not None:
            raise self.failure.problem or RuntimeError(self.failure.traceback)
        if state is not JobState.DONE:
            raise TimeoutError(self.task.title)
        return self._result  # type: ignore[return-value]


class _JobReport(QuietReport):
    """The report of a running job. Called on the lane's thread."""

    def __init__(self, engine: "JobEngine", job: Job[Any]) -> None:
        self._engine, self._job = engine, job
        self._precedence = Precedence(engine.first) if engine.first is not None else None

    def check(self) -> None:
        if self._precedence is not None:
            self._precedence.wait()
        if self._job._cancel.is_set():
            raise Cancelled

    def progress(self, fraction: float, words: str = "") -> None:
        self.check()
        self._engine._progressed(self._job, min(1.0, max(0.0, fraction)), words)

    def say(self, words: str) -> None:
        self.progress(self._job._fraction or 0.0, words)

    def partial(self, value: Any) -> None:
        self.check()
        require_frozen(value, f"a partial result of {self._job.task.kind}")
        self._engine._call(self._job._on_partial, value)


@dataclass(slots=True)
class _Line:
    """One lane: its queue, its running job, and its thread, which starts with the first task."""

    queue: deque[Job[Any]] = field(default_factory=deque)
    running: Job[Any] | None = None
    thread: threading.Thread | None = None


class JobEngine:
    """Runs each lane's tasks one after the other, on one thread per lane.

    Listeners passed to ``submit`` run on the lane's thread; those passed to ``subscribe`` run on the thread where the
    change happens (a lane's, or the one that submits or cancels). They must return quickly. Exceptions in listeners are
    reported through ``threading.excepthook`` and don't stop the lane.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        interval: float = 0.1,
        remembered: int = 20,
        first: Callable[[], float] | None = None,
    ) -> None:
        """``interval``: seconds between progress snapshots of a job; ``remembered``: number of ended jobs in
        ``jobs()``; ``first``: returns the CPU time of the thread that takes precedence over jobs."""
        self._clock = clock
        self.first = first
        self._interval = interval
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._lines = {lane: _Line() for lane in Lane}
        self._ended: deque[Job[Any]] = deque(maxlen=remembered)
        self._listeners: list[Callable[[JobSnapshot], None]] = []
        self._numbers = itertools.count(1)
        self._sequence = itertools.count(1)
        self._closing = False

    # --- public interface -------------------------------------------------------------------------

    def submit(
        self,
        task: Task[Result],
        *,
        on_done: Callable[[Result], None] | None = None,
        on_error: Callable[[Failure], None] | None = None,
        on_partial: Callable[[Any], None] | None = None,
    ) -> Job[Result]:
        """Queues a task according to its duplicate policy; returns its job. Raises RuntimeError after ``shutdown``."""
        replaced: list[Job[Any]] = []
        with self._lock:
            if self._closing:
                raise RuntimeError("the engine has been shut down")
            twins = [
                job
                for job in self._unfinished()
                if (job.task.kind, job.task.scope) == (task.kind, task.scope) and not job._cancel.is_set()
            ]
            if twins and task.duplicate is DuplicatePolicy.DISCARD:
                existing: Job[Result] = twins[-1]
                if existing.task.params == task.params:
                    _listen(existing, on_done, on_error, on_partial)
                return existing
            job = Job(self, next(self._numbers), task)
            _listen(job, on_done, on_error, on_partial)
            line = self._lines[task.lane]
            line.queue.append(job)
            if task.duplicate is DuplicatePolicy.REPLACE:
                replaced = [twin for twin in twins if twin.state is JobState.QUEUED]
                if same_lane := [twin for twin in replaced if twin in line.queue]:
                    line.queue.remove(job)
                    line.queue.insert(line.queue.index(same_lane[0]), job)
                for twin in replaced:
                    self._lines[twin.task.lane].queue.remove(twin)
                    self._end(twin, JobState.CANCELLED)
            if line.thread is None:
                name = f"rejoinder-{task.lane.value}"
                line.thread = threading.Thread(target=self._work, args=(line,), name=name, daemon=True)
                line.thread.start()
            self._changed.notify_all()
        for twin in replaced:
            self._publish(twin)
            twin._ended.set()
        self._publish(job)
        return job

    def subscribe(self, listener: Callable[[JobSnapshot], None]) -> Callable[[], None]:
        """Calls ``listener`` with every future snapshot; returns a function that ends the subscription."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def jobs(self) -> tuple[JobSnapshot, ...]:
        """Returns recently ended jobs, then running jobs, then queued jobs, lane by lane in order."""
        with self._lock:
            return tuple(self._snapshot(job) for job in (*self._ended, *self._unfinished()))

    def busy(self) -> tuple[JobSnapshot, ...]:
        """Returns the unfinished jobs, which the window asks about before it closes."""
        return tuple(snapshot for snapshot in self.jobs() if not snapshot.state.ended)

    def shutdown(self, timeout: float = 5.0) -> bool:
        """Cancels everything and waits up to ``timeout`` seconds; returns whether all threads have ended. Can be called
        twice."""
        with self._lock:
            self._closing = True
            waiting = self._waiting()
            for job in waiting:
                self._end(job, JobState.CANCELLED)
            for line in self._lines.values():
                line.queue.clear()
            for job in self._running():
                job._cancel.set()
            self._changed.notify_all()
            threads = [line.thread for line in self._lines.values() if line.thread is not None]
        for job in waiting:
            self._publish(job)
            job._ended.set()
        until = time.monotonic() + timeout
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    # --- shared by the threads --------------------------------------------------------------------

    def _cancel(self, job: Job[Any]) -> bool:
        with self._lock:
            if job.state.ended:
                return job.state is JobState.CANCELLED
            if job._cancel.is_set():
                return True
            job._cancel.set()
            was_queued = job.state is JobState.QUEUED
            if was_queued:
                self._lines[job.task.lane].queue.remove(job)
                self._end(job, JobState.CANCELLED)
        self._publish(job)
        if was_queued:
            job._ended.set()
            self._publish_waiting()
        return True

    def _running(self) -> list[Job[Any]]:
        return [line.running for line in self._lines.values() if line.running is not None]

    def _waiting(self) -> list[Job[Any]]:
        return [job for line in self._lines.values() for job in line.queue]

    def _unfinished(self) -> list[Job[Any]]:
        """Returns running and queued jobs; requires the lock. A job whose listeners are still running has ended."""
        return [*(job for job in self._running() if not job.state.ended), *self._waiting()]

    def _end(self, job: Job[Any], state: JobState) -> None:
        """Marks the end; requires the lock. The caller then notifies listeners and sets ``job._ended``."""
        job.state = state
        job._finished = self._clock()
        self._ended.append(job)

    def _snapshot(self, job: Job[Any]) -> JobSnapshot:
        now = self._clock()
        return JobSnapshot(
            id=job.id,
            kind=job.task.kind,
            scope=job.task.scope,
            title=job.task.title,
            state=job.state,
            sequence=next(self._sequence),
            fraction=1.0 if job.state is JobState.DONE else job._fraction,
            words=job._words,
            elapsed=0.0 if job._started is None else (job._finished if job.state.ended else now) - job._started,
            remaining=job._remaining.seconds(now) if job.state is JobState.RUNNING else None,
            cancelling=job.cancelling,
            failure=job.failure,
            waits_for=self._waits_for(job),
        )

    def _waits_for(self, job: Job[Any]) -> str:
        """Returns the title of the job that must end before this one can start; requires the lock."""
        if job.state is not JobState.QUEUED:
            return ""
        line = self._lines[job.task.lane]
        place = line.queue.index(job) if job in line.queue else 0
        ahead = line.queue[place - 1] if place else line.running or self._obstacle(job)
        return "" if ahead is None else ahead.task.title

    def _obstacle(self, job: Job[Any]) -> Job[Any] | None:
        """Returns the job that blocks one whose lane is free: a task that must run alone blocks all other lanes."""
        running = self._running()
        if job.task.alone:
            return running[0] if running else None
        heads = [*running, *(line.queue[0] for line in self._lines.values() if line.queue)]
        return next((other for other in heads if other.task.alone), None)

    def _publish_waiting(self) -> None:
        """Publishes snapshots of queued jobs after what they wait for has changed."""
        with self._lock:
            waiting = self._waiting()
        for job in waiting:
            self._publish(job)

    def _publish(self, job: Job[Any]) -> None:
        with self._lock:
            snapshot = self._snapshot(job)
            listeners = list(self._listeners)
        self._call(listeners, snapshot)

    @staticmethod
    def _call(listeners: list[Listener], value: Any) -> None:
        for listener in tuple(listeners):
            try:
                listener(value)
            except Exception as error:  # noqa: BLE001 (a listener's bug is reported, the lane continues)
                threading.excepthook(
                    threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread()))
                )

    # --- on the lanes' threads --------------------------------------------------------------------

    def _progressed(self, job: Job[Any], fraction: float, words: str) -> None:
        now = self._clock()
        with self._lock:
            job._fraction = fraction
            job._words = words or job._words
            job._remaining.update(now, fraction)
            due = now - job._shown >= self._interval
            if due:
                job._shown = now
        if due:
            self._publish(job)

    def _next(self, line: _Line) -> Job[Any] | None:
        with self._lock:
            self._changed.wait_for(
                lambda: self._closing or (bool(line.queue) and self._obstacle(line.queue[0]) is None)
            )
            if self._closing:
                return None
            job = line.running = line.queue.popleft()
            job.state = JobState.RUNNING
            job._started = self._clock()
            return job

    def _work(self, line: _Line) -> None:
        while (job := self._next(line)) is not None:
            self._publish(job)
            self._publish_waiting()
            self._run(job, line)

    def _run(self, job: Job[Any], line: _Line) -> None:
        result: Any = None
        failure: Failure | None = None
        stopped = False
        try:
            result = job.task.run(_JobReport(self, job))
            require_frozen(result, f"the result of {job.task.kind}")
        except Cancelled:
            stopped = True
        except EnvironmentProblem as problem:
            # Without the traceback, whose frames would keep the task's arrays alive while the failure is shown.
            failure = Failure(problem.with_traceback(None), str(problem))
        except MemoryError:
            shortage = EnvironmentProblem(
                f"“{job.task.title}” ran out of memory.",
                "The job was stopped. No saved data is lost.",
                "Close other programs, or use a smaller model or document.",
            )
            failure = Failure(shortage, str(shortage))
        except BaseException as error:  # noqa: BLE001 (the job runner: a bug fails this job, not the lane)
            failure = Failure(None, f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
        # From here on, cancel() returns False: what is delivered is decided once, under the lock.
        with self._lock:
            if stopped or job._cancel.is_set():
                self._end(job, JobState.CANCELLED)
            elif failure is not None:
                job.failure = failure
                self._end(job, JobState.FAILED)
            else:
                job._result = result
                self._end(job, JobState.DONE)
            state = job.state
        if state is JobState.DONE:
            self._call(job._on_done, result)
        elif state is JobState.FAILED:
            self._call(job._on_error, failure)
        with self._lock:
            line.running = None
            self._changed.notify_all()
        self._publish(job)
        job._ended.set()


def _listen(job: Job[Any], on_done: Listener | None, on_error: Listener | None, on_partial: Listener | None) -> None:
    for listener, listeners in ((on_done, job._on_done), (on_error, job._on_error), (on_partial, job._on_partial)):
        if listener is not None:
            listeners.append(listener)
