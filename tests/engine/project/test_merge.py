"""Two files become one: nothing is lost, nothing comes back that was deleted, and what both changed is told."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.operations.removing import remove, remove_comments
from engine.operations.targets import Target
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.project.merge import MergeReport, merge_files, merge_into
from engine.project.schema import ForeignSchema
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, RevisionDiff, Scored
from engine.revision.store import RevisionStore
from tests.engine.renaming import rename_paper

PDFS = (b"%PDF-1.7 one", b"%PDF-1.7 two")
COMMENTS = 4
TEXT = "Please explain the split. " * COMMENTS


def edit(n: int) -> Edit:
    return Edit(f"e{n}", "added", "add", False, (), (f"t{n}",), "", f"Quite new text number {n}.", "Method", 0, 5)


DIFF = RevisionDiff(tuple(edit(n) for n in range(4)), ())


def fill(project: Project) -> None:
    papers, documents = PaperStore(project), DocumentStore(project)
    paper = papers.add_paper("Deep review")
    keys = [documents.add_document(pdf, f"{n}.pdf") for n, pdf in enumerate(PDFS)]
    for key, label in zip(keys, (SUBMITTED, REVISED), strict=True):
        papers.add_version(paper, key, label)
    comments = tuple(
        Comment(f"c{n}", "r1", "R1", "Please explain the split.", spans=(Span(26 * n, 26 * n + 25),))
        for n in range(COMMENTS)
    )
    bundle = ReviewBundle((SourceText("r1", "Review 1", TEXT, reviewer="R1"),), comments)
    ReviewStore(project).import_bundle(bundle, "review.txt", paper_id=paper)
    RevisionStore(project).save_diff(keys[0], keys[1], DIFF)


class Desk:
    """One annotator at one file."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.links, self.reviews = RevisionStore(project), ReviewStore(project)
        (self.revision,) = self.links.revisions()
        self.edits = [e.id for e in self.links.edits(self.revision.id)]
        self.comments = [c.id for c in self.reviews.comments()]

    def pairs(self, annotator: str | None = None) -> set[tuple[str, str]]:
        return {(k.comment_id, k.edit_id) for k in self.links.links(self.revision.id, annotator_id=annotator)}


def at(path: Path, name: str, work: Callable[[Desk], object]) -> Path:
    with Project.open(path, annotator=name) as project:
        work(Desk(project))
    return path


def rows(path: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """All rows of human work by table and key."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM journalled_table")]
        return {n: {row["id"]: dict(row) for row in connection.execute(f"SELECT * FROM {n}")} for n in names}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.rejoinder"
    with Project.create(path, "Deep review", "Organiser") as project:
        fill(project)
    return path


def copy(base: Path, name: str) -> Path:
    path = base.with_name(f"{name}.rejoinder")
    with Project.open(base, read_only=True) as project:
        project.save_copy(path)
    return path


def test_a_row_that_both_files_have_is_no_double_of_a_new_one(base: Path) -> None:
    theirs = copy(base, "theirs")
    with Project.open(theirs) as project, project.action("The same review again") as act:
        row = dict(project.query("SELECT * FROM source_text")[0])
        act.insert("source_text", {name: value for name, value in row.items() if name != "id"})
    with Project.open(base) as project:
        assert merge_into(project, theirs).added == {"source_text": 1}
        assert project.query("SELECT count(*) FROM source_text")[0][0] == 2


def test_the_links_of_two_annotators_stand_side_by_side(base: Path) -> None:
    ann = at(copy(base, "ann"), "Ann", lambda d: d.links.link_comment(d.comments[0], d.edits[0]))
    ben = at(copy(base, "ben"), "Ben", lambda d: d.links.link_comment(d.comments[0], d.edits[1]))
    before = ann.read_bytes(), ben.read_bytes()
    report = merge_files(ann, ben, base.with_name("both.rejoinder"))
    assert (ann.read_bytes(), ben.read_bytes()) == before
    assert (report.added, report.updated, report.removed) == ({"edit_link": 1, "comment_state": 1}, {}, {})
    assert report.conflicts == ()
    assert report.annotators == ("Ben",)
    with Project.open(base.with_name("both.rejoinder"), annotator="Ann") as project:
        people = {name: key for key, name in project.annotators()}
        desk = Desk(project)
        assert desk.pairs() == {(desk.comments[0], desk.edits[0])}
        assert desk.pairs(people["Ben"]) == {(desk.comments[0], desk.edits[1])}
        assert not project.check()
        assert project.undo_title == "Merge ben.rejoinder"
        project.undo()
        assert desk.pairs(people["Ben"]) == set()
        project.redo()
        assert desk.pairs(people["Ben"]) == {(desk.comments[0], desk.edits[1])}


def test_the_same_link_made_twice_by_one_person_is_one_link(base: Path) -> None:
    """Ann worked on two machines, and linked the same comment to the same edit on both."""
    for name in ("here", "there"):
        at(copy(base, name), "Ann", lambda d: d.links.link_comment(d.comments[0], d.edits[0]))
    here, there, both = (base.with_name(f"{name}.rejoinder") for name in ("here", "there", "both"))
    report = merge_files(here, there, both)
    assert report.conflicts == () and rows(both)["edit_link"].keys() == rows(here)["edit_link"].keys()
    with Project.open(both, annotator="Ann") as project:
        assert Desk(project).pairs() == {(Desk(project).comments[0], Desk(project).edits[0])}


@pytest.mark.parametrize("again", [False, True])
def test_what_was_taken_back_comes_back_only_where_it_was_made_again(base: Path, again: bool) -> None:
    at(base, "Ann", lambda d: d.links.link_comment(d.comments[0], d.edits[0]))

    def take_back(desk: Desk) -> None:
        desk.links.unlink_comment(desk.comments[0], desk.edits[0])
        if again:
            desk.links.link_comment(desk.comments[0], desk.edits[0])

    ben = at(copy(base, "ben"), "Ben", lambda d: d.links.link_comment(d.comments[1], d.edits[1]))
    ann = at(copy(base, "ann"), "Ann", take_back)
    for first, second in ((ann, ben), (ben, ann)):
        out = base.with_name(f"{first.stem}-first.rejoinder")
        assert merge_files(first, second, out).conflicts == ()
        with Project.open(out, annotator="Ann") as project:
            assert len(Desk(project).pairs()) == again


def test_only_one_side_changed_a_row(base: Path) -> None:
    def rewrite(desk: Desk) -> None:
        desk.reviews.set_comment_text(desk.comments[0], "Explain the split, please.")

    ann, ben = copy(base, "ann"), at(copy(base, "ben"), "Ben", rewrite)
    out = base.with_name("both.rejoinder")
    report = merge_files(ann, ben, out)
    assert (report.updated, report.conflicts) == ({"comment": 1}, ())
    back = base.with_name("back.rejoinder")
    report = merge_files(ben, ann, back)
    assert (report.rows, report.conflicts) == (0, ())
    for path in (out, back):
        with Project.open(path) as project:
            assert Desk(project).reviews.comments()[0].comment == "Explain the split, please."


def test_both_sides_changed_a_row_differently(base: Path) -> None:
    def rewrite(words: str) -> Callable[[Desk], object]:
        return lambda desk: desk.reviews.set_comment_text(desk.comments[0], words)

    ann, ben = at(copy(base, "ann"), "Ann", rewrite("ours")), at(copy(base, "ben"), "Ben", rewrite("theirs"))
    out = base.with_name("both.rejoinder")
    report = merge_files(ann, ben, out)
    (conflict,) = report.conflicts
    assert (conflict.table, conflict.columns) == ("comment", ("comment", "updated_at"))
    assert "both files changed comment" in conflict.sentence()
    with Project.open(out, annotator="Ann") as project:
        assert Desk(project).reviews.comments()[0].comment == "ours"
        (kept,) = project.query("SELECT * FROM merge_conflict")
        assert json.loads(kept["theirs"])["comment"] == "theirs"
        again = merge_into(project, ben)
        assert len(again.conflicts) == 1 and again.rows == 0
        assert len(project.query("SELECT * FROM merge_conflict")) == 1, "the same is kept once"


def test_results_come_in_once_and_progress_rises(base: Path) -> None:
    def suggest(desk: Desk) -> None:
        ranked = {key: [Scored(desk.edits[0], 0.5, linked=True)] for key in desk.comments[:3]}
        desk.links.save_suggestions(desk.revision.id, "fused", "model:fused@1", ranked, use_responses=False)

    ann, ben = copy(base, "ann"), at(copy(base, "ben"), "Ben", suggest)
    done: list[float] = []
    with Project.open(ann, annotator="Ann") as project:
        for _ in range(2):
            assert merge_into(project, ben, progress=done.append).rows == 0
            counts = [project.query(f"SELECT count(*) FROM {name}")[0][0] for name in ("suggestion_run", "suggestion")]
            assert counts == [1, 3]
            assert done[0] == 0 and done == sorted(done) and done[-1] == 0.95
            done.clear()


def test_a_row_with_the_name_that_another_one_had_here_is_told(base: Path) -> None:
    def template(project: Project, name: str) -> str:
        with project.action("Add template") as act:
            values = {"library": "ours", "external_id": name, "action": "answer", "text": name, "origin": "person"}
            return act.insert("rebuttal_template", values)

    with Project.open(base, annotator="Ann") as project:
        key = template(project, "first")
    ann, ben = copy(base, "ann"), copy(base, "ben")
    with Project.open(ben, annotator="Ben") as project:
        with project.action("Rename template") as act:
            act.update("rebuttal_template", key, {"external_id": "second"})
        template(project, "first")
    report = merge_files(ann, ben, base.with_name("both.rejoinder"))
    (conflict,) = report.conflicts
    assert conflict.row_id == key and "both files changed" in conflict.sentence()
    assert rows(base.with_name("both.rejoinder"))["rebuttal_template"][key]["external_id"] == "second"


def test_work_on_a_comment_that_the_other_deleted_is_told_and_kept(base: Path) -> None:
    def delete(desk: Desk) -> None:
        remove_comments(desk.project, [desk.comments[0]])

    ann = at(copy(base, "ann"), "Ann", delete)
    ben = at(copy(base, "ben"), "Ben", lambda d: d.links.link_comment(d.comments[0], d.edits[0]))
    report = merge_files(ann, ben, base.with_name("one.rejoinder"))
    assert {c.table for c in report.conflicts} == {"edit_link", "comment_state"}
    assert all(c.ours is None and "deleted in this file" in c.sentence() for c in report.conflicts)
    report = merge_files(ben, ann, base.with_name("two.rejoinder"))
    assert "comment" in {c.table for c in report.conflicts}
    with Project.open(base.with_name("two.rejoinder"), annotator="Ben") as project:
        assert len(Desk(project).pairs()) == 1


def test_files_that_were_made_apart_of_the_same_pdfs(tmp_path: Path) -> None:
    paths = []
    for name in ("Ann", "Ben"):
        path = tmp_path / f"{name}.rejoinder"
        with Project.create(path, "Deep review", name) as project:
            fill(project)
            desk = Desk(project)
            desk.links.link_comment(desk.comments[2], desk.edits[3])
        paths.append(path)
    out = tmp_path / "both.rejoinder"
    report = merge_files(*paths, out)
    assert report.conflicts == ()
    assert report.added == {"edit_link": 1, "comment_state": 1}
    with Project.open(out, annotator="Ann") as project:
        desk = Desk(project)
        assert len(desk.comments) == COMMENTS
        people = {name: key for key, name in project.annotators()}
        assert desk.pairs() == desk.pairs(people["Ben"]) == {(desk.comments[2], desk.edits[3])}


def test_a_follow_up_follows_the_comment_of_the_same_review_here(tmp_path: Path) -> None:
    ours, theirs, out = (tmp_path / f"{name}.rejoinder" for name in ("ours", "theirs", "out"))
    for path in (ours, theirs):
        with Project.create(path, "Deep review", path.stem) as project:
            fill(project)
            if path == theirs:
                ReviewStore(project).add_follow_up(Desk(project).comments[1], "And why?")
    merge_files(ours, theirs, out)
    with Project.open(ours, annotator="Ann") as project:
        known = Desk(project).comments[1]
    with Project.open(out, annotator="Ann") as project:
        assert [c.follows for c in ReviewStore(project).comments() if c.comment == "And why?"] == [known]


def test_edits_that_the_comparison_here_does_not_know_come_in_as_no_longer_current(tmp_path: Path) -> None:
    ours, theirs, out = (tmp_path / f"{name}.rejoinder" for name in ("ours", "theirs", "out"))
    for path in (ours, theirs):
        with Project.create(path, "Deep review", path.stem) as project:
            fill(project)
            if path == theirs:
                desk = Desk(project)
                first, second = desk.revision.source_document_id, desk.revision.target_document_id
                desk.links.save_diff(first, second, RevisionDiff((*DIFF.edits, edit(9)), ()))
                desk = Desk(project)
                desk.links.link_comment(desk.comments[0], desk.edits[-1])
    merge_files(ours, theirs, out)
    with closing(sqlite3.connect(out)) as connection:
        found = dict(connection.execute("SELECT target_text, current FROM edit").fetchall())
    assert found.pop("Quite new text number 9.") == 0
    assert set(found.values()) == {1}


def test_a_chain_of_additions_to_what_was_deleted_here_is_left_out_as_a_whole(base: Path) -> None:
    one, two = base, base.with_name("two.rejoinder")
    shutil.copy(one, two)

    def delete(desk: Desk) -> None:
        (text,) = desk.reviews.texts()
        remove(desk.project, Target("review", text.id, text.title))

    def add(desk: Desk) -> None:
        (text,) = desk.reviews.texts()
        change = desk.reviews.add_comment(text.id, [Span(0, 10)])
        desk.links.link_comment(change.comments[0].id, desk.edits[0])

    at(one, "Ann", delete)
    at(two, "Ben", add)
    out = base.with_name("out.rejoinder")
    report = merge_files(one, two, out)
    assert {"comment", "edit_link"} <= {conflict.table for conflict in report.conflicts}
    assert rows(out)["comment"] == rows(out)["edit_link"] == {}


def test_what_cannot_be_merged_is_refused(base: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.rejoinder"
    Project.create(other, "Other", "Eve").close()
    out = tmp_path / "out.rejoinder"
    with pytest.raises(BadInput, match="no document in common"):
        merge_files(base, other, out)
    assert not out.exists()
    with Project.open(base) as project, pytest.raises(BadInput, match="with itself"):
        merge_into(project, base)
    with pytest.raises(BadInput, match="already exists"):
        merge_files(base, copy(base, "ann"), base)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA user_version = 999")
    for first, second in ((base, other), (other, base)):
        with pytest.raises(BadInput, match="newer Rejoinder"):
            merge_files(first, second, out)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(ForeignSchema):
        merge_files(base, other, out)
    assert not out.exists()
    ann = copy(base, "swapped")
    with closing(sqlite3.connect(ann)) as connection:
        connection.execute("UPDATE document SET sha256 = 'x'")
        connection.commit()
    with pytest.raises(BadInput, match="has a different file for one of"):
        merge_files(base, ann, out)


@pytest.mark.parametrize("image", ["words", "{", "[]"])
def test_a_file_whose_history_cannot_be_read_is_refused(base: Path, image: str) -> None:
    ben = at(copy(base, "ben"), "Ben", lambda d: d.links.link_comment(d.comments[0], d.edits[0]))
    with closing(sqlite3.connect(ben)) as connection:
        connection.execute("UPDATE journal SET after = ? WHERE seq = (SELECT max(seq) FROM journal)", (image,))
        connection.commit()
    with Project.open(base, annotator="Ann") as project, pytest.raises(BadInput, match="is damaged: 1 history"):
        merge_into(project, ben)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(("link", "unlink", "state", "text", "delete", "mark", "undo", "redo")),
        st.integers(0, COMMENTS - 1),
        st.integers(0, 3),
    ),
    max_size=7,
)


def play(desk: Desk, acts: list[tuple[str, int, int]]) -> None:
    for act, comment, number in acts:
        keys = [c.id for c in desk.reviews.comments()]
        key = keys[comment % len(keys)] if keys else ""
        store = ReviewStore(desk.project)
        (text,) = desk.reviews.texts()
        try:
            match act:
                case "mark":
                    store.add_comment(text.id, [Span(26 * comment, 26 * comment + 6 + number)])
                case "undo":
                    if not str(desk.project.undo_title).startswith(("Import", "Add")):
                        desk.project.undo()
                case "redo":
                    desk.project.redo()
                case _ if not key:
                    continue
                case "link":
                    desk.links.link_comment(key, desk.edits[number])
                case "unlink":
                    desk.links.unlink_comment(key, desk.edits[number])
                case "state":
                    state = ("answered", "visual_only", "not_addressed", "undecided")[number]
                    desk.links.set_comment_state(desk.revision.id, key, state)
                case "text":
                    store.set_comment_text(key, f"Words of {desk.project.annotator_id[-4:]} {number}")
                case "delete":
                    remove_comments(desk.project, [key])
        except BadInput:
            continue  # another annotator has worked on it


@example(before=[("delete", 0, 0)], ours=[], theirs=[("undo", 0, 0)], same=False)
@example(before=[("text", 0, 0)], ours=[("undo", 0, 0)], theirs=[("text", 0, 0)], same=False)
@example(before=[("text", 0, 0)], ours=[("text", 0, 1)], theirs=[("undo", 0, 0)], same=True)
@given(before=ACTS, ours=ACTS, theirs=ACTS, same=st.booleans())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_lost_whatever_both_did(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[str, int, int]],
    ours: list[tuple[str, int, int]],
    theirs: list[tuple[str, int, int]],
    same: bool,
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    base = folder / "base.rejoinder"
    with Project.create(base, "Deep review", "Organiser") as project:
        fill(project)
        for name in ("Ben", "Ann"):
            project.add_annotator(name)
            project.set_annotator(name)
        play(Desk(project), before)
    ann = at(copy(base, "ann"), "Ann", lambda d: play(d, ours))
    ben = at(copy(base, "ben"), "Ann" if same else "Ben", lambda d: play(d, theirs))
    out = folder / "out.rejoinder"
    report: MergeReport = merge_files(ann, ben, out)
    with Project.open(out, annotator="Ann") as project:
        assert violations(project) == ()
        assert not project.check()
        again = merge_into(project, ben)
        assert again.rows == 0, "merging once more changes nothing"
        if report.rows or report.conflicts:
            project.undo()
            assert rows(out) == rows(ann), "one step takes it back"
            project.redo()
    first, ours_now, theirs_now, merged = rows(base), rows(ann), rows(ben), rows(out)
    heard = {(c.table, c.row_id) for c in report.conflicts}
    heard |= {(c.table, c.theirs["id"]) for c in report.conflicts if c.theirs is not None}

    def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
        return all(one[n] == other[n] for n in one if n not in ("id", "created_at", "updated_at", "position"))

    for table, kept in merged.items():
        for side, other in ((ours_now[table], theirs_now[table]), (theirs_now[table], ours_now[table])):
            for key, row in side.items():
                if key in kept or (table, key) in heard:
                    continue
                # It is gone: then the other side took it away, or the same thing stands there under another key.
                assert (key in first[table] and key not in other) or any(alike(row, r) for r in kept.values()), (
                    table,
                    row,
                )
        for key in kept.keys() & ours_now[table].keys() & theirs_now[table].keys():
            ours_row, theirs_row = ours_now[table][key], theirs_now[table][key]
            if not alike(ours_row, theirs_row) and (table, key) not in heard:
                base_row = first[table].get(key)
                assert alike(kept[key], theirs_row if ours_row == base_row else ours_row)
                assert base_row in (ours_row, theirs_row)


def test_what_was_undone_with_all_its_changes_does_not_come_back(tmp_path: Path) -> None:
    """Adding it is undone, and so is a later change of it: the row is not there, whatever the journal says last."""
    mine, theirs = tmp_path / "mine.rejoinder", tmp_path / "theirs.rejoinder"
    with Project.create(mine, annotator="Ann") as project:
        PaperStore(project).add_paper("kept")
        key = PaperStore(project).add_paper("taken back")
        project.save_copy(theirs)
        rename_paper(project, key, "renamed")
        project.undo()
        project.undo()
    with Project.open(theirs, annotator="Ben") as project:
        PaperStore(project).add_paper("theirs")
    with Project.open(mine, annotator="Ann") as project:
        report = merge_into(project, theirs)
        assert [paper.title for paper in PaperStore(project).papers()] == ["kept", "theirs"]
        assert [conflict.table for conflict in report.conflicts] == ["paper"]


def test_files_come_one_at_a_time_also_for_who_has_not_acted_here_yet(base: Path, tmp_path: Path) -> None:
    other = Path(shutil.copyfile(base, tmp_path / "other.rejoinder"))
    size = 4_000_000
    with Project.open(other, annotator="Grace") as theirs:
        for number in range(8):
            DocumentStore(theirs).add_document(b"%PDF-1.7 " + random.Random(number).randbytes(size), f"{number}.pdf")
    with Project.open(base, annotator="Grace") as ours:
        tracemalloc.start()
        try:
            added = dict(merge_into(ours, other).added)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert [name for _, name in ours.annotators()].count("Grace") == 1 and ours.check() == ()
    assert added["document"] == 8 and peak < 4 * size
