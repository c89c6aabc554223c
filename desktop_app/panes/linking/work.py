"""The jobs that linking needs: parsing both files, comparing them, suggesting links; and proposing edits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.panes.linking.study import Study, StudyReader
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.model_jobs import OneJob
from engine.documents.store import DocumentStore
from engine.documents.tasks import parse_document
from engine.errors import EnvironmentProblem
from engine.jobs import Failure, Task
from engine.models import bundled_encoder
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.generation.store import GenerationStore
from engine.revision.store import RevisionStore
from engine.shown import counted

if TYPE_CHECKING:
    from engine.models.library import Added
    from engine.revision.generation.tasks import ProposalsMade, Writing
    from engine.revision.means import Choice

USE = "edit-generation"
Phase = Literal["", "reading", "comparing", "suggesting"]


def ways(*, proposals: bool) -> tuple[Choice, ...]:
    """Returns all strategies for suggestions, each with the models in the Models pane that it can use.

    ``proposals``: whether there are proposed edits. Raises EnvironmentProblem if the list of models can't be read.
    """
    from engine.models.library import ModelLibrary
    from engine.revision.means import choices

    encoder = False
    with suppress(EnvironmentProblem):
        bundled_encoder()
        encoder = True
    return choices(ModelLibrary().added(), encoder=encoder, proposals=proposals)


class LinkingWork(QObject):
    """Submits the jobs that a study still needs. Their results arrive as changes of the project."""

    moved = Signal()
    """Another phase began, or everything is done."""
    failed = Signal(object)
    """A Failure; that job isn't repeated until ``retry``."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._reader: StudyReader | None = None
        self._running: dict[str, BridgedJob] = {}
        self._given_up: set[str] = set()
        self._wanted: tuple[Phase, tuple[str, ...]] = ("", ())
        self.phase: Phase = ""  # the phase of the study last passed to ``ensure``
        self.strategy = "fused"
        """The aligner that makes suggestions."""
        self.model: Added | None = None
        """The model it uses, if any."""

    def set_reader(self, reader: StudyReader | None) -> None:
        """Switches to another project and cancels the jobs of the old one."""
        for job in self._running.values():
            job.cancel()
        self._running.clear()
        self._given_up.clear()
        self._reader = reader
        self._show_phase("", ())

    def retry(self) -> None:
        """Allows failed jobs to be submitted again."""
        self._given_up.clear()

    def ensure(self, study: Study, *, suggest: bool = True) -> None:
        """Submits missing jobs that aren't running and haven't failed. ``suggest=False`` postpones suggestions: while
        comments are being marked, each one would start a new run."""
        reader, versions = self._reader, [version for version in (study.source, study.target) if version]
        if reader is None or reader.project.read_only:
            return
        if any(version.document_id not in reader.texts for version in versions):
            return  # not fetched yet; this is called again afterwards
        unread = [version.document_id for version in versions if reader.parsed(version) is None]
        if unread:
            for key in unread:
                self._submit(f"read {key}", parse_document(reader.documents, self._bridge.documents, key))
            self._show_phase("reading", tuple(f"read {key}" for key in unread))
        elif study.source is None or study.target is None:
            self._show_phase("", ())
        elif is_outdated(reader, study):
            self.compare_again(study)
        elif study.revision is not None and suggest and not study.hides_suggestions:
            if study.edits and any(comment.id not in study.suggestions for comment in study.comments):
                # If a run leaves comments without suggestions, it isn't repeated until comments or edits change.
                asked = f"suggest {study.revision.id} {study.revision.updated_at} {hash(study.comments)}"
                if asked not in self._given_up and self._suggest(reader, study):
                    self._given_up.add(asked)
            self._show_phase("suggesting", (f"suggest {study.revision.id}",))

    def compare_again(self, study: Study) -> None:
        from engine.revision.tasks import compute_edits

        reader = self._reader
        if reader is not None and study.source is not None and study.target is not None:
            keys = study.source.document_id, study.target.document_id
            self._submit(
                f"compare {keys}", compute_edits(reader.documents, self._bridge.documents, reader.revisions, *keys)
            )
            self._show_phase("comparing", (f"compare {keys}",))

    def suggest_again(self, study: Study) -> None:
        if self._reader is not None and study.revision is not None:
            self._given_up.clear()
            self._suggest(self._reader, study)
            self._show_phase("suggesting", (f"suggest {study.revision.id}",))

    def _suggest(self, reader: StudyReader, study: Study) -> bool:
        from engine.revision.tasks import suggest_links

        assert study.revision is not None
        task = suggest_links(
            reader.reviews, reader.revisions, study.revision.id, self.strategy, model=self.model,
            documents=reader.documents, generation=reader.generation,
        )  # fmt: skip
        return self._submit(f"suggest {study.revision.id}", task)

    def _submit(self, name: str, task: Task[Any]) -> bool:
        if name in self._running or name in self._given_up:
            return False
        self._running[name] = self._bridge.submit(
            task,
            self,
            on_done=lambda result: self._done(name, result),
            on_error=lambda failure: self._stopped(name, failure),
            on_cancelled=lambda: self._stopped(name),
        )
        return True

    def _done(self, name: str, result: object) -> None:
        self._ended(name)
        remarks: tuple[str, ...] = getattr(result, "remarks", ())
        if remarks:
            words = " ".join(remarks)
            advice = "The other suggestions are shown.", "Suggest again, or choose another model."
            self.failed.emit(Failure(EnvironmentProblem(words, *advice), words))

    def _ended(self, name: str) -> None:
        self._running.pop(name, None)
        self._show_phase(*self._wanted)

    def _stopped(self, name: str, failure: Failure | None = None) -> None:
        """Handles a job that failed or was cancelled in the job tray: it isn't restarted automatically."""
        self._given_up.add(name)
        self._ended(name)
        if failure is not None:
            self.failed.emit(failure)

    def _show_phase(self, phase: Phase, names: tuple[str, ...]) -> None:
        self._wanted = phase, names
        now: Phase = phase if any(name in self._running for name in names) else ""
        if now != self.phase:
            self.phase = now
            self.moved.emit()


def is_outdated(reader: StudyReader, study: Study) -> bool:
    """Returns whether the versions were never compared, or were compared when parsed by another parser version."""
    if study.revision is None:
        return True
    parsers = dict(study.revision.parameters)
    old, new = reader.parsed(study.source), reader.parsed(study.target)
    return any(
        parsed is not None and parsers.get(side, parsed.parser) != parsed.parser
        for side, parsed in (("source_parser", old), ("target_parser", new))
    )


class Proposing(OneJob):
    """Proposes edits. Results arrive as changes of the project; ``changed`` reports partial output."""

    done = Signal(object)
    """A ProposalsMade."""

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(bridge, parent)
        self._with = ""
        self._written: dict[str, str] = {}

    @property
    def doing(self) -> str:
        """Progress text for the user; empty if nothing is running."""
        if not self.busy:
            return ""
        who = f" with {self._with}" if self._with else ""
        return f"Proposing{who}…"

    def written(self, comment_id: str) -> str:
        """Returns what a model has written about a comment so far."""
        return self._written.get(comment_id, "")

    def propose(self, project: Project, revision_id: str, comment_ids: Sequence[str]) -> None:
        """Proposes edits with sentence frames and, if one was chosen, a language model. Raises EnvironmentProblem if
        the list of models can't be read."""
        from engine.models.library import ModelLibrary
        from engine.revision.generation.tasks import propose_edits

        model = ModelLibrary().chosen(USE)
        self.stop()
        self._with = model.title if model else ""
        task = propose_edits(
            DocumentStore(project),
            ReviewStore(project),
            RevisionStore(project),
            GenerationStore(project),
            revision_id,
            tuple(comment_ids),
            model=model,
        )
        self.submit(task, self.done.emit, self._heard)

    def _heard(self, piece: Writing) -> None:
        self._written[piece.comment_id] = self.written(piece.comment_id) + piece.text if piece.text else ""
        self.changed.emit()

    def _ended(self) -> None:
        self._written = {}
        super()._ended()


def unusable_notice(made: ProposalsMade) -> Notice | None:
    """Returns a notice if a model gave no usable edit for some comments."""
    if not made.unusable:
        return None
    what = f"The model gave no usable edit for {counted(len(made.unusable), 'comment')}."
    return Notice("work", what, "The proposals from sentence frames are kept.", kind="attention")
