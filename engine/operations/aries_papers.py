"""Imports papers of ARIES as papers of a project: paragraphs, edits, comments, links and states from its files.

The files have the text of both versions but no PDF. Pages are typeset from the paragraphs, so that views of pages work;
paragraphs and their order are those of the file, which edits refer to.
"""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from engine.documents.records import Box, Paragraph, ParsedDocument, Word
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import not_imported
from engine.exchange import aries
from engine.exchange.aries import S2orcDocument, check_places, read_version, root_of
from engine.exchange.encoding import read_bytes
from engine.operations.importing import keep_links
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.edits import edit_of
from engine.revision.records import RevisionDiff
from engine.revision.store import RevisionStore
from engine.shown import counted

LABELS = "edit_labels*.jsonl"
_STYLE = (
    "<style>body{font-family:serif;font-size:10.5pt;line-height:1.3}h2{font-size:13pt;margin:8pt 0 4pt 0}"
    "p{margin:2pt 0 6pt 0}</style>"
)
_AHEAD = 40
"""How many words of the pages are searched for a paragraph's next word, since page numbers lie in between."""


@dataclass(frozen=True, slots=True)
class AriesImport:
    papers: int
    edits: int = 0
    equal: int = 0
    """Pairs of equal paragraphs, which didn't become edits."""
    comments: int = 0
    links: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        of_papers = (counted(self.edits, "edit"), counted(self.comments, "comment"), counted(self.links, "link"))
        equal = f" {counted(self.equal, 'pair')} of identical paragraphs didn't become edits." if self.equal else ""
        return f"{counted(self.papers, 'paper')} with {', '.join(of_papers[:2])} and {of_papers[2]}.{equal}"


@dataclass(frozen=True, slots=True)
class _Version:
    """A typeset version: the PDF, and its paragraphs with their positions on the pages."""

    name: str
    pdf: bytes
    parsed: ParsedDocument


def import_aries(project: Project, folder: Path, service: DocumentService) -> AriesImport:
    """Imports a folder with ``paper_edits.jsonl`` and ``s2orc/``, and optionally ``review_comments.jsonl`` and
    ``edit_labels*.jsonl``, in one step. Pairs of equal paragraphs don't become edits.

    Raises BadInput, with nothing imported, if a file is missing or can't be read, an edit refers to a missing
    paragraph, or the project already contains one of the papers.
    """
    root = root_of(folder)
    papers = aries.paper_edits(_file(root / "paper_edits.jsonl"))
    comments = _file(root / "review_comments.jsonl") if (root / "review_comments.jsonl").is_file() else None
    labels = list(chain.from_iterable(aries.edit_labels(_file(path)) for path in sorted(root.glob(LABELS))))
    known = {paper.external_id for paper in PaperStore(project).papers()}
    if there := [paper.doc_id for paper in papers if paper.doc_id in known]:
        raise not_imported(f"The project already contains {there[0]}.", "Import the folder into a new project.")
    versions: dict[str, _Version] = {}
    for name in dict.fromkeys(name for paper in papers for name in (paper.source_pdf_id, paper.target_pdf_id)):
        versions[name] = _set(read_version(root, name), name, service)
        project.put_blob(versions[name].pdf, "application/pdf")  # files are stored outside the action
    counts: Counter[str] = Counter()
    warnings: list[str] = []
    with project.action(f"Import {folder.name}"):
        for paper in papers:
            key, revision_id, diff = _take_in(project, paper, versions)
            counts.update(edits=len(diff.edits), equal=len(diff.unchanged))
            bundle = aries.review_comments(comments, doc_id=paper.doc_id) if comments is not None else None
            if bundle is None or not bundle.texts:
                continue
            revisions, links = RevisionStore(project), aries.outside_links(labels, paper.doc_id)
            taken = ReviewStore(project).import_bundle(bundle, folder.name, paper_id=key).comments
            warnings += bundle.warnings
            warnings += keep_links(revisions, revision_id, taken, links, folder.name).warnings
            counts.update(comments=len(taken), links=len(revisions.links(revision_id)))
    return AriesImport(len(papers), **counts, warnings=tuple(dict.fromkeys(warnings)))


def _file(path: Path) -> aries.AriesFile:
    return aries.read_file(read_bytes(path), path.name)


def _take_in(
    project: Project, paper: aries.PaperEdits, versions: Mapping[str, _Version]
) -> tuple[str, str, RevisionDiff]:
    """Adds a paper with its versions and edits; returns the keys of paper and comparison, and the differences."""
    papers, documents = PaperStore(project), DocumentStore(project)
    key = papers.add_paper(paper.doc_id, external_id=paper.doc_id)
    sides = []
    for name, label in ((paper.source_pdf_id, SUBMITTED), (paper.target_pdf_id, REVISED)):
        version = versions[name]
        document = documents.add_document(version.pdf, f"{name}.pdf", pages=len(version.parsed.pages))
        documents.save_parsed(document, version.parsed)
        papers.add_version(key, document, label)
        sides.append((document, version.parsed.paragraphs))
    (source, old), (target, new) = sides
    edits, unchanged = [], []
    for one in paper.edits:
        for at, indices in ((paper.source_pdf_id, one.source_idxs), (paper.target_pdf_id, one.target_idxs)):
            check_places(one.edit_id, indices, at, len(versions[at].parsed.paragraphs))
        if not one.source_idxs and not one.target_idxs:
            raise not_imported(f"Edit {one.edit_id} of {paper.doc_id} has no paragraph.")
        edit = edit_of([old[at] for at in one.source_idxs], [new[at] for at in one.target_idxs])
        if edit.source_text == edit.target_text:
            unchanged.append((edit.source_ids, edit.target_ids))
        else:
            edits.append(replace(edit, id=one.edit_id, label=one.edit_id))
    diff = RevisionDiff(tuple(edits), tuple(unchanged))
    saved = RevisionStore(project).save_diff(source, target, diff, {"from": "ARIES"})
    return key, saved.revision_id, diff


def _set(document: S2orcDocument, name: str, service: DocumentService) -> _Version:
    """Typesets the paragraphs and finds their positions on the pages."""
    parts, section = [], ""
    for paragraph in document.paragraphs:
        if paragraph.section != section and paragraph.section:
            parts.append(f"<h2>{html.escape(paragraph.section)}</h2>")
        section = paragraph.section
        parts.append(f"<p>{html.escape(paragraph.text)}</p>")
    pdf = service.typeset(name, [f"<html><head>{_STYLE}</head><body>{''.join(parts) or '<p> </p>'}</body></html>"])
    read = service.parse(pdf)
    shown = [(one.text[word.start : word.end], word.box) for one in read.paragraphs for word in one.words]
    paragraphs, at, page = [], 0, 1
    for paragraph in document.paragraphs:
        words, at = _places(paragraph.text, shown, at)
        page = words[0].box.page if words else page
        paragraphs.append(_paragraph(paragraph.index, paragraph.section, paragraph.text, words, page))
    note = "These pages were made from the text of a parsed paper. They aren't the paper's own pages."
    return _Version(
        name, pdf, replace(read, paragraphs=tuple(paragraphs), parser="ARIES", warnings=(note,), doubtful=())
    )


def _places(text: str, shown: Sequence[tuple[str, Box]], at: int) -> tuple[tuple[Word, ...], int]:
    """Returns a paragraph's words with their positions, searched from word ``at`` of the pages on, and where the next
    paragraph starts."""
    found = []
    for match in re.finditer(r"\S+", text):
        near = range(at, min(at + _AHEAD, len(shown)))
        if (place := next((n for n in near if shown[n][0] == match[0]), None)) is not None:
            found.append(Word(match.start(), match.end(), shown[place][1]))
            at = place + 1
    return tuple(found), at


def _paragraph(index: int, section: str, text: str, words: tuple[Word, ...], page: int) -> Paragraph:
    pages: dict[int, list[Box]] = {}
    for word in words:
        pages.setdefault(word.box.page, []).append(word.box)
    boxes = tuple(
        Box(n, min(b.x0 for b in own), min(b.y0 for b in own), max(b.x1 for b in own), max(b.y1 for b in own))
        for n, own in pages.items()
    )
    return Paragraph(
        f"p{index:04d}", index, section, "body", text, text, tuple(range(len(text) + 1)), page, boxes, words
    )
