"""Reads a venue's submissions and profiles, and writes scores, in the layouts of ``rejoinder similarity score``.

- papers: OpenReview's (``openreview_expertise``), JSON Lines ``{"id", "title", "abstract", "text"?, "year"?}``, or CSV
  with these as header;
- profiles: OpenReview's folder ``archives``, JSON Lines ``{"reviewer", "papers": [paper or id, ...]}``, or CSV
  ``reviewer,id,title,abstract`` with one row per paper;
- texts: JSON Lines ``{"id", "text"}``, or a folder of ``<id>.txt``;
- scores: ``paper,reviewer,score``, CSV without header, or Parquet.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import BadInput, EnvironmentProblem, not_computed
from engine.exchange.encoding import read_text
from engine.exchange.io import pair_writer, read_table
from engine.exchange.jsontext import json_lines, parse_json_lines, text_of
from engine.exchange.openreview_expertise import iter_profiles, iter_submissions, submissions_in
from engine.exchange.tables import Field, number, plan_columns
from engine.expertise.records import PaperText
from engine.expertise.scale import Block
from engine.files import EXPORTED_FILE, whole_file
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class Venue:
    """Papers by key, profiles (reviewer to paper keys) and submissions (keys), each in the order of the files."""

    papers: Mapping[str, PaperText]
    profiles: Mapping[str, tuple[str, ...]]
    submissions: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def _named(keys: Sequence[str]) -> str:
    """Returns the first key, with an ellipsis if there are more."""
    return keys[0] if len(keys) == 1 else f"{keys[0]}, …"


def read_venue(submissions: Path, profiles: Path, texts: Path | None = None) -> Venue:
    """Reads a venue from two or three files or folders. Unreadable lines, rows and archives are left out with a
    warning. Raises BadInput if a file has no known layout or no readable content."""
    warnings: list[str] = []
    papers: dict[str, PaperText] = {}
    people: dict[str, tuple[str, ...]] = {}
    named: set[str] = set()
    read = list(_read_papers(submissions, warnings))
    submitted = {paper.id: paper for paper in read}
    twice = sorted(key for key, times in Counter(paper.id for paper in read).items() if times > 1)
    if twice:
        said = counted(len(twice), "submission is", "submissions are")
        warnings.append(f"{said} listed more than once, of which the last counts: {_named(twice)}")
    if not submitted:
        do = "Choose OpenReview's JSON files, JSON lines, or a CSV file with id, title and abstract."
        raise not_computed(" ".join([f"There are no submissions in {submissions}.", *warnings[:1]]), do)
    found = len(warnings)
    for reviewer, own in _read_profiles(profiles, warnings):
        keys = [paper if isinstance(paper, str) else paper.id for paper in own]
        people[reviewer] = (*people.get(reviewer, ()), *keys)
        papers.update({paper.id: paper for paper in own if isinstance(paper, PaperText)})
        named.update(paper for paper in own if isinstance(paper, str))
    if not people:
        raise not_computed(" ".join([f"There are no profiles in {profiles}.", *warnings[found:][:1]]))
    papers.update(submitted)  # submissions take precedence over profiles
    unknown = sorted(named - papers.keys())
    if unknown:
        said = counted(len(unknown), "paper of profiles is", "papers of profiles are")
        warnings.append(f"{said} not described anywhere and left out: {_named(unknown)}")
        people = {reviewer: tuple(key for key in keys if key in papers) for reviewer, keys in people.items()}
    empty = [reviewer for reviewer, keys in people.items() if not keys]
    if empty:
        said = counted(len(empty), "reviewer has", "reviewers have")
        warnings.append(f"{said} no publications and no scores: {_named(empty)}")
    if texts is not None:
        found = 0
        for key, text in _read_texts(texts, warnings):
            if key in papers:
                papers[key] = replace(papers[key], body=text)
                found += 1
        if not found:
            warnings.append(f"None of the texts in {texts} belong to a paper.")
    return Venue(papers, people, tuple(submitted), tuple(warnings))


def read_abstracts(path: Path) -> Iterator[str]:
    """Yields abstracts for training, from papers in any of the layouts or from plain text with one per line."""
    if path.suffix == ".txt":
        yield from (line for line in read_text(path).text.splitlines() if line.strip())
        return
    archives = path / "archives" if (path / "archives").is_dir() else path
    if path.is_dir() and any(archives.glob("*.jsonl")) and submissions_in(path) is None:
        for _, own in iter_profiles(archives):
            yield from (paper.abstract for paper in own if paper.abstract.strip())
        return
    yield from (paper.abstract for paper in _read_papers(path, []) if paper.abstract.strip())


def _read_papers(path: Path, warnings: list[str]) -> Iterator[PaperText]:
    if path.is_dir():
        source = submissions_in(path) or path
        yield from iter_submissions(source, warnings)
    elif path.suffix == ".csv":
        for number, row in read_table(path).records(("id", "title")):
            yield from _paper(row, path, number, warnings)
    elif path.suffix == ".json":
        yield from iter_submissions(path, warnings)
    else:
        bad: list[str] = []
        records = list(json_lines(read_text(path).text, path.name, bad))
        if records and isinstance(records[0][2].get("content"), dict):
            yield from iter_submissions(path, warnings)
        else:
            warnings += bad
            for number, _, record in records:
                yield from _paper(record, path, number, warnings)


def _paper(record: Mapping[str, Any], path: Path, number: int, warnings: list[str]) -> Iterator[PaperText]:
    key = text_of(record.get("id") or record.get("paperId"))
    if not key:
        warnings.append(f"Line {number} of {path.name} has a paper without an id and was left out.")
        return
    year = text_of(record.get("year"))
    yield PaperText(
        key,
        text_of(record.get("title")),
        text_of(record.get("abstract")),
        text_of(record.get("text")),
        int(year) if year.isdecimal() and len(year) == 4 else 0,
    )


Own = Sequence[PaperText | str]


def _read_profiles(path: Path, warnings: list[str]) -> Iterator[tuple[str, Own]]:
    if path.is_dir():
        archives = path / "archives" if (path / "archives").is_dir() else path
        yield from iter_profiles(archives, warnings)
    elif path.suffix == ".csv":
        for number, row in read_table(path).records(("reviewer", "id")):
            if not row["reviewer"].strip():
                warnings.append(f"Line {number} of {path.name} has no reviewer and was left out.")
                continue
            described = row.get("title") or row.get("abstract")
            yield row["reviewer"], list(_paper(row, path, number, warnings)) if described else [row["id"]]
    else:
        for number, _, record in json_lines(read_text(path).text, path.name, warnings):
            reviewer, papers = text_of(record.get("reviewer") or record.get("id")), record.get("papers")
            if not reviewer or not isinstance(papers, list):
                warnings.append(f"Line {number} of {path.name} has no reviewer or no list of papers and was left out.")
                continue
            own: list[PaperText | str] = []
            for paper in papers:
                own += _paper(paper, path, number, warnings) if isinstance(paper, dict) else [text_of(paper)]
            yield reviewer, own


def _read_texts(path: Path, warnings: list[str]) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        for file in sorted(path.glob("*.txt")):
            if file.stat().st_size:
                yield file.stem, read_text(file).text
    else:
        for record in parse_json_lines(read_text(path).text, path.name, warnings):
            yield text_of(record.get("id") or record.get("paperId")), text_of(record.get("text"))


def check_out(path: Path) -> None:
    """Raises BadInput if the file name ends in neither .csv nor .parquet."""
    if path.suffix not in (".csv", ".parquet"):
        raise not_computed(f"{path.name} doesn't end in .csv or .parquet.", "Use one of these endings for --out.")


def write_scores(path: Path, papers: Sequence[str], reviewers: Sequence[str], blocks: Iterable[Block]) -> int:
    """Writes all blocks to ``path``, completely or not at all, and returns the number of pairs. Computes the first
    block before opening the file. Raises EnvironmentProblem if it can't be written."""
    check_out(path)
    blocks = iter(blocks)
    first = next(blocks, None)
    pairs = 0
    try:
        with (
            whole_file(path.resolve(), replace=True, mode=EXPORTED_FILE) as unfinished,
            pair_writer(unfinished, papers, reviewers, parquet=path.suffix == ".parquet") as write,
        ):
            for block in chain([] if first is None else [first], blocks):
                write(block.submissions, block.reviewers, block.scores)
                pairs += len(block.scores)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path} couldn't be written: {error.strerror or error}.", "The scores so far are kept next to it.",
            "Free some space, then run the command again with --resume.",
        ) from error  # fmt: skip
    return pairs


# Tables for assigning reviewers: scores, loads, conflicts of interest and bids.

_NOTHING_ASSIGNED = "Nothing was assigned."
_MOST = 10_000_000
"""Maximum of papers times reviewers; each pair takes about 40 bytes."""
_PAPER = Field("paper", ("paper", "submission", "paper id", "submission id", "forum", "head"))
_REVIEWER = Field("reviewer", ("reviewer", "reviewer id", "user", "profile", "tail", "email"))
_SCORE = Field("score", ("score", "weight", "similarity", "affinity"), "number")
_LOAD = Field("load", ("load", "max papers", "quota", "max", "papers", "weight"), "number")
_BID = Field("bid", ("bid", "preference", "label", "weight"))
BIDS: Mapping[str, float] = {
    "very high": 1, "high": 0.5, "neutral": 0, "low": -0.5, "very low": -1,
    "eager": 1, "yes": 1, "willing": 0.5, "maybe": 0.5, "in a pinch": -0.5, "not willing": -1, "no": -1, "": 0,
}  # fmt: skip
"""Bids as named by OpenReview, CMT and EasyChair, as numbers from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Problem:
    """``scores``: papers × reviewers, NaN if a pair has a conflict or no score; ``loads``: the maximum number of papers
    per reviewer."""

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    scores: npt.NDArray[np.float64]
    loads: npt.NDArray[np.int64]
    warnings: tuple[str, ...]


def read_problem(scores: Path, loads: Path, conflicts: Path | None = None, bids: Path | None = None) -> Problem:
    """Reads the tables. Without column names they have paper, reviewer, number; the table of loads has reviewer,
    number.

    A bid b multiplies a score's distance from the lowest score by 2 to the power of b. Rows about pairs or reviewers
    without a score, and repeated pairs, are counted in ``warnings``. Raises BadInput for unreadable rows.
    """
    given = [(pair, _number(score, where)) for where, (*pair, score) in _rows(scores, _SCORE)]
    found = {(paper, reviewer): score for (paper, reviewer), score in given}
    if not found:
        raise BadInput(f"{scores.name} has no scores.", _NOTHING_ASSIGNED, "Write it with rejoinder similarity score.")
    papers, reviewers = (tuple(dict.fromkeys(pair[at] for pair in found)) for at in (0, 1))
    rows, columns = ({name: at for at, name in enumerate(names)} for names in (papers, reviewers))
    if len(papers) * len(reviewers) > _MOST:
        raise BadInput(
            f"{scores.name} has {len(papers):,} papers and {len(reviewers):,} reviewers, more than fit into memory.",
            _NOTHING_ASSIGNED, "Assign the reviewers of one track after the other.",
        )  # fmt: skip
    matrix = np.full((len(papers), len(reviewers)), np.nan)
    for (paper, reviewer), score in found.items():
        matrix[rows[paper], columns[reviewer]] = score
    warnings = []
    if again := len(given) - len(found):
        said = counted(again, "row repeats a pair", "rows repeat a pair")
        warnings.append(f"{scores.name}: {said}; its last score counts.")

    def known(path: Path, field: Field) -> Iterator[tuple[str, int, int, str]]:
        unknown = 0
        for where, (paper, reviewer, value) in _rows(path, field, rows):
            if (paper, reviewer) in found:
                yield where, rows[paper], columns[reviewer], value
            else:
                unknown += 1
        if unknown:
            said = counted(unknown, "row about a pair without a score was", "rows about pairs without a score were")
            warnings.append(f"{path.name}: {said} left out.")

    if bids:
        low = np.nanmin(matrix)
        for where, row, column, bid in known(bids, _BID):
            power = BIDS.get(bid.casefold())
            power = _number(bid, where) if power is None else power
            if not -1 <= power <= 1:
                raise BadInput(f"{where}: the bid {bid} isn't between -1 and 1.", _NOTHING_ASSIGNED, "Scale the bids.")
            matrix[row, column] = low + (found[papers[row], reviewers[column]] - low) * 2**power
    if conflicts:
        for _, row, column, _ in known(conflicts, Field("", (), needed=False)):
            matrix[row, column] = np.nan
    most = np.full(len(reviewers), -1)
    unknown = 0
    for where, (_, reviewer, load) in _rows(loads, _LOAD, papers=False):
        if reviewer not in columns:
            unknown += 1
            continue
        most_papers = _number(load, where)
        if most_papers < 0 or not most_papers.is_integer():
            raise BadInput(
                f"{where}: the load {load} isn't a whole number.", _NOTHING_ASSIGNED, "Correct it, then try again."
            )
        most[columns[reviewer]] = min(most_papers, len(papers))
    if unknown:
        left = counted(unknown, "reviewer without a score was", "reviewers without a score were")
        warnings.append(f"{loads.name}: {left} left out.")
    if missing := int((most < 0).sum()):
        warnings.append(f"{counted(missing, 'reviewer')} without a load in {loads.name} got no papers.")
    return Problem(papers, reviewers, matrix, most.clip(0), tuple(warnings))


def _rows(
    path: Path, value: Field, known: Collection[str] = (), *, papers: bool = True
) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yields each row's position for messages, its paper ("" without ``papers``), reviewer and value ("" for
    conflicts). A first line that contains a number or a ``known`` paper isn't a header."""
    table = read_table(path)
    fields = [*([_PAPER] if papers else []), _REVIEWER, *([value] if value.name else [])]
    plan = plan_columns(table, fields)
    rows = list(zip(table.numbers, table.rows, strict=True))
    data = any(name in known or number(name) is not None for name in table.columns)
    if "name" in plan.reasons.values() and not data:
        places = [table.columns.index(column) if (column := plan.columns[field.name]) else -1 for field in fields]
    else:  # no header
        places = [at if at < len(table.columns) else -1 for at in range(len(fields))]
        if table.columns[:1] != ("column 1",):
            rows.insert(0, (1, table.columns))
    if -1 in places:
        raise BadInput(
            f"{path.name} has no column for the {fields[places.index(-1)].name}.", _NOTHING_ASSIGNED,
            f"Its columns must be {', '.join(field.name for field in fields)}.",
        )  # fmt: skip
    for at, row in rows:
        cells = [row[place].strip() for place in places]
        if not all(cells[: len(cells) - bool(value.name)]):
            raise BadInput(
                f"{path.name}, row {at}, has an empty name.", _NOTHING_ASSIGNED, "Fill it in, or remove the row."
            )
        cells = ([] if papers else [""]) + cells + ([] if value.name else [""])
        yield f"{path.name}, row {at}", (cells[0], cells[1], cells[2])


def _number(cell: str, where: str) -> float:
    try:
        found = float(cell)
    except ValueError:
        found = float("nan")
    if not math.isfinite(found):
        raise BadInput(
            f"{where}: “{cell}” isn't a number.", _NOTHING_ASSIGNED, "Correct it, with a point as the decimal mark."
        )
    return found
