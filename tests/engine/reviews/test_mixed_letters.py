"""Letters whose reviewers each have a style of their own, while the authors quote all of them alike."""

from __future__ import annotations

from engine.reviews.letter import read_letter

LETTER = """# Response

## Reviewer 1

> 1. The depth of sampling is never stated. Please report it for every lake.

We thank the reviewer. The depth now stands in Table 1.

> 2. It is unclear how the lakes were chosen.

We clarified the choice of lakes in Section 3.

## Reviewer 2

> Comment 1: A comparison with the older survey is missing.

We agree and added the comparison in Section 5.

> Comment 2: The axes of Figure 2 need units.

Units were added to both axes.

## Reviewer 3

> I would like to see a map of the lakes.

We added a map as Figure 4.
"""


def test_quotes_hold_where_only_some_reviewers_label_their_points() -> None:
    comments = read_letter(LETTER).comments
    assert [comment.reviewer for comment in comments] == ["Reviewer 1"] * 2 + ["Reviewer 2"] * 2 + ["Reviewer 3"]
    assert [comment.response for comment in comments] == [
        "We thank the reviewer. The depth now stands in Table 1.",
        "We clarified the choice of lakes in Section 3.",
        "We agree and added the comparison in Section 5.",
        "Units were added to both axes.",
        "We added a map as Figure 4.",
    ]
    assert comments[2].comment == "A comparison with the older survey is missing."
