"""The two families of errors.

An ``EnvironmentProblem`` has an external cause (a full disk, a damaged file, invalid input): report it and continue.
Any other exception that reaches the top level is a bug, reported with details that can be copied.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager


class EnvironmentProblem(Exception):
    """An external problem prevents the operation. Three sentences: ``what`` happened, what it ``means`` for the user's
    work, and what to ``do`` next."""

    def __init__(self, what: str, means: str = "", do: str = "") -> None:
        self.what = what
        self.means = means
        self.do = do
        super().__init__(" ".join(part for part in (what, means, do) if part))


class BadInput(EnvironmentProblem):
    """A given file or value can't be used; nothing was changed."""


# Shared wording for the consequences of rejected input.


def not_imported(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was imported.", do)


def not_computed(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was computed.", do)


def not_trained(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was trained.", do)


def not_read(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was read.", do)


def not_changed(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was changed.", do)


def not_written(what: str, do: str = "") -> BadInput:
    return BadInput(what, "Nothing was written.", do)


_FILE = re.compile(r"^The (?:file|PDF)(?! reader)\b|\bthis file\b")


@contextmanager
def about(name: str) -> Iterator[None]:
    """In problems raised by the body, replaces "the file" by its name, so that users know which of several files is
    meant."""
    try:
        yield
    except EnvironmentProblem as problem:
        what = _FILE.sub(lambda _: name, problem.what, count=1)
        raise type(problem)(what, problem.means, problem.do) from problem


class Cancelled(Exception):
    """The user cancelled. Never reported."""
