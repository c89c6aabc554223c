"""Anchors: a place in a document that can be found again in another version of it.

An anchor carries its quotation with some context, its offsets, and its boxes (the selectors of the W3C Web Annotation
model: TextQuoteSelector, TextPositionSelector). Finding it again never guesses silently: the result says how sure it
is, and what is not there word for word and scores below ``ATTENTION`` gets no place: a person has to look.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from engine.documents.records import Box, Paragraph, ParsedDocument
from engine.documents.search import boxes_for, fold

CONTEXT = 48
"""Characters of context kept on either side of a quotation."""

ATTENTION = 0.6
"""Words that changed so much that they score below this count as lost and need a person's attention."""

_CANDIDATES = 12
_EDGE = 24
_DISTINCT = 8

Status = Literal["exact", "moved", "changed", "lost"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A quotation and where it stood: [start, end) in the text of a paragraph, and its rectangles on the pages."""

    quote: str
    prefix: str
    suffix: str
    paragraph_id: str
    start: int
    end: int
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Reanchored:
    """An anchor looked for in another document.

    ``status``: exact (the same words in the same surroundings), moved (the same words elsewhere, or one of several
    places with like surroundings), changed (similar words), lost (nothing similar enough, or a few letters that stand
    in several like places; ``anchor`` is None). ``score`` is 0..1: three quarters similarity of the quotation, one
    quarter of its surroundings, halved where several places are alike; for a lost anchor that of the best refused.
    """

    status: Status
    score: float
    anchor: Anchor | None

    @property
    def needs_attention(self) -> bool:
        """Whether a person should look: lost, or one of several places that look alike or nearly lost."""
        return self.status == "lost" or self.score < (1 + ATTENTION) / 2


def make_anchor(paragraph: Paragraph, start: int, end: int) -> Anchor:
    """The anchor of the characters [start, end) of a paragraph's text.

    Raises ValueError unless 0 <= start < end <= len(text).
    """
    text = paragraph.text
    if not 0 <= start < end <= len(text):
        raise ValueError(f"no stretch [{start}, {end}) in a text of {len(text)} characters")
    return Anchor(
        quote=text[start:end],
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
        paragraph_id=paragraph.id,
        start=start,
        end=end,
        boxes=boxes_for(paragraph, start, end),
    )


def reanchor(anchor: Anchor, document: ParsedDocument) -> Reanchored:
    """Find the anchor's place in a document, usually another version of the one it was made in."""
    verbatim = _verbatim(anchor, document)
    if verbatim:
        scored = sorted(
            ((_context_similarity(anchor, p, at, at + len(anchor.quote)), p, at) for p, at in verbatim),
            key=lambda item: (-item[0], item[1].index, item[2]),
        )
        context, paragraph, at = scored[0]
        found = make_anchor(paragraph, at, at + len(anchor.quote))
        alone = len(scored) == 1 or scored[1][0] < context - 0.1
        if context >= 0.75 and alone:
            return Reanchored("exact", round(0.75 + 0.25 * context, 4), found)
        score = round((0.75 + 0.25 * context) * (1.0 if alone else 0.5), 4)
        if not alone and len(anchor.quote) < _DISTINCT:
            return Reanchored("lost", score, None)
        return Reanchored("moved", score, found)
    best: tuple[float, Paragraph, int, int] | None = None
    for paragraph in _similar_paragraphs(anchor, document):
        start, end = _best_stretch(anchor.quote, paragraph.text)
        if start >= end:
            continue
        likeness = _similarity(anchor.quote, paragraph.text[start:end])
        score = 0.75 * likeness + 0.25 * _context_similarity(anchor, paragraph, start, end)
        if best is None or score > best[0]:
            best = (score, paragraph, start, end)
    if best is None:
        return Reanchored("lost", 0.0, None)
    score, paragraph, start, end = best
    if score < ATTENTION:
        return Reanchored("lost", round(score, 4), None)
    return Reanchored("changed", round(min(score, 0.9999), 4), make_anchor(paragraph, start, end))


def _verbatim(anchor: Anchor, document: ParsedDocument) -> list[tuple[Paragraph, int]]:
    places: list[tuple[Paragraph, int]] = []
    for paragraph in document.paragraphs:
        at = paragraph.text.find(anchor.quote)
        while at >= 0:
            places.append((paragraph, at))
            at = paragraph.text.find(anchor.quote, at + 1)
    return places


def _context_similarity(anchor: Anchor, paragraph: Paragraph, start: int, end: int) -> float:
    """How alike the surroundings are, 0..1; sides without stored context count with the text that is there now."""
    before = paragraph.text[max(0, start - CONTEXT) : start]
    after = paragraph.text[end : end + CONTEXT]
    return (_similarity(anchor.prefix, before) + _similarity(anchor.suffix, after)) / 2


def _similarity(a: str, b: str) -> float:
    from rapidfuzz import fuzz

    if not a and not b:
        return 1.0
    return float(fuzz.ratio(fold(a), fold(b))) / 100


def _similar_paragraphs(anchor: Anchor, document: ParsedDocument) -> list[Paragraph]:
    """The paragraphs that share most words with the quotation and its context; rare words count more."""
    wanted = set(fold(anchor.quote).split()) or {fold(anchor.quote)}
    around = set(fold(f"{anchor.prefix} {anchor.suffix}").split())
    bags = [(p, set(fold(p.text).split())) for p in document.paragraphs]
    spread = Counter(word for _, bag in bags for word in bag & (wanted | around))
    scored = [
        (sum(1 / spread[w] for w in bag & wanted) + 0.3 * sum(1 / spread[w] for w in bag & around), p)
        for p, bag in bags
    ]
    scored = [item for item in scored if item[0] > 0]
    scored.sort(key=lambda item: (-item[0], item[1].index))
    return [p for _, p in scored[:_CANDIDATES]]


def _best_stretch(quote: str, text: str) -> tuple[int, int]:
    """The stretch of ``text`` most like ``quote``, cut at word boundaries."""
    from rapidfuzz import fuzz

    needle, hay = fold(quote), fold(text)
    stretches: list[tuple[int, int]] = []
    whole = fuzz.partial_ratio_alignment(needle, hay)
    if whole is not None:
        stretches.append((whole.dest_start, whole.dest_end))
    if len(needle) > 2 * _EDGE:
        # What was put in or taken out changes the length: the two ends tell where the quotation begins and stops now.
        head = fuzz.partial_ratio_alignment(needle[:_EDGE], hay, score_cutoff=70)
        tail = fuzz.partial_ratio_alignment(needle[-_EDGE:], hay, score_cutoff=70)
        if head is not None and tail is not None and head.dest_start < tail.dest_end:
            stretches.append((head.dest_start, tail.dest_end))
    stretches.append((0, len(hay)))
    snapped = [_snap(text, *_trim(needle, hay, start, end)) for start, end in stretches]
    return max(snapped, key=lambda s: fuzz.ratio(needle, hay[s[0] : s[1]]))


def _trim(needle: str, hay: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without what, at either end, is nothing of the quotation."""
    from rapidfuzz.distance import Indel

    kept = [code for code in Indel.opcodes(needle, hay[start:end]) if code.tag == "equal"]
    return (start + kept[0].dest_start, start + kept[-1].dest_end) if kept else (start, end)


def _snap(text: str, start: int, end: int) -> tuple[int, int]:
    while 0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
