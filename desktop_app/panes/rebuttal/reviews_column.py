"""Left: the comments of the reviews with their labels as chips, grouped; below, the comment at hand with its edits."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop_app.panes.linking.comment_list import split_line
from desktop_app.panes.rebuttal.entries import Entry, Group
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import WORDS
from desktop_app.widgets.label_chips import chip_html, chips_of, draw_chips
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import paint_row_ground
from desktop_app.widgets.tracked import tracked_html
from engine.reviews.labels.records import SentenceLabels
from engine.revision.records import Edit

ENTRY = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
_LINES = 3
_CONTEXT = 90


class ReviewModel(QAbstractListModel):
    """Rows of heads (a ``Group``) and comments (an ``Entry``)."""

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.rows: tuple[Group | Entry, ...] = ()

    def show_groups(self, groups: Sequence[Group]) -> None:
        """Other groups; rows that stay are painted anew in their places."""
        rows: list[Group | Entry] = []
        for group in groups:
            rows += [group, *group.entries]
        if [_key(row) for row in rows] == [_key(row) for row in self.rows]:
            before, self.rows = self.rows, tuple(rows)
            if [_chipped(row) for row in before] != [_chipped(row) for row in rows]:
                self.layoutChanged.emit()  # rows with chips are higher
            for at, (old, new) in enumerate(zip(before, rows, strict=True)):
                if old != new:
                    self.dataChanged.emit(self.index(at), self.index(at), [int(Qt.ItemDataRole.DecorationRole)])
            return
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def row_of(self, comment_id: str) -> int:
        """A comment's row, -1 where it is not shown."""
        return next((n for n, r in enumerate(self.rows) if isinstance(r, Entry) and r.comment.id == comment_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if isinstance(self.rows[index.row()], Group):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == ENTRY:
            return row
        if isinstance(row, Group):
            return row.title if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.comment.comment
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = ", ".join(f"{chip.text}{' suggested' if chip.suggested else ''}" for chip in row.chips)
            state = "answered" if row.answered else "not answered" if row.label else "asks for nothing"
            return f"{row.label} {state}, {row.edits} edits linked. {said}. {row.comment.comment}"
        return None


def _chipped(row: Group | Entry) -> bool:
    return isinstance(row, Entry) and bool(row.chips)


def _key(row: Group | Entry) -> str:
    return f"head {row.title}" if isinstance(row, Group) else row.comment.id


class ReviewDelegate(QStyledItemDelegate):
    """Heads in small capitals; comments: number and state, three lines of text, chips."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ENTRY)
        if isinstance(row, Group):
            return QSize(100, theme().px(30))
        lines = 20 + _LINES * 17 + (24 if row.chips else 0) + 12
        return QSize(100, theme().px(lines))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ENTRY)
        painter.save()
        if isinstance(row, Group):
            _paint_head(painter, QRect(option.rect), row)
        else:
            self._paint_entry(painter, option, row)
        painter.restore()

    def _paint_entry(self, painter: QPainter, option: QStyleOptionViewItem, entry: Entry) -> None:
        t = theme()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        paint_row_ground(painter, option, selected=selected)
        inner = QRect(option.rect).adjusted(14, 6, -12, -6)
        painter.setFont(t.font("small", bold=True, tabular=True))
        line = painter.fontMetrics().height() + 4
        top = QRect(inner.left(), inner.top(), inner.width(), line)
        painter.setPen(t.colour("ink" if entry.label else "muted"))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(top, left, entry.label or "remark")
        words, ink = _state(entry)
        painter.setFont(t.font("small"))
        painter.setPen(ink)
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        body = t.reading_font(13)
        painter.setPen(t.colour("ink" if entry.label else "muted"))
        height = draw_lines(
            painter, QRect(inner.left(), top.bottom() + 1, inner.width(), t.px(17) * _LINES),
            " ".join(entry.comment.comment.split()), body, _LINES,
        )  # fmt: skip
        draw_chips(painter, entry.chips, inner.left(), top.bottom() + 5 + height, inner.width())


def _state(entry: Entry) -> tuple[str, QColor]:
    tokens = theme().tokens
    edits = f"{entry.edits} edit{'' if entry.edits == 1 else 's'} · " if entry.edits else ""
    if entry.answered:
        return f"{edits}✓ answered", QColor(tokens.data["verified"].ink)
    if entry.label:
        return f"{edits}○ open", QColor(tokens.data["attention"].ink)
    return edits.rstrip(" ·"), QColor(tokens.muted)


def _paint_head(painter: QPainter, rect: QRect, group: Group) -> None:
    t = theme()
    painter.fillRect(rect, t.colour("ground"))
    painter.setFont(t.font("small", bold=True))
    painter.setPen(t.colour("muted"))
    box = rect.adjusted(14, 0, -12, 0)
    open_ = sum(bool(entry.label) and not entry.answered for entry in group.entries)
    asked = sum(bool(entry.label) for entry in group.entries)
    painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, group.title)
    told = f"{asked - open_} of {asked} answered"
    painter.setFont(t.font("small", tabular=True))
    painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, told)


def draw_lines(painter: QPainter, rect: QRect, text: str, font: QFont, most: int) -> int:
    """The beginning of a text on up to ``most`` lines, the last elided; returns the height that they take."""
    painter.setFont(font)
    metrics = painter.fontMetrics()
    step, top = metrics.lineSpacing(), rect.top()
    for number in range(most):
        if not text:
            return number * step
        if number == most - 1:
            line, text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width()), ""
        else:
            line, text = split_line(text, rect.width(), metrics.horizontalAdvance)
        painter.drawText(rect.left(), top + number * step + metrics.ascent(), line)
    return most * step


class CommentReader(HtmlPage):
    """The comment at hand, sentence by sentence with its labels, and the edits that are linked to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Comment and its edits", parent, padding="4px 8px")
        self._shown: tuple[Entry | None, str, tuple[SentenceLabels, ...], tuple[Edit, ...], int, bool] = (
            None, "", (), (), 0, False,
        )  # fmt: skip
        theme().changed.connect(self._write)

    def show_comment(
        self,
        entry: Entry | None,
        text: str,
        labels: tuple[SentenceLabels, ...],
        edits: tuple[Edit, ...],
        *,
        sentence: int = 0,
        revised: bool,
    ) -> None:
        """``text`` is the whole review; ``sentence`` the number of the sentence whose labels are at hand."""
        shown = (entry, text, labels, edits, sentence, revised)
        if shown != self._shown:
            same = entry is not None and self._shown[0] is not None and entry.comment.id == self._shown[0].comment.id
            place = self.verticalScrollBar().value() if same else 0
            self._shown = shown
            self._write()
            self.verticalScrollBar().setValue(place)

    @property
    def selected(self) -> str:
        """The words that are selected; "" for none."""
        return self.textCursor().selection().toPlainText().strip()

    def _write(self) -> None:
        entry, text, labels, edits, at, revised = self._shown
        self.document().setDefaultFont(theme().reading_font(13))
        if entry is None:
            self.setHtml("")
            return
        tokens, small = theme().tokens, theme().px(11)
        muted = f"style='color:{tokens.muted}; font-size:{small}px; font-family:sans-serif'"
        parts = []
        if labels:
            for number, one in enumerate(labels):
                words = html.escape(" ".join(text[one.span.start : one.span.end].split()))
                here = number == at and len(labels) > 1
                ground = f" style='background-color:{tokens.accent_wash}'" if here else ""
                chips = " ".join(chip_html(chip) for chip in chips_of(one))
                parts.append(f"<p{ground}>{words}<br>{chips or f'<span {muted}>no label</span>'}</p>")
        else:
            parts.append(f"<p>{html.escape(entry.comment.comment)}</p>")
        if edits:
            parts.append(f"<p {muted}>In the revised paper</p>")
        elif revised:
            parts.append(f"<p {muted}>No edit is linked to this comment.</p>")
        for edit in edits:
            head = html.escape(
                f"{edit.label} · {WORDS[edit.kind]} · {edit.section.rpartition(' > ')[2] or 'no section'}"
            )
            change = tracked_html(edit.source_text, edit.target_text, context=_CONTEXT)
            parts.append(
                f"<p><span style='color:{tokens.data['linked'].ink}; font-size:{small}px'>{head}</span><br>{change}</p>"
            )
        self.setHtml("".join(parts))
