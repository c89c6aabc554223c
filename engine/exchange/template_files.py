"""Reads and writes template libraries as JSON Lines, CSV and TOML, and in the JitsuPeer folder layout."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from engine.errors import not_imported
from engine.exchange.encoding import read_text
from engine.exchange.io import csv_text, parse_table
from engine.exchange.jitsupeer import is_collection, read_collection, write_collection
from engine.exchange.jsontext import parse_json_lines
from engine.exchange.records import Export, ExportFile
from engine.rebuttal.canonical.records import CanonicalCollection, CanonicalRebuttal
from engine.rebuttal.preferences.ranking import canonicity
from engine.rebuttal.records import ACTIONS, Template
from engine.rebuttal.templates import FORMAT, plain, problems, read_toml, roots, template_of, themes, unique
from engine.shown import counted

TemplateFormat = Literal["jsonl", "csv", "toml", "jitsupeer"]
COLUMNS = ("id", "action", "roots", "themes", "text", "register", "provenance", "version", "score", "note")
_LISTS = ("roots", "themes")
_ENDINGS = (".jsonl", ".csv", ".toml")
_UNFIT = re.compile(r"[^\w\- ]+")
"""Characters that are replaced in file names."""


@dataclass(frozen=True, slots=True)
class TemplatesRead:
    """The templates of a file, with warnings about what was left out."""

    templates: tuple[Template, ...]
    warnings: tuple[str, ...] = ()


def read_templates(path: Path, library: str) -> TemplatesRead:
    """Reads the templates of a JitsuPeer folder, or of a file by its ending: .toml, .csv, anything else is JSON Lines.
    Raises BadInput if it can't be read."""
    if path.is_dir():
        if not is_collection(path):
            raise not_imported(f"{path.name} isn't a folder of canonical rebuttals.")
        return _from_collection(read_collection(path), library)
    text = read_text(path).text
    if path.suffix == ".toml":
        return TemplatesRead(read_toml(text, library=library))
    if path.suffix == ".csv":
        return TemplatesRead(read_csv(text, path.name, library))
    return TemplatesRead(read_jsonl(text, path.name, library))


def library_files(path: Path) -> tuple[Path, ...]:
    """Returns the paths from which to read a library or a folder of libraries: the path itself if it is a file or a
    JitsuPeer folder, otherwise the folder's files with known endings, by name. Raises BadInput if there are none."""
    if not path.is_dir() or is_collection(path):
        return (path,)
    found = sorted(entry for entry in path.iterdir() if entry.is_file() and entry.suffix in _ENDINGS)
    if not found:
        raise not_imported(
            f"{path.name} contains no template library.",
            "A library is a .jsonl, .csv or .toml file, or a folder in the JitsuPeer layout.",
        )
    return tuple(found)


def read_jsonl(text: str, name: str, library: str) -> tuple[Template, ...]:
    """Reads one template per line, with the fields of ``COLUMNS``. Raises BadInput."""
    return unique([template_of(record, library=library) for record in parse_json_lines(text, name)])


def read_csv(text: str, name: str, library: str) -> tuple[Template, ...]:
    """Reads one template per row; several roots or themes are separated by ``; ``. Raises BadInput."""
    found = []
    for _, row in parse_table(text, name).records(("id", "action", "text")):
        entry: dict[str, Any] = {k: v for k, v in row.items() if k in COLUMNS and v}
        for column in _LISTS:
            entry[column] = [word.strip() for word in entry.get(column, "").split(";") if word.strip()]
        found.append(template_of(entry, library=library))
    return unique(found)


def write_templates(templates: Sequence[Template], format_: TemplateFormat, stem: str = "templates") -> Export:
    """Writes templates in a format. CSV, JSON Lines and TOML keep everything but the library's name."""
    if format_ == "jitsupeer":
        return _to_collection(templates)
    if format_ == "jsonl":
        made = "".join(json.dumps(plain(template), ensure_ascii=False) + "\n" for template in templates)
    else:
        made = (_csv if format_ == "csv" else _toml)(templates)
    content = made.encode("utf-8-sig" if format_ == "csv" else "utf-8")
    twice = sum(n - 1 for n in Counter(template.id for template in templates).values())
    shared = counted(twice, "template shares its id", "templates share their id")
    loss = (f"{shared} with another, so the file can't be read back as it is.",) if twice else ()
    return Export((ExportFile(f"{stem}.{format_}", content),), loss)


def write_libraries(templates: Sequence[Template], format_: TemplateFormat) -> Export:
    """Like ``write_templates``, with one file per library, named after it so that it can be imported under the same
    name. The JitsuPeer layout combines all libraries."""
    if format_ == "jitsupeer":
        return write_templates(templates, format_)
    files: list[ExportFile] = []
    for library in dict.fromkeys(template.library for template in templates):
        stem = _free_stem(_UNFIT.sub("-", library).strip() or "templates", [file.name for file in files])
        own = [template for template in templates if template.library == library]
        files += write_templates(own, format_, stem).files
    return Export(tuple(files))


def _free_stem(stem: str, taken: Sequence[str]) -> str:
    """Returns the stem, with a number appended if one of the names already has it; case is ignored."""
    held = {name.rpartition(".")[0].casefold() for name in taken}
    number, found = 1, stem
    while found.casefold() in held:
        number += 1
        found = f"{stem}-{number}"
    return found


def _csv(templates: Sequence[Template]) -> str:
    rows = (
        ["; ".join(v) if isinstance(v := entry.get(name, ""), list) else v for name in COLUMNS]
        for entry in map(plain, templates)
    )
    return csv_text(rows, COLUMNS, line_end="\r\n")


def _toml(templates: Sequence[Template]) -> str:
    lines = [f"format = {FORMAT}"]
    for template in templates:
        lines += ["", "[[template]]"]
        lines += [f"{name} = {_toml_value(value)}" for name, value in plain(template).items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    # JSON strings, numbers and lists of strings are valid TOML except for DEL, which TOML requires to be escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _from_collection(collection: CanonicalCollection, library: str) -> TemplatesRead:
    """Converts canonical and scored rebuttals to templates. Scores, of which lower is more canonical, are converted to
    the canonicity within their cluster."""
    ranked: dict[tuple[str, str, str], list[float]] = {}
    for one in collection.scored:
        ranked.setdefault((one.root, one.theme, one.action), []).append(1.0 if one.score is None else one.score)
    canonicities = {key: dict(zip(scores, canonicity(scores), strict=True)) for key, scores in ranked.items()}
    found: dict[tuple[str, str, str, str], Template] = {}
    left_out = 0
    numbers: Counter[str] = Counter()
    for one in (*collection.canonical, *collection.scored):
        text = " ".join(one.text.split())
        key = (one.root, one.theme, one.action, text)
        score = None if one.score is None else canonicities[one.root, one.theme, one.action][one.score]
        if key in found:
            if score is not None:
                found[key] = replace(found[key], score=score)
            continue
        stem = "-".join(part.replace("_", "-") for part in (one.root, one.theme, one.action) if part)
        numbers[stem] += 1
        made = Template(
            f"{stem}-{numbers[stem]}",
            one.action,  # type: ignore[arg-type]
            text,
            (one.root,) if one.root in roots() else (),
            (one.theme,) if one.theme in themes() else (),
            provenance="JitsuPeer layout",
            library=library,
            score=score,
        )
        if one.action not in ACTIONS or problems(made):
            left_out += 1
        else:
            found[key] = made
    warnings = collection.warnings
    if left_out:
        warnings = (
            *warnings,
            f"{counted(left_out, 'rebuttal was', 'rebuttals were')} left out: too long, or with an action that "
            "templates can't have.",
        )
    return TemplatesRead(tuple(found.values()), warnings)


def _to_collection(templates: Sequence[Template]) -> Export:
    canonical = []
    without = 0
    for template in templates:
        if not template.roots or not template.themes:
            without += 1
        canonical += [
            CanonicalRebuttal(root, theme, template.action, template.text)
            for root in template.roots
            for theme in template.themes
        ]
    scored = [
        CanonicalRebuttal(root, theme, template.action, template.text, 1 - template.score)
        for template in templates
        if template.score is not None
        for root in template.roots
        for theme in template.themes
    ]
    files = write_collection(CanonicalCollection((), tuple(canonical), tuple(scored)))
    sentences = ["The layout has no place for ids, registers, notes, versions and provenance."]
    if scored:
        sentences.append(
            "Scores are written as 1 minus the template's score, so lower is more canonical. Only their order in a "
            "cluster is read back."
        )
    if without:
        sentences.append(f"{counted(without, 'template')} for any root or any theme left out.")
    return Export(tuple(ExportFile(name, text.encode()) for name, text in files.items()), tuple(sentences))
