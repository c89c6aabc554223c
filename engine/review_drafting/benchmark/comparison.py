"""Compares sources of reviews on the same papers, judges with people, and numeric fields with those of the human
reviews: errors, order, decision (ReviewGrounder's automatic metrics)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isnan

import numpy as np

from engine.measures import bootstrap
from engine.measures.bootstrap import Floats
from engine.measures.estimate import FEWEST
from engine.review_drafting.benchmark.records import (
    SCORE_FIELDS,
    AgreementRow,
    BenchmarkReview,
    NumericRow,
    ReviewSet,
    SourceRow,
)
from engine.review_drafting.benchmark.reference import mean_scores
from engine.review_drafting.forms import ICLR, Scale, converted
from engine.review_drafting.records import MetaRubric, Review, Scores
from engine.reviews.labels.substantiation import shipped

OVERALL = "overall"
Given = Mapping[str, Mapping[str, int]]
"""Scores by review and dimension."""
STEPS: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(SCORE_FIELDS, (0, 1, 2, 3, 4, 5)),
    "rating": (0, 2, 4, 6, 8, 10),
}
"""The values that the published strict mode rounds to."""


def table(
    reviews: Sequence[BenchmarkReview],
    scores: Given,
    rubrics: Sequence[MetaRubric],
    *,
    baseline: str | None = None,
    complete: bool = True,
    seed: int = bootstrap.SEED,
) -> tuple[SourceRow, ...]:
    """Returns one row per source, the best overall first. A review counts if every dimension has a score, or, unless
    ``complete``, if its overall score is known (``overall``); a dimension is then the mean over the reviews that have
    it, NaN if there are none. Several reviews of a paper by one source are averaged first, so that papers are the
    units: intervals resample papers, and there is none for fewer than ``estimate.FEWEST``."""
    names = [rubric.id for rubric in rubrics]
    by_source: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
    for review in reviews:
        given = scores.get(review.id, {})
        total = overall(given, rubrics)
        if review.kept and total is not None and not (complete and any(name not in given for name in names)):
            row = [*(given.get(name, np.nan) for name in names), total, substantiated(review.review)]
            by_source[review.source][review.paper_id].append(row)
    means = {
        source: {paper: _mean(np.array(values, dtype=np.float64)) for paper, values in papers.items()}
        for source, papers in by_source.items()
    }
    rows = []
    for source, papers in means.items():
        matrix = np.array(list(papers.values()), dtype=np.float64)
        every = np.array([value for values in by_source[source].values() for value in values], dtype=np.float64)
        against = None
        if baseline is not None and baseline != source and baseline in means:
            shared = [paper for paper in papers if paper in means[baseline]]
            against = bootstrap.mean(
                np.array([papers[p][-2] - means[baseline][p][-2] for p in shared], dtype=np.float64), seed=seed
            )
        rows.append(
            SourceRow(
                source=source,
                papers=len(papers),
                reviews=len(every),
                overall=bootstrap.mean(matrix[:, -2], seed=seed),
                substantiated=bootstrap.mean(_known(matrix[:, -1]), seed=seed),
                dimensions={name: bootstrap.mean(_known(matrix[:, at]), seed=seed) for at, name in enumerate(names)},
                passed={
                    rubric.id: float((known >= (0 if rubric.kind == "pitfall" else 1)).mean())
                    for at, rubric in enumerate(rubrics)
                    if len(known := _known(every[:, at]))
                },
                against=against,
            )
        )
    return tuple(sorted(rows, key=lambda row: (isnan(row.overall.value), -row.overall.value, row.source)))


def overall(given: Mapping[str, float], rubrics: Sequence[MetaRubric]) -> float | None:
    """Returns the overall score: the sum over dimensions (S of ReviewBench, equation 3), -2 to 14 with eight.

    A dimension that wasn't judged counts as the mean of the others, so that it has no effect; None if no positive
    dimension was judged.
    """
    merits = [rubric.id for rubric in rubrics if rubric.kind != "pitfall"]
    known = [given[name] for name in merits if name in given]
    if not known:
        return None
    return len(merits) * sum(known) / len(known) + sum(given.get(r.id, 0) for r in rubrics if r.kind == "pitfall")


def substantiated(review: Review) -> float:
    """Returns the share of weaknesses and questions without unsubstantiated criticism; NaN if there are none."""
    points = (*review.weaknesses, *review.questions)
    bare = sum(bool(shipped().marks(point)) for point in points)
    return 1 - bare / len(points) if points else float("nan")


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _mean(rows: Floats) -> Floats:
    """Returns the mean of each column's known values; NaN if there are none."""
    return np.array([known.mean() if len(known := _known(column)) else np.nan for column in rows.T])


def agreement(
    reviews: Sequence[BenchmarkReview], judge: Given, people: Given, rubrics: Sequence[MetaRubric]
) -> tuple[AgreementRow, ...]:
    """Compares a judge with people on the reviews that both scored: one row per dimension, and the sum of all as
    ``overall``.

    ``pairwise_error`` is the share of pairs of reviews of one paper that people order and the judge orders differently;
    if no paper has two reviews (as in the paper's own study), of all pairs. Pairs that people score equally are
    ignored. ``pairwise_absolute`` is the mean error of the judge's differences over all pairs, our interpretation of
    table 4's "pairwise absolute error". NaN if a measure isn't defined: correlations over fewer than ``FEWEST`` reviews
    or of scores that are all equal, pairs of fewer than two reviews.
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
    return given.get(name) if name != OVERALL else overall(given, rubrics)


def _row(name: str, known: Sequence[tuple[str, float, float]]) -> AgreementRow:
    from scipy import stats

    said = np.array([a for _, a, _ in known], dtype=np.float64)
    true = np.array([b for _, _, b in known], dtype=np.float64)
    varied = len(known) >= FEWEST and said.std() > 0 and true.std() > 0
    pairs = list(combinations(known, 2))
    within = [pair for pair in pairs if pair[0][0] == pair[1][0]]
    differences = [(first[1] - second[1], first[2] - second[2]) for first, second in within or pairs]
    wrong = [said_apart * apart <= 0 for said_apart, apart in differences if apart]
    every = [abs((first[1] - second[1]) - (first[2] - second[2])) for first, second in pairs]
    return AgreementRow(
        dimension=name,
        n=len(known),
        mae=float(np.abs(said - true).mean()),
        spearman=float(stats.spearmanr(said, true).statistic) if varied else float("nan"),
        pearson=float(stats.pearsonr(said, true).statistic) if varied else float("nan"),
        pairwise_error=sum(wrong) / len(wrong) if wrong else float("nan"),
        pairwise_absolute=sum(every) / len(every) if every else float("nan"),
    )


# --- numeric fields ---------------------------------------------------------------------------------------------------


def strict(value: float, field: str) -> float:
    """Rounds to the nearest value of the field's steps; a tie is rounded up, as in the published evaluation."""
    steps = STEPS[field]
    return max(steps, key=lambda step: (-abs(step - value), step))


def compare(
    source: str, pairs: Sequence[tuple[Scores, Scores]], *, rounded: bool = False, scale: Scale = ICLR
) -> NumericRow:
    """Compares a source's scores, paper by paper, with the human ones: (source, human) pairs, compared on a ``scale``.

    ``pairwise`` follows the published evaluation: a pair of papers counts as right if both or neither say "the first is
    higher". ``f1`` is the macro mean over accept and reject.
    """
    n: dict[str, int] = {}
    mse: dict[str, float] = {}
    mae: dict[str, float] = {}
    pairwise: dict[str, float] = {}
    for field in SCORE_FIELDS:
        both = [
            (converted(given, field, ICLR, scale), converted(true, field, ICLR, scale))
            for one, other in pairs
            if (given := getattr(one, field)) is not None and (true := getattr(other, field)) is not None
        ]
        if not both:
            continue
        if rounded:
            both = [(strict(given, field), strict(true, field)) for given, true in both]
        errors = np.array([given - true for given, true in both], dtype=np.float64)
        n[field], mse[field], mae[field] = len(both), float((errors**2).mean()), float(np.abs(errors).mean())
        orders = [(a[0] > b[0]) == (a[1] > b[1]) for a, b in combinations(both, 2)]
        if orders:
            pairwise[field] = sum(orders) / len(orders)
    decisions = [(one.decision, other.decision) for one, other in pairs if one.decision and other.decision]
    return NumericRow(
        source=source, n=n | ({"decision": len(decisions)} if decisions else {}), mse=mse, mae=mae, pairwise=pairwise,
        accuracy=sum(a == b for a, b in decisions) / len(decisions) if decisions else None,
        f1=_f1(decisions) if decisions else None,
    )  # fmt: skip


def _f1(decisions: Sequence[tuple[str, str]]) -> float:
    from sklearn.metrics import f1_score

    said, true = zip(*decisions, strict=True)
    return float(f1_score(true, said, labels=["accept", "reject"], average="macro", zero_division=0))


def numeric_rows(whole: ReviewSet, *, rounded: bool = False, scale: Scale = ICLR) -> tuple[NumericRow, ...]:
    """Returns each candidate source's numeric fields; for each paper the mean of its reviews that were kept."""
    true = reference_scores(whole)
    given: dict[str, dict[str, list[Scores]]] = {}
    for review in whole.reviews:
        if review.role == "candidate":
            of_source = given.setdefault(review.source, {})
            if review.kept:
                of_source.setdefault(review.paper_id, []).append(review.review.scores)
    return tuple(
        compare(
            source,
            [(mean_scores(papers[key]), of) for key, of in true.items() if key in papers],
            rounded=rounded,
            scale=scale,
        )
        for source, papers in given.items()
    )


def reference_scores(whole: ReviewSet) -> dict[str, Scores]:
    """Returns the scores that sources are compared with, by paper. These are the mean of the human reviews that were
    kept, otherwise those of the reference, and the venue's decision if known."""
    found = {}
    for paper in whole.papers:
        own = [review for review in whole.reviews if review.paper_id == paper.id]
        human = [r.review.scores for r in own if r.role == "human" and r.kept]
        given = human or [r.review.scores for r in own if r.role == "reference"]
        scores = mean_scores(given)
        if paper.decision in ("accept", "reject"):
            scores = scores.model_copy(update={"decision": paper.decision})
        found[paper.id] = scores
    return found
