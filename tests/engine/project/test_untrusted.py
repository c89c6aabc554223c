"""A project file from a stranger runs nothing, and opening, looking and closing changes nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.files import remove_leftovers, whole_file
from engine.papers.store import PaperStore
from engine.project import DamagedProject, Project, backups, restore
from engine.project.database import connect_to_look, schema_of
from engine.project.excerpt import Excerpt, write_excerpt
from engine.project.merge import merge_files
from engine.project.migrations import latest_version
from engine.project.salvage import salvage
from engine.project.schema import ForeignSchema, guarded

ARCHIVE = Path(__file__).resolve().parents[2] / "archive"
HOSTILE = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON project_info BEGIN DELETE FROM paper; END",
    "a trigger without end": (
        "CREATE TRIGGER t AFTER UPDATE ON paper BEGIN UPDATE paper SET title = title || 'x' WHERE id = NEW.id; END"
    ),
    "a view": "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
    "a virtual table": "CREATE VIRTUAL TABLE f USING fts5(x)",
    "a further table": "CREATE TABLE t(x)",
    "a further index": "CREATE INDEX i ON paper(lower(title))",
    "a further column": "ALTER TABLE paper ADD COLUMN extra TEXT AS (hex(zeroblob(900000000)))",
    "a row in the list of tables with history": "INSERT INTO journalled_table VALUES ('blob')",
    "one less": "DROP INDEX paper_by_position",
    "a journal trigger that does something else": (
        "CREATE TRIGGER journal_paper_other AFTER DELETE ON paper BEGIN DELETE FROM comment; END"
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.rejoinder"
    with Project.create(path, "Study", "Ada") as project:
        PaperStore(project).add_paper("one")
        PaperStore(project).add_paper("two")
    return path


def _plant(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _view_in_place_of_a_table(path: Path) -> None:
    _plant(
        path,
        "PRAGMA foreign_keys = OFF; ALTER TABLE project_info RENAME TO hidden;"
        "CREATE VIEW project_info AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        " SELECT x AS key, x AS value FROM c",
    )


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "to read"])
def test_whatever_rejoinder_did_not_put_there_is_refused(path: Path, sql: str, read_only: bool) -> None:
    _plant(path, sql)
    before = path.read_bytes()
    with pytest.raises(ForeignSchema) as caught:
        Project.open(path, read_only=read_only)
    assert caught.value.means and caught.value.do
    assert path.read_bytes() == before and not list(path.parent.glob("*.backups"))


@pytest.mark.parametrize(
    ("number", "said"),
    [(1, "create: table t0."), (3, "create: table t0, table t1, table t2."),
     (4, "create: table t0, table t1, table t2 and 1 more.")],
)  # fmt: skip
def test_three_of_the_parts_that_are_not_rejoinders_are_named(path: Path, number: int, said: str) -> None:
    _plant(path, "".join(f"CREATE TABLE t{place}(x);" for place in range(number)))
    with pytest.raises(ForeignSchema) as caught:
        Project.open(path)
    assert caught.value.what.endswith(said)


def test_a_look_trusts_no_schema_writes_nothing_and_ends(path: Path) -> None:
    """What holds even for a schema that the comparison would let pass."""
    endless = f"SELECT 1 FROM {', '.join(f'sqlite_schema s{n}' for n in range(9))} WHERE s0.rootpage + s8.rootpage < 0"
    with closing(connect_to_look(path)) as connection:
        assert connection.execute("PRAGMA trusted_schema").fetchone()[0] == 0
        with pytest.raises(ForeignSchema, match="took more than"), guarded(connection, path, 0.1):
            connection.execute(endless).fetchall()
        for sql in ("DELETE FROM paper", "PRAGMA user_version"):
            with pytest.raises(ForeignSchema, match="tried to run its own commands"), guarded(connection, path):
                connection.execute(sql)


def test_only_what_a_file_does_is_blamed_on_it(path: Path) -> None:
    """A statement that names no table of it failed for another reason than time or forbidden commands."""
    with closing(connect_to_look(path)) as connection:
        with guarded(connection, path), pytest.raises(sqlite3.OperationalError, match="no such table"):
            connection.execute("SELECT 1 FROM nowhere")
        with pytest.raises(sqlite3.OperationalError, match="no such table"), guarded(connection, path):
            connection.execute("SELECT 1 FROM nowhere")
        with pytest.raises(ForeignSchema, match="tried to run its own commands"), guarded(connection, path):
            connection.execute("PRAGMA user_version")


def test_a_view_in_place_of_a_table_neither_opens_nor_hangs_a_merge(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.rejoinder"
    shutil.copyfile(path, mine)
    _view_in_place_of_a_table(path)
    with pytest.raises(ForeignSchema):
        Project.open(path)
    with pytest.raises(ForeignSchema):
        merge_files(mine, path, tmp_path / "out.rejoinder")
    with pytest.raises(ForeignSchema):
        restore(mine, path)
    assert not (tmp_path / "out.rejoinder").exists()


def test_a_newer_file_with_a_view_in_place_of_a_table_is_refused(path: Path) -> None:
    _view_in_place_of_a_table(path)
    _plant(path, f"PRAGMA user_version = {latest_version() + 1}")
    with pytest.raises(ForeignSchema):
        Project.open(path)


def test_every_released_schema_is_known(tmp_path: Path) -> None:
    for old in ARCHIVE.glob("*.rejoinder"):
        path = tmp_path / old.name
        shutil.copyfile(old, path)
        Project.open(path).close()
        assert len(backups(path)) == (0 if old.stem.endswith(f"{latest_version()}") else 1)


@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_rows_of_a_refused_file_can_be_salvaged(path: Path, tmp_path: Path, sql: str) -> None:
    _plant(path, sql)
    new = tmp_path / "new.rejoinder"
    found = salvage(path, new)
    assert found.rows > 2
    with Project.open(new) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["one", "two"]
        assert not project.check() and project.undo_title is not None
        project.undo()


def test_tables_that_are_missing_or_others_are_empty_in_a_salvaged_file(path: Path, tmp_path: Path) -> None:
    sound = salvage(path, tmp_path / "sound.rejoinder")
    lost = "DROP TABLE {0}; CREATE {1}TABLE {0}{2};"
    _plant(
        path,
        f"PRAGMA foreign_keys = OFF; DROP TABLE rating;{lost.format('edit_link', '', '(x)')}"
        f"{lost.format('anchor', 'VIRTUAL ', ' USING fts5(id, note)')} INSERT INTO anchor VALUES ('a', 'b');",
    )
    assert salvage(path, tmp_path / "new.rejoinder") == sound and sound.left_out == ()


def test_salvage_leaves_out_what_breaks_the_rules(path: Path, tmp_path: Path) -> None:
    _plant(
        path,
        "CREATE TABLE t(x); PRAGMA foreign_keys = OFF;"
        "INSERT INTO paper SELECT 'p3', 'three', '', '', 9, 'nobody', created_at, updated_at FROM paper LIMIT 1",
    )
    found = salvage(path, tmp_path / "new.rejoinder")
    assert any("paper" in sentence for sentence in found.left_out)
    with Project.open(tmp_path / "new.rejoinder") as project:
        assert len(PaperStore(project).papers()) == 2


@pytest.mark.parametrize("version", [1, 5, latest_version()])
def test_a_salvaged_file_is_a_new_project_of_the_present_schema(tmp_path: Path, version: int) -> None:
    source, new, reported = ARCHIVE / f"schema-{version:04d}.rejoinder", tmp_path / "new.rejoinder", list[float]()
    found = salvage(source, new, reported.append)
    assert schema_of(new) == latest_version() and found.left_out == ()
    assert reported == sorted(reported) and reported[0] == 0 and 0.9 < reported[-1] < 1
    with closing(connect_to_look(source)) as before, closing(connect_to_look(new)) as after:
        tables = {row[0] for row in before.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        counts = {name: before.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
        for name in tables & {"paper", "comment", "action", "journal", "annotator"}:
            assert after.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] == counts[name]
        own = {name for name in counts if name.startswith(("journal_context", "journalled_table", "sqlite_"))}
        assert found.rows == sum(number for name, number in counts.items() if name not in own)
        keys = [c.execute("SELECT value FROM project_info WHERE key = 'id'").fetchone()[0] for c in (before, after)]
        assert keys[0] != keys[1]


def test_salvage_counts_what_it_leaves_out(path: Path, tmp_path: Path) -> None:
    _plant(
        path,
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; CREATE TABLE t(x);"
        "UPDATE paper SET position = position + 5;"
        "INSERT INTO comment_span(id, comment_id, role, position, start_offset, end_offset) VALUES"
        " ('s1', 'gone', 'comment', 1, 0, 1), ('s2', 'gone', 'comment', 2, 3, 1);"
        "INSERT INTO paper SELECT 'p' || position, 'new', '', '', 9, 'nobody', created_at, updated_at FROM paper",
    )
    found = salvage(path, tmp_path / "new.rejoinder")
    assert sorted(found.left_out) == [
        "1 row of comment_span", "1 row of comment_span that refers to missing ones",
        "2 rows of paper that refer to missing ones",
    ]  # fmt: skip
    with pytest.raises(BadInput, match="unknown version"):
        _plant(path, f"PRAGMA user_version = {latest_version() + 1}")
        salvage(path, tmp_path / "newer.rejoinder")
    assert not (tmp_path / "newer.rejoinder").exists()


@pytest.mark.parametrize("how", ["cut off", "cut off at the end", "a page"])
def test_salvage_reads_what_is_left_of_a_damaged_file(tmp_path: Path, how: str) -> None:
    path, new = tmp_path / "long.rejoinder", tmp_path / "new.rejoinder"
    files = [bytes([number]) * 300_000 for number in range(1, 6)]
    with Project.create(path, annotator="Ada") as project:
        for number in range(30):
            PaperStore(project).add_paper(f"Paper {number} " + "x" * 300)
        for content in files:
            project.put_blob(content, "application/pdf")
    data = path.read_bytes()
    if how == "a page":
        at = data.index(files[2][:2000]) - 8 & ~4095
        path.write_bytes(data[:at] + b"\xff" * 4096 + data[at + 4096 :])
    else:
        path.write_bytes(data[: -700_000 if how == "cut off" else -5_000])
    found = salvage(path, new)
    assert [one for one in found.left_out if "blob" in one]
    with Project.open(new) as project:
        assert len(PaperStore(project).papers()) == 30
        kept = [row["bytes"] for row in project.query("SELECT bytes FROM blob ORDER BY size, bytes")]
    assert set(kept) < set(files) and len(kept) == (0 if how == "cut off" else 4)


def test_salvage_survives_a_file_that_claims_to_be_enormous(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:28] + b"\xff" * 4 + data[32:])
    salvage(path, tmp_path / "new.rejoinder")
    with Project.open(tmp_path / "new.rejoinder") as project:
        assert PaperStore(project).papers()


def test_of_a_table_without_row_numbers_only_what_refers_to_nothing_is_left_out(path: Path, tmp_path: Path) -> None:
    _plant(
        path,
        "CREATE TABLE t(x); PRAGMA foreign_keys = OFF; INSERT INTO journal_real"
        " SELECT seq, 'after', 'score', 0.1 FROM (SELECT min(seq) AS seq FROM journal)"
        " UNION SELECT 99, 'after', 'score', 1.5",
    )
    assert salvage(path, tmp_path / "new.rejoinder").left_out == ("1 row of journal_real that refers to missing ones",)
    with closing(connect_to_look(tmp_path / "new.rejoinder")) as made:
        assert [row["value"] for row in made.execute("SELECT value FROM journal_real")] == [0.1]


def test_a_look_that_takes_long_but_not_too_long_is_finished(path: Path) -> None:
    with closing(connect_to_look(path)) as connection, guarded(connection, path, 60.0):
        many = "SELECT 1 FROM " + ", ".join(f"paper AS p{n}" for n in range(14))
        assert len(connection.execute(many).fetchall()) == 2**14


def test_a_guard_passes_on_what_the_file_did_not_do_and_ends(path: Path) -> None:
    with closing(connect_to_look(path)) as connection:
        for error in (sqlite3.DatabaseError("damaged"), sqlite3.OperationalError("no such thing")):
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            with pytest.raises(type(error), match=str(error)), guarded(connection, path):
                raise error
            assert connection.execute("SELECT upper('a')").fetchone()[0] == "A", "functions are allowed again"


def test_opening_looking_and_closing_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    with Project.open(path, annotator="Somebody else") as project:
        assert len(PaperStore(project).papers()) == 2 and project.history()
        assert ("Somebody else" in dict(project.annotators()).values()) and project.annotator_id
    assert path.read_bytes() == before
    assert {file.name for file in path.parent.iterdir()} <= {path.name, f".{path.name}.lock"}
    with Project.open(path, annotator="Somebody else") as project:
        PaperStore(project).add_paper("three")
        assert project.history()[0].annotator == "Somebody else"


def test_a_journal_that_was_tampered_with_is_reported(path: Path) -> None:
    for change in (
        "UPDATE journal SET after = '{' WHERE after IS NOT NULL",
        "UPDATE journal SET after = '[1]', before = '[1]'",
        "UPDATE journal SET table_name = 'blob'",
        "UPDATE journal SET table_name = 'paper\" WHERE 1 OR \"1'",
        "UPDATE journal SET after = json_set(after, '$.title', json('{\"a\": 1}')) WHERE after IS NOT NULL",
    ):
        other = path.with_name("tampered.rejoinder")
        shutil.copyfile(path, other)
        _plant(other, change)
        with Project.open(other) as project:
            with pytest.raises(DamagedProject, match="history"):
                project.undo()
                project.redo()
            assert 1 <= len(PaperStore(project).papers()) <= 2
        other.unlink()


def test_text_that_is_no_text_is_damage(path: Path) -> None:
    _plant(path, "UPDATE paper SET title = CAST(x'ff41' AS TEXT)")
    with Project.open(path) as project, pytest.raises(DamagedProject):
        PaperStore(project).papers()


# --- only SQLite opens the live file ----------------------------------------------------------------------------------
READS = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM paper').fetchone())"


def _another_program_reads(path: Path) -> int:
    return int(subprocess.run([sys.executable, "-c", READS, str(path)], capture_output=True, check=True).stdout)


@pytest.mark.parametrize(
    "opener", [lambda p: p.read_bytes(), lambda p: p.open("rb"), lambda p: os.open(p, os.O_RDONLY)]
)
@pytest.mark.parametrize("name", ["its own", "a link", "a hard link", "the log", "the shared memory"])
def test_nothing_else_opens_the_live_file(path: Path, opener: object, name: str) -> None:
    with Project.open(path) as project:
        PaperStore(project).add_paper("three")
        other = path.with_name("other")
        match name:
            case "its own":
                other = path
            case "a link":
                other.symlink_to(path)
            case "a hard link":
                other.hardlink_to(path)
            case _:
                other = path.with_name(path.name + ("-wal" if name == "the log" else "-shm"))
        with pytest.raises(BadInput, match="is the open project"):
            opener(other)  # type: ignore[operator]
        if name != "a hard link":
            assert _another_program_reads(path) == 3
            PaperStore(project).add_paper("four")
    assert path.read_bytes()


@pytest.mark.parametrize("ending", ["-wal", "-shm", ""])
def test_other_files_can_be_opened_whatever_they_are_called(path: Path, tmp_path: Path, ending: str) -> None:
    with Project.open(path) as project:
        PaperStore(project).add_paper("three")
        (other := tmp_path / f"notes.rejoinder{ending}").write_text("mine")
        assert other.read_text() == "mine"


def test_sqlite_may_look_at_the_live_file_and_its_locks_stay(path: Path) -> None:
    with Project.open(path) as project:
        PaperStore(project).add_paper("three")
        assert not project.check()
        assert project.back_up().path.exists()
        with Project.open(path) as second:
            assert second.read_only
        assert _another_program_reads(path) == 3
        assert path.with_name(path.name + "-wal").exists(), "the other program took the log away"
        PaperStore(project).add_paper("four")


# --- rights -----------------------------------------------------------------------------------------------------------
@contextmanager
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_what_is_made(tmp_path: Path) -> None:
    with _open_umask():
        path = tmp_path / "mine.rejoinder"
        with Project.create(path) as project:
            PaperStore(project).add_paper("one")
            backup = project.back_up().path
            project.save_copy(tmp_path / "copy.rejoinder")
            beside = [file for file in tmp_path.iterdir() if file.is_file()]
            assert {_mode(file) for file in (*beside, backup)} == {0o600}, beside
            assert _mode(backup.parent) == 0o700
        restore(path, backup)
        merge_files(path, tmp_path / "copy.rejoinder", tmp_path / "merged.rejoinder")
        assert {_mode(file) for file in tmp_path.iterdir() if file.is_file()} == {0o600}


def test_migrating_and_restoring_keep_the_rights_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "old.rejoinder"
    shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", path)
    path.chmod(0o640)
    with _open_umask():
        Project.open(path).close()
        assert _mode(path) == 0o640
        (made,) = backups(path)
        assert _mode(made.path) == 0o600
        made.path.chmod(0o644)  # as version 0.1 left them
        made.path.parent.chmod(0o755)
        Project.open(path).close()
        assert (_mode(made.path), _mode(made.path.parent)) == (0o600, 0o700)


# --- unfinished files -------------------------------------------------------------------------------------------------
def test_a_planted_link_is_not_followed_and_leftovers_go(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    path = tmp_path / "new.rejoinder"
    path.with_name(f".{path.name}.new").symlink_to(precious)  # the name that version 0.1 used
    stale = tmp_path / f".rejoinder-{'a' * 32}.unfinished"
    stale.write_text("half a project")
    with whole_file(tmp_path / "other") as in_use:
        Project.create(path).close()
        assert in_use.exists() and not stale.exists()
        assert remove_leftovers(tmp_path) == ()
    assert precious.read_text() == "mine" and (tmp_path / "other").read_bytes() == b""


def test_a_second_name_that_a_killed_program_left_keeps_nobody_from_writing(path: Path) -> None:
    leftover = path.with_name(f".rejoinder-{'b' * 32}.unfinished")
    os.link(path, leftover)
    with Project.open(path) as project:
        assert not project.read_only and not leftover.exists()
    os.link(path, path.with_name("second.rejoinder"))
    with Project.open(path) as project:
        assert project.read_only and "second name" in project.read_only_reason


@pytest.mark.parametrize(
    "write",
    [salvage, lambda path, new: write_excerpt(path, new, Excerpt("")), lambda path, new: merge_files(path, path, new)],
    ids=["salvaged", "a shared copy", "merged"],
)
def test_no_project_is_written_under_a_name_that_is_too_long(
    path: Path, tmp_path: Path, write: Callable[[Path, Path], object]
) -> None:
    (new := tmp_path / "new").mkdir()
    with pytest.raises(BadInput, match="is too long for a project"):
        write(path, new / f"{'n' * 240}.rejoinder")
    assert not any(new.iterdir())


def test_a_name_that_is_too_long_is_not_opened(tmp_path: Path) -> None:
    (path := tmp_path / f"{'n' * 240}.rejoinder").write_bytes(b"")
    with pytest.raises(BadInput, match="is too long for a project"):
        Project.open(path)


def test_nothing_is_left_of_what_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "target") as unfinished:
        unfinished.write_text("half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "target").write_text("there")
    with pytest.raises(FileExistsError), whole_file(tmp_path / "target"):
        pass
    assert (tmp_path / "target").read_text() == "there" and len(list(tmp_path.iterdir())) == 1


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 244 + ".rejoinder")
    with pytest.raises(BadInput, match="too long"):
        Project.create(path)
    with pytest.raises(EnvironmentProblem):
        Project.open(path)
    Project.create(tmp_path / "short.rejoinder").close()
    (tmp_path / "short.rejoinder").rename(tmp_path / ("y" * 240 + ".rejoinder"))
    with pytest.raises(BadInput, match="too long"):
        Project.open(tmp_path / ("y" * 240 + ".rejoinder"))
    fits = tmp_path / ("é" * 110 + ".rejoinder")
    Project.create(fits).close()
    with Project.open(fits) as project:
        PaperStore(project).add_paper("one")
        project.back_up()
