"""Bringing the work of another copy of a project into this one.

Keys are unique across files, so a key says which row is meant; where both files hold a row, the journals say who
changed it. A row that only one side changed (or deleted) since both had it alike is taken as that side left it. A row
that both changed is a conflict: this file's stays, the other's is kept whole in ``merge_conflict`` and reported. Rows
that both files made by themselves of the same thing (the same PDF, the same letter, the same annotator's name) are
recognised by what they say, and what refers to the one refers to the other from then on.
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
"""Called with 0..1; what it raises (Cancelled) ends the merge, and nothing of it stays."""

_OWN = frozenset(
    {
        "project_info", "action", "journal", "journal_real", "journal_context", "journalled_table", "merge_conflict",
        "survey_sitting",
    }
)  # fmt: skip
"""Tables that say something of their file alone; how long a person was at a survey stays in theirs."""
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
"""What makes rows of different keys the same thing, by table. Comments only where they came from a file."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row that both files changed, each in its own way. ``ours`` stayed; ``theirs`` is in ``merge_conflict``."""

    table: str
    row_id: str
    ours: Mapping[str, Any] | None
    theirs: Mapping[str, Any] | None
    columns: tuple[str, ...]
    """The columns on which they differ; none where one side deleted the row."""

    def sentence(self) -> str:
        if self.ours is None or self.theirs is None:
            who = "this file" if self.ours is None else "the other file"
            return f"{self.table} {self.row_id}: deleted in {who}, but changed or still used in the other one."
        return f"{self.table} {self.row_id}: both files changed {', '.join(self.columns)}."


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge did: rows by table that were added, taken in their newer form, or removed as the other file had;
    and the conflicts.
    """

    filename: str
    added: Mapping[str, int] = field(default_factory=dict)
    updated: Mapping[str, int] = field(default_factory=dict)
    removed: Mapping[str, int] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    annotators: tuple[str, ...] = ()
    """Names of the people whose work the other file brought."""
    notes: tuple[str, ...] = ()
    """Sentences on what was taken in under another name."""

    @property
    def rows(self) -> int:
        return sum(sum(part.values()) for part in (self.added, self.updated, self.removed))


def merge_files(first: Path, second: Path, out: Path) -> MergeReport:
    """Writes ``out`` as a copy of ``first`` with the work of ``second`` in it; both files stay as they are.

    Raises:
        BadInput: ``out`` exists, one of both is no project, a newer Rejoinder wrote it, or they have nothing in
        common. A file of an older schema is read from a private copy that was brought up to date.
    """
    refuse_long_name(out)
    with up_to_date(first) as ours, up_to_date(second) as theirs, writing_to(out), whole_file(out) as unfinished:
        with sentences(first), closing(connect_to_look(ours)) as source:
            copy_database(source, unfinished)
        with open_unshared(Project, unfinished) as copy:
            return merge_into(copy, theirs)


def merge_into(project: Project, other: Path, *, progress: Progress | None = None) -> MergeReport:
    """Brings the work of another project file into an open one, as one transaction and one undo step.

    Files inside are copied one by one, only those that are missing here; no more than the largest is held in memory.

    Raises:
        BadInput: the other file is no sound project, a newer Rejoinder wrote it, or it has no document and no paper in
        common.
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
    """One merge: the other file's rows are compared first, and then written in one action."""

    def __init__(self, project: Project, theirs: sqlite3.Connection, name: str, progress: Progress) -> None:
        self._project, self._theirs, self._progress = project, theirs, progress
        self._human = {row[0] for row in project.query("SELECT name FROM journalled_table")}
        self._same: dict[str, str] = {}
        self._ours: dict[str, dict[str, Row]] = {}
        self._results: list[tuple[str, Row, tuple[Any, ...]]] = []
        self._changes: dict[_Key, Row | None] = {}
        """Human work as the other file has it, where this file is to have it, too; None: without the row."""
        self._written: dict[_Key, Row | None] = {}
        self._notes: list[str] = []
        self._name = name
        found = theirs.execute("SELECT value FROM project_info WHERE key = 'shared'").fetchone()
        self._shared = found is not None and not project.info("shared")
        self._conflicts: list[Conflict] = []

    def read(self) -> None:
        """Compares all tables, those that others refer to first."""
        tables = self._tables()
        for number, table in enumerate(tables):
            self._progress(0.3 * number / len(tables))
            if "id" in columns_of(table).names:
                self._compare(table)
            else:
                self._read_keyless(table)
        self._settle()

    def _brought(self) -> tuple[str, ...]:
        """Names of the people whose work comes in."""
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
        # Comparisons name documents without a foreign key.
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
        if table == "annotator":  # who merges may have no row yet, and has one when the rows are written
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
                # Gone here: it stays gone. Reported where the other side has changed it since, or where either side
                # undid something of it, since it may as well have been done again, or brought back.
                if our_past.undone(key) or their_past.brought_back(key) or not our_past.knew(key, row):
                    self._conflict(table, key, None, row)
            else:
                twin = next((there[v] for names, there in held if (v := _values(names, row)) in there), None)
                if twin is not None and human and twin in found:
                    self._conflict(table, twin, ours[twin], row)
                elif twin is not None and twin not in found:
                    self._same[key] = twin
                    if human and _content(ours[twin]) != _content(row):
                        if _deleted_alone(twin, ours[twin], our_past, their_past):  # and made again in another form
                            self._changes[table, twin] = {**row, "id": twin}
                        else:
                            self._conflict(table, twin, ours[twin], row)
                elif human:
                    self._changes[table, key] = row
                else:
                    self._results.append((table, self._retired(table, row), (key,)))
        kept = set(self._same.values())  # deleted and made again by the other side: here it is still there
        for key, row in ours.items():
            if key not in found and key not in kept and their_past.deleted(key):
                if _deleted_alone(key, row, our_past, their_past):
                    self._changes[table, key] = None
                else:
                    self._conflict(table, key, row, None)

    def _own(self, key: _Key) -> Row | None:
        return self._ours.get(key[0], {}).get(key[1])

    def _hold(self, keys: Iterable[_Key]) -> None:
        """Leaves rows as this file has them, and reports the other's."""
        for key in keys:
            self._conflict(*key, self._own(key), self._changes.pop(key))

    def _settle(self) -> None:
        """Rows must not refer to what is not there: an addition to what was deleted here, and a deletion of what this
        file has added to, are conflicts."""
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
        """The columns of a table that refer to other tables, with these."""
        return [(row["from"], row["table"]) for row in self._project.query(f'PRAGMA foreign_key_list("{table}")')]

    def _both(self, table: str, ours: Row, theirs: Row, our_past: Past, their_past: Past) -> None:
        """A row that both files have; of results this file's is."""
        if ours == theirs or table not in self._human:
            return
        if self._shared and not their_past.touched(ours["id"]):
            return  # as it was handed out, without what was left out of it
        newer, older = our_past.knew(ours["id"], theirs), their_past.knew(ours["id"], ours)
        before, after = (our_past, their_past) if older else (their_past, our_past)
        # Both went on, or one of them undid what the other has or went on from.
        if newer == older or before.took_back(ours["id"], after):
            self._conflict(table, ours["id"], ours, theirs)
        elif older:
            self._changes[table, ours["id"]] = theirs

    def _conflict(self, table: str, key: str, ours: Row | None, theirs: Row | None) -> None:
        names = () if ours is None or theirs is None else tuple(n for n in ours if ours[n] != theirs[n] and n != "id")
        if ours is not None and theirs is not None and not set(names) - {"updated_at", "created_at"}:
            return  # only when it was written differs
        self._conflicts.append(Conflict(table, key, ours, theirs, names))

    def _held(self, table: str, ours: Mapping[str, Row], found: Mapping[str, Row]) -> list[_Held]:
        """What makes a row of another key the same thing: column names, and which row here holds which values."""
        held: list[_Held] = []
        if table in _SAME:
            # A comment that a person marked is theirs; what the other file has too is no double of a further row.
            free = {k: row for k, row in ours.items() if k not in found and (table, row.get("origin")) != _MARKED}
            held.append((_SAME[table], {_values(_SAME[table], row): key for key, row in free.items()}))
        for index in self._project.query(f'PRAGMA index_list("{table}")'):
            if index["origin"] == "u":  # a UNIQUE constraint of the table
                names = [row["name"] for row in self._project.query(f'PRAGMA index_info("{index["name"]}")')]
                held.append((names, {v: key for key, row in ours.items() if None not in (v := _values(names, row))}))
        return held

    def _retired(self, table: str, row: Row) -> Row:
        """An edit that the comparison here does not know: links to it need attention."""
        known = table == "edit" and row["revision_id"] in self._same.values() and not row["passage"]
        return {**row, "current": 0} if known else row

    def _read_keyless(self, table: str) -> None:
        """Results that several columns, or their content, identify."""
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
        """A value in which keys of the other file's doubles are those of ours; keys in lists are JSON."""
        if not self._same or not isinstance(value, str):
            return value
        if value in self._same:
            return self._same[value]
        return _QUOTED.sub(lambda m: self._same.get(m[0], m[0]), value) if value.startswith("[") else value

    def write(self) -> MergeReport:
        """Writes results first, then human work: one transaction, one act."""
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
        """Makes the rows what ``_changes`` says, and those that were held since what they were. What collides with
        another row, as columns that must be unique say, is held."""
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
        """Writes a row as it is to be; False where another one is in its place yet."""
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
        """Gives versions that came in a name of their own where another PDF of the paper has theirs."""
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
        """Rows that came in and break a rule on rows (``invariants.broken``): the row itself, else what it refers to.
        Of ``known`` rows it was broken before. Raises BadInput where nothing that came in explains it; nothing is
        merged then.
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
        """What a row refers to, directly or through others; of comparisons the versions, too."""
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
                    named += [key for key, row in versions.items() if row and row["document_id"] in ends]
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
    """Whether a row that the other file has no more was there as it is here, and neither side undid anything of it."""
    return their_past.knew(key, row) and not (their_past.undone(key) or our_past.brought_back(key))


def _content(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _STAMPS and name != "origin"}


def _values(names: Sequence[str], row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)
