"""The page about the participant: name, questions, e-mail address, publications."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QComboBox, QWidget

from desktop_app import present
from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.entry_field import EntryField
from desktop_app.panes.survey.state import Survey, details, heading
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import CommittingLineEdit
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import ElidedLabel, hairline, named, text_label
from desktop_app.widgets.layouts import column, command_buttons, labelled, panel, row, side_panel
from desktop_app.widgets.record_list import LEFT, RecordList, draw_text
from engine.expertise.records import ProfileRow, Question
from engine.shown import visible_line

TICK_WIDTH, ROW = 40, 44


class PublicationsList(RecordList):
    """Tick, title, and below it authors with year; publications left out are struck through. A click on the tick
    toggles it."""

    tick_clicked = Signal(str, bool)
    """Row key, and whether it is to be included."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Your publications", _paint, lambda _row: theme().px(ROW),
            lambda row: f"{heading(row.paper)}, {'included' if row.kept else 'left out'}",
            key=lambda row: row.id, parent=parent,
            tip=lambda row: f"{heading(row.paper)}\n{details(row.paper)}".strip(),
        )  # fmt: skip
        self.setUniformItemSizes(True)

    def show_rows(self, rows: Sequence[ProfileRow]) -> None:
        place = self.currentIndex().row()
        self.show_records(rows)
        if rows and self.currentIndex().row() < 0:
            self.select_row(min(max(place, 0), len(rows) - 1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        at = self.indexAt(event.position().toPoint())
        left = event.button() == Qt.MouseButton.LeftButton
        if left and at.isValid() and event.position().x() < theme().px(TICK_WIDTH):
            row = self.records[at.row()]
            self.tick_clicked.emit(row.id, not row.kept)


def _paint(painter: QPainter, rect: QRect, row: ProfileRow, _selected: bool) -> None:
    t, px = theme().tokens, theme().px
    box = QRect(rect.left() + 14, rect.top() + px(8), px(14), px(14))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme().colour("accent" if row.kept else "control_border"))
    painter.setBrush(theme().colour("accent" if row.kept else "surface"))
    painter.drawRoundedRect(box, 4, 4)
    if row.kept:
        theme().icon("check", "on_accent").paint(painter, box.adjusted(1, 1, -1, -1))
    font = theme().font()
    font.setStrikeOut(not row.kept)
    left = rect.left() + px(TICK_WIDTH)
    title = QRect(left, rect.top() + px(5), rect.right() - left - 12, px(18))
    draw_text(painter, title, LEFT, heading(row.paper), font, t.ink if row.kept else t.muted)
    below = details(row.paper) or "Authors and year unknown"
    draw_text(painter, title.translated(0, px(18)), LEFT, below, theme().font("small"), t.muted)


HINT = "Type a title or paste a link, DOI or BibTeX, then press Enter"
NO_ANSWER = "Prefer not to say"


class ProfilePage(QWidget):
    answered = Signal(str, str)
    """The key of a question, and the answer."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setAccessibleName("About you")
        self._questions: tuple[Question, ...] = ()
        self._fields: dict[str, QComboBox | CommittingLineEdit] = {}
        self.name = CommittingLineEdit("name", "Your name")
        self.name.setPlaceholderText("As on your papers")
        self.email = CommittingLineEdit("email", "Your e-mail address")
        self.email.setPlaceholderText("name@example.org")
        self.entry = EntryField("Add a publication", HINT)
        self.list = PublicationsList()
        self.entry.left_downwards.connect(self.list.setFocus)
        self.list.set_message(
            "No publications yet. Add them all at once from a BibTeX file, a CSV table or your Semantic Scholar author"
            " file: drop it here."
        )
        self.count = text_label("", "muted")
        self.said = ElidedLabel("small")
        self.add_file = CommandButton(registry, "participant.add_file", text="Add file…")
        self._answers = QWidget()
        private = "Stays on this computer, separate from your answers. It isn't in any file you send."
        side = side_panel(
            "About you", 330, self,
            text_label("You", "section"), 4, labelled("Name", self.name), self._answers, 16,
            panel("", labelled("E-mail (optional)", self.email), text_label(private, "small", wrap=True)),
        )  # fmt: skip
        note = text_label(
            "Algorithms use them to estimate your expertise. Include those that represent your current work.",
            "muted", wrap=True,
        )  # fmt: skip
        note.setContentsMargins(16, 0, 16, 0)
        title = text_label("Your publications", "section")
        names = {"keep": "", "keep_all": "", "edit": "Edit", "remove": ""}
        buttons = command_buttons(registry, "participant", names, quiet=True).values()
        right = column(
            row(title, (self.count, 1), margins=(16, 16, 16, 4), spacing=12), note,
            row((self.entry, 1), self.add_file, margins=(16, 8, 16, 2), spacing=8),
            row(self.said, margins=(18, 0, 16, 6)), hairline(), (self.list, 1), hairline(),
            row(*buttons, None, margins=(12, 4, 12, 4), spacing=6),
        )  # fmt: skip
        row(side, hairline(vertical=True), (right, 1), of=self, spacing=0)

    def show_survey(self, survey: Survey) -> None:
        self.name.show_text(survey.participant.name)
        self.email.show_text(survey.email)
        if survey.study.questions != self._questions:
            self._show_questions(survey.study.questions)
        answers = dict(survey.participant.answers)
        for key, field in self._fields.items():
            answer = answers.get(key, "")
            if isinstance(field, QComboBox):
                field.setCurrentIndex(max(field.findData(answer), 0))
            else:
                field.show_text(answer)
        self.list.show_rows(survey.profile)
        left_out = len(survey.profile) - survey.kept
        text = f"{survey.kept} included" + (f", {left_out} left out" if left_out else "")
        self.count.setText(text if survey.profile else "")

    def _show_questions(self, questions: tuple[Question, ...]) -> None:
        self._questions, self._fields = questions, {question.key: self._field(question) for question in questions}
        text = "Optional. Only totals over all participants are ever published."
        about = (12, text_label(text, "small", wrap=True)) if questions else ()
        fields = [part for question in questions for part in (6, labelled(question.words, self._fields[question.key]))]
        shown = QWidget()
        column(*about, *fields, spacing=4, of=shown)
        parent = present(self._answers.parentWidget())
        layout = present(parent.layout())
        layout.replaceWidget(self._answers, shown)
        self._answers.hide()
        self._answers.deleteLater()
        self._answers = shown

    def _field(self, question: Question) -> QComboBox | CommittingLineEdit:
        if not question.choices:
            line = CommittingLineEdit(question.key, question.words)
            line.committed.connect(lambda text, _key: self.answered.emit(question.key, text))
            return line
        combo = named(QComboBox(), question.words)
        combo.addItem(NO_ANSWER, "")
        for choice in question.choices:
            combo.addItem(visible_line(choice), choice)
        combo.activated.connect(lambda _n: self.answered.emit(question.key, combo.currentData()))
        KeepsKeys(combo)
        return combo

    def say(self, text: str = "") -> None:
        self.said.setText(text)

    def take_focus(self) -> None:
        (self.name if not self.name.text() else self.entry).setFocus()
