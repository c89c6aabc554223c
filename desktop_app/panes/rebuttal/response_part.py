"""The current response: title, action, length and budget, the text with notes, and a model's draft."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.panes.rebuttal.choices import OUTCOMES
from desktop_app.panes.rebuttal.lists import Note, key_of
from desktop_app.theme import theme
from desktop_app.widgets.command_menu import add_choices, pop_up
from desktop_app.widgets.fields import Whose, number_box
from desktop_app.widgets.labels import ElidedLabel, named, plain_text, text_label
from desktop_app.widgets.layouts import Flow, at_least, column, command_buttons, follow_width, row, surface, tall_enough
from desktop_app.widgets.record_list import LEFT, ROW, RecordList, draw_key, draw_lines, draw_text
from desktop_app.widgets.verdicts import paint_verdict
from desktop_app.widgets.writing_edit import Highlight, LineStyle, WritingEdit
from engine.jobs import Failure, Task
from engine.rebuttal.points import notes_in, said
from engine.rebuttal.records import ACTION_TITLES, Draft, Generated, Point
from engine.rebuttal.slots import find_slots, next_slot
from engine.reviews.limits import Unit, count, fits, unit_name
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark, replaced
from engine.shown import model_name, visible

if TYPE_CHECKING:
    from engine.rebuttal.tasks import Drafting


_MARGIN = 16
_EDITOR = 72
"""Minimum height of the editor in pixels at text size 1: a few lines of text."""


class ReplyEditor(WritingEdit):
    """The text of a response; Escape emits ``left``, which moves the focus to the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._generated: tuple[Generated, ...] = ()
        self._tone: tuple[Span, ...] = ()
        self._beyond: int | None = None
        super().__init__("reply", "Response", parent)
        self.setTabChangesFocus(False)
        self.setPlaceholderText("Write your response, or press Alt and a number to insert a template.")
        self.restyle()

    def show_reply(self, point: Point | None, paper_id: str | None = None) -> None:
        self._generated = point.generated if point else ()
        whose = Whose((paper_id, key_of(point)), (paper_id, point)) if point else None
        self.show_text(point.text if point else "", whose)
        self.mark()

    def show_tone(self, spans: Sequence[Span]) -> None:
        if tuple(spans) != self._tone:
            self._tone = tuple(spans)
            self.mark()

    def show_beyond(self, beyond: int | None) -> None:
        if beyond != self._beyond:
            self._beyond = beyond
            self.mark()

    def step_slot(self, *, forward: bool = True) -> bool:
        """Selects the next (previous) open slot from the caret, wrapping around. Returns False if there is none."""
        here = self.selected
        slot = next_slot(self.text, here.end if forward else here.start, forward=forward)
        if slot is None:
            return False
        self.select(slot.span)
        return True

    def event(self, event: QEvent) -> bool:
        # Qt would handle Tab before keyPressEvent.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Tab and not event.modifiers():
                return self.step_slot() or self.focusNextPrevChild(True)
            if event.key() == Qt.Key.Key_Backtab:
                return self.step_slot(forward=False) or self.focusNextPrevChild(False)
        return super().event(event)

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


_ROW, _MOST, _MARK = 24, 120, 18
"""A note's height, that of all, and the width of its mark, at text size 1."""


class NotesView(RecordList):
    """The notes on a response; as high as they need, up to a limit; hidden without notes. Long notes take two lines."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(
            "Notes on the response", self._draw, self._height, lambda note: note.spoken, shape=self._height,
            tip=lambda note: note.spoken, cap=self._cap, parent=parent,
        )  # fmt: skip
        self._registry = registry
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().follow(self._fit)

    def show_notes(self, notes: Sequence[Note]) -> None:
        self.show_records(notes)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(min(max(1, sum(map(self._height, self.records))), theme().px(_MOST)))
        self.setVisible(bool(self.records))

    def _height(self, note: Note) -> int:
        metrics = QFontMetrics(theme().font("small"))
        room = self.viewport().width() - 16 - theme().px(_MARK) - (self._key_width(note) + 8 if self._key(note) else 0)
        return theme().px(_ROW) + metrics.lineSpacing() * (metrics.horizontalAdvance(note.words) > room)

    def _key(self, note: Note) -> str:
        """Returns the shortcut of a note's command; of two, the last one, which also works while writing."""
        return self._registry.native_shortcut(f"rebuttal.{note.command}").split(" or ")[-1] if note.command else ""

    def _key_width(self, note: Note) -> int:
        return QFontMetrics(theme().font("small", tabular=True)).horizontalAdvance(self._key(note)) + 9

    def _cap(self, rect: QRect, note: Note) -> QRect:
        """Returns where its key is drawn; empty if it has none."""
        width = self._key_width(note) if self._key(note) else 0
        return QRect(rect.right() - 8 - width, rect.top() + 3, width, theme().px(_ROW) - 6)

    def _draw(self, painter: QPainter, rect: QRect, note: Note, _selected: bool) -> None:
        t, box = theme(), rect.adjusted(8, 0, -8, -1)
        if note.verdict is not None:
            paint_verdict(painter, note.verdict, QPointF(box.left() + t.px(5), box.center().y()), t.px(9))
        elif note.kind != "opinion":
            data = t.data(note.meaning)
            draw_text(painter, box, LEFT, data.sign, t.font("body", bold=True), data.ink)
        words = box.adjusted(t.px(_MARK), 0, 0, 0)
        if key := self._key(note):
            cap = self._cap(rect, note)
            draw_key(painter, cap, key)
            words.setRight(cap.left() - 8)
        painter.setPen(t.colour("ink"))
        words.setTop(words.top() + (t.px(_ROW) - QFontMetrics(t.font("small")).height()) // 2)
        draw_lines(painter, words, note.words, t.font("small"), 2)


class DraftStrip(QWidget):
    """Runs one drafting job at a time and shows its draft; hidden if there is none."""

    changed = Signal()
    """A draft was started, finished, or removed."""
    failed = Signal(object)
    """The Failure of the job."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.draft: Draft | None = None
        self._job: BridgedJob | None = None
        self._title = ""
        self._origin = text_label("", "small", parent=self)
        self.words = plain_text("Draft by a language model", self)
        self.words.setFixedHeight(theme().px(120))
        words = {"take_draft": "Insert", "refuse_draft": "Reject", "stop_drafting": "Stop"}
        self.buttons = command_buttons(registry, "rebuttal", words, self)
        column(self.words, row((self._origin, 1), *self.buttons.values()), spacing=4, of=self)
        self.setVisible(False)
        theme().follow(self._restyle)

    @property
    def busy(self) -> bool:
        return self._job is not None

    def begin(self, bridge: EngineBridge, task: Task[Draft], title: str) -> None:
        self.draft = None
        self.words.setPlainText("")
        self._title = title
        self._origin.setText(f"Waiting for {title}…")
        self._show(writing=True)
        self._job = bridge.submit(
            task, self, on_done=self._end, on_error=self._failed, on_partial=self.hear, on_cancelled=self.clear
        )
        self.changed.emit()

    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self.clear()

    def clear(self) -> None:
        self._end(None)

    def hear(self, piece: "Drafting") -> None:
        """Appends a piece of text; an empty one starts over."""
        if not piece.text:
            self.words.setPlainText("")
            return
        self._origin.setText(f"{self._title} is writing…")
        cursor = self.words.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(visible(piece.text))
        self.words.ensureCursorVisible()

    def _failed(self, failure: Failure) -> None:
        self.clear()
        self.failed.emit(failure)

    def _end(self, draft: Draft | None) -> None:
        self.draft, self._job = draft, None
        if draft is None:
            self.setVisible(False)
        else:
            self.words.setPlainText(draft.text)
            model = model_name(draft.origin)
            self._origin.setText(f"Written by {model} in {draft.seconds:.0f} s, not by a person")
            self._show(writing=False)
        self.changed.emit()

    def _show(self, *, writing: bool) -> None:
        for name, button in self.buttons.items():
            button.setVisible((name == "stop_drafting") == writing)
        self.setVisible(True)

    def _restyle(self) -> None:
        self.words.document().setDefaultFont(theme().reading_font(13))
        self.words.setStyleSheet(
            "QPlainTextEdit { border-radius: 6px; padding: 4px; border: 1px dashed "
            f"{theme().data('suggested').mark}; }}"
        )


class ResponsePart(QWidget):
    """The parts of the current response; ``budget`` is its allowed length (0: its share of the limit)."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Response")
        self._registry = registry
        words = {"outcome": "", "action": "", "quote": "Quote", "draft": "Draft"}
        self.buttons = command_buttons(registry, "rebuttal", words, self)
        self._title = ElidedLabel("section", self)
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.length = named(text_label("", "muted", parent=self), "Length of the response")
        tip = "Maximum length of this response. 0 gives it a share of the remaining length"
        name = "Length limit of this response"
        self.budget = number_box(name, 0, 99_999, tip=tip, zero="automatic", parent=self, singleStep=50)
        self.budget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        at_least(self.budget, 104)
        self.editor = ReplyEditor(self)
        self.notes = NotesView(registry, self)
        self.notes.activated_row.connect(lambda index: self.use_note(index.data(ROW)))
        self.strip = DraftStrip(registry, self)
        head = Flow(self._title, self.buttons["outcome"], None, self.length, self.budget)
        self._acts = Flow(*(self.buttons[name] for name in ("action", "quote", "draft")))
        parts = (head, self._acts, (self.editor, 1), self.notes, self.strip)
        column(*parts, margins=(_MARGIN, 10, _MARGIN, 8), spacing=8, of=self)
        tall_enough(self)
        follow_width(self, self._fit)

    def _fit(self) -> None:
        """Fits the buttons on one line, without keys if these don't fit, and reserves a minimum height for the text."""
        self.editor.setMinimumHeight(theme().px(_EDITOR))
        self._name_buttons(keys=False)
        self.setMinimumWidth(self._acts.sizeHint().width() + 2 * _MARGIN)
        self._name_buttons(keys=True)
        if self._acts.sizeHint().width() + 2 * _MARGIN > self.width():
            self._name_buttons(keys=False)

    def _name_buttons(self, *, keys: bool) -> None:
        for button in self.buttons.values():
            button.show_key(keys)
        # The width for the longest action, so that the buttons beside it don't move.
        advance = QFontMetrics(theme().font()).horizontalAdvance
        key = "   Alt+R" if keys else ""
        widest = max(advance(title + key) for title in ("Choose an action", *ACTION_TITLES.values()))
        self.buttons["action"].setMinimumWidth(widest + 28)

    def show_point(
        self, point: Point | None, paper_id: str | None, title: str, *, writable: bool, answered: bool, limited: bool
    ) -> None:
        """Shows a point of a paper, or its new state; None clears the view. ``answered``: it has a row in the matrix,
        so that an outcome can be recorded; ``limited``: there is a limit to divide."""
        self.editor.setEnabled(point is not None and writable)
        self.buttons["outcome"].setVisible(answered)
        self.budget.setVisible(answered and limited)
        self._title.setText(title)
        self.editor.show_reply(point, paper_id)
        if point is not None and not self.budget.hasFocus():
            self.budget.setValue(point.budget or 0)

    def show_length(self, allotted: int | None, unit: Unit) -> None:
        text = self.editor.text
        length = count(said(text).strip(), unit)
        if allotted is None:
            self.length.setText(f"{length:,} {unit_name(unit, length)}" if self._title.text() else "")
            self.editor.show_beyond(None)
            return
        left = allotted - length
        over = f"{-left:,} over" if left < 0 else f"{left:,} left"
        self.length.setText(f"{length:,} of {allotted:,} · {over}")
        self.editor.show_beyond(fits(text, allotted, unit) if left < 0 and not notes_in(text) else None)

    def show_notes(self, notes: Sequence[Note]) -> None:
        self.notes.show_notes(notes)
        self.editor.show_tone([note.span for note in notes if note.kind == "tone" and note.span is not None])

    def note(self, kind: str) -> Note | None:
        """Returns the first note on tone at or after the caret (else the first one), or the first claim to confirm."""
        rows = self.notes.records
        if kind == "claim":
            return next((note for note in rows if note.doubtful), None)
        found, here = [note for note in rows if note.kind == kind], self.editor.place
        return next(
            (note for note in found if note.span is not None and note.span.end >= here), next(iter(found), None)
        )

    def with_piece(self, piece: str) -> tuple[str, int]:
        """Returns the text with the selection replaced by a piece, spaced from its neighbours, and where it starts."""
        text, here = self.editor.text, self.editor.selected
        before, after = text[: here.start], text[here.end :]
        gap = "" if not before or before[-1].isspace() else " "
        if piece.startswith(">") and before and not before.endswith("\n\n"):
            gap = "\n\n"  # a quotation starts a new paragraph
        tail = "" if not after or after[:1].isspace() else " "
        return f"{before}{gap}{piece}{tail}{after}", len(before) + len(gap)

    def select_slot(self, start: int, end: int) -> None:
        self.editor.setFocus()
        slot = next((s for s in find_slots(self.editor.text) if start <= s.span.start < end), None)
        self.editor.select(slot.span if slot else Span(end, end))

    def has_slot(self) -> bool:
        return bool(find_slots(self.editor.text))

    def next_slot(self) -> None:
        self.editor.setFocus()
        self.editor.step_slot()

    def quote(self, words: str) -> None:
        words = "\n".join(f"> {line}".rstrip() for line in words.strip().splitlines())
        here = self.editor.selected
        before = self.editor.text[: here.start]
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        self._type(here, f"{gap}{words}\n\n")

    def begin_note(self) -> None:
        text, here = self.editor.text, self.editor.selected
        gap = "" if not text[: here.start] or text[: here.start].endswith("\n") else "\n"
        self._type(here, f"{gap}%% {text[here.start : here.end]}")

    def use_note(self, note: Note | None) -> None:
        """Replaces the words of a note on tone, goes to the place of a note, or runs the command that fixes it."""
        if note is not None and isinstance(note.of, ToneRemark):
            self._type(*replaced(self.editor.text, note.of, note.of.alternatives[0]))
        elif note is not None and note.span is not None:
            self.editor.setFocus()
            self.editor.select(note.span)
        elif note is not None and note.command:
            self._registry.run(f"rebuttal.{note.command}")

    def _type(self, span: Span, words: str) -> None:
        self.editor.setFocus()
        self.editor.replace(span, words)  # like typing, so that undo treats it as such

    def open_actions(self, chosen: str | None) -> None:
        items = [(title, action == chosen, f"action_{action}") for action, title in ACTION_TITLES.items()]
        self._open_menu(self.buttons["action"], [*items, ("No action", chosen is None, "no_action")])

    def open_outcomes(self, chosen: str) -> None:
        items = [(words, key == chosen, f"outcome_{key or 'open'}") for key, words in OUTCOMES]
        self._open_menu(self.buttons["outcome"], items)

    def _open_menu(self, button: QPushButton, items: Sequence[tuple[str, bool, str]]) -> None:
        menu, run = QMenu(self), self._registry.run
        add_choices(menu, ((words, checked, partial(run, f"rebuttal.{name}")) for words, checked, name in items))
        pop_up(menu, button)
