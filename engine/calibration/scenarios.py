"""What-if scenarios: applies a scenario's changes to a table of reviews."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np

from engine.calibration.records import Floats, Ints, Pins, Reviews, ScoreRow

ChangeKind = Literal[
    "exclude_review", "exclude_referee", "set_score", "add_review", "pin_score", "pin_bias", "pin_trust"
]
HYPOTHETICAL = "(additional review)"
"""Name for the referee of a hypothetical review without one: a new referee who isn't in the table."""


@dataclass(frozen=True, slots=True)
class StoredReview(ScoreRow):
    id: str = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Change:
    """One change. Which fields are used depends on ``kind``: a review (``exclude_review``, ``set_score``), a referee
    (``exclude_referee``, ``pin_bias``, ``pin_trust`` with gamma), an item (``pin_score``), or item and referee with the
    score as ``value`` (``add_review``; ``confidence`` None is the table's median). A value belongs to the score that
    was calibrated when it was set, ``score_name``; None counts for every score, as exclusions do."""

    id: str
    kind: ChangeKind
    review_id: str = ""
    item: str = ""
    referee: str = ""
    value: float | None = None
    confidence: float | None = None
    score_name: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named what-if scenario. ``prior_precision`` None: chosen by the method; ``score_name`` "": the main score."""

    id: str
    table_id: str
    name: str
    method: str
    prior_precision: float | None = None
    score_name: str = ""
    changes: tuple[Change, ...] = ()

    @property
    def in_force(self) -> tuple[Change, ...]:
        """The changes that count for the score being calibrated."""
        return tuple(change for change in self.changes if change.score_name in (None, self.score_name))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """A table as arrays, shared by its scenarios: ``item``, ``referee``, ``score``, ``confidence`` are (N,). ``score``
    is the one called ``score_name``, NaN for reviews without it. ``place`` maps a review's key to its index."""

    table: Sequence[StoredReview]
    score_name: str
    item: Ints
    referee: Ints
    score: Floats
    confidence: Floats
    items: Mapping[str, int]
    referees: Mapping[str, int]
    place: Mapping[str, int]


def columns_of(table: Sequence[StoredReview], score_name: str = "") -> Columns:
    """Converts a table; items and referees are numbered in the order of their first review."""
    items = {name: i for i, name in enumerate(dict.fromkeys(review.item for review in table))}
    referees = {name: i for i, name in enumerate(dict.fromkeys(review.referee for review in table))}
    nan = float("nan")
    return Columns(
        table,
        score_name,
        np.array([items[review.item] for review in table], dtype=np.int64),
        np.array([referees[review.referee] for review in table], dtype=np.int64),
        np.array(
            [dict(review.further).get(score_name, nan) if score_name else review.score for review in table],
            dtype=np.float64,
        ),
        np.array([review.confidence for review in table], dtype=np.float64),
        MappingProxyType(items),
        MappingProxyType(referees),
        MappingProxyType({review.id: place for place, review in enumerate(table)}),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Input for a calibrator. ``source`` (N,) is each review's index in the table, -1 for hypothetical ones;
    ``changed`` are the indexes of reviews with a changed score; ``missing`` is the number of reviews without the chosen
    score."""

    reviews: Reviews
    pins: Pins
    source: Ints
    changed: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()
    missing: int = 0
    columns: Columns | None = None


def prepare(table: Sequence[StoredReview], scenario: Scenario, earlier: Prepared | None = None) -> Prepared:
    """Returns the reviews that count and the fixed values.

    All items and referees of the table keep their indexes, so that fits of different scenarios can be compared; new
    referees of hypothetical reviews are appended. The arrays of ``earlier`` are reused if table and score are the same.
    """
    known = earlier.columns if earlier is not None else None
    if known is None or known.table is not table or known.score_name != scenario.score_name:
        known = columns_of(table, scenario.score_name)
    items, referees = known.items, dict(known.referees)
    by_kind: dict[str, list[Change]] = {}
    for change in scenario.in_force:
        by_kind.setdefault(change.kind, []).append(change)
    given = {
        known.place[change.review_id]: change.value
        for change in by_kind.get("set_score", ())
        if change.review_id in known.place and change.value is not None
    }
    score = known.score.copy()
    without = np.isnan(score)
    score[list(given)] = list(given.values())
    out = np.zeros(len(table), dtype=np.bool_)
    out[[known.place[c.review_id] for c in by_kind.get("exclude_review", ()) if c.review_id in known.place]] = True
    gone = [referees[c.referee] for c in by_kind.get("exclude_referee", ()) if c.referee in referees]
    if gone:
        out |= np.isin(known.referee, gone)
    out &= ~without
    counted = np.flatnonzero(~out & ~without)
    typical = float(np.median(known.confidence)) if len(table) else 1.0
    added: list[tuple[int, int, float, float]] = []
    for number, change in enumerate(by_kind.get("add_review", ()), 1):
        if change.item not in items or change.value is None:
            continue
        name = change.referee or f"{HYPOTHETICAL} {number}"
        referee = referees.setdefault(name, len(referees))
        added.append((items[change.item], referee, change.value, change.confidence or typical))
    more = np.array(added, dtype=np.float64).reshape(-1, 4)
    reviews = Reviews(
        np.append(known.item[counted], more[:, 0].astype(np.int64)),
        np.append(known.referee[counted], more[:, 1].astype(np.int64)),
        np.append(score[counted], more[:, 2]),
        np.append(known.confidence[counted], more[:, 3]),
        tuple(items),
        tuple(referees),
    )
    pins = Pins.none(reviews)
    for change in scenario.in_force:
        if change.value is None:
            continue
        if change.kind == "pin_score" and change.item in items:
            pins.score[items[change.item]] = change.value
        elif change.kind == "pin_bias" and change.referee in referees:
            pins.bias[referees[change.referee]] = change.value
        elif change.kind == "pin_trust" and change.referee in referees:
            pins.noise[referees[change.referee]] = np.exp(-change.value)
    return Prepared(
        reviews,
        pins,
        np.append(counted, np.full(len(added), -1, dtype=np.int64)),
        frozenset(place for place in given if not out[place] and not without[place]),
        frozenset(np.flatnonzero(out).tolist()),
        int(without.sum()),
        known,
    )
