"""What surrounds the pages of a survey: its title, the pages, the progress, and how to leave."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import STEPS, Survey
from desktop_app.panes.survey.words import minutes
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import ElidedLabel, text_label
from desktop_app.widgets.layouts import row
from engine.shown import counted


class Head(QWidget):
    """The study's title, the pages in their order, and how to leave."""

    chosen = Signal(int)

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self.setAccessibleName("Pages of the survey")
        self.title = ElidedLabel("section")
        self.steps = [self._button(number, name) for number, name in enumerate(STEPS)]
        self.leave = CommandButton(registry, "project.leave_survey", text="Leave", show_key=False)
        row((self.title, 1), *self.steps, 24, self.leave, margins=(16, 8, 12, 8), spacing=4, of=self)

    def _button(self, number: int, name: str) -> QToolButton:
        button = QToolButton()
        button.setAccessibleName(f"Page {number + 1}: {name}")
        button.setToolTip(name)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.chosen.emit(number))
        return button

    def show_step(self, survey: Survey, step: int) -> None:
        self.title.setText(survey.study.title)
        self.title.setToolTip(survey.study.title)
        done = (survey.agreed, bool(survey.participant.name), not survey.blocks, bool(survey.participant.finished_at))
        for number, button in enumerate(self.steps):
            button.setChecked(number == step)
            button.setEnabled(number == 0 or survey.agreed)
            tick = "  ✓" if done[number] and number != step else ""
            button.setText(f"{number + 1}  {STEPS[number]}{tick}")


class Foot(QWidget):
    """The progress, the measured time, and the buttons to the next and previous page."""

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setProperty("role", "ground")
        self.setAccessibleName("Progress")
        self.progress = ElidedLabel("body")
        self.time = text_label("", "muted")
        self.time.setToolTip(
            "Time counts only while you work in this window; pauses of more than a minute don't count."
            " It stays on this computer and isn't in any file."
        )
        self.back = CommandButton(registry, "participant.back", show_key=False)
        self.next = CommandButton(registry, "participant.next", primary=True)
        row(
            (self.progress, 1), self.time, 12, self.back, self.next, margins=(16, 8, 12, 8), spacing=8, of=self
        )  # fmt: skip

    def show_survey(self, survey: Survey, seconds: float) -> None:
        many = counted(len(survey.rows), "paper")
        rated = f"{survey.rated} of {many} rated" if survey.rows else "No papers yet"
        wanted = f"{survey.study.min_papers} to {survey.study.max_papers}"
        text = f"{rated} ({wanted} requested)  ·  Answers are saved on this computer as you go"
        self.progress.setText(text)
        self.progress.setToolTip(text)
        self.time.setText(f"{minutes(seconds)}  ·  stays here" if seconds >= 1 else "")
