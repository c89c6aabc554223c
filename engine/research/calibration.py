"""Reproduces Table 1 of IDSIA-25-98, compared with the published column and the improved model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.calibration import alternate, bayes
from engine.calibration.ranking import rank_difference
from engine.calibration.records import Calibration, Reviews
from engine.calibration.synthetic import Design, draw

MEASURES = ("average_log_likelihood", "mean", "rms", "max")
"""Average log-likelihood of a review; mean, root mean square and maximum absolute rank difference of the items."""
PUBLISHED = {
    "a": (-5.425, 108.1, 147.4, 735.0),
    "b": (-5.310, 118.6, 163.1, 848.0),
    "c": (-3.329, 91.2, 129.3, 851.0),
    "d": (-2.025, 82.9, 113.6, 608.0),
}
"""``MEASURES`` as printed, from one draw."""
PRINTED_LESS = float(0.5 * np.log(2 * np.pi))
"""The printed log-likelihoods are lower than those of eq. (11) by about half ln 2 pi."""
FITS: dict[str, tuple[str, Callable[[Reviews], Calibration]]] = {
    "a": ("confidence-weighted mean", partial(
        alternate.maximise, prior_precision=0.0, with_bias=False, with_trust=False, method="a")),
    "b": ("also normalised, eq. (5)", partial(alternate.normalised, method="b")),
    "c": ("with optimised biases, eq. (6)", partial(
        alternate.maximise, prior_precision=0.0, with_trust=False, method="c")),
    "d": ("with trust too, eq. (9)", partial(alternate.maximise, prior_precision=0.0, method="d")),
    "e": ("improved model", bayes.calibrate),
}  # fmt: skip
"""Experiments a) to d) of section 5, all with lambda 0, and the improved model."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One experiment: ``MEASURES`` averaged over the draws, their standard deviation over draws (0 for one draw), and
    the printed values (None for the improved model)."""

    configuration: str
    title: str
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    published: tuple[float, ...] | None


def measured(found: Calibration, truth: np.typing.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Returns ``MEASURES`` of one fit."""
    off = rank_difference(found.score, truth)
    return found.average_log_likelihood, off.mean, off.rms, off.maximum


def table_one(
    seeds: Sequence[int], design: Design | None = None, progress: Callable[[float], None] = lambda _fraction: None
) -> tuple[TableRow, ...]:
    """Runs all experiments on the same draws, one per seed."""
    design = design or Design()
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in FITS}
    for done, seed in enumerate(seeds):
        progress(done / len(seeds))
        drawn = draw(design, np.random.default_rng(seed))
        for name, (_title, fit) in FITS.items():
            found[name].append(measured(fit(drawn.reviews), drawn.score))
    return tuple(
        TableRow(
            name,
            title,
            tuple(np.mean(found[name], axis=0).tolist()),
            tuple(np.std(found[name], axis=0, ddof=min(1, len(seeds) - 1)).tolist()),
            PUBLISHED.get(name) if design.breaks == "none" else None,
        )
        for name, (title, _fit) in FITS.items()
    )
