"""The ranking: rank, interval, chance of being above the line, and changes. Items slide to their new rank."""

import numpy as np
from PySide6.QtCore import QEasingCurve, QPoint, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QAccessible, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget

from desktop_app import motion
from desktop_app.accessibility import paint_focus
from desktop_app.panes.calibration.board import Board
from desktop_app.panes.calibration.matrix_field import PaintedView, Selection, elision, fit_bar, reveal
from desktop_app.theme import ROW_COMPACT, theme
from engine.calibration.ranking import RankDoubt
from engine.calibration.records import Floats
from engine.shown import counted, estimated, visible_line

HEAD = 26
SLIDE_MS = 240
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
RANK_WIDTH, CHANGE_WIDTH, CHANCE_WIDTH = 52, 46, 46
_HELP = "“above”: the chance of being above the line. “swap”: the chance that two neighbours are in the wrong order."
SWAPS_FROM = 400
"""Minimum width of the view for showing the chance that two neighbours swap."""


def _px(length: int) -> int:
    """Scales a length to the current text size, in pixels."""
    return theme().px(length)


class RankingView(PaintedView):
    """One row per item: a bar for the rank's 90 % interval, a dot for the rank, a ring for the original rank."""

    accessible_role = QAccessible.Role.List

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.selection = selection
        self.board: Board | None = None
        self.doubt: RankDoubt | None = None
        self._chosen = -1
        self._place: Floats = np.zeros(0)
        self._from: Floats = np.zeros(0)
        self._to: Floats = np.zeros(0)
        self._slide = QVariantAnimation(self)
        self._slide.setStartValue(0.0)
        self._slide.setEndValue(1.0)
        self._slide.setDuration(SLIDE_MS)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(self._move)
        self.setAccessibleName("Ranking")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        selection.changed.connect(self._selected)
        theme().follow(self.relayout, now=False)

    def show_board(self, board: Board | None) -> None:
        before, self.board = self.board, board
        places = np.argsort(board.ranked()).astype(np.float64) if board is not None else np.zeros(0)
        if board is None or before is None or len(self._place) != len(places):
            self._slide.stop()
            self._place = self._from = self._to = places
            self.doubt = board.current.doubt if board is not None else None
        elif board.current.doubt is not None:
            self.doubt = board.current.doubt
        if (places != self._to).any():
            self._slide.stop()
            self._from, self._to = self._place, places
            motion.start(self._slide)
        self._tell()
        self.relayout()

    def _tell(self) -> None:
        """Sets the accessible description: the selected item or, without one, the first one and their number."""
        chosen, order, words = self.selection.item, np.argsort(self._to), ""
        if 0 <= chosen < len(order):
            words = self.describe(chosen)
        elif len(order):
            words = f"{counted(len(order), 'item')}. {self.describe(int(order[0]))}"
        self.setAccessibleDescription(words)

    @property
    def order(self) -> list[str]:
        return [self.board.items[i] for i in np.argsort(self._to)] if self.board is not None else []

    def _move(self, share: float) -> None:
        if len(self._from) == len(self._to):
            self._place = self._from + (self._to - self._from) * share
        self.viewport().update()

    @property
    def _row(self) -> int:
        return theme().px(ROW_COMPACT)

    def sizeHint(self) -> QSize:
        return QSize(380, 520)

    def fit_bars(self) -> None:
        count = len(self.board.items) if self.board is not None else 0
        fit_bar(self.verticalScrollBar(), count * self._row, self.viewport().height() - _px(HEAD), self._row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        item = self._item_at(event.position().y())
        if item >= 0:
            self.selection.choose(item=item)

    def _item_at(self, y: float) -> int:
        """Returns the item at a height in pixels; -1 for none."""
        place = int((y - _px(HEAD) + self.verticalScrollBar().value()) // self._row)
        inside = self.board is not None and y > _px(HEAD) and 0 <= place < len(self._to)
        return int(np.argsort(self._to)[place]) if inside else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or self.board is None or not len(self._to):
            super().keyPressEvent(event)
            return
        item = self.selection.item
        place = int(self._to[item]) + step if 0 <= item < len(self._to) else 0
        self.selection.choose(item=int(np.argsort(self._to)[min(max(place, 0), len(self._to) - 1)]))

    def _selected(self) -> None:
        item = self.selection.item
        if self.board is not None and 0 <= item < len(self._to):
            bar = self.verticalScrollBar()
            reveal(bar, self._to[item] * self._row, self._row, bar.pageStep())
            self._tell()
        for chosen in {self._chosen, item} if item != self._chosen else ():
            if 0 <= chosen < len(self._place):
                top = _px(HEAD) - self.verticalScrollBar().value() + self._place[chosen] * self._row
                self.viewport().update(0, int(top) - 1, self.viewport().width(), self._row + 3)
        self._chosen = item

    @property
    def interval_title(self) -> str:
        """The heading of the bars: the kind of interval, or that it is preliminary or from the previous fit."""
        if self.board is not None and self.board.current.doubt is None:
            return "rank, preliminary" if self.doubt is None else "rank, previous 90 %"
        kind = self.board.current.calibration.interval if self.board is not None else "90 %"
        return f"rank, {kind}" if kind else "rank"

    def describe(self, item: int) -> str:
        board = self.board
        assert board is not None
        rank, before = board.moved.after[item], board.moved.before[item]
        if np.isnan(rank):
            return f"{board.items[item]} has no rank."
        words = f"{board.items[item]}: rank {rank:g}, score {board.current.calibration.score[item]:.2f}"
        if self.doubt is not None and not np.isnan(self.doubt.low[item]):
            words += f", between {self.doubt.low[item]:g} and {self.doubt.high[item]:g} with"
            words += f" {board.current.calibration.interval}"
            if board.cutoff is not None and not np.isnan(self.doubt.above[item]):
                words += f", {estimated(self.doubt.above[item])} chance of being above the line"
            if board.current.doubt is not None and not np.isnan(self.doubt.swap[item]):
                words += f", {estimated(self.doubt.swap[item])} chance of really being below the next item"
        return words + (f", was {before:g}" if rank != before else "") + "."

    def tip_at(self, place: QPoint) -> str:
        item = self._item_at(place.y())
        return self.describe(item) if item >= 0 else f"Bars: {self.interval_title}. {_HELP}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, board = theme().tokens, self.board
        width, height = self.viewport().width(), self.viewport().height()
        part = event.rect()
        painter.fillRect(part, QColor(t.surface))
        if board is None:
            return
        swap_right = width - (_px(CHANCE_WIDTH) if board.cutoff is not None else 0)
        bar_right = swap_right - (_px(CHANCE_WIDTH) if width >= _px(SWAPS_FROM) else 0) - 8
        name_left = _px(RANK_WIDTH) + _px(CHANGE_WIDTH)
        name_width = max(int((bar_right - name_left) * 0.55), 60)
        bar_left = name_left + name_width + 8
        offset, row = self.verticalScrollBar().value(), self._row
        painter.save()
        painter.setClipRect(0, _px(HEAD), width, height - _px(HEAD))
        y = _px(HEAD) - offset + self._place * row
        items = np.flatnonzero((y > max(_px(HEAD), part.top()) - row) & (y < part.bottom() + 1)).tolist()
        crossing = {*board.moved.rising.tolist(), *board.moved.falling.tolist()}
        shortening = elision(board)
        for bold in (False, True):  # changing the font is the most expensive part of a row
            painter.setFont(theme().font("body", tabular=True, bold=bold))
            for item in items:
                if (item in crossing) == bold:
                    self._paint_row(painter, item, float(y[item]), (name_width, bar_left, bar_right), shortening)
        side = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.setPen(QColor(t.muted))
        painter.setFont(theme().font("small", tabular=True))
        for item in items if self.doubt is not None else ():
            above, swap = self.doubt.above[item], self.doubt.swap[item]  # type: ignore[union-attr]
            # Neighbours may differ while the ranking is preliminary.
            swap = swap if board.current.doubt is not None else np.nan
            for shown, chance, right, top in (
                (board.cutoff is not None, above, width, y[item]),
                (width >= _px(SWAPS_FROM), swap, swap_right, y[item] + row / 2),  # drawn between the two neighbours
            ):
                if shown and not np.isnan(chance):
                    box = QRectF(right - _px(CHANCE_WIDTH) - 4, top, _px(CHANCE_WIDTH), row)
                    painter.drawText(box, side, estimated(chance))
        if board.cutoff is not None:
            line = _px(HEAD) - offset + board.cutoff * row
            painter.setPen(QPen(QColor(t.data["attention"].ink), 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(0, round(line), bar_right + 4, round(line))
        painter.restore()
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(t.muted))
        bar = (bar_left, bar_right - bar_left)
        heads: list[tuple[float, float, str, Qt.AlignmentFlag]] = [
            (0, _px(RANK_WIDTH) - 4, "rank", _RIGHT), (_px(RANK_WIDTH), _px(CHANGE_WIDTH), "moved", _LEFT),
            (name_left, name_width, "item", _LEFT), (*bar, self.interval_title, Qt.AlignmentFlag.AlignHCenter),
        ]  # fmt: skip
        last = f"{len(board.items):,}"
        if painter.fontMetrics().horizontalAdvance(f" {last} {self.interval_title} {last} ") <= bar[1]:
            heads += [(*bar, "1", _LEFT), (*bar, last, _RIGHT)]
        if board.cutoff is not None:
            heads.append((width - _px(CHANCE_WIDTH) - 4, _px(CHANCE_WIDTH), "above", _RIGHT))
        if width >= _px(SWAPS_FROM):
            heads.append((swap_right - _px(CHANCE_WIDTH) - 4, _px(CHANCE_WIDTH), "swap", _RIGHT))
        for left, room, words, align in heads:
            said = words if painter.fontMetrics().horizontalAdvance(words) <= room else words.removeprefix("rank, ")
            said = painter.fontMetrics().elidedText(said, Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(QRectF(left, 0, room, _px(HEAD)), align | Qt.AlignmentFlag.AlignVCenter, said)
        painter.setPen(QPen(QColor(t.hairline), 1))
        painter.drawLine(0, _px(HEAD) - 1, width, _px(HEAD) - 1)
        painter.end()
        paint_focus(self)

    def _paint_row(
        self, painter: QPainter, item: int, y: float, columns: tuple[int, int, int], shortening: Qt.TextElideMode
    ) -> None:
        t, board = theme().tokens, self.board
        assert board is not None
        name_width, bar_left, bar_right = columns
        row, middle = self._row, int(Qt.AlignmentFlag.AlignVCenter)
        if item == self.selection.item:
            painter.fillRect(QRectF(0, y, self.viewport().width(), row), QColor(t.accent_wash))
        rank, before = board.moved.after[item], board.moved.before[item]
        painter.setPen(QColor(t.ink))
        shown = "–" if np.isnan(rank) else f"{rank:g}"
        painter.drawText(QRectF(0, y, _px(RANK_WIDTH) - 4, row), int(Qt.AlignmentFlag.AlignRight) | middle, shown)
        metrics = painter.fontMetrics()
        name = metrics.elidedText(visible_line(board.items[item]), shortening, name_width - 6)
        painter.drawText(QRectF(_px(RANK_WIDTH) + _px(CHANGE_WIDTH), y, name_width, row), middle, name)
        change = board.moved.change[item]
        if not np.isnan(change) and abs(change) >= 1:
            painter.setPen(QColor(t.data["added" if change > 0 else "unsupported"].ink))
            moved = f"{'▲' if change > 0 else '▼'}{abs(change):g}"
            painter.drawText(QRectF(_px(RANK_WIDTH), y, _px(CHANGE_WIDTH), row), middle, moved)
        span = max(len(board.items) - 1, 1)

        def x_of(place: float) -> float:
            return bar_left + (place - 1) / span * (bar_right - bar_left)

        centre = y + row / 2
        if self.doubt is not None and not np.isnan(self.doubt.low[item]):
            painter.setPen(QPen(QColor(t.data["suggested"].mark), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            low, high = x_of(self.doubt.low[item]), x_of(self.doubt.high[item])
            painter.drawLine(round(low), round(centre), round(max(high, low + 1)), round(centre))
        if not np.isnan(before) and before != rank:
            painter.setPen(QPen(QColor(t.muted), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QRectF(x_of(before) - 3.5, centre - 3.5, 7, 7))
        if not np.isnan(rank):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.accent))
            painter.drawEllipse(QRectF(x_of(rank) - 3.5, centre - 3.5, 7, 7))
