"""What a reply says of the revised paper: “we added Table 4”, “Section 3.2 now says …”, found and checked.

Rules over words, not a model: a place ("Table 4", "Section 3.2", "line 120", a quotation) is a claim where its sentence
says that something was done, or is there. A place of the submitted version, or in a quoted comment, is none. What a
place is, and where it is, ``engine.documents.places`` says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from engine.documents.numbers import Quantity, find_quantities
from engine.documents.references import Reference, find_references
from engine.rebuttal.points import spans_of
from engine.reviews.records import Span
from engine.revision.records import Edit

if TYPE_CHECKING:
    from engine.documents.places import Place, Places

Verdict = Literal["verified", "unsupported", "unknown", "confirmed"]

_DONE = re.compile(
    r"\b(?:(?P<added>added|included|inserted|introduced|new|additional)|"
    r"(?P<changed>now|revised|rewrote|rewritten|re-?phrased|extended|expanded|updated|corrected|fixed|clarified|changed|"
    r"replaced|reorgani[sz]ed|moved|removed|deleted|split|merged)|"
    r"adds|includes?|clarifies|reports?|reported|shows?|shown|states?|stated|says?|said|explains?|explained|describes?|"
    r"described|discuss(?:es|ed)?|contains?|gives?|given|lists?|listed|defines?|defined|reads?|see|found|appears?|"
    r"compar(?:es|ed))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"[\s,)]*(?:\([^)]*\)\s*)?(?:(?:is|are|has|have|was|were|been|also|which|and)\s+){0,3}", re.IGNORECASE
)
"""What may stand between a place and a verb of its own ("Table 4 is new")."""
_BEFORE = re.compile(
    r"\b(?:submitted|original|previous|earlier|first|old) (?:version|submission|manuscript|draft)\b|\bpreviously\b|"
    r"\bused to\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?:will|shall|plan to|intend to|are going to)\b", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_QUOTED = re.compile(r"^[ \t]*(?:>|%%).*$", re.MULTILINE)
"""Lines that quote a reviewer, and notes to co-authors."""
_FORMULA = re.compile(r"\$[^$]+\$|\b[a-zA-Z]\s?[<>=≤≥]\s?[\d.]+")
_QUOTE_WORDS = 3
"""A quotation of fewer words is a term, not a passage."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A place that a reply speaks of. ``text`` is how it is there, ``added``: the sentence says that it is new;
    ``changed``: that it was worked on. ``revised``: the sentence speaks of the paper as it is now. ``numbers`` are
    those that the sentence reports, of its only table.
    """

    reference: Reference
    text: str
    span: Span
    added: bool = False
    changed: bool = False
    numbers: tuple[Quantity, ...] = ()
    revised: bool = False

    @property
    def key(self) -> str:
        """What confirmations name it by."""
        return f"“{self.reference.title}”" if self.reference.kind == "quote" else self.reference.label


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and what the revised paper says to it: ``why`` for people, ``place`` where it is, None nowhere."""

    claim: Claim
    verdict: Verdict
    why: str
    place: Place | None = None


def find_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a reply in order; spans in code points. Lines of quoted comments (“> …”) are left out, and so are
    sentences that promise, and that speak of the submitted version.
    """
    found: list[Claim] = []
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        found += [replace(c, span=Span(start + c.span.start, start + c.span.end)) for c in _claims(paragraph[0])]
    return tuple(found)


@lru_cache(maxsize=512)
def _claims(text: str) -> tuple[Claim, ...]:
    """The claims of a paragraph; while one types in another one they are not looked for again."""
    if not _DONE.search(text):
        return ()
    found: list[Claim] = []
    quoted = [Span(*match.span()) for match in _QUOTED.finditer(text)]
    for sentence in spans_of(text):
        words = text[sentence.start : sentence.end]
        if any(span.start <= sentence.start < span.end for span in quoted):
            continue
        if _BEFORE.search(words) or not _DONE.search(words):
            continue
        if _WILL.search(words) and not re.search(r"\b(?:added|now|have)\b", words, re.IGNORECASE):
            continue
        places = [r for r in find_references(words) if r.kind != "quote" or len(r.title.split()) >= _QUOTE_WORDS]
        tables = [r for r in places if r.kind == "table"]
        revised = any(verb["added"] or verb["changed"] for verb in _DONE.finditer(words))
        revised = revised or any(r.kind != "quote" for r in places)
        for place in places:
            verb = _verb_of(words, place.start, place.end)
            numbers = _numbers(words, places) if tables == [place] else ()
            span = Span(sentence.start + place.start, sentence.start + place.end)
            said = text[span.start : span.end]
            found.append(Claim(place, said, span, bool(verb["added"]), bool(verb["changed"]), numbers, revised))
    return tuple(found)


def check_claims(
    text: str,
    revised: Places,
    submitted: Places | None = None,
    edits: Sequence[Edit] = (),
    confirmed: Collection[str] = (),
) -> tuple[Checked, ...]:
    """Each claim of a reply against the revised paper. ``submitted`` and ``edits`` tell what is new there: without
    them only whether the place exists is checked. ``confirmed`` are keys of claims that a person looked up.
    """
    touched = {key for edit in edits for key in edit.target_ids}
    return tuple(
        Checked(claim, "confirmed", "You confirmed it.", revised.resolve(claim.reference))
        if claim.key in confirmed
        else _check(claim, revised, submitted, touched)
        for claim in find_claims(text)
    )


def _check(claim: Claim, revised: Places, submitted: Places | None, touched: Collection[str]) -> Checked:
    from rapidfuzz import fuzz

    reference = claim.reference
    name = "These words" if reference.kind == "quote" else reference.label
    place = revised.resolve(reference)
    if place is None:
        known = None if reference.kind == "quote" else revised.mentioned(reference)
        if known is not None:
            return Checked(claim, "unknown", f"{name} is named in the revised paper, but not found there.", known)
        if reference.kind == "quote":
            # Authors quote reviewers and other papers, too: what is said of the paper as it is now must stand there.
            verdict: Verdict = "unsupported" if claim.revised else "unknown"
            return Checked(claim, verdict, f"{name} do not stand in the revised paper.")
        return Checked(claim, "unsupported", f"{name} does not stand in the revised paper.")
    if submitted is not None and (claim.added or claim.changed):
        before = submitted.resolve(reference)
        same = before is not None and fuzz.ratio(before.title.casefold(), place.title.casefold()) >= 85
        if same and not _is_touched(place, revised, touched):
            verb = "are" if reference.kind == "quote" else "is"
            why = f"{name} {verb} in the submitted version, too, and unchanged."
            return Checked(claim, "unsupported" if claim.added else "unknown", why, place)
        if same and claim.added:
            return Checked(claim, "verified", f"{name} was there before, and was changed.", place)
    table = revised.table(reference.number) if reference.kind == "table" else None
    if table is not None:
        missing = [q.text for q in claim.numbers if revised.number_in_table(q, table) is None]
        if missing:
            return Checked(claim, "unknown", f"{', '.join(missing)} was not found in {name}.", place)
    return Checked(claim, "verified", f"{name} is on page {place.page}.", place)


def _is_touched(place: Place, revised: Places, touched: Collection[str]) -> bool:
    if place.paragraph_id in touched:
        return True
    if place.kind == "table":
        table = revised.table(place.number)
        return table is not None and any(key in touched for key in table.paragraph_ids)
    if place.kind in ("section", "appendix"):
        heading = next((p.text.strip() for p in revised.document.paragraphs if p.id == place.paragraph_id), "")
        return any(
            p.id in touched and heading in (part.strip() for part in p.section.split(" > "))
            for p in revised.document.paragraphs
        )
    return place.kind in ("page", "line")


def _verb_of(words: str, start: int, end: int) -> re.Match[str]:
    """The verb that a place belongs to: one that follows it closely, else the nearest before it, else the first."""
    verbs = list(_DONE.finditer(words))
    close = next((v for v in verbs if v.start() >= end and _BETWEEN.fullmatch(words, end, v.start())), None)
    before = next((verb for verb in reversed(verbs) if verb.end() <= start), None)
    return close or before or verbs[0]


def _numbers(words: str, places: Sequence[Reference]) -> tuple[Quantity, ...]:
    """The numbers of a sentence that belong to no reference and to no formula (“p < 0.05” reports no cell)."""
    apart = [(p.start, p.end) for p in places] + [match.span() for match in _FORMULA.finditer(words)]
    return tuple(q for q in find_quantities(words) if not any(start < q.end and q.start < end for start, end in apart))
