"""What a reviewer's block asks, one item per request, and which of its parts ask for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.reviews.cues import ASKING, SILENT, SentenceRole, asks_nothing, sentence_role
from engine.reviews.layout import Unit, readable
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Item:
    """One request (or one stretch that asks nothing) of a block."""

    span: Span
    actionable: bool


def find_items(text: str, units: Sequence[Unit]) -> tuple[Item, ...]:
    """The items of a block: one per paragraph or list item, with praise, summary and connecting phrases set apart."""
    return tuple(item for _, item in find_placed_items(text, units))


def find_placed_items(text: str, units: Sequence[Unit], *, silent: bool = False) -> Iterator[tuple[Unit, Item]]:
    """The items with the paragraphs they stand in. In a ``silent`` part ("Strengths") nothing is a request, nor after a
    lead-in that announces such a part, till the next lead-in.
    """
    praising = silent
    for unit in units:
        start = content_start(unit)
        if start >= unit.end:
            continue
        content = readable(text, (Span(start, unit.end),))
        if sentence_role(content) == "connective":
            praising = silent or asks_nothing(content)
            yield unit, Item(Span(start, unit.end), False)
        elif praising:
            yield unit, Item(Span(start, unit.end), False)
        else:
            yield from ((unit, item) for item in _items_of(text, start, unit.end))


def content_start(unit: Unit) -> int:
    """Where a paragraph's own words begin, after its label."""
    return unit.label.end if unit.label else unit.start


def _items_of(text: str, start: int, end: int) -> list[Item]:
    sentences = [Span(start + s.start, start + s.end) for s in split_sentences(text[start:end])]
    roles = [sentence_role(readable(text, (s,))) for s in sentences]
    if not any(r in ASKING for r in roles):
        return [Item(Span(start, end), not any(r in SILENT for r in roles))]
    first = _lead(roles)
    items = []
    if first:
        items.append(Item(Span(start, sentences[first - 1].end), False))
    items.append(Item(Span(sentences[first].start if first else start, end), True))
    return items


def _lead(roles: Sequence[SentenceRole]) -> int:
    """How many opening sentences only praise, sum up or connect."""
    count = 0
    while count < len(roles) and roles[count] in SILENT:
        count += 1
    return count
