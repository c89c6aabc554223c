"""Whether what a review says of a paper is in the paper: its sentences green, amber or red.

A sentence is green when all that it points at was found, amber when it asserts something and points at nothing that
could be checked, red when something that it points at is not there. Nothing red leaves as a claim: the person drops it
or turns it into a question. What is said to be missing is searched for, and the nearest passages are shown first.
Pure: text and places in, records out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.documents.numbers import Quantity, find_quantities
from engine.documents.passages import words_of
from engine.documents.places import Place, Places
from engine.documents.records import Paragraph
from engine.documents.references import PlaceKind, Reference, find_references
from engine.papers.retrieval import hybrid
from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.claims import ClaimKind, absence, claim_kind, question_of
from engine.reviews.sentences import split_sentences
from engine.reviews.stretches import LIST_MARK

Colour = Literal["green", "amber", "red", "none"]
AnchorKind = PlaceKind | Literal["number"]
Decision = Literal["drop", "question"]
NEAREST = 3
"""Passages shown for what is said to be missing."""
HOLDS = 0.75
"""The share of the words of what is said to be missing that makes a passage worth a warning."""


@dataclass(frozen=True, slots=True)
class CheckedAnchor:
    """Something that a sentence points at: [start, end) of the review, and its ``place`` where it was found.

    ``certain`` is False where it cannot be decided (a number that may have been worked out, a supplement that is not in
    this PDF); such an anchor makes no sentence green or red. ``why`` is a sentence for people.
    """

    kind: AnchorKind
    ref: str
    start: int
    end: int
    verified: bool
    certain: bool
    page: int
    why: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of the paper that is near to something, [start, end) its nearest sentence; ``share`` is the share of
    the searched words that it holds, 0 to 1."""

    paragraph_id: str
    start: int
    end: int
    text: str
    page: int
    share: float


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a review, [start, end) of it, with what it points at and the state of that.

    ``missing`` is what it says the paper lacks, "" for other sentences; ``passages`` are those nearest to it.
    """

    start: int
    end: int
    text: str
    kind: ClaimKind
    colour: Colour
    anchors: tuple[CheckedAnchor, ...]
    why: str
    missing: str = ""
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class GroundedReview:
    """A review's sentences in order; ``seconds`` is what the check took."""

    text: str
    claims: tuple[Claim, ...]
    seconds: float = 0.0

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        """The red sentences."""
        return tuple(claim for claim in self.claims if claim.colour == "red")

    def blocking(self, decisions: Mapping[int, Decision] | None = None) -> tuple[Claim, ...]:
        """The red sentences that would leave as claims: those without a decision, by where they start."""
        return tuple(c for c in self.unsupported if c.kind != "question" and c.start not in (decisions or {}))


# --- checking --------------------------------------------------------------------------------------------------------


def ground(text: str, places: Places) -> GroundedReview:
    """Check every sentence of a review against a paper."""
    started = time.perf_counter()
    # A sentence begins behind the mark of its list item.
    marked = ((LIST_MARK.match(text, span.start, span.end), span) for span in split_sentences(text))
    spans = ((mark.end() if mark else span.start, span.end) for mark, span in marked)
    claims = [_claim(text, start, end, places) for start, end in spans if start < end]
    searched = [claim for claim in claims if claim.missing]
    found = nearest_passages([claim.missing for claim in searched], places)
    passages = dict(zip((claim.start for claim in searched), found, strict=True))
    whole = tuple(_with_passages(claim, passages.get(claim.start, ())) for claim in claims)
    return GroundedReview(text, whole, round(time.perf_counter() - started, 4))


def _claim(text: str, start: int, end: int, places: Places) -> Claim:
    sentence = text[start:end]
    references = find_references(sentence)
    named = (_reference(sentence, start, reference, places) for reference in references)
    anchors = (*filter(None, named), *_numbers(sentence, start, references, places))
    kind = claim_kind(sentence)
    missing = absence(sentence) or ""
    wrong = [a for a in anchors if a.certain and not a.verified]
    right = [a for a in anchors if a.verified]
    if wrong:
        return Claim(start, end, sentence, kind, "red", anchors, wrong[0].why, missing)
    # Words in quotation marks that are not the paper's do not count; any other doubt keeps a sentence from being green.
    open_ones = [a for a in anchors if not a.verified and a.kind != "quote"]
    if right and not open_ones:
        return Claim(start, end, sentence, kind, "green", anchors, right[0].why, missing)
    if kind == "assertion":
        doubt = open_ones or anchors
        why = doubt[0].why if doubt else "It says something of the paper and points at no place in it."
        return Claim(start, end, sentence, kind, "amber", anchors, why, missing)
    return Claim(start, end, sentence, kind, "none", anchors, "", missing)


def _with_passages(claim: Claim, passages: tuple[Passage, ...]) -> Claim:
    if not passages:
        return claim
    why = claim.why
    if passages[0].share >= HOLDS and claim.colour == "amber":
        why = f"The paper may hold what this calls missing: see page {passages[0].page}."
    return replace(claim, why=why, passages=passages)


# --- what is said to be missing --------------------------------------------------------------------------------------


def nearest_passages(queries: Sequence[str], places: Places) -> tuple[tuple[Passage, ...], ...]:
    """For each query the passages of the paper nearest to it by BM25, the nearest first."""
    held = [p for p in places.document.paragraphs if p.kind in ("body", "caption", "footnote") and len(p.text) > 20]
    if not held:
        return ((),) * len(queries)
    texts = [p.text for p in held]
    found: list[tuple[Passage, ...]] = []
    for query in queries:
        scores = hybrid([query], texts, None)
        order = sorted(range(len(held)), key=lambda n: -float(scores[n]))[:NEAREST]
        passages = [_passage(query, held[n]) for n in order if scores[n] > 0]
        found.append(tuple(sorted(passages, key=lambda p: -p.share)))
    return tuple(found)


def _passage(query: str, paragraph: Paragraph) -> Passage:
    wanted = content_stems(query)
    best, share = None, -1.0
    for span in split_sentences(paragraph.text):
        held = len(wanted & content_stems(paragraph.text[span.start : span.end])) / len(wanted) if wanted else 0.0
        if held > share:
            best, share = span, held
    start, end = (best.start, best.end) if best is not None else (0, len(paragraph.text))
    page = next((w.box.page for w in paragraph.words if w.end > start), paragraph.page)
    return Passage(paragraph.id, start, end, paragraph.text[start:end], page, max(0.0, round(share, 3)))


# --- anchors ---------------------------------------------------------------------------------------------------------

_NEW = re.compile(
    r"\b(?:add|adding|new|additional|another|extra|include a|introduce a|extend with)\s+(?:an?\s+)?$"
    r"|\bas\s+(?:an?\s+)?new\s+$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:authors?|paper|manuscript|they|abstract|introduction|conclusion|section|text|sentence|phrase|wording"
    r"|term|word"
    r"|caption|line|page|states?|stated|says?|said|writes?|written|wrote|claims?|claimed|reads?|reports?|argues?|quote"
    r"|mentions?|describes?|defines?|asserts?|concludes?)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?:->|→|=>|\b(?:to|with|by|as|like|such as|e\.g\.,?|rather|instead|say|write|read|titled|called|named|rename it"
    r"|should (?:be|read|say)|replace(?:d)? (?:it )?with|would be|perhaps|suggest|better))\s*[:,]?\s*$",
    re.IGNORECASE,
)
_REWRITES = re.compile(
    r"\b(?:chang(?:e|ing)|replac(?:e|ed|ing)|re(?:phras|word|nam)(?:e|ed|ing)|rewrit(?:e|ing|ten)|instead"
    r"|rather|suggest"
    r"|should (?:be|read|say)|would be|better|perhaps|titled?|call(?:ed)?|e\.g|such as|correct(?:ed)? to"
    r"|typos?)\b|->|→|=>",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\bet al\b|\b(?:arXiv|Proceedings|NeurIPS|ICLR|ICML|ACL|CVPR)\b|\((?:[^()]{1,60}, )?(?:19|20)\d\d[a-z]?\)"
    r"|\breference list\b"
)
_DERIVED = re.compile(
    r"\b(?:differences?|gains?|improve(?:s|d|ments?)?|drops?|increases?d?|decreases?d?|gaps?|margins?|by|times"
    r"|fold|factor"
    r"|about|approximately|roughly|around|circa|over|above|below|under|more than|less than|at least|at most"
    r"|nearly|almost|averages?|mean|total|sum|ratio|out of|up to|only|first|top|within|p\s*[<>=]|percentage points?"
    r"|relative)\b[^.;]{0,18}$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CERTAIN_FROM = 100
_STATED_FROM = 10
_LEAST_WORDS = 3


def _reference(sentence: str, offset: int, reference: Reference, places: Places) -> CheckedAnchor | None:
    place = places.resolve(reference)
    label = f"“{reference.title}”" if reference.kind == "quote" else reference.label
    span = (offset + reference.start, offset + reference.end)
    if place is not None:
        why = f"{'The quotation' if reference.kind == 'quote' else label} is on page {place.page}."
        return CheckedAnchor(reference.kind, label, *span, True, True, place.page, why, place)
    named = None if reference.kind == "quote" or reference.supplement else places.mentioned(reference)
    judge = _absent_quote if reference.kind == "quote" else _absent_place
    found = judge(sentence, reference, places, named)
    if found is None:
        return None
    certain, why = found
    return CheckedAnchor(reference.kind, label, *span, False, certain, named.page if named else 0, why, named)


def _absent_place(sentence: str, reference: Reference, places: Places, named: Place | None) -> tuple[bool, str] | None:
    """Whether it is certain that the paper has no such place, and why; None where the reviewer proposes a new one."""
    label = reference.label
    if _NEW.search(sentence[: reference.start]):
        return None
    if reference.supplement:
        return False, f"{label} is not in this PDF; it may be beside it."
    if named is not None:
        return False, f"The text names {label} on page {named.page}, but it could not be found itself."
    if reference.kind == "line" and not places.document.lines:
        return False, "The pages bear no line numbers."
    if reference.kind == "section" and reference.number and not any(p.number for p in places.sections):
        return True, f"The sections of the paper bear no numbers, so there is no {label} to be found."
    return True, f"{label} is not in the paper."


def _absent_quote(sentence: str, reference: Reference, *_: object) -> tuple[bool, str] | None:
    """As ``_absent_place``; None for a word set apart, which is no quotation."""
    words, before = words_of(reference.title), sentence[: reference.start]
    around = f"{before} {sentence[reference.end :]}"
    if words < _LEAST_WORDS and not (words == _LEAST_WORDS - 1 and _SAYS.search(around)):
        return None
    if (_INSTEAD.search(before) and _REWRITES.search(around)) or _OTHERS.search(around):
        return False, "The words in quotation marks may not be the paper's."
    return True, "The quotation is not in the paper."


def _numbers(sentence: str, offset: int, references: Sequence[Reference], places: Places) -> Iterator[CheckedAnchor]:
    named = [r for r in references if r.kind == "table"]
    tables = [t for r in named if (t := places.table(r.number)) is not None]
    read = [t for t in tables if places.numbers_of(t)]
    if named and not tables:
        return  # the table itself is what is wrong
    label = " and ".join(f"Table {t.number}" for t in tables)
    for said in _said(sentence, references):
        derived = bool(_DERIVED.search(sentence[: said.start]))
        exact = said.decimals > 0 or said.percent or abs(said.value) >= _CERTAIN_FROM
        number, span = said.text.strip(), (offset + said.start, offset + said.end)
        if named:
            place = next((p for t in read if (p := places.number_in_table(said, t)) is not None), None)
            ref, page = f"{number} in {label}", tables[0].page
            if place is not None:
                yield CheckedAnchor("number", ref, *span, True, True, place.page, f"It is in {label}.", place)
            elif read and len(read) == len(tables):
                if exact or _stated(sentence, said):
                    why = f"{number} is not in {label}."
                    yield CheckedAnchor("number", ref, *span, False, not derived, page, why)
            elif exact:
                why = f"The numbers of {label} could not be read."
                yield CheckedAnchor("number", ref, *span, False, False, page, why)
        elif exact and not _YEAR.fullmatch(number):
            place = places.number_in_text(said)
            if place is not None:
                why = f"{number} is on page {place.page}."
                yield CheckedAnchor("number", number, *span, True, True, place.page, why, place)
            else:
                certain = bool(_REPORTED.search(sentence[: said.start])) and not derived
                yield CheckedAnchor("number", number, *span, False, certain, 0, f"{number} is nowhere in the paper.")


_REPORTED = re.compile(
    r"\b(?:authors?|paper|manuscript|they|abstract|introduction|conclusion|section(?: [\d.]+)?)\s+(?:\w+ )?"
    r"(?:reports?|states?|claims?|gives?|says?|shows?|lists?|obtains?|achieves?|reach(?:es)?|writes?)\b",
    re.IGNORECASE,
)


_NOTHING_COUNTED = re.compile(
    r"\s+(?:without|with|in|for|as|and|but|or|which|that|while|when|where|on|at|by|to|from|is|are|was|were|under|than"
    r"|although|because)\b"
)


def _stated(sentence: str, said: Quantity) -> bool:
    """Whether a small whole number is said to stand there ("a value of 42", "reports 42 in"), and counts nothing
    ("42 rows")."""
    before, after = sentence[: said.start], sentence[said.end :]
    given = re.search(
        r"\b(?:values?|scores?|entry|entries|cells?|numbers?|accuracy|precision|recall|f1|auc\w*|reports?|lists?|gives?"
        r"|shows?|as|of|is|are|equals?|=)\s*$",
        before.rstrip("(: "),
        re.IGNORECASE,
    )
    counts = re.match(r"\s+[a-z]", after) and not _NOTHING_COUNTED.match(after)
    return bool(given) and not counts and abs(said.value) >= _STATED_FROM


_NO_STATEMENT = re.compile(r"\[[\d,;\s–-]+\]|\((?:[^()]*\b)?(?:19|20)\d\d[a-z]?\)|^\W*\d{1,2}[.)]\s")


def _said(sentence: str, references: Iterable[Reference]) -> Iterator[Quantity]:
    """The numbers that a sentence states itself: not those of places, quotations, citations, lists and years."""
    taken = [(r.start, r.end) for r in references]
    taken += [m.span() for m in _NO_STATEMENT.finditer(sentence)]
    for quantity in find_quantities(sentence):
        after = sentence[quantity.end : quantity.end + 1]
        if any(a < quantity.end and quantity.start < b for a, b in taken) or after == "-":
            continue
        yield quantity


# --- what leaves -----------------------------------------------------------------------------------------------------


def decided_text(review: GroundedReview, decisions: Mapping[int, Decision]) -> str:
    """The text with the decided sentences dropped or asked instead, whatever is beside them.

    A list item, quoted line or paragraph that held nothing but a dropped sentence goes with it.
    """
    parts: list[str] = []
    at = 0
    for claim in review.claims:
        decision = decisions.get(claim.start)
        if decision is None:
            continue
        start, end = claim.start, claim.end
        if decision == "drop":
            start, end = _with_its_line(review.text, start, end)
        parts.append(review.text[at : max(at, start)])
        at = max(at, end)
        if decision == "question":
            parts.append(question_of(claim.text))
        elif parts[-1].endswith(" ") and review.text[at : at + 1] in (" ", "\n", ""):
            parts[-1] = parts[-1].rstrip(" ")
    return "".join([*parts, review.text[at:]])


def _with_its_line(text: str, start: int, end: int) -> tuple[int, int]:
    """[start, end), or the whole line with its end where nothing else than the mark of an item is in it."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    last = len(text) if last < 0 else last
    mark = LIST_MARK.match(text, first)
    alone = not text[mark.end() if mark and mark.end() <= start else first : start].strip(" >\t")
    return (first, min(last + 1, len(text))) if alone and not text[end:last].strip() else (start, end)
