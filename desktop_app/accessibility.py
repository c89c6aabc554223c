"""Accessibility of custom-painted widgets, for which Qt knows no role or value; and the focus frame.

Such a widget has an attribute ``accessible_role`` and, if it has a value, a method ``accessible_value()``, in addition
to its accessible name and description. ``install`` makes them available to Qt.
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
    """Registers the factory with Qt; further calls do nothing."""
    QAccessible.installFactory(_made)


def paint_focus(area: QAbstractScrollArea) -> None:
    """Draws a focus frame around a frameless scroll area if it has the focus; call it after all other painting."""
    if area.hasFocus():
        painter = QPainter(area.viewport())
        painter.setPen(QPen(QColor(theme().tokens.focus), 2))
        painter.drawRect(QRectF(area.viewport().rect()).adjusted(1, 1, -1, -1))
        painter.end()
