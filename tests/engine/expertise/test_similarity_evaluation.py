"""The loss with its tie rule, triples, bootstrap and differences, against a slow count and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expertise.evaluation import Difference, bootstrap, difference, evaluate, pairs
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating

KEYS = ("p0", "p1", "p2", "p3", "p4")


def gold_of(ratings: dict[str, dict[str, float]]) -> GoldStandard:
    papers = {key: PaperText(key, key) for own in ratings.values() for key in own}
    listed = tuple(Rating(person, key, value) for person, own in ratings.items() for key, value in own.items())
    return GoldStandard(tuple(Participant(person) for person in ratings), listed, papers, {})


GOLD = gold_of({"a": {"p0": 5, "p1": 4, "p2": 1.5}, "b": {"p0": 3, "p3": 3, "p4": 1}})


def test_the_loss_by_hand() -> None:
    """a: 5 over 1.5 and 4 over 1.5 right, 5 over 4 wrong (1 of 7); b: one pair tied (1 of 2), one right (0 of 2)."""
    found = evaluate(GOLD, [{"a": {"p0": 0.5, "p1": 0.6, "p2": 0.1}, "b": {"p0": 0.2, "p3": 0.9, "p4": 0.2}}])
    assert found.loss == pytest.approx((1 + 1) / (7 + 4))
    assert found.losses == {"a": pytest.approx(1 / 7), "b": pytest.approx(1 / 4)}
    assert (found.participants, found.pairs) == (2, 5)
    assert found.easy == 1.0 and found.hard == 0.0


def test_all_tied_is_one_half_and_resolves_nothing() -> None:
    found = evaluate(GOLD, [{"a": dict.fromkeys(KEYS, 1.0), "b": dict.fromkeys(KEYS, 1.0)}])
    assert found.loss == 0.5 and found.span() == "", "two people give no interval"
    assert found.easy == found.hard == 0.0


def test_people_who_all_lose_the_same_give_no_interval() -> None:
    people = gold_of({f"person {number}": {"p0": 5, "p1": 2} for number in range(8)})
    right = {person.id: {"p0": 1.0, "p1": 0.0} for person in people.participants}
    assert evaluate(people, [right]).span() == ""
    wrong = {**right, "person 0": {"p0": 0.0, "p1": 1.0}}
    assert evaluate(people, [wrong]).span() != "" and evaluate(people, [wrong]).loss == pytest.approx(1 / 8)
    assert Difference(-1e-4, -2e-4, 0.01).span() == "+0.000 to +0.010", "no difference isn't a gain"


def test_who_has_no_scores_is_left_out() -> None:
    found = evaluate(GOLD, [{"b": {"p0": 2.0, "p3": math.nan, "p4": 1.0}}])
    assert found.loss == 0.0 and found.participants == 1 and found.losses == {"b": 0.0}
    assert math.isnan(found.easy) and math.isnan(found.hard)


def test_pairs_name_what_was_lost() -> None:
    found = pairs({"x": 1, "y": 4, "z": 4}, {"x": 2, "y": 2, "z": 1})
    assert [(pair.better, pair.worse, pair.cost) for pair in found] == [("y", "x", 1.5), ("z", "x", 3.0)]


ratings_of_people = st.lists(
    st.lists(st.sampled_from([1, 1.25, 2, 2.5, 4, 4.25, 5]), min_size=5, max_size=5), min_size=1, max_size=4
)
scores_of_people = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=4, max_size=4)


@given(ratings=ratings_of_people, scores=scores_of_people)
@settings(deadline=None, max_examples=80)
def test_against_a_slow_count(ratings: list[list[float]], scores: list[list[int]]) -> None:
    gold = gold_of({str(at): dict(zip(KEYS, own, strict=True)) for at, own in enumerate(ratings)})
    said = {str(at): dict(zip(KEYS, map(float, own), strict=True)) for at, own in enumerate(scores)}
    lost = whole = 0.0
    easy, hard = [], []
    for at, own in enumerate(ratings):
        for one, other in itertools.combinations(range(5), 2):
            gap, lead = own[one] - own[other], scores[at][one] - scores[at][other]
            whole += abs(gap)
            lost += abs(gap) / 2 if gap * lead == 0 else abs(gap) * (gap * lead < 0)
            top, bottom = max(own[one], own[other]), min(own[one], own[other])
            if gap and bottom >= 4:
                hard.append(gap * lead > 0)
            elif gap and top >= 4 and bottom <= 2:
                easy.append(gap * lead > 0)
    found = evaluate(gold, [said], samples=20)
    if whole == 0:
        assert math.isnan(found.loss)
        return
    assert found.loss == pytest.approx(lost / whole)
    assert found.easy == pytest.approx(np.mean(easy) if easy else math.nan, nan_ok=True)
    assert found.hard == pytest.approx(np.mean(hard) if hard else math.nan, nan_ok=True)


def test_draws_are_averaged() -> None:
    right = {"a": {"p0": 3.0, "p1": 2.0, "p2": 1.0}, "b": {"p0": 2.0, "p4": 1.0, "p3": 2.0}}
    wrong = {person: {key: -value for key, value in own.items()} for person, own in right.items()}
    assert evaluate(GOLD, [right, wrong, wrong, wrong]).loss == pytest.approx(0.75)


def many() -> tuple[GoldStandard, list[dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(3)
    gold = gold_of({str(at): dict(zip(KEYS, rng.integers(1, 6, 5).astype(float), strict=True)) for at in range(30)})
    said = [{str(at): dict(zip(KEYS, rng.normal(size=5), strict=True)) for at in range(30)} for _ in range(2)]
    return gold, said


def test_intervals_hold_the_loss_and_are_the_same_with_the_same_seed() -> None:
    gold, said = many()
    one, again, other = (evaluate(gold, said, seed=seed) for seed in (1, 1, 2))
    assert one.loss_low < one.loss < one.loss_high
    assert (one.loss_low, one.loss_high) == (again.loss_low, again.loss_high) != (other.loss_low, other.loss_high)


def test_bootstrap_draws_as_many_people_as_there_are() -> None:
    weights = bootstrap(30, 1000, 0)
    assert weights.shape == (1000, 30) and np.all(weights.sum(axis=1) == 30)
    assert weights.mean(axis=0) == pytest.approx(np.ones(30), abs=0.15)


def test_differences_are_on_the_same_samples() -> None:
    """A loss minus itself is 0 in every sample; and a difference is more certain than two losses."""
    gold, said = many()
    one, other = evaluate(gold, said[:1]), evaluate(gold, said[1:])
    none = difference(one, one)
    assert (none.value, none.low, none.high) == (0, 0, 0)
    found = difference(one, other)
    assert found.value == pytest.approx(one.loss - other.loss) and found.low < found.value < found.high
    with pytest.raises(ValueError, match="different participants"):
        difference(one, evaluate(GOLD, [{}]))
