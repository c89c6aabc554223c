"""Background work of the Rebuttal pane: texts, claims, formulas and page layout; asking a model about claims."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import EngineBridge
from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.state import RebuttalState, total_length
from desktop_app.panes.rebuttal.writing import USE
from desktop_app.timers import delayed
from desktop_app.widgets.fetcher import Fetcher, fetch_doubtful
from desktop_app.widgets.model_jobs import OPINIONS, ModelOpinions
from engine.documents.hidden import Inspection
from engine.documents.places import Places
from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.tasks import read_visible
from engine.rebuttal.points import Outline
from engine.reviews.formulas import FormulaPicture, draw
from engine.reviews.preview import preview
from engine.reviews.records import Asks
from engine.reviews.wording import check_wording

if TYPE_CHECKING:
    from engine.models.library import Added


_LAYOUT_MS = 500
"""Pause in typing, in milliseconds, after which a rebuttal with a page limit is laid out again."""


class Background(QObject):
    """Runs background work and writes its results into the state."""

    checked = Signal()
    """Claims were checked."""
    doubted = Signal()
    """Doubtful requests were determined."""
    laid_out = Signal()
    drawn = Signal(dict)
    """Images of formulas, by LaTeX and size."""

    def __init__(self, state: RebuttalState, bridge: EngineBridge, fetcher: Fetcher, parent: QObject) -> None:
        super().__init__(parent)
        self._state, self._bridge, self._fetcher = state, bridge, fetcher
        self._pause = delayed(self, _LAYOUT_MS, self._lay_out)

    def load_readers(self) -> None:
        """Loads the checkers of responses before the user starts writing."""

        def load() -> None:
            check_wording("word", "author")
            preview("word")

        self._fetcher.fetch("readers", load)

    def read_revised(self) -> None:
        claims = self._state.claims
        checker = claims.checker

        def take(found: Mapping[str, Paragraph]) -> None:
            claims.revised = found
            self.check_claims()

        if checker is not None:
            self._fetcher.fetch("revised", partial(checker.revised_paragraphs, self._bridge.documents), take)

    def find_doubtful(self) -> None:
        def take(found: Mapping[str, Asks]) -> None:
            self._state.show_doubtful(found)
            self.doubted.emit()

        fetch_doubtful(self._fetcher, self._state.rebuttal.comments, take)

    def check_claims(self) -> None:
        claims, rebuttal = self._state.claims, self._state.rebuttal
        if wanted := claims.unchecked(rebuttal.outline):
            check = partial(claims.check, wanted, rebuttal.all_edits, self._bridge.documents)
            self._fetcher.fetch("claims", check, lambda _none: self.checked.emit())

    def draw(self, formulas: Sequence[str], size: float) -> None:

        def drawn() -> dict[tuple[str, float], FormulaPicture]:
            return {(tex, size): draw(tex, size) for tex in formulas}

        self._fetcher.fetch("formulas", drawn, self.drawn.emit)

    def outline_changed(self) -> None:
        """Schedules the layout of a rebuttal with a page limit, after a pause."""
        if self._state.rebuttal.limit.pages is not None:
            self._pause.start()

    def _lay_out(self) -> None:
        state = self._state
        limit, made, length, quoting = (
            state.rebuttal.limit, state.made, total_length(state), state.rebuttal.plan.quoting,
        )  # fmt: skip
        if limit.pages is None or not limit.page or (state.laid_out is not None and state.laid_out[0] == made):
            return
        page, service = limit.page, self._bridge.documents

        def fill() -> tuple[Outline, float, int]:
            from engine.exchange.rebuttal_forms import filled, lay_out

            return made, filled(lay_out(made, page, quoting, service)), length

        def take(found: tuple[Outline, float, int]) -> None:
            state.laid_out = found
            self.laid_out.emit()

        self._fetcher.fetch("layout", fill, take)


class ResponseOpinions(ModelOpinions):
    """The model's opinions on claims in responses, given the revised version."""

    def __init__(self, state: RebuttalState, fetcher: Fetcher, tools: PaneTools) -> None:
        super().__init__(tools)
        self._state, self._fetcher, self._tools = state, fetcher, tools

    @property
    def can_ask(self) -> bool:
        """Whether the revised version was read and no model is being asked."""
        return not self.busy and bool(self._state.claims.revised)

    def ask(self) -> None:
        from engine.models.library import ModelLibrary

        chosen: list[Added | None] = []
        if not self._tools.act(lambda: chosen.append(ModelLibrary().chosen(USE)), OPINIONS):
            return
        model, target, reader = chosen[0], self._state.rebuttal.target, self._state.reader
        if model is None:
            self._tools.notify(
                OPINIONS, "No language model is set for drafting responses.", "Add one in the Models pane."
            )
            return
        assert target is not None
        assert reader is not None
        self._tools.finish()
        documents, service, key = reader.documents, self._tools.context.bridge.documents, target.document_id
        self._fetcher.fetch(OPINIONS, lambda: read_visible(documents, service, key), partial(self._ask, model, key))

    def _ask(self, model: "Added", key: str, read: tuple[ParsedDocument, Inspection] | None) -> None:
        from engine.operations.entailment import undecided_responses

        target, outline = self._state.rebuttal.target, self._state.rebuttal.outline
        if read is not None and target is not None and target.document_id == key and not self.busy:
            sentences = undecided_responses(outline, self._state.claims.of(outline))
            self.judge(model, sentences, Places(read[0]))
