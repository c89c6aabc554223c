"""The edits at the places that a comment or a reply names: "page 7", "line 120", "Section 3.2", “quoted words”.

A reviewer names places of the submitted version, authors those of the revised one; what the first does not have is
looked up in the other. Nothing is guessed: a place that neither version has names no edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from engine.documents.places import Place, Places
from engine.documents.records import ParsedDocument
from engine.documents.references import PlaceKind, Reference, find_references
from engine.revision.records import Edit, NamedPlace, PlaceReach

REGIONS = frozenset({"page", "section", "appendix"})
"""Places that hold many paragraphs."""
CAPTIONED = frozenset({"figure", "table", "algorithm"})
"""Places that are named by their captions."""
LEAST_QUOTED = 3
"""Fewer words in quotation marks are a term, not a place."""


def named_paragraphs(places: Places, text: str) -> tuple[tuple[Reference, frozenset[str]], ...]:
    """What a text names of a document: the reference, and the ids of the paragraphs there. Places it lacks are left
    out.
    """
    found = []
    for reference in find_references(text):
        if reference.kind == "quote" and len(reference.title.split()) < LEAST_QUOTED:
            continue
        place = places.resolve(reference)
        if place is not None and (paragraphs := _paragraphs(places, reference, place)):
            found.append((reference, paragraphs))
    return tuple(found)


def _paragraphs(places: Places, reference: Reference, place: Place) -> frozenset[str]:
    everything = places.document.paragraphs
    if reference.kind == "page":
        first, last = int(reference.number), int(reference.last or reference.number)
        return frozenset(p.id for p in everything if any(first <= box.page <= last for box in p.boxes))
    if reference.kind == "line":
        return frozenset(
            p.id
            for p in everything
            if any(
                box.page == line.page
                and box.y0 < (line.y0 + line.y1) / 2 < box.y1
                and min(box.x1, line.x1) > max(box.x0, line.x0)
                for box in p.boxes
                for line in place.boxes
            )
        )
    if reference.kind in REGIONS:
        numbers = {heading.paragraph_id: heading.number for heading in places.sections}
        at = next((n for n, p in enumerate(everything) if p.id == place.paragraph_id), len(everything))
        inside: list[str] = []
        for paragraph in everything[at:]:
            below = place.number and numbers.get(paragraph.id, "").startswith(f"{place.number}.")
            if inside and paragraph.kind == "heading" and not below:
                break
            inside.append(paragraph.id)
        return frozenset(inside)
    return frozenset({place.paragraph_id} - {""})


class NamedEdits:
    """Finds the edits of one revision at the places that texts name. Pure; documents are read when first asked."""

    def __init__(
        self,
        source: ParsedDocument,
        target: ParsedDocument,
        edits: Sequence[Edit],
        unchanged: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
    ) -> None:
        """``unchanged``: ids of source and target paragraphs that stayed, as in ``RevisionDiff``."""
        self._source, self._target = Places(source), Places(target)
        self._edits = tuple(edits)
        self._unchanged = tuple(unchanged)

    def of_comment(self, text: str) -> tuple[NamedPlace, ...]:
        """What a comment names, in the submitted version first."""
        return self._named(text, (self._source, self._at_source), (self._target, self._at_target))

    def of_reply(self, text: str) -> tuple[NamedPlace, ...]:
        """What a reply names, in the revised version first."""
        return self._named(text, (self._target, self._at_target), (self._source, self._at_source))

    def _named(self, text: str, *versions: tuple[Places, dict[str, frozenset[str]]]) -> tuple[NamedPlace, ...]:
        found: dict[str, NamedPlace] = {}
        for places, at in versions:
            for reference, paragraphs in named_paragraphs(places, text):
                edits = frozenset(edit for paragraph in paragraphs for edit in at.get(paragraph, ()))
                label = f"“{reference.title}”" if reference.kind == "quote" else reference.label
                if label not in found and edits:
                    found[label] = NamedPlace(label, _reach(reference.kind), edits)
        return tuple(found.values())

    @cached_property
    def _at_target(self) -> dict[str, frozenset[str]]:
        return _by_paragraph((paragraph, edit.id) for edit in self._edits for paragraph in edit.target_ids)

    @cached_property
    def _at_source(self) -> dict[str, frozenset[str]]:
        """New paragraphs stand at the paragraph behind which they came."""
        came_from = {paragraph: old for old, new in self._unchanged for paragraph in new}
        came_from |= {paragraph: edit.source_ids for edit in self._edits for paragraph in edit.target_ids}
        order = [paragraph.id for paragraph in self._target.document.paragraphs]
        behind: dict[str, str] = {}
        last = ""
        for paragraph in order:
            behind[paragraph] = last
            last = next(reversed(came_from.get(paragraph, ())), last)
        pairs = [(paragraph, edit.id) for edit in self._edits for paragraph in edit.source_ids]
        pairs += [
            (behind[edit.target_ids[0]], edit.id)
            for edit in self._edits
            if not edit.source_ids and edit.target_ids and behind.get(edit.target_ids[0])
        ]
        return _by_paragraph(pairs)


def _reach(kind: PlaceKind) -> PlaceReach:
    return "region" if kind in REGIONS else "caption" if kind in CAPTIONED else "exact"


def _by_paragraph(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for paragraph, edit in pairs:
        found.setdefault(paragraph, set()).add(edit)
    return {paragraph: frozenset(edits) for paragraph, edits in found.items()}
