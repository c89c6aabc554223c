"""The reply at hand: slots are tab stops, generated sentences and words of doubtful tone are marked in place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingTextEdit
from desktop_app.widgets.span_editor import CodePoints
from engine.rebuttal.records import Generated
from engine.rebuttal.slots import find_slots, next_slot
from engine.reviews.records import Span

_STYLES = QTextCharFormat.UnderlineStyle


class ReplyEditor(CommittingTextEdit):
    """``typed`` follows every change of the text; positions that go in and out are code points."""

    typed = Signal()
    left = Signal()
    """Escape: the keyboard goes back to the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("reply", "Reply", parent)
        self.setTabChangesFocus(False)
        self.setPlaceholderText("Write the reply, or put a template in with Alt and its number.")
        self._generated: tuple[Generated, ...] = ()
        self._doubtful: tuple[Span, ...] = ()
        self._beyond: int | None = None
        self.textChanged.connect(self._changed)
        theme().changed.connect(self._restyle)
        self._restyle()

    # what is shown ------------------------------------------------------------------------------------------------

    def show_reply(self, text: str, generated: Sequence[Generated]) -> None:
        """The point's text and marks as the project has them; a text that is being typed is left alone."""
        self._generated = tuple(generated)
        self.show_text(text)
        self.mark()

    def show_tone(self, doubtful: Sequence[Span]) -> None:
        """Words of doubtful tone."""
        if tuple(doubtful) != self._doubtful:
            self._doubtful = tuple(doubtful)
            self.mark()

    def show_beyond(self, beyond: int | None) -> None:
        """Where the text gets longer than it may be; None: nowhere."""
        if beyond != self._beyond:
            self._beyond = beyond
            self.mark()

    @property
    def unsaved(self) -> bool:
        """Whether something is typed that the project does not have yet."""
        return self._visit.unsaved

    def finish(self) -> None:
        """Commits what is typed; what follows is another visit, and another undo step."""
        self._visit.leave()

    @property
    def text(self) -> str:
        return self.toPlainText()

    @property
    def place(self) -> int:
        """The caret."""
        return CodePoints(self.text).from_units(self.textCursor().position())

    @property
    def selected(self) -> Span:
        """The selection; empty at the caret where nothing is selected."""
        cursor, points = self.textCursor(), CodePoints(self.text)
        return Span(points.from_units(cursor.selectionStart()), points.from_units(cursor.selectionEnd()))

    def select(self, span: Span) -> None:
        """Selects a span and shows it."""
        points, cursor = CodePoints(self.text), self.textCursor()
        cursor.setPosition(points.to_units(span.start))
        cursor.setPosition(points.to_units(span.end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def replace(self, span: Span, words: str) -> None:
        """Writes words in the place of a span, as if they had been typed."""
        self.select(span)
        self.textCursor().insertText(words)

    def step_slot(self, *, forward: bool = True) -> bool:
        """Selects the next (previous) open slot after the caret, around the ends; False where there is none."""
        here = self.selected
        slot = next_slot(self.text, here.end if forward else here.start, forward=forward)
        if slot is None:
            return False
        self.select(slot.span)
        return True

    # keys ---------------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        # Tab would leave the field before keyPressEvent hears of it.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Tab and not event.modifiers():
                return self.step_slot() or self.focusNextPrevChild(True)
            if event.key() == Qt.Key.Key_Backtab:
                return self.step_slot(forward=False) or self.focusNextPrevChild(False)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.moveCursor(QTextCursor.MoveOperation.End)

    # marks --------------------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        self.mark()
        self.typed.emit()

    def mark(self) -> None:
        """Draws all marks anew."""
        text = self.text
        tokens, points = theme().tokens, CodePoints(text)
        marks: list[QTextEdit.ExtraSelection] = []

        def add(start: int, end: int, look: QTextCharFormat) -> None:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(points.to_units(start))
            cursor.setPosition(points.to_units(min(end, len(text))), QTextCursor.MoveMode.KeepAnchor)
            mark.cursor, mark.format = cursor, look
            marks.append(mark)

        for one in self._generated:
            at = text.find(one.sentence)
            if at >= 0:
                add(at, at + len(one.sentence), _look(line=tokens.data["suggested"].mark, style=_STYLES.DashUnderline))
        for span in self._doubtful:
            if span.end <= len(text):
                wash = tokens.data["attention"].wash
                add(span.start, span.end, _look(wash, tokens.data["attention"].mark, _STYLES.WaveUnderline))
        for slot in find_slots(text):
            add(
                slot.span.start, slot.span.end, _look(tokens.accent_wash, tokens.accent, _STYLES.DotLine, tokens.accent)
            )
        if self._beyond is not None and self._beyond < len(text):
            add(self._beyond, len(text), _look(ink=tokens.data["unsupported"].ink))
        self.setExtraSelections(marks)

    def _restyle(self) -> None:
        self.document().setDefaultFont(theme().reading_font(15))
        self.setFont(theme().reading_font(15))
        self.mark()


def _look(
    ground: str = "", line: str = "", style: QTextCharFormat.UnderlineStyle | None = None, ink: str = ""
) -> QTextCharFormat:
    look = QTextCharFormat()
    if ground:
        look.setBackground(QColor(ground))
    if style is not None:
        look.setUnderlineStyle(style)
        look.setUnderlineColor(QColor(line))
    if ink:
        look.setForeground(QColor(ink))
    return look
