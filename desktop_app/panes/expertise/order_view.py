"""One participant's papers in true order beside an algorithm's. Lines cross where it is wrong."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import theme
from engine.expertise.laboratory import Drill, RankedPaper

ROW, HEAD, GAP = 34, 24, 56


class OrderView(QWidget):
    """The same papers in two columns; one paper is selected."""

    accessible_role = QAccessible.Role.Chart

    chosen = Signal(str)
    """The paper that was selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("True order and the algorithm's order")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._drill: Drill | None = None
        self.selected = ""
        theme().changed.connect(self.updateGeometry)

    def show_drill(self, drill: Drill | None) -> None:
        """Shows a participant; keeps the selected paper where it is still there."""
        self._drill = drill
        keys = [paper.paper for paper in drill.papers] if drill else []
        if self.selected not in keys:
            self.selected = keys[0] if keys else ""
        self.setAccessibleDescription(
            "; ".join(f"{p.title}: rated {p.rating:g}, rank {p.rank:g}" for p in drill.papers) if drill else ""
        )
        self.updateGeometry()
        self.update()

    def choose(self, paper: str) -> None:
        if paper != self.selected:
            self.selected = paper
            self.update()
            self.chosen.emit(paper)

    def sizeHint(self) -> QSize:
        rows = len(self._drill.papers) if self._drill else 8
        return QSize(theme().px(380), theme().px(HEAD + ROW * rows + 8))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None or self._drill is None or not self._drill.papers:
            super().keyPressEvent(event)
            return
        keys = [paper.paper for paper in self._drill.papers]
        self.choose(keys[min(max(keys.index(self.selected) + by, 0), len(keys) - 1)])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = (event.position().y() - theme().px(HEAD)) // theme().px(ROW)
        left, right = self._sides()
        order = left if event.position().x() < self.width() / 2 else right
        if 0 <= row < len(order):
            self.choose(order[int(row)].paper)

    def _sides(self) -> tuple[list[RankedPaper], list[RankedPaper]]:
        papers = list(self._drill.papers) if self._drill else []
        return papers, sorted(papers, key=lambda paper: (paper.rank, paper.true_rank))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens, row, head = theme().tokens, theme().px(ROW), theme().px(HEAD)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        left, right = self._sides()
        if self._drill is None or not left:
            painter.end()
            return
        column = (self.width() - theme().px(GAP)) / 2
        painter.setFont(theme().font("small"))
        painter.setPen(QColor(tokens.muted))
        painter.drawText(QRectF(12, 0, column, head), Qt.AlignmentFlag.AlignVCenter, "rated")
        painter.drawText(
            QRectF(self.width() - column, 0, column - 12, head), Qt.AlignmentFlag.AlignVCenter, "by the algorithm"
        )
        cost: dict[str, float] = {}
        for pair in self._drill.pairs:
            for key in (pair.better, pair.worse):
                cost[key] = cost.get(key, 0.0) + pair.cost
        dearest = max([*cost.values(), 1e-9])
        places = {paper.paper: number for number, paper in enumerate(right)}
        for number, paper in enumerate(left):
            share = cost.get(paper.paper, 0.0) / dearest
            tint = tokens.data["attention"].mark if share > 0 else tokens.control_border
            pen = QPen(QColor(tokens.accent if paper.paper == self.selected else tint), 1 + 3.5 * share)
            painter.setPen(pen)
            painter.drawLine(
                QPointF(column, head + (number + 0.5) * row),
                QPointF(self.width() - column, head + (places[paper.paper] + 0.5) * row),
            )
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            self._paint_paper(painter, QRectF(0, head + number * row, column, row), one, f"{one.rating:g}")
            place = QRectF(self.width() - column, head + number * row, column, row)
            self._paint_paper(painter, place, other, f"{other.score:.3f}")
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_paper(self, painter: QPainter, place: QRectF, paper: RankedPaper, figure: str) -> None:
        tokens = theme().tokens
        if paper.paper == self.selected:
            painter.fillRect(place.adjusted(0, 1, 0, -1), QColor(tokens.accent_wash))
        painter.setFont(theme().font("small", tabular=True))
        painter.setPen(QColor(tokens.muted))
        width = theme().px(40)
        painter.drawText(QRectF(place.left() + 12, place.top(), width, place.height()), _MIDDLE, figure)
        painter.setFont(theme().font("small", bold=paper.paper == self.selected))
        painter.setPen(QColor(tokens.ink))
        room = QRectF(place.left() + 12 + width, place.top(), place.width() - width - 18, place.height())
        painter.drawText(room, _MIDDLE | Qt.TextFlag.TextWordWrap, two_lines(paper.title, painter, room.width()))


def two_lines(text: str, painter: QPainter, width: float) -> str:
    """As many whole words as fit on two lines, with an ellipsis where some are left."""
    measure = painter.fontMetrics().horizontalAdvance
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if measure(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == 1:
            lines.append(word)
        else:
            lines[-1] = painter.fontMetrics().elidedText(f"{lines[-1]} {word}", Qt.TextElideMode.ElideRight, int(width))
            break
    return "\n".join(painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, int(width)) for line in lines)


_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
