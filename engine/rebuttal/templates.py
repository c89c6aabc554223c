"""Templates of canonical rebuttals: validation, reading and writing, and the starter library."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from engine.errors import not_imported
from engine.rebuttal.records import ACTIONS, REGISTERS, STARTER, Template
from engine.reviews.labels.taxonomy import layer

FORMAT = 1
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FIELDS = frozenset(
    {"id", "action", "roots", "themes", "text", "register", "provenance", "version", "score", "note", "library"}
)
LONGEST = 600
"""Maximum characters of a template, since a canonical rebuttal is short."""


def roots() -> tuple[str, ...]:
    return tuple(option.id for option in layer("aspect").labels)


def themes() -> tuple[str, ...]:
    return tuple(option.id for option in layer("theme").labels)


def problems(template: Template) -> tuple[str, ...]:
    """Returns what is wrong with a template, as phrases; empty if it is valid."""
    found = []
    if not _ID.fullmatch(template.id):
        found.append("its id must consist of lower-case letters, digits and single hyphens")
    if template.action not in ACTIONS:
        found.append(f"“{template.action}” isn't a rebuttal action")
    found += [f"“{root}” isn't an aspect" for root in template.roots if root not in roots()]
    found += [f"“{theme}” isn't a theme" for theme in template.themes if theme not in themes()]
    if template.register not in REGISTERS:
        found.append(f"“{template.register}” isn't a register")
    if template.version < 1:
        found.append("its version is below 1")
    text = template.text
    if not text.strip():
        found.append("it has no text")
    elif text != text.strip() or "  " in text or "\n" in text:
        found.append("its text must be one paragraph with single spaces")
    if len(text) > LONGEST:
        found.append(f"its text is longer than {LONGEST} characters")
    return tuple(found)


def template_of(entry: Mapping[str, Any], *, library: str) -> Template:
    """Creates a template from a mapping of plain values (TOML, JSON). Raises BadInput with what is wrong."""
    unknown = sorted(set(entry) - _FIELDS)
    name = f"The template “{entry.get('id', '')}”"
    if unknown:
        raise not_imported(f"{name} has an unknown field: {unknown[0]}.")
    try:
        made = Template(
            id=str(entry["id"]),
            action=entry["action"],
            text=str(entry["text"]),
            roots=_words(entry.get("roots", ())),
            themes=_words(entry.get("themes", ())),
            register=entry.get("register", "neutral"),
            provenance=str(entry.get("provenance", "")),
            version=int(entry.get("version", 1)),
            library=library,
            score=None if entry.get("score") is None else float(entry["score"]),
            note=str(entry.get("note", "")),
        )
    except KeyError as error:
        raise not_imported(f"{name} has no field “{error.args[0]}”.") from error
    except (TypeError, ValueError) as error:
        raise not_imported(f"{name} has a field with the wrong type: {error}.") from error
    wrong = problems(made)
    if wrong:
        raise not_imported(f"{name} can't be used: {'; '.join(wrong)}.")
    return made


def plain(template: Template) -> dict[str, Any]:
    """Converts a template to plain values for a file, as ``template_of`` reads them. Empty fields are left out."""
    names = ("id", "action", "roots", "themes", "text", "register", "provenance", "version", "note", "score")
    values = {name: getattr(template, name) for name in names}
    plain_values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {name: value for name, value in plain_values.items() if value not in ("", [], None)}


def reworded(template: Template, text: str, by: str) -> Template:
    """Returns the template with a new text, and the editor's name added to its author's. The version doesn't change."""
    words = " ".join(text.split())
    names = template.provenance.split("; changed by ")
    known = not by or by in names
    provenance = template.provenance if known else "; changed by ".join((*filter(None, names), by))
    return replace(template, text=words, provenance=provenance)


def read_toml(content: str, *, library: str) -> tuple[Template, ...]:
    """Reads the templates of a file in the format of ``resources/rebuttals``. Raises BadInput."""
    try:
        found = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise not_imported(f"The file isn't valid TOML: {error}.") from error
    return _templates(found, library)


def _templates(found: Mapping[str, Any], library: str) -> tuple[Template, ...]:
    if found.get("format") != FORMAT:
        raise not_imported(f"The file doesn't start with “format = {FORMAT}”.", "Add it as the first line.")
    return unique([template_of(entry, library=library) for entry in found.get("template", ())])


def unique(templates: Sequence[Template]) -> tuple[Template, ...]:
    """Returns the same templates. Raises BadInput if an id occurs twice."""
    seen: set[str] = set()
    for template in templates:
        if template.id in seen:
            raise not_imported(f"The id “{template.id}” is used twice.")
        seen.add(template.id)
    return tuple(templates)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that reviewers make: ``title`` follows "to", ``sentences`` express it, ``templates`` (ids) answer
    it."""

    id: str
    title: str
    sentences: tuple[str, ...]
    templates: tuple[str, ...]


@cache
def starter() -> tuple[Template, ...]:
    """Returns the bundled library: all files of ``resources/rebuttals``, in the order of their names."""
    return unique([template for file in _shipped() for template in _templates(file, STARTER)])


@cache
def requests() -> tuple[Request, ...]:
    return tuple(
        Request(entry["id"], entry["title"], tuple(entry["sentences"]), tuple(entry["templates"]))
        for file in _shipped()
        for entry in file.get("request", ())
    )


@cache
def _shipped() -> tuple[dict[str, Any], ...]:
    folder = resources.files("resources") / "rebuttals"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda e: e.name)
    return tuple(tomllib.loads(file.read_text(encoding="utf-8")) for file in files)


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise TypeError(f"“{value}” should be a list")
    return tuple(str(word) for word in value)
