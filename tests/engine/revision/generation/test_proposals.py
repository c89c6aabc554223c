"""Proposed edits: frames that invent nothing, answers of models in every shape, and prompts that fit."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.models.language import Prompt, UnusableAnswer
from engine.models.prompts import tokens_in
from engine.models.questions import usable
from engine.revision.generation.records import Change, Proposal
from engine.revision.generation.writing import (
    ACTIONS,
    Part,
    Wanted,
    fit_paragraphs,
    frames,
    guess_action,
    prompt_for,
    propose,
    read_answer,
    subject_of,
    write,
)
from engine.revision.source_alignment import SourceParagraph, SourceRank
from tests.engine.models.scripted import Scripted

PARAGRAPHS = tuple(
    SourceParagraph(f"p{n}", "2 Method" if n < 3 else "4 Results", f"Paragraph {n} says something about counters.")
    for n in range(1, 6)
)
RANKS = (SourceRank("p4", 2.0, ("shared words: counters",)), SourceRank("p1", 1.0, ()))


@pytest.mark.parametrize(
    ("comment", "action"),
    [
        ("Please compare with the blended estimator of earlier work.", "compare"),
        ("The authors should apply the method to other datasets.", "apply"),
        ("The term pooled expansion is never defined.", "define"),
        ("The limitations should be discussed.", "discuss"),
        ("Please report the standard deviation over several runs.", "report"),
        ("It is unclear why the split was made at random.", "explain"),
        ("Section 5 is redundant and could be dropped.", "remove"),
        ("Nice figures.", "other"),
    ],
)
def test_the_class_of_a_comment_follows_from_its_words(comment: str, action: str) -> None:
    assert guess_action(comment) == action


def test_every_frame_fills_and_leaves_open_what_only_the_author_knows() -> None:
    assert set(frames()) == set(ACTIONS)
    for action in ACTIONS:
        proposal = propose("c1", "It is unclear how the split was made.", RANKS, PARAGRAPHS, action)
        assert proposal.paragraph_id == "p4" and proposal.action == action
        assert "{" not in proposal.response + proposal.text and "}" not in proposal.response + proposal.text
        assert re.search(r"\[[^\]]+\]", proposal.text), "nothing is invented: a placeholder stands where a fact would"
        assert "Section 4" in proposal.response
        if action != "remove":
            assert proposal.text.startswith(PARAGRAPHS[3].text)


WORDING = (
    SourceParagraph("a", "2 Method", "We count the samples that the counter have kept, and the samples are shown."),
    SourceParagraph("b", "4 Results", "The mean are shown in Figure 2, which the reader can see (see below)."),
)


@pytest.mark.parametrize(
    ("comment", "old", "new"),
    [
        ("Page 3, last line: replace “the mean are” with “the means are”.", "The mean are", None),
        ("Replace “mean are” with “means are”.", "mean are", "means are"),
        ("p. 2 col. 1. the counter have kept -> the counter has kept. It refers to one counter.", "have", "has"),
        ("l47: can see → sees (or similar)", "can see", "sees"),
        ("‘can see’ should be ‘sees’.", "can see", "sees"),
        ("Line 9, 'may see' instead of 'can see'", "can see", "may see"),
        ('Change "which the reader" to "which readers".', "which the reader", "which readers"),
        ("“shown in Figure 2” → should be Figure 3", "shown", None),
        ("which → add this", "which", None),
        ("The mapping from samples to the counter -> mean isn't clear.", "counter", None),
        ("The arrows mean can see -> shown -> kept.", "kept", None),
        ("Replace “can hear” with “hears”.", "can", None),
    ],
)
def test_a_correction_that_is_spelled_out_is_made_where_its_words_are(comment: str, old: str, new: str | None) -> None:
    made = propose("c1", comment, (SourceRank("a", 2.0, ()), SourceRank("b", 1.0, ())), WORDING)
    before = next(p.text for p in WORDING if p.id == made.paragraph_id)
    if new is None:
        assert made.text.startswith(before) and made.text != before, "nothing is replaced"
    else:
        assert made.text == before.replace(old, new) and new in made.response and "[" not in made.text


def test_words_that_are_everywhere_are_corrected_only_at_the_likeliest_place() -> None:
    for order, place in (("ab", "a"), ("ba", "b")):
        several = (SourceParagraph("a", "", "The samples are shown."), SourceParagraph("b", "", "They are kept."))
        made = propose("c1", "are -> were", [SourceRank(key, 1.0, ()) for key in order], several)
        assert made.paragraph_id == place and "were" in made.text
    twice = (SourceParagraph("c", "", "They are what they are."), *several)
    made = propose("c1", "are -> were", [SourceRank(key, 1.0, ()) for key in "cab"], twice)
    assert made.text.startswith(twice[0].text), "nothing says which of the two is meant"


@given(st.text(max_size=200))
def test_any_comment_gets_a_proposal(comment: str) -> None:
    assert propose("c1", f"shown -> {comment}", RANKS, PARAGRAPHS).response


def test_the_response_names_a_section_as_authors_do() -> None:
    there = (SourceParagraph("a", "4 Field Study > 4.1 Farms", "Four farms took part."),)
    proposal = propose("c1", "Please define the farms.", (SourceRank("a", 1.0, ()),), there)
    assert proposal.response.endswith("Section 4.1.") and ">" not in proposal.response


def test_a_comment_without_a_place_is_proposed_without_one() -> None:
    proposal = propose("c1", "Please define the terms.", (), PARAGRAPHS)
    assert proposal.paragraph_id == "" and "the paper" in proposal.response and proposal.reasons == ()


@given(st.text(max_size=300))
def test_any_comment_has_a_subject_and_a_proposal(comment: str) -> None:
    assert subject_of(comment)
    assert propose("c", comment, RANKS, PARAGRAPHS).text


def test_the_subject_is_what_is_asked_for_not_the_asking() -> None:
    assert subject_of("It is unclear how the split was made. Please say.") == "“the split was made”"
    assert subject_of("17. p. 4, l. 56: The gap is too wide.") == subject_of("The gap is too wide.")
    assert subject_of("Please " + "very " * 30 + "long.").count(" ") == 11 and "…" in subject_of("a " * 30)


SHAPES = (
    "Response: We did.\nLocation: [3]\nEdit: New text.",
    "**Response:** We did.\n\n**Location:** paragraph 3\n\n**Edit:** New text.",
    "Location: 3\nEdit:\n```\nNew text.\n```\nResponse: We did.",
    "# Response\n# Response to the reviewer: We did.\n- Location: 3\n- Edit: “New text.”",
    "Sure!\nRESPONSE: We did.\nLOCATION: 3\nREVISED PARAGRAPH: New text.\nEdit: Another one.",
    "Response: We did.\nLocation: 3\nEdit: [- Old one. -] [+ New text. +]",
)


@pytest.mark.parametrize("answer", SHAPES)
def test_an_answer_is_taken_apart_whatever_surrounds_it(answer: str) -> None:
    found = read_answer(answer)
    assert found.response == "We did." and found.edits[0] == Part(3, "change", "New text.")


def test_a_new_paragraph_comes_after_one() -> None:
    assert read_answer("Location: after 12\nEdit: x").edits[0].placement == "after"


SEVERAL = (
    "Response: Done.\nLocation: 2\nEdit: One.\n\nLocation: after 4\nEdit: Two.\nStill two.",
    "Response: Done.\nLocation 1: paragraph 2\nEdit 1: One.\nLocation (2): after 4\nEdit (2): Two.\nStill two.",
    "Edit: One.\nLocation: 2\nEdit: Two.\nStill two.\nLocation: after 4\nResponse: Done.",
    "**Response:** Done.\n**Location(s):** 2\n**Edit(s):** One.\n"
    "**Location(s):** after 4\n**Edit(s):** Two.\nStill two.",
)


@pytest.mark.parametrize("answer", SEVERAL)
def test_all_edits_of_an_answer_are_kept_each_with_its_place(answer: str) -> None:
    found = read_answer(answer)
    assert found.response == "Done."
    assert found.edits == (Part(2, "change", "One."), Part(4, "after", "Two.\nStill two."))


def test_edits_may_share_a_place() -> None:
    assert read_answer("Location: 3\nEdit: a\nEdit: b").edits == (Part(3, "change", "a"), Part(3, "change", "b"))


@pytest.mark.parametrize("answer", ["", "I cannot help.", "Response: yes\nLocation: 3", "Edit:\n```\n```", "Edit:"])
def test_an_answer_without_an_edit_is_refused(answer: str) -> None:
    with pytest.raises(ValueError):
        read_answer(answer)


@given(st.text(max_size=400))
def test_no_answer_breaks_the_reader(answer: str) -> None:
    with suppress(ValueError):
        assert all(edit.text for edit in read_answer(answer).edits)


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(0, 400), st.lists(st.integers(0, 20), max_size=5)
)
def test_paragraphs_fit_the_budget_and_keep_their_order(lengths: list[int], budget: int, likely: list[int]) -> None:
    own = [SourceParagraph(f"p{n}", "", "x" * length) for n, length in enumerate(lengths)]
    shown = fit_paragraphs(own, [f"p{n}" for n in likely], budget)
    numbers = [number for number, _ in shown]
    assert numbers == sorted(set(numbers))
    assert sum(tokens_in(paragraph.text) for _, paragraph in shown) <= max(budget, 0)
    assert all(own[number - 1] is paragraph for number, paragraph in shown)


def test_a_short_context_keeps_the_likeliest_paragraph() -> None:
    long = [SourceParagraph(f"p{n}", "S", f"{n} " + "word " * 300) for n in range(30)]
    prompt = prompt_for("Why?", long, ["p17"], context=3000)
    asked = prompt.messages[1].content
    assert "[18]" in asked and "[1]" not in asked and len(asked) < 3000 * 3
    assert len(prompt_for("Why?", long, ["p17"], context=100_000).messages[1].content) > 30_000
    with pytest.raises(BadInput, match="too short"):
        prompt_for("Why?", long, ["p17"], context=1000)


def said_by(model: Scripted, *likely: str, comment: str = "Why?", **options: Any) -> tuple[Proposal, Prompt]:
    """A model's proposal for one comment, with its prompt."""
    made: list[tuple[Proposal, Prompt]] = []
    wanted = [Wanted("c1", comment, likely, "explain")]
    (asked,) = write(model, wanted, PARAGRAPHS, lambda *one: made.append(one), report=QuietReport(), **options)
    usable(asked)
    return made[0]


def test_a_model_writes_a_proposal() -> None:
    heard: list[str] = []
    model = Scripted([SHAPES[0]])
    proposal, _ = said_by(model, "p1", on_text=lambda _place, piece: heard.append(piece))
    assert (proposal.origin, proposal.paragraph_id, proposal.text) == ("model:scripted@1", "p3", "New text.")
    assert proposal.raw == "".join(heard) and proposal.action == "explain"


def test_an_answer_with_several_edits_is_one_proposal() -> None:
    model = Scripted([SEVERAL[0]])
    proposal, prompt = said_by(model, "p1", seed=7)
    assert proposal.changes == (Change("p2", "change", "One."), Change("p4", "after", "Two.\nStill two."))
    assert proposal.more == proposal.changes[1:] and (proposal.seed, prompt) == (7, model.asked[0])


def test_a_place_that_does_not_exist_stays_open() -> None:
    proposal, _ = said_by(Scripted(["Location: 77\nEdit: x"]))
    assert proposal.paragraph_id == "" and proposal.text == "x"


def test_one_more_try_with_another_seed_and_then_the_raw_text_is_kept() -> None:
    model = Scripted(["nothing", SHAPES[0]])
    proposal, _ = said_by(model)
    assert (proposal.text, proposal.seed) == ("New text.", 1), "the seed of the prompt that was answered"
    assert [p.seed for p in model.asked] == [0, 1] and "no part that says what" in model.asked[1].messages[-1].content
    with pytest.raises(UnusableAnswer) as caught:
        said_by(Scripted(["no", "never"]), comment="Why not?")
    assert caught.value.raw == "never"
