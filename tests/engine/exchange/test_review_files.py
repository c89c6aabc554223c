"""Reviews from plain text and Markdown, and letters written from comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.plain_text import read_review, write_markdown_comments
from engine.reviews.letter import read_letter
from engine.reviews.records import Comment

REPORT = """Reviewer 2

Summary
This paper presents a sampler for lakes.

Rating: 6 (weak accept)
Confidence: 4

Weaknesses:

1. The split is unclear.
2. No baseline is given.

Please report the depth.
"""


def test_a_report_becomes_comments() -> None:
    bundle = read_review(REPORT, "report.txt")
    (text,) = bundle.texts
    assert (text.id, text.title, text.text, text.reviewer, text.media_type) == (
        "report.txt", "report", REPORT, "Reviewer 2", "text/plain",
    )  # fmt: skip
    assert text.fields == (("Rating", "6 (weak accept)"), ("Confidence", "4"))
    assert [c.comment for c in bundle.comments if c.actionable] == [
        "The split is unclear.",
        "No baseline is given.",
        "Please report the depth.",
    ]
    assert {c.reviewer for c in bundle.comments} == {"Reviewer 2"}


def test_several_reviewers_in_one_file() -> None:
    first = "# Reviewer A\n\nPlease say why.\n\n"
    text = first + "# Reviewer B\n\n## Strengths\n\nIt should interest many.\n\n## Weaknesses\n\nIt is unclear.\n"
    bundle = read_review(text, "reviews.md", media_type="text/markdown")
    assert [(c.reviewer, c.comment, c.actionable) for c in bundle.comments] == [
        ("Reviewer A", "Please say why.", True),
        ("Reviewer B", "It should interest many.", False),
        ("Reviewer B", "It is unclear.", True),
    ]
    assert bundle.texts[0].reviewer == ""


@pytest.mark.parametrize(
    ("head", "reviewer"),
    [
        ("Subject: MS 12 - Reviewer #2\n\nDear author,\n\nPlease find below the comments of a reviewer.", "Reviewer 2"),
        ("Official Review of Submission88 by Reviewer kZ4p\nby Reviewer kZ4p\n03 May 2026", "Reviewer kZ4p"),
        ("I agree with Reviewer 1.", ""),
        ("REVIEWER FORM of the journal", ""),
        ("As Reviewer 1 and Reviewer 3 noted", ""),
    ],
)  # fmt: skip
def test_the_lines_above_a_pasted_review_name_its_reviewer_and_ask_for_nothing(head: str, reviewer: str) -> None:
    bundle = read_review(
        f"{head}\n\nPlease add units.\n\nFlag For Ethics Review: No ethics review needed.\n", "mail.txt"
    )
    assert [(c.reviewer, c.comment) for c in bundle.comments if c.actionable] == [(reviewer, "Please add units.")]


def test_empty_file_is_refused() -> None:
    with pytest.raises(BadInput, match=r"r\.txt is empty"):
        read_review("\n", "r.txt")


SENTENCES = st.sampled_from(
    [
        "Please report the depth.",
        "The split is unclear.",
        "Why is the loss not defined?",
        "The axes need units, please.",
    ]
)
ANSWERS = st.sampled_from(
    ["We agree and added it.", "We thank the reviewer; see Section 3.", "Our revised text says so."]
)


@given(st.lists(st.tuples(st.sampled_from(["Reviewer 1", "Reviewer 2"]), SENTENCES, ANSWERS), min_size=1, max_size=6))
def test_a_written_letter_can_be_read_again(rows: list[tuple[str, str, str]]) -> None:
    rows.sort(key=lambda row: row[0])
    comments = [Comment(str(n), "t", who, words, response=answer) for n, (who, words, answer) in enumerate(rows)]
    for write in (write_markdown_comments,):
        export = write(comments)
        read = read_letter(export.files[0].content.decode())
        assert [(c.reviewer, c.comment, c.response) for c in read.comments] == rows
        assert "text of comments" in export.loss[0]


def test_a_decision_mail_holds_several_reviews() -> None:
    text = """Dear Dr. Bell,

Your manuscript has been reviewed. I invite you to revise it.

Reviewer #1:
The paper presents a sampler.

1. It is unclear how the depth was measured.
2. Please report the split.

Reviewer #2 (Remarks to the Author):

Major comments
- Why was the second site left out?

Minor comments
Figure 2 is too small.

----------------------- REVIEW 3 ---------------------
TITLE: Lakes
SCORE: 1 (weak accept)
----- TEXT:
Please compare with the probes of others.

Sincerely,
The Editor
"""
    bundle = read_review(text, "decision.txt")
    assert [(c.reviewer, c.comment) for c in bundle.comments if c.actionable] == [
        ("Reviewer 1", "It is unclear how the depth was measured."),
        ("Reviewer 1", "Please report the split."),
        ("Reviewer 2", "Why was the second site left out?"),
        ("Reviewer 2", "Figure 2 is too small."),
        ("Review 3", "Please compare with the probes of others."),
    ]
    assert bundle.texts[0].fields == (("TITLE", "Lakes"), ("SCORE", "1 (weak accept)"))
    assert bundle.texts[0].reviewer == ""


def test_the_name_above_a_review_is_preferred_to_that_of_the_file() -> None:
    bundle = read_review("Official Review of Submission11 by Reviewer Ht7c\n\nWhy twelve?\n", "review_Ht7c.txt")
    assert bundle.texts[0].reviewer == "Reviewer Ht7c"
    assert read_review("Why twelve?\n", "reviewer_2.txt").texts[0].reviewer == "Reviewer 2"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("## Questions\n\nWhich seed?\n\n## Other\n\nUnclear notation.", ["Which seed?", "Unclear notation."]),
        (
            "Weaknesses\n\nThe split is unclear.\n\nThe axes lack units.",
            ["The split is unclear.", "The axes lack units."],
        ),
        (
            "**Major comments:**\n\nThe split is unclear.\n\nWhy?\n\nIs it random?",
            ["The split is unclear.", "Is it random?"],
        ),
        ("Fine.\n\nI keep my rating, but please add units.", ["I keep my rating, but please add units."]),
    ],
)
def test_no_request_is_dropped_for_being_short_first_or_beside_a_verdict(text: str, asked: list[str]) -> None:
    found = read_review(text, "review.md", media_type="text/markdown").comments
    assert [c.comment for c in found if c.actionable] == asked
