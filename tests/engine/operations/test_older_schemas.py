"""Bundles and damaged files of older releases go through the migrations, as the project file itself does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.operations.bundle import read_bundle, write_bundle
from engine.papers.store import PaperStore
from engine.project import Project, migrations
from engine.project.salvage import salvage

# The same column as in test_migrations: what is known of a schema is kept for its number.
STEP = "ALTER TABLE paper ADD COLUMN venue TEXT NOT NULL DEFAULT '';\nUPDATE paper SET venue = 'x';\n"


@pytest.mark.parametrize("salvaged", [False, True])
def test_the_next_migration_changes_what_was_written_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, salvaged: bool
) -> None:
    old, new = tmp_path / "old.rejoinder", tmp_path / "new.rejoinder"
    with Project.create(old, "A study", "Ada") as project:
        PaperStore(project).add_paper("one")
        write_bundle(project, tmp_path / "old.zip", history=True)
    longer = (*migrations.chain(), migrations.Migration(migrations.latest_version() + 1, STEP))
    monkeypatch.setattr(migrations, "chain", lambda: longer)
    again: Callable[[Path, Path], object] = salvage if salvaged else read_bundle
    again(old if salvaged else tmp_path / "old.zip", new)
    with Project.open(new, annotator="Ada") as project:
        assert project.query("SELECT title, venue FROM paper")[0][:] == ("one", "x")
        assert not project.check() and project.undo_title is not None
        project.undo()
        assert PaperStore(project).papers() == ()
