"""Who has a project open, what is refused inside of acts, and files that can't be what they say."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import DamagedProject, Project, opening
from engine.project.database import (
    BUSY_TIMEOUT_MS,
    NotWritten,
    connect,
    problem_from,
    savepoint,
    schema_of,
    sentences,
    transaction,
)
from engine.project.lock import WriterLock, holder_now, lock_path, read_holder, user
from engine.shown import local_time

ARCHIVE = Path(__file__).resolve().parents[2] / "archive"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as made:
        yield made


def test_who_has_it_open_is_known_while_they_have(project: Project) -> None:
    path = project.path
    holder = project.current_holder()
    assert holder is not None and holder == read_holder(path) == holder_now(path)
    assert (holder.user, holder.host, holder.process) == (user(), platform.node(), os.getpid())
    assert holder.sentence() == (
        f"It has been open as {user()} on {platform.node()} (process {os.getpid()}) since {local_time(holder.since)}."
    )
    with Project.open(path) as reader:
        assert reader.read_only and reader.current_holder() == holder
        assert reader.read_only_reason == (
            f"Another Rejoinder has it open. {holder.sentence()} Close it there, or save a copy to work on it."
        )
        project.close()
        assert reader.current_holder() is None and holder_now(path) is None, "the lock is free, whatever the file says"
    assert read_holder(path) is None
    lock_path(path).with_name(f".{path.name}.holder").write_text('{"user": 1}')
    assert read_holder(path) is None
    junk = {"user": "a", "host": "b", "process": 1, "since": "yesterday"}
    lock_path(path).with_name(f".{path.name}.holder").write_text(json.dumps(junk))
    assert read_holder(path) is None


def test_a_lock_that_can_not_be_made_is_explained(project: Project) -> None:
    project.close()
    lock = WriterLock(project.path)
    lock_path(project.path).unlink()
    lock_path(project.path).mkdir()
    assert not lock.acquire() and lock.problem and lock.lost
    with Project.open(project.path) as opened:
        assert opened.read_only and "The lock file can't be created next to it: " in opened.read_only_reason
        assert opened.read_only_reason.endswith("Save a copy to a folder of your own to work on it.")


def test_a_lock_whose_file_was_taken_away_is_lost(project: Project) -> None:
    project.close()
    lock = WriterLock(project.path)
    assert lock.lost, "it is not held yet"
    assert lock.acquire() and not lock.lost and not lock.left_open
    assert not WriterLock(project.path).acquire()
    lock.sign()
    assert read_holder(project.path) is not None and not lock.left_open
    other = WriterLock(project.path)
    lock_path(project.path).unlink()
    assert lock.lost
    lock.release()
    assert read_holder(project.path) is None and other.acquire()
    other.sign()
    assert not other.left_open
    lock.release()
    assert read_holder(project.path) is not None, "who has it now is still known"
    other.release()


def test_an_account_without_a_name_is_unnamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose user isn't in the list of accounts."""

    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", nobody)
    with Project.create(tmp_path / "q.rejoinder") as project:
        PaperStore(project).add_paper("One")
        holder = project.current_holder()
        assert holder is not None and holder.user == user() == "Unnamed" == project.history()[0].annotator


def test_what_is_left_of_a_killed_program_is_seen_when_the_next_one_signs(project: Project) -> None:
    project.close()
    holder = lock_path(project.path).with_name(f".{project.path.name}.holder")
    holder.write_text("{}")
    lock = WriterLock(project.path)
    assert lock.acquire()
    lock.sign()
    assert lock.left_open and read_holder(project.path) is not None
    lock.release()
    assert not holder.exists()


def test_inside_of_an_act_nothing_else_begins(project: Project) -> None:
    PaperStore(project).add_paper("Before")
    with project.action("Act") as act:
        act.insert("paper", {"title": "Inside"})
        assert not project.checkpoint()
        for verb in (project.undo, lambda: project.go_to(0), lambda: project.rewriting().__enter__()):
            with pytest.raises(RuntimeError, match="inside an action"):
                verb()
        with project.results("Joins") as joined:
            assert joined is act
    assert project.undo_title == "Act" and project.checkpoint()
    project.close()
    project.close()
    assert project.closed and not project.checkpoint()
    with pytest.raises(EnvironmentProblem, match="The project is closed"):
        PaperStore(project).papers()


def test_what_was_rewritten_may_be_anything(project: Project) -> None:
    heard = []
    project.subscribe(heard.append)
    commits = project.commits
    PaperStore(project).add_paper("One")
    steps = len(project.history())
    with project.rewriting(by_person=True) as connection:
        connection.execute("UPDATE paper SET title = 'Two'")
    assert heard[-1].kind == "elsewhere" and {"paper", "comment", "blob"} <= heard[-1].tables
    assert all(not keys for keys in heard[-1].rows.values()) and heard[-1].touches("nothing", "paper")
    assert len(project.history()) == steps and project.commits == commits + 2
    assert not heard[-1].touches("nothing")


def test_a_new_title_is_announced_and_no_step(project: Project) -> None:
    heard = []
    project.subscribe(heard.append)
    project.set_title("Another")
    assert project.title == "Another" and project.history() == ()
    assert [(one.kind, dict(one.rows)) for one in heard] == [("results", {"project_info": frozenset({"title"})})]
    project.set_title("")
    assert project.title == "p", "without one, the file's name"
    assert project.info("none") == ""


def test_the_gate_names_what_a_file_is_instead(tmp_path: Path) -> None:
    blank, folder = tmp_path / "blank.rejoinder", tmp_path / "folder.rejoinder"
    with closing(sqlite3.connect(blank)) as connection:
        connection.execute("CREATE TABLE t(x)")
        connection.execute("PRAGMA user_version = 3")
    folder.mkdir()
    (tmp_path / "empty.rejoinder").touch()
    (tmp_path / "words.txt").write_text("words " * 100)
    (tmp_path / "words.rejoinder").write_text("words " * 100)
    cases: list[tuple[str, type[EnvironmentProblem], str]] = [
        ("blank.rejoinder", BadInput, "is a database, but not a Rejoinder project"),
        ("folder.rejoinder", BadInput, "is a folder"),
        ("none.rejoinder", BadInput, "There is no project at"),
        ("words.txt/p.rejoinder", BadInput, "There is no project at"),
        ("empty.rejoinder", DamagedProject, "is empty"),
        ("words.txt", BadInput, "isn't a Rejoinder project"),
        ("words.rejoinder", DamagedProject, "is damaged"),
        ("nul\0.rejoinder", BadInput, "can't be opened"),
    ]
    for name, kind, words in cases:
        with pytest.raises(kind, match=words) as caught:
            schema_of(tmp_path / name)
        assert isinstance(caught.value, BadInput) is (kind is BadInput), name


def test_a_project_that_was_never_finished_is_damaged(project: Project) -> None:
    project.close()
    with closing(sqlite3.connect(project.path)) as connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(DamagedProject, match="has no content"):
        Project.open(project.path)
    assert WriterLock(project.path).acquire(), "nobody holds it"


CODES = {
    sqlite3.SQLITE_FULL: (NotWritten, "The disk is full."),
    sqlite3.SQLITE_READONLY: (NotWritten, "p can't be written."),
    sqlite3.SQLITE_PERM: (NotWritten, "p can't be written."),
    sqlite3.SQLITE_AUTH: (NotWritten, "p can't be written."),
    sqlite3.SQLITE_BUSY: (EnvironmentProblem, "Another program is writing to p."),
    sqlite3.SQLITE_LOCKED: (EnvironmentProblem, "Another program is writing to p."),
    sqlite3.SQLITE_IOERR: (NotWritten, "The disk reported an error reading or writing p."),
    sqlite3.SQLITE_CANTOPEN: (EnvironmentProblem, "p can't be opened."),
    sqlite3.SQLITE_TOOBIG: (EnvironmentProblem, "There isn't enough memory for this."),
    sqlite3.SQLITE_NOMEM: (EnvironmentProblem, "There isn't enough memory for this."),
    sqlite3.SQLITE_CORRUPT: (DamagedProject, "p is damaged."),
    sqlite3.SQLITE_NOTADB: (DamagedProject, "p is damaged."),
}


@pytest.mark.parametrize("extended", [0, 3 << 8])
@pytest.mark.parametrize("code", CODES)
def test_errors_of_the_environment_are_sentences(code: int, extended: int) -> None:
    error = sqlite3.OperationalError("raw")
    error.sqlite_errorcode = code | extended
    kind, words = CODES[code]
    found = problem_from(error, Path("p"))
    assert type(found) is kind and found.what == words
    with pytest.raises(kind) as caught, sentences(Path("p")):
        raise error
    assert caught.value.__cause__ is error
    copy = problem_from(error, Path(f".rejoinder-{'0' * 32}.unfinished"))
    assert copy is not None and (kind is not NotWritten or "The project wasn't changed" in copy.means), "a new file"


def test_our_own_mistakes_pass_through() -> None:
    for error in (sqlite3.OperationalError("no such table"), sqlite3.ProgrammingError("wrong number")):
        if isinstance(error, sqlite3.OperationalError):
            error.sqlite_errorcode = sqlite3.SQLITE_ERROR
        assert problem_from(error, Path("p")) is None
        with pytest.raises(type(error)) as caught, sentences(Path("p")):
            raise error
        assert caught.value is error
    with pytest.raises(DamagedProject), sentences(Path("p")):
        raise sqlite3.OperationalError("Could not decode to UTF-8 column 'x'")
    with pytest.raises(DamagedProject), sentences(Path("p")):
        b"\xff".decode()


def test_connections_are_set_as_a_project_needs_them(project: Project, tmp_path: Path) -> None:
    def setting(connection: sqlite3.Connection, name: str) -> int:
        return int(connection.execute(f"PRAGMA {name}").fetchone()[0])

    wanted = {"foreign_keys": 1, "cell_size_check": 1, "cache_size": -32768, "busy_timeout": BUSY_TIMEOUT_MS}
    own = project.connection()
    assert {name: setting(own, name) for name in wanted} == wanted
    assert (setting(own, "query_only"), setting(own, "trusted_schema")) == (0, 1)
    with closing(connect(project.path, read_only=True)) as reader:
        assert {name: setting(reader, name) for name in wanted} == wanted
        assert (setting(reader, "query_only"), setting(reader, "trusted_schema")) == (1, 0)
    odd = tmp_path / "100% ?# odd.rejoinder"
    Project.create(odd).close()
    with closing(connect(odd)) as connection:
        assert setting(connection, "application_id") == 0x524A4E44


def test_a_transaction_and_its_parts_stay_or_go_as_a_whole() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t(x)")

        def rows() -> list[int]:
            return [row[0] for row in connection.execute("SELECT x FROM t")]

        with transaction(connection, "IMMEDIATE"):
            assert connection.in_transaction
            connection.execute("INSERT INTO t VALUES (1)")
            with pytest.raises(ZeroDivisionError), savepoint(connection):
                connection.execute("INSERT INTO t VALUES (2)")
                with savepoint(connection):
                    connection.execute("INSERT INTO t VALUES (3)")
                raise ZeroDivisionError
            with savepoint(connection):
                connection.execute("INSERT INTO t VALUES (4)")
        assert rows() == [1, 4] and not connection.in_transaction
        with pytest.raises(ZeroDivisionError), transaction(connection, "EXCLUSIVE"):
            connection.execute("INSERT INTO t VALUES (5)")
            raise ZeroDivisionError
        assert rows() == [1, 4] and not connection.in_transaction
        with pytest.raises(KeyError), transaction(connection, "IMMEDIATE"), savepoint(connection):
            connection.execute("ROLLBACK")  # as SQLite does by itself on a full disk
            raise KeyError


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_file_or_folder_that_can_not_be_written_opens_for_reading(
    project: Project, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    project.close()
    where = project.path if closed == "file" else project.path.parent
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: allowed(path, mode) and not (mode == os.W_OK and Path(path) == where)
    )
    with Project.open(project.path) as opened:
        assert opened.read_only and opened.read_only_reason.startswith("You don't have permission to write to the file")
        with pytest.raises(EnvironmentProblem, match=r"p\.rejoinder is open read-only") as caught:
            PaperStore(opened).add_paper("One")
        problem = caught.value
        assert f"{problem.means} {problem.do}" == f"Nothing was changed. {opened.read_only_reason}"
    with Project.open(project.path, read_only=True) as opened:
        assert opened.read_only_reason == "It was opened read-only."


def test_what_fails_while_opening_leaves_the_file_to_others(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project.path
    project.close()
    with monkeypatch.context() as patch:
        patch.setattr(Project, "set_annotator", lambda *_: (_ for _ in ()).throw(EnvironmentProblem("It failed.")))
        with pytest.raises(EnvironmentProblem, match="It failed"):
            Project.open(path)
        assert path.read_bytes(), "it isn't guarded any more"
    with Project.open(path) as again:
        assert not again.read_only


def test_a_file_that_may_not_be_read_is_not_opened(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.close()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.R_OK)
    with pytest.raises(BadInput, match="don't have permission to read"):
        Project.open(project.path)


@pytest.mark.parametrize("log", [b"", b"what a killed program left"])
def test_an_older_file_is_not_opened_where_there_is_no_room_to_upgrade_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: bytes
) -> None:
    (temporary := tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    path = Path(shutil.copyfile(ARCHIVE / "schema-0001.rejoinder", tmp_path / "old.rejoinder"))
    path.with_name("old.rejoinder-wal").write_bytes(log)
    with pytest.raises(EnvironmentProblem, match="must be upgraded first"):
        opening._open_copy(Project, path, "")
    monkeypatch.setattr(opening, "copy_up_to_date", lambda *_: (_ for _ in ()).throw(EnvironmentProblem("It failed.")))
    with pytest.raises(EnvironmentProblem, match="It failed"):
        Project.open(path, read_only=True)
    assert not any(temporary.iterdir())
    assert opening._room(tmp_path / "gone" / "p") == "the disk can't be read"


def test_a_file_that_came_without_a_log_has_everything_in_it(project: Project) -> None:
    path = project.path
    project.close()
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    with Project.open(path) as again:
        assert again.checkpoint() and not path.with_name(f"{path.name}-wal").exists()


def test_a_lock_is_made_for_a_read_only_file(tmp_path: Path) -> None:
    """Root may write it, and gets this far."""
    (path := tmp_path / "a.rejoinder").touch()
    path.chmod(0o444)
    lock = WriterLock(path)
    assert lock.acquire()
    lock.release()
