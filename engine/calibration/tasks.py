"""Jobs of the calibration pane."""

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
"""Fixed seed of the rank intervals, so that a scenario always shows the same ones."""
DRAWS = 400


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """A scenario's fit. ``doubt`` is None in the partial result, which is sent as soon as scores are available."""

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
    """Fits a scenario, reports the scores as a partial result, then adds standard deviations and rank intervals.

    ``origin`` is the original scenario's fit, used as the start. ``latest`` is the most similar existing fit, from
    which the partial result starts; so that result may depend on it within the tolerance of a quick fit, but the final
    result doesn't. ``cutoff`` is for the probabilities of being above it; ``known`` is the scenario's own fit if only
    the cut-off changed. A newer refit replaces a queued one. Raises BadInput if no review is left.
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
    if calibrator(scenario.method).takes_prior:  # from their own scores, these continue at almost no cost
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
    """Adapts an earlier fit to the current reviews and referees; new ones start with average values."""
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
    """Compares all calibrators with the scenario's own, on the reviews of one refit. Takes as long as the methods
    together."""
    reviews = fit.prepared.reviews
    return compare(reviews, fit.calibration, cutoff, progress=report.progress, check=report.check)
