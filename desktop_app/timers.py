"""Timers."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def delayed(parent: QObject, milliseconds: int, act: Callable[[], object]) -> QTimer:
    """A stopped timer that calls ``act`` once, this long after it was last started.

    The interval is no keyword because in a Turkish locale PySide finds no property that begins with "i".
    """
    timer = QTimer(parent, singleShot=True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(act)
    return timer
