"""Reads files with reviews of several papers: OpenReview notes, DeepReview's and ReviewGrounder's JSON, and a single
review as Markdown. Also writes and reads a benchmark as JSON Lines without loss.

ReviewGrounder's files (its published evaluator) are a list or an object of entries with ``id`` or ``paper_id``; the
review is ``review_markdown`` or ``review`` with ``scores``, ``model_prediction.meta_review.content``, or
``pred_fast_mode`` in ``\\boxed_review{...}``; rubric files have ``golden_review``, ``paper_context``, ``decision`` and
``rubrics`` with title, description and weight.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from engine.errors import not_imported
from engine.exchange.jsontext import layout, parse_json, parse_json_lines
from engine.exchange.openreview import is_openreview, read_notes
from engine.exchange.review_markdown import decision_of, field_of, read_review, review_of, score_of, status_of
from engine.review_drafting.benchmark.records import (
    SCORE_FIELDS,
    BenchmarkPaper,
    BenchmarkReview,
    KeyPoint,
    PaperRubric,
    ReviewSet,
    Role,
)
from engine.review_drafting.forms import ICLR, Scale
from engine.review_drafting.records import Review
from engine.review_drafting.rubrics import meta_rubrics

_BOXED = "\\boxed_review{"


def read_review_set(text: str, name: str, *, role: Role | None = None, scale: Scale = ICLR) -> ReviewSet:
    """Reads a file, detecting its format. A system's reviews get the file's stem as their source; ``scale`` is the
    scale of its scores, and ``role`` their role, except references. Neither applies to a benchmark's own file.

    Raises BadInput if there are no reviews and no rubrics.
    """
    source = name.rsplit(".", 1)[0]
    if name.casefold().endswith((".md", ".markdown", ".txt")):
        found = _one(read_review(text, scale), source, role or "candidate", _title(text) or source)
    else:
        found = _json(text, name, source, role, scale)
    if not found.reviews and not found.rubrics:
        raise not_imported(
            f"{name} contains no readable reviews.",
            "Reviews can be OpenReview notes, DeepReview or ReviewGrounder JSON, or Markdown with a heading for each "
            "field.",
        )
    return found


def _title(text: str) -> str:
    """Returns the paper title from a review's first heading, "# Title" or "# Review of Title"; "" if there is none."""
    found = _TITLE.match(text)
    return found["title"] if found and field_of(found["title"]) is None else ""


_TITLE = re.compile(
    r"\s*#[ \t]+(?:review (?:of|for)[ \t:]+)?(?!review\b)[“\"*]*(?P<title>[^\n]*\w[^\n]*?)[”\"*#]*[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def _one(review: Review, source: str, role: Role, title: str) -> ReviewSet:
    if review == Review():
        return ReviewSet()
    paper = BenchmarkPaper(id="paper", title=title)
    return ReviewSet(
        papers=(paper,), reviews=(BenchmarkReview(id="r1", paper_id="paper", source=source, review=review, role=role),)
    )


def _json(text: str, name: str, source: str, role: Role | None, scale: Scale) -> ReviewSet:
    warnings: list[str] = []
    if name.casefold().endswith(".jsonl"):
        entries: list[Any] = list(parse_json_lines(text, name, warnings))
    else:
        whole = parse_json(text, name)
        if isinstance(whole, dict) and not _is_entry(whole) and "notes" not in whole:
            entries = [
                {"id": key, **value} if isinstance(value, dict) and not _key(value) else value
                for key, value in whole.items()
            ]
        else:
            entries = list(whole) if isinstance(whole, list) else [whole]
    if any(isinstance(entry, dict) and (is_openreview(entry) or "notes" in entry) for entry in entries):
        return _openreview(text, name, role or "human", scale)
    if entries and isinstance(entries[0], dict) and "benchmark_paper" in entries[0]:
        return _own(entries, name).model_copy(update={"warnings": tuple(warnings)})
    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    rubrics: dict[str, tuple[PaperRubric, ...]] = {}
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict) or not _is_entry(entry):
            warnings.append(f"Entry {number} of {name} isn't a review and was left out.")
            continue
        key = _key(entry) or f"{number}"
        papers.setdefault(
            key,
            BenchmarkPaper(
                id=key,
                external_id=key,
                title=str(entry.get("title") or key),
                text=str(entry.get("paper_context") or entry.get("content") or entry.get("text") or ""),
                decision=status_of(entry.get("decision")),
            ),
        )
        with layout(f"Entry {number} of {name}", "a DeepReview or ReviewGrounder review"):
            made = _reviews(entry, key, source, role, scale)
        reviews += [review.model_copy(update={"id": f"r{len(reviews) + at}"}) for at, review in enumerate(made, 1)]
        if isinstance(entry.get("rubrics"), list):
            with layout(f"Entry {number} of {name}", "an entry with rubrics"):
                rubrics[key] = _rubrics(entry["rubrics"])
        elif not made:
            warnings.append(f"Entry {number} of {name} contains no review.")
    return ReviewSet(papers=tuple(papers.values()), reviews=tuple(reviews), rubrics=rubrics, warnings=tuple(warnings))


def _key(entry: Mapping[str, Any]) -> str:
    return str(entry.get("paper_id") or entry.get("id") or entry.get("forum") or "")


def _is_entry(entry: Mapping[str, Any]) -> bool:
    return bool(_key(entry)) or any(
        name in entry
        for name in ("review", "review_markdown", "reviews", "model_prediction", "golden_review", "pred_fast_mode")
    )


def _reviews(entry: Mapping[str, Any], key: str, source: str, role: Role | None, scale: Scale) -> list[BenchmarkReview]:
    """Returns the reviews of one entry in any of the published layouts."""
    found: list[tuple[Review, Role, str, str]] = []
    golden = entry.get("golden_review") or entry.get("pred_fast_mode_baseline")
    if golden:
        found.append((_text(golden, scale), "reference", "reference", ""))
    prediction = entry.get("model_prediction")
    if isinstance(prediction, dict):
        meta = prediction.get("meta_review") or {}
        text = meta.get("content") or prediction.get("raw_text") or ""
        scores = {**meta, "decision": prediction.get("decision")}
        found.append((_scored(_text(text, scale), scores, scale), role or "candidate", source, ""))
    elif entry.get("review_markdown") or isinstance(entry.get("review"), (str, dict)):
        made = _text(entry.get("review_markdown") or entry["review"], scale)
        found.append((_scored(made, entry.get("scores") or {}, scale), role or "candidate", source, ""))
        initial = entry.get("initial_scores")
        if isinstance(initial, dict) and initial and entry.get("initial_review"):
            first = _scored(_text(entry["initial_review"], scale), initial, scale)
            found.append((first, role or "candidate", f"{source}, first draft", ""))
    elif entry.get("pred_fast_mode"):
        found.append((_text(entry["pred_fast_mode"], scale), role or "candidate", source, ""))
    for number, human in enumerate(entry.get("reviews") or entry.get("reviewer_comments") or (), start=1):
        content = human.get("content", human) if isinstance(human, dict) else human
        reviewer = str(human.get("reviewer") or human.get("id") or number) if isinstance(human, dict) else str(number)
        made = _text(content, scale)
        if isinstance(human, dict):
            made = _scored(made, human, scale)
        found.append((made, role or "human", "human", reviewer))
    return [
        BenchmarkReview(id="r", paper_id=key, source=whose, review=review, role=as_, reviewer=reviewer)
        for review, as_, whose, reviewer in found
        if review != Review()
    ]


def _text(value: Any, scale: Scale) -> Review:
    if isinstance(value, dict):
        if isinstance(value.get("raw_text") or value.get("output"), str):
            return _text(value.get("raw_text") or value["output"], scale)
        return review_of({name: _plain(content) for name, content in value.items()}, scale)
    text = str(value or "")
    if _BOXED in text:
        text = text.rsplit(_BOXED, maxsplit=1)[-1].split("\n}", maxsplit=1)[0]
    return read_review(text, scale)


def _plain(value: Any) -> Any:
    """Unwraps a value of OpenReview's API version 2."""
    return value["value"] if isinstance(value, dict) and "value" in value else value


def _scored(review: Review, given: Mapping[str, Any], scale: Scale) -> Review:
    """Returns the review with the scores given in separate fields; its own scores remain where these are missing."""
    beside = {field: score_of(field, _plain(given.get(field)), scale) for field in SCORE_FIELDS}
    values = {field: value for field, value in beside.items() if value is not None}
    decision = decision_of(_plain(given.get("decision"))) or review.scores.decision
    return review.model_copy(update={"scores": review.scores.model_copy(update={**values, "decision": decision})})


def _rubrics(entries: Sequence[Any]) -> tuple[PaperRubric, ...]:
    """Returns the rubrics with known titles; others are left out, since the dimensions are fixed (ReviewBench)."""
    by_title = {meta.title.casefold(): meta.id for meta in meta_rubrics()}
    return tuple(
        PaperRubric(
            dimension=by_title[str(entry.get("title", "")).casefold()],
            description=str(entry.get("description", "")),
            key_points=tuple(KeyPoint.model_validate(point) for point in entry.get("key_points", ())),
            origin="import",
        )
        for entry in entries
        if isinstance(entry, dict) and str(entry.get("title", "")).casefold() in by_title
    )


def _openreview(text: str, name: str, role: Role, scale: Scale) -> ReviewSet:
    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    decisions: dict[str, str] = {}
    warnings: list[str] = []
    for note in read_notes(text, name, warnings):
        forum = note.forum or note.id
        paper = papers.setdefault(forum, BenchmarkPaper(id=forum, external_id=forum, title=forum))
        if note.kind == "submission":
            papers[forum] = paper.model_copy(
                update={
                    "title": str(note.content.get("title") or forum),
                    "text": str(note.content.get("abstract") or ""),
                }
            )
        elif note.kind == "meta-review":
            decisions[forum] = status_of(note.content.get("decision") or note.content.get("recommendation"))
        elif note.kind == "review":
            review = review_of(note.content, scale)
            if review != Review():
                reviews.append(
                    BenchmarkReview(
                        id=f"r{len(reviews) + 1}", paper_id=forum, source="human", reviewer=note.speaker,
                        role=role, review=review,
                    )
                )  # fmt: skip
    return ReviewSet(
        papers=tuple(paper.model_copy(update={"decision": decisions.get(key, "")}) for key, paper in papers.items()),
        reviews=tuple(reviews),
        warnings=tuple(warnings),
    )


def write_review_set(whole: ReviewSet) -> str:
    """Returns JSON Lines, one line per paper with its reviews and rubrics."""
    entries = (
        {
            "benchmark_paper": paper.model_dump(),
            "benchmark_reviews": [r.model_dump() for r in whole.reviews if r.paper_id == paper.id],
            "rubrics": [rubric.model_dump() for rubric in whole.rubrics.get(paper.id, ())],
        }
        for paper in whole.papers
    )
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def _own(entries: Sequence[Any], name: str) -> ReviewSet:
    papers, reviews, rubrics = [], [], {}
    for number, entry in enumerate(entries, start=1):
        try:
            paper = BenchmarkPaper.model_validate(entry["benchmark_paper"])
            papers.append(paper)
            reviews += [BenchmarkReview.model_validate(one) for one in entry.get("benchmark_reviews", ())]
            made = tuple(PaperRubric.model_validate(one) for one in entry.get("rubrics", ()))
        except (KeyError, TypeError, AttributeError, ValidationError) as error:
            raise not_imported(f"Entry {number} of {name} isn't in Rejoinder's format: {error}.") from error
        if made:
            rubrics[paper.id] = made
    return ReviewSet(papers=tuple(papers), reviews=tuple(reviews), rubrics=rubrics)
