"""The job that proposes edits, as the linking pane holds it: what it is at, what a model writes, and Stop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob, EngineBridge
    from engine.jobs import Failure
    from engine.project import Project
    from engine.revision.generation.tasks import ProposalsMade, Writing

USE = "edit-generation"


class Proposing(QObject):
    """Submits the job; its results come back as changes of the project, what is being written as ``moved``."""

    moved = Signal()
    done = Signal(object)
    """A ProposalsMade."""
    failed = Signal(object)
    """A Failure."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._job: BridgedJob | None = None
        self._comments: tuple[str, ...] = ()
        self._with = ""
        self.at = ""
        """The comment that a model writes for."""
        self.written = ""

    @property
    def busy(self) -> str:
        """What is going on, for people; empty where nothing is."""
        if self._job is None:
            return ""
        who = f" with {self._with}" if self._with else ""
        number = self._comments.index(self.at) + 1 if self.at in self._comments else 0
        count = f": comment {number} of {len(self._comments)}" if len(self._comments) > 1 and number else ""
        return f"Proposing{who}{count}…"

    def propose(self, project: Project, revision_id: str, comment_ids: Sequence[str]) -> None:
        """Frames, then the language model if the person chose one. Raises EnvironmentProblem where the list of models
        cannot be read.
        """
        from engine.documents.store import DocumentStore
        from engine.models.library import ModelLibrary
        from engine.reviews.store import ReviewStore
        from engine.revision.generation.store import GenerationStore
        from engine.revision.generation.tasks import ProposeEdits, propose_edits
        from engine.revision.store import RevisionStore

        model = ModelLibrary().chosen(USE)
        self.stop()
        self._comments, self._with = tuple(comment_ids), model.title if model else ""
        task = propose_edits(
            DocumentStore(project),
            ReviewStore(project),
            RevisionStore(project),
            GenerationStore(project),
            ProposeEdits(revision_id, self._comments, model),
        )
        self._job = self._bridge.submit(
            task, self, on_done=self._ended, on_error=self._failed, on_partial=self._heard, on_cancelled=self._rest
        )
        self.moved.emit()

    def stop(self) -> None:
        """Stops the job; what was proposed stays."""
        if self._job is not None:
            self._job.cancel()
            self._rest()

    def _heard(self, piece: Writing) -> None:
        if not piece.text:
            self.at, self.written = piece.comment_id, ""
        else:
            self.written += piece.text
        self.moved.emit()

    def _ended(self, made: ProposalsMade) -> None:
        self._rest()
        self.done.emit(made)

    def _failed(self, failure: Failure) -> None:
        self._rest()
        self.failed.emit(failure)

    def _rest(self) -> None:
        self._job, self.at, self.written = None, "", ""
        self.moved.emit()
