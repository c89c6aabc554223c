"""A project with 50 papers, 3,000 comments and 10,000 edits: opening it, and reading a paper's data for panes.

The texts consist of made-up words. Edits are linked, suggested and answered, as in a project in use.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from desktop_app.panes.linking.study import TABLES, Study, StudyReader
from engine.documents.store import DocumentStore
from engine.exchange.rebuttals import Rebuttals
from engine.exchange.studies import Studies
from engine.operations.removing import affected
from engine.operations.targets import targets
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.rebuttal.records import Point
from engine.rebuttal.store import RebuttalStore
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.records import Edit, NewLink, RevisionDiff, Scored
from engine.revision.store import RevisionStore

PAPERS, COMMENTS, EDITS = 50, 3_000, 10_000
REVIEWERS = 3
SYLLABLES = ("ba", "co", "di", "fu", "ga", "he", "li", "mo", "nu", "pla", "sta", "tre")


def _words(chance: random.Random, count: int) -> str:
    return " ".join("".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(count))


def make(path: Path, papers: int = PAPERS, comments: int = COMMENTS, edits: int = EDITS) -> None:
    """Writes the project; the numbers are for the whole project, distributed evenly."""
    with Project.create(path, "Many papers", "Ada") as project:
        fill(project, papers, comments, edits)


def fill(project: Project, papers: int, comments: int, edits: int) -> None:
    """Adds papers, comments and edits with these total numbers to a project."""
    chance = random.Random(9)
    for number in range(papers):
        _paper(project, chance, number, comments // papers // REVIEWERS, edits // papers)


def _paper(project: Project, chance: random.Random, number: int, comments: int, edits: int) -> None:
    papers, documents, reviews = PaperStore(project), DocumentStore(project), ReviewStore(project)
    revisions, rebuttal = RevisionStore(project), RebuttalStore(project)
    with project.action(f"Paper {number}"):
        paper = papers.add_paper(f"{_words(chance, 6).capitalize()} {number}")
        keys = []
        for label in (SUBMITTED, REVISED):
            keys.append(documents.add_document(f"%PDF-1.7 {number} {label}".encode(), f"{number}-{label}.pdf"))
            papers.add_version(paper, keys[-1], label)
        texts = [(f"e{n}", f"s{n}", f"t{n}", _words(chance, 60), _words(chance, 70)) for n in range(edits)]
        made = tuple(Edit(e, "major", "edit", False, (s,), (t,), old, new, "", 5, 15) for e, s, t, old, new in texts)
        revision = revisions.save_diff(keys[0], keys[1], RevisionDiff(made, ())).revision_id
        for reviewer in range(1, REVIEWERS + 1):
            reviews.import_bundle(_review(chance, f"Reviewer {reviewer}", comments), "review.txt", paper_id=paper)
        found, there = reviews.comments(paper_id=paper), [edit.id for edit in revisions.edits(revision)]
        rankings = {c.id: [Scored(e, 0.5, linked=False) for e in chance.sample(there, min(10, edits))] for c in found}
        revisions.save_suggestions(revision, "fused", "model:fused@1", rankings, use_responses=True)
        revisions.link_from([NewLink(comment.id, chance.choice(there)) for comment in found[::2]], "person")
        for comment in found[::3]:
            rebuttal.write(paper, Point("reply", comment.id), _words(chance, 40))


def _review(chance: random.Random, reviewer: str, comments: int) -> ReviewBundle:
    parts, text = [], ""
    for number in range(comments):
        words = _words(chance, 30) + "."
        parts.append(Comment(f"c{number}", "r", reviewer, words, spans=(Span(len(text), len(text) + len(words)),)))
        text += words + " "
    return ReviewBundle((SourceText("r", f"Review of {reviewer}", text, reviewer=reviewer),), tuple(parts))


def _milliseconds(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return (time.perf_counter() - begun) * 1000


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns milliseconds; medians over ten papers, each read by stores without cached data."""
    found: dict[str, list[float]] = {"open": [], "linking": [], "rebuttal": [], "standings": [], "affected": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.rejoinder"
        make(path)
        for _ in range(3):
            begun = time.perf_counter()
            project = Project.open(path, annotator="Ada")
            found["open"].append((time.perf_counter() - begun) * 1000)
            project.close()
        with Project.open(path, annotator="Ada") as project:
            for paper in PaperStore(project).papers()[::5]:
                reader = StudyReader(project)
                found["linking"].append(_milliseconds(lambda r=reader, p=paper: r.read(Study(), p.id, TABLES)))
                found["rebuttal"].append(_milliseconds(lambda p=paper: Rebuttals(project).read(p.id)))
            found["standings"].append(_milliseconds(lambda: Studies(project).standings()))
            found["affected"].append(_milliseconds(lambda: affected(project, targets(project, "paper")[7])))
            check = _milliseconds(lambda: violations(project))
    limits = {"open": 1000.0, "linking": 100.0, "rebuttal": 100.0, "standings": None, "affected": 200.0}
    result = {
        f"{name}_ms": {"value": statistics.median(values), "unit": "ms", "better": "lower", "target": limits[name]}
        for name, values in found.items()
    }
    return result | {"violations_ms": {"value": check, "unit": "ms", "better": "lower", "target": 5000.0}}
