"""Front matter: edits of names and affiliations before the first running text are in the group "authors"."""

from __future__ import annotations

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.edits import compare

BODY = "We count bicycles for one week on each street and ask how well the week speaks for the year."


def _paper(*parts: tuple[ParagraphKind, str]) -> list[Paragraph]:
    return [
        Paragraph(f"p{at}", at, "", kind, text, text, tuple(range(len(text) + 1)), 1, ())
        for at, (kind, text) in enumerate(parts)
    ]


def test_affiliations_are_a_group_of_their_own_and_later_footnotes_are_text() -> None:
    source = _paper(("heading", "A title"), ("other", "Ilse Marrowby, Institute for Quiet Streets"), ("body", BODY))
    target = _paper(
        ("heading", "A title"),
        ("other", "Ilse Marrowby, Department of Applied Counting, and Teodor Quill"),
        ("footnote", "Corresponding author: the first of those who are named above."),
        ("body", BODY),
        ("footnote", "A footnote that the reviewers asked for, on how the streets were drawn."),
    )
    diff = compare(source, target)
    groups = {name: edit.group for edit in diff.edits for name in edit.target_ids}
    assert groups == {"p1": "authors", "p2": "authors", "p4": "text"}
