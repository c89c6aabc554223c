"""What became of a request: decisions first, then suggested edits and the response; what was not checked says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.reviews.records import Comment
from engine.revision.aligners.replies import announces_change
from engine.revision.coverage import LIKELY, Covered, counted_states, request, second_round
from engine.revision.records import CommentState, Suggestion, SuggestionDecision
from tests.engine.revision.studies import make_edit

ASKED = "Please say how the split in Table 2 was made."
EDIT = make_edit(1, "The split was made at random.")


def row(response: str, state: CommentState = "undecided", *, linked: bool = False) -> Covered:
    return Covered(Comment("c", "r", "R1", ASKED, response=response), 1, state, "", (EDIT,) if linked else (), ())


def offered(
    score: float, *, linked: bool = False, origin: str = "model:fused@1", decision: SuggestionDecision | None = None
) -> Suggestion:
    return Suggestion("run", "c", EDIT.id, 1, score, linked, origin, decision=decision)


REFUSED = "A map would not help, as the streets are named throughout the city, in every figure, and in the appendix."
ADDED = "We added a sentence on the random draws over counters and streets to the methods section."


@pytest.mark.parametrize(
    ("response", "suggestion", "state"),
    [
        (REFUSED, offered(0.9, linked=True), "addressed"),
        (REFUSED, offered(LIKELY), "answered only"),
        (ADDED, offered(LIKELY), "addressed"),
        (ADDED, offered(LIKELY - 0.01), "not found"),
        (ADDED, offered(0.9, origin="model:bm25@1"), "not found"),
        (ADDED, offered(0.9, linked=True, decision="rejected"), "not found"),
        ("", offered(0.01), "not found"),
        ("", offered(0.9, linked=True), "addressed"),
    ],
)
def test_what_is_suggested_rests_on_edits_and_response(response: str, suggestion: Suggestion, state: str) -> None:
    found = request(row(response), {EDIT.id: EDIT}, [suggestion])
    assert (found.state, found.basis) == (state, "suggested")
    assert (found.edits == (EDIT,)) == (state == "addressed")
    assert found.places[0] == "the comment names Table 2"


@pytest.mark.parametrize("response", [REFUSED, ADDED, ""])
def test_doubtful_pages_leave_open_what_no_edit_fits(response: str) -> None:
    found = request(row(response), {EDIT.id: EDIT}, [offered(0.01)], doubtful=True)
    assert (found.state, found.basis) == ("not checked", "not checked")
    sure = [offered(0.9, linked=True)]
    assert request(row(response), {EDIT.id: EDIT}, sure, doubtful=True).state == "addressed"
    (found,) = second_round([row(response)], [EDIT], {"c": sure}, doubtful=True, doubts={EDIT.id: ("A scan.",)})
    assert (found.state, found.basis) == ("not checked", "not checked"), "what a doubtful page says is no outcome"
    assert found.edits == (EDIT,) and found.suggestions == tuple(sure), "a person can look at it"
    (found,) = second_round([row(response, linked=True)], [EDIT], {}, doubtful=True, doubts={EDIT.id})
    assert found.state == "addressed", "a person decides"


@pytest.mark.parametrize(("asked", "state"), [("请说明表2的划分是怎样做的。", "not checked"), (ASKED, "answered only")])
def test_a_request_in_another_language_than_the_paper_is_left_open(asked: str, state: str) -> None:
    given = row(REFUSED)
    given = replace(given, comment=replace(given.comment, comment=asked))
    (found,) = second_round([given], [EDIT], {"c": [offered(0.01)]})
    assert found.state == state and ("language" in found.why) == (state == "not checked")
    (found,) = second_round([given], [EDIT], {"c": [offered(0.9, linked=True)]})
    assert found.state == "addressed"


@pytest.mark.parametrize(
    ("state", "response", "expected"),
    [
        ("linked", "", "addressed"), ("visual_only", "", "addressed"), ("answered", "", "answered only"),
        ("no_edit_found", ADDED, "not found"), ("not_addressed", REFUSED, "answered only"),
        ("not_addressed", "", "not found"),
    ],
)  # fmt: skip
def test_what_a_person_decided_comes_first(state: CommentState, response: str, expected: str) -> None:
    found = request(row(response, state), {EDIT.id: EDIT}, [offered(0.9, linked=True)])
    assert (found.state, found.basis, found.suggestions) == (expected, "decided", ())


def test_links_without_a_state_are_decisions() -> None:
    assert request(row("", linked=True), {EDIT.id: EDIT}, []).state == "addressed"


def test_what_was_not_checked_is_no_statement() -> None:
    found = request(row(ADDED), {EDIT.id: EDIT}, [])
    assert (found.state, found.basis) == ("not checked", "not checked")
    same = request(row(ADDED), {}, [])
    assert same.state == "not found" and "Both versions have the same text." in same.why
    assert counted_states([found, same, request(row("", "answered"), {}, [])]) == {
        "addressed": (0, 0), "answered only": (1, 1), "not found": (1, 0), "not checked": (1, 0)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("response", "announces"),
    [
        ("Done.", True), ("Agreed.", True), ("Citation adjusted.", True), (ADDED, True),
        ("We have not added a map of the streets, since every counter is already named by its street.", False),
        (REFUSED, False), ("", False),
    ],
)  # fmt: skip
def test_responses_that_announce_a_change(response: str, announces: bool) -> None:
    assert announces_change(response, ASKED) is announces
