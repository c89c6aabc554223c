"""Somebody at the window with mouse and keyboard; what no pane may do while they work is watched all along."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QEventLoop,
    QModelIndex,
    QObject,
    QPoint,
    Qt,
    QTimer,
)
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QListWidget,
    QMenu,
    QPushButton,
    QScrollArea,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app.panes import PANES
from desktop_app.widgets.file_dialogs import FileDialogs, file_name
from desktop_app.window import MainWindow
from tests.e2e.by_keyboard import Person

MOST_MS = 60_000
"""For one job on a busy machine; none of these loads an encoder that isn't tiny."""
_ONE_OF_MANY = re.compile(r"(?<![\d.,:–−+-])\b1 (?!is\b|was\b|has\b|as\b|this\b|less\b|plus\b)[a-z]+[^s\W]s\b")
_RAW_MARKDOWN = re.compile(r"\*\*\w|\]\(http|^#{1,4} \w|<b>|<p>")


class Strays(QObject):
    """Notes every window that appears and is neither the application's, nor a dialog, a menu or a tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            name, floats = type(watched).__name__, watched.windowType() in (Qt.WindowType.Popup, Qt.WindowType.ToolTip)
            if not floats and not isinstance(watched, QDialog | MainWindow):
                self.seen.append(f"{name} {watched.accessibleName() or watched.windowTitle()!r}")
        return False


class Visitor(Person):
    """Clicks what can be seen, presses keys where the keyboard is."""

    def until(self, ready: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(ready, timeout=MOST_MS)

    def settle(self) -> None:
        """Lays out and paints what was shown a moment ago, so that everything has its place."""
        for _ in range(2):
            QCoreApplication.sendPostedEvents()
            self.window.grab()

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Clicks a widget in sight, in its middle unless told where."""
        assert widget.isVisible() and widget.isEnabled(), widget.accessibleName()
        place = at if at is not None else widget.rect().center()
        assert not widget.visibleRegion().isEmpty(), f"{widget.accessibleName()} is out of sight"
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    def button(self, words: str, within: QWidget | None = None) -> QAbstractButton:
        """The button in sight that says this."""
        inside = within or QApplication.activeWindow() or self.window
        buttons = [one for one in inside.findChildren(QAbstractButton) if one.isVisible()]
        found = [one for one in buttons if one.text().partition("   ")[0] == words]  # its key may follow
        assert len(found) == 1, f"{words}: {len(found)} of {[b.text() for b in inside.findChildren(QPushButton)]}"
        return found[0]

    def press(self, words: str, within: QWidget | None = None) -> None:
        """Clicks the button that says this."""
        self.click(self.button(words, within))

    def tab(self, tabs: QTabBar, words: str) -> None:
        """Clicks the tab that begins like this."""
        self.settle()
        at = next(n for n in range(tabs.count()) if tabs.tabText(n).startswith(words))
        self.click(tabs, tabs.tabRect(at).center())

    def row(self, view: QAbstractItemView, row: int, column: int = 0) -> None:
        """Clicks a row of a list or table, scrolled to where it can be seen."""
        self.settle()
        index = view.model().index(row, column)
        view.scrollTo(index)
        self.click(view.viewport(), view.visualRect(index).center())

    def double(self, view: QAbstractItemView, row: int) -> None:
        """Double-clicks a row of a list."""
        self.row(view, row)
        at = view.visualRect(view.model().index(row, 0)).center()
        QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    def right_click(self, view: QAbstractItemView, row: int) -> None:
        """Opens the menu of a row; Qt's tests make no such event of a click."""
        self.row(view, row)
        at = view.visualRect(view.model().index(row, 0)).center()
        why = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(view.viewport(), QContextMenuEvent(why, at, view.viewport().mapToGlobal(at)))

    def choose(self, box: QComboBox, row: int) -> None:
        """Clicks a box and an entry of its list; a click that opened the list and didn't move chooses nothing."""
        self.click(box)
        self.until(lambda: box.view().isVisible())
        self.settle()
        at = box.view().visualRect(box.view().model().index(row, 0)).center()
        QTest.mouseMove(box.view().viewport(), at)
        self.click(box.view().viewport(), at)
        self.until(lambda: not box.view().isVisible())

    def scroll_to(self, widget: QWidget) -> None:
        """Scrolls the page that a widget is in, as with the wheel, until it is in sight."""
        page = widget.parentWidget()
        while page is not None and not isinstance(page, QScrollArea):
            page = page.parentWidget()
        assert isinstance(page, QScrollArea)
        page.ensureWidgetVisible(widget)
        self.settle()

    def tick(self, box: QListWidget, words: str) -> None:
        """Clicks an entry of a list and presses Space, which ticks it or takes its tick away."""
        row = next(n for n in range(box.count()) if box.item(n).text() == words)
        before = box.item(row).checkState()
        self.row(box, row)
        self.key(Qt.Key.Key_Space)
        assert box.item(row).checkState() is not before

    def menu(self, words: str) -> None:
        """Chooses the entry of the open menu that begins like this, with the arrow keys."""
        self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, QMenu)
        wanted = next(one for one in popup.actions() if one.text().startswith(words))
        assert wanted.isEnabled(), words
        for _ in popup.actions():
            if popup.activeAction() is wanted:
                break
            self.key(Qt.Key.Key_Down)
        assert popup.activeAction() is wanted
        self.key(Qt.Key.Key_Return)
        self.front()

    def entries(self) -> list[QAction]:
        """The entries of the open menu that can be chosen."""
        self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        popup = QApplication.activePopupWidget()
        assert popup is not None
        return [one for one in popup.actions() if one.isEnabled() and one.text()]

    def pick(self, *words: str) -> None:
        """Clicks the entry of the open menu that begins like this, and those of its submenus."""
        for one in words:
            self.until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
            popup = QApplication.activePopupWidget()
            assert isinstance(popup, QMenu)
            wanted = next(action for action in popup.actions() if action.text().startswith(one))
            assert wanted.isEnabled(), one
            QTest.mouseClick(
                popup, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, popup.actionGeometry(wanted).center()
            )
            self.until(partial(lambda before: QApplication.activePopupWidget() is not before, popup))
        self.front()

    def palette(self, words: str) -> None:
        """Types words into the palette and runs the first command found."""
        self.run("view.palette")
        assert self.window.palette_view.isVisible()
        self.type(words)
        self.key(Qt.Key.Key_Return)

    def dialog(self, kind: type[QDialog]) -> QDialog:
        """The dialog of this kind that is in front."""
        self.until(lambda: isinstance(QApplication.activeWindow(), kind))
        found = QApplication.activeWindow()
        assert isinstance(found, kind)
        return found

    def front(self) -> None:
        """Brings the window to the front, as the desktop does when a dialog is gone."""
        with self.qtbot.waitActive(self.window):
            self.window.activateWindow()
        waiting = QEventLoop()
        QTimer.singleShot(0, waiting.quit)
        waiting.exec()  # a late activation would close the next menu

    def idle(self) -> None:
        """Waits for all jobs."""
        self.until(lambda: not self.window.bridge.engine.busy())

    def look(self) -> None:
        """What is in sight reads well: no "1 reviewers", no Markdown, no HTML as text."""
        for words in sorted(set(_in_sight(self.window))):
            assert not _ONE_OF_MANY.search(words), f"one of many: {words!r}"
            assert not _RAW_MARKDOWN.search(words), f"shown raw: {words!r}"

    @contextmanager
    def still(self, *widgets: QWidget) -> Iterator[None]:
        """Nothing moves under the pointer meanwhile; the page may end further up, where a message is below it."""
        self.settle()
        before = [one.mapToGlobal(QPoint()) for one in widgets]
        yield
        after = [one.mapToGlobal(QPoint()) for one in widgets]
        moved = [w.accessibleName() for w, a, b in zip(widgets, before, after, strict=True) if a != b]
        assert not moved, f"moved under the pointer: {moved} {before} {after}"


def _in_sight(window: QWidget) -> Iterator[str]:
    for one in window.findChildren(QWidget):
        if not one.isVisible() or one.visibleRegion().isEmpty():
            continue
        if isinstance(one, QLabel):
            yield "" if one.textFormat() == Qt.TextFormat.RichText else one.text()
        elif isinstance(one, QAbstractButton):
            yield one.text()
        elif isinstance(one, QTabBar):
            yield from (one.tabText(n) for n in range(one.count()))
        elif isinstance(one, QAbstractItemView) and isinstance(one.model(), QAbstractItemModel):
            model = one.model()
            yield from (
                str(model.data(model.index(row, column)) or "")
                for row in range(min(model.rowCount(QModelIndex()), 60))
                for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex()))
            )


def open_window(
    path: Path, make_window: Callable[[], MainWindow], qtbot: QtBot, name: str = "Ada", zoom: float = 1.0
) -> Visitor:
    """A person with a project in the active window. Nothing but Home is built yet."""
    window = make_window()
    window.settings.set("annotator.name", name)
    window.settings.set("appearance.zoom", zoom)
    assert window.open_path(str(path))
    visitor = Visitor(window, qtbot)
    visitor.front()
    return visitor


def first_palette(visitor: Visitor) -> None:
    """The palette finds "import" at once, and opening it builds no pane."""
    before = set(visitor.window.panes)
    visitor.run("view.palette")
    visitor.type("import")
    assert any("mport" in title for title in visitor.window.palette_view.titles())
    visitor.key(Qt.Key.Key_Escape)
    assert set(visitor.window.panes) == before and len(before) < len(PANES)


def answer_dialogs(monkeypatch: pytest.MonkeyPatch, folder: Path, files: list[Path] | None = None) -> None:
    """File dialogs have tests of their own: files to open are these, and everything is written into the folder."""
    folder.mkdir(exist_ok=True)

    def save(_files: object, _parent: object, _title: str, stem: str, ending: str) -> Path:
        return folder / file_name(stem, ending)

    monkeypatch.setattr(FileDialogs, "save_file", save)
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: folder)
    monkeypatch.setattr(FileDialogs, "open_files", lambda *_: files or [])
    monkeypatch.setattr(FileDialogs, "open_file", lambda *_: (files or [None])[0])


@contextmanager
def watched() -> Iterator[None]:
    """Fails if a stray window appears meanwhile."""
    strays, application = Strays(), QApplication.instance()
    assert application is not None
    application.installEventFilter(strays)
    try:
        yield
    finally:
        application.removeEventFilter(strays)
    assert strays.seen == [], f"windows of their own: {strays.seen}"


@contextmanager
def without(kind: QEvent.Type) -> Iterator[None]:
    """Fails at an event of this type: the work has to be possible without keys, or without the mouse."""
    presses, application = Presses(kind), QApplication.instance()
    assert application is not None
    application.installEventFilter(presses)
    try:
        yield
    finally:
        application.removeEventFilter(presses)
    assert presses.seen == 0, kind


class Presses(QObject):
    """Counts events of one type that come from a person, not from the program itself."""

    def __init__(self, kind: QEvent.Type) -> None:
        super().__init__()
        self.kind, self.seen = kind, 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.seen += event.type() == self.kind and event.spontaneous()
        return False
