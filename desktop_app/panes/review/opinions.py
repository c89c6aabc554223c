"""What a language model makes of the sentences that the rules left open, for as long as the paper is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.panes.review.session import ReviewSession

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.jobs import Failure
    from engine.models.library import Added
    from engine.review_drafting.entailment import Opinion
    from engine.review_drafting.grounding import Claim

OPINIONS = "opinions"


class ReviewOpinions(QObject):
    """Opinions on sentences of the review, by their words; ``changed`` when one arrives."""

    changed = Signal()

    def __init__(self, session: ReviewSession) -> None:
        super().__init__(session)
        self._session = session
        self._found: dict[str, Opinion] = {}
        self._document = ""
        self._job: BridgedJob | None = None
        session.paper_changed.connect(self._paper_changed)

    def of(self, claim: Claim | None) -> Opinion | None:
        """What the model said of a sentence, if it was asked."""
        return self._found.get(claim.text) if claim is not None else None

    @property
    def can_ask(self) -> bool:
        """Whether the paper and what it hides are read, and nobody is asked right now."""
        state = self._session.state
        return self._job is None and None not in (state.draft, state.parsed, state.inspection)

    def ask(self, model: Added | None) -> None:
        """Asks about all sentences of the review that were not decided."""
        from engine.review_drafting.entailment import AskEntailment, ask_entailment

        state, tools = self._session.state, self._session.tools
        if model is None:
            tools.notify(OPINIONS, "No language model is set for drafting reviews.", "Add one in the Models pane.")
            return
        assert state.parsed is not None
        assert state.inspection is not None
        claims = tuple(claim for check in self._session.checker.checks.values() for claim in check.claims)
        params = AskEntailment(model, claims, state.parsed, state.inspection)
        self._job = self._session.context.bridge.submit(
            ask_entailment(params), self, on_done=self._done, on_error=self._failed, on_partial=self._heard,
            on_cancelled=self._end,
        )  # fmt: skip
        self.changed.emit()

    def _heard(self, one: Opinion) -> None:
        self._found[one.sentence] = one
        self.changed.emit()

    def _done(self, result: tuple[int, tuple[str, ...]]) -> None:
        self._end()
        asked, problems = result
        if problems:
            self._session.tools.notify(
                OPINIONS, f"Some sentences have no judgement of the model: {'; '.join(problems)}.",
                "Ask again to ask for these alone; the others are kept.",
            )  # fmt: skip
        elif not asked:
            self._session.tools.notify(OPINIONS, "No sentence is left to ask the model about.")

    def _failed(self, failure: Failure) -> None:
        self._end()
        self._session.tools.show_failure(failure, OPINIONS)

    def _end(self) -> None:
        self._job = None
        self.changed.emit()

    def _paper_changed(self) -> None:
        paper = self._session.state.paper
        document = paper.id if paper is not None else ""
        if document != self._document:
            self._document, self._found = document, {}
            if self._job is not None:
                self._job.cancel()
                self._job = None
            self.changed.emit()
