"""The desktop application. ``engine`` is imported first because it disables libraries' network access."""

from collections.abc import Callable
from typing import TypeVar

import engine  # noqa: F401

T = TypeVar("T")


def present(value: T | None) -> T:
    """Returns the value, which must not be None where this is called."""
    assert value is not None
    return value


def if_any(value: T | None, use: Callable[[T], object]) -> None:
    """Calls ``use`` with the value unless it is None, as when the user cancelled a dialog."""
    if value is not None:
        use(value)
