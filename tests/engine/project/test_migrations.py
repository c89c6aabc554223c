"""The gate, the chain, and the archived file of every released schema."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Project, backups, migrations, opening
from engine.project.database import schema_of
from engine.project.journal import journalled_tables
from engine.project.migrations import Migration, chain, latest_version, statements

ARCHIVE = Path(__file__).resolve().parents[2] / "archive"


def test_the_chain_has_no_gap_and_every_schema_has_an_archived_file() -> None:
    assert [step.version for step in chain()] == list(range(1, latest_version() + 1))
    assert {file.name for file in ARCHIVE.glob("*.rejoinder")} == {
        f"schema-{version:04d}.rejoinder" for version in range(1, latest_version() + 1)
    }


@pytest.mark.parametrize("version", range(1, latest_version() + 1))
def test_every_archived_file_opens_with_its_work_and_its_undo(version: int, tmp_path: Path) -> None:
    path = tmp_path / "old.rejoinder"
    shutil.copyfile(ARCHIVE / f"schema-{version:04d}.rejoinder", path)
    assert schema_of(path) == version
    with Project.open(path) as project:
        assert not project.read_only
        assert [paper.title for paper in PaperStore(project).papers()] == ["Archived paper"]
        assert not project.check()
        assert project.redo_entry is not None
        project.redo()
        project.undo()
        project.undo()
        assert PaperStore(project).papers() == ()
    assert schema_of(path) == latest_version()


def test_a_file_from_the_future_opens_read_only_and_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "future.rejoinder"
    with Project.create(path) as project:
        PaperStore(project).add_paper("theirs")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {latest_version() + 3}")
        connection.execute("CREATE TABLE theirs (id TEXT)")
        connection.execute("INSERT INTO journalled_table VALUES ('theirs')")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    with Project.open(path) as project:
        assert project.read_only and "newer Rejoinder" in project.read_only_reason
        assert len(PaperStore(project).papers()) == 1
        with pytest.raises(EnvironmentProblem) as caught:
            PaperStore(project).add_paper("ours")
        assert "copy" not in f"{caught.value.means} {caught.value.do}", "a copy would be newer, too"
    assert path.read_bytes() == before


def _with_step(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    longer = (*chain(), Migration(latest_version() + 1, script))
    monkeypatch.setattr(migrations, "chain", lambda: longer)


def test_an_older_file_is_backed_up_migrated_and_swapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.rejoinder"
    with Project.create(path) as project:
        PaperStore(project).add_paper("kept")
    version = latest_version()
    _with_step(monkeypatch, "ALTER TABLE paper ADD COLUMN venue TEXT NOT NULL DEFAULT '';\n")
    with Project.open(path) as project:
        assert project.query("SELECT venue FROM paper")[0][0] == ""
        project.undo()
        project.redo()  # rows journalled before the column existed still come back
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]
        with project.action("Set venue") as act:
            act.execute("UPDATE paper SET venue = 'x'")
        project.undo()
        assert project.query("SELECT venue FROM paper")[0][0] == "", "new columns are journalled too"
    assert schema_of(path) == version + 1
    kept = [backup for backup in backups(path) if backup.reason == "before migration"]
    assert len(kept) == 1 and schema_of(kept[0].path) == version


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.rejoinder"
    with Project.create(path) as project:
        PaperStore(project).add_paper("kept")
    _with_step(monkeypatch, "CREATE TABLE fresh (x TEXT) STRICT;\nINSERT INTO nowhere VALUES (1);\n")
    with pytest.raises(sqlite3.OperationalError):
        Project.open(path)
    monkeypatch.undo()
    assert not list(tmp_path.glob(".*.migrating"))
    with Project.open(path) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept"]
        assert project.query_one("SELECT 1 FROM sqlite_schema WHERE name = 'fresh'") is None


def test_a_migration_that_breaks_references_is_not_swapped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.rejoinder"
    with Project.create(path) as project:
        PaperStore(project).add_paper("kept")
    _with_step(monkeypatch, "PRAGMA defer_foreign_keys = ON;\nUPDATE annotator SET id = 'other';\n")
    with pytest.raises((EnvironmentProblem, sqlite3.IntegrityError)):
        Project.open(path)
    monkeypatch.undo()
    with Project.open(path) as project:
        assert len(PaperStore(project).papers()) == 1


def test_an_upgraded_file_that_fails_its_check_is_not_swapped_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.rejoinder"
    shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", path)
    monkeypatch.setattr(opening, "file_problems", lambda *_, **__: ("row 7 is missing from an index",))
    with pytest.raises(EnvironmentProblem, match="couldn't be upgraded: row 7 is missing from an index"):
        Project.open(path)
    assert schema_of(path) == 1 and len(backups(path)) == 1


def test_tables_of_human_work_can_be_played_back(tmp_path: Path) -> None:
    """Each has the key id, no blobs, provenance (or an owner that has it), and no cascade beside the journal."""
    with Project.create(tmp_path / "p.rejoinder") as project:
        tables = journalled_tables(project.connection())
        assert len(tables) >= 10
        for table in tables:
            columns = {row["name"]: row for row in project.query(f"PRAGMA table_info({table})")}
            assert columns["id"]["pk"] == 1
            assert all(row["type"] != "BLOB" for row in columns.values())
            if table != "comment_span":
                assert {"annotator_id", "created_at", "updated_at"} <= set(columns), table
            for reference in project.query(f"PRAGMA foreign_key_list({table})"):
                assert reference["on_delete"] == "NO ACTION" and reference["on_update"] == "NO ACTION", table


def test_scripts_are_split_like_sqlite_reads_them() -> None:
    script = (
        "-- a; b\nCREATE TABLE x (a TEXT); -- c\nCREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; SELECT 2; END;\n"
    )
    assert len(statements(script)) == 2
    with pytest.raises(ValueError, match="middle of a statement"):
        statements("CREATE TABLE y (")


def test_changed_scores_of_schema_13_stay_with_the_score_their_scenario_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "old.rejoinder", chain()
    monkeypatch.setattr(migrations, "chain", lambda: steps[:13])
    with Project.create(path) as project:
        with project.action("Import scores") as act:
            table = act.insert("score_table", {"title": "Scores", "columns": {}, "problems": [], "origin": "import:a"})
            scenario = {"table_id": table, "method": "bayes"}
            keys = [
                act.insert("calibration_scenario", scenario | {"name": n, "score_name": n}) for n in ("", "novelty")
            ]
        for key in keys:
            for kind in ("pin_score", "exclude_referee"):
                with project.action("Change") as act:
                    act.insert("calibration_change", {"scenario_id": key, "kind": kind, "value": 2.0})
        project.undo()
    monkeypatch.undo()
    with Project.open(path) as project:
        found = project.query("SELECT kind, score_name FROM calibration_change ORDER BY id")
        assert [tuple(row) for row in found] == [("pin_score", ""), ("exclude_referee", None), ("pin_score", "novelty")]
        project.redo()
        project.undo()
        project.undo()
        project.redo()  # made when every change counted for all scores
        found = project.query("SELECT score_name FROM calibration_change ORDER BY id")
        assert [row[0] for row in found] == ["", None, None]
