"""The jobs from end to end: two PDFs become edits, edits and comments become suggestions; cancel leaves nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput, EnvironmentProblem
from engine.jobs import JobEngine, JobState, Report, Task
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, RevisionDiff
from engine.revision.store import RevisionStore
from engine.revision.tasks import compute_edits, suggest_links
from tests.engine.revision.papers import latest_run

LONG = 60.0
KEPT = "This paragraph stands in both versions of the paper, word for word, and nobody would call it an edit at all."
NEW = "The division of the corpus is by manuscript, so that no writer stands on both sides of it in any of the splits."
REVIEW = "How was the corpus divided, by writer or by manuscript?"


class LengthVectors:
    """A stand-in encoder that heeds the report."""

    fingerprint = "length"

    def encode(self, texts: Sequence[str], report: Report | None = None) -> NDArray[np.float32]:
        for at in range(len(texts)):
            if report is not None:
                report.progress(at / len(texts), "encoding")
        vectors = np.array([[1.0, len(text)] for text in texts], dtype=np.float32).reshape(-1, 2)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def pdf(path: Path, paragraphs: Sequence[str]) -> bytes:
    import pymupdf

    document = pymupdf.open()
    page = document.new_page()
    for at, text in enumerate(paragraphs):
        page.insert_textbox((72, 72 + 90 * at, 520, 150 + 90 * at), text, fontsize=11)
    document.save(path)
    document.close()
    return path.read_bytes()


class Desk:
    def __init__(self, folder: Path) -> None:
        self.project = Project.create(folder / "p.rejoinder", annotator="Ann")
        self.documents, self.revisions = DocumentStore(self.project), RevisionStore(self.project)
        self.reviews = ReviewStore(self.project)
        self.lane = JobEngine(interval=0.0)

    def add_review(self) -> None:
        text = SourceText("s", "Review 1", REVIEW)
        comment = Comment("c", "s", "R1", REVIEW, response="By manuscript.", spans=(Span(0, len(REVIEW)),))
        self.reviews.import_bundle(ReviewBundle((text,), (comment,)), "review.txt")

    def add_edits(self, number: int = 3) -> str:
        edits = tuple(
            Edit(
                f"e{n}",
                "added",
                "add",
                False,
                (),
                (f"T{n}",),
                "",
                f"{NEW} Number {n}." if n == 0 else f"{KEPT} {n}",
                "",
                0,
                9,
            )
            for n in range(number)
        )
        return self.revisions.save_diff("d1", "d2", RevisionDiff(edits, ())).revision_id

    def close(self) -> None:
        assert self.lane.shutdown(LONG)
        self.project.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()


def test_two_pdfs_become_edits_and_links_survive_a_second_run(desk: Desk, tmp_path: Path) -> None:
    source = desk.documents.add_document(pdf(tmp_path / "old.pdf", [KEPT]), "old.pdf")
    target = desk.documents.add_document(pdf(tmp_path / "new.pdf", [KEPT, NEW]), "new.pdf")
    with DocumentService() as service:
        job = desk.lane.submit(compute_edits(desk.documents, service, desk.revisions, source, target))
        saved = job.result(LONG)
        assert job.task.title == "Compare old.pdf with new.pdf"
        (edit,) = desk.revisions.edits(saved.revision_id)
        assert (edit.kind, edit.target_text) == ("added", NEW)
        assert (saved.kept, saved.new, saved.retired) == (0, 1, 0)
        desk.add_review()
        (comment,) = desk.reviews.comments()
        desk.revisions.link_comment(comment.id, edit.id)
        again = desk.lane.submit(compute_edits(desk.documents, service, desk.revisions, source, target)).result(LONG)
    assert (again.revision_id, again.kept, again.needs_attention) == (saved.revision_id, 1, 0)
    assert [link.attached for link in desk.revisions.links(saved.revision_id)] == [True]


def test_a_version_without_text_is_named(desk: Desk, tmp_path: Path) -> None:
    source = desk.documents.add_document(pdf(tmp_path / "scan.pdf", []), "scan.pdf")
    target = desk.documents.add_document(pdf(tmp_path / "new.pdf", [KEPT]), "new.pdf")
    with DocumentService() as service:
        job = desk.lane.submit(compute_edits(desk.documents, service, desk.revisions, source, target))
        assert job.wait(LONG) is JobState.FAILED
    assert job.failure is not None and job.failure.problem is not None
    assert desk.revisions.revisions() == ()


@pytest.mark.parametrize("strategy", ["fused", "bm25", "encoder"])
def test_suggestions_land_in_the_store_with_their_provenance(desk: Desk, strategy: str) -> None:
    desk.add_review()
    revision = desk.add_edits()
    changes: list[Any] = []
    desk.project.subscribe(changes.append)
    job = desk.lane.submit(suggest_links(desk.reviews, desk.revisions, revision, strategy, encoder=LengthVectors))
    made = job.result(LONG)
    assert (made.comments, made.edits) == (1, 3)
    (comment,) = desk.reviews.comments()
    offered = desk.revisions.suggestions(revision, comment.id)
    assert len(offered) == 3 and offered[0].origin.startswith(f"model:{strategy}@")
    assert {change.kind for change in changes} == {"results"}
    assert changes[-1].touches("suggestion")
    assert desk.project.undo_title is not None and "suggest" not in desk.project.undo_title.casefold()
    if strategy == "bm25":
        assert offered[0].edit_id == desk.revisions.edits(revision)[0].id


def test_nothing_to_rank_is_said(desk: Desk) -> None:
    revision = desk.add_edits()
    job = desk.lane.submit(suggest_links(desk.reviews, desk.revisions, revision, "bm25"))
    with pytest.raises(BadInput, match="nothing to suggest"):
        job.result(LONG)
    desk.add_review()
    with pytest.raises(EnvironmentProblem, match="no strategy"):
        desk.lane.submit(suggest_links(desk.reviews, desk.revisions, revision, "magic")).result(LONG)


def test_cancel_leaves_no_suggestions(desk: Desk) -> None:
    desk.add_review()
    revision = desk.add_edits(40)
    cancelled: list[bool] = []
    job = None

    def stop(snapshot: Any) -> None:
        if snapshot.words == "encoding" and job is not None:
            cancelled.append(job.cancel())

    held = threading.Event()
    wanted = suggest_links(desk.reviews, desk.revisions, revision, encoder=LengthVectors)
    holding = Task("test.hold", "Hold the lane", lambda _report: held.wait(LONG), wanted.duplicate)
    desk.lane.submit(replace(holding, lane=wanted.lane))
    desk.lane.subscribe(stop)
    job = desk.lane.submit(wanted)
    held.set()
    assert job.wait(LONG) is JobState.CANCELLED
    assert cancelled and latest_run(desk.revisions, revision) is None
