"""The rule-based judge of ReviewBench: seconds per review, and whether it tells reviews from spoilt ones.

Reviews and papers are real, and it is known how they were spoilt. Nothing is measured about taste.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.documents.service import DocumentService
from engine.models import load_encoder
from engine.review_drafting.benchmark.checks import judged
from engine.review_drafting.benchmark.instantiate import instantiated
from engine.review_drafting.benchmark.records import Judgement
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.records import PaperReading, Review
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.tasks import reading_of

ITEMS = 5
"""Number of comments per review: reviewers wrote 5 to 26."""
_ABSENT = " See also Table 97 and Section 41.3."
_INVENTED = " The paper says “our estimator halves the variance of every purple elephant”."
_DISMISSIVE = "This is laughable and obviously wrong. "
_VAGUE = ("The experiments are weak.", "The writing should be better.", "The novelty is limited.")

Spoil = Callable[[Review], Review]


def _each(review: Review, change: Callable[[str], str]) -> Review:
    return review.model_copy(update={"weaknesses": tuple(map(change, review.weaknesses))})


SPOILT: Mapping[str, tuple[str, Spoil]] = {
    "places_that_do_not_exist": ("false-or-contradictory-claims", lambda r: _each(r, lambda text: text + _ABSENT)),
    "words_that_nobody_wrote": ("false-or-contradictory-claims", lambda r: _each(r, lambda text: text + _INVENTED)),
    "dismissive": ("constructive-tone", lambda r: _each(r, lambda text: _DISMISSIVE + text)),
    "vague": ("critique-clarity", lambda r: r.model_copy(update={"weaknesses": _VAGUE, "questions": ()})),
}
"""How a review is spoilt, and the dimension whose score must fall."""


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns seconds per review on an invented paper, and the share of spoilt real reviews that score lower."""
    encode = load_encoder().encode
    paper = read_text_paper("Invented", "# Abstract\nWe propose a sampler.\n\n" + "\n\n".join(_sections()))
    review = Review(summary="It proposes a sampler.", weaknesses=("Section 2 does not say how it is tuned.",) * 10)
    rubrics = instantiated(paper, Review(), meta_rubrics())
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        judged(review, paper, rubrics, meta_rubrics(), encode=encode)
        seconds.append(time.perf_counter() - started)
    made = {"seconds_a_review": _figure(statistics.median(seconds), "s", "lower", 1.0)}
    if data_folder is None:
        return made
    papers, reviews = _real(data_folder / "revisions")
    rubrics_of = {key: instantiated(paper, Review(), meta_rubrics()) for key, paper in papers.items()}

    def scores(key: str, one: Review) -> dict[str, int]:
        return _scores(judged(one, papers[key], rubrics_of[key], meta_rubrics(), encode=encode))

    own = [(key, one, scores(key, one)) for key, one in reviews]
    made["real_reviews"] = {"value": len(own), "unit": "reviews", "better": "higher", "target": None}
    for name, (dimension, spoil) in SPOILT.items():
        lower = [_lower(before[dimension], scores(key, spoil(one))[dimension]) for key, one, before in own]
        made[f"{name}_score_lower"] = _figure(statistics.mean(lower), "share", "higher", 0.95)
    made["false_alarms"] = _figure(
        statistics.mean(before["false-or-contradictory-claims"] < 0 for _, _, before in own), "share", "lower", 0.05
    )
    return made


def _lower(before: float, after: float) -> float:
    """Returns 1 if the spoilt review scores lower, 0.5 for a tie, otherwise 0."""
    return 1.0 if after < before else 0.5 if after == before else 0.0


def _scores(judgements: Sequence[Judgement]) -> dict[str, int]:
    return {judgement.dimension: judgement.score for judgement in judgements}


def _sections() -> list[str]:
    return [
        f"# {number} Part\n" + f"The sampler draws from level {number} and reports an error of 0.{number}3. " * 30
        for number in range(1, 13)
    ]


def _real(folder: Path) -> tuple[dict[str, PaperReading], list[tuple[str, Review]]]:
    """Reads the submitted manuscripts, and their reviewers' comments as reviews with a few points each."""
    points: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for line in (folder / "review_comments.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        points[entry["doc_id"], entry["reviewer"]].append((entry["request_kind"], entry["comment"]))
    papers = {}
    with DocumentService() as service:
        for key in sorted({key for key, _ in points}):
            pdf = folder / key / "submitted.pdf"
            papers[key] = reading_of(service.parse(pdf), pdf, service)
    reviews = []
    for (key, _), comments in points.items():
        for start in range(0, len(comments), ITEMS):
            part = comments[start : start + ITEMS]
            reviews.append(
                (
                    key,
                    Review(
                        weaknesses=tuple(text for kind, text in part if kind != "question"),
                        questions=tuple(text for kind, text in part if kind == "question"),
                        strengths=("The topic matters to the field.",),
                    ),
                )
            )
    return papers, reviews


def _figure(value: float, unit: str, better: str, target: float) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}
