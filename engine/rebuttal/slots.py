"""Slots in templates and replies: ``{section}`` and its like, found, filled, and told apart from other braces.

A slot is a known name in braces; everything else in braces (LaTeX, sets, code) is text. Offsets are code points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.reviews.records import Span

SLOTS: Mapping[str, str] = {
    "section": "a section of the paper, as “Section 3.2”",
    "paragraph": "a paragraph, as “the second paragraph of Section 3”",
    "page": "a page number, as “page 4”",
    "line": "line numbers, as “lines 120 to 126”",
    "table": "a table, as “Table 2”",
    "figure": "a figure, as “Figure 3”",
    "equation": "an equation, as “Equation 5”",
    "appendix": "an appendix, as “Appendix B”",
    "algorithm": "an algorithm, as “Algorithm 1”",
    "number": "a figure or amount, with its unit",
    "result": "a result in a few words, as “accuracy rises from 71.2 to 73.5”",
    "metric": "a measure, as “macro-F1”",
    "experiment": "an experiment in a few words, as “an ablation without the encoder”",
    "dataset": "a data set, with its reference where it is new",
    "baseline": "a method to compare with, with its reference where it is new",
    "method": "a method or a part of one",
    "reference": "a reference, as “Ada and Bo (2021)”",
    "term": "a term or a symbol",
    "definition": "a definition, as a noun, as “the distance to the nearest boundary”",
    "reason": "a reason, as part of a sentence that follows “because”",
    "change": "what was changed, as part of a sentence that follows “we”",
    "addition": "what was added, as a noun, as “a discussion of the cost”",
    "limitation": "a limitation, as a noun",
    "assumption": "an assumption, as part of a sentence that follows “that”",
    "claim": "a statement of the paper, as part of a sentence that follows “that”",
    "point": "what the reviewer raised, as a noun, as “the choice of the margin”",
    "quote": "words of the reviewer",
    "evidence": "what supports a statement, as a noun",
    "code": "where code or data will be, without a name in it",
    "deadline": "by when, as “the camera-ready version”",
    "reviewer": "a reviewer, as “Reviewer 2”",
    "comment": "the number of another comment, as “R2.3”",
    "alternative": "what is or could be used instead, as a noun",
    "application": "a use in practice, as “triage in emergency rooms”",
    "audience": "who uses or needs it, as “editors of small journals”",
    "benefit": "what people can do with it, as part of a sentence that follows “can”",
    "component": "a part of the method or of the data, with its article",
    "condition": "a condition, as part of a sentence that follows “if” or “when”",
    "contribution": "what is new, as a noun with its article",
    "difference": "what differs, as a noun, as “the objective”",
    "factor": "what could explain an effect, as “the length of the input”",
    "finding": "what was found, as part of a sentence that follows “that”",
    "parameter": "a parameter, as “the learning rate”",
    "property": "a property by which items are told apart, as “author” or “length”",
    "quantity": "what an axis or a column shows, with its unit",
    "resource": "what is needed to do it, as “eight GPUs” or “annotated dialogues”",
    "setting": "where something holds or is used, as “retrieval without training data”",
    "topic": "a field of work, as “dense retrieval”",
}
"""Each slot with what belongs into it; the words stand in the editor's hint."""

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
    """What stands between the slots: the words by which a template is known again in a reply."""
    parts, end = [], 0
    for slot in find_slots(text):
        parts.append(text[end : slot.span.start])
        end = slot.span.end
    parts.append(text[end:])
    return tuple(part.strip() for part in parts if part.strip())
