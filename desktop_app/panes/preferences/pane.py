"""Preferences: clusters at the left; the pair at hand, candidates, ranking and annotators of the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import preview
from desktop_app.panes.preferences.acts import ACT, ANNOTATORS, CANDIDATES, RANKING, WORK
from desktop_app.panes.preferences.annotators_view import AnnotatorsView
from desktop_app.panes.preferences.candidates_view import CandidatesView
from desktop_app.panes.preferences.cluster_list import ClusterList
from desktop_app.panes.preferences.commands import preference_commands
from desktop_app.panes.preferences.desk import Desk, read_desk
from desktop_app.panes.preferences.files import Files
from desktop_app.panes.preferences.judging import JudgingView
from desktop_app.panes.preferences.library import put_into_library
from desktop_app.panes.preferences.ranking_view import RankingView
from desktop_app.panes.preferences.work import study_task
from desktop_app.theme import theme
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.labels import hairline
from engine.agreement.store import AgreementStore
from engine.exchange.preference_study import TASK
from engine.rebuttal.preferences.naming import cluster_title
from engine.rebuttal.preferences.records import Answer, Choice, Cluster, Plan, Verdict
from engine.rebuttal.preferences.store import TABLES, PreferenceStore

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.exchange.preference_study import Study
    from engine.project import Changes
    from engine.rebuttal.preferences.ranking import Method

_METHOD = "preferences.method"
_VIEWS = ("Judge", "Candidates", "Ranking", "Annotators")


class PreferencesPane(Files):
    """Pairs are judged by one key each; the other views say what is judged, what came of it, and who agrees."""

    pane_id = "preferences"
    title = "Preferences"
    icon = "cards"
    purpose = (
        "Judge which of two rebuttals answers a kind of criticism better, one key a pair, and see which one is "
        "canonical, with its doubt. Start with a cluster: review sentences of one kind and candidate rebuttals."
    )
    tables = TABLES | {"annotator", "annotation_done"}
    first_step = "preferences.add_cluster"
    search_hint = "Search clusters"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: PreferenceStore | None = None
        self.desk: Desk | None = None
        self.study: Study | None = None
        stored = context.state.bytes(_METHOD).data().decode("utf-8", "replace")
        self.method: Method = "bradley-terry" if stored == "bradley-terry" else "pagerank"
        self._clusters: tuple[Cluster, ...] = ()
        self._at_hand = ""
        self._skipping = False
        self._stale = True
        self._wanted: list[str] = []
        self._job: BridgedJob | None = None
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        self.list = ClusterList(registry, self.body)
        self.list.chosen.connect(self._cluster_chosen)
        self.tabs = QTabBar(self.body)
        self.tabs.setAccessibleName("Views of the cluster")
        self.tabs.setDrawBase(False)
        for words in _VIEWS:
            self.tabs.addTab(words)
        self.tabs.currentChanged.connect(self._view_changed)
        self.annotator = AnnotatorButton(self.context, self._subject, self.body, task=TASK, what="cluster")
        head = QHBoxLayout()
        head.setContentsMargins(12, 4, 8, 4)
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.annotator)
        self.judging = JudgingView(registry, self.body)
        self.judging.note_entered.connect(self._note_entered)
        self.judging.note_left.connect(self._note_left)
        self.candidates = CandidatesView(registry, self.body)
        self.candidates.thresholds_changed.connect(self._thresholds_changed)
        self.candidates.plan_changed.connect(self._plan_changed)
        self.candidates.described.connect(self._described)
        self.candidates.chosen.connect(registry.state_changed)
        self.ranking = RankingView(registry, self.body)
        self.ranking.method_changed.connect(self.choose_method)
        self.ranking.basis_changed.connect(self._basis_changed)
        self.annotators = AnnotatorsView(registry, self.body)
        self.views = QStackedWidget(self.body)
        for view in (self.judging, self.candidates, self.ranking, self.annotators):
            self.views.addWidget(view)
        main = QWidget(self.body)
        rows = QVBoxLayout(main)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(head)
        rows.addWidget(hairline(parent=main))
        rows.addWidget(self.views, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list)
        splitter.addWidget(main)
        self.list.setMinimumWidth(theme().px(240))
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([270, 980])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return preference_commands(self)

    def project_set(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
        self.store = PreferenceStore(self.project) if self.project is not None else None
        self.desk, self.study, self._clusters, self._at_hand = None, None, (), ""
        self._skipping, self._stale = False, True

    def is_empty(self) -> bool:
        return self.store is None or not self.store.clusters()

    def on_changes(self, changes: Changes) -> None:
        self._stale |= bool(changes.tables & self.tables)
        if changes.initiator is self and changes.tables == {"preference_judgement"}:
            return  # the pane's own judgement: the desk has it already
        super().on_changes(changes)

    def refresh(self) -> None:
        assert self.store is not None
        self._clusters = self.store.clusters()
        keys = [cluster.id for cluster in self._clusters]
        if self._at_hand not in keys:
            self._at_hand = keys[0] if keys else ""
        self._read()
        assert self.project is not None
        done = AgreementStore(self.project).own_done(TASK)
        self.list.show_clusters(self._clusters, self._stored.standings(), self._at_hand, done)
        self._show()

    def take_focus(self) -> None:
        view = self.tabs.currentIndex()
        (self.judging, self.candidates.list, self.ranking.bars, self.annotators.list)[view].setFocus()

    def search(self, text: str) -> None:
        self._wanted = text.casefold().split()
        self._find(0)

    def search_next(self, forward: bool = True) -> None:
        self._find(1 if forward else -1)

    def _find(self, by: int) -> None:
        """Goes to the next row whose words have all that is searched: candidates in their view, elsewhere clusters."""
        if self.tabs.currentIndex() == CANDIDATES and self.desk is not None:
            rows, view = [entry.candidate.text for entry in self.desk.candidates.values()], self.candidates.list
        else:
            rows, view = [cluster_title(cluster) for cluster in self._clusters], self.list.rows
        start = max(0, view.currentIndex().row())
        for step in range(len(rows)) if by == 0 else range(1, len(rows) + 1):
            at = (start + step * (by or 1)) % len(rows)
            if self._wanted and all(word in rows[at].casefold() for word in self._wanted):
                view.select_row(at)
                return

    def _subject(self) -> tuple[str, str]:
        return (self.desk.cluster.id, cluster_title(self.desk.cluster)) if self.desk is not None else ("", "")

    # --- judging --------------------------------------------------------------------------------------------------

    def judge(self, answer: Answer) -> None:
        """Keeps the answer for the pair at hand and shows the next pair."""
        desk, store = self.desk, self.store
        assert desk is not None
        assert store is not None
        if desk.descriptions is not None:
            self._choose_description(desk, store, answer)
            return
        pair, milliseconds = desk.pair, self.judging.milliseconds()
        assert pair is not None
        made = self._act(
            lambda: store.judge(
                desk.cluster.id, pair.left_id, pair.right_id, answer, milliseconds=milliseconds, repeat=pair.repeat,
                note=self.judging.note.text().strip(), initiator=self,
            )
        )  # fmt: skip
        if made is None:
            return
        desk.judged_now(made)
        self.judging.show_pair(answer)
        self.list.show_standing(desk.cluster, len(desk.own), len(desk.candidates))
        self._show_status()

    def _choose_description(self, desk: Desk, store: PreferenceStore, answer: Answer) -> None:
        assert desk.descriptions is not None
        left, right = desk.descriptions
        texts = dict(desk.descriptions)
        choice: Choice = {"left": left[0], "right": right[0]}.get(answer, "tie")  # type: ignore[assignment]
        milliseconds = self.judging.milliseconds()
        self._act(
            lambda: store.choose_description(
                desk.cluster.id, texts["written"], texts["extracted"], left[0], choice, milliseconds=milliseconds
            )
        )

    def write_note(self) -> None:
        """Puts the cursor into the note."""
        self._skipping = False
        self.judging.note.setFocus()

    def skip_with_note(self) -> None:
        """Puts the cursor into the note; Enter skips the pair."""
        self._skipping = True
        self.judging.note.setFocus()

    def _note_entered(self, _text: str) -> None:
        self.judging.setFocus()
        if self._skipping and self.can_judge_pair():
            self.judge("skip")
        self._skipping = False

    def _note_left(self) -> None:
        self._skipping = False
        self.judging.setFocus()

    # --- clusters -------------------------------------------------------------------------------------------------

    def show_view(self, number: int) -> None:
        """Brings one of the four views to the front."""
        self.tabs.setCurrentIndex(number)

    def step(self, by: int) -> None:
        """The next or previous cluster."""
        self.list.go(min(max(self.list.row + by, 0), len(self._clusters) - 1))

    def next_open(self) -> None:
        """The next cluster with pairs left for the acting annotator, or the next pair to adjudicate."""
        assert self.project is not None
        assert self.store is not None
        if self.tabs.currentIndex() == ANNOTATORS:
            self.annotators.next_open()
            return
        start = self.list.row
        for offset in range(1, len(self._clusters)):
            row = (start + offset) % len(self._clusters)
            if read_desk(self.project, self.store, self._clusters[row].id).pair is not None:
                self.list.go(row)
                return
        self.banner.show_notice(Notice(ACT, "No other cluster has pairs left for you.", kind="note"))

    def toggle_done(self) -> None:
        """Says that the acting annotator is done with the cluster, or not yet after all."""
        self._act(self.annotator.toggle_done)

    def _thresholds_changed(self, suitable: float, specific: float) -> None:
        self._on_cluster(lambda store, key: store.set_thresholds(key, suitable, specific))

    def _plan_changed(self, plan: Plan) -> None:
        self._on_cluster(lambda store, key: store.set_plan(key, plan))

    def _described(self, text: str, coalesce: str) -> None:
        self._on_cluster(lambda store, key: store.describe(key, text, coalesce=coalesce))

    # --- ranking and annotators -----------------------------------------------------------------------------------

    def choose_method(self, method: str) -> None:
        """Ranks by another method; kept for the next time. The adaptive schedule looks for its winner."""
        self.method = "bradley-terry" if method == "bradley-terry" else "pagerank"
        self.context.state.set_bytes(_METHOD, QByteArray(self.method.encode()))
        self._stale = True
        self.refresh_now()

    def _basis_changed(self, basis: str) -> None:
        self._on_cluster(lambda store, key: store.set_basis(key, basis))

    def trust(self) -> None:
        """Ranks by the most competent annotator alone."""
        assert self.study is not None
        self._basis_changed(self.study.names[self.study.agreement.most_competent])

    def adjudicate(self, verdict: Verdict | None) -> None:
        """Decides on the pair at hand, or takes the decision back."""
        entry = self.annotators.disagreement
        assert entry is not None
        self._on_cluster(lambda store, key: store.adjudicate(key, entry.pair, verdict))

    def to_library(self) -> None:
        """Puts the candidate at hand into the project's library of canonical rebuttals."""
        study, key, project = self.study, self.ranking.bars.candidate_id, self.project
        assert study is not None
        assert project is not None
        library = self._act(lambda: put_into_library(project, study, key))
        if library is not None:
            self.banner.show_notice(Notice(WORK, f"It stands in the library “{library}” now.", kind="note"))

    # --- showing --------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        assert self.project is not None
        goal: Literal["pagerank", "points"] = "pagerank" if self.method == "pagerank" else "points"
        self.desk = read_desk(self.project, self._stored, self._at_hand, goal) if self._at_hand else None

    def _show(self) -> None:
        self.judging.show_desk(self.desk, "No cluster is chosen.")
        self.candidates.show_desk(self.desk)
        self.annotator.refresh()
        self._show_status()
        self._study_if_seen()
        self.context.commands.state_changed.emit()

    def _show_status(self) -> None:
        desk = self.desk
        self.set_status(f"{desk.step.judged} of about {desk.step.total} pairs judged" if desk is not None else "")

    def _cluster_chosen(self, key: str) -> None:
        self._at_hand, self._stale = key, True
        self._read()
        self._show()

    def _view_changed(self, number: int) -> None:
        self.views.setCurrentIndex(number)
        self._study_if_seen()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _study_if_seen(self) -> None:
        if self.tabs.currentIndex() not in (RANKING, ANNOTATORS) or not self._stale or not self.isVisible():
            return
        if self.project is None or self.desk is None:
            self._show_study(None)
            return
        if self.study is not None and self.study.cluster.id != self._at_hand:
            self._show_study(None)
        self._stale = False
        self._job = self.context.bridge.submit(
            study_task(self.project, self._at_hand, self.method), self, on_done=self._studied, on_error=self._failed
        )

    def _studied(self, found: object) -> None:
        study = cast("Study", found)
        self._job = None
        if study.cluster.id == self._at_hand:
            self._show_study(study)

    def _show_study(self, study: Study | None) -> None:
        self.study = study
        self.ranking.show_study(study)
        self.annotators.show_study(study)
        self.context.commands.state_changed.emit()


if __name__ == "__main__":
    raise SystemExit(preview(PreferencesPane))
