"""Decisions at a cut-off, and reviews that disagree by more than chance, against drawn truths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.calibration.attention import disagreeing
from engine.calibration.decisions import SAFE, Decisions, decide
from engine.calibration.ranking import rank_doubt, ranks
from engine.calibration.records import Calibration, Reviews
from engine.calibration.registry import calibrate
from engine.calibration.synthetic import Break, Design, Drawn, draw

CUTOFF = 25


def _judged(reviews: Reviews, cutoff: int = CUTOFF) -> tuple[Calibration, Decisions]:
    fit, _ = calibrate(reviews, "bayes")
    return fit, decide(reviews, fit, rank_doubt(fit, np.random.default_rng(0), cutoff), cutoff)


def _drawn(seed: int, breaks: Break = "none", items: int = 100, per_item: int = 3) -> Drawn:
    return draw(Design(items=items, referees=40, per_item=per_item, breaks=breaks), np.random.default_rng(seed))


@pytest.mark.parametrize("breaks", ["none", "steps", "careless"])
def test_safe_decisions_hold_and_the_stated_chances_are_true(breaks: Break) -> None:
    stated, wrong, safe = [], [], []
    for seed in range(12):
        drawn = _drawn(seed, breaks)
        _, found = _judged(drawn.reviews)
        assert found.accepted.sum() == CUTOFF
        other = (ranks(drawn.score) <= CUTOFF) != found.accepted
        stated.append(found.change)
        wrong.append(other)
        safe.append([standing != "borderline" for standing in found.standing])
    assert np.mean(np.concatenate(wrong)[np.concatenate(safe)]) <= SAFE
    assert 0.4 < np.mean(safe) < 1.0
    assert np.mean(stated) == pytest.approx(np.mean(wrong), abs=0.02)


def test_a_standing_says_which_side_and_how_sure() -> None:
    _, found = _judged(_drawn(1).reviews)
    assert {"safe accept", "borderline", "safe reject"} == set(found.standing)
    for standing, yes, change in zip(found.standing, found.accepted, found.change, strict=True):
        assert (standing == "borderline") == (change > SAFE)
        assert standing == "borderline" or yes == (standing == "safe accept")


def test_the_gain_is_what_one_more_review_changes() -> None:
    """Drawn: the truth, then a review of the stated precision, then the decision of who knows both."""
    reviews = _drawn(2).reviews
    fit, found = _judged(reviews)
    rng = np.random.default_rng(3)
    noise = fit.noise[reviews.referee] + 1.0 / reviews.confidence + fit.bias_sd[reviews.referee] ** 2
    precision = 1.0 / float(np.median(noise))
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


def test_nothing_is_said_where_nothing_is_known() -> None:
    reviews = _drawn(4, per_item=1).reviews
    _, found = _judged(reviews)
    assert set(found.standing) == {None} and np.isnan(found.change).all()


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
