"""Reads and writes expertise gold standards in the released layout (one file per paper); also reads JSON Lines.

Both have ``evaluations.csv`` (tab-separated: ParticipantID, Paper1..10, Expertise1..10) and ``participants/<id>.json``.
Papers are in ``papers/<id>.json`` or ``papers.jsonl[.xz]``, full texts in ``txts/<id>.json`` or ``<id>.txt`` or
``texts.jsonl[.xz]``, profile draws in ``profiles_*.json``. Only ``evaluations.csv`` is required.
"""

import json
import lzma
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from engine.errors import not_read, not_written
from engine.exchange import limits
from engine.exchange.encoding import decode, file_in, read_text
from engine.exchange.io import csv_text, parse_table
from engine.exchange.jsontext import layout, parse_json, parse_json_lines
from engine.exchange.publications import released_paper
from engine.exchange.records import Export, ExportFile
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import GoldStandard, PaperText, Participant, Rating, Study
from engine.expertise.store import SurveyStore
from engine.papers.catalogues import semantic_scholar_paper
from engine.papers.records import LibraryPaper
from engine.project import Project, new_id

MOST_PAPERS = 10
"""Maximum number of papers that a participant may rate in this layout."""


def read_gold_standard(folder: Path) -> GoldStandard:
    """Reads the data set in a folder. Raises BadInput, with file and line, if it has another layout."""
    if not (folder / "evaluations.csv").is_file():
        raise not_read(f"{folder} has no evaluations.csv.", "Choose the folder of a released expertise data set.")
    ratings = _ratings(folder / "evaluations.csv")
    texts = _texts(folder)
    papers = {key: _paper(key, record, texts.get(key, "")) for key, record in paper_records(folder)}
    named = dict.fromkeys(rating.participant for rating in ratings)
    for rating in ratings:
        # A rated paper without a record is kept; only trivial algorithms can score it.
        papers.setdefault(rating.paper, PaperText(rating.paper, ""))
    return GoldStandard(tuple(_participant(folder, person) for person in named), ratings, papers, _draws(folder))


def read_predictions(folder: Path) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Returns published similarity scores: "<algorithm>_<draw>_<t|ta|f>" to participant to paper to score. Reads
    ``published_predictions.json[.xz]`` or, as released, ``predictions/<name>.json``; empty if there are none."""
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
        raise not_read(f"{name} contains no JSON object.", "Copy the data set again.")
    return value


def _text(path: Path) -> str:
    if path.suffix == ".xz":
        try:
            with lzma.open(path) as stream:
                data = stream.read(limits.FILE_BYTES + 1)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise not_read(f"{path.name} can't be read ({error}).", "Copy the data set again.") from error
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
            raise not_read(f"evaluations.csv, line {number}: the ParticipantID is missing.")
        for place in range(1, MOST_PAPERS + 1):
            paper, value = row.get(f"Paper{place}", "").strip(), row.get(f"Expertise{place}", "").strip()
            if not paper:
                continue
            try:
                rating = float(value)
            except ValueError:
                rating = 0.0
            if not 1.0 <= rating <= 5.0:
                raise not_read(f"evaluations.csv, line {number}: “{value}” for {paper} isn't a rating from 1.0 to 5.0.")
            found.append(Rating(person, paper, rating))
    if not found:
        raise not_read("evaluations.csv contains no ratings.")
    return tuple(found)


def paper_records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the papers of a data set as stored, each with its key."""
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
            # A released text is a bag of words, expanded here to each word repeated by its count.
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


# Writing studies in the layout of the released gold standard (Stelmakh et al. 2023), and importing such data. E-mail
# addresses, notes and times are never written.

HEADER = (
    "ParticipantID",
    *(f"Paper{place}" for place in range(1, MOST_PAPERS + 1)),
    *(f"Expertise{place}" for place in range(1, MOST_PAPERS + 1)),
)
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def release_study(project: Project, study_id: str, *, with_texts: bool = False) -> Export:
    """Returns the data set of a study as files with relative paths, and what they leave out. Participants who haven't
    agreed to take part are left out, which is reported. Raises BadInput if there are no ratings."""
    store = SurveyStore(project)
    kept = store.gold_standard(study_id, with_texts=with_texts, agreed_only=True)
    refused = len(store.participants(study_id)) - len(kept.participants)
    papers = {paper.id: paper for paper in store.library.papers(kept.papers)}
    said = []
    if refused:
        said.append(f"Left out because they haven't agreed to take part: {refused}.")
    without = sum(not paper.body for paper in kept.papers.values())
    if with_texts and without:
        said.append(f"Papers without a full text in this project: {without} of {len(kept.papers)}.")
    return write_release(kept, papers, said)


def write_release(gold: GoldStandard, papers: Mapping[str, LibraryPaper], said: list[str] | None = None) -> Export:
    """Writes ratings, participants and papers. A paper is named by its source id if that is a safe file name. Raises
    BadInput if there are no ratings."""
    if not gold.ratings:
        raise not_written("Nobody has rated a paper yet.", "Merge the returned files first.")
    loss = list(said or ())
    name = _names(gold, papers)
    used = [r.paper for r in gold.ratings] + [paper for p in gold.participants for paper in p.papers]
    used_papers = list(dict.fromkeys(used))
    rows = [list(HEADER)]
    files = []
    taken: set[str] = set()
    for person in gold.participants:
        rated = [(name[r.paper], r.value) for r in gold.ratings if r.participant == person.id]
        if not rated:
            loss.append(f"{person.name or person.id} has rated nothing and was left out.")
            continue
        if len(rated) > MOST_PAPERS:
            loss.append(
                f"{person.name or person.id} rated {len(rated)} papers, but the layout only has room for {MOST_PAPERS}."
                f" The last {len(rated) - MOST_PAPERS} were left out."
            )
            rated = rated[:MOST_PAPERS]
        called = _free(person.id, taken)
        empty = [""] * (MOST_PAPERS - len(rated))
        rows.append([called, *(p for p, _ in rated), *empty, *(str(v) for _, v in rated), *empty])
        document = {
            "authorId": person.id,
            "name": person.name,
            "papers": [{"paperId": name[paper]} for paper in person.papers],
        }
        files.append(_json_file(f"participants/{called}.json", document))
    # The release's code joins identifiers with file names; ``_plain`` left no formula characters in them.
    table = csv_text(rows, delimiter="\t", guard=False)
    files.insert(0, ExportFile("evaluations.csv", table.encode()))
    for key in used_papers:
        paper = papers.get(key) or LibraryPaper(key, gold.papers[key].title if key in gold.papers else "")
        files.append(_json_file(f"papers/{name[key]}.json", released_paper(paper) | {"ssId": name[key]}))
        text = gold.papers[key].body if key in gold.papers else ""
        if text:
            files.append(ExportFile(f"txts/{name[key]}.txt", text.encode("utf-8", "replace")))
    return Export(tuple(files), tuple(loss))


def _names(gold: GoldStandard, papers: Mapping[str, LibraryPaper]) -> dict[str, str]:
    """Returns a unique name for each paper, also on case-insensitive file systems."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key in gold.papers:
        source = papers[key].source_id if key in papers else ""
        found[key] = _free(source if _SAFE.fullmatch(source) and source.lower() not in taken else key, taken)
    return found


def _free(key: str, taken: set[str]) -> str:
    """Returns an id as a file name that isn't ``taken`` yet, and adds it there: "李明" and "王芳" both become "__"."""
    plain = _plain(key)
    name = next(name for n in count(1) if (name := plain if n == 1 else f"{plain}-{n}").lower() not in taken)
    taken.add(name.lower())
    return name


def _plain(key: str) -> str:
    """Returns an id as a file name; ids of people are external and may contain any characters."""
    return key if _SAFE.fullmatch(key) else "".join(ch if _SAFE.fullmatch(ch) else "_" for ch in key)[:100] or "_"


def _json_file(name: str, document: Any) -> ExportFile:
    return ExportFile(name, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))


def import_release(project: Project, folder: Path, *, title: str = "") -> str:
    """Imports the data set in a folder as a study in one undo step, and returns the study's key. Raises BadInput, with
    nothing imported, if the folder has another layout."""
    gold = read_gold_standard(folder)
    papers = [
        semantic_scholar_paper({**record, "paperId": key})
        for key, record in paper_records(folder)
        if key in gold.papers
    ]
    study = Study("", new_id(), "organiser", title.strip() or folder.resolve().name or "Imported data set")
    return MergeStore(project).import_gold_standard(gold, study, folder.name, papers=papers)
