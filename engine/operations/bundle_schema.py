"""The released schema as described in a bundle: tables, columns and references, with the migrations' comments."""

import re
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from engine.project import migrations
from engine.project.schema import empty

HISTORY = ("action", "journal", "journal_real", "merge_conflict", "participant_contact")
"""Tables with changed and deleted data, and e-mail addresses, which a bundle contains only on request."""
_OF_THE_FILE = {"project_info", "journal_context", "journalled_table"}
"""Data about the file itself. Its key, title and date are in the manifest; the rest is created with a new file."""
Kind = Literal["string", "integer", "number", "any", "file"]
_KINDS: dict[str, Kind] = {"TEXT": "string", "INTEGER": "integer", "REAL": "number", "BLOB": "file"}
_TABLE = re.compile(r"^CREATE TABLE (\w+) \(\s*(?:--\s*(.*))?$")
_COLUMN = re.compile(r'^\s*"?(\w+)"?\s+(?:TEXT|INTEGER|REAL|BLOB)\b.*--\s*(.*)$')
_ADDED = re.compile(r'^ALTER TABLE (\w+) ADD COLUMN "?(\w+)"?.*;\s*--\s*(.*)$')


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``kind`` "any" is JSON (text in the project), "file" the path of a file in the bundle."""

    name: str
    kind: Kind
    required: bool
    default: str | None
    meaning: str
    refers: str = ""
    """The table and column it refers to, separated by a full stop, or ""."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    def resource(self) -> dict[str, Any]:
        """Returns the table as a resource of a Data Package, without its content."""
        fields = []
        for column in self.columns:
            field: dict[str, Any] = {"name": column.name, "type": "string" if column.kind == "file" else column.kind}
            if column.meaning or column.kind == "file":
                field["description"] = column.meaning or "the path of a file in this bundle"
            if column.required:
                field["constraints"] = {"required": True}
            fields.append(field)
        # An empty string is a value; only null means missing.
        schema: dict[str, Any] = {"fields": fields, "primaryKey": list(self.key), "missingValues": []}
        if keys := [(column.name, column.refers.partition(".")) for column in self.columns if column.refers]:
            schema["foreignKeys"] = [
                {"fields": [name], "reference": {"resource": table, "fields": [column]}}
                for name, (table, _, column) in keys
            ]
        about = {"description": self.meaning} if self.meaning else {}
        return {
            "name": self.name, **about, "path": f"data/{self.name}.jsonl", "format": "jsonl",
            "mediatype": "application/jsonl", "encoding": "utf-8", "schema": schema,
        }  # fmt: skip


@cache
def tables(version: int) -> tuple[Table, ...]:
    """Returns the tables of a bundle with this schema, by name."""
    meanings = _comments(version)
    with closing(empty(version)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = []
        for name in sorted(set(names) - _OF_THE_FILE - {"sqlite_sequence"}):
            listed = connection.execute(f'PRAGMA foreign_key_list("{name}")')
            refers = {row["from"]: f"{row['table']}.{row['to']}" for row in listed}
            rows = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
            columns = tuple(
                Column(
                    row["name"], _kind(row["type"], row["dflt_value"], meanings.get((name, row["name"]), "")),
                    bool(row["notnull"] or row["pk"]), row["dflt_value"], meanings.get((name, row["name"]), ""),
                    refers.get(row["name"], ""),
                )
                for row in rows
            )  # fmt: skip
            key = tuple(row["name"] for row in sorted(rows, key=lambda row: row["pk"]) if row["pk"])
            found.append(Table(name, meanings.get((name, ""), ""), columns, key))
    return tuple(found)


def _kind(type_: str, default: str | None, meaning: str) -> Kind:
    if type_ == "TEXT" and (default in {"'[]'", "'{}'"} or re.match(r"(list|object)\b|.*\bas JSON\b", meaning)):
        return "any"
    return _KINDS[type_]


def _comments(version: int) -> dict[tuple[str, str], str]:
    """Returns the migrations' comments on tables (column "") and columns."""
    found: dict[tuple[str, str], str] = {}
    table = ""
    for step in migrations.chain()[:version]:
        for line in step.script.splitlines():
            if match := _TABLE.match(line):
                table = match[1]
                found[table, ""] = match[2] or ""
            elif match := _ADDED.match(line):
                found[match[1], match[2]] = match[3]
            elif table and (match := _COLUMN.match(line)):
                found[table, match[1]] = match[2]
    # The migration's comment is from before bundles existed.
    said = "e-mail addresses, apart from all answers; of all exports only a bundle with the history has them"
    found["participant_contact", ""] = said
    return found


def described(version: int = 0) -> str:
    """Returns the format and its tables in Markdown: the README of every bundle, and ``docs/bundle.md``."""
    version = version or migrations.latest_version()
    lines = [_INTRODUCTION.format(version=version, history=", ".join(f"`{name}`" for name in HISTORY))]
    for table in tables(version):
        about = f"{table.meaning[0].upper()}{table.meaning[1:]}. " if table.meaning else ""
        lines.append(f"\n### {table.name}\n\n{about}Key: {', '.join(f'`{name}`' for name in table.key)}.\n")
        lines += ["| field | type | meaning |", "| --- | --- | --- |"]
        for column in table.columns:
            type_ = {"any": "JSON", "file": "file"}.get(column.kind, column.kind)
            optional = "" if column.required else ", may be null"
            default = "" if column.default is None else f" Default: `{column.default.strip(chr(39)) or '(empty)'}`."
            refers = f" A key of `{column.refers.partition('.')[0]}`." if column.refers else ""
            meaning = column.meaning.replace("|", "\\|").replace("<", "\\<")
            said = f"{meaning[:1].upper()}{meaning[1:]}{'.' * bool(meaning)}{refers}{default}".strip()
            lines.append(f"| `{column.name}` | {type_}{optional} | {said} |")
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
# The open bundle

An open bundle is a Rejoinder project as a folder or `.zip` of plain files that can be read without Rejoinder. It is a
[Data Package](https://datapackage.org). This text is generated from the schema of the project file (version {version}).

| file | contents |
| --- | --- |
| `datapackage.json` | the project's title, every table with its fields, and the SHA-256 of every table |
| `data/TABLE.jsonl` | a table in UTF-8, one JSON object per line, sorted by key |
| `files/SHA256.ENDING` | PDFs and other files, named by the SHA-256 of their bytes |
| `README.md` | this text |

Keys are UUIDs of version 7. They stay the same when a bundle is imported, so ids can be joined across exports and
copies of a project can be merged. Times are ISO 8601 in UTC. Text offsets count code points from 0, with the end
excluded. Infinite numbers are `"INF"` and `"-INF"`. A field of type *JSON* contains a list or object; if it contains
a text, parse that text as JSON. A field of type *file* is the path of a file in the bundle; for `parsed_document`,
the file is JSON with what the parser read from a PDF.

A bundle contains everything in the project, including private notes and the work of all annotators. To choose what it
contains, use *Share a copy* first. The history, which includes deleted data, and e-mail addresses ({history}) are
only in bundles exported with the history. A project imported without it starts with an empty history.

Other programs may edit or write tables; leave `hash` and `bytes` of changed tables out of `datapackage.json`. A missing
table counts as empty, and fields with a default may be left out. When a bundle is imported, types, choices, references
between rows and hashes are checked. If a check fails, nothing is imported.

## Tables"""
