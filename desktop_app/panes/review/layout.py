"""The few layouts and controls of which the parts of the review pane are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.entry_list import DETAIL, TwoLineDelegate
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.layouts import splitter
from desktop_app.widgets.plain import HtmlPage
from desktop_app.widgets.row_list import RowList

Part = QWidget | QBoxLayout | None
Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)


def surface(widget: QWidget) -> None:
    """Paints a widget's ground as a surface."""
    widget.setProperty("role", "surface")
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


def _filled(box: QBoxLayout, parts: Sequence[Part], margins: Margins, spacing: int) -> None:
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for part in parts:
        if part is None:
            box.addStretch(1)
        elif isinstance(part, QBoxLayout):
            box.addLayout(part)
        else:
            box.addWidget(part, int(isinstance(part, (QAbstractScrollArea, QSplitter))))


def line(*parts: Part, margins: Margins = NONE, spacing: int = 8) -> QHBoxLayout:
    """Parts side by side; None takes the remaining room."""
    box = QHBoxLayout()
    _filled(box, parts, margins, spacing)
    return box


def column(*parts: Part, margins: Margins = NONE, spacing: int = 0, on: QWidget | None = None) -> QVBoxLayout:
    """Parts below each other, as the layout of ``on``; what scrolls takes the remaining room, else None does."""
    box = QVBoxLayout(on) if on is not None else QVBoxLayout()
    _filled(box, parts, margins, spacing)
    return box


def halves(page: QWidget, left: Sequence[Part], right: Sequence[Part], sizes: Sequence[int]) -> None:
    """Lays out a page of the drawer: two columns with a movable border."""
    surface(page)
    sides = QWidget(page), QWidget(page)
    column(*left, margins=(0, 0, 8, 0), spacing=8, on=sides[0])
    column(*right, margins=(8, 0, 0, 0), spacing=6, on=sides[1])
    both = splitter(*((side, size, 0) for side, size in zip(sides, sizes, strict=True)), parent=page)
    column(both, margins=(12, 8, 12, 8), on=page)


def button(
    registry: CommandRegistry, name: str, text: str, parent: QWidget, *, primary: bool = False, quiet: bool = False
) -> CommandButton:
    """A button for a command of the pane that keeps Space for itself."""
    made = CommandButton(registry, f"review.{name}", text=text, primary=primary, quiet=quiet, parent=parent)
    KeepsKeys(made)
    return made


def buttons(registry: CommandRegistry, parent: QWidget, **texts: str) -> QHBoxLayout:
    """Buttons side by side, by the names of their commands."""
    return line(*(button(registry, name, text, parent) for name, text in texts.items()), None)


def chooser(name: str, parent: QWidget, tip: str = "", *, width: int = 16, items: Sequence[str] = ()) -> QComboBox:
    """A combo box that keeps its keys and does not grow with its items; ``width`` in characters."""
    box = QComboBox(parent)
    box.setAccessibleName(name)
    box.setToolTip(tip or name)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(width)
    box.addItems(items)
    KeepsKeys(box)
    return box


def fill(box: QComboBox, items: Sequence[tuple[str, str]], chosen: str) -> None:
    """Shows (words, key) in a combo box and selects a key."""
    if [(box.itemText(n), box.itemData(n)) for n in range(box.count())] != list(items):
        box.clear()
        for words, key in items:
            box.addItem(words, key)
    box.setCurrentIndex(box.findData(chosen))


def reader(name: str, parent: QWidget) -> HtmlPage:
    """Text to read, which Tab leaves."""
    page = HtmlPage(name, parent, padding="4px 8px")
    page.setTabChangesFocus(True)
    return page


def plain(name: str, parent: QWidget, *, read_only: bool = True) -> QPlainTextEdit:
    """Plain text, which Tab leaves."""
    text = QPlainTextEdit(parent)
    text.setAccessibleName(name)
    text.setReadOnly(read_only)
    text.setTabChangesFocus(True)
    return text


@dataclass(frozen=True, slots=True)
class TwoLines:
    """A row: icon, text, the small line below; ``spoken`` and ``tip`` where they differ from the text."""

    icon: str
    text: str
    detail: str
    spoken: str = ""
    tip: str = ""


class TwoLineList(RowList):
    """A list of ``TwoLines`` that keeps its place when it is filled again."""

    chosen = Signal()
    """Another row is current; not while the list is filled."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._rows: tuple[TwoLines, ...] = ()
        self._filling = False
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setItemDelegate(TwoLineDelegate(self, Qt.TextElideMode.ElideRight))
        self.selectionModel().currentChanged.connect(lambda *_: None if self._filling else self.chosen.emit())
        theme().changed.connect(self._theme_changed)

    @property
    def row(self) -> int:
        """The current row, -1 for none."""
        return self.currentIndex().row()

    def show_rows(self, rows: Sequence[TwoLines], current: int | None = None) -> None:
        """Shows rows; ``current`` is selected, by default the same number as before."""
        wanted = self.row if current is None else current
        self._rows, self._filling = tuple(rows), True
        self._model.clear()
        for one in rows:
            item = QStandardItem(theme().icon(one.icon, "ink"), one.text)
            item.setData(one.detail, int(DETAIL))
            item.setData(one.spoken or f"{one.text}, {one.detail}", int(Qt.ItemDataRole.AccessibleTextRole))
            item.setToolTip(one.tip or one.text)
            self._model.appendRow(item)
        if rows:
            self.select_row(min(max(wanted, 0), len(rows) - 1))
        self._filling = False

    def _theme_changed(self) -> None:
        self.show_rows(self._rows)

    def select_quietly(self, row: int) -> None:
        """Selects a row without ``chosen``."""
        self._filling = True
        self.select_row(row)
        self._filling = False
