"""Asks a language model about the sentences of the review that the rules left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.panes.review.session import ReviewSession
from desktop_app.widgets.model_opinions import OPINIONS, ModelOpinions

if TYPE_CHECKING:
    from engine.models.library import Added
    from engine.operations.entailment import Opinion
    from engine.review_drafting.grounding import Claim


class ReviewOpinions:
    """What the model said, until another paper is shown."""

    def __init__(self, session: ReviewSession) -> None:
        self.asked = ModelOpinions(session.context.bridge, session)
        self._session = session
        self._document = ""
        self.asked.notified.connect(session.tools.banner.show_notice)
        self.asked.failed.connect(lambda failure: session.tools.show_failure(failure, OPINIONS))
        session.paper_changed.connect(self._paper_changed)

    def of(self, claim: Claim | None) -> Opinion | None:
        """What the model said of a sentence, if it was asked."""
        return self.asked.of(claim.text) if claim is not None else None

    @property
    def can_ask(self) -> bool:
        """Whether the paper and what it hides are read, and nobody is asked right now."""
        state = self._session.state
        return not self.asked.busy and None not in (state.draft, state.parsed, state.inspection)

    def ask(self, model: Added | None) -> None:
        """Asks about all sentences of the review that were not decided."""
        from engine.operations.entailment import undecided

        state, tools = self._session.state, self._session.tools
        if model is None:
            tools.notify(OPINIONS, "No language model is set for drafting reviews.", "Add one in the Models pane.")
            return
        assert state.parsed is not None
        assert state.inspection is not None
        claims = [claim for check in self._session.checker.checks.values() for claim in check.claims]
        self.asked.ask(model, undecided(claims), state.parsed, state.inspection)

    def _paper_changed(self) -> None:
        paper = self._session.state.paper
        document = paper.id if paper is not None else ""
        if document != self._document:
            self._document = document
            self.asked.forget()
