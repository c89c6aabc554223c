"""The engine seen from the window: the open project, the jobs and the documents, as Qt signals on the GUI thread.

Whatever arrives on another thread is queued to this object's thread first. A job that was cancelled, or whose owner is
gone, delivers nothing any more, even what was already on its way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

from desktop_app import present
from engine.errors import EnvironmentProblem
from engine.jobs import Failure, Job, JobEngine, JobSnapshot, Task
from engine.jobs.engine import cpu_clock
from engine.project import Changes, Project
from engine.project.watch import FileChanged

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.project.keeper import Keeper

Listener = Callable[[Any], None]


def _ignore() -> None:
    """For owners that only want the result."""


class BridgedJob:
    """A submitted job as its owner on the GUI thread holds it."""

    def __init__(
        self, owner: QObject, listeners: dict[str, Listener | None], on_cancelled: Callable[[], None] | None = None
    ) -> None:
        self._listeners = listeners
        self._on_cancelled = on_cancelled
        self._job: Job[Any] | None = None
        # A child of the owner dies with it, and takes the listeners along.
        self._guard = QObject(owner)
        self._guard.destroyed.connect(self._mute)

    @property
    def id(self) -> int:
        return present(self._job).id

    def cancel(self) -> None:
        """Stops the job; from this call on nothing of it is delivered."""
        self._end()
        if self._job is not None:
            self._job.cancel()

    def _cancelled_elsewhere(self, title: str) -> None:
        """Notifies the owner: by ``on_cancelled``, else as a failure."""
        notify, failed = self._on_cancelled, self._listeners.get("error")
        self._end()
        if notify is not None:
            notify()
        elif failed is not None:
            problem = EnvironmentProblem(
                f"“{title}” was cancelled.", "It was stopped in the list of jobs.", "Start it again when you need it."
            )
            failed(Failure(problem, str(problem)))

    def _mute(self) -> None:
        self._listeners = {}
        self._on_cancelled = None

    def _end(self) -> None:
        self._mute()
        if shiboken6.isValid(self._guard):
            self._guard.deleteLater()

    def _deliver(self, kind: str, value: object) -> None:
        listener = self._listeners.get(kind)
        if kind != "partial":
            self._end()
        if listener is not None:
            listener(value)


class EngineBridge(QObject):
    """Owns the job engine, the document service and the open project of one window."""

    project_changed = Signal(object)
    """A Project, or None."""
    changes = Signal(object)
    """A Changes record, after the commit."""
    job_changed = Signal(object)
    """A JobSnapshot, in order for each job."""
    file_changed = Signal(object)
    """An EnvironmentProblem: another program moved or overwrote the open project; nothing is written to it any more."""
    job_failed = Signal(object)
    """A Failure that no listener of the job took care of."""

    _call = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.engine = JobEngine(first=cpu_clock(threading.get_ident()))
        self.project: Project | None = None
        self._documents: DocumentService | None = None
        self._keeper: Keeper | None = None
        self._unsubscribe_project: Callable[[], None] | None = None
        self._sequences: dict[int, int] = {}
        self._handles: dict[int, list[BridgedJob]] = {}
        self._gui = threading.current_thread()
        self._call.connect(self._run, Qt.ConnectionType.QueuedConnection)
        self._unsubscribe_jobs = self.engine.subscribe(lambda job: self._call.emit(lambda: self._show_job(job)))

    @property
    def opened(self) -> Project:
        """The open project, for what can't be run without one."""
        return present(self.project)

    def set_project(self, project: Project | None) -> None:
        """Takes over an open project (or none), tells everybody, and closes the one before."""
        before, self.project = self.project, project
        if self._keeper is not None:
            self._keeper.stop()
            self._keeper = None
        if self._unsubscribe_project is not None:
            self._unsubscribe_project()
            self._unsubscribe_project = None
        if project is not None:
            self._unsubscribe_project = project.subscribe(self._committed)
            if not project.read_only:
                from engine.project.keeper import Keeper

                self._keeper = Keeper(project, lambda problem: self._call.emit(lambda: self._file_changed(problem)))
        self.project_changed.emit(project)
        if before is not None and before is not project:
            before.close()

    def save_everything(self) -> None:
        """Moves what is only in the project's log into its file, before somebody copies the file."""
        if self._keeper is not None:
            self._keeper.checkpoint_soon()

    def _file_changed(self, problem: FileChanged) -> None:
        if self._keeper is not None:
            self.file_changed.emit(problem)

    def _committed(self, changes: Changes) -> None:
        source = self.project
        if threading.current_thread() is self._gui:
            self.changes.emit(changes)
        else:
            self._call.emit(lambda: self.changes.emit(changes) if self.project is source else None)

    def submit(
        self,
        task: Task[Any],
        owner: QObject,
        *,
        on_done: Listener | None = None,
        on_error: Callable[[Failure], None] | None = None,
        on_partial: Listener | None = None,
        on_cancelled: Callable[[], None] | None = None,
    ) -> BridgedJob:
        """Queues a task. The listeners run on the GUI thread, and never after ``cancel`` or the ``owner``'s end.
        ``on_cancelled`` is called when the job is cancelled elsewhere (in the job tray), not by its owner; without it
        such an end is a failure for ``on_error``, so that no owner waits for ever.

        A failure without ``on_error`` goes to ``job_failed``, which the window shows.
        """
        listeners = {"done": on_done, "error": on_error or self.job_failed.emit, "partial": on_partial}
        ignore = None if on_error is not None else _ignore
        handle = BridgedJob(owner, listeners, on_cancelled or ignore)

        def post(kind: str) -> Listener:
            return lambda value: self._call.emit(lambda: handle._deliver(kind, value))

        handle._job = self.engine.submit(
            task, on_done=post("done"), on_error=post("error"), on_partial=post("partial") if on_partial else None
        )
        # Owners of equal tasks share one job.
        self._handles.setdefault(handle.id, []).append(handle)
        return handle

    def cancel_job(self, number: int) -> None:
        for handle in self._handles.get(number, []):
            job = handle._job
            # Queued behind the partial results that are already on their way.
            if job is not None and job.cancel():
                self._call.emit(partial(handle._cancelled_elsewhere, job.task.title))

    def _show_job(self, snapshot: JobSnapshot) -> None:
        # Two threads (submit and the lane) may send snapshots of one job: the older one must not come last.
        if self._sequences.get(snapshot.id, 0) > snapshot.sequence:
            return
        self._sequences[snapshot.id] = snapshot.sequence
        if snapshot.state.ended:
            self._handles.pop(snapshot.id, None)
        self.job_changed.emit(snapshot)

    def _run(self, call: Callable[[], object]) -> None:
        call()

    @property
    def documents(self) -> DocumentService:
        """The service that renders and parses PDFs in a process of its own; started at the first use."""
        if self._documents is None:
            from engine.documents.service import DocumentService

            self._documents = DocumentService()
        return self._documents

    def close(self) -> bool:
        """Cancels all jobs, closes the documents and the project; False if a job did not end in time."""
        ended = self.engine.shutdown()
        self._unsubscribe_jobs()
        if self._documents is not None:
            self._documents.close()
            self._documents = None
        self.set_project(None)
        return ended
