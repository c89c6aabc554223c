"""What screen readers get of widgets that paint themselves, for which Qt has no role and no value, and the focus frame.

Such a widget has ``accessible_role``, and where it holds a value ``accessible_value()``, beside its accessible name and
description. ``install`` hands them to Qt.
"""

from functools import cache

from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QWidget

from desktop_app.theme import theme


class _Painted(QAccessibleWidget):
    def __init__(self, widget: QWidget, role: QAccessible.Role) -> None:
        super().__init__(widget, role)
        self._value = getattr(widget, "accessible_value", None)

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Value and self._value is not None:
            return str(self._value())
        return super().text(kind)


def _made(_class: str, thing: QObject) -> QAccessibleInterface | None:
    role = getattr(thing, "accessible_role", None)
    return _Painted(thing, role) if isinstance(thing, QWidget) and isinstance(role, QAccessible.Role) else None


@cache
def install() -> None:
    """Qt asks from now on; further calls change nothing."""
    QAccessible.installFactory(_made)


def paint_focus(area: QAbstractScrollArea) -> None:
    """Draws a frame around what an area shows if it has the focus; for frameless ones, after everything else."""
    if area.hasFocus():
        painter = QPainter(area.viewport())
        painter.setPen(QPen(QColor(theme().tokens.focus), 2))
        painter.drawRect(QRectF(area.viewport().rect()).adjusted(1, 1, -1, -1))
        painter.end()
