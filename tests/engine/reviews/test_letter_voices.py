"""Who speaks in letters that say little about it, and which readings are doubtful."""

from __future__ import annotations

import pytest

from engine.exchange.plain_text import read_review
from engine.reviews.cues import voice
from engine.reviews.letter import read_letter
from engine.reviews.marks import DOUBT, MarkedText, Reading
from engine.reviews.roles import Letter


def said(text: str) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


@pytest.mark.parametrize(
    "words",
    [
        "I have now added the units to both tables.",
        "I removed the third figure.",
        "My revised manuscript says so in Section 3.",
    ],
)
def test_authors_who_write_alone_are_authors(words: str) -> None:
    assert voice(words) > 0


@pytest.mark.parametrize(
    "words", ["I have read the tables.", "My doubts are about the third figure.", "Your figure has no units."]
)
def test_reviewers_are_reviewers_all_the_same(words: str) -> None:
    assert voice(words) < 0


def test_a_letter_to_the_reviewers_that_quotes_none_has_no_comments() -> None:
    assert not said(
        "Dear Reviewers,\n\nThe paper was long. It should have been shorter, which one of the reports says.\n\n"
        "The figures are larger in this version.\n\nThe appendix holds the proofs."
    )


def test_titles_of_a_form_that_every_reviewer_filled_in_are_no_comments() -> None:
    text = "\n\n".join(
        f"Reviewer {n}\n\nBasic reporting\n\nThe split is unclear and should be described.\n\nWe describe it now.\n\n"
        "Experimental design\n\nPlease add error bars to Figure 2.\n\nWe added them."
        for n in (1, 2)
    )
    assert said(text) == 2 * [
        ("The split is unclear and should be described.", "We describe it now."),
        ("Please add error bars to Figure 2.", "We added them."),
    ]


def test_what_a_letter_calls_comments_decides_which_of_its_marks_are_comments() -> None:
    answer = "We thank the referee.\n\n" + "\n\n".join(
        f"**The {what}.** We agree that it was missing." for what in ("split", "unit", "depth")
    )
    text = "\n\n".join(f"Referee: Section {n} and its split: why?\n\n{answer}" for n in "1234")
    comments = said(text)
    assert [comment for comment, _ in comments] == [f"Section {n} and its split: why?" for n in "1234"]
    assert {response for _, response in comments} == {answer}


def test_one_comment_alone_may_be_chance() -> None:
    told = "We changed the paper, as asked.\n\nThe title was too long and unclear.\n\nWe did. We thank all readers."
    assert not said(f"{told}\n\nWe hope that it is better now.")


def test_points_that_go_on_in_a_reviewer_s_words_are_no_responses() -> None:
    asked = "it is unclear what it does, and I could not follow it. Is it needed?"
    more = "Please explain the split. The authors should add units to the table."
    bundle = read_letter("Reviewer 1\n\n" + "\n\n".join(f"- Section {n}: {asked}\n\n  {more}" for n in "1234"))
    assert [(c.comment.endswith(more), c.response) for c in bundle.comments] == 4 * [(True, "")]


def test_after_a_label_alone_comes_a_comment_and_no_quotation() -> None:
    text = "\n\n".join(
        f"*The split of part {n} is unclear. Please explain it.*\n\nAnswer:\n\n"
        f"*Table {n} and its units are those of the earlier paper.*\n\nAnswer: We thank the reviewer, and say so now."
        for n in "123"
    )
    comments = said(f"Reviewer 1\n\n{text}")
    assert [bool(response) for _, response in comments] == 3 * [False, True]


def test_a_labelled_response_goes_on_while_it_sounds_like_one() -> None:
    indented = (
        "The split of part {} should be explained.\n\n    We describe it there.\n\nPlease add units.\n\n    We did.\n\n"
    )
    text = "".join(map(indented.format, "123"))
    text += "Why is there no figure? I could not find it.\n\nResponse: It was lost.\n\nWe added it again, as suggested."
    comments = said(f"{text}\n\nThe title is too long.\n\n    We agree.")
    assert len(comments) == 8
    assert comments[-2][1] == "It was lost.\n\nWe added it again, as suggested."


def test_what_stands_under_a_reviewer_s_name_is_theirs_though_it_says_we() -> None:
    placed = Letter(
        MarkedText("Reviewer 1\n\nIn our field, data are split by basin.\n\nThank you. We describe it.")
    ).placed(Reading(rest="wording"))
    assert [place.role for place in placed] == [None, "comment", "response"]


UNMARKED = "\n\n".join(
    f"The split of part {n} is unclear.\n\nWe split it by basin.\n\nThis is done elsewhere." for n in (1, 2, 3)
)


def test_a_reading_that_only_the_wording_speaks_for_is_doubtful() -> None:
    bundle = read_letter(UNMARKED)
    assert len(bundle.comments) == 3
    assert bundle.reading is not None
    assert bundle.reading.doubtful
    assert bundle.reading.remark() == f"{bundle.reading.sentence()} {DOUBT}"
    assert not bundle.reading.swap().doubtful, "that is what a person chose"


def test_a_reading_that_the_letter_s_marks_speak_for_is_not() -> None:
    reading = read_letter("\n\n".join(f"> The split is unclear.\n\nWe describe it on page {n}." for n in "123")).reading
    assert reading is not None
    assert not reading.doubtful
    assert reading.remark() == reading.sentence()


def test_a_review_that_was_hardly_understood_says_so() -> None:
    rest = "# Data\n\n" + "The data are those of the earlier paper, which were published with it. " * 6
    said = "More than a third of the text is in no comment: check what is not assigned."
    whole = read_review("Reviewer 1\n\nThe split is unclear.\n\n" + rest, "review.txt")
    assert [comment.comment for comment in whole.comments] == ["The split is unclear."]
    assert whole.warnings == (said,)
    assert said in read_letter("Reviewer 1\n\nThe split is unclear.\n\n" + rest).warnings
    assert not read_review("Reviewer 1\n\nThe split is unclear.", "review.txt").warnings
