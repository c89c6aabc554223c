"""What a review says to be missing, searched for in the paper: the passages that are nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.documents.places import Places
from engine.documents.records import Paragraph
from engine.papers.retrieval import hybrid
from engine.review_drafting.anchoring import content_stems
from engine.reviews.sentences import split_sentences

if TYPE_CHECKING:
    from engine.papers.retrieval import Encode

NEAREST = 3
"""Passages shown for what is said to be missing."""
HOLDS = 0.75
"""The share of the words of what is said to be missing that makes a passage worth a warning."""


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


def nearest_passages(
    queries: Sequence[str], places: Places, encode: Encode | None = None, *, most: int = NEAREST
) -> tuple[tuple[Passage, ...], ...]:
    """For each query the passages of the paper nearest to it, the nearest first: BM25, with an encoder meaning too."""
    held = [p for p in places.document.paragraphs if p.kind in ("body", "caption", "footnote") and len(p.text) > 20]
    texts = [p.text for p in held]
    found: list[tuple[Passage, ...]] = []
    for query in queries:
        if not held:
            found.append(())
            continue
        scores = hybrid([query], texts, encode)
        order = sorted(range(len(held)), key=lambda n: -float(scores[n]))[:most]
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
