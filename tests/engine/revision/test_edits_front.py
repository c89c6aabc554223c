"""Front matter is no edit: names and affiliations before the first running text are left out of the comparison."""

from __future__ import annotations

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.edits import compare

BODY = "We count bicycles for one week on each street and ask how well the week speaks for the year."


def _paper(*parts: tuple[ParagraphKind, str]) -> list[Paragraph]:
    return [
        Paragraph(f"p{at}", at, "", kind, text, text, tuple(range(len(text) + 1)), 1, ())
        for at, (kind, text) in enumerate(parts)
    ]


def test_affiliations_are_not_compared_but_later_footnotes_are() -> None:
    source = _paper(("heading", "A title"), ("other", "Ilse Marrowby, Institute for Quiet Streets"), ("body", BODY))
    target = _paper(
        ("heading", "A title"),
        ("other", "Ilse Marrowby, Department of Applied Counting, and Teodor Quill"),
        ("footnote", "Corresponding author: the first of those who are named above."),
        ("body", BODY),
        ("footnote", "A footnote that the reviewers asked for, on how the streets were drawn."),
    )
    diff = compare(source, target)
    assert [(edit.kind, edit.target_ids) for edit in diff.edits] == [("added", ("p4",))]
