"""The matrix as one works with it: sliders that pin when they are let go, choosing, walking, zooming."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QRegion, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from desktop_app.panes.calibration.matrix_canvas import MatrixCanvas
from desktop_app.panes.calibration.matrix_field import BANKS, HANDLE_FROM, Drag
from desktop_app.panes.calibration.painted import reveal
from desktop_app.panes.calibration.selection import Selection


class MatrixView(MatrixCanvas):
    """Moving a slider tells ``pinned`` when it is let go; the pane writes it."""

    pinned = Signal(str, int, float)
    """Bank, item or referee, and the value at which the slider was let go."""
    freed = Signal(str, int)
    """A slider was double-clicked: let the model choose again."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._chosen = (-1, -1)
        selection.changed.connect(self._selected)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.board is None:
            return
        kind, item, referee = self._place(event.position())
        if kind:
            self.selection.choose(item=item if item >= 0 else None, referee=referee if referee >= 0 else None)
        if kind in BANKS and self.cell >= HANDLE_FROM:
            index = item if kind == "score" else referee
            handle = self.handle_at(kind, index)
            along = event.position().y() - handle.y() if kind == "score" else event.position().x() - handle.x()
            if abs(along) <= 8 and not np.isnan(self._value(kind, index)):
                self.drag = Drag(kind, index, self._value(kind, index))
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.drag is None or self.board is None:
            return
        self.drag = Drag(self.drag.bank, self.drag.index, self._to_value(self.drag.bank, event.position()))
        self.viewport().update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        drag, self.drag = self.drag, None
        self.viewport().unsetCursor()
        self.viewport().update()
        if drag is not None and drag.value != self._value(drag.bank, drag.index):
            self.pinned.emit(drag.bank, drag.index, drag.value)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        kind, item, referee = self._place(event.position())
        if kind in BANKS:
            self.drag = None
            self.freed.emit(kind, item if kind == "score" else referee)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1, event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
        step = steps.get(Qt.Key(event.key()))
        board = self.board
        if step is None or board is None:
            super().keyPressEvent(event)
            return
        column = board.column_of[self.selection.item] + step[0] if 0 <= self.selection.item < len(board.items) else 0
        row = board.row_of[self.selection.referee] + step[1] if 0 <= self.selection.referee < len(board.referees) else 0
        self.selection.choose(
            item=int(board.item_at[min(max(column, 0), len(board.items) - 1)]),
            referee=int(board.referee_at[min(max(row, 0), len(board.referees) - 1)]),
        )

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.describe(QPointF(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)

    def describe(self, at: QPointF) -> str:
        """What is at a point, in words."""
        kind, item, referee = self._place(at)
        board = self.board
        if board is None or not kind:
            return ""
        fit, reviews = board.current.calibration, board.current.prepared.reviews
        lines = []
        if item >= 0:
            rank = board.moved.after[item]
            place = "no rank" if np.isnan(rank) else f"rank {rank:g}"
            lines.append(f"{board.items[item]}: score {fit.score[item]:.2f}, {place}")
        if referee >= 0:
            lines.append(f"{board.referees[referee]}: bias {fit.bias[referee]:+.2f}, trust {fit.trust[referee]:.2f}")
        if item >= 0 and referee >= 0:
            for n in board.reviews_at(item, referee):
                lines.append(
                    f"gave {reviews.score[n]:g} with confidence {reviews.confidence[n]:g};"
                    f" {fit.residual[n]:+.2f} compared with the expected score"
                )
        return "\n".join(lines)

    def _selected(self) -> None:
        board = self.board
        if board is not None:
            field, item, referee = self._field(), self.selection.item, self.selection.referee
            for index, places, bar, page in (
                (item, board.column_of, self.horizontalScrollBar(), field.width()),
                (referee, board.row_of, self.verticalScrollBar(), field.height()),
            ):
                if 0 <= index < len(places):
                    reveal(bar, places[index] * self.cell, self.cell, page)
            if 0 <= item < len(board.items) and 0 <= referee < len(board.referees):
                at = QPointF(self.column_x(board.column_of[item]), self.row_y(board.row_of[referee]))
                self.setAccessibleDescription(self.describe(at))
            self.viewport().update(self._marked(*self._chosen))
            self.viewport().update(self._marked(item, referee))
        self._chosen = (self.selection.item, self.selection.referee)

    def _marked(self, item: int, referee: int) -> QRegion:
        """Where an item or a referee is marked as chosen, as far as the selection is another one now."""
        board, view, found = self.board, self.viewport(), QRegion()
        assert board is not None
        size = math.ceil(max(self.cell, 2)) + 3
        if self._chosen[0] != self.selection.item and 0 <= item < len(board.items):
            left = math.floor(self.column_x(board.column_of[item] - 0.5)) - 1
            found += QRect(left, 0, size, view.height())
        if self._chosen[1] != self.selection.referee and 0 <= referee < len(board.referees):
            top = math.floor(self.row_y(board.row_of[referee] - 0.5)) - 1
            found += QRect(0, top, view.width(), size)
        return found
