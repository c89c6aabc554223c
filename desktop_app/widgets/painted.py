"""What all widgets that paint themselves have in common."""

from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme


class Painted(QWidget):
    """A widget that ``paint`` draws as a whole, with smooth edges, and again in another theme."""

    accessible_role = QAccessible.Role.Chart
    """What it is to screen readers (``desktop_app.accessibility``)."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        theme().changed.connect(self.updateGeometry)
        theme().changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        raise NotImplementedError
