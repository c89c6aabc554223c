"""The review forms of venues: their fields, limits and scales.

A form says which fields a review has, not what a good one is. ``part`` maps a field to the common schema, so that
drafts can move between forms and into the benchmark.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from pydantic import Field

from engine.resource_files import resource_table
from engine.review_drafting.form_files import FORMS
from engine.review_drafting.records import Ask, Record
from engine.reviews.limits import Unit, count, unit_name
from engine.shown import visible, visible_line

FieldKind = Literal["text", "choice", "line", "choices"]
Part = Literal[
    "summary", "strengths", "weaknesses", "questions", "soundness", "presentation", "contribution", "confidence",
    "rating", "decision", "",
]  # fmt: skip
SHIPPED = tuple(FORMS)


Scale = Mapping[str, tuple[float, float]]
"""Lowest and highest value of each numeric field."""
ICLR: Scale = {
    "soundness": (1, 4), "presentation": (1, 4), "contribution": (1, 4), "confidence": (1, 5), "rating": (1, 10),
}  # fmt: skip
"""The scale of the common schema, in which all scores are stored."""


class Option(Record):
    """A choice: the stored value, and its words ("" if the value is enough)."""

    value: str
    words: str = ""

    @property
    def label(self) -> str:
        return f"{self.value}: {self.words}" if self.words else self.value


class FormField(Record):
    """A field of a form. ``limit`` and ``least`` count ``unit``; None if the venue doesn't specify them."""

    key: str = Field(min_length=1)
    title: str
    kind: FieldKind = "text"
    help: str = ""
    part: Part = ""
    required: bool = True
    limit: int | None = Field(default=None, ge=1)
    least: int | None = Field(default=None, ge=1)
    unit: Unit = "code points"
    options: tuple[Option, ...] = ()
    markdown: bool = True


_ASKS: Mapping[Ask, str] = {
    "reproducibility": r"\breproduc|\breplic|\bcode (?:or|and) data\b|\bdata (?:or|and) code\b|\bstatistic"
}


class ReviewForm(Record):
    """A venue's form; ``id`` is 'imported' for one from a user's file."""

    id: str
    title: str
    fields: tuple[FormField, ...] = Field(min_length=1)
    note: str = ""

    def field(self, key: str) -> FormField | None:
        return next((field for field in self.fields if field.key == key), None)

    @property
    def asks(self) -> tuple[Ask, ...]:
        """The questions in its fields that a paper may be expected to answer."""
        return tuple(
            ask
            for ask, pattern in _ASKS.items()
            if any(re.search(pattern, f"{field.title} {field.help}", re.IGNORECASE) for field in self.fields)
        )

    def of_part(self, part: str) -> FormField | None:
        """Returns the first field for a part of the common schema."""
        return next((field for field in self.fields if field.part == part), None)


class FieldState(Record):
    """The state of a field: its length in its unit, and what keeps it from being submitted ("" if nothing)."""

    spent: int
    problem: str = ""


@cache
def shipped(key: str) -> ReviewForm:
    """Returns a bundled form. Raises KeyError."""
    if key not in SHIPPED:
        raise KeyError(key)
    return form_in(resource_table(f"review_forms/{key}.toml"), key)


def form_in(content: Mapping[str, Any], key: str) -> ReviewForm:
    """Returns the form in the table of a TOML file, with the id ``key``.

    Raises KeyError, TypeError, ValueError or AttributeError if it isn't one.
    """
    if not content.keys() <= {"title", "note", "field"}:
        raise KeyError("only title, note and fields")
    fields = [
        {**field, "options": [dict(zip(("value", "words"), _option(*given), strict=True)) for given in options]}
        for field in content["field"]
        for options in [field.get("options", ())]
    ]
    return ReviewForm.model_validate(
        {**{k: v for k, v in content.items() if k != "field"}, "id": key, "fields": fields}
    )


def _option(value: object, words: object = "") -> tuple[object, object]:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:g}" if number else value, words


FIELDS, OPTIONS, LETTERS, LONGEST = 100, 200, 10_000, 1_000_000
"""The maximum number of fields of a form, options of a field and characters of a text in a form, and the highest limit
of a field."""


def flaw(form: ReviewForm) -> str:
    """Returns what is wrong with an external form; "" if nothing is."""
    keys = [field.key for field in form.fields]
    if len(keys) > FIELDS:
        return f"It has more than {FIELDS} fields."
    if twice := next((key for key in keys if keys.count(key) > 1), ""):
        return f"Two fields have the key “{twice[:80]}”."
    for field in form.fields:
        name, values = f"The field “{visible_line(field.key[:80])}”", [option.value for option in field.options]
        texts = [field.key, field.title, *values, *(option.words for option in field.options)]
        if any(visible_line(text) != text for text in texts) or visible(field.help) != field.help:
            return f"{name} has control characters or line breaks where they aren't allowed."
        if max(map(len, [*texts, field.help])) > LETTERS or len(values) > OPTIONS:
            return f"{name} is too long."
        if bool(values) != (field.kind in ("choice", "choices")):
            return f"{name} has options but isn't a choice." if values else f"{name} is a choice without options."
        if not field.title.strip() or len(set(values)) < len(values) or not all(value.strip() for value in values):
            return f"{name} has no title, or an option that is empty or duplicated."
        if (field.limit or LONGEST) < (field.least or 0) or max(field.limit or 0, field.least or 0) > LONGEST:
            return f"{name} has a limit that no text can meet."
    return ""


def scale_of(name: str) -> Scale:
    """Returns a scale by name: ReviewBench's (section 3.1) or that of a form, with ICLR's for missing fields.

    Raises KeyError.
    """
    if name == "reviewbench":
        return {field: (1, 10 if field == "rating" else 5) for field in ICLR}
    found = dict(ICLR)
    for field in shipped(name).fields:
        values = [float(option.value) for option in field.options if field.part in ICLR]
        if values and field == shipped(name).of_part(field.part):
            found[field.part] = (min(values), max(values))
    return found


def converted(value: float, field: str, of: Scale, to: Scale) -> float:
    """Converts a score from one scale to another: the same fraction of the way from the lowest value to the highest."""
    (low, high), (bottom, top) = of[field], to[field]
    if (low, high) == (bottom, top):
        return value  # avoids rounding
    return bottom + (value - low) * (top - bottom) / (high - low)


def form_of(key: str, content: str = "") -> ReviewForm:
    """Returns the form of a draft: a bundled one, or an imported one from its ``content`` as JSON. Raises KeyError."""
    return ReviewForm.model_validate_json(content) if content else shipped(key)


def state(field: FormField, value: str) -> FieldState:
    spent = count(value, field.unit)
    if not value.strip():
        return FieldState(spent=0, problem=f"“{field.title}” is empty." if field.required else "")
    if field.kind == "choice" and field.options and value not in {option.value for option in field.options}:
        return FieldState(spent=spent, problem=f"“{field.title}” has no choice “{value}”.")
    if field.limit is not None and spent > field.limit:
        over = spent - field.limit
        return FieldState(spent=spent, problem=f"“{field.title}” is {over:,} {unit_name(field.unit, over)} too long.")
    if field.least is not None and spent < field.least:
        return FieldState(spent=spent, problem=f"“{field.title}” needs {field.least:,} {unit_name(field.unit, 2)}.")
    return FieldState(spent=spent)


def carried_over(old: ReviewForm, new: ReviewForm, values: Mapping[str, str]) -> dict[str, str]:
    """Returns values of one form for another, matched by key or by part, with "" for fields that they move from; values
    without a place in the new form aren't included, nor are strengths and weaknesses in one text if it has a field for
    each.

    Several texts for one field are concatenated, with their titles as headings. A choice that the new form doesn't
    offer in the same words becomes a separate text, named after the old form, and a choice again in a form of that
    name.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    moved = dict[str, str]()
    for field in old.fields:
        value = values.get(field.key, "")
        target = new.field(field.key) or (new.of_part(field.part) if field.part else None)
        if field.part == "strengths" and target is None:
            target = new.of_part("weaknesses")
        both = field.part == "weaknesses" and "strengths" in field.key and new.of_part("strengths") is not None
        if not value.strip() or target is None or (both and target.key != field.key):  # a person divides it
            continue
        if target.kind in ("choice", "choices"):
            chosen = next((one for one in field.options if one.value == value), None)
            # "2: fair" of one scale isn't "2: poor" of another.
            if field.options != target.options and chosen not in target.options:
                moved |= {field.key: "", f"{field.title} ({old.title})": chosen.label if chosen is not None else value}
                continue
        found.setdefault(target.key, []).append((field.title, value))
        moved[field.key] = ""
    for field in new.fields:
        kept = f"{field.title} ({new.title})"
        again = [one.value for one in field.options if one.label == values.get(kept)]
        if again and field.key not in found:
            found[field.key] = [(field.title, again[0])]
            moved[kept] = ""
    return moved | {
        key: texts[0][1] if len(texts) == 1 else "\n\n".join(f"**{title}**\n\n{text}" for title, text in texts)
        for key, texts in found.items()
    }


def unplaced(form: ReviewForm, values: Mapping[str, str]) -> tuple[FormField, ...]:
    """Returns a field for each value without a place in the form: text from another form, which isn't exported."""
    return tuple(
        FormField(key=key, title=f"{key[:1].upper()}{key[1:].replace('_', ' ')}", required=False)
        for key, value in values.items()
        if value.strip() and form.field(key) is None
    )
