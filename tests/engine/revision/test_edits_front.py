"""Front matter: edits of names and affiliations before the first running text are in the group "authors"."""

from __future__ import annotations

import pytest

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.edits import compare
from engine.revision.groups import may_answer

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


def test_another_address_is_no_formula() -> None:
    target = f"{BODY} All of it is at https://example.org/streets/"
    one = compare(_paper(("body", f"{target}Quiet_Count_X_2021.")), _paper(("body", f"{target}Quiet_Count_Town_2022.")))
    assert [edit.group for edit in one.edits] == ["text"]


def test_names_and_places_at_the_foot_of_the_first_page_are_authors() -> None:
    """Where a style sets them below the text, a line each, they are read as body."""
    lines = (
        "Ilse Marrowby, Teodor Quill",
        "École des Rues Calmes (ERC)",
        "We count them again.",
        "what is counted there",
    )
    target = _paper(("body", BODY), *(("body", line) for line in lines))
    groups = {name: edit.group for edit in compare(target[:1], target).edits for name in edit.target_ids}
    assert groups == {"p1": "authors", "p2": "authors", "p3": "text", "p4": "text"}


ENTRY = "[3] I. Marrowby and T. Quill. How quiet streets are counted. Journal of Streets, 4(1):1-17, 2019."


@pytest.mark.parametrize(
    ("kind", "old", "new", "group", "answers"),
    [
        ("body", BODY, BODY.replace("one week", "two weeks"), "text", True),
        ("body", BODY + " It is so [1].", BODY + " It is so [1, 2].", "references", True),
        ("body", f"{BODY} It is so.", f"{BODY} It is so (see Figures 2 and 3, Section 4).", "references", True),
        ("body", f"{BODY} It is so.", f"{BODY} It is so and seen in Figure 2.", "text", True),
        ("reference", "", ENTRY, "references", False),
        ("body", "", ENTRY, "references", False),
        ("caption", BODY, BODY.replace("one", "two"), "captions", True),
        ("body", "Figure 2: Streets.", "Figure 2: Streets and mills.", "captions", True),
        ("body", "", f"Notes: {BODY}", "captions", True),
        ("body", "", f"a Counted by Mill; b By hand. {BODY}", "captions", True),
        ("footnote", "", f"bThe second count. {BODY}", "captions", True),
        ("body", "", f"Note that {BODY}", "text", True),
        ("body", f"{BODY} Where x + y = z.", f"{BODY} Where x + y2 = z.", "mathematics", True),
        ("body", f"{BODY} Where x + y = z.", f"{BODY} Where x i + y i = z.", "mathematics", True),
        ("body", BODY, BODY.replace("one week", "week 12"), "text", True),
        ("code", "def count(street): return 12", "def count(street): return 14", "code", True),
        ("other", "counters 1 24.2 14.3 2 23.8 12.8 3 24.2", "counters 1 24.2 14.3 2 23.8 12.8 3 24.9", "tables", True),
        ("footnote", "", "© 2019 Copyright held by the owner.", "other", False),
    ],
)  # fmt: skip
def test_the_group_of_an_edit(kind: ParagraphKind, old: str, new: str, group: str, answers: bool) -> None:
    source, target = (_paper(("body", BODY), ("body", BODY[::-1]), (kind, text)) for text in (old, new))
    (edit,) = compare(source, target).edits
    assert (edit.group, may_answer(edit)) == (group, answers)
