"""What all acts of the preferences pane share: the state they act on, when they can, and how problems are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from desktop_app.panes.base import Pane
from desktop_app.panes.preferences.annotators_view import AnnotatorsView
from desktop_app.panes.preferences.candidates_view import CandidatesView
from desktop_app.panes.preferences.desk import Desk
from desktop_app.panes.preferences.ranking_view import RankingView
from engine.errors import EnvironmentProblem
from engine.rebuttal.preferences.records import Cluster
from engine.rebuttal.preferences.store import PreferenceStore

if TYPE_CHECKING:
    from PySide6.QtWidgets import QTabBar

    from engine.exchange.preference_study import Study
    from engine.jobs import Failure

ACT, WORK, EXPORT = "act", "work", "export"
"""Places in the banner: an act of the person, a job, a written file."""
JUDGING, CANDIDATES, RANKING, ANNOTATORS = range(4)
"""The views of a cluster."""
Made = TypeVar("Made")


class Acts(Pane):
    """The state of the pane, and what can be done with it."""

    store: PreferenceStore | None
    desk: Desk | None
    study: Study | None
    tabs: QTabBar
    candidates: CandidatesView
    ranking: RankingView
    annotators: AnnotatorsView
    _clusters: tuple[Cluster, ...]
    _at_hand: str

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_clusters(self) -> bool:
        return bool(self._clusters) and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    def can_change(self) -> bool:
        return self.can_write() and self.has_clusters() and self.desk is not None

    def _can_on(self, view: int) -> bool:
        return self.can_change() and self.tabs.currentIndex() == view

    def can_judge(self) -> bool:
        return (
            self._can_on(JUDGING)
            and self.desk is not None
            and (self.desk.pair is not None or self.desk.descriptions is not None)
        )

    def can_judge_pair(self) -> bool:
        return self.can_judge() and self.desk is not None and self.desk.descriptions is None

    def has_candidate(self) -> bool:
        return self._can_on(CANDIDATES) and self.candidates.candidate is not None

    def has_sentence(self) -> bool:
        return self._can_on(CANDIDATES) and bool(self.candidates.sentence_id)

    def has_winner(self) -> bool:
        return self._can_on(RANKING) and self.study is not None and bool(self.ranking.bars.candidate_id)

    def can_trust(self) -> bool:
        return self._can_on(ANNOTATORS) and self.study is not None and bool(self.study.agreement.most_competent)

    def has_disagreement(self) -> bool:
        return self._can_on(ANNOTATORS) and self.annotators.disagreement is not None

    # --- what acts share ------------------------------------------------------------------------------------------

    @property
    def _stored(self) -> PreferenceStore:
        assert self.store is not None
        return self.store

    def _on_cluster(self, verb: Callable[[PreferenceStore, str], object]) -> None:
        if self.desk is not None and self.can_write():
            store, key = self._stored, self.desk.cluster.id
            self._act(lambda: verb(store, key))

    def _act(self, verb: Callable[[], Made]) -> Made | None:
        try:
            made = verb()
        except EnvironmentProblem as problem:
            self.show_problem(problem, ACT)
            return None
        self.banner.dismiss(ACT)
        return made

    def _failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, WORK)
