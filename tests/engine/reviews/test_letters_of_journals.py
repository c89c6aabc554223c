"""What journals send: mails with the reviews in them, forms that reviewers filled in with a word."""

from __future__ import annotations

from engine.reviews.letter import read_letter

MAIL = """Dear Dr. Weir,

The reports on your manuscript have arrived and your manuscript must be revised.

Your username is: lake-17. If you do not know your password, follow the link on the page for authors.

With kind regards,
The Editors

COMMENTS FOR THE AUTHOR:

Reviewer #1: The samples of the northern lakes are too few to support the second claim.

The figures need units.

Reviewer #2: Please report how deep the samples were taken.

A map of the lakes is missing.
"""


def comments(text: str) -> list[tuple[str, str, str]]:
    return [(comment.reviewer, comment.comment, comment.response) for comment in read_letter(text).comments]


def test_what_a_mail_says_before_the_first_reviewer_is_no_comment() -> None:
    assert comments(MAIL) == [
        ("Reviewer 1", "The samples of the northern lakes are too few to support the second claim.", ""),
        ("Reviewer 1", "The figures need units.", ""),
        ("Reviewer 2", "Please report how deep the samples were taken.", ""),
        ("Reviewer 2", "A map of the lakes is missing.", ""),
    ]


def test_a_word_in_a_form_is_no_comment() -> None:
    text = (
        "Reviewer 1\n\nDo the conclusions follow?\n\nYes.\n\nThe limits of the method are never discussed.\n\n"
        "See above.\n\nReviewer 2\n\nNo.\n\nThe figures lack units.\n"
    )
    said = [comment for _, comment, _ in comments(text)]
    assert not {"Yes.", "See above.", "No."} & set(said)
    assert "The limits of the method are never discussed." in said


def test_what_is_quoted_from_the_paper_is_in_the_comment_on_it() -> None:
    text = (
        "Reviewer 1\n\nPlease shorten the title.\n\n“The lakes are warmer than the rivers in every season.”\n\n"
        "The second table does not support this claim.\n\nWhy are the rivers left out of the last figure?\n"
    )
    assert [comment for _, comment, _ in comments(text)] == [
        "Please shorten the title.",
        "“The lakes are warmer than the rivers in every season.”\n\nThe second table does not support this claim.",
        "Why are the rivers left out of the last figure?",
    ]


def test_a_labelled_response_to_a_numbered_point_goes_on_to_the_next_number() -> None:
    points = (
        ("a diagram of the lakes would be helpful.", "We added one.\n\nLake-4 gauge, model 12"),
        ("the window of ten days is too large.", "It depends on the lake.\n\nT = (m*d) / (h*n)"),
        ("the survey should be compared with others.", "We compare it now.\n\nSee page 4."),
    )
    prose = (("Typos on page 4 and page 5", "We corrected them."), ("Units in the figures", "We added them."))
    first = (f"{number}) {asked}\n\nResponse : {said}" for number, (asked, said) in enumerate(points, 1))
    second = (f"{asked}\n\nResponse : {said}" for asked, said in prose)
    assert comments("\n\n".join(("Reviewer 1", *first, "Reviewer 2", *second))) == [
        *(("Reviewer 1", *point) for point in points),
        *(("Reviewer 2", *point) for point in prose),
    ]


DECISION = """Dear Dr. Weir,

Your article has been reviewed by two peer reviewers.

SUMMARY: This paper proposes a model of the lakes.

ESSENTIAL REVISIONS:

1. How do the authors obtain the depths? Are these parameters?

2. The model is not tested on other lakes.

Reviewer #1 (General assessment and major comments (Required)):

The samples are too few to support the second claim.

Reviewer #1 (Minor comments):

The figures need units.

Reviewer #2 (General assessment and major comments (Required)):

Please report how deep the samples were taken.
"""


def test_a_decision_names_its_reviewers_in_titles_with_nested_brackets_and_requests_revisions_before_them() -> None:
    assert comments(DECISION) == [
        ("", "How do the authors obtain the depths? Are these parameters?", ""),
        ("", "The model is not tested on other lakes.", ""),
        ("Reviewer 1", "The samples are too few to support the second claim.", ""),
        ("Reviewer 1", "The figures need units.", ""),
        ("Reviewer 2", "Please report how deep the samples were taken.", ""),
    ]


def test_an_initial_in_the_signature_above_the_reviews_is_no_label_of_a_comment() -> None:
    signed = MAIL.replace("The Editors", "P. Lindqvist, Associate Editor")
    assert comments(signed) == comments(MAIL)
    below_titles = (
        "Dear Dr. Weir,\n\nYours sincerely,\nR. Lindqvist, Editor\n\nReviewer #1\n\n1. Units are missing.\n\n2. Why?\n"
    )
    assert comments(below_titles) == [("Reviewer 1", "Units are missing.", ""), ("Reviewer 1", "Why?", "")]
