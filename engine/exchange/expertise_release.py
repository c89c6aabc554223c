"""A study as a data set in the layout of the released gold standard (Stelmakh et al. 2023), and such data as a study.

``evaluations.csv`` is tab-separated (ParticipantID, Paper1..10, Expertise1..10); ``participants/<id>.json`` and
``papers/<id>.json`` are in the shape of Semantic Scholar's; ``txts/<id>.txt`` are full texts. Reading is
``engine.exchange.expertise_data.read_gold_standard``. E-mail addresses, notes and times are in none of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.exchange.expertise_data import MOST_PAPERS, paper_records, read_gold_standard
from engine.exchange.io import csv_text
from engine.exchange.publications import released_paper
from engine.exchange.records import Export, ExportFile, LossReport
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import GoldStandard, Study
from engine.expertise.store import SurveyStore
from engine.papers.catalogues import semantic_scholar_paper
from engine.papers.records import LibraryPaper
from engine.project import Project, new_id

HEADER = (
    "ParticipantID",
    *(f"Paper{place}" for place in range(1, MOST_PAPERS + 1)),
    *(f"Expertise{place}" for place in range(1, MOST_PAPERS + 1)),
)
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def release_study(project: Project, study_id: str, *, with_texts: bool = False) -> Export:
    """The data set of a study: the files of a folder (names with folders in them), and what they do not hold.

    Participants who did not agree to take part are left out, and said so.

    Raises:
        BadInput: nobody has rated anything.
    """
    store = SurveyStore(project)
    kept = store.gold_standard(study_id, with_texts=with_texts, agreed_only=True)
    refused = len(store.participants(study_id)) - len(kept.participants)
    papers = {paper.id: paper for paper in store.library.papers(kept.papers)}
    said = []
    if refused:
        said.append(f"Left out because they haven't agreed to take part: {refused}.")
    return write_release(kept, papers, said)


def write_release(gold: GoldStandard, papers: Mapping[str, LibraryPaper], said: list[str] | None = None) -> Export:
    """Ratings, participants and papers as files. A paper goes by its source id where that can be a file's name.

    Raises:
        BadInput: there is no rating.
    """
    if not gold.ratings:
        raise BadInput("Nobody has rated a paper yet.", "Nothing was written.", "Merge the returned files first.")
    loss = list(said or ())
    name = _names(gold, papers)
    used = [r.paper for r in gold.ratings] + [paper for p in gold.participants for paper in p.papers]
    used_papers = list(dict.fromkeys(used))
    rows = [list(HEADER)]
    files = []
    for person in gold.participants:
        rated = [(name[r.paper], r.value) for r in gold.ratings if r.participant == person.id]
        if not rated:
            loss.append(f"{person.name or person.id} has rated nothing and was left out.")
            continue
        if len(rated) > MOST_PAPERS:
            loss.append(
                f"{person.name or person.id} rated {len(rated)} papers, but the layout only has room for {MOST_PAPERS}."
            )
            rated = rated[:MOST_PAPERS]
        empty = [""] * (MOST_PAPERS - len(rated))
        rows.append([_plain(person.id), *(p for p, _ in rated), *empty, *(str(v) for _, v in rated), *empty])
        document = {
            "authorId": person.id,
            "name": person.name,
            "papers": [{"paperId": name[paper]} for paper in person.papers],
        }
        files.append(_json_file(f"participants/{_plain(person.id)}.json", document))
    # Identifiers are joined with the names of files by the release's own code; ``_plain`` left no sign in them.
    table = csv_text(rows, delimiter="\t", guard=False)
    files.insert(0, ExportFile("evaluations.csv", table.encode(), "text/tab-separated-values"))
    for key in used_papers:
        paper = papers.get(key) or LibraryPaper(key, gold.papers[key].title if key in gold.papers else "")
        files.append(_json_file(f"papers/{name[key]}.json", released_paper(paper) | {"ssId": name[key]}))
        text = gold.papers[key].body if key in gold.papers else ""
        if text:
            files.append(ExportFile(f"txts/{name[key]}.txt", text.encode("utf-8", "replace"), "text/plain"))
    return Export(tuple(files), LossReport(tuple(loss)))


def _names(gold: GoldStandard, papers: Mapping[str, LibraryPaper]) -> dict[str, str]:
    """A name for each paper, no two alike (also where a file system folds case)."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for key in gold.papers:
        source = papers[key].source_id if key in papers else ""
        name = source if _SAFE.fullmatch(source) and source.lower() not in taken else _plain(key)
        taken.add(name.lower())
        found[key] = name
    return found


def _plain(key: str) -> str:
    """An id as a file's name; ids of people come from outside and may hold anything."""
    return key if _SAFE.fullmatch(key) else "".join(ch if _SAFE.fullmatch(ch) else "_" for ch in key)[:100] or "_"


def _json_file(name: str, document: Any) -> ExportFile:
    return ExportFile(name, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"), "application/json")


def import_release(project: Project, folder: Path, *, title: str = "") -> str:
    """Brings the data set in a folder into the project as a study; returns its key there. One undo step.

    Raises:
        BadInput: the folder does not follow the layout. Nothing was imported then.
    """
    gold = read_gold_standard(folder)
    papers = [
        semantic_scholar_paper({**record, "paperId": key})
        for key, record in paper_records(folder)
        if key in gold.papers
    ]
    study = Study("", new_id(), "organiser", title.strip() or folder.resolve().name or "Imported data set")
    return MergeStore(project).import_gold_standard(gold, study, folder.name, papers=papers)
