"""Keyboard helpers: keys that controls keep from pane commands, keycaps, the line of keys; and dropped files."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QObject, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QDropEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.painted import Painted


class KeepsKeys(QObject):
    """Keeps Space for a table, and also arrows and letters for a combo box or its open list, from pane commands. For
    buttons the window does that."""

    def __init__(self, control: QWidget) -> None:
        super().__init__(control)
        self._chooser = isinstance(control, QComboBox | QListView)
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


class _FieldKeys(QObject):
    """Filters the key events of all focused fields of certain kinds."""

    kinds: ClassVar[tuple[type[QWidget], ...]]

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._watch)

    def _watch(self, _before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(now, self.kinds):
            now.installEventFilter(self)


_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier


class CommandKeys(_FieldKeys):
    """Leaves keys to commands in all text fields: Ctrl+E, which exports in every pane though on X11 it would move the
    caret, and Alt with a letter, which Qt would write into the text where no command has this key. On macOS such keys
    type special characters."""

    kinds = (QLineEdit, QAbstractSpinBox, QTextEdit, QPlainTextEdit)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.KeyPress:
            return event.modifiers() in (_ALT, _ALT | _SHIFT) and event.text() > " " and sys.platform != "darwin"
        if event.type() != QEvent.Type.ShortcutOverride:
            return False
        if event.key() != Qt.Key.Key_E or event.modifiers() != Qt.KeyboardModifier.ControlModifier:
            return False
        event.ignore()
        return True


class InSight(_FieldKeys):
    """Scrolls the page around a text field in which a key is pressed so that the whole field is in sight. Qt scrolls
    only when the focus moves by Tab, and only to the caret's line: the next lines would be typed out of sight."""

    kinds = (QTextEdit, QPlainTextEdit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        area = watched.parent() if event.type() == QEvent.Type.KeyRelease else None
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parent()
        if area is not None and isinstance(watched, QWidget) and watched.height() <= area.viewport().height():
            middle = watched.mapTo(present(area.widget()), watched.rect().center())
            area.ensureVisible(area.horizontalScrollBar().value(), middle.y(), 0, watched.height() // 2 + 8)
        return False


class DecimalKey(_FieldKeys):
    """Accepts numbers as they are displayed, with a decimal point, in any locale; a comma works, too.

    In a locale with a decimal comma, Qt takes the point for a thousands separator: 3.5 would become 35.
    """

    kinds = (QDoubleSpinBox,)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        locale = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
        locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator | QLocale.NumberOption.RejectGroupSeparator)
        QLocale.setDefault(locale)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent) or event.text() not in {",", "٫"}:
            return False
        QCoreApplication.sendEvent(watched, QKeyEvent(event.type(), Qt.Key.Key_Period, event.modifiers(), "."))
        return True


class FileDrop(QObject):
    """Lets files be dropped on a widget while ``allowed()``; those that ``wanted`` accepts are passed to ``take``."""

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


LINE = 26  # height of the line of keys at normal text size
Items = tuple[tuple[tuple[str, ...], str], ...]
"""Commands of a scope whose keys are shown together, and their description."""


class KeyBar(Painted):
    """The line of keys: as many items as fit, then the key for the list of all keys."""

    accessible_role = QAccessible.Role.StaticText

    def __init__(self, registry: CommandRegistry, scope: str, items: Items, parent: QWidget | None = None) -> None:
        super().__init__("Keys of this pane", parent)
        self._registry = registry
        self._scope, self._items = scope, items
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        registry.changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(200, theme().px(LINE))

    def show_items(self, items: Items) -> None:
        if items != self._items:
            self._items = items
            self._refresh()

    def items(self) -> list[tuple[str, str]]:
        shown = []
        for names, words in self._items:
            keys = [self._key(f"{self._scope}.{name}") for name in names]
            between = "–" if words in ("state", "action") else "/"
            if all(keys):
                shown.append((between.join(keys), words))
        return [*shown, (self._key("help.keys"), "keys")]

    def _key(self, name: str) -> str:
        key = self._registry.native_shortcut(name).split(" or ")[0]
        return {"Up": "↑", "Down": "↓"}.get(key, key)

    def _refresh(self) -> None:
        self.setAccessibleDescription(", ".join(f"{keys} {words}" for keys, words in self.items()))
        self.update()

    def paint(self, painter: QPainter) -> None:
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.ground))
        painter.fillRect(0, 0, self.width(), 1, QColor(tokens.hairline))
        painter.setFont(theme().font("small"))
        metrics = painter.fontMetrics()
        items = self.items()

        def width(item: tuple[str, str]) -> int:
            return metrics.horizontalAdvance(item[0]) + 10 + 5 + metrics.horizontalAdvance(item[1]) + 16

        room = self.width() - 24 - width(items[-1])
        x = 12
        for at, item in enumerate(items):
            last = at == len(items) - 1
            if not last and x + width(item) > 12 + room:
                continue
            keys, words = item
            cap = metrics.horizontalAdvance(keys) + 10
            height = metrics.height() + 2
            top = (self.height() - height) // 2
            painter.setPen(QColor(tokens.hairline))
            painter.setBrush(QColor(tokens.surface))
            painter.drawRoundedRect(x, top, cap, height, 4, 4)
            painter.setPen(QColor(tokens.ink))
            painter.drawText(x, top, cap, height, Qt.AlignmentFlag.AlignCenter, keys)
            painter.setPen(QColor(tokens.muted))
            x += cap + 5
            painter.drawText(x, top, 400, height, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
            x += metrics.horizontalAdvance(words) + 16


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
        if not key or not self.isWindow():  # without a parent, showing it would open a window
            self.setVisible(bool(key))
