"""Reads and writes the data layout of OpenReview's expertise models: reviewers' publications, and submissions.

``archives/~id.jsonl`` has a reviewer's publications, one JSON object per line; submissions are in
``submissions.jsonl``, ``submissions.json`` (a list, or an object by id) or ``submissions/<id>.jsonl``. An object is
``{"id", "content": {"title", "abstract"}}``; values of API version 2 (``{"value": ...}``) are supported. See
https://github.com/openreview/openreview-expertise
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import BadInput, not_imported, not_read
from engine.exchange.encoding import read_text
from engine.exchange.jsontext import parse_json, parse_json_lines, text_of
from engine.exchange.records import Export, ExportFile
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating, Study
from engine.project import Project, new_id
from engine.shown import counted


@dataclass(frozen=True, slots=True)
class OpenReviewData:
    """Submissions, and reviewers with their publications, in the order of the files."""

    submissions: tuple[PaperText, ...]
    profiles: tuple[tuple[str, tuple[PaperText, ...]], ...]
    warnings: tuple[str, ...] = ()


def read_openreview_expertise(folder: Path) -> OpenReviewData:
    """Reads the data set in a folder. Raises BadInput if it contains neither archives nor submissions."""
    warnings: list[str] = []
    profiles = tuple(iter_profiles(folder / "archives", warnings)) if (folder / "archives").is_dir() else ()
    source = submissions_in(folder)
    submissions = tuple(iter_submissions(source, warnings)) if source is not None else ()
    if not profiles and not submissions:
        raise not_read(
            f"{folder.name or folder} contains no OpenReview data set.",
            "Choose the folder with “archives” and “submissions.jsonl” in it.",
        )
    return OpenReviewData(submissions, profiles, tuple(warnings))


def submissions_in(folder: Path) -> Path | None:
    for name in ("submissions.jsonl", "submissions.json", "submissions"):
        if (folder / name).exists():
            return folder / name
    return None


def iter_profiles(archives: Path, bad: list[str] | None = None) -> Iterator[tuple[str, tuple[PaperText, ...]]]:
    """Yields each reviewer's id (the file's stem, with its tilde) and publications, ordered by file name. Unreadable
    parts of an archive raise BadInput, or are left out and described in ``bad`` if it is given."""
    for file in sorted(archives.glob("*.jsonl")):
        yield file.stem, tuple(_papers(file, bad))


def iter_submissions(source: Path, bad: list[str] | None = None) -> Iterator[PaperText]:
    """Yields the submissions of a file or folder in its order; ``bad`` as in ``iter_profiles``."""
    if source.is_dir():
        for file in sorted([*source.glob("*.jsonl"), *source.glob("*.json")]):
            yield from _papers(file, bad, default=file.stem)
    elif source.suffix == ".json":
        document = parse_json(_text(source), source.name)
        if isinstance(document, dict):
            document = [{"id": key, **value} for key, value in document.items() if isinstance(value, dict)]
        if not isinstance(document, list):
            raise not_read(f"{source.name} contains no list of submissions.")
        yield from _named([item for item in document if isinstance(item, dict)], source.name, bad)
    else:
        yield from _papers(source, bad)


def _text(file: Path) -> str:
    # An empty archive is valid: a reviewer without publications.
    return read_text(file, empty=True).text


def _papers(file: Path, bad: list[str] | None, default: str = "") -> Iterator[PaperText]:
    try:
        text = _text(file)
    except BadInput as error:
        if bad is None:
            raise
        bad.append(f"{error.what} It was left out.")
        return
    yield from _named(parse_json_lines(text, file.name, bad), file.name, bad, default)


def _named(
    records: Iterable[Mapping[str, Any]], name: str, bad: list[str] | None, default: str = ""
) -> Iterator[PaperText]:
    papers = [_paper(record, default) for record in records]
    nameless = sum(not paper.id for paper in papers)
    if nameless and bad is not None:
        bad.append(f"{name}: {counted(nameless, 'entry', 'entries')} without an id left out.")
    yield from (paper for paper in papers if paper.id)


def _paper(record: Mapping[str, Any], default: str) -> PaperText:
    content = record.get("content")
    content = content if isinstance(content, dict) else {}
    authors = _value(content.get("authors"))
    return PaperText(
        id=text_of(record.get("id") or default),
        title=text_of(_value(content.get("title"))),
        abstract=text_of(_value(content.get("abstract"))),
        year=_year(record, content),
        authors=tuple(map(text_of, authors)) if isinstance(authors, list) else (),
    )


def _value(value: Any) -> Any:
    return value.get("value") if isinstance(value, dict) else value


def _year(record: Mapping[str, Any], content: Mapping[str, Any]) -> int:
    given = _value(content.get("year"))
    if isinstance(given, int | str) and str(given).isdecimal() and len(str(given)) == 4 and 1000 <= int(given) <= 9999:
        return int(given)
    for key in ("pdate", "cdate", "tcdate"):
        moment = record.get(key)
        if isinstance(moment, int | float) and not isinstance(moment, bool) and 0 < moment < 4e12:
            return datetime.fromtimestamp(moment / 1000, UTC).year
    return 0


def write_openreview_expertise(data: OpenReviewData) -> Export:
    """Returns the data set as files of a folder. Reviewers' ids get a leading tilde if they lack it; full texts are
    left out."""
    files = []
    for reviewer, papers in data.profiles:
        files.append(_lines(f"archives/{archive_name(reviewer)}.jsonl", papers))
    files.append(_lines("submissions.jsonl", data.submissions))
    loss = []
    bodies = sum(bool(p.body) for p in (*data.submissions, *(p for _, papers in data.profiles for p in papers)))
    if bodies:
        loss.append(
            f"The layout has only titles and abstracts, so the full text of {counted(bodies, 'paper')} is left out."
        )
    return Export(tuple(files), tuple(loss))


def of_gold_standard(gold: GoldStandard) -> OpenReviewData:
    """Converts rated papers to submissions and participants to reviewers, as the models are evaluated on them."""
    rated = dict.fromkeys(rating.paper for rating in gold.ratings)
    profiles = tuple(
        (person.id, tuple(gold.papers[paper] for paper in person.papers if paper in gold.papers))
        for person in gold.participants
    )
    return OpenReviewData(tuple(gold.papers[paper] for paper in rated), profiles)


def import_openreview_expertise(project: Project, folder: Path) -> str:
    """Imports the data set in a folder as a study without ratings, in one undo step: reviewers become participants with
    their publications, and all papers are added to the library. Returns the study's key.

    Raises BadInput, with nothing imported, if the folder has neither archives nor submissions or something is
    unreadable.
    """
    data = read_openreview_expertise(folder)
    if data.warnings:
        raise not_imported(data.warnings[0], "Correct the file, then import again.")
    gold = to_gold_standard(data)
    study = Study("", new_id(), "organiser", folder.resolve().name or "Imported data set")
    return MergeStore(project).import_gold_standard(gold, study, folder.name)


def _called(reviewer: str) -> str:
    """Returns the name in an OpenReview id: "~Ada_Example1" is Ada Example."""
    return re.sub(r"\d+$", "", reviewer.removeprefix("~")).replace("_", " ").strip() or reviewer


def to_gold_standard(data: OpenReviewData, ratings: Sequence[Rating] = ()) -> GoldStandard:
    """Converts reviewers to participants with their publications, and includes all papers; ``ratings`` are added."""
    papers = {paper.id: paper for _, own in data.profiles for paper in own}
    papers |= {paper.id: paper for paper in data.submissions}
    people = tuple(Participant(one, _called(one), tuple(paper.id for paper in own)) for one, own in data.profiles)
    return GoldStandard(people, tuple(ratings), papers, {})


def archive_name(reviewer: str) -> str:
    """Returns the file stem of a reviewer's archive: with a leading tilde and no invalid characters."""
    plain = "".join("_" if ch in '/\\:*?"<>|' or ord(ch) < 32 else ch for ch in reviewer)
    return plain if plain.startswith("~") else f"~{plain}"


def _lines(name: str, papers: Sequence[PaperText]) -> ExportFile:
    out = []
    for paper in papers:
        content: dict[str, Any] = {"title": paper.title, "abstract": paper.abstract}
        if paper.year:
            content["year"] = paper.year
        if paper.authors:
            content["authors"] = list(paper.authors)
        out.append(json.dumps({"id": paper.id, "content": content}, ensure_ascii=False) + "\n")
    return ExportFile(name, "".join(out).encode("utf-8", "replace"))
