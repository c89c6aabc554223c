"""Every comment as a cell, full or empty, a line for each reviewer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from desktop_app.panes.linking.study import reviewer_name
from desktop_app.panes.linking.terms import STATES
from desktop_app.theme import Meaning, theme
from engine.revision.coverage import Coverage, Covered, Standing

_CELL, _GAP, _NAME = 26, 5, 120
_CELLS: dict[Standing, tuple[Meaning, str]] = {
    "answered": ("linked", "✓"),
    "attention": ("attention", "!"),
    "open": ("unsupported", ""),
}


def paint_cell(painter: QPainter, rect: QRectF, standing: Standing, *, chosen: bool = False) -> None:
    """A comment's cell: full if it is answered, marked if it needs attention, empty and dashed if it is open."""
    tokens, (meaning, sign) = theme().tokens, _CELLS[standing]
    colour, answered = theme().data(meaning), standing == "answered"
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    dashed = Qt.PenStyle.DashLine if standing == "open" else Qt.PenStyle.SolidLine
    painter.setPen(QPen(QColor(colour.mark), 2, dashed))
    painter.setBrush(QColor(colour.mark if answered else colour.wash if sign else tokens.surface))
    painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 4, 4)
    painter.setPen(QColor(tokens.surface if answered else colour.ink))
    painter.setFont(theme().font("body", bold=True))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, sign)
    if chosen:
        painter.setPen(QPen(QColor(tokens.focus), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, 5, 5)


class CoverageMap(QWidget):
    """A click on a cell chooses its comment; as high as its lines need."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Coverage of all comments")
        self._coverage, self._current = Coverage((), ()), ""
        theme().changed.connect(self.updateGeometry)

    def show_coverage(self, found: Coverage, current: str) -> None:
        """Shows all comments; ``current`` is the id of the one that is outlined."""
        self._coverage, self._current = found, current
        counts = f"{found.count('answered')} of {len(found.rows)} answered, {found.count('open')} open"
        self.setAccessibleDescription(counts)
        self.updateGeometry()
        self.setFixedHeight(self.heightForWidth(self.width()))
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((round(rect.bottom()) for _, rect in self._cells(width)), default=theme().px(_CELL)) + 8

    def sizeHint(self) -> QSize:
        return QSize(400, self.heightForWidth(max(400, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.height() != self.heightForWidth(self.width()):
            self.setFixedHeight(self.heightForWidth(self.width()))

    def place(self, comment_id: str) -> QRectF:
        """Where a comment's cell is; empty where there is none."""
        return next((rect for row, rect in self._cells(self.width()) if row.comment.id == comment_id), QRectF())

    def _cells(self, width: int) -> list[tuple[Covered, QRectF]]:
        cell, name = theme().px(_CELL), theme().px(_NAME)
        found: list[tuple[Covered, QRectF]] = []
        y = 8.0
        for reviewer in self._coverage.reviewers:
            x = float(name)
            for row in self._coverage.rows:
                if row.comment.reviewer != reviewer:
                    continue
                if x + cell > width - 8 and x > name:
                    x, y = float(name), y + cell + _GAP
                found.append((row, QRectF(x, y, cell, cell)))
                x += cell + _GAP
            y += cell + _GAP + 3
        return found

    def _at(self, event: QMouseEvent | QHelpEvent) -> Covered | None:
        place = event.position() if isinstance(event, QMouseEvent) else event.pos()
        return next((row for row, rect in self._cells(self.width()) if rect.contains(place)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._at(event)
        if row is not None:
            self.chosen.emit(row.comment.id)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self._at(event)
            words = f"{reviewer_name(row.comment)}, comment {row.number}: {STATES[row.state]}" if row else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.surface))
        named: set[str] = set()
        for row, rect in self._cells(self.width()):
            name = reviewer_name(row.comment)
            if name not in named:
                named.add(name)
                painter.setFont(theme().font("body", bold=True))
                painter.setPen(QColor(tokens.ink))
                place = QRectF(12, rect.top(), theme().px(_NAME) - 20, rect.height())
                words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, round(place.width()))
                painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
            paint_cell(painter, rect, row.standing, chosen=row.comment.id == self._current)
        painter.end()
