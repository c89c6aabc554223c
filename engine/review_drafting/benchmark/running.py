"""Makes rubrics and scores paper by paper, by rule or with a language model, with progress and cancellation."""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import BadInput
from engine.jobs import QuietReport, Report
from engine.models.language import Completion, LanguageModel
from engine.review_drafting.benchmark import checks, judge
from engine.review_drafting.benchmark.bearing import Bearing
from engine.review_drafting.benchmark.instantiate import instantiated, without_passages
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, PaperRubric, ReviewSet
from engine.review_drafting.benchmark.reference import Encode, aggregated
from engine.review_drafting.records import PaperReading, Review
from engine.review_drafting.rubrics import meta_rubrics

Readings = Callable[[BenchmarkPaper], PaperReading]
"""Returns a paper as the stages read it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's results: scores by review, and what couldn't be judged, with the reason.

    ``questions`` counts the language model's answers, ``tokens`` its input and output, None if unknown.
    """

    judgements: Mapping[str, tuple[Judgement, ...]]
    problems: tuple[str, ...]
    seconds: float
    questions: int = 0
    tokens: int | None = None


OnScores = Callable[[BenchmarkReview, Sequence[Judgement], Sequence[PaperRubric], str], None]
"""Called with scores as they arrive: the review, its scores, the rubrics used, the model's output."""
Aggregation = Literal["rules", "model", "single"]
"""How human reviews become the reference: combined by rules or a language model, or one of them chosen at random
(ReviewGrounder, appendix A.3)."""


def reference_of(
    whole: ReviewSet,
    paper_id: str,
    encode: Encode | None = None,
    *,
    by: Aggregation = "rules",
    model: LanguageModel | None = None,
    seed: int = 0,
    report: Report = QuietReport(),
) -> Review:
    """Returns a paper's reference review: the given one, otherwise its kept human reviews combined.

    ``model`` is only needed for "model". Raises what ``complete_as`` raises.
    """
    own = [review for review in whole.reviews if review.paper_id == paper_id and review.kept]
    given = next((review.review for review in own if review.role == "reference"), None)
    human = [review.review for review in own if review.role == "human"]
    if given is not None or not human:
        return given or Review()
    if by == "single":
        return random.Random(f"{seed} {paper_id}").choice(human)
    if by == "model" and model is not None:
        return judge.model_reference(model, human, seed=seed, report=report)[0]
    return aggregated(human, encode)


def make_rubrics(
    whole: ReviewSet,
    paper_id: str,
    readings: Readings,
    *,
    encode: Encode | None = None,
    model: LanguageModel | None = None,
    origin: str = "",
    by: Aggregation = "rules",
    seed: int = 0,
    report: Report = QuietReport(),
) -> tuple[PaperRubric, ...]:
    """Returns rubrics for a paper, by rule or by a language model, whose ``origin`` they then have.

    Raises what ``readings`` and ``complete_as`` raise, and Cancelled.
    """
    paper = next(one for one in whole.papers if one.id == paper_id)
    report.progress(0.0, f"Rubrics for “{paper.title}”")
    reading = readings(paper)
    reference = reference_of(whole, paper_id, encode, by=by, model=model, seed=seed, report=report.part(0, 0.3))
    report = report.part(0.3, 1)
    if model is None:
        return instantiated(reading, reference, meta_rubrics(), report=report)
    return judge.model_rubrics(model, reading, reference, meta_rubrics(), origin=origin, seed=seed, report=report)[0]


def judge_reviews(
    whole: ReviewSet,
    readings: Readings,
    *,
    encode: Encode | None = None,
    model: LanguageModel | None = None,
    together: bool = False,
    seed: int = 0,
    report: Report = QuietReport(),
    on_scores: OnScores | None = None,
) -> Judged:
    """Scores every kept review of a paper that has rubrics, including human reviews, which are a source too.

    A human review is judged without itself in the reference, as far as the rubrics were made by rules. ``on_scores`` is
    called with each answer's scores as they arrive. An answer that can't be used is listed in ``problems``, and the
    next question is asked. ``together``: a language model gets all dimensions in one question.

    Raises BadInput if there is nothing to score, what ``readings`` and the model raise, and Cancelled.
    """
    started = time.monotonic()
    by_paper: dict[str, list[BenchmarkReview]] = defaultdict(list)
    for review in whole.reviews:
        if review.kept and review.role != "reference" and whole.rubrics.get(review.paper_id):
            by_paper[review.paper_id].append(review)
    total = sum(map(len, by_paper.values()))
    if not total:
        raise BadInput("No paper with reviews has rubrics yet.", "Nothing was scored.", "Make rubrics first.")
    judgements: dict[str, tuple[Judgement, ...]] = {}
    problems: list[str] = []
    answers: list[Completion] = []

    def keep(review: BenchmarkReview, found: Sequence[Judgement], against: Sequence[PaperRubric], raw: str) -> None:
        judgements[review.id] = (*judgements.get(review.id, ()), *found)
        if on_scores is not None and found:
            on_scores(review, found, against, raw)

    done = 0
    for paper in whole.papers:
        if paper.id not in by_paper:
            continue
        reading, own = readings(paper), by_paper[paper.id]
        against = [_without_itself(whole, review, reading, encode) for review in own]
        if model is None:
            bearing = Bearing(reading)
            for review, rubrics in zip(own, against, strict=True):
                report.progress(done / total, f"“{paper.title}”, {review.source}")
                found = checks.judged(review.review, reading, rubrics, meta_rubrics(), encode=encode, bearing=bearing)
                keep(review, found, rubrics, "")
                done += 1
            continue
        part, done = report.part(done / total, (done + len(own)) / total), done + len(own)
        part.progress(0.0, f"“{paper.title}”")
        questions = [
            (review, some)
            for review, rubrics in zip(own, against, strict=True)
            for some in ((rubrics,) if together else [(rubric,) for rubric in rubrics])
        ]

        def hear(
            place: int,
            found: tuple[Judgement, ...],
            written: tuple[Completion, ...],
            problem: str,
            *,
            asked: Sequence[tuple[BenchmarkReview, Sequence[PaperRubric]]] = tuple(questions),
            title: str = paper.title,
        ) -> None:
            review, some = asked[place]
            answers.extend(written)
            if problem:
                names = "all dimensions" if together else some[0].dimension
                problems.append(f"“{title}”, {review.source}, {names}: {problem}.")
            keep(review, found, some, "\n\n".join(completion.text for completion in written))

        judge.model_judgements(
            model, reading, [(review.review, some) for review, some in questions], meta_rubrics(), hear, seed=seed,
            report=part,
        )  # fmt: skip
        order = {meta.id: place for place, meta in enumerate(meta_rubrics())}
        for review in own:
            if review.id in judgements:
                judgements[review.id] = tuple(sorted(judgements[review.id], key=lambda one: order[one.dimension]))
    counts = [(one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in answers]
    tokens = sum(counts) if counts and all(counts) else None
    return Judged(judgements, tuple(problems), time.monotonic() - started, len(answers), tokens)


def _without_itself(
    whole: ReviewSet, review: BenchmarkReview, reading: PaperReading, encode: Encode | None
) -> tuple[PaperRubric, ...]:
    """Returns the rubrics for judging a review; for a human one, without key points from passages that it alone
    criticises."""
    rubrics = whole.rubrics[review.paper_id]
    given = any(one.role == "reference" and one.paper_id == review.paper_id for one in whole.reviews)
    if review.role != "human" or given:
        return rubrics
    others = [
        one.review
        for one in whole.reviews
        if one.paper_id == review.paper_id and one.kept and one.role == "human" and one.id != review.id
    ]
    return without_passages(rubrics, reading, aggregated(others, encode))
