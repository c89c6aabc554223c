"""Decisions at a cut-off, and reviews that disagree by more than chance, against drawn truths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.calibration.comparison import moves
from engine.calibration.decisions import (
    SAFE,
    Decisions,
    decide,
    decision_limits,
    disagreeing,
    knows_disagreement,
    knows_noise,
    weak_referees,
)
from engine.calibration.ranking import among_first, rank_doubt, ranks
from engine.calibration.records import Calibration, Reviews
from engine.calibration.registry import CALIBRATORS, calibrate
from engine.calibration.synthetic import Break, Design, Drawn, draw

CUTOFF = 25


def _judged(reviews: Reviews, cutoff: int = CUTOFF, method: str = "bayes") -> tuple[Calibration, Decisions]:
    fit, _ = calibrate(reviews, method)
    return fit, decide(reviews, fit, rank_doubt(fit, np.random.default_rng(0), cutoff), cutoff)


def _drawn(seed: int, breaks: Break = "none", items: int = 100, per_item: int = 3) -> Drawn:
    return draw(Design(items=items, referees=40, per_item=per_item, breaks=breaks), np.random.default_rng(seed))


@pytest.mark.parametrize("breaks", ["none", "steps", "careless"])
def test_safe_decisions_hold_and_the_stated_chances_are_true(breaks: Break) -> None:
    stated, wrong, safe = [], [], []
    for seed in range(12):
        drawn = _drawn(seed, breaks)
        fit, found = _judged(drawn.reviews)
        other = (ranks(drawn.score) <= CUTOFF) != (ranks(fit.score) <= CUTOFF)
        stated.append(found.change)
        wrong.append(other)
        safe.append([standing != "borderline" for standing in found.standing])
    assert np.mean(np.concatenate(wrong)[np.concatenate(safe)]) <= SAFE
    assert 0.4 < np.mean(safe) < 1.0
    assert np.mean(stated) == pytest.approx(np.mean(wrong), abs=0.02)


def test_a_standing_says_which_side_and_how_sure() -> None:
    fit, found = _judged(_drawn(1).reviews)
    assert {"safe accept", "borderline", "safe reject"} == set(found.standing)
    for standing, yes, change in zip(found.standing, ranks(fit.score) <= CUTOFF, found.change, strict=True):
        assert (standing == "borderline") == (change > SAFE)
        assert standing == "borderline" or yes == (standing == "safe accept")


def test_the_gain_is_what_one_more_review_changes() -> None:
    """Drawn: the truth, then a review of the stated precision, then the decision of who knows both."""
    reviews = _drawn(2).reviews
    fit, found = _judged(reviews)
    rng = np.random.default_rng(3)
    precision = 1.0 / float(np.median(1.0 / fit.weight + fit.bias_sd[reviews.referee] ** 2))
    for item in np.argsort(-found.gain)[[0, 5, 20, 60]]:
        variance = fit.score_sd[item] ** 2
        chance = np.clip(found.change[item], 1e-4, 1 - 1e-4)
        line = np.sqrt(variance) * abs(_normal_quantile(chance))
        truth = line + np.sqrt(variance) * rng.standard_normal(200_000)
        review = truth + rng.standard_normal(len(truth)) / np.sqrt(precision)
        after = (line / variance + review * precision) / (1.0 / variance + precision)
        wrong = np.mean((after > 0) != (truth > 0))
        assert min(chance, 1 - chance) - wrong == pytest.approx(found.gain[item], abs=0.004)
    assert (found.gain >= 0).all()


def _normal_quantile(chance: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(chance))


def test_a_tie_at_the_cut_off_and_items_without_a_rank_are_named() -> None:
    rows = [(f"a{i}", f"r{r}", float(i % 3 * 3 + r), 1.0) for i in range(12) for r in range(3)]
    rows += [(f"b{i}", f"s{r}", float(i % 5 + r), 1.0) for i in range(9) for r in range(3)]
    fit, found = _judged(Reviews.of(rows), cutoff=3)
    assert found.accepted.tolist() == [i in (2, 5, 8) for i in range(21)], "of equal items, the first in the table"
    assert np.array_equal(found.accepted, among_first(fit.score, 3))
    assert found.limits == (
        "9 items have no rank and no decision. The cut-off and all chances refer to the 12 others only.",
        "4 items tie at the cut-off. Those that come first in the table are accepted.",
    )
    assert found.limits == decision_limits(fit, 3) and not decision_limits(fit, None)
    assert decision_limits(fit, 6) == found.limits, "the first four are safe, and the next four tie"
    assert decision_limits(fit, 4) == found.limits[:1], "the line is below all four"
    assert decision_limits(fit, 15) == found.limits[:1], "everything ranked is accepted"
    assert not _judged(_drawn(1).reviews)[1].limits


def test_a_tie_at_the_cut_off_lets_no_more_items_through_than_it_says() -> None:
    tied = np.array([5.0, 5.0, 5.0, 1.0])
    assert among_first(tied, 2).tolist() == [True, True, False, False]
    assert among_first(np.array([np.nan, 2.0, 2.0 + 1e-13]), 1).tolist() == [False, True, False]
    assert among_first(np.array([np.nan, 2.0]), 2).tolist() == [False, True] and not among_first(tied, None).any()
    moved = moves(np.array([5.0, 4.0, 3.0, 1.0]), tied, 2)
    assert not len(moved.rising) and not len(moved.falling), "it still accepts the first two"


def test_noise_is_compared_only_where_it_was_estimated() -> None:
    fit, _ = _judged(_drawn(1).reviews)
    assert knows_noise(fit) and knows_disagreement(fit)
    assert not knows_noise(replace(fit, likeliest=True)) and knows_disagreement(replace(fit, likeliest=True))
    assert not knows_noise(replace(fit, noise=np.ones_like(fit.noise))), "the same for all referees"
    assert not knows_disagreement(replace(fit, rests_on_prior=True))
    assert not knows_disagreement(replace(fit, noise=np.full_like(fit.noise, np.nan)))


def test_nothing_is_said_where_nothing_is_known() -> None:
    reviews = _drawn(4, per_item=1).reviews
    _, found = _judged(reviews)
    assert set(found.standing) == {None} and np.isnan(found.change).all()


@pytest.mark.parametrize("method", CALIBRATORS)
def test_a_cut_off_before_the_first_or_after_the_last_item_leaves_no_doubt(method: str) -> None:
    reviews = _drawn(1).reviews
    fit, _ = calibrate(reviews, method)
    for cutoff, standing in ((0, "safe reject"), (100, "safe accept"), (10**9, "safe accept")):
        found = decide(reviews, fit, rank_doubt(fit, np.random.default_rng(0), cutoff), cutoff)
        assert set(found.standing) == {None if method == "normalised" else standing}, "it has no intervals"
        assert not np.nan_to_num(found.change).any() and not np.nan_to_num(found.gain).any()


def test_of_equal_items_those_that_come_first_are_accepted() -> None:
    rows = [(f"item {i}", f"referee {r}", int(score) + r, 1.0) for i, score in enumerate("95551") for r in range(3)]
    fit, found = _judged(reviews := Reviews.of(rows), 2, "mean")
    above = rank_doubt(fit, np.random.default_rng(0), 2).above
    assert found.change == pytest.approx([1 - above[0], 1 - above[1], *above[2:]])
    every = _judged(replace(reviews, score=np.full(len(reviews), 5.0)), 2)[1]
    assert set(every.standing) == {None}, "equal scores tell nothing apart"
    assert found.standing[0] == "safe accept"


def _with_another_circle(reviews: Reviews) -> Reviews:
    """And an item without a review."""
    items, referees = len(reviews.items), len(reviews.referees)
    return Reviews(
        np.append(reviews.item, [items, items, items + 1, items + 1]),
        np.append(reviews.referee, [referees, referees + 1] * 2),
        np.append(reviews.score, [1.0, 2.0, 3.0, 5.0]),
        np.append(reviews.confidence, np.ones(4)),
        (*reviews.items, "b1", "b2", "unseen"),
        (*reviews.referees, "s1", "s2"),
    )


def test_items_that_are_not_ranked_are_not_decided_and_change_nothing_for_others() -> None:
    reviews, planted = _moved(_drawn(0, per_item=5), 8.0, 4, 0)
    more = _with_another_circle(reviews)
    fit, found = _judged(more)
    assert found.standing[-3:] == (None,) * 3 and np.isnan([found.change[-3:], found.gain[-3:]]).all()
    assert np.isfinite([found.change[:-3], found.gain[:-3]]).all() and "borderline" in found.standing
    listed = disagreeing(more, fit)
    assert not listed[-3:].any() and planted & set(np.flatnonzero(listed))


def test_one_referee_says_nothing_of_decisions_and_disagreement() -> None:
    reviews = Reviews.of((f"item {i}", "Ann", float(i), 1.0) for i in range(8))
    fit, found = _judged(reviews, 3)
    assert set(found.standing) == {None} and np.isnan([found.change, found.gain]).all()
    assert not disagreeing(reviews, fit).any()


@pytest.mark.parametrize(("scores", "confidences"), [(1e-3, 1.0), (1e3, 1.0), (1.0, 1e-4), (1.0, 1e4)])
def test_the_units_of_scores_and_confidences_do_not_matter(scores: float, confidences: float) -> None:
    reviews, _ = _moved(_drawn(0, per_item=5), 8.0, 4, 0)
    fit, found = _judged(reviews)
    other = replace(reviews, score=reviews.score * scores, confidence=reviews.confidence * confidences)
    scaled, same = _judged(other)
    assert same.gain == pytest.approx(found.gain, abs=0.01) and max(found.gain) > 0.05
    assert disagreeing(reviews, fit).any() and (disagreeing(other, scaled) == disagreeing(reviews, fit)).all()
    assert weak_referees(reviews, fit).any() and (weak_referees(other, scaled) == weak_referees(reviews, fit)).all()


def test_the_ordinal_method_looks_at_the_order_of_scores_alone() -> None:
    reviews, planted = _moved(_drawn(3, per_item=5), 8.0, 4, 3)
    bent = replace(reviews, score=np.exp(reviews.score))
    listed, same = (disagreeing(one, calibrate(one, "ordinal")[0]) for one in (reviews, bent))
    assert (listed == same).all() and planted & set(np.flatnonzero(listed)) and listed.sum() < 10


def test_the_mixed_model_looks_at_no_confidences() -> None:
    reviews, planted = _moved(_drawn(0, per_item=5), 8.0, 4, 0)
    unsure = replace(reviews, confidence=reviews.confidence * 1e-4)
    listed, same = (disagreeing(one, calibrate(one, "mixed")[0]) for one in (reviews, unsure))
    assert (listed == same).all() and planted & set(np.flatnonzero(listed))


def _moved(drawn: Drawn, by: float, count: int, seed: int) -> tuple[Reviews, set[int]]:
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(drawn.reviews.items), count, replace=False)
    score = drawn.reviews.score.copy()
    for item in chosen:
        score[np.flatnonzero(drawn.reviews.item == item)[0]] += by * rng.choice([-1, 1])
    return replace(drawn.reviews, score=score), {int(item) for item in chosen}


@pytest.mark.parametrize("breaks", ["none", "steps", "confidence"])
def test_chance_alone_makes_no_disagreement(breaks: Break) -> None:
    tables = [_drawn(seed, breaks, per_item=4).reviews for seed in range(20)]
    assert np.mean([disagreeing(table, calibrate(table, "bayes")[0]).any() for table in tables]) <= 0.15


def test_reviews_that_differ_are_found() -> None:
    found, planted = [], []
    for seed in range(6):
        reviews, items = _moved(_drawn(seed, per_item=5), 8.0, 4, seed)
        said = {int(item) for item in np.flatnonzero(disagreeing(reviews, calibrate(reviews, "bayes")[0]))}
        found.append(len(said & items))
        planted.append(len(said - items))
    assert sum(found) >= 12 and sum(planted) <= 3


def test_methods_without_noise_and_tables_without_repeats_show_no_disagreement() -> None:
    reviews = _drawn(7).reviews
    assert not disagreeing(reviews, calibrate(reviews, "mean")[0]).any()
    single = _drawn(7, per_item=1).reviews
    assert not disagreeing(single, calibrate(single, "bayes")[0]).any()
