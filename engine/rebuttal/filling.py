"""What the slots of a template can be filled with at a point: from the linked edits, the comment and its reviewer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.documents.records import Paragraph
from engine.documents.references import PlaceKind, find_references
from engine.rebuttal.letter import shortened
from engine.reviews.records import Comment
from engine.revision.differences import word_changes
from engine.revision.records import Edit

_NUMBERED = re.compile(
    r"^(?:section\s+)?(?P<number>\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)[.:]?\s+(?P<title>\S.*)$", re.IGNORECASE
)
_REFERRED: tuple[PlaceKind, ...] = ("table", "figure", "equation", "algorithm")
QUOTED = 60
"""Characters of the reviewer's words that fill a {quote}."""


def slot_values(
    comment: Comment, reviewer: str, edits: Sequence[Edit], revised: Mapping[str, Paragraph]
) -> dict[str, str]:
    """Values by slot; a slot that nothing tells is missing. ``revised``: paragraphs of the revised version by id.

    Sections and pages are those of the first linked edit that still is in the revised version; tables, figures,
    equations and algorithms are captions among the edits, else what their new words name.
    """
    values = {"reviewer": reviewer, "quote": f"“{shortened(' '.join(comment.comment.split()), QUOTED)}”"}
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


def section_name(path: str) -> str:
    """A section as a sentence names it: “Section 4.2”, “Appendix B”, “Section “Error Measure””; "" for none."""
    title = path.rpartition(" > ")[2].strip()
    if not title:
        return ""
    numbered = _NUMBERED.match(title)
    if numbered is None:
        return title if title.casefold().startswith(("section", "appendix")) else f"Section “{title}”"
    number = numbered["number"]
    return f"Appendix {number.upper()}" if number[0].isalpha() else f"Section {number}"


def added_words(edit: Edit) -> str:
    """The words that an edit brought in."""
    if not edit.source_text:
        return edit.target_text
    changes = word_changes(edit.source_text, edit.target_text)
    return " ".join(change.text for change in changes if change.operation == "insert")
