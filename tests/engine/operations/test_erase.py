"""What is erased is gone: from tables, history, files, backups and caches, byte by byte, and nothing else is."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine import user_files
from engine.errors import BadInput, EnvironmentProblem
from engine.models.caches import AnswerCache, EmbeddingCache
from engine.models.language import Completion, LanguageModelInfo, Message, Prompt
from engine.operations.erase import affected, erase_target
from engine.operations.targets import Kind, find, targets
from engine.papers.store import PaperStore
from engine.project import Project, backups
from engine.project.closure import LISTS, PLAIN_KEYS
from engine.project.erasing import MARK, PARTLY, copies_beside
from engine.project.merge import merge_into
from engine.user_files import cache_folder
from tests.engine.operations.marked_project import World, fill, found_bytes, tables
from tests.engine.renaming import rename_paper
from tests.engine.revision.studies import Study

APART = {
    "library_paper", "study", "participant", "participant_contact", "profile_paper", "rating", "returned_file",
    "survey_sitting", "similarity_run", "similarity_result", "score_table", "score_review", "calibration_scenario",
    "calibration_change", "rebuttal_template", "preference_cluster", "cluster_description", "benchmark", "judge_run",
    "review_prompt", "trained_heads", "work_round", "work_package", "work_return",
}  # fmt: skip
"""Tables whose rows hang on no paper."""
OF_THE_PDF = {
    "paper", "document", "paper_version", "parsed_document", "blob", "anchor", "revision", "edit", "suggestion_run",
    "rebuttal_plan", "rebuttal_point", "rebuttal_use", "review_draft", "review_field", "review_version",
    "evidence_card", "review_suggestion_decision", "review_run", "review_stage_run", "benchmark_paper",
    "benchmark_review", "benchmark_rubric", "rubric_rating", "judge_score", "annotation_done", "dismissed_edit",
}  # fmt: skip
"""Tables whose rows belong to a paper, but not to a review of it."""
WORK = {
    "annotation_done", "anchor", "source_text", "comment", "comment_span", "edit_link", "dismissed_edit",
    "comment_state", "suggestion_decision", "adjudication", "merge_conflict", "silver_decision", "edit_analysis",
    "sentence_label", "sentence_label_decision", "preference_cluster", "cluster_sentence", "rebuttal_candidate",
    "preference_judgement", "preference_adjudication", "cluster_description", "description_choice",
    "rebuttal_template", "rebuttal_plan", "rebuttal_point", "rebuttal_use", "review_draft", "review_field",
    "review_version", "evidence_card", "review_suggestion_decision", "review_prompt", "benchmark_review",
    "benchmark_rubric", "rubric_rating", "rating", "calibration_scenario", "calibration_change",
    "work_round", "work_package", "work_return", "unit_adjudication",
    # and what was computed of these:
    "suggestion", "silver_label", "proposal", "sentence_suggestion", "extracted_description", "rebuttal_draft",
    "review_run", "review_stage_run", "judge_score",
}  # fmt: skip


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, SQLite's as well."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("SQLITE_TMPDIR", str(folder))
    return folder


def key_of(project: Project, name: str) -> str:
    project.set_annotator(name)
    with project.rewriting(by_person=True):
        pass
    return project.annotator_id


def make(path: Path) -> tuple[Project, World, World]:
    """An open project with two papers, two reviews and two annotators' work, that was used for a while."""
    project = Project.create(path, "A study", "Ada")
    gone = World("gone", key_of(project, "Gone annotator"))
    kept = World("kept", key_of(project, "Kept annotator"))
    for world in (gone, kept):
        project.annotator_id = world.annotator
        fill(project, world)
    use(project, gone)
    project.set_annotator("Kept annotator")
    return project, gone, kept


def use(project: Project, world: World) -> None:
    """Changed, deleted, undone and done again, so that the history has former forms of rows, and rows that are gone."""
    project.annotator_id = world.annotator
    for table in ("paper", "source_text", "rebuttal_template"):
        column = "title" if table != "rebuttal_template" else "text"
        with project.action(f"Change {world.mark(table, 'change')}") as act:
            act.execute(
                f"UPDATE {table} SET {column} = ? WHERE id = ?", (world.mark(table, "second"), world.keys[table][0])
            )
    (link,) = world.keys["edit_link"]
    with project.action(f"Delete {world.mark('edit_link', 'deletion')}") as act:
        act.execute("DELETE FROM edit_link WHERE id = ?", (link,))
    project.undo()
    project.redo()
    with project.action(f"Note {world.mark('comment_state', 'undone')}") as act:
        note = world.mark("comment_state", "undone note")
        act.execute("UPDATE comment_state SET note = ? WHERE id = ?", (note, world.keys["comment_state"][0]))
    project.undo()
    connection = project.connection()  # as SQLite deletes where it isn't told to overwrite
    connection.execute("PRAGMA secure_delete = OFF").fetchall()
    connection.execute("INSERT INTO project_info VALUES ('x', ?)", (world.mark("edit_link", "deleted long ago") * 500,))
    connection.execute("DELETE FROM project_info WHERE key = 'x'")
    cache = EmbeddingCache()
    cache.put("model", ["some text"], np.ones((1, 8), np.float32))
    answers, said = AnswerCache(), Completion("The paper says …", "stop", 3, 4, 0.1)
    with answers.keeping(LanguageModelInfo("m", "M", "server", "1")) as keep:
        keep(Prompt((Message("user", "Why?"),), 9), said)
    assert cache.size() > 0 and answers.size() > 0 and stat.S_IMODE(answers.path.stat().st_mode) == 0o600


def target_of(kind: Kind, world: World) -> str:
    return {"paper": world.keys["paper"][0], "review": world.keys["source_text"][0], "annotator": world.annotator}[kind]


def doomed_tables(project: Project, kind: Kind) -> set[str]:
    everything = set(tables(project))
    match kind:
        case "paper":
            return everything - APART
        case "review":
            return everything - APART - OF_THE_PDF | {"anchor", "rebuttal_point", "rebuttal_use"}
        case "annotator":
            return WORK


KINDS: tuple[Kind, ...] = ("paper", "review", "annotator")


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_is_left_and_nothing_else_is_missing(
    kind: Kind, tmp_path: Path, own_home: Path, temporary: Path
) -> None:
    path = tmp_path / "study.rejoinder"
    project, gone, kept = make(path)
    doomed = doomed_tables(project, kind)
    others = set(gone.marks) - doomed
    folders = [tmp_path, own_home]
    with project:
        project.back_up("asked")
        shutil.copyfile(backups(path)[0].path, tmp_path / "study.replaced-2026-01-01T00-00-00-000000Z.rejoinder")
        (temporary / "rejoinder-killed").mkdir()  # a reader on a full disk that was killed
        shutil.copyfile(backups(path)[0].path, temporary / "rejoinder-killed" / path.name)
        searches = cache_folder() / "online-searches.json"
        searches.write_text(gone.mark("paper", "search"))
        project.set_title("Another title")  # the log is not empty
        messages = {f"added.{project.id}": f"“{gone.mark('paper', 'message')}” was added.", "added.other": "[]"}
        user_files.write(user_files.window_state(), messages)
        assert Path(f"{path}-wal").stat().st_size > 0
        before = found_bytes(folders, gone)
        assert set(before) == {*gone.marks, "content"}, "the test must see what it looks for"

        found = affected(project, find(project, kind, target_of(kind, gone)))
        assert found.backups == 1 and len(found.copies) == 2
        assert ("“Removed annotator”" in " ".join(found.sentences)) == (kind == "annotator")
        assert erase_target(project, found.target) == found

        assert EmbeddingCache().size() == AnswerCache().size() == 0 and not searches.exists()
        assert user_files.read(user_files.window_state()) == {"added.other": "[]"}
        assert not any((temporary / "rejoinder-killed").iterdir())
        after = found_bytes(folders, gone)
        assert {table: after[table] for table in after if table in doomed} == {}
        assert project.check() == ()
        assert backups(path) and not copies_beside(path) and not project.info(MARK)
    assert set(found_bytes(folders, gone)) & doomed == set()
    if kind == "paper":
        assert "content" not in found_bytes(folders, gone)
    left = found_bytes(folders, kept)
    # Titles of steps of a kept annotator's rows stay; those that mention what was erased have a neutral one.
    assert set(left) == {*kept.marks, "content"}
    with Project.open(path) as again:
        for table in others:
            keys = gone.keys.get(table, [])
            assert all(again.query(f"SELECT 1 FROM {table} WHERE id = ?", (key,)) for key in keys), table
        for table, keys in kept.keys.items():
            assert all(again.query(f"SELECT 1 FROM {table} WHERE id = ?", (key,)) for key in keys), table
        assert targets(again, kind) and target_of(kind, gone) not in {one.id for one in targets(again, kind)}
        if kind == "annotator":
            names = {row[0] for row in again.query("SELECT name FROM annotator")}
            assert "Gone annotator" not in names and "Removed annotator" in names


def test_every_reference_is_declared(tmp_path: Path) -> None:
    """A new column that looks like a key must say what becomes of its row when the other one is erased."""
    not_keys = {
        ("paper", "external_id"), ("comment", "external_id"), ("preference_cluster", "external_id"),
        ("rebuttal_template", "external_id"), ("benchmark_paper", "external_id"), ("library_paper", "arxiv_id"),
        ("library_paper", "source_id"), ("anchor", "paragraph_id"), ("proposal", "paragraph_id"),
        ("evidence_card", "paragraph_id"), ("review_suggestion_decision", "point_id"), ("edit", "source_ids"),
        ("edit", "target_ids"), ("calibration_change", "review_id"),
    }  # fmt: skip
    declared = {(t, c) for t, keys in PLAIN_KEYS.items() for c, _ in keys} | {
        (t, c) for t, cs in LISTS.items() for c in cs
    }
    with Project.create(tmp_path / "p.rejoinder") as project:
        found = set()
        for table in tables(project):
            keys = {r["from"] for r in project.query(f'PRAGMA foreign_key_list("{table}")')}
            for info in project.query(f'PRAGMA table_info("{table}")'):
                if info["name"].endswith(("_id", "_ids")) and info["name"] not in keys:
                    found.add((table, info["name"]))
    assert found - declared == not_keys


def test_history_says_that_something_was_erased_and_undo_that_it_stays_so(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        kept = papers.add_paper("A paper that stays")
        gone = papers.add_paper("A paper that goes")
        rename_paper(project, kept, "Renamed")
        erase_target(project, find(project, "paper", gone))
        assert [entry.title for entry in project.history()] == [
            "Erased a paper", "Rename paper", "Add paper “A paper that stays”",
        ]  # fmt: skip
        with pytest.raises(BadInput, match="can't be undone"):
            project.undo()
        rename_paper(project, kept, "Renamed again")
        project.undo()
        assert papers.papers()[0].title == "Renamed"
        project.go_to(0)  # through the erase: what can be undone is undone, and what is gone stays gone
        assert papers.papers() == ()
        project.redo()
        assert [paper.title for paper in papers.papers()] == ["A paper that stays"]
        assert project.check() == ()


def test_what_only_mentions_the_erased_goes_too(tmp_path: Path) -> None:
    """Titles of other steps, and rows that a merge set aside."""
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        kept, gone = papers.add_paper("A paper that stays"), papers.add_paper("A paper that goes")
        with project.action("Compare with A paper that goes") as act:
            act.execute("UPDATE paper SET abstract = 'new' WHERE id = ?", (kept,))
            for key, theirs in (("first", gone), ("second", kept)):
                act.execute(
                    "INSERT INTO merge_conflict VALUES (?, 'f', 'source_text', 'elsewhere', ?, ?, '1', '1')",
                    (key, json.dumps({"paper_id": theirs}), project.annotator_id),
                )
        erase_target(project, find(project, "paper", gone))
        titles = [entry.title for entry in project.history()]
        assert titles == ["Erased a paper", PARTLY, "Add paper “A paper that stays”"]
        assert [row[0] for row in project.query("SELECT id FROM merge_conflict")] == ["second"]


def test_a_title_that_names_the_erased_goes_where_no_row_did(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        kept, gone = papers.add_paper("A paper that stays"), papers.add_paper("A paper that goes")
        with project.action("Compare with A paper that goes") as act:
            act.execute("UPDATE paper SET abstract = 'new' WHERE id = ?", (kept,))
        erase_target(project, find(project, "paper", gone))
        assert [entry.title for entry in project.history()][:2] == ["Erased a paper", PARTLY]


def test_history_forgets_the_words_of_erased_comments(tmp_path: Path) -> None:
    study = Study(tmp_path / "p.rejoinder")
    with study.project as project:
        suggestion = study.suggest()[0]
        comment, edit = suggestion.comment_id, suggestion.edit_id
        study.store.link_comment(comment, edit)
        study.store.unlink_comment(comment, edit)
        study.store.accept_suggestion(suggestion)
        study.store.reject_suggestion(suggestion)
        study.store.set_comment_state(study.revision, comment, "answered")
        assert sum("“Comment 0”" in entry.title for entry in project.history()) == 5
        row = project.query_one("SELECT source_id FROM comment WHERE id = ?", (comment,))
        assert row is not None
        erase_target(project, find(project, "review", row[0]))
        assert not any("Comment 0" in row[0] for row in project.query("SELECT title FROM action"))


def test_a_replaced_document_goes_with_its_paper_and_a_shared_one_stays(tmp_path: Path) -> None:
    from engine.documents.store import DocumentStore

    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        papers, documents = PaperStore(project), DocumentStore(project)
        first, second = papers.add_paper("First"), papers.add_paper("Second")
        shared, old, new = (
            documents.add_document(b"%PDF-1.7 " + name, "x.pdf") for name in (b"shared", b"old", b"new")
        )
        papers.add_version(first, shared, "submitted")
        papers.add_version(second, shared, "submitted")
        version = papers.add_version(first, old, "revised")
        with project.action("Replace document") as act:
            act.update("paper_version", version, {"document_id": new})
        with project.action("Merge") as act:  # the same file, brought in by two people
            of_old = hashlib.sha256(b"%PDF-1.7 old").hexdigest()
            again = act.insert("document", {"sha256": of_old, "filename": "x.pdf", "origin": "import:x.pdf"})
        papers.add_version(second, again, "revised")
        for run, content in (("kept", b"old"), ("gone", b"new")):
            with project.results("Review") as write:
                row = {"id": run, "document_sha256": hashlib.sha256(b"%PDF-1.7 " + content).hexdigest(), "origin": "o"}
                row |= {"settings": "{}", "inputs": "{}", "state": "done", "created_at": "1", "updated_at": "1"}
                write.db.table("review_run").insert(row)
        erase_target(project, find(project, "paper", first))
        assert {document.id for document in documents.documents()} == {shared, again}
        assert documents.pdf_bytes(shared) == b"%PDF-1.7 shared"
        assert documents.pdf_bytes(again) == b"%PDF-1.7 old"
        assert [row[0] for row in project.query("SELECT id FROM review_run")] == ["kept"]
        assert project.query("SELECT count(*) FROM blob")[0][0] == 2


def test_who_erases_their_own_work_can_go_on(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        papers.add_paper("Paper")
        erase_target(project, find(project, "annotator", "Ada"))
        assert "Ada" not in {row[0] for row in project.query("SELECT name FROM annotator")}
        papers.add_paper("Another")
        assert project.history()[0].annotator == "Ada"
        assert project.check() == ()


def test_who_erases_before_they_did_anything_else_is_named_in_the_history(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        PaperStore(project).add_paper("Paper")
        project.set_annotator("Grace")
        reported: list[float] = []
        erase_target(project, find(project, "paper", "Paper"), progress=reported.append)
        assert [(step.title, step.annotator) for step in project.history(1)] == [("Erased a paper", "Grace")]
        assert len(reported) > 2 and reported == sorted(reported) and 0 < reported[0] < reported[-1] == 1
        assert project.check() == ()


def test_a_merged_project_forgets_what_came_with_the_merge(tmp_path: Path, own_home: Path, temporary: Path) -> None:
    ours = Project.create(tmp_path / "ours.rejoinder", annotator="Ada")
    copy = tmp_path / "theirs.rejoinder"
    with ours:
        paper = PaperStore(ours).add_paper("Common paper")
        ours.save_copy(copy)
        with Project.open(copy, annotator="Grace") as theirs:
            rename_paper(theirs, paper, "märk of theirs")
        rename_paper(ours, paper, "märk of ours")
        other = PaperStore(ours).add_paper("Other paper")
        assert merge_into(ours, copy).conflicts
        copy.unlink()
        world = World("merged", "", marks={"paper": {"märk of theirs", "märk of ours", "Common paper"}})
        assert found_bytes([tmp_path], world)
        erase_target(ours, find(ours, "paper", paper))
        assert found_bytes([tmp_path, own_home], world) == {}
        assert [paper.id for paper in PaperStore(ours).papers()] == [other]
    assert found_bytes([tmp_path, own_home], world) == {}


KILL = """
import os, sys
from pathlib import Path
import engine.project.erasing as erasing
import engine.project.project as project_module
from engine.operations.erase import erase_target
from engine.operations.targets import find
from engine.project import Project
where, path, key = sys.argv[1:]

def die(*_args, **_kwargs):
    os._exit(9)

opened = Project.open(Path(path), annotator="Ada")
if where == "commit":
    delete = erasing._delete
    erasing._delete = lambda *a, **k: (delete(*a, **k), die())
elif where == "vacuum":
    Project.rebuild = die
elif where == "check":
    erasing.file_problems = die
elif where == "backup":
    Project.back_up = die
elif where == "old backups":
    erasing._unlink = die
elif where == "mark":
    Project.checkpoint = die
erase_target(opened, find(opened, "paper", key))
"""


@pytest.mark.parametrize("where", ["commit", "vacuum", "check", "backup", "old backups", "mark"])
def test_a_kill_leaves_the_old_project_or_is_finished_at_the_next_opening(
    where: str, tmp_path: Path, temporary: Path
) -> None:
    path = tmp_path / "study.rejoinder"
    project, gone, kept = make(path)
    with project:
        project.back_up("asked")
    key = gone.keys["paper"][0]
    done = subprocess.run([sys.executable, "-c", KILL, where, str(path), key], check=False)
    assert done.returncode == 9
    doomed = (
        doomed_tables(Project.open(path, read_only=True), "paper") if where == "commit" else set(gone.marks) - APART
    )
    with Project.open(path) as again:
        assert again.check() == ()
        there = again.query("SELECT 1 FROM paper WHERE id = ?", (key,)) != []
        assert there == (where == "commit")
        assert not again.info(MARK) and backups(path)
        left = set(found_bytes([tmp_path], gone)) & doomed
        assert left == (doomed if where == "commit" else set())
        assert set(found_bytes([tmp_path], kept)) == {*kept.marks, "content"}


def test_another_reader_delays_the_end_and_it_is_done_later(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.project.database.BUSY_TIMEOUT_MS", 50)
    path = tmp_path / "study.rejoinder"
    project, gone, _ = make(path)
    with project:
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM paper").fetchone()
            with pytest.raises(EnvironmentProblem, match="reading"):
                erase_target(project, find(project, "paper", gone.keys["paper"][0]))
        assert project.info(MARK)
    with Project.open(path) as again:
        assert not again.info(MARK)
    assert set(found_bytes([tmp_path], gone)) & (set(gone.marks) - APART) == set()


def test_only_for_a_review_are_quotations_elsewhere_mentioned(tmp_path: Path) -> None:
    project, gone, _ = make(tmp_path / "p.rejoinder")
    with project:
        for kind in KINDS:
            said = affected(project, find(project, kind, target_of(kind, gone))).sentences
            assert any("uotation" in one for one in said) == (kind == "review"), kind


def test_only_for_a_paper_is_a_title_of_the_project_mentioned_that_differs(tmp_path: Path) -> None:
    project, gone, _ = make(tmp_path / "p.rejoinder")
    with project:
        for kind in KINDS:
            target = find(project, kind, target_of(kind, gone))
            for title, differs in (("Of the project", True), (target.name, False)):
                project.set_title(title)
                said = affected(project, target).sentences
                assert any("keeps its file name and its title" in one for one in said) == (kind == "paper" and differs)


def test_of_work_that_was_undone_nothing_is_listed(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        key = PaperStore(project).add_paper("Paper")
        annotator = project.annotator_id
        assert affected(project, find(project, "paper", key)).sentences[0].startswith("1 paper will be deleted")
        project.undo()
        said = affected(project, find(project, "annotator", annotator)).sentences[0]
        assert said == "Nothing else depends on it. This can't be undone."


def test_a_read_only_project_and_an_unknown_target_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "p.rejoinder"
    with Project.create(path, annotator="Ada") as project:
        key = PaperStore(project).add_paper("Paper")
        with pytest.raises(BadInput, match="no paper"):
            find(project, "paper", "nothing")
        PaperStore(project).add_paper("Paper")
        with pytest.raises(BadInput, match="More than one"):
            find(project, "paper", "Paper")
    content = path.read_bytes()
    with Project.open(path, read_only=True) as looked:
        target = find(looked, "paper", key)
        assert affected(looked, target).rows == {"paper": 1}
        with pytest.raises(EnvironmentProblem, match="read-only"):
            erase_target(looked, target)
    assert path.read_bytes() == content


def test_copies_of_other_projects_are_not_touched(tmp_path: Path, make_copy: Callable[[str], Path]) -> None:
    path = make_copy("study.rejoinder")
    other = make_copy("study.replaced-by-hand.rejoinder")
    own = tmp_path / "study.replaced-2026.rejoinder"
    shutil.copyfile(path, own)
    log = tmp_path / "study.rejoinder.old-log-1"
    log.write_bytes(b"x")
    damaged = tmp_path / "study.replaced-2025.rejoinder"
    damaged.write_bytes(b"no database " * 1000)
    assert copies_beside(path) == tuple(sorted((own, log, damaged)))
    assert other.exists()


@pytest.fixture
def make_copy(tmp_path: Path) -> Callable[[str], Path]:
    def made(name: str) -> Path:
        Project.create(tmp_path / name).close()
        return tmp_path / name

    return made
