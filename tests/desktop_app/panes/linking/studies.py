"""A small study made through the stores: two versions, a letter with six comments, edits, suggestions."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.documents.codec import encode
from engine.documents.records import PARSER, PackedDocument, Paragraph, ParsedDocument
from engine.documents.service import OpenDocument
from engine.documents.store import DocumentStore
from engine.errors import Cancelled
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.edits import compare
from engine.revision.records import Scored
from engine.revision.store import RevisionStore
from tests.desktop_app.widgets.pages import FlatRenderer, column_text, paragraph, sizes

SOURCE_PDF, TARGET_PDF = b"%PDF-1.7 the submitted one", b"%PDF-1.7 the revised one"
PAGES = 4
SECTIONS = ("1 Introduction", "2 Method", "3 Results", "4 Discussion")


def versions() -> tuple[tuple[Paragraph, ...], tuple[Paragraph, ...]]:
    """Sixteen paragraphs; in the revision 2 and 9 are reworded, 6 is gone, and one is new after 12."""
    source = column_text(PAGES, "s")
    words = [p.text for p in source]
    words[2] = words[2].replace("second sentence", "second and much clearer sentence")
    words[9] = words[9].replace(
        "It has a second sentence about", "After the reviews we say here a good deal more about"
    )
    del words[6]
    words.insert(12, "Wholly new text that nobody has read before explains how the split was made, by paper.")
    target = []
    for index, text in enumerate(words):
        page, slot = divmod(index, 4)
        place = (page + 1, 40.0 if slot < 2 else 320.0, 60.0 if slot % 2 == 0 else 400.0, 240.0)
        target.append(paragraph(index, text, [place], "t", SECTIONS[min(page, 3)]))
    return source, tuple(target)


class FlatService(FlatRenderer):
    """Stands in for the document service: flat pages, no process."""

    def cancelled(self) -> bool:
        return False

    def until(self, cancelled: Callable[[], bool]) -> FlatService:
        one = copy.copy(self)
        one.cancelled = cancelled  # type: ignore[method-assign]
        return one

    @property
    def worker_pids(self) -> tuple[int, ...]:
        return ()

    def warm(self) -> None:
        """Nothing to start."""

    def close(self) -> None:
        """Nothing to end."""

    def read(self, pdf: bytes, **_how: object) -> PackedDocument:
        """What a worker would have read in one of the two files."""
        old, new = versions()
        found = parsed(pdf, old if pdf == SOURCE_PDF else new)
        sizes_ = len(found.pages), len(found.paragraphs)
        return PackedDocument(found.sha256, found.parser, *sizes_, found.seconds, (), encode(found))

    def typeset(self, title: str, blocks: Sequence[str]) -> bytes:
        if self.cancelled():
            raise Cancelled
        return b"%PDF-1.7 " + title.encode() + b" ".join(block.encode() for block in blocks)

    def open(self, pdf: bytes) -> OpenDocument:
        return OpenDocument(hashlib.sha256(pdf).hexdigest(), sizes(PAGES), "")


def parsed(pdf: bytes, paragraphs: tuple[Paragraph, ...]) -> ParsedDocument:
    return ParsedDocument(hashlib.sha256(pdf).hexdigest(), sizes(PAGES), paragraphs, PARSER, 0.1)


def make_study(path: Path, furnish: Callable[[Project], object] | None = None) -> None:
    """A project with everything computed, so that no job needs to run; ``furnish`` adds to it as Ada. It is built once:
    those of a process have the same keys."""
    path.write_bytes(_study())
    if furnish is not None:
        with Project.open(path, annotator="Ada") as project:
            furnish(project)


@cache
def _study() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.rejoinder"
        _build(path)
        return path.read_bytes()


def _build(path: Path) -> None:
    with Project.create(path, "study", "Ada") as project:
        papers, documents = PaperStore(project), DocumentStore(project)
        paper = papers.add_paper("study")
        keys = []
        for pdf, name, label, paragraphs in zip(
            (SOURCE_PDF, TARGET_PDF), ("old.pdf", "new.pdf"), (SUBMITTED, REVISED), versions(), strict=True
        ):
            key = documents.add_document(pdf, name, pages=PAGES)
            papers.add_version(paper, key, label)
            documents.save_parsed(key, parsed(pdf, paragraphs))
            keys.append(key)
        add_comments(project, paper)
        source, target = versions()
        revisions = RevisionStore(project)
        saved = revisions.save_diff(
            keys[0], keys[1], compare(source, target), {"source_parser": PARSER, "target_parser": PARSER}
        )
        suggest(project, saved.revision_id)


def add_comments(project: Project, paper: str) -> None:
    said = [
        ("Reviewer 1", "It is unclear how the split was made.", "We now say that it was made by paper."),
        ("Reviewer 1", "The second sentence is hard to read.", "We rewrote it."),
        ("Reviewer 1", "Figure 2 is too small.", "We enlarged it."),
        ("Reviewer 2", "Say more about topic nine.", "We say a good deal more."),
        ("Reviewer 2", "Compare with a stronger baseline.", "This is beyond the scope."),
        ("Reviewer 2", "Remove the paragraph on topic six.", "We removed it."),
    ]
    text = "\n\n".join(f"> {comment}\n\n{answer}" for _, comment, answer in said)
    comments = tuple(
        Comment(f"c{n}", "letter", reviewer, comment, response=answer)
        for n, (reviewer, comment, answer) in enumerate(said)
    )
    letter = SourceText("letter", "Response letter", text, kind="letter")
    ReviewStore(project).import_bundle(ReviewBundle((letter,), comments), "letter.md", paper_id=paper)


def suggest(project: Project, revision_id: str) -> None:
    """For every comment two suggestions, the first over the threshold, edits in turn."""
    revisions, comments = RevisionStore(project), ReviewStore(project).comments()
    edits = revisions.edits(revision_id)
    revisions.save_suggestions(
        revision_id,
        "fused",
        "model:fused@1",
        {
            comment.id: [
                Scored(edits[at % len(edits)].id, 0.83, True, ("split", "paper", "named in the response")),
                Scored(edits[(at + 1) % len(edits)].id, 0.31, False, ("sentence",)),
            ]
            for at, comment in enumerate(comments)
        },
        use_responses=True,
    )
