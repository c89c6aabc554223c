"""Base of custom-painted widgets."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QAccessible, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from desktop_app.theme import theme


def show_tip(event: QEvent, tip_at: Callable[[QPoint], str], widget: QWidget) -> bool:
    """Shows the tooltip for the position of a help event. Returns whether there is one."""
    if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip:
        return False
    words = tip_at(event.pos())
    QToolTip.showText(event.globalPos(), words, widget)
    return bool(words)


class Painted(QWidget):
    """A widget drawn as a whole by ``paint``, antialiased, and repainted when the theme changes."""

    accessible_role = QAccessible.Role.Chart
    """The accessible role (``desktop_app.accessibility``)."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        theme().changed.connect(self.updateGeometry)
        theme().changed.connect(self.update)

    def tip_at(self, _place: QPoint) -> str:
        """Returns the tooltip for a point; "" for none."""
        return self.toolTip()

    def event(self, event: QEvent) -> bool:
        return show_tip(event, self.tip_at, self) or super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        raise NotImplementedError
