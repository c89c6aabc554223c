"""Checks the wording of a review or rebuttal; used by editors, exports and commands."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.reviews.anonymity import Identifying, find_identifying
from engine.reviews.tone import Side, ToneRemark, find_tone

NOTE = re.compile(r"^[ \t]*%%.*$", re.MULTILINE)
"""A note to co-authors, which is never sent."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of doubtful tone, and words that identify the writer; spans in code points of the text."""

    tone: tuple[ToneRemark, ...] = ()
    identity: tuple[Identifying, ...] = ()


def check_wording(text: str, side: Side, names: Iterable[str] = ()) -> Wording:
    """Checks a text of authors or reviewers; ``names`` are full names and affiliations that must not appear. Notes
    (lines that begin with %%) are ignored for these."""
    notes = [match.span() for match in NOTE.finditer(text)]
    leaves = [one for one in find_identifying(text, names) if not any(a <= one.span.start < b for a, b in notes)]
    return Wording(find_tone(text, side), tuple(leaves))
