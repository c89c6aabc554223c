"""Criticism without a reason: what is marked, how spans are counted, and that training is repeatable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput
from engine.research.labels.substantiation import learnt, read_substanreview, span_figures
from engine.reviews.labels.substantiation import judged, shipped
from tests.engine.reviews.labels.invented_claims import BARE, write_claims

REASONED = (
    "Because Table 2 lists 3 seeds only, e.g. for the first task, the gain of 0.4 may be noise (see Section 4.1).",
    "For example, equation (3) uses a norm that line 120 defines otherwise, since x is no vector there.",
)


def test_bare_criticism_is_likelier_than_criticism_with_a_reason() -> None:
    made = shipped()

    def chance(text: str) -> float:
        return float(made.chances(judged(text)[1])[0])

    assert min(map(chance, BARE)) > 5 * max(map(chance, REASONED))
    assert chance(BARE[0]) > made.threshold and made.marks("") == ()


def test_a_mark_is_the_sentence() -> None:
    text = "They propose a sampler.\n\nThe novelty is limited. They use two data sets."
    [mark] = shipped().marks(text)
    assert text[mark.start : mark.end] == "The novelty is limited."


def test_headings_are_not_marked() -> None:
    text = "Weaknesses:\n\nThe novelty is limited."
    assert [text[mark.start : mark.end] for mark in shipped().marks(text)] == ["The novelty is limited."]
    made = replace(shipped(), threshold=0.0)
    assert made.marks("The weaknesses of the paper")
    for heading in ("## Weaknesses of the paper", "**Weaknesses of the paper**", "__What is weak here__:"):
        assert made.marks(heading) == ()


def test_a_sentence_is_judged_without_what_is_beside_it() -> None:
    made = shipped()
    alone = made.chances(judged("The novelty is limited.")[1]).tolist()
    for before in ("They propose a sampler.\n\n", "Summary:\n\n- It is new, e.g. in Table 2.\n-   ", "4. "):
        assert made.chances(judged(f"{before}The\nnovelty is limited.")[1][-1:]).tolist() == pytest.approx(alone)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_claims(tmp_path / "train.jsonl")


def test_claims_with_the_number_of_a_reason_are_not_bare(data: Path) -> None:
    review = read_substanreview(data)[0]
    assert [review.text[s.start : s.end] for s in review.bare] == ["The novelty is limited"]
    assert review.holds(review.bare) == [False, True, False, False]
    assert review.holds(review.claims) == [False, True, True, False]


def test_spans_are_counted_once_and_by_overlap(data: Path) -> None:
    reviews = read_substanreview(data)[:2]
    right = np.array([False, True, False, False] * 2)
    assert span_figures(reviews, right).f1 == 1
    half = right | np.array([True, False, False, False] * 2)
    found = span_figures(reviews, half)
    assert (found.precision, found.recall) == (0.5, 1) and found.by_review == pytest.approx(2 / 3)
    assert span_figures(reviews, ~right).f1 == 0


def test_training_learns_and_repeats_itself(data: Path) -> None:
    reviews = read_substanreview(data)
    first, second = learnt(reviews), learnt(reviews)
    assert np.array_equal(first.weights, second.weights) and first.threshold == second.threshold
    [mark] = first.marks("They study case 99. The novelty is limited. It is slow because of loop 7. They end well.")
    assert mark.start == 20


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"review": 3}')
    with pytest.raises(BadInput, match="SubstanReview"):
        read_substanreview(tmp_path / "x.jsonl")
