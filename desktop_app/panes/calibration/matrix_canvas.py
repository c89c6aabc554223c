"""The matrix of referees by items: a disc for each review, surrounded by three banks of sliders.

As in the figure of IDSIA-25-98: item scores under the columns, bias and trust at the ends of the rows. Zoomed in, discs
are sized by weight, and filled if the review is above its expected score, hollow if below; zoomed out, they are points,
so that 500 by 1,500 reviews stay responsive.
"""

import math
from collections.abc import Iterable
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QRegion, QWheelEvent
from PySide6.QtWidgets import QWidget

from desktop_app.accessibility import paint_focus
from desktop_app.panes.calibration.board import Bank, Board
from desktop_app.panes.calibration.matrix_field import (
    BANKS,
    GRID_FROM,
    HANDLE_FROM,
    SCORE_BANK,
    SIDE_BANK,
    Drag,
    MatrixField,
    Selection,
    reveal,
)
from desktop_app.theme import theme
from engine.calibration.records import Bools, Floats
from engine.shown import counted, visible_line

DISC_FROM = 6.0
"""Cells smaller than this, in pixels, show points instead of discs."""


class MatrixView(MatrixField):
    """Paints a Board. Emits ``pinned`` when a dragged slider is released; the pane stores the value."""

    pinned = Signal(str, int, float)
    """Bank, index of item or referee, and value where the slider was released."""
    freed = Signal(str, int)
    """Bank and index of a double-clicked slider, whose value the model should choose again."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._chosen = (-1, -1)
        selection.changed.connect(self._selected)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part in cast("Iterable[QRect]", event.region()):
            painter.setClipRect(part)
            self._paint_part(painter, part)
        painter.end()
        paint_focus(self)

    def _paint_part(self, painter: QPainter, part: QRect) -> None:
        painter.fillRect(part, QColor(theme().tokens.surface))
        board = self.board
        if board is None:
            return
        field = self._field()
        across = (part.left() - field.left(), part.right() - field.left(), field.width())
        down = (part.top() - field.top(), part.bottom() - field.top(), field.height())
        columns = self._seen(self.horizontalScrollBar().value(), across, len(board.items))
        rows = self._seen(self.verticalScrollBar().value(), down, len(board.referees))
        if part.intersects(field):
            painter.save()
            painter.setClipRect(field, Qt.ClipOperation.IntersectClip)
            self._paint_ground(painter, field, rows)
            self._paint_reviews(painter, columns, rows)
            painter.restore()
        for bank in BANKS:
            if part.bottom() > field.bottom() if bank == "score" else part.right() > field.right():
                self._paint_bank(painter, field, bank, columns if bank == "score" else rows)
        if self._named():
            none = range(0)
            beside, above = part.left() < field.left(), part.top() < field.top()
            self._paint_names(painter, field, columns if above else none, rows if beside else none)
        if self.drag is not None:
            self._paint_drag(painter, self.drag)

    def _seen(self, offset: int, part: tuple[int, int, int], count: int) -> range:
        """Returns the rows or columns that intersect a part of the field (first and last pixel, page size), plus one on
        each side, whose name or handle may extend into it."""
        first, last, page = part
        start = (offset + max(first, 0)) // self.cell - 1
        stop = (offset + min(last, page)) // self.cell + 2
        return range(max(int(start), 0), max(min(int(stop), count), 0))

    def _paint_ground(self, painter: QPainter, field: QRect, rows: range) -> None:
        t, board = theme().tokens, self.board
        assert board is not None
        wash, wide = QColor(t.accent_wash), max(self.cell, 2.0)
        if 0 <= self.selection.item < len(board.items):
            x = self.column_x(board.column_of[self.selection.item])
            painter.fillRect(QRectF(x - wide / 2, field.top(), wide, field.height()), wash)
        if 0 <= self.selection.referee < len(board.referees):
            y = self.row_y(board.row_of[self.selection.referee])
            painter.fillRect(QRectF(field.left(), y - wide / 2, field.width(), wide), wash)
        painter.setPen(QPen(QColor(t.hairline), 1))
        if self.cell >= GRID_FROM:
            for row in rows:
                y = self.row_y(row)
                right = min(self.column_x(len(board.items)), field.right())
                painter.drawLine(QPointF(field.left(), y), QPointF(right, y))
        if board.cutoff is not None and board.cutoff < len(board.items):
            x = self.column_x(board.cutoff - 0.5)
            painter.setPen(QPen(QColor(t.data["attention"].ink), 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, field.top()), QPointF(x, field.bottom()))

    def _paint_reviews(self, painter: QPainter, columns: range, rows: range) -> None:
        t, board = theme().tokens, self.board
        assert board is not None
        inside = (board.column >= columns.start) & (board.column < columns.stop)
        seen = np.flatnonzero(inside & (board.row >= rows.start) & (board.row < rows.stop))
        x, y = self.column_x(0) + board.column[seen] * self.cell, self.row_y(0) + board.row[seen] * self.cell
        above, below, unknown = QColor(t.data["added"].mark), QColor(t.data["unsupported"].mark), QColor(t.muted)
        tone = board.tone[seen]
        strength = np.digitize(np.abs(np.nan_to_num(tone)), (0.5, 1.0, 2.0))
        if self.cell < DISC_FROM:
            for alike, colour in ((tone >= 0, above), (tone < 0, below), (np.isnan(tone), unknown)):
                for level in range(4):
                    chosen = alike & (strength == level)
                    shade = QColor(colour)
                    shade.setAlphaF(0.55 + 0.15 * level)
                    painter.setPen(QPen(shade, max(self.cell * 0.8, 1.6 if self.cell < 1 else 2.4)))
                    painter.drawPoints(_polygon(x[chosen], y[chosen]))
            return
        radius = np.maximum(board.size[seen] * (self.cell / 2 - 0.5), 1.2)
        source = board.current.prepared.source[seen]
        changed = board.current.prepared.changed
        for a, b, r, value, level, place in zip(x, y, radius, tone, strength, source, strict=True):
            shade = QColor(above if value >= 0 else below if value < 0 else unknown)
            shade.setAlphaF(0.35 + 0.2 * int(level))
            if value >= 0:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(shade)
                painter.drawEllipse(QPointF(a, b), r, r)
            else:
                width = max(min(r * 0.45, 3.0), 1.0)
                painter.setPen(QPen(shade, width))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF(a, b), r - width / 2, r - width / 2)
            if place < 0 or place in changed:
                painter.setPen(QPen(QColor(t.ink), 1, Qt.PenStyle.DashLine))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF(a, b), self.cell / 2 - 1, self.cell / 2 - 1)
        painter.setPen(QPen(QColor(t.muted), 1.4))
        for column, row in board.crossed:
            if column in columns and row in rows:
                a, b, r = self.column_x(column), self.row_y(row), self.cell / 4
                painter.drawLine(QPointF(a - r, b - r), QPointF(a + r, b + r))
                painter.drawLine(QPointF(a - r, b + r), QPointF(a + r, b - r))

    def _paint_bank(self, painter: QPainter, field: QRect, bank: Bank, cells: range) -> None:
        """Paints the sliders of the columns or rows ``cells``."""
        t, board, below = theme().tokens, self.board, bank == "score"
        assert board is not None
        pins, (start, end), left = board.current.prepared.pins, self._track(bank), self._side_left(bank)
        pinned = ~np.isnan({"score": pins.score, "bias": pins.bias, "trust": pins.noise}[bank])
        if below:
            area = QRectF(field.left(), field.bottom() + 1, field.width(), SCORE_BANK - 1)
            self._caption(painter, QRectF(0, area.bottom() - 18, field.left() - 6, 16), bank if self._named() else "")
        else:
            area = QRectF(left - 8, field.top(), SIDE_BANK, field.height())
            self._caption(painter, QRectF(left, field.top() - 20, SIDE_BANK - 12, 16), bank)
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(QColor(t.hairline), 1))
        if below:
            painter.drawLine(area.topLeft(), area.topRight())
        elif bank == "bias":
            zero = self._to_pixels(bank, 0.0)
            painter.drawLine(QPointF(zero, field.top()), QPointF(zero, field.bottom()))
        indices = (board.item_at if below else board.referee_at)[cells.start : cells.stop]
        along = (self.column_x if below else self.row_y)(cells.start) + np.arange(len(indices)) * self.cell
        values = self._bank(bank)[indices]
        if self.drag is not None and self.drag.bank == bank:
            values = np.where(indices == self.drag.index, self.drag.value, values)
        across = self._to_pixels(bank, values)
        if self.cell < HANDLE_FROM:
            x, y = (along, across) if below else (across, along)
            self._paint_points(painter, x, y, pinned[indices])
        else:
            before = self._to_pixels(bank, self._bank(bank, original=True)[indices])
            known = np.flatnonzero(~np.isnan(across))
            tracks = [
                (QPointF(a, start), QPointF(a, end)) if below else (QPointF(start, a), QPointF(end, a))
                for a in along[known].tolist()
            ]
            painter.drawLines([QLineF(*ends) for ends in tracks])
            columns = (along[known].tolist(), across[known].tolist(), before[known].tolist(), pinned[indices[known]])
            for place, now, was, pin in zip(*columns, strict=True):
                at, then = ((place, now), (place, was)) if below else ((now, place), (was, place))
                self._paint_handle(painter, QPointF(*at), QPointF(*then), bool(pin))
        painter.restore()

    def _paint_points(self, painter: QPainter, x: NDArray[np.floating], y: NDArray[np.floating], pinned: Bools) -> None:
        """Paints sliders that are too small to move as points, larger if pinned."""
        t, known = theme().tokens, np.isfinite(x) & np.isfinite(y)
        for chosen, colour, width in ((~pinned, t.accent, 2.4), (pinned, t.data["moved"].ink, 4.0)):
            shown = chosen & known
            painter.setPen(QPen(QColor(colour), width))
            painter.drawPoints(_polygon(x[shown], y[shown]))

    def _paint_handle(self, painter: QPainter, at: QPointF, before: QPointF, pinned: bool) -> None:
        """Paints a slider's handle: round, or square if pinned; a hollow ring marks the value of the original fit."""
        t = theme().tokens
        radius = min(max(self.cell / 4, 1.2), 5.0)
        if not np.isnan(before.x() + before.y()) and (at - before).manhattanLength() > 1.5:
            painter.setPen(QPen(QColor(t.muted), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(before, radius - 0.5, radius - 0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.data["moved"].ink if pinned else t.accent))
        if pinned:
            painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
        else:
            painter.drawEllipse(at, radius, radius)

    def _paint_drag(self, painter: QPainter, drag: Drag) -> None:
        t, at = theme().tokens, self.handle_at(drag.bank, drag.index)
        painter.setFont(theme().font("body", tabular=True))
        words = f"{drag.value:.2f}"
        box = QRectF(painter.fontMetrics().boundingRect(words)).adjusted(-6, -3, 6, 3)
        box.moveCenter(at + QPointF(0, -20) if drag.bank != "score" else at + QPointF(box.width() / 2 + 12, 0))
        painter.setPen(QPen(QColor(t.control_border), 1))
        painter.setBrush(QColor(t.raised))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(t.ink))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)

    def _paint_names(self, painter: QPainter, field: QRect, columns: range, rows: range) -> None:
        t, board = theme().tokens, self.board
        assert board is not None
        font = theme().font("small")
        font.setPixelSize(min(font.pixelSize(), int(self.cell)))
        painter.setFont(font)
        metrics = painter.fontMetrics()
        for row in rows:
            referee = int(board.referee_at[row])
            y = self.row_y(row)
            if not field.top() <= y <= field.bottom():
                continue
            weak = bool(board.weak[referee])
            painter.setPen(QColor(t.data["attention"].ink if weak else t.ink))
            name = ("! " if weak else "") + board.referees[referee]
            words = metrics.elidedText(visible_line(name), Qt.TextElideMode.ElideMiddle, field.left() - 10)
            box = QRectF(2, y - self.cell / 2, field.left() - 8, self.cell)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), words)
        painter.setPen(QColor(t.ink))
        for column in columns:
            x = self.column_x(column)
            if not field.left() <= x <= field.right():
                continue
            name = board.items[int(board.item_at[column])]
            painter.save()
            painter.translate(x, field.top() - 4)
            painter.rotate(-90)
            words = metrics.elidedText(visible_line(name), Qt.TextElideMode.ElideMiddle, field.top() - 8)
            box = QRectF(0, -self.cell / 2, field.top() - 6, self.cell)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), words)
            painter.restore()

    def _caption(self, painter: QPainter, box: QRectF, words: str) -> None:
        """Paints the name of a bank, aligned towards the field."""
        painter.setPen(theme().colour("muted"))
        painter.setFont(theme().font("small"))
        side = Qt.AlignmentFlag.AlignLeft if box.left() else Qt.AlignmentFlag.AlignRight
        painter.drawText(box, int(side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip), words)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.board is None:
            return
        kind, item, referee = self._place(event.position())
        if kind:
            self.selection.choose(item=item if item >= 0 else None, referee=referee if referee >= 0 else None)
        if event.button() == Qt.MouseButton.LeftButton and kind in BANKS and self.cell >= HANDLE_FROM:
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

    def tip_at(self, place: QPoint) -> str:
        return self.describe(QPointF(place))

    def describe(self, at: QPointF) -> str:
        kind, item, referee = self._place(at)
        board = self.board
        if board is None or not kind:
            return ""
        fit, reviews = board.current.calibration, board.current.prepared.reviews
        lines = []
        if item >= 0:
            rank = board.moved.after[item]
            place = "no rank" if np.isnan(rank) else f"rank {rank:g}"
            lines.append(f"{board.items[item]}: {_known('score', fit.score[item])}, {place}")
        if referee >= 0:
            bias, trust = _known("bias", fit.bias[referee], "+z.2f"), _known("trust", fit.trust[referee])
            lines.append(f"{board.referees[referee]}: {bias}, {trust}")
        if item >= 0 and referee >= 0:
            for n in board.reviews_at(item, referee):
                expected = f"; {fit.residual[n]:+z.2f} compared with the expected score"
                lines.append(
                    f"gave {reviews.score[n]:g} with confidence {reviews.confidence[n]:g}"
                    + (expected if np.isfinite(fit.residual[n]) else "")
                )
        return "\n".join(lines)

    def show_board(self, board: Board | None) -> None:
        super().show_board(board)
        self._tell()

    def _tell(self) -> None:
        """Sets the accessible description: the selected item and referee or, without a selection, the table's size."""
        board, item, referee, words = self.board, self.selection.item, self.selection.referee, ""
        if board is not None and 0 <= item < len(board.items) and 0 <= referee < len(board.referees):
            words = self.describe(QPointF(self.column_x(board.column_of[item]), self.row_y(board.row_of[referee])))
        elif board is not None:
            words = f"{counted(len(board.items), 'item')}, {counted(len(board.referees), 'referee')}"
        self.setAccessibleDescription(words)

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
            self._tell()
            self.viewport().update(self._marked(*self._chosen))
            self.viewport().update(self._marked(item, referee))
        self._chosen = (self.selection.item, self.selection.referee)

    def _marked(self, item: int, referee: int) -> QRegion:
        """Returns the area marking this item or referee, as far as they are not selected any more."""
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


def _known(name: str, value: float, form: str = ".2f") -> str:
    return f"no {name}" if math.isnan(value) else f"{name} {value:{form}}"


def _polygon(x: Floats, y: Floats) -> QPolygonF:
    return QPolygonF([QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
