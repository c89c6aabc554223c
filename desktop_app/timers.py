"""Timers."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def delayed(parent: QObject, milliseconds: int, act: Callable[[], object]) -> QTimer:
    """Returns a stopped single-shot timer that calls ``act`` this long after it was last started.

    The interval isn't passed as a keyword because in a Turkish locale PySide finds no property starting with "i".
    """
    timer = QTimer(parent, singleShot=True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(act)
    return timer
