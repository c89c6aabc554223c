"""The decisions at the cut-off: every item with how safe its decision is."""

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from desktop_app.panes.calibration.board import Board
from desktop_app.panes.calibration.matrix_field import Selection, elision
from desktop_app.theme import ROW_COMPACT, theme
from desktop_app.timers import delayed
from desktop_app.widgets.fact_table import MEASURED, fit_names, plain_rows
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column, row, sized
from desktop_app.widgets.record_list import Index
from engine.calibration.decisions import SHOWN, Decisions, Standing, decide
from engine.shown import counted, estimated, percent

COLUMNS = {
    "Item": "The reviewed item. Borderline items come first, starting with those that would gain most from another "
    "review.",
    "Decision": "Safe: the chance of a different decision is at most 5 %. Borderline: accepted or rejected for now.",
    "Would\ndiffer": "The chance that the true scores would lead to a different decision.",
    "+1\nreview": "By how many percentage points another review is expected to lower that chance.",
}
STANDINGS: tuple[Standing, ...] = ("borderline", "safe accept", "safe reject")


class DecisionModel(QAbstractTableModel):
    """One row per item. Cell texts are created only when shown, so that thousands of items appear at once."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self.order: list[int] = []
        """The item of each row."""
        self._items: tuple[str, ...] = ()
        self._made: Decisions | None = None

    def show_items(self, items: tuple[str, ...], made: Decisions | None, order: list[int]) -> None:
        self.beginResetModel()
        self._items, self._made, self.order = items, made, order
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return list(COLUMNS)[section]
            case Qt.ItemDataRole.ToolTipRole:
                return list(COLUMNS.values())[section]
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(section)
            case Qt.ItemDataRole.SizeHintRole if section == 1:  # the rows that are measured needn't have the longest
                words = self._view.fontMetrics().horizontalAdvance(f"{STANDINGS[0]} accept")
                return QSize(words + theme().px(20), 0)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.words(index.row())[index.column()]
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def words(self, row: int) -> tuple[str, ...]:
        made, item = self._made, self.order[row]
        assert made is not None
        change, gain = made.change[item], made.gain[item]
        chance = estimated(change) if change >= SHOWN else f"<{percent(SHOWN)}"
        standing: str = made.standing[item] or ""
        if standing == "borderline":
            standing += " accept" if made.accepted[item] else " reject"
        return self._items[item], standing, chance, f"−{100 * gain:.0f} pp" if gain >= SHOWN else ""


class DecisionsView(QWidget):
    """The list of items and, above it, the number of items of each kind."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._board: Board | None = None
        self._made: Decisions | None = None
        self.kind = ChoiceBox("Decisions to list", letters=16, parent=self)
        self.kind.picked.connect(lambda _kind: self._list())
        self.why = text_label("", "muted", wrap=True, parent=self)
        self.model = DecisionModel(self)
        self.table = _DecisionTable(self.model, self)
        self.why.setContentsMargins(4, 0, 4, 8)
        self.why.setAlignment(Qt.AlignmentFlag.AlignTop)
        column(column(row(self.kind, None), self.why, margins=(8, 8, 8, 8)), (self.table, 1), of=self)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        selection.changed.connect(self._select)
        self.show_board(None)

    def show_board(self, board: Board | None, *, waiting: bool = True) -> None:
        """Shows the decisions of a board. ``waiting``: chances that are missing are being calculated."""
        why, made = "Set a cut-off above to list decisions" if board is not None else "", None
        if board is not None and board.cutoff is not None:
            fit, doubt = board.current.calibration, board.current.doubt
            why = "Calculating…" if waiting else "The chances weren't calculated"
            if doubt is not None:
                made = decide(board.current.prepared.reviews, fit, doubt, board.cutoff)
                nominal = ("The chances are nominal.",) if fit.nominal else ()
                why = " ".join((*nominal, *made.limits))
                if not any(made.standing):
                    why, made = "The chances can't be estimated with this method or table", None
        self._board, self._made = board, made
        self.why.setText(why)
        for part, visible in ((self.why, bool(why)), (self.kind, made is not None), (self.table, made is not None)):
            part.setVisible(visible)
        known = [one for one in made.standing if one is not None] if made is not None else []
        entries: list[tuple[str, str]] = [(counted(len(known), "item"), "")]
        self.kind.show_entries(entries + [(f"{known.count(one):,} {one}", one) for one in STANDINGS])
        self._list()

    def _list(self) -> None:
        board, made = self._board, self._made
        if board is None or made is None:
            self.model.show_items((), None, [])
            return
        wanted = self.kind.value or STANDINGS
        order = [int(item) for item in board.ranked() if made.standing[item] and made.standing[item] in wanted]
        order.sort(key=lambda item: -made.gain[item] if made.standing[item] == "borderline" else 1.0)
        self.table.setTextElideMode(elision(board))
        self.model.show_items(board.items, made, order)
        self._select()

    def _choose(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid() and self.table.hasFocus():  # otherwise Qt made it current, not the user
            self._selection.choose(item=self.model.order[index.row()])

    def _select(self) -> None:
        """Makes the item that was selected or found elsewhere the current row."""
        at = np.flatnonzero(np.array(self.model.order) == self._selection.item)
        if len(at):
            self.table.setCurrentIndex(self.model.index(int(at[0]), 0))


class _DecisionTable(QTableView):
    def __init__(self, model: DecisionModel, parent: QWidget) -> None:
        super().__init__(parent)
        named(self, "Decisions")
        self.setModel(model)
        header = plain_rows(self)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setResizeContentsPrecision(MEASURED)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        sized(self, ROW_COMPACT, self.verticalHeader().setDefaultSectionSize)
        self._fitting = delayed(self, 0, lambda: fit_names(self))
        model.modelReset.connect(self._fitting.start)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fitting.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.currentIndex().row()
        if event.matches(QKeySequence.StandardKey.Copy) and row >= 0:
            model = self.model()
            assert isinstance(model, DecisionModel)
            QGuiApplication.clipboard().setText("\t".join(model.words(row)))
            return
        super().keyPressEvent(event)


def _alignment(column: int) -> Qt.AlignmentFlag:
    number = column > 1
    return (Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter
