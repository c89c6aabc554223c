"""The text of the current response: slots are tab stops; generated sentences and words to reconsider are marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop_app.theme import theme
from desktop_app.widgets.writing_edit import Highlight, LineStyle, WritingEdit
from engine.rebuttal.points import notes_in
from engine.rebuttal.records import Generated
from engine.rebuttal.slots import find_slots, next_slot
from engine.reviews.records import Span


class ReplyEditor(WritingEdit):
    """Escape (``left``) returns the keyboard to the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._generated: tuple[Generated, ...] = ()
        self._tone: tuple[Span, ...] = ()
        self._beyond: int | None = None
        super().__init__("reply", "Response", parent)
        self.setTabChangesFocus(False)
        self.setPlaceholderText("Write your response, or press Alt and a number to insert a template.")
        self.restyle()

    # what is shown ------------------------------------------------------------------------------------------------

    def show_reply(self, text: str, generated: Sequence[Generated]) -> None:
        """The point's text and marks as the project has them; text that is being typed is kept."""
        self._generated = tuple(generated)
        self.show_text(text)
        self.mark()

    def show_tone(self, spans: Sequence[Span]) -> None:
        """Words whose tone should be reconsidered."""
        if tuple(spans) != self._tone:
            self._tone = tuple(spans)
            self.mark()

    def show_beyond(self, beyond: int | None) -> None:
        """Where the text exceeds its limit; None where it does not."""
        if beyond != self._beyond:
            self._beyond = beyond
            self.mark()

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
        # Tab would leave the field before keyPressEvent.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Tab and not event.modifiers():
                return self.step_slot() or self.focusNextPrevChild(True)
            if event.key() == Qt.Key.Key_Backtab:
                return self.step_slot(forward=False) or self.focusNextPrevChild(False)
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.moveCursor(QTextCursor.MoveOperation.End)

    # marks --------------------------------------------------------------------------------------------------------

    def mark(self) -> None:
        text, tokens = self.text, theme().tokens
        marks: list[Highlight] = []
        for one in self._generated:
            at = text.find(one.sentence)
            if at >= 0:
                span = Span(at, at + len(one.sentence))
                marks.append(Highlight(span, line=tokens.data["suggested"].mark, style=LineStyle.DashUnderline))
        for span in self._tone:
            if span.end <= len(text):
                attention = tokens.data["attention"]
                marks.append(Highlight(span, attention.wash, attention.mark, LineStyle.WaveUnderline))
        for slot in find_slots(text):
            marks.append(Highlight(slot.span, tokens.accent_wash, tokens.accent, LineStyle.DotLine, tokens.accent))
        for span in notes_in(text):
            marks.append(Highlight(span, tokens.sunken, ink=tokens.muted))
        if self._beyond is not None and self._beyond < len(text):
            marks.append(Highlight(Span(self._beyond, len(text)), ink=tokens.data["unsupported"].ink))
        self.draw(marks)
