"""Any text is read without harm: spans stay inside of it, and odd lines cost no time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.plain_text import read_review
from engine.reviews.letter import read_letter
from engine.reviews.records import ReviewBundle

LINES = st.sampled_from(
    ["> The split is unclear.", "> ", ">> deep", "We thank the reviewer and added it.", "", "", "## Reviewer 1", "***",
     "**Response:**", "Comment 2: Please say why.", "1. First point?", "- second", "*In italics it is unclear.*",
     "R1.2: x", "A: y", "Q: z", "    indented", "```", "“Quoted words.”", "Rating: 6", "Reviewer #2:",
     "Authors: We did.",
     "|a|b|", "lazy line", "Sincerely,", "Some specific comments:", "Positives:", "\tTab", "# Additional revisions",
     "→ done", "===", "Response to Reviewer 1", "\u2028", "Comment 1:",
     "<span style='color:red'>We did.</span>",
     "> **R1** a\r", "\x0c"]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=30).map("\n".join) | st.text(max_size=200)


def check(text: str, bundle: ReviewBundle) -> None:
    assert bundle.texts[0].text == text
    assert len({c.id for c in bundle.comments}) == len(bundle.comments)
    end = 0
    for comment in bundle.comments:
        for span in (*comment.spans, *comment.context_spans, *comment.response_spans):
            assert 0 <= span.start < span.end <= len(text)
        (span,) = comment.spans
        assert end <= span.start
        end = span.end
        assert not text[span.start].isspace() and not text[span.end - 1].isspace()
        (context,) = comment.context_spans
        assert context.start <= span.start and span.end <= context.end
        for response in comment.response_spans:
            assert response.start >= context.end or response.end <= context.start
        assert bool(comment.response) == bool(comment.response_spans)


@given(TEXTS)
def test_any_letter_is_read_without_harm(text: str) -> None:
    try:
        bundle = read_letter(text)
    except BadInput:
        assert not text.strip()
        return
    check(text, bundle)


@given(TEXTS)
def test_any_review_is_read_without_harm(text: str) -> None:
    try:
        bundle = read_review(text, "review.txt")
    except BadInput:
        assert not text.strip()
        return
    check(text, bundle)


@pytest.mark.parametrize(
    "piece",
    ["*", "* ", "_a", "**a ", "[", "> ", "> a\n", "Response to the ", "major minor ", "$a ", "`a ", "[a](b", " ", "“a ",
     "1. ", "we have also then ", "However ", "Point 1 ", "Reviewer 1 .:/", "the comments of ", "some a few ",
     "**1, 2 ", "***a ", "__a ", "_a_b_", "<p color ", "<span color>", "XXX ", "- a\n\nReply:\n\n"]
)  # fmt: skip
def test_odd_lines_cost_no_time(piece: str) -> None:
    text = piece * (30_000 // len(piece)) + "x"
    started = time.process_time()
    read_letter(text)
    read_review(text, "review.txt")
    assert time.process_time() - started < 3, "a pattern that tries again and again takes minutes here"
