"""Reads annotated revisions in the layout of ARIES: edits, comments, labels, and parsed papers.

``paper_edits.jsonl``, ``review_comments.jsonl``, ``edit_labels.jsonl`` (or ``edit_labels_test.jsonl``) and ``s2orc/``
are in one folder or its subfolder ``revisions``. Paragraph indices count ``body_text`` and then ``back_matter``. Empty
``negative_edits`` mean that nothing is known about the other edits, unless the line states the comment's state. Pairs
of equal paragraphs, which ARIES lists among its edits, aren't candidates; models may read them as context.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import not_computed
from engine.exchange import aries
from engine.exchange.aries import S2orcDocument, check_places, read_version, root_of
from engine.exchange.encoding import file_in, read_bytes, read_text
from engine.exchange.jsontext import layout, text_of
from engine.research.alignment.evaluation import AnnotatedPaper
from engine.revision.candidates import candidate, stated, whole_paper
from engine.revision.records import Edit, Query

LETTER = "response_letter.md"
"""The authors' letter, in a folder named like the paper, if available."""
LABELS = ("edit_labels.jsonl", "edit_labels_test.jsonl")


def read_papers(folder: Path, labels: str | None = None) -> tuple[AnnotatedPaper, ...]:
    """Returns all papers of a folder with labelled comments, in the order of the edits file. ``labels`` is the name of
    a different label file (``edit_labels_dev.jsonl``). Raises BadInput if a file is missing or can't be read."""
    root = root_of(folder)
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


def _labels_file(root: Path, name: str | None) -> Path:
    for candidate_name in (name,) if name else LABELS:
        if (root / candidate_name).is_file():
            return root / candidate_name
    raise not_computed(f"There are no labels in {root} ({name or ' or '.join(LABELS)}).")


def _file(path: Path) -> aries.AriesFile:
    return aries.read_file(read_bytes(path), path.name)


def _paper(
    root: Path, paper: aries.PaperEdits, comments: Mapping[str, Mapping[str, Any]], labels: list[Mapping[str, Any]]
) -> AnnotatedPaper:
    source, target = (read_version(root, name) for name in (paper.source_pdf_id, paper.target_pdf_id))
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
    for mark, indices, document in (("S", edit.source_idxs, source), ("T", edit.target_idxs, target)):
        check_places(edit.edit_id, indices, document.paper_id, len(document.paragraphs))
        sides.append([(f"{mark}{document.paragraphs[at].index}", document.paragraphs[at].text) for at in indices])
    places = [target.paragraphs[at] for at in edit.target_idxs] or [source.paragraphs[at] for at in edit.source_idxs]
    old, new = sides
    return stated(edit.edit_id, old, new, places[0].section if places else "")
