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
from engine.exchange.tables import Field, Table, TablePlan, is_numeric, likeness, number, plan_columns, spellings

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
    "join": "read both as the first",
}
_ITEM = (
    "item", "submission id", "paper id", "submission number", "paper number", "submission no", "paper no",
    "submission", "paper", "forum", "manuscript", "proposal", "abstract id", "no title", "title", "=forum id", "entry",
    "article", "einreichung", "manuskript", "soumission", "manuscrit", "envío", "manuscrito", "inzending",
)  # fmt: skip
_REFEREE = (
    "referee", "reviewer", "reviewer id", "reviewer name", "assessor", "evaluator", "judge", "signature", "rater",
    "panelist", "member name", "pc member", "=member", "=signatures", "=email address", "=email", "=username",
    "=your name", "=name", "gutachter", "gutachterin", "=nutzername", "=nom d'utilisateur", "relecteur", "rapporteur",
    "évaluateur", "revisor", "beoordelaar",
)  # fmt: skip
_SCORE = (
    "final score", "score", "overall", "rating", "recommendation", "overall score", "overall rating",
    "overall evaluation", "overall assessment", "overall recommendation", "overall merit", "=ove mer", "total score",
    "evaluation", "grade", "mark", "gesamtbewertung", "bewertung", "=note", "note globale", "=nota", "nota global",
    "=cijfer",
)  # fmt: skip
_CONFIDENCE = (
    "confidence", "reviewer confidence", "confident", "certainty", "expertise", "=rev exp", "familiarity", "familiar",
    "weight", "=conf", "sure", "sicherheit", "sicher", "confiance", "certitude", "confianza",
    "zekerheid",
)  # fmt: skip
FIELDS = (
    Field("item", _ITEM, "name"),
    Field("referee", _REFEREE, "name"),
    Field("score", _SCORE, "number", unless=tuple(word for word in _CONFIDENCE if word not in ("weight", "expertise"))),
    Field("confidence", _CONFIDENCE, "number", needed=False),
)
"""The columns of a table of scores, for ``plan_columns``. HotCRP shortens "Overall merit" and "Reviewer expertise"."""
_EASYCHAIR = (
    "#", "submission #", "member #", "member name", "number", "version", "text", "scores", "reviewer first name",
    "reviewer last name", "reviewer email", "reviewer person #", "date", "time", "attachment?",
)  # fmt: skip
"""The columns of EasyChair's review.csv, which has no header; newer files have the total score after the scores."""
_PART = re.compile(r"\s*([^\s:\d][^:\n]*):[ \t]*([-+\u2212]?\d+(?:[.,]\d+)?)[ \t]*(?:[:(][^\n]{0,80})?")
_OF = re.compile(r"^\s*[\d.,]+\s*(?:(?:/|out of)\s*(\d+)|%)\s*$")
_REVIEWER = re.compile(
    r"(?:(?:reviewer|referee|rev|assessor|judge|rater|panelist|gutachter)\W{0,2}|r)(?:\d{1,2}|[A-Z])"
    r"(?:[\W_]*(?:score|rating)s?)?",
    re.IGNORECASE,
)
"""A column for the scores of one reviewer."""
_NUMBERED = re.compile(r"(.*[^\W\d_])[\s_#.-]*(\d{1,2})(?!\d)[\s_.:-]*(.*)")
"""A column of one of several reviews side by side: what it is called before and after the number."""
_SUMMARY = re.compile(
    r"(?:(?:grand|overall|weighted|simple|arithmetic)\s+)?(?:averages?|avg|mean|median|total|subtotal|std?\.? ?dev|std|"
    r"standard deviation|variance|mittelwert|durchschnitt|summe|moyenne|promedio|平均|合計)"
    r"(?:\s+(?:score|rating|value)s?)?\W*",
    re.IGNORECASE,
)
"""Names of summary rows that spreadsheets compute."""
_NO_SCORE = re.compile(r"#|.*(?:#|\b(?:id|no|number|version|year))", re.IGNORECASE)
"""Names of columns with numbers that aren't scores."""


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
    table = _one_review_a_row(
        table_in(data, path.name, lambda table: not plan_scores(_one_review_a_row(table)).missing)
    )
    if len(table.columns) < 2:
        raise BadInput(
            f"{table.name} isn't a table.",
            "Nothing was imported, because its lines have no comma, semicolon or tab.",
            "Choose a CSV or XLSX file with column names in the first line.",
        )
    if not table.rows:
        raise not_imported(f"{table.name} has no rows.", "Choose another file.")
    return table


def _parted(table: Table) -> Table:
    """Splits columns whose cells have several scores, as EasyChair's ("Overall evaluation: 2", line break, "Reviewer's
    confidence: 4"), into one column per score; names EasyChair's columns if they have no header."""
    table = _named(table)
    names = list(table.columns)
    if names[:1] == ["column 1"] and len(names) in {15, 16} and any(map(_parts, table.column("column 8"))):
        names = [*_EASYCHAIR[:8], *["total score"] * (len(names) - 15), *_EASYCHAIR[8:]]
    columns: dict[str, list[str]] = {}
    for name, *cells in zip(names, *table.rows, strict=True):
        parts = [_parts(cell) for cell in cells]
        if not any(parts) or any(cell.strip() and not found for cell, found in zip(cells, parts, strict=True)):
            columns[name] = cells
            continue
        for part in dict.fromkeys(key for found in parts for key in found):
            columns[part if part not in names else f"{name}: {part}"] = [found.get(part, "") for found in parts]
    return replace(table, columns=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)))


def _named(table: Table) -> Table:
    """Joins columns of first and last names into one, except EasyChair's, which name subreviewers."""
    first, last = (
        next((n for n, column in enumerate(table.columns) if re.fullmatch(name, column.strip(), re.IGNORECASE)), -1)
        for name in (r"(?:reviewer )?(?:first|given)[ _]name", r"(?:reviewer )?(?:last|family)[ _]name|surname")
    )
    if (
        min(first, last) < 0
        or "member name" in table.columns
        or not any(row[first].strip() and row[last].strip() for row in table.rows)
    ):
        return table
    columns = tuple("Reviewer name" if n == first else name for n, name in enumerate(table.columns) if n != last)
    rows = (
        tuple(f"{cell} {row[last]}".strip() if n == first else cell for n, cell in enumerate(row) if n != last)
        for row in table.rows
    )
    return replace(table, columns=columns, rows=tuple(rows))


def _one_review_a_row(table: Table) -> Table:
    return _long(_side_by_side(_parted(table)))


def _long(table: Table) -> Table:
    """Converts a table with one column per reviewer ("Reviewer 1", "Reviewer 2", …) to one row per score."""
    places = {n: name for n, name in enumerate(table.columns) if _REVIEWER.fullmatch(name.strip())}
    scores = (
        c for c in table.columns if likeness(c, _SCORE)[0] and c not in places.values() and not _SUMMARY.fullmatch(c)
    )
    if len(places) < 2 or any(scores) or not is_numeric([row[n] for row in table.rows for n in places]):
        return table
    sources = [(name, at) for at, name in places.items()]
    return _melted(table, ("Reviewer (column)", "Score (cell)"), sources, "a column for each reviewer")


def _side_by_side(table: Table) -> Table:
    """Returns the table with a row for each review if reviews are side by side ("Reviewer 1", "Score 1", "Reviewer 2",
    "Score 2", ...)."""
    groups: dict[str, dict[str, int]] = {}
    for place, column in enumerate(table.columns):
        if named := _NUMBERED.fullmatch(column.strip()):
            groups.setdefault(f"{named[1]} {named[3]}".strip(), {})[named[2]] = place
    numeric = {base for base, at in groups.items() if is_numeric([row[n] for row in table.rows for n in at.values()])}
    people = (base for base in groups if likeness(base, _REFEREE)[0] and base not in numeric)
    numbers = groups[base].keys() if (base := next(people, "")) else set()
    together = {base: at for base, at in groups.items() if at.keys() == numbers}
    if len(numbers) < 2 or not any(likeness(base, _SCORE)[0] and base in numeric for base in together):
        return table
    sources = [tuple(at[number] for at in together.values()) for number in numbers]
    return _melted(table, tuple(together), sources, "reviews side by side")


def _melted(table: Table, names: Sequence[str], sources: Sequence[tuple[int | str, ...]], how: str) -> Table:
    """Returns the table with a row for each of ``sources`` that has a filled cell: columns, or fixed texts, under
    ``names``. Other columns are repeated, except averages."""
    taken = {place for source in sources for place in source if isinstance(place, int)}
    kept = [n for n, name in enumerate(table.columns) if n not in taken and not _SUMMARY.fullmatch(name)]
    found = [
        (number, (*(row[n] for n in kept), *(row[at] if isinstance(at, int) else at for at in source)))
        for number, row in zip(table.numbers, table.rows, strict=True)
        for source in sources
        if any(row[at].strip() for at in source if isinstance(at, int))
    ]
    return replace(
        table,
        columns=(*(table.columns[n] for n in kept), *names),
        rows=tuple(row for _, row in found),
        numbers=tuple(number for number, _ in found),
        assumed=f"{table.assumed[:-1]}; {how}: {', '.join(table.columns[n] for n in sorted(taken))}.",
    )


def _parts(cell: str) -> dict[str, str]:
    """Returns the scores of a cell in which all lines have names and at least half have numbers; else an empty dict."""
    lines = cell.strip().splitlines()
    found = {part[1].strip(): part[2] for part in map(_PART.fullmatch, lines) if part}
    return (
        found if 2 * len(found) >= len(lines) and all(re.match(r"[^\s:\d][^:]{0,60}:", line) for line in lines) else {}
    )


def plan_scores(table: Table, given: Mapping[str, str] | None = None) -> TablePlan:
    """Returns which columns have item, referee, score and confidence; ``given`` columns are used as they are."""
    plan = plan_columns(table, FIELDS, given)
    numbers = filter(None, (plan.columns["score"], plan.columns["confidence"], *further_scores(plan)))
    return replace(plan, question=table.decimal_mark(numbers)[1])


def further_scores(plan: TablePlan) -> tuple[str, ...]:
    """Returns the numeric columns that the plan doesn't use, which are read as additional scores."""
    return tuple(c for c in plan.unused if not _NO_SCORE.fullmatch(c) and is_numeric(plan.table.column(c)))


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
        chosen = likeness(plan.columns["score"], _SCORE)
        said += (f"“{column}” may be the score as well." for column in kept if likeness(column, _SCORE) == chosen)
    return tuple(said)


def read_scores(
    plan: TablePlan, decisions: Mapping[ProblemKind, Decision] | None = None, decimal: str = ""
) -> ScoreImport:
    """Returns the reviews of a table, with problems resolved by ``decisions`` or the default of their kind; scores that
    are far from most others come first, since one of them can move many items.

    Without a confidence column every confidence is 1. ``decimal`` is the decimal mark, if the table doesn't show it.
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
    rows = _near_others([row for row in read if row is not None], chosen["far"], problems)
    rows = _spelled(rows, chosen["spelling"], problems)
    rows = _without_duplicates(rows, chosen["duplicate"], problems)
    rows = _lone_items(rows, chosen["one referee"], problems)
    if not rows:
        raise BadInput(
            f"{table.name} has no usable rows.",
            "Nothing was imported. " + (problems[0].sentence if problems else "All its rows are empty."),
            "Check which column contains the score.",
        )
    return ScoreImport(tuple(rows), tuple(sorted(problems, key=lambda p: (p.kind != "far", p.row))))


def _spelled(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    """Reports names that are probably the same person or item; replaces them by the first one unless kept apart."""
    items = spellings(row.item for row in rows)
    referees = spellings((row.referee for row in rows), near=True)
    said: set[str] = set()
    for row in rows:
        for name, found, what in ((row.item, items, "item"), (row.referee, referees, "referee")):
            if name in found and f"{what} {name}" not in said:
                said.add(f"{what} {name}")
                sentence = f"Row {row.row}: the {what} “{name}” may be the same as “{found[name]}”."
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
        if _SUMMARY.fullmatch(named := item if _SUMMARY.fullmatch(item) else referee):
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
            sentence = f"Row {row.row}: {row.referee} already scored {row.item} in row {earlier[0].row}."
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
        sentence = f"Row {row.row}: the score {row.score:g} is far from most others, {first:g} to {last:g}."
        problems.append(ScoreProblem(row.row, "far", sentence, decision))
    return [row for row in rows if decision == "keep" or row not in far]


def _lone_items(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    counts = Counter(row.item for row in rows)
    kept = []
    for row in rows:
        if counts[row.item] == 1:
            sentence = f"Row {row.row}: {row.item} has only one referee, so this score can't be checked."
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
