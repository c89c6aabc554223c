"""The form for a study: title, instructions, consent, what is published, questions."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit, number_box
from desktop_app.widgets.labels import hairline, named, text_label
from desktop_app.widgets.layouts import LEFT, TOP, column, labelled, row, side_panel
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
    edited = Signal(str, str, str)
    """A field, its new text, and the study's key."""
    rules_changed = Signal(int, int)
    """Minimum and maximum number of papers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Study")
        self._showing = False
        self.lines = {name: CommittingLineEdit(name, words, self) for name, words in LINES}
        self.texts = {name: CommittingTextEdit(name, words, self) for name, words, _help in TEXTS}
        self._fields: dict[str, CommittingLineEdit | CommittingTextEdit] = {**self.lines, **self.texts}
        for name, field in self._fields.items():
            field.committed.connect(lambda text, _key, of, name=name: self.edited.emit(name, text, of))
        self.least, self.most = (number_box(f"{which} papers", 1, 50, parent=self) for which in ("Fewest", "Most"))
        for spin in (self.least, self.most):
            spin.valueChanged.connect(self._rule)
        self.questions = QuestionsEditor(self)
        fields = [part for name, text in LINES for part in (labelled(text, self.lines[name]), 4)]
        numbers = row(self.least, text_label("to"), self.most, None, spacing=8)
        about = "Optional for participants. Table 1 summarises the answers. Only totals are ever published."
        side = side_panel(
            "Title, contact and questions", 330, self,
            *fields,
            column(text_label("Papers to rate", "small"), numbers, spacing=4), 16,
            text_label("Questions about the participant", "section"),
            text_label(about, "small", wrap=True),
            self.questions,
        )  # fmt: skip
        for name, _words, help_ in TEXTS:
            self.texts[name].setToolTip(help_)
        instructions, *others = (labelled(words, self.texts[name]) for name, words, _help in TEXTS)
        right = column(*((part, 1) for part in others), spacing=4)
        texts = row((instructions, 6), (right, 5), margins=(16, 12, 16, 16), spacing=16)
        row(side, hairline(vertical=True), (texts, 1), of=self, spacing=0)

    def show_study(self, study: Study) -> None:
        self._showing = True
        for name, field in self._fields.items():
            field.show_text(getattr(study, name), study.id)
        self.least.setValue(study.min_papers)
        self.most.setValue(study.max_papers)
        self._showing = False
        self.questions.show_questions(study.questions, study.id)

    def _rule(self) -> None:
        if not self._showing:
            # Changes the other number as well if this one would pass it.
            least, most = self.least.value(), self.most.value()
            if least > most:
                least, most = (least, least) if self.sender() is self.least else (most, most)
            self.rules_changed.emit(least, most)

    def take_focus(self) -> None:
        self.lines["title"].setFocus()
        self.lines["title"].selectAll()


class QuestionsEditor(QWidget):
    """Two lines per question: its text, and the choices separated by semicolons (none for free text)."""

    changed = Signal(object, str)
    """A function that returns the new questions for the stored ones, and the study's key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Questions")
        self._questions: tuple[Question, ...] = ()
        self._study_id = ""
        self.rows: list[tuple[QWidget, CommittingLineEdit, CommittingLineEdit]] = []
        """By position; may be longer than the questions, since a removed field keeps text it couldn't save."""
        self.add = named(QPushButton("Add question", self), "Add question")
        self.add.setProperty("role", "link")
        self.add.clicked.connect(self._add)
        self._column = column((self.add, LEFT), margins=(0, 4, 0, 0), spacing=8, of=self)

    def show_questions(self, questions: Sequence[Question], study_id: str) -> None:
        self._questions, self._study_id = tuple(questions), study_id
        while len(self.rows) < len(questions):
            self._add_row(len(self.rows))
        for place, (part, words, choices) in enumerate(self.rows):
            shown = questions[place] if place < len(questions) else None
            whose = (study_id, shown.key) if shown is not None else None
            words.show_text(shown.words if shown is not None else "", whose)
            choices.show_text("; ".join(shown.choices) if shown is not None else "", whose)
            if not choices.hasFocus():
                choices.setCursorPosition(0)
            part.setVisible(shown is not None)

    def _add_row(self, place: int) -> None:
        part = QWidget(self)
        words = CommittingLineEdit("words", f"Question {place + 1}", part)
        choices = CommittingLineEdit("choices", f"Choices of question {place + 1}", part)
        choices.setPlaceholderText("Choices, separated by semicolons")
        gone = IconButton("trash", f"Remove question {place + 1}", parent=part)
        gone.clicked.connect(lambda: self.remove(place))
        words.committed.connect(lambda text, _key, whose: self._edited(whose, words=text.strip()))
        choices.committed.connect(
            lambda text, _key, whose: self._edited(whose, choices=tuple(filter(None, map(str.strip, text.split(";")))))
        )
        row((column(words, choices, spacing=2), 1), (gone, TOP), spacing=2, of=part)
        self._column.insertWidget(place, part)
        self.rows.append((part, words, choices))

    def _edited(self, whose: tuple[str, str] | None, **values: Any) -> None:
        if whose is not None and values.get("words") != "":  # a question keeps its text if the new one is empty
            self.changed.emit(lambda asked: [q._replace(**values) if q.key == whose[1] else q for q in asked], whose[0])

    def _add(self) -> None:
        new = Question(new_id(), "New question", ())
        self.changed.emit(lambda asked: [*asked, new], self._study_id)
        if new in self._questions:
            words = self.rows[len(self._questions) - 1][1]
            words.setFocus()
            words.selectAll()

    def remove(self, place: int) -> None:
        key = self._questions[place].key
        self.changed.emit(lambda asked: [question for question in asked if question.key != key], self._study_id)
