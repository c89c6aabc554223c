"""Actions, undo, redo, history, change signals."""

from __future__ import annotations

import gc
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.documents.store import DocumentStore
from engine.errors import BadInput, EnvironmentProblem
from engine.papers.store import PaperStore
from engine.project import Changes, Project, ids, new_id, now
from engine.project.database import connect
from tests.engine.renaming import rename_paper


@pytest.fixture
def project(tmp_path: Path):
    with Project.create(tmp_path / "p.rejoinder", title="Study", annotator="Ada") as made:
        yield made


def state_of(project: Project) -> dict[str, list[tuple[object, ...]]]:
    """Every row of human work."""
    tables = [row[0] for row in project.query("SELECT name FROM journalled_table ORDER BY name")]
    return {table: [tuple(row) for row in project.query(f"SELECT * FROM {table} ORDER BY id")] for table in tables}


def test_an_act_is_one_transaction_one_step_and_one_signal(project: Project) -> None:
    seen: list[Changes] = []
    unsubscribe = project.subscribe(seen.append)
    me = object()
    with project.action("Add two papers", initiator=me):
        first = PaperStore(project).add_paper("one")
        second = PaperStore(project).add_paper("two")
    assert [changes.title for changes in seen] == ["Add two papers"]
    assert seen[0].rows == {"paper": {first, second}} and seen[0].initiator is me and seen[0].kind == "action"
    assert seen[0].tables == {"paper"} and seen[0].touches("comment", "paper") and not seen[0].touches("comment")
    assert [entry.title for entry in project.history()] == ["Add two papers"]
    assert project.history()[0].annotator == "Ada" and project.history()[0].changes == 2
    undone = project.undo()
    assert undone is not None and undone.rows == {"paper": {first, second}} and seen[-1] is undone
    assert PaperStore(project).papers() == ()
    unsubscribe()
    project.redo()
    assert len(seen) == 2, "an ended subscription is silent"


def test_a_failed_act_leaves_nothing_and_keeps_older_history(project: Project) -> None:
    PaperStore(project).add_paper("kept")
    project.undo()
    before = state_of(project), project.history(), project.redo_entry

    def fail_inside() -> None:
        with project.action("Fails"):
            PaperStore(project).add_paper("gone")
            raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        fail_inside()
    assert (state_of(project), project.history(), project.redo_entry) == before


def test_nothing_is_deleted_where_no_values_say_which_rows(project: Project) -> None:
    kept = PaperStore(project).add_paper("kept")
    with pytest.raises(sqlite3.OperationalError), project.action("Delete") as act:
        act.delete("paper")
    assert [paper.id for paper in PaperStore(project).papers()] == [kept]


def test_rows_are_numbered_in_the_order_given(project: Project) -> None:
    first, second = (PaperStore(project).add_paper(title) for title in ("first", "second"))
    with project.action("Arrange") as act:
        act.arrange("paper", [second, first])
    assert [tuple(row) for row in project.query("SELECT id, position FROM paper ORDER BY position")] == [
        (second, 1), (first, 2),
    ]  # fmt: skip


def test_a_nested_failure_takes_back_only_the_inner_part(project: Project) -> None:
    def fail_inside() -> None:
        with project.action("Inner"):
            PaperStore(project).add_paper("inner")
            raise ValueError

    with project.action("Outer"):
        PaperStore(project).add_paper("outer")
        with pytest.raises(ValueError):
            fail_inside()
    assert [paper.title for paper in PaperStore(project).papers()] == ["outer"]
    project.undo()
    assert PaperStore(project).papers() == ()


def test_an_act_that_changes_nothing_leaves_no_step_and_keeps_redo(project: Project) -> None:
    PaperStore(project).add_paper("one")
    project.undo()
    with project.action("Nothing"):
        pass
    assert project.redo_entry is not None and project.redo_entry.title == "Add paper “one”"
    assert len(project.history()) == 1


def test_typing_coalesces_within_its_field_only(project: Project) -> None:
    store = PaperStore(project)
    one, two = store.add_paper("a"), store.add_paper("b")
    for title in ("a1", "a12", "a123"):
        rename_paper(project, one, title)
    rename_paper(project, two, "b1")
    rename_paper(project, one, "again")
    assert [entry.title for entry in project.history()][:3] == ["Rename paper"] * 3
    assert len(project.history()) == 5
    project.undo()
    project.undo()
    project.undo()
    assert [paper.title for paper in store.papers()] == ["a", "b"]
    project.redo()
    assert [paper.title for paper in store.papers()] == ["a123", "b"]
    rename_paper(project, one, "new")
    assert project.redo_entry is None
    assert [entry.state for entry in project.history()].count("abandoned") == 2


def test_typing_of_two_annotators_is_two_steps(project: Project) -> None:
    store = PaperStore(project)
    paper = store.add_paper("a")
    rename_paper(project, paper, "by the first")
    steps = len(project.history())
    project.annotator_id = project.add_annotator("Another")
    rename_paper(project, paper, "by the second")
    assert len(project.history()) == steps + 1
    project.undo()
    assert [one.title for one in store.papers()] == ["by the first"]


def test_undo_and_redo_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    with Project.create(path) as project:
        PaperStore(project).add_paper("one")
        PaperStore(project).add_paper("two")
        project.undo()
        before = state_of(project)
    with Project.open(path) as project:
        assert (
            project.redo_entry is not None
            and project.redo_entry.title == "Add paper “two”"
            and project.undo_title == "Add paper “one”"
        )
        project.redo()
        project.undo()
        assert state_of(project) == before
        project.undo()
        assert project.undo() is None
        assert PaperStore(project).papers() == ()


def test_a_step_whose_ground_is_gone_is_not_done_again_and_says_why(project: Project) -> None:
    papers, paper = PaperStore(project), PaperStore(project).add_paper("Paper")
    papers.add_version(paper, DocumentStore(project).add_document(b"%PDF-1.7", "paper.pdf"), "submitted")
    project.undo()
    with project.rewriting() as connection:
        connection.execute("DELETE FROM paper")
    before = state_of(project)
    with pytest.raises(EnvironmentProblem, match="undone or redone"):
        project.redo()
    assert state_of(project) == before and project.redo_entry is not None


def test_a_copy_is_written_with_a_log_like_the_project_it_was_made_of(project: Project, tmp_path: Path) -> None:
    """So that it can be read while somebody works on it."""
    project.save_copy(tmp_path / "copy.rejoinder")
    with Project.open(tmp_path / "copy.rejoinder", annotator="Ada") as copy:
        assert copy.query("PRAGMA journal_mode")[0][0] == "delete"
        PaperStore(copy).add_paper("Paper")
        assert copy.query("PRAGMA journal_mode")[0][0] == "wal"


def test_jumping_through_history(project: Project) -> None:
    store = PaperStore(project)
    states = [state_of(project)]
    for number in range(6):
        store.add_paper(f"p{number}")
        states.append(state_of(project))
    ids = [entry.id for entry in reversed(project.history())]
    for target in (2, 5, 0, 6, 1, 3):
        project.go_to(ids[target - 1] if target else 0)
        assert state_of(project) == states[target]
    store.add_paper("other")
    with pytest.raises(BadInput, match="no longer be reached"):
        project.go_to(ids[-1])


def test_results_are_no_step_but_are_announced(project: Project) -> None:
    seen: list[Changes] = []
    project.subscribe(seen.append)
    with project.results("Parse") as write:
        write.execute("INSERT INTO parsed_document VALUES ('h', 'p', x'00', 1, 1, 0.1, ?)", (now(),))
        write.touched("parsed_document", ["h"])
    assert seen[0].kind == "results" and seen[0].rows == {"parsed_document": {"h"}}
    assert project.history() == () and project.undo() is None


def test_another_thread_reads_while_an_act_is_open(project: Project) -> None:
    PaperStore(project).add_paper("one")
    counts: list[int] = []

    def read() -> None:
        counts.append(len(PaperStore(project).papers()))

    with project.action("Add another"):
        PaperStore(project).add_paper("two")
        reader = threading.Thread(target=read)
        reader.start()
        reader.join()
    assert counts == [1], "the reader sees what was committed, and is not kept waiting"


def test_threads_that_read_while_the_project_is_closed_hear_that_it_is(tmp_path: Path) -> None:
    path = tmp_path / "read.rejoinder"
    Project.create(path, "Read", "Ada").close()
    heard: list[str] = []

    def read(project: Project, begun: threading.Event) -> None:
        try:
            while True:
                project.query(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n"
                )
                begun.set()  # and on to the next one
        except EnvironmentProblem as problem:
            heard.append(problem.what)

    for _ in range(20):
        project = Project.open(path)
        begun = [threading.Event() for _ in range(3)]
        readers = [threading.Thread(target=read, args=(project, event)) for event in begun]
        for reader, event in zip(readers, begun, strict=True):
            reader.start()
            event.wait()
        project.close()
        for reader in readers:
            reader.join()
    assert heard == ["The project is closed."] * 60


DESCRIPTORS = Path("/proc/self/fd")


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="what a process has open is listed on Linux only")
def test_what_threads_opened_is_closed_when_they_have_ended(project: Project) -> None:
    before = len([*DESCRIPTORS.iterdir()])
    gc.disable()
    try:
        for _ in range(300):
            reader = threading.Thread(target=lambda: project.query("SELECT count(*) FROM paper"))
            reader.start()
            reader.join()
    finally:
        gc.enable()
    # SQLite keeps some descriptors to use them again; two for each thread would be 600.
    assert len([*DESCRIPTORS.iterdir()]) < before + 150


def test_a_read_only_project_refuses_with_a_reason(project: Project) -> None:
    with Project.open(project.path, read_only=True) as reader:
        with pytest.raises(EnvironmentProblem, match="read-only"):
            PaperStore(reader).add_paper("no")
        assert reader.undo() is None


def test_blobs_are_kept_once_and_checked(project: Project) -> None:
    key = project.put_blob(b"content", "application/pdf")
    assert project.put_blob(b"content", "application/pdf") == key
    assert project.get_blob(key) == b"content"
    assert not project.check()
    with project.results("Damage") as write:
        write.execute("UPDATE blob SET bytes = x'00'")
    with pytest.raises(EnvironmentProblem, match="damaged"):
        project.get_blob(key)
    assert project.check()


def test_compact_drops_what_nothing_needs_and_keeps_what_undo_needs(project: Project) -> None:
    project.put_blob(b"x" * 500_000, "application/pdf")
    needed = project.put_blob(b"y" * 1000, "application/pdf")
    with project.action("Add document") as act:
        act.execute(
            "INSERT INTO document(id, sha256, filename, origin, annotator_id, created_at, updated_at)"
            " VALUES (?, ?, 'a.pdf', 'import:a.pdf', ?, ?, ?)",
            (new_id(), needed, project.annotator_id, now(), now()),
        )
    project.undo()
    assert project.compact() > 400_000
    project.redo()
    assert project.get_blob(needed) == b"y" * 1000


VALUES = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=30)


class Undoing(RuleBasedStateMachine):
    """Any sequence of acts, undos and redos returns exactly earlier states."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "p.rejoinder"
        self.project = Project.create(self.path)
        for key in ("c1", "e1", "r1"):  # results that links refer to
            with self.project.results("Base") as write:
                if key == "r1":
                    write.execute(
                        "INSERT INTO revision(id, source_document_id, target_document_id, created_at, updated_at)"
                        " VALUES ('r1', 's', 't', '', '')"
                    )
        self.states = [state_of(self.project)]
        self.position = 0

    def teardown(self) -> None:
        self.project.close()
        self._folder.cleanup()

    def _did(self) -> None:
        present = state_of(self.project)
        if present != self.states[self.position]:
            del self.states[self.position + 1 :]
            self.states.append(present)
            self.position += 1

    @rule(title=TEXTS, abstract=TEXTS)
    def add(self, title: str, abstract: str) -> None:
        PaperStore(self.project).add_paper(title, abstract=abstract)
        self._did()

    @rule(data=st.data(), title=TEXTS)
    def rename(self, data: st.DataObject, title: str) -> None:
        papers = PaperStore(self.project).papers()
        if papers:
            chosen = data.draw(st.sampled_from([paper.id for paper in papers]))
            with self.project.action("Rename") as act:
                act.execute("UPDATE paper SET title = ?, updated_at = ? WHERE id = ?", (title, now(), chosen))
            self._did()

    @rule(data=st.data())
    def remove_some(self, data: st.DataObject) -> None:
        papers = PaperStore(self.project).papers()
        if papers:
            chosen = data.draw(st.lists(st.sampled_from([paper.id for paper in papers]), unique=True, min_size=1))
            with self.project.action("Remove papers") as act:
                act.executemany("DELETE FROM source_text WHERE paper_id = ?", [(key,) for key in chosen])
                act.executemany("DELETE FROM paper WHERE id = ?", [(key,) for key in chosen])
            self._did()

    @rule(data=st.data(), text=TEXTS)
    def attach_review(self, data: st.DataObject, text: str) -> None:
        papers = PaperStore(self.project).papers()
        paper = data.draw(st.sampled_from([None, *(paper.id for paper in papers)]))
        with self.project.action("Add review") as act:
            act.execute(
                "INSERT INTO source_text(id, paper_id, title, kind, media_type, text, position, origin, annotator_id,"
                " created_at, updated_at) VALUES (?, ?, '', 'review', 'text/plain', ?, 1, 'person', ?, ?, ?)",
                (new_id(), paper, text, self.project.annotator_id, now(), now()),
            )
        self._did()

    @rule(score=st.floats(allow_nan=False, allow_infinity=False), confidence=VALUES)
    def keep_numbers(self, score: float, confidence: float | None) -> None:
        """Doubles come back bit for bit."""
        with self.project.action("Numbers") as act:
            key, moment, me = new_id(), now(), self.project.annotator_id
            act.execute(
                "INSERT INTO source_text(id, title, kind, media_type, text, position, origin, annotator_id, created_at,"
                " updated_at) VALUES (?, '', 'review', 'text/plain', '', 1, 'person', ?, ?, ?)",
                (key, me, moment, moment),
            )
            act.execute(
                "INSERT INTO comment(id, source_id, comment, position, origin, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, '', 1, 'person', ?, ?, ?)",
                (key, key, me, moment, moment),
            )
            act.execute(
                "INSERT OR IGNORE INTO edit"
                " VALUES ('e1', 'r1', 1, 1, 'e001', 'added', 'add', 0, '[]', '[]', '', '', '', 0, 0, 'text', 0)"
            )
            act.execute(
                "INSERT INTO edit_link VALUES (?, ?, 'e1', ?, 'person', ?, '', ?, ?)",
                (key, key, me, confidence, moment, moment),
            )
            act.execute(
                "INSERT INTO suggestion_decision VALUES (?, ?, 'e1', ?, 'accepted', 'model:x@1', ?, 1, ?, ?, '[]')",
                (key, key, me, score, moment, moment),
            )
        self._did()

    @precondition(lambda self: self.position > 0)
    @rule()
    def undo(self) -> None:
        assert self.project.undo() is not None
        self.position -= 1

    @precondition(lambda self: self.position < len(self.states) - 1)
    @rule()
    def redo(self) -> None:
        assert self.project.redo() is not None
        self.position += 1

    @rule()
    def fail(self) -> None:
        try:
            with self.project.action("Fails"):
                PaperStore(self.project).add_paper("never")
                raise KeyError
        except KeyError:
            pass

    @rule()
    def restart(self) -> None:
        self.project.close()
        self.project = Project.open(self.path)

    @rule(data=st.data())
    def jump(self, data: st.DataObject) -> None:
        steps = [entry for entry in reversed(self.project.history(limit=1000)) if entry.state != "abandoned"]
        target = data.draw(st.integers(0, len(steps)))
        self.project.go_to(steps[target - 1].id if target else 0)
        self.position = target

    @invariant()
    def the_state_is_the_one_of_then(self) -> None:
        assert state_of(self.project) == self.states[self.position]
        assert (self.project.undo_title is None) == (self.position == 0)
        assert (self.project.redo_entry is None) == (self.position == len(self.states) - 1)


Undoing.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestUndoing = Undoing.TestCase


def test_times_go_on_from_those_in_the_file_unless_its_clock_was_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_last", ids._last)
    present = datetime.now(UTC)
    stamps = [(present + timedelta(hours=hours)).strftime(ids._STAMP) for hours in (-1, 2, 30)]
    ids.not_before(stamps[0])
    ids.not_before(stamps[2])
    ids.not_before("no time at all")
    assert stamps[0] < ids.now() < stamps[1]
    ids.not_before(stamps[1])
    first, second = ids.now(), ids.now()
    assert stamps[1] < first < second < stamps[2] and len(first) == len(second) == len(stamps[1])


@pytest.mark.parametrize(("hours", "later"), [(2, True), (30, False)])
def test_work_goes_on_after_the_last_step_in_the_file(
    project: Project, monkeypatch: pytest.MonkeyPatch, hours: int, later: bool
) -> None:
    """Also where it was done on a machine whose clock is ahead, unless that one was wrong by days."""
    monkeypatch.setattr(ids, "_last", ids._last)
    stamp = (datetime.now(UTC) + timedelta(hours=hours)).strftime(ids._STAMP)
    PaperStore(project).add_paper("one")
    project.close()
    with closing(connect(project.path)) as connection:
        connection.execute("UPDATE action SET updated_at = ?", (stamp,))
    with Project.open(project.path) as again:
        PaperStore(again).add_paper("two")
        assert (again.history()[0].created_at > stamp) == later


def test_compacting_keeps_what_was_read_in_files_that_are_gone(project: Project) -> None:
    """It is small, and the same file may come again."""
    with project.results("Parse") as write:
        row = {"sha256": "0" * 64, "parser": "p", "pages": 1, "paragraphs": 1, "seconds": 0.1, "content": b"x"}
        write.db.table("parsed_document").insert(row | {"created_at": now()})
    kept = project.put_blob(b"nobody refers to it", "text/plain")
    assert project.compact() >= 0
    with project.action("Afterwards"):  # the project's own writing isn't taken for another program's
        PaperStore(project).add_paper("one")
    assert project.query("SELECT count(*) FROM parsed_document")[0][0] == 1
    assert not project.query("SELECT 1 FROM blob WHERE sha256 = ?", (kept,))
