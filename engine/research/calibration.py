"""Table 1 of IDSIA-25-98 computed again, beside the published column and the improved model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.calibration import alternate, bayes
from engine.calibration.ranking import RankDifference, rank_difference
from engine.calibration.records import Calibration, Reviews
from engine.calibration.synthetic import Design, draw

PUBLISHED = {
    "a": RankDifference(108.1, 147.4, 735),
    "b": RankDifference(118.6, 163.1, 848),
    "c": RankDifference(91.2, 129.3, 851),
    "d": RankDifference(82.9, 113.6, 608),
}
"""Mean, root mean square and maximum absolute rank difference of 1,500 items, as printed."""
CONFIGURATIONS = {
    "a": "plain mean, confidences ignored",
    "b": "confidence-weighted mean, eq. (2)",
    "c": "and bias, eq. (6)",
    "d": "and trust, eqs. (7), (10)",
    "e": "improved model",
}
"""What the letters mean is our reading of the published order (b worse than a): we did not have the report itself."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One configuration: means over the seeds; ``published`` is None for our own."""

    configuration: str
    title: str
    average_log_likelihood: float
    difference: RankDifference
    published: RankDifference | None


def configurations(reviews: Reviews, prior_precision: float) -> dict[str, Calibration]:
    """The five fits of one draw; lambda of c and d is the truth's, the improved model estimates its own."""
    flat = replace(reviews, confidence=np.full(len(reviews), _common_confidence(reviews)))
    return {
        "a": alternate.maximise(flat, prior_precision=0.0, with_bias=False, with_trust=False, method="a"),
        "b": alternate.maximise(reviews, prior_precision=0.0, with_bias=False, with_trust=False, method="b"),
        "c": alternate.maximise(reviews, prior_precision=prior_precision, with_trust=False, method="c"),
        "d": alternate.maximise(reviews, prior_precision=prior_precision, method="d"),
        "e": bayes.calibrate(reviews),
    }


def _common_confidence(reviews: Reviews) -> float:
    """The most likely common precision around plain means, so that (a) has a likelihood to compare."""
    means = reviews.per_item(reviews.score) / np.maximum(reviews.reviews_per_item, 1)
    return 1.0 / float(((reviews.score - means[reviews.item]) ** 2).mean())


def table_one(
    seeds: Sequence[int], design: Design | None = None, progress: Callable[[float], None] = lambda _fraction: None
) -> tuple[TableRow, ...]:
    """All configurations on the same draws, one a seed: means of log-likelihood and rank differences over the seeds."""
    design = design or Design()
    likelihoods: dict[str, list[float]] = {name: [] for name in CONFIGURATIONS}
    differences: dict[str, list[RankDifference]] = {name: [] for name in CONFIGURATIONS}
    for done, seed in enumerate(seeds):
        progress(done / len(seeds))
        drawn = draw(design, np.random.default_rng(seed))
        for name, fitted in configurations(drawn.reviews, design.prior_precision).items():
            likelihoods[name].append(fitted.average_log_likelihood)
            differences[name].append(rank_difference(fitted.score, drawn.score))
    return tuple(
        TableRow(
            name,
            title,
            float(np.mean(likelihoods[name])),
            RankDifference(
                float(np.mean([d.mean for d in differences[name]])),
                float(np.mean([d.rms for d in differences[name]])),
                float(np.mean([d.maximum for d in differences[name]])),
            ),
            PUBLISHED.get(name),
        )
        for name, title in CONFIGURATIONS.items()
    )
