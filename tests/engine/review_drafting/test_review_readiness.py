"""What to know before a review leaves, what cannot leave, and how the person settles it; versions beside each other."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.places import Places
from engine.documents.records import ParsedDocument
from engine.errors import BadInput
from engine.review_drafting.forms import FormField, Option, ReviewForm
from engine.review_drafting.grounding import decided_text, ground
from engine.review_drafting.history import differences
from engine.review_drafting.readiness import Finding, checked, findings, require_confirmed, settled
from tests.engine.review_drafting.conftest import Read

FORM = ReviewForm(
    id="t",
    title="Test form",
    fields=(
        FormField(key="summary", title="Summary", part="summary", limit=200),
        FormField(key="weaknesses", title="Weaknesses", part="weaknesses"),
        FormField(key="rating", title="Rating", kind="choice", part="rating", options=(Option(value="6"),)),
        FormField(key="ethics", title="Ethics", required=False),
    ),
)
NOTHING = Places(ParsedDocument("0" * 64, (), (), "", 0.0))
"""A paper without a table."""
VALUES = {
    "summary": "The careful reader reaches 91.4% in Table 1.",
    "weaknesses": (
        "- Table 7 shows that the method fails.\n- The authors do not report the training time.\n"
        "- Write to ben@example.org, this is nonsense.\n"
    ),
    "rating": "",
}


@pytest.fixture
def places(clean: Read) -> Places:
    return clean.paper.places


def _findings(values: dict[str, str], places: Places) -> tuple[Finding, ...]:
    return findings(FORM, values, checked(FORM, values, places))


def test_what_stands_in_the_way_comes_first(places: Places) -> None:
    found = _findings(VALUES, places)
    assert [(one.weight, one.subject, one.field) for one in found[:3]] == [
        ("fix", "claim", "weaknesses"),
        ("fix", "identity", "weaknesses"),
        ("fix", "form", "rating"),
    ]
    assert found[0].detail == "Not found. Table 7 isn't in the paper."
    unchecked = _findings({**VALUES, "summary": "The experiments are not convincing."}, places)
    assert [one.words for one in unchecked if one.subject == "place"] == [
        "Summary: The experiments are not convincing."
    ]
    assert all(VALUES[one.field][one.start : one.end] for one in found if one.subject != "form")
    assert "ben@example.org" in found[1].words
    assert not [one for one in found if one.field in ("summary", "ethics")], "what is verified or optional is no matter"


def test_names_that_must_not_leave_are_found(places: Places) -> None:
    values = {**VALUES, "summary": "As Rita Exampleton wrote, letters are long."}
    grounded = checked(FORM, values, places)
    heard = findings(FORM, values, grounded, names=["Rita Exampleton"])
    assert any(one.subject == "identity" and "Exampleton" in one.words for one in heard)


def test_what_was_checked_before_the_text_changed_does_not_count(places: Places) -> None:
    grounded = checked(FORM, VALUES, places)
    changed = {**VALUES, "weaknesses": "Nothing."}
    assert not [one for one in findings(FORM, changed, grounded) if one.subject in ("claim", "place")]


def test_what_is_not_found_leaves_only_confirmed_and_the_person_settles_it(places: Places) -> None:
    with pytest.raises(BadInput, match="1 not found: Weaknesses: “Table 7"):
        require_confirmed(FORM, VALUES, places, confirmed=False)
    assert "weaknesses" in require_confirmed(FORM, VALUES, places, confirmed=True)
    red = _findings(VALUES, places)[0]
    dropped = settled(VALUES["weaknesses"], red, places, "drop")
    assert dropped.startswith("- The authors do not report"), "the empty item goes with its sentence"
    assert "weaknesses" in require_confirmed(FORM, {**VALUES, "weaknesses": dropped}, places, confirmed=False)
    asked = settled(VALUES["weaknesses"], red, places, "question")
    assert asked.startswith("- Could the authors clarify whether Table 7 shows that the method fails?\n- The authors")
    assert "weaknesses" in require_confirmed(FORM, {**VALUES, "weaknesses": asked}, places, confirmed=False)
    with pytest.raises(BadInput, match="The sentence has changed in the meantime"):
        settled("- Something else stands here now.", red, places, "drop")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(["Table 7 is odd.", "The text is clear.", "\n", "- ", "> ", " ", "Why?"]), max_size=12))
def test_whatever_is_dropped_the_rest_stays(parts: list[str]) -> None:
    text = "".join(parts)
    review = ground(text, NOTHING)
    left = decided_text(review, {claim.start: "drop" for claim in review.unfounded})
    again = ground(left, NOTHING)
    assert not again.unfounded
    kept = Counter(claim.text.strip() for claim in review.claims if not claim.unfounded)
    assert all(left.count(words) >= number for words, number in kept.items())


def test_differences_follow_the_form() -> None:
    before = {"summary": "One.", "rating": "6", "odd": "x"}
    after = {"summary": "Two.", "rating": "6", "weaknesses": "New.", "odd": ""}
    found = differences(before, after, [field.key for field in FORM.fields])
    assert [(d.field, d.before, d.after) for d in found] == [
        ("summary", "One.", "Two."),
        ("weaknesses", "", "New."),
        ("odd", "x", ""),
    ]
