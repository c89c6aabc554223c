"""Labels, keycaps, hairlines and scroll areas."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from engine.shown import visible, visible_line

W = TypeVar("W", bound=QWidget)


class PlainLabel(QLabel):
    """A label for text from anyone. It keeps line ends and shows characters that could disguise the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def setText(self, text: str) -> None:
        super().setText(visible(text))


def text_label(text: str = "", role: str = "body", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A plain-text label in one of the theme's roles: title, section, body, muted, small, danger."""
    label = PlainLabel(parent)
    label.setText(text)
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    return label


class ElidedLabel(PlainLabel):
    """One line that ends in an ellipsis if the room is too small."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        box = self.contentsRect()
        words = self.fontMetrics().elidedText(visible_line(self.text()), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


class KeyHint(QLabel):
    """A command's current key as a keycap; hidden if it has none."""

    def __init__(self, registry: CommandRegistry, command: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry, self._command = registry, command
        self.setProperty("role", "key")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        registry.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        key = self._registry.native_shortcut(self._command).split(" or ")[0]
        self.setText(key)
        self.setAccessibleName(f"Key: {key}")
        if not key or not self.isWindow():  # one that is laid out later would appear as a window of its own
            self.setVisible(bool(key))


def named(widget: W, name: str, tip: str = "", hint: str = "") -> W:
    """A control with its name for screen readers, a tooltip, and a hint that is shown while it is empty."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip)
    widget.setProperty("placeholderText", hint or None)
    return widget


def hairline(vertical: bool = False, parent: QWidget | None = None) -> QFrame:
    """A line of one pixel."""
    line = QFrame(parent)
    line.setProperty("role", "line")
    if vertical:
        line.setFixedWidth(1)
    else:
        line.setFixedHeight(1)
    return line


def set_role(widget: QWidget, role: str) -> None:
    """Changes a widget's role and restyles it."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def say(label: QLabel, words: str, *, bad: bool = False) -> None:
    """Writes a remark or, in another colour, what is wrong."""
    label.setText(words)
    set_role(label, "danger" if bad else "muted")


def scrolled(content: QWidget, name: str, parent: QWidget, *, sideways: bool = False) -> QScrollArea:
    """Content that scrolls vertically, or ``sideways`` too; the area never takes the focus itself."""
    area = named(QScrollArea(parent), name)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
