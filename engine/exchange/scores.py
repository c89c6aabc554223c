"""Reads tables of review scores from CSV, XLSX and OpenReview notes, and reports every doubtful row.

Nothing is dropped silently: each row that can't be used as it is becomes a ``ScoreProblem`` with its row number and
what was decided about it, by the user or by the default of its kind.
"""

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from engine.calibration.records import ScoreProblem, ScoreRow
from engine.errors import BadInput, not_imported
from engine.exchange.encoding import decode, read_bytes
from engine.exchange.io import table_in
from engine.exchange.jsontext import text_of
from engine.exchange.openreview import Note, read_notes
from engine.exchange.score_layouts import FIELDS, NO_SCORE, SCORE, SUMMARY, one_review_a_row
from engine.exchange.tables import Table, TablePlan, is_numeric, likeness, number, plan_columns, spellings

ProblemKind = Literal[
    "duplicate", "no confidence", "bad confidence", "no score", "no name", "summary", "unreadable", "one referee",
    "spelling", "far",
]  # fmt: skip
Decision = Literal["mean", "first", "last", "typical", "skip", "keep", "apart", "join"]

CHOICES: Mapping[ProblemKind, tuple[Decision, ...]] = {
    "duplicate": ("mean", "first", "last"),
    "no confidence": ("typical", "skip"),
    "bad confidence": ("typical", "skip"),
    "no score": ("skip",),
    "no name": ("skip",),
    "summary": ("skip", "keep"),
    "unreadable": ("skip",),
    "one referee": ("keep", "skip"),
    "spelling": ("apart", "join"),
    "far": ("keep", "skip"),
}
"""The possible decisions about each kind of problem; the first one is the default."""

TITLES: Mapping[ProblemKind, str] = {
    "duplicate": "The same referee scored the same item again",
    "no confidence": "No confidence is given",
    "bad confidence": "The confidence isn't a number above 0",
    "no score": "The score is not a number",
    "no name": "The item or the referee has no name",
    "summary": "The row seems to hold an average or a total",
    "unreadable": "The line can't be read",
    "one referee": "The item has only one referee",
    "spelling": "Two names are nearly the same",
    "far": "The score is far from most others",
}
DECISIONS: Mapping[Decision, str] = {
    "mean": "take the mean of both",
    "first": "take the first",
    "last": "take the last",
    "typical": "take the median of the other confidences",
    "skip": "leave the row out",
    "keep": "keep it",
    "apart": "keep both names",
    "join": "use the first for both",
}
_OF = re.compile(r"^\s*[\d.,]+\s*(?:(?:/|out of)\s*(\d+)|%)\s*$")


@dataclass(frozen=True, slots=True)
class ScoreImport:
    """The usable reviews in order of the file, and all problems in order of their rows."""

    rows: tuple[ScoreRow, ...]
    problems: tuple[ScoreProblem, ...]


def read_score_table(path: Path) -> Table:
    """Reads the table in a CSV, XLSX, Parquet or OpenReview JSON file. Raises BadInput if it has no table with rows."""
    data = read_bytes(path)
    if path.suffix in {".json", ".jsonl"} or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}:
        return _read_openreview(decode(data, path.name).text, path.name)
    table = one_review_a_row(table_in(data, path.name, lambda table: not plan_scores(one_review_a_row(table)).missing))
    if len(table.columns) < 2:
        raise BadInput(
            f"{table.name} isn't a table.",
            "Nothing was imported, because its lines have no comma, semicolon or tab.",
            "Choose a CSV or XLSX file with column names in the first line.",
        )
    if not table.rows:
        raise not_imported(f"{table.name} has no rows.", "Choose another file.")
    return table


def plan_scores(table: Table, given: Mapping[str, str] | None = None) -> TablePlan:
    """Returns which columns have item, referee, score and confidence; ``given`` columns are used as they are."""
    plan = plan_columns(table, FIELDS, given)
    numbers = filter(None, (plan.columns["score"], plan.columns["confidence"], *further_scores(plan)))
    return replace(plan, question=table.decimal_mark(numbers)[1])


def further_scores(plan: TablePlan) -> tuple[str, ...]:
    """Returns the numeric columns that the plan doesn't use, which are read as additional scores."""
    return tuple(c for c in plan.unused if not NO_SCORE.fullmatch(c) and is_numeric(plan.table.column(c)))


def said_of(plan: TablePlan) -> tuple[str, ...]:
    """Returns sentences on how a table was read: encoding and delimiter, columns, and what wasn't used."""
    kept = further_scores(plan)
    used = ", ".join(f"{name} = “{column}”" for name, column in plan.columns.items() if column)
    left = [column for column in plan.unused if column not in kept]
    said = [plan.table.assumed, f"Columns: {used}."]
    if kept:
        said.append(f"Kept as additional scores: {', '.join(kept)}.")
    if left:
        said.append(f"Not used: {', '.join(left)}.")
    if plan.reasons.get("score") == "name":
        chosen = likeness(plan.columns["score"], SCORE)
        said += (f"“{column}” may be the score as well." for column in kept if likeness(column, SCORE) == chosen)
    return tuple(said)


def read_scores(
    plan: TablePlan,
    decisions: Mapping[ProblemKind, Decision] | None = None,
    decimal: str = "",
    before: Sequence[ScoreRow] = (),
) -> ScoreImport:
    """Returns the reviews of a table, with problems resolved by ``decisions`` or the default of their kind; scores that
    are far from most others come first, since one of them can move many items.

    Without a confidence column every confidence is 1. ``decimal`` is the decimal mark, if the table doesn't show it.
    ``before`` are the reviews of another table, which come first and are examined together with these.
    Raises BadInput if a column is missing, a decision doesn't fit its kind, no row is usable, or numbers are ambiguous
    and ``decimal`` isn't given.
    """
    chosen, table = _decided(decisions or {}), plan.table
    if plan.missing:
        raise not_imported(
            f"The {plan.missing[0]} column of {table.name} can't be determined.",
            "Choose it from: " + ", ".join(table.columns) + ".",
        )
    reader = _Reader(plan, chosen, decimal)
    problems = reader.problems
    problems += (ScoreProblem(0, "unreadable", said, "skip") for said in table.unread)
    read = (reader.read(line, cells) for line, cells in zip(table.numbers, table.rows, strict=True))
    other = [ScoreRow(r.item, r.referee, r.score, r.confidence, r.further, -r.row) for r in before]
    own = [row for row in read if row is not None]
    rows = _near_others([*other, *own], chosen["far"], problems)
    rows = _spelled(rows, chosen["spelling"], problems)
    rows = _without_duplicates(rows, chosen["duplicate"], problems)
    rows = _lone_items(rows, chosen["one referee"], problems)
    if not own or not rows:
        raise BadInput(
            f"{table.name} has no usable rows.",
            "Nothing was imported. " + (problems[0].sentence if problems else "All its rows are empty."),
            "Check which column contains the score.",
        )
    rows = [replace(row, row=abs(row.row)) for row in rows]
    return ScoreImport(tuple(rows), tuple(sorted(problems, key=lambda p: (p.kind != "far", p.row))))


def _row(row: ScoreRow) -> str:
    return f"Row {row.row}" if row.row >= 0 else f"Row {-row.row} of the other table"


def _spelled(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    """Reports names that are probably the same person or item; replaces them by the first one unless kept apart."""
    items = spellings(row.item for row in rows)
    referees = spellings((row.referee for row in rows), near=True)
    said: set[str] = set()
    for row in rows:
        for name, found, what in ((row.item, items, "item"), (row.referee, referees, "referee")):
            if name in found and f"{what} {name}" not in said:
                said.add(f"{what} {name}")
                sentence = f"{_row(row)}: the {what} “{name}” may be the same as “{found[name]}”."
                problems.append(ScoreProblem(row.row, "spelling", sentence, decision))
    if decision == "apart":
        return list(rows)
    return [replace(r, item=items.get(r.item, r.item), referee=referees.get(r.referee, r.referee)) for r in rows]


def _decided(decisions: Mapping[ProblemKind, Decision]) -> dict[ProblemKind, Decision]:
    chosen = {kind: choices[0] for kind, choices in CHOICES.items()}
    for kind, decision in decisions.items():
        if kind not in CHOICES or decision not in CHOICES[kind]:
            raise not_imported(
                f"“{decision}” isn't an option for “{kind}”.",
                "Possible: " + "; ".join(f"{k}: {', '.join(c)}" for k, c in CHOICES.items()) + ".",
            )
        chosen[kind] = decision
    return chosen


class _Reader:
    """Reads single rows and records their problems."""

    def __init__(self, plan: TablePlan, chosen: Mapping[ProblemKind, Decision], decimal: str) -> None:
        table, self._columns, self._chosen = plan.table, plan.columns, chosen
        self._further = further_scores(plan)
        given = plan.columns["confidence"]
        mark = table.decided([*filter(None, (plan.columns["score"], given)), *self._further], decimal)
        self._number = partial(table.number, decimal=mark)
        self._places = {name: place for place, name in enumerate(table.columns)}
        self.problems: list[ScoreProblem] = []
        confidences = map(self._number, table.column(given)) if given else ()
        usable = [value for value in confidences if value is not None and value > 0]
        used = (*filter(None, (plan.columns["score"], given)), *self._further)
        self._of = {column: _total(table.column(column)) for column in used}
        self._typical = statistics.median(usable) if usable else 1.0

    def read(self, line: int, cells: Sequence[str]) -> ScoreRow | None:
        """Returns the row as a review; None if it can't be used."""

        def cell(column: str) -> str:
            return cells[self._places[column]].strip()

        item, referee, shown = (cell(self._columns[name]) for name in ("item", "referee", "score"))
        if not item or not referee:
            which = "item" if not item else "referee"
            self.problems.append(ScoreProblem(line, "no name", f"Row {line}: the {which} has no name.", "skip"))
            return None
        if SUMMARY.fullmatch(named := item if SUMMARY.fullmatch(item) else referee):
            sentence = f"Row {line}: “{named}” isn't a name ({item}, {referee})."
            self.problems.append(ScoreProblem(line, "summary", sentence, self._chosen["summary"]))
            if self._chosen["summary"] == "skip":
                return None
        score = self._value(self._columns["score"], shown)
        if score is None:
            expected = self._expected(self._columns["score"], shown)
            what = f"“{shown[:40]}” isn't {expected}" if shown else "the score is missing"
            self.problems.append(ScoreProblem(line, "no score", f"Row {line}: {what} ({item}, {referee}).", "skip"))
            return None
        given = self._columns["confidence"]
        confidence = self._confidence(line, given, cell(given), f"({item}, {referee})") if given else 1.0
        if confidence is None:
            return None
        further = tuple((name, value) for name in self._further if (value := self._value(name, cell(name))) is not None)
        return ScoreRow(item, referee, score, confidence, further, line)

    def _value(self, column: str, shown: str) -> float | None:
        """Returns the number in a cell; None if its total ("of 10") differs from the usual one of its column."""
        return self._number(shown) if _total([shown]) == self._of[column] else None

    def _expected(self, column: str, shown: str) -> str:
        if self._number(shown) is None:
            return "a number"
        return f"out of {self._of[column]}" if self._of[column] else "on the scale of the others"

    def _confidence(self, line: int, column: str, shown: str, whose: str) -> float | None:
        confidence = self._value(column, shown)
        if confidence is not None and confidence > 0:
            return confidence
        kind: ProblemKind = "bad confidence" if shown else "no confidence"
        expected = self._expected(column, shown) if confidence is None else "a number"
        expected = expected.replace("a number", "a number above 0")
        what = f"the confidence “{shown[:40]}” isn't {expected}" if shown else "no confidence is given"
        self.problems.append(ScoreProblem(line, kind, f"Row {line}: {what} {whose}.", self._chosen[kind]))
        return None if self._chosen[kind] == "skip" else self._typical


def _total(cells: Sequence[str]) -> str:
    """Returns the most common total that the numbers of a column are out of; "" if most have none."""
    totals = Counter((of[1] or "100") if (of := _OF.search(cell)) else "" for cell in cells if cell.strip())
    return totals.most_common(1)[0][0] if totals else ""


def _without_duplicates(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    kept: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        earlier = kept.setdefault((row.item, row.referee), [])
        if earlier:
            sentence = f"{_row(row)}: {row.referee} already scored {row.item} in {_row(earlier[0]).lower()}."
            problems.append(ScoreProblem(row.row, "duplicate", sentence, decision))
        earlier.append(row)
    return [_one_of(same, decision) for same in kept.values()]


def _one_of(same: Sequence[ScoreRow], decision: Decision) -> ScoreRow:
    if decision != "mean" or len(same) == 1:
        return same[-1] if decision == "last" else same[0]
    names = dict.fromkeys(name for row in same for name, _ in row.further)
    return replace(
        same[0],
        score=statistics.fmean(row.score for row in same),
        confidence=statistics.fmean(row.confidence for row in same),
        further=tuple((n, statistics.fmean(v for row in same for m, v in row.further if m == n)) for n in names),
    )


def _near_others(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    """Points out scores further from the middle nine tenths of all than three times the range of these, such as 70 on a
    scale to 10; leaves them out if that was decided."""
    ordered = sorted(row.score for row in rows)
    cut = len(ordered) // 20
    first, last = (ordered[cut], ordered[-1 - cut]) if ordered else (0.0, 0.0)
    far = [row for row in rows if last > first and max(first - row.score, row.score - last) > 3 * (last - first)]
    for row in far:
        sentence = f"{_row(row)}: the score {row.score:g} is far from most others, {first:g} to {last:g}."
        problems.append(ScoreProblem(row.row, "far", sentence, decision))
    return [row for row in rows if decision == "keep" or row not in far]


def _lone_items(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    counts = Counter(row.item for row in rows)
    kept = []
    for row in rows:
        if counts[row.item] == 1:
            sentence = f"{_row(row)}: {row.item} has only one referee, so this score can't be checked."
            problems.append(ScoreProblem(row.row, "one referee", sentence, decision))
            if decision == "skip":
                continue
        kept.append(row)
    return kept


def _read_openreview(text: str, name: str) -> Table:
    """Returns reviews as rows (row n is the n-th review note of the file). Anonymous signatures identify a person only
    within one paper, so the referee's name then includes the paper, and the referee's bias can't be determined."""
    bad: list[str] = []
    notes = read_notes(text, name, bad)
    found = [note for note in notes if note.kind == "review"]
    titles = {note.id: str(note.content.get("title") or "").strip() for note in notes if note.kind == "submission"}
    shown = list(titles.values())
    fields = list(dict.fromkeys(key for note in found for key in note.content))
    scores = [f for f in fields if any(number(text_of(note.content.get(f))) is not None for note in found)]
    if not scores:
        raise not_imported(f"{name} has no review with a score.", "Choose another file.")
    anonymous = 0
    rows = []
    for note in found:
        referee, scoped = _referee(note)
        anonymous += scoped
        title = titles.get(note.forum, "")
        item = title if title and shown.count(title) == 1 else note.forum
        rows.append((item, referee, *(text_of(note.content.get(field)) for field in scores)))
    said: tuple[str, ...] = ()
    if anonymous:
        said = (
            f"{anonymous} of {len(found)} reviews are anonymous. Their authors are known only within one paper, so "
            "these referees' biases can't be determined.",
        )
    columns = ("item", "referee", *scores)
    lines = tuple(range(1, len(rows) + 1))
    return Table(name, columns, tuple(rows), lines, f"{name}: OpenReview notes.", said, unread=tuple(bad))


def _referee(note: Note) -> tuple[str, bool]:
    last = note.signature.rsplit("/", 1)[-1]
    if not last:
        return "", False
    if last.startswith("~") or "@" in last or "/" not in note.signature:
        return last, False
    return f"{note.forum} {note.speaker}", True
