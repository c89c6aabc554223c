"""Decides whether a table supports a statement about it: its cells are looked up and compared, never guessed.

A statement is read in terms of the table's labels and numbers (``table_words``) and classified as a superlative, a
comparison, a difference, a count, a range, a trend, a bound or a value. Anything else stays undecided. Pure and without
a model.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, permutations

from engine.documents.references import find_references
from engine.documents.tables import Cell, Table
from engine.statements.grids import Layout, TableGrid, grid_of, lay_out
from engine.statements.measures import foreign_measure
from engine.statements.quantities import quantities_in
from engine.statements.table_cells import Clause, Finding, Kind
from engine.statements.table_comparing import against_rivals, alone, comparison, difference, differs, superlative
from engine.statements.table_compounds import compounded, named_whole
from engine.statements.table_conditions import qualified, restricted
from engine.statements.table_counting import bound, chosen_rows, count, instead, range_, value
from engine.statements.table_doubts import doubt_of, trusted
from engine.statements.table_extremes import compared_with_all, singled_out
from engine.statements.table_forms import has_other_form, of_spread
from engine.statements.table_frames import core_of, untitled, without_title
from engine.statements.table_mentions import Mention
from engine.statements.table_orders import ordered, tied
from engine.statements.table_pairs import two_cells
from engine.statements.table_parts import MEANING, against_other, clauses_of, continued, only, parts_of, with_own
from engine.statements.table_phrases import (
    COMPARES,
    COUNTED,
    ELSEWHERE,
    EXCEPT,
    EXTREMES,
    comparison_in,
    extreme_in,
    label_words,
    stated,
    statistics_in,
)
from engine.statements.table_quantifiers import quantified
from engine.statements.table_trends import along, changed, trend
from engine.statements.table_values import TENS, stated_values
from engine.statements.table_verbs import VERBS
from engine.statements.table_words import Reading, read
from engine.statements.verdicts import DECIDED, Verdict

# --- the finding for a clause: by the first rule that applies ---------------------------------------------------------


def says_nothing(clause: Clause) -> bool:
    """Returns whether a clause only says what is considered, without comparing or counting."""
    return not (clause.numbers or comparison_in(clause.text) or extreme_in(clause.text) or clause.vague())


def finding_of(clause: Clause) -> Finding | None:
    """Returns the table's finding for a clause; None if no part of it was understood."""
    if ELSEWHERE.search(clause.text):
        return None
    if (chosen_ := chosen_rows(clause)) is not None:
        return finding_of(chosen_)
    if (match := EXCEPT.search(clause.text)) and (left_out := clause.listed(match.end("but") + 1)):
        return _with_exceptions(clause, match, left_out)
    if (match := _AGAINST.search(clause.text)) and (apart := _each_number(clause, match, ("a", "b"))):
        found = finding_of(apart)
        if found and found.holds is False and (turned := _each_number(clause, match, ("b", "a"))):
            sides = [int(n) for n in re.findall(r"\bM(\d+)\b", clause.text)]
            # If the sentence was put the other way round, either order may be meant.
            other = finding_of(turned) if sides != sorted(sides) else None
            found = replace(found, holds=None) if other and other.holds else found
        return found
    own = [m for m in _NUMBERED.finditer(clause.text) if clause.numbers[int(m[2])].text[:1] not in "+-−–"]
    if own and (comparison_in(clause.text) or extreme_in(clause.text)):
        return _numbered(clause, own)
    for rule in RULES if clause.mentions else (count,):
        found = rule(clause)
        if found is not None:
            found = _doubted(clause, _with_numbers(clause, found))
            qualified = found.holds and found.kind == "value" and _QUALIFIED.search(clause.text)
            tens = any(n.value % 10 == 0 for n in clause.numbers) and TENS.search(clause.text)
            if qualified or (
                found.holds is False and (tens or "close to N" in clause.text) and "rounded" not in clause.text
            ):  # how close is open
                found = replace(found, holds=None)
            # "BERT" may stand for the row "BERT + tagger" next to a row "BERT".
            if found.holds is None and rule not in (two_cells, value) and (other := two_cells(clause)):
                return _doubted(clause, other)
            if (found.kind in ("superlative", "comparison", "difference") or _NONE_MEETS.search(clause.text)) and (
                other := singled_out(clause)
            ):
                agreed = found.holds is None or other.holds in (None, found.holds)
                other = found if other.holds is None else other
                return _doubted(clause, other) if agreed else replace(found, holds=None)
            return found
    return None


def _doubted(clause: Clause, found: Finding) -> Finding:
    """Leaves open what compares two rows of one name, as in a table that was read badly, and what says "median" of a
    mean."""
    rows = clause.layout.rows
    cells = found.entries[:2]
    same = found.kind != "value" and any(
        e.labels == other.labels and e.row != other.row for e in cells for other in clause.layout.entries
    )
    said = statistics_in(clause.text)
    other = any((there := statistics_in(" ".join(e.labels[rows:]))) and said and not said & there for e in cells)
    bare = found.kind != "value" and any(not any(e.labels[rows:]) for e in cells)
    several = found.holds and found.kind == "superlative" and _TWO_FIRSTS.search(clause.text)  # of two measures
    every = found.holds and re.search(r"\b(?:both|all|each|every)(?: the)? M(\d+)(?! (?:,|and))", clause.text)
    part = every and not (m := clause.reading.mentions[int(every[1])]).exact and len(m.labels) == 1  # "both judges"
    return (
        replace(found, holds=None) if found.holds is not None and (same or other or bare or part or several) else found
    )


_FIRST = "|".join(words for _, words in EXTREMES)
_TWO_FIRSTS = re.compile(rf"\b(?:{_FIRST})\b[^MN]*M\d[^N]*\band\b[^MN]*\b(?:{_FIRST})\b")
_NONE_MEETS = re.compile(
    r"\b(?:none|no|nothing)\b[^MN]* (?:match|meet|equal|rival|reach|approach)\w* (?:the [a-z ]*)?M\d"
)
_QUALIFIED = re.compile(
    r"\b(?:without|before|after(?! (?:[MN]?\d|rounding))|prior|fold|no|few|zero|fewe(?:r|st)|half|twice|double"
    r"|second|next|(?:re|pre-?|fine-?)(?:train|tun)(?:ed|ing))\b",
    re.IGNORECASE,
)
"""Words that select another row than the one with the number, if no label contains them: "without counters"."""


_NUMBERED = re.compile(r"\bM(\d+) \( N(\d+) (?:(?:%|points?) )?\)")


_AGAINST = re.compile(
    r" (?:\(|,) (?:(?P<before>M\d+) (?:of )?)?(?P<a>N\d+) (?:vs \.|vs|versus|against|compared (?:to|with)) (?P<b>N\d+)"
    r"(?: (?P<after>M\d+))?(?: \)|(?= ?[.,]|$))"
)


def _each_number(clause: Clause, found: re.Match[str], order: tuple[str, str]) -> Clause | None:
    """Returns "A is better than B (72.1 vs. 70.3)" as "A (72.1) is better than B (70.3)"."""
    text = clause.text.replace(found[0], "", 1)
    numbered = [(n, m.dimension) for n, m in enumerate(clause.reading.mentions) if re.search(rf"\bM{n}\b", text)]
    pair = next((p for d in clause.layout.dimensions if len(p := [n for n, own in numbered if own == d]) == 2), None)
    if pair is None:
        return None
    for n, number in zip(pair, found.group(*order), strict=True):
        text = re.sub(rf"\bM{n}\b", f"M{n} ( {number} )", text, count=1)
    measure = found["before"] or found["after"]
    return Clause(clause.layout, only(clause.reading, f"{text.rstrip(' .')} on {measure} ." if measure else text))


def _numbered(clause: Clause, own: Sequence[re.Match[str]]) -> Finding | None:
    """ "A (72.1) is better than B (70.3) on M": checks the clause without the numbers, each of which must be in a cell
    of the mention before it."""
    text = clause.text
    for match in own:
        text = text.replace(match[0], f"M{match[1]}")
    layout = clause.layout
    if all(m.dimension < layout.rows for m in clause.mentions):  # the numbers say which column is meant
        stated = (
            [e for e in clause.where(clause.reading.mentions[int(m[1])]) if clause.says(int(m[2]), e)] for m in own
        )
        columns = set.intersection(*({e.column for e in cells} for cells in stated))
        kept = tuple(e for e in layout.entries if e.column in columns)
        layout = replace(layout, entries=kept, _labels={}) if len(own) > 1 and len(columns) == 1 else layout
    found = finding_of(Clause(layout, only(clause.reading, text)))
    for match in own:
        mention, n = clause.reading.mentions[int(match[1])], int(match[2])
        cells = clause.where(mention, *(m for m in clause.mentions if m.dimension != mention.dimension))
        if found and found.holds and not any(clause.says(n, e) for e in cells):
            if len(cells) == 1 and clause.says(n, cells[0]) is False:
                return replace(found, holds=False, entries=cells, why=instead(clause, n, cells[0]))
            found = replace(found, holds=None)
    return found


def _with_exceptions(clause: Clause, found: re.Match[str], left_out: Sequence[Mention]) -> Finding | None:
    """ "A is better than B on all but X and Y": it must hold for the others, and not for these."""
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


def _with_numbers(clause: Clause, found: Finding) -> Finding:
    """Checks that numbers that the rule didn't account for are in the named cells."""
    cells = clause.where(*clause.mentions)
    left = [n for n in range(len(clause.numbers)) if n not in found.used]
    ends = [(a, b) for a, b in permutations(found.entries, 2) if a.row == b.row or a.column == b.column]
    given = {abs(q.value) for q, _ in quantities_in(clause.layout.caption)}
    counts = {len(clause.layout.labels(d)) for d in clause.layout.dimensions} | {len({e.row for e in cells})}
    left = [n for n in left if not (clause.numbers[n].value in counts and re.search(rf"{_AMONG} N{n}\b", clause.text))]
    left = [n for n in left if not any(clause.says(n, e) for e in cells)]
    left = [n for n in left if not any(differs(clause, n, a, b) for a, b in ends)]
    wrong = [n for n in left if abs(clause.numbers[n].value) not in given]
    whole = [n for n in left if not clause.numbers[n].decimals and not clause.numbers[n].percent]
    if found.holds is False and any(_WHERE.search(clause.text, 0, clause.at(n)) for n in whole):
        return replace(found, holds=None)  # "the largest group in 2021": which cells these are is unknown
    if found.holds is not True or not wrong:
        return found
    # A number from another column may only identify the row: "A at 300 K".
    row = [e for e in clause.layout.entries if e.row in {c.row for c in cells}]
    sure = len(cells) == len(wrong) == 1 and not any(clause.says(wrong[0], e) for e in row)
    if sure and stated(wrong[0], clause.text) and clause.role(wrong[0]) == "value" and not clause.reading.unknown:
        return replace(found, holds=False, entries=cells, why=instead(clause, wrong[0], cells[0]))
    return replace(found, holds=None)


_AMONG = r"\b(?:all|(?:among|of|across|out of)(?: (?:the|all|these))*)"
_WHERE = re.compile(r"\b(?:in|on|at|of|for|since|during|with|under)(?: the)? $")

RULES: tuple[Callable[[Clause], Finding | None], ...] = (
    ordered,
    tied,
    compared_with_all,
    range_,
    count,
    trend,
    along,
    changed,
    difference,
    superlative,
    bound,
    comparison,
    against_rivals,
    alone,
    two_cells,
    singled_out,
    value,
)
"""In the order in which they are tried, the most specific first."""

_COUNT = re.compile(
    rf"(?<!\bthe )(?<!\ball )(?<!er )\b(?:{'|'.join(COUNTED[1:])})\b(?!\W*$)(?! (?:(?:out )?of|has|had|have|shows?)\b)"
    r"(?! \w+s (?:have|are|exceed|reach|with|stay)\b)",
    re.IGNORECASE,
)
"""A number word, which may name a row: "with twelve counters"."""

GROUNDED = 0.5
"""Minimum share of a statement's content words that the table must contain for a decision."""

ONE_AXIS = 0.6
"""The minimum if only rows or only columns are named, since unknown words may name the other."""
SINGLED = 0.999
"""The share assumed at least if row and column identify the cells and the unknown words aren't names; less than 1,
which means that all words are known."""
UNNAMED = 0.75
"""The minimum if the statement doesn't say which table it is about."""


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """A table's judgement of a statement; ``cells`` are (row, column) of the deciding cells, ``why`` is a sentence.
    ``grounded`` is the share of the statement's content words that are in the table or its caption, 0 to 1."""

    verdict: Verdict
    why: str
    cells: tuple[tuple[int, int], ...] = ()
    kind: Kind | None = None
    grounded: float = 0.0
    whole: bool = True
    """Whether all labels that the statement names are named completely."""
    named: int = 0
    """The number of words that name labels."""


@dataclass(frozen=True, slots=True)
class FoundInTable:
    """A judgement with the table of a document and its cells."""

    judgement: TableJudgement
    table: Table
    cells: tuple[Cell, ...]


def judge_in_document(
    sentence: str, tables: Sequence[Table], about: Callable[[Table], str] = lambda _table: ""
) -> FoundInTable | None:
    """Judges a sentence by the tables that it names ("Table 2"); if it names none, by any table that contains all its
    names. None if there is none. ``about`` returns what the text says about a table.

    If several tables apply, a contradiction takes precedence among named ones, and support among others.
    """
    named = {r.own_number.upper().rstrip(".") for r in find_references(sentence) if r.kind == "table"}
    if not named and not _DECIDABLE.search(sentence):
        return None
    found: list[FoundInTable] = []
    for table in tables:
        if table.number.upper() in named or not named:
            grid, cells = grid_of(table, about(table))
            judgement = judge(sentence, grid)
            if judgement.verdict in DECIDED and (why := doubt_of(table, [column for _, column in judgement.cells])):
                judgement = replace(judgement, verdict="place found", why=why)
            shown = tuple(cells[place] for place in judgement.cells if place in cells)
            found.append(FoundInTable(judgement, table, shown))
    if named:
        order: tuple[Verdict, ...] = ("supported", "place found", "not found", "not checked", "contradicted")
        meant: dict[str, FoundInTable] = {}  # tables with one number are parts of it, or one is in an appendix
        for one in sorted(found, key=lambda f: (not f.table.rows, order.index(f.judgement.verdict))):
            meant.setdefault(one.table.number.upper(), one)
        result = next(
            (f for f in meant.values() if f.judgement.verdict == "contradicted"), next(iter(meant.values()), None)
        )
        return (_in_another(sentence, result, tables) if len(meant) == 1 else None) or result
    sure = [f for f in found if f.judgement.verdict in DECIDED and f.judgement.grounded >= UNNAMED]
    # A table with more of its words may be meant.
    closest = max((f.judgement.named for f in found), default=0)
    denying = [f for f in sure if f.judgement.verdict == "contradicted"]
    denying = [f for f in denying if not any(_is_closer(g.judgement, f.judgement) for g in found)]
    sure = [f for f in sure if f.judgement.named == closest or f in denying]
    given = ("value", "difference", "range")
    partly = [f for f in sure if f.judgement.verdict == "supported" and f.judgement.kind in given]
    sure = [f for f in sure if f.judgement.whole] or sure
    most = max((f.judgement.grounded for f in sure), default=0.0)
    sure = [f for f in sure if f.judgement.grounded == most]
    open_ = [f.judgement for f in found if f.judgement.verdict == "place found" and f.judgement.grounded == 1]
    open_ = [j for j in open_ if not any(_is_closer(f.judgement, j) for f in sure)]
    held = [f for f in sure if f.judgement.verdict == "supported"] or partly
    # A comparison without a number may be true of one table and false of another.
    exact = re.search(r"\d\.\d", sentence) or (held and held[0].judgement.kind in given)
    agreed = len(held) in (0, len(sure)) or exact
    denied = [f for f in sure if most >= SINGLED and f.judgement.kind not in {j.kind for j in open_}]
    return next(iter(held or denied), None) if agreed else None


def _is_closer(one: TableJudgement, other: TableJudgement) -> bool:
    """Returns whether a statement shares more names with one table than with another, and no fewer other words."""
    return one.named > other.named and one.grounded >= other.grounded


def _in_another(sentence: str, named: FoundInTable | None, tables: Sequence[Table]) -> FoundInTable | None:
    """Returns a contradiction if the table that a sentence names has nothing of the row whose number it gives, and just
    one other table has this number in the row and column."""
    if named is None or named.judgement.verdict in DECIDED or not named.table.rows or doubt_of(named.table):
        return None
    own, held = named.judgement, list[FoundInTable]()
    for table in (t for t in trusted(tables) if t.number != named.table.number):
        grid, cells = grid_of(table)
        found = judge(sentence, grid)
        if found.verdict == "supported" and found.kind == "value" and found.whole and found.grounded == 1:
            held.append(FoundInTable(found, table, tuple(cells[at] for at in found.cells if at in cells)))
    if len(held) != 1 or own.named >= held[0].judgement.named or own.grounded == 1:
        return None
    numbers = {cell.number for row in named.table.rows for cell in row.cells} - {None}
    if not numbers or any(cell.number in numbers for cell in held[0].cells):
        return None  # its labels may have been misread
    why = held[0].judgement.why.replace("The table", f"Table {held[0].table.number}", 1)
    why = f"Table {named.table.number} doesn't have this. {why}"
    return replace(held[0], judgement=replace(held[0].judgement, verdict="contradicted", why=why))


def judge(statement: str, table: TableGrid) -> TableJudgement:
    """Judges a statement by one table. If it names a measure and the table names only others, it stays undecided."""
    layout = lay_out(table)
    spread = of_spread(statement, layout)
    found = _judged(*(spread or (statement, layout)))
    if found.verdict in DECIDED and spread is None:
        return replace(found, verdict="place found", why=f"{found.why} Its spread wasn't compared.")
    written = " ".join([table.caption, *chain.from_iterable((*table.columns, *table.rows))])
    if found.verdict in DECIDED and (measure := foreign_measure(statement, written)):
        return replace(found, verdict="place found", why=f"{found.why} The table doesn't say that it is {measure}.")
    return found


def _judged(statement: str, layout: Layout) -> TableJudgement:
    statement, words_named = untitled(statement, layout)
    doubted = _DOUBTED.search(statement) is not None
    statement, framed = core_of(statement, layout)
    words_named += framed
    layout = named_whole(statement, layout)
    if not doubted and (at_once := quantified(statement, layout)) is not None:
        return _at_once(*at_once, layout, words_named)
    if any(label.isdigit() for entry in layout.entries for label in entry.labels):
        statement = _COUNT.sub(lambda number: str(COUNTED.index(number[0].lower())), statement)
    if not layout.entries:
        return TableJudgement("not checked", "The numbers in the table couldn't be read.")
    given = None if doubted else stated_values(MEANING.sub("", statement), layout)
    if given and given[0].holds is not None and not (given[0].holds and MEANING.search(statement)):
        stated_, own = given
        words = own.known + len(own.unknown) + len(own.beside)
        share = own.known / words if own.names or (own.unknown and words) else 1.0
        return TableJudgement(
            "supported" if stated_.holds else "contradicted",
            stated_.why,
            _places([stated_], layout),
            stated_.kind,
            share if own.names else max(share, SINGLED),
            all(m.exact for m in own.mentions),
            words_named + sum(m.end - m.start for m in own.mentions),
        )
    names = {label_words(label) for d in layout.dimensions for label in layout.labels(d)} - {()}
    statement = without_title(statement, names)
    found: list[Finding] = []
    unsure = has_other_form(statement) or (given is not None and not given[0].entries)
    open_ = given is not None or unsure
    wrong: Finding | None = None
    before: Reading | None = None
    whole, share, silent, count, open_axis, unknown = True, 1.0, 0, 0, False, ""
    for clause in () if doubted else clauses_of(statement, layout):
        reading = before = continued(read(clause, layout), before, layout.rows)
        words = reading.known + len(reading.unknown) + len(reading.beside)
        own = against_other(with_own(reading, layout), layout)
        axes = {mention.dimension < layout.rows for mention in own.mentions}
        own_share, one_axis = reading.known / words if words else 1.0, bool(reading.unknown and len(axes) < 2)
        whole = whole and all(mention.exact for mention in reading.mentions)
        words_named += sum(mention.end - mention.start for mention in reading.mentions)
        open_axis = open_axis or one_axis
        unknown = unknown or next(iter(reading.unknown), "")
        for readings in parts_of(own, layout.rows):
            count += 1
            clauses = [Clause(within, joined) for joined, within in (compounded(part, layout) for part in readings)]
            read_clause, finding = clauses[0], finding_of(clauses[0])
            if finding is not None and any(
                (x := finding_of(c)) is None or x.holds != finding.holds for c in clauses[1:]
            ):
                finding = replace(finding, holds=None)
            guessed = own is not reading and not own.mentions[-1].exact
            if finding is not None and guessed and finding.holds is read_clause.negated():
                finding = replace(finding, holds=finding.holds or None)
            if finding is not None and finding.kind == "value" and open_ and (unsure or not finding.holds):
                finding = replace(finding, holds=None)  # ``stated_values`` knows better
            if finding is not None:
                if len(axes) == 2 and finding.holds is not None and not reading.names:
                    cells = {(e.row, e.column) for e in finding.entries}
                    own_share = max(own_share, SINGLED if len(cells) <= 2 and not _QUALIFIED.search(clause) else 0.0)
                found.append(finding)
                sure = own_share >= (ONE_AXIS if one_axis else GROUNDED)
                if finding.holds is False and sure and not (restricted(reading) or qualified(read_clause.reading)):
                    wrong = wrong or finding
            elif says_nothing(read_clause) and not reading.unknown:
                silent += 1
        share = min(share, own_share)
    if not found:
        why = "This statement about the table wasn't understood."
        return TableJudgement("not checked", why, grounded=share, named=words_named)
    enough = ONE_AXIS if open_axis else GROUNDED
    if wrong is not None:
        return TableJudgement(
            "contradicted", wrong.why, _places([wrong], layout), wrong.kind, share, whole, words_named
        )
    # A number in some cell is weaker evidence than cells that compare as a statement says.
    beyond = (share > enough or found[0].kind != "value") and not MEANING.search(statement)
    if len(found) + silent == count and all(f.holds for f in found) and share >= enough and beyond:
        return TableJudgement(
            "supported", found[0].why, _places(found, layout), found[0].kind, share, whole, words_named
        )
    doubt = f"it doesn't mention “{unknown}”" if unknown else "the exact comparison wasn't understood"
    why = f"The table contains what this refers to, but {doubt}."
    return TableJudgement("place found", why, _places(found, layout), found[0].kind, share, whole, words_named)


def _at_once(finding: Finding, reading: Reading, layout: Layout, words_named: int) -> TableJudgement:
    """Returns the judgement of a statement that was read as a whole."""
    verdict: Verdict = "place found" if finding.holds is None else "supported" if finding.holds else "contradicted"
    words = reading.known + len(reading.unknown) + len(reading.beside)
    share = (reading.known + len(reading.beside)) / words if words else 1.0
    whole = all(mention.exact for mention in reading.mentions)
    words_named += sum(mention.end - mention.start for mention in reading.mentions)
    return TableJudgement(verdict, finding.why, _places([finding], layout), finding.kind, share, whole, words_named)


_DOUBTED = re.compile(
    r"\bclaims? that\b.*\b(?:false|wrong|untrue|incorrect)\b"
    r"|\b(?:contradict|refut|disprov|challeng|undermin|rul\w* out|against)\w* (?:\w+ ){0,2}"
    r"(?:claims?|idea|notion|impression|assertion|view|conclusion|preference)\b"
    r"|\bnot (?:support|confirm|bear out|justify|warrant)\b"
    r"|^[^,;]*\b(?:doubt\w*|disagree\w*|nobody|den(?:y|ies|ied)|unclear|unsure|disput\w+|question\w*|wrong|false|untrue"
    r"|unlikely|refute\w*|not (?:true|clear|the case|sure|convinced))\b[^,;]{0,40}\b(?:that|whether|if)\b",
    re.IGNORECASE,
)


_DECIDABLE = re.compile(
    rf"\d|\b(?:{'|'.join(words for _, words in (*COMPARES, *EXTREMES))}|{'|'.join(' '.join(VERBS.values()).split())}"
    rf"|than|(?!(?:t|inter|requ|sugg|lat)est)\w+est|most|least|{'|'.join(COUNTED)}|half|twice|third|quarter|same|equal"
    r"|(?:doubl|tripl|compar|differ|identical|tie[sd]?|order|sort|rank)\w*|times|only|top|bottom)\b",
    re.IGNORECASE,
)
"""Words of which a sentence that a table could decide has at least one."""


def _places(found: Sequence[Finding], layout: Layout) -> tuple[tuple[int, int], ...]:
    return tuple(dict.fromkeys((e.row, layout.origin.get(e.column, e.column)) for f in found for e in f.entries))
