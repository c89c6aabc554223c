"""The measures of alignment, by hand-counted examples and by what must always hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.research.alignment.metrics import (
    average_precision,
    best_threshold,
    exact,
    f1,
    interval,
    macro,
    micro,
    recall_at,
    recall_ceiling,
    tally,
)

GOLD = np.array([[1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
SAID = np.array([[1, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]], dtype=bool)
KNOWN = np.ones((4, 4), dtype=bool)


def test_counts_by_comment() -> None:
    assert tally(SAID, GOLD, KNOWN).tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]]
    some = KNOWN.copy()
    some[0, 1:3] = some[3, 0] = False
    assert tally(SAID, GOLD, some).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_micro_is_over_all_pairs() -> None:
    scores = micro(tally(SAID, GOLD, KNOWN))
    assert (scores.precision, scores.recall) == (2 / 4, 2 / 3)
    assert scores.f1 == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))


def test_macro_counts_an_empty_comment_as_full_and_the_switch_shows_it() -> None:
    tallies = tally(SAID, GOLD, KNOWN)
    full, bare = macro(tallies), macro(tallies, "left-out")
    assert full.precision == pytest.approx((0.5 + 1 + 1 + 0) / 4)  # the third comment got no link and has none
    assert full.recall == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert full.f1 == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    assert (bare.precision, bare.recall, bare.f1) == (0.5, 0.75, 0.5)


def test_saying_nothing_looks_good_only_with_the_convention() -> None:
    nothing = tally(np.zeros_like(SAID), GOLD, KNOWN)
    assert macro(nothing).f1 == 0.5 and macro(nothing, "left-out").f1 == 0.0 and micro(nothing).f1 == 0.0
    assert exact(nothing) == 0.5 and exact(tally(GOLD, GOLD, KNOWN)) == 1.0


def test_recall_at_k_and_its_ceiling() -> None:
    scores = np.array([[0.1, 0.9, 0.8, 0.7], [0.4, 0.3, 0.2, 0.1], [0.0] * 4, [0.0] * 4])
    assert recall_at(scores, GOLD, KNOWN, 1).tolist() == [0.5, 0.0]
    assert recall_at(scores, GOLD, KNOWN, 3).tolist() == [0.5, 0.0]
    assert recall_at(scores, GOLD, KNOWN, 4).tolist() == [1.0, 1.0]
    assert recall_ceiling(GOLD, KNOWN, 1).tolist() == [0.5, 1.0]
    unsure = KNOWN.copy()
    unsure[1, :3] = False
    assert recall_at(scores, GOLD, unsure, 1).tolist() == [0.5, 1.0]


def test_average_precision_by_hand() -> None:
    scores = np.array([[0.9, 0.1, 0.8, 0.5]])
    gold = np.array([[True, True, False, False]])
    assert average_precision(scores, gold, np.ones((1, 4), dtype=bool)) == pytest.approx((1 / 1 + 2 / 4) / 2)
    assert average_precision(scores, ~np.ones((1, 4), dtype=bool), np.ones((1, 4), dtype=bool)) == 0.0


def test_the_best_threshold_separates_what_can_be_separated() -> None:
    scores = np.array([[0.9, 0.2, 0.8, 0.1], [0.3, 0.2, 0.1, 0.7]])
    gold = scores > 0.5
    cut = best_threshold([(scores, gold, np.ones_like(gold))])
    assert 0.3 < cut <= 0.7


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=6), min_size=1, max_size=3))
def test_the_best_threshold_is_that_of_all_pairs_together(papers: list[list[tuple[int, bool]]]) -> None:
    given_ = []
    for pairs in papers:
        scores, gold = (np.array([list(values)]) for values in zip(*pairs, strict=True))
        given_.append((scores.astype(float), gold.astype(bool), np.ones_like(gold, dtype=bool)))

    def pooled(cut: float) -> float:
        return micro(np.concatenate([tally(scores >= cut, gold, known) for scores, gold, known in given_])).f1

    assert pooled(best_threshold(given_)) == max(pooled(cut) for cut in np.arange(0, 5))


def test_a_paper_with_many_links_weighs_more_than_one_with_few() -> None:
    many = (np.array([[3.0, 3, 3, 3, 1, 1]]), np.array([[1, 1, 1, 1, 0, 0]], dtype=bool), np.ones((1, 6), dtype=bool))
    few = (np.array([[4.0, 3, 3, 3, 3, 3]]), np.array([[1, 0, 0, 0, 0, 0]], dtype=bool), np.ones((1, 6), dtype=bool))
    # From 4 on: F1 is 0, 1 and 1, but 4/8 over all pairs. From 3 on: 1, 2/7 and 2/7, but 12/22 over all pairs.
    assert best_threshold([many, few, few]) < 3.0


def test_intervals_hold_the_value_and_differ_by_what_is_drawn() -> None:
    groups = [np.array([[1.0], [1.0], [1.0]]), np.array([[0.0], [0.0], [0.0]])]

    def mean(rows: NDArray[np.float64]) -> float:
        return float(rows.mean())

    low, high = interval(groups, mean, over="papers", rng=np.random.default_rng(1))
    assert (low, high) == (0.0, 1.0)
    near, far = interval(groups, mean, over="comments", rng=np.random.default_rng(1))
    assert 0.0 < near < 0.5 < far < 1.0
    assert interval([np.zeros((0, 1))], mean, over="papers", rng=np.random.default_rng(1)) == (0.0, 0.0)


masks = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=5)


@given(masks, st.data())
def test_what_always_holds(rows: list[list[bool]], data: st.DataObject) -> None:
    gold = np.array(rows)
    said = np.array(
        data.draw(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=len(rows), max_size=len(rows)))
    )
    known = np.ones_like(gold)
    tallies = tally(said, gold, known)
    for scores in (micro(tallies), macro(tallies), macro(tallies, "left-out")):
        assert all(0.0 <= value <= 1.0 for value in (scores.precision, scores.recall, scores.f1))
    assert macro(tallies).f1 >= macro(tallies, "left-out").f1
    assert micro(tally(gold, gold, known)).f1 == (1.0 if gold.any() else 0.0)
    right, wrong, missed = tallies.sum(axis=0)
    assert f1(right, wrong, missed) == micro(tallies).f1
    random = np.random.default_rng(0).random(gold.shape)
    recalls = [recall_at(random, gold, known, k) for k in (1, 2, 3)]
    assert all((a <= b).all() for a, b in pairwise(recalls))
    assert (recalls[0] <= recall_ceiling(gold, known, 1)).all()
