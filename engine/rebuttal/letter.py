"""Assembles the outline into what is sent: Markdown per reviewer, split into posts if a venue limits their length."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.rebuttal.points import LABEL, Outline, Row, Section, said
from engine.rebuttal.records import Point, Quoting
from engine.reviews.limits import Excess, Limit, count
from engine.reviews.spans import unmarked
from engine.shown import inert_line, inert_markdown

TITLE = "Response to reviewers"
BREAK = "* * *"
"""Separates a closing from the last reply in a letter, so that it can be read back."""
SHORT = 90
"""Characters of a comment that a short quote keeps."""


@dataclass(frozen=True, slots=True)
class Post:
    """A text to paste into the venue's form."""

    text: str
    number: int = 1
    of: int = 1


def quote(row: Row, quoting: Quoting) -> str:
    """Returns how a comment is quoted before its reply; "" for nothing. A number is on the same line as the reply."""
    if quoting == "none":
        return ""
    if quoting == "number":
        return f"**{row.label}** "
    said = row.words if quoting == "full" else shortened(" ".join(unmarked(row.words).split()))
    lines = f"**{row.label}** {inert_markdown(said)}".splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"


def shortened(words: str, length: int = SHORT) -> str:
    """Returns the beginning of a text, cut between words, with an ellipsis if something is left out."""
    if len(words) <= length:
        return words
    cut = words[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:.–-")
    return f"{cut} …"


def replies(section: Section) -> tuple[tuple[Row, ...], ...]:
    """Returns the comments that have a response; adjacent comments that share one are grouped."""
    answered = (row for row in section.rows if said(row.point.text).strip())
    return tuple(tuple(rows) for _, rows in groupby(answered, key=lambda row: row.answer))


def blocks(section: Section, quoting: Quoting) -> tuple[tuple[Point, str, str], ...]:
    """Returns (point, text before, text) for each point with text. Quotes of adjacent comments that share a response
    precede it together; the point is that of the last one."""
    found = []
    for rows in replies(section):
        before = "".join(quote(row, quoting) for row in rows)
        before = before.replace("** **", "**\n**") if quoting == "number" else before
        found.append((rows[-1].point, before, said(rows[-1].point.text).strip()))
    ends = ((point, "", said(point.text).strip()) for point in (section.opening, section.closing))
    opening, closing = ([end] if end[2] else [] for end in ends)
    return (*opening, *found, *closing)


def posts(section: Section, limit: Limit, quoting: Quoting) -> tuple[Post, ...]:
    """Returns what is sent to one reviewer, in few posts within the limit of a reply, split between points only, or in
    one if a reviewer's limit allows no second one.

    A point that exceeds the limit becomes a post of its own; if there are several posts, each is numbered.
    """
    own = blocks(section, quoting)
    if limit.per_reply is None or limit.one_post or count(_joined(own), limit.unit) <= limit.per_reply:
        return (Post(_joined(own)),) if own else ()
    groups: list[list[tuple[Point, str, str]]] = [[]]
    head = _head(10, 10)
    for block in own:
        longer = count(head + _joined((*groups[-1], block)), limit.unit)
        if groups[-1] and longer > limit.per_reply:
            groups.append([])
        groups[-1].append(block)
    if len(groups) == 1:
        return (Post(_joined(own)),)
    return tuple(
        Post(_head(number, len(groups)) + _joined(group), number, len(groups))
        for number, group in enumerate(groups, start=1)
    )


def letter(outline: Outline) -> str:
    """Returns the whole rebuttal as one Markdown letter, with a heading per reviewer and a line before each closing."""
    parts = [f"# {TITLE}"]
    for section in outline:
        own = blocks(section, "full")
        if own:
            parts.append(f"## {inert_line(section.reviewer)}")
        for point, before, words in own:
            parts += [BREAK, words] if point.kind == "closing" else [before + words]
    return "\n\n".join(parts) + "\n"


def excesses(outline: Outline, limit: Limit, quoting: Quoting) -> tuple[Excess, ...]:
    """Returns where the rebuttal exceeds its limits: posts, reviewers, the total."""
    found = []
    total = 0
    for section in outline:
        own = posts(section, limit, quoting)
        lengths = [count(post.text, limit.unit) for post in own]
        total += sum(lengths)
        if limit.per_reply is not None and not limit.one_post:
            found += [
                Excess("reply", section.reviewer, spent, limit.per_reply)
                for spent in lengths
                if spent > limit.per_reply
            ]
        if limit.per_reviewer is not None and sum(lengths) > limit.per_reviewer:
            found.append(Excess("reviewer", section.reviewer, sum(lengths), limit.per_reviewer))
    if limit.total is not None and total > limit.total:
        found.append(Excess("total", "", total, limit.total))
    return tuple(found)


def _joined(own: Sequence[tuple[Point, str, str]]) -> str:
    return "\n\n".join(before + words for _, before, words in own)


def _head(number: int, of: int) -> str:
    return f"({number}/{of})\n\n"


_LABEL = re.compile(rf"^[\s>*_]*({LABEL})\b[\s*_:.)]*")


def labelled(text: str) -> tuple[str, str]:
    """Splits a quote or reply into its leading label (“R2.3”, "" if none) and the rest."""
    found = _LABEL.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)
