"""Navigation in the text of a document: caret positions, ranges, hit tests and search in reading order.

A caret is before a code point of a paragraph's normalised text, not at a point of the page, so that selections follow
the text across columns and pages. Geometry is in PDF points; pages are numbered from 1.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from engine.documents.records import Box, Paragraph, ParsedDocument, Word
from engine.documents.search import boxes_for, find, union

Unit = Literal["character", "word", "line", "line edge", "sentence", "paragraph", "document"]
_WORD = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]+")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[A-Z0-9“\"(\[])")
_NEAR = 3.0
"""Distance in points within which a click counts as inside a paragraph."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position before code point ``offset`` of the paragraph with index ``paragraph``."""

    paragraph: int
    offset: int


@dataclass(frozen=True, slots=True)
class Line:
    words: tuple[int, ...]
    box: Box


class ReadingText:
    """Paragraphs in reading order, with geometry for caret, mouse and search."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self.paragraphs = tuple(paragraphs)
        self.position = {paragraph.id: index for index, paragraph in enumerate(self.paragraphs)}
        self._lines: dict[int, tuple[Line, ...]] = {}

    @cached_property
    def _by_page(self) -> dict[int, list[tuple[int, Box]]]:
        found: dict[int, list[tuple[int, Box]]] = defaultdict(list)
        for index, paragraph in enumerate(self.paragraphs):
            for box in paragraph.boxes:
                found[box.page].append((index, box))
        return found

    def paragraph_at(self, page: int, x: float, y: float) -> int | None:
        """Returns the index of the paragraph under a point (the smallest if boxes overlap), or None."""
        hits = [
            ((box.x1 - box.x0) * (box.y1 - box.y0), index)
            for index, box in self._by_page.get(page, ())
            if box.x0 - _NEAR <= x <= box.x1 + _NEAR and box.y0 - _NEAR <= y <= box.y1 + _NEAR
        ]
        return min(hits)[1] if hits else None

    def place_at(self, page: int, x: float, y: float) -> Place | None:
        """Returns the caret position nearest to a point of a page, or None if the page has no text."""
        index = self.paragraph_at(page, x, y)
        if index is None:
            around = self._by_page.get(page, ())
            if not around:
                return None
            index, _ = min(
                around, key=lambda e: _outside(x, e[1].x0, e[1].x1) ** 2 + _outside(y, e[1].y0, e[1].y1) ** 2
            )
        lines = [line for line in self.lines(index) if line.box.page == page]
        if not lines:
            return Place(index, 0)
        line = min(lines, key=lambda one: (_outside(y, one.box.y0, one.box.y1), _outside(x, one.box.x0, one.box.x1)))
        return self._place_in(index, line, x)

    def caret_box(self, place: Place) -> Box | None:
        """Returns the caret's box, with zero width and the height of its word; None in a paragraph without words."""
        words = self.paragraphs[place.paragraph].words
        if not words:
            return None
        at = max(0, bisect_right([word.start for word in words], place.offset) - 1)
        word = words[at]
        x = _x_of(word, min(place.offset, word.end))
        return Box(word.box.page, x, word.box.y0, x, word.box.y1)

    def lines(self, index: int) -> tuple[Line, ...]:
        """The lines of a paragraph, in reading order."""
        if index not in self._lines:
            self._lines[index] = _lines(self.paragraphs[index].words)
        return self._lines[index]

    def boxes(self, index: int, start: int, end: int) -> tuple[Box, ...]:
        """Returns a box per line for the code points [start, end) of a paragraph; its own boxes if it has no words."""
        paragraph = self.paragraphs[index]
        return boxes_for(paragraph, start, end) if paragraph.words else paragraph.boxes

    def boxes_between(self, first: Place, last: Place) -> tuple[Box, ...]:
        """Returns one box per line between two positions, in reading order."""
        first, last = min(first, last), max(first, last)
        return tuple(
            box
            for index, start, end in self._parts(first, last)
            if end > start
            for box in self.boxes(index, start, end)
        )

    def text_between(self, first: Place, last: Place) -> str:
        """Returns the normalised text between two positions, with an empty line between paragraphs."""
        first, last = min(first, last), max(first, last)
        pieces = (self.paragraphs[index].text[start:end] for index, start, end in self._parts(first, last))
        return "\n\n".join(piece for piece in pieces if piece)

    def paragraphs_between(self, first: Place, last: Place) -> tuple[Paragraph, ...]:
        parts = self._parts(min(first, last), max(first, last))
        return tuple(self.paragraphs[index] for index, start, end in parts if end > start)

    def _parts(self, first: Place, last: Place) -> Iterable[tuple[int, int, int]]:
        for index in range(first.paragraph, last.paragraph + 1):
            start = first.offset if index == first.paragraph else 0
            end = last.offset if index == last.paragraph else len(self.paragraphs[index].text)
            yield index, start, end

    def around(self, place: Place, unit: Literal["word", "sentence", "paragraph"]) -> tuple[Place, Place]:
        """Returns start and end of the word, sentence or paragraph that contains a position."""
        text = self.paragraphs[place.paragraph].text
        if unit == "paragraph":
            start, end = 0, len(text)
        elif unit == "sentence":
            ends = self._sentence_starts(place.paragraph)
            at = bisect_right(ends, place.offset) - 1
            start = ends[at]
            end = ends[at + 1] if at + 1 < len(ends) else len(text)
            end = start + len(text[start:end].rstrip())
        else:
            start = end = place.offset
            for match in _WORD.finditer(text):
                if match.start() <= place.offset <= match.end():
                    start, end = match.span()
                    if place.offset < match.end():
                        break
        return Place(place.paragraph, start), Place(place.paragraph, end)

    def moved(self, place: Place, unit: Unit, step: Literal[-1, 1], goal_x: float | None = None) -> Place:
        """Returns the position one unit forward (``step`` 1) or back (-1), staying within the document.

        ``goal_x`` is the horizontal position in points that moving by lines tries to keep.
        """
        if not self.paragraphs:
            return place
        if unit == "document":
            last = len(self.paragraphs) - 1
            return Place(0, 0) if step < 0 else Place(last, len(self.paragraphs[last].text))
        if unit in ("line", "line edge"):
            return self._line_move(place, unit, step, goal_x)
        text = self.paragraphs[place.paragraph].text
        if unit == "character":
            stops: Sequence[int] = (place.offset - 1,) if step < 0 else (place.offset + 1,)
        elif unit == "word":
            stops = [m.start() if step < 0 else m.end() for m in _WORD.finditer(text)]
        elif unit == "sentence":
            stops = [*self._sentence_starts(place.paragraph), len(text)]
        else:
            stops = (0, len(text)) if step > 0 else (0,)
        if step > 0:
            found = next((stop for stop in stops if place.offset < stop <= len(text)), None)
            if found is not None and not (unit == "paragraph" and place.paragraph + 1 < len(self.paragraphs)):
                return Place(place.paragraph, found)
            if place.paragraph + 1 < len(self.paragraphs):
                return Place(place.paragraph + 1, 0)
            return Place(place.paragraph, len(text))
        found = next((stop for stop in reversed(stops) if 0 <= stop < place.offset), None)
        if found is not None:
            return Place(place.paragraph, found)
        if place.paragraph == 0:
            return Place(0, 0)
        before = place.paragraph - 1
        return Place(before, 0 if unit == "paragraph" else len(self.paragraphs[before].text))

    def _line_move(self, place: Place, unit: Unit, step: Literal[-1, 1], goal_x: float | None) -> Place:
        lines = self.lines(place.paragraph)
        at = self._line_of(place)
        if unit == "line edge":
            if not lines:
                return Place(place.paragraph, 0 if step < 0 else len(self.paragraphs[place.paragraph].text))
            words = self.paragraphs[place.paragraph].words
            word = words[lines[at].words[0 if step < 0 else -1]]
            return Place(place.paragraph, word.start if step < 0 else word.end)
        caret = self.caret_box(place)
        goal = goal_x if goal_x is not None else caret.x0 if caret else 0.0
        index, at = place.paragraph, at + step
        while not 0 <= at < len(lines):
            index += step
            if not 0 <= index < len(self.paragraphs):
                return place
            lines = self.lines(index)
            at = 0 if step > 0 else len(lines) - 1
        return self._place_in(index, lines[at], goal)

    def _line_of(self, place: Place) -> int:
        words = self.paragraphs[place.paragraph].words
        for number, line in enumerate(self.lines(place.paragraph)):
            if place.offset <= words[line.words[-1]].end:
                return number
        return max(0, len(self.lines(place.paragraph)) - 1)

    def _place_in(self, index: int, line: Line, x: float) -> Place:
        words = self.paragraphs[index].words
        word = min((words[at] for at in line.words), key=lambda one: _outside(x, one.box.x0, one.box.x1))
        width = word.box.x1 - word.box.x0
        share = min(max((x - word.box.x0) / width, 0.0), 1.0) if width > 0 else 0.0
        return Place(index, word.start + round(share * (word.end - word.start)))

    def _sentence_starts(self, index: int) -> list[int]:
        text = self.paragraphs[index].text
        return [0, *(match.end() for match in _SENTENCE_END.finditer(text))]

    def find(self, query: str) -> tuple[tuple[Place, Place], ...]:
        """Returns all occurrences of ``query`` in reading order, ignoring case, white space, and kinds of dashes and
        quotation marks."""
        hits = find(ParsedDocument("", (), self.paragraphs, "", 0.0), query)
        return tuple(
            (Place(self.position[h.paragraph_id], h.start), Place(self.position[h.paragraph_id], h.end)) for h in hits
        )


def _lines(words: Sequence[Word]) -> tuple[Line, ...]:
    lines: list[list[int]] = []
    for at, word in enumerate(words):
        before = words[lines[-1][-1]].box if lines else None
        box = word.box
        same = (
            before is not None
            and before.page == box.page
            and min(before.y1, box.y1) - max(before.y0, box.y0) > 0.4 * min(before.y1 - before.y0, box.y1 - box.y0)
            and box.x0 >= before.x0 - 1
        )
        if same:
            lines[-1].append(at)
        else:
            lines.append([at])
    return tuple(Line(tuple(line), union([words[at].box for at in line])) for line in lines)


def _x_of(word: Word, offset: int) -> float:
    """Returns the horizontal position of a code point in a word, assuming equal character widths."""
    length = max(1, word.end - word.start)
    return word.box.x0 + (word.box.x1 - word.box.x0) * (offset - word.start) / length


def _outside(value: float, low: float, high: float) -> float:
    return max(low - value, value - high, 0.0)


_CONTROL, _SHIFT, _ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
# Ctrl+Up and Ctrl+Down move by paragraphs as in word processors; Alt with arrows moves by sentences.
_STEPS: dict[tuple[Qt.Key, Qt.KeyboardModifier], tuple[Unit, Literal[-1, 1]]] = {
    (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier): ("character", -1),
    (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier): ("character", 1), (Qt.Key.Key_Left, _CONTROL): ("word", -1),
    (Qt.Key.Key_Right, _CONTROL): ("word", 1), (Qt.Key.Key_Left, _ALT): ("sentence", -1),
    (Qt.Key.Key_Right, _ALT): ("sentence", 1), (Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier): ("line", -1),
    (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier): ("line", 1), (Qt.Key.Key_Up, _CONTROL): ("paragraph", -1),
    (Qt.Key.Key_Down, _CONTROL): ("paragraph", 1),
    (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier): ("line edge", -1),
    (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier): ("line edge", 1), (Qt.Key.Key_Home, _CONTROL): ("document", -1),
    (Qt.Key.Key_End, _CONTROL): ("document", 1),
}  # fmt: skip


class TextCursor:
    """A caret and the other end of the selection; both are None until a position is chosen."""

    def __init__(self, text: ReadingText) -> None:
        self.text = text
        self.caret: Place | None = None
        self.anchor: Place | None = None
        self._goal: float | None = None

    @property
    def selection(self) -> tuple[Place, Place] | None:
        """The ends of the selection in reading order, or None if nothing is selected."""
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
        """Sets the caret and, unless ``keep_anchor``, the other end of the selection."""
        self._goal = None
        if not keep_anchor or self.anchor is None:
            self.anchor = place
        self.caret = place

    def select(self, first: Place, last: Place) -> None:
        self.anchor, self.caret, self._goal = first, last, None

    def drop(self) -> None:
        self.caret = self.anchor = self._goal = None

    def select_words(self, start: Place, at: Place) -> None:
        """Selects whole words from that at ``start`` to that at ``at``, in either direction."""
        first, last = self.text.around(start, "word"), self.text.around(at, "word")
        if at >= start:
            self.select(first[0], last[1])
        else:
            self.select(first[1], last[0])

    def wants(self, event: QKeyEvent) -> bool:
        """Returns whether a key has a function here, so that it isn't used as a shortcut."""
        return self.caret is not None and (self._step(event) is not None or _is_select_all(event))

    def key(self, event: QKeyEvent) -> bool:
        """Moves the caret or extends the selection. Returns whether the key was handled."""
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
