"""Majority, MACE and Dawid-Skene on simulated annotators: they find what is true, and say how sure they are."""

from __future__ import annotations

import numpy as np
import pytest

from engine.agreement.compared import Decision, Proposals, propose
from engine.agreement.units import proposed
from engine.measures.annotators import MISSING
from engine.measures.competence import dawid_skene, majority

TRUE = (0.9, 0.85, 0.5, 0.4)


def simulated(rng: np.random.Generator, items: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Four annotators and three labels; who errs says the first label twice as often as another wrong one."""
    truth = rng.integers(0, 3, items)
    wrong = np.array([[0.0, 0.5, 0.5], [2 / 3, 0, 1 / 3], [2 / 3, 1 / 3, 0]])
    right = rng.random((items, 4)) < np.array(TRUE)
    errors = np.array([[rng.choice(3, p=wrong[t]) for _ in TRUE] for t in truth])
    labels = np.where(right, truth[:, None], errors)
    labels[rng.random(labels.shape) < 0.2] = MISSING
    return truth, labels


def as_decisions(labels: np.ndarray) -> list[Decision]:
    return [
        Decision("", f"u{row}", f"p{row // 10}", "abcd"[column], "xyz"[label])
        for (row, column), label in np.ndenumerate(labels)
        if label != MISSING
    ]


def correct(found: Proposals, method: str, truth: np.ndarray) -> float:
    rows = zip(found.units, found.by_method[method], strict=True)  # type: ignore[index]
    return float(np.mean([value == "xyz"[truth[int(unit[1:])]] for unit, (value, _) in rows]))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_true_is_found_better_than_by_the_majority(seed: int) -> None:
    truth, labels = simulated(np.random.default_rng(seed))
    found = propose(as_decisions(labels))
    by_majority, by_mace, by_skene = (correct(found, method, truth) for method in ("majority", "mace", "dawid-skene"))
    assert by_mace > by_majority + 0.03 and by_skene > by_majority + 0.03
    skene = [found.competence["dawid-skene"][who].value for who in "abcd"]
    assert skene == pytest.approx(TRUE, abs=0.12)
    trust = found.competence["mace"]
    assert min(trust[who].value for who in "ab") > max(trust[who].value for who in "cd")
    assert all(one.low <= one.value <= one.high for one in trust.values())


def test_chances_are_about_as_often_right_as_they_say() -> None:
    truth, labels = simulated(np.random.default_rng(7), 2000)
    posterior, _ = dawid_skene(labels, 3)
    decided = posterior.sum(1) > 0
    sure, right = posterior.max(1)[decided], posterior.argmax(1)[decided] == truth[decided]
    for low, high in ((0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        at = (sure >= low) & (sure < high)
        assert at.sum() > 50 and right[at].mean() == pytest.approx(sure[at].mean(), abs=0.08)


def test_two_annotators_have_a_majority_and_no_competence() -> None:
    _, labels = simulated(np.random.default_rng(1))
    labels[:, 2:] = MISSING
    found = propose(as_decisions(labels))
    assert set(found.by_method) == {"majority"} and found.competence == {}
    for unit, (value, share) in zip(found.units, found.by_method["majority"], strict=True):
        own = [label for label in labels[int(unit[1:])] if label != MISSING]
        same = len(own) == 2 and len(set(own)) == 1
        assert (value, share) == (("xyz"[own[0]], 1.0) if same else ("", 0.5 if len(own) == 2 else 0.0))
    assert propose([]).units == () and propose([]).by_method == {}


def test_who_shares_too_little_has_no_say_and_no_competence() -> None:
    _, labels = simulated(np.random.default_rng(2))
    labels[15:, 3] = MISSING
    _, accuracy = dawid_skene(labels, 3)
    assert np.isfinite(accuracy[:3]).all() and np.isnan(accuracy[3])
    assert majority(np.array([[0, MISSING], [1, 1]]), 2).tolist() == [[0, 0], [0, 1]]


def test_a_probability_is_never_certain_but_all_of_the_judgements_are_all() -> None:
    assert proposed("majority", "unclear", 1.0) == ("Majority", "unclear, 100 %")
    assert proposed("mace", "unclear", 1.0) == ("MACE", "unclear, >99 %")
    assert proposed("dawid-skene", "unclear", 0.0) == ("Dawid-Skene", "unclear, <1 %")
    assert proposed("median", "3", 0.25) == ("Median", "3 ± 0.25") and proposed("mace", "", 0.5)[1] == "nothing (a tie)"
