"""Merges the work in another copy of a project into this one.

Keys are unique across files, so they identify rows. If both files have a row, the journals show who changed it. A row
that only one side changed or deleted is taken from that side. A row that both changed is a conflict: this file's is
kept, and the other's is stored in ``merge_conflict`` and reported. Rows that both files created independently for the
same thing (the same PDF, letter or annotator's name) are recognised by their content, and references to one are
redirected to the other.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.files import refuse_long_name, whole_file
from engine.project.action import Action
from engine.project.backup import copy_database
from engine.project.closure import PLAIN_KEYS
from engine.project.database import connect_to_look, sentences, writing_to
from engine.project.invariants import broken
from engine.project.opening import open_unshared
from engine.project.other_file import NO_PAST, Past, check_content, check_documents, copy_row, up_to_date
from engine.project.project import Project
from engine.project.tables import Row, columns_of

_Held = tuple[Sequence[str], dict[tuple[Any, ...], str]]
_Key = tuple[str, str]
"""Table and key of a row."""
Progress = Callable[[float], None]
"""Called with 0..1. An exception it raises (Cancelled) aborts and rolls back the merge."""

_OWN = frozenset(
    {
        "project_info", "action", "journal", "journal_real", "journal_context", "journalled_table", "merge_conflict",
        "survey_sitting",
    }
)  # fmt: skip
"""Tables about their own file only, which aren't merged, such as the time someone spent on a survey."""
_STAMPS = frozenset({"id", "created_at", "updated_at", "position", "annotator_id"})
_MARKED = ("comment", "person")
_QUOTED = re.compile(r'(?<=")[^"\\]+(?=")')
_SAME: Mapping[str, tuple[str, ...]] = {
    "annotator": ("name",),
    "document": ("sha256",),
    "paper": ("title", "external_id"),
    "paper_version": ("paper_id", "label", "document_id"),
    "source_text": ("paper_id", "title", "text"),
    "comment": ("source_id", "external_id", "comment", "origin"),
    "comment_span": ("comment_id", "role", "position"),
    "revision": ("source_document_id", "target_document_id"),
    "edit": ("revision_id", "source_text", "target_text", "source_ids", "target_ids", "passage"),
    "library_paper": ("title", "doi", "arxiv_id", "source_id"),
}
"""The columns that identify the same thing under different keys, by table. Comments count only if they were imported.
"""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row that both files changed differently. ``ours`` is kept; ``theirs`` is stored in ``merge_conflict``."""

    table: str
    row_id: str
    ours: Mapping[str, Any] | None
    theirs: Mapping[str, Any] | None
    columns: tuple[str, ...]
    """The columns that differ; empty if one side deleted the row."""

    def sentence(self) -> str:
        if self.ours is None or self.theirs is None:
            who = "this file" if self.ours is None else "the other file"
            return f"{self.table} {self.row_id}: deleted in {who}, but changed or still used in the other one."
        return f"{self.table} {self.row_id}: both files changed {', '.join(self.columns)}."


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The result of a merge: numbers of rows added, updated and removed by table, and the conflicts."""

    filename: str
    added: Mapping[str, int] = field(default_factory=dict)
    updated: Mapping[str, int] = field(default_factory=dict)
    removed: Mapping[str, int] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    annotators: tuple[str, ...] = ()
    """The names of annotators whose work was added."""
    notes: tuple[str, ...] = ()
    """Sentences about what was added under a different name."""

    @property
    def rows(self) -> int:
        return sum(sum(part.values()) for part in (self.added, self.updated, self.removed))


def merge_files(first: Path, second: Path, out: Path) -> MergeReport:
    """Writes ``out`` as a copy of ``first`` with the work of ``second`` merged in; both files are left unchanged.

    A file with an older schema is read from a private, migrated copy. Raises BadInput if ``out`` exists, one of the
    files isn't a project or was written by a newer Rejoinder, or they have no document in common.
    """
    refuse_long_name(out)
    with up_to_date(first) as ours, up_to_date(second) as theirs, writing_to(out), whole_file(out) as unfinished:
        with sentences(first), closing(connect_to_look(ours)) as source:
            copy_database(source, unfinished)
        with open_unshared(Project, unfinished) as copy:
            return merge_into(copy, theirs)


def merge_into(project: Project, other: Path, *, progress: Progress | None = None) -> MergeReport:
    """Merges the work in another project file into an open project, as one transaction and one undo step.

    Only missing files are copied, in pieces. Raises BadInput if the other file is damaged, was written by a newer
    Rejoinder, or is a different project that has no document in common.
    """
    with up_to_date(other) as sound:
        if project.path.exists() and other.samefile(project.path):
            raise BadInput("A project can't be merged with itself.", "Nothing was merged.", "Choose another file.")
        with sentences(other), closing(connect_to_look(sound)) as theirs:
            check_content(theirs, sound)
            check_documents(project, theirs, other.name)
            merge = _Merge(project, theirs, other.name, progress or (lambda _fraction: None))
            merge.read()
            return merge.write()


class _Merge:
    """One merge: compares all rows first, then writes the result in one action."""

    def __init__(self, project: Project, theirs: sqlite3.Connection, name: str, progress: Progress) -> None:
        self._project, self._theirs, self._progress = project, theirs, progress
        self._human = {row[0] for row in project.query("SELECT name FROM journalled_table")}
        self._same: dict[str, str] = {}
        self._ours: dict[str, dict[str, Row]] = {}
        self._results: list[tuple[str, Row, tuple[Any, ...]]] = []
        self._changes: dict[_Key, Row | None] = {}
        """The other file's version of human work to be written here; None deletes the row."""
        self._written: dict[_Key, Row | None] = {}
        self._notes: list[str] = []
        self._name = name
        found = theirs.execute("SELECT value FROM project_info WHERE key = 'shared'").fetchone()
        self._shared = found is not None and not project.info("shared")
        self._conflicts: list[Conflict] = []

    def read(self) -> None:
        """Compares all tables, starting with those that others refer to."""
        tables = self._tables()
        for number, table in enumerate(tables):
            self._progress(0.3 * number / len(tables))
            if "id" in columns_of(table).names:
                self._compare(table)
            else:
                self._read_keyless(table)
        self._settle()

    def _brought(self) -> tuple[str, ...]:
        """Returns the names of the annotators whose work is added."""
        names = {row["id"]: row["name"] for row in self._read_theirs("annotator")}
        mapped = {self._same.get(key, key): name for key, name in names.items()}
        added = (row for key, row in self._changes.items() if row is not None and self._own(key) is None)
        brought = {row.get("annotator_id") for row in added}
        return tuple(sorted({mapped[key] for key in brought if key in mapped}))

    def _tables(self) -> list[str]:
        rows = self._project.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        left = [row[0] for row in rows if row[0] not in _OWN]
        refers = {t: {row[2] for row in self._project.query(f'PRAGMA foreign_key_list("{t}")')} - {t} for t in left}
        # Comparisons refer to documents without a foreign key.
        refers.setdefault("revision", set()).add("document")
        order: list[str] = []
        while left:
            free = [t for t in left if not refers[t] & set(left)]
            order += free
            left = [t for t in left if t not in free]
        return order

    def _compare(self, table: str) -> None:
        ours = {row["id"]: dict(row) for row in self._project.query(columns_of(table).select)}
        found = {row["id"]: row for row in self._read_theirs(table)}
        if table == "annotator":  # the current annotator may have no row yet, but has one when rows are written
            for key, name in self._project.annotators():
                ours.setdefault(key, {"id": key, "name": name})
        self._ours[table] = ours
        human = table in self._human
        our_past = Past(self._project.query, table) if human else NO_PAST
        their_past = Past(self._query_theirs, table) if human else NO_PAST
        held = self._held(table, ours, found)
        for key, raw in found.items():
            row = {name: self._mapped(value) for name, value in raw.items()}
            if key in ours:
                self._both(table, ours[key], row, our_past, their_past)
            elif our_past.deleted(key):
                # Deleted here: it stays deleted. Reported if the other side changed it since, or if either side undid
                # something about it, because it may have been redone or restored.
                if our_past.undone(key) or their_past.brought_back(key) or not our_past.knew(key, row):
                    self._conflict(table, key, None, row)
            else:
                twin = next((there[v] for names, there in held if (v := _values(names, row)) in there), None)
                if twin is not None and human and twin in found:
                    self._conflict(table, twin, ours[twin], row)
                elif twin is not None and twin not in found:
                    self._same[key] = twin
                    if human and _content(ours[twin]) != _content(row):
                        # and created again with different content
                        if _deleted_alone(twin, ours[twin], our_past, their_past):
                            self._changes[table, twin] = {**row, "id": twin}
                        else:
                            self._conflict(table, twin, ours[twin], row)
                elif human:
                    self._changes[table, key] = row
                else:
                    self._results.append((table, self._retired(table, row), (key,)))
        kept = set(self._same.values())  # deleted and created again by the other side, so it still exists
        for key, row in ours.items():
            if key not in found and key not in kept and their_past.deleted(key):
                if _deleted_alone(key, row, our_past, their_past):
                    self._changes[table, key] = None
                else:
                    self._conflict(table, key, row, None)

    def _own(self, key: _Key) -> Row | None:
        return self._ours.get(key[0], {}).get(key[1])

    def _hold(self, keys: Iterable[_Key]) -> None:
        """Keeps this file's version of rows, and reports the other file's as conflicts."""
        for key in keys:
            self._conflict(*key, self._own(key), self._changes.pop(key))

    def _settle(self) -> None:
        """Prevents dangling references: additions that refer to a row deleted here, and deletions of rows that this
        file refers to, become conflicts."""
        refers = {table: self._refers(table) for table in self._ours.keys() & self._human}
        while True:
            there = {table: set(rows) for table, rows in self._ours.items()}
            for table, row, _ in self._results:
                there.setdefault(table, set()).add(row.get("id", ""))
            for (table, key), change in self._changes.items():
                (there[table].discard if change is None else there[table].add)(key)
            needed: set[_Key] = set()
            lacking = []
            for table, columns in refers.items():
                theirs = {key: row for (of, key), row in self._changes.items() if of == table}
                for key, left in (self._ours[table] | theirs).items():
                    named = [(to, left[name]) for name, to in columns if left[name] is not None] if left else []
                    if key in theirs and any(other not in there[to] for to, other in named):
                        lacking.append((table, key))
                    needed.update(named)
            held = [*lacking, *(key for key in needed if key in self._changes and self._changes[key] is None)]
            if not held:
                return
            self._hold(held)

    def _refers(self, table: str) -> list[tuple[str, str]]:
        """Returns (column, referenced table) pairs of a table."""
        return [(row["from"], row["table"]) for row in self._project.query(f'PRAGMA foreign_key_list("{table}")')]

    def _both(self, table: str, ours: Row, theirs: Row, our_past: Past, their_past: Past) -> None:
        """Resolves a row that both files have. For results, this file's row is kept."""
        if ours == theirs or table not in self._human:
            return
        if self._shared and not their_past.touched(ours["id"]):
            return  # unchanged since it was shared; it may only lack what was left out of the copy
        newer, older = our_past.knew(ours["id"], theirs), their_past.knew(ours["id"], ours)
        before, after = (our_past, their_past) if older else (their_past, our_past)
        # Conflict: both sides changed it, or one of them undid the state that the other has or started from.
        if newer == older or before.took_back(ours["id"], after):
            self._conflict(table, ours["id"], ours, theirs)
        elif older:
            self._changes[table, ours["id"]] = theirs

    def _conflict(self, table: str, key: str, ours: Row | None, theirs: Row | None) -> None:
        names = () if ours is None or theirs is None else tuple(n for n in ours if ours[n] != theirs[n] and n != "id")
        if ours is not None and theirs is not None and not set(names) - {"updated_at", "created_at"}:
            return  # only the timestamps differ
        self._conflicts.append(Conflict(table, key, ours, theirs, names))

    def _held(self, table: str, ours: Mapping[str, Row], found: Mapping[str, Row]) -> list[_Held]:
        """Returns how rows with different keys are matched: column names, and this file's rows by their values in
        these."""
        held: list[_Held] = []
        if table in _SAME:
            # A person's own comments never match by content, nor does a row that the other file also has under this
            # key.
            free = {k: row for k, row in ours.items() if k not in found and (table, row.get("origin")) != _MARKED}
            held.append((_SAME[table], {_values(_SAME[table], row): key for key, row in free.items()}))
        for index in self._project.query(f'PRAGMA index_list("{table}")'):
            if index["origin"] == "u":  # a UNIQUE constraint of the table
                names = [row["name"] for row in self._project.query(f'PRAGMA index_info("{index["name"]}")')]
                held.append((names, {v: key for key, row in ours.items() if None not in (v := _values(names, row))}))
        return held

    def _retired(self, table: str, row: Row) -> Row:
        """Marks an added edit that this file's comparison lacks as not current, so that links to it are shown for
        review."""
        known = table == "edit" and row["revision_id"] in self._same.values() and not row["passage"]
        return {**row, "current": 0} if known else row

    def _read_keyless(self, table: str) -> None:
        """Reads results that are identified by several columns or by their content."""
        names = columns_of(table).key
        listed = ", ".join(f'"{name}"' for name in names)
        ours = {tuple(row) for row in self._project.query(f'SELECT {listed} FROM "{table}"')}
        for raw in self._read_theirs(table):
            row = {name: self._mapped(value) for name, value in raw.items()}
            if _values(names, row) not in ours:
                self._results.append((table, row, _values(names, raw)))

    def _read_theirs(self, table: str) -> Iterator[Row]:
        for row in self._theirs.execute(columns_of(table).select):
            yield dict(row)

    def _query_theirs(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        return self._theirs.execute(sql, parameters).fetchall()

    def _mapped(self, value: Any) -> Any:
        """Returns a value with the other file's keys of matched rows replaced by ours, also in JSON lists."""
        if not self._same or not isinstance(value, str):
            return value
        if value in self._same:
            return self._same[value]
        return _QUOTED.sub(lambda m: self._same.get(m[0], m[0]), value) if value.startswith("[") else value

    def write(self) -> MergeReport:
        """Writes results first, then human work, in one action and transaction."""
        with self._project.action(f"Merge {self._name}") as act:
            act.execute("PRAGMA defer_foreign_keys = ON")
            known = {key for _, _, keys in broken(self._project) for key in keys}
            for number, (table, row, place) in enumerate(self._results):
                self._progress(0.3 + 0.65 * number / len(self._results))
                copy_row(act, self._theirs, table, row, place)
                act.touched(table, [str(row.get("id", ""))])
            self._progress(0.95)
            self._write_changes(act)
            while held := self._culprits(known):
                self._hold(held)
                self._settle()
                self._write_changes(act)
            for conflict in self._conflicts:
                self._keep(act, conflict)
        added, updated, removed = (
            Counter(key[0] for key, row in self._changes.items() if kind == (self._own(key) is None, row is None))
            for kind in ((True, False), (False, False), (False, True))
        )
        notes = tuple(self._notes)
        return MergeReport(self._name, added, updated, removed, tuple(self._conflicts), self._brought(), notes)

    def _write_changes(self, act: Action) -> None:
        """Writes ``_changes``, and reverts rows that became conflicts since. Rows that violate a UNIQUE constraint
        become conflicts."""
        while True:
            back = {key: self._own(key) for key in self._written if key not in self._changes}
            new = {key: row for key, row in self._changes.items() if key not in self._written}
            todo = (back | new).items()
            if not todo:
                break
            failed = [key for key, row in todo if not self._put(act, key, row, held=key in back)]
            if len(failed) == len(todo):
                tables = {table for table, _ in failed}
                held = [key for key in failed if key in new] or [key for key in self._changes if key[0] in tables]
                if not held:
                    raise self._refusal(f"two rows of {failed[0][0]} collide")
                self._hold(held)
                self._settle()
        self._name_apart(act)

    def _put(self, act: Action, key: _Key, row: Row | None, *, held: bool) -> bool:
        """Writes one row; returns False if another row still violates a UNIQUE constraint."""
        table, row_id = key
        try:
            if row is None:
                act.delete(table, id=row_id)
            elif self._written.get(key, self._own(key)) is None:
                marks = ", ".join("?" * len(row))
                act.execute(f'INSERT INTO "{table}"({", ".join(row)}) VALUES ({marks})', tuple(row.values()))
            else:
                sets = ", ".join(f"{name} = ?" for name in row)
                act.execute(f'UPDATE "{table}" SET {sets} WHERE id = ?', (*row.values(), row_id))
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorname != "SQLITE_CONSTRAINT_UNIQUE":
                raise
            return False
        if held:
            del self._written[key]
        else:
            self._written[key] = row
        return True

    def _name_apart(self, act: Action) -> None:
        """Renames added versions whose label another PDF of the paper already has."""
        rows = self._project.query("SELECT id, paper_id, label FROM paper_version")
        labels = {(row["paper_id"], row["label"]) for row in rows}
        seen: set[tuple[str, str]] = set()
        for row in sorted(rows, key=lambda row: ("paper_version", row["id"]) in self._changes):
            paper, label = row["paper_id"], row["label"]
            if (paper, label) in seen:
                names = (f"{row['label']} ({number})" for number in count(2))
                label = next(name for name in names if (paper, name) not in labels)
                self._notes.append(
                    f"The {row['label']} version from {self._name} is “{label}” here, because another PDF has its name."
                )
                act.update("paper_version", row["id"], {"label": label})
            seen.add((paper, label))

    def _culprits(self, known: set[str]) -> list[_Key]:
        """Returns added rows that violate a rule on rows (``invariants.broken``), or otherwise the added rows that the
        violating row refers to.

        Rows in ``known`` violated it before the merge. Raises BadInput, so that nothing is merged, if no added row
        explains a violation.
        """
        for sentence, table, all_keys in broken(self._project):
            if not (keys := [key for key in all_keys if key not in known]):
                continue
            found = {(table, key) for key in keys} & self._changes.keys()
            found = found or {above for key in keys for above in self._above(table, key)} & self._changes.keys()
            if not found:
                raise self._refusal(sentence.format(n=len(keys)))
            return sorted(found)
        return []

    def _refusal(self, what: str) -> BadInput:
        return BadInput(
            f"{self._name} can't be merged: {what}.", "Nothing was merged.",
            "In one of the two files, undo what both changed, then merge again.",
        )  # fmt: skip

    def _above(self, table: str, key: str) -> set[_Key]:
        """Returns the rows that a row refers to, directly or indirectly; for comparisons, also the paper versions."""
        found: set[_Key] = set()
        todo = [(table, key)]
        while todo:
            table, key = todo.pop()
            rows = self._project.query(f'SELECT * FROM "{table}" WHERE id = ?', (key,))
            for row in rows:
                named = [
                    (to, row[name]) for name, to in (*self._refers(table), *PLAIN_KEYS.get(table, ())) if row[name]
                ]
                if table == "revision":
                    ends = row["source_document_id"], row["target_document_id"]
                    versions = {key: row for key, row in self._changes.items() if key[0] == "paper_version" and row}
                    versions |= {("paper_version", key): row for key, row in self._ours["paper_version"].items()}
                    named += [key for key, row in versions.items() if row["document_id"] in ends]
                new = [entry for entry in named if entry not in found and entry[0] != "*"]
                found.update(new)
                todo += new
        return found

    def _keep(self, act: Action, conflict: Conflict) -> None:
        theirs = json.dumps(conflict.theirs, ensure_ascii=False, sort_keys=True)
        values = {"table_name": conflict.table, "row_id": conflict.row_id, "theirs": theirs}
        known = act.db.table("merge_conflict")
        if not known.count_where("table_name = :table_name AND row_id = :row_id AND theirs = :theirs", values):
            act.insert("merge_conflict", values | {"filename": self._name})


def _deleted_alone(key: str, row: Row, our_past: Past, their_past: Past) -> bool:
    """Returns whether a row missing in the other file was deleted there unchanged, with nothing about it undone on
    either side."""
    return their_past.knew(key, row) and not (their_past.undone(key) or our_past.brought_back(key))


def _content(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _STAMPS and name != "origin"}


def _values(names: Sequence[str], row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)
