"""A line of keycaps with what they do."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme

LINE = 26  # the height of the line at normal text size
Items = tuple[tuple[tuple[str, ...], str], ...]
"""Commands of one scope whose keys are shown together, and their description."""


class KeyBar(QWidget):
    """As many as fit; the last one opens the list of all keys."""

    accessible_role = QAccessible.Role.StaticText

    def __init__(self, registry: CommandRegistry, scope: str, items: Items, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry = registry
        self._scope, self._items = scope, items
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Keys of this pane")
        registry.changed.connect(self._refresh)
        theme().changed.connect(self.updateGeometry)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(200, theme().px(LINE))

    def show_items(self, items: Items) -> None:
        if items != self._items:
            self._items = items
            self._refresh()

    def items(self) -> list[tuple[str, str]]:
        """The (keys, description) shown."""
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

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme().tokens
        painter.fillRect(self.rect(), QColor(tokens.ground))
        painter.fillRect(0, 0, self.width(), 1, QColor(tokens.hairline))
        painter.setFont(theme().font("small"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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
        painter.end()
