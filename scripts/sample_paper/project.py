"""The sample project file, made through the engine as a person would make it: import, compare, decide on comments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.documents.parsing import PARSER
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.letter import read_letter
from engine.reviews.records import ReviewBundle, SourceText
from engine.reviews.store import ReviewStore
from engine.revision.edits import compare
from engine.revision.records import Edit, NewLink
from engine.revision.store import RevisionStore

TITLE = "How few counters suffice? (sample)"
ANNOTATOR = "Sample annotator"
DECIDED = ("R1-01", "R1-02", "R1-03", "R1-05", "R1-09", "R1-10", "R2-03", "R3-05")
"""Comments that are decided in the sample; the others are for whoever tries it."""


def build_project(path: Path, folder: Path, truth: Mapping[str, Any]) -> Path:
    """Makes the project at ``path`` from the files in ``folder``, in place of an older one."""
    path.unlink(missing_ok=True)
    with Project.create(path, title=TITLE, annotator=ANNOTATOR) as project:
        paper = PaperStore(project).add_paper(truth["title"])
        documents = [_add_version(project, paper, folder / f"{label}.pdf", label) for label in (SUBMITTED, REVISED)]
        _import_reviews(project, paper, folder)
        revision = _compare(project, documents[0], documents[1])
        _decide(project, revision, truth)
        project.compact()
    return path


def _add_version(project: Project, paper: str, file: Path, label: str) -> str:
    store = DocumentStore(project)
    with DocumentService() as service:
        parsed = service.parse(file)
    document = store.add_document(file.read_bytes(), file.name, title=parsed.title, pages=len(parsed.pages))
    PaperStore(project).add_version(paper, document, label)
    store.save_parsed(document, parsed)
    return document


def _import_reviews(project: Project, paper: str, folder: Path) -> None:
    store = ReviewStore(project)
    for number, file in enumerate(sorted(folder.glob("review-*.md")), start=1):
        reviewer = f"Reviewer {number}"
        text = SourceText(file.stem, reviewer, file.read_text(encoding="utf-8"), reviewer=reviewer)
        store.import_bundle(ReviewBundle((text,)), file.name, paper_id=paper)
    letter = folder / "response-letter.md"
    bundle = read_letter(letter.read_text(encoding="utf-8"))
    store.import_bundle(bundle, letter.name, paper_id=paper)


def _compare(project: Project, submitted: str, revised: str) -> str:
    documents = DocumentStore(project)
    sides = [documents.parsed(key) for key in (submitted, revised)]
    old, new = (side.paragraphs for side in sides if side is not None)
    diff = compare(old, new)
    return RevisionStore(project).save_diff(submitted, revised, diff, {"parser": PARSER}).revision_id


def _decide(project: Project, revision: str, truth: Mapping[str, Any]) -> None:
    reviews, links = ReviewStore(project), RevisionStore(project)
    comments = {comment.comment: comment.id for comment in reviews.comments()}
    # What a person corrects after the import: praise that was taken for a request, and the other way round.
    requests = {comments[comment["comment"]] for comment in truth["comments"]}
    reviews.set_actionable([c.id for c in reviews.comments() if c.actionable and c.id not in requests], False)
    reviews.set_actionable([c.id for c in reviews.comments() if not c.actionable and c.id in requests], True)
    known = {comment["id"]: comment for comment in truth["comments"]}
    edits = links.edits(revision)
    for name in DECIDED:
        comment = known[name]
        key = comments[comment["comment"]]
        if comment["state"] == "linked":
            found = [_edit_like(edits, truth, wanted) for wanted in comment["edit_ids"]]
            links.link_many([NewLink(key, edit.id) for edit in found])
        else:
            links.set_comment_state(revision, key, comment["state"])


def _tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]+", text.lower()))


def _edit_like(edits: tuple[Edit, ...], truth: Mapping[str, Any], wanted: str) -> Edit:
    """The found edit whose texts are those of a known one."""
    texts = [{record["id"]: record["text"] for record in truth[version]} for version in ("submitted", "revised")]
    known = next(edit for edit in truth["edits"] if edit["id"] == wanted)
    source = _tokens(" ".join(texts[0][name] for name in known["source_ids"]))
    target = _tokens(" ".join(texts[1][name] for name in known["target_ids"]))

    def likeness(edit: Edit) -> float:
        old, new = _tokens(edit.source_text), _tokens(edit.target_text)
        shared = (old & source).total() + (new & target).total()
        return 2 * shared / (old.total() + new.total() + source.total() + target.total())

    best = max(edits, key=likeness)
    if likeness(best) < 0.9:
        raise ValueError(f"The comparison does not find {wanted} of the sample.")
    return best
