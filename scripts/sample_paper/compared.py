"""Reviews of four papers from three sources, with rubrics, rule-based scores, and some human scores."""

import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.exchange.review_markdown import read_review
from engine.project import Project
from engine.review_drafting.benchmark.checks import VERSION
from engine.review_drafting.benchmark.records import HIGHEST, BenchmarkPaper, BenchmarkReview, ReviewSet
from engine.review_drafting.benchmark.running import judge_reviews, make_rubrics
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.records import PaperReading
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.tasks import reading_of

TITLE = "Four papers, three sources"
SCORED = 5
"""Number of reviews scored by a person; the others are for the user to try."""


def compare_reviews(project: Project, service: DocumentService, document_id: str, source: Path) -> None:
    """Adds the benchmark; its first paper is the project's own document."""
    entries = tomllib.loads((source / "compared.toml").read_text(encoding="utf-8"))
    papers = tuple(
        BenchmarkPaper(
            id=paper["id"], title=paper["title"], external_id=paper["id"], text=paper.get("text", ""),
            document_id="" if "text" in paper else document_id,
        )
        for paper in entries["papers"]
    )  # fmt: skip
    reviews = tuple(
        BenchmarkReview(
            id=f"r{number}", paper_id=one["paper"], source=one["source"], review=read_review(one["text"]),
            role="human" if one["source"] == "human" else "candidate",
        )
        for number, one in enumerate(entries["reviews"])
    )  # fmt: skip
    store = BenchmarkStore(project)
    key = store.create(TITLE)
    store.add(key, ReviewSet(papers=papers, reviews=reviews), "import:sample")
    read = _reader(DocumentStore(project), service)
    whole = store.read(key)
    store.put_rubrics({paper.id: make_rubrics(whole, paper.id, read) for paper in whole.papers})
    whole = store.read(key)
    run = store.begin_run(key, "checks", f"model:{VERSION}")
    judged = judge_reviews(whole, read, on_scores=partial(store.add_scores, run, origin=f"model:{VERSION}"))
    store.end_run(run, judged.seconds)
    pitfalls = {meta.id for meta in meta_rubrics() if meta.kind == "pitfall"}
    for number, review in enumerate(whole.reviews[:SCORED]):
        for place, one in enumerate(judged.judgements[review.id]):
            # A simulated person who mostly agrees, and is alternately a little milder or stricter.
            size = abs(one.score)
            if (number + place) % 4 == 0:
                size = min(size + 1, HIGHEST) if number % 2 else max(size - 1, 0)
            store.rate(review.id, one.dimension, -size if one.dimension in pitfalls else size)


def _reader(documents: DocumentStore, service: DocumentService) -> Callable[[BenchmarkPaper], PaperReading]:
    known: dict[str, PaperReading] = {}

    def read(paper: BenchmarkPaper) -> PaperReading:
        if paper.id not in known:
            if paper.text:
                known[paper.id] = read_text_paper(paper.title, paper.text)
            else:
                pdf = documents.pdf_bytes(paper.document_id)
                known[paper.id] = reading_of(service.parse(pdf), pdf, service)
        return known[paper.id]

    return read
