"""Slots in templates and replies: ``{section}`` and its like, found, filled, and told apart from other braces.

A slot is a known name in braces; everything else in braces (LaTeX, sets, code) is text. Offsets are code points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.resource_files import resource_table
from engine.reviews.records import Span

SLOTS: Mapping[str, str] = resource_table("slots.toml")
"""Each slot with what belongs into it."""

_SLOT = re.compile(r"(?<![\\\w{])\{([a-z]+)\}(?!\})")


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot in a text: its name, and its place with the braces."""

    name: str
    span: Span


def find_slots(text: str) -> tuple[Slot, ...]:
    """The slots that are still open, in order."""
    return tuple(Slot(m[1], Span(*m.span())) for m in _SLOT.finditer(text) if m[1] in SLOTS)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each slot that has a value filled; the others stay. A value is never read for slots itself.

    Values go in as they are, so templates are written for them; only at the start of a sentence a value gets a capital.
    """
    parts, end = [], 0
    for slot in find_slots(text):
        value = values.get(slot.name, "")
        if value:
            before = text[: slot.span.start].rstrip()
            begins = not before or (before[-1] in ".?!" and before != text[: slot.span.start])
            parts += [text[end : slot.span.start], value[0].upper() + value[1:] if begins else value]
            end = slot.span.end
    return "".join((*parts, text[end:]))


def next_slot(text: str, place: int, *, forward: bool = True) -> Slot | None:
    """The next slot at or after a place (before it, backwards), around the ends; None where there is none."""
    slots = find_slots(text)
    if not slots:
        return None
    if forward:
        return next((slot for slot in slots if slot.span.start >= place), slots[0])
    return next((slot for slot in reversed(slots) if slot.span.end <= place), slots[-1])


def words_between(text: str) -> tuple[str, ...]:
    """What is between the slots: the words by which a template is known again in a reply."""
    parts, end = [], 0
    for slot in find_slots(text):
        parts.append(text[end : slot.span.start])
        end = slot.span.end
    parts.append(text[end:])
    return tuple(part.strip() for part in parts if part.strip())
