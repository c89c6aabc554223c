"""The venue's form: its fields one below the other, each with its budget and the marks of its sentences."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.panes.review.checking import FieldCheck, common_ends
from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.panes.review.field_editor import FieldEditor
from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import set_role, text_label
from desktop_app.widgets.plain import literal
from engine.review_drafting.claims import question_of
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.forms import FormField, ReviewForm, state
from engine.review_drafting.grounding import Claim, Decision, GroundedReview, decided_text
from engine.review_drafting.store import EvidenceCard, Stance
from engine.reviews.limits import count, unit_name
from engine.reviews.records import Span
from engine.reviews.tone import replaced

_STANCES: dict[str, Stance] = {"strengths": "strength", "weaknesses": "weakness", "questions": "question"}
"""What evidence is for, by the part of the common schema into which it is put."""


class Chooser(QComboBox):
    """Lets the wheel scroll the form: a score must not change because a pointer passed over it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class FieldBox(QWidget):
    """One field of a form: title, budget, and the control that its kind asks for."""

    written = Signal(str, str)
    """The field's value, and the key of the visit that it was typed in ("" for a choice)."""

    def __init__(self, field: FormField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._value = ""
        self._checks: list[tuple[str, QCheckBox]] = []
        title = text_label(field.title, "section", parent=self)
        title.setToolTip(field.help)
        self.budget = text_label("", "small", parent=self)
        self.budget.setFont(theme().font("small", tabular=True))
        self.budget.setAccessibleName(f"Budget of {field.title}")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(title)
        if not field.required:
            head.addWidget(text_label("optional", "small", parent=self))
        head.addStretch(1)
        head.addWidget(self.budget)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        rows.addLayout(head)
        self.control = self._make()
        if field.kind in ("choice", "choices") and field.help:
            rows.addWidget(text_label(field.help, "small", wrap=True, parent=self))
        rows.addWidget(self.control)

    @property
    def editor(self) -> FieldEditor | None:
        """The control where it is a text."""
        return self.control if isinstance(self.control, FieldEditor) else None

    def _make(self) -> QWidget:
        field = self.field
        if field.kind == "choice":
            box = Chooser(self)
            box.addItem("not chosen yet", "")
            for option in field.options:
                box.addItem(option.label, option.value)
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(16)
            box.setAccessibleName(field.title)
            KeepsKeys(box)
            box.activated.connect(lambda _at: self.written.emit(box.currentData(), ""))
            return box
        if field.kind == "choices":
            return self._make_choices()
        edit = CommittingLineEdit(field.key, field.title, self) if field.kind == "line" else FieldEditor(field, self)
        edit.setPlaceholderText(field.help)
        edit.committed.connect(self.written)
        edit.textChanged.connect(self.show_state)
        return edit

    def _make_choices(self) -> QWidget:
        group = QWidget(self)
        rows = QVBoxLayout(group)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        for option in self.field.options:
            check = QCheckBox(literal(option.label), group)
            check.setAccessibleName(option.label)
            KeepsKeys(check)
            check.clicked.connect(self._checked)
            rows.addWidget(check)
            self._checks.append((option.value, check))
        return group

    def _checked(self) -> None:
        self.written.emit("\n".join(value for value, check in self._checks if check.isChecked()), "")

    def take_focus(self) -> None:
        """Gives the keyboard to the control."""
        first = self._checks[0][1] if self._checks else self.control
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def has_focus(self) -> bool:
        """Whether the keyboard is here."""
        return self.control.hasFocus() or any(check.hasFocus() for _, check in self._checks)

    @property
    def value(self) -> str:
        """What the control shows now."""
        if isinstance(self.control, FieldEditor):
            return self.control.text
        return self.control.text() if isinstance(self.control, CommittingLineEdit) else self._value

    def show_value(self, value: str) -> None:
        """What the project has."""
        self._value = value
        control = self.control
        if isinstance(control, (FieldEditor, CommittingLineEdit)):
            control.show_text(value)
        elif isinstance(control, QComboBox):
            control.setCurrentIndex(max(0, control.findData(value)))
        else:
            chosen = value.split("\n")
            for key, check in self._checks:
                check.setChecked(key in chosen)
        self.show_state()

    def show_state(self) -> None:
        """Length and limit as the venue counts, and what is still missing."""
        field = self.field
        stands = state(field, self.value)
        missing = field.required and not self.value.strip()
        if field.kind in ("choice", "choices"):
            self.budget.setText("to choose" if missing else "")
            return
        words = f"{stands.spent:,} {unit_name(field.unit, stands.spent)}"
        over = field.limit is not None and stands.spent > field.limit
        if field.limit is not None:
            left = field.limit - stands.spent
            words = f"{stands.spent:,} of {field.limit:,} {unit_name(field.unit, field.limit)}"
            words += f"  ·  {-left:,} too many" if over else f"  ·  {left:,} left"
        elif missing:
            words = "to write"
        elif field.unit != "words":
            number = count(self.value, "words")
            words += f"  ·  {number:,} {unit_name('words', number)}"
        if field.least is not None and 0 < stands.spent < field.least:
            words += f"  ·  at least {field.least:,}"
        self.budget.setText(words)
        set_role(self.budget, "danger" if over else "small")


class FormView(QScrollArea):
    """The fields of the draft at hand, and the sentence at hand among them."""

    claim_changed = Signal()
    """The sentence at hand is another one, or more is known of it."""
    checked = Signal()
    """More is known of some field."""
    go_wanted = Signal()
    """A click on a sentence's mark: its place should be shown."""
    left = Signal()
    """Escape: the keyboard goes to the evidence."""

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._form: ReviewForm | None = None
        self._draft = ""
        self.boxes: dict[str, FieldBox] = {}
        self._field = ""
        self.claim: Claim | None = None
        """The sentence at hand."""
        self._told: tuple[object, ...] = ()
        self._revealing = QTimer(self)
        self._revealing.setSingleShot(True)
        self._revealing.setInterval(0)
        self._revealing.timeout.connect(self._reveal)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Review form")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMinimumWidth(300)
        desk.draft_changed.connect(self._show_draft)
        desk.field_changed.connect(self._show_field)
        desk.checker.checked.connect(self._show_check)

    # --- showing --------------------------------------------------------------------------------------------------

    def _show_draft(self) -> None:
        draft, form = self._desk.draft, self._desk.form
        key = draft.id if draft is not None else ""
        if form != self._form or key != self._draft:
            self._form, self._draft = form, key
            self._build()
        for name in self.boxes:
            self._show_field(name)

    def _build(self) -> None:
        page = QWidget()
        page.setProperty("role", "surface")
        page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(14, 12, 14, 16)
        rows.setSpacing(16)
        self.boxes, self._field, self.claim, self._told = {}, "", None, ()
        for field in self._form.fields if self._form is not None else ():
            box = FieldBox(field, page)
            box.written.connect(partial(self._written, field.key))
            box.control.setEnabled(self._desk.can_write)
            editor = box.editor
            if editor is not None:
                editor.typed.connect(partial(self._typed, field.key))
                editor.caret_moved.connect(partial(self._caret, field.key))
                editor.entered.connect(partial(self._caret, field.key))
                editor.left.connect(self.left)
                editor.mark_chosen.connect(partial(self._mark_chosen, field.key))
                editor.card_dropped.connect(partial(self._dropped, field.key))
            self.boxes[field.key] = box
            rows.addWidget(box)
        rows.addStretch(1)
        self.setWidget(page)
        self.claim_changed.emit()

    def _show_field(self, name: str) -> None:
        box = self.boxes.get(name)
        if box is not None:
            value, editor = self._desk.fields.get(name, ""), box.editor
            # What was typed here and has been kept is the same visit still, and one undo step.
            if editor is None or editor.text != value:
                box.show_value(value)
            if editor is not None:
                self._desk.checker.look(name, editor.text, at_once=True)
                self._show_check(name)

    def _show_check(self, name: str) -> None:
        self._show_marks(name)
        self.checked.emit()

    def _show_marks(self, name: str) -> None:
        editor = self._editor(name)
        if editor is not None:
            editor.show_check(self._desk.checker.of(name))
        if name == self._field:
            self._take_claim()

    def _editor(self, name: str) -> FieldEditor | None:
        box = self.boxes.get(name)
        return box.editor if box is not None else None

    # --- the sentence at hand -------------------------------------------------------------------------------------

    @property
    def field(self) -> str:
        """The key of the field in which the caret is, or was last."""
        return self._field

    @property
    def editor(self) -> FieldEditor | None:
        """The text in which the caret is, or was last."""
        return self._editor(self._field)

    @property
    def check(self) -> FieldCheck:
        """What is known of that text."""
        return self._desk.checker.of(self._field)

    def _caret(self, name: str) -> None:
        if name != self._field:
            before = self.editor
            if before is not None:
                before.show_at_hand(None)
        self._field = name
        self._take_claim()
        self._reveal()

    def _reveal(self) -> None:
        """Brings the caret onto the screen."""
        editor = self.editor
        if editor is not None and editor.hasFocus():
            rect = editor.cursorRect()
            page = self.widget()
            assert page is not None
            at = editor.viewport().mapTo(page, rect.center())
            self.ensureVisible(at.x(), at.y(), 0, rect.height() * 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._revealing.start()

    def _take_claim(self) -> None:
        editor = self.editor
        claim = None
        if editor is not None and self.check.text == editor.text:
            claim = self.check.at(editor.place)
        self.claim = claim
        if editor is not None:
            editor.show_at_hand(claim)
        told = (self._field, claim, self.check.tone, self.check.identity, self.check.waiting)
        if told != self._told:  # most keys leave all of this as it is
            self._told = told
            self.claim_changed.emit()

    def choose(self, name: str, claim: Claim) -> None:
        """Brings a sentence to hand: the caret goes to its end."""
        editor = self._editor(name)
        if editor is not None:
            editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
            editor.select(Span(claim.end, claim.end))
            self._caret(name)

    def choose_span(self, name: str, start: int, end: int) -> None:
        """Selects words of a field."""
        editor = self._editor(name)
        if editor is not None:
            editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
            editor.select(Span(start, end))
            self._caret(name)

    def step_open(self, by: int) -> bool:
        """The next (1) or previous (-1) sentence that wants a look, around the ends; False where there is none."""
        wanted = [
            (name, claim)
            for name in self.boxes
            for claim in self._desk.checker.of(name).claims
            if claim.colour in ("amber", "red")
        ]
        if not wanted:
            return False
        names = list(self.boxes)
        here = (names.index(self._field) if self._field in names else -1, self.claim.start if self.claim else -1)
        places = [(names.index(name), claim.start) for name, claim in wanted]
        if by > 0:
            at = next((n for n, place in enumerate(places) if place > here), 0)
        else:
            at = next((n for n in range(len(places) - 1, -1, -1) if places[n] < here), len(places) - 1)
        self.choose(*wanted[at])
        return True

    def _mark_chosen(self, name: str, claim: Claim) -> None:
        self.choose(name, claim)
        self.go_wanted.emit()

    # --- going about ----------------------------------------------------------------------------------------------

    def take_focus(self) -> None:
        """The keyboard goes to the field where it was last, else to the first."""
        box = self.boxes.get(self._field) or next(iter(self.boxes.values()), None)
        if box is not None:
            box.take_focus()

    def step(self, by: int) -> None:
        """The next or previous field."""
        names = list(self.boxes)
        if not names:
            return
        here = next((n for n, name in enumerate(names) if self.boxes[name].has_focus()), None)
        at = 0 if here is None else min(max(here + by, 0), len(names) - 1)
        box = self.boxes[names[at]]
        box.take_focus()
        self.ensureWidgetVisible(box, 0, 24)

    def finish(self) -> None:
        """Commits whatever is being typed."""
        for box in self.boxes.values():
            if box.editor is not None:
                box.editor.finish()

    # --- writing --------------------------------------------------------------------------------------------------

    def _typed(self, name: str) -> None:
        editor = self._editor(name)
        if editor is not None:
            self._desk.checker.look(name, editor.text)
            self._show_marks(name)

    def _written(self, name: str, text: str, coalesce: str) -> None:
        self._desk.set_field(name, text, coalesce=coalesce)

    def insert(self, card: EvidenceCard, name: str = "", at: int | None = None) -> bool:
        """Puts a card into a text as a sentence of its own, at the caret unless ``at`` says where; False where no text
        is at hand. A note takes what it is for from the field."""
        name = name or self._field or next((n for n, box in self.boxes.items() if box.editor is not None), "")
        editor = self._editor(name)
        if editor is None:
            return False
        editor.finish()
        span = Span(at, at) if at is not None else editor.selected
        text = editor.text
        before, after = text[: span.start], text[span.end :]
        sentence = sentence_of(card)
        lead = "" if not before or before[-1].isspace() else " "
        tail = "" if not after or after[0].isspace() else " "
        form = self._form.field(name) if self._form is not None else None
        stance = _STANCES.get(form.part, card.stance) if form is not None and card.stance == "note" else card.stance

        def put_in() -> None:
            editor.replace(span, f"{lead}{sentence}{tail}")
            editor.finish()
            self._desk.update_card(card.id, field=name, stance=stance)

        done = self._desk.together("Insert evidence", put_in)
        editor.forget_typing()
        editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        end = span.start + len(lead) + len(sentence)
        editor.select(Span(end, end))
        self._caret(name)
        return done

    def _dropped(self, name: str, card_id: str, at: int) -> None:
        card = self._desk.card(card_id)
        if card is not None:
            self.insert(card, name, at)

    def decide(self, decision: Decision) -> None:
        """Drops the sentence at hand, or makes a question of it."""
        editor, claim, check = self.editor, self.claim, self.check
        if editor is None or claim is None or check.text != editor.text:
            return
        editor.finish()
        start = claim.start
        if decision == "question":
            words = question_of(claim.text)
            self._desk.together("Make a question of a sentence", lambda: _rewrite(editor, claim, words))
            start += len(words)
        else:
            rest = decided_text(GroundedReview(check.text, check.claims), {claim.start: "drop"})
            head, tail = common_ends(check.text, rest)
            span = Span(head, len(check.text) - tail)
            self._desk.together("Drop a sentence", lambda: _put(editor, span, ""))
            start = span.start
        editor.forget_typing()
        editor.select(Span(start, start))
        self._caret(self._field)

    def mend_tone(self) -> bool:
        """Puts the first alternative in the place of the next words of doubtful tone; False where there are none."""
        editor, check = self.editor, self.check
        if editor is None or not check.tone or check.text != editor.text:
            return False
        start = self.claim.start if self.claim is not None else 0
        remark = next((one for one in check.tone if one.span.start >= start), check.tone[0])
        span, words = replaced(editor.text, remark, remark.alternatives[0] if remark.alternatives else "")
        editor.finish()
        self._desk.together("Mend the tone", lambda: _put(editor, span, words))
        editor.forget_typing()
        return True


def _put(editor: FieldEditor, span: Span, words: str) -> None:
    editor.replace(span, words)
    editor.finish()


def _rewrite(editor: FieldEditor, claim: Claim, words: str) -> None:
    _put(editor, Span(claim.start, claim.end), words)
