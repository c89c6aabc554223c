"""The sentences of a review with their labels as chips."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.panes.labels.state import Sentence
from desktop_app.theme import theme
from desktop_app.widgets.label_chips import draw_chips
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.row_model import ROW, RowModel
from desktop_app.widgets.text_lines import split_line

Index = QModelIndex | QPersistentModelIndex
_MOST = 8
"""Lines of a sentence that the list shows at most."""
_MEASURE = 760
"""Pixels of a line at most: about 80 letters."""


class SentenceList(RowList):
    """``chosen`` follows a selection by a person."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Sentences of the review", parent)
        self.rows: RowModel[Sentence] = RowModel(
            self, _spoken, key=lambda row: (row.labels.span, row.text), height=lambda row: bool(row.chips)
        )
        self.setModel(self.rows)
        self.setItemDelegate(SentenceDelegate(self))
        self._showing = False
        self.selectionModel().currentChanged.connect(lambda *_indices: self._showing or self.chosen.emit())

    def show_sentences(self, rows: Sequence[Sentence], at: int, message: str) -> None:
        """Other rows, of which one is selected (-1: none); ``message`` is shown without any."""
        self._showing = True
        self.rows.show_rows(rows)
        self.select_row(at)
        self._showing = False
        self.set_message(message)

    @property
    def at(self) -> int:
        """The number of the selected sentence; -1 for none."""
        return self.currentIndex().row()


def _spoken(row: Sentence) -> str:
    chips = ", ".join(chip.spoken for chip in row.chips)
    return f"{row.number}. {row.text} {chips or 'no label'}"


class SentenceDelegate(QStyledItemDelegate):
    """A number, the words over as many lines as they need, and the chips."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._lines: dict[tuple[str, int], list[str]] = {}
        theme().changed.connect(self._lines.clear)

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Sentence = index.data(ROW)
        font = theme().reading_font(14)
        height = len(self._split(row.text)) * round(QFontMetricsF(font).lineSpacing() * 1.15)
        return QSize(100, height + (theme().px(20) if row.chips else 0) + theme().px(16))

    def _room(self) -> QRect:
        """Where the words go in a row."""
        left = theme().px(44)
        return QRect(left, 0, min(self._view.viewport().width() - left - theme().px(96), theme().px(_MEASURE)), 0)

    def _split(self, text: str) -> list[str]:
        width = max(80, self._room().width())
        known = self._lines.get((text, width))
        if known is None:
            advance = QFontMetricsF(theme().reading_font(14)).horizontalAdvance
            known, rest = [], text
            while rest and len(known) < _MOST:
                line, rest = split_line(rest, width, advance)
                known.append(line)
            if rest:
                known[-1] = f"{known[-1].rstrip()} …"
            if len(self._lines) > 20_000:
                self._lines.clear()
            self._lines[text, width] = known
        return known

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Sentence = index.data(ROW)
        t = theme()
        painter.save()
        paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
        rect, room = QRect(option.rect), self._room()
        font = t.reading_font(14)
        step = round(QFontMetricsF(font).lineSpacing() * 1.15)
        top = rect.top() + t.px(7)
        painter.setFont(t.font("small", tabular=True))
        painter.setPen(t.colour("muted"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(rect.left(), top, t.px(34), step), right, str(row.number))
        words, ink = _state(row)
        painter.setPen(t.colour("muted") if ink is None else t.data(ink).ink)
        painter.drawText(QRect(rect.right() - t.px(96), top, t.px(84), step), right, words)
        painter.setFont(font)
        painter.setPen(t.colour("ink"))
        ascent = painter.fontMetrics().ascent()
        for number, line in enumerate(self._split(row.text)):
            painter.drawText(rect.left() + room.left(), top + number * step + ascent, line)
        chips_top = top + len(self._split(row.text)) * step + t.px(2)
        draw_chips(painter, row.chips, rect.left() + room.left(), chips_top, rect.width() - room.left() - t.px(12))
        painter.restore()


def _state(row: Sentence) -> tuple[str, str | None]:
    if row.offered:
        return f"○ {row.offered} open", "attention"
    return ("✓ decided", "verified") if row.decided else ("", None)
