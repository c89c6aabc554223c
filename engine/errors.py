"""The two families of errors.

An ``EnvironmentProblem`` is the world's doing (a full disk, a damaged file, a wrong input): tell the person, go on.
Anything else that reaches the top is a bug of ours and is reported with details that can be copied.
"""

from __future__ import annotations


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


class Cancelled(Exception):
    """The person cancelled; silent everywhere."""
