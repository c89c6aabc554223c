"""What a reviewer's block asks, one item per request, and which of its parts ask for nothing."""

from __future__ import annotations

from dataclasses import dataclass

from engine.reviews.cues import ASKING, SILENT, SentenceRole, sentence_role
from engine.reviews.layout import Unit, readable
from engine.reviews.records import Span
from engine.reviews.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Item:
    """One request (or one stretch that asks nothing) of a block."""

    span: Span
    actionable: bool


def find_items(text: str, units: tuple[Unit, ...]) -> tuple[Item, ...]:
    """The items of a block: one per paragraph or list item, with praise, summary and connecting phrases set apart."""
    items: list[Item] = []
    for unit in units:
        items.extend(_items_of(text, unit))
    return tuple(items)


def _items_of(text: str, unit: Unit) -> list[Item]:
    start = unit.label.end if unit.label and unit.label.end < unit.end else unit.start
    if start >= unit.end:
        return []
    sentences = [Span(start + s.start, start + s.end) for s in split_sentences(text[start : unit.end])]
    roles = [sentence_role(readable(text, (s,))) for s in sentences]
    asks = any(r in ASKING for r in roles)
    if not asks:
        silent = any(r in SILENT for r in roles)
        return [Item(Span(start, unit.end), not silent)]
    first = _lead(roles)
    items = []
    if first:
        items.append(Item(Span(start, sentences[first - 1].end), False))
    items.append(Item(Span(sentences[first].start if first else start, unit.end), True))
    return items


def _lead(roles: list[SentenceRole]) -> int:
    """How many opening sentences only praise, sum up or connect."""
    count = 0
    while count < len(roles) and roles[count] in SILENT:
        count += 1
    return count
