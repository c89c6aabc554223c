"""Signs that letters use in other ways than most: initials, dashes, letters with numbers, quotations of the authors."""

from __future__ import annotations

from engine.reviews.cues import voice
from engine.reviews.layout import opener
from engine.reviews.letter import read_letter, review_comments
from engine.reviews.marks import MarkedText
from engine.reviews.naming import find_label
from engine.reviews.stretches import LIST_MARK, stretches

ASKED = (
    "Please explain the loss in more detail.",
    "Could you add a baseline?",
    "Figure 2 is unclear to me.",
    "The axes of Figure 3 should have units.",
)
SAID = (
    "We have added a paragraph on it.",
    "Fixed, in Table 3.",
    "Done. The figure is\nlarger in the new version.",
    "They have units now.",
)


def said(text: str | MarkedText) -> list[tuple[str, str]]:
    return [(c.comment, c.response) for c in read_letter(text).comments]


def test_initials_in_capitals_are_no_field() -> None:
    for initials in ("SPZ/NL", "ABC"):
        text = "\n\n".join(f"{one}\n\n{initials}: {two}" for one, two in zip(ASKED, SAID, strict=True))
        found = said(f"Reviewer 1\n\n{text}\n")
        assert [c for c, _ in found] == list(ASKED)
        assert all(two in r for (_, r), two in zip(found, SAID, strict=True))


def test_items_may_begin_with_dashes_and_no_blank() -> None:
    for dash in ("-", "---"):
        text = "\n\n".join(f"{dash}{one}\n\n{two}" for one, two in zip(ASKED, SAID, strict=True))
        assert said(text) == list(zip(ASKED, SAID, strict=True))


def test_a_letter_with_a_number_behind_a_point_is_the_mark_of_a_list() -> None:
    assert LIST_MARK.match("A.1. Why?") and LIST_MARK.match("B.2) Why?")
    assert find_label("A.1. Why?", 0, 9) is None
    assert (label := find_label("A.1: Why?", 0, 9)) is None, label


def test_a_label_alone_labels_the_paragraph_after_it_whatever_it_says() -> None:
    text = "".join(f"{one}\n\nResponse: {two}\n\n" for one, two in zip(ASKED, SAID, strict=True))
    found = said(f"# Reviewer 1\n\n{text}There is no code.\n\nResponse:\n\nThe code is at example.org.\n")
    assert found[-1] == ("There is no code.", "The code is at example.org.")


def test_answers_under_quoted_lines_may_name_code() -> None:
    text = "".join(f"> * [ ] {one}\n> \n>\nWe did so:\n`run.py` does it.\n> \n" for one in ASKED)
    found = said(f"# Reply\n\n> Review of the package\n>\n{text}")
    assert [one in c for (c, _), one in zip(found[-4:], ASKED, strict=True)] == [True] * 4
    assert all("run.py" in r for _, r in found[-4:])


def test_authors_quote_their_own_paper_after_a_colon() -> None:
    text = "".join(f"{one}\n\n- {two}\n\n" for one, two in zip(ASKED, SAID, strict=True))
    last = (
        "What is the loss?",
        "- We define it now. The sentence reads:\n\n“The loss of a run is the mean of all losses.”",
    )
    assert said(f"# Reviewer 1\n\n{text}{last[0]}\n\n{last[1]}\n")[-1] == last


def test_where_one_author_answers_i_is_said_on_both_sides() -> None:
    assert voice("I find my result clear.", alone=True) == 0
    assert voice("I have now added the units.", alone=True) > 0


def test_a_letter_that_says_what_was_done_and_quotes_nothing_gives_no_items() -> None:
    done = "\n\n".join(
        f"Table {n} compares the method with the three baselines of Section {n}, for all sizes of the data set that "
        "the appendix lists, and with the same budget for each of them, as the caption of the table states in full."
        for n in range(14)
    )
    report = (
        "Your paper lacks a baseline, says one of the reports, and that is so for the smallest of the three sizes: it "
        "was not in the first release of the data set, which the runs began with, and came with the second one in May."
    )
    assert -0.06 < voice(report) / 15 < -0.02
    assert said(f"# Author response\n\n{done}\n\n{report}\n") == []


def test_words_before_a_wide_colon_are_marks_and_signs_without_cases_are_no_capitals() -> None:
    assert opener("评审：PSD 的范围") == "评审"
    assert opener("本文验证PSD的范围") == ""
    assert opener("WE ADDED THE ÉTUDE") == "CAPITALS"


def test_a_letter_that_numbers_points_is_no_label_of_responses_beside_others() -> None:
    points = [f"{'A.' if at % 2 else 'i.'} {one}" for at, one in enumerate(ASKED)]
    found = said("# Reviewer 1\n\n" + "\n\n".join(f"{one}\n\n>>> {two}" for one, two in zip(points, SAID, strict=True)))
    assert [one in c for (c, _), one in zip(found, ASKED, strict=True)] == [True] * 4, found
    assert [r for _, r in found] == list(SAID)


def test_points_numbered_in_roman_figures_are_items() -> None:
    numbered = "\n\n".join(f"{number}. {one}" for number, one in zip(("i", "ii", "iii", "iv"), ASKED, strict=True))
    found = said(
        f"# Reviewer 1\n\n{numbered}\n\n>>> We have done all of it.\n\nv. Where is the code?\n\n>>> It is online.\n"
    )
    assert [c.partition(" ")[2] for c, _ in found] == [*ASKED, "Where is the code?"]


def test_a_place_above_the_points_about_it_is_no_comment() -> None:
    points = "".join(
        f"- Section {at}\n    - {one}\n\n      Response: {two}\n\n"
        for at, (one, two) in enumerate(zip(ASKED, SAID, strict=True), 1)
    )
    assert [c for c, _ in said(f"# Reviewer 1\n\n{points}")] == list(ASKED)


def test_the_number_of_a_line_stays_in_its_comment() -> None:
    lines = "\n\n".join(
        f"{number}: {one}\n\n> {two}" for number, one, two in zip((27, 54, 94, 203), ASKED, SAID, strict=True)
    )
    assert [c for c, _ in said(f"## Reviewer 2\n\n{lines}\n")] == [
        f"{n}: {one}" for n, one in zip((27, 54, 94, 203), ASKED, strict=True)
    ]


def test_a_line_that_begins_with_a_dash_goes_on() -> None:
    text = "Reviewer 1\n\n" + "\n\n".join(
        f"p. {at} “the new kind of model”\n— {one}" for at, one in enumerate(ASKED, 3)
    )
    found = review_comments(MarkedText(text), "r")[0]
    assert [c.comment for c in found] == [f"p. {at} “the new kind of model” — {one}" for at, one in enumerate(ASKED, 3)]
    listed = "Please check:\n– the loss function\n– the size of the figures\n– the list of works"
    assert len(stretches(listed)) == 4
