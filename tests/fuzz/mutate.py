"""Changes to valid inputs: by structure where the format has one (JSON, tables, archives, LaTeX, Markdown, SQL), and
by bytes. Everything follows from the seed of the generator that is passed in."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.seeds import Files

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    3.5,
    1e308,
    float("inf"),
    float("nan"),
    10**30,
    "",
    " ",
    "x",
    "\0",
    "\ud800",
    "\u202e=1+1",
    "é" * 300,
    "=HYPERLINK(1)",
    [],
    {},
    [[]],
    [None],
    {"value": None},
    {"": ""},
    [{}],
    ["a", 1],
    "2020-01-01",
    "../../x",
    "1" * 5000,
    {"value": {"value": [1]}},
    "-",
    "'=1",
    "\r\n",
    "a\tb",
)
PIECES = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xff\xfe\0\0",
    b"\xed\xa0\x80",
    "\u202e".encode(),
    b"\r",
    b"\n" * 500,
    b"," * 300,
    b'"',
    b"'",
    b"[" * 300,
    b"{" * 150,
    b"}" * 20,
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"1e999999",
    b"9" * 5000,
    b"-",
    b"=1",
    b"x" * 4000,
    b"> " * 200,
    b"*" * 300,
    b"_a" * 200,
    b"$" * 101,
    b"```\n",
    b"\\begin{quote}",
    b"\\end{x}",
    b"\\newcommand{\\a}{\\a\\a}\\a",
    b"\\verb|",
    b"%",
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    b"&a;",
    b"]]>",
    b"1 0 obj",
    b"endstream",
    b"stream\n",
    b"/Length 999999999",
    b"[[A",
    "а́̂̃".encode() * 50,
    b"1.",
    b"- " * 100,
    b"|" * 100,
    b"(" * 300,
    b"Reviewer 1:",
    b"\x0c",
    b"\t" * 100,
)
_SQL = (
    "DROP TABLE {t}",
    "ALTER TABLE {t} ADD COLUMN extra",
    "ALTER TABLE {t} RENAME TO gone",
    "DELETE FROM {t}",
    "UPDATE {t} SET {c} = NULL",
    "UPDATE {t} SET {c} = x'ff'",
    "UPDATE {t} SET {c} = CAST(x'c328' AS TEXT)",
    "UPDATE {t} SET {c} = '{{'",
    "UPDATE {t} SET {c} = -1",
    "UPDATE {t} SET {c} = '[1,null,{{}}]'",
    "UPDATE {t} SET {c} = substr(hex(zeroblob(400)), 1, 500)",
    "CREATE TRIGGER zz AFTER INSERT ON {t} BEGIN DELETE FROM {t}; END",
    "ALTER TABLE {t} DROP COLUMN {c}",
    "CREATE INDEX zz ON {t} ({c})",
    "INSERT INTO {t} SELECT * FROM {t}",
    "PRAGMA user_version = 99",
    "PRAGMA user_version = 1",
    "PRAGMA application_id = 1",
    "CREATE VIEW zz AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n",
)


def mutated(files: Files, draw: random.Random) -> Files:
    """One input made of a valid one: one to three changes to one of its files (now and then a file less, or one named
    beyond what systems allow)."""
    names = sorted(files)
    name = draw.choice(names)
    if len(names) > 1 and draw.random() < 0.05:
        return {key: value for key, value in files.items() if key != name}
    data = files[name]
    for _ in range(draw.choice((1, 1, 2, 3))):
        data = _changed(name, data, draw)
    return {**files, name: data}


def _changed(name: str, data: bytes, draw: random.Random) -> bytes:
    ending = name.rsplit(".", 1)[-1]
    by_structure: dict[str, Callable[[bytes, random.Random], bytes]] = {
        **dict.fromkeys(("json", "jsonl", "jsonld", "rejoinder-study", "rejoinder-answers"), json_value),
        **dict.fromkeys(("csv", "tsv"), table_cell),
        **dict.fromkeys(("docx", "xlsx"), archive_member),
        "rejoinder": sql,
    }
    if ending in by_structure and draw.random() < 0.75:
        try:
            return by_structure[ending](data, draw)
        except Exception:
            pass
    return by_bytes(data, draw)


def by_bytes(data: bytes, draw: random.Random) -> bytes:
    """Flipped, cut, doubled, spliced, or with something nasty in it."""
    at = draw.randrange(len(data) + 1)
    to = min(len(data), at + draw.choice((1, 2, 8, 64, 512)))
    kind = draw.randrange(7)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:to] + data[at:to] * draw.choice((1, 2, 50)) + data[to:]
    if kind == 3:
        return data[:at] + data[to:]
    if kind == 4:
        other = draw.randrange(len(data) + 1)
        return data[:at] + data[other : other + to - at] + data[to:]
    return data[:at] + draw.choice(PIECES) + data[at if kind == 5 else to :]


def json_value(data: bytes, draw: random.Random) -> bytes:
    """A value replaced, removed, doubled or wrapped, a key renamed; of JSON Lines in one line."""
    text = data.decode()
    head, rest = text, ""
    before = ""
    try:
        document = json.loads(text)
    except ValueError:
        rows = text.splitlines(keepends=True)
        at = draw.randrange(len(rows))
        before, head, rest = "".join(rows[:at]), rows[at], "\n" + "".join(rows[at + 1 :])
        document = json.loads(head)
    places: list[tuple[Any, Any]] = []
    todo = [document]
    while todo:
        held = todo.pop()
        keys = list(held) if isinstance(held, dict) else range(len(held)) if isinstance(held, list) else ()
        places += [(held, key) for key in keys]
        todo += [held[key] for key in keys]
    if not places or draw.random() < 0.02:
        return (before + json.dumps(draw.choice(VALUES)) + rest).encode("utf-8", "surrogatepass")
    held, key = draw.choice(places)
    kind = draw.randrange(6)
    if kind == 0:
        del held[key]
    elif kind == 1:
        held[key] = [held[key]]
    elif kind == 2:
        held[key] = {"value": held[key]}
    elif kind == 3 and isinstance(held, dict):
        held[draw.choice([*list(held), "value", "content", "id", ""])] = held.pop(key)
    else:
        held[key] = draw.choice(VALUES)
    ascii_only = draw.random() < 0.5
    made = json.dumps(document, ensure_ascii=ascii_only)
    return (before + made + rest).encode("utf-8", "replace")


def table_cell(data: bytes, draw: random.Random) -> bytes:
    """A cell, a row or a name in the header."""
    text = data.decode()
    mark = max(",;\t", key=text.split("\n", 1)[0].count)
    rows = [row.split(mark) for row in text.split("\n")]
    row = draw.choice(rows)
    at = draw.randrange(len(row))
    kind = draw.randrange(5)
    if kind == 0:
        del row[at]
    elif kind == 1:
        rows.append(list(row))
    elif kind == 2:
        draw.shuffle(row)
    else:
        value = draw.choice(VALUES)
        row[at] = value if isinstance(value, str) else json.dumps(value)
    return "\n".join(mark.join(row) for row in rows).encode("utf-8", "replace")


def archive_member(data: bytes, draw: random.Random) -> bytes:
    """A member removed, doubled, emptied, changed by bytes or by XML attributes and elements, or an archive itself."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = [(one.filename, old.read(one)) for one in old.infolist()]
    weights = [8 if "document.xml" in name or "sheet1" in name or "sharedS" in name else 1 for name, _ in members]
    (chosen,) = draw.choices(range(len(members)), weights)
    name, content = members[chosen]
    kind = draw.randrange(8)
    if kind == 0:
        members.pop(chosen)
    elif kind == 1:
        members[chosen] = (name, draw.choice((b"", data, b"<x/>", b"\0" * 100)))
    elif kind <= 4:
        members[chosen] = (name, xml(content, draw))
    else:
        members[chosen] = (name, by_bytes(content, draw))
    with zipfile.ZipFile(out, "w", draw.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as new:
        for key, value in members:
            new.writestr(key, value)
    return out.getvalue()


def xml(content: bytes, draw: random.Random) -> bytes:
    """The value of an attribute, the text of an element, or a whole element."""
    import re

    pairs = list(re.finditer(rb'="([^"]*)"|>([^<]+)<|<(/?[\w:]+)', content))
    if not pairs:
        return content
    found = draw.choice(pairs)
    group = 1 if found[1] is not None else 2 if found[2] is not None else 3
    new = draw.choice(
        (
            b"",
            b"-1",
            b"999999999",
            b"1e999",
            b"x",
            b"9" * 40,
            b"true",
            b"ZZZ99999999",
            b"0",
            b"A1",
            b"w:p",
            b"w:tbl",
            b"c",
            b"row",
        )
    )
    return content[: found.start(group)] + new + content[found.end(group) :]


def sql(data: bytes, draw: random.Random) -> bytes:
    """What another program could do to a project file."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "p"
        path.write_bytes(data)
        connection = sqlite3.connect(path)
        try:
            connection.execute("PRAGMA foreign_keys = OFF")
            names = [
                n
                for (n,) in connection.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
                )
            ]
            table = draw.choice([*names, *["journal", "action", "comment", "source_text"] * 3])
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')] or ["id"]
            statement = draw.choice(_SQL).format(t=f'"{table}"', c=f'"{draw.choice(columns)}"')
            if draw.random() < 0.7:
                for (trigger,) in connection.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
                ).fetchall():
                    if trigger.startswith("journal_") and draw.random() < 0.3:
                        connection.execute(f'DROP TRIGGER "{trigger}"')
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(statement)
            connection.commit()
        finally:
            connection.close()
        return path.read_bytes()
