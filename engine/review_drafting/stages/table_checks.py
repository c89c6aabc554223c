"""Checks of a paper's tables: their spread, bold figures and totals.

Each yields something that a reader can look up, see ``pointers.py``.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from engine.review_drafting.reading import table_anchor
from engine.review_drafting.records import Check, PaperReading, TableReading
from engine.review_drafting.stages.pointers import MEASURE, finding
from engine.shown import listed
from engine.statements.grids import Entry, grid_of, lay_out
from engine.statements.table_doubts import trusted

_SPREAD = re.compile(
    r"±|˘ ?\d|\bstandard (?:deviations?|errors?)\b|\bstd\b|\bs\.?d\.|\bs\.?e\.m?\b|\bconfidence intervals?\b|\bcredible"
    r" intervals?\b"
    r"|\berror bars?\b|\bseeds?\b|\b(?:repeated|independent|multiple|different|several|three|five|ten|\d+)"
    r" (?:runs|trials|repetitions)\b|\baverag\w+ the (?:results|scores)\b"
    r"|\b(?:carried out|repeat\w*|replicat\w+|run|ran|performed|trained|averaged)\b[^.]{0,40} times\b"
    r"|\baverag\w+ (?:[\w-]+ ){0,3}(?:over|across|of) (?:[\w-]+ ){0,3}"
    r"(?:runs|seeds|trials|folds|splits|repetitions|iterations|samples)\b|\bmin\b(?! ?\().{0,40}\bmax\b"
    r"|\bbox[- ]?plots?\b|\bpercentiles?\b|\bmcnemar\b|\bposterior\b"
    r"|\bbootstrap\w*|\bp[- ]?values?\b|\bp ?[<=] ?\d?\.?\d|\bstatistical(?:ly)? significan|\bsignificantly different\b"
    r"|\b[tz][- ]tests?\b|\bhypothesis test(?:s|ing)?\b|\bwilcoxon\b|\banova\b|\binter-?quartile\b",
    re.IGNORECASE,
)


def variance(paper: PaperReading) -> Iterator[Check]:
    """Yields one question about tables of performance in a paper that never mentions a spread."""
    tables = [t for t in paper.tables if t.part not in ("data", "introduction") and _performance(t)]
    paragraphs = [p.text for p in paper.places.document.paragraphs if p.kind != "reference"]
    texts = [*(s.text for s in paper.sentences), *paragraphs]
    if not tables or any(map(_has_spread, tables)) or any(map(_SPREAD.search, texts)):
        return
    shown = tables[:3]
    give = "give" if len(shown) > 1 else "gives"
    words = (
        f"{listed([_named(table) for table in shown])} {give} no spread of the figures, and no standard deviation,"
        " interval or test of significance was found in the text."
    )
    anchors = map(table_anchor, shown)
    yield finding("no-variance", words, "Report how far these figures vary over runs, folds or samples.", *anchors)


_BEST = r"\b(?:best|highest|lowest|top|winners?|winning)\b"
_BEST_IN_BOLD = re.compile(
    rf"{_BEST}(?:(?!signific|baseline)[^.;]){{0,60}}\bbold|\bbold\w*\b(?:(?!signific|baseline)[^.;]){{0,60}}{_BEST}",
    re.IGNORECASE,
)


def bold_not_best(paper: PaperReading) -> Iterator[Check]:
    """Yields the one bold figure that is neither the largest nor the smallest of its column (or of its row), in a table
    whose caption says that the best is bold and whose other columns (or rows) follow that."""
    for table in trusted(paper.places.tables):
        entries = lay_out(grid_of(table)[0]).entries if _BEST_IN_BOLD.search(table.caption) else ()
        for line in ("column", "row"):
            lines: defaultdict[int, list[Entry]] = defaultdict(list)
            for entry in entries:
                lines[getattr(entry, line)].append(entry)
            bold = [(held, [e for e in held if e.bold]) for held in lines.values() if len(held) > 2]
            values = [[e.value for e in held] for held, _ in bold]
            wrong = [one[0] for (_, one), v in zip(bold, values, strict=True) if one and min(v) < one[0].value < max(v)]
            if len(wrong) == 1 and len(bold) > 2 and all(len(one) == 1 for _, one in bold):
                labels = ", ".join(filter(None, wrong[0].labels))
                words = f"Table {table.number} (p. {table.page}) sets {wrong[0].quantity.text} ({labels}) in bold"
                fix = f"Set the best figure of Table {table.number} bold, or say what bold means there."
                yield finding(
                    "bold-not-best", f"{words}, which isn't the best of its {line}.", fix, table_anchor(table)
                )
                break


def table_totals(paper: PaperReading) -> Iterator[Check]:
    """Yields the one figure in the last row or column, labelled as total or sum, that isn't the sum of the others, if
    at least one other is: a total may count once what several rows count."""
    for table in trusted(paper.places.tables):
        entries = lay_out(grid_of(table)[0]).entries
        below = [(e, e.row, e.column, e.labels[:1]) for e in entries]
        beside = [(e, e.column, e.row, e.labels[-1:]) for e in entries]
        for side, placed in (("above", below), ("beside", beside)):
            last = max((at for _, at, _, _ in placed), default=0)
            totals = [(e, line) for e, at, line, labels in placed if at == last and _TOTAL.match(" ".join(labels))]
            sums = [(t, [e.value for e, at, line, _ in placed if line == own and at < last]) for t, own in totals]
            most = len({at for _, at, _, _ in placed}) - 1
            whole = [(t, sum(of)) for t, of in sums if len(of) == most > 1 and all(v % 1 == 0 for v in of)]
            wrong = [(t, found) for t, found in whole if t.value != found]
            if len(wrong) == 1 < len(whole) == len(totals):
                said = f"Table {table.number} (p. {table.page}): the figures {side} {wrong[0][0].quantity.text}"
                fix = f"Check the total in Table {table.number}, or say what it counts."
                yield finding("table-total", f"{said} sum to {wrong[0][1]:,.0f}.", fix, table_anchor(table))


_TOTAL = re.compile(r"\W*(?:(?:grand |sub)?totals?|sum|all|overall|Σ|∑)\W*$", re.IGNORECASE)


def _named(table: TableReading) -> str:
    return f"Table {table.number} (p. {table.page})"


def _performance(table: TableReading) -> bool:
    """Returns whether a table compares performance rather than cost: decimals in two rows and in most of the cells that
    its title, or the heading above them, calls a measure."""
    title = re.split(r"(?<=[a-z)][.])\s", table.caption, maxsplit=1)[0]
    titled = _MEASURED.search(title)
    if _COST.search(title):
        return False
    rows = [
        [c.text for c in row.cells if c.number is not None and (titled or _MEASURED.search(table.heading(c.column)))]
        for row in table.rows
        if not row.header
    ]
    decimals = ["." in text for row in rows for text in row]
    return sum(map(bool, rows)) >= 2 and sum(decimals) >= max(2, len(decimals) / 2)


_COST = re.compile(r"\brun-? ?times?\b|\bmemory\b|\btimings?\b", re.IGNORECASE)
_MEASURED = re.compile(MEASURE.replace("|correlation", r"|(?:pearson|spearman|matthews)\S* (?:\w+ )?correlation"), re.I)


_ERROR = re.compile(
    r"\W*(?:err(?:or)?s?|s\.?[de]\.?|(?:std|standard)\.?(?: (?:err|dev)\w*)?|variance|σ)\W*", re.IGNORECASE
)


def _has_spread(table: TableReading) -> bool:
    words = " ".join([table.caption, *(c.text for row in table.rows if row.header for c in row.cells)])
    in_cells = any(
        c.spread or re.search(r"\(\s*[-–−]?[\d.]+\s*[,;–-]\s*[-–−]?[\d.]+\s*\)|\d\s*\(\s*±?\.?\d[\d.]*\s*\)", c.text)
        for row in table.rows
        for c in row.cells
    )
    headed = any(_ERROR.fullmatch(c.text) for row in table.rows if row.header for c in row.cells)
    return (
        headed
        or bool(_SPREAD.search(words))
        or bool(re.search(r"\binterval\b|\bp ?\(|\(p\)|p-val", words, re.I))
        or in_cells
    )
