"""Ranks paragraphs of the submitted paper by whether a comment asks to change them (D'Arcy et al. 2024, appendix G).

For comments whose edits affect existing paragraphs. Only the comment is used, never the response, since this is meant
for use before the revision. Evidence: words and meaning of paragraph and comment, words that the comment quotes,
figures and tables that it names, and section titles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.documents.places import Places
from engine.jobs import QuietReport, Report
from engine.models import Embedder
from engine.revision.aligners.base import Matrix
from engine.revision.aligners.evidence import Vocabulary, common_runs
from engine.revision.aligners.lexical import bm25, caption_of, references, stems
from engine.revision.named_places import CAPTIONED, REGIONS, named_paragraphs
from engine.revision.records import Query


@dataclass(frozen=True, slots=True)
class SourceParagraph:
    """A paragraph of the submitted paper; ``section`` is its heading path."""

    id: str
    section: str
    text: str


_CONTEXT = _TITLE = 0.5
_QUOTE = _CAPTION = 2.0
_PLACE, _REGION = 3.0, 0.5
"""Weights; those of words and meaning are 1. Per standard deviation over the paragraphs of a paper, except ``_QUOTE``
and those after it, which are added if they apply: ``_PLACE`` for a line, quotation or similar place that the comment
names, ``_REGION`` for a page or a section. Set manually on a plateau; 82 comments are too few to fit them."""


@dataclass(frozen=True, slots=True)
class SourceRank:
    """A paragraph that may have to change; ``score`` in standard deviations above the paper's mean."""

    paragraph_id: str
    score: float
    reasons: tuple[str, ...]


def rank_sources(
    queries: Sequence[Query],
    paragraphs: Sequence[SourceParagraph],
    embedder: Embedder,
    *,
    report: Report = QuietReport(),
    places: Places | None = None,
) -> dict[str, tuple[SourceRank, ...]]:
    """Returns all paragraphs for each comment, the likeliest first; with ``places``, places that comments name are
    looked up in the submitted version. Raises Cancelled."""
    scores = source_scores(queries, paragraphs, embedder, report=report)
    at_places = [_at_places(query, places) for query in queries]
    for row, found_there in enumerate(at_places):
        for column, paragraph in enumerate(paragraphs):
            if paragraph.id in found_there:
                scores[row, column] += _REGION if found_there[paragraph.id][1] else _PLACE
    quoted = common_runs([query.comment for query in queries], [p.text for p in paragraphs], 4)
    found: dict[str, tuple[SourceRank, ...]] = {}
    for row, query in enumerate(queries):
        order = np.argsort(-scores[row], kind="stable")
        found[query.comment_id] = tuple(
            SourceRank(
                paragraphs[at].id,
                float(scores[row, at]),
                _why(
                    query,
                    paragraphs[at],
                    place=at_places[row].get(paragraphs[at].id, ("", False))[0],
                    quoted=bool(quoted[row, at]),
                ),
            )
            for at in map(int, order)
        )
    return found


def source_scores(
    queries: Sequence[Query],
    paragraphs: Sequence[SourceParagraph],
    embedder: Embedder,
    *,
    report: Report = QuietReport(),
) -> Matrix:
    """Returns scores (comments, paragraphs); an empty array without comments or paragraphs."""
    texts = [paragraph.text for paragraph in paragraphs]
    titles = [paragraph.section.rsplit(" > ", 1)[-1] for paragraph in paragraphs]
    comments = [query.comment for query in queries]
    contexts = [query.context or query.comment for query in queries]
    if not comments or not texts:
        return np.zeros((len(comments), len(texts)))
    vectors = embedder.encode([*texts, *comments, *contexts], report).astype(np.float64)
    of_texts, of_comments, of_contexts = np.split(vectors, [len(texts), len(texts) + len(comments)])
    names = [caption_of(text) for text in texts]
    mentioned = [references(text) for text in texts]
    asked = [references(comment) for comment in comments]
    scores: Matrix = (
        _standardised(np.sqrt(bm25(comments, texts)))
        + _standardised(of_comments @ of_texts.T)
        + _CONTEXT * _standardised(of_contexts @ of_texts.T)
        + _TITLE * _standardised(Vocabulary(texts).found(titles, comments).T)
        + _QUOTE * np.minimum(1.0, common_runs(comments, texts, 4))
        + _CAPTION * np.array([[bool(a & n) for n in names] for a in asked])
        + np.array([[bool(a & m) for m in mentioned] for a in asked])
    )
    return scores


def _standardised(values: Matrix) -> Matrix:
    spread = values.std(axis=1, keepdims=True)
    return np.where(spread > 0, (values - values.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0), 0.0)


def _at_places(query: Query, places: Places | None) -> dict[str, tuple[str, bool]]:
    """Returns by paragraph the place that the comment names there, and whether it is a region; exact places take
    precedence."""
    found: dict[str, tuple[str, bool]] = {}
    named = named_paragraphs(places, query.comment) if places is not None else ()
    for reference, paragraphs in sorted(named, key=lambda item: item[0].kind in REGIONS):
        if reference.kind in CAPTIONED:
            continue  # scored separately, with or without a PDF
        for paragraph in paragraphs - found.keys():
            found[paragraph] = (reference.label, reference.kind in REGIONS)
    return found


def _why(query: Query, paragraph: SourceParagraph, *, place: str, quoted: bool) -> tuple[str, ...]:
    reasons = ["the comment quotes it"] if quoted else []
    if place and not (quoted and place == "Quotation"):
        reasons.append(f"the comment names {place}")
    named = sorted((references(query.comment) - {place}) & references(paragraph.text))
    if named:
        reasons.append(f"mentions {', '.join(named[:3])}")
    there = {stem for stem, _ in stems(paragraph.text)}
    shared = dict(pair for pair in stems(query.comment) if pair[0] in there)
    if shared:
        reasons.append(f"shared words: {', '.join(list(shared.values())[:4])}")
    return tuple(reasons)
