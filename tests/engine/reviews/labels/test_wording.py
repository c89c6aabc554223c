"""Cues of wording and layout as numbers: roles, headings, marks, neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from engine.reviews.labels.features import POSITIONS, SURROUNDINGS, ReviewSentences, surroundings
from engine.reviews.labels.heads import rest_of_review

REVIEW = ReviewSentences(
    (
        "The paper proposes a gate.",
        "Strengths:",
        "- The idea is simple.",
        "Weaknesses: no baselines are given.",
        "The text is long.",
        "## Questions",
        "1) Why is it so?",
        "Some other part:",
        "“The gate is new.”",
    )
)


def test_each_sentence_stands_under_its_heading() -> None:
    found = surroundings([REVIEW, ReviewSentences(("The end is here.",))])
    assert found.shape == (10, SURROUNDINGS)
    headings = found[:, -10:-4]
    assert headings.sum(axis=1).tolist() == [1] * 10
    assert headings.argmax(axis=1).tolist() == [0, 1, 1, 2, 2, 3, 3, 5, 5, 0], "the next review starts over"


def test_marks_and_roles() -> None:
    found = surroundings([REVIEW])
    question, bullet, number, quotation = found[:, -4:].T.tolist()
    assert question == [0, 0, 0, 0, 0, 0, 1, 0, 0] and bullet == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert number[6] == 1 and quotation == [0, 0, 0, 0, 0, 0, 0, 0, 1]
    own, before, after = np.split(found[:, POSITIONS:-10], 3, axis=1)
    assert own.sum(axis=1).tolist() == [1] * 9
    assert np.array_equal(before[1:], own[:-1]) and np.array_equal(after[:-1], own[1:])
    assert not before[0].any() and not after[-1].any()


def test_no_sentence_has_no_surroundings() -> None:
    assert surroundings([]).shape == (0, SURROUNDINGS) == surroundings([ReviewSentences(())]).shape


def test_the_rest_of_a_review_leaves_the_sentence_out() -> None:
    values = np.array([[1.0], [2.0], [6.0], [9.0]], dtype=np.float32)
    assert rest_of_review(values, [3, 1])[:, 0] == pytest.approx([4.0, 3.5, 1.5, 0.0])
