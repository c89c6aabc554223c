"""Permanent erasure of rows from tables, history, free pages, write-ahead log, backups and copies next to the file.

The rows are deleted in one transaction that also writes a mark into the project. The file is then rebuilt, so that
neither free pages nor the log keep the old bytes, and the backups are replaced by a new one. If the process is killed
before the commit, nothing has changed; afterwards, the mark makes the next opening finish the job.
"""

import glob
import json
import sqlite3
import tempfile
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from engine.errors import EnvironmentProblem
from engine.files import SIDECARS, remove_leftovers
from engine.project.backup import backup_folder, backups, file_problems
from engine.project.closure import LISTS, References, Rows, mentions
from engine.project.database import DamagedProject, connect_to_look, writing_to
from engine.project.ids import new_id, now
from engine.project.journal import drop_unused_files
from engine.project.records import ERASED, ProjectFile

MARK = "erasing"
"""The entry of ``project_info`` that marks an unfinished erasure; its value says whether copies are erased too."""
NOBODY = "Removed annotator"
"""The name that replaces an erased annotator as the author of shared material."""
PARTLY = "An earlier step, partly erased"
_NAMES = {
    "paper": "title", "document": "filename", "source_text": "title", "review_draft": "title", "annotator": "name",
}  # fmt: skip
"""The column by which users know a row; titles of steps that contain its value are replaced."""


@dataclass(frozen=True, slots=True)
class Doomed:
    rows: Mapping[str, set[str]] = field(default_factory=dict)
    annotator: str = ""

    @property
    def ids(self) -> frozenset[str]:
        """All keys to be erased, of all tables; keys are unique within a project."""
        return frozenset(key for ids in self.rows.values() for key in ids)


def counts(project: ProjectFile, doomed: Doomed) -> dict[str, int]:
    """Returns the number of existing rows per table that would be erased; rows that exist only in the history don't
    count."""
    references = References(project.connection())
    return {table: len(found) for table, ids in doomed.rows.items() if (found := references.ids(table, "id", ids))}


def copies_beside(path: Path) -> tuple[Path, ...]:
    """Returns earlier copies that Rejoinder left: next to the project (files replaced by a backup, the log of an
    overwritten file) and in the folder for temporary files (from a killed reader)."""
    found = [*path.parent.glob(f"{glob.escape(path.stem)}.replaced-*{glob.escape(path.suffix)}*")]
    found += path.parent.glob(f"{glob.escape(path.name)}.old-log-*")
    found += Path(tempfile.gettempdir()).glob(f"rejoinder-*/{glob.escape(path.name)}*")
    return tuple(sorted(file for file in found if file.is_file() and _is_copy(file, path)))


def _is_copy(file: Path, path: Path) -> bool:
    """Returns whether a file with a matching name is a copy of this project. Logs and damaged files count by name
    alone."""
    if file.suffix != path.suffix:
        return True
    try:
        with closing(connect_to_look(path)) as ours, closing(connect_to_look(file)) as theirs:
            found = [c.execute("SELECT value FROM project_info WHERE key = 'id'").fetchone() for c in (ours, theirs)]
        return found[0] is not None and found[1] is not None and found[0][0] == found[1][0]
    except (sqlite3.Error, EnvironmentProblem):
        return True


def erase(
    project: ProjectFile, doomed: Doomed, title: str, *, copies: bool, progress: Callable[[float], None] | None = None
) -> None:
    """Erases the rows in ``doomed`` and records one step ``title`` in the history, which can't be undone.

    Raises:
        EnvironmentProblem: the file can't be written and nothing was changed; or the rows are erased but the rest
            failed, and the next opening finishes the file and the backups.
    """
    name = dict(project.annotators()).get(project.annotator_id, "")
    project.connection().execute("PRAGMA secure_delete = ON").fetchall()
    with project.rewriting(by_person=True) as connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        _delete(connection, doomed, title, project.annotator_id)
        connection.execute(
            "INSERT OR REPLACE INTO project_info(key, value) VALUES (?, ?)", (MARK, "copies" if copies else "file")
        )
    if doomed.annotator == project.annotator_id:
        project.set_annotator(name)  # they may continue as a new annotator of the same name
    finish(project, progress)


def finish(project: ProjectFile, progress: Callable[[float], None] | None = None) -> None:
    """Completes an erasure after its rows are deleted. Does nothing if none is pending.

    Raises:
        EnvironmentProblem: another program is reading the file, or the disk is full.
        DamagedProject: the file is damaged; the backups are kept.
    """
    mark = project.info(MARK)
    if not mark:
        return
    say = progress or (lambda _fraction: None)
    path = project.path
    say(0.3)
    project.rebuild()
    say(0.6)
    if problems := file_problems(path, quick=True):
        raise DamagedProject(
            f"{path.name} is damaged: {problems[0]}.",
            "The erased data is gone from the file but not from its backups, because you may need one.",
            "Restore the last good backup, and erase again.",
        )
    fresh = project.back_up("after erasing", without=MARK)
    say(0.9)
    with writing_to(path):
        for old in backups(path):
            if old.path != fresh.path:
                _unlink(old.path)
        for folder in (backup_folder(path), path.parent):
            remove_leftovers(folder)
        for file in copies_beside(path) if mark == "copies" else ():
            _unlink(file)
    with project.rewriting() as connection:
        connection.execute("DELETE FROM project_info WHERE key = ?", (MARK,))
    project.checkpoint()
    say(1.0)


def _unlink(file: Path) -> None:
    for ending in ("", *SIDECARS):
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _delete(connection: sqlite3.Connection, doomed: Doomed, title: str, actor: str) -> None:
    references, ids = References(connection), doomed.ids
    names = _names(references, doomed)
    _forget_mentions(connection, references, ids)
    for table, targets in references.of.items():
        if "id" not in references.columns[table]:
            for column, parent in targets:
                gone = [(key,) for key in doomed.rows.get(parent, ())]
                connection.executemany(f'DELETE FROM "{table}" WHERE "{column}" = ?', gone)
    for table, keys in doomed.rows.items():
        connection.executemany(f'DELETE FROM "{table}" WHERE id = ?', [(key,) for key in keys])
    nobody = _remove_annotator(connection, references, doomed.annotator) if doomed.annotator else ""
    _forget_history(connection, doomed.rows, ids, names if doomed.annotator else ())
    for row in connection.execute("SELECT id, title FROM action").fetchall():
        if any(name in row["title"] for name in names):
            connection.execute("UPDATE action SET title = ? WHERE id = ?", (PARTLY, row["id"]))
    if doomed.annotator:
        _forget_steps_of(connection, doomed.annotator, nobody)
    connection.execute("UPDATE action SET state = 'abandoned' WHERE state = 'undone'")
    connection.execute(
        "INSERT INTO action(title, annotator_id, state, coalesce_key, created_at, updated_at)"
        " VALUES (?, ?, 'done', ?, ?, ?)",
        (title, nobody if actor in ("", doomed.annotator) else actor, ERASED, now(), now()),
    )
    drop_unused_files(connection, parsed=True)
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[0-9]'").fetchall():
        connection.execute(f'DELETE FROM "{table}"')  # these contain samples of indexed texts


def _names(references: References, doomed: Doomed) -> set[str]:
    """Returns the names of the erased rows, current and former, except those too short to be distinctive (up to 3
    characters)."""
    rows: Rows = {**doomed.rows, **({"annotator": {doomed.annotator}} if doomed.annotator else {})}
    found = {
        str(row[0])
        for table, column in _NAMES.items()
        for row in references.rows(table, (column,), "id", rows.get(table, ()))
    }
    for table, key, image in references.past():
        if table in _NAMES and key in rows.get(table, ()):
            found.add(str(image.get(_NAMES[table], "")))
    return {name for name in found if len(name) > 3}


def _forget_mentions(connection: sqlite3.Connection, references: References, ids: Collection[str]) -> None:
    for table, columns in LISTS.items():
        for column in columns:
            for row in connection.execute(f'SELECT id, "{column}" FROM "{table}"').fetchall():
                listed = json.loads(row[1])
                left = [entry for entry in listed if not mentions(json.dumps(entry), ids)]
                if left != listed:
                    connection.execute(
                        f'UPDATE "{table}" SET "{column}" = ? WHERE id = ?', (json.dumps(left), row["id"])
                    )
    for row in connection.execute("SELECT id, theirs FROM merge_conflict").fetchall():
        if mentions(row["theirs"], ids):
            connection.execute("DELETE FROM merge_conflict WHERE id = ?", (row["id"],))
    title = connection.execute("SELECT value FROM project_info WHERE key = 'title'").fetchone()
    papers = {row[0] for row in references.rows("paper", ("title",), "id", ids)}
    if title is not None and title[0] in papers:
        connection.execute("UPDATE project_info SET value = '' WHERE key = 'title'")


def _forget_history(
    connection: sqlite3.Connection, rows: Mapping[str, set[str]], ids: Collection[str], names: Collection[str]
) -> None:
    """Deletes journal entries of erased rows, of rows that once referred to one of them, and of clusters whose team
    names the erased annotator."""
    gone, touched = [], set()
    for row in connection.execute("SELECT seq, action_id, table_name, row_id, before, after FROM journal"):
        words = {*ids, *names} if row["table_name"] == "preference_cluster" else ids
        erased = row["row_id"] in rows.get(row["table_name"], ())
        if erased or mentions(row["before"], words) or mentions(row["after"], words):
            gone.append((row["seq"],))
            touched.add(row["action_id"])
    connection.executemany("DELETE FROM journal_real WHERE seq = ?", gone)
    connection.executemany("DELETE FROM journal WHERE seq = ?", gone)
    for action in touched:
        if connection.execute("SELECT 1 FROM journal WHERE action_id = ?", (action,)).fetchone() is None:
            connection.execute("DELETE FROM action WHERE id = ?", (action,))
        else:
            connection.execute("UPDATE action SET title = ?, coalesce_key = NULL WHERE id = ?", (PARTLY, action))


def _remove_annotator(connection: sqlite3.Connection, references: References, annotator: str) -> str:
    """Replaces the annotator with a placeholder in everything of theirs that is kept; returns the placeholder's key."""
    (name,) = connection.execute("SELECT name FROM annotator WHERE id = ?", (annotator,)).fetchone()
    taken = {row[0] for row in connection.execute("SELECT name FROM annotator")}
    nobody = new_id()
    free = next(words for n in count(1) if (words := f"{NOBODY} {n}" if n > 1 else NOBODY) not in taken)
    connection.execute("INSERT INTO annotator VALUES (?, ?, ?, ?)", (nobody, free, now(), now()))
    for table, columns in references.people.items():
        for column in columns:
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE "{column}" = ?', (nobody, annotator))
    for row in connection.execute("SELECT id, team, basis FROM preference_cluster").fetchall():
        team = json.loads(row["team"])
        if name in (*team, row["basis"]):
            left = json.dumps([member for member in team if member != name], ensure_ascii=False)
            basis = "all" if row["basis"] == name else row["basis"]
            connection.execute(
                "UPDATE preference_cluster SET team = ?, basis = ? WHERE id = ?", (left, basis, row["id"])
            )
    facts = ("id", "title", "created_at", "shared", "suggestions", MARK)
    connection.execute("DELETE FROM project_info WHERE key NOT IN (?, ?, ?, ?, ?, ?)", facts)
    return nobody


def _forget_steps_of(connection: sqlite3.Connection, annotator: str, nobody: str) -> None:
    """Deletes the annotator's steps that no journal entry is left of, and assigns the others to the placeholder."""
    connection.execute(
        "DELETE FROM action WHERE annotator_id = ? AND id NOT IN (SELECT action_id FROM journal)", (annotator,)
    )
    connection.execute(
        "UPDATE action SET title = ?, annotator_id = ?, coalesce_key = NULL WHERE annotator_id = ?",
        (PARTLY, nobody, annotator),
    )
    for side in ("before", "after"):
        connection.execute(
            f"UPDATE journal SET {side} = replace({side}, ?, ?) WHERE instr({side}, ?)", (annotator, nobody, annotator)
        )
    connection.execute("DELETE FROM annotator WHERE id = ?", (annotator,))
