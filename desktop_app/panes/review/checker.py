"""Checks the fields of a review in the background while you type."""

from __future__ import annotations

from functools import partial
from typing import cast

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.panes.review.field_check import FieldCheck, check_field
from desktop_app.widgets.fetcher import Fetcher
from engine.documents.places import Places

PAUSE_MS = 150
"""How long after the last key a field is checked."""


class Checker(QObject):
    """Has the check of each field; ``checked`` names a field with a new result.

    One field is checked at a time. Until the result arrives, the results of sentences that were not edited move along
    with the text.
    """

    checked = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.checks: dict[str, FieldCheck] = {}
        self.names: tuple[str, ...] = ()
        """Words that identify the reviewer: the annotators of this project."""
        self._places: Places | None = None
        self._waiting: dict[str, str] = {}
        self._running = ""
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._next)
        self._fetcher = Fetcher(self)
        self._fetcher.fetched.connect(self._arrived)

    @property
    def busy(self) -> bool:
        """Whether a text is being checked or waiting for it."""
        return bool(self._waiting or self._running)

    def of(self, field: str) -> FieldCheck:
        """What is known of a field."""
        return self.checks.get(field) or FieldCheck("")

    def set_places(self, places: Places | None) -> None:
        """Another paper, or its text has arrived: checks everything again."""
        if places is self._places:
            return
        self._places = places
        self._fetcher.forget()
        self._running = ""
        for field, check in self.checks.items():
            self._waiting.setdefault(field, check.text)
            self.checks[field] = FieldCheck(check.text)
            self.checked.emit(field)
        self._next()

    def forget(self) -> None:
        """Another review: forgets all results."""
        self._fetcher.forget()
        self._timer.stop()
        self.checks.clear()
        self._waiting.clear()
        self._running = ""

    def look(self, field: str, text: str, *, at_once: bool = False) -> None:
        """A field has this text now; it is checked after a pause in typing, or ``at_once``."""
        before = self.checks.get(field)
        if before is not None and before.text == text:
            return
        self.checks[field] = (before or FieldCheck("")).moved(text)
        if not text.strip():  # nothing to check
            self._waiting.pop(field, None)
            return
        self._waiting[field] = text
        if at_once:
            self._next()
        else:
            self._timer.start()

    def _next(self) -> None:
        if not self._running and self._waiting and self._places is not None:
            self._running, text = next(iter(self._waiting.items()))
            del self._waiting[self._running]
            self._fetcher.fetch(self._running, partial(check_field, text, self._places, self.names))

    def _arrived(self, field: str, found: object) -> None:
        self._running = ""
        check, now = cast("FieldCheck", found), self.checks.get(field)
        if now is not None and now.text == check.text:
            self.checks[field] = check
            self.checked.emit(field)
        if not self._timer.isActive():
            self._next()
