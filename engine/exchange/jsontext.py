"""Reads JSON and JSON Lines of other programs with size limits and errors that give the position."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.errors import BadInput, not_imported
from engine.exchange import limits

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, name: str, *, finite: bool = False) -> Any:
    """Parses a JSON document. Lone surrogates, which can't be stored in files, become replacement characters.
    ``finite`` rejects NaN and Infinity, which Python writes but JSON doesn't allow.

    Raises BadInput, with line and column, if it is invalid, nested too deeply or larger than ``limits``.
    """
    limits.check_size(sum(map(text.count, ",:[{")), limits.JSON_VALUES, name, "values")
    try:
        found = json.loads(text, parse_constant=_refused if finite else None)
        _check_depth(text, found)
        return _storable(found) if _has_surrogates(text) else found
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        what = error.msg.removesuffix(" at").removesuffix(" starting").rstrip(": ")
        cut = error.pos >= len(text.rstrip()) or what.startswith("Unterminated")
        means = " The file seems to be incomplete." if cut and text.strip() else ""
        raise not_imported(f"{name} isn't valid JSON: {what} ({where}).{means}", "Export the file again.") from error
    except RecursionError as error:
        raise not_imported(f"{name} is nested too deeply to read.", "Export the file again.") from error
    except ValueError as error:  # e.g. Python rejects integers of more than 4,300 digits
        raise not_imported(f"{name} contains an unusable number.", "Export the file again.") from error


def _refused(constant: str) -> None:
    raise ValueError(constant)


def try_json(text: str) -> Any:
    """Like ``parse_json``, but returns None for anything unreadable; used to detect file formats."""
    try:
        return parse_json(text, "")
    except BadInput:
        return None


def json_lines(text: str, name: str, bad: list[str] | None = None) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields line number, line and object of a file with one JSON object per line; empty lines are skipped. Other lines
    raise BadInput, or are skipped and described in ``bad`` if it is given."""
    limits.check_size(text.count("\n"), limits.JSON_LINES, name, "lines")
    limits.check_size(sum(map(text.count, ",:[{")), limits.JSON_VALUES, name, "values")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line, f"{name}, line {number}")
            if not isinstance(record, dict):
                raise not_imported(
                    f"{name}, line {number} isn't a JSON object.", "Each line must contain one JSON object."
                )
        except BadInput as error:
            if bad is None:
                raise
            bad.append(f"{error.what} The line was left out.")
            continue
        yield number, line, record


def parse_json_lines(text: str, name: str, bad: list[str] | None = None) -> list[dict[str, Any]]:
    """Returns the objects of ``json_lines``."""
    return [record for _, _, record in json_lines(text, name, bad)]


def json_records(text: str) -> list[Any] | None:
    """Returns a list of the one document, or of JSON Lines' objects; None if at least half the lines aren't objects."""
    if (document := try_json(text)) is not None:
        return [document]
    lines = [try_json(line) for line in text.split("\n") if line.strip()]
    records = [record for record in lines if isinstance(record, dict)]
    return records if 2 * len(records) > len(lines) else None


@contextmanager
def layout(where: str, expected: str) -> Iterator[None]:
    """Converts exceptions caused by missing or wrong values in external records to BadInput that says where.
    ``expected`` describes what the record should be."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        what = f"“{error.args[0]}” is missing" if isinstance(error, KeyError) and error.args else str(error)
        raise not_imported(f"{where} isn't {expected}: {what}.", "Check that you chose the right file.") from error


def text_of(value: Any) -> str:
    """Returns text unchanged, "" for None, and anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _check_depth(text: str, document: Any) -> None:
    """Raises RecursionError if lists and objects are nested too deeply for code that recurses into them."""
    if text.count("[") + text.count("{") <= limits.JSON_DEPTH:
        return
    level = [document]
    for _ in range(limits.JSON_DEPTH):
        held = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for several in held for one in several if one.__class__ in (dict, list)]
        if not level:
            return
    raise RecursionError


def _has_surrogates(text: str) -> bool:
    """Returns whether JSON spells a surrogate, alone or as half of a pair."""
    try:
        text.encode()  # many times faster than looking for one
    except UnicodeEncodeError:
        return True
    return "\\u" in text and _ESCAPED.search(text) is not None


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return value
