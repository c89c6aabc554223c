"""OpenReview's forms in both versions, notes out and back, and the forms that ship."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.review_form import read_form, review_in, write_note
from engine.review_drafting.form_files import FORMS
from engine.review_drafting.forms import SHIPPED, carried_over, shipped, state, unplaced
from engine.review_drafting.records import Scores

SECOND = {
    "id": "V/2026/Conference/-/Official_Review",
    "edit": {
        "note": {
            "content": {
                "rating": {
                    "order": 3,
                    "value": {
                        "param": {
                            "type": "integer",
                            "enum": [{"value": 1, "description": "reject"}, 8],
                            "input": "radio",
                        }
                    },
                },
                "summary": {
                    "order": 1,
                    "description": "Say it in your words.",
                    "value": {
                        "param": {
                            "type": "string",
                            "input": "textarea",
                            "maxLength": 500,
                            "minLength": 20,
                            "markdown": True,
                        }
                    },
                },
                "topics": {
                    "order": 4,
                    "value": {
                        "param": {"type": "string[]", "enum": ["theory", "data"], "input": "checkbox", "optional": True}
                    },
                },
                "code": {
                    "order": 2,
                    "value": {"param": {"type": "string", "input": "text", "maxLength": 80, "optional": True}},
                },
                "title": {"value": {"param": {"const": "Review"}}},
            }
        }
    },
}
FIRST = {
    "reply": {
        "content": {
            "review": {"order": 1, "value-regex": "[\\S\\s]{1,5000}", "required": True, "markdown": True},
            "rating": {"order": 2, "value-dropdown": ["8: accept", "3: reject"], "required": True},
            "comment": {"order": 3, "value-regex": "[\\S\\s]{0,1000}", "required": False},
        }
    }
}


def test_a_field_called_title_does_not_name_the_form() -> None:
    fields = {"title": {"value": {"param": {"type": "string"}}}, "summary": {"value": {"param": {"type": "string"}}}}
    assert read_form(json.dumps(fields), "venue.json").title == "venue"


def test_a_form_of_version_two() -> None:
    form = read_form(json.dumps(SECOND), "form.json")
    assert form.title == "Official Review"
    assert [field.key for field in form.fields] == ["summary", "code", "rating", "topics"]
    summary, code, rating, topics = form.fields
    assert (summary.limit, summary.least, summary.part, summary.help) == (500, 20, "summary", "Say it in your words.")
    assert (code.kind, code.required) == ("line", False)
    assert [option.label for option in rating.options] == ["1: reject", "8"]
    assert topics.kind == "choices"


def test_a_form_of_version_one() -> None:
    review, rating, comment = read_form(json.dumps(FIRST), "form.json").fields
    assert (review.limit, review.least) == (5000, 1)
    assert [option.value for option in rating.options] == ["8: accept", "3: reject"], "they are filed whole"
    assert (comment.limit, comment.least, comment.required) == (1000, None, False)


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"content": {"title": {"value": {"param": {"const": "x"}}}}}'])
def test_what_is_no_form_is_said(text: str) -> None:
    with pytest.raises(BadInput, match=r"form|field"):
        read_form(text, "x.json")


@pytest.mark.parametrize("key", SHIPPED)
def test_shipped_forms_hold_the_common_schema(key: str) -> None:
    form = shipped(key)
    assert len({field.key for field in form.fields}) == len(form.fields)
    assert {"summary", "weaknesses"} <= {field.part for field in form.fields}
    for field in form.fields:
        assert bool(field.options) == (field.kind == "choice"), field.key
        if field.kind == "choice":
            assert state(field, field.options[0].value).problem == ""
            assert "no choice" in state(field, "99").problem


def test_a_form_that_nobody_could_verify_says_so_wherever_it_is_chosen() -> None:
    unverified = {key for key in SHIPPED if "verified" in shipped(key).note}
    assert unverified == {key for key, title in FORMS.items() if title.endswith(", not verified)")} == {"aaai", "cvpr"}
    assert all(re.search(r"\b20\d\d\b|-25\b", shipped(key).note) for key in unverified), "and of which year it is"


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map(str.strip).filter(bool)


@given(
    summary=_TEXT, rating=st.sampled_from(["1", "8"]), topics=st.lists(st.sampled_from(["theory", "data"]), unique=True)
)
def test_a_note_holds_what_was_filled_in(summary: str, rating: str, topics: list[str]) -> None:
    form = read_form(json.dumps(SECOND), "form.json")
    values = {"summary": summary, "rating": rating, "topics": "\n".join(topics)}
    values = {key: value for key, value in values.items() if value}
    text = write_note(form, values)
    content = {key: field["value"] for key, field in json.loads(text)["content"].items()}
    expected = {"summary": summary, "rating": int(rating), "topics": topics}
    assert content == {key: value for key, value in expected.items() if value}


def test_length_is_counted_as_the_venue_counts() -> None:
    field = read_form(json.dumps(SECOND), "form.json").fields[0]
    assert "needs 20" in state(field, "short").problem
    assert state(field, "x" * 500).problem == "" and "1 character too long" in state(field, "x" * 501).problem
    assert "is empty" in state(field, "  ").problem
    assert state(field, "𝒳" * 500).spent == 500


def test_values_move_to_another_form_and_lose_nothing_that_has_a_place() -> None:
    values = {"summary": "S", "strengths": "Good.", "weaknesses": "Bad.", "rating": "10", "soundness": "3"}
    moved = carried_over(shipped("iclr"), shipped("neurips"), values)
    assert moved["summary"] == "S" and moved["quality"] == "3"
    assert "Good." in moved["strengths_and_weaknesses"] and "Bad." in moved["strengths_and_weaknesses"]
    assert moved["rating"] == "" and moved["Rating (ICLR)"].startswith("10: "), "10 is no choice of the other scale"


def test_strengths_do_not_become_weaknesses_in_a_form_that_separates_them() -> None:
    both = {"strengths_and_weaknesses": "It is new. The seeds are missing."}
    moved = carried_over(shipped("neurips"), shipped("arr"), both)
    assert moved == {} and [one.title for one in unplaced(shipped("arr"), both)] == ["Strengths and weaknesses"]
    assert carried_over(shipped("arr"), shipped("neurips"), both) == {}, "it is kept for the way back"


def test_a_score_keeps_its_meaning_in_a_form_of_another_scale() -> None:
    moved = carried_over(shipped("iclr"), shipped("arr"), {"soundness": "2", "presentation": "3"})
    assert moved == {"soundness": "", "Soundness (ICLR)": "2: fair"}, "2 is poor there"
    assert [one.title for one in unplaced(shipped("arr"), moved)] == ["Soundness (ICLR)"]
    assert carried_over(shipped("arr"), shipped("arr"), {"soundness": "2"})["soundness"] == "2"
    back = carried_over(shipped("arr"), shipped("iclr"), moved | {"summary": "S"})
    assert back == {"soundness": "2", "Soundness (ICLR)": ""}, "chosen again in the form that has it"


def test_a_filled_form_in_the_common_schema() -> None:
    values = {"paper_summary": "S", "summary_of_weaknesses": "1. One.\n2. Two.", "overall_assessment": "2.5"}
    review = review_in(shipped("arr"), values)
    assert review.summary == "S" and review.weaknesses == ("One.", "Two.")
    assert review.scores == Scores(rating=2.5)
