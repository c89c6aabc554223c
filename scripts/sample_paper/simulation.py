"""The study that the sample paper reports: a simulated city with few permanent counters and many short counts.

Everything in the paper's tables, figures and sentences is computed here from a fixed seed, so that its numbers are
consistent, as in a real paper. Plain Python, for the same digits on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

WEEKS = 52
DAYS = WEEKS * 7
COUNTERS = (1, 2, 3, 4, 6, 8, 12)
METHODS = ("plain", "pooled", "grouped", "blended")
TARGETS_PER_REPEAT = 24
BANDWIDTH = 0.25
PRIOR_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class StreetClass:
    """A class of streets: ``weekend`` and ``season`` are ratios, ``weather`` a sensitivity (1 = average)."""

    name: str
    streets: int
    weekend: float
    season: float
    weather: float


CLASSES = (
    StreetClass("commuter", 40, 0.52, 0.22, 0.7),
    StreetClass("mixed", 36, 0.90, 0.36, 1.0),
    StreetClass("leisure", 20, 1.75, 0.72, 1.6),
)


@dataclass(frozen=True, slots=True)
class Street:
    """One street: its class, the bicycles of each day of the year, and the mean over the year."""

    group: str
    daily: tuple[float, ...]
    mean: float

    def week(self, week: int) -> Sequence[float]:
        """Returns the seven days of week 0 to 51, Monday first."""
        return self.daily[week * 7 : week * 7 + 7]


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean absolute percentage error over repeats, with the half width of its 95 % interval (normal, over repeats)."""

    mean: float
    half_width: float


@dataclass(frozen=True, slots=True)
class Study:
    """All results of one run with a given number of repeats."""

    streets: tuple[Street, ...]
    repeats: int
    by_counters: dict[tuple[str, int], Cell]
    by_class: dict[tuple[str, str], Cell]
    by_period: dict[tuple[str, int], Cell]
    by_fault: dict[tuple[str, int], Cell]


def build_city(seed: int = 20) -> tuple[Street, ...]:
    """Generates 96 streets over 52 weeks with shared weather, seasons, weekly rhythm and counting noise."""
    rng = random.Random(seed)
    weather = []
    state = 0.0
    for _ in range(DAYS):
        state = 0.6 * state + rng.gauss(0, 0.16)
        weather.append(state)
    streets = []
    for group in CLASSES:
        for _ in range(group.streets):
            level = 620 * math.exp(rng.gauss(0, 0.6))
            weekend = group.weekend * math.exp(rng.gauss(0, 0.14))
            season = group.season * math.exp(rng.gauss(0, 0.18))
            shift = rng.gauss(0, 6)
            daily = []
            for day in range(DAYS):
                rhythm = weekend if day % 7 >= 5 else 1.0
                swing = math.exp(season * math.cos(2 * math.pi * (day - 190 - shift) / DAYS))
                expected = level * rhythm * swing * math.exp(group.weather * weather[day])
                daily.append(max(0.0, round(rng.gauss(expected, 1.8 * math.sqrt(expected)))))
            streets.append(Street(group.name, tuple(daily), sum(daily) / DAYS))
    return tuple(streets)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _cell(repeat_means: Sequence[float]) -> Cell:
    centre = _mean(repeat_means)
    spread = math.sqrt(sum((value - centre) ** 2 for value in repeat_means) / max(1, len(repeat_means) - 1))
    return Cell(centre, 1.96 * spread / math.sqrt(len(repeat_means)))


def _weekend_log_ratio(week: Sequence[float]) -> float:
    return math.log((sum(week[5:]) / 2 + 1) / (sum(week[:5]) / 5 + 1))


@dataclass(frozen=True, slots=True)
class Permanent:
    """A permanent counter: its street, the mean over its recorded days, and the weeks that it recorded whole."""

    street: Street
    recorded_mean: float
    whole_weeks: frozenset[int]

    @classmethod
    def of(cls, street: Street, kept: Sequence[bool] | None = None) -> Permanent:
        """Returns a counter on ``street``; ``kept[day]`` is whether a day was recorded, None means all."""
        if kept is None:
            return cls(street, street.mean, frozenset(range(WEEKS)))
        whole = frozenset(week for week in range(WEEKS) if all(kept[week * 7 : week * 7 + 7]))
        return cls(street, _mean([count for day, count in enumerate(street.daily) if kept[day]]), whole)


def estimate(method: str, target: Street, week: int, permanent: Sequence[Permanent]) -> float:
    """Estimates the yearly daily mean of ``target`` from one counted week and the permanent counters."""
    counted = target.week(week)
    short = _mean(counted)
    if method == "plain":
        return short
    working = [counter for counter in permanent if week in counter.whole_weeks]
    factors = [counter.recorded_mean / _mean(counter.street.week(week)) for counter in working]
    if not factors:
        return short
    pooled = _mean(factors)
    if method == "pooled":
        return short * pooled
    if method == "grouped":
        pairs = zip(working, factors, strict=True)
        same = [factor for counter, factor in pairs if counter.street.group == target.group]
        return short * (_mean(same) if same else pooled)
    balance = _weekend_log_ratio(counted)
    weights = [
        math.exp(-(((_weekend_log_ratio(counter.street.week(week)) - balance) / BANDWIDTH) ** 2) / 2)
        for counter in working
    ]
    total = sum(weight * factor for weight, factor in zip(weights, factors, strict=True))
    return short * (total + PRIOR_WEIGHT * pooled) / (sum(weights) + PRIOR_WEIGHT)


def _fault_mask(rng: random.Random, share: int) -> list[bool]:
    """Returns which days are kept if ``share`` percent of a year fails in outages of two weeks."""
    kept = [True] * DAYS
    while kept.count(False) < DAYS * share / 100:
        start = rng.randrange(DAYS)
        for day in range(start, min(DAYS, start + 14)):
            kept[day] = False
    return kept


def run_study(streets: tuple[Street, ...], repeats: int, seed: int = 7) -> Study:
    """Runs every experiment of the paper ``repeats`` times with new counters, targets and weeks."""
    by_counters: dict[tuple[str, int], Cell] = {}
    by_class: dict[tuple[str, str], list[float]] = {}
    by_period: dict[tuple[str, int], list[float]] = {}
    for counters in COUNTERS:
        rng = random.Random(seed * 1000 + counters)
        errors: dict[str, list[float]] = {method: [] for method in METHODS}
        for _ in range(repeats):
            chosen = rng.sample(range(len(streets)), counters)
            rest = [index for index in range(len(streets)) if index not in chosen]
            permanent = [Permanent.of(streets[index]) for index in chosen]
            trials = [(streets[index], rng.randrange(WEEKS)) for index in rng.sample(rest, TARGETS_PER_REPEAT)]
            for method in METHODS:
                found = [
                    100 * abs(estimate(method, street, week, permanent) / street.mean - 1) for street, week in trials
                ]
                errors[method].append(_mean(found))
                if counters == 4:
                    for (street, week), error in zip(trials, found, strict=True):
                        by_class.setdefault((method, street.group), []).append(error)
                        by_period.setdefault((method, week // 4), []).append(error)
        for method in METHODS:
            by_counters[method, counters] = _cell(errors[method])
    by_fault: dict[tuple[str, int], Cell] = {}
    for share in (0, 10, 20, 30):
        rng = random.Random(seed * 2000)
        faulty: dict[str, list[float]] = {method: [] for method in METHODS[1:]}
        for _ in range(repeats):
            chosen = rng.sample(range(len(streets)), 4)
            rest = [index for index in range(len(streets)) if index not in chosen]
            trials = [(streets[index], rng.randrange(WEEKS)) for index in rng.sample(rest, TARGETS_PER_REPEAT)]
            masks = [_fault_mask(random.Random(rng.random()), share) for _ in chosen]
            permanent = [Permanent.of(streets[index], mask) for index, mask in zip(chosen, masks, strict=True)]
            for method, errors_of in faulty.items():
                errors_of.append(
                    _mean(
                        [
                            100 * abs(estimate(method, street, week, permanent) / street.mean - 1)
                            for street, week in trials
                        ]
                    )
                )
        for method, errors_of in faulty.items():
            by_fault[method, share] = _cell(errors_of)
    return Study(
        streets,
        repeats,
        by_counters,
        {key: _cell(found) for key, found in by_class.items()},
        {key: _cell(found) for key, found in by_period.items()},
        by_fault,
    )
