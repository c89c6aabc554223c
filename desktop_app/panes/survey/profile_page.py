"""About the participant: name, questions, own publications; and, apart from all that, the e-mail address."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.entry_field import EntryField
from desktop_app.panes.survey.publications import PublicationsList
from desktop_app.panes.survey.state import SurveyState
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, hairline, scrolled, text_label
from engine.expertise.records import Question

HINT = "Type a title, or paste a link, DOI or BibTeX, then Enter"
NO_ANSWER = "Rather not say"


class ProfilePage(QWidget):
    """Tells what was entered; the pane writes it."""

    named = Signal(str)
    answered = Signal(str, str)
    mailed = Signal(str)
    entered = Signal(str)
    kept = Signal(str, bool)
    came_to_hand = Signal()

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("About you")
        self._questions: tuple[Question, ...] = ()
        self._fields: dict[str, QComboBox | CommittingLineEdit] = {}
        self.name = CommittingLineEdit("name", "Your name", self)
        self.name.setPlaceholderText("As it stands on your papers")
        self.name.committed.connect(lambda text, _key: self.named.emit(text))
        self.email = CommittingLineEdit("email", "Your e-mail address", self)
        self.email.setPlaceholderText("name@example.org")
        self.email.committed.connect(lambda text, _key: self.mailed.emit(text))
        self.entry = EntryField("Add a publication", HINT, self)
        self.entry.entered.connect(self.entered)
        self.entry.left_downwards.connect(self._to_list)
        self.list = PublicationsList(self)
        self.list.set_message(
            "None yet. A BibTeX file, a table (CSV), or your author file of Semantic Scholar brings in all at once;"
            " drop it here."
        )
        self.list.tick_clicked.connect(self.kept)
        self.list.selectionModel().currentChanged.connect(lambda *_rows: self.came_to_hand.emit())
        self.count = text_label("", "muted", parent=self)
        self.said = ElidedLabel("small", self)
        self._build(registry)

    def _build(self, registry: CommandRegistry) -> None:
        about = QWidget()
        about.setProperty("role", "ground")
        left = QVBoxLayout(about)
        left.setContentsMargins(16, 16, 16, 16)
        left.setSpacing(4)
        left.addWidget(text_label("You", "section", parent=about))
        left.addSpacing(4)
        left.addWidget(self._label("Name", self.name))
        left.addWidget(self.name)
        self._answers = QVBoxLayout()
        self._answers.setSpacing(4)
        left.addLayout(self._answers)
        left.addSpacing(16)
        panel = QFrame(about)
        panel.setProperty("role", "panel")
        inner = QVBoxLayout(panel)
        inner.setContentsMargins(12, 10, 12, 12)
        inner.setSpacing(4)
        inner.addWidget(self._label("E-mail, if you like", self.email))
        inner.addWidget(self.email)
        words = "Kept on this computer, apart from your answers. It never leaves: no file that you send holds it."
        inner.addWidget(text_label(words, "small", wrap=True, parent=panel))
        left.addWidget(panel)
        left.addStretch(1)
        self.scroller = scrolled(about, "About you", self)
        head = QHBoxLayout()
        head.setContentsMargins(16, 16, 16, 4)
        head.setSpacing(12)
        head.addWidget(text_label("Your own publications", "section", parent=self))
        head.addWidget(self.count, 1)
        note = text_label(
            "Programs read them to guess what you know. Keep those that speak for your present work.",
            "muted", wrap=True, parent=self,
        )  # fmt: skip
        note.setContentsMargins(16, 0, 16, 0)
        top = QHBoxLayout()
        top.setContentsMargins(16, 8, 16, 2)
        top.setSpacing(8)
        top.addWidget(self.entry, 1)
        self.add_file = CommandButton(registry, "participant.add_file", text="Add a file…", parent=self)
        top.addWidget(self.add_file)
        said = QHBoxLayout()
        said.setContentsMargins(18, 0, 16, 6)
        said.addWidget(self.said)
        keys = QHBoxLayout()
        keys.setContentsMargins(12, 4, 12, 4)
        for command, short in (("keep", ""), ("keep_all", ""), ("edit", "Correct"), ("remove", "")):
            keys.addWidget(CommandButton(registry, f"participant.{command}", text=short, quiet=True, parent=self))
        keys.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addLayout(head)
        right.addWidget(note)
        right.addLayout(top)
        right.addLayout(said)
        right.addWidget(hairline(parent=self))
        right.addWidget(self.list, 1)
        right.addWidget(hairline(parent=self))
        right.addLayout(keys)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.scroller)
        layout.addWidget(hairline(vertical=True, parent=self))
        layout.addLayout(right, 1)
        theme().changed.connect(self._resize)
        self._resize()

    def _label(self, words: str, buddy: QWidget) -> QWidget:
        label = text_label(words, "small", parent=self)
        label.setBuddy(buddy)
        return label

    def _resize(self) -> None:
        self.scroller.setFixedWidth(theme().px(330))

    def show_state(self, state: SurveyState) -> None:
        self.name.show_text(state.participant.name)
        self.email.show_text(state.email)
        if state.study.questions != self._questions:
            self._ask(state.study.questions)
        answers = dict(state.participant.answers)
        for key, field in self._fields.items():
            answer = answers.get(key, "")
            if isinstance(field, QComboBox):
                field.setCurrentIndex(max(field.findData(answer), 0))
            else:
                field.show_text(answer)
        self.list.show_rows(state.profile)
        left_out = len(state.profile) - state.kept
        words = f"{state.kept} kept" + (f", {left_out} left out" if left_out else "")
        self.count.setText(words if state.profile else "")

    def _ask(self, questions: tuple[Question, ...]) -> None:
        self._questions, self._fields = questions, {}
        while self._answers.count():
            item = self._answers.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if questions:
            words = "Optional; only counts over all participants are ever published."
            self._answers.addSpacing(12)
            self._answers.addWidget(text_label(words, "small", wrap=True, parent=self))
        before: QWidget = self.name
        for question in questions:
            self._answers.addSpacing(6)
            field = self._field(question)
            self._answers.addWidget(self._label(question.words, field))
            self._answers.addWidget(field)
            self._fields[question.key] = field
            self.setTabOrder(before, field)
            before = field
        for after in (self.email, self.entry, self.add_file, self.list):
            self.setTabOrder(before, after)
            before = after

    def _field(self, question: Question) -> QComboBox | CommittingLineEdit:
        if not question.choices:
            line = CommittingLineEdit(question.key, question.words, self)
            line.committed.connect(lambda text, _key, key=question.key: self.answered.emit(key, text))
            return line
        combo = QComboBox(self)
        combo.setAccessibleName(question.words)
        combo.addItem(NO_ANSWER, "")
        for choice in question.choices:
            combo.addItem(choice, choice)
        combo.activated.connect(lambda _n, key=question.key: self.answered.emit(key, combo.currentData()))
        KeepsKeys(combo)
        return combo

    def say(self, words: str = "") -> None:
        """What is going on, under the entry field."""
        self.said.setText(words)
        self.said.setToolTip(words)

    def _to_list(self) -> None:
        self.list.setFocus()

    def take_focus(self) -> None:
        (self.name if not self.name.text() else self.entry).setFocus()
