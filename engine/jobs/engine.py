"""The engine thread: one serial lane for work that takes longer than a blink.

One lane, because models, MuPDF and the project's result writes all want to be alone. A task is a pure
function with a report; Cancel is a flag that the task meets at its next report, and from the moment it is
raised nothing of the job is delivered any more (compare Orange's concurrent.py for the contract, INCEpTION's
scheduler for the duplicate policies).
"""

from __future__ import annotations

import itertools
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs.progress import PartReport, RemainingTime
from engine.jobs.records import (
    DuplicatePolicy,
    Failure,
    JobSnapshot,
    JobState,
    Params,
    Report,
    Result,
    Task,
    require_frozen,
)

Listener = Callable[[Any], None]


class Job(Generic[Params, Result]):
    """A submitted task. All methods may be called on any thread."""

    def __init__(self, lane: JobEngine, number: int, task: Task[Params, Result]) -> None:
        self._lane = lane
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

    @property
    def cancelling(self) -> bool:
        return self._cancel.is_set() and not self.state.ended

    def cancel(self) -> bool:
        """Asks the job to stop. True: it will end as cancelled and deliver nothing. False: it had ended
        before.
        """
        return self._lane._cancel(self)

    def wait(self, timeout: float | None = None) -> JobState:
        """Blocks until the job and its listeners are through, or ``timeout`` seconds; never call it on a GUI
        thread.
        """
        self._ended.wait(timeout)
        return self.state

    def result(self, timeout: float | None = None) -> Result:
        """Waits for the result. Raises Cancelled, the EnvironmentProblem, TimeoutError, or RuntimeError for a
        bug.
        """
        state = self.wait(timeout)
        if state is JobState.CANCELLED:
            raise Cancelled
        if self.failure is not None:
            raise self.failure.problem or RuntimeError(self.failure.traceback)
        if state is not JobState.DONE:
            raise TimeoutError(self.task.title)
        return self._result  # type: ignore[return-value]


class _JobReport:
    """The report of a running job; its calls come from the engine thread."""

    def __init__(self, lane: JobEngine, job: Job[Any, Any]) -> None:
        self._lane, self._job = lane, job

    def check(self) -> None:
        if self._job._cancel.is_set():
            raise Cancelled

    def progress(self, fraction: float, words: str = "") -> None:
        self.check()
        self._lane._progressed(self._job, min(1.0, max(0.0, fraction)), words)

    def partial(self, value: Any) -> None:
        self.check()
        require_frozen(value, f"a partial result of {self._job.task.kind}")
        self._lane._call(self._job._on_partial, value)

    def part(self, start: float, end: float) -> Report:
        return PartReport(self, start, end)


class JobEngine:
    """Runs tasks one after the other on one thread, which starts with the first task.

    Listeners given to ``submit`` run on the engine thread; listeners given to ``subscribe`` run on the thread
    on which the change happens (the engine thread, or the one that submits or cancels). They must return at
    once. A listener that raises is reported through ``threading.excepthook`` and does not stop the lane.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, interval: float = 0.1, remembered: int = 20
    ) -> None:
        """``interval``: seconds between two progress snapshots of a job; ``remembered``: ended jobs in
        ``jobs()``.
        """
        self._clock = clock
        self._interval = interval
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._queue: deque[Job[Any, Any]] = deque()
        self._running: Job[Any, Any] | None = None
        self._ended: deque[Job[Any, Any]] = deque(maxlen=remembered)
        self._listeners: list[Callable[[JobSnapshot], None]] = []
        self._numbers = itertools.count(1)
        self._sequence = itertools.count(1)
        self._told = float("-inf")
        self._suspensions = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    # --- from outside -----------------------------------------------------------------------------

    def submit(
        self,
        task: Task[Params, Result],
        *,
        on_done: Callable[[Result], None] | None = None,
        on_error: Callable[[Failure], None] | None = None,
        on_partial: Callable[[Any], None] | None = None,
    ) -> Job[Params, Result]:
        """Queues a task by its duplicate policy; returns its job. Raises RuntimeError after ``shutdown``."""
        replaced: list[Job[Any, Any]] = []
        with self._lock:
            if self._closing:
                raise RuntimeError("the engine has been shut down")
            twins = [
                job
                for job in self._unfinished()
                if (job.task.kind, job.task.scope) == (task.kind, task.scope) and not job._cancel.is_set()
            ]
            if twins and task.duplicate is DuplicatePolicy.DISCARD:
                existing: Job[Params, Result] = twins[-1]
                if existing.task.params == task.params:
                    _listen(existing, on_done, on_error, on_partial)
                return existing
            job = Job(self, next(self._numbers), task)
            _listen(job, on_done, on_error, on_partial)
            waiting = [twin for twin in twins if twin.state is JobState.QUEUED]
            if waiting and task.duplicate is DuplicatePolicy.REPLACE:
                place = self._queue.index(waiting[0])
                for twin in waiting:
                    self._queue.remove(twin)
                    self._end(twin, JobState.CANCELLED)
                    replaced.append(twin)
                self._queue.insert(place, job)
            else:
                self._queue.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="rejoinder-engine", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        for twin in replaced:
            self._tell(twin)
            twin._ended.set()
        self._tell(job)
        return job

    def subscribe(self, listener: Callable[[JobSnapshot], None]) -> Callable[[], None]:
        """Calls ``listener`` with every snapshot from now on; returns what ends that."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def jobs(self) -> tuple[JobSnapshot, ...]:
        """The jobs that ended lately, then the running one, then those that wait in their order."""
        with self._lock:
            return tuple(self._snapshot(job) for job in (*self._ended, *self._unfinished()))

    def busy(self) -> tuple[JobSnapshot, ...]:
        """The jobs that have not ended: what the window asks about before it closes."""
        return tuple(snapshot for snapshot in self.jobs() if not snapshot.state.ended)

    @contextmanager
    def suspended(self, *, cancel: bool = False, timeout: float = 10.0) -> Iterator[None]:
        """Keeps the lane empty around destructive work; what waits in the queue starts afterwards.

        The running job is waited for, or cancelled first when ``cancel``. Raises EnvironmentProblem when it
        has not ended after ``timeout`` seconds. Must not be called by a task.
        """
        if threading.current_thread() is self._thread:
            raise RuntimeError("a task cannot suspend the engine that runs it")
        with self._lock:
            self._suspensions += 1
            running = self._running
        try:
            if running is not None and cancel:
                running.cancel()
            with self._lock:
                if not self._changed.wait_for(lambda: self._running is None, timeout):
                    assert self._running is not None
                    raise EnvironmentProblem(
                        f"“{self._running.task.title}” is still running.",
                        "The step that needs the project for itself was not begun.",
                        "Wait for the job to end or cancel it, then try again.",
                    )
            yield
        finally:
            with self._lock:
                self._suspensions -= 1
                self._changed.notify_all()

    def shutdown(self, timeout: float = 5.0) -> bool:
        """Cancels everything, waits up to ``timeout`` seconds, and says whether the thread is gone. May be
        called twice.
        """
        with self._lock:
            self._closing = True
            thread = self._thread
            waiting = list(self._queue)
            self._queue.clear()
            for job in waiting:
                self._end(job, JobState.CANCELLED)
            if self._running is not None:
                self._running._cancel.set()
            self._changed.notify_all()
        for job in waiting:
            self._tell(job)
            job._ended.set()
        if thread is None or thread is threading.current_thread():
            return thread is None
        thread.join(timeout)
        return not thread.is_alive()

    # --- between the threads ----------------------------------------------------------------------

    def _cancel(self, job: Job[Any, Any]) -> bool:
        with self._lock:
            if job.state.ended:
                return job.state is JobState.CANCELLED
            if job._cancel.is_set():
                return True
            job._cancel.set()
            was_queued = job.state is JobState.QUEUED
            if was_queued:
                self._queue.remove(job)
                self._end(job, JobState.CANCELLED)
        self._tell(job)
        if was_queued:
            job._ended.set()
        return True

    def _unfinished(self) -> list[Job[Any, Any]]:
        """The running job and the queue; the lock is held. A job whose listeners still run has ended."""
        running = [self._running] if self._running is not None and not self._running.state.ended else []
        return [*running, *self._queue]

    def _end(self, job: Job[Any, Any], state: JobState) -> None:
        """Marks the end, under the lock. Whoever calls it delivers afterwards, then sets ``job._ended``."""
        job.state = state
        job._finished = self._clock()
        self._ended.append(job)

    def _snapshot(self, job: Job[Any, Any]) -> JobSnapshot:
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
        )

    def _tell(self, job: Job[Any, Any]) -> None:
        with self._lock:
            snapshot = self._snapshot(job)
            listeners = list(self._listeners)
        self._call(listeners, snapshot)

    @staticmethod
    def _call(listeners: list[Listener], value: Any) -> None:
        for listener in tuple(listeners):
            try:
                listener(value)
            except Exception as error:  # noqa: BLE001 (a listener's bug is reported, the lane goes on)
                threading.excepthook(
                    threading.ExceptHookArgs((type(error), error, error.__traceback__, threading.current_thread()))
                )

    # --- on the engine thread ---------------------------------------------------------------------

    def _progressed(self, job: Job[Any, Any], fraction: float, words: str) -> None:
        now = self._clock()
        with self._lock:
            job._fraction = fraction
            job._words = words or job._words
            job._remaining.update(now, fraction)
            due = now - self._told >= self._interval
            if due:
                self._told = now
        if due:
            self._tell(job)

    def _next(self) -> Job[Any, Any] | None:
        with self._lock:
            self._changed.wait_for(lambda: self._closing or (self._queue and not self._suspensions))
            if self._closing:
                return None
            job = self._queue.popleft()
            job.state = JobState.RUNNING
            job._started = self._clock()
            self._running = job
            self._told = float("-inf")
            return job

    def _work(self) -> None:
        while (job := self._next()) is not None:
            self._tell(job)
            self._run(job)

    def _run(self, job: Job[Any, Any]) -> None:
        result: Any = None
        failure: Failure | None = None
        stopped = False
        try:
            result = job.task.run(job.task.params, _JobReport(self, job))
            require_frozen(result, f"the result of {job.task.kind}")
        except Cancelled:
            stopped = True
        except EnvironmentProblem as problem:
            # Without its frames, which would keep the task's arrays alive as long as the failure is shown.
            failure = Failure(problem.with_traceback(None), str(problem))
        except MemoryError:
            shortage = EnvironmentProblem(
                f"“{job.task.title}” needs more memory than there is.",
                "The job was stopped; nothing that was saved is lost.",
                "Close other programs, or choose a smaller model or document.",
            )
            failure = Failure(shortage, str(shortage))
        except BaseException as error:  # noqa: BLE001 (the job runner: a bug fails this job and not the lane)
            failure = Failure(None, f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
        # From here on cancel() answers False: the decision what is delivered is taken once, under the lock.
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
            self._running = None
            self._changed.notify_all()
        self._tell(job)
        job._ended.set()


def _listen(
    job: Job[Any, Any],
    on_done: Listener | None,
    on_error: Listener | None,
    on_partial: Listener | None,
) -> None:
    for listener, listeners in (
        (on_done, job._on_done),
        (on_error, job._on_error),
        (on_partial, job._on_partial),
    ):
        if listener is not None:
            listeners.append(listener)
