"""JSON and JSON Lines read with errors that say where, and values of unknown shape looked into safely."""

from __future__ import annotations

import json
from typing import Any

from engine.errors import BadInput


def parse_json(text: str, name: str) -> Any:
    """A JSON document. Raises BadInput that names line and column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"{name} is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}.",
            "Nothing was imported.",
            "Export the file again.",
        ) from error
    except RecursionError as error:
        raise BadInput(f"{name} is nested too deeply to be read.", "Nothing was imported.") from error


def parse_json_lines(text: str, name: str) -> list[dict[str, Any]]:
    """JSON objects, one a line, empty lines skipped. Raises BadInput that names the line."""
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise BadInput(
                f"{name} is not valid JSON Lines: line {number} cannot be read.",
                "Nothing was imported.",
                "Each line must hold one JSON object.",
            ) from error
        if not isinstance(record, dict):
            raise BadInput(f"Line {number} of {name} is not a JSON object.", "Nothing was imported.")
        records.append(record)
    return records


def text_of(value: Any) -> str:
    """A value as people read it: text as it is, None empty, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        # Half of a surrogate pair, which JSON can escape and no file can hold, is shown as a replacement mark.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return json.dumps(value, ensure_ascii=False)
