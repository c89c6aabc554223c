"""The two families of errors.

An ``EnvironmentProblem`` is the world's doing (a full disk, a damaged file, a wrong input): tell the person, go on.
Anything else that reaches the top is a bug of ours and is reported with details that can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager


class EnvironmentProblem(Exception):
    """Something outside the program prevents the work.

    ``what`` happened, what it ``means`` for the person's work, and what to ``do`` next: each one sentence.
    """

    def __init__(self, what: str, means: str = "", do: str = "") -> None:
        self.what = what
        self.means = means
        self.do = do
        super().__init__(" ".join(part for part in (what, means, do) if part))


class BadInput(EnvironmentProblem):
    """A file or value that was given cannot be used; nothing was changed."""


_FILE = re.compile(r"^The (?:file|PDF)(?! reader)\b|\bthis file\b")


@contextmanager
def about(name: str) -> Iterator[None]:
    """Problems met meanwhile say the file's name where they would say "the file": of many files, people know which."""
    try:
        yield
    except EnvironmentProblem as problem:
        what = _FILE.sub(lambda _: name, problem.what, count=1)
        raise type(problem)(what, problem.means, problem.do) from problem


class Cancelled(Exception):
    """The person cancelled; silent everywhere."""
