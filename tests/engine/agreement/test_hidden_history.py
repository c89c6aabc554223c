"""What History and Undo say of others' acts while their work is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.agreement.store import AgreementStore
from engine.operations.removing import remove_comments
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, RevisionDiff
from engine.revision.store import RevisionStore

WORDS = "How was the corpus divided?"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ann") as made:
        paper = PaperStore(made).add_paper("Paper")
        comment = Comment("c", "s", "R1", WORDS, spans=(Span(0, len(WORDS)),))
        ReviewStore(made).import_bundle(
            ReviewBundle((SourceText("s", "Review", WORDS),), (comment,)), "r.txt", paper_id=paper
        )
        edit = Edit("e", "added", "add", False, (), ("T0",), "", "By manuscript.", "", 0, 2)
        RevisionStore(made).save_diff("d1", "d2", RevisionDiff((edit,), ()))
        yield made


def link(project: Project) -> None:
    revisions = RevisionStore(project)
    (revision,) = revisions.revisions()
    (comment,) = ReviewStore(project).comments()
    revisions.link_comment(comment.id, revisions.edits(revision.id)[0].id)


def titles(project: Project) -> list[str]:
    return AgreementStore(project).titles(project.history())


def test_work_of_others_is_unsaid_until_both_are_done(project: Project) -> None:
    agreement = AgreementStore(project)
    (paper,) = PaperStore(project).papers()
    link(project)
    said = project.history(1)[0].title
    assert titles(project)[0] == said, "one's own acts are said"
    agreement.set_done(paper.id, True)
    project.set_annotator("Ben")
    hidden = titles(project)
    assert hidden[1] == "Work of Ann, hidden until both are done"
    assert hidden[0].startswith("Mark as done"), "that somebody is done is no secret"
    assert any("r.txt" in title or "Import" in title for title in hidden[2:]), "imports are no secret"
    agreement.set_done(paper.id, True)
    assert titles(project)[2] == said


def test_undo_names_no_hidden_act(project: Project) -> None:
    link(project)
    project.set_annotator("Ben")
    agreement = AgreementStore(project)
    entry = project.undo_entry
    assert entry is not None and agreement.titles([entry])[0].startswith("Work of Ann")
    project.undo()
    again = project.redo_entry
    assert again is not None and again.id == entry.id and agreement.titles([again])[0].startswith("Work of Ann")


def test_marks_of_others_are_unsaid_and_their_removal_too(project: Project) -> None:
    reviews = ReviewStore(project)
    (text,) = reviews.texts()
    before = {comment.id for comment in reviews.comments()}
    reviews.add_comment(text.id, [Span(0, 7)])
    (marked,) = {comment.id for comment in reviews.comments()} - before
    remove_comments(project, [marked])
    project.set_annotator("Ben")
    assert [title.startswith("Work of Ann") for title in titles(project)[:2]] == [True, True]
