"""Layouts in one expression, and other small helpers to put widgets together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import scrolled, text_label

Part = QWidget | QLayout | int | None
"""A widget, a layout, a gap in pixels, or None for a stretch."""
Parts = Part | tuple[Part, int | Qt.AlignmentFlag]
"""A part, with its stretch factor or its alignment."""
Margins = tuple[int, int, int, int]
L = TypeVar("L", bound=QBoxLayout)
LEFT, TOP = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignTop
NO_MARGINS: Margins = (0, 0, 0, 0)


def hbox(*parts: Parts, margins: Margins = NO_MARGINS, spacing: int = 0, parent: QWidget | None = None) -> QHBoxLayout:
    """Parts from left to right; with ``parent`` it is that widget's layout."""
    return _fill(QHBoxLayout(parent) if parent is not None else QHBoxLayout(), parts, margins, spacing)


def vbox(*parts: Parts, margins: Margins = NO_MARGINS, spacing: int = 0, parent: QWidget | None = None) -> QVBoxLayout:
    """Parts from top to bottom; otherwise like ``hbox``."""
    return _fill(QVBoxLayout(parent) if parent is not None else QVBoxLayout(), parts, margins, spacing)


def _fill(layout: L, parts: Iterable[Parts], margins: Margins, spacing: int) -> L:
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for entry in parts:
        part, how = entry if isinstance(entry, tuple) else (entry, 0)
        stretch, align = (0, how) if isinstance(how, Qt.AlignmentFlag) else (how, Qt.AlignmentFlag(0))
        if part is None:
            layout.addStretch(stretch or 1)
        elif isinstance(part, int):
            layout.addSpacing(part)
        elif isinstance(part, QLayout):
            layout.addLayout(part, stretch)
        else:
            layout.addWidget(part, stretch, align)
    return layout


def panel(title: str, *parts: Parts) -> QFrame:
    """A framed panel with a heading."""
    frame = QFrame()
    frame.setProperty("role", "panel")
    heading = (text_label(title, "section", parent=frame),) if title else ()
    vbox(*heading, *parts, margins=(12, 10, 12, 10), spacing=4, parent=frame)
    return frame


def side_panel(name: str, width: int, parent: QWidget, *parts: Parts, spacing: int = 4) -> QScrollArea:
    """A scrolling column of fixed width, with its parts at the top."""
    page = QWidget()
    page.setProperty("role", "ground")
    vbox(*parts, None, margins=(16, 12, 16, 16), spacing=spacing, parent=page)
    area = scrolled(page, name, parent)
    fix_width(area, width)
    return area


def labelled(words: str, field: QWidget) -> QVBoxLayout:
    """A field with its label above."""
    label = text_label(words, "small")
    label.setBuddy(field)
    return vbox(label, field, spacing=4)


def command_buttons(
    registry: CommandRegistry, scope: str, commands: Mapping[str, str], *, quiet: bool = True, show_key: bool = True
) -> list[CommandButton]:
    """A button for each command of ``scope``, with its short text (empty: the command's title)."""
    return [
        CommandButton(registry, f"{scope}.{verb}", text=text, quiet=quiet, show_key=show_key)
        for verb, text in commands.items()
    ]


def tabs(name: str, titles: Iterable[str], parent: QWidget) -> QTabBar:
    """A flat tab bar."""
    bar = QTabBar(parent)
    bar.setAccessibleName(name)
    bar.setExpanding(False)
    bar.setDrawBase(False)
    for title in titles:
        bar.addTab(title)
    return bar


def stacked(parent: QWidget, *pages: QWidget) -> QStackedWidget:
    """Pages of which one is shown."""
    stack = QStackedWidget(parent)
    for page in pages:
        stack.addWidget(page)
    return stack


class _FixedWidth(QObject):
    def __init__(self, widget: QWidget, width: int) -> None:
        super().__init__(widget)
        self._widget, self._width = widget, width
        theme().changed.connect(self._apply)
        self._apply()

    def _apply(self) -> None:
        self._widget.setFixedWidth(theme().px(self._width))


def fix_width(widget: QWidget, width: int) -> None:
    """Fixes a widget's width, in pixels at the normal text size; it follows the text size."""
    _FixedWidth(widget, width)


class FileDrop(QObject):
    """Lets files be dropped on a widget: those that ``wanted`` accepts go to ``take`` while ``allowed()`` is true."""

    def __init__(
        self,
        widget: QWidget,
        wanted: Callable[[Path], bool],
        allowed: Callable[[], bool],
        take: Callable[[list[Path]], object],
    ) -> None:
        super().__init__(widget)
        self._wanted, self._allowed, self._take = wanted, allowed, take
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.Drop) or not isinstance(event, QDropEvent):
            return False
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        paths = [path for path in paths if self._wanted(path)]
        if not paths or not self._allowed():
            event.ignore()
            return True
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._take(paths)
        return True
