"""One of the two cards: a text to be compared, large, with a frame that settles for a moment when it was chosen."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPaintEvent, QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.plain import HtmlPage

SETTLE_MS = 120
TEXT = 19


class Card(HtmlPage):
    """Shows one text; tells when it was first painted, so that the time of a judgement starts when it can be read."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._name = name
        self.painted_at: float | None = None
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(SETTLE_MS)
        self._settling.timeout.connect(self._dress)
        theme().changed.connect(self._dress)
        self._dress()

    def show_text(self, text: str, caption: str = "") -> None:
        """Another text; the clock starts with its first paint. ``caption`` is shown small above it."""
        self.painted_at = None
        self.document().setDefaultFont(theme().reading_font(TEXT))
        self.setPlainText(text)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(145, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(spacing)
        self.setAccessibleDescription(f"{caption}: {text}" if caption else text)

    def settle(self) -> None:
        """The frame says for a moment that this side was chosen."""
        self._dress(chosen=True)
        self._settling.start()

    def _dress(self, *, chosen: bool = False) -> None:
        tokens = theme().tokens
        edge = f"3px solid {tokens.accent}" if chosen else f"1px solid {tokens.control_border}"
        inside = 18 if chosen else 20
        self.document().setDefaultFont(theme().reading_font(TEXT))
        # A text that came before the style keeps the application's font unless the style names the reading one.
        font = theme().reading_font(TEXT)
        self.setStyleSheet(
            f"QTextBrowser {{ background: {tokens.raised}; border: {edge}; border-radius: 6px; padding: {inside}px;"
            f" font-family: '{font.family()}'; font-size: {theme().px(TEXT)}px; }}"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.painted_at is None:
            self.painted_at = time.monotonic()
