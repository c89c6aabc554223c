"""The frame around the pages of a survey: title, pages, progress, navigation; and the clock for the working time."""

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QToolButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.survey.state import STEPS, Survey, minutes
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import ElidedLabel, named, text_label
from desktop_app.widgets.layouts import row
from engine.expertise.active_time import IDLE_CUTOFF, ActiveTime
from engine.expertise.store import SurveyStore
from engine.shown import counted

SAVE_EVERY_MS = 30_000
_INPUT = frozenset(
    {
        QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.Wheel,
        QEvent.Type.TouchBegin, QEvent.Type.TabletPress, QEvent.Type.Drop,
    }
)  # fmt: skip


class SurveyClock(QObject):
    """Runs while the participant's pane is shown. ``ticked``: the time may have changed."""

    ticked = Signal()

    def __init__(self, owner: QWidget, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(owner)
        self._owner, self._now = owner, now
        self._store: SurveyStore | None = None
        self._participant = self._sitting = ""
        self._before = self._saved = 0.0
        self._active = ActiveTime(IDLE_CUTOFF)
        self._window: QWindow | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(SAVE_EVERY_MS)
        self._timer.timeout.connect(self.save)

    def begin(self, store: SurveyStore, participant_id: str) -> None:
        """Starts measuring for a participant; does nothing if it is already measuring for the same one."""
        if participant_id == self._participant:
            return
        self.end()
        self._store, self._participant = store, participant_id
        self._before, self._saved = store.time.active_seconds(participant_id), 0.0
        self._active = ActiveTime(IDLE_CUTOFF)
        window = self._owner.window()
        window.winId()  # creates the QWindow, which receives all input events
        self._window = window.windowHandle()
        if self._window is not None:
            self._window.installEventFilter(self)
        if window.isActiveWindow():
            self._active.focus_in(self._now())
        self._timer.start()

    def end(self) -> None:
        self._timer.stop()
        if self._window is not None:
            self._window.removeEventFilter(self)
        self.save()
        self._store, self._window = None, None
        self._participant = self._sitting = ""

    def forget(self) -> None:
        """Deletes the measured time and restarts at zero."""
        if self._store is not None:
            self._store.time.forget(self._participant)
            self._before, self._saved, self._sitting = 0.0, 0.0, ""
            self._active = ActiveTime(IDLE_CUTOFF)
            self._active.input(self._now())
            self.ticked.emit()

    @property
    def seconds(self) -> float:
        return self._before + self._active.seconds(self._now())

    def save(self) -> None:
        store, seconds = self._store, self._active.seconds(self._now())
        if store is None or seconds <= self._saved:
            return
        self._sitting = self._sitting or store.time.begin(self._participant, IDLE_CUTOFF)
        store.time.set(self._sitting, seconds)
        self._saved = seconds
        self.ticked.emit()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _INPUT:
            self._active.input(self._now())
        elif kind == QEvent.Type.FocusIn:
            self._active.focus_in(self._now())
        elif kind in (QEvent.Type.FocusOut, QEvent.Type.Hide, QEvent.Type.Close):
            self._active.focus_out(self._now())
        return False


class Head(QWidget):
    """The study's title, the pages in order, and a button to leave."""

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
        button = named(QToolButton(), f"Page {number + 1}: {name}", name)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.chosen.emit(number))
        return button

    def show_step(self, survey: Survey, step: int, *, saved: bool) -> None:
        self.title.setText(survey.study.title)
        done = (survey.agreed, bool(survey.participant.name), not survey.blocks, saved)
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
        row((self.progress, 1), self.time, 12, self.back, self.next, margins=(16, 8, 12, 8), spacing=8, of=self)

    def show_survey(self, survey: Survey, seconds: float) -> None:
        many = counted(len(survey.rows), "paper")
        rated = f"{survey.rated} of {many} rated" if survey.rows else "No papers yet"
        wanted = f"{survey.study.min_papers} to {survey.study.max_papers}"
        text = f"{rated} ({wanted} requested)  ·  Answers are saved on this computer as you go"
        self.progress.setText(text)
        self.time.setText(f"{minutes(seconds)} so far" if seconds >= 1 else "")
