"""The finer points of letters: quotes inside of responses, lists in quotes, front matter, what asks for nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.exchange.response_reading import table_text
from engine.reviews.items import asks, doubtful
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter, review_comments
from engine.reviews.marks import MarkedText
from engine.reviews.proposing import letter_readings
from engine.reviews.records import Comment
from tests.benchmarks.letter_quality import evaluate, quality


def read(text: str) -> tuple[Comment, ...]:
    return read_letter(text).comments


def said(text: str) -> list[tuple[str, bool]]:
    return [(c.comment, c.actionable) for c in read(text)]


def test_manuscript_text_quoted_in_a_response_stays_in_it() -> None:
    text = """## Reviewer 1

> It is unclear how the split was drawn.

We thank the reviewer. The section now reads:

> Lakes were split by basin, so that no basin is in both parts.

We hope that this is clearer.

> Please add units.

Done.
"""
    first, second = read(text)
    assert first.response.endswith("We hope that this is clearer.")
    assert "by basin" in first.response
    assert (second.comment, second.response) == ("Please add units.", "Done.")


def test_list_in_a_quoted_block_gives_one_comment_each() -> None:
    text = """### Referee 2

> Overall the paper is well written. I have some comments:
>
> 1. The split is unclear
>    and should be described.
> 2. Please add units.
> \\* Why was the depth left out?

We did all of this.
"""
    comments = read(text)
    assert [(c.comment, c.actionable) for c in comments][-3:] == [
        ("The split is unclear and should be described.", True),
        ("Please add units.", True),
        ("Why was the depth left out?", True),
    ]
    assert not any(c.actionable for c in comments[:-3])
    assert {c.response for c in comments if c.actionable} == {"We did all of this."}
    assert len({c.context_spans for c in comments}) == 1
    assert text[comments[-1].spans[0].start :].startswith("\\* Why")


def test_praise_summary_and_verdict_ask_for_nothing() -> None:
    text = """## Reviewer 3

> This paper presents a sampler for lakes. It is an important and timely study.

We thank the reviewer.

> Comments on the method:
>
> It is unclear how depth was measured. Additionally, the sampling rate should be given. I recommend acceptance.

We measured it by sonar and give the rate.

> I recommend acceptance.

Thank you.
"""
    assert said(text) == [
        ("This paper presents a sampler for lakes. It is an important and timely study.", False),
        (
            "It is unclear how depth was measured. Additionally, the sampling rate should be given. "
            "I recommend acceptance.",
            True,
        ),
        ("I recommend acceptance.", False),
    ]


def test_a_judgement_of_an_aspect_is_a_request_and_no_heading() -> None:
    requests = (
        "My main concern is generality.", "The novelty is limited.", "The clarity is poor.", "The evaluation is weak.",
        "The main weakness is scalability.", "The significance remains unclear.",
    )  # fmt: skip
    heading = "My comments are as follows."
    text = "\n\n".join(f"> {one}\n\nWe changed the text." for one in (*requests, heading))
    assert [actionable for _, actionable in said(f"# Reviewer 1\n\n{text}")] == [True] * 6 + [False]


def test_what_stands_under_positives_asks_for_nothing() -> None:
    text = """> Positives:
>
> - The figures should interest many.
> - It is hard to do better.
>
> Negatives:
>
> - The text has typos.

We thank the reviewer and corrected them.
"""
    assert said(text) == [
        ("The figures should interest many.", False),
        ("It is hard to do better.", False),
        ("The text has typos.", True),
    ]


def test_front_matter_rules_and_further_sections_are_left_out() -> None:
    text = """# Response

Dear editor,

We thank everyone. Please see below.

***

## Reviewer 1

> Please add units.

We did.

***

## Additional revisions

We also corrected typos and thank the community.
"""
    (comment,) = read(text)
    assert comment.response == "We did."
    assert comment.response_spans[0].end == text.index("\n\n***\n\n## Additional")


def test_comments_one_after_the_other_share_their_response() -> None:
    text = (
        "## Reviewer 1\n\n> 1. Please add units.\n\n> 2. Please add axes.\n\nWe thank the reviewer; both were added.\n"
    )
    comments = read(text)
    assert [c.comment for c in comments] == ["Please add units.", "Please add axes."]
    assert {c.response for c in comments} == {"We thank the reviewer; both were added."}
    assert len({c.same_response for c in comments} - {""}) == 1
    (one,) = read(text.replace("1. ", "").replace("2. ", ""))  # answered at once, and nothing parts them
    assert one.comment == "Please add units.\n\nPlease add axes."


def test_an_unanswered_comment_is_said() -> None:
    text = "## Reviewer 1\n\n> Please add units.\n\nWe did.\n\n## Reviewer 2\n\n> Please add axes.\n"
    bundle = read_letter(text)
    assert [c.response for c in bundle.comments] == ["We did.", ""]
    assert bundle.warnings == ("1 of 2 comment blocks has no response in the letter.",)


def test_decision_letter_quoted_with_its_reviewer_titles() -> None:
    text = """> Reviewer #1 (Remarks to the Author):
>
> Please add units.

We did.

> Reviewer #2 (Remarks to the Author):
>
> It is unclear how depth was measured.

We thank the reviewer and explain it now.
"""
    assert [(c.reviewer, c.comment) for c in read(text)] == [
        ("Reviewer 1", "Please add units."),
        ("Reviewer 2", "It is unclear how depth was measured."),
    ]


def test_several_paragraphs_of_a_labelled_response() -> None:
    text = """Reviewer 1

Comment 1: The split is unclear.
It should be described, please.

Response: We agree.

The split is by basin. It reads:

"Lakes were split by basin."

Comment 2: Please add units.

Response: Done.
"""
    first, second = read(text)
    assert first.comment == "The split is unclear. It should be described, please."
    assert first.response.startswith("We agree.") and first.response.endswith('"Lakes were split by basin."')
    assert second.response == "Done."


def test_text_without_responses_is_no_letter() -> None:
    review = "The paper presents a sampler.\n\nIt is unclear how depth was measured.\n\nPlease report the split.\n"
    assert not letter_readings(MarkedText(review))
    assert letter_readings(MarkedText("> Please report the split.\n\nWe thank the reviewer; it is in Section 3 now.\n"))
    bundle = read_letter("Nothing of the kind.")
    assert bundle.comments == ()
    assert "No reviewer comments were recognised" in bundle.warnings[0]


@pytest.mark.data
def test_real_letters_come_apart(data_folder: Path) -> None:
    figures = quality(evaluate(data_folder / "revisions"))
    assert figures["block_f1"] >= 0.95
    assert figures["response_accuracy"] >= 0.95
    assert figures["reviewer_accuracy"] >= 0.95
    assert figures["items_whole"] >= 0.95
    assert figures["requests_listed"] >= 0.97
    assert figures["actionable_accuracy"] >= 0.9


def test_requests_that_their_wording_leaves_open_are_doubtful_unless_a_person_marked_them() -> None:
    plain, weak = "The tables are in the appendix.", "The experiments are weak."
    said = (plain, "Please add units.", "This is a nice paper.", weak, "The experiments in Section 3 are weak.")
    found = read("\n\n".join(f"> {comment}\n\nYes." for comment in said))
    imported = [replace(comment, external_id=comment.id) for comment in found]
    assert {c.comment: doubtful([c]).get(c.id) for c in imported} == {
        plain: "maybe", weak: "criticism", **dict.fromkeys(said[1:3] + said[4:])
    }  # fmt: skip
    assert asks("The authors need to say more.", silent=True) == "maybe"
    assert asks("This needs a lake.", silent=True) == "no"
    assert not doubtful(found), "marked by a person"
    assert not doubtful([replace(comment, actionable=False) for comment in imported]), "dismissed"


def test_a_labelled_response_does_not_swallow_the_numbered_comments_and_responses_after_it() -> None:
    asked = [f"Please say why the error of site {n} is so large." for n in range(1, 6)]
    parts = ["## Reviewer 1"]
    for n, words in enumerate(asked, start=1):
        parts += [f"{n}. {words}", *([] if n in (2, 5) else [f"Response: We have added the reason for site {n}."])]
    comments = read("\n\n".join(parts) + "\n\n## Reviewer 2\n\n1. Is the code open?\n\nResponse: It is now.\n")
    assert [c.comment for c in comments] == [*asked, "Is the code open?"]
    assert [c.response.count("We have added") for c in comments] == [1, 1, 1, 1, 0, 0]
    assert comments[1].same_response == comments[2].same_response != "" == comments[0].same_response


def test_a_list_under_a_numbered_comment_is_of_that_comment_unless_each_point_is_answered() -> None:
    points = ["Section 4 repeats itself.", "Figure 5 needs other colours.", "The axes have no units."]
    listed = "\n".join(f"{n}. {words}" for n, words in enumerate(points, start=1))
    text = (
        f"## Reviewer 1\n\nComment 1: Please correct the following.\n\n{listed}\n\n"
        "Response: We corrected all of it.\n\nComment 2: Is the code open?\n\nResponse: It is now.\n"
    )
    assert [c.comment.count("\n\n") for c in read(text)] == [3, 0]
    first, rest = listed.split("\n", 1)
    begun = text.replace(listed, f"{first}\n\nResponse: We corrected it.\n\n{rest}")
    assert [c.comment for c in read(begun)][1:2] == points[:1], "the list goes on after the response"


def test_a_place_in_the_paper_above_a_list_is_no_comment() -> None:
    points = ["Please state the seed.", "Which lake was frozen?"]
    listed = "\n".join(f"- {words}" for words in points)
    text = f"## Reviewer 2\n\n**Comment:** \n\nSection 3\n\n{listed}\n\n**Response:** We state both now.\n"
    assert [c.comment for c in read(text)] == points
    numbered = text.replace("**Comment:** ", "## Reviewer comment 2.6:")
    assert [(c.reviewer, c.comment) for c in read(numbered)] == [("Reviewer 2", "\n\n".join(points))]


def test_titles_in_no_item_are_not_assigned() -> None:
    text = "# Remarks on the lakes\n\n## Reviewer 1\n\n> Please add units.\n\nWe added them.\n"
    left = [text[span.start : span.end] for span in unassigned(text, read(text))]
    assert any("Remarks on the lakes" in piece for piece in left) and not any("Reviewer 1" in piece for piece in left)


def test_what_unfolds_is_read_as_its_summary_and_what_follows() -> None:
    folded = "".join(
        f"<details><summary>{asked}</summary>\n\n{said}\n</details>\n\n"
        for asked, said in (("Please add units.", "We added units."), ("Why so few lakes?", "We now use all lakes."))
    )
    marked = table_text(f"# Reviewer 1\n\n{folded}")
    found = read_letter(marked).comments
    assert [(c.comment, c.response) for c in found] == [
        ("Please add units.", "We added units."), ("Why so few lakes?", "We now use all lakes."),
    ]  # fmt: skip


def test_the_opening_paragraph_of_a_review_is_listed_only_where_it_asks() -> None:
    opening = "The paper measures lakes. It is a limited contribution."
    for first, listed in ((opening, False), (f"{opening} Why only lakes?", True)):
        found, _ = review_comments(MarkedText(f"Reviewer 1\n\n{first}\n\nThe depth of the samples is missing."), "r")
        assert [c.actionable for c in found] == [listed, True]
    (only,), _ = review_comments(MarkedText(f"Reviewer 1\n\n{opening}"), "r")
    assert only.actionable, "a review of one paragraph"


CALM = (
    "The authors collect samples from three lakes and train a model on them.",
    "A method is proposed that joins them.",
)
NOT_CALM = (
    "The depth of the samples is missing.", "The claims about the lakes go too far.",
    "I am curious to see how deep the lakes are.", "Die Proben wurden im Frühjahr genommen.",
)  # fmt: skip


def test_a_point_without_a_request_or_anything_negative_in_its_words_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    review = MarkedText("Reviewer 1\n\n" + "\n".join(f"- {one}" for one in (*CALM, *NOT_CALM)))

    def asking() -> list[bool]:
        return [c.actionable for c in review_comments(review, "r")[0]]

    assert asking() == [False, False, True, True, True, True]
    answered = read_letter(f"Reviewer 1\n\n> {CALM[0]}\n\nWe agree and describe the samples in Section 2.")
    assert [c.actionable for c in answered.comments] == [True], "what the authors answered stays in doubt"
    for folder, weights in (("missing", None), ("damaged", b"no weights")):
        if weights:
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "peer-review-analyze.safetensors").write_bytes(weights)
            (tmp_path / folder / "peer-review-analyze.json").write_text("{}")
        monkeypatch.setattr("engine.reviews.labels.heads.shipped_folder", lambda folder=folder: tmp_path / folder)
        assert asking() == [True] * 6, "without heads, wording alone decides"


def test_short_corrections_are_comments_and_no_titles() -> None:
    review = MarkedText('Reviewer 1\n\nMinor points:\n- "reprort" -> report\n- than → that\n- The plural is wrong.\n')
    assert [c.comment for c in review_comments(review, "r")[0]] == [
        '"reprort" -> report', "than → that", "The plural is wrong."
    ]  # fmt: skip


def test_entries_of_a_list_of_references_ask_for_nothing() -> None:
    works = (
        "[1] A. Lake and B. Shore. Deep and shallow lakes: a limited survey. In Limnology, 2016.",
        "References: [2] Lake et al. Cold Water in Warm Lakes. https://example.org/cold",
    )
    points = ("[3] The Survey of Lake et al. 2016 Is Missing.", "[4] Table 3 of Lake and Shore 2016 is limited.")
    assert [asks(one) for one in (*works, *points)] == ["no", "no", "yes", "yes"]


def test_wondering_at_oneself_asks_for_nothing_and_short_forms_ask() -> None:
    praise = "The idea is so simple that I wonder why I didn't think of it."
    assert [asks(one) for one in (praise, "I wonder why four were chosen.", "I'd like to see a map.")] == [
        "no",
        "yes",
        "yes",
    ]
