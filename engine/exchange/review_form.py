"""Reads review forms in OpenReview's JSON; writes filled reviews as OpenReview notes or Markdown.

Supports both API versions: version 2 (``value.param``: type, enum, input, maxLength, minLength, optional, default) and
version 1 (``value-regex``, ``value-radio``, ``value-dropdown``, ``value-checkbox``, ``required``). See
https://docs.openreview.net/reference/api-v2/entities/invitation/specifying-an-invitation-field
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from engine.errors import BadInput
from engine.exchange.jsontext import layout, parse_json
from engine.exchange.review_markdown import field_of, review_of
from engine.review_drafting.form_files import FORMS, folder, form_files
from engine.review_drafting.forms import FieldKind, FormField, Option, ReviewForm, flaw, form_in, shipped
from engine.review_drafting.records import Review
from engine.shown import inert_line, visible_line

_NOTHING = "The form wasn't changed."
_WORDS = re.compile(r"^\s*(?P<value>-?\d+(?:\.\d+)?|[^:]{1,40}):\s*(?P<words>.+)$", re.DOTALL)
_BOUNDS = re.compile(r"\{(?P<least>\d+),(?P<most>\d+)\}")
_TITLE = re.compile(r"^(?P<escape>\\*)## (?P<title>[^\n]+?)[ \t]*$", re.MULTILINE)
STATEMENT = "What was assisted"
"""The heading of the statement after the fields."""
_AREA = 300
"""A text field with a higher limit gets a text area rather than a line."""


def read_form(text: str, name: str) -> ReviewForm:
    """Reads a form from an OpenReview invitation, or from its object of fields alone. Raises BadInput if there is no
    usable form."""
    found = parse_json(text, name)
    content = _content(found)
    if not content:
        raise BadInput(
            f"{name} contains no readable review form.",
            _NOTHING,
            "A form is the JSON of an OpenReview invitation or its object of fields.",
        )
    fields = []
    for key, value in sorted(content.items(), key=_order):
        with layout(f"The field “{key[:80]}” of {name}", "a field of an OpenReview form"):
            if (field := _field(key, value)) is not None:
                fields.append(field)
    if not fields:
        raise BadInput(f"{name} has no fields that can be filled in.", _NOTHING)
    names = [found.get(key) for key in ("title", "id")] if isinstance(found, dict) else []
    title = next((one for one in names if one and isinstance(one, str)), name.rsplit(".", 1)[0])
    form = ReviewForm(id=IMPORTED, title=title.rsplit("/", 1)[-1].replace("_", " "), fields=tuple(fields))
    if problem := flaw(form):
        raise BadInput(f"{name} can't be used as a form. {problem}", _NOTHING)
    return form


IMPORTED = "imported"
"""The id of imported forms, which are stored with the review because their file may change or disappear."""


@dataclass(frozen=True, slots=True)
class OwnForms:
    """The forms in the user's folder by key, and one sentence for each file that couldn't be read."""

    forms: Mapping[str, ReviewForm]
    problems: tuple[str, ...] = ()


def own_forms() -> OwnForms:
    """Reads the user's own forms; unusable files are reported and skipped."""
    forms, problems = {}, []
    for file in form_files():
        problem = file.problem
        try:
            if not problem and isinstance(file.content, dict):
                form = form_in(file.content, IMPORTED)
                problem = flaw(form)
            elif not problem:
                form = read_form(file.content, file.path.name).model_copy(update={"title": file.title})
        except BadInput as error:
            problem = error.what
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            at: list[str] = []
            for part in first["loc"]:  # "fields", 0, "kind"
                at[len(at) - isinstance(part, int) :] = [f"{at[-1][:-1]} {part + 1}" if isinstance(part, int) else part]
            problem = f"{', '.join(at).capitalize()[:200]}: {first['msg']}."
        except (KeyError, TypeError, ValueError, AttributeError):
            problem = (
                "A form has a title, a note and fields. Each [[field]] needs a key and a title. Options are pairs of "
                "a value and its text."
            )
        if problem:
            problems.append(visible_line(f"{file.path.name[:80]}: {problem}"))
        else:
            forms[file.key] = form
    return OwnForms(forms, tuple(problems))


def form_named(key: str) -> ReviewForm:
    """Returns a built-in form or one of the user's own. Raises BadInput that lists the forms and unreadable files."""
    if key in FORMS:
        return shipped(key)
    own = own_forms()
    if key not in own.forms:
        raise BadInput(
            f"There is no form “{key}”. {' '.join(own.problems)}".rstrip(),
            "Nothing was drafted.",
            f"The forms are {', '.join((*FORMS, *own.forms))}. Your own forms are files in {folder()}.",
        )
    return own.forms[key]


def _content(found: Any) -> dict[str, Any]:
    """Returns the fields, at any of their possible places in an invitation."""
    if not isinstance(found, dict):
        return {}
    for path in (("edit", "note", "content"), ("reply", "content"), ("note", "content"), ("content",)):
        inner: Any = found
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict) and any(_is_field(value) for value in inner.values()):
            return inner
    return found if any(_is_field(value) for value in found.values()) else {}


def _is_field(value: Any) -> bool:
    return isinstance(value, dict) and (
        (isinstance(value.get("value"), dict) and "param" in value["value"])
        or any(str(key).startswith("value-") for key in value)
    )


def _order(item: tuple[str, Any]) -> tuple[float, str]:
    order = item[1].get("order") if isinstance(item[1], dict) else None
    return (float(order) if isinstance(order, (int, float)) else 1e9, item[0])


def _field(key: str, value: Any) -> FormField | None:
    if not _is_field(value):
        return None
    about: dict[str, Any] = {
        "key": key,
        "title": _title(key),
        "help": str(value.get("description") or ""),
        "part": field_of(key.replace("_", " ")) or "",
    }
    if isinstance(value.get("value"), dict):
        return _second(about, value["value"]["param"])
    return _first(about, value)


def _second(about: dict[str, Any], param: Mapping[str, Any]) -> FormField | None:
    if param.get("const") is not None or "hidden" in str(param.get("input")):
        return None
    choices = param.get("enum") or param.get("items")
    several = str(param.get("type", "")).endswith("[]") or param.get("input") == "checkbox"
    kind: FieldKind = ("choices" if several else "choice") if choices else "text"
    limit = _whole(param.get("maxLength"))
    if kind == "text" and param.get("input") == "text" and (limit or _AREA) <= _AREA:
        kind = "line"
    return FormField(
        **about,
        kind=kind,
        required=not param.get("optional", False),
        limit=limit,
        least=_whole(param.get("minLength")),
        options=tuple(_option(choice) for choice in choices or ()),
        markdown=bool(param.get("markdown", False)),
    )


def _first(about: dict[str, Any], value: Mapping[str, Any]) -> FormField:
    choices = value.get("value-radio") or value.get("value-dropdown") or value.get("value-checkbox")
    if isinstance(choices, str):
        choices = [choices]
    bounds = _BOUNDS.search(str(value.get("value-regex", "")))
    return FormField(
        **about,
        kind=("choices" if "value-checkbox" in value else "choice") if choices else "text",
        required=bool(value.get("required", True)),
        limit=int(bounds["most"]) if bounds else None,
        least=(int(bounds["least"]) or None) if bounds else None,
        options=tuple(_option(choice) for choice in choices or ()),
        markdown=bool(value.get("markdown", False)),
    )


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and value >= 1 else None


def _option(choice: Any) -> Option:
    if isinstance(choice, dict):
        return Option(value=_plain(choice.get("value")), words=str(choice.get("description") or ""))
    text = _plain(choice)
    match = _WORDS.match(text)
    # Version 1 submits "8: accept" as a whole, so the value is the whole text.
    return Option(value=text) if match is None or isinstance(choice, str) else Option(value=match["value"])


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _title(key: str) -> str:
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def write_note(form: ReviewForm, values: Mapping[str, str]) -> str:
    """Writes a filled form as the content of an OpenReview note (version 2), without empty fields. A numeric choice
    becomes a number, as forms with numeric scales require; multiple choices become a list."""
    content: dict[str, dict[str, Any]] = {}
    for field in form.fields:
        value = values.get(field.key, "").strip()
        if not value:
            continue
        if field.kind == "choices":
            content[field.key] = {"value": [part for part in value.split("\n") if part]}
        elif field.kind == "choice" and re.fullmatch(r"-?\d+(?:\.\d+)?", value):
            number = float(value)
            content[field.key] = {"value": int(number) if number.is_integer() else number}
        else:
            content[field.key] = {"value": value}
    return json.dumps({"content": content}, ensure_ascii=False, indent=2) + "\n"


def write_filled(form: ReviewForm, values: Mapping[str, str], title: str = "", statement: str = "") -> str:
    """Writes a filled form as Markdown: a heading and the content for each field that isn't empty, then ``statement``.
    Choices are written with their description. Lines that look like one of the headings are escaped."""
    titles = {STATEMENT, *(field.title for field in form.fields)}
    parts = [f"# {inert_line(title)}"] if title else []
    for field in form.fields:
        value = values.get(field.key, "").strip()
        if not value:
            continue
        if field.kind in ("choice", "choices"):
            labels = {option.value: option.label for option in field.options}
            value = "\n".join(f"- {labels.get(one, one)}" for one in value.split("\n") if one)
            value = value[2:] if field.kind == "choice" else value
        else:
            value = _TITLE.sub(lambda m: f"\\{m[0]}" if m["title"] in titles else m[0], value)
        parts.append(f"## {field.title}\n\n{value}")
    if statement.strip():
        parts.append(f"## {STATEMENT}\n\n{statement.strip()}")
    return "\n\n".join(parts) + "\n"


def review_in(form: ReviewForm, values: Mapping[str, str]) -> Review:
    """Converts the fields of a filled form that have a part in the common schema to a review."""
    return review_of({field.part: values.get(field.key, "") for field in form.fields if field.part})
