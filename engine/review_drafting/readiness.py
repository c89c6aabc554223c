"""Checks before a review is submitted: what isn't in the paper, what the form requires, identifying or harsh
wording."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.documents.places import Places
from engine.errors import BadInput, not_changed
from engine.review_drafting.forms import FormField, ReviewForm, state, unplaced
from engine.review_drafting.grounding import Claim, Decision, GroundedReview, decided_text, ground
from engine.reviews.anonymity import Identifying, IdentityKind
from engine.reviews.wording import check_wording
from engine.statements.verdicts import Verdict, counted_states

Weight = Literal["fix", "look"]
Subject = Literal["claim", "form", "place", "identity", "tone"]
_CERTAIN: frozenset[IdentityKind] = frozenset(("name", "affiliation", "e-mail", "path"))
TELLS: Mapping[IdentityKind, str] = {
    "name": "A name that must not appear.",
    "affiliation": "An affiliation that must not appear.",
    "e-mail": "An e-mail address identifies the reviewer.",
    "link": "A link can reveal its owner or who follows it.",
    "self-citation": "It reveals whose earlier work this is, and so who the reviewer is.",
    "path": "A file path with a user name.",
    "acknowledgement": "It may reveal where the reviewer works.",
    "metadata": "It reveals who created the file.",
}
"""Why words identify a reviewer, or may do so."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about [start, end) of a field, or about the whole field if both are 0.

    ``fix``: it shouldn't be submitted like this; with the subject ``claim`` (a sentence that is contradicted or not
    found) a person has to confirm the export.
    """

    weight: Weight
    subject: Subject
    field: str
    words: str
    detail: str = ""
    start: int = 0
    end: int = 0
    verdict: Verdict | None = None
    """The verdict on a sentence."""


def certain(one: Identifying) -> bool:
    """Returns whether words certainly identify their writer."""
    return one.sure and one.kind in _CERTAIN


def written_fields(form: ReviewForm, values: Mapping[str, str]) -> tuple[FormField, ...]:
    """Returns the text fields of a form that aren't empty."""
    return tuple(f for f in form.fields if f.kind in ("text", "line") and values.get(f.key, "").strip())


def checked(form: ReviewForm, values: Mapping[str, str], places: Places) -> dict[str, GroundedReview]:
    """Checks each written field's sentences against the paper, by the field's key."""
    return {field.key: ground(values[field.key], places) for field in written_fields(form, values)}


def findings(
    form: ReviewForm, values: Mapping[str, str], grounded: Mapping[str, GroundedReview], *, names: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Returns all findings, those to fix first, then in the order of the form. ``names`` must not appear.

    ``grounded`` is the result of ``checked``, or the part of it that is available.
    """
    names = tuple(names)
    found: list[Finding] = []
    for field in form.fields:
        value = values.get(field.key, "")
        problem = state(field, value).problem
        if problem:
            found.append(Finding("fix", "form", field.key, problem))
        review = grounded.get(field.key)
        if review is not None and review.text == value:
            found += _claims(field, review)
        if field.kind in ("text", "line") and value.strip():
            wording = check_wording(value, "reviewer", names)
            found += [
                Finding(
                    "fix" if certain(one) else "look", "identity", field.key,
                    f"{field.title}: “{one.words}”", TELLS[one.kind], one.span.start, one.span.end,
                )
                for one in wording.identity
            ]  # fmt: skip
            found += [
                Finding(
                    "look", "tone", field.key,
                    f"{field.title}: “{value[one.span.start : one.span.end]}”", one.why, one.span.start, one.span.end,
                )
                for one in wording.tone
            ]  # fmt: skip
    found += [
        Finding("look", "form", one.key, f"“{one.title}” isn't in this form.", "Its text isn't exported.")
        for one in unplaced(form, values)
    ]
    return tuple(sorted(found, key=lambda one: (one.weight != "fix", one.subject != "claim")))


def _claims(field: FormField, review: GroundedReview) -> list[Finding]:
    return [
        Finding(
            "fix" if claim.unfounded else "look",
            "claim" if claim.unfounded else "place",
            field.key,
            f"{field.title}: {' '.join(claim.text.split())}",
            f"{claim.verdict.capitalize()}. {claim.why}",
            claim.start,
            claim.end,
            claim.verdict,
        )
        for claim in review.claims
        if claim.open
    ]


def settled(value: str, finding: Finding, places: Places, decision: Decision) -> str:
    """Returns a field's text with one sentence removed or turned into a question, as the user decided.

    Raises BadInput if the sentence is no longer there.
    """
    review = ground(value, places)
    if all((claim.start, claim.end) != (finding.start, finding.end) for claim in review.claims):
        raise not_changed("The sentence has changed in the meantime.", "Check it again.")
    return decided_text(review, {finding.start: decision})


def unfounded(form: ReviewForm, grounded: Mapping[str, GroundedReview]) -> tuple[tuple[FormField, Claim], ...]:
    return tuple(
        (field, claim) for field in form.fields if field.key in grounded for claim in grounded[field.key].unfounded
    )


def require_confirmed(
    form: ReviewForm, values: Mapping[str, str], places: Places, *, confirmed: bool
) -> dict[str, GroundedReview]:
    """Returns ``checked``, before an export.

    Raises BadInput if a sentence is contradicted or not found, and nobody confirmed its export.
    """
    grounded = checked(form, values, places)
    where = unfounded(form, grounded)
    if where and not confirmed:
        named = "; ".join(f"{field.title}: “{' '.join(claim.text.split())[:80]}”" for field, claim in where[:3])
        raise BadInput(
            f"{counted_states(claim.verdict for _, claim in where)}: {named}",
            "Nothing was exported.",
            "Delete each sentence, turn it into a question, correct it, or confirm the export.",
        )
    return grounded
