"""A paper that an earlier version of the parser read is read again when somebody agrees, and can be put back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.operations.papers import read_earlier
from engine.operations.rereading import read_again, rereading
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.merge import merge_files
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from engine.revision.tasks import compute_edits

EARLIER = "geometry 1"
SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as running:
        yield running


def as_read_earlier(now: ParsedDocument) -> ParsedDocument:
    """As a parser that lost every seventh paragraph of the text read it."""
    body = [p.id for p in now.paragraphs if p.kind == "body"]
    lost = set(body[::7])
    return replace(now, parser=EARLIER, paragraphs=tuple(p for p in now.paragraphs if p.id not in lost))


class Study:
    def __init__(self, project: Project, service: DocumentService) -> None:
        self.project, self.service = project, service
        self.documents, self.revisions, papers = DocumentStore(project), RevisionStore(project), PaperStore(project)
        self.paper = papers.add_paper("A paper")
        self.keys = []
        for label in (SUBMITTED, REVISED):
            pdf = (SAMPLE / f"{label}.pdf").read_bytes()
            key = self.documents.add_document(pdf, f"{label}.pdf")
            papers.add_version(self.paper, key, label)
            self.documents.save_parsed(key, as_read_earlier(service.parse(pdf)))
            self.keys.append(key)
        self.compare()

    @classmethod
    def of(cls, project: Project, study: Study) -> Study:
        """The same study in the project as it was opened again."""
        again = cls.__new__(cls)
        again.__dict__ |= study.__dict__ | {"project": project, "documents": DocumentStore(project)}
        return again

    def compare(self) -> None:
        task = compute_edits(self.documents, self.service, self.revisions, self.keys[0], self.keys[1])
        self.revision = task.run(QuietReport()).revision_id

    def edits(self) -> set[str]:
        return {edit.id for edit in self.revisions.edits(self.revision)}

    def texts(self) -> list[tuple[str, ...]]:
        read = [self.documents.parsed(key) for key in self.keys]
        return [tuple(p.text for p in one.paragraphs) for one in read if one is not None]

    def reread(self) -> tuple[str, ...]:
        found = rereading(self.project, self.service, self.paper).run(QuietReport())
        return read_again(self.project, found).sentences


@pytest.fixture
def study(tmp_path: Path, service: DocumentService) -> Iterator[Study]:
    with Project.create(tmp_path / "one.rejoinder") as project:
        yield Study(project, service)


def test_nothing_is_read_again_before_somebody_agrees(study: Study) -> None:
    before = study.texts()
    assert read_earlier(study.project, study.paper) == tuple(study.keys)
    rereading(study.project, study.service, study.paper).run(QuietReport())
    study.compare()
    assert study.texts() == before and read_earlier(study.project, study.paper)


def test_what_changes_is_said_before_and_links_stay_or_need_attention(study: Study) -> None:
    before, old = study.edits(), study.texts()
    comments = ReviewStore(study.project)
    (text,) = comments.add_text("Review 1", "Please explain more.", paper_id=study.paper).texts
    (comment,) = comments.add_comment(text.id, [Span(0, 20)]).comments
    for edit in before:
        study.revisions.link_comment(comment.id, edit)
    said = study.reread()
    now = study.texts()
    changes = [(len({*a} - {*b}), len({*b} - {*a})) for a, b in zip(old, now, strict=True)]
    assert all(added > 0 == gone for gone, added in changes)
    for name, texts, (_, added) in zip((SUBMITTED, REVISED), old, changes, strict=True):
        of = len({*texts})
        assert f"In {name}.pdf, 0 of {of} paragraphs will change or disappear, and {added} will be new." in said
    study.compare()
    again, gone, new = before & study.edits(), before - study.edits(), study.edits() - before
    assert again and gone and new
    counts = f"{len(again)} of {len(before)} edits will be found again, and {len(new) or 'none'} will be new."
    assert counts in said
    links = study.revisions.links(study.revision)
    assert {link.edit_id for link in links if link.attached} == again
    assert {link.edit_id for link in links if not link.attached} == gone
    assert f"{len(gone)} links to edits that won't be found will be kept and need attention." in said


def test_undo_puts_the_former_text_and_edits_back(study: Study) -> None:
    before, old = study.edits(), study.texts()
    study.reread()
    now = study.texts()
    assert not read_earlier(study.project, study.paper)
    with pytest.raises(BadInput, match="has read all PDFs"):
        study.reread()
    assert study.project.undo() is not None and study.texts() == old
    study.compare()
    assert study.edits() == before and read_earlier(study.project, study.paper)
    study.project.redo()
    assert study.texts() == now


@pytest.mark.parametrize("theirs", [True, False])
def test_what_one_copy_read_again_counts_after_merging(study: Study, tmp_path: Path, theirs: bool) -> None:
    study.project.save_copy(tmp_path / "two.rejoinder")
    study.reread()
    now = study.texts()
    here, there, merged = study.project.path, tmp_path / "two.rejoinder", tmp_path / "merged.rejoinder"
    study.project.close()
    merge_files(*((there, here) if theirs else (here, there)), merged)
    with Project.open(merged) as project:
        assert Study.of(project, study).texts() == now and not read_earlier(project, study.paper)
