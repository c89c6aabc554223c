"""What a reviewer's block asks, one item per request, and which of its parts ask for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.reviews.cues import ASKING, SILENT, adds, asks_nothing, sentence_role, takes_a_stance
from engine.reviews.layout import Unit, readable
from engine.reviews.records import Span
from engine.reviews.sentences import skip_marks, split_sentences


@dataclass(frozen=True, slots=True)
class Item:
    """One request (or one stretch that requests nothing) of a block."""

    span: Span
    actionable: bool


def find_items(text: str, units: Sequence[Unit]) -> tuple[Item, ...]:
    """The items of a block: one, unless numbers, bullets or labels of the letter part it. An item asks for something
    where one of its paragraphs does.
    """
    groups: list[list[Unit]] = []
    for unit in units:
        if content_start(text, unit) >= unit.end:
            continue
        if groups and not unit.list_mark and not (unit.label and unit.label.kind == "comment"):
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return tuple(
        Item(
            Span(content_start(text, group[0]), group[-1].end),
            any(i.actionable for _, i in find_placed_items(text, group)),
        )
        for group in groups
    )


def find_placed_items(text: str, units: Sequence[Unit], *, silent: bool = False) -> tuple[tuple[Unit, Item], ...]:
    """The items with the paragraphs they stand in. In a ``silent`` part ("Strengths") nothing is a request, nor after a
    lead-in that announces such a part, till the next lead-in.
    """
    found: list[tuple[Unit, Span, bool | None]] = []
    praising = silent
    for unit in units:
        start = content_start(text, unit)
        if start >= unit.end:
            continue
        content = readable(text, (Span(start, unit.end),))
        if sentence_role(content) == "connective":
            praising = silent or asks_nothing(content)
            found.append((unit, Span(start, unit.end), False))
        elif praising:
            found.append((unit, Span(start, unit.end), False))
        else:
            found.extend((unit, span, asks) for span, asks in _parts(text, start, unit.end))
    # What neither asks nor praises is background to the paragraphs that do ask; alone, or as a point of a list, it is
    # what the reviewer wanted to say.
    asked = any(asks for _, _, asks in found)
    return tuple(
        (unit, Item(span, bool(unit.list_mark) or not asked if asks is None else asks)) for unit, span, asks in found
    )


def content_start(text: str, unit: Unit) -> int:
    """Where a paragraph's own words begin, after its label."""
    return skip_marks(text, unit.label.end, unit.end) if unit.label else unit.start


def _parts(text: str, start: int, end: int) -> Iterator[tuple[Span, bool | None]]:
    """The items of a paragraph with True for a request, False for none, None where the wording does not say."""
    sentences = [Span(start + s.start, start + s.end) for s in split_sentences(text[start:end])]
    words = [readable(text, (s,)) for s in sentences]
    roles = [sentence_role(w) for w in words]
    if roles[0] == "summary":
        roles = [
            "summary" if r == "criticism" and not takes_a_stance(w) else r for r, w in zip(roles, words, strict=True)
        ]
    if not any(r in ASKING for r in roles):
        yield Span(start, end), False if any(r in SILENT for r in roles) else None
        return
    first = next(i for i, role in enumerate(roles) if role not in SILENT)
    last = len(roles)
    while roles[last - 1] == "verdict":
        last -= 1
    cuts = [first]
    further = [n for n in range(first + 1, last) if adds(words[n]) and roles[n] not in SILENT]
    for number, stop in pairwise([*further, last]):
        # A further point is one of its own where something was asked before it and is asked in it.
        if any(r in ASKING for r in roles[cuts[-1] : number]) and any(r in ASKING for r in roles[number:stop]):
            cuts.append(number)
    if first:
        yield Span(start, sentences[first - 1].end), False
    for begin, stop in pairwise([*cuts, last]):
        yield Span(sentences[begin].start if begin else start, sentences[stop - 1].end), True
    if last < len(roles):
        yield Span(sentences[last].start, end), False
