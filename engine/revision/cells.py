"""Tables cell by cell: where the cells of a table are on its page, and which of them changed.

The text of an edit of tables has a line for each row and a tab between cells, in place of single spaces, so that
places in it are places in the paragraphs as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.records import Paragraph, Word
from engine.revision.records import Edit

_GAP = 0.6
"""Cells are further apart than this share of a line's height; words within a cell are nearer."""
_ALIKE = 0.5
"""Least share of equal cells of two rows that are one row in both versions."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell that is not what it was: ``row`` is what its row begins with, ``column`` what its column does ("" where
    the rows are not of one length). An empty ``old`` or ``new``: the cell is new, or gone.
    """

    row: str
    column: str
    old: str
    new: str

    @property
    def place(self) -> str:
        """Row and column in words."""
        return f"{self.row}, {self.column}" if self.column and self.column != self.row else self.row


def laid_out(paragraph: Paragraph) -> str:
    """The text of a table with a line for each row and a tab between cells; as long as the text."""
    text = list(paragraph.text)
    for before, after in pairwise(paragraph.words):
        if after.start == before.end + 1 and text[before.end].isspace():
            text[before.end] = "\n" if _below(before, after) else "\t" if _apart(before, after) else " "
    return "".join(text)


def _below(before: Word, after: Word) -> bool:
    one, other = before.box, after.box
    middle = (other.y0 + other.y1) / 2
    return one.page != other.page or not one.y0 <= middle <= one.y1


def _apart(before: Word, after: Word) -> bool:
    one, other = before.box, after.box
    return not 0 <= other.x0 - one.x1 <= _GAP * max(one.y1 - one.y0, other.y1 - other.y0)


def cell_changes(edit: Edit) -> tuple[CellChange, ...]:
    """The cells that changed in an edit of a table, row by row; empty for other edits."""
    if edit.group != "tables":
        return ()
    old, new = (
        [row for line in text.split("\n") if any(row := tuple(cell.strip() for cell in line.split("\t")))]
        for text in (edit.source_text, edit.target_text)
    )
    names = (new or old)[0] if new or old else ()
    found: list[CellChange] = []
    for before, after in _pairs(old, new):
        name = (after or before)[0]
        for at in range(max(len(before), len(after))):
            was, now = (row[at] if at < len(row) else "" for row in (before, after))
            if was != now:
                whole = len(names) == max(len(before), len(after)) and (after or before) != names
                found.append(CellChange(name, names[at] if whole else "", was, now))
    return tuple(found)


def _pairs(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Rows that are one row, by what they begin with or by most of their cells; () where a row has no partner."""
    from rapidfuzz.distance import LCSseq

    left = list(range(len(old)))
    partner: dict[int, int] = {}
    for run in LCSseq.opcodes(old, new):
        if run.tag == "equal":
            for i, j in zip(range(run.src_start, run.src_end), range(run.dest_start, run.dest_end), strict=True):
                partner[j] = i
                left.remove(i)
    for j, row in enumerate(new):
        if j in partner:
            continue
        scores = [
            ((row[0] == old[i][0]) + (Counter(row) & Counter(old[i])).total() / max(len(row), len(old[i])), -i)
            for i in left
        ]
        if scores and max(scores)[0] >= _ALIKE:
            partner[j] = -max(scores)[1]
            left.remove(partner[j])
    gone = [(old[i], ()) for i in left]
    return [(old[partner[j]] if j in partner else (), row) for j, row in enumerate(new)] + gone
