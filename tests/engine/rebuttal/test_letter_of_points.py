from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rebuttal.budget import Want, allot, budgets, reply_length, spent
from engine.rebuttal.letter import blocks, excesses, labelled, letter, posts, quote, shortened
from engine.rebuttal.points import sentences_of, short_name
from engine.rebuttal.records import Quoting
from engine.reviews.limits import Limit, Unit, count
from tests.engine.rebuttal.outlines import make_outline

QUOTINGS: tuple[Quoting, ...] = ("full", "short", "number", "none")
words = st.lists(st.sampled_from(["We", "added", "it", "😀", "to", "Section", "2."]), min_size=0, max_size=30).map(
    " ".join
)


def test_reviewers_have_short_names() -> None:
    names = ("Reviewer 2", "Reviewer #3", "Referee 1", "Reviewer xK3p", "Reviewer", "Ada")
    assert [short_name(name, 7) for name in names] == ["R2", "R3", "R1", "R-xK3p", "R7", "R7"]


def test_a_comment_is_recalled_as_the_plan_says() -> None:
    row = make_outline(["Yes."]).rows[0]
    said = row.comment.comment
    assert quote(row, "full") == f"> **R1.1** {said}\n\n"
    assert quote(row, "short") == f"> **R1.1** {said}\n\n"
    assert quote(row, "number") == "**R1.1** " and quote(row, "none") == ""
    for own in ("**1.1** Name the seeds.", "1. Name the seeds.", "(1.1) Name the seeds.", "R1.1: Name the seeds."):
        numbered = replace(row, comment=replace(row.comment, comment=own))
        assert quote(numbered, "full") == "> **R1.1** Name the seeds.\n\n"
    for own in ("1.1 million ships are too few.", "1 seed is too few.", "1.2 Name the seeds."):
        numbered = replace(row, comment=replace(row.comment, comment=own))
        assert quote(numbered, "short") == f"> **R1.1** {own}\n\n", "its number is another, or none"
    assert shortened("word " * 40).endswith("word …") and len(shortened("word " * 40)) <= 92
    assert labelled("**R1.1** Why") == ("R1.1", "Why") and labelled("Why R1.1") == ("", "Why R1.1")
    assert labelled("> R-xK3p.12: Why") == ("R-xK3p.12", "Why")


def test_a_letter_has_a_heading_for_each_reviewer_and_leaves_out_what_is_unanswered() -> None:
    made = make_outline(["One.", "Two.", "", "Four."], opening="Thanks.", closing="That is all.")
    text = letter(made)
    assert text.index("## Reviewer 1") < text.index("Thanks.") < text.index("One.") < text.index("That is all.")
    assert text.index("That is all.") < text.index("## Reviewer 2") < text.index("Two.") < text.index("Four.")
    assert "Figure 2" not in text


@given(
    st.lists(words, min_size=1, max_size=6),
    st.integers(20, 200),
    st.sampled_from(QUOTINGS),
    st.sampled_from(["code points", "utf-16", "words"]),
)
def test_posts_hold_every_point_once_in_order_and_within_the_limit(
    replies: list[str], bound: int, quoting: Quoting, unit: Unit
) -> None:
    outline = make_outline(replies, reviewers=1)
    limit = Limit("x", "X", unit, per_reply=bound)
    for section in outline:
        made = posts(section, limit, quoting)
        left = [before + words for _, before, words in blocks(section, quoting)]
        for post in made:
            text = post.text.removeprefix(f"({post.number}/{post.of})\n\n") if post.of > 1 else post.text
            held = next(n for n in range(1, len(left) + 1) if "\n\n".join(left[:n]) == text)
            assert count(post.text, unit) <= bound or held == 1
            assert (post.number, post.of) == (made.index(post) + 1, len(made))
            del left[:held]
        assert not left
        taken = spent(section, limit, quoting)
        assert taken.total == sum(count(post.text, unit) for post in made) and taken.posts == len(made)
        if len(made) == 1:
            assert made[0].text == "\n\n".join(before + words for _, before, words in blocks(section, quoting))


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 400)), st.floats(1, 2)), min_size=1, max_size=12),
    st.integers(0, 3000),
)
def test_room_is_shared_whole_and_own_budgets_stay(wants: list[tuple[int | None, float]], room: int) -> None:
    shared = allot([Want(str(n), own, weight) for n, (own, weight) in enumerate(wants)], room)
    assert all(shared[str(n)] == own for n, (own, _) in enumerate(wants) if own is not None)
    free = [n for n, (own, _) in enumerate(wants) if own is None]
    fixed = sum(own for own, _ in wants if own is not None)
    assert sum(shared[str(n)] for n in free) == (max(0, room - fixed) if free else 0)
    for a in free:
        for b in free:
            if wants[a][1] > wants[b][1]:
                assert shared[str(a)] >= shared[str(b)] - 1


@pytest.mark.parametrize("quoting", QUOTINGS)
@pytest.mark.parametrize("unit", ["code points", "utf-16"])
def test_replies_that_keep_their_budgets_keep_the_limit(quoting: Quoting, unit: Unit) -> None:
    empty = make_outline(["", "", "", "", ""], opening="Thanks for the careful reading.", closing="We hope so.")
    limit = Limit("x", "X", unit, per_reviewer=900, total=1500)
    shares = budgets(empty, limit, quoting)
    full = make_outline(
        ["x" * shares[f"c{n}"] for n in range(5)], opening="Thanks for the careful reading.", closing="We hope so."
    )
    assert excesses(full, limit, quoting) == ()
    assert all(reply_length(row, unit) == shares[row.comment.id] for row in full.rows)
    longer = make_outline(["x" * (shares[f"c{n}"] + 60) for n in range(5)], opening="Thanks for the careful reading.")
    assert excesses(longer, limit, quoting)
    assert budgets(empty, Limit("free", "Free"), quoting) == {}


def test_what_is_too_long_is_told_by_scope() -> None:
    made = make_outline(["x" * 300, "y" * 50])
    found = excesses(made, Limit("x", "X", per_reply=100, per_reviewer=150, total=200), "none")
    assert [(one.scope, one.whose) for one in found] == [
        ("reply", "Reviewer 1"),
        ("reviewer", "Reviewer 1"),
        ("total", ""),
    ]


def test_an_answer_that_may_be_no_longer_than_one_post_is_one_post() -> None:
    outline, limit = make_outline(["x" * 60, "y" * 60], reviewers=1), Limit("x", "X", per_reply=100, per_reviewer=100)
    (section,) = outline
    assert [post.text for post in posts(section, limit, "none")] == ["x" * 60 + "\n\n" + "y" * 60]
    assert [one.sentence("code points") for one in excesses(outline, limit, "none")] == [
        "The answer to Reviewer 1 is 22 characters too long (122 of 100)."
    ]
    assert spent(section, limit, "none").beyond == 22


def test_what_exceeds_a_reviewers_limit_counts_in_several_posts() -> None:
    (section,) = make_outline(["x" * 60, "y" * 60], reviewers=1)
    assert spent(section, Limit("x", "X", per_reply=100, per_reviewer=110), "none").beyond == 2 * len("(1/2)\n\n") + 10
    assert spent(section, Limit("x", "X", per_reply=100, per_reviewer=200), "none").beyond == 0


def test_the_sentences_of_a_reply() -> None:
    assert sentences_of("We agree, e.g. here. See {table}. Done") == ("We agree, e.g. here.", "See {table}.", "Done")
