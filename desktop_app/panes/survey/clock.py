"""Measures the time a participant works: from input and focus of the window, without idle time; kept in the file."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget

from engine.expertise.active_time import IDLE_CUTOFF, ActiveTime
from engine.expertise.store import SurveyStore

SAVE_EVERY_MS = 30_000
_INPUT = frozenset(
    {
        QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.Wheel,
        QEvent.Type.TouchBegin, QEvent.Type.TabletPress, QEvent.Type.Drop,
    }
)  # fmt: skip


class SurveyClock(QObject):
    """Runs while the participant's pane is shown. ``ticked``: the time may have grown."""

    ticked = Signal()

    def __init__(self, pane: QWidget, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(pane)
        self._pane, self._now = pane, now
        self._store: SurveyStore | None = None
        self._participant = self._sitting = ""
        self._before = self._saved = 0.0
        self._active = ActiveTime(IDLE_CUTOFF)
        self._window: QWindow | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(SAVE_EVERY_MS)
        self._timer.timeout.connect(self.save)

    def begin(self, store: SurveyStore, participant_id: str) -> None:
        """Starts measuring for a participant; a second call for the same one changes nothing."""
        if participant_id == self._participant:
            return
        self.end()
        self._store, self._participant = store, participant_id
        self._before, self._saved = store.time.active_seconds(participant_id), 0.0
        self._active = ActiveTime(IDLE_CUTOFF)
        window = self._pane.window()
        window.winId()  # creates the QWindow, which receives all input
        self._window = window.windowHandle()
        if self._window is not None:
            self._window.installEventFilter(self)
        if window.isActiveWindow():
            self._active.focus_in(self._now())
        self._timer.start()

    def end(self) -> None:
        """Saves the time and stops."""
        self._timer.stop()
        if self._window is not None:
            self._window.removeEventFilter(self)
        self.save()
        self._store, self._window = None, None
        self._participant = self._sitting = ""

    def forget(self) -> None:
        """Deletes the measured time and starts again at zero."""
        if self._store is not None:
            self._store.time.forget(self._participant)
            self._before, self._saved, self._sitting = 0.0, 0.0, ""
            self._active = ActiveTime(IDLE_CUTOFF)
            self._active.input(self._now())
            self.ticked.emit()

    @property
    def seconds(self) -> float:
        """The time over all sittings."""
        return self._before + self._active.seconds(self._now())

    def save(self) -> None:
        """Saves the time of this sitting, which begins with the first active second."""
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
