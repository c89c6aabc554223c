"""Writes tests/archive/schema-NNNN.rejoinder for the present schema: run it once, when a schema is released."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.migrations import latest_version

ARCHIVE = Path(__file__).resolve().parent.parent / "tests" / "archive"


def main() -> None:
    """One paper, one step that can be done again; never overwrites an archived file."""
    path = ARCHIVE / f"schema-{latest_version():04d}.rejoinder"
    with Project.create(path, title="Archived project", annotator="Archivist") as project:
        store = PaperStore(project)
        paper = store.add_paper("Archived paper", abstract="Kept to prove that old files open.")
        store.rename_paper(paper, "Renamed and taken back")
        project.undo()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    (ARCHIVE / f".{path.name}.lock").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
