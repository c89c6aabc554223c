"""Readers of what ``review_form`` writes, for round trips."""

from __future__ import annotations

from engine.errors import BadInput
from engine.exchange.jsontext import parse_json
from engine.exchange.review_form import _TITLE, STATEMENT, ReviewForm, _plain


def read_note(text: str, name: str, form: ReviewForm) -> tuple[dict[str, str], tuple[str, ...]]:
    """What a note says of a form's fields, and the names of fields that the form does not have.

    Raises BadInput where it is no note.
    """
    found = parse_json(text, name)
    content = found.get("content", found) if isinstance(found, dict) else None
    if not isinstance(content, dict):
        raise BadInput(f"{name} is no OpenReview note.", "Nothing was imported.")
    values: dict[str, str] = {}
    unknown: list[str] = []
    for key, wrapped in content.items():
        value = wrapped.get("value") if isinstance(wrapped, dict) and "value" in wrapped else wrapped
        if form.field(key) is None:
            unknown.append(key)
        elif value is not None:
            values[key] = "\n".join(map(str, value)) if isinstance(value, list) else _plain(value)
    return values, tuple(unknown)


def read_filled(text: str, form: ReviewForm) -> dict[str, str]:
    """The fields of a form that a Markdown text has headings for; what stands under other headings is not in them."""
    keys = {field.title: field for field in form.fields}
    known = {STATEMENT, *keys}
    marks = [match for match in _TITLE.finditer(text) if match["title"] in known and not match["escape"]]
    ends = [match.start() for match in marks[1:]] + [len(text)]
    values: dict[str, str] = {}
    for match, end in zip(marks, ends, strict=False):
        field = keys.get(match["title"])
        if field is None:
            continue
        value = text[match.end() : end].strip()
        if field.kind in ("choice", "choices"):
            values_of = {option.label: option.value for option in field.options}
            lines = [line.strip().removeprefix("- ") for line in value.split("\n") if line.strip()]
            value = "\n".join(values_of.get(line, line) for line in lines)
        else:
            value = _TITLE.sub(lambda m: m[0][1:] if m["escape"] and m["title"] in known else m[0], value)
        values[field.key] = value
    return values
