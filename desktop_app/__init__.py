"""The desktop application. ``engine`` comes first: importing it turns off what could use a network."""

from typing import TypeVar

import engine  # noqa: F401

T = TypeVar("T")


def present(value: T | None) -> T:
    """A value that cannot be None where it is used."""
    assert value is not None
    return value
