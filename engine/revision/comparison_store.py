# ruff: noqa: S608 (only the column lists below are put into statements; values are always bound)
"""Comparisons of two versions and their edits: results, read and kept.

An edit keeps its key when the versions are compared anew: new edits are matched to old ones by their text
(``engine.revision.reattachment``), and edits that are no longer found stay in the table, marked, so that
links, decisions and the undo history never point at nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from engine.project import Project, new_id, now
from engine.revision.reattachment import match_edits
from engine.revision.records import Edit, Revision, RevisionDiff, SavedDiff

_CHUNK = 200  # rows a transaction: a few milliseconds, so that no act waits for results


class ComparisonStore:
    """Readers and the one writer of comparisons."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._edits: dict[str, tuple[str, tuple[Edit, ...]]] = {}

    def revisions(self) -> tuple[Revision, ...]:
        """All comparisons, oldest first."""
        return tuple(map(_revision, self._project.query("SELECT * FROM revision ORDER BY created_at, id")))

    def revision(self, revision_id: str) -> Revision:
        """Raises KeyError where there is none."""
        row = self._project.query_one("SELECT * FROM revision WHERE id = ?", (revision_id,))
        if row is None:
            raise KeyError(revision_id)
        return _revision(row)

    def revision_of(self, source_document_id: str, target_document_id: str) -> Revision | None:
        """The comparison of two documents, if there is one."""
        row = self._project.query_one(
            "SELECT * FROM revision WHERE source_document_id = ? AND target_document_id = ?",
            (source_document_id, target_document_id),
        )
        return None if row is None else _revision(row)

    def texts_of(self, revision_id: str) -> str | None:
        """The paper whose reviews belong to a revision; None where all do, since there is one paper only.

        Reviews that were imported before there was a paper belong to the only one. Raises KeyError.
        """
        revision = self.revision(revision_id)
        papers = self._project.query("SELECT id FROM paper")
        rows = self._project.query(
            "SELECT paper_id FROM paper_version WHERE document_id IN (?, ?) GROUP BY paper_id"
            " ORDER BY count(DISTINCT document_id) DESC, min(created_at), paper_id",
            (revision.source_document_id, revision.target_document_id),
        )
        return str(rows[0][0]) if len(papers) > 1 and rows else None

    def edits(self, revision_id: str) -> tuple[Edit, ...]:
        """The current edits in order of the revised text; read again only after a new comparison."""
        stamp = self._project.query_one("SELECT updated_at FROM revision WHERE id = ?", (revision_id,))
        if stamp is None:
            raise KeyError(revision_id)
        cached = self._edits.get(revision_id)
        if cached is None or cached[0] != stamp[0]:
            rows = self._project.query(
                "SELECT * FROM edit WHERE revision_id = ? AND current = 1 ORDER BY position", (revision_id,)
            )
            cached = self._edits[revision_id] = (stamp[0], tuple(map(_edit, rows)))
        return cached[1]

    def edit(self, edit_id: str) -> Edit:
        """An edit by its key, also one that is no longer current. Raises KeyError where there is none."""
        row = self._project.query_one("SELECT * FROM edit WHERE id = ?", (edit_id,))
        if row is None:
            raise KeyError(edit_id)
        return _edit(row)

    def save_diff(
        self,
        source_document_id: str,
        target_document_id: str,
        diff: RevisionDiff,
        parameters: Mapping[str, str] | None = None,
    ) -> SavedDiff:
        """Keeps a comparison; edits that were known keep their key, and with it their links."""
        revision_id = self._revision_key(source_document_id, target_document_id)
        rows = self._project.query(
            "SELECT * FROM edit WHERE revision_id = ? ORDER BY current DESC, position", (revision_id,)
        )
        before = [_edit(row) for row in rows]
        was_current = {row["id"] for row in rows if row["current"]}
        matches = match_edits(before, diff.edits)
        keys = [new_id() if match is None else before[match].id for match in matches]
        fresh = [
            (key, revision_id, position, *_edit_values(edit))
            for position, (key, edit, match) in enumerate(zip(keys, diff.edits, matches, strict=True))
            if match is None
        ]
        # New rows go in unseen (current = 0), a few at a time; one last short transaction shows the new
        # comparison.
        for chunk in chunks(fresh):
            with self._project.results("Compare versions") as write:
                write.executemany(f"INSERT INTO edit({_EDIT_COLUMNS}) VALUES ({_EDIT_MARKS})", chunk)
        with self._project.results("Compare versions") as write:
            write.execute("UPDATE edit SET current = 0 WHERE revision_id = ? AND current = 1", (revision_id,))
            write.executemany(
                f"UPDATE edit SET current = 1, position = ?, {_EDIT_ASSIGNMENTS} WHERE id = ?",
                [
                    (position, *_edit_values(edit), key)
                    for position, (key, edit, match) in enumerate(zip(keys, diff.edits, matches, strict=True))
                    if match is not None
                ],
            )
            write.executemany("UPDATE edit SET current = 1 WHERE id = ?", [(row[0],) for row in fresh])
            write.execute(
                "UPDATE revision SET parameters = ?, unchanged = ?, seconds = ?, updated_at = ? WHERE id = ?",
                (json.dumps(dict(parameters or {})), json.dumps(diff.unchanged), diff.seconds, now(), revision_id),
            )
            write.touched("edit", {*keys, *was_current})
            write.touched("revision", [revision_id])
        return SavedDiff(
            revision_id=revision_id,
            kept=len(keys) - len(fresh),
            new=len(fresh),
            retired=len(was_current.difference(keys)),
            needs_attention=self._lost_links(revision_id),
        )

    def _revision_key(self, source_document_id: str, target_document_id: str) -> str:
        with self._project.results("Compare versions") as write:
            write.execute(
                "INSERT OR IGNORE INTO revision(id, source_document_id, target_document_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (new_id(), source_document_id, target_document_id, now(), now()),
            )
            row = write.execute(
                "SELECT id FROM revision WHERE source_document_id = ? AND target_document_id = ?",
                (source_document_id, target_document_id),
            ).fetchone()
        return str(row[0])

    def _lost_links(self, revision_id: str) -> int:
        row = self._project.query_one(
            "SELECT count(*) FROM edit_link l JOIN edit e ON e.id = l.edit_id"
            " WHERE e.revision_id = ? AND l.annotator_id = ? AND e.current = 0",
            (revision_id, self._project.annotator_id),
        )
        return int(row[0]) if row is not None else 0


_EDIT_FIELDS = (
    "label", "kind", "operation", "moved", "source_ids", "target_ids", "source_text", "target_text", "section",
    "tokens_removed", "tokens_added",
)  # fmt: skip
_EDIT_COLUMNS = ", ".join(("id", "revision_id", "position", *_EDIT_FIELDS, "current"))
_EDIT_MARKS = ", ".join(["?"] * (3 + len(_EDIT_FIELDS)) + ["0"])
_EDIT_ASSIGNMENTS = ", ".join(f"{name} = ?" for name in _EDIT_FIELDS)


def _edit_values(edit: Edit) -> tuple[Any, ...]:
    return (
        edit.label or edit.id, edit.kind, edit.operation, int(edit.moved), json.dumps(edit.source_ids),
        json.dumps(edit.target_ids), edit.source_text, edit.target_text, edit.section, edit.tokens_removed,
        edit.tokens_added,
    )  # fmt: skip


def _edit(row: sqlite3.Row) -> Edit:
    return Edit(
        id=row["id"],
        kind=row["kind"],
        operation=row["operation"],
        moved=bool(row["moved"]),
        source_ids=tuple(json.loads(row["source_ids"])),
        target_ids=tuple(json.loads(row["target_ids"])),
        source_text=row["source_text"],
        target_text=row["target_text"],
        section=row["section"],
        tokens_removed=row["tokens_removed"],
        tokens_added=row["tokens_added"],
        label=row["label"],
    )


def _revision(row: sqlite3.Row) -> Revision:
    return Revision(
        id=row["id"],
        source_document_id=row["source_document_id"],
        target_document_id=row["target_document_id"],
        parameters=tuple(json.loads(row["parameters"]).items()),
        unchanged=tuple((tuple(source), tuple(target)) for source, target in json.loads(row["unchanged"])),
        seconds=row["seconds"],
        updated_at=row["updated_at"],
    )


def chunks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows in portions for one short transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
