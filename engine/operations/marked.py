"""Exports reviews with comments and labels as files of annotation tools (brat, WebAnno TSV, UIMA CAS), and imports
these."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.errors import not_imported, not_written
from engine.exchange import brat, limits, uima_cas, webanno_tsv
from engine.exchange.encoding import file_in, read_bytes
from engine.exchange.marked_texts import (
    COMMENT,
    FEATURES,
    MarkedDocument,
    MarkedTexts,
    bundle_of,
    documents_of,
    labelled_of,
    losses,
)
from engine.exchange.records import Export, Linking, OutsideLink, OutsideLinks, Version
from engine.exchange.studies import Studies
from engine.operations.importing import keep_links
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import SourceText
from engine.reviews.store import ReviewStore
from engine.shown import counted

Tool = Literal["brat", "webanno-tsv", "cas-json", "cas-xmi"]
_ENDINGS: dict[Tool, str] = {"brat": ".ann", "webanno-tsv": ".tsv", "cas-json": ".json", "cas-xmi": ".xmi"}


def write_marked(project: Project, tool: Tool, linkings: Sequence[Linking]) -> Export:
    """Exports the texts of papers with their annotations. Raises BadInput if there are none."""
    labels = LabelStore(project)
    documents: list[MarkedDocument] = []
    sentences: dict[str, None] = {}
    for linking in linkings:
        found = documents_of(linking, {text.id: labels.labels(text.id) for text in linking.texts})
        documents += found
        sentences |= dict.fromkeys(losses(found, linking))
    if not documents:
        raise not_written("There are no reviews to export.", "Add reviews first.")
    if tool == "webanno-tsv":
        sentences["Spaces at the ends of lines and marks are left out."] = None
    if tool == "cas-xmi":
        sentences["Control characters, which XML can't contain, are written as �."] = None
    if tool == "brat":
        files = brat.write_brat(documents)
    elif tool == "webanno-tsv":
        files = webanno_tsv.write_tsv(documents)
    else:
        files = uima_cas.write_cas(documents, "json" if tool == "cas-json" else "xmi")
    return Export(files, tuple(sentences))


def with_reviews(project: Project, paper_id: str = "", annotator_id: str = "") -> tuple[Linking, ...]:
    """Returns the linking of each paper with reviews (or of one), including those without compared versions."""
    studies = Studies(project)
    compared = {paper.id for paper, *_ in studies.compared()}
    found, seen = [], set()
    for paper in studies.papers.papers():
        if paper_id not in {"", paper.id}:
            continue
        if paper.id in compared:
            linking = studies.linking(studies.study(paper.id, annotator_id, suggestions=False))
        else:
            linking = _unlinked(studies.reviews.texts(paper.id), studies, paper.id)
        found.append(linking)
        seen |= {text.id for text in linking.texts}
    if not paper_id:
        rest = tuple(text for text in studies.reviews.texts() if text.id not in seen)
        found.append(_unlinked(rest, studies, ""))
    return tuple(linking for linking in found if linking.texts)


def _unlinked(texts: tuple[SourceText, ...], studies: Studies, paper_id: str) -> Linking:
    visible = studies.agreement.visible(paper_id) if paper_id else None
    comments = [c for text in texts for c in studies.reviews.comments(source_id=text.id, seen_by=visible)]
    return Linking("", Version(""), Version(""), texts, tuple(comments), (), ())


def read_marked(path: Path, tool: Tool) -> MarkedTexts:
    """Reads a file, or all files in a folder. Raises BadInput if there are none."""
    ending = _ENDINGS[tool]
    files = sorted(path.glob(f"*{ending}")) if path.is_dir() else [path]
    limits.check_size(len(files), limits.ARCHIVE_MEMBERS, path.name, "files")
    if not files:
        raise not_imported(f"{path.name} contains no {ending} files.", "Check the folder.")
    read = [_read_file(file, tool) for file in files]
    documents = tuple(document for one in read for document in one.documents)
    return MarkedTexts(documents, tuple(warning for one in read for warning in one.warnings))


def _read_file(file: Path, tool: Tool) -> MarkedTexts:
    if tool in {"cas-json", "cas-xmi"}:
        beside = file_in(file.parent, uima_cas.TYPES) if tool == "cas-xmi" else None
        types = read_bytes(beside) if beside is not None else None
        return uima_cas.read_cas(file.stem, read_bytes(file), "json" if tool == "cas-json" else "xmi", types)
    content = _utf8(file)
    if tool == "webanno-tsv":
        return webanno_tsv.read_tsv(file.stem, content)
    text = file_in(file.parent, f"{file.stem}.txt")
    if text is None:
        raise not_imported(f"{file.stem}.txt is missing.", f"Put it next to {file.name}.")
    return brat.read_brat(file.stem, _utf8(text), content)


def _utf8(file: Path) -> str:
    try:
        return read_bytes(file).decode("utf-8")  # not normalised, since offsets refer to the exact text
    except UnicodeDecodeError as error:
        raise not_imported(f"{file.name} isn't UTF-8.", "Export it again.") from error


@dataclass(slots=True)
class Taken:
    texts: int = 0
    comments: int = 0
    labelled: int = 0
    links: int = 0
    warnings: list[str] = field(default_factory=list)

    def sentence(self, name: str) -> str:
        return (
            f"{name}: {counted(self.texts, 'new text')}, {counted(self.comments, 'new comment')},"
            f" {counted(self.links, 'link or decision', 'links and decisions')},"
            f" {counted(self.labelled, 'text')} with labels."
        )


def import_marked(project: Project, path: Path, tool: Tool) -> Taken:
    """Imports texts, comments, states, links and labels in one step. If the project has the same text (apart from kinds
    of blanks), annotations are added to it; existing comments aren't changed. Raises BadInput, with nothing imported,
    if a file can't be read or has annotations outside its text."""
    read = read_marked(path, tool)
    taken = Taken(warnings=list(read.warnings))
    store, studies = ReviewStore(project), Studies(project)
    papers = studies.papers.papers()
    strange = sorted({mark.layer for document in read.documents for mark in document.marks} - set(FEATURES))
    if strange:
        taken.warnings.append(f"Marks in the layers {', '.join(strange[:5])} were left out.")
    with project.action(f"Import {path.name}"):
        for document in read.documents:
            known = _known(document, store.texts())
            bundle, links = bundle_of(document, known)
            keys: dict[str, str] = {}
            if known is None:
                change = store.import_bundle(bundle, path.name, paper_id=papers[0].id if len(papers) == 1 else None)
                taken.texts += 1
                taken.comments += len(change.comments)
                known = change.texts[0]
                keys = {before.id: after.id for before, after in zip(bundle.comments, change.comments, strict=True)}
            else:
                keys = _add_comments(store, known, document, taken)
            labelled = labelled_of(document, known)
            if labelled is not None:
                LabelStore(project).import_reviews([labelled], path.name)
                taken.labelled += 1
            links = [replace(link, comment_id=keys.get(link.comment_id, link.comment_id)) for link in links]
            _add_links(studies, known, links, path.name, taken)
    return taken


def _known(document: MarkedDocument, texts: Sequence[SourceText]) -> SourceText | None:
    """Returns the project's text that equals the document's, preferably with its key. Kinds of blanks may differ, since
    some formats don't preserve them."""
    same = [text for text in texts if _blank(text.text) == _blank(document.text)]
    return next((text for text in same if text.id == document.name), same[0] if same else None)


def _blank(text: str) -> str:
    return re.sub(r"\s", " ", text).rstrip()


def _add_comments(store: ReviewStore, text: SourceText, document: MarkedDocument, taken: Taken) -> dict[str, str]:
    """Creates comments for annotations that aren't comments yet; returns the keys of all by their ids in the file."""
    there = store.comments(source_id=text.id)
    ids = {key: comment.id for comment in there for key in (comment.external_id, comment.id) if key}
    places = {comment.spans: comment.id for comment in there}
    keys: dict[str, str] = {}
    marks = [mark for mark in document.marks if mark.layer == COMMENT]
    for mark, comment in zip(marks, bundle_of(document, text)[0].comments, strict=True):
        found = (ids.get(mark.id) if mark.id else None) or places.get(mark.spans)
        if found is None:
            (made,) = store.add_comment(text.id, mark.spans, context=comment.context_spans).comments[:1]
            found = made.id
            taken.comments += 1
        keys[comment.id] = found
    return keys


def _add_links(studies: Studies, text: SourceText, links: Sequence[OutsideLink], name: str, taken: Taken) -> None:
    if not links:
        return
    for paper, *_, revision in studies.compared():
        if any(one.id == text.id for one in studies.texts(paper.id)):
            comments = studies.reviews.comments(source_id=text.id)
            found = keep_links(studies.revisions, revision.id, comments, OutsideLinks(tuple(links)), name)
            taken.warnings += found.warnings
            taken.links += len(found.links) + len(found.states)
            return
    taken.warnings.append(
        f"{counted(len(links), 'link or decision', 'links and decisions')} left out: both PDFs of the paper are needed."
    )
