"""Caret and selection in the text of a document: what keys and mouse do to them, apart from any drawing."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from desktop_app.widgets.pdf_text import Place, ReadingText, Unit
from engine.documents.records import Box

_CONTROL, _SHIFT, _ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
# Ctrl+Up and Ctrl+Down step over paragraphs as in word processors; Alt+arrows over sentences.
_STEPS: dict[tuple[Qt.Key, Qt.KeyboardModifier], tuple[Unit, Literal[-1, 1]]] = {
    (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier): ("character", -1),
    (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier): ("character", 1),
    (Qt.Key.Key_Left, _CONTROL): ("word", -1),
    (Qt.Key.Key_Right, _CONTROL): ("word", 1),
    (Qt.Key.Key_Left, _ALT): ("sentence", -1),
    (Qt.Key.Key_Right, _ALT): ("sentence", 1),
    (Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier): ("line", -1),
    (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier): ("line", 1),
    (Qt.Key.Key_Up, _CONTROL): ("paragraph", -1),
    (Qt.Key.Key_Down, _CONTROL): ("paragraph", 1),
    (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier): ("line edge", -1),
    (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier): ("line edge", 1),
    (Qt.Key.Key_Home, _CONTROL): ("document", -1),
    (Qt.Key.Key_End, _CONTROL): ("document", 1),
}


class TextCursor:
    """A caret and the other end of the selection; both None until a place is chosen."""

    def __init__(self, text: ReadingText) -> None:
        self.text = text
        self.caret: Place | None = None
        self.anchor: Place | None = None
        self._goal: float | None = None

    @property
    def selection(self) -> tuple[Place, Place] | None:
        """The two ends in reading order, or None where nothing is selected."""
        if self.caret is None or self.anchor is None or self.caret == self.anchor:
            return None
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def selected_text(self) -> str:
        return self.text.text_between(*self.selection) if self.selection else ""

    @property
    def boxes(self) -> tuple[Box, ...]:
        return self.text.boxes_between(*self.selection) if self.selection else ()

    def place(self, place: Place, *, keep_anchor: bool = False) -> None:
        """Puts the caret somewhere, with the selection's other end if it is kept."""
        self._goal = None
        if not keep_anchor or self.anchor is None:
            self.anchor = place
        self.caret = place

    def select(self, first: Place, last: Place) -> None:
        self.anchor, self.caret, self._goal = first, last, None

    def drop(self) -> None:
        self.caret = self.anchor = self._goal = None

    def select_words(self, start: Place, at: Place) -> None:
        """Selects from the word at ``start`` to the word at ``at``, both whole, whichever comes first."""
        first, last = self.text.around(start, "word"), self.text.around(at, "word")
        if at >= start:
            self.select(first[0], last[1])
        else:
            self.select(first[1], last[0])

    def wants(self, event: QKeyEvent) -> bool:
        """Whether this key would do something here (so that no shortcut takes it)."""
        return self.caret is not None and (self._step(event) is not None or _is_select_all(event))

    def key(self, event: QKeyEvent) -> bool:
        """Moves the caret or extends the selection; says whether the key was one of its own."""
        if self.caret is None:
            return False
        if _is_select_all(event):
            everything: Place = Place(0, 0)
            self.select(everything, self.text.moved(everything, "document", 1))
            return True
        step = self._step(event)
        if step is None:
            return False
        unit, direction = step
        if unit == "line" and self._goal is None:
            box = self.text.caret_box(self.caret)
            self._goal = box.x0 if box else None
        goal = self._goal if unit == "line" else None
        self.place(self.text.moved(self.caret, unit, direction, goal), keep_anchor=bool(event.modifiers() & _SHIFT))
        self._goal = goal
        return True

    def _step(self, event: QKeyEvent) -> tuple[Unit, Literal[-1, 1]] | None:
        modifiers = event.modifiers() & (_CONTROL | _ALT)
        return _STEPS.get((Qt.Key(event.key()), modifiers))


def _is_select_all(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_A and bool(event.modifiers() & _CONTROL)
