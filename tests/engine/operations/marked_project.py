"""A project in which every text and every file of a thing carries a mark of its own, whatever tables the schema has."""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.project import Project, new_id, now
from engine.project.closure import PLAIN_KEYS

SKIPPED = {"project_info", "action", "journal", "journal_real", "journal_context", "journalled_table", "annotator"}
ANY_ROW = {
    "anchor": "comment", "annotation_done": "paper", "merge_conflict": "comment", "unit_adjudication": "comment",
}  # fmt: skip
SPECIAL = {
    "rebuttal_point": {"kind": "reply"},
    "study": {"min_papers": 1, "max_papers": 9},
    "library_paper": {"text_sha256": ""},
    "trained_heads": {"weights": b"weights"},
}
HASHES = {"sha256", "document_sha256"}
MIDDLE = "-märk-"


@dataclass
class World:
    """Rows that refer to each other; ``marks`` by table."""

    name: str
    annotator: str
    keys: dict[str, list[str]] = field(default_factory=dict)
    marks: dict[str, set[str]] = field(default_factory=dict)
    content: bytes = b""

    def mark(self, table: str, what: str) -> str:
        text = f"{self.name}{MIDDLE}{table}-{what}-{new_id()}"
        self.marks.setdefault(table, set()).add(text)
        return text


def tables(project: Project) -> list[str]:
    """All tables that a thing can have rows in, those that others refer to first."""
    rows = project.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    left = [row[0] for row in rows if row[0] not in SKIPPED]
    targets = {t: {r["table"] for r in project.query(f'PRAGMA foreign_key_list("{t}")')} for t in left}
    for table, keys in PLAIN_KEYS.items():
        targets[table] |= {ANY_ROW[table] if parent == "*" else parent for _, parent in keys}
    ordered: list[str] = []
    while left:
        free = [t for t in left if not (targets[t] - {t}) & set(left)]
        assert free, left
        ordered += sorted(free)
        left = [t for t in left if t not in free]
    return ordered


def fill(project: Project, world: World) -> None:
    """One row in every table (two where a row compares two), with a mark in every text and in the title of the act."""
    world.content = random.Random(world.name).randbytes(40_000)
    for table in tables(project):
        for _ in range(2 if table == "rebuttal_candidate" else 1):
            _add(project, world, table)


def _add(project: Project, world: World, table: str) -> None:
    definition = project.query("SELECT sql FROM sqlite_schema WHERE name = ?", (table,))[0][0]
    parents = {r["from"]: r["table"] for r in project.query(f'PRAGMA foreign_key_list("{table}")')}
    parents |= {c: ANY_ROW[table] if p == "*" else p for c, p in PLAIN_KEYS.get(table, ())}
    row: dict[str, Any] = {}
    for info in project.query(f'PRAGMA table_info("{table}")'):
        row[info["name"]] = _value(world, table, info, definition, parents, row)
    row |= SPECIAL.get(table, {})
    human = project.query("SELECT 1 FROM journalled_table WHERE name = ?", (table,))
    with project.action(f"Add {world.mark(table, 'act')}") if human else project.results("Add") as act:
        listed, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
        act.execute(f'INSERT INTO "{table}"({listed}) VALUES ({marks})', tuple(row.values()))
    if "id" in row:
        world.keys.setdefault(table, []).append(row["id"])


def _value(
    world: World, table: str, info: Any, definition: str, parents: dict[str, str], row: dict[str, Any]
) -> Any:  # fmt: skip
    name, kind = info["name"], info["type"]
    if name == "id":
        return new_id()
    if name in HASHES:
        return hashlib.sha256(world.content).hexdigest()
    if name in parents:
        parent = parents[name]
        if parent == "annotator":
            return world.annotator
        known = sorted(world.keys[parent])
        return known[-1] if name in {"right_id", "second_id", "target_document_id"} else known[0]
    if kind == "BLOB":
        return world.content
    if kind == "REAL":
        return 1.0
    if kind == "INTEGER":
        return {"start_offset": 0, "end_offset": 5, "score": 1}.get(name, 1)
    if choices := re.search(rf'^  "?{name}"? TEXT[^\n]*?CHECK \({name} IN \(\'([^\']*)\'', definition, re.MULTILINE):
        return choices[1]
    if choices := re.search(rf"\(\"?{name}\"? IN \('([^']*)'", definition):
        return choices[1]
    if name in {"created_at", "updated_at"}:
        return now()
    mark = world.mark(table, name)
    if name in {"theirs", "content", "real", "generated", "parameters", "settings", "inputs", "own_limits", "columns"}:
        return json.dumps({"words": mark})
    if name in {"training", "held"}:
        return json.dumps([{"item": mark, "answer": {}}])
    default = str(info["dflt_value"])
    return json.dumps([mark]) if "[]" in default or name == "labels" else mark


READER = """
import json, pathlib, sys
wanted = json.load(sys.stdin)
found = []
for root in wanted["folders"]:
    for path in pathlib.Path(root).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            skipped = [n for n, common in enumerate(wanted["common"]) if bytes.fromhex(common) not in content]
            for name, pieces in wanted["pieces"].items():
                tried = [p for n, p in enumerate(pieces) if n not in skipped or name == "content|"]
                if any(bytes.fromhex(piece) in content for piece in tried):
                    found.append([name, path.name])
print(json.dumps(found))
"""


def forms(text: str) -> list[str]:
    """How a text may be written in a file: UTF-8, UTF-16, and escaped as JSON; in hexadecimal."""
    return [form.hex() for form in (text.encode(), text.encode("utf-16-le"), json.dumps(text)[1:-1].encode())]


def found_bytes(folders: list[Path], world: World) -> dict[str, set[str]]:
    """The tables whose marks are somewhere in the bytes of the files of the folders, with the files' names.

    Read by another process: this one must not open a project file beside SQLite.
    """
    pieces: dict[str, list[str]] = {}
    for table, marks in world.marks.items():
        for mark in marks:
            pieces[f"{table}|{mark}"] = forms(mark)
    starts = (100, 9_000, 20_000, 39_000)
    if world.content:
        pieces["content|"] = [world.content[start : start + 64].hex() for start in starts]
    begin = world.name + MIDDLE
    common = forms(begin if all(mark.startswith(begin) for marks in world.marks.values() for mark in marks) else "")
    question = json.dumps({"folders": [str(folder) for folder in folders], "pieces": pieces, "common": common})
    done = subprocess.run([sys.executable, "-c", READER], input=question, capture_output=True, text=True, check=True)
    result: dict[str, set[str]] = {}
    for name, file in json.loads(done.stdout):
        result.setdefault(name.partition("|")[0], set()).add(f"{file}: {name.partition('|')[2]}")
    return result
