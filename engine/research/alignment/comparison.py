"""All aligners on the same annotated papers: the rows of ``rejoinder reproduce alignment``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.research.alignment.evaluation import (
    AnnotatedPaper,
    Judged,
    Measures,
    gather,
    leave_one_out,
    measure,
    score_matrix,
    with_threshold_of_others,
)
from engine.revision.aligners import STRATEGIES, Means, make_aligner
from engine.revision.aligners.selection import likely

BY_THEIR_OWN = frozenset({"random", "human", "llm-pairwise", "llm-pairwise-1-shot", "llm-multi-edit"})
"""Strategies that say yes or no by themselves; all others are linked at the threshold that is best on the others."""
WITHOUT_RESPONSES = frozenset({"random", "bm25-generated", "human"})
"""Strategies that read no response."""


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy's measures. ``note`` says what is particular about it; ``least_characters`` as in ``Strategy``."""

    strategy: str
    title: str
    use_responses: bool
    least_characters: int
    measures: Measures
    note: str = ""


@dataclass(frozen=True, slots=True)
class FilterRow:
    """What the BM25 filter keeps: share of the true pairs, and of all pairs."""

    use_responses: bool
    recall: float
    kept: float


def runnable(means: Means) -> tuple[str, ...]:
    """The strategies for which all that they need is there."""
    return tuple(entry.id for entry in STRATEGIES.values() if not any(means.lacks(need) for need in entry.needs))


def compare_strategies(
    papers: Sequence[AnnotatedPaper],
    means: Means,
    strategies: Sequence[str] | None = None,
    *,
    least_characters: int | None = None,
    progress: Callable[[str], None] = lambda _words: None,
) -> Iterator[Row]:
    """A row for every strategy, without and with responses, each paper judged with what the others taught.

    ``strategies`` None takes all that can run. With ``least_characters`` None the fused aligner is measured a second
    time without the edits that ARIES leaves out.
    """
    have_responses = any(query.response.strip() for paper in papers for query in paper.queries)
    for name in strategies or runnable(means):
        entry = STRATEGIES[name]
        for use_responses in (False, True) if have_responses and name not in WITHOUT_RESPONSES else (False,):
            progress(f"{entry.title}{', with responses' if use_responses else ''}")
            least = entry.least_characters if least_characters is None else least_characters
            asked = replace(means, use_responses=use_responses)
            yield _row(papers, asked, name, least)
            if name == "fused" and least_characters is None:
                yield _row(papers, asked, name, 100, "without edits under 100 characters, as in ARIES")


def _row(papers: Sequence[AnnotatedPaper], means: Means, name: str, least: int, note: str = "") -> Row:
    if name == "fused" and len(papers) > 1:
        judged = _fused(papers, means, least)
        note = note or "weights and threshold fitted on the other papers"
    else:
        aligner = make_aligner(name, means=means, least_characters=least)
        found = [score_matrix(aligner, paper) for paper in papers]
        if name in BY_THEIR_OWN:
            judged = tuple(Judged(p, scores, said) for p, (scores, said) in zip(papers, found, strict=True))
        else:
            judged = with_threshold_of_others(papers, [scores for scores, _ in found])
    return Row(name, STRATEGIES[name].title, means.use_responses, least, measure(judged), note)


def _fused(papers: Sequence[AnnotatedPaper], means: Means, least: int) -> tuple[Judged, ...]:
    assert means.embedder is not None
    gathered = [gather(paper, means.embedder) for paper in papers]
    judged = leave_one_out(gathered, use_responses=means.use_responses)
    if least <= 0:
        return judged
    return tuple(Judged(j.paper, np.where(j.paper.short, -np.inf, j.scores), j.said & ~j.paper.short) for j in judged)


def filter_rows(papers: Sequence[AnnotatedPaper]) -> tuple[FilterRow, ...]:
    """How much the high-recall BM25 filter keeps, without and with responses."""
    rows = []
    for use_responses in (False, True):
        masks = [likely(paper.queries, paper.candidates, use_responses=use_responses) for paper in papers]
        true = sum(int((paper.gold & paper.known).sum()) for paper in papers)
        found = sum(int((mask & paper.gold & paper.known).sum()) for mask, paper in zip(masks, papers, strict=True))
        pairs = sum(mask.size for mask in masks)
        kept = sum(int(mask.sum()) for mask in masks)
        rows.append(FilterRow(use_responses, found / true if true else 0.0, kept / pairs if pairs else 0.0))
    return tuple(rows)
