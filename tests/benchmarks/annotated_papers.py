"""All annotated revisions of the measuring data: the corpus in the layout of ARIES, and papers in other styles.

Each of the others has a folder with ``gold_edits.jsonl``, ``review_comments.jsonl`` and ``edit_labels.jsonl``. Their
links were made by one language model, not by people.

Edits come from the papers' sources; the places that comments and responses name are found in the PDFs, and mapped to
the edits by the words that paragraphs share.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli.edits import read_pair
from engine.documents.records import ParsedDocument
from engine.research.alignment.corpus import read_papers
from engine.research.alignment.evaluation import AnnotatedPaper
from engine.revision.aligners.lexical import post_revision, pre_revision, runs
from engine.revision.candidates import candidate
from engine.revision.named_places import NamedEdits
from engine.revision.records import Edit, Query

RUN = 4
LEAST_SHARED = 0.3
"""Least share of the shorter paragraph's word runs in common for two paragraphs to be considered the same."""


def annotated_papers(data: Path, *, places: bool = True) -> tuple[AnnotatedPaper, ...]:
    """Returns the three manuscripts of ``revisions`` and, if available, the papers of ``links``."""
    folders = {path.parent.name: path.parent for path in sorted((data / "links").glob("*/*/edit_labels.jsonl"))}
    found = (*read_papers(data), *map(_paper, folders.values()))
    if not places:
        return found
    return tuple(_with_places(paper, folders.get(paper.id, data / "revisions" / paper.id)) for paper in found)


def _with_places(paper: AnnotatedPaper, folder: Path) -> AnnotatedPaper:
    old, new = read_pair(folder / "submitted.pdf", folder / "revised.pdf")
    before = _same(old, [pre_revision(edit) for edit in paper.candidates])
    after = _same(new, [post_revision(edit) if edit.added or edit.context else "" for edit in paper.candidates])
    edits = [
        Edit(edit.edit_id, "major", "edit", False, source, target, "", "", "", 0, 0)
        for edit, source, target in zip(paper.candidates, before, after, strict=True)
    ]
    named = NamedEdits(old, new, edits)
    return replace(
        paper,
        queries=tuple(
            replace(query, named=named.of_comment(query.comment), reply_named=named.of_reply(query.response))
            for query in paper.queries
        ),
    )


def _same(document: ParsedDocument, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Returns for each text the ids of the document's paragraphs that contain it or part of it."""
    own = [(paragraph.id, runs(paragraph.text, RUN)) for paragraph in document.paragraphs]
    found = []
    for text in texts:
        asked = runs(text, RUN)
        shared = Counter({key: len(asked & there) for key, there in own})
        sizes = {key: len(there) for key, there in own}
        enough = {key for key, n in shared.items() if n >= max(2, LEAST_SHARED * min(len(asked), sizes[key]))}
        found.append(tuple(key for key, _ in shared.most_common() if key in enough))
    return found


def _lines(path: Path) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _paper(folder: Path) -> AnnotatedPaper:
    """Reads the comments with requests, and all edits except pure moves."""
    edits = [edit for edit in _lines(folder / "gold_edits.jsonl") if edit["kind"] != "moved"]
    labels = {label["comment_id"]: label for label in _lines(folder / "edit_labels.jsonl")}
    asked = [comment for comment in _lines(folder / "review_comments.jsonl") if comment["asks"]]
    own = [labels[comment["comment_id"]] for comment in asked]
    return AnnotatedPaper(
        id=folder.name,
        queries=tuple(
            Query(c["comment_id"], c["comment"], c.get("comment_context") or "", c.get("response") or "") for c in asked
        ),
        candidates=tuple(candidate(_edit(edit)) for edit in edits),
        positives=tuple(frozenset(label["positive_edits"]) for label in own),
        unknown=tuple(frozenset(label["unsure_edits"]) | frozenset(label["moved_edits"]) for label in own),
        judged=(True,) * len(own),
        sources=tuple(tuple(edit["source_ids"]) for edit in edits),
    )


def _edit(record: Mapping[str, Any]) -> Edit:
    return Edit(
        id=record["edit_id"],
        kind=record["kind"],
        operation=record["op"],
        moved=record["moved"],
        source_ids=tuple(record["source_ids"]),
        target_ids=tuple(record["target_ids"]),
        source_text=record["source_text"],
        target_text=record["target_text"],
        section=record["target_section"] or record["source_section"] or "",
        tokens_removed=record["tokens_removed"],
        tokens_added=record["tokens_added"],
    )
