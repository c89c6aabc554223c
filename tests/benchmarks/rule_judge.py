"""The rule-based judge of reviews: does it rank reviews above what only looks like one?

On each of twelve papers, human reviews and our own drafts (by rules) are paired with sentences pasted from the paper,
fabricated reviews, reviews and drafts of the other papers, and vague remarks (``distractors``). A pair is right if the
review scores higher; a tie is wrong. No order is required within either group. A human review isn't part of the
reference that it is judged with. The limits for each paper are chosen on the eleven others.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

from engine.documents.service import DocumentService
from engine.review_drafting.benchmark.bearing import Bearing, Limits, unfit
from engine.review_drafting.benchmark.checks import Reviewed, judged
from engine.review_drafting.benchmark.comparison import overall
from engine.review_drafting.benchmark.instantiate import instantiated
from engine.review_drafting.benchmark.records import PaperRubric
from engine.review_drafting.benchmark.reference import aggregated
from engine.review_drafting.crews import deterministic_crew
from engine.review_drafting.pipeline import RunSettings, run_stages
from engine.review_drafting.records import PaperReading, Review
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.tasks import reading_of
from engine.reviews.cues import sentence_role
from tests.benchmarks.distractors import KINDS

LEAST_WORDS = 50
"""As in the benchmark's filter: shorter ones are notes to the editor."""
SEEDS = 2
GRID = tuple(Limits(*pair) for pair in product((0.3, 0.35, 0.4, 0.45, 0.5), (0.4, 0.5, 0.6, 0.7)))
_FIELD = {"praise": "strengths", "summary": "summary", "question": "questions"}


@dataclass(frozen=True)
class Case:
    """A text that is judged on a paper: of which kind, and against which rubrics."""

    kind: str
    review: Review
    rubrics: tuple[PaperRubric, ...]

    @property
    def good(self) -> bool:
        return self.kind in ("human", "draft")


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns shares of pairs in the right order, by kind and for the worst paper."""
    if data_folder is None:
        return {}
    cases, readings = _cases(data_folder)
    fit = {key: [_reads(case, readings[key]) for case in given] for key, given in cases.items()}
    right: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for key, given in cases.items():
        limits = max(GRID, key=lambda one: mean(_share(fit[other], one) for other in cases if other != key))
        bearing = Bearing(readings[key], limits)
        scores = [_score(case, readings[key], bearing) for case in given]
        for case, score in zip(given, scores, strict=True):
            for other, lower in zip(given, scores, strict=True):
                if case.good and not other.good:
                    right[other.kind][key].append(score > lower)
                    right[f"{case.kind} above {other.kind}"][key].append(score > lower)
    made = {
        "papers": _figure(len(cases), "papers", 12),
        "human_reviews": _figure(sum(c.kind == "human" for g in cases.values() for c in g), "reviews", None),
    }
    for name, by_paper in right.items():
        goal = 0.95 if name in {*KINDS, "another paper"} else None
        made[name] = _figure(mean(one for found in by_paper.values() for one in found), "of pairs", goal)
        made[f"{name}, worst paper"] = _figure(min(map(mean, by_paper.values())), "of pairs", None)
    return made


def human_reviews(data_folder: Path) -> dict[str, list[Review]]:
    """Returns each reviewer's comments by paper, assigned to fields by their role, since the letters have no fields."""
    files = [data_folder / "revisions" / name for name in ("review_comments.jsonl", "non_actionable.jsonl")]
    files += sorted((data_folder / "links" / "dev").glob("*/review_comments.jsonl"))
    comments: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            comments[entry["doc_id"], entry["reviewer"]].append(entry["comment"])
    found: dict[str, list[Review]] = defaultdict(list)
    for (key, _), texts in comments.items():
        fields: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            fields[_FIELD.get(sentence_role(text), "weaknesses")].append(text)
        if sum(len(text.split()) for text in texts) >= LEAST_WORDS:
            summary = " ".join(fields.pop("summary", ()))
            found[key].append(Review(summary=summary, **{name: tuple(held) for name, held in fields.items()}))
    return dict(found)


def _cases(data_folder: Path) -> tuple[dict[str, list[Case]], dict[str, PaperReading]]:
    humans, readings, drafts = human_reviews(data_folder), {}, {}
    with DocumentService() as service:
        for key in humans:
            pdf = next(data_folder.glob(f"revisions/{key}/submitted.pdf"), None)
            pdf = pdf or data_folder / "links" / "dev" / key / "submitted.pdf"
            readings[key] = reading_of(service.parse(pdf), pdf, service)
            run = run_stages(deterministic_crew(None, ""), readings[key], library=(), settings=RunSettings())
            drafts[key] = run.draft.review()
    return {key: list(_of_paper(key, humans, drafts, readings[key])) for key in humans}, readings


def _of_paper(
    key: str, humans: dict[str, list[Review]], drafts: dict[str, Review], paper: PaperReading
) -> Iterator[Case]:
    own = humans[key]
    rubrics = instantiated(paper, aggregated(own), meta_rubrics())
    for number, review in enumerate(own):
        others = aggregated([*own[:number], *own[number + 1 :]])
        yield Case("human", review, instantiated(paper, others, meta_rubrics()))
    yield Case("draft", drafts[key], rubrics)
    for kind, make in KINDS.items():
        for number, like in enumerate((*own, drafts[key])):
            for seed in range(SEEDS):
                yield Case(kind, make(paper, like, random.Random(f"{key} {number} {seed}")), rubrics)
    for other, theirs in humans.items():
        if other != key:
            for review in (*theirs, drafts[other]):
                yield Case("another paper", review, rubrics)


def _reads(case: Case, paper: PaperReading) -> tuple[bool, Reviewed]:
    return case.good, Reviewed(case.review, paper, Bearing(paper))


def _share(read: list[tuple[bool, Reviewed]], limits: Limits) -> float:
    """Returns the share of pairs ordered by these limits alone: accepted reviews times rejected others."""
    taken: dict[bool, list[bool]] = {True: [], False: []}
    for good, reviewed in read:
        reviewed.bearing.limits = limits
        points = [point for points in reviewed.points.values() for point in points]
        taken[good].append(bool(unfit(reviewed.bearing, points)) != good)
    return mean(taken[True]) * mean(taken[False])


def _score(case: Case, paper: PaperReading, bearing: Bearing) -> float:
    found = judged(case.review, paper, case.rubrics, meta_rubrics(), bearing=bearing)
    return overall({one.dimension: one.score for one in found}, meta_rubrics()) or 0.0


def _figure(value: float, unit: str, target: float | None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": "higher", "target": target}
