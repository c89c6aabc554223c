"""What the job engine runs for the calibration pane."""

from dataclasses import dataclass, replace

import numpy as np

from engine.calibration.comparability import Comparability
from engine.calibration.comparison import ComparisonRow, compare
from engine.calibration.ranking import RankDoubt, rank_doubt
from engine.calibration.records import Calibration
from engine.calibration.registry import calibrate, calibrator
from engine.calibration.scenarios import Prepared, Scenario, StoredReview, prepare
from engine.jobs import DuplicatePolicy, Lane, Report, task

SEED = 0
"""Rank intervals are drawn from this seed: the same scenario always shows the same ones."""
DRAWS = 400


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """A scenario's fit. ``doubt`` is None in the partial result, which comes as soon as the scores are there."""

    scenario: Scenario
    prepared: Prepared
    calibration: Calibration
    comparability: Comparability
    doubt: RankDoubt | None = None


@task("calibration.refit", "Calibrate “{scenario.name}”", DuplicatePolicy.REPLACE, "scenario:{scenario.id}")
def refit(  # noqa: PLR0917 (a report, then parameters)
    report: Report,
    scenario: Scenario,
    table: tuple[StoredReview, ...],
    cutoff: int | None,
    origin: Refit | None = None,
    latest: Refit | None = None,
    known: Refit | None = None,
) -> Refit:
    """Fits a scenario over its reviews, hands the scores over, then adds standard deviations and rank intervals.

    ``origin`` is the original's fit to start from, None to start afresh, ``latest`` the nearest fit there is: the first
    look at the scores starts there. ``cutoff`` is for the chances to be above the line; ``known`` is the scenario's own
    fit if only the cut-off is another. What is handed over first may depend on ``latest`` within the tolerance of a
    quick fit; the result does not. A refit that still waits is replaced by a newer one.

    Raises:
        BadInput: no review is left.
    """
    if known is not None:
        return replace(known, doubt=_doubt(known.calibration, cutoff))
    prepared = prepare(table, scenario, origin.prepared if origin is not None else None)

    def fitted(start: Calibration | None, *, quick: bool) -> Refit:
        found, parts = calibrate(
            prepared.reviews,
            scenario.method,
            prior_precision=scenario.prior_precision,
            pins=prepared.pins,
            start=start,
            check=report.check,
            quick=quick,
        )
        return Refit(scenario, prepared, found, parts)

    start = _aligned(origin, prepared)
    trace: tuple[float, ...] = ()
    if calibrator(scenario.method).takes_prior:  # these go on from their own scores at next to no cost
        if latest is not None:
            report.partial(fitted(_aligned(latest, prepared), quick=True))
        first = fitted(start, quick=True)
        if latest is None:
            report.partial(first)
        start, trace = first.calibration, first.calibration.trace
    full = fitted(start, quick=False)
    report.check()
    whole = replace(full.calibration, trace=(*trace, *full.calibration.trace))
    return replace(full, calibration=whole, doubt=_doubt(whole, cutoff))


def _doubt(fit: Calibration, cutoff: int | None) -> RankDoubt:
    return rank_doubt(fit, np.random.default_rng(SEED), cutoff, count=DRAWS)


def _aligned(earlier: Refit | None, prepared: Prepared) -> Calibration | None:
    """An earlier fit brought to the reviews and referees that count now; new ones start like the average."""
    if earlier is None or not len(earlier.prepared.reviews):
        return None
    found = earlier.calibration
    known = earlier.prepared.source
    size = int(max(known.max(initial=-1), prepared.source.max(initial=-1))) + 2
    at = np.full(size, -1)
    at[known[known >= 0]] = np.flatnonzero(known >= 0)
    here = np.where(prepared.source >= 0, at[prepared.source], -1)
    messages = found.messages
    if messages is not None:
        precision, weighted = messages
        usual = float(precision.mean())
        precision = np.where(here >= 0, precision[here], usual)
        weighted = np.where(here >= 0, weighted[here], usual * prepared.reviews.score)
        messages = (precision, weighted)
    referees = len(prepared.reviews.referees)
    more = max(referees - len(found.bias), 0)
    bias = np.append(found.bias, np.zeros(more))[:referees]
    noise = np.append(found.noise, np.full(more, float(np.nan_to_num(found.noise).mean())))[:referees]
    return replace(found, bias=bias, noise=noise, messages=messages)


@task(
    "calibration.compare",
    "Compare calibration methods",
    DuplicatePolicy.REPLACE,
    "scenario:{fit.scenario.id}",
    Lane.LONG,
)
def run_comparison(report: Report, fit: Refit, cutoff: int | None) -> tuple[ComparisonRow, ...]:
    """Every calibrator beside the scenario's own, on the reviews of one refit. Takes as long as the slowest method."""
    reviews = fit.prepared.reviews
    return compare(reviews, fit.calibration, cutoff, progress=report.progress, check=report.check)
