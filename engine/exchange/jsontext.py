"""JSON and JSON Lines of other programs: read with limits and with errors that say where, and looked into safely."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.errors import BadInput, not_imported
from engine.exchange import limits

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""How JSON can spell a surrogate, alone or as half of a character."""


def parse_json(text: str, name: str, *, finite: bool = False) -> Any:
    """A JSON document. Lone surrogates, which no file can hold, become replacement characters. ``finite``: NaN
    and Infinity, which Python writes and JSON does not know, are refused.

    Raises BadInput, with line and column: it is no JSON, nested deeper or larger than ``limits``.
    """
    limits.check_size(sum(map(text.count, ",:[{")), limits.JSON_VALUES, name, "values")
    try:
        found = json.loads(text, parse_constant=_refused if finite else None)
        _check_depth(text, found)
        return _storable(found) if _ESCAPED.search(text) else found
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise not_imported(f"{name} isn't valid JSON: {error.msg} ({where}).", "Export the file again.") from error
    except RecursionError as error:
        raise not_imported(f"{name} is nested too deeply to read.", "Export the file again.") from error
    except ValueError as error:  # Python refuses whole numbers of more than 4,300 digits
        raise not_imported(f"{name} contains an unusable number.", "Export the file again.") from error


def _refused(constant: str) -> None:
    raise ValueError(constant)


def try_json(text: str) -> Any:
    """As ``parse_json``, but None for what is no JSON: for telling kinds of files apart."""
    try:
        return parse_json(text, "")
    except BadInput:
        return None


def json_lines(text: str, name: str, bad: list[str] | None = None) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """JSON objects, one a line, empty lines skipped: line number, the line, the object. A line that is none raises
    BadInput, or is left out and described in ``bad`` where that is given.
    """
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
    """The objects of ``json_lines``."""
    return [record for _, _, record in json_lines(text, name, bad)]


def json_records(text: str) -> list[Any] | None:
    """The document alone, or the lines of JSON Lines that can be read; None where most cannot."""
    if (document := try_json(text)) is not None:
        return [document]
    lines = [try_json(line) for line in text.split("\n") if line.strip()]
    records = [record for record in lines if isinstance(record, dict)]
    return records if 2 * len(records) > len(lines) else None


@contextmanager
def layout(where: str, expected: str) -> Iterator[None]:
    """The boundary between foreign records and code that relies on their shape: what goes wrong inside because a value
    is missing or of another kind becomes BadInput that says where. ``expected``: what the record should be.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError, IndexError, OverflowError) as error:
        what = f"“{error.args[0]}” is missing" if isinstance(error, KeyError) and error.args else str(error)
        raise not_imported(f"{where} isn't {expected}: {what}.", "Check that you chose the right file.") from error


def text_of(value: Any) -> str:
    """A value as people read it: text as it is, None empty, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _check_depth(text: str, document: Any) -> None:
    """Raises RecursionError where lists and objects stand too deep within each other for code that walks them."""
    if text.count("[") + text.count("{") <= limits.JSON_DEPTH:
        return
    level = [document]
    for _ in range(limits.JSON_DEPTH):
        held = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for several in held for one in several if one.__class__ in (dict, list)]
        if not level:
            return
    raise RecursionError


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return value
