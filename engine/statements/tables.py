"""Whether a table supports a statement about it: its cells are looked up and compared, never guessed.

A statement is read in terms of the table's labels and numbers (``table_words``) and taken as one of: a superlative, a
comparison, a difference, a count, a range, a trend, a bound, a value (``table_rules``). What does not fit leaves it
undecided. Pure and without a model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.documents.references import find_references
from engine.documents.tables import Cell, Table
from engine.statements.grids import Layout, TableGrid, grid_of, lay_out
from engine.statements.table_cells import Clause, Finding, Kind
from engine.statements.table_compounds import compounded, named_whole
from engine.statements.table_parts import CONTINUES, parts_of, with_own
from engine.statements.table_rules import finding_of, says_nothing
from engine.statements.table_words import read
from engine.statements.verdicts import Verdict

GROUNDED = 0.5
"""The share of a statement's words of content that the table must have before it is called either way."""

ONE_AXIS = 0.6
"""The same where it names rows alone or columns alone, so that the words that the table lacks may name the other."""
UNNAMED = 0.75
"""The same where the statement does not say which table it is about."""


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """What a table says to a statement; ``cells`` are (row, column) of the cells that decide it, ``why`` a sentence.

    ``grounded`` is the share of the statement's words of content that are in the table or its caption, 0 to 1.
    """

    verdict: Verdict
    why: str
    cells: tuple[tuple[int, int], ...] = ()
    kind: Kind | None = None
    grounded: float = 0.0
    whole: bool = True
    """Whether all labels of the table that the statement names are named whole."""


@dataclass(frozen=True, slots=True)
class FoundInTable:
    """A judgement with the table of a document and its cells."""

    judgement: TableJudgement
    table: Table
    cells: tuple[Cell, ...]


def judge_in_document(sentence: str, tables: Sequence[Table]) -> FoundInTable | None:
    """What the tables that a sentence names ("Table 2") say to it; where it names none, what any table says that has
    all its names; None where there is none such.

    Of several tables, one that contradicts outweighs others that are named, and one that supports others that are not.
    """
    named = {r.number.upper().rstrip(".") for r in find_references(sentence) if r.kind == "table"}
    if not named and not _DECIDABLE.search(sentence):
        return None
    found: list[FoundInTable] = []
    for table in tables:
        if table.number.upper() in named or not named:
            grid, cells = grid_of(table)
            judgement = judge(sentence, grid)
            shown = tuple(cells[place] for place in judgement.cells if place in cells)
            found.append(FoundInTable(judgement, table, shown))
    if named:
        order: tuple[Verdict, ...] = ("contradicted", "supported", "place found", "not found", "not checked")
        return min(found, key=lambda f: order.index(f.judgement.verdict), default=None)
    sure = [
        f for f in found if f.judgement.verdict in ("supported", "contradicted") and f.judgement.grounded >= UNNAMED
    ]
    sure = [f for f in sure if f.judgement.whole] or sure
    supported = [f for f in sure if f.judgement.verdict == "supported"]
    denied = sure if all(f.judgement.grounded == 1 for f in sure) else []
    return next(iter(supported or denied), None)


def judge(statement: str, table: TableGrid) -> TableJudgement:
    """Hold a statement against one table."""
    statement = _NOTE.sub("", statement)
    layout = named_whole(statement, lay_out(table))
    if not layout.entries:
        return TableJudgement("not checked", "The numbers in the table couldn't be read.")
    found: list[Finding] = []
    whole, share, silent, count, open_axis, unknown = True, 1.0, 0, 0, False, ""
    for clause in _clauses(statement, layout):
        reading = read(clause, layout)
        words = reading.known + len(reading.unknown)
        axes = {mention.dimension < layout.rows for mention in reading.mentions}
        open_axis = open_axis or bool(reading.unknown and len(axes) < 2)
        whole = whole and all(mention.exact for mention in reading.mentions)
        share = min(share, reading.known / words if words else 1.0)
        unknown = unknown or next(iter(reading.unknown), "")
        own = with_own(reading, layout)
        for part in parts_of(own, layout.rows):
            count += 1
            joined, within = compounded(part, layout)
            read_clause = Clause(within, joined)
            finding = finding_of(read_clause)
            if finding is not None and own is not reading and finding.holds is read_clause.negated():
                finding = replace(finding, holds=finding.holds or None)
            if finding is not None:
                found.append(finding)
            elif says_nothing(read_clause) and not reading.unknown:
                silent += 1
    if not found:
        return TableJudgement("not checked", "This statement about the table wasn't understood.", grounded=share)
    enough = ONE_AXIS if open_axis else GROUNDED
    wrong = next((f for f in found if f.holds is False), None)
    if wrong is not None and share >= enough:
        return TableJudgement("contradicted", wrong.why, _places([wrong]), wrong.kind, share, whole)
    # That a number is in a cell is less than that cells compare as a statement says.
    beyond = (share > enough or found[0].kind != "value") and not _MEANING.search(statement)
    if len(found) + silent == count and all(f.holds for f in found) and share >= enough and beyond:
        return TableJudgement("supported", found[0].why, _places(found), found[0].kind, share, whole)
    doubt = f"it doesn't mention “{unknown}”" if unknown else "the exact comparison wasn't understood"
    why = f"The table contains what this refers to, but {doubt}."
    return TableJudgement("place found", why, _places(found), found[0].kind, share)


_NOTE = re.compile(r"(?<=\w)[*∗†‡§¶]+(?=[\s,.])")
"""The mark of a note on a name, which labels are read without."""
_DECIDABLE = re.compile(
    r"\d|\b(?:all|every|no|none|never|only|than|over|\w+est|best|worst|most|least|\w*perform\w*|exceed\w*|beats?|surpass\w*"
    r"|increas\w*|decreas\w*|improv\w*|better|worse|higher|lower|larger|smaller|greater|above|below|drops?|falls?|rises?|lowers?|raises?|compar\w*|top|bottom)\b",
    re.IGNORECASE,
)
"""What a sentence has that a table could decide."""


def _places(found: Sequence[Finding]) -> tuple[tuple[int, int], ...]:
    return tuple(dict.fromkeys((e.row, e.column) for f in found for e in f.entries))


_CLAUSE = re.compile(
    r"\s*(?:;|(?<=\w):(?=\s)|(?<=[a-z)\]]\.)\d*\s+(?=(?-i:[A-Z]))|,?\s+(?:while|whereas)\b|,\s+(?:but|although|though)\b"
    r"|,\s+in particular,"
    r"|,\s+and\s+(?=the (?:high|low|best|worst|larg|small)\w*))\s*",
    re.IGNORECASE,
)
_MEANING = re.compile(
    r",?\s+(?:which (?:\w+ )?(?:shows?|indicates?|demonstrates?|suggests?|proves?|confirms?|highlights?|implies"
    r"|reveals?|means?)\b|(?:thus |thereby |therefore |clearly )?(?:showing|indicating|demonstrating|suggesting|proving"
    r"|confirming|highlighting|implying|revealing|meaning)\b|because\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""What a statement concludes from a table; the table does not say it."""
_RELATIVE = re.compile(
    r",\s+(?:an?|the|our)\s+[^,;]*\b(?:that(?! (?:of|on|in|for|under|with)\b)|which|who)\b[^,;]*(?=\.?$)", re.IGNORECASE
)
_ASIDE = re.compile(r"^(?:despite|in spite of|notwithstanding)\b[^,]*,\s*", re.IGNORECASE)


def _clauses(statement: str, layout: Layout) -> list[str]:
    body = _RELATIVE.sub("", _MEANING.sub("", statement))
    statement = _ASIDE.sub("", body if len(body.split()) > 5 else statement)
    labels = [label.casefold() for d in layout.dimensions for label in layout.labels(d)]
    parts, last = [], 0
    for match in _CLAUSE.finditer(statement):
        before, after = statement[last : match.start()], statement[match.end() :]
        # Two values, of which one leaves out what the other says; a short form ("Tab. 2", "Eval. With") is no end.
        elliptic = re.search(r"\w", match[0]) and re.search(r"\d", before) and re.search(r"\d", after)
        stopped = re.search(r"(\w+)\.\d*$", before)
        short = stopped and (len(stopped[1]) < 4 or any(f"{stopped[0]} {after[:3]}".casefold() in x for x in labels))
        # A label may have a colon: "M0: baseline".
        named = re.search(r"\S+$", before + match[0].strip() if match[0].strip() == ":" else "")
        short = short or (named and any(named[0].casefold() in x for x in labels))
        if not elliptic and not short and not (re.search(r"\bbut\b", match[0]) and CONTINUES.match(after)):
            parts.append(before)
            last = match.end()
    parts.append(statement[last:])
    return [part for part in parts if part and len(part.split()) > 2] or [statement]
