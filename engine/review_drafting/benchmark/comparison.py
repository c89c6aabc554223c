"""Sources of reviews side by side on the same papers, and how far a judge follows people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isnan

import numpy as np

from engine.measures import bootstrap
from engine.review_drafting.benchmark.records import AgreementRow, BenchmarkReview, SourceRow
from engine.review_drafting.records import MetaRubric

OVERALL = "overall"
Given = Mapping[str, Mapping[str, int]]
"""Scores by review and dimension."""


def table(
    reviews: Sequence[BenchmarkReview],
    scores: Given,
    rubrics: Sequence[MetaRubric],
    *,
    baseline: str | None = None,
    seed: int = bootstrap.SEED,
) -> tuple[SourceRow, ...]:
    """A row a source, the best overall first. A review counts if every dimension has a score.

    Several reviews of a paper by one source are averaged first, so that a paper is the unit: the intervals resample
    papers. The overall score is the sum over dimensions (S of ReviewBench, section 3.3), -2 to 14 with eight.
    """
    names = [rubric.id for rubric in rubrics]
    by_source: dict[str, dict[str, list[list[int]]]] = defaultdict(lambda: defaultdict(list))
    for review in reviews:
        given = scores.get(review.id, {})
        if review.kept and all(name in given for name in names):
            by_source[review.source][review.paper_id].append([given[name] for name in names])
    means = {
        source: {paper: np.mean(values, axis=0) for paper, values in papers.items()}
        for source, papers in by_source.items()
    }
    rows = []
    for source, papers in means.items():
        matrix = np.array(list(papers.values()), dtype=np.float64)
        every = np.array([value for values in by_source[source].values() for value in values])
        against = None
        if baseline is not None and baseline != source and baseline in means:
            shared = [paper for paper in papers if paper in means[baseline]]
            against = bootstrap.mean(
                np.array([papers[p].sum() - means[baseline][p].sum() for p in shared], dtype=np.float64), seed=seed
            )
        rows.append(
            SourceRow(
                source=source,
                papers=len(papers),
                reviews=len(every),
                overall=bootstrap.mean(matrix.sum(1), seed=seed),
                dimensions={name: bootstrap.mean(matrix[:, at], seed=seed) for at, name in enumerate(names)},
                passed={
                    rubric.id: float((every[:, at] >= (0 if rubric.kind == "pitfall" else 1)).mean())
                    for at, rubric in enumerate(rubrics)
                },
                against=against,
            )
        )
    return tuple(sorted(rows, key=lambda row: (isnan(row.overall.value), -row.overall.value, row.source)))


def agreement(
    reviews: Sequence[BenchmarkReview], judge: Given, people: Given, rubrics: Sequence[MetaRubric]
) -> tuple[AgreementRow, ...]:
    """A judge against people on the reviews that both scored: one row a dimension, and the sum of all as ``overall``.

    ``pairwise_error`` is the share of pairs of reviews of one paper that people order and the judge does not order the
    same way; pairs that people hold equal say nothing. NaN where a measure is not defined.
    """
    rows = []
    for name in (*(rubric.id for rubric in rubrics), OVERALL):
        known = [
            (review.paper_id, a, b)
            for review in reviews
            if (a := _value(judge.get(review.id, {}), name, rubrics)) is not None
            and (b := _value(people.get(review.id, {}), name, rubrics)) is not None
        ]
        if known:
            rows.append(_row(name, known))
    return tuple(rows)


def _value(given: Mapping[str, int], name: str, rubrics: Sequence[MetaRubric]) -> float | None:
    if name != OVERALL:
        return given.get(name)
    return sum(given.values()) if all(rubric.id in given for rubric in rubrics) else None


def _row(name: str, known: Sequence[tuple[str, float, float]]) -> AgreementRow:
    from scipy import stats

    said = np.array([a for _, a, _ in known], dtype=np.float64)
    true = np.array([b for _, _, b in known], dtype=np.float64)
    varied = len(known) > 1 and said.std() > 0 and true.std() > 0
    wrong = [
        (first[1] - second[1]) * (first[2] - second[2]) <= 0
        for first, second in combinations(known, 2)
        if first[0] == second[0] and first[2] != second[2]
    ]
    return AgreementRow(
        dimension=name,
        n=len(known),
        mae=float(np.abs(said - true).mean()),
        spearman=float(stats.spearmanr(said, true).statistic) if varied else float("nan"),
        pearson=float(stats.pearsonr(said, true).statistic) if varied else float("nan"),
        pairwise_error=sum(wrong) / len(wrong) if wrong else float("nan"),
    )
