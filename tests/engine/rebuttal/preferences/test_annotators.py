"""MACE on simulated annotators, kappa, consistency, and whose word ranks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.measures.annotators import MISSING
from engine.measures.competence import mace
from engine.rebuttal.preferences.annotators import (
    agreement,
    comparisons,
    consistency,
    description_kappa,
    habits,
    verdicts,
)
from engine.rebuttal.preferences.records import (
    ADJUDICATED,
    ALL,
    Adjudication,
    Answer,
    Comparison,
    DescriptionChoice,
    Judgement,
)


def simulated(truth: np.ndarray, competence: list[float], rng: np.random.Generator, k: int = 3) -> np.ndarray:
    """Annotators who know with their competence and otherwise answer by habit (the first label mostly)."""
    habit = np.array([0.6, *[0.4 / (k - 1)] * (k - 1)])
    knows = rng.random((len(truth), len(competence))) < np.array(competence)
    guessed = rng.choice(k, size=knows.shape, p=habit)
    return np.where(knows, truth[:, None], guessed)


def test_mace_finds_who_is_competent_and_what_is_true() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    competence = [0.9, 0.6, 0.4, 0.1]
    labels = simulated(truth, competence, rng)
    labels[rng.random(labels.shape) < 0.2] = MISSING
    found = mace(labels, 3, rng)
    assert found.competence == pytest.approx(competence, abs=0.1)
    assert (found.low <= found.competence).all() and (found.competence <= found.high).all()
    assert (
        sum(low - 0.03 <= c <= high + 0.03 for low, c, high in zip(found.low, competence, found.high, strict=True)) >= 3
    )
    assert found.best == 0
    right = (found.posterior.argmax(1) == truth).mean()
    seen = np.where(labels == MISSING, 3, labels)
    majority = np.array([np.bincount(row, minlength=4)[:3].argmax() for row in seen])
    assert right > (majority == truth).mean(), "it knows more than the majority"


def test_mace_of_two_annotators_prefers_the_better_one_where_a_third_agrees_with_them() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    found = mace(simulated(truth, [0.95, 0.4, 0.7], rng, 2), 2, rng)
    assert found.best == 0 and found.competence[1] == found.competence.min()
    empty = mace(np.zeros((0, 2), dtype=np.int64), 2, rng)
    assert np.isnan(empty.competence).all()


@pytest.mark.parametrize("seed", range(4))
def test_with_two_annotators_nobody_has_a_competence(seed: int) -> None:
    """One knows 95 % of the answers, the other guesses: nothing in their answers says which is which."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 60)
    found = mace(simulated(truth, [0.95, 0.0], rng, 2), 4, rng)
    assert np.isnan([*found.competence, *found.low, *found.high]).all() and found.best is None


def test_three_who_share_too_few_pairs_have_no_competence() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    labels = simulated(truth, [0.9, 0.9, 0.9], rng, 2)
    labels[19:, 2] = MISSING
    assert np.isnan(mace(labels, 2, rng).competence).all(), "19 pairs that three judged"
    labels[19, 2] = truth[19]
    assert np.isfinite(mace(labels, 2, rng).competence).all()
    labels = np.column_stack([labels, np.full(60, MISSING)])
    labels[:5, 3] = 0
    found = mace(labels, 2, rng)
    assert np.isfinite(found.competence[:3]).all() and np.isnan(found.competence[3]), "a fourth with five pairs"


def test_one_answer_to_everything_shows_no_competence_and_unanimity_no_interval() -> None:
    rng = np.random.default_rng(0)
    assert np.isnan(mace(np.zeros((30, 3), dtype=np.int64), 2, rng).competence).all(), "knowledge, or habit"
    found = mace(np.repeat(np.arange(30)[:, None] % 3, 3, axis=1), 3, rng)
    assert np.isfinite(found.competence).all() and np.isnan([*found.low, *found.high]).all() and found.best is None


def test_among_people_who_guess_nobody_is_marked() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        assert mace(simulated(rng.integers(0, 2, 40), [0.0, 0.0, 0.0], rng, 2), 2, rng).best is None


def judged(
    who: str, left: str, right: str, answer: Answer, *, repeat: bool = False, ms: int | None = 1000
) -> Judgement:
    return Judgement(f"{who}{left}{right}{repeat}", left, right, answer, who, ms, repeat)


JUDGEMENTS = [
    judged("ann", "a", "b", "left"),
    judged("ann", "c", "a", "right", ms=3000),
    judged("ann", "b", "c", "tie"),
    judged("ann", "b", "a", "right", repeat=True),
    judged("ann", "b", "d", "skip"),
    judged("ben", "b", "a", "left", ms=None),
    judged("ben", "c", "a", "right"),
    judged("ben", "b", "c", "unsuitable"),
]


def test_what_was_said_of_a_pair_does_not_depend_on_sides() -> None:
    said = verdicts(JUDGEMENTS)
    assert said["ann"] == {("a", "b"): "first", ("a", "c"): "first", ("b", "c"): "tie"}
    assert said["ben"] == {("a", "b"): "second", ("a", "c"): "first", ("b", "c"): "unsuitable"}
    own = [j for j in JUDGEMENTS if j.annotator_id == "ann"]
    assert consistency(own) == (1, 1)
    figures = habits("ann", own)
    assert (figures.judged, figures.skipped, figures.ties, figures.left, figures.decided) == (4, 1, 1, 1, 3)
    assert figures.median_seconds == 1.0


def test_two_annotators_are_compared_and_their_differences_listed() -> None:
    found = agreement(JUDGEMENTS, {("a", "b"): Adjudication("x", ("a", "b"), "first", "ann")})
    assert found.annotators == ("ann", "ben") and found.overlap == 3
    assert [(d.pair, d.decided) for d in found.disagreements] == [(("a", "b"), "first"), (("b", "c"), None)]
    assert found.kappas["ann", "ben"].n == 3 and found.kappas["ann", "ben"].shown() == "fewer than 6 units"
    assert found.most_competent == "" and found.shared == 0 and np.isnan(found.competence.competence).all()
    assert agreement([], {}).annotators == () and agreement([], {}).most_competent == ""


def test_choices_of_descriptions_have_a_kappa() -> None:
    choices = {
        f"c{n}": [
            DescriptionChoice("w", "e", "written", one, "ann"),
            DescriptionChoice("w", "e", "written", two, "ben"),
        ]
        for n, (one, two) in enumerate([("written", "written"), ("extracted", "extracted"), ("tie", "written")])
    }
    assert description_kappa(choices)["ann", "ben"].n == 3  # type: ignore[arg-type]


def test_whose_word_ranks() -> None:
    names, order = {"ann": "Ann", "ben": "Ben"}, ["a", "b", "c", "d"]
    decided = {
        ("a", "b"): Adjudication("x", ("a", "b"), "first", "ann"),
        ("a", "d"): Adjudication("y", ("a", "d"), "tie", "ann"),
    }
    everybody = comparisons(order, JUDGEMENTS, decided, ALL, names)
    assert len(everybody) == 5, "skipped and unsuitable pairs compare nothing, repetitions nothing new"
    assert comparisons(order, JUDGEMENTS, decided, "Ben", names) == (Comparison(1, 0, 0), Comparison(2, 0, 1))
    held = comparisons(order, JUDGEMENTS, decided, ADJUDICATED, names)
    assert Comparison(1, 0, 0) not in held and held.count(Comparison(0, 1, 0)) == 1
    assert held[-1] == Comparison(0, 3, None), "what nobody said counts once as decided"
    assert comparisons(["a", "b"], JUDGEMENTS, {}, ALL, names) == (everybody[0], Comparison(1, 0, 0))


def test_nothing_is_known_of_people_who_guess_and_an_interval_contains_its_estimate() -> None:
    rng = np.random.default_rng(3)
    guessed = mace(rng.integers(0, 3, (40, 3)), 3, np.random.default_rng(1))
    assert np.isnan(guessed.competence).all(), "one of them would be taken for the truth"
    truth = rng.integers(0, 3, 40)
    guesses, constant = rng.integers(0, 3, 40), np.zeros(40, dtype=np.int64)
    known = simulated(truth, [0.9, 0.9, 0.9], rng, 3)
    for third in (guesses, constant):
        two = mace(np.column_stack([known[:, :2], third]), 3, rng)
        assert np.isnan(two.competence).all(), "two who agree and one who says nothing don't show who is right"
    found = mace(np.column_stack([known, guesses]), 3, rng)
    assert found.competence[:3].min() > 0.6 and found.low[3] <= found.competence[3] <= found.high[3] < 0.4
    apart = np.full((80, 6), MISSING)
    apart[:40, :3], apart[40:, 3:] = known, rng.integers(0, 3, (40, 3))
    found = mace(apart, 3, rng)
    assert np.isfinite(found.competence[:3]).all() and np.isnan(found.competence[3:]).all(), "guessers among themselves"
