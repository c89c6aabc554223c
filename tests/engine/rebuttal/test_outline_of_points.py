"""The outline: which comments have a row, what reviewers are called, and how a row is found."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.rebuttal.points import outline, short_name, with_labels
from engine.rebuttal.records import Point
from engine.reviews.records import Comment


def test_a_comment_without_a_request_has_a_row_where_it_was_answered() -> None:
    comments = [Comment(key, "s", "R", key, actionable=key == "request") for key in ("request", "praise", "thanks")]
    replies = {"praise": Point("reply", "praise", text="Thank you."), "thanks": Point("reply", "thanks", text=" ")}
    made = outline(comments, replies, [])
    assert [row.comment.id for row in made.rows] == ["request", "praise"]
    assert [made.row(key) is not None for key in ("request", "praise", "thanks")] == [True, True, False]
    found = made.row("praise")
    assert found is not None and found.comment.id == "praise"


@pytest.mark.parametrize(
    ("reviewer", "short"),
    [("Reviewer 2", "R2"), ("Referee #3", "R3"), ("Reviewer xK3p4q", "R-xK3p4q"), ("Reviewer xK3p4qr", "R5"),
     ("Associate Editor", "AE"), ("Editor", "E"), ("Editor-in-Chief", "EIC"), ("Ada Editor-Smith", "R5"),
     ("Ada", "R5"), ("Review 2A", "R-2A"), ("Review 3", "R3")],
)  # fmt: skip
def test_reviewers_are_called_by_number_code_or_place(reviewer: str, short: str) -> None:
    assert short_name(reviewer, 5) == short


def test_places_count_from_one() -> None:
    made = outline([Comment(key, "s", f"Reviewer {key * 4}", key) for key in ("one", "two")], {}, [])
    assert [row.label for row in made.rows] == ["R1.1", "R2.1"]


def test_follow_ups_take_no_number_of_comments_that_come_after() -> None:
    asked = [Comment("a", "s", "Reviewer 1", "One"), Comment("b", "s", "Reviewer 1", "Two")]
    follow_up = Comment("c", "t", "Reviewer 1", "And?", extra=(("follows_comment", "a"),))
    made = with_labels(outline([*asked, follow_up], {}, ()), {"a": "R1.1"})
    assert [(row.comment.id, row.label) for row in made.rows] == [("a", "R1.1"), ("c", "R1.1.1"), ("b", "R1.2")]


def test_a_comment_that_was_not_sent_is_numbered_after_those_that_were() -> None:
    comments = [Comment(key, "s", f"Reviewer {key[0]}", key) for key in ("2new", "2b", "2a", "1new")]
    made = with_labels(outline(comments, {}, ()), {"2a": "R2.1", "2b": "R2.4"})
    assert [row.label for row in made.rows] == ["R2.5", "R2.4", "R2.1", "R1.1"]


def test_a_follow_up_that_was_sent_shares_its_number_with_none() -> None:
    asked = Comment("a", "s", "Reviewer 1", "One")
    new, sent = (Comment(key, "t", "Reviewer 1", "And?", extra=(("follows_comment", "a"),)) for key in ("new", "sent"))
    made = with_labels(outline([asked, new, sent], {}, ()), {"a": "R1.1", "sent": "R1.1.1"})
    assert [(row.comment.id, row.label) for row in made.rows] == [("a", "R1.1"), ("new", "R1.1.2"), ("sent", "R1.1.1")]


def test_a_thread_is_read_from_top_to_bottom() -> None:
    said = [("a", ""), ("b", ""), ("c", "a"), ("d", "c"), ("e", "a"), ("f", "c")]
    comments = [
        Comment(key, "s", "Reviewer 1", key, extra=(("follows_comment", of),) if of else ()) for key, of in said
    ]
    rows = outline(comments, {}, ()).rows
    assert [(row.comment.id, row.label) for row in rows] == [
        ("a", "R1.1"), ("c", "R1.1.1"), ("d", "R1.1.1.1"), ("f", "R1.1.1.2"), ("e", "R1.1.2"), ("b", "R1.2"),
    ]  # fmt: skip


@given(st.lists(st.sampled_from(["Ada", "Bea", "", "Reviewer 1", "Referee 1", "Reviewer #2", "R1", "R3"]), unique=True))
@example(["Ada", "Bea", "Reviewer 1"])
def test_no_two_reviewers_have_a_name_in_common(reviewers: list[str]) -> None:
    rows = outline([Comment(f"c{at}", "s", name, "Why?") for at, name in enumerate(reviewers)], {}, ()).rows
    assert len({row.label for row in rows}) == len(reviewers)
    for name in ("Reviewer 1", "Reviewer #2"):
        if name in reviewers and "Referee 1" not in reviewers:
            assert rows[reviewers.index(name)].label == f"R{name[-1]}.1", "who has a number keeps it"
