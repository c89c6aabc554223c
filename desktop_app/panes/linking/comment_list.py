"""How a comment's row is painted: reviewer and state, then the comment's beginning."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter

from desktop_app.panes.linking.rows import CommentRow
from desktop_app.panes.linking.terms import ICONS, SHORT_STATES
from desktop_app.theme import theme
from desktop_app.widgets.record_list import draw_lines
from engine.revision.records import CommentState

ROW_HEIGHT = 60


def state_chip(state: CommentState, links: int) -> str:
    """The words of a comment's state: "Linked 2", "Answered"."""
    if state == "linked":
        return f"Linked {links}" if links else "Linked"
    return SHORT_STATES[state] if not links else f"{SHORT_STATES[state]} · {links}"


def _state_colour(state: CommentState) -> QColor:
    tokens = theme().tokens
    if state in ("linked", "not_addressed"):
        return QColor(tokens.data["linked" if state == "linked" else "unsupported"].ink)
    return QColor(tokens.muted if state == "undecided" else tokens.ink)


def paint_comment(painter: QPainter, rect: QRect, row: CommentRow, selected: bool) -> None:
    """Two lines of text below a line with reviewer and state."""
    tokens, inner = theme().tokens, rect.adjusted(12, 6, -12, -6)
    painter.setFont(theme().font("small"))
    metrics = painter.fontMetrics()
    line, words = metrics.height(), state_chip(row.state, row.links)
    top = QRect(inner.left(), inner.top(), inner.width(), line)
    icon = QRect(top.right() - metrics.horizontalAdvance(words) - 18, top.top() + (line - 14) // 2, 14, 14)
    theme().icon(ICONS[row.state], "muted" if row.state == "undecided" else "ink").paint(painter, icon)
    painter.setPen(_state_colour(row.state))
    painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
    painter.setPen(QColor(tokens.muted))
    name = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, max(0, icon.left() - top.left() - 8))
    painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(QColor(tokens.ink if row.state == "undecided" or selected else tokens.muted))
    body = QRect(inner.left(), inner.top() + line + 2, inner.width(), inner.height() - line - 2)
    draw_lines(painter, body, " ".join(row.comment.comment.split()), theme().font("body"), 2)
