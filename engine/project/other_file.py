"""The other file of a merge: checks that it can be merged, its rows' history, and copying of rows."""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.project import migrations
from engine.project.action import Action
from engine.project.backup import file_problems
from engine.project.database import schema_of, sentences
from engine.project.opening import copy_up_to_date
from engine.project.project import Project
from engine.project.schema import examine
from engine.project.tables import Row, columns_of

Query = Callable[[str, Sequence[Any]], list[sqlite3.Row]]
_CHUNK = 1 << 20


@contextmanager
def up_to_date(path: Path) -> Iterator[Path]:
    """Yields the project in the current schema: the file itself, or a migrated private copy, which is removed
    afterwards.

    Raises:
        BadInput: a newer Rejoinder wrote it. EnvironmentProblem: it can't be read, or there is no room for the copy.
        ForeignSchema: it has schema objects that Rejoinder didn't create.
    """
    version = schema_of(path)
    if version > migrations.latest_version():
        raise BadInput(
            f"{path.name} was written by a newer Rejoinder (schema {version}).", "Nothing was merged.",
            "Install the newer version first.",
        )  # fmt: skip
    examine(path, version)
    if version == migrations.latest_version():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as folder:
        copy = Path(folder) / path.name
        with sentences(path):
            copy_up_to_date(path, copy)
        yield copy


def check_content(theirs: sqlite3.Connection, other: Path) -> None:
    """Raises BadInput if SQLite's quick check fails or journal entries aren't valid JSON objects."""
    problems = file_problems(other, quick=True)
    broken = theirs.execute(
        "SELECT count(*) FROM journal WHERE coalesce(before, '{}') NOT LIKE '{%' OR coalesce(after, '{}') NOT LIKE '{%'"
        " OR NOT json_valid(coalesce(before, '{}')) OR NOT json_valid(coalesce(after, '{}'))"
    ).fetchone()[0]
    if broken:
        problems = (*problems, f"{broken:,} history entries can't be read")
    if problems:
        raise BadInput(
            f"{other.name} is damaged: {problems[0]}.",
            "Nothing was merged.",
            "Ask for the file again, or for a backup.",
        )


def check_documents(project: Project, theirs: sqlite3.Connection, name: str) -> None:
    """Raises BadInput unless the files are copies of one project or have a PDF in common, or if a document has another
    PDF."""
    statement = "SELECT sha256, id FROM document"
    ours = {row[1]: row[0] for row in project.query(statement)}
    found = {row[1]: row[0] for row in theirs.execute(statement)}
    changed = [key for key in ours.keys() & found.keys() if ours[key] != found[key]]
    if changed:
        raise BadInput(
            f"{name} has a different file for one of this project's documents.",
            "Positions in it wouldn't match. Nothing was merged.",
            "Merge only files made from the same PDFs.",
        )
    row = theirs.execute("SELECT value FROM project_info WHERE key = 'id'").fetchone()
    same_project = row is not None and row[0] == project.id
    if not same_project and not set(ours.values()) & set(found.values()):
        raise BadInput(
            f"{name} has no document in common with this project.",
            "Nothing was merged.",
            "Merge only files made from the same PDFs.",
        )


def copy_row(act: Action, source: sqlite3.Connection, table: str, row: Row, key: tuple[Any, ...]) -> None:
    """Inserts a result unless an equal one exists, with the BLOBs of the row that has this key in ``source``. BLOBs are
    copied in pieces of 1 MB, so memory use doesn't grow with their size."""
    columns = columns_of(table)
    names = ", ".join(f'"{name}"' for name in (*row, *columns.blobs))
    marks = ", ".join(["?"] * len(row) + ["zeroblob(?)"] * len(columns.blobs))
    sizes: tuple[int, ...] = ()
    if columns.blobs:
        lengths = ", ".join(f'length("{name}")' for name in columns.blobs)
        where = " AND ".join(f'"{name}" = ?' for name in columns.key)
        there, *found = source.execute(f'SELECT rowid, {lengths} FROM "{table}" WHERE {where}', key).fetchone()
        sizes = tuple(found)
    written = act.execute(f'INSERT OR IGNORE INTO "{table}"({names}) VALUES ({marks})', (*row.values(), *sizes))
    if written.rowcount > 0:
        for name in columns.blobs:
            with (
                source.blobopen(table, name, there, readonly=True) as old,
                act.open_blob(table, name, written.lastrowid or 0) as new,
            ):
                while piece := old.read(_CHUNK):
                    new.write(piece)


class Past:
    """What a file's journal knows about a table's rows: their earlier contents, and which were deleted."""

    def __init__(self, query: Query, table: str) -> None:
        self._former: dict[str, list[tuple[Row, bool]]] = {}
        self._gone: dict[str, bool] = {}
        self._back: set[str] = set()
        self._taken_back: dict[str, list[Row]] = {}
        known: set[str] = set()
        rows = query(
            "SELECT j.row_id, j.before, j.after, a.state FROM journal j JOIN action a ON a.id = j.action_id"
            " WHERE j.table_name = ? ORDER BY j.seq",
            (table,),
        )
        for row in rows:
            key, done = row["row_id"], row["state"] == "done"
            for image in (row["before"], row["after"]):
                if image is not None:
                    self._former.setdefault(key, []).append((json.loads(image), done))
            if row["after"] is None and not done:
                self._back.add(key)
            elif not done:
                self._taken_back.setdefault(key, []).append(json.loads(row["after"]))
            # An undone action changed nothing. Only the first one shows whether the row existed before it.
            if done or key not in known:
                known.add(key)
                if row["after" if done else "before"] is None:
                    self._gone[key] = not done

    def deleted(self, key: str) -> bool:
        """Returns whether the file once had the row and no longer does."""
        return key in self._gone

    def undone(self, key: str) -> bool:
        """Returns whether the row is missing because the action that created it was undone."""
        return self._gone.get(key, False)

    def brought_back(self, key: str) -> bool:
        """Returns whether a deletion of the row was undone."""
        return key in self._back

    def took_back(self, key: str, other: "Past") -> bool:
        """Returns whether an action was undone here that gave the row a content that ``other`` has and didn't undo."""
        return any(other.knew(key, form, done=True) for form in self._taken_back.get(key, ()))

    def touched(self, key: str) -> bool:
        """Returns whether the journal mentions the row."""
        return key in self._former

    def knew(self, key: str, row: Row, *, done: bool = False) -> bool:
        """Returns whether the row ever had this content in the file; ``done``: before or after an action that wasn't
        undone."""
        # Images from before a column was added lack it.
        return any(
            all(_written(row.get(name)) == _written(value) for name, value in image.items())
            for image, was_done in self._former.get(key, ())
            if was_done or not done
        )


def _written(value: Any) -> Any:
    """Rounds doubles to 15 digits, as the journal's JSON does."""
    return float(f"{value:.15g}") if isinstance(value, float) else value


NO_PAST = Past(lambda _sql, _parameters: [], "")
"""For results, which have no journal."""
