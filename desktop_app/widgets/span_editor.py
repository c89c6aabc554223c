"""A read-only text with highlighted spans; selections snap to sentences. Qt counts UTF-16 units; all positions here are
code points."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.labels import named
from engine.reviews.records import Span
from engine.reviews.sentences import snap_to_sentences, snap_to_words, split_sentences
from engine.text_search import occurrences

Role = Literal["comment", "context", "response", "remark", "unassigned"]
_MEASURE = 76
"""Maximum characters per line."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A span and its role; ``key`` is the comment's key, ``current`` marks the current comment."""

    span: Span
    role: Role
    key: str
    current: bool = False


_WIDE = re.compile(r"[^\u0000-\uffff]")


class CodePoints:
    """Converts positions in a text between code points and UTF-16 units."""

    def __init__(self, text: str) -> None:
        # Only the rare characters beyond the basic plane take two units.
        self._wide = [found.start() for found in _WIDE.finditer(text)]
        self._units = [position + number for number, position in enumerate(self._wide)]

    def to_units(self, position: int) -> int:
        return position + bisect_left(self._wide, position)

    def from_units(self, units: int) -> int:
        return units - bisect_left(self._units, units)


class SpanEditor(QTextEdit):
    """Shows a text with highlights; keyboard and mouse move caret and selection."""

    place_moved = Signal(int)
    """The caret's new position."""
    mark_wanted = Signal()
    """Enter was pressed: turn the selection into a comment."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name).setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextEdit { border: none; border-radius: 0; padding: 0; }")
        self.setTabChangesFocus(True)
        self.setCursorWidth(2)
        self._text = ""
        self._points = CodePoints("")
        self._sentences: tuple[Span, ...] = ()
        self._highlights: tuple[Highlight, ...] = ()
        self.cursorPositionChanged.connect(lambda: self.place_moved.emit(self.place))
        theme().follow(self._restyle)

    def show_text(self, text: str) -> None:
        if text == self._text:
            return
        self._text, self._points = text, CodePoints(text)
        self._sentences = split_sentences(text)
        # Qt merges CR LF into one line end; a space instead of CR keeps all positions.
        self.setPlainText(text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd"))
        self._space_lines()
        self._center()

    def show_highlights(self, highlights: Sequence[Highlight]) -> None:
        # Of overlapping ones, Qt shows the last: a comment in the context of the current one stays underlined.
        self._highlights = tuple(sorted(highlights, key=lambda one: (one.role in ("comment", "remark"), one.current)))
        self.setExtraSelections([self._selection(one) for one in self._highlights])

    @property
    def place(self) -> int:
        return self._points.from_units(self.textCursor().position())

    @property
    def selected(self) -> Span:
        cursor = self.textCursor()
        return Span(self._points.from_units(cursor.selectionStart()), self._points.from_units(cursor.selectionEnd()))

    def sentences_selected(self) -> Span:
        """Returns the span of whole sentences that the selection touches, or of the sentence at the caret."""
        span = self.selected
        return snap_to_sentences(self._text, span.start, span.end)

    def words_selected(self) -> Span:
        span = self.selected
        return snap_to_words(self._text, span.start, span.end)

    def keys_at(self, place: int) -> tuple[str, ...]:
        """Returns the keys of highlights that contain a position: comments first, then by length of the span."""
        hits = [one for one in self._highlights if one.key and one.span.start <= place <= one.span.end]
        hits.sort(key=lambda one: (one.role != "comment", one.span.end - one.span.start))
        return tuple(dict.fromkeys(one.key for one in hits))

    def go_to(self, place: int) -> None:
        """Moves the caret to a position and scrolls it to the upper half."""
        cursor = self.textCursor()
        if self._points.from_units(cursor.position()) != place:
            cursor.setPosition(self._points.to_units(place))
            self.setTextCursor(cursor)
        above = self.cursorRect().top() - round(0.3 * self.viewport().height())
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + above)

    def select(self, span: Span) -> None:
        cursor = self.textCursor()
        cursor.setPosition(self._points.to_units(span.start))
        cursor.setPosition(self._points.to_units(span.end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def step_sentence(self, step: int, *, keep_anchor: bool) -> None:
        """Moves the caret to the next (1) or previous (-1) sentence; ``keep_anchor`` extends the selection."""
        starts = [span.start for span in self._sentences]
        ends = [span.end for span in self._sentences]
        if not starts:
            return
        place = self.place
        if step > 0:
            stops = ends if keep_anchor else starts
            at = bisect_right(stops, place)
            target = stops[at] if at < len(stops) else len(self._text)
        else:
            at = bisect_left(starts, place) - 1
            target = starts[max(at, 0)]
        cursor = self.textCursor()
        mode = QTextCursor.MoveMode.KeepAnchor if keep_anchor else QTextCursor.MoveMode.MoveAnchor
        cursor.setPosition(self._points.to_units(target), mode)
        self.setTextCursor(cursor)

    def find_from_here(self, text: str) -> bool:
        """Selects the first occurrence of a text from the selection's start on, else the first in the text."""
        cursor = self.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self.setTextCursor(cursor)
        return bool(text) and self.find_next(text, forward=True)

    def find_next(self, text: str, *, forward: bool) -> bool:
        """Selects the next (previous) occurrence, wrapping around."""
        return find_around(self, text, forward=forward)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_walking(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if alt and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 1 if event.key() == Qt.Key.Key_Right else -1
            self.step_sentence(step, keep_anchor=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.mark_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._center()

    def _center(self) -> None:
        """Limits the line length by side margins."""
        wide = self.fontMetrics().averageCharWidth() * _MEASURE
        side = max(24, (self.viewport().width() - wide) // 2)
        frame = self.document().rootFrame()
        shape = frame.frameFormat()
        if shape.leftMargin() != side:
            shape.setLeftMargin(side)
            shape.setRightMargin(side)
            shape.setTopMargin(12)
            frame.setFrameFormat(shape)

    def _restyle(self) -> None:
        self.document().setDefaultFont(theme().reading_font(14))
        self.setFont(theme().reading_font(14))
        self._space_lines()
        self._center()
        self.show_highlights(self._highlights)

    def _space_lines(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        look = QTextBlockFormat()
        look.setLineHeight(140, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(look)

    def _selection(self, one: Highlight) -> QTextEdit.ExtraSelection:
        found = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        last = self.document().characterCount() - 1
        cursor.setPosition(min(self._points.to_units(one.span.start), last))
        cursor.setPosition(min(self._points.to_units(one.span.end), last), QTextCursor.MoveMode.KeepAnchor)
        found.cursor = cursor
        found.format = _look(one)
        return found


def find_around(edit: QTextEdit, text: str, *, forward: bool = True) -> bool:
    """Selects the next (previous) occurrence of a text, wrapping around."""
    cursor = edit.textCursor()
    found = found_in(edit.document(), text)
    later = [one for one in found if one.selectionStart() >= cursor.selectionEnd()]
    earlier = [one for one in found if one.selectionEnd() <= cursor.selectionStart()]
    if found:
        edit.setTextCursor((later or found)[0] if forward else (earlier or found)[-1])
    return bool(found)


def found_in(document: QTextDocument, text: str) -> list[QTextCursor]:
    """Returns a selection of each occurrence of a text."""
    words = document.toPlainText()
    points, found = CodePoints(words), list[QTextCursor]()
    for start, end in occurrences(words, text):
        found.append(QTextCursor(document))
        found[-1].setPosition(points.to_units(start))
        found[-1].setPosition(points.to_units(end), QTextCursor.MoveMode.KeepAnchor)
    return found


def _look(one: Highlight) -> QTextCharFormat:
    """Returns the format of a highlight: comments are underlined, context is dotted, unassigned text is muted; the
    current comment and its response are tinted."""
    tokens, look = theme().tokens, QTextCharFormat()
    styles = QTextCharFormat.UnderlineStyle
    style, line, ground = {
        "comment": (styles.SingleUnderline, tokens.accent, tokens.accent_wash),
        "remark": (styles.DashUnderline, tokens.control_border, tokens.sunken),
        "unassigned": (styles.DotLine, tokens.control_border, tokens.ground),
        "context": (styles.DotLine, tokens.muted, tokens.ground),
        "response": (styles.DashDotLine, tokens.data["linked"].mark, tokens.data["linked"].wash),
    }[one.role]
    if one.current or one.role != "response":
        look.setUnderlineStyle(style)
        look.setUnderlineColor(QColor(line))
    if one.role == "unassigned":
        look.setForeground(QColor(tokens.muted))
    if one.current:
        look.setBackground(QColor(ground))
    return look


def _is_walking(event: QKeyEvent) -> bool:
    keys = Qt.Key
    return event.key() in {
        keys.Key_Up, keys.Key_Down, keys.Key_Left, keys.Key_Right, keys.Key_Home, keys.Key_End, keys.Key_PageUp,
        keys.Key_PageDown,
    }  # fmt: skip
