"""Keys that a focused control keeps, although its pane uses them for commands, and files dropped on a widget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget


class KeepsKeys(QObject):
    """Keeps Space for a table, and arrows and letters, too, for a combo box. Buttons keep theirs by the window."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        self._chooser = isinstance(control, QComboBox)
        control.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
        wanted = event.key() == Qt.Key.Key_Space
        if self._chooser:
            wanted = wanted or event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) or bool(event.text().strip())
        if plain and wanted:
            event.accept()
            return True
        return False


class ExportKey(QObject):
    """Leaves Ctrl+E to commands in every text field: it exports in every pane, although X11 moves the caret with it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._watch)

    def _watch(self, _before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(now, QLineEdit | QAbstractSpinBox | QTextEdit | QPlainTextEdit):
            now.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if event.key() != Qt.Key.Key_E or event.modifiers() != Qt.KeyboardModifier.ControlModifier:
            return False
        event.ignore()
        return True


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
