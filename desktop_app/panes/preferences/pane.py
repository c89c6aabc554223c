"""Preferences: clusters at the left; the pair at hand, candidates, ranking and annotators of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSplitter, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import Pane, preview
from desktop_app.panes.preferences.annotators_view import AnnotatorsView
from desktop_app.panes.preferences.candidates_view import CandidatesView
from desktop_app.panes.preferences.cluster_dialog import ClusterDialog
from desktop_app.panes.preferences.commands import EXPORTS, preference_commands
from desktop_app.panes.preferences.desk import Desk, read_desk
from desktop_app.panes.preferences.judging import JudgingView
from desktop_app.panes.preferences.library import put_into_library
from desktop_app.panes.preferences.ranking_view import RankingView
from desktop_app.panes.preferences.work import TASK, export_task, import_task, study_task
from desktop_app.theme import theme
from desktop_app.widgets.annotator_button import AnnotatorButton
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.errors import EnvironmentProblem
from engine.rebuttal.preferences.naming import cluster_title
from engine.rebuttal.preferences.records import Answer, Choice, Cluster, Plan, Standing, Verdict
from engine.rebuttal.preferences.store import TABLES, PreferenceStore
from engine.rebuttal.preferences.tasks import clusters_from_labels, extract_descriptions, find_candidates

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.exchange.preference_clusters import Imported
    from engine.exchange.preference_study import Study
    from engine.jobs import Failure
    from engine.project import Changes
    from engine.rebuttal.preferences.ranking import Method

_ACT, _WORK, _EXPORT = "act", "work", "export"
_METHOD = "preferences.method"
_KEY = int(Qt.ItemDataRole.UserRole)
_JUDGING, _CANDIDATES, _RANKING, _ANNOTATORS = range(4)
_VIEWS = ("Judge", "Candidates", "Ranking", "Annotators")
Made = TypeVar("Made")


class PreferencesPane(Pane):
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

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: PreferenceStore | None = None
        self.desk: Desk | None = None
        self.study: Study | None = None
        stored = context.state.bytes(_METHOD).data().decode("utf-8", "replace")
        self.method: Method = "bradley-terry" if stored == "bradley-terry" else "pagerank"
        self._clusters: tuple[Cluster, ...] = ()
        self._at_hand = ""
        self._filling = False
        self._skipping = False
        self._stale = True
        self._job: BridgedJob | None = None
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        self.model = QStandardItemModel(self)
        self.list = RowList("Clusters", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        offer_commands(self.list, registry, ("preferences.rename_cluster", "preferences.delete_cluster"))
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 6, 8, 6)
        foot.setSpacing(4)
        for name, words in (
            ("add_cluster", "New cluster…"), ("from_labels", "From labelled sentences"), ("import", "Import…"),
        ):  # fmt: skip
            button = CommandButton(registry, f"preferences.{name}", text=words, show_key=False, parent=self.body)
            KeepsKeys(button)
            foot.addWidget(button)
        side = QWidget(self.body)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addWidget(hairline(parent=side))
        column.addLayout(foot)
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
        splitter.addWidget(side)
        splitter.addWidget(main)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([250, 1000])
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
        self._show_list()
        self._show()

    def take_focus(self) -> None:
        view = self.tabs.currentIndex()
        (self.judging, self.candidates.list, self.ranking.bars, self.annotators.list)[view].setFocus()

    def _subject(self) -> tuple[str, str]:
        return (self.desk.cluster.id, cluster_title(self.desk.cluster)) if self.desk is not None else ("", "")

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
            self._can_on(_JUDGING)
            and self.desk is not None
            and (self.desk.pair is not None or self.desk.descriptions is not None)
        )

    def can_judge_pair(self) -> bool:
        return self.can_judge() and self.desk is not None and self.desk.descriptions is None

    def has_candidate(self) -> bool:
        return self._can_on(_CANDIDATES) and self.candidates.candidate is not None

    def has_sentence(self) -> bool:
        return self._can_on(_CANDIDATES) and bool(self.candidates.sentence_id)

    def has_study(self) -> bool:
        return self.has_clusters() and self.study is not None

    def has_winner(self) -> bool:
        return self._can_on(_RANKING) and self.study is not None and bool(self.ranking.bars.candidate_id)

    def can_trust(self) -> bool:
        return self._can_on(_ANNOTATORS) and self.study is not None and bool(self.study.agreement.most_competent)

    def has_disagreement(self) -> bool:
        return self._can_on(_ANNOTATORS) and self.annotators.disagreement is not None

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
        self._show_row(self.list.currentIndex().row())
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

    # --- clusters -------------------------------------------------------------------------------------------------

    def show_view(self, number: int) -> None:
        """Brings one of the four views to the front."""
        self.tabs.setCurrentIndex(number)

    def step(self, by: int) -> None:
        """The next or previous cluster."""
        row = self.list.currentIndex().row()
        self.list.select_row(min(max(row + by, 0), len(self._clusters) - 1))

    def next_open(self) -> None:
        """The next cluster with pairs left for the acting annotator, or the next pair to adjudicate."""
        assert self.project is not None
        assert self.store is not None
        if self.tabs.currentIndex() == _ANNOTATORS:
            self.annotators.next_open()
            return
        start = self.list.currentIndex().row()
        for offset in range(1, len(self._clusters)):
            row = (start + offset) % len(self._clusters)
            if read_desk(self.project, self.store, self._clusters[row].id).pair is not None:
                self.list.select_row(row)
                return
        self.banner.show_notice(Notice(_ACT, "No other cluster has pairs left for you.", kind="note"))

    def add_cluster(self) -> None:
        """Asks for a new cluster and makes it."""
        dialog = ClusterDialog(parent=self)
        dialog.accepted.connect(lambda: self._added(dialog))
        dialog.open()

    def _added(self, dialog: ClusterDialog) -> None:
        store = self.store
        assert store is not None
        made = self._act(lambda: store.add_clusters([dialog.cluster()]))
        if made is not None:
            self._at_hand = made[0].id
            self.refresh_now()

    def rename_cluster(self) -> None:
        """Asks for other names of the cluster at hand."""
        assert self.desk is not None
        key, dialog = self.desk.cluster.id, ClusterDialog(self.desk.cluster, parent=self)
        dialog.accepted.connect(lambda: self._renamed(dialog, key))
        dialog.open()

    def _renamed(self, dialog: ClusterDialog, key: str) -> None:
        store, named = self._stored, dialog.cluster()
        self._act(lambda: store.rename_cluster(key, named.root, named.theme, named.action))

    def delete_cluster(self) -> None:
        """Takes the cluster at hand away."""
        self._on_cluster(lambda store, key: store.delete_cluster(key))

    def from_labels(self) -> None:
        """Has clusters made of the labelled sentences of the project's reviews."""
        assert self.project is not None
        self.context.bridge.submit(
            clusters_from_labels(self.project), self, on_done=self._labels_done, on_error=self._failed
        )

    def _labels_done(self, count: int) -> None:
        what = (
            f"{count} clusters were made of labelled sentences."
            if count
            else "No root and theme has two labelled sentences that are not in a cluster yet."
        )
        self.banner.show_notice(Notice(_WORK, what, kind="note"))

    def import_file(self) -> None:
        """Asks for a table and has it taken in."""
        name, _ = QFileDialog.getOpenFileName(self, "Import clusters or judgements", "", "Tables (*.csv *.tsv)")
        if name:
            self.import_from(Path(name))

    def import_folder(self) -> None:
        """Asks for a folder in the layout of JitsuPeer and has it taken in."""
        name = QFileDialog.getExistingDirectory(self, "Import a folder of clusters")
        if name:
            self.import_from(Path(name))

    def import_from(self, path: Path) -> None:
        """Has a file or folder taken in; a table of judgements goes into the cluster at hand."""
        assert self.project is not None
        key = self.desk.cluster.id if self.desk is not None else ""
        self.context.bridge.submit(
            import_task(self.project, path, key), self, on_done=self._imported, on_error=self._failed
        )

    def _imported(self, found: Imported) -> None:
        self._at_hand = found.cluster_id or self._at_hand
        self.banner.show_notice(Notice(_WORK, found.words, " ".join(found.warnings[:5]), kind="note"))
        self.mark_dirty()

    # --- candidates -----------------------------------------------------------------------------------------------

    def decide(self, decision: Literal["in", "out"] | None) -> None:
        """Takes the candidate at hand in, leaves it out, or lets its scores decide; goes on to the next."""
        entry, store = self.candidates.candidate, self._stored
        assert entry is not None
        row = self.candidates.list.currentIndex().row()
        self._act(lambda: store.decide_candidates([entry.candidate.id], decision))
        self.candidates.list.select_row(min(row + 1, self.candidates.model.rowCount() - 1))

    def remove_candidate(self) -> None:
        """Takes the candidate at hand away."""
        entry, store = self.candidates.candidate, self._stored
        assert entry is not None
        self._act(lambda: store.remove_candidate(entry.candidate.id))

    def remove_sentence(self) -> None:
        """Takes the review sentence at hand out of the cluster."""
        key, store = self.candidates.sentence_id, self._stored
        self._act(lambda: store.remove_sentence(key))

    def find_candidates(self) -> None:
        """Looks for rebuttal sentences that answer the cluster's review sentences."""
        assert self.desk is not None
        assert self.project is not None
        project, key = self.project, self.desk.cluster.id
        found = self._act(lambda: find_candidates(project, key))
        if found is not None:
            what = f"{found} new candidates answer these sentences." if found else "No further answers were found."
            self.banner.show_notice(Notice(_WORK, what, kind="note"))

    def add_texts(self) -> None:
        """Asks for further sentences and candidates."""
        assert self.desk is not None
        key, dialog = self.desk.cluster.id, ClusterDialog(adds=True, parent=self)
        dialog.accepted.connect(lambda: self._texts_added(dialog, key))
        dialog.open()

    def _texts_added(self, dialog: ClusterDialog, key: str) -> None:
        store, project, entered = self._stored, self.project, dialog.cluster()
        assert project is not None

        def add() -> None:
            with project.action("Add sentences and candidates"):
                store.add_sentences(key, entered.sentences)
                store.add_candidates(key, entered.candidates)

        self._act(add)

    def extract(self) -> None:
        """Has the most central sentence of the cluster found."""
        assert self.desk is not None
        assert self.project is not None
        self.context.bridge.submit(
            extract_descriptions(self.project, (self.desk.cluster.id,)), self, on_error=self._failed
        )

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
            self.banner.show_notice(Notice(_WORK, f"It stands in the library “{library}” now.", kind="note"))

    # --- files ----------------------------------------------------------------------------------------------------

    def export(self, format_: str) -> None:
        """Asks where to write, and has it written."""
        name, _ = QFileDialog.getSaveFileName(self, EXPORTS[format_][0].rstrip("…"), "preferences.csv")
        if name:
            self.export_to(format_, Path(name))

    def export_to(self, format_: str, path: Path) -> None:
        """Has the files of a format written, named after ``path``."""
        assert self.study is not None
        self.context.bridge.submit(
            export_task(self.study, format_, path),
            self,
            on_done=lambda paths: self.banner.show_notice(written_notice(_EXPORT, paths, EXPORTS[format_][2:])),
            on_error=self._failed,
        )

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
            self.show_problem(problem, _ACT)
            return None
        self.banner.dismiss(_ACT)
        return made

    def _failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, _WORK)

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

    def _show_list(self) -> None:
        standings = self._stored.standings()
        self._filling = True
        if [cluster.id for cluster in self._clusters] != [self._key(row) for row in range(self.model.rowCount())]:
            self.model.clear()
            for _ in self._clusters:
                self.model.appendRow(QStandardItem())
        for row, cluster in enumerate(self._clusters):
            self._fill_row(row, cluster, standings[cluster.id])
        self.list.select_row(next((n for n, c in enumerate(self._clusters) if c.id == self._at_hand), -1))
        self._filling = False

    def _fill_row(self, row: int, cluster: Cluster, standing: Standing) -> None:
        entry, name = self.model.item(row), cluster_title(cluster)
        told = _standing(standing.candidates, standing.own)
        for role, value in (
            (_KEY, cluster.id),
            (int(Qt.ItemDataRole.DisplayRole), name),
            (int(DETAIL), told),
            (int(Qt.ItemDataRole.AccessibleTextRole), f"{name}. {told}"),
            (int(Qt.ItemDataRole.ToolTipRole), name),
            (int(Qt.ItemDataRole.DecorationRole), theme().icon("cards", "muted")),
        ):
            entry.setData(value, role)

    def _show_row(self, row: int) -> None:
        desk = self.desk
        if desk is not None and row >= 0:
            self.model.item(row).setData(_standing(len(desk.candidates), len(desk.own)), int(DETAIL))

    def _key(self, row: int) -> str:
        return str(self.model.item(row).data(_KEY))

    def _row_chosen(self, *_indices: object) -> None:
        row = self.list.currentIndex().row()
        if not self._filling and row >= 0:
            self._at_hand = self._key(row)
            self._stale = True
            self._read()
            self._show()

    def _view_changed(self, number: int) -> None:
        self.views.setCurrentIndex(number)
        self._study_if_seen()
        self.take_focus()
        self.context.commands.state_changed.emit()

    def _study_if_seen(self) -> None:
        if self.tabs.currentIndex() not in (_RANKING, _ANNOTATORS) or not self._stale or not self.isVisible():
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


def _standing(candidates: int, own: int) -> str:
    return f"{candidates} candidates · {own} judged by you"


if __name__ == "__main__":
    raise SystemExit(preview(PreferencesPane))
