"""Divides a length limit between responses, updated while they are being written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import floor, inf

from engine.rebuttal.letter import blocks, posts, quote
from engine.rebuttal.points import Outline, Row, Section, said, sentences_of
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit, Unit, count

_NAMED = 3
_THANKS = re.compile(
    r"\W*(?:we (?:would like to |sincerely |really )*(?:thank|appreciate|are grateful)|(?:many )?thanks?\b|"
    r"(?:this is )?an? (?:very |really )?(?:good|great|excellent|valuable) (?:point|question|suggestion))",
    re.IGNORECASE,
)
_LONG = 600
"""Characters of a comment from which it counts as two."""


@dataclass(frozen=True, slots=True)
class Want:
    """A response that shares a limit: its own budget if the user set one, otherwise its weight in dividing the rest."""

    key: str
    own: int | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Spent:
    """The length of the answer to one reviewer as it is sent; ``allowed`` is None without a limit, that of each post
    with ``each``. ``beyond`` is by how much the answer, or its posts that can't be split, exceed their limits."""

    total: int
    allowed: int | None
    posts: int
    beyond: int = 0
    each: bool = False


def allot(wants: Sequence[Want], room: int) -> dict[str, int]:
    """Divides ``room``: budgets set by the user are kept; the rest is shared by weight, in whole units, with the
    remainder from rounding given to the first responses. If the set budgets exceed the room, the others get none."""
    fixed = {want.key: want.own for want in wants if want.own is not None}
    free = max(0, room - sum(fixed.values()))
    open_ = [want for want in wants if want.own is None]
    weight = sum(want.weight for want in open_)
    shares = {want.key: floor(free * want.weight / weight) if weight else 0 for want in open_}
    left = free - sum(shares.values()) if weight else 0
    for want in open_[:left]:
        shares[want.key] += 1
    return {want.key: fixed[want.key] if want.key in fixed else shares[want.key] for want in wants}


def weight_of(row: Row) -> float:
    """Returns the weight of a comment: from 1 for a short one up to 2 for one of 600 characters and more."""
    return 1 + min(len(row.comment.comment), _LONG) / _LONG


def spent(section: Section, limit: Limit, quoting: Quoting) -> Spent:
    """Returns the length of the answer to a reviewer as it is sent."""
    lengths = [count(post.text, limit.unit) for post in posts(section, limit, quoting)]
    whole, each = sum(lengths), limit.per_reviewer is None
    beyond = sum(max(0, length - (limit.per_reply or length)) for length in lengths)
    return Spent(whole, reviewer_limit(limit), len(lengths), max(beyond, whole - (limit.per_reviewer or whole)), each)


def reviewer_limit(limit: Limit) -> int | None:
    """Returns the limit for one reviewer, or else for one reply; None without either."""
    return limit.per_reviewer if limit.per_reviewer is not None else limit.per_reply


def reply_length(row: Row, unit: Unit) -> int:
    return count(said(row.point.text).strip(), unit)


def budgets(outline: Outline, limit: Limit, quoting: Quoting) -> dict[str, int]:
    """Returns the length that each response (by comment) may have so that the limits hold, after subtracting quotes,
    openings and closings. Empty without any limit. Quotes are also counted for comments without a response yet."""
    found: dict[str, int] = {}
    bound = reviewer_limit(limit)
    for section in outline:
        if bound is not None:
            room = bound - _beside(section, limit.unit, quoting)
            found |= allot(
                [Want(row.comment.id, row.point.budget, weight_of(row)) for row in section.rows], max(0, room)
            )
    if limit.total is not None:
        room = limit.total - sum(_beside(section, limit.unit, quoting) for section in outline)
        shares = allot([Want(row.comment.id, row.point.budget, weight_of(row)) for row in outline.rows], max(0, room))
        found = {key: min(share, found.get(key, share)) for key, share in shares.items()}
    return found


def quoted(outline: Outline, unit: Unit, quoting: Quoting) -> int:
    """Returns the length of all quotes once every comment is answered."""
    return sum(count(quote(row, quoting), unit) for row in outline.rows)


def savings(text: str, unit: Unit, most: int = 2) -> tuple[tuple[str, int], ...]:
    """Returns what a response can do without and how much that saves, the most first: quotations of the reviewer and
    thanks; otherwise its longest sentence if it has several."""
    whole, paragraphs = said(text).strip(), [one.strip() for one in said(text).split("\n\n")]
    quotes = [one for one in paragraphs if one.startswith(">")]
    rest = [one for part in paragraphs if not part.startswith(">") for one in sentences_of(part)]
    found = [*quotes, *(one for one in rest if _THANKS.match(one))]
    if not found and len(rest) > 1:
        found = [max(rest, key=len)]
    gains = ((one, count(whole, unit) - count(whole.replace(one, "", 1).strip(), unit)) for one in found)
    return tuple(sorted(gains, key=lambda way: -way[1])[:most])


def shortenings(outline: Outline, limit: Limit, quoting: Quoting, reviewer: str = "", *, excess: float = inf) -> str:
    """Returns a sentence on what to shorten so that the limits hold, and how much that saves: responses over their
    share, the most first, and shorter quotes. ``reviewer`` restricts it to the answer to this reviewer, and no more
    than ``excess`` is to be saved in responses."""
    shares, parts = budgets(outline, limit, quoting), []
    sections = [one for one in outline if not reviewer or one.reviewer == reviewer]
    over = sorted(
        (
            (reply_length(row, limit.unit) - shares.get(row.comment.id, 0), row.label)
            for s in sections
            for row in s.rows
        ),
        reverse=True,
    )
    beyond = sum(gain for gain, _ in over if gain > 0)
    last = next((at for at, saved in enumerate(accumulate(gain for gain, _ in over)) if saved >= excess), None)
    if last is not None:  # the last one needn't be as short as its share
        over[last] = (int(excess) - sum(gain for gain, _ in over[:last]), over[last][1])
        del over[last + 1 :]
    many = ", ".join(f"{label} by {gain:,}" for gain, label in over[:_NAMED] if gain > 0)
    room = sum(shares.get(row.comment.id, 0) for s in sections for row in s.rows)
    quotes = quoting in ("full", "short")
    if many and not (quotes and 2 * room < beyond):  # tiny shares aren't useful
        down = (
            ""
            if last is not None and last < _NAMED
            else " to their shares"
            if many.count(" by ") > 1
            else " to its share"
        )
        parts.append(f"Shorten {many}{down}")
    if quotes:
        by_number = sum(spent(s, limit, quoting).total - spent(s, limit, "number").total for s in sections)
        parts += [f"name comments by number alone to save {by_number:,}"] if by_number > 0 else []
    words = "; ".join(parts) or "shorten opening and closing"
    return f"{words[:1].upper()}{words[1:]}."


def _beside(section: Section, unit: Unit, quoting: Quoting) -> int:
    rows = tuple(replace(row, point=replace(row.point, text="x")) for row in section.rows)
    own = blocks(replace(section, rows=rows), quoting)
    gaps = 0 if unit == "words" else 2 * max(0, len(own) - 1)
    words = sum(count(said(point.text).strip(), unit) for point in (section.opening, section.closing))
    return gaps + words + sum(count(before, unit) for _, before, _ in own)
