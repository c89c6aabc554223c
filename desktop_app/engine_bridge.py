"""Connects the window to the engine: the open project, jobs and documents, as Qt signals on the GUI thread.

Events from other threads are queued to this object's thread. After a job is cancelled or its owner destroyed, nothing
is delivered any more, including events already in the queue.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Signal

from desktop_app import present
from desktop_app.posting import posted
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
    """Cancellation callback of owners without ``on_error``: does nothing."""


class BridgedJob:
    """The owner's handle to a submitted job, used on the GUI thread."""

    def __init__(
        self, owner: QObject, listeners: dict[str, Listener | None], on_cancelled: Callable[[], None] | None = None
    ) -> None:
        self._listeners = listeners
        self._on_cancelled = on_cancelled
        self._job: Job[Any] | None = None
        # Destroyed with the owner, which mutes the listeners.
        self._guard = QObject(owner)
        self._guard.destroyed.connect(self._mute)

    @property
    def id(self) -> int:
        return present(self._job).id

    def cancel(self) -> None:
        """Cancels the job; nothing is delivered after this call."""
        self._end()
        if self._job is not None:
            self._job.cancel()

    def _cancelled_elsewhere(self, title: str) -> None:
        """Notifies the owner that the job was cancelled elsewhere: by ``on_cancelled`` or else as a failure."""
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
    """Owns the job engine, the document service and the open project of a window."""

    project_changed = Signal(object)
    """The new project, or None."""
    changes = Signal(object)
    """A Changes record, emitted after the commit."""
    job_changed = Signal(object)
    """A JobSnapshot; in order for each job."""
    file_changed = Signal(object)
    """An EnvironmentProblem: another program moved or overwrote the open project, which is no longer written to."""
    job_failed = Signal(object)
    """A Failure of a job whose owner passed no ``on_error``."""

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
        self._post = posted(self, EngineBridge._run)
        self._unsubscribe_jobs = self.engine.subscribe(posted(self, EngineBridge._show_job))

    @property
    def opened(self) -> Project:
        """The open project. Use only where one must be open."""
        return present(self.project)

    def set_project(self, project: Project | None) -> None:
        """Replaces the open project (None: no project), notifies listeners, and closes the previous one."""
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

                self._keeper = Keeper(project, posted(self, EngineBridge._file_changed))
        self.project_changed.emit(project)
        if before is not None and before is not project:
            before.close()

    def save_everything(self) -> None:
        """Moves changes from the write-ahead log into the project file, so that a copy of the file contains them."""
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
            self._post(lambda: self.changes.emit(changes) if self.project is source else None)

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
        """Queues a task. The listeners run on the GUI thread, and never after ``cancel`` or the destruction of
        ``owner``.

        ``on_cancelled`` is called when the job is cancelled elsewhere (in the job tray); without it, ``on_error`` gets
        a failure, so that the owner doesn't wait forever. Without ``on_error``, failures go to ``job_failed``, which
        the window shows.
        """
        listeners = {"done": on_done, "error": on_error or self.job_failed.emit, "partial": on_partial}
        ignore = None if on_error is not None else _ignore
        handle = BridgedJob(owner, listeners, on_cancelled or ignore)

        post = self._post  # a job may outlive the window

        def tell(kind: str) -> Listener:
            return lambda value: post(partial(handle._deliver, kind, value))

        handle._job = self.engine.submit(
            task, on_done=tell("done"), on_error=tell("error"), on_partial=tell("partial") if on_partial else None
        )
        # Equal tasks share one job.
        self._handles.setdefault(handle.id, []).append(handle)
        return handle

    def cancel_job(self, number: int) -> None:
        for handle in self._handles.get(number, []):
            job = handle._job
            # Queued after the partial results that are already in the queue.
            if job is not None and job.cancel():
                self._post(partial(handle._cancelled_elsewhere, job.task.title))

    def _show_job(self, snapshot: JobSnapshot) -> None:
        # Two threads (submit and the lane) may send snapshots of one job: an older one must not overwrite a newer one.
        if self._sequences.get(snapshot.id, 0) > snapshot.sequence:
            return
        self._sequences[snapshot.id] = snapshot.sequence
        if snapshot.state.ended:
            self._handles.pop(snapshot.id, None)
        self.job_changed.emit(snapshot)

    def _run(self, call: Callable[[], object]) -> None:
        call()

    @property
    def documents(self) -> "DocumentService":
        """The service that renders and parses PDFs in a separate process; started at first use."""
        if self._documents is None:
            from engine.documents.service import DocumentService

            self._documents = DocumentService()
        return self._documents

    def close(self) -> bool:
        """Cancels all jobs and closes the documents and the project. Returns False if a job didn't end in time."""
        ended = self.engine.shutdown()
        self._unsubscribe_jobs()
        if self._documents is not None:
            self._documents.close()
            self._documents = None
        self.set_project(None)
        return ended
