"""Assignments are the best of all that are possible: compared with every assignment of small venues."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.expertise import assignment
from engine.expertise.assignment import assign

Venue = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def venues(draw: st.DrawFn) -> Venue:
    papers, reviewers = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    score = st.one_of(st.just(float("nan")), st.integers(-20, 20).map(lambda one: one / 10))
    scores = np.array([[draw(score) for _ in range(reviewers)] for _ in range(papers)])
    needed = np.array([draw(st.integers(1, 2)) for _ in range(papers)])
    return scores, needed, np.array([draw(st.integers(0, 3)) for _ in range(reviewers)])


def every(venue: Venue) -> list[np.ndarray]:
    """All assignments with as many pairs as possible."""
    scores, needed, loads = venue
    rows = [
        [
            chosen
            for count in range(most + 1)
            for chosen in itertools.combinations(np.nonzero(~np.isnan(row))[0].tolist(), count)
        ]
        for row, most in zip(scores, needed, strict=True)
    ]
    found = []
    for choice in itertools.product(*rows):
        chosen = np.zeros(scores.shape, bool)
        for paper, reviewers in enumerate(choice):
            chosen[paper, list(reviewers)] = True
        if (chosen.sum(0) <= loads).all():
            found.append(chosen)
    most = max(chosen.sum() for chosen in found)
    return [chosen for chosen in found if chosen.sum() == most]


def mean_of_worst(scores: np.ndarray, chosen: np.ndarray) -> float:
    means = [scores[row, picked].mean() for row, picked in enumerate(chosen) if picked.any()]
    return min(means, default=0.0)


@given(venues())
@settings(max_examples=150, deadline=None)
def test_no_assignment_is_better(venue: Venue) -> None:
    scores, needed, _ = venue
    total, fair = assign(*venue), assign(*venue, "fair")
    possible = every(venue)
    for found in (total, fair):
        assert any((found.chosen == chosen).all() for chosen in possible)
        assert (found.short == needed - found.chosen.sum(1)).all()
    best = max(scores[chosen].sum() for chosen in possible)
    assert scores[total.chosen].sum() == pytest.approx(best, abs=1e-6)
    assert mean_of_worst(scores, fair.chosen) >= mean_of_worst(scores, total.chosen) - 1e-6


def test_the_best_is_found_from_a_few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beginning with one pair a paper and adding two at a time gives what beginning with all pairs gives."""
    scores = np.random.default_rng(1).random((30, 25)) ** 3
    needed, loads = np.full(30, 3), np.full(25, 4)
    sums = []
    for first in (1, 30):
        monkeypatch.setattr(assignment, "_FIRST", first)
        monkeypatch.setattr(assignment, "_ADDED", 2)
        sums.append([scores[assign(scores, needed, loads, method).chosen].sum() for method in assignment.METHODS])
    assert sums[0] == pytest.approx(sums[1], abs=1e-6)


def test_fair_helps_the_worst_paper() -> None:
    # The total is highest where p gets both good reviewers; fair gives each paper one.
    scores = np.array([[0.9, 0.9, 0.1, 0.1], [0.6, 0.6, 0.0, 0.0]])
    needed, loads = np.array([2, 2]), np.array([1, 1, 1, 1])
    assert assign(scores, needed, loads).chosen[0].tolist() == [True, True, False, False]
    fair = assign(scores, needed, loads, "fair")
    assert mean_of_worst(scores, fair.chosen) == pytest.approx(0.3)


def test_fair_seldom_misses_the_fairest() -> None:
    rng, missed = np.random.default_rng(0), 0
    for _ in range(100):
        venue = (rng.normal(size=(3, 4)), rng.integers(1, 3, 3), rng.integers(1, 4, 4))
        best = max(mean_of_worst(venue[0], chosen) for chosen in every(venue))
        missed += mean_of_worst(venue[0], assign(*venue, "fair").chosen) < best - 1e-6
    assert missed <= 5, missed


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(BadInput, match="infinite"):
        assign(np.array([[np.inf]]), np.array([1]), np.array([1]))
