"""Writes selected rows of a project into a new project file without history.

Only the selected rows are ever written to the new file, so nothing else is in it or in a temporary file next to it. It
keeps the project's key and is marked as a shared copy, from which ``merge`` takes only later changes.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import EnvironmentProblem
from engine.files import refuse_long_name, whole_file
from engine.project import migrations
from engine.project.backup import file_problems
from engine.project.closure import References, Rows, closure, of_annotator, of_papers
from engine.project.database import connect_to_look, sentences, writing_to
from engine.project.ids import now
from engine.project.schema import filling

Changed = Callable[[Any], Any]
_NOT_COPIED = frozenset({"merge_conflict", "annotator"})
_FILES = {"blob": "sha256", "parsed_document": "sha256"}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a copy contains.

    ``papers``: the papers to keep; None keeps all. ``tables``: tables whose rows are left out, with all rows that refer
    to them. ``others``: whether work of annotators other than ``annotator`` is kept. ``rows``: keys to leave out, with
    all rows that refer to them. ``unwritten``: tables that are left out without affecting rows that refer to them.
    ``files``: whether PDFs are kept. ``changed``: functions that change the values of a column, by table ("*": any) and
    column. ``rename``: maps annotators' keys and names to their new names.
    """

    annotator: str
    papers: Collection[str] | None = None
    tables: Collection[str] = ()
    rows: Mapping[str, Collection[str]] = field(default_factory=dict)
    unwritten: Collection[str] = ()
    others: bool = True
    files: bool = True
    changed: Mapping[tuple[str, str], Changed] = field(default_factory=dict)
    rename: Callable[[Mapping[str, str]], Mapping[str, str]] = dict


def write_excerpt(
    source: Path, target: Path, excerpt: Excerpt, progress: Callable[[float], None] | None = None
) -> dict[str, int]:
    """Writes ``target`` completely or not at all, readable only by its owner; returns its number of rows by table.

    Raises:
        BadInput: the name is too long.
        FileExistsError: the target exists.
        EnvironmentProblem: the disk is full or the source can't be read; nothing was written.
    """
    refuse_long_name(target)
    with (
        writing_to(target),
        whole_file(target) as unfinished,
        sentences(source),
        closing(connect_to_look(source)) as ours,
        filling(unfinished, migrations.latest_version()) as made,
    ):
        ours.execute("BEGIN")  # all tables as they are at one moment
        made.execute("PRAGMA foreign_keys = OFF")
        made.execute("BEGIN")
        written = _Copy(ours, made, excerpt).run(progress or (lambda _fraction: None))
        made.execute("COMMIT")
        if problems := file_problems(unfinished):
            raise EnvironmentProblem(
                f"The copy would be damaged: {problems[0]}.", "Nothing was written.", "Check the project first."
            )
    return written


class _Copy:
    def __init__(self, ours: sqlite3.Connection, made: sqlite3.Connection, excerpt: Excerpt) -> None:
        self._ours, self._made, self._excerpt = ours, made, excerpt
        self._references = References(ours)
        self._left_out = self._doomed()

    def _doomed(self) -> Rows:
        """Returns the keys of the rows to leave out, by table."""
        references, excerpt = self._references, self._excerpt
        seeds: Rows = {table: references.ids(table) for table in excerpt.tables if table in references.keyed}

        def add(rows: Mapping[str, set[str]]) -> None:
            for table, ids in rows.items():
                seeds.setdefault(table, set()).update(ids)

        add({table: set(keys) for table, keys in excerpt.rows.items()})
        if excerpt.papers is not None:
            add(of_papers(references, references.ids("paper") - set(excerpt.papers)))
            for table in ("source_text", "rebuttal_plan", "rebuttal_point"):  # those that belong to no paper
                rows = self._ours.execute(f'SELECT id FROM "{table}" WHERE paper_id IS NULL')
                add({table: {row[0] for row in rows}})
        if not excerpt.others:
            for (person,) in self._ours.execute("SELECT id FROM annotator").fetchall():
                if person != excerpt.annotator:
                    add(of_annotator(references, person))
        found = closure(references, seeds)
        # Leave out documents that nothing in the copy refers to, such as removed versions or papers whose drafts are
        # left out.
        used: set[str] = set()
        for table in references.keyed:
            for column, parent in references.of[table]:
                if parent == "document" and table not in {"anchor", "revision"}:
                    for row in references.rows(table, ("id", column), "id", references.ids(table)):
                        if row["id"] not in found.get(table, ()):
                            used.add(row[column])
        unused = references.ids("document") - used
        links = (row for row in self._ours.execute("SELECT id, edit_id FROM edit_link"))
        linked = {row["edit_id"] for row in links if row["id"] not in found.get("edit_link", ())}
        ruled = " ".join(row[0] for row in self._ours.execute("SELECT edit_ids FROM adjudication"))
        passages = {row[0] for row in self._ours.execute("SELECT id FROM edit WHERE passage = 1")} - linked
        # a passage without a link or ruling only shows what another annotator selected
        lone = {key for key in passages if key not in ruled}
        documents, edits = found.get("document", set()) | unused, found.get("edit", set()) | lone
        return closure(references, {**found, "document": documents, "edit": edits})

    def run(self, progress: Callable[[float], None]) -> dict[str, int]:
        written: dict[str, int] = {}
        left_out = {*_NOT_COPIED, *self._excerpt.tables, *self._excerpt.unwritten, *_FILES}
        tables = [table for table in self._references.columns if table not in left_out]
        for number, table in enumerate(tables):
            progress(0.5 * number / len(tables))
            written[table] = self._insert(table, self._rows(table))
        written["annotator"] = self._insert("annotator", self._people(tables))
        documents = self._hashes("document", "sha256")
        texts = self._hashes("library_paper", "text_sha256")
        written["parsed_document"] = self._insert_files("parsed_document", documents)
        progress(0.7)
        written["blob"] = self._insert_files("blob", texts | (documents if self._excerpt.files else set()))
        # In a study that hides suggestions, recipients of a copy must not be able to show them.
        facts = self._ours.execute(
            "SELECT key, iif(key = 'suggestions' AND value = 'hidden', 'locked', value) FROM project_info"
            " WHERE key IN ('id', 'title', 'created_at', 'suggestions')"
        )
        self._made.executemany("INSERT INTO project_info(key, value) VALUES (?, ?)", [tuple(row) for row in facts])
        self._made.execute("INSERT INTO project_info(key, value) VALUES ('shared', ?)", (now(),))
        return {table: number for table, number in written.items() if number}

    def _rows(self, table: str) -> Iterator[dict[str, Any]]:
        left_out = self._left_out
        targets = self._references.of[table] if "id" not in self._references.columns[table] else ()
        for row in self._ours.execute(f'SELECT * FROM "{table}"'):
            if targets:
                gone = any(row[column] in left_out.get(parent, ()) for column, parent in targets)
            else:
                gone = row["id"] in left_out.get(table, ())
            if not gone:
                yield {name: self._changed(table, name, row[name]) for name in row.keys()}  # noqa: SIM118 - no mapping

    def _changed(self, table: str, column: str, value: Any) -> Any:
        changed = self._excerpt.changed
        for place in ((table, column), ("*", column)):
            if place in changed:
                value = changed[place](value)
        return value

    def _people(self, tables: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yields the annotators that rows in the copy refer to, under their new names."""
        named: set[str] = set()
        for table in tables:
            for column in self._references.people[table]:
                named |= {row[0] for row in self._made.execute(f'SELECT DISTINCT "{column}" FROM "{table}"')}
        rows = self._ours.execute("SELECT * FROM annotator ORDER BY created_at, id").fetchall()
        names = self._excerpt.rename({row["id"]: row["name"] for row in rows if row["id"] in named})
        for row in rows:
            if row["id"] in named:
                yield {**dict(row), "name": names[row["id"]]}

    def _hashes(self, table: str, column: str) -> set[str]:
        return {row[0] for row in self._made.execute(f'SELECT "{column}" FROM "{table}"')}

    def _insert(self, table: str, rows: Iterator[dict[str, Any]]) -> int:
        names = self._references.columns[table]
        listed, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        before = self._made.total_changes
        self._made.executemany(
            f'INSERT INTO "{table}"({listed}) VALUES ({marks})', (tuple(row[name] for name in names) for row in rows)
        )
        return self._made.total_changes - before

    def _insert_files(self, table: str, hashes: Collection[str]) -> int:
        """Copies files one at a time, so that only one is in memory."""
        number = 0
        for sha256 in sorted(hashes):
            for row in self._ours.execute(f'SELECT * FROM "{table}" WHERE sha256 = ?', (sha256,)):
                values = [self._changed(table, name, row[name]) for name in row.keys()]  # noqa: SIM118 - no mapping
                marks = ", ".join("?" * len(values))
                self._made.execute(f'INSERT INTO "{table}" VALUES ({marks})', values)
                number += 1
        return number
