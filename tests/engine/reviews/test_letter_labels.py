"""What headings and labels of letters say: whose part, a comment or a response, and where the words begin."""

from __future__ import annotations

import pytest

from engine.reviews.letter import review_comments
from engine.reviews.marks import MarkedText
from engine.reviews.naming import find_label, head_name, reviewer_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Reviewer #1", "Reviewer 1"),
        ("REVIEWER 2:", "Reviewer 2"),
        ("Reviewer #1 (Remarks to the Author):", "Reviewer 1"),
        ("## Response to Reviewer 3", "Reviewer 3"),
        ("Response to Reviewer #2's comments", "Reviewer 2"),
        ("Comments from the editor", "Editor"),
        ("Associate Editor's comments", "Associate Editor"),
        ("Editor in Chief", "Editor in Chief"),
        ("Comments from the Chief Editor:", "Chief Editor"),
        ("**Reviewer VZ5q**", "Reviewer VZ5q"),
        ("Reviewer II", "Reviewer 2"),
        ("Referee B", "Referee B"),
        ("R2", "Reviewer 2"),
        ("reviewer two - minor comments", "Reviewer 2"),
        ("Reviewer #3 (Public Review):", "Reviewer 3"),
        ("Report of the first referee", "Referee 1"),
        ("Replies to R-2", "Reviewer 2"),
        ("Antwort an Gutachterin 2", "Gutachterin 2"),
        ("Réponses au rapporteur 1", "Rapporteur 1"),
        ("审稿人 3", "审稿人 3"),
        ("Reviewer comment 2.13:", "Reviewer 2"),
        ("Reviewer comment 3:", None),
        ("Response to reviewers", None),
        ("Reviewers' comments", None),
        ("The reviewers were right.", None),
        ("Essential revisions", None),
        ("Review of the manuscript", None),
    ],
)
def test_titles(title: str, name: str | None) -> None:
    assert reviewer_name(title) == name


@pytest.mark.parametrize(
    ("text", "kind", "reviewer", "rest"),
    [
        ("Comment 1: foo", "comment", "", "foo"),
        ("**Comment #3** foo", "comment", "", "foo"),
        ("Major comment 2: foo", "comment", "", "foo"),
        ("Point 2.1 Foo", "comment", "", "Foo"),
        ("Concern #1 (major): foo", "comment", "", "foo"),
        ("R1.1: foo", "comment", "Reviewer 1", "foo"),
        ("[R1.2] foo", "comment", "Reviewer 1", "foo"),
        ("R2.14 page 3 has a typo", "comment", "Reviewer 2", "page 3 has a typo"),
        ("R1-C2: foo", "comment", "Reviewer 1", "foo"),
        ("Reviewer 2, comment 3: foo", "comment", "Reviewer 2", "foo"),
        ("Reviewer 2.3: foo", "comment", "Reviewer 2", "foo"),
        ("AE-1: foo", "comment", "Associate Editor", "foo"),
        ("Anmerkung 2: foo", "comment", "", "foo"),
        ("Reviewer #1: foo", "reviewer", "Reviewer 1", "foo"),
        ("Reviewer 1 wrote: foo", "reviewer", "Reviewer 1", "foo"),
        ("Response: foo", "response", "", "foo"),
        ("**Response:** foo", "response", "", "foo"),
        ("*Reply*: foo", "response", "", "foo"),
        ("Authors' response: foo", "response", "", "foo"),
        ("Response to comment 1: foo", "response", "", "foo"),
        ("Response (R1.1): foo", "response", "", "foo"),
        ("Response – foo", "response", "", "foo"),
        ("Antwort: foo", "response", "", "foo"),
        ("回复：foo", "response", "", "foo"),
        ("问：foo", "comment", "", "foo"),
        ("答：foo", "response", "", "foo"),
        ("Author: foo", "response", "", "foo"),
        ("AR: foo", "response", "", "foo"),
        ("→ foo", "response", "", "foo"),
        (r"$\rightarrow$ foo", "response", "", "foo"),
        ("Ans: foo", "response", "", "foo"),
        ("Reply:", "response", "", ""),
        ("Q1. foo", "code", "1", "foo"),
        ("A: foo", "code", "", "foo"),
    ],
)
def test_labels(text: str, kind: str, reviewer: str, rest: str) -> None:
    label = find_label(text, 0, len(text))
    assert label is not None
    assert (label.kind, label.reviewer, text[label.end :]) == (kind, reviewer, rest)


@pytest.mark.parametrize(
    "text",
    [
        "Response times are slow.",
        "Questions remain.",
        "Points to consider are many.",
        "Comments on the analysis:",
        "The authors: three people.",
        "Author contributions: all.",
        "Answering this took time",
        "Ans Meer fahren wir nie.",
        "A new method is given.",
        "Reviewers disagree.",
    ],
)
def test_running_text_is_no_label(text: str) -> None:
    assert find_label(text, 0, len(text)) is None


@pytest.mark.parametrize(
    "title",
    [
        "Official Review of Paper 1123 by Reviewer 2A",
        f"Review of “{'A Long Title of a Paper on Rivers, ' * 3}” by Reviewer 2A",
    ],
)
def test_the_title_of_a_review_that_names_the_paper_first_is_no_comment(title: str) -> None:
    text = f"{title}\n\nThe baseline is not described.\n\nPlease report the number of probes."
    comments, _ = review_comments(MarkedText(text), "s")
    assert [one.comment for one in comments] == text.split("\n\n")[1:]
    assert {one.reviewer for one in comments} == {"Reviewer 2A"}
    assert head_name(title[-14:]) == "Reviewer 2A"


def test_a_title_directly_below_a_name_does_not_end_the_part() -> None:
    text = "Reviewer 1\n\n# High-level discussion\n\nDefine the probes.\n\n# Smaller things\n\nReport the noise."
    comments, _ = review_comments(MarkedText(text), "s")
    assert [(one.reviewer, one.comment) for one in comments] == [
        ("Reviewer 1", "Define the probes."), ("Reviewer 1", "Report the noise."),
    ]  # fmt: skip
