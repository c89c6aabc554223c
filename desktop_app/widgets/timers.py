"""Timers that run something once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(parent: QObject, milliseconds: int, run: Callable[[], object]) -> QTimer:
    """A timer that runs something once, this long after its last ``start``."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(run)
    return timer
