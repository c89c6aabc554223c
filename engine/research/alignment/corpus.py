"""Annotated revisions on disk, in the layout of ARIES: edits, comments, labels, and parsed papers.

``paper_edits.jsonl``, ``review_comments.jsonl``, ``edit_labels.jsonl`` (or ``edit_labels_test.jsonl``) and ``s2orc/``
stand in one folder, or in its folder ``revisions``. Paragraph indices count ``body_text`` and then ``back_matter``.
Empty ``negative_edits`` mean that nothing is known of the other edits, unless the line says which state the comment is
in. Pairs of equal paragraphs, which ARIES lists among its edits, are no candidates; models may read them as context.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.exchange import aries
from engine.exchange.encoding import file_in, read_bytes, read_text
from engine.exchange.jsontext import layout, parse_json, text_of
from engine.research.alignment.evaluation import AnnotatedPaper
from engine.revision.candidates import candidate, whole_paper
from engine.revision.records import Edit, Query

LETTER = "response_letter.md"
"""In a folder named like the paper, where the authors' letter is available."""
LABELS = ("edit_labels.jsonl", "edit_labels_test.jsonl")


def read_papers(folder: Path, labels: str | None = None) -> tuple[AnnotatedPaper, ...]:
    """All papers of a folder that have labelled comments, in the order of the edits file.

    ``labels`` names another file of labels (``edit_labels_dev.jsonl``). Raises BadInput where a file is missing or
    cannot be read.
    """
    root = _root(folder)
    edits = aries.paper_edits(_file(root / "paper_edits.jsonl"))
    comments: dict[str, dict[str, Mapping[str, Any]]] = {}
    for record in _file(root / "review_comments.jsonl").records():
        with layout("A line of review_comments.jsonl", "a comment of ARIES"):
            comments.setdefault(text_of(record["doc_id"]), {})[text_of(record["comment_id"])] = record
    labelled: dict[str, list[Mapping[str, Any]]] = {}
    for record in _file(_labels_file(root, labels)).records():
        with layout("A line of the labels", "about a comment of ARIES"):
            labelled.setdefault(text_of(record["doc_id"]), []).append(record)
    found = []
    for paper in edits:
        if paper.doc_id in labelled:
            with layout(f"The paper {paper.doc_id}", "annotated as ARIES does"):
                found.append(_paper(root, paper, comments.get(paper.doc_id, {}), labelled[paper.doc_id]))
    return tuple(found)


def _root(folder: Path) -> Path:
    for place in (folder, folder / "revisions"):
        if (place / "paper_edits.jsonl").is_file():
            return place
    raise BadInput(
        f"There are no annotated revisions in {folder}.",
        "Nothing was computed.",
        "Give the folder that holds paper_edits.jsonl, review_comments.jsonl, edit_labels.jsonl and s2orc/.",
    )


def _labels_file(root: Path, name: str | None) -> Path:
    for candidate_name in (name,) if name else LABELS:
        if (root / candidate_name).is_file():
            return root / candidate_name
    raise BadInput(f"There are no labels in {root} ({name or ' or '.join(LABELS)}).", "Nothing was computed.")


def _file(path: Path) -> aries.AriesFile:
    return aries.read_file(read_bytes(path), path.name)


def _document(root: Path, pdf_id: str) -> S2orcDocument:
    path = file_in(root / "s2orc", f"{pdf_id}.json")
    if path is None:
        raise BadInput(
            f"The parsed paper {pdf_id[:80]} is missing.",
            "Nothing was computed.",
            "Extract s2orc.tar.gz beside the other files.",
        )
    return read_s2orc(read_text(path).text, path.name)


def _paper(
    root: Path,
    paper: aries.PaperEdits,
    comments: Mapping[str, Mapping[str, Any]],
    labels: list[Mapping[str, Any]],
) -> AnnotatedPaper:
    source, target = (_document(root, name) for name in (paper.source_pdf_id, paper.target_pdf_id))
    edits = [made for edit in paper.edits if (made := _edit(edit, source, target)).source_text != made.target_text]
    candidates = tuple(map(candidate, edits))
    kept = [label for label in labels if text_of(label["comment_id"]) in comments]
    asked = [comments[text_of(label["comment_id"])] for label in kept]
    return AnnotatedPaper(
        id=paper.doc_id,
        queries=tuple(map(_query, asked)),
        candidates=candidates,
        positives=tuple(_ids(label, "positive_edits") for label in kept),
        unknown=tuple(_ids(label, "unsure_edits") for label in kept),
        judged=tuple(bool(label.get("negative_edits")) or bool(label.get("state")) for label in kept),
        directness=tuple(text_of(label.get("directness")) for label in kept),
        compliance=tuple(int(label.get("compliance") or 0) for label in kept),
        sources=tuple(edit.source_ids for edit in edits),
        paragraphs=tuple((f"S{p.index}", p.section, p.text) for p in source.paragraphs),
        whole=whole_paper(edits, ((f"T{p.index}", p.section, p.text) for p in target.paragraphs)),
        letter=_letter(root, paper.doc_id),
    )


def _query(comment: Mapping[str, Any]) -> Query:
    key, words, context = (text_of(comment.get(name)) for name in ("comment_id", "comment", "comment_context"))
    return Query(key, words, context, text_of(comment.get("response")))


def _letter(root: Path, doc_id: str) -> str:
    path = file_in(root, LETTER, folder=doc_id)
    return read_text(path, empty=True).text if path is not None else ""


def _ids(label: Mapping[str, Any], field: str) -> frozenset[str]:
    return frozenset(map(text_of, label.get(field) or ()))


def _edit(edit: aries.AriesEdit, source: S2orcDocument, target: S2orcDocument) -> Edit:
    sides = []
    for indices, document in ((edit.source_idxs, source), (edit.target_idxs, target)):
        beyond = [at for at in indices if not 0 <= at < len(document.paragraphs)]
        if beyond:
            raise BadInput(
                f"Edit {edit.edit_id} names paragraph {beyond[0]}, but {document.paper_id} has "
                f"{len(document.paragraphs)}.",
                "Nothing was computed.",
                "Check that edits and parsed papers belong together.",
            )
        sides.append([document.paragraphs[at] for at in indices])
    old, new = sides
    return Edit(
        id=edit.edit_id,
        kind="added" if not old else "deleted" if not new else "major",
        operation="add" if not old else "delete" if not new else "edit",
        moved=False,
        source_ids=tuple(f"S{p.index}" for p in old),
        target_ids=tuple(f"T{p.index}" for p in new),
        source_text="\n".join(p.text for p in old),
        target_text="\n".join(p.text for p in new),
        section=(new or old)[0].section if new or old else "",
        tokens_removed=0,
        tokens_added=0,
    )


# --- parsed papers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class S2orcParagraph:
    """A paragraph; ``index`` from 0 runs on from the body through the back matter, as edit indices do."""

    index: int
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class S2orcDocument:
    """A parsed paper."""

    paper_id: str
    paragraphs: tuple[S2orcParagraph, ...]


def read_s2orc(text: str, name: str) -> S2orcDocument:
    """A paper from S2ORC JSON, with its parse at the top or under ``pdf_parse``. Raises BadInput for other JSON."""
    record = parse_json(text, name)
    parse = record.get("pdf_parse", record) if isinstance(record, dict) else None
    if not isinstance(parse, dict) or not isinstance(parse.get("body_text"), list):
        raise BadInput(f"{name} is no S2ORC parse: it has no body_text.", "Nothing was imported.")
    paragraphs: list[S2orcParagraph] = []
    for key in ("body_text", "back_matter"):
        found = parse.get(key) or []
        if not isinstance(found, list):
            raise BadInput(f"{name} has no list of paragraphs in {key}.", "Nothing was imported.", "Export it again.")
        for entry in found:
            if not isinstance(entry, dict):
                raise BadInput(
                    f"{name} has a paragraph in {key} that is no object.", "Nothing was imported.", "Export it again."
                )
            section, words = text_of(entry.get("section")), text_of(entry.get("text"))
            paragraphs.append(S2orcParagraph(len(paragraphs), section, words))
    return S2orcDocument(text_of(record.get("paper_id") or parse.get("paper_id")), tuple(paragraphs))
