"""The venue's form: its fields one below the other, each with its budget."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.panes.review.desk import ReviewDesk
from desktop_app.theme import theme
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import set_role, text_label
from engine.review_drafting.forms import FormField, ReviewForm, state
from engine.reviews.limits import unit_name


class FieldBox(QWidget):
    """One field of a form: title, budget, and the control that its kind asks for."""

    written = Signal(str, str)
    """The field's value, and the key of the visit that it was typed in ("" for a choice)."""

    def __init__(self, field: FormField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._value = ""
        title = text_label(field.title if field.required else f"{field.title} (optional)", "section", parent=self)
        title.setToolTip(field.help)
        self.budget = text_label("", "small", parent=self)
        self.budget.setFont(theme().font("small", tabular=True))
        self.budget.setAccessibleName(f"Budget of {field.title}")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.budget)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self._rows.addLayout(head)
        self.control = self._make()
        self._rows.addWidget(self.control)

    def _make(self) -> QWidget:
        field = self.field
        if field.kind == "choice":
            box = QComboBox(self)
            box.addItem("not chosen yet", "")
            for option in field.options:
                box.addItem(option.label, option.value)
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.setAccessibleName(field.title)
            KeepsKeys(box)
            box.activated.connect(lambda _at: self.written.emit(box.currentData(), ""))
            return box
        if field.kind == "choices":
            return self._make_choices()
        edit = (
            CommittingLineEdit(field.key, field.title, self)
            if field.kind == "line"
            else CommittingTextEdit(field.key, field.title, self)
        )
        edit.setPlaceholderText(field.help)
        edit.committed.connect(self.written)
        edit.textChanged.connect(self.show_state)
        return edit

    def _make_choices(self) -> QWidget:
        group = QWidget(self)
        rows = QVBoxLayout(group)
        rows.setContentsMargins(0, 0, 0, 0)
        self._checks: list[tuple[str, QCheckBox]] = []
        for option in self.field.options:
            check = QCheckBox(option.label, group)
            check.setAccessibleName(option.label)
            KeepsKeys(check)
            check.clicked.connect(self._checked)
            rows.addWidget(check)
            self._checks.append((option.value, check))
        return group

    def _checked(self) -> None:
        self.written.emit("\n".join(value for value, check in self._checks if check.isChecked()), "")

    @property
    def value(self) -> str:
        """What the control shows now."""
        control = self.control
        if isinstance(control, CommittingTextEdit):
            return control.toPlainText()
        if isinstance(control, CommittingLineEdit):
            return control.text()
        return self._value

    def show_value(self, value: str) -> None:
        """What the project has."""
        self._value = value
        control = self.control
        if isinstance(control, (CommittingTextEdit, CommittingLineEdit)):
            control.show_text(value)
        elif isinstance(control, QComboBox):
            control.setCurrentIndex(max(0, control.findData(value)))
        else:
            chosen = value.split("\n")
            for key, check in self._checks:
                check.setChecked(key in chosen)
        self.show_state()

    def show_state(self) -> None:
        """Length and limit, as the venue counts."""
        field = self.field
        stands = state(field, self.value)
        if field.kind not in ("text", "line"):
            self.budget.setText("")
            return
        words = f"{stands.spent:,}"
        if field.limit is not None:
            words += f" of {field.limit:,}"
        self.budget.setText(f"{words} {unit_name(field.unit, stands.spent)}")
        over = field.limit is not None and stands.spent > field.limit
        set_role(self.budget, "danger" if over else "small")


class FormView(QScrollArea):
    """The fields of the draft at hand."""

    def __init__(self, desk: ReviewDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._form: ReviewForm | None = None
        self._draft = ""
        self.boxes: dict[str, FieldBox] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Review form")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        desk.draft_changed.connect(self._show_draft)
        desk.field_changed.connect(self._show_field)

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
        rows.setContentsMargins(16, 12, 16, 16)
        rows.setSpacing(16)
        self.boxes = {}
        for field in self._form.fields if self._form is not None else ():
            box = FieldBox(field, page)
            box.written.connect(partial(self._written, field.key))
            box.control.setEnabled(self._desk.can_write)
            self.boxes[field.key] = box
            rows.addWidget(box)
        rows.addStretch(1)
        self.setWidget(page)

    def _show_field(self, name: str) -> None:
        box = self.boxes.get(name)
        if box is not None:
            box.show_value(self._desk.fields.get(name, ""))

    def _written(self, name: str, text: str, coalesce: str) -> None:
        self._desk.set_field(name, text, coalesce=coalesce)
