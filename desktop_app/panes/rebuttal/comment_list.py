"""The comments of the reviews with their labels as chips, grouped under headings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.panes.rebuttal.entries import Entry, Group
from desktop_app.theme import theme
from desktop_app.widgets.label_chips import draw_chips
from desktop_app.widgets.row_list import RowList, paint_row_ground
from desktop_app.widgets.row_model import ROW, RowModel
from desktop_app.widgets.text_lines import draw_lines

Index = QModelIndex | QPersistentModelIndex
_LINES = 3
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CommentList(RowList):
    """``chosen`` brings the id of the comment that a person selects."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Review comments", parent)
        self.rows: RowModel[Group | Entry] = RowModel(
            self, _spoken, key=_key, height=lambda row: isinstance(row, Entry) and bool(row.chips),
            heading=lambda row: isinstance(row, Group),
        )  # fmt: skip
        self.setModel(self.rows)
        self.setItemDelegate(_Delegate(self))
        self._showing = False
        self.selectionModel().currentChanged.connect(self._choose)

    def show_groups(self, groups: Sequence[Group], current: str) -> None:
        """Other groups; ``current`` is the id of the comment to select."""
        self._showing = True
        rows: list[Group | Entry] = []
        for group in groups:
            rows += [group, *group.entries]
        self.rows.show_rows(rows)
        self._showing = False
        self.set_message("" if groups else "No comments found.")
        self.select(current)

    def select(self, comment_id: str) -> None:
        """Selects a comment without emitting ``chosen``."""
        self._showing = True
        self.select_row(self.rows.row_of(comment_id))
        self._showing = False

    def _choose(self, index: Index) -> None:
        row = self.rows.at(index)
        if not self._showing and isinstance(row, Entry):
            self.chosen.emit(row.comment.id)


def _key(row: Group | Entry) -> str:
    return f"head {row.title}" if isinstance(row, Group) else row.comment.id


def _spoken(row: Group | Entry) -> str:
    if isinstance(row, Group):
        return row.title
    state = "answered" if row.answered else "not answered" if row.label else "needs no response"
    chips = ", ".join(chip.spoken for chip in row.chips)
    edits = f"{row.edits} linked edit{'' if row.edits == 1 else 's'}"
    return f"{row.label} {state}, {edits}. {chips}. {row.comment.comment}"


class _Delegate(QStyledItemDelegate):
    """Headings with how much is answered; comments: label and state, three lines of text, chips."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW)
        if isinstance(row, Group):
            return QSize(100, theme().px(30))
        return QSize(100, theme().px(32 + _LINES * 17 + (24 if row.chips else 0)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        painter.save()
        if isinstance(row, Group):
            _paint_group(painter, QRect(option.rect), row)
        else:
            paint_row_ground(painter, option, selected=bool(option.state & QStyle.StateFlag.State_Selected))
            _paint_entry(painter, QRect(option.rect).adjusted(14, 6, -12, -6), row)
        painter.restore()


def _paint_entry(painter: QPainter, inner: QRect, entry: Entry) -> None:
    t = theme()
    ink = t.colour("ink" if entry.label else "muted")
    painter.setFont(t.font("small", bold=True, tabular=True))
    top = QRect(inner.left(), inner.top(), inner.width(), painter.fontMetrics().height() + 4)
    painter.setPen(ink)
    painter.drawText(top, _LEFT, entry.label or "needs no response")
    words, state_ink = _state(entry)
    painter.setFont(t.font("small"))
    painter.setPen(state_ink)
    painter.drawText(top, _RIGHT, words)
    painter.setPen(ink)
    text, box = " ".join(entry.comment.comment.split()), QRect(inner.left(), top.bottom() + 1, inner.width(), 0)
    height = draw_lines(painter, box, text, t.reading_font(13), _LINES)
    draw_chips(painter, entry.chips, inner.left(), top.bottom() + 5 + height, inner.width())


def _state(entry: Entry) -> tuple[str, QColor]:
    tokens = theme().tokens
    edits = f"{entry.edits} edit{'' if entry.edits == 1 else 's'} · " if entry.edits else ""
    if entry.answered:
        return f"{edits}✓ answered", QColor(tokens.data["verified"].ink)
    if entry.label:
        return f"{edits}○ open", QColor(tokens.data["attention"].ink)
    return edits.rstrip(" ·"), QColor(tokens.muted)


def _paint_group(painter: QPainter, rect: QRect, group: Group) -> None:
    t = theme()
    painter.fillRect(rect, t.colour("ground"))
    painter.setFont(t.font("small", bold=True))
    painter.setPen(t.colour("muted"))
    box = rect.adjusted(14, 0, -12, 0)
    painter.drawText(box, _LEFT, group.title)
    needed = [entry for entry in group.entries if entry.label]
    painter.setFont(t.font("small", tabular=True))
    painter.drawText(box, _RIGHT, f"{sum(entry.answered for entry in needed)} of {len(needed)} answered")
