"""The five states of a statement on screen: a label, a distinct sign, and a colour for each."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from desktop_app.theme import theme
from engine.statements.verdicts import Verdict


def verdict_title(verdict: Verdict) -> str:
    """Returns the state as a label, such as "Place found"."""
    return verdict.capitalize()


def verdict_colour(verdict: Verdict) -> str:
    tokens = theme().tokens
    match verdict:
        case "supported":
            return tokens.data["verified"].mark
        case "contradicted":
            return tokens.data["unsupported"].mark
        case "place found":
            return tokens.data["added"].mark
        case "not found":
            return tokens.data["attention"].mark
    return tokens.muted


def paint_verdict(painter: QPainter, verdict: Verdict, centre: QPointF, size: float) -> None:
    """Paints the state's sign: a check mark, a cross, a ring with a dot, a barred ring, a dash."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    colour = QColor(verdict_colour(verdict))
    pen = QPen(colour, max(1.6, size / 5))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    x, y, half = centre.x(), centre.y(), size / 2
    path = QPainterPath()

    def line(*points: tuple[float, float]) -> None:
        (a, b), *rest = points
        path.moveTo(x + a * half, y + b * half)
        for c, d in rest:
            path.lineTo(x + c * half, y + d * half)

    match verdict:
        case "supported":
            line((-1, 0), (-0.3, 0.75), (1, -0.8))
        case "contradicted":
            line((-0.8, -0.8), (0.8, 0.8))
            line((-0.8, 0.8), (0.8, -0.8))
        case "place found":
            path.addEllipse(centre, half * 0.95, half * 0.95)
            dot = half * 0.3
            painter.fillRect(QRectF(x - dot, y - dot, 2 * dot, 2 * dot), colour)
        case "not found":
            path.addEllipse(centre, half * 0.95, half * 0.95)
            line((-0.67, 0.67), (0.67, -0.67))
        case "not checked":
            line((-0.7, 0), (0.7, 0))
    painter.drawPath(path)
    painter.restore()
