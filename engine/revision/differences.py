"""Word differences inside an edit: whole words, cleaned up to look like a person's markup."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from diff_match_patch import diff_match_patch
from rapidfuzz.distance import LCSseq

from engine.documents.records import Paragraph, Word
from engine.documents.turned import to_read, turns
from engine.revision.records import Edit, WordChange
from engine.revision.words import CITATION, NUMBER, SPACE, Token, tokens

ADDED = ("[+", "+]")
DELETED = ("[-", "-]")
"""The marks of the diff form (ARIES, section 5)."""

_OPERATIONS: dict[int, Literal["equal", "delete", "insert"]] = {0: "equal", -1: "delete", 1: "insert"}
_WORD_PLANES = ((0x4E00, 0x9FFF), (0x20000, 0x2A6DF))
_SIGN_PLANE = 0xE000


def word_changes(source_text: str, target_text: str) -> tuple[WordChange, ...]:
    """Returns the runs that lead from ``source_text`` to ``target_text``, in order, of whole words and signs.

    Source ranges of equal and deleted runs tile the source text, target ranges of equal and inserted runs the target
    text. Equal runs have the same content but may be typeset differently (white space, quotes, dashes, hyphens,
    ligatures, automatic numbers); their ``text`` is the target's. Minimal by the longest common subsequence, then
    cleaned up semantically by diff-match-patch, with each word as one character.
    """
    old, new = _units(source_text), _units(target_text)
    old, new = _unhyphened(old, new), _unhyphened(new, old)
    old_code, new_code = _encode(old, new)
    script: list[tuple[int, str]] = []
    for run in LCSseq.opcodes(old_code, new_code):
        if run.tag == "equal":
            script.append((0, old_code[run.src_start : run.src_end]))
        else:
            if run.src_end > run.src_start:
                script.append((-1, old_code[run.src_start : run.src_end]))
            if run.dest_end > run.dest_start:
                script.append((1, new_code[run.dest_start : run.dest_end]))
    cleaner = diff_match_patch()
    cleaner.diff_cleanupMerge(script)
    cleaner.diff_cleanupSemantic(script)
    return tuple(_changes(script, source_text, target_text, old, new))


def diff_form(changes: Sequence[WordChange]) -> str:
    """Returns the difference as one line of text: ``kept [- deleted -] [+ added +] kept``."""
    parts: list[str] = []
    for change in changes:
        text = " ".join(change.text.split())
        if not text:
            continue
        if change.operation == "equal":
            parts.append(text)
        else:
            opening, closing = ADDED if change.operation == "insert" else DELETED
            parts.append(f"{opening} {text} {closing}")
    return " ".join(parts)


def added_text(changes: Sequence[WordChange]) -> str:
    """Returns the inserted text, with one space between runs."""
    return _joined(changes, "insert")


def deleted_text(changes: Sequence[WordChange]) -> str:
    """Returns the deleted text, with one space between runs."""
    return _joined(changes, "delete")


def _joined(changes: Sequence[WordChange], operation: str) -> str:
    return " ".join(" ".join(c.text.split()) for c in changes if c.operation == operation and c.text.strip())


def _units(text: str) -> list[Token]:
    """Returns words and signs, each with the white space that follows it (the first one also with what precedes it)."""
    units: list[Token] = []
    lead = 0
    for token in tokens(text):
        if token.key != SPACE:
            units.append(token if units else Token(0, token.end, token.key))
        elif units:
            last = units[-1]
            units[-1] = Token(last.start, token.end, last.key)
        else:
            lead = token.end
    if not units and lead:
        units.append(Token(0, lead, SPACE))
    return units


def _unhyphened(units: list[Token], other: Sequence[Token]) -> list[Token]:
    """Returns the units with a word and its hyphen as one, if the ``other`` text has the word without the hyphen: it
    was dropped or kept where a line ended."""
    whole = {unit.key for unit in other}
    found: list[Token] = []
    for unit in units:
        if len(found) > 1 and found[-1].key == "-" and found[-2].end - found[-2].start == len(found[-2].key):
            joined = found[-2].key + unit.key
            if joined in whole and joined.isalpha() and found[-1].end - found[-1].start == 1:
                found[-2:] = [Token(found[-2].start, unit.end, joined)]
                continue
        found.append(unit)
    return found


def _encode(old: Sequence[Token], new: Sequence[Token]) -> tuple[str, str]:
    """Encodes both texts with one character per distinct key: letters for words, non-letters for punctuation.

    The semantic clean-up prefers run boundaries next to non-letters.
    """
    letters = (chr(code) for first, last in _WORD_PLANES for code in range(first, last + 1))
    code: dict[str, str] = {}
    signs = 0
    for unit in (*old, *new):
        if unit.key in code:
            continue
        if any(ch.isalnum() for ch in unit.key) or unit.key[:1] in (CITATION, NUMBER) or signs > 6000:
            code[unit.key] = next(letters)
        else:
            code[unit.key] = chr(_SIGN_PLANE + signs)
            signs += 1
    return "".join(code[unit.key] for unit in old), "".join(code[unit.key] for unit in new)


def _changes(
    script: Sequence[tuple[int, str]], source_text: str, target_text: str, old: Sequence[Token], new: Sequence[Token]
) -> Iterator[WordChange]:
    i = j = 0

    def place(units: Sequence[Token], at: int, text: str) -> int:
        return units[at].start if at < len(units) else len(text)

    for operation, run in script:
        i_end = i + len(run) if operation <= 0 else i
        j_end = j + len(run) if operation >= 0 else j
        source = (place(old, i, source_text), place(old, i_end, source_text))
        target = (place(new, j, target_text), place(new, j_end, target_text))
        text = source_text[slice(*source)] if operation < 0 else target_text[slice(*target)]
        yield WordChange(_OPERATIONS[operation], text, source, target)
        i, j = i_end, j_end


# --- Tables cell by cell: the positions of a table's cells on the page, and which of them changed ---------------------
# The text of an edit of tables has a line for each row and a tab between cells, instead of single spaces, so positions
# in it are also positions in the paragraphs.

_GAP = 0.6
"""Gaps between cells exceed this share of a line's height; gaps between words of a cell are smaller."""
_ALIKE = 0.5
"""Minimum share of equal cells for two rows to count as the same row."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A changed cell: ``row`` is the first cell of its row, ``column`` that of its column ("" if the rows differ in
    length). An empty ``old`` or ``new`` means that the cell is new or deleted."""

    row: str
    column: str
    old: str
    new: str

    @property
    def place(self) -> str:
        return f"{self.row}, {self.column}" if self.column and self.column != self.row else self.row


def laid_out(paragraph: Paragraph) -> str:
    """Returns the text of a table with a line for each row and a tab between cells, with its length unchanged."""
    text = list(paragraph.text)
    turn = turns(paragraph.words)
    for before, after in pairwise(w._replace(box=to_read(w.box, turn.get(w.box.page, 0))) for w in paragraph.words):
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
    """Returns the changed cells in an edit of a table, row by row; empty for other edits."""
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
    """Pairs rows by their first cell or by most of their cells; () stands for a missing partner."""
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
