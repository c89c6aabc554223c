"""Asks a language model about the claims of responses that the revised paper neither supports nor contradicts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.panes.rebuttal.writing import USE
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.model_opinions import OPINIONS, ModelOpinions

if TYPE_CHECKING:
    from engine.documents.hidden import Inspection
    from engine.documents.records import ParsedDocument
    from engine.models.library import Added


class ResponseOpinions:
    """What the model said, until another revised version is shown."""

    def __init__(self, state: RebuttalState, fetcher: Fetcher, tools: PaneTools) -> None:
        self.asked = ModelOpinions(tools.context.bridge, tools.owner)
        self._state, self._fetcher, self._tools = state, fetcher, tools
        self.asked.notified.connect(tools.banner.show_notice)
        self.asked.failed.connect(lambda failure: tools.show_failure(failure, OPINIONS))

    @property
    def can_ask(self) -> bool:
        """Whether the revised version is read and nobody is asked right now."""
        return not self.asked.busy and bool(self._state.claims.revised)

    def ask(self) -> None:
        """Asks about the claims of all responses that were not decided."""
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
        self._fetcher.fetch(
            OPINIONS,
            lambda: (documents.parsed(key), service.inspect(documents.pdf_bytes(key))),
            partial(self._ask, model, key),
        )

    def _ask(self, model: Added, key: str, read: tuple[ParsedDocument | None, Inspection]) -> None:
        from engine.operations.entailment import undecided_responses

        parsed, hidden = read
        target, outline = self._state.rebuttal.target, self._state.rebuttal.outline
        if parsed is not None and target is not None and target.document_id == key and not self.asked.busy:
            sentences = undecided_responses(outline, self._state.claims.of(outline))
            self.asked.ask(model, sentences, parsed, hidden)
