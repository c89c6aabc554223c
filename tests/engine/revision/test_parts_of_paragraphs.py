"""Lists and joined paragraphs are compared in parts: what did not change in them is no edit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.edits import compare
from engine.revision.parts import parts_of
from tests.engine.revision.test_edits import A, B, C, D, paper, prose, words_of

ITEMS = ["the bicycles that passed the bridge at noon", "the carts that stood before the old mill all day",
         "the boats that came in with the morning tide", "the horses that were led to the market square"]  # fmt: skip


def numbered(items: list[str], close: str = ".") -> str:
    return " ".join(f"{at}{close} {item}" for at, item in enumerate(items, start=1))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (numbered(ITEMS), 4),
        ("We count these: " + numbered(ITEMS, ")"), 5),
        ("• one kind of street • another kind of street • no street", 3),
        ("We saw (1) no cart, (2) two boats, and (3) a horse.", 1),
        ("It weighs 3. Then 5. and 6. follow the 2. of May.", 1),
        ("By (1) and (2) it follows that (3) holds.", 1),
        ("In 1. and 2. we said so.", 1),
    ],
)
def test_items_of_a_list_are_parts(text: str, parts: int) -> None:
    (paragraph,) = paper("s", text)
    found = parts_of([paragraph], raised=False)
    assert len(found) == parts
    assert " ".join(part.text for part in found) == text
    placed = [(word, start) for part in found for word, start in zip(part.words, part.places, strict=True)]
    assert all(text.startswith(word, start) for word, start in placed if word.isalpha())


def test_one_changed_item_is_one_edit_of_that_item() -> None:
    changed = [*ITEMS[:2], "the ferries that came in with the evening tide", ITEMS[3]]
    (edit,) = compare(paper("s", A, numbered(ITEMS, ")")), paper("t", A, numbered(changed))).edits
    assert (edit.source_text, edit.target_text) == (f"3) {ITEMS[2]}", f"3. {changed[2]}")
    assert (edit.source_ids, edit.target_ids) == (("s1",), ("t1",))


def test_new_items_of_a_list_are_added_one_by_one() -> None:
    diff = compare(paper("s", A, numbered(ITEMS[:2])), paper("t", A, numbered(ITEMS)))
    assert [(edit.kind, edit.target_text) for edit in diff.edits] == [
        ("added", f"3. {ITEMS[2]}"),
        ("added", f"4. {ITEMS[3]}"),
    ]


def test_paragraphs_joined_in_one_version_are_edited_apart() -> None:
    new = B.replace(B.split()[5], "entirely other words than those")
    diff = compare(paper("s", A, B, C, D), paper("t", f"{A} {new} {C}", D))
    (edit,) = diff.edits
    assert (edit.source_ids, edit.source_text, edit.target_text) == (("s1",), B, new)
    assert (("s3",), ("t1",)) in diff.unchanged
    assert not any("s1" in old for old, _ in diff.unchanged)


def test_of_two_paragraphs_joined_in_one_version_the_one_that_changed_is_edited() -> None:
    new = B.replace(B.split()[5], "entirely other words than those")
    (edit,) = compare(paper("s", A, B, D), paper("t", f"{A} {new}", D)).edits
    assert (edit.source_ids, edit.source_text, edit.target_text) == (("s1",), B, new)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(3, 14).flatmap(lambda by: st.sampled_from([by, -by])), min_size=1, max_size=4),
    st.none() | st.integers(0, 79),
)
def test_where_paragraphs_end_is_no_edit_and_a_word_that_changed_among_them_is_one(
    shifts: list[int], changed: int | None
) -> None:
    size = len(words_of(A))
    old = [word for seed in range(len(shifts) + 1) for word in words_of(prose(900 + seed))]
    new = ["barrows" if at == changed else word for at, word in enumerate(old)]
    ends = [size * at + by for at, by in enumerate(shifts, start=1)]
    source, target = (
        paper(side, *(" ".join(words[a:b]) for a, b in pairwise([0, *at, len(words)])))
        for side, words, at in (("s", old, [size * n for n in range(1, len(shifts) + 1)]), ("t", new, ends))
    )
    edits = compare(source, target).edits
    assert [(edit.tokens_removed, edit.tokens_added) for edit in edits] == [(1, 1)] * (changed is not None)
    assert all("barrows" in edit.target_text for edit in edits)


def test_a_split_whose_parts_all_changed_is_one_edit() -> None:
    first, second = prose(31), prose(32)
    new = [text.replace(text.split()[7], "quite another word") for text in (first, second)]
    (edit,) = compare(paper("s", A, f"{first} {second}"), paper("t", A, *new)).edits
    assert (edit.operation, edit.target_ids) == ("split", ("t1", "t2"))


def footnoted(number: int, kind: ParagraphKind = "footnote") -> list[Paragraph]:
    return paper("p", A.removesuffix(".") + f"{number}.", (kind, f"{number}{B.capitalize()}"))


def test_renumbered_footnotes_are_no_edit() -> None:
    assert compare(footnoted(2), footnoted(3)).edits == ()
    (mark,) = compare(footnoted(2, "body"), footnoted(3, "body")).edits
    assert mark.source_ids == ("p0",)


def test_a_footnote_on_the_page_where_the_paragraph_ends() -> None:
    def turned(number: int) -> list[Paragraph]:
        body, note = footnoted(number)
        return [body, replace(note, page=2)]

    assert compare(turned(2), turned(3)).edits == ()


@pytest.mark.parametrize(
    ("heading", "text", "edits"),
    [
        ("5.2 The old mill", f"1) The old mill: {B}", 0),
        ("Example 2. The old mill", f"Example 3. The old mill Carts {B}", 0),
        ("The old mill", "The old mill", 0),
        ("The old mill", "The old mill stands", 1),
        ("Mill", f"Mill {B}", 1),
        ("Mill", f"Mill. {B}", 0),
    ],
)
def test_a_heading_that_one_version_runs_in_is_no_edit(heading: str, text: str, edits: int) -> None:
    body = [text[text.index("Carts") :] if "Carts" in text else B] if text.endswith(B) else []
    old = [*paper("s", A), replace(*paper("h", heading), kind="heading"), *paper("b", *body), *paper("r", C, D)]
    new = paper("t", A, text, C, D)
    assert len(compare(old, new).edits) == len(compare(new, old).edits) == edits


def test_a_title_that_one_version_has_among_its_authors_is_no_edit() -> None:
    heading, other = (replace(*paper("h", "The old mill"), kind=kind) for kind in ("heading", "other"))
    assert compare([heading, *paper("s", A)], [other, *paper("t", A)]).edits == ()


def test_words_that_both_versions_begin_with_are_no_heading_of_one() -> None:
    heading = replace(*paper("h", "The old mill"), kind="heading")
    text = f"The old mill. {B}"
    diff = compare([*paper("s", A), heading, *paper("b", text, C)], paper("t", A, text, C))
    assert diff.edits == ()


def test_the_number_of_a_footnote_that_one_version_has_as_text_is_no_edit() -> None:
    (note,) = paper("n", f"4We counted the carts. {C}")
    assert compare([*paper("s", A, B), replace(note, kind="footnote")], [*paper("t", A, B), note]).edits == ()
