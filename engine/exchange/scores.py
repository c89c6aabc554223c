"""Tables of review scores: CSV, XLSX and OpenReview notes, read with every doubtful row named.

Nothing is dropped silently: each row that cannot be used as it stands becomes a ``ScoreProblem`` with its row number
and what was decided about it, by the person or by the default of its kind.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from engine.calibration.records import ScoreProblem, ScoreRow
from engine.errors import BadInput
from engine.exchange.encoding import read_bytes, read_text
from engine.exchange.io import read_csv, read_workbook
from engine.exchange.openreview import Note, read_notes

ProblemKind = Literal["duplicate", "no confidence", "bad confidence", "no score", "no name", "one referee"]
Decision = Literal["mean", "first", "last", "typical", "skip", "keep"]

CHOICES: Mapping[ProblemKind, tuple[Decision, ...]] = MappingProxyType(
    {
        "duplicate": ("mean", "first", "last"),
        "no confidence": ("typical", "skip"),
        "bad confidence": ("typical", "skip"),
        "no score": ("skip",),
        "no name": ("skip",),
        "one referee": ("keep", "skip"),
    }
)
"""What can be decided about each kind; the first is the default."""

TITLES: Mapping[ProblemKind, str] = MappingProxyType(
    {
        "duplicate": "The same referee scored the same item again",
        "no confidence": "No confidence is given",
        "bad confidence": "The confidence is not a number above 0",
        "no score": "The score is not a number",
        "no name": "The item or the referee has no name",
        "one referee": "The item has one referee only",
    }
)
DECISIONS: Mapping[Decision, str] = MappingProxyType(
    {
        "mean": "take the mean of both",
        "first": "take the first",
        "last": "take the last",
        "typical": "take the median of the other confidences",
        "skip": "leave the row out",
        "keep": "keep it",
    }
)
_GUESSES = {
    "item": r"^(item|paper|submission|forum|paper_?id|submission_?id|paper[ _]?number|manuscript|title)s?$",
    "referee": r"^(referee|reviewer|reviewer_?id|signature|assessor|evaluator|judge)s?$",
    "score": r"^(score|rating|overall|overall_?(score|rating|assessment|evaluation)|recommendation|grade|mark)$",
    "confidence": r"^(confidence|reviewer_?confidence|certainty|expertise|weight)$",
}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?)(?=$|[\s:;(/%\-–—])")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as it stands in the file: texts. ``first_row`` is the row number of ``rows[0]`` in the file."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first_row: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; ``confidence`` "" where there is none, ``further`` are more scores to keep."""

    item: str
    referee: str
    score: str
    confidence: str = ""
    further: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreImport:
    """The usable reviews in order of the file, and all problems in order of their rows."""

    rows: tuple[ScoreRow, ...]
    problems: tuple[ScoreProblem, ...]


def read_sheet(path: Path) -> Sheet:
    """The table in a CSV (any common separator), XLSX (the first sheet with two rows) or OpenReview JSON file.

    Raises:
        BadInput: it cannot be read, or holds no table.
    """
    if path.suffix.lower() in {".xlsx", ".xlsm"}:
        return _read_xlsx(path)
    decoded = read_text(path)
    if decoded.text.lstrip()[:1] in {"{", "["}:
        return _read_openreview(decoded.text, path.name)
    return _read_csv(decoded.text, path.name, decoded.warnings)


def number(text: str) -> float | None:
    """The number that a cell begins with: 8 from "8: Top 50% of accepted papers", 3.5 from "3,5"; None without one."""
    found = _NUMBER.match(text)
    if found is None:
        return None
    value = float(found.group(1).replace(",", "."))
    return value if math.isfinite(value) else None


def guess_columns(sheet: Sheet) -> Columns | None:
    """The likely meaning of the columns by their names; None where item, referee or score cannot be told."""
    found: dict[str, str] = {}
    for meaning, pattern in _GUESSES.items():
        for column in sheet.columns:
            plain = re.sub(r"[\s\-]+", "_", column.strip().lower())
            if column not in found.values() and re.match(pattern, plain):
                found[meaning] = column
                break
    if not {"item", "referee", "score"} <= set(found):
        return None
    further = tuple(c for c in numeric_columns(sheet) if c not in found.values())
    return Columns(found["item"], found["referee"], found["score"], found.get("confidence", ""), further)


def numeric_columns(sheet: Sheet) -> tuple[str, ...]:
    """The columns in which at least four cells of five that are filled begin with a number."""
    out = []
    for place, column in enumerate(sheet.columns):
        filled = [row[place] for row in sheet.rows if row[place].strip()]
        if filled and sum(number(cell) is not None for cell in filled) >= 0.8 * len(filled):
            out.append(column)
    return tuple(out)


def read_scores(sheet: Sheet, columns: Columns, decisions: Mapping[ProblemKind, Decision] | None = None) -> ScoreImport:
    """The reviews of a sheet, each problem decided as ``decisions`` say, or by the default of its kind.

    Without a confidence column every confidence is 1.

    Raises:
        BadInput: a column is missing, a decision does not fit its kind, or no row can be used.
    """
    chosen = _decided(decisions or {})
    for name in filter(None, (columns.item, columns.referee, columns.score, columns.confidence, *columns.further)):
        if name not in sheet.columns:
            raise BadInput(
                f"{sheet.name} has no column “{name}”.",
                "Nothing was imported.",
                "Its columns are " + ", ".join(sheet.columns) + ".",
            )
    reader = _Reader(sheet, columns, chosen)
    problems = reader.problems
    read = (
        reader.read(line, cells) for line, cells in enumerate(sheet.rows, sheet.first_row) if any(map(str.strip, cells))
    )
    rows = _without_duplicates([row for row in read if row is not None], chosen["duplicate"], problems)
    rows = _lone_items(rows, chosen["one referee"], problems)
    if not rows:
        raise BadInput(
            f"No row of {sheet.name} can be used.",
            "Nothing was imported. " + (problems[0].sentence if problems else "It has no row with anything in it."),
            "Check which column holds the score.",
        )
    return ScoreImport(tuple(rows), tuple(sorted(problems, key=lambda p: p.row)))


def _decided(decisions: Mapping[ProblemKind, Decision]) -> dict[ProblemKind, Decision]:
    chosen = {kind: choices[0] for kind, choices in CHOICES.items()}
    for kind, decision in decisions.items():
        if kind not in CHOICES or decision not in CHOICES[kind]:
            raise BadInput(
                f"“{decision}” is no answer to “{kind}”.",
                "Nothing was imported.",
                "Possible: " + "; ".join(f"{k}: {', '.join(c)}" for k, c in CHOICES.items()) + ".",
            )
        chosen[kind] = decision
    return chosen


class _Reader:
    """Reads single rows and writes down what is doubtful about them."""

    def __init__(self, sheet: Sheet, columns: Columns, chosen: Mapping[ProblemKind, Decision]) -> None:
        self._columns, self._chosen = columns, chosen
        self._places = {name: place for place, name in enumerate(sheet.columns)}
        self.problems: list[ScoreProblem] = []
        confidences = (
            [number(row[self._places[columns.confidence]]) for row in sheet.rows] if columns.confidence else []
        )
        usable = [value for value in confidences if value is not None and value > 0]
        self._typical = statistics.median(usable) if usable else 1.0

    def read(self, line: int, cells: Sequence[str]) -> ScoreRow | None:
        """The row as a review; None where it cannot be used."""

        def cell(name: str) -> str:
            return cells[self._places[name]].strip()

        columns = self._columns
        item, referee, shown = cell(columns.item), cell(columns.referee), cell(columns.score)
        if not item or not referee:
            which = "item" if not item else "referee"
            self.problems.append(ScoreProblem(line, "no name", f"Row {line}: the {which} has no name.", "skip"))
            return None
        score = number(shown)
        if score is None:
            what = f"“{shown[:40]}” is not a number" if shown else "there is no score"
            self.problems.append(ScoreProblem(line, "no score", f"Row {line}: {what} ({item}, {referee}).", "skip"))
            return None
        confidence = (
            self._confidence(line, cell(columns.confidence), f"({item}, {referee})") if columns.confidence else 1.0
        )
        if confidence is None:
            return None
        further = tuple((name, value) for name in columns.further if (value := number(cell(name))) is not None)
        return ScoreRow(item, referee, score, confidence, further, line)

    def _confidence(self, line: int, shown: str, whose: str) -> float | None:
        confidence = number(shown)
        if confidence is not None and confidence > 0:
            return confidence
        kind: ProblemKind = "bad confidence" if shown else "no confidence"
        what = f"the confidence “{shown[:40]}” is not a number above 0" if shown else "no confidence is given"
        self.problems.append(ScoreProblem(line, kind, f"Row {line}: {what} {whose}.", self._chosen[kind]))
        return None if self._chosen[kind] == "skip" else self._typical


def _without_duplicates(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    kept: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        earlier = kept.setdefault((row.item, row.referee), [])
        if earlier:
            sentence = f"Row {row.row}: {row.referee} scored {row.item} already in row {earlier[0].row}."
            problems.append(ScoreProblem(row.row, "duplicate", sentence, decision))
        earlier.append(row)
    return [_one_of(same, decision) for same in kept.values()]


def _one_of(same: Sequence[ScoreRow], decision: Decision) -> ScoreRow:
    if decision != "mean" or len(same) == 1:
        return same[-1] if decision == "last" else same[0]
    first = same[0]
    names = list(dict.fromkeys(name for row in same for name, _ in row.further))
    further = tuple((n, statistics.fmean(v for row in same for m, v in row.further if m == n)) for n in names)
    return ScoreRow(
        first.item,
        first.referee,
        statistics.fmean(row.score for row in same),
        statistics.fmean(row.confidence for row in same),
        further,
        first.row,
    )


def _lone_items(rows: Sequence[ScoreRow], decision: Decision, problems: list[ScoreProblem]) -> list[ScoreRow]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.item] = counts.get(row.item, 0) + 1
    kept = []
    for row in rows:
        if counts[row.item] == 1:
            sentence = f"Row {row.row}: {row.item} has one referee only; nothing checks this score."
            problems.append(ScoreProblem(row.row, "one referee", sentence, decision))
            if decision == "skip":
                continue
        kept.append(row)
    return kept


# --- files --------------------------------------------------------------------------------------------------------


def _read_csv(text: str, name: str, warnings: tuple[str, ...]) -> Sheet:
    head = text[:20_000]
    first = head.split("\n", 1)[0]
    separator = max(",;\t|", key=first.count)
    if not first.count(separator):
        raise BadInput(
            f"{name} is not a table.",
            "Its first line has no comma, semicolon or tab; nothing was imported.",
            "Choose a CSV or XLSX file with a line of column names.",
        )
    return _sheet(name, [cells for _, cells in read_csv(text, name, delimiter=separator, strict=True)], warnings)


def _read_xlsx(path: Path) -> Sheet:
    for _, lines in read_workbook(read_bytes(path), path.name):
        if sum(any(line) for line in lines) >= 2:
            return _sheet(path.name, lines, ())
    raise BadInput(f"No sheet of {path.name} has a table.", "Nothing was imported.", "Choose another file.")


def _sheet(name: str, lines: Sequence[Sequence[str]], warnings: tuple[str, ...]) -> Sheet:
    start = next((i for i, line in enumerate(lines) if any(cell.strip() for cell in line)), None)
    if start is None or start + 1 >= len(lines):
        raise BadInput(f"{name} has no rows.", "Nothing was imported.", "Choose another file.")
    heads: list[str] = []
    for place, cell in enumerate(lines[start], 1):
        head = cell.strip() or f"column {place}"
        heads.append(head if head not in heads else f"{head} ({place})")
    width = len(heads)
    rows = tuple((*line[:width], *("",) * (width - len(line))) for line in lines[start + 1 :])
    return Sheet(name, tuple(heads), rows, start + 2, warnings)


def _read_openreview(text: str, name: str) -> Sheet:
    """Reviews as rows (row n is the n-th review note of the file). Anonymous signatures name a person only within one
    paper, so the paper is part of the referee's name there, and nothing can be said of such a referee's bias."""
    notes = read_notes(text, name)
    found = [note for note in notes if note.kind == "review"]
    titles = {note.id: str(note.content.get("title") or "").strip() for note in notes if note.kind == "submission"}
    shown = list(titles.values())
    fields = list(dict.fromkeys(key for note in found for key in note.content))
    scores = [f for f in fields if any(number(str(note.content.get(f) or "")) is not None for note in found)]
    if not scores:
        raise BadInput(f"{name} has no review with a score in it.", "Nothing was imported.", "Choose another file.")
    anonymous = 0
    rows = []
    for note in found:
        referee, scoped = _referee(note)
        anonymous += scoped
        title = titles.get(note.forum, "")
        item = title if title and shown.count(title) == 1 else note.forum
        rows.append((item, referee, *(str(note.content.get(field) or "") for field in scores)))
    said: tuple[str, ...] = ()
    if anonymous:
        said = (
            f"{anonymous} of {len(found)} reviews are signed anonymously: who wrote them is known within one paper"
            " only, so these referees' biases cannot be told.",
        )
    return Sheet(name, ("item", "referee", *scores), tuple(rows), 1, said)


def _referee(note: Note) -> tuple[str, bool]:
    last = note.signature.rsplit("/", 1)[-1]
    if not last:
        return "", False
    if last.startswith("~") or "@" in last or "/" not in note.signature:
        return last, False
    return f"{note.forum} {note.speaker}", True
