"""Slots in templates and replies: ``{section}`` and its like, found, filled, and told apart from other braces.

A slot is a known name in braces; everything else in braces (LaTeX, sets, code) is text. Offsets are code points.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.documents.records import Paragraph
from engine.documents.references import PlaceKind, find_references
from engine.rebuttal.letter import shortened
from engine.rebuttal.points import Cell, notes_in, said
from engine.rebuttal.records import STANCES, Action, Point, Template
from engine.resource_files import resource_table
from engine.reviews.cues import ASKING, sentence_role
from engine.reviews.records import Comment, Span
from engine.reviews.sentences import split_sentences
from engine.reviews.spans import unmarked
from engine.revision.differences import word_changes
from engine.revision.records import Edit

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


# What the slots of a template can be filled with at a point, and the outline of a response that no template fits: both
# from the linked edits, the comment and its reviewer.

_NUMBERED = re.compile(
    r"^(?:section\s+)?(?P<number>\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)[.:]?\s+(?P<title>\S.*)$", re.IGNORECASE
)
_REFERRED: tuple[PlaceKind, ...] = ("table", "figure", "equation", "algorithm")
QUOTED = 60
"""Characters of the reviewer's words that fill a {quote}."""
OUTLINE = "outline"
"""The library of outlines, which is kept nowhere."""
_REQUEST, _CHANGE, _CHANGES = 160, 120, 3
"""Characters of the request and of one change in an outline, and how many changes it names."""


def slot_values(
    comment: Comment, reviewer: str, edits: Sequence[Edit], revised: Mapping[str, Paragraph]
) -> dict[str, str]:
    """Values by slot; a slot that nothing tells is missing. ``revised``: paragraphs of the revised version by id.

    Sections and pages are those of the first linked edit that still is in the revised version; tables, figures,
    equations and algorithms are captions among the edits, else what their new words name.
    """
    values = {"reviewer": reviewer, "quote": f"“{shortened(' '.join(unmarked(comment.comment).split()), QUOTED)}”"}
    standing = [edit for edit in edits if edit.target_ids]
    for edit in standing:
        paragraph = next((revised[key] for key in edit.target_ids if key in revised), None)
        section = section_name(edit.section or (paragraph.section if paragraph else ""))
        if section:
            values.setdefault("appendix" if section.startswith("Appendix") else "section", section)
        if section.startswith("Appendix"):
            values.setdefault("section", section)
        if paragraph is not None:
            values.setdefault("page", f"page {paragraph.page}")
    captions = [revised[k] for e in standing for k in e.target_ids if k in revised and revised[k].kind == "caption"]
    for text in (*(caption.text[:40] for caption in captions), *(added_words(edit) for edit in standing)):
        for reference in find_references(text):
            if reference.kind in _REFERRED and reference.number:
                values.setdefault(reference.kind, reference.label)
    return values


def outline(
    comment: Comment, edits: Sequence[Edit], revised: Mapping[str, Paragraph], action: Action | None = None
) -> Template:
    """What a response without a template has to say: what they ask, what changed, and where. Changes and places are
    those of the linked edits; without any they stay slots.
    """
    text = " ".join(unmarked(comment.comment).split())
    sentences = [text[span.start : span.end] for span in split_sentences(text)] or [text]
    request = next((one for one in sentences if sentence_role(one) in ASKING), sentences[0])
    parts = [_changed(edit, revised) for edit in edits[:_CHANGES]]
    if len(edits) > _CHANGES:
        more = len(edits) - _CHANGES
        parts.append(f"{more} more {'paragraph' if more == 1 else 'paragraphs'} changed as well.")
    if action is not None and STANCES[action] == "dispute":
        parts.append("We see this differently, because {reason}.")
    elif not edits:
        parts.append("We {change}; see {section}.")
    # As a quotation the request counts as the reviewer's words, not as a claim of the response.
    text = f"> {shortened(request, _REQUEST)}\n\n{' '.join(parts)}"
    return Template(OUTLINE, action or "task_done", text, library=OUTLINE)


def _changed(edit: Edit, revised: Mapping[str, Paragraph]) -> str:
    """A sentence on what an edit changed and where."""
    paragraph = next((revised[key] for key in edit.target_ids if key in revised), None)
    where = section_name(edit.section or (paragraph.section if paragraph else "")) or "{section}"
    if paragraph is not None and paragraph.kind == "caption" and edit.source_text:
        where = next((found.label for found in find_references(paragraph.text[:40])), where)
    if not edit.target_text:
        return f"We deleted “{_brief(edit.source_text)}” from {where}."
    place = f"{where} (page {paragraph.page})" if paragraph is not None else where
    words = _brief(added_words(edit))
    if edit.passage:
        return f"See {place}: “{words}”."
    if not edit.source_text:
        return f"We added “{words}” to {place}."
    return f"We changed {place}, which now says “{words}”." if words else f"We shortened a paragraph in {place}."


def _brief(text: str) -> str:
    return shortened(" ".join(text.split()).lstrip(",;: "), _CHANGE)


def section_name(path: str) -> str:
    """A section as a sentence names it: “Section 4.2”, “Appendix B”, “Section “Error Measure””; "" for none."""
    title = path.rpartition(" > ")[2].strip()
    if title.casefold() in ("", "abstract"):
        return title and "the abstract"
    numbered = _NUMBERED.match(title)
    if numbered is None:
        return title if title.casefold().startswith(("section", "appendix")) else f"Section “{title}”"
    number = numbered["number"]
    return f"Appendix {number.upper()}" if number[0].isalpha() else f"Section {number}"


def added_words(edit: Edit) -> str:
    """The words that an edit brought in, with an ellipsis where others are between them."""
    if not edit.source_text:
        return edit.target_text
    changes = word_changes(edit.source_text, edit.target_text)
    return " … ".join(change.text.strip() for change in changes if change.operation == "insert" and change.text.strip())


def answered_cell(point: Point) -> Cell:
    """Whether a reply is written; ``attention`` while slots, notes to co-authors or unaccepted sentences are in it."""
    leaving = said(point.text)
    if not leaving.strip():
        return "empty"
    return "attention" if find_slots(leaving) or notes_in(point.text) or point.generated else "good"
