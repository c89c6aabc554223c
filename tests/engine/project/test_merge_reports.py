"""What a merge says of itself: rows by table, whose work came in, names that were given, and what was refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.operations.removing import remove_comments
from engine.papers.store import PaperStore
from engine.project import Project, merge
from engine.project.merge import Conflict, MergeReport, merge_files, merge_into
from engine.project.other_file import NO_PAST, Past
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.engine.project.test_merge import Desk, at, copy, fill


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "base.rejoinder"
    with Project.create(path, "Deep review", "Organiser") as project:
        fill(project)
    yield path


def test_rows_are_counted_by_what_became_of_them(base: Path) -> None:
    def work(desk: Desk) -> None:
        desk.links.link_comment(desk.comments[0], desk.edits[0])
        desk.reviews.set_comment_text(desk.comments[1], "Another text.")
        desk.reviews.set_comment_text(desk.comments[0], "A third text.")
        remove_comments(desk.project, desk.comments[2:])
        LabelStore(desk.project).set_label(desk.reviews.texts()[0].id, Span(0, 25), "polarity", ["neutral"])
        desk.project.set_annotator("Cem")
        PaperStore(desk.project).add_paper("Another")

    ben = at(copy(base, "ben"), "Ben", work)
    with Project.open(base, annotator="Ann") as project:
        before = project.query("SELECT count(*) FROM comment")[0][0]
        report = merge_into(project, ben)
        added = dict.fromkeys(("edit_link", "comment_state", "sentence_label", "paper"), 1)
        assert dict(report.added) == added
        assert dict(report.updated) == {"comment": 2}
        assert dict(report.removed) == {"comment": 2, "comment_span": 2}
        assert report.rows == 10 and report.conflicts == () and report.notes == ()
        assert report.annotators == ("Ben", "Cem") and report.filename == "ben.rejoinder"
        assert project.query("SELECT count(*) FROM comment")[0][0] == before - 2
        again = merge_into(project, ben)
        assert again == MergeReport("ben.rejoinder") and project.undo_title == "Merge ben.rejoinder"


def test_a_conflict_in_words() -> None:
    row = {"id": "k", "title": "a"}
    assert Conflict("paper", "k", row, {"id": "k", "title": "b"}, ("title", "abstract")).sentence() == (
        "paper k: both files changed title, abstract."
    )
    assert Conflict("paper", "k", None, row, ()).sentence().startswith("paper k: deleted in this file, but changed")
    assert Conflict("paper", "k", row, None, ()).sentence().startswith("paper k: deleted in the other file, but")


def test_another_pdf_of_the_same_version_gets_a_name_of_its_own(base: Path) -> None:
    def version(name: str, label: str) -> None:
        with Project.open(base.with_name(f"{name}.rejoinder"), annotator=name.title()) as project:
            documents, papers = DocumentStore(project), PaperStore(project)
            with project.action("Add version"):
                key = documents.add_document(f"%PDF-1.7 {name} {label}".encode(), f"{name}.pdf")
                papers.add_version(papers.papers()[0].id, key, label)

    for name in ("ann", "ben"):
        copy(base, name)
    version("ann", "third"), version("ann", "third (2)"), version("ben", "third")
    report = merge_files(*(base.with_name(f"{name}.rejoinder") for name in ("ann", "ben", "both")))
    assert report.notes == (
        "The third version from ben.rejoinder is “third (3)” here, because another PDF has its name.",
    )
    assert dict(report.added) == {"document": 1, "paper_version": 1}
    with Project.open(base.with_name("both.rejoinder")) as project:
        found = {v.label: v.filename for v in PaperStore(project).versions(PaperStore(project).papers()[0].id)}
        assert found == {
            "submitted": "0.pdf", "revised": "1.pdf",
            "third": "ann.pdf", "third (2)": "ann.pdf", "third (3)": "ben.pdf",
        }  # fmt: skip


def _broken_by_a_label(monkeypatch: pytest.MonkeyPatch, table: str, key: str) -> None:
    """A rule on a row that holds until a version is called “theirs”."""

    def broken(project: Project) -> Iterator[tuple[str, str, list[str]]]:
        if project.query("SELECT 1 FROM paper_version WHERE label = 'theirs'"):
            yield "{n} row is wrong", table, [key]

    monkeypatch.setattr(merge, "broken", broken)


def _labelled(base: Path) -> tuple[str, str]:
    """Gives a version another name in a copy, which gets a further paper; the keys of version and comparison."""
    with Project.open(copy(base, "other"), annotator="Ben") as project:
        desk, papers = Desk(project), PaperStore(project)
        papers.add_paper("Another")
        versions = papers.versions(papers.papers()[0].id)
        version = next(one for one in versions if one.document_id == desk.revision.target_document_id)
        with project.action("Label") as act:
            act.update("paper_version", version.id, {"label": "theirs"})
        return version.id, desk.revision.id


def test_what_a_broken_row_refers_to_is_held_back_and_the_rest_is_merged(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, comparison = _labelled(base)
    _broken_by_a_label(monkeypatch, "revision", comparison)
    report = merge_files(base, base.with_name("other.rejoinder"), base.with_name("both.rejoinder"))
    assert [(one.table, one.row_id) for one in report.conflicts] == [("paper_version", version)]
    assert dict(report.added) == {"paper": 1} and not report.updated


def test_nothing_is_merged_where_a_rule_breaks_that_nothing_merged_explains(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _labelled(base)
    _broken_by_a_label(monkeypatch, "annotator", "nobody")
    with pytest.raises(BadInput, match=r"other\.rejoinder can't be merged: 1 row is wrong"):
        merge_files(base, base.with_name("other.rejoinder"), base.with_name("both.rejoinder"))
    assert not base.with_name("both.rejoinder").exists()


def test_a_damaged_file_is_named(base: Path) -> None:
    other = copy(base, "other")
    connection = sqlite3.connect(other)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("UPDATE comment SET source_id = 'gone'")
    connection.commit()
    connection.close()
    with pytest.raises(BadInput, match=r"other\.rejoinder is damaged: a row of comment refers to a row of source_text"):
        merge_files(base, other, base.with_name("out.rejoinder"))


def test_the_past_of_a_row(base: Path) -> None:
    with Project.open(base, annotator="Ann") as project:
        store = ReviewStore(project)
        first, second, third, _ = (comment.id for comment in store.comments())
        before = dict(project.row("comment", first))
        store.set_comment_text(first, "Another text.")
        after = dict(project.row("comment", first))
        remove_comments(project, [second])
        project.undo()
        remove_comments(project, [third])
        past = Past(project.query, "comment")
        assert past.knew(first, before) and past.knew(first, after)
        assert not past.knew(first, before | {"comment": "never said"}) and not past.knew("no row", before)
        assert past.touched(first) and past.touched(third) and not past.touched("no row")
        assert (past.deleted(third), past.undone(third), past.brought_back(third)) == (True, False, False)
        assert (past.deleted(second), past.undone(second), past.brought_back(second)) == (False, False, True)
        assert not past.deleted(first) and not past.brought_back(first)
        key = PaperStore(project).add_paper("For a while")
        project.undo()
        past = Past(project.query, "paper")
        assert (past.deleted(key), past.undone(key)) == (True, True)
        assert not NO_PAST.touched(first) and not NO_PAST.deleted(third)
