"""The rebuttal as Markdown: a letter with every comment quoted, or a file for each post; letters back into replies.

Written letters are read again by ``engine.reviews.letter``; replies find their comments by the label in the quotation
(“R2.3”), else by the quoted words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.exchange.records import Export, ExportFile, LossReport
from engine.rebuttal.letter import labelled, letter, posts
from engine.rebuttal.points import Outline, Row
from engine.rebuttal.records import Quoting
from engine.rebuttal.slots import find_slots
from engine.reviews.letter import read_letter
from engine.reviews.limits import Limit

SAME = 80.0
"""From this partial similarity (0 to 100) on, quoted words are those of a comment."""
_SLUG = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Matched:
    """A reply of a letter and the comment that it answers; ``row`` None where none was found."""

    row: Row | None
    quoted: str
    reply: str


def write_letter(outline: Outline, name: str = "response.md", title: str = "Response to reviewers") -> Export:
    """The whole rebuttal as one letter; comments are quoted whole."""
    content = letter(outline, "full", title).encode()
    return Export((ExportFile(name, content, "text/markdown"),), loss(outline))


def write_posts(outline: Outline, limit: Limit, quoting: Quoting) -> Export:
    """A file for each post, exactly as it is to be pasted into the venue's form."""
    files = []
    for section in outline:
        for post in posts(section, limit, quoting):
            number = f"-{post.number}" if post.of > 1 else ""
            files.append(ExportFile(f"{slug(section.reviewer)}{number}.md", post.text.encode(), "text/markdown"))
    return Export(tuple(files), loss(outline))


def slug(name: str) -> str:
    """A name as part of a file's name."""
    return _SLUG.sub("-", name.casefold()).strip("-") or "reviewer"


def loss(outline: Outline) -> LossReport:
    """What the rebuttal lacks as it leaves: comments without a reply, open slots, unaccepted sentences."""
    missing = sum(not row.point.text.strip() for row in outline.rows)
    points = [point for section in outline for point in section.points]
    slots = sum(len(find_slots(point.text)) for point in points)
    generated = sum(len(point.generated) for point in points)
    sentences = []
    if missing:
        sentences.append(f"{_many(missing, 'unanswered comment')} left out.")
    if slots:
        sentences.append(f"{_many(slots, 'slot')} still open.")
    if generated:
        sentences.append(f"{_many(generated, 'generated sentence')} not accepted yet.")
    return LossReport(tuple(sentences))


def _many(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def read_replies(text: str, outline: Outline) -> tuple[Matched, ...]:
    """The replies of a letter with their comments, in order of the letter. Raises BadInput where it is empty.

    A quotation belongs to the comment that its label names, else to the most similar one that is still free; comments
    of the reviewer whom the letter names come first.
    """
    from rapidfuzz import fuzz

    blocks: dict[tuple[int, int], list[str]] = {}
    reviewers: dict[tuple[int, int], str] = {}
    replies: dict[tuple[int, int], str] = {}
    for comment in read_letter(text).comments:
        if not comment.response_spans or not comment.response.strip():
            continue
        place = (comment.response_spans[0].start, comment.response_spans[-1].end)
        blocks.setdefault(place, []).append(comment.context or comment.comment)
        reviewers.setdefault(place, comment.reviewer)
        replies[place] = comment.response.strip()
    rows = list(outline.rows)
    names = {row.comment.id: section.reviewer for section in outline for row in section.rows}
    found = []
    for place, reply in replies.items():
        quoted = blocks[place][0]
        label, words = labelled(quoted)
        row = next((r for r in rows if label and r.label == label), None)
        if row is None:
            told = words.rstrip(" …")
            scored = [
                (
                    fuzz.partial_ratio(_plain(told), _plain(r.comment.comment)),
                    names[r.comment.id] == reviewers[place],
                    -n,
                    r,
                )
                for n, r in enumerate(rows)
            ]
            good = [entry for entry in scored if entry[0] >= SAME]
            row = max(good, key=lambda entry: (entry[0] + 5 * entry[1], entry[2]))[3] if good else None
        if row is not None:
            rows.remove(row)
        found.append(Matched(row, words, reply))
    return tuple(found)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_>`]", " ", text).split()).casefold()


def unmatched(found: Sequence[Matched]) -> tuple[Matched, ...]:
    """The replies whose comment was not found."""
    return tuple(one for one in found if one.row is None)
