"""A whole project of version 0.1, as its own code wrote it: the sample of that time, linked and calibrated."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.project import Project, backups
from engine.project.database import schema_of
from engine.project.migrations import latest_version

OLD = Path(__file__).resolve().parents[2] / "archive" / "version-0.1" / "sample.rejoinder"
HUMAN = (
    "paper", "comment", "comment_span", "comment_state", "edit_link", "suggestion_decision", "calibration_scenario",
    "score_table", "score_review", "annotator", "document", "paper_version", "blob", "edit", "source_text",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    copy = tmp_path / "old.rejoinder"
    shutil.copyfile(OLD, copy)
    return copy


def content(path: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables that people filled, in an order of their own."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in HUMAN}
    return {name: sorted((dict(row) for row in rows), key=repr) for name, rows in tables.items()}


def test_every_row_and_value_is_there_after_migration(path: Path) -> None:
    old = content(OLD)
    assert sum(map(len, old.values())) == 397 and schema_of(path) == 1
    with Project.open(path) as project:
        assert not project.read_only and not project.check()
    assert schema_of(path) == latest_version()
    new = content(path)
    for table, rows in old.items():
        kept = [{name: row[name] for name in row if name in rows[0]} for row in new[table]]
        assert sorted(kept, key=repr) == rows, table
    (before,) = backups(path)
    assert before.reason == "before migration" and content(before.path) == old


def test_its_history_can_be_undone_and_done_again(path: Path) -> None:
    with Project.open(path) as project:
        steps = 0
        while project.undo_title is not None:
            project.undo()
            steps += 1
        assert steps == 29 and project.query("SELECT count(*) FROM edit_link")[0][0] == 0
        for _ in range(steps):
            project.redo()
        assert not project.check()
    old = content(OLD)
    assert [row["id"] for row in content(path)["edit_link"]] == [row["id"] for row in old["edit_link"]]


@pytest.mark.parametrize(
    ("command", "key"), [("coverage", "comments"), ("statistics", "actions"), ("project info", "title")]
)
def test_todays_commands_read_it(path: Path, command: str, key: str) -> None:
    done = CliRunner().invoke(rejoinder, [*command.split(), str(path), "--json"])
    assert done.exit_code in {0, 1}, done.output
    assert json.loads(done.stdout)[key]


def test_reading_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    before = path.read_bytes()
    with Project.open(path, read_only=True) as project:
        assert project.read_only and project.query("SELECT count(*) FROM edit_link")[0][0] == 9
        assert len(list((tmp_path / "private").iterdir())) == 1
    assert path.read_bytes() == before and list((tmp_path / "private").iterdir()) == []
