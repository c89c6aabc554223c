"""The notes on the current response, each with the key that fixes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.notes import Note
from desktop_app.theme import theme
from desktop_app.widgets.record_list import LEFT, RecordList, draw_key, draw_text

_SHOWN = 4
_ROW = 24


class NotesView(RecordList):
    """As high as its notes, up to four; hidden without any."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(
            "Notes on the response", self._draw, lambda _note: theme().px(_ROW), lambda note: note.words,
            tip=lambda note: note.words, parent=parent,
        )  # fmt: skip
        self._registry = registry
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self._fit)
        self._fit()

    def show_notes(self, notes: Sequence[Note]) -> None:
        """Other notes."""
        self.show_records(notes)
        self._fit()

    def _fit(self) -> None:
        rows = min(len(self.records), _SHOWN)
        self.setFixedHeight(max(1, rows * theme().px(_ROW)))
        self.setVisible(rows > 0)

    def _draw(self, painter: QPainter, rect: QRect, note: Note, _selected: bool) -> None:
        t, data = theme(), theme().data(note.meaning)
        box = rect.adjusted(8, 0, -8, -1)
        draw_text(painter, box, LEFT, data.sign, t.font("body", bold=True), data.ink)
        words = box.adjusted(18, 0, 0, 0)
        # Where a command has two keys, the last also works while writing.
        key = self._registry.native_shortcut(f"rebuttal.{note.command}").split(" or ")[-1] if note.command else ""
        if key:
            cap = QRect(words)
            cap.setLeft(words.right() - QFontMetrics(t.font("small", tabular=True)).horizontalAdvance(key) - 9)
            cap.adjust(0, 3, 0, -2)
            draw_key(painter, cap, key)
            words.setRight(cap.left() - 8)
        draw_text(painter, words, LEFT, note.words, t.font("small"), t.tokens.ink)
