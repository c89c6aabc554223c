"""The survey and the library: actions while a person waits, files, merging, and metadata found in PDFs."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.documents.service import DocumentService
from engine.exchange.bibtex import read_bibtex
from engine.exchange.expertise_data import import_release
from engine.exchange.expertise_report import summary_of
from engine.exchange.study_file import preview_release, read_answers_file
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import ProfileRow, Study, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import GRID, new_study, remarks
from engine.papers.library import duplicates, title_key
from engine.papers.pdf_metadata import pdf_paper
from engine.papers.records import LibraryPaper
from engine.project import Project

LIBRARY, FILES = 5_000, 60


def _figure(value: float, unit: str, better: str, target: float | None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _papers(count: int) -> list[LibraryPaper]:
    words = (
        "reading",
        "long",
        "reports",
        "under",
        "pressure",
        "many",
        "hands",
        "few",
        "eyes",
        "slow",
        "light",
        "rooms",
    )
    rng = random.Random(0)
    return [
        LibraryPaper(
            "", f"{' '.join(rng.choices(words, k=8)).capitalize()} {n}", "An abstract. " * 60, 1990 + n % 35,
            authors=("Ada Example", f"B. Other{n}"), doi=f"10.1000/{n}" if n % 2 else "",
        )
        for n in range(count)
    ]  # fmt: skip


def _acts() -> dict[str, dict[str, Any]]:
    papers = _papers(LIBRARY)
    with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder) / "s.rejoinder") as project:
        store = SurveyStore(project)
        filling = _timed(lambda: store.library.add_all(papers, join="sources"))
        person = store.open_study(new_study(key="k"), filename="s").id
        adding = [
            _timed(lambda n=n: store.add_row(person, LibraryPaper("", f"A new paper number {n}"))) for n in range(10)
        ]
        rows = store.rows(person)
        rating = [_timed(lambda n=n: store.rate(rows[n % 10].id, GRID[n % 17])) for n in range(40)]
        index = store.library.index()
        searching = [_timed(lambda w=w: index.search(w)) for w in ("reports under", "slow light", "few eyes many") * 5]
        study, participant = store.studies()[0], store.participant(person)
        saying = [_timed(lambda: remarks(study, participant, store.rows(person), ())) for _ in range(10)]
        grouping = _timed(lambda: duplicates(store.library.papers()))
    return {
        "fill_library_5000": _figure(filling, "s", "lower", 5.0),
        "add_paper_among_5000": _figure(statistics.median(adding) * 1000, "ms", "lower", 50.0),
        "rate": _figure(statistics.median(rating) * 1000, "ms", "lower", 16.0),
        "search_5000": _figure(statistics.median(searching) * 1000, "ms", "lower", 50.0),
        "remarks_10_rows": _figure(statistics.median(saying) * 1000, "ms", "lower", 16.0),
        "duplicates_among_5000": _figure(grouping, "s", "lower", 3.0),
    }


def _answers(study: Study, number: int, papers: list[LibraryPaper]) -> bytes:
    person = SurveyParticipant("", "", f"person-{number}", f"Person{number} Example", "2026")
    keyed = [
        LibraryPaper(f"l{n}", p.title, p.abstract, p.year, authors=p.authors, doi=p.doi) for n, p in enumerate(papers)
    ]
    rows = [SurveyRow(f"r{n}", "", paper, GRID[n]) for n, paper in enumerate(keyed[:10])]
    own = [ProfileRow(f"o{n}", "", paper) for n, paper in enumerate(keyed[10:])]
    return preview_release(study, person, rows, own, written_at="2026-01-01T00:00:00Z").file.content


def _files() -> dict[str, dict[str, Any]]:
    papers = _papers(FILES * 20)
    bibtex = "\n".join(
        f"@article{{p{number}, title={{{p.title}}}, author={{{' and '.join(p.authors)}}}, year={p.year},"
        f" abstract={{{p.abstract}}}}}"
        for number, p in enumerate(papers[:500])
    )
    with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder) / "s.rejoinder") as project:
        store, merging = SurveyStore(project), MergeStore(project)
        study_id = store.add_study(new_study(key="k"))
        study = store.study(study_id)
        files = [_answers(study, n, papers[n * 20 : n * 20 + 30]) for n in range(FILES)]

        def merge() -> None:
            for n, content in enumerate(files):
                merging.apply(merging.plan(study_id, read_answers_file(content, f"{n}"), f"{n}"))

        seconds = _timed(merge)
        counting = _timed(lambda: summary_of(project, study_id))
    return {
        "bibtex_500_entries": _figure(_timed(lambda: read_bibtex(bibtex)), "s", "lower", 3.0),
        "merge_a_file": _figure(seconds / FILES * 1000, "ms", "lower", 150.0),
        "summary_60_participants": _figure(counting, "s", "lower", 2.0),
    }


def _real(data_folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    if (data_folder / "expertise").is_dir():
        with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder) / "s.rejoinder") as project:
            seconds = _timed(lambda: import_release(project, data_folder / "expertise"))
        found["import_gold_standard"] = _figure(seconds, "s", "lower", 20.0)
    if (data_folder / "revisions").is_dir():
        titles, abstracts = [], []
        with DocumentService() as service:
            for file in sorted((data_folder / "revisions").rglob("*.pdf")):
                parsed = service.parse(file)
                paper = pdf_paper(parsed)
                titles.append(title_key(paper.title) == title_key(parsed.title))
                abstracts.append(600 < len(paper.abstract) < 2500)
        found["pdf_titles"] = _figure(statistics.fmean(titles), "share", "higher", 1.0)
        found["pdf_abstracts"] = _figure(statistics.fmean(abstracts), "share", "higher", 1.0)
    return found


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the speed, and figures on real files if the measuring data are available."""
    found = _acts() | _files()
    return found if data_folder is None else found | _real(data_folder)
