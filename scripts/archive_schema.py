"""Writes tests/archive/schema-NNNN.rejoinder for every schema without one; run it when a schema is released."""

import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

from engine.papers.store import PaperStore
from engine.project import Project, migrations

ARCHIVE = Path(__file__).resolve().parent.parent / "tests" / "archive"


def main() -> None:
    """Archives every schema that isn't archived yet; never overwrites a file."""
    steps = migrations.chain()
    for step in steps:
        path = ARCHIVE / f"schema-{step.version:04d}.rejoinder"
        if not path.exists():
            shorter = steps[: step.version]
            with patch.object(migrations, "chain", lambda known=shorter: known):
                archive(path)


def archive(path: Path) -> None:
    """Writes a project with one paper and one action that can be redone."""
    with Project.create(path, title="Archived project", annotator="Archivist") as project:
        paper = PaperStore(project).add_paper("Archived paper", abstract="Kept to prove that old files open.")
        with project.action("Rename paper") as act:
            act.update("paper", paper, {"title": "Renamed and taken back"})
        project.undo()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    (ARCHIVE / f".{path.name}.lock").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
