"""The clusters of a project: a row each, and below them the ways to further ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.command_menu import offer_commands
from desktop_app.widgets.entry_list import DETAIL, TwoLineDelegate
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import hairline
from desktop_app.widgets.row_list import RowList
from engine.rebuttal.preferences.naming import cluster_title, title
from engine.rebuttal.preferences.records import Cluster, Standing

_KEY = int(Qt.ItemDataRole.UserRole)
_WAYS = (("add_cluster", "New cluster…"), ("from_labels", "From labelled sentences"), ("import", "Import…"))


class ClusterList(QWidget):
    """``chosen`` tells that the person went to another row."""

    chosen = Signal(str)

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filling = False
        self.model = QStandardItemModel(self)
        self.rows = RowList("Clusters", self)
        self.rows.setModel(self.model)
        self.rows.setItemDelegate(TwoLineDelegate(self.rows))
        self.rows.selectionModel().currentChanged.connect(self._row_chosen)
        offer_commands(self.rows, registry, ("preferences.rename_cluster", "preferences.delete_cluster"))
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 6, 8, 6)
        foot.setSpacing(4)
        for name, words in _WAYS:
            button = CommandButton(registry, f"preferences.{name}", text=words, show_key=False, parent=self)
            KeepsKeys(button)
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.rows, 1)
        column.addWidget(hairline(parent=self))
        column.addLayout(foot)

    @property
    def row(self) -> int:
        """The selected row, -1 for none."""
        return self.rows.currentIndex().row()

    def go(self, row: int) -> None:
        """Selects a row."""
        self.rows.select_row(row)

    def show_clusters(
        self, clusters: Sequence[Cluster], standings: Mapping[str, Standing], at_hand: str, done: Collection[str] = ()
    ) -> None:
        """Shows all clusters; the place stays. ``at_hand`` is the one that is chosen, ``done`` are those with which
        the acting annotator is done.
        """
        self._filling = True
        if [cluster.id for cluster in clusters] != [self._key(row) for row in range(self.model.rowCount())]:
            self.model.clear()
            for _ in clusters:
                self.model.appendRow(QStandardItem())
        for row, cluster in enumerate(clusters):
            self._fill(row, cluster, standings[cluster.id], done=cluster.id in done)
        self.rows.select_row(next((n for n, cluster in enumerate(clusters) if cluster.id == at_hand), -1))
        self._filling = False

    def show_standing(self, cluster: Cluster, own: int, candidates: int) -> None:
        """Shows how far the selected row is, which holds this cluster."""
        if self.row >= 0:
            self.model.item(self.row).setData(_standing(cluster, own, candidates), int(DETAIL))

    def _fill(self, row: int, cluster: Cluster, standing: Standing, *, done: bool) -> None:
        # The list is narrow: the action, which is what differs least by its look, is shown in the second line.
        entry, name = self.model.item(row), cluster_title(replace(cluster, action=""))
        line = _standing(cluster, standing.own, standing.candidates)
        for role, value in (
            (_KEY, cluster.id),
            (int(Qt.ItemDataRole.DisplayRole), name),
            (int(DETAIL), line),
            (int(Qt.ItemDataRole.AccessibleTextRole), f"{name}. {line}{'. Done' if done else ''}"),
            (int(Qt.ItemDataRole.ToolTipRole), f"{cluster_title(cluster)}: {_count(standing.candidates)}"),
            (int(Qt.ItemDataRole.DecorationRole), theme().icon("check" if done else "cards", "muted")),
        ):
            entry.setData(value, role)

    def _key(self, row: int) -> str:
        return str(self.model.item(row).data(_KEY))

    def _row_chosen(self, *_indices: object) -> None:
        if not self._filling and self.row >= 0:
            self.chosen.emit(self._key(self.row))


def _standing(cluster: Cluster, own: int, candidates: int) -> str:
    line = f"{own} judged" if candidates > 1 or own else _count(candidates)
    return " · ".join(filter(None, (title("action", cluster.action).lower(), line)))


def _count(candidates: int) -> str:
    return f"{candidates or 'no'} candidate{'' if candidates == 1 else 's'}"
