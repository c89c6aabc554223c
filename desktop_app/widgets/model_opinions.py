"""What a language model makes of sentences that the rules left open, for as long as their paper is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.widgets.banner import Notice
from engine.documents.records import ParsedDocument
from engine.jobs import Failure

if TYPE_CHECKING:
    from engine.documents.hidden import Inspection
    from engine.models.library import Added
    from engine.operations.entailment import Opinion

OPINIONS = "opinions"


class ModelOpinions(QObject):
    """Opinions by the words of the sentence; ``changed`` when one arrives and when the job begins or ends, ``notified``
    brings a Notice, ``failed`` the Failure of the job."""

    changed = Signal()
    notified = Signal(object)
    failed = Signal(object)

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._found: dict[str, Opinion] = {}
        self._job: BridgedJob | None = None

    def of(self, sentence: str) -> Opinion | None:
        return self._found.get(sentence)

    @property
    def busy(self) -> bool:
        return self._job is not None

    def ask(self, model: Added, sentences: Sequence[str], document: ParsedDocument, hidden: Inspection) -> None:
        from engine.operations.entailment import AskEntailment, ask_entailment

        params = AskEntailment(model, tuple(sentences), document, hidden)
        self._job = self._bridge.submit(
            ask_entailment(params), self, on_done=self._done, on_error=self._failed, on_partial=self._heard,
            on_cancelled=self._end,
        )  # fmt: skip
        self.changed.emit()

    def forget(self) -> None:
        """Another paper is shown."""
        self._found = {}
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self.changed.emit()

    def _heard(self, one: Opinion) -> None:
        self._found[one.sentence] = one
        self.changed.emit()

    def _done(self, result: tuple[int, tuple[str, ...]]) -> None:
        self._end()
        asked, problems = result
        if problems:
            what = f"The model couldn't judge some sentences: {'; '.join(problems)}."
            means = "Ask again to retry only these. The others are kept."
            self.notified.emit(Notice(OPINIONS, what, means, kind="note"))
        elif not asked:
            self.notified.emit(Notice(OPINIONS, "No sentences are left to ask the model about.", kind="note"))

    def _failed(self, failure: Failure) -> None:
        self._end()
        self.failed.emit(failure)

    def _end(self) -> None:
        self._job = None
        self.changed.emit()
