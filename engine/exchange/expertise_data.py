"""Reading a gold standard of expertise: the released layout (a file a paper), or the same packed into JSON lines.

``evaluations.csv`` (tab-separated: ParticipantID, Paper1..10, Expertise1..10) and ``participants/<id>.json`` stand in
both. Papers stand in ``papers/<id>.json`` or ``papers.jsonl[.xz]``, full texts in ``txts/<id>.json`` or ``<id>.txt`` or
``texts.jsonl[.xz]``, profile draws in ``profiles_*.json``, all of them optional but the papers.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.encoding import decode, file_in, read_text
from engine.exchange.io import parse_table
from engine.exchange.jsontext import layout, parse_json, parse_json_lines
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating

_NOTHING = "Nothing was read."
MOST_PAPERS = 10
"""How many papers a participant may rate in this layout."""


def read_gold_standard(folder: Path) -> GoldStandard:
    """The data set in a folder. Raises BadInput, with file and line, where it does not follow the layout."""
    if not (folder / "evaluations.csv").is_file():
        raise BadInput(
            f"{folder} has no evaluations.csv.", _NOTHING, "Choose the folder of a released expertise data set."
        )
    ratings = _ratings(folder / "evaluations.csv")
    texts = _texts(folder)
    papers = {key: _paper(key, record, texts.get(key, "")) for key, record in paper_records(folder)}
    named = dict.fromkeys(rating.participant for rating in ratings)
    for rating in ratings:
        # A rated paper of which nothing else is known still counts: it can be scored by nobody but the trivial.
        papers.setdefault(rating.paper, PaperText(rating.paper, ""))
    return GoldStandard(tuple(_participant(folder, person) for person in named), ratings, papers, _draws(folder))


def read_predictions(folder: Path) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Published similarity scores in a folder: "<algorithm>_<draw>_<t|ta|f>" to participant to paper to score.

    Read from ``published_predictions.json[.xz]`` or, as released, ``predictions/<name>.json``; empty where neither is.
    """
    for name in ("published_predictions.json.xz", "published_predictions.json"):
        if (folder / name).is_file():
            return {key: _scores(scores, name) for key, scores in _object(_json(folder / name), name).items()}
    files = sorted((folder / "predictions").glob("*.json"))
    return {file.stem: _scores(_json(file), file.name) for file in files}


def _scores(found: Any, name: str) -> Mapping[str, Mapping[str, float]]:
    with layout(name, "similarity scores by participant and paper"):
        return {person: {paper: float(score) for paper, score in own.items()} for person, own in found.items()}


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{name} contains no JSON object.", _NOTHING, "Copy the data set again.")
    return value


def _text(path: Path) -> str:
    if path.suffix == ".xz":
        try:
            with lzma.open(path) as stream:
                data = stream.read(limits.FILE_BYTES + 1)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise BadInput(f"{path.name} can't be read ({error}).", _NOTHING, "Copy the data set again.") from error
        limits.check_size(len(data), limits.FILE_BYTES, path.name)
        return decode(data, path.name).text
    return read_text(path).text


def _json(path: Path) -> Any:
    return parse_json(_text(path), path.name)


def _json_lines(folder: Path, stem: str) -> Iterator[dict[str, Any]]:
    for name in (f"{stem}.jsonl.xz", f"{stem}.jsonl"):
        path = folder / name
        if path.is_file():
            yield from parse_json_lines(_text(path), name)
            return


def _ratings(path: Path) -> tuple[Rating, ...]:
    found = []
    for number, row in parse_table(_text(path), path.name, delimiter="\t", guard=False).records():
        person = row.get("ParticipantID", "").strip()
        if not person:
            raise BadInput(f"evaluations.csv, line {number}: the ParticipantID is missing.", _NOTHING)
        for place in range(1, MOST_PAPERS + 1):
            paper, value = row.get(f"Paper{place}", "").strip(), row.get(f"Expertise{place}", "").strip()
            if not paper:
                continue
            try:
                rating = float(value)
            except ValueError:
                rating = 0.0
            if not 1.0 <= rating <= 5.0:
                raise BadInput(
                    f"evaluations.csv, line {number}: “{value}” for {paper} isn't a rating from 1.0 to 5.0.", _NOTHING
                )
            found.append(Rating(person, paper, rating))
    if not found:
        raise BadInput("evaluations.csv contains no ratings.", _NOTHING)
    return tuple(found)


def paper_records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The papers of a data set as they stand in it, each with its key."""
    packed = False
    for record in _json_lines(folder, "papers"):
        packed = True
        yield str(record.get("ssId") or record.get("paperId") or record.get("id") or ""), record
    if not packed:
        for file in sorted((folder / "papers").glob("*.json")):
            yield file.stem, dict(_object(_json(file), file.name))


def _paper(key: str, record: Mapping[str, Any], text: str) -> PaperText:
    year = record.get("year")
    authors = record.get("authors") or ()
    with layout(f"The paper {key[:80]}", "a paper of the expertise data"):
        return PaperText(
            key,
            str(record.get("title") or ""),
            str(record.get("abstract") or ""),
            text,
            int(year) if year else 0,
            tuple(str(author.get("name", "") if isinstance(author, dict) else author) for author in authors),
        )


def _texts(folder: Path) -> dict[str, str]:
    with layout("A line of texts.jsonl", "a full text of the expertise data"):
        packed = {str(record["paperId"]): str(record["text"]) for record in _json_lines(folder, "texts")}
    if packed:
        return packed
    found = {}
    for file in sorted((folder / "txts").glob("*")):
        if file.suffix == ".txt":
            found[file.stem] = read_text(file, empty=True).text
        elif file.suffix == ".json":
            value = _json(file)
            # As released a text is a bag of words; written out, each word as often as it is in the paper.
            words = value.items() if isinstance(value, dict) else ()
            with layout(file.name, "a text, or words with how often they occur"):
                limits.check_size(sum((len(w) + 1) * int(n) for w, n in words), limits.CELL_CHARACTERS, file.name)
                found[file.stem] = value if isinstance(value, str) else " ".join(" ".join([w] * n) for w, n in words)
    return found


def _participant(folder: Path, person: str) -> Participant:
    path = file_in(folder / "participants", f"{person}.json")
    if path is None:
        return Participant(person)
    record = _json(path)
    with layout(path.name, "a participant of the expertise data"):
        return Participant(
            person,
            str(record.get("name") or ""),
            tuple(str(paper["paperId"]) for paper in record.get("papers") or () if paper.get("paperId")),
        )


def _draws(folder: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for file in sorted(folder.glob("profiles_*.json")):
        with layout(file.name, "draws of profiles"):
            for name, profiles in _json(file).items():
                found[name] = {person: tuple(map(str, papers)) for person, papers in profiles.items()}
    return found
