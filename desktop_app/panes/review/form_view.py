"""The venue's form: fields with their length limits and the marks of their sentences."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop_app.panes.review.field_editor import FieldEditor
from desktop_app.panes.review.session import ReviewSession
from desktop_app.panes.review.state import FieldCheck
from desktop_app.theme import theme
from desktop_app.timers import delayed
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit
from desktop_app.widgets.labels import ScrolledColumn, literal, named, set_role, text_label
from desktop_app.widgets.layouts import Flow, column, row, surface
from engine.review_drafting.claims import question_of
from engine.review_drafting.evidence import sentence_of
from engine.review_drafting.forms import FormField, ReviewForm, state
from engine.review_drafting.grounding import Claim, Decision, GroundedReview, decided_text
from engine.review_drafting.store import EvidenceCard, Stance
from engine.reviews.limits import Unit, count, unit_name
from engine.reviews.records import Span
from engine.reviews.spans import common_ends
from engine.reviews.store import quoted
from engine.reviews.tone import replaced

_STANCES: dict[str, Stance] = {"strengths": "strength", "weaknesses": "weakness", "questions": "question"}
"""A card's default stance, by the part of the review it is inserted into."""


class FieldBox(QWidget):
    """A field of a form: title, length limit, and the control for its kind."""

    written = Signal(str, str, object)
    """The value, the key that merges typing into one undo step ("" for a choice), and the draft (None: current one)."""

    def __init__(self, field: FormField, parent: QWidget, note: str) -> None:
        """``note`` is shown beside the title of optional fields."""
        super().__init__(parent)
        self.field = field
        self._value = self.draft = ""
        self._checks: list[tuple[str, QCheckBox]] = []
        title = text_label(field.title, "section", parent=self)
        title.setToolTip(field.help)
        self.budget = text_label("", "small", parent=self)
        self.budget.setFont(theme().font("small", tabular=True))
        self.budget.setAccessibleName(f"Length of {field.title}")
        optional = [] if field.required else [text_label(note, "small", parent=self)]
        rows = column(row((Flow(title, *optional, None, self.budget), 1)), spacing=4, of=self)
        self.control = self._make()
        if field.kind in ("choice", "choices") and field.help:
            rows.addWidget(text_label(field.help, "small", wrap=True, parent=self))
        rows.addWidget(self.control)
        self.show_state()

    @property
    def editor(self) -> FieldEditor | None:
        return self.control if isinstance(self.control, FieldEditor) else None

    def _make(self) -> QWidget:
        field = self.field
        if field.kind == "choice":
            options = [("Not chosen", ""), *((option.label, option.value) for option in field.options)]
            box = ChoiceBox(field.title, options, letters=16, parent=self)
            box.picked.connect(lambda value: self.written.emit(value, "", None))
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
        rows = column(spacing=4, of=group)
        for option in self.field.options:
            check = named(QCheckBox(literal(option.label), group), option.label)
            check.clicked.connect(self._checked)
            rows.addWidget(check)
            self._checks.append((option.value, check))
        return group

    def _checked(self) -> None:
        self.written.emit("\n".join(value for value, check in self._checks if check.isChecked()), "", None)

    def take_focus(self) -> None:
        first = self._checks[0][1] if self._checks else self.control
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def has_focus(self) -> bool:
        return self.control.hasFocus() or any(check.hasFocus() for _, check in self._checks)

    @property
    def value(self) -> str:
        if isinstance(self.control, FieldEditor):
            return self.control.text
        return self.control.text() if isinstance(self.control, CommittingLineEdit) else self._value

    def show_value(self, value: str, draft: str) -> None:
        self._value, self.draft = value, draft
        control = self.control
        if isinstance(control, (FieldEditor, CommittingLineEdit)):
            control.show_text(value, draft)
        elif isinstance(control, ChoiceBox):
            control.show_value(value)
        else:
            chosen = value.split("\n")
            for key, check in self._checks:
                check.setChecked(key in chosen)
        self.show_state()

    def show_state(self) -> None:
        """Shows length and limit in the venue's unit (without a limit, the number of words), and what is missing."""
        field = self.field
        now = state(field, self.value)
        missing = field.required and not self.value.strip()
        if field.kind in ("choice", "choices"):
            self.budget.setText("required" if missing else "")
            return
        over = field.limit is not None and now.spent > field.limit
        if field.limit is not None:
            left = field.limit - now.spent
            words = f"{now.spent:,} of {field.limit:,} {unit_name(field.unit, field.limit)}"
            words += f" · {-left:,} over" if over else f" · {left:,} left"
        elif now.spent:
            unit: Unit = field.unit if field.least is not None else "words"
            number = count(self.value, unit)
            words = f"{number:,} {unit_name(unit, number)}"
        else:
            words = "required" if missing else ""
        if field.least is not None and 0 < now.spent < field.least:
            words += f" · at least {field.least:,}"
        self.budget.setText(words)
        set_role(self.budget, "danger" if over else "small")


class FormView(ScrolledColumn):
    claim_changed = Signal()
    """The caret moved to another sentence, or its check arrived."""
    checked = Signal()
    """The check of a field arrived."""
    go_wanted = Signal()
    """The mark of a sentence was clicked: show its place in the paper."""
    left = Signal()
    """Escape was pressed."""

    def __init__(self, session: ReviewSession, parent: QWidget | None = None) -> None:
        super().__init__("Review form", parent)
        self._session = session
        self._state, self._checker = session.state, session.checker
        self._form: tuple[ReviewForm | None, tuple[FormField, ...]] = None, ()
        self._draft = ""
        self._pages: dict[tuple[ReviewForm | None, tuple[FormField, ...]], tuple[QWidget, dict[str, FieldBox]]] = {}
        self.boxes: dict[str, FieldBox] = {}
        self.field = ""  # key of the field that has, or last had, the caret
        self.claim: Claim | None = None
        """The sentence at the caret."""
        self._shown: tuple[object, ...] = ()
        self._revealing = delayed(self, 0, self._reveal)
        session.draft_changed.connect(self._show_draft)
        session.field_changed.connect(self._show_field)
        session.checker.checked.connect(self._show_check)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def _show_draft(self) -> None:
        draft, form = self._state.draft, (self._state.form, self._state.rest)
        key = draft.id if draft is not None else ""
        if form != self._form or key != self._draft:
            self._draft, self.field, self.claim, self._shown = key, "", None, ()
            if form != self._form:
                self._form = form
                self._build()
            for box in self.boxes.values():
                box.control.setEnabled(self._state.can_write)
            self.claim_changed.emit()
        for name in self.boxes:
            self._show_field(name)

    def _build(self) -> None:
        focus, before = self.window().focusWidget(), self.widget()
        inside = focus is not None and before is not None and before.isAncestorOf(focus)
        self.takeWidget()
        if before is not None:  # it may contain unsaved text
            before.setParent(self)
            before.hide()
        if self._form not in self._pages:
            self._pages[self._form] = self._make_page()
        page, self.boxes = self._pages[self._form]
        self.setWidget(page)
        page.show()
        if inside:
            self.take_focus()

    def _make_page(self) -> tuple[QWidget, dict[str, FieldBox]]:
        page, boxes = surface(QWidget(), "Fields"), dict[str, FieldBox]()
        rows = column(margins=(14, 12, 14, 16), spacing=16, of=page)
        form, rest = self._form
        for field in (*(form.fields if form is not None else ()), *rest):
            box = FieldBox(field, page, "not in this form, not exported" if field in rest else "optional")
            box.written.connect(partial(self._written, field.key))
            editor = box.editor
            if editor is not None:
                editor.typed.connect(partial(self._typed, field.key))
                editor.caret_moved.connect(partial(self._caret, field.key))
                editor.entered.connect(partial(self._caret, field.key))
                editor.left.connect(self.left)
                editor.mark_chosen.connect(partial(self._mark_chosen, field.key))
                editor.card_dropped.connect(partial(self._dropped, field.key))
            boxes[field.key] = box
            rows.addWidget(box)
        rows.addStretch(1)
        return page, boxes

    def _show_field(self, name: str) -> None:
        box = self.boxes.get(name)
        if box is not None:
            value, editor = self._state.fields.get(name, ""), box.editor
            # If the text was typed here and saved, keep the field's undo steps.
            if editor is None or editor.text != value or box.draft != self._draft:
                box.show_value(value, self._draft)
            if editor is not None:
                self._checker.look(name, editor.text, at_once=True)
                self._show_check(name)

    def _show_check(self, name: str) -> None:
        self._show_marks(name)
        self.checked.emit()

    def _show_marks(self, name: str) -> None:
        editor = self._editor(name)
        if editor is not None:
            editor.show_check(self._checker.of(name))
        if name == self.field:
            self._take_claim()

    def _editor(self, name: str) -> FieldEditor | None:
        box = self.boxes.get(name)
        return box.editor if box is not None else None

    @property
    def editor(self) -> FieldEditor | None:
        """The editor that has, or last had, the caret."""
        return self._editor(self.field)

    @property
    def check(self) -> FieldCheck:
        return self._checker.of(self.field)

    def _caret(self, name: str) -> None:
        if name != self.field:
            before = self.editor
            if before is not None:
                before.show_current(None)
        self.field = name
        self._take_claim()
        self._reveal()

    def _reveal(self) -> None:
        """Scrolls to the caret while the user is writing."""
        editor = self.editor
        if editor is not None and editor.hasFocus():
            self._reveal_caret(editor)

    def _reveal_caret(self, editor: FieldEditor) -> None:
        rect, page = editor.cursorRect(), self.widget()
        if page is not None:  # otherwise the form is being replaced
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
            editor.show_current(claim)
        shown = (self.field, claim, self.check.tone, self.check.identity, self.check.waiting)
        if shown != self._shown:  # most keys change nothing here
            self._shown = shown
            self.claim_changed.emit()

    def choose(self, name: str, claim: Claim) -> None:
        self.choose_span(name, claim.end, claim.end)

    def choose_span(self, name: str, start: int, end: int) -> None:
        editor, box = self._editor(name), self.boxes.get(name)
        if editor is not None:
            editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
            editor.select(Span(start, end))
            self._caret(name)
        elif box is not None:
            self._go_to(box)

    def _go_to(self, box: FieldBox) -> None:
        box.take_focus()
        self.ensureWidgetVisible(box, 0, 24)

    def show_end(self, name: str) -> None:
        editor = self._editor(name)
        if editor is not None:
            editor.select(Span(len(editor.text), len(editor.text)))
            self._caret(name)
            self._reveal_caret(editor)

    def step_open(self, by: int) -> bool:
        """Goes to the next (1) or previous (-1) sentence to check, wrapping around. Returns False if there is none."""
        wanted = [(name, claim) for name in self.boxes for claim in self._checker.of(name).claims if claim.open]
        if not wanted:
            return False
        names = list(self.boxes)
        here = (names.index(self.field) if self.field in names else -1, self.claim.start if self.claim else -1)
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

    def take_focus(self) -> None:
        box = self.boxes.get(self.field) or next(iter(self.boxes.values()), None)
        if box is not None:
            box.take_focus()

    def step(self, by: int) -> None:
        names = list(self.boxes)
        if not names:
            return
        here = next((n for n, name in enumerate(names) if self.boxes[name].has_focus()), None)
        at = 0 if here is None else min(max(here + by, 0), len(names) - 1)
        self._go_to(self.boxes[names[at]])

    def finish(self) -> None:
        for box in self.boxes.values():
            if box.editor is not None:
                box.editor.finish()

    def _typed(self, name: str) -> None:
        editor = self._editor(name)
        if editor is not None:
            self._checker.look(name, editor.text)
            self._show_marks(name)

    def _written(self, name: str, text: str, coalesce: str, draft: str | None) -> None:
        self._session.act(lambda: self._state.set_field(name, text, coalesce=coalesce, draft_id=draft or self._draft))

    def insert(self, card: EvidenceCard, name: str = "", at: int | None = None) -> bool:
        """Inserts a card as a sentence at ``at`` (default: the caret). Returns False if the form has no text field. A
        card without a stance gets that of the field."""
        name = name or self.field or next((n for n, box in self.boxes.items() if box.editor is not None), "")
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
        part = self.boxes[name].field.part
        stance = _STANCES.get(part, card.stance) if card.stance == "note" else card.stance

        title = f"Insert evidence: {quoted(card.quote or card.ref)}"
        done = self._replace(
            title, editor, span, f"{lead}{sentence}{tail}",
            lambda: self._state.update_card(card, {"field": name, "stance": stance}),
        )  # fmt: skip
        end = span.start + len(lead) + len(sentence)
        self.choose_span(name, end, end)
        return done

    def _dropped(self, name: str, card_id: str, at: int) -> None:
        card = self._state.card(card_id)
        if card is not None:
            self.insert(card, name, at)

    def decide(self, decision: Decision) -> None:
        editor, claim, check = self.editor, self.claim, self.check
        if editor is None or claim is None or check.text != editor.text:
            return
        editor.finish()
        if decision == "question":
            title, span, words = "Turn into question", Span(claim.start, claim.end), question_of(claim.text)
        else:
            rest = decided_text(GroundedReview(check.text, check.claims), {claim.start: "drop"})
            head, tail = common_ends(check.text, rest)
            title, span, words = "Delete sentence", Span(head, len(check.text) - tail), ""
        self._replace(f"{title}: {quoted(claim.text)}", editor, span, words)
        start = span.start + len(words)
        editor.select(Span(start, start))
        self._caret(self.field)

    def improve_tone(self) -> None:
        editor, check = self.editor, self.check
        if editor is None or not check.tone or check.text != editor.text:
            return
        start = self.claim.start if self.claim is not None else 0
        remark = next((one for one in check.tone if one.span.start >= start), check.tone[0])
        span, words = replaced(editor.text, remark, remark.alternatives[0] if remark.alternatives else "")
        editor.finish()
        self._replace("Improve tone", editor, span, words)

    def _replace(
        self, title: str, editor: FieldEditor, span: Span, words: str, then: Callable[[], object] | None = None
    ) -> bool:
        """Replaces words of a field and calls ``then``, in one undo step, which the field's own undo doesn't revert."""

        def replace() -> None:
            editor.replace(span, words)
            editor.finish()
            if then is not None:
                then()

        done = self._session.together(title, replace)
        editor.document().clearUndoRedoStacks()
        return done
