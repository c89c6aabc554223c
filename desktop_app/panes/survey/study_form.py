"""What the organiser says to participants: title, instructions, consent, what is released, questions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop_app.theme import theme
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.widgets.labels import hairline, scrolled, text_label
from engine.expertise.records import Question, Study
from engine.project import new_id

LINES = (("title", "Title"), ("organiser", "Who runs it"), ("contact", "Where answers are sent to"))
TEXTS = (
    ("instructions", "Instructions", "Paragraphs are set apart by an empty line; **words** in stars are bold."),
    ("consent", "Consent", "What a participant agrees to. Empty: none is asked for."),
    ("released", "What will be made public", ""),
    ("withheld", "What will not", ""),
)


class StudyForm(QWidget):
    """Shows a study and tells what was changed; the pane writes it."""

    edited = Signal(str, str)
    ruled = Signal(int, int)
    asked = Signal(object)
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
        self.questions.asked.connect(self.asked)
        short = QWidget()
        short.setProperty("role", "ground")
        column = QVBoxLayout(short)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(4)
        for name, words in LINES:
            column.addWidget(self._label(words, self.lines[name]))
            column.addWidget(self.lines[name])
            column.addSpacing(4)
        column.addWidget(self._label("How many papers are asked for", self.least))
        numbers = QHBoxLayout()
        numbers.setSpacing(8)
        numbers.addWidget(self.least)
        numbers.addWidget(text_label("to", parent=self))
        numbers.addWidget(self.most)
        numbers.addStretch(1)
        column.addLayout(numbers)
        column.addSpacing(16)
        column.addWidget(text_label("Questions about the person", "section", parent=self))
        words = "Optional for the participant; they fill Table 1. Only counts are ever published."
        column.addWidget(text_label(words, "small", wrap=True, parent=self))
        column.addWidget(self.questions)
        column.addStretch(1)
        self.scroller = scrolled(short, "The study in short", self)
        grid = QGridLayout()
        grid.setContentsMargins(16, 12, 16, 16)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for place, (name, words, help_) in enumerate(TEXTS):
            column_at, row_at = (0, 0) if place == 0 else (1, 2 * (place - 1))
            label = self._label(words, self.texts[name])
            label.setToolTip(help_)
            grid.addWidget(label, row_at, column_at)
            grid.addWidget(self.texts[name], row_at + 1, column_at, 5 if place == 0 else 1, 1)
        for row_at in (1, 3, 5):
            grid.setRowStretch(row_at, 1)
        grid.setColumnStretch(0, 6)
        grid.setColumnStretch(1, 5)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.scroller)
        layout.addWidget(hairline(vertical=True, parent=self))
        layout.addLayout(grid, 1)
        theme().changed.connect(self._resize)
        self._resize()

    def _label(self, words: str, buddy: QWidget) -> QLabel:
        label = text_label(words, "small", parent=self)
        label.setBuddy(buddy)
        return label

    def _number(self, name: str) -> QSpinBox:
        spin = QSpinBox(self)
        spin.setAccessibleName(name)
        spin.setRange(1, 50)
        spin.setKeyboardTracking(False)
        spin.lineEdit().setTextMargins(5, 0, 0, 0)
        return spin

    def _resize(self) -> None:
        self.scroller.setFixedWidth(theme().px(330))

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
            # The number that was not touched follows where the other would pass it.
            least, most = self.least.value(), self.most.value()
            if least > most:
                least, most = (least, least) if self.sender() is self.least else (most, most)
            self.ruled.emit(least, most)

    def take_focus(self) -> None:
        self.lines["title"].setFocus()
        self.lines["title"].selectAll()


class QuestionsEditor(QWidget):
    """One pair of lines a question: its words, and the choices set apart by semicolons (none: free text)."""

    asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Questions")
        self._questions: tuple[Question, ...] = ()
        self._shown: list[str] = []
        self.fields: dict[str, tuple[CommittingLineEdit, CommittingLineEdit]] = {}
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._column.setSpacing(8)
        self.add = QPushButton("Add a question", self)
        self.add.setAccessibleName("Add a question")
        self.add.setProperty("role", "link")
        self.add.clicked.connect(self._add)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_questions(self, questions: Sequence[Question]) -> None:
        """Keeps the fields of questions that are still there."""
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
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._shown, self._rows, self.fields = keys, [], {}
        for place, key in enumerate(keys):
            row = QWidget(self)
            words = CommittingLineEdit(f"{key}:words", f"Question {place + 1}", row)
            choices = CommittingLineEdit(f"{key}:choices", f"Choices of question {place + 1}", row)
            choices.setPlaceholderText("Choices; set apart; like this")
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
            self.asked.emit(tuple(found))

    def _add(self) -> None:
        self.asked.emit((*self._questions, Question(new_id(), "A new question", ())))
        if self._shown:
            words = self.fields[self._shown[-1]][0]
            words.setFocus()
            words.selectAll()

    def _remove(self, key: str) -> None:
        self.asked.emit(tuple(question for question in self._questions if question.key != key))
