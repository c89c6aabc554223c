"""Calls from threads to objects on the GUI thread."""

import weakref
from collections.abc import Callable
from functools import cache
from typing import Concatenate, ParamSpec, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal

Q = TypeVar("Q", bound=QObject)
P = ParamSpec("P")


class _Post(QObject):
    """Passes results from threads to objects on the GUI thread. It is never deleted: a thread that emits a signal of an
    object whose window is being closed would crash."""

    arrived = Signal(object, object, tuple)

    def __init__(self) -> None:
        super().__init__()
        self.arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def _deliver(self, own: weakref.ref[Q], take: Callable[..., object], found: tuple[object, ...]) -> None:
        owner = own()
        if owner is not None and shiboken6.isValid(owner):
            take(owner, *found)


@cache
def _post() -> _Post:
    return _Post()


def posted(owner: Q, take: Callable[Concatenate[Q, P], object]) -> Callable[P, None]:
    """Returns what a thread may call: ``take(owner, ...)`` then runs on this thread, the GUI's, if the owner still
    exists. The thread holds no reference to it."""
    post, own = _post(), weakref.ref(owner)
    return lambda *found, **_: post.arrived.emit(own, take, found)
