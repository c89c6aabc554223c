"""Where a counted list of references ends, by the labels of its blocks."""

from __future__ import annotations

from itertools import count

import pytest

from engine.documents.bibliography import mark_references
from engine.documents.grouping import Block
from engine.documents.page_text import Line, Token
from engine.documents.records import ParagraphKind

HEIGHT = 12.0


def blocks(*texts: tuple[ParagraphKind, int, list[str]]) -> list[Block]:
    """Blocks of kind, page and lines, each line under the last one."""
    made = []
    for (kind, page, lines), top in zip(texts, count(step=8 * HEIGHT), strict=False):
        found = []
        for at, line in enumerate(lines):
            y, size = top + HEIGHT * at, 12.0 if kind == "heading" else 9.0
            words = [
                Token(word, 72.0 + 40 * n, y - 8, 110.0 + 40 * n, y + 2, y, size, "Serif", kind == "heading", False, ())
                for n, word in enumerate(line.split())
            ]
            found.append(Line(page, words, left=72.0, right=540.0))
        made.append(Block(found, kind=kind, level=int(kind == "heading")))
    return made


def entry(number: int) -> str:
    return f"[{number}] B. Author, A study, {2000 + number}."


@pytest.mark.parametrize("title", ["References", "REFERENCES REFERENCES"])
def test_entries_read_as_one_block_do_not_end_the_list(title: str) -> None:
    parts = blocks(
        ("heading", 1, [title]),
        *[("body", 1, [entry(number)]) for number in range(1, 7)],
        ("body", 2, ["of the rivers, 2004.", *map(entry, range(7, 15))]),
        ("body", 3, [entry(15)]),
    )
    read = mark_references(parts)
    assert [block.kind for block in read][1:] == ["reference"] * (len(read) - 1)


def test_a_table_that_stands_within_a_list_is_no_part_of_an_entry() -> None:
    parts = blocks(
        ("heading", 1, ["References"]),
        *[("body", 1, [entry(number)]) for number in range(1, 5)],
        ("table", 2, ["Upper 31.4 12.0", "Lower 29.8 9.5"]),
        *[("body", 2, [entry(number)]) for number in range(5, 9)],
    )
    read = mark_references(parts)
    assert sorted(block.kind for block in read) == ["heading", *["reference"] * 8, "table"]


NAMES = ["Abel, K., & Quill, T.", "Brook, A. B.", "Cañas-Rey, M.", "—.", "Dorn, E., Fry, L., et al.", "Elm, S. T.",
         "Frost, W.", "Gale, O."]  # fmt: skip


@pytest.mark.parametrize(("entries", "kind"), [(8, "reference"), (7, "body")])
def test_a_list_by_names_needs_no_title(entries: int, kind: str) -> None:
    parts = blocks(
        ("body", 1, ["We count the streets of the town, as Abel, K. did in 2010."]),
        *[("body", 1, [f"{name} {2000 + at}, A Study of Streets, 12, 31"]) for at, name in enumerate(NAMES[:entries])],
    )
    read = mark_references(parts)
    assert [block.kind for block in read] == ["body", *[kind] * entries]
    undated = blocks(*[("body", 1, [f"{name} A Study of Streets"]) for name in NAMES])
    assert {block.kind for block in mark_references(undated)} == {"body"}


def test_a_supplement_longer_than_a_short_list_ends_it() -> None:
    """The headings look like the running text, whose lines outnumber those of the entries."""
    text = ["We count the streets of the town and the mills at the river"] * 9
    parts = blocks(
        ("body", 1, text),
        ("heading", 1, ["REFERENCES"]),
        *[("body", 1, [entry(number)]) for number in range(1, 5)],
        ("heading", 2, ["SUPPLEMENT"]),
        ("body", 2, text),
    )
    for block in parts:
        if block.kind == "heading" or block.first.text == text[0]:
            for word in (word for line in block.lines for word in line.tokens):
                word.size, word.bold = 11.0, False
    assert [block.kind for block in mark_references(parts)] == [
        "body",
        "heading",
        *["reference"] * 4,
        "heading",
        "body",
    ]


def test_the_size_of_small_capitals_is_that_of_their_capitals() -> None:
    (part,) = blocks(("body", 1, ["SUPPLEMENT B: START PROBABILITIES OF PULSES"]))
    assert part.first.size == 9.0
    for word in part.first.tokens[:2]:
        word.size = 11.0
    assert Line(1, part.first.tokens).size == 11.0
    part.first.tokens[-1].text = "pulses"
    assert Line(1, part.first.tokens).size == 9.0
