"""The adaptive schedule: the exhaustive winner with far fewer judgements, on simulated annotators of known noise."""

from __future__ import annotations

import numpy as np
import pytest

from engine.rebuttal.preferences.bradley_terry import probabilities
from engine.rebuttal.preferences.scheduler import SIMULATED, choose, expected_pairs
from scripts.sample_paper.simulated_annotators import (
    Annotators,
    annotators_of,
    answer_chances,
    curve,
    draw_table,
    expected_kappa,
    most_points,
)


def cohen(first: np.ndarray, second: np.ndarray) -> float:
    """Cohen (1960), equation 1, written down a second time."""
    counts = np.zeros((3, 3))
    np.add.at(counts, (first, second), 1)
    counts /= counts.sum()
    by_chance = counts.sum(0) @ counts.sum(1)
    return float((np.trace(counts) - by_chance) / (1 - by_chance))


@pytest.mark.parametrize("noise", ["close calls", "careless"])
def test_simulated_annotators_agree_as_much_as_they_should(noise: str) -> None:
    annotators = annotators_of(0.45, noise)  # type: ignore[arg-type]
    assert expected_kappa(annotators) == pytest.approx(0.45, abs=0.002)
    rng = np.random.default_rng(4)
    first, second = [], []
    for _ in range(400):
        strength = rng.standard_normal(6)
        for answers in (first, second):
            answers.extend(draw_table(annotators, strength, rng).values())
    assert cohen(np.array(first), np.array(second)) == pytest.approx(0.45, abs=0.04)


def test_chances_are_chances() -> None:
    pairs, chances = answer_chances(Annotators("careless", 0.4), np.array([2.0, 1.0, 0.0]))
    assert pairs == [(0, 1), (0, 2), (1, 2)] and chances.sum(1) == pytest.approx(1)
    assert (chances[:, 0] > chances[:, 1]).all()
    assert probabilities(np.zeros(2), np.array([0]), np.array([1]), -np.inf)[0] == pytest.approx([0.5, 0.5, 0])


def test_sixty_per_cent_fewer_judgements_find_the_exhaustive_winner() -> None:
    (points,) = curve(annotators_of(0.45), [12], 40, goal="points")
    assert points.share <= 0.4 and points.same >= 0.95
    (ranks,) = curve(annotators_of(0.45), [12], 20)
    assert ranks.share <= 0.4 and ranks.same_pagerank >= 0.95


def test_eight_candidates_save_as_much_when_answers_differ_on_close_calls_only() -> None:
    (ranks,) = curve(annotators_of(0.45), [8], 50)
    assert ranks.share <= 0.42 and ranks.same_pagerank >= 0.95
    assert ranks.share == pytest.approx(dict(SIMULATED["close calls"])[8], abs=0.05), "what the pane says to expect"


def test_careless_annotators_cost_what_the_pane_says() -> None:
    (ranks,) = curve(annotators_of(0.45, "careless"), [8], 40)
    assert ranks.share == pytest.approx(dict(SIMULATED["careless"])[8], abs=0.09) and ranks.same_pagerank >= 0.9
    low, high = expected_pairs(8)
    assert low == round(28 * 0.39) and low < high < 28


def test_equal_winners_need_not_be_told_apart() -> None:
    rng = np.random.default_rng(0)
    # 0 and 1 beat all others and tie: whichever is named, it is a winner of the table, so nothing is left to ask.
    answers = {(i, j): 0 for i in (0, 1) for j in range(2, 5)} | {(0, 1): 2}
    step = choose(5, answers, rng)
    assert step.pair is None and step.winner in {0, 1} and step.confidence == 1
    assert step.chances[:2].tolist() == [1, 1]


def test_it_stops_at_once_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(0)
    assert choose(1, {}, rng).pair is None and choose(0, {}, rng).confidence == 1
    everything = {(0, 1): 0, (0, 2): 0, (1, 2): 2}
    for goal in ("pagerank", "points"):
        step = choose(3, everything, rng, goal=goal)  # type: ignore[arg-type]
        assert step.pair is None and step.winner == 0 and step.confidence == 1
    assert most_points(3, everything) == [0]


def test_only_open_pairs_are_asked() -> None:
    rng = np.random.default_rng(0)
    step = choose(4, {}, rng, open_pairs=[(1, 3)])
    assert step.pair == (1, 3) and 1 <= step.chances.sum() <= 4
    assert choose(4, {}, rng, open_pairs=[]).pair is None
