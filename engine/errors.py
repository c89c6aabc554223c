"""The two families of errors.

An ``EnvironmentProblem`` is the world's doing (a full disk, a damaged file, a wrong input): tell the person, go on.
Anything else that reaches the top is a bug of ours and is reported with details that can be copied.
"""

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


# What a refused input means, in the words that many modules share.


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
    """Problems met meanwhile say the file's name where they would say "the file": of many files, people know which."""
    try:
        yield
    except EnvironmentProblem as problem:
        what = _FILE.sub(lambda _: name, problem.what, count=1)
        raise type(problem)(what, problem.means, problem.do) from problem


class Cancelled(Exception):
    """The person cancelled; silent everywhere."""
