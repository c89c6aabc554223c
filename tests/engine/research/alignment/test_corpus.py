"""Annotated revisions in the layout of ARIES: indices through the back matter, unknown negatives, what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadInput
from engine.research.alignment.corpus import read_papers


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def make_corpus(root: Path, labels: list[dict[str, Any]], name: str = "edit_labels.jsonl") -> Path:
    """One paper: edit 0 changes a paragraph, 1 is new, 2 touches the back matter, 3 is a pair of equal paragraphs."""
    (root / "s2orc").mkdir(parents=True)
    for pdf, body, back in (
        ("old", ["First.", "Second stays."], ["Thanks."]),
        ("new", ["First, changed.", "Wholly new.", "Second stays."], ["Thanks to all."]),
    ):
        parse = {
            "body_text": [{"text": text, "section": "Methods"} for text in body],
            "back_matter": [{"text": text, "section": "Acknowledgements"} for text in back],
        }
        (root / "s2orc" / f"{pdf}.json").write_text(json.dumps({"paper_id": pdf, "pdf_parse": parse}), "utf-8")
    edits = [
        {"edit_id": 0, "source_idxs": [0], "target_idxs": [0]},
        {"edit_id": 1, "source_idxs": [], "target_idxs": [1]},
        {"edit_id": 2, "source_idxs": [2], "target_idxs": [3]},
        {"edit_id": 3, "source_idxs": [1], "target_idxs": [2]},
    ]
    write_lines(
        root / "paper_edits.jsonl",
        [
            {"doc_id": "doc", "source_pdf_id": "old", "target_pdf_id": "new", "edits": edits},
            {"doc_id": "unlabelled", "source_pdf_id": "old", "target_pdf_id": "new", "edits": []},
        ],
    )
    write_lines(
        root / "review_comments.jsonl",
        [
            {
                "doc_id": "doc",
                "comment_id": n,
                "comment": f"Comment {n}.",
                "comment_context": "All.",
                "response": "Yes.",
            }
            for n in range(3)
        ],
    )
    write_lines(root / name, labels)
    return root


LABELS = [
    {"doc_id": "doc", "comment_id": 0, "positive_edits": [0], "negative_edits": [1], "unsure_edits": [2]},
    {"doc_id": "doc", "comment_id": 1, "positive_edits": [1, 2], "negative_edits": []},
    {"doc_id": "doc", "comment_id": 2, "positive_edits": [], "negative_edits": [], "state": "response_only"},
    {"doc_id": "doc", "comment_id": 9, "positive_edits": [0], "negative_edits": []},
]


@pytest.mark.parametrize("inside", ["", "revisions"])
def test_a_paper_is_read_with_what_is_known_of_it(inside: str, tmp_path: Path) -> None:
    make_corpus(tmp_path / inside, LABELS)
    (paper,) = read_papers(tmp_path)
    assert (paper.id, [c.edit_id for c in paper.candidates]) == ("doc", ["0", "1", "2"])
    assert [c.section for c in paper.candidates] == ["Methods", "Methods", "Acknowledgements"]
    assert paper.candidates[2].added == "to all" and paper.sources == (("S0",), (), ("S2",))
    assert [one.edit_id for one in paper.whole if not one.unchanged] == ["0", "1", "2"]
    assert paper.additions.tolist() == [False, True, False] and paper.short.all()
    assert [q.comment_id for q in paper.queries] == ["0", "1", "2"] and paper.queries[0].response == "Yes."
    assert paper.gold.tolist() == [[True, False, False], [False, True, True], [False, False, False]]
    # Unsure pairs, and pairs of a comment of which only positives are known, are left out.
    assert paper.known.tolist() == [[True, True, False], [False, True, True], [True, True, True]]


def test_other_files_of_labels_can_be_named_and_the_letter_is_read(tmp_path: Path) -> None:
    make_corpus(tmp_path, LABELS[:1], "edit_labels_dev.jsonl")
    with pytest.raises(BadInput, match="no labels"):
        read_papers(tmp_path)
    (tmp_path / "doc").mkdir()
    (tmp_path / "doc" / "response_letter.md").write_text("Dear editor,", encoding="utf-8")
    (paper,) = read_papers(tmp_path, "edit_labels_dev.jsonl")
    assert len(paper.queries) == 1 and paper.letter == "Dear editor,"


def test_what_is_missing_or_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no annotated revisions"):
        read_papers(tmp_path)
    root = make_corpus(tmp_path, LABELS)
    (root / "s2orc" / "new.json").rename(root / "s2orc" / "away.json")
    with pytest.raises(BadInput, match=r"paper new is missing"):
        read_papers(root)
    (root / "s2orc" / "away.json").rename(root / "s2orc" / "new.json")
    beyond = {"edit_id": 7, "source_idxs": [], "target_idxs": [4]}
    write_lines(
        root / "paper_edits.jsonl",
        [{"doc_id": "doc", "source_pdf_id": "old", "target_pdf_id": "new", "edits": [beyond]}],
    )
    with pytest.raises(BadInput, match="names paragraph 4, but new has 4"):
        read_papers(root)
