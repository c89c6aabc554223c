"""The runs of the stages over the paper at hand: those that are kept, the one at hand, and the one under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.widgets.fetcher import Fetcher
from engine.documents.records import Box
from engine.errors import EnvironmentProblem
from engine.models.library import Added, ModelLibrary
from engine.papers.store import LibraryStore
from engine.review_drafting.pipeline import Run, RunSettings, StageRun
from engine.review_drafting.records import STAGES, Anchor, Point, PointField, StageId
from engine.review_drafting.store import Decision
from engine.review_drafting.tasks import DraftReview, StageDone, draft_review, replay

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.jobs import Failure, JobSnapshot

RUN = "run"
USE = "review-drafting"
BEFORE = "before points were taken"
"""Why a version was kept by itself: once a run, with the first point of it that goes into the review."""
_LIST, _DECISIONS = "runs", "decisions"


def _nothing() -> None:
    """No further verb belongs to the act."""


class ReviewRuns(QObject):
    """Runs of the draft at hand. What is shown is ``run``; while stages work it grows stage by stage."""

    changed = Signal()
    """Other runs, another one at hand, other decisions, other settings for the next."""
    moved = Signal()
    """The run under way went on."""
    acting = Signal()
    """Fields are about to be read or written: what is being typed belongs into the project first."""
    inserted = Signal(str)
    """The field that something was put into."""

    def __init__(self, desk: ReviewDesk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = desk
        self.runs: tuple[Run, ...] = ()
        self.decisions: dict[str, Decision] = {}
        self.on: frozenset[StageId] = frozenset(STAGES)
        self.seed = 0
        self.by_rules = False
        """Whether the next run leaves the chosen language model alone."""
        self.under_way: frozenset[StageId] | None = None
        """The stages of the run that works now; None while none does."""
        self.live: dict[StageId, StageRun] = {}
        self.fraction: float | None = None
        self.words = ""
        self._draft = ""
        self._chosen = ""
        self._job: BridgedJob | None = None
        self._scope = ""
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(self._fetched)
        self._fetcher.failed.connect(lambda _name, problem: desk.failed.emit(problem, RUN))
        desk.runs_changed.connect(self.read)
        desk.draft_changed.connect(self._draft_changed)
        desk.context.bridge.job_changed.connect(self._job_changed)

    # --- reading --------------------------------------------------------------------------------------------------

    @property
    def run(self) -> Run | None:
        """The run at hand: the chosen one, else the newest."""
        return next((run for run in self.runs if run.id == self._chosen), self.runs[0] if self.runs else None)

    @property
    def model(self) -> Added | None:
        """The language model of the next run; None for the deterministic way."""
        return None if self.by_rules else self.chosen_model()

    def chosen_model(self) -> Added | None:
        """What the Models pane says; None, and told, where that cannot be read."""
        try:
            return ModelLibrary().chosen(USE)
        except EnvironmentProblem as problem:
            self.desk.failed.emit(problem, RUN)
            return None

    def stage(self, stage: StageId) -> StageRun | None:
        """What is known of a stage: of the run under way, else of the one at hand."""
        if self.under_way is not None:
            return self.live.get(stage)
        run = self.run
        return next((one for one in run.stages if one.stage == stage), None) if run is not None else None

    @property
    def working(self) -> StageId | None:
        """The stage that works now."""
        on = self.under_way or frozenset()
        return next((stage for stage in STAGES if stage in on and stage not in self.live), None)

    def read(self) -> None:
        """Reads the runs of the draft at hand, beside the window's thread."""
        draft = self.desk.draft
        if draft is None or self.desk.project is None:
            self._fetcher.forget()
            self.runs, self.decisions = (), {}
            self.changed.emit()
            return
        store, key = self.desk.store, draft.id
        self._fetcher.fetch(_LIST, lambda: (key, store.runs(draft_id=key)))

    def _draft_changed(self) -> None:
        key = self.desk.draft.id if self.desk.draft is not None else ""
        if key != self._draft:
            self._draft, self._chosen = key, ""
            self.runs, self.decisions = (), {}
            if self._job is None:
                self.under_way, self.live = None, {}
            self.read()

    def _fetched(self, name: str, found: object) -> None:
        key, runs = cast("tuple[str, tuple[Run, ...]]", found)
        if name != _LIST or key != self._draft:
            return
        # A run that nobody is making any more (the program ended in it) reads as what it kept.
        self.runs = tuple(run for run in runs if run.state != "running" or self._job is None)
        self._read_decisions()
        self.changed.emit()

    def _read_decisions(self) -> None:
        run, draft = self.run, self.desk.draft
        self.decisions = self.desk.store.decisions(draft.id, run.id) if run is not None and draft is not None else {}

    def choose(self, run_id: str) -> None:
        """Brings another run to hand."""
        if run_id != self._chosen:
            self._chosen = run_id
            self._read_decisions()
            self.changed.emit()

    # --- what the next run does -----------------------------------------------------------------------------------

    def switch(self, stage: StageId, *, on: bool) -> None:
        """Switches a stage on or off."""
        self.on = self.on | {stage} if on else self.on - {stage}
        self.changed.emit()

    def set_seed(self, seed: int) -> None:
        self.seed = seed

    def set_by_rules(self, by_rules: bool) -> None:
        """Whether the next run goes without the language model that is chosen."""
        self.by_rules = by_rules
        self.changed.emit()

    # --- running --------------------------------------------------------------------------------------------------

    @property
    def can_run(self) -> bool:
        desk = self.desk
        return desk.can_write and desk.draft is not None and self._job is None and bool(self.on)

    @property
    def can_cancel(self) -> bool:
        return self._job is not None

    def start(self) -> None:
        """Runs the stages that are on over the paper at hand."""
        draft = self.desk.draft
        assert draft is not None
        self.acting.emit()
        settings = RunSettings(self.on, self.seed)
        self._submit(DraftReview(draft.document_id, draft.id, self.model, settings))

    @property
    def can_replay(self) -> bool:
        return self.run is not None and self.desk.can_write and self._job is None

    def replay(self) -> None:
        """Makes the run at hand again, with all that it was given."""
        draft, run = self.desk.draft, self.run
        assert draft is not None and run is not None
        try:
            asked = replay(run, draft.document_id, ModelLibrary())
        except EnvironmentProblem as problem:
            self.desk.failed.emit(problem, RUN)
            return
        self._submit(asked)

    def _submit(self, asked: DraftReview) -> None:
        desk, bridge = self.desk, self.desk.context.bridge
        assert desk.project is not None
        task = draft_review(desk.documents, bridge.documents, LibraryStore(desk.project), desk.store, asked)
        self.under_way, self.live = asked.settings.on, {}
        self.fraction, self.words = None, "Waiting"
        self._scope = task.scope
        self._job = bridge.submit(task, self, on_done=self._done, on_error=self._failed, on_partial=self._stage_done)
        self.changed.emit()

    def cancel(self) -> None:
        """Stops the run under way; what its stages made so far is kept."""
        if self._job is not None:
            self._job.cancel()
            self._end()

    def _stage_done(self, found: object) -> None:
        assert isinstance(found, StageDone)
        self.live[found.stage.stage] = found.stage
        self.moved.emit()

    def _done(self, made: object) -> None:
        assert isinstance(made, Run)
        self._chosen = made.id
        if made.draft_id == self._draft:
            self.runs = (made, *(run for run in self.runs if run.id != made.id))
            self.decisions = {}
        self._end()

    def _failed(self, failure: Failure) -> None:
        self._end()
        if failure.problem is None:
            self.desk.fault.emit(failure)
        else:
            self.desk.failed.emit(failure.problem, RUN)

    def _end(self) -> None:
        self._job, self.under_way, self.live = None, None, {}
        self.fraction, self.words = None, ""
        self.changed.emit()
        self.read()

    def _job_changed(self, snapshot: JobSnapshot) -> None:
        if self._job is not None and snapshot.id == self._job.id:
            self.fraction, self.words = snapshot.fraction, snapshot.words
            self.moved.emit()

    def forget(self, run: Run) -> None:
        """Removes a kept run; it is a result, and no part of the undo history."""
        self.desk.act(lambda: self.desk.store.forget_run(run.id), RUN)

    # --- what comes of it -----------------------------------------------------------------------------------------

    def take(self, part: PointField, point: Point) -> None:
        """Puts a point of the run at hand into the review, and keeps that it was taken: one act."""
        draft, run, project = self.desk.draft, self.run, self.desk.project
        if draft is None or run is None or project is None:
            return
        text = f"{point.text} {point.suggestion}".strip() if part == "weaknesses" else point.text
        store = self.desk.store
        kept = any(one.reason == BEFORE and one.created_at > run.created_at for one in store.versions(draft.id))

        def further() -> None:
            store.decide(draft.id, run.id, point, "accepted")

        def before() -> None:
            if not kept:
                store.keep_version(draft.id, BEFORE)

        field = self._put(part, text, further, before)
        if field:
            self._decided(field)

    def decide(self, point: Point, decision: Decision | None) -> None:
        """Keeps that a point was refused, or takes a decision back."""
        draft, run = self.desk.draft, self.run
        if draft is not None and run is not None:
            self.desk.act(lambda: self.desk.store.decide(draft.id, run.id, point, decision))
            self._decided("")

    def insert(self, part: PointField, text: str) -> None:
        """Puts a sentence into the field that stands for a part of the review."""
        field = self._put(part, text)
        if field:
            self.inserted.emit(field)

    def _decided(self, field: str) -> None:
        self._read_decisions()
        self.changed.emit()
        if field:
            self.inserted.emit(field)

    def _put(
        self,
        part: PointField,
        text: str,
        further: Callable[[], object] = _nothing,
        before: Callable[[], object] = _nothing,
    ) -> str:
        """Writes ``text`` at the end of a part's field; ``before`` and ``further`` belong to the same act.

        Returns the field's key, "" where there is none or it went wrong.
        """
        desk, form = self.desk, self.desk.form
        draft, project = desk.draft, desk.project
        if draft is None or form is None or project is None:
            return ""
        self.acting.emit()
        field = form.of_part(part) or form.of_part("weaknesses") or next(
            (one for one in form.fields if one.kind == "text"), None
        )  # fmt: skip
        if field is None:
            return ""
        there = desk.fields.get(field.key, "").rstrip()
        item = text if part == "summary" else f"- {text}"
        joint = "" if not there else "\n\n" if part == "summary" else "\n"

        def put() -> None:
            before()
            desk.store.set_field(draft.id, field.key, f"{there}{joint}{item}")
            further()

        return field.key if desk.together(f"Put into {field.title}", put) else ""

    # --- places ---------------------------------------------------------------------------------------------------

    def boxes(self, anchor: Anchor) -> tuple[Box, ...]:
        """Where an anchor stands on the pages; none where the paper was not read yet, or it holds no place."""
        return self.desk.boxes_of(anchor.paragraph_id, anchor.start, anchor.end) if anchor.verified else ()
