"""A sheet that floats over the window, takes the focus and returns it; and the overview of all shortcuts."""

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from desktop_app.commands import WINDOW, Command, CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.keys import KeyHint
from desktop_app.widgets.labels import scrolled, text_label
from desktop_app.widgets.layouts import column, row, spaced_grid
from desktop_app.widgets.tab_order import step


class FloatingSheet(QFrame):
    """Hidden until ``enter``; placed over ``parent``, following its size; Escape closes it."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.before: QWidget | None = None  # the focus widget when the sheet was shown
        self.setProperty("role", "floating")
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()
        parent.installEventFilter(self)
        theme().follow(self._fit, now=False)

    def place(self) -> None:
        size = self.sizeHint().boundedTo(self._over.size() - QSize(48, 56))
        self.setGeometry((self._over.width() - size.width()) // 2, 28, size.width(), size.height())

    def _fit(self) -> None:
        if self.isVisible():
            self.place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def enter(self) -> None:
        self.place()
        self.before = self.window().focusWidget()
        self.show()
        self.raise_()
        self.setFocus()

    def leave(self) -> None:
        """Closes the sheet and returns the focus, unless it moved elsewhere in the meantime."""
        held = self.window().focusWidget()
        inside = held is None or held is self or self.isAncestorOf(held)
        before, self.before = self.before, None
        self.hide()
        if inside and before is not None and shiboken6.isValid(before):
            before.setFocus()

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Keeps Tab within the sheet: the rest of the window is covered by it."""
        return step(self, onward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


HEAD = 48
COLUMN = 400


class KeyOverview(FloatingSheet):
    """Opened by ``?``; Escape, ``?`` again or the button closes it."""

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__("Keys", parent)
        self._registry = registry
        self._layout = column(margins=(24, 16, 16, 24), of=self)
        self._content: QWidget | None = None
        self._columns: QWidget | None = None
        self._column_count = 1

    def toggle(self, pane_id: str, pane_title: str) -> None:
        if self.isVisible():
            self.leave()
            return
        self._fill(pane_id, pane_title)
        self.enter()

    def sizeHint(self) -> QSize:
        margins = self._layout.contentsMargins()
        columns = self._columns.sizeHint().height() if self._columns is not None else 0
        whole = columns + theme().px(HEAD) + margins.top() + margins.bottom()
        return QSize(theme().px(COLUMN) * self._column_count, whole)

    def _fill(self, pane_id: str, pane_title: str) -> None:
        if self._content is not None:
            self._layout.removeWidget(self._content)
            self._content.deleteLater()
        columns = QWidget()
        columns.setProperty("role", "raised")
        own = [c for c in self._registry.in_scope(pane_id) if self._registry.shortcut(c.id)]
        everywhere = [c for c in self._registry.in_scope(WINDOW) if self._registry.shortcut(c.id)]
        found = [(pane_title, own)] if own else []
        found.append(("Everywhere", everywhere))
        room = self._over.width() // theme().px(COLUMN)
        if room > len(found):  # the longest list is split in two to avoid scrolling
            longest = max(range(len(found)), key=lambda at: len(found[at][1]))
            title, commands = found[longest]
            half = (len(commands) + 1) // 2
            found[longest : longest + 1] = [(title, commands[:half]), ("", commands[half:])]
        beside = row if room >= len(found) else column
        beside(*((self._column(*entry), 1) for entry in found), margins=(0, 8, 8, 0), spacing=32, of=columns)
        self._column_count = len(found) if beside is row else 1
        close = IconButton("x", "Close the key overview")
        close.clicked.connect(self.leave)
        self._content = QWidget(self)
        scroll = scrolled(columns, "Keys", self._content, sideways=True)
        scroll.viewport().setProperty("role", "raised")
        column(row((text_label("Keys", "title"), 1), close, spacing=6), (scroll, 1), spacing=6, of=self._content)
        self._layout.addWidget(self._content)
        self._columns = columns

    def _column(self, title: str, commands: list[Command]) -> QGridLayout:
        grid = spaced_grid(12, 8)
        grid.addWidget(text_label(title, "section"), 0, 0, 1, 2)
        for number, command in enumerate(commands, start=1):
            name = text_label(command.title)
            name.setToolTip(command.help)
            grid.addWidget(name, number, 0)
            grid.addWidget(KeyHint(self._registry, command.id), number, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(len(commands) + 1, 1)
        return grid
