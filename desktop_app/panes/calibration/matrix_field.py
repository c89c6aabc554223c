"""Geometry of the matrix of referees by items: zoom, scrolling, selection, hit testing."""

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QWidget

from desktop_app import present
from desktop_app.panes.calibration.board import Bank, Board
from desktop_app.theme import theme
from desktop_app.widgets.painted import show_tip
from engine.calibration.records import Floats


class Selection(QObject):
    """The selected item and referee as indices (-1: none), shared by all views."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.item = -1
        self.referee = -1

    def choose(self, *, item: int | None = None, referee: int | None = None) -> None:
        """Selects an item, a referee, or both; None keeps the current one."""
        wanted = (self.item if item is None else item, self.referee if referee is None else referee)
        if wanted != (self.item, self.referee):
            self.item, self.referee = wanted
            self.changed.emit()


class PaintedView(QAbstractScrollArea):
    """Base of painted views, repainted as a whole when scrolled, resized, or when the focus changes."""

    def fit_bars(self) -> None:
        """Updates the scroll bars for the content and the available space."""
        raise NotImplementedError

    def relayout(self) -> None:
        self.fit_bars()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.relayout()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def tip_at(self, place: QPoint) -> str:
        raise NotImplementedError

    def viewportEvent(self, event: QEvent) -> bool:
        return show_tip(event, self.tip_at, self.viewport()) or super().viewportEvent(event)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()


def fit_bar(bar: QScrollBar, length: float, page: int, step: float) -> None:
    """Sets a scroll bar to scroll over ``length`` pixels, of which ``page`` are visible."""
    bar.setRange(0, max(round(length - page), 0))
    bar.setPageStep(max(page, 1))
    bar.setSingleStep(round(step))


def elision(board: Board) -> Qt.TextElideMode:
    """Returns where to shorten items' names: in the middle if they differ only at the end, as numbers do."""
    return Qt.TextElideMode.ElideRight if board.differ_early else Qt.TextElideMode.ElideMiddle


def reveal(bar: QScrollBar, start: float, size: float, page: int) -> None:
    """Scrolls the minimum distance that brings ``size`` pixels from ``start`` into view."""
    if start < bar.value():
        bar.setValue(int(start))
    elif start + size > bar.value() + page:
        bar.setValue(int(start + size - page) + 1)


CELLS = (0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 15.0, 20.0, 26.0, 34.0)
NAMES_FROM, GRID_FROM, HANDLE_FROM = 11.0, 11.0, 6.0
SCORE_BANK, SIDE_BANK, NAMES_WIDTH, NAMES_HEIGHT = 92, 76, 108, 84
BANKS: tuple[Bank, ...] = ("score", "bias", "trust")
F = TypeVar("F", float, Floats)


@dataclass(frozen=True, slots=True)
class Drag:
    """A slider being dragged: its bank, the index of its item or referee, the current value."""

    bank: Bank
    index: int
    value: float


class MatrixField(PaintedView):
    """The field of discs with one bank of sliders below and two on the right; ``MatrixView`` paints it."""

    accessible_role = QAccessible.Role.Chart

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selection = selection
        self.board: Board | None = None
        self.drag: Drag | None = None
        self._step = CELLS.index(15.0)
        self._values: dict[tuple[Bank, bool], Floats] = {}
        self._place_of_field: QRect | None = None
        self.setAccessibleName("Referees by items")
        self.setFrameShape(QFrame.Shape.NoFrame)
        theme().follow(self.relayout, now=False)

    def show_board(self, board: Board | None) -> None:
        """Shows a board, keeping position and zoom; the first one is fitted to the window."""
        first = self.board is None and board is not None
        self.board = board
        self._values.clear()
        if first:
            self.fit()
        self.relayout()

    @property
    def cell(self) -> float:
        return CELLS[self._step]

    def zoom(self, steps: int, around: QPointF | None = None) -> None:
        """Enlarges or shrinks cells, keeping the cell under ``around`` (default: the centre) in place."""
        before, field = self.cell, self._field()
        at = around if around is not None else QPointF(field.center())
        x, y = at.x() - field.left(), at.y() - field.top()
        across, down = self.horizontalScrollBar().value() + x, self.verticalScrollBar().value() + y
        self._step = min(max(self._step + steps, self._least()), len(CELLS) - 1)
        self.relayout()
        grown = self.cell / before
        self.horizontalScrollBar().setValue(round(across * grown - x))
        self.verticalScrollBar().setValue(round(down * grown - y))

    def fit(self) -> None:
        if self.board is not None:
            self._step = self._fitting(len(self.board.referees))
            self.relayout()

    def _fitting(self, cells: int) -> int:
        """Returns the zoom step at which this many cells fit into the height."""
        room = self.viewport().height() - SCORE_BANK - theme().px(NAMES_HEIGHT)
        return max((n for n, cell in enumerate(CELLS) if cell * cells <= room), default=0)

    def _least(self) -> int:
        """Returns the smallest zoom step: cells can be told apart, or the whole table if it doesn't fit at that
        size."""
        board = self.board
        cells = max(len(board.items), len(board.referees)) if board is not None else 1
        return min(CELLS.index(2.0), self._fitting(cells))

    def sizeHint(self) -> QSize:
        return QSize(720, 520)

    def _named(self) -> bool:
        return self.cell >= NAMES_FROM

    def _field(self) -> QRect:
        """Returns the rectangle of the discs in the viewport."""
        if self._place_of_field is None:
            left = theme().px(NAMES_WIDTH) if self._named() else 8
            top = theme().px(NAMES_HEIGHT) if self._named() else 24
            right, bottom = 2 * SIDE_BANK + 16, SCORE_BANK
            size = self.viewport().size()
            width, height = max(size.width() - left - right, 10), max(size.height() - top - bottom, 10)
            if self.board is not None:  # the sliders follow directly after the last row and column
                width = min(width, round(self.cell * len(self.board.items)))
                height = min(height, round(self.cell * len(self.board.referees)))
            self._place_of_field = QRect(left, top, width, height)
        return self._place_of_field

    def fit_bars(self) -> None:
        self._place_of_field = None
        if self.board is not None:
            field, step = self._field(), max(self.cell, 4)
            fit_bar(self.horizontalScrollBar(), self.cell * len(self.board.items), field.width(), step)
            fit_bar(self.verticalScrollBar(), self.cell * len(self.board.referees), field.height(), step)

    def column_x(self, column: float) -> float:
        return self._field().left() + (column + 0.5) * self.cell - self.horizontalScrollBar().value()

    def row_y(self, row: float) -> float:
        return self._field().top() + (row + 0.5) * self.cell - self.verticalScrollBar().value()

    def handle_at(self, bank: Bank, index: int) -> QPointF:
        board = present(self.board)
        place = self._to_pixels(bank, self._value(bank, index))
        if bank == "score":
            return QPointF(self.column_x(board.column_of[index]), place)
        return QPointF(place, self.row_y(board.row_of[index]))

    def _value(self, bank: Bank, index: int) -> float:
        if self.drag is not None and (self.drag.bank, self.drag.index) == (bank, index):
            return self.drag.value
        return float(self._bank(bank)[index])

    def _bank(self, bank: Bank, *, original: bool = False) -> Floats:
        if (bank, original) not in self._values:
            self._values[bank, original] = present(self.board).values(bank, original=original)
        return self._values[bank, original]

    def _side_left(self, bank: Bank) -> int:
        return self._field().right() + 10 + (SIDE_BANK if bank == "trust" else 0)

    def _track(self, bank: Bank) -> tuple[float, float]:
        """Returns both ends of a bank's sliders, lowest value first: y for scores, x for the others."""
        if bank == "score":
            bottom = self._field().bottom() + SCORE_BANK - 12
            return bottom, bottom - (SCORE_BANK - 28)
        return self._side_left(bank), self._side_left(bank) + SIDE_BANK - 12

    def _range(self, bank: Bank) -> tuple[float, float]:
        board = present(self.board)
        return {"score": board.score_range, "bias": (-board.bias_range, board.bias_range), "trust": board.trust_range}[
            bank
        ]

    def _to_pixels(self, bank: Bank, value: F) -> F:
        (low, high), (start, end) = self._range(bank), self._track(bank)
        return start + (value - low) / (high - low) * (end - start)

    def _to_value(self, bank: Bank, at: QPointF) -> float:
        (low, high), (start, end) = self._range(bank), self._track(bank)
        share = ((at.y() if bank == "score" else at.x()) - start) / (end - start)
        return low + float(np.clip(share, 0.0, 1.0)) * (high - low)

    def _place(self, at: QPointF) -> tuple[Bank | Literal["cell", ""], int, int]:
        """Returns what is at a point: a bank or "cell" ("": nothing), with item and referee (-1 for none)."""
        board, field = self.board, self._field()
        if board is None:
            return "", -1, -1
        column = int((at.x() - field.left() + self.horizontalScrollBar().value()) // self.cell)
        row = int((at.y() - field.top() + self.verticalScrollBar().value()) // self.cell)
        item = int(board.item_at[column]) if 0 <= column < len(board.items) else -1
        referee = int(board.referee_at[row]) if 0 <= row < len(board.referees) else -1
        across = field.left() <= at.x() <= field.right()
        down = field.top() <= at.y() <= field.bottom()
        if across and at.y() > field.bottom():
            return ("score", item, -1) if item >= 0 else ("", -1, -1)
        if down and at.x() > field.right():
            bank: Bank = "trust" if at.x() >= self._side_left("trust") - 4 else "bias"
            return (bank, -1, referee) if referee >= 0 else ("", -1, -1)
        return ("cell", item if across else -1, referee if down else -1) if across or down else ("", -1, -1)
