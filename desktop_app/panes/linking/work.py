"""What must be computed before one can link: reading both files, comparing them, suggesting. One job after another."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal

from desktop_app.panes.linking.reader import Reader
from desktop_app.panes.linking.study import Study

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob, EngineBridge
    from engine.jobs import Failure, Task
    from engine.models.library import Added
    from engine.revision.means import Choice

Phase = Literal["", "reading", "comparing", "suggesting"]


def ways(*, proposals: bool) -> tuple[Choice, ...]:
    """All ways to make suggestions: strategies, each with the models of the Models pane that it can read.

    ``proposals``: edits are proposed for some comment. Raises EnvironmentProblem where the list of models cannot be
    read.
    """
    from engine.errors import EnvironmentProblem
    from engine.models import bundled_encoder
    from engine.models.library import ModelLibrary
    from engine.revision.means import choices

    encoder = False
    with suppress(EnvironmentProblem):
        bundled_encoder()
        encoder = True
    return choices(ModelLibrary().added(), encoder=encoder, proposals=proposals)


class LinkingWork(QObject):
    """Submits the jobs that a study still needs. Results come back as changes of the project, like everything else."""

    moved = Signal()
    """Another phase has begun, or all is done."""
    failed = Signal(object)
    """A Failure: the rest waits until ``retry``."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._reader: Reader | None = None
        self._running: dict[str, BridgedJob] = {}
        self._given_up: set[str] = set()
        self._phase: Phase = ""
        self.strategy = "fused"
        """The aligner whose suggestions are asked for."""
        self.model: Added | None = None
        """The model that it reads, where it reads one."""

    @property
    def phase(self) -> Phase:
        """What is going on now; empty where nothing is missing, or nothing more can be done."""
        return self._phase

    def set_reader(self, reader: Reader | None) -> None:
        """Works for another project from now on; what runs for the old one is cancelled."""
        for job in self._running.values():
            job.cancel()
        self._running.clear()
        self._given_up.clear()
        self._reader = reader
        self._set_phase("")

    def retry(self) -> None:
        """Tries again what failed."""
        self._given_up.clear()

    def ensure(self, study: Study, *, suggest: bool = True) -> None:
        """Submits what is missing; does nothing for what runs already or has failed. Without ``suggest`` suggestions
        are left for later: while one marks comments, each would ask for a whole new pass."""
        reader = self._reader
        if reader is None or reader.project.read_only:
            return
        versions = [version for version in (study.source, study.target) if version]
        if any(version.document_id not in reader.texts for version in versions):
            return  # not fetched yet: one is told when it is
        unread = [version for version in versions if reader.parsed(version) is None]
        if unread:
            from engine.documents.tasks import parse_document

            for version in unread:
                name = f"read {version.document_id}"
                self._submit(name, parse_document(reader.documents, self._bridge.documents, version.document_id))
            self._set_phase("reading" if any(n.startswith("read ") for n in self._running) else "")
        elif study.source is None or study.target is None:
            self._set_phase("")
        elif self._is_outdated(reader, study):
            self._compare(reader, study.source.document_id, study.target.document_id)
        elif suggest:
            self._suggest(reader, study)

    def compare_again(self, study: Study) -> None:
        """Compares both versions anew."""
        if self._reader is not None and study.source is not None and study.target is not None:
            self._compare(self._reader, study.source.document_id, study.target.document_id)

    def suggest_again(self, study: Study) -> None:
        """Asks for suggestions anew."""
        if self._reader is not None and study.revision is not None:
            self._given_up.clear()
            self._run_suggestions(self._reader, study)

    @staticmethod
    def _is_outdated(reader: Reader, study: Study) -> bool:
        """Whether the versions were never compared, or by what another parser had read."""
        if study.revision is None:
            return True
        parsers = dict(study.revision.parameters)
        old, new = reader.parsed(study.source), reader.parsed(study.target)
        assert old is not None
        assert new is not None
        return (parsers.get("source_parser", old.parser), parsers.get("target_parser", new.parser)) != (
            old.parser,
            new.parser,
        )

    def _compare(self, reader: Reader, source: str, target: str) -> None:
        from engine.revision.tasks import compute_edits

        name = f"compare {source} {target}"
        task = compute_edits(reader.documents, self._bridge.documents, reader.revisions, source, target)
        self._submit(name, task)
        self._set_phase("comparing" if name in self._running else "")

    def _suggest(self, reader: Reader, study: Study) -> None:
        missing = [c.id for c in study.comments if c.id not in study.suggestions]
        if not missing or not study.edits:
            self._set_phase("suggesting" if "suggest" in self._running else "")
            return
        self._run_suggestions(reader, study)

    def _run_suggestions(self, reader: Reader, study: Study) -> None:
        from engine.revision.tasks import suggest_links

        assert study.revision is not None
        # A pass that left a comment without suggestions is not repeated until the comments or edits are others.
        asked = f"suggest {study.revision.updated_at} {hash(study.comments)}"
        if asked not in self._given_up:
            self._given_up.add(asked)
            task = suggest_links(
                reader.reviews,
                reader.revisions,
                study.revision.id,
                self.strategy,
                model=self.model,
                documents=reader.documents,
                generation=reader.generation,
            )
            self._submit("suggest", task)
        self._set_phase("suggesting" if "suggest" in self._running else "")

    def _submit(self, name: str, task: Task[Any, Any]) -> None:
        if name in self._running or name in self._given_up:
            return
        self._running[name] = self._bridge.submit(
            task,
            self,
            on_done=lambda _result: self._ended(name),
            on_error=lambda failure: self._failed(name, failure),
        )

    def _ended(self, name: str) -> None:
        self._running.pop(name, None)
        if not self._running:
            self._set_phase("")

    def _failed(self, name: str, failure: Failure) -> None:
        self._running.pop(name, None)
        self._given_up.add(name)
        if not self._running:
            self._set_phase("")
        self.failed.emit(failure)

    def _set_phase(self, phase: Phase) -> None:
        if phase != self._phase:
            self._phase = phase
            self.moved.emit()
