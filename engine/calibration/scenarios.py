"""What if: a scenario's changes put on a table of reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np

from engine.calibration.records import Ints, Pins, Reviews

ChangeKind = Literal[
    "exclude_review", "exclude_referee", "set_score", "add_review", "pin_score", "pin_bias", "pin_trust"
]
HYPOTHETICAL = "(further review)"
"""The referee of a hypothetical review that names nobody: a new one, unknown to the table."""


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review as the project keeps it; ``further`` are (column, score) pairs, ``row`` is its row in the file."""

    id: str
    item: str
    referee: str
    score: float
    confidence: float
    further: tuple[tuple[str, float], ...] = ()
    row: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One intervention. Which fields count depends on ``kind``: a review (``exclude_review``, ``set_score``), a referee
    (``exclude_referee``, ``pin_bias``, ``pin_trust``: gamma), an item (``pin_score``), or both with ``value`` the score
    (``add_review``; ``confidence`` None: the table's median)."""

    id: str
    kind: ChangeKind
    review_id: str = ""
    item: str = ""
    referee: str = ""
    value: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named "what if". ``prior_precision`` None: the method's own choice; ``score_name`` "": the main score."""

    id: str
    table_id: str
    name: str
    method: str
    prior_precision: float | None = None
    score_name: str = ""
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What a calibrator is given. ``source`` (N,) is each review's place in the table, -1 for hypothetical ones;
    ``changed`` the places of reviews whose score was changed; ``missing`` counts reviews without the chosen score."""

    reviews: Reviews
    pins: Pins
    source: Ints
    changed: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()
    missing: int = 0
    items: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    referees: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


def prepare(table: Sequence[StoredReview], scenario: Scenario) -> Prepared:
    """The reviews that count and the values held fast.

    All items and referees of the table keep their places, so that fits of different scenarios can be laid side by side;
    referees of hypothetical reviews that the table does not know come after them.
    """
    items = {name: i for i, name in enumerate(dict.fromkeys(review.item for review in table))}
    referees = {name: i for i, name in enumerate(dict.fromkeys(review.referee for review in table))}
    by_kind: dict[str, list[Change]] = {}
    for change in scenario.changes:
        by_kind.setdefault(change.kind, []).append(change)
    gone = {change.review_id for change in by_kind.get("exclude_review", ())}
    gone_referees = {change.referee for change in by_kind.get("exclude_referee", ())}
    new_scores = {change.review_id: change.value for change in by_kind.get("set_score", ())}
    rows: list[tuple[int, int, float, float]] = []
    source: list[int] = []
    changed, excluded, missing = set(), set(), 0
    for place, review in enumerate(table):
        score: float | None = review.score
        if scenario.score_name:
            score = dict(review.further).get(scenario.score_name)
        if score is None:
            missing += 1
            continue
        if review.id in gone or review.referee in gone_referees:
            excluded.add(place)
            continue
        given = new_scores.get(review.id)
        if given is not None:
            score = given
            changed.add(place)
        rows.append((items[review.item], referees[review.referee], score, review.confidence))
        source.append(place)
    typical = float(np.median([review.confidence for review in table])) if table else 1.0
    for number, change in enumerate(by_kind.get("add_review", ()), 1):
        if change.item not in items or change.value is None:
            continue
        name = change.referee or f"{HYPOTHETICAL} {number}"
        referee = referees.setdefault(name, len(referees))
        rows.append((items[change.item], referee, change.value, change.confidence or typical))
        source.append(-1)
    columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
    reviews = Reviews(
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.float64),
        tuple(items),
        tuple(referees),
    )
    pins = Pins.none(reviews)
    for change in scenario.changes:
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
        np.array(source, dtype=np.int64),
        frozenset(changed),
        frozenset(excluded),
        missing,
        MappingProxyType(items),
        MappingProxyType(referees),
    )
