"""Agreement of any number of annotators, each of whom decided on some of the units: coefficients with intervals.

Units of one paper depend on each other, so intervals come from resampling papers. Units that fewer than two annotators
decided on carry no information about agreement; they count for the shares of classes in Fleiss' kappa and AC1 (Gwet,
2014). Coefficients of two annotators take an array of shape (..., k, k) whose last two axes count units (rows: first
annotator, columns: second). They return one value per leading index, NaN where undefined, so that a bootstrap is one
call.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.measures import bootstrap
from engine.measures.estimate import FEWEST, Coefficient, Estimate, Scale, supported

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MISSING = -1


def percent(counts: Floats) -> Floats:
    """Returns the share of units on which both agree, 0..1."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum((-2, -1)), dtype=np.float64)


def kappa(counts: Floats) -> Floats:
    """Returns Cohen's kappa (Cohen, 1960, equation 1): (observed - expected) / (1 - expected), with the expectation
    from both annotators' own shares. NaN if both always give the same single label."""
    total = counts.sum((-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (counts.sum(-1) * counts.sum(-2)).sum(-1) / total**2
    return beyond(percent(counts), expected)


def ac1(counts: Floats) -> Floats:
    """Returns Gwet's AC1 (Gwet, 2008, section 3): like kappa, but chance is sum of pi (1 - pi) / (k - 1) with the mean
    shares pi, so that rare labels don't drive it to zero."""
    total = counts.sum((-2, -1))
    k = counts.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (counts.sum(-1) + counts.sum(-2)) / 2 / total[..., None]
    return beyond(percent(counts), (share * (1 - share)).sum(-1) / (k - 1))


def alpha(coincidences: Floats) -> Floats:
    """Returns Krippendorff's alpha for nominal labels (Krippendorff, 2011, section C) from coincidence matrices."""
    margins = coincidences.sum(-1)
    total = margins.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - np.trace(coincidences, axis1=-2, axis2=-1) / total
        expected = (total**2 - (margins**2).sum(-1)) / (total * (total - 1))
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan), dtype=np.float64)


def nominal_kappa(pairs: Sequence[tuple[str, str]]) -> Estimate:
    """Returns Cohen's kappa of pairs of labels, one per unit, with its interval (neither for fewer than ``FEWEST``
    units)."""
    names = sorted({name for pair in pairs for name in pair})
    at = {name: index for index, name in enumerate(names)}
    counts = np.zeros((len(pairs), len(names), len(names)))
    for row, (one, two) in enumerate(pairs):
        counts[row, at[one], at[two]] = 1
    return supported(bootstrap.estimate(counts, kappa), len(pairs))


def beyond(observed: Floats, expected: Floats) -> Floats:
    """Returns (observed - expected) / (1 - expected); NaN if chance alone explains everything."""
    with np.errstate(invalid="ignore", divide="ignore"):
        room = 1 - expected
        value = np.where(room > 1e-12, (observed - expected) / room, np.nan)
    return np.asarray(value, dtype=np.float64)


MOST_CLASSES = 40
"""With more classes (scores with decimals), nearly every value is its own class: of the chance-corrected coefficients,
only the interval alpha is computed."""
_NAN = float("nan")


@dataclass(frozen=True)
class Table:
    """Who decided what: ``codes`` (units, annotators) are positions in ``classes``, or ``MISSING``.

    ``papers`` (units,) is the number of each unit's paper, from 0. ``values`` are the classes as ascending numbers for
    an ordinal or interval ``scale``, () for a nominal one.
    """

    codes: Ints
    papers: Ints
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    scale: Scale = "nominal"
    values: tuple[float, ...] = ()

    @property
    def units(self) -> int:
        """The number of units that two or more annotators decided on."""
        return int(((self.codes != MISSING).sum(1) > 1).sum())

    @cached_property
    def clusters(self) -> int:
        """The number of papers."""
        return int(self.papers.max()) + 1 if len(self.papers) else 0

    @cached_property
    def weights(self) -> Floats:
        """How often each paper is drawn: all papers once, then each resample; (1 + resamples, papers)."""
        return np.concatenate([np.ones((1, self.clusters)), bootstrap.draws(self.clusters)])

    def pairs(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yields each pair of decisions on a unit once, in parts: (units, one annotator, the other annotator)."""
        given = self.codes != MISSING
        order = np.argsort(~given, axis=1, kind="stable")  # for each unit, the annotators who decided come first
        counts = given.sum(1)
        for one, two in combinations(range(int(counts.max(initial=0))), 2):
            at = np.flatnonzero(counts > two)
            yield at, order[at, one], order[at, two]

    @cached_property
    def together(self) -> tuple[Ints, Ints, Ints]:
        parts = list(self.pairs())
        empty = np.zeros(0, dtype=np.int64)
        first, second, third = (np.concatenate([part[n] for part in parts]) if parts else empty for n in range(3))
        return first, second, third

    def by_paper(self, index: Ints, units: Ints, size: int, shares: Floats | None = None) -> Floats:
        """Sums by paper, (papers, size): adds ``shares`` (default 1) of each of ``units`` at ``index`` in 0..size-1."""
        flat = np.bincount(self.papers[units] * size + index, shares, minlength=self.clusters * size)
        return np.asarray(flat.reshape(self.clusters, size), dtype=np.float64)

    def resampled(self, contributions: Floats, statistic: Callable[[Floats], Floats]) -> Floats:
        """Returns a statistic of all papers, then of each resample, (1 + resamples,), from each
        paper's contribution."""
        flat = contributions.reshape(self.clusters, -1)
        used = flat.any(1)  # each pair or person occurs in only a few of many papers
        sums = self.weights[:, used] @ flat[used]
        return statistic(sums.reshape(-1, *contributions.shape[1:]))

    def estimate(self, values: Floats, n: int | None = None) -> Estimate:
        """Converts values from ``resampled`` to an estimate with its interval, over ``n`` units (default: all that
        count)."""
        return bootstrap.with_interval(float(values[0]), values[1:], self.units if n is None else n)

    def beyond_chance(self, values: Floats, n: int | None = None) -> Estimate:
        """Like ``estimate``, for a coefficient of agreement, which has no value over fewer than ``FEWEST`` units."""
        return supported(self.estimate(values, n))

    @cached_property
    def kappas(self) -> tuple[Ints, Ints, Floats]:
        """Cohen's kappa of pairs of annotators: (one, other, ``resampled`` values of each pair). Pairs who share fewer
        than ``FEWEST`` units don't count."""
        k, people = len(self.classes), len(self.annotators)
        units, one, two = self.together
        pair = np.minimum(one, two) * people + np.maximum(one, two)
        names, counts = np.unique(pair, return_counts=True)
        enough = names[counts >= FEWEST]
        order, found = np.argsort(pair, kind="stable"), []
        begin, end = np.searchsorted(pair[order], enough), np.searchsorted(pair[order], enough, side="right")
        for name, first, last in zip(enough, begin, end, strict=True):
            at = units[order[first:last]]
            index = self.codes[at, name // people] * k + self.codes[at, name % people]
            found.append(self.resampled(self.by_paper(index, at, k * k).reshape(-1, k, k), kappa))
        return enough // people, enough % people, np.array(found).reshape(len(found), len(self.weights))

    def coincidences(self) -> Floats:
        """Returns coincidence matrices by paper, (papers, k, k): a unit with m decisions adds 1 / (m - 1) for each
        ordered pair."""
        units, one, two = self.together
        k, share = len(self.classes), 1 / ((self.codes != MISSING).sum(1) - 1.0)[units]
        index = self.codes[units, one] * k + self.codes[units, two]
        found = self.by_paper(index, units, k * k, share).reshape(-1, k, k)
        return found + found.transpose(0, 2, 1)


def coefficients(table: Table) -> dict[Coefficient, Estimate]:
    """Returns all coefficients for the table's scale, over the units that two or more annotators decided on."""
    if not table.units:
        return {}
    found: dict[Coefficient, Estimate] = {"observed": table.estimate(_observed(table))}
    if len(table.classes) <= MOST_CLASSES:
        together = table.coincidences()
        fleiss, ac1 = _chance_corrected(table)
        found |= {
            "cohen": cohen(table),
            "fleiss": table.beyond_chance(fleiss),
            "ac1": table.beyond_chance(ac1),
            "alpha": table.beyond_chance(table.resampled(together, alpha)),
        }
        if table.scale != "nominal":
            found["ordinal"] = table.beyond_chance(table.resampled(together, _ordinal))
    if table.scale == "interval":
        found["interval"] = table.beyond_chance(table.resampled(*_interval(table)))
    return found


def _observed(table: Table) -> Floats:
    """Returns the mean over units of the share of equal pairs of decisions (Fleiss, 1971, equation 2)."""
    units, one, two = table.together
    many = (table.codes != MISSING).sum(1)
    same = (table.codes[units, one] == table.codes[units, two]) * 2 / (many * (many - 1.0))[units]
    zero = np.zeros(len(units), dtype=np.int64)
    at = np.flatnonzero(many > 1)
    agreed = table.by_paper(zero, units, 1, same)
    counted = table.by_paper(np.zeros(len(at), dtype=np.int64), at, 1)
    return table.resampled(np.hstack([agreed, counted]), _ratio)


def _ratio(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)


def _chance_corrected(table: Table) -> tuple[Floats, Floats]:
    """Returns Fleiss' kappa and AC1, both for varying numbers of decisions: chance from the mean shares of classes over
    all units with a decision (Gwet, 2014, sections 2.3 and 2.5)."""
    k = len(table.classes)
    units, people = np.nonzero(table.codes != MISSING)
    many = (table.codes != MISSING).sum(1)
    shares = table.by_paper(table.codes[units, people], units, k, 1.0 / many[units])
    with np.errstate(invalid="ignore", divide="ignore"):
        pi = table.resampled(shares, lambda sums: np.asarray(sums / sums.sum(-1, keepdims=True), dtype=np.float64))
    observed = _observed(table)
    hard = (pi * (1 - pi)).sum(-1) / (k - 1) if k > 1 else np.full(len(pi), _NAN)
    return beyond(observed, (pi**2).sum(-1)), beyond(observed, hard)


def cohen(table: Table, annotator: int | None = None) -> Estimate:
    """Returns Cohen's kappa as the mean over the pairs of ``Table.kappas`` (Light, 1971), or over those of one
    ``annotator``. Pairs without a kappa, because both always gave the same single label, don't count."""
    one, two, values = table.kappas
    units, first, second = table.together
    if annotator is not None:
        values = values[(one == annotator) | (two == annotator)]
        units = units[(first == annotator) | (second == annotator)]
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(0) / known.sum(0)
    return table.beyond_chance(mean, len(np.unique(units)))


def _ordinal(coincidences: Floats) -> Floats:
    """Returns Krippendorff's alpha with the ordinal metric: the difference between the mean ranks of two classes."""
    margins = coincidences.sum(-1)
    return _by_distance(coincidences, margins, np.cumsum(margins, axis=-1) - margins / 2)


def _by_distance(coincidences: Floats, margins: Floats, values: Floats) -> Floats:
    """Returns alpha for classes at ``values`` (r, k), from observed and expected squared differences."""
    total = margins.sum(-1)
    scale = np.abs(values).max(-1, keepdims=True)
    values = values / np.where(scale > 0, scale, 1.0)
    squared = (values[:, :, None] - values[:, None, :]) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (coincidences * squared).sum((-2, -1)) / total
        expected = (margins[:, :, None] * margins[:, None, :] * squared).sum((-2, -1)) / (total * (total - 1))
        return np.asarray(np.where(expected > 1e-15, 1 - observed / expected, _NAN), dtype=np.float64)


def _interval(table: Table) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Returns each paper's sums for alpha with the interval metric (decisions, their values, squares, and squared
    differences within units), and the function that computes alpha from them."""
    values = np.array(table.values)
    values = (values - values.mean()) / (np.ptp(values) or 1.0)
    units, one, two = table.together
    many = (table.codes != MISSING).sum(1)
    zero = np.zeros(len(units), dtype=np.int64)
    apart = (values[table.codes[units, one]] - values[table.codes[units, two]]) ** 2 * 2 / (many[units] - 1.0)
    at, people = np.nonzero((table.codes != MISSING) & (many > 1)[:, None])
    given, none = values[table.codes[at, people]], np.zeros(len(at), dtype=np.int64)
    parts = [table.by_paper(none, at, 1, given**power) for power in (0, 1, 2)]

    def alpha_of(sums: Floats) -> Floats:
        n, total, squares, within = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = 2 * (n * squares - total**2) / (n * (n - 1))
            return np.asarray(np.where(expected > 1e-12, 1 - within / n / expected, _NAN), dtype=np.float64)

    return np.hstack([*parts, table.by_paper(zero, units, 1, apart)]), alpha_of


def by_class(table: Table, between: str = "") -> dict[str, tuple[Estimate, Estimate]]:
    """Returns, for each class, specific agreement (among pairs of decisions with one decision of this class, how often
    the other is too; Spitzer and Fleiss, 1974), and alpha of this class against the rest. Classes with several labels,
    separated by ``between``, count for each of these."""
    if not table.units or len(table.classes) > MOST_CLASSES:
        return {}
    together, decided = table.coincidences(), (table.codes != MISSING).sum(1) > 1
    margins, total = together.sum(-1), together.sum((-2, -1))
    holding: dict[str, list[int]] = {}
    for at, name in enumerate(table.classes):
        for label in name.split(between) if between else (name,):
            holding.setdefault(label, []).append(at)
    found = {}
    for name, members in sorted(holding.items(), key=lambda entry: entry[1]):
        both, own = together[:, members][:, :, members].sum((-2, -1)), margins[:, members].sum(-1)
        n = int((np.isin(table.codes, members).any(1) & decided).sum())
        two = np.stack([both, own - both, own - both, total - 2 * own + both], axis=-1).reshape(-1, 2, 2)
        specific = table.resampled(np.stack([both, own], axis=-1), _ratio)
        found[name] = table.estimate(specific, n), table.beyond_chance(table.resampled(two, alpha), n)
    return found


def with_others(table: Table, annotator: int, units: NDArray[np.bool_] | None = None) -> Estimate:
    """Returns how often an annotator agrees with others who decided on the same unit; with ``units`` (a mask), only on
    these."""
    where, one, two = table.together
    kept = (one == annotator) | (two == annotator)
    if units is not None:
        kept &= units[where]
    where, one, two = where[kept], one[kept], two[kept]
    n = len(np.unique(where))
    if not n:
        return Estimate(_NAN, _NAN, _NAN, 0)
    zero = np.zeros(len(where), dtype=np.int64)
    same = (table.codes[where, one] == table.codes[where, two]).astype(np.float64)
    both = np.hstack([table.by_paper(zero, where, 1, same), table.by_paper(zero, where, 1)])
    return table.estimate(table.resampled(both, _ratio), n)
