"""Imports the responses of a letter into a rebuttal."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.exchange.response_letter import Matched, read_replies, recalls_labels, same_words
from engine.project import Project
from engine.rebuttal.points import Outline, Row, said
from engine.rebuttal.records import Point
from engine.rebuttal.store import RebuttalStore
from engine.reviews.marks import MarkedText, Reading

Replies = Sequence[tuple[Point, str]]


@dataclass(frozen=True, slots=True)
class LetterTaken:
    """``taken`` responses were imported, ``removed`` earlier ones were removed. ``differing`` ones differ from what was
    written and weren't imported, ``same`` ones are already there, ``unmatched`` ones answer no comment, and for
    ``silent`` comments there is none. ``by_labels``: the letter refers to comments by their labels, so it is certain
    which texts are responses."""

    taken: tuple[tuple[Point, str], ...]
    differing: tuple[tuple[Point, str], ...]
    removed: int
    same: int
    unmatched: tuple[Matched, ...]
    silent: tuple[Row, ...]
    by_labels: bool


def take_letter(
    project: Project,
    paper_id: str | None,
    outline: Outline,
    letter: MarkedText,
    name: str,
    *,
    reading: Reading | None = None,
    before: Replies = (),
    over: bool = False,
) -> LetterTaken:
    """Imports a letter's responses where there is none yet, or with ``over`` everywhere, in one undo step.

    ``reading`` says which texts are responses; None detects it. Texts that the letter brought ``before``, with another
    reading, are replaced, unless they were changed since.
    """
    found = read_replies(letter, outline, reading)
    brought = {(_place(point), text.strip()) for point, text in before}
    points = (point for section in outline for point in section.points)
    unchanged = {_place(p): p for p in points if (_place(p), p.text.strip()) in brought}
    fresh: list[tuple[Point, str]] = []
    there: list[tuple[Point, str]] = []
    for one in found:
        if (point := one.point) is not None and one.reply.strip():
            (there if point.text.strip() and _place(point) not in unchanged else fresh).append((point, one.reply))
    differing = [(point, text) for point, text in there if not same_words(said(point.text), text)]
    taken = [*fresh, *differing] if over else fresh
    store = RebuttalStore(project)
    with project.action(f"{'Swap comments and responses of' if reading else 'Import responses from'} {name}"):
        for place in unchanged.keys() - {_place(point) for point, _ in taken}:
            store.write(paper_id, unchanged[place], "")
        store.import_replies(paper_id, taken, name, over=True)
    return LetterTaken(
        tuple(taken),
        () if over else tuple(differing),
        sum(kind == "reply" for kind, _, _ in unchanged),
        len(there) - len(differing),
        tuple(one for one in found if one.point is None),
        tuple(row for row in outline.rows if all(one.row is not row for one in found)),
        recalls_labels(letter, outline),
    )


def _place(point: Point) -> tuple[str, str, str]:
    return point.kind, point.reviewer, point.comment_id
