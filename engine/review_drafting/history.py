"""Differences between two versions of a review draft, field by field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A changed field with its earlier and later text ("" if empty)."""

    field: str
    before: str
    after: str


def differences(
    before: Mapping[str, str], after: Mapping[str, str], order: Sequence[str] = ()
) -> tuple[FieldDifference, ...]:
    """Returns the changed fields in ``order`` (a form's); fields that aren't in the form come last, by name."""
    places = {key: place for place, key in enumerate(order)}
    keys = sorted({*before, *after}, key=lambda key: (places.get(key, len(places)), key))
    return tuple(
        FieldDifference(key, before.get(key, ""), after.get(key, ""))
        for key in keys
        if before.get(key, "") != after.get(key, "")
    )
