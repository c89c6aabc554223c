"""The texts and rules of a study: title, instructions, consent, what is published, questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QSpinBox, QWidget

from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.layouts import LEFT, column, labelled, row, side_panel
from engine.expertise.records import Question, Study
from engine.project import new_id

LINES = (("title", "Title"), ("organiser", "Organiser"), ("contact", "Send answers to"))
TEXTS = (
    ("instructions", "Instructions", "Separate paragraphs with an empty line. **Text between stars** is bold."),
    ("consent", "Consent", "What participants agree to. Leave it empty if no consent is needed."),
    ("released", "What will be made public", ""),
    ("withheld", "What will stay private", ""),
)


class StudyForm(QWidget):
    """Shows a study and emits what was changed."""

    edited = Signal(str, str)
    rules_changed = Signal(int, int)
    """Fewest and most papers."""
    questions_changed = Signal(object)
    """All questions, as a tuple."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Study")
        self._showing = False
        self.lines = {name: CommittingLineEdit(name, words, self) for name, words in LINES}
        self.texts = {name: CommittingTextEdit(name, words, self) for name, words, _help in TEXTS}
        self._fields: dict[str, CommittingLineEdit | CommittingTextEdit] = {**self.lines, **self.texts}
        for name, field in self._fields.items():
            field.committed.connect(lambda text, _key, name=name: self.edited.emit(name, text))
        self.least, self.most = self._number("Fewest papers"), self._number("Most papers")
        for spin in (self.least, self.most):
            spin.valueChanged.connect(self._rule)
        self.questions = QuestionsEditor(self)
        self.questions.changed.connect(self.questions_changed)
        fields = [part for name, text in LINES for part in (labelled(text, self.lines[name]), 4)]
        numbers = row(self.least, text_label("to"), self.most, None, spacing=8)
        about = "Optional for participants. The answers fill Table 1; only counts are ever published."
        side = side_panel(
            "Title, contact and questions", 330, self,
            *fields,
            column(text_label("Papers to rate", "small"), numbers, spacing=4), 16,
            text_label("Questions about the participant", "section"),
            text_label(about, "small", wrap=True),
            self.questions,
        )  # fmt: skip
        grid = QGridLayout()
        grid.setContentsMargins(16, 12, 16, 16)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for place, (name, words, help_) in enumerate(TEXTS):
            column_at, row_at = (0, 0) if place == 0 else (1, 2 * (place - 1))
            label = text_label(words, "small")
            label.setBuddy(self.texts[name])
            label.setToolTip(help_)
            grid.addWidget(label, row_at, column_at)
            grid.addWidget(self.texts[name], row_at + 1, column_at, 5 if place == 0 else 1, 1)
        for row_at in (1, 3, 5):
            grid.setRowStretch(row_at, 1)
        grid.setColumnStretch(0, 6)
        grid.setColumnStretch(1, 5)
        row(side, hairline(vertical=True), (grid, 1), of=self, spacing=0)

    def _number(self, name: str) -> QSpinBox:
        spin = QSpinBox(self)
        spin.setAccessibleName(name)
        spin.setRange(1, 50)
        spin.setKeyboardTracking(False)
        spin.lineEdit().setTextMargins(5, 0, 0, 0)
        return spin

    def show_study(self, study: Study) -> None:
        self._showing = True
        for name, field in self._fields.items():
            field.show_text(getattr(study, name))
        self.least.setValue(study.min_papers)
        self.most.setValue(study.max_papers)
        self._showing = False
        self.questions.show_questions(study.questions)

    def _rule(self) -> None:
        if not self._showing:
            # The other number moves along if this one would pass it.
            least, most = self.least.value(), self.most.value()
            if least > most:
                least, most = (least, least) if self.sender() is self.least else (most, most)
            self.rules_changed.emit(least, most)

    def take_focus(self) -> None:
        self.lines["title"].setFocus()
        self.lines["title"].selectAll()


class QuestionsEditor(QWidget):
    """Two lines per question: its text, and the choices separated by semicolons (none for free text)."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Questions")
        self._questions: tuple[Question, ...] = ()
        self._shown: list[str] = []
        self.fields: dict[str, tuple[CommittingLineEdit, CommittingLineEdit]] = {}
        self._rows: list[QWidget] = []
        self.add = QPushButton("Add question", self)
        self.add.setAccessibleName("Add question")
        self.add.setProperty("role", "link")
        self.add.clicked.connect(self._add)
        self._column = column((self.add, LEFT), margins=(0, 4, 0, 0), spacing=8, of=self)

    def show_questions(self, questions: Sequence[Question]) -> None:
        """Shows questions; fields of questions that remain are kept."""
        self._questions = tuple(questions)
        keys = [question.key for question in questions]
        if keys != self._shown:
            self._rebuild(keys)
        for question in questions:
            words, choices = self.fields[question.key]
            words.show_text(question.words)
            choices.show_text("; ".join(question.choices))
            if not choices.hasFocus():
                choices.setCursorPosition(0)

    def _rebuild(self, keys: list[str]) -> None:
        for shown in self._rows:
            self._column.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        self._shown, self._rows, self.fields = keys, [], {}
        for place, key in enumerate(keys):
            row = QWidget(self)
            words = CommittingLineEdit(f"{key}:words", f"Question {place + 1}", row)
            choices = CommittingLineEdit(f"{key}:choices", f"Choices of question {place + 1}", row)
            choices.setPlaceholderText("Choices; separated; by semicolons")
            gone = IconButton("trash", f"Remove question {place + 1}", parent=row)
            gone.clicked.connect(lambda _checked=False, key=key: self._remove(key))
            words.committed.connect(lambda _text, _key: self._commit())
            choices.committed.connect(lambda _text, _key: self._commit())
            grid = QGridLayout(row)
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setSpacing(2)
            grid.addWidget(words, 0, 0)
            grid.addWidget(gone, 0, 1)
            grid.addWidget(choices, 1, 0, 1, 2)
            self._column.insertWidget(place, row)
            self._rows.append(row)
            self.fields[key] = (words, choices)
            row.show()

    def _commit(self) -> None:
        found = []
        for question in self._questions:
            words, choices = self.fields[question.key]
            split = tuple(choice.strip() for choice in choices.text().split(";") if choice.strip())
            found.append(Question(question.key, words.text().strip() or question.words, split))
        if tuple(found) != self._questions:
            self.changed.emit(tuple(found))

    def _add(self) -> None:
        self.changed.emit((*self._questions, Question(new_id(), "New question", ())))
        if self._shown:
            words = self.fields[self._shown[-1]][0]
            words.setFocus()
            words.selectAll()

    def _remove(self, key: str) -> None:
        self.changed.emit(tuple(question for question in self._questions if question.key != key))
