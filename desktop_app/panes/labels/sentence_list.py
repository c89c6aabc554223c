"""The sentences of a review as rows: what they say, and their labels as chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.panes.linking.comment_list import split_line
from desktop_app.theme import theme
from desktop_app.widgets.label_chips import Chip, chips_of, draw_chips
from desktop_app.widgets.row_list import paint_row_ground
from engine.reviews.labels.records import SentenceLabels

SENTENCE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
_MOST = 8
"""Lines of one sentence; a longer one is cut in the list and whole beside it."""
_MEASURE = 760
"""Pixels of a line of text at most: some 80 letters."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A row. ``decided``, ``offered``: how many layers have a decision, a suggestion."""

    labels: SentenceLabels
    text: str
    chips: tuple[Chip, ...]
    decided: int
    offered: int


def sentence_of(labels: SentenceLabels, text: str) -> Sentence:
    """A sentence as it is shown; ``text`` is the whole review."""
    words = " ".join(text[labels.span.start : labels.span.end].split())
    chips = chips_of(labels)
    open_ = len({chip.layer for chip in chips if chip.suggested})
    return Sentence(labels, words, chips, len(labels.origins) - len(labels.offered), open_)


class SentenceModel(QAbstractListModel):
    """Rows of ``Sentence``."""

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.rows: tuple[Sentence, ...] = ()

    def show_rows(self, rows: Sequence[Sentence]) -> None:
        """Other sentences; where only labels are others, rows are painted anew in their places."""
        before, rows = self.rows, tuple(rows)
        if [_height(row) for row in before] != [_height(row) for row in rows]:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        self.rows = rows
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(at), self.index(at), [int(Qt.ItemDataRole.DecorationRole)])

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == SENTENCE:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = ", ".join(f"{chip.text}{' suggested' if chip.suggested else ''}" for chip in row.chips)
            return f"{index.row() + 1}. {row.text} {said or 'no label'}"
        return None


def _height(row: Sentence) -> tuple[object, str, bool]:
    """What a row's place and height come from."""
    return row.labels.span, row.text, bool(row.chips)


class SentenceDelegate(QStyledItemDelegate):
    """A number, the words over as many lines as they need, and the chips."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._lines: dict[tuple[str, int], list[str]] = {}
        theme().changed.connect(self._lines.clear)

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Sentence = index.data(SENTENCE)
        font = theme().reading_font(14)
        height = len(self._split(row.text)) * round(QFontMetricsF(font).lineSpacing() * 1.15)
        return QSize(100, height + (theme().px(20) if row.chips else 0) + theme().px(16))

    def _room(self) -> QRect:
        """Where the words stand in a row that is as wide as the list."""
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
        row: Sentence = index.data(SENTENCE)
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
        painter.drawText(QRect(rect.left(), top, t.px(34), step), right, str(index.row() + 1))
        told, ink = _state(row)
        painter.setPen(t.colour("muted") if ink is None else t.data(ink).ink)
        painter.drawText(QRect(rect.right() - t.px(96), top, t.px(84), step), right, told)
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
