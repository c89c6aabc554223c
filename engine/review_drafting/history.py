"""How a draft of a review changed: field by field, between what was kept of it and what is there now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that says something else: what stood there before and what is there after ("" for nothing)."""

    field: str
    before: str
    after: str


def differences(
    before: Mapping[str, str], after: Mapping[str, str], order: Sequence[str] = ()
) -> tuple[FieldDifference, ...]:
    """The fields that differ, in ``order`` (a form's), fields that the form does not have last by their names."""
    places = {key: place for place, key in enumerate(order)}
    keys = sorted({*before, *after}, key=lambda key: (places.get(key, len(places)), key))
    return tuple(
        FieldDifference(key, before.get(key, ""), after.get(key, ""))
        for key in keys
        if before.get(key, "") != after.get(key, "")
    )
