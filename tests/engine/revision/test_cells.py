"""A table that changed cell by cell is one edit that shows its cells."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.documents.records import Box, Paragraph, Word
from engine.revision.differences import CellChange, cell_changes, laid_out
from engine.revision.edits import compare
from engine.revision.parts import places

MILLS = (("Mill", "Days", "Carts a day"), ("Old mill", "12", "3.5"), ("New mill", "9", "4.25"), ("No mill", "0", "0.5"))


def table(rows: Sequence[Sequence[str]], name: str = "s0") -> Paragraph:
    """A table as a parser gives it: one line of text, and where its words are."""
    words: list[Word] = []
    text = ""
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            left = 100.0 * across
            for word in cell.split():
                start = len(text) + bool(text)
                text = f"{text} {word}".strip()
                box = Box(1, left, 20.0 * down, left + 5 * len(word), 20.0 * down + 10)
                words.append(Word(start, start + len(word), box))
                left = box.x1 + 3
    return Paragraph(name, 0, "Results", "table", text, text, (), 1, (), words=tuple(words))


def changed(*cells: tuple[int, int, str]) -> list[list[str]]:
    rows = [list(row) for row in MILLS]
    for down, across, text in cells:
        rows[down][across] = text
    return rows


def test_rows_and_cells_are_where_the_page_has_them() -> None:
    found = table(MILLS)
    assert laid_out(found) == "\n".join("\t".join(row) for row in MILLS)
    assert len(laid_out(found)) == len(found.text)


def test_a_table_is_one_edit_and_shows_its_cells() -> None:
    old, new = table(MILLS), table(changed((1, 1, "14"), (3, 2, "0.75 of one")), "t0")
    (edit,) = compare([old], [new]).edits
    assert edit.group == "tables"
    assert cell_changes(edit) == (
        CellChange("Old mill", "Days", "12", "14"),
        CellChange("No mill", "Carts a day", "0.5", "0.75 of one"),
    )
    assert [cell.place for cell in cell_changes(edit)] == ["Old mill, Days", "No mill, Carts a day"]
    stretches = places(edit.target_text, [new.text])
    for start, end, at, begins in stretches:
        assert at == 0 and new.text[begins : begins + end - start].split() == edit.target_text[start:end].split()


@pytest.mark.parametrize(
    ("rows", "cells"),
    [
        (MILLS[:3], [("No mill", "No mill", ""), ("No mill", "0", ""), ("No mill", "0.5", "")]),
        ((*MILLS[:1], *MILLS[2:], MILLS[1]), []),
        (changed((0, 1, "Weeks")), [("Mill", "Days", "Weeks")]),
    ],
)
def test_rows_that_go_move_or_head_the_table(rows: Sequence[Sequence[str]], cells: list[tuple[str, str, str]]) -> None:
    edits = compare([table(MILLS)], [table(rows, "t0")]).edits
    found = {(cell.row, cell.old, cell.new) for edit in edits for cell in cell_changes(edit)}
    assert found == set(cells)


def test_other_edits_have_no_cells() -> None:
    old, new = (
        Paragraph(f"s{at}", 0, "", "body", f"We counted {n} carts.", "", (), 1, ()) for at, n in ((0, 12), (1, 14))
    )
    (edit,) = compare([old], [new]).edits
    assert cell_changes(edit) == ()
