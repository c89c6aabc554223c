"""The first page (what the study is about and does with the answers) and the last one (the answers file)."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QScrollArea, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import Survey, minutes, rich
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import HtmlLabel, hairline, named, text_label
from desktop_app.widgets.layouts import LEFT, TOP, column, panel, row, side_panel, tabs
from engine.exchange.study_file import AnswersPreview
from engine.expertise.records import Remark
from engine.shown import counted, local_time

WIDTH = 1120


class ConsentPage(QScrollArea):
    """Everything to read in one view: instructions on the left, consent and publication on the right."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setAccessibleName("About the study")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.title = text_label("", "title", wrap=True)
        self.who = text_label("", "muted", wrap=True)
        self.instructions, self.consent, self.released, self.withheld = (_reading() for _ in range(4))
        self.agreed = text_label("", "muted", wrap=True)
        self.take_back = CommandButton(registry, "participant.take_back", quiet=True)
        self._panels = {
            self.released: panel("What will be made public", self.released),
            self.withheld: panel("What will stay private", self.withheld),
            self.consent: panel("Your consent", self.consent, self.agreed, (self.take_back, LEFT)),
        }
        columns = row(
            (column(self.instructions, None), 6), (column(*self._panels.values(), None, spacing=12), 5), spacing=32
        )
        self._inner = QWidget()
        column(self.title, self.who, 12, columns, spacing=4, of=self._inner)
        page = QWidget()
        page.setProperty("role", "surface")
        row(None, (column(self._inner, None), 100), None, margins=(32, 24, 32, 24), of=page, spacing=0)
        self.setWidget(page)
        theme().follow(self._restyle)

    def _restyle(self) -> None:
        self._inner.setMaximumWidth(theme().px(WIDTH))
        for label in (self.instructions, *self._panels):
            label.setFont(theme().reading_font(14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._restyle()  # the stylesheet, applied only now, replaced the labels' font

    def show_survey(self, survey: Survey) -> None:
        study, given = survey.study, survey.participant.consented_at
        self.title.setText(study.title)
        by = [f"Run by {study.organiser}" if study.organiser else "", study.contact]
        self.who.setText(" · ".join(part for part in by if part))
        self.who.setHidden(not self.who.text())
        self.instructions.setText(rich(study.instructions))
        for label, text in (
            (self.consent, study.consent),
            (self.released, study.released),
            (self.withheld, study.withheld),
        ):
            label.setText(rich(text))
            self._panels[label].setHidden(not text.strip())
        self.agreed.setText(f"✓ You agreed on {local_time(given)}." if given else "")
        self.agreed.setHidden(not given)
        self.take_back.setHidden(not given)

    def take_focus(self) -> None:
        self.setFocus()


def _reading() -> QLabel:
    label = HtmlLabel()
    label.setAlignment(TOP)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


READY = "The file you send contains this and nothing else"
NOT_YET = "You'll see the file here once everything needed is filled in; the list on the right says what's missing."


class ReleasePage(QWidget):
    """Shows what would be sent, as readable text and as the file itself."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setAccessibleName("Check and save")
        self.tabs = tabs("How the answers are shown", ("Summary", "File contents"), self)
        self.tabs.currentChanged.connect(lambda _n: self._show())
        self.text = named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), "What would be sent")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self._words = self._file = ""
        self.heading = text_label(READY, "section")
        left = column(self.heading, self.tabs, (self.text, 1), margins=(16, 12, 0, 0), spacing=4)
        self.saved_words, self.block_words, self.remark_words, self.stays_words = (
            text_label("", wrap=True) for _ in range(4)
        )
        self.saved_words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        folder, time = (
            CommandButton(registry, f"participant.{verb}", quiet=True) for verb in ("show_folder", "forget_time")
        )
        self.saved = panel("Answers file", self.saved_words, (folder, LEFT))
        self.blocks = panel("Still needed", self.block_words)
        self.remarks = panel("Worth checking", self.remark_words)
        stays = panel("Stays on this computer", self.stays_words, (time, LEFT))
        side = side_panel(
            "Before you send the file", 380, self, self.saved, self.blocks, self.remarks, stays, spacing=8
        )
        row((left, 1), hairline(vertical=True), side, of=self, spacing=0)
        theme().follow(self._resize)

    def _resize(self) -> None:
        self.text.setFont(theme().reading_font(14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._resize()  # the stylesheet, applied only now, replaced the font

    def show_survey(self, survey: Survey, seconds: float) -> None:
        """Shows everything except the file itself; ``seconds`` is the measured time."""
        gentle = [remark for remark in survey.remarks if remark.level == "remark"]
        self.block_words.setText(_listed(survey.blocks))
        self.blocks.setHidden(not survey.blocks)
        self.remark_words.setText(_listed(gentle))
        self.remarks.setHidden(not gentle)
        mail = f"Your e-mail address: {survey.email}" if survey.email else "Your e-mail address: none entered"
        left_out = len(survey.profile) - survey.kept
        many = counted(left_out, "publication")
        others = f"\n•  {many} that you left out" if left_out else ""
        self.stays_words.setText(f"•  {mail}\n•  The time you worked: {minutes(seconds)}, without pauses{others}")

    def show_saved(self, words: str) -> None:
        self.saved_words.setText(words)
        self.saved.setHidden(not words)

    def show_preview(self, preview: AnswersPreview | None) -> None:
        """Shows the file as it would be written; None if something is still needed."""
        self.heading.setText(READY if preview is not None else "Something is missing")
        self._words = _in_words(preview) if preview is not None else NOT_YET
        self._file = preview.file.content.decode("utf-8") if preview is not None else NOT_YET
        self._show()

    def _show(self) -> None:
        raw = self.tabs.currentIndex() == 1
        words = self._file if raw else self._words
        if words != self.text.toPlainText():
            self.text.setPlainText(words)

    def take_focus(self) -> None:
        self.text.setFocus()


def _listed(remarks: Iterable[Remark]) -> str:
    return "\n".join(f"•  {remark.sentence} {remark.advice}".strip() for remark in remarks)


def _in_words(preview: AnswersPreview) -> str:
    lines = [*preview.sentences, "", "Papers you rated"]
    lines += [f"   {value:.2f}   {words}" for words, value in sorted(preview.ratings, key=lambda pair: -pair[1])]
    lines += ["", "Your publications", *(f"   {words}" for words in preview.publications)]
    if not preview.publications:
        lines.append("   none")
    if preview.answers:
        lines += ["", "About you (only counts over all participants are published)"]
        lines += [f"   {question}: {answer}" for question, answer in preview.answers]
    return "\n".join(lines)
