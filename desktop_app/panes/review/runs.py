"""The runs of the stages on the current review: stored runs, the selected one, and the one in progress."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app import present
from desktop_app.engine_bridge import BridgedJob
from desktop_app.panes.review.session import ReviewSession
from desktop_app.widgets.fetcher import Fetcher
from engine.documents.records import Box
from engine.errors import EnvironmentProblem
from engine.jobs import Failure, JobSnapshot
from engine.review_drafting.pipeline import Run, RunSettings, StageRun
from engine.review_drafting.records import STAGES, Anchor, Point, PointField, StageId
from engine.review_drafting.store import Decision

if TYPE_CHECKING:
    from engine.models.library import Added
    from engine.review_drafting.stages.asking import Writing
    from engine.review_drafting.tasks import DraftReview, StageDone

RUN = "run"
USE = "review-drafting"


class ReviewRuns(QObject):
    """Runs of the current review. ``run`` is the selected one; ``stage`` also covers a run in progress."""

    changed = Signal()
    """The runs, the selected one, decisions on its points, or the settings of the next run changed."""
    progressed = Signal()
    """The run in progress advanced."""
    inserted = Signal(str)
    """Text was added to this field of the review: show it without moving the focus."""

    def __init__(self, session: ReviewSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.state = session, session.state
        self.runs: tuple[Run, ...] = ()
        self.decisions: dict[str, Decision] = {}
        self.on: frozenset[StageId] = frozenset(STAGES)
        self.seed = 0
        self.by_rules = False
        """Whether the next run uses no language model."""
        self.under_way: frozenset[StageId] | None = None
        """The stages of the run in progress; None if there is none."""
        self.live: dict[StageId, StageRun] = {}
        self.fraction: float | None = None
        self.words = ""
        self.written = ""
        """The model's output so far in the current stage."""
        self._draft = ""
        self._chosen = ""
        self._job: BridgedJob | None = None
        self.ahead = ""
        """A sentence about what the next run will ask its language model."""
        self._foreseen: DraftReview | None = None
        self._fetcher = Fetcher(self)
        self._fetcher.failed.connect(lambda _name, problem: session.tools.show_problem(problem, RUN))
        session.runs_changed.connect(self.read)
        session.draft_changed.connect(self._draft_changed)
        session.context.bridge.job_changed.connect(self._job_changed)

    @property
    def run(self) -> Run | None:
        return next((run for run in self.runs if run.id == self._chosen), self.runs[0] if self.runs else None)

    @property
    def model(self) -> Added | None:
        """The language model of the next run; None if it uses rules."""
        return None if self.by_rules else self.chosen_model()

    def chosen_model(self) -> Added | None:
        """Returns the model chosen in the Models pane; None without one or if it can't be read, which is reported."""
        from engine.models.library import ModelLibrary

        try:
            return ModelLibrary().chosen(USE)
        except EnvironmentProblem as problem:
            self.session.tools.show_problem(problem, RUN)
            return None

    def stage(self, stage: StageId) -> StageRun | None:
        """Returns the result of a stage: of the run in progress, else of the selected run."""
        if self.under_way is not None:
            return self.live.get(stage)
        run = self.run
        return next((one for one in run.stages if one.stage == stage), None) if run is not None else None

    @property
    def working(self) -> StageId | None:
        on = self.under_way or frozenset()
        return next((stage for stage in STAGES if stage in on and stage not in self.live), None)

    def read(self) -> None:
        draft = self.state.draft
        if draft is None:
            self._fetcher.forget()
            self.runs, self.decisions = (), {}
            self.changed.emit()
            return
        read = partial(self.state.store.runs, draft_id=draft.id)
        self._fetcher.fetch("runs", read, partial(self._take, draft.id))

    def _draft_changed(self) -> None:
        key = self.state.draft.id if self.state.draft is not None else ""
        if key != self._draft:
            self._draft, self._chosen = key, ""
            self.runs, self.decisions = (), {}
            if self._job is None:
                self.under_way, self.live = None, {}
            self.read()

    def _take(self, key: str, runs: tuple[Run, ...]) -> None:
        if key == self._draft:
            # A run whose job no longer exists (the program was closed) is shown with what it stored.
            self.runs = tuple(run for run in runs if run.state != "running" or self._job is None)
            self._read_decisions()

    def _read_decisions(self) -> None:
        run, draft = self.run, self.state.draft
        self.decisions = self.state.store.decisions_on(draft.id, run) if run is not None and draft is not None else {}
        self.changed.emit()

    def choose(self, run_id: str) -> None:
        if run_id != self._chosen:
            self._chosen = run_id
            self._read_decisions()

    def switch(self, stage: StageId, *, on: bool) -> None:
        self.on = self.on | {stage} if on else self.on - {stage}
        self.changed.emit()

    def set_seed(self, seed: int) -> None:
        self.seed = seed

    def set_by_rules(self, by_rules: bool) -> None:
        self.by_rules = by_rules
        self.changed.emit()

    @property
    def can_run(self) -> bool:
        return self.state.can_edit and self._job is None and bool(self.on)

    @property
    def can_cancel(self) -> bool:
        return self._job is not None

    @property
    def can_replay(self) -> bool:
        return self.run is not None and self.state.can_write and self._job is None

    def foresee(self) -> None:
        """Estimates what the next run will ask its model, unless that was already estimated."""
        draft, model = self.state.draft, self.model
        if self.under_way is not None or draft is None or self.state.places is None:
            return
        params = self._params()
        if params == self._foreseen:
            return
        self._foreseen, self.ahead = params, ""
        if model is not None and self.on:
            from engine.review_drafting.tasks import forecast_review

            state, bridge = self.state, self.session.context.bridge
            reused = " Answers of earlier runs are reused." * any(run.model for run in self.runs)
            task = forecast_review(state.documents, bridge.documents, state.library, state.store, params)
            bridge.submit(
                task,
                self,
                on_done=lambda made: self._say_ahead(params, f"About {made.words}.{reused}"),
                on_error=lambda failure: self._say_ahead(params, failure.problem.what if failure.problem else ""),
            )

    def _say_ahead(self, params: DraftReview, words: str) -> None:
        if params == self._foreseen:
            self.ahead = words
            self.changed.emit()

    def start(self) -> None:
        self.session.tools.finish()
        self._submit(self._params())

    def _params(self) -> DraftReview:
        from engine.models.library import ModelLibrary
        from engine.review_drafting.tasks import DraftReview, settings_of

        draft = present(self.state.draft)
        settings, others = settings_of(ModelLibrary(), self.model, RunSettings(self.on, self.seed))
        return DraftReview(draft.document_id, draft.id, self.model, settings, others=others)

    def replay(self) -> None:
        from engine.models.library import ModelLibrary
        from engine.review_drafting.tasks import replay

        draft, run = self.state.draft, self.run
        self.session.act(lambda: self._submit(replay(present(run), present(draft).document_id, ModelLibrary())), RUN)

    def _submit(self, params: DraftReview) -> None:
        from engine.review_drafting.tasks import draft_review

        state, bridge = self.state, self.session.context.bridge
        task = draft_review(state.documents, bridge.documents, state.library, state.store, params)
        self.under_way, self.live = params.settings.on, {}
        self.fraction, self.words = None, "Waiting"
        cancelled = partial(self._cancelled, task.title)
        self._job = bridge.submit(
            task, self, on_done=self._done, on_error=self._failed, on_partial=self._stage_done, on_cancelled=cancelled
        )
        self.changed.emit()

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._end()

    def _stage_done(self, found: StageDone | Writing) -> None:
        from engine.review_drafting.stages.asking import Writing

        if isinstance(found, Writing):
            self.written = found.text
            self.words = "Writing"
        else:
            self.live[found.stage.stage] = found.stage
            self.written = ""
        self.progressed.emit()

    def _done(self, made: Run) -> None:
        self._chosen = made.id
        if made.draft_id == self._draft:
            self.runs = (made, *(run for run in self.runs if run.id != made.id))
            self._read_decisions()
        self._end()
        if made.problems:
            words = " ".join(made.problems)
            self.session.tools.show_failure(
                Failure(EnvironmentProblem(words, "Everything finished so far is shown."), words), RUN
            )

    def _failed(self, failure: Failure) -> None:
        self._end()
        self.session.tools.show_failure(failure, RUN)

    def _cancelled(self, title: str) -> None:
        self._end()
        self.session.tools.notify(RUN, f"“{title}” was cancelled.")

    def _end(self) -> None:
        self._job, self.under_way, self.live = None, None, {}
        self._foreseen = None  # some answers are stored now
        self.fraction, self.words, self.written = None, "", ""
        self.changed.emit()
        self.read()

    def _job_changed(self, snapshot: JobSnapshot) -> None:
        if self._job is not None and snapshot.id == self._job.id:
            self.fraction, self.words = snapshot.fraction, snapshot.words
            self.progressed.emit()

    def forget(self, run: Run) -> None:
        self.session.act(lambda: self.state.store.forget_run(run.id), RUN)

    def accept(self, part: PointField, point: Point) -> None:
        """Adds a point of the selected run to the review and records that it was accepted."""
        if self.run is not None:
            self._insert(partial(self.state.accept, self.run, part, point))
            self._read_decisions()

    def decide(self, point: Point, decision: Decision | None) -> None:
        """Records a decision on a point, such as its rejection; None removes the decision."""
        run = self.run
        if run is not None:
            self.session.act(lambda: self.state.store.decide(present(self.state.draft).id, run.id, point, decision))
            self._read_decisions()

    def insert(self, part: PointField, text: str) -> None:
        self._insert(partial(self.state.add_text, part, text))

    def _insert(self, verb: partial[str]) -> None:
        self.session.tools.finish()
        if field := self.session.tools.result(verb):
            self.inserted.emit(field)

    def boxes(self, anchor: Anchor) -> tuple[Box, ...]:
        """Returns the place of an anchor on the pages; empty if it wasn't found or the paper hasn't been read."""
        return self.state.boxes_of(anchor.paragraph_id, anchor.start, anchor.end) if anchor.found else ()
