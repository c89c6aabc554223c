"""A project's tables through sqlite-utils, and conversion of their rows to a domain's records.

    with project.action("Add paper") as act:
        key = act.insert("paper", {"title": title, "position": 1})
        act.update("paper", key, {"abstract": abstract})
    papers = records(Paper, project.db["paper"].rows_where("title <> ''", order_by="position"))

Tuples, lists and dictionaries are kept as JSON text; ``records`` reads them back by the types of the record's fields.
"""

import json
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from engine.project import migrations
from engine.project.database import DamagedProject
from engine.project.schema import empty

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "Columns", "Database", "Row", "columns_of", "database", "keyed", "record", "records", "row_of", "stored",
    "values_of",
]  # fmt: skip
Row = dict[str, Any]
Record = TypeVar("Record")


# sqlite-utils imports pandas and numpy if installed, which takes half a second and is only needed to create tables from
# their types.
_hidden = {name: None for name in ("pandas", "numpy") if name not in sys.modules}
sys.modules |= _hidden  # type: ignore[arg-type]
from sqlite_utils.db import Database, jsonify_if_needed  # noqa: E402

for _name in _hidden:
    del sys.modules[_name]


def database(connection: sqlite3.Connection) -> Database:
    """Wraps a connection for sqlite-utils, without running plugins that other packages register."""
    return Database(connection, execute_plugins=False)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table: all names, key columns, BLOB columns, and a SELECT of all but the latter."""

    names: tuple[str, ...]
    key: tuple[str, ...]
    blobs: tuple[str, ...]
    select: str


@cache
def _tables() -> dict[str, Columns]:
    with closing(empty(migrations.latest_version())) as connection:
        names = [row["name"] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: _columns(name, connection.execute(f'PRAGMA table_info("{name}")').fetchall()) for name in names}


def _columns(table: str, rows: Sequence[sqlite3.Row]) -> Columns:
    names = tuple(row["name"] for row in rows)
    key = tuple(row["name"] for row in sorted(rows, key=lambda row: row["pk"]) if row["pk"])
    blobs = tuple(row["name"] for row in rows if row["type"].upper() == "BLOB")
    listed = ", ".join(f'"{name}"' for name in names if name not in blobs)
    return Columns(names, key, blobs, f'SELECT {listed} FROM "{table}"')


def columns_of(table: str) -> Columns:
    """Returns the columns of a table in the current schema. Raises KeyError if there is no such table."""
    return _tables()[table]


def stored(value: Any) -> Any:
    """Returns a value as it is stored in a column: tuples, lists and dictionaries as JSON text."""
    return jsonify_if_needed(value)


def row_of(db: Database, table: str, key: str) -> Row:
    """Returns the row of a table with this key, without BLOBs. Raises KeyError if there is none."""
    for row in db.query(f"{columns_of(table).select} WHERE id = ?", (key,)):
        return row
    raise KeyError(key)


def keyed(cls: type[Record], db: Database, table: str, key: str) -> Record:
    """Returns the row of a table with this key as a record. Raises KeyError if there is none."""
    return record(cls, row_of(db, table, key))


def values_of(record: Any, *without: str) -> Row:
    """Returns a record's fields, except those named in ``without``, as a row; nested records aren't converted."""
    return {field.name: getattr(record, field.name) for field in fields(record) if field.name not in without}


def record(cls: type[Record], row: Mapping[str, Any] | sqlite3.Row, **given: Any) -> Record:
    """Converts one row to a record; see ``records``."""
    return records(cls, [row], **given)[0]


def records(cls: type[Record], rows: Iterable[Mapping[str, Any] | sqlite3.Row], **given: Any) -> list[Record]:
    """Converts rows to records of a dataclass or pydantic model: columns match fields by name, others are ignored.

    JSON text is converted to the field's type (tuple, mapping or record); an object becomes (key, value) pairs in a
    tuple field. ``given`` are values for fields without a column, the same for all rows. Raises DamagedProject if a row
    doesn't fit the record (an unknown choice, JSON of a different shape).
    """
    from pydantic import ValidationError

    adapter, names, structured, pairs = _adapter(cls)  # type: ignore[arg-type]  # classes are hashable
    prepared = []
    try:
        for row in rows:
            # dict(row) looks up each column by name. Of two columns with the same name, the first counts.
            cells: Iterable[tuple[str, Any]] = row.items() if isinstance(row, Mapping) else _cells(row)
            values = {name: value for name, value in cells if name in names} | given
            for name in structured:
                if isinstance(values.get(name), str):
                    found = json.loads(values[name])
                    values[name] = tuple(found.items()) if name in pairs and isinstance(found, dict) else found
            prepared.append(values)
        return adapter.validate_python(prepared)
    except (ValidationError, ValueError) as error:
        raise DamagedProject(
            f"Part of the project can't be read: a {cls.__name__} doesn't have the expected form.",
            "It isn't shown. Nothing was changed.",
            "Restore the last good backup, or save the readable content to a new file.",
        ) from error


def _cells(row: sqlite3.Row) -> list[tuple[str, Any]]:
    return list(zip(row.keys(), row, strict=True))[::-1]


@cache
def _adapter(cls: type[Record]) -> "tuple[TypeAdapter[list[Record]], frozenset[str], tuple[str, ...], tuple[str, ...]]":
    from pydantic import TypeAdapter

    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls)] if is_dataclass(cls) else list(getattr(cls, "model_fields", ()))
    structured = tuple(name for name in names if _is_structured(hints[name]))
    pairs = tuple(name for name in structured if get_origin(hints[name]) is tuple)
    return TypeAdapter(list[cls]), frozenset(names), structured, pairs  # type: ignore[valid-type]


def _is_structured(hint: Any) -> bool:
    """Returns whether values of the type are stored as JSON text: all but text, numbers, choices and bytes."""
    if is_dataclass(hint) or hasattr(hint, "model_fields"):
        return True
    if get_origin(hint) in {tuple, list, dict, set, frozenset, Mapping, Sequence}:
        return True
    return any(map(_is_structured, get_args(hint)))
