"""Whether a table supports a statement about it: its cells are looked up and compared, never guessed.

A statement is read in terms of the table's labels and numbers (``table_words``) and taken as one of: a superlative, a
comparison, a difference, a count, a range, a trend, a bound, a value. What does not fit leaves it
undecided. Pure and without a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

from engine.documents.references import find_references
from engine.documents.tables import Cell, Table
from engine.statements.grids import Layout, TableGrid, grid_of, lay_out
from engine.statements.table_cells import Clause, Finding, Kind
from engine.statements.table_comparing import against_rivals, alone, comparison, difference, superlative, trend
from engine.statements.table_counting import bound, count, instead, range_, value
from engine.statements.table_phrases import (
    COMPARES,
    ELSEWHERE,
    EXCEPT,
    LIST,
    ROWS,
    SECOND,
    comparison_in,
    extreme_in,
    label_words,
    squeezed,
)
from engine.statements.table_words import Mention, Reading, plainly, read
from engine.statements.verdicts import Verdict

# --- A clause that says several things of one subject, each as a clause of its own: all of them must hold -------------

_STEP = "|".join(words for _, words in COMPARES)
_VERB = (
    r"(?:(?:does|do|did|is|are|was|were) not |cannot |fails? to )?(?:[a-z]+ly )?"
    r"(?:outperform\w*|underperform\w*|surpass\w*|beats?|exceed\w*|improv\w+|achiev\w+|obtain\w*|gets?|got|reach\w*|yields?"
    r"|gives?|shows?|has|have|had|is|are|was|were|performs?|increases?|decreases?|reduces?|lowers?|raises?|lags?|falls?)"
)
_PARTS_JOIN = re.compile(
    rf",? (?:and|but|yet|,)(?: (?:also|still|even|only|then|thus|instead|is|are))* (?={_VERB}\b"
    rf"|(?:an? )?(?:[a-z]+ly )?(?:{_STEP})\b[^,]*\b(?:than|to)\b)"
    r"|,? (?:which|that) (?:is|was|are|were) (?=(?:[a-z]+ ){0,2}N\d+ [a-z %]*\b(?:than|over)\b)"
    r"|, (?=(?:[a-z]+ ){0,2}N\d+ (?:\w+ )?(?:points? |% )?(?:more|less|higher|lower|better|worse)\b)"
)
"""Where a further thing is said of the subject of what comes before."""
CONTINUES = re.compile(
    rf"(?:(?:also|still|even|only|then|thus|is|are) )*(?:{_VERB}\b|(?:an? )?(?:[a-z]+ly )?(?:{_STEP})\b)", re.IGNORECASE
)
"""What goes on to speak of the subject of the words before it."""
_FIRST_VERB = re.compile(rf" (?={_VERB}\b)")


def parts_of(reading: Reading, rows: int) -> list[Reading]:
    """The things that a clause says of its subject, the subject before each and the other side of a comparison behind
    each that lacks one."""
    text, verb = reading.text, _FIRST_VERB.search(reading.text)
    if verb is None or not re.search(r"\bM\d", text[: verb.start()]):
        return [reading]
    subject = text[: verb.start()]
    pieces: list[str] = []
    last = 0
    for found in _PARTS_JOIN.finditer(text, verb.end()):
        before, after = text[last : found.start()], text[found.end() :]
        said = comparison_in(before) or re.search(r"\bN\d", before)
        if not said or not comparison_in(after):
            continue
        if "N" not in after and not re.search(r"\bM\d", after):
            continue
        pieces.append(before if not pieces else f"{subject} {before}")
        last = found.end()
    if not pieces:
        return [reading]
    rest = text[last:]
    pieces.append(f"{subject} {rest}" if _FIRST_VERB.match(f" {rest}") else f"{subject} is {rest}")
    other = next(filter(None, (_second(piece) for piece in reversed(pieces))), "")
    whole = [
        piece if _second(piece) or re.search(r"\bN\d", piece) else f"{piece.rstrip(' .,')} {other} ."
        for piece in pieces
    ]
    if len({_across(reading, rows, piece) for piece in whole}) > 1:
        return [reading]  # "worse than A but better than B on C": whether C is meant for both is open
    return [_only(reading, plainly(piece)) for piece in whole]


def _across(reading: Reading, rows: int, piece: str) -> bool:
    """Whether a piece says in which columns its rows are compared, or in which rows its columns."""
    axes = [reading.mentions[int(n)].dimension < rows for n in re.findall(r"\bM(\d+)", piece)]
    return len(set(axes)) > 1


def _second(text: str) -> str:
    """What a text compares with, from the word before it."""
    found = SECOND.search(text)
    listed = re.compile(LIST).match(text, found.end()) if found else None
    return text[found.start() : listed.end()] if found and listed else ""


_OURS = re.compile(
    r"\b(?:our|the proposed|the authors '|the author ' s)(?: (?:proposed|own|final|full|new|[a-z]+ed))*"
    r" (?:model|method|system|approach|algorithm|network|framework)\b(?! M\d)(?! [a-z]+ model)"
)


def with_own(reading: Reading, layout: Layout) -> Reading:
    """A clause with "our model" as the last row where most of what is bold is in that row, and where no row is called
    ours: tables mostly have the own method last and the best cells bold."""
    found = _OURS.search(reading.text)
    bold = [e for e in layout.entries if e.bold]
    last = max((e.row for e in layout.entries), default=0)
    own = [e for e in layout.entries if e.row == last]
    if found is None or len(bold) < 2 or 2 * sum(e.row == last for e in bold) <= len(bold):
        return reading
    mention = Mention(0, frozenset({own[0].labels[0]}), 0, 0, exact=False)
    text = f"{reading.text[: found.start()]}M{len(reading.mentions)}{reading.text[found.end() :]}"
    return replace(reading, text=plainly(text), mentions=(*reading.mentions, mention))


def _only(reading: Reading, text: str) -> Reading:
    """A reading of a part of its text: the numbers are those in it."""
    numbers = [n for n in range(len(reading.numbers)) if re.search(rf"\bN{n}\b", text)]
    for new, old in enumerate(numbers):
        text = re.sub(rf"\bN{old}\b", f"N{new}", text)
    return replace(
        reading,
        text=text,
        numbers=tuple(reading.numbers[n] for n in numbers),
        units=tuple(reading.units[n] for n in numbers),
    )


# Rows and columns that a clause names by several labels at once ("Freeway m1d0", "trained on A and tested on B").

_JOIN = " / "


def compounded(reading: Reading, layout: Layout) -> tuple[Reading, Layout]:
    """A clause and its table with labels that together name a row (or a column) as one label.

    They do where the clause says the same labels of several ("A x is better than B y") or speaks of rows.
    """
    for axis in (range(layout.rows), range(layout.rows, len(layout.names))):
        chunks = _chunks(reading, axis)
        if chunks:
            reading, layout = _joined(reading, layout, chunks)
    return reading, layout


def named_whole(statement: str, layout: Layout) -> Layout:
    """The table with the labels of each row as one where a statement names a row by all of several, or by the first
    ones, as they are written there; and those of each column where it names one by all of several headings."""
    said = squeezed(statement)
    paths = {e.column: " ".join(filter(None, e.labels[layout.rows :])) for e in layout.entries}
    if any(name.count(" ") and _written(name, statement) for name in paths.values()):
        filled = [""] * (len(layout.names) - layout.rows - 1)
        joined = (replace(e, labels=(*e.labels[: layout.rows], *filled, paths[e.column])) for e in layout.entries)
        layout = replace(layout, entries=tuple(joined), _labels={})
    for size in range(max(map(len, layout.beside.values()), default=0), 1, -1):
        names = {n: " ".join(filter(None, labels[:size])) for n, labels in layout.beside.items()}
        if any(layout.beside[n][size - 1] and name.count(" ") and squeezed(name) in said for n, name in names.items()):
            others = [""] * (layout.rows - 3)
            entries = (replace(e, labels=(names[e.row], *others, *e.labels[layout.rows - 2 :])) for e in layout.entries)
            return replace(layout, entries=tuple(entries), _labels={})
    return layout


def _written(name: str, statement: str) -> bool:
    """Whether a statement has a name as it is, apart from the kinds of its signs and case."""
    own, said = (" ".join(map(squeezed, text.split())) for text in (name, statement))
    return bool(re.search(rf"(?<!\w){re.escape(own)}(?!\w)", said))


def _chunks(reading: Reading, axis: range) -> list[tuple[int, ...]]:
    """The mentions of one axis by what they name, where each is named in the same dimensions, several of them."""
    found = [(n, reading.mentions[n]) for n in map(int, re.findall(r"\bM(\d+)\b", reading.text))]
    own = [(n, m.dimension) for n, m in found if m.dimension in axis]
    kinds = [d for _, d in own]
    size = len(set(kinds))
    if size < 2 or len(own) % size or len({*kinds[:size]}) < size or kinds != kinds[:size] * (len(own) // size):
        return []
    if (
        len(own) == size
        and not ROWS.search(reading.text)
        and f"M{' M'.join(str(n) for n, _ in own)}" not in reading.text
    ):
        return []
    chunks = [tuple(n for n, _ in own[at : at + size]) for at in range(0, len(own), size)]
    return chunks if all(_adjacent(reading.text, chunk) for chunk in chunks) else []


def _between(first: int, second: int) -> str:
    return rf"\bM{first}\b([^MN]*?)\bM{second}\b"


def _adjacent(text: str, chunk: Sequence[int]) -> bool:
    """Whether nothing that compares is between the mentions of a chunk."""
    found = [re.search(_between(a, b), text) for a, b in pairwise(chunk)]
    return all(f and not comparison_in(f[1]) and not extreme_in(f[1]) for f in found)


def _joined(reading: Reading, layout: Layout, chunks: Sequence[Sequence[int]]) -> tuple[Reading, Layout]:
    mentions, text = [*reading.mentions], reading.text
    dimensions = sorted(mentions[n].dimension for n in chunks[0])
    first, others = dimensions[0], dimensions[1:]
    for chunk in chunks:
        own = sorted((mentions[n] for n in chunk), key=lambda m: m.dimension)
        labels = frozenset(map(_JOIN.join, product(*(m.labels for m in own))))
        mentions[chunk[0]] = Mention(
            first, labels, own[0].start, own[-1].end, all(m.exact for m in own), min(m.share for m in own)
        )
        for a, b in pairwise(chunk):
            text = re.sub(_between(chunk[0], b) if a != chunk[0] else _between(a, b), f"M{chunk[0]}", text)
    entries = tuple(replace(e, labels=tuple(_labels(e.labels, first, others))) for e in layout.entries)
    return replace(reading, mentions=tuple(mentions), text=plainly(text)), replace(layout, entries=entries, _labels={})


def _labels(labels: Sequence[str], first: int, others: Sequence[int]) -> Iterator[str]:
    for n, label in enumerate(labels):
        if n == first:
            yield _JOIN.join((label, *(labels[k] for k in others)))
        else:
            yield "" if n in others else label


# --- What a table says to a clause: the first rule that fits it -------------------------------------------------------


def says_nothing(clause: Clause) -> bool:
    """Whether a clause only says what is looked at: nothing in it compares or counts."""
    return not (clause.numbers or comparison_in(clause.text) or extreme_in(clause.text) or clause.vague())


def finding_of(clause: Clause) -> Finding | None:
    """What the table says to a clause; None where no part of it was understood."""
    if ELSEWHERE.search(clause.text):
        return None
    if (match := EXCEPT.search(clause.text)) and (left_out := clause.listed(match.end("but") + 1)):
        return _with_exceptions(clause, match, left_out)
    for rule in RULES if clause.mentions else (count,):
        found = rule(clause)
        if found is not None:
            found = _with_numbers(clause, found)
            # "BERT" may stand for the row "BERT + tagger" beside a row "BERT".
            if found.holds is False and any((other := rule(c)) and other.holds for c in _longer(clause)):
                return replace(found, holds=None)
            return found
    return None


def _with_exceptions(clause: Clause, found: re.Match[str], left_out: Sequence[Mention]) -> Finding | None:
    """ "A is better than B on all but X and Y": it holds for the others, and not for these."""
    dimension, labels = left_out[0].dimension, frozenset[str]().union(*(m.labels for m in left_out))
    rest = clause.text[found.end() :]

    def of(chosen: Callable[[str], bool], text: str) -> Finding | None:
        entries = tuple(e for e in clause.layout.entries if chosen(e.labels[dimension]))
        layout = replace(clause.layout, entries=entries, _labels={})
        return finding_of(Clause(layout, replace(clause.reading, text=text + rest)))

    others = of(lambda label: label not in labels, clause.text[: found.end("all")])
    these = [of(label.__eq__, clause.text[: found.start()]) for label in labels]
    open_ = re.search(r"[MN]\d", rest) or any(one is None or one.holds for one in these)
    return replace(others, holds=None) if others and others.holds and open_ else others


def _longer(clause: Clause) -> Iterator[Clause]:
    """The clause with a label replaced by one that begins with it and isn't named by itself."""
    named = frozenset[str]().union(*(m.labels for m in clause.reading.mentions if m.exact))
    for n, mention in enumerate(clause.reading.mentions):
        for label in mention.labels if mention.exact else ():
            words = label_words(label)
            for other in clause.layout.labels(mention.dimension):
                if (
                    other not in named
                    and label_words(other)[: len(words)] == words
                    and len(label_words(other)) > len(words)
                ):
                    mentions = [*clause.reading.mentions]
                    mentions[n] = replace(mention, labels=frozenset({other}))
                    yield Clause(clause.layout, replace(clause.reading, mentions=tuple(mentions)))


def _with_numbers(clause: Clause, found: Finding) -> Finding:
    """Numbers that the rule did not account for must be in the cells of what is named."""
    cells = clause.where(*clause.mentions)
    left = [n for n in range(len(clause.numbers)) if n not in found.used]
    wrong = [n for n in left if not any(clause.says(n, e) for e in cells)]
    if found.holds is not True or not wrong:
        return found
    sure = len(cells) == 1 and len(left) == 1 and clause.says(wrong[0], cells[0]) is False
    if sure and clause.role(wrong[0]) == "value" and not clause.reading.unknown:
        return replace(found, holds=False, entries=cells, why=instead(clause, wrong[0], cells[0]))
    return replace(found, holds=None)


RULES: tuple[Callable[[Clause], Finding | None], ...] = (
    range_,
    count,
    trend,
    difference,
    superlative,
    bound,
    comparison,
    against_rivals,
    alone,
    value,
)
"""In the order in which they are tried: what asks for more comes first."""


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
