"""The desktop application. ``engine`` comes first: importing it turns off what could use a network."""

from collections.abc import Callable
from typing import TypeVar

import engine  # noqa: F401

T = TypeVar("T")


def present(value: T | None) -> T:
    """A value that cannot be None where it is used."""
    assert value is not None
    return value


def if_any(value: T | None, use: Callable[[T], object]) -> None:
    """Hands a value on, if there is one: a person may have closed the dialog that asked for it."""
    if value is not None:
        use(value)
