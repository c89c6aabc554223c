"""Finds and fills slots such as ``{section}`` in templates and replies, and tells them from other braces.

A slot is a known name in braces; anything else in braces (LaTeX, sets, code) is text. Offsets are code points.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.documents.records import Paragraph
from engine.documents.references import PlaceKind, find_references, section_name
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
"""Each slot with a description of its content."""

_SLOT = re.compile(r"(?<![\\\w{])\{([a-z]+)\}(?!\})")


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot in a text: its name, and its span including the braces."""

    name: str
    span: Span


def find_slots(text: str) -> tuple[Slot, ...]:
    """Returns the open slots, in order."""
    return tuple(Slot(m[1], Span(*m.span())) for m in _SLOT.finditer(text) if m[1] in SLOTS)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Fills each slot that has a value; the others stay. Values aren't searched for slots. Values are inserted as they
    are, so templates are worded for them; only at the start of a sentence a value is capitalised."""
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
    """Returns the next slot at or after a position (or before it, backwards), wrapping around; None if there are no
    slots."""
    slots = find_slots(text)
    if not slots:
        return None
    if forward:
        return next((slot for slot in slots if slot.span.start >= place), slots[0])
    return next((slot for slot in reversed(slots) if slot.span.end <= place), slots[-1])


def words_between(text: str) -> tuple[str, ...]:
    """Returns the text between the slots, by which a template is recognised in a reply."""
    parts, end = [], 0
    for slot in find_slots(text):
        parts.append(text[end : slot.span.start])
        end = slot.span.end
    parts.append(text[end:])
    return tuple(part.strip() for part in parts if part.strip())


# Fills slots of a template, and outlines a response that no template fits, from the linked edits, the comment and its
# reviewer.

_REFERRED: tuple[PlaceKind, ...] = ("table", "figure", "equation", "algorithm")
QUOTED = 60
"""Characters of the reviewer's text that fill a {quote}."""
OUTLINE = "outline"
"""The library of outlines, which isn't stored anywhere."""
_REQUEST, _CHANGE, _CHANGES = 160, 120, 3
"""Characters of the request and of one change in an outline, and the number of changes it lists."""


def slot_values(
    comment: Comment, reviewer: str, edits: Sequence[Edit], revised: Mapping[str, Paragraph]
) -> dict[str, str]:
    """Returns values by slot, as far as they are known. ``revised``: paragraphs of the revised version by id.

    Sections and pages are those of the first linked edit that is still in the revised version; tables, figures,
    equations and algorithms are captions among the edits, or mentioned in added words.
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
    comment: Comment,
    edits: Sequence[Edit],
    revised: Mapping[str, Paragraph],
    action: Action | None = None,
    *,
    quotes: bool = True,
) -> Template:
    """Outlines a response without a template: the request (unless ``quotes`` is false, since every comment is quoted
    anyway), what changed, and where. Changes and places come from the linked edits; without any they stay slots."""
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
    # As a quotation the request counts as the reviewer's text, not as a claim of the response.
    above = f"> {shortened(request, _REQUEST)}\n\n" if quotes else ""
    return Template(OUTLINE, action or "task_done", above + " ".join(parts), library=OUTLINE)


def _changed(edit: Edit, revised: Mapping[str, Paragraph]) -> str:
    """Returns a sentence on what an edit changed and where."""
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


def added_words(edit: Edit) -> str:
    """Returns the words that an edit added, with an ellipsis between separate additions."""
    if not edit.source_text:
        return edit.target_text
    changes = word_changes(edit.source_text, edit.target_text)
    return " … ".join(change.text.strip() for change in changes if change.operation == "insert" and change.text.strip())


def answered_cell(point: Point) -> Cell:
    """Returns whether a reply is written; ``attention`` if it contains slots, notes to co-authors or unaccepted
    sentences."""
    leaving = said(point.text)
    if not leaving.strip():
        return "empty"
    return "attention" if find_slots(leaving) or notes_in(point.text) or point.generated else "good"
