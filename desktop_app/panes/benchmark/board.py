"""Sources side by side: overall scores with their intervals on one axis, and the eight dimensions as a radar."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, isnan, pi, sin

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.theme import theme
from engine.exchange.review_benchmark import radar_shares
from engine.review_drafting.benchmark.records import SourceRow
from engine.review_drafting.rubrics import meta_rubrics

ROW, HEAD = 36, 30
LOW, HIGH = -2.0, 14.0
"""The range of the sum of eight scores."""
_COLOURS = ("added", "deleted", "verified", "moved", "attention", "unsupported")
_MARKS = "●■▲◆▼★"


def colour(number: int) -> QColor:
    """The data colour of the n-th source; the mark tells sources apart where the colour does not."""
    return QColor(theme().data(_COLOURS[number % len(_COLOURS)]).mark)  # type: ignore[arg-type]


def mark(number: int) -> str:
    """The sign of the n-th source."""
    return _MARKS[number % len(_MARKS)]


def _told(row: SourceRow) -> str:
    value = row.overall
    if isnan(value.value):
        return "–"
    words = f"{value.value:.2f}"
    if not isnan(value.low):
        words += f"  [{value.low:.2f}, {value.high:.2f}]"
    if row.against is not None and not isnan(row.against.value):
        words += f"   {row.against.value:+.2f} to baseline"
    return words


class SourceBoard(QWidget):
    """One row a source, the best first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Overall scores of the sources")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._rows: tuple[SourceRow, ...] = ()
        theme().changed.connect(self.updateGeometry)

    def show_rows(self, rows: Sequence[SourceRow]) -> None:
        self._rows = tuple(rows)
        self.setAccessibleDescription(
            "; ".join(f"{row.source}: {_told(row)}, {row.papers} papers" for row in rows) or "Nothing was scored yet"
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(520), theme().px(HEAD + ROW * max(len(self._rows), 3)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, tokens = theme(), theme().tokens
        row, head = t.px(ROW), t.px(HEAD)
        left, right = t.px(190), self.width() - t.px(250)
        middle = Qt.AlignmentFlag.AlignVCenter

        def x(value: float) -> float:
            return left + (right - left) * (value - LOW) / (HIGH - LOW)

        painter.setFont(t.font("small", tabular=True))
        for tick in (-2, 0, 2, 4, 6, 8, 10, 12, 14):
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(round(x(tick)), head - 4, round(x(tick)), self.height())
            painter.setPen(QColor(tokens.muted))
            painter.drawText(
                QRectF(x(tick) - 20, 0, 40, head - 6),
                middle | Qt.AlignmentFlag.AlignHCenter,
                str(tick).replace("-", "−"),
            )
        if not self._rows:
            painter.drawText(QRectF(12, head, self.width() - 24, row), middle, "Scores will stand here")
        for number, one in enumerate(self._rows):
            top = head + number * row
            y = top + row / 2
            painter.setFont(t.font("body"))
            painter.setPen(colour(number))
            painter.drawText(QRectF(8, top, 20, row), middle, mark(number))
            painter.setPen(QColor(tokens.ink))
            name = painter.fontMetrics().elidedText(one.source, Qt.TextElideMode.ElideMiddle, left - t.px(44))
            painter.drawText(QRectF(28, top, left - t.px(36), row), middle, name)
            value = one.overall
            if not isnan(value.value):
                if not isnan(value.low):
                    painter.setPen(QPen(colour(number), 3))
                    painter.drawLine(QPointF(x(value.low), y), QPointF(x(value.high), y))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour(number))
                painter.drawEllipse(QPointF(x(value.value), y), 5, 5)
            painter.setPen(QColor(tokens.ink))
            painter.setFont(t.font("small", tabular=True))
            painter.drawText(QRectF(right + 12, top, self.width() - right - 16, row), middle, _told(one))
        painter.end()


class Radar(QWidget):
    """The eight dimensions as shares of what can be had; the pitfall's rim is "no fault found"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Dimensions of the sources")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._rows: tuple[SourceRow, ...] = ()
        theme().changed.connect(self.update)

    def show_rows(self, rows: Sequence[SourceRow]) -> None:
        self._rows = tuple(rows)
        self.setAccessibleDescription(
            "; ".join(
                f"{row.source}: "
                + ", ".join(f"{meta.title} {row.dimensions[meta.id].value:.2f}" for meta in meta_rubrics())
                for row in rows
            )
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(440), theme().px(340))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(320), theme().px(300))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t, tokens, metas = theme(), theme().tokens, meta_rubrics()
        centre = QPointF(self.width() / 2, self.height() / 2)
        radius = max(min(self.width() / 2 - t.px(120), self.height() / 2 - t.px(50)), t.px(40))

        def at(number: int, share: float) -> QPointF:
            angle = 2 * pi * number / len(metas) - pi / 2
            return QPointF(centre.x() + radius * share * cos(angle), centre.y() + radius * share * sin(angle))

        painter.setPen(QPen(QColor(tokens.hairline), 1))
        for ring in (0.5, 1.0):
            painter.drawPolygon(QPolygonF([at(number, ring) for number in range(len(metas))]))
        painter.setFont(t.font("small"))
        for number, meta in enumerate(metas):
            painter.setPen(QPen(QColor(tokens.hairline), 1))
            painter.drawLine(centre, at(number, 1))
            painter.setPen(QColor(tokens.muted))
            place = at(number, 1.08)
            width, height = t.px(112), t.px(44)
            across = place.x() - centre.x()
            box = QRectF(place.x() - width / 2, place.y() - height / 2, width, height)
            flags = Qt.AlignmentFlag.AlignHCenter
            if abs(across) > radius * 0.2:
                flags = Qt.AlignmentFlag.AlignLeft if across > 0 else Qt.AlignmentFlag.AlignRight
                box.moveLeft(place.x() + 4 if across > 0 else place.x() - width - 4)
            else:
                box.moveTop(place.y() - height if place.y() < centre.y() else place.y())
            painter.drawText(box, flags | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, meta.title)
        for number, row in reversed(list(enumerate(self._rows))):
            shares = [0.0 if isnan(share) else share for share in radar_shares(row)]
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour(number), 2))
            points = [at(place, share) for place, share in enumerate(shares)]
            painter.drawPolygon(QPolygonF(points))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour(number))
            for point in points:
                painter.drawEllipse(point, 3, 3)
        painter.end()
