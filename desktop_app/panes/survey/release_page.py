"""The last page: exactly what the answers file holds, what stays here, and the file itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QTabBar, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import SurveyState, counted, minutes
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import hairline, scrolled, text_label

if TYPE_CHECKING:
    from engine.exchange.study_file import AnswersPreview

READY = "This, and nothing else, is in the file that you send"
NOT_YET = "The file can be shown when nothing is missing any more; what is missing stands at the right."


class ReleasePage(QWidget):
    """Shows what would be written, to read and letter by letter."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Check and save")
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName("How the answers are shown")
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.addTab("To read")
        self.tabs.addTab("The file itself, letter by letter")
        self.tabs.currentChanged.connect(lambda _n: self._show())
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("What would be released")
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setTabChangesFocus(True)
        self._words = self._file = ""
        left = QVBoxLayout()
        left.setContentsMargins(16, 12, 0, 0)
        left.setSpacing(4)
        self.heading = text_label(READY, "section", parent=self)
        left.addWidget(self.heading)
        left.addWidget(self.tabs)
        left.addWidget(self.text, 1)
        side = QWidget()
        side.setProperty("role", "ground")
        right = QVBoxLayout(side)
        right.setContentsMargins(16, 12, 16, 16)
        right.setSpacing(8)
        self.saved, saved = self._panel(side, "Saved")
        self.saved_words = text_label("", wrap=True, parent=self.saved)
        self.saved_words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        saved.addWidget(self.saved_words)
        self.show_folder = CommandButton(registry, "participant.show_folder", quiet=True, parent=self.saved)
        saved.addWidget(self.show_folder, 0, Qt.AlignmentFlag.AlignLeft)
        right.addWidget(self.saved)
        self.blocks, blocks = self._panel(side, "Still needed")
        self.block_words = text_label("", wrap=True, parent=self.blocks)
        blocks.addWidget(self.block_words)
        right.addWidget(self.blocks)
        self.remarks, remarks = self._panel(side, "Worth a look")
        self.remark_words = text_label("", wrap=True, parent=self.remarks)
        remarks.addWidget(self.remark_words)
        right.addWidget(self.remarks)
        stays_panel, stays = self._panel(side, "Stays on this computer")
        self.stays_words = text_label("", wrap=True, parent=stays_panel)
        stays.addWidget(self.stays_words)
        self.forget_time = CommandButton(registry, "participant.forget_time", quiet=True, parent=stays_panel)
        stays.addWidget(self.forget_time, 0, Qt.AlignmentFlag.AlignLeft)
        right.addWidget(stays_panel)
        right.addStretch(1)
        self.scroller = scrolled(side, "What to know before sending", self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(left, 1)
        layout.addWidget(hairline(vertical=True, parent=self))
        layout.addWidget(self.scroller)
        theme().changed.connect(self._resize)
        self._resize()

    def _panel(self, parent: QWidget, title: str) -> tuple[QFrame, QVBoxLayout]:
        panel = QFrame(parent)
        panel.setProperty("role", "panel")
        column = QVBoxLayout(panel)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        column.addWidget(text_label(title, "section", parent=panel))
        return panel, column

    def _resize(self) -> None:
        self.scroller.setFixedWidth(theme().px(380))
        self.text.setFont(theme().reading_font(14))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._resize()  # the stylesheet has polished the text by now, and would have taken its face away

    def show_state(self, state: SurveyState, seconds: float) -> None:
        """The words around the file; ``seconds`` is the measured time."""
        self.block_words.setText("\n".join(f"•  {remark.sentence} {remark.advice}".strip() for remark in state.blocks))
        self.blocks.setHidden(not state.blocks)
        gentle = [remark for remark in state.remarks if remark.level == "remark"]
        self.remark_words.setText("\n".join(f"•  {remark.sentence} {remark.advice}".strip() for remark in gentle))
        self.remarks.setHidden(not gentle)
        mail = f"Your e-mail address, {state.email}." if state.email else "Your e-mail address, which you did not give."
        left_out = len(state.profile) - state.kept
        many = counted(left_out, "publication", "publications")
        others = f"\n•  {many} that you left out." if left_out else ""
        time = f"The time that you were at it, {minutes(seconds)}; pauses do not count."
        self.stays_words.setText(f"•  {mail}\n•  {time}{others}")

    def show_saved(self, words: str) -> None:
        """Where the file was written and what to do with it; empty while there is none."""
        self.saved_words.setText(words)
        self.saved.setHidden(not words)

    def show_preview(self, preview: AnswersPreview | None) -> None:
        """The file as it would be written; None where something is still needed."""
        self.heading.setText(READY if preview is not None else "Something is still missing")
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


def _in_words(preview: AnswersPreview) -> str:
    lines = [*preview.sentences, "", "Papers that you rated"]
    lines += [f"   {value:.2f}   {words}" for words, value in sorted(preview.ratings, key=lambda pair: -pair[1])]
    lines += ["", "Your publications", *(f"   {words}" for words in preview.publications)]
    if not preview.publications:
        lines.append("   none")
    if preview.answers:
        lines += ["", "About you, for counts over all participants"]
        lines += [f"   {question}: {answer}" for question, answer in preview.answers]
    return "\n".join(lines)
