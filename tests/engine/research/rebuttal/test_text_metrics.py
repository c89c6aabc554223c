"""Measures of texts, rankings and classes: against the reference implementation's values, libraries, and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from engine.measures.bootstrap import estimate
from engine.research.rebuttal.text_metrics import (
    ROUGE,
    TokenScorer,
    average_precision,
    macro_f1,
    mean,
    pearson,
    ranked,
    reciprocal_rank,
    words,
)
from tests.engine.models.tiny_encoder import make_tiny_encoder

REFERENCE = (
    (
        "We have added the missing experiments to Section 4.",
        "The missing experiment was added in section 4, and we discuss it.",
        (0.666667, 0.315789, 0.476190),
    ),
    (
        "Thank you for the suggestions!",
        "We thank the reviewer for these helpful suggestions.",
        (0.615385, 0.0, 0.461538),
    ),
    ("the the cat", "the cat the cat", (0.857143, 0.4, 0.857143)),
)
"""F-measures of google-research ``rouge_score`` 0.1.2 with its stemmer, computed once."""


@pytest.mark.parametrize(("candidate", "reference", "values"), REFERENCE)
def test_rouge_is_that_of_the_reference_implementation(
    candidate: str, reference: str, values: tuple[float, ...]
) -> None:
    found = [rouge(words(candidate), words(reference)) for rouge in ROUGE.values()]
    assert found == pytest.approx(values, abs=1e-6)


_texts = st.lists(st.sampled_from(["we", "added", "the", "experiments", "clear", "7", "table"]), max_size=8).map(
    lambda parts: words(" ".join(parts))
)


@given(_texts, _texts)
def test_rouge_is_symmetric_and_between_nothing_and_all(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    for rouge in ROUGE.values():
        value = rouge(one, other)
        assert 0 <= value <= 1 and value == pytest.approx(rouge(other, one))
        assert rouge(one, one) == (1.0 if len(one) > (rouge is ROUGE["rouge_2"]) else 0.0)


def test_short_words_are_not_stemmed() -> None:
    assert words("Uses was EXPERIMENTS, it's 3.5") == ("use", "was", "experi", "it", "s", "3", "5")


def test_token_score_is_one_of_the_same_text_and_zero_of_none(tmp_path: Path) -> None:
    scorer = TokenScorer(make_tiny_encoder(tmp_path / "tiny"))
    same, other, back, none = scorer.score(
        ["we added it", "we added it", "a bird", ""], ["we added it", "a bird", "we added it", "a bird"]
    )
    assert same == pytest.approx(1.0, abs=1e-5) and 0 < other < 1 and none == 0
    assert back == pytest.approx(other), "precision and recall change places"


def test_macro_f1_is_the_library_one() -> None:
    rng = np.random.default_rng(0)
    gold = [str(x) for x in rng.integers(0, 4, 200)]
    said = [one if rng.random() < 0.6 else str(rng.integers(0, 5)) for one in gold]
    measured = macro_f1("macro_f1", gold, said, list(range(200)))
    assert measured.value == pytest.approx(f1_score(gold, said, average="macro", zero_division=0))


def test_pearson_keeps_its_digits_far_from_zero() -> None:
    rng = np.random.default_rng(1)
    x = 1e6 + rng.normal(size=60)
    y = x + rng.normal(size=60)
    assert pearson("pearson", x, y, list(range(60))).value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert np.isnan(pearson("pearson", np.ones(3), np.arange(3.0), [0, 1, 2]).value)


def test_rankings_by_hand() -> None:
    relevant = np.array([False, True, False, True])
    assert average_precision(relevant) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert reciprocal_rank(relevant) == 0.5
    assert average_precision(relevant & False) == reciprocal_rank(relevant & False) == 0
    order = ranked(np.array([0.1, 0.9, 0.9, 0.5]), np.array([True, False, True, False]))
    assert order.tolist() == [False, True, False, True], "equal scores keep their order"


def test_intervals_resample_whole_parts() -> None:
    values = [1.0] * 50 + [0.0] * 50
    together = mean("share", values, [at // 10 for at in range(100)])
    alone = mean("share", values, list(range(100)))
    assert together.value == alone.value == 0.5 and together.parts.shape == (10, 2)
    wide, narrow = (estimate(m.parts, m.statistic, seed=1) for m in (together, alone))
    assert wide.high - wide.low > narrow.high - narrow.low
