"""Finds the edits at places named in a comment or a reply: "page 7", "line 120", "Section 3.2", “quoted words”.

A reviewer names places of the submitted version, authors those of the revised one; what is missing in the first is
looked up in the other. Nothing is guessed: a place that neither version has names no edit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from engine.documents.places import Place, Places
from engine.documents.records import ParsedDocument
from engine.documents.references import TITLES, PlaceKind, Reference, find_references
from engine.revision.records import Edit, NamedPlace, PlaceReach

T = TypeVar("T")
REGIONS = frozenset({"page", "section", "appendix"})
"""Places with many paragraphs."""
CAPTIONED = frozenset({"figure", "table", "algorithm"})
"""Places that are named by their captions."""
FLOATING = frozenset({"caption", "table"})
"""Paragraphs whose position is the typesetter's choice."""
_NTH = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4,
    "last": -1, "final": -1,
}  # fmt: skip
_KINDS: dict[str, PlaceKind] = {name: name for name in ("table", "figure", "equation", "algorithm")}
_NTH_PLACE = re.compile(rf"\b({'|'.join(_NTH)})\s+({'|'.join(_KINDS)})\b(?!\s+(?:in|of|on)\b)", re.IGNORECASE)
_PARAGRAPH = re.compile(rf"\b({'|'.join(_NTH)})\s+paragraph\b", re.IGNORECASE)
_HEADED = re.compile(
    rf"^\W*(?:[\dIVX.]+\s+)?(?P<head>{TITLES})(?:\s*:|\s+[-–—]\s|,\s)"
    rf"|\b(?:in|of)\s+the\s+(?P<part>discussion|results|methods|methodology|summary|limitations)\b"
    rf"|\bin\s+[“\"‘'](?P<quoted>{TITLES})[”\"’']|\bthe\s+(?P<concluding>conclu)ding\s+section\b"
    r"|\b(?:the|your|their)\s+(?P<plain>abstract|summary|introduction|conclusions?)(?=\s*(?:[.,;:)]|$)|['’]s\b|\s+(?:is|are|should|does|do|must"
    r"|could|would|needs?|lacks?|contains?|says?|states?|claims?|mentions?|reads?|has|have|and)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""Sections named without the word "section": "Limitations: ...", "The abstract lacks ..."."""
LEAST_QUOTED = 3
"""Fewer words in quotation marks are a term, not a place."""


def named_paragraphs(places: Places, text: str) -> tuple[tuple[Reference, frozenset[str]], ...]:
    """Returns the places of a document that a text names: the reference, and the ids of the paragraphs there. Places
    that don't exist are left out."""
    found = []
    for reference in tuple(_references(text)) or _titled(places, text):
        if reference.kind == "quote" and len(reference.title.split()) < LEAST_QUOTED:
            continue
        place = places.resolve(reference)
        if place is not None and (paragraphs := _paragraphs(places, reference, place)):
            found.append((reference, _counted(places, text, reference, paragraphs)))
    for match in _NTH_PLACE.finditer(text):
        kind = _KINDS[match[2].lower()]
        there = [p for p in (places.equations if kind == "equation" else places.captioned) if p.kind == kind]
        for place in _nth(there, match[1]):
            reference = Reference(kind, place.number, *match.span())
            found.append((reference, _paragraphs(places, reference, place)))
    return tuple(found)


def _references(text: str) -> Iterator[Reference]:
    yield from find_references(text)
    for match in _HEADED.finditer(text):
        title = next(filter(None, match.groups()))
        yield Reference("section", "", *match.span(), title="conclusion" if title.lower() == "conclu" else title)


def _titled(places: Places, text: str) -> Iterator[Reference]:
    """Yields the paper's own headings, with their capitals, after a preposition or before "section"."""
    for title in {place.title for place in places.sections if len(place.title) > 3 and place.title[:1].isupper()}:
        own = re.escape(title)
        behind = rf"\b(?:in|under|of|to|from|see|and)\s+(?:the\s+)?[“\"]?{own}\b(?!\s+\d)"
        for match in re.finditer(rf"{behind}|\b{own}[”\"]?\s+section\b", text):
            yield Reference("section", "", *match.span(), title=title)


def _counted(places: Places, text: str, section: Reference, inside: frozenset[str]) -> frozenset[str]:
    """Returns the paragraph of a section that is named with it, "the last paragraph of the introduction", or all."""
    before, after = text[max(0, section.start - 30) : section.start + 3], text[section.end : section.end + 30]
    if section.kind not in ("section", "appendix"):
        return inside
    counted = _PARAGRAPH.search(before) or _PARAGRAPH.match(after.lstrip(" ,:;.()–—-"))
    running = [p.id for p in places.document.paragraphs if p.kind == "body" and p.id in inside]
    return frozenset(_nth(running, counted[1])) if counted else inside


def _nth(found: Sequence[T], ordinal: str) -> Sequence[T]:
    """Returns the item with this ordinal, or nothing."""
    at = _NTH[ordinal.lower()]
    return found[at:][:1]


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
    if reference.kind == "table" and (table := places.table(place.number)) is not None:
        own = {place.paragraph_id, table.caption_id, *table.paragraph_ids}
        rows = [n for n, p in enumerate(everything) if p.id in own]
        return frozenset(p.id for p in everything[rows[0] : rows[-1] + 1])
    if reference.kind in REGIONS:
        numbers = places.section_numbers
        number = numbers.get(place.paragraph_id)
        at = next((n for n, p in enumerate(everything) if p.id == place.paragraph_id), len(everything))
        inside: list[str] = []
        for paragraph in everything[at:]:
            below = number and numbers.get(paragraph.id, "").startswith(f"{number}.")
            if inside and paragraph.kind == "heading" and not below:
                break
            if paragraph.kind not in FLOATING:
                inside.append(paragraph.id)
        return frozenset(inside)
    return frozenset({place.paragraph_id} - {""})


class NamedEdits:
    """Finds the edits of one revision at the places that texts name. Pure; lookups are computed on first use."""

    def __init__(
        self,
        source: ParsedDocument,
        target: ParsedDocument,
        edits: Sequence[Edit],
        unchanged: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
    ) -> None:
        """``unchanged``: ids of unchanged source and target paragraphs, as in ``RevisionDiff``."""
        self._source, self._target = Places(source), Places(target)
        self._edits = tuple(edits)
        self._unchanged = tuple(unchanged)

    def of_comment(self, text: str) -> tuple[NamedPlace, ...]:
        return self._named(text, (self._source, self._at_source), (self._target, self._at_target))

    def of_reply(self, text: str) -> tuple[NamedPlace, ...]:
        return self._named(text, (self._target, self._at_target), (self._source, self._at_source))

    def _named(self, text: str, *versions: tuple[Places, dict[str, frozenset[str]]]) -> tuple[NamedPlace, ...]:
        found: dict[str, NamedPlace] = {}
        for places, at in versions:
            for reference, paragraphs in named_paragraphs(places, text):
                edits = frozenset(edit for paragraph in paragraphs for edit in at.get(paragraph, ()))
                label = f"“{reference.title}”" if reference.kind == "quote" else reference.label
                if label not in found and (edits or reference.kind in ("page", "line")):
                    found[label] = NamedPlace(label, _reach(reference.kind), edits)
        return tuple(place for place in found.values() if place.edit_ids)

    @cached_property
    def _at_target(self) -> dict[str, frozenset[str]]:
        return _by_paragraph((paragraph, edit.id) for edit in self._edits for paragraph in edit.target_ids)

    @cached_property
    def _at_source(self) -> dict[str, frozenset[str]]:
        """New paragraphs are assigned to the paragraph after which they were inserted."""
        came_from = {paragraph: old for old, new in self._unchanged for paragraph in new}
        came_from |= {paragraph: edit.source_ids for edit in self._edits for paragraph in edit.target_ids}
        behind: dict[str, str] = {}
        last = ""
        for paragraph in self._target.document.paragraphs:
            behind[paragraph.id] = last
            if paragraph.kind not in FLOATING:
                last = next(reversed(came_from.get(paragraph.id, ())), last)
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
