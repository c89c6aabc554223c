"""Layouts, panels, splitters, tabs and command buttons, each created in one expression."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QSpacerItem,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import named, scrolled, text_label

Part = QWidget | QLayout | int | None
"""A widget, a layout, a gap in pixels, or None for a stretch."""
Parts = Part | tuple[Part, int | Qt.AlignmentFlag]
"""A part with its stretch factor or its alignment."""
Margins = tuple[int, int, int, int]
W = TypeVar("W", bound=QWidget)
LEFT, TOP = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignTop
_NO_ROOM = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
_NONE: Margins = (0, 0, 0, 0)


def row(*parts: Parts, margins: Margins = _NONE, spacing: int = 8, of: QWidget | None = None) -> QBoxLayout:
    """Lays out parts from left to right, as the layout of a widget or to add to another layout."""
    return _laid(QBoxLayout.Direction.LeftToRight, parts, margins, spacing, of)


def column(*parts: Parts, margins: Margins = _NONE, spacing: int = 0, of: QWidget | None = None) -> QBoxLayout:
    """Like ``row``, from top to bottom."""
    return _laid(QBoxLayout.Direction.TopToBottom, parts, margins, spacing, of)


def _laid(
    direction: QBoxLayout.Direction, parts: Iterable[Parts], margins: Margins, spacing: int, of: QWidget | None
) -> QBoxLayout:
    layout = QBoxLayout(direction) if of is None else QBoxLayout(direction, of)
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


class Flow(QLayout):
    """Parts from left to right, wrapped onto as many lines as needed; its minimum width is that of the widest part.
    None takes the remaining width if there is only one line."""

    def __init__(self, *parts: QWidget | None, spacing: int = 8) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        for part in parts:
            if part is None:
                self.addItem(QSpacerItem(0, 0))
            else:
                self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._places(QRect(0, 0, width, 0))[1]

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        for item, place in self._places(rect)[0]:
            item.setGeometry(place)

    def sizeHint(self) -> QSize:
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(*(max((getattr(size, side)() for size in sizes), default=0) for side in ("width", "height")))

    def _places(self, rect: QRect) -> tuple[list[tuple[QLayoutItem, QRect]], int]:
        """Returns the places of visible parts, and the height of all lines."""
        found: list[tuple[QLayoutItem, QRect, int]] = []
        at, heights, rest = rect.topLeft(), [0], max(0, rect.width() - self.sizeHint().width())
        for item in self._items:
            if item.spacerItem() is not None:
                at += QPoint(rest, 0)
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(min(size.width(), rect.width()))
            if heights[-1] and at.x() + size.width() > rect.right() + 1:
                at = QPoint(rect.left(), at.y() + heights[-1] + self.spacing())
                heights.append(0)
            found.append((item, QRect(at, size), len(heights) - 1))
            at += QPoint(size.width() + self.spacing(), 0)
            heights[-1] = max(heights[-1], size.height())
        centred = [(item, place.translated(0, (heights[line] - place.height()) // 2)) for item, place, line in found]
        return centred, at.y() + heights[-1] - rect.top()


def panel(title: str, *parts: Parts) -> QFrame:
    frame = QFrame()
    frame.setProperty("role", "panel")
    heading = (text_label(title, "section", parent=frame),) if title else ()
    column(*heading, *parts, margins=(12, 10, 12, 10), spacing=4, of=frame)
    return frame


def side_panel(name: str, width: int, parent: QWidget, *parts: Parts, spacing: int = 4) -> QScrollArea:
    """Returns a scrolling column of fixed width, with its parts at the top."""
    page = QWidget()
    page.setProperty("role", "ground")
    column(*parts, None, margins=(16, 12, 16, 16), spacing=spacing, of=page)
    area = scrolled(page, name, parent)
    fix_width(area, width)
    return area


def labelled(words: str, field: QWidget) -> QBoxLayout:
    label = text_label(words, "small")
    label.setBuddy(field)
    return column(label, field, spacing=4)


def form_rows(*rows: tuple[str, QWidget | QLayout]) -> QFormLayout:
    form = QFormLayout()
    form.setSpacing(8)
    for words, field in rows:
        form.addRow(words, field)
    return form


def spaced_grid(across: int, down: int) -> QGridLayout:
    """Returns an empty grid with the spacing, in pixels, between columns and between rows."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    return grid


def surface(widget: W, name: str) -> W:
    """Sets a widget's accessible name and the background of a surface."""
    widget.setAccessibleName(name)
    widget.setProperty("role", "surface")
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


class _Folding(QSplitter):
    """A splitter that stacks its parts if they don't fit side by side; stacked, heights follow the stretch factors
    alone. ``beside``: the widths they start with side by side."""

    beside: Sequence[int] = ()

    def minimumSizeHint(self) -> QSize:
        widest = max(self._least(), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            fits = sum(self._least()) + self.handleWidth() * (self.count() - 1) <= self.width()
            wanted = Qt.Orientation.Horizontal if fits else Qt.Orientation.Vertical
            if self.orientation() != wanted:
                self.setOrientation(wanted)
                parts = (self.widget(at) for at in range(self.count()))
                heights = [part.sizePolicy().verticalStretch() * self.height() for part in parts if part]
                self.setSizes(self.beside if fits else heights)
        return super().event(event)

    def _least(self) -> list[int]:
        parts = (self.widget(at) for at in range(self.count()))
        return [part.minimumWidth() or part.minimumSizeHint().width() for part in parts if part is not None]


def splitter(
    *parts: tuple[QWidget, int, int], vertical: bool = False, folding: bool = False, parent: QWidget
) -> QSplitter:
    """Returns parts with movable borders, given with initial size and stretch. None can be collapsed. If ``folding``,
    they are stacked if they don't fit side by side."""
    kind = _Folding if folding else QSplitter
    found = kind(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal, parent)
    found.setChildrenCollapsible(False)
    found.setHandleWidth(1)
    for at, (part, _, stretch) in enumerate(parts):
        found.addWidget(part)
        found.setStretchFactor(at, stretch)
    sizes = [size for _, size, _ in parts]
    found.setSizes(sizes)
    if isinstance(found, _Folding):
        found.beside = sizes
    return found


def tabs(name: str, titles: Sequence[str], parent: QWidget) -> QTabBar:
    """Returns a tab bar without pages. Up to four tabs are always shown in full, more scroll if they don't fit."""
    bar = named(QTabBar(parent), name)
    bar.setExpanding(False)
    bar.setDrawBase(False)
    bar.setUsesScrollButtons(len(titles) > 4)
    for title in titles:
        bar.addTab(title)
    for arrow in bar.findChildren(QToolButton):
        arrow.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # they only scroll; arrow keys are for the tabs
    return bar


def tabbed(name: str, pages: Mapping[str, QWidget], parent: QWidget) -> QTabWidget:
    found = named(QTabWidget(parent), name)
    found.tabBar().setAccessibleName(name)
    found.setDocumentMode(True)
    found.tabBar().setDrawBase(False)
    found.setUsesScrollButtons(len(pages) > 4)
    for title, page in pages.items():
        found.addTab(page, title)
    return found


def stacked(parent: QWidget, *pages: QWidget) -> QStackedWidget:
    """Returns a stack of pages whose size depends only on the current page, so that no page scrolls for another."""
    stack = QStackedWidget(parent)
    usual: dict[QWidget, QSizePolicy] = {}

    def fit(shown: int) -> None:
        for at in range(stack.count()):
            page = stack.widget(at)
            assert page is not None
            policy = usual.setdefault(page, page.sizePolicy())
            page.setSizePolicy(policy if at == shown else _NO_ROOM)

    stack.currentChanged.connect(fit)
    for page in pages:
        stack.addWidget(page)
    fit(stack.currentIndex())
    return stack


class _Width(QObject):
    def __init__(self, widget: QWidget, width: int, give: Callable[[int], None]) -> None:
        super().__init__(widget)
        self._width, self._give = width, give
        theme().follow(self._apply)

    def _apply(self) -> None:
        self._give(theme().px(self._width))


def sized(widget: QWidget, length: int, give: Callable[[int], None]) -> None:
    """Calls ``give``, a setter of the widget, with a length scaled by the text size, now and when that changes."""
    _Width(widget, length, give)


def fix_width(widget: QWidget, width: int) -> None:
    """Fixes a widget's width, in pixels at the normal text size, scaled by the text size."""
    sized(widget, width, widget.setFixedWidth)


def fix_height(widget: QWidget, height: int) -> None:
    """Like ``fix_width``, for a widget's height."""
    sized(widget, height, widget.setFixedHeight)


def at_least(widget: QWidget, width: int, height: int = 0) -> None:
    """Like ``fix_width``, for a widget's minimum width and height."""
    sized(widget, width, widget.setMinimumWidth)
    if height:
        sized(widget, height, widget.setMinimumHeight)


class _Height(QObject):
    """Keeps a widget's minimum height at what its layout needs for the current width."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        resized = event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Show)
        if (
            resized  # or shown: hidden widgets may be deleted when their window closes
            and isinstance(watched, QWidget)
            and watched.isVisible()
            and (layout := watched.layout()) is not None
        ):
            layout.activate()
            watched.setMinimumHeight(max(0, layout.minimumHeightForWidth(watched.width())))
        return False


class _Fitted(QObject):
    def __init__(self, widget: QWidget, fit: Callable[[], object]) -> None:
        super().__init__(widget)
        self._fit = fit
        widget.installEventFilter(self)
        theme().follow(self._call)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self._call()
        return False

    def _call(self) -> None:
        self._fit()


def follow_width(widget: QWidget, fit: Callable[[], object]) -> None:
    """Calls ``fit`` now and whenever the widget's width or the text size changes."""
    _Fitted(widget, fit)


def beside_or_below(view: QWidget, parts: QBoxLayout, least: int) -> None:
    """Stacks parts while a view is less than ``least`` pixels wide at text size 1."""

    def turn() -> None:
        beside = view.width() >= theme().px(least)
        parts.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)

    follow_width(view, turn)


def tall_enough(widget: QWidget) -> None:
    """Keeps a splitter part high enough for its content, which takes more lines if it is narrow."""
    _Height(widget)


def command_button(
    registry: CommandRegistry, command: str, text: str = "", parent: QWidget | None = None, **how: bool
) -> CommandButton:
    """Returns a command's button that doesn't take the focus when clicked; ``how`` as in ``CommandButton``."""
    button = CommandButton(registry, command, text=text, parent=parent, **how)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def command_buttons(
    registry: CommandRegistry,
    scope: str,
    words: Mapping[str, str],
    parent: QWidget | None = None,
    primary: str = "",
    **how: bool,
) -> dict[str, CommandButton]:
    """Returns a button per command of a scope, by its name; for "" as text, the command's own title is shown."""
    return {
        name: CommandButton(registry, f"{scope}.{name}", text=text, primary=name == primary, parent=parent, **how)
        for name, text in words.items()
    }


class ButtonGrid(QWidget):
    """Buttons in pairs beside each other, without keys if these don't fit, or below each other if even that is too
    wide. Its minimum width is that of ``least`` columns. Buttons have ``room(key=...)`` and ``show_key``."""

    def __init__(self, buttons: Sequence[Any], parent: QWidget, spacing: int = 8, least: int = 1) -> None:
        super().__init__(parent)
        self._pairs = [buttons[at : at + 2] for at in range(0, len(buttons), 2)]
        self._beside = [True] * len(self._pairs)
        self._least = least
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(*_NONE)
        self._grid.setSpacing(spacing)
        self._place()
        follow_width(self, self._fit)

    def minimumSizeHint(self) -> QSize:
        width = max(self._widest(pair, key=False) for pair in self._pairs) * self._least
        return QSize(width + self._grid.spacing() * (self._least - 1), super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # such as for another text on a button
            self._fit()
        return super().event(event)

    def _widest(self, pair: Sequence[Any], *, key: bool) -> int:
        return max(int(button.room(key=key)) for button in pair)

    def _fit(self) -> None:
        room = (self.width() - self._grid.spacing()) // 2
        beside = [self._widest(pair, key=False) <= room for pair in self._pairs]
        fitting = [pair for pair, fits in zip(self._pairs, beside, strict=True) if fits]
        keys = all(self._widest(pair, key=True) <= room for pair in fitting)
        for button in chain(*self._pairs):
            button.show_key(keys)
        if beside != self._beside:
            self._beside = beside
            self._place()

    def _place(self) -> None:
        line = 0
        for pair, beside in zip(self._pairs, self._beside, strict=True):
            for at, button in enumerate(pair):
                self._grid.addWidget(button, line, at * beside, 1, 1 if beside else 2)
                line += not beside
            line += beside


def command_grid(
    registry: CommandRegistry, scope: str, commands: Sequence[tuple[str, str]], parent: QWidget, *,
    primary: bool = False, least: int = 1,
) -> ButtonGrid:  # fmt: skip
    """Returns command buttons in two columns, from pairs of command (without scope) and text ("": the title). With
    ``primary`` the first button is primary; ``least`` as in ``ButtonGrid``."""
    buttons = [
        command_button(registry, f"{scope}.{name}", words, parent, primary=primary and not at)
        for at, (name, words) in enumerate(commands)
    ]
    return ButtonGrid(buttons, parent, least=least)
