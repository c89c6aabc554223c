"""The comments as a list: one row each, by reviewer, with the state as an icon and a word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop_app.panes.linking.study import ICONS, SHORT_STATES, Study, reviewer_name
from desktop_app.theme import theme
from desktop_app.widgets.row_list import paint_row_ground
from engine.reviews.records import Comment
from engine.revision.records import CommentState

COMMENT = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex


class CommentModel(QAbstractListModel):
    """The comments that pass the filters, in order. Reading anew keeps every row that is still there in its place."""

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self.study = Study()
        self.rows: tuple[Comment, ...] = ()
        self._reviewer, self._state, self._text = "", "", ""
        self._keep = ""

    def show_study(self, study: Study) -> None:
        """Takes over another state of the same study, or another one."""
        before, self.study = self.study, study
        self._filter(before)

    def set_filter(self, reviewer: str = "", state: str = "", text: str = "") -> None:
        """Only comments of a reviewer, in a state (``unlinked``: without a link), holding a text; empty for all."""
        self._reviewer, self._state, self._text = reviewer, state, text.casefold()
        self._keep = ""
        self._filter()

    def keep(self, comment_id: str) -> None:
        """This comment stays in the list whatever the filters say, until they change: the row that one is working on
        must not vanish under one's hands."""
        self._keep = comment_id

    def row_of(self, comment_id: str) -> int:
        """The row of a comment, -1 where it is not shown."""
        return next((row for row, comment in enumerate(self.rows) if comment.id == comment_id), -1)

    def _filter(self, before: Study | None = None) -> None:
        rows = tuple(comment for comment in self.study.comments if self._passes(comment))
        if [c.id for c in rows] == [c.id for c in self.rows]:
            # What a row says of its state is read from the study as it is drawn; rows keep their height.
            told = [_says(before, comment) for comment in self.rows] if before is not None else []
            self.rows = rows
            role = int(Qt.ItemDataRole.DecorationRole)
            for at, comment in enumerate(rows):
                if not told or told[at] != _says(self.study, comment):
                    self.dataChanged.emit(self.index(at), self.index(at), [role])
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def _passes(self, comment: Comment) -> bool:
        if comment.id == self._keep:
            return True
        if self._reviewer and reviewer_name(comment) != self._reviewer:
            return False
        if self._state == "unlinked":
            if comment.id in self.study.linked_edits:
                return False
        elif self._state and self.study.state(comment.id) != self._state:
            return False
        said = f"{comment.comment}\n{comment.response}".casefold()
        return not self._text or self._text in said

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        comment = self.rows[index.row()]
        if role == COMMENT:
            return comment
        if role == Qt.ItemDataRole.DisplayRole:
            return comment.comment
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.label(comment)}, {SHORT_STATES[self.study.state(comment.id)]}. {comment.comment}"
        return None

    def label(self, comment: Comment) -> str:
        """Reviewer and number: "R2 · 3 of 12"."""
        number, total = self.study.numbers.get(comment.id, (0, 0))
        return f"{reviewer_name(comment)} · {number} of {total}"

    def links(self, comment: Comment) -> int:
        return len(self.study.linked_edits.get(comment.id, ()))

    def state(self, comment: Comment) -> CommentState:
        return self.study.state(comment.id)


def state_chip(state: CommentState, links: int) -> str:
    """The words of a comment's state: "linked 2", "answered"."""
    if state == "linked":
        return f"Linked {links}" if links else "Linked"
    return SHORT_STATES[state] if not links else f"{SHORT_STATES[state]} · {links}"


def state_colour(state: CommentState) -> QColor:
    """The ink of a state's words."""
    tokens = theme().tokens
    if state == "linked":
        return QColor(tokens.data["linked"].ink)
    if state == "undecided":
        return QColor(tokens.muted)
    if state == "not_addressed":
        return QColor(tokens.data["unsupported"].ink)
    return QColor(tokens.ink)


class CommentDelegate(QStyledItemDelegate):
    """Two lines: reviewer and state, then the comment's beginning."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(100, theme().px(60))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, CommentModel)
        comment: Comment = index.data(COMMENT)
        tokens, rect = theme().tokens, QRect(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        paint_row_ground(painter, option, selected=selected)
        inner = rect.adjusted(12, 6, -12, -6)
        state = model.state(comment)
        small = theme().font("small")
        painter.setFont(small)
        line = painter.fontMetrics().height()
        words = state_chip(state, model.links(comment))
        width = painter.fontMetrics().horizontalAdvance(words)
        top = QRect(inner.left(), inner.top(), inner.width(), line)
        icon = QRect(top.right() - width - 18, top.top() + (line - 14) // 2, 14, 14)
        theme().icon(ICONS[state], "muted" if state == "undecided" else "ink").paint(painter, icon)
        painter.setPen(state_colour(state))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(QColor(tokens.muted))
        name = painter.fontMetrics().elidedText(
            model.label(comment), Qt.TextElideMode.ElideRight, max(0, icon.left() - top.left() - 8)
        )
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        body = QRect(inner.left(), inner.top() + line + 2, inner.width(), inner.height() - line - 2)
        font = theme().font("body")
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink if state == "undecided" or selected else tokens.muted))
        draw_two_lines(painter, body, " ".join(comment.comment.split()), font)
        painter.restore()


def _says(study: Study, comment: Comment) -> tuple[object, ...]:
    """All that a row shows of a comment in a state of the study."""
    links = len(study.linked_edits.get(comment.id, ()))
    return comment, study.state(comment.id), links, study.numbers.get(comment.id)


def draw_two_lines(painter: QPainter, rect: QRect, text: str, font: QFont) -> None:
    """The beginning of a text on two lines, the second elided."""
    painter.setFont(font)
    metrics = painter.fontMetrics()
    first, rest = split_line(text, rect.width(), metrics.horizontalAdvance)
    painter.drawText(rect.left(), rect.top() + metrics.ascent(), first)
    if rest:
        second = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect.left(), rect.top() + metrics.ascent() + metrics.lineSpacing(), second)


def split_line(text: str, width: int, measure: object) -> tuple[str, str]:
    """The words that fit into ``width``, and the rest."""
    words: Sequence[str] = text[:200].split(" ")
    line = ""
    for at, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if measure(longer) > width and line:  # type: ignore[operator]
            return line, text[len(line) :].strip()
        line = longer
        if at == len(words) - 1:
            return line, text[len(line) :].strip()
    return line, ""
