"""Words of comments and edits: stems, shared runs and quotations, named places, and reasons why a pair matches."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from engine.documents.references import find_references
from engine.papers import retrieval
from engine.revision.aligners.base import Matrix
from engine.revision.records import Candidate, Query
from engine.revision.words import STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DELETED = re.compile(r"\[- .*? -\]", re.DOTALL)
_ADDED = re.compile(r"\[\+ .*? \+\]", re.DOTALL)
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{6,400})[”\"»]")

_CAPTION = 60
"""The number of characters at its beginning in which a caption names its figure."""
RUN = 3
"""Length of the runs of words that a comment or reply may share with an edit."""


def post_revision(candidate: Candidate) -> str:
    """Returns the paragraph after the revision; for a deletion, the deleted text."""
    kept = _DELETED.sub(" ", candidate.diff_text).replace("[+ ", "").replace(" +]", "")
    return " ".join(kept.split()) or candidate.deleted


def pre_revision(candidate: Candidate) -> str:
    """Returns the paragraph before the revision; empty for a new one."""
    return " ".join(_ADDED.sub(" ", candidate.diff_text).replace("[- ", "").replace(" -]", "").split())


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")


@lru_cache(maxsize=4096)
def stems(text: str) -> tuple[tuple[str, str], ...]:
    """Returns (stem, original word) of a text's words, without stop words."""
    words = [word for word in _WORD.findall(text) if len(word) > 1 and word.casefold() not in STOP_WORDS]
    return tuple(zip(_stemmer().stemWords([word.casefold() for word in words]), words, strict=True))


def bm25(queries: Sequence[str], documents: Sequence[str]) -> Matrix:
    """Returns ``retrieval.bm25`` of each query over the documents, by stems: (queries, documents)."""
    return retrieval.bm25(*([[stem for stem, _ in stems(text)] for text in own] for own in (queries, documents)))


@lru_cache(maxsize=4096)
def runs(text: str, length: int = RUN) -> frozenset[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return frozenset(zip(*(words[start:] for start in range(length)), strict=False))


@lru_cache(maxsize=4096)
def quotes(text: str) -> tuple[tuple[str, str], ...]:
    """Returns quotations of two words or more: as they are, and normalised by ``plain``."""
    return tuple((found, plain(found)) for found in _QUOTED.findall(text) if len(_WORD.findall(found)) > 1)


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Returns the words in lower case, with one space before, between and after them."""
    return f" {' '.join(word.casefold() for word in _WORD.findall(text))} "


def quoted_in(text: str, document: str) -> str:
    """Returns the longest quotation in ``text`` that occurs word for word in ``document``, or ""."""
    return max((quote for quote, words in quotes(text) if words in plain(document)), key=len, default="")


@lru_cache(maxsize=4096)
def references(text: str) -> frozenset[str]:
    """Returns the numbered places that a text names: "Table 2", "Section 3.1"; pages and lines can only be found in the
    PDFs."""
    found = (r for r in find_references(text) if r.number and r.kind not in ("page", "line"))
    return frozenset(replace(r, part="").label for r in found)


@lru_cache(maxsize=4096)
def caption_of(paragraph: str) -> frozenset[str]:
    """Returns the figure or table whose caption a paragraph is, named at its beginning. Empty for any other
    paragraph."""
    first = next(iter(find_references(paragraph.lstrip()[:_CAPTION])), None)
    if first is None or first.start or first.kind not in ("table", "figure", "algorithm"):
        return frozenset()
    return frozenset({replace(first, part="").label})


def weights(documents: Sequence[str]) -> Mapping[str, float]:
    """Returns how distinctive each stem is: its inverse document frequency over the documents."""
    counts = Counter(stem for document in documents for stem in {stem for stem, _ in stems(document)})
    return {stem: math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for stem, n in counts.items()}


def explain(query: Query, candidate: Candidate, telling: Mapping[str, float], *, use_response: bool) -> tuple[str, ...]:
    """Returns short phrases on what a comment or response has in common with an edit; the strongest first."""
    changed = candidate.added or candidate.deleted
    phrases: list[str] = []
    if use_response and (quote := quoted_in(query.response, candidate.added)):
        phrases.append(f"response quotes: “{_short(quote)}”")
    if quote := quoted_in(query.comment, f"{candidate.added} {pre_revision(candidate)}"):
        phrases.append(f"comment quotes: “{_short(quote)}”")
    places = [("comment", query.named), ("response", query.reply_named if use_response else ())]
    said = {
        p.label: f"{who} names {p.label}" for who, named in places for p in named if candidate.edit_id in p.edit_ids
    }
    phrases.extend(said.values())
    asked = references(query.comment) | (references(query.response) if use_response else frozenset())
    if named := sorted((asked - said.keys()) & references(f"{candidate.section} {candidate.diff_text}")):
        phrases.append(f"mentions {', '.join(named[:3])}")
    for title, text in (
        ("shared words", query.comment),
        ("shared with response", query.response if use_response else ""),
    ):
        if words := shared_words(text, changed, telling):
            phrases.append(f"{title}: {', '.join(words)}")
        elif text == query.comment and (words := shared_words(text, candidate.context, telling)):
            phrases.append(f"{title} around the change: {', '.join(words)}")
    return tuple(phrases)


def shared_words(first: str, second: str, telling: Mapping[str, float], most: int = 4) -> list[str]:
    """Returns the most distinctive words that two texts share, as spelled in the first."""
    there = {stem for stem, _ in stems(second)}
    shared: dict[str, str] = {}
    for stem, word in stems(first):
        if stem in there:
            shared.setdefault(stem, word)
    order = sorted(shared, key=lambda stem: -telling.get(stem, 0.0))
    return [shared[stem] for stem in order[:most]]


def _short(text: str, most: int = 60) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
