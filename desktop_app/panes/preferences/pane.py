"""Preferences: clusters at the left; the pair at hand, candidates, ranking and annotators of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop_app.commands import Command
from desktop_app.context import AppContext
from desktop_app.panes.base import Pane, preview
from desktop_app.panes.preferences.cluster_dialog import ClusterDialog
from desktop_app.panes.preferences.commands import preference_commands
from desktop_app.panes.preferences.desk import Desk, read_desk
from desktop_app.panes.preferences.judging import JudgingView
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.row_list import RowList
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.errors import EnvironmentProblem
from engine.project import Changes
from engine.rebuttal.preferences.naming import cluster_title
from engine.rebuttal.preferences.records import Answer, Cluster, Standing
from engine.rebuttal.preferences.store import TABLES, PreferenceStore

_ACT = "act"
Made = TypeVar("Made")
_KEY = int(Qt.ItemDataRole.UserRole)


class PreferencesPane(Pane):
    """Pairs are judged by one key each; the cluster's list tells what is left."""

    pane_id = "preferences"
    title = "Preferences"
    icon = "cards"
    purpose = (
        "Judge which of two rebuttals answers a kind of criticism better, one key a pair, and see which one is "
        "canonical, with its doubt. Start with a cluster: review sentences of one kind and candidate rebuttals."
    )
    tables = TABLES | {"annotator"}
    first_step = "preferences.add_cluster"

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.store: PreferenceStore | None = None
        self.desk: Desk | None = None
        self._clusters: tuple[Cluster, ...] = ()
        self._at_hand = ""
        self._filling = False
        self._skipping = False
        self._build()

    def _build(self) -> None:
        registry = self.context.commands
        self.model = QStandardItemModel(self)
        self.list = RowList("Clusters", self.body)
        self.list.setModel(self.model)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.selectionModel().currentChanged.connect(self._row_chosen)
        offer_commands(self.list, registry, ("preferences.rename_cluster", "preferences.delete_cluster"))
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 4, 8, 4)
        add = CommandButton(registry, "preferences.add_cluster", text="New cluster…", parent=self.body)
        KeepsKeys(add)
        foot.addWidget(add)
        side = QWidget(self.body)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addLayout(foot)
        self.judging = JudgingView(registry, self.body)
        self.judging.note_entered.connect(self._note_entered)
        self.views = QStackedWidget(self.body)
        self.views.addWidget(self.judging)
        splitter = QSplitter(Qt.Orientation.Horizontal, self.body)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(side)
        splitter.addWidget(self.views)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([250, 1000])
        layout = QVBoxLayout(self.body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)

    # --- the pane's duties ----------------------------------------------------------------------------------------

    def commands(self) -> Sequence[Command]:
        return preference_commands(self)

    def project_set(self) -> None:
        self.store = PreferenceStore(self.project) if self.project is not None else None
        self.desk, self._clusters, self._at_hand = None, (), ""
        self._skipping = False

    def is_empty(self) -> bool:
        return self.store is None or not self.store.clusters()

    def on_changes(self, changes: Changes) -> None:
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
        self.judging.setFocus()

    # --- what can be done -----------------------------------------------------------------------------------------

    def has_clusters(self) -> bool:
        return bool(self._clusters) and self.body.isVisibleTo(self)

    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    def can_change(self) -> bool:
        return self.can_write() and self.has_clusters() and self.desk is not None

    def can_judge(self) -> bool:
        return self.can_change() and self.desk is not None and self.desk.pair is not None

    # --- acts -----------------------------------------------------------------------------------------------------

    def judge(self, answer: Answer) -> None:
        """Keeps the answer for the pair at hand and shows the next pair."""
        desk, store = self.desk, self.store
        assert desk is not None
        assert store is not None
        pair = desk.pair
        assert pair is not None
        milliseconds, note = self.judging.milliseconds(), self.judging.note.text().strip()
        try:
            made = store.judge(
                desk.cluster.id,
                pair.left_id,
                pair.right_id,
                answer,
                milliseconds=milliseconds,
                repeat=pair.repeat,
                note=note,
                initiator=self,
            )
        except EnvironmentProblem as problem:
            self.show_problem(problem, _ACT)
            return
        self.banner.dismiss(_ACT)
        desk.judged_now(made)
        self.judging.show_pair(answer)
        self._show_row(self.list.currentIndex().row())
        self._show_status()

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
        if self._skipping and self.can_judge():
            self.judge("skip")
        self._skipping = False

    def step(self, by: int) -> None:
        """The next or previous cluster."""
        row = self.list.currentIndex().row()
        self.list.select_row(min(max(row + by, 0), len(self._clusters) - 1))

    def next_open(self) -> None:
        """The next cluster with pairs left for the acting annotator, around the end."""
        assert self.project is not None
        assert self.store is not None
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
        dialog = ClusterDialog(self.desk.cluster, parent=self)
        key = self.desk.cluster.id
        dialog.accepted.connect(lambda: self._renamed(dialog, key))
        dialog.open()

    def _renamed(self, dialog: ClusterDialog, key: str) -> None:
        store, named = self.store, dialog.cluster()
        assert store is not None
        self._act(lambda: store.rename_cluster(key, named.root, named.theme, named.action))

    def delete_cluster(self) -> None:
        """Takes the cluster at hand away."""
        desk, store = self.desk, self.store
        assert desk is not None
        assert store is not None
        self._act(lambda: store.delete_cluster(desk.cluster.id))

    def _act(self, verb: Callable[[], Made]) -> Made | None:
        try:
            made = verb()
        except EnvironmentProblem as problem:
            self.show_problem(problem, _ACT)
            return None
        self.banner.dismiss(_ACT)
        return made

    # --- showing --------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        assert self.project is not None
        assert self.store is not None
        self.desk = read_desk(self.project, self.store, self._at_hand) if self._at_hand else None

    def _show(self) -> None:
        self.judging.show_desk(self.desk, "No cluster is chosen.")
        self._show_status()
        self.context.commands.state_changed.emit()

    def _show_status(self) -> None:
        desk = self.desk
        if desk is not None:
            self.set_status(f"{desk.step.judged} of about {desk.step.total} pairs judged")

    def _show_list(self) -> None:
        assert self.store is not None
        standings = self.store.standings()
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
        told = f"{standing.candidates} candidates · {standing.own} judged by you"
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
            told = f"{len(desk.candidates)} candidates · {len(desk.own)} judged by you"
            self.model.item(row).setData(told, int(DETAIL))

    def _key(self, row: int) -> str:
        return str(self.model.item(row).data(_KEY))

    def _row_chosen(self, *_indices: object) -> None:
        row = self.list.currentIndex().row()
        if not self._filling and row >= 0:
            self._at_hand = self._key(row)
            self._read()
            self._show()


if __name__ == "__main__":
    raise SystemExit(preview(PreferencesPane))
