"""``rejoinder review score``: compares sources of reviews on the same papers (ReviewBench)."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from typing import TextIO

import click

from engine import models
from engine.cli.models import language_model
from engine.cli.output import FILE, PATH, SEEDS, Command, emit, fields, remark, say, write
from engine.errors import BadInput
from engine.exchange.encoding import read_text
from engine.exchange.io import read_table
from engine.exchange.review_sets import read_review_set, write_review_set
from engine.measures.estimate import FEWEST, Estimate, defined
from engine.models.language import LanguageModel, UnusableAnswer
from engine.review_drafting.benchmark.comparison import Given, agreement, numeric_rows, table
from engine.review_drafting.benchmark.filters import FILTERS, drawn, filtered
from engine.review_drafting.benchmark.records import (
    BenchmarkPaper,
    BenchmarkReview,
    Judgement,
    PaperRubric,
    ReviewSet,
    Role,
)
from engine.review_drafting.benchmark.running import Aggregation, Readings, judge_reviews, make_rubrics
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.forms import scale_of
from engine.review_drafting.records import PaperReading
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.tasks import read_for_drafting
from engine.shown import counted

_SCALES = click.Choice(("iclr", "neurips", "arr", "reviewbench"))
words_only_option = click.option("--words-only", is_flag=True, help="Compare words only, without the sentence encoder.")


def judging_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of commands that judge reviews: the reference, the questions, and the comparison of
    sentences."""
    for option in (
        words_only_option,
        click.option(
            "--all-at-once",
            is_flag=True,
            help="Ask the judge about all eight dimensions at once instead of one by one.",
        ),
        click.option(
            "--reference",
            "by",
            type=click.Choice(("rules", "model", "single")),
            default="rules",
            help="How human reviews become the reference: by rules, by the judge, or one chosen at random.",
        ),
    ):
        command = option(command)
    return command


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="REVIEWS...", type=PATH)
@click.option("--paper", type=PATH, help="The paper's PDF, if all reviews are of one paper.")
@click.option("--human", multiple=True, type=PATH, help="Human reviews of the same papers.")
@click.option("--baseline", default="", help="The source to compare the others with.")
@click.option("--model", default="", help="Id of the language model that judges. Default: rules.")
@judging_options
@click.option(
    "--filters",
    type=click.Choice(("ours", "published", "none")),
    default="ours",
    help="Limits for excluding reviews: ours, or ReviewBench's, which require three complete reviews per paper.",
)
@click.option("--sample", type=click.IntRange(1), help="Sample this many papers, with seed 42 like ReviewBench.")
@click.option("--scale", type=_SCALES, default="iclr", help="The scale of the scores in REVIEWS.")
@click.option("--human-scale", type=_SCALES, default="iclr", help="The scale of the scores in human reviews.")
@click.option("--compare-on", type=_SCALES, default="iclr", help="The scale for score errors.")
@click.option(
    "--ratings",
    type=PATH,
    help="Human scores to compare the judge with: a table with paper, source, dimension, score and optionally "
    "reviewer.",
)
@click.option("--strict", is_flag=True, help="Round numeric fields to the published steps before comparing them.")
@click.option("--out", type=PATH, help="Write papers, reviews and rubrics as JSON Lines.")
@click.option("--scores", "scores_file", type=FILE, help="Append each score to this file as it arrives, as JSON Lines.")
@click.option("--seed", default=0, type=SEEDS, help="Seed for the language model and the intervals.")
def score(
    *,
    files: tuple[Path, ...],
    paper: Path | None,
    human: tuple[Path, ...],
    baseline: str,
    model: str,
    all_at_once: bool,
    by: Aggregation,
    filters: str,
    sample: int | None,
    scale: str,
    human_scale: str,
    compare_on: str,
    ratings: Path | None,
    words_only: bool,
    strict: bool,
    out: Path | None,
    scores_file: Path | None,
    seed: int,
) -> None:
    """Score any number of review sources on the same papers, side by side with intervals.

    REVIEWS are Markdown, OpenReview notes, or DeepReview's and ReviewGrounder's JSON. Each file is one
    source, named after the file. Exit code 1: something couldn't be read or scored.
    """
    if (all_at_once or by == "model") and not model:
        raise BadInput("No language model was given.", "Nothing was scored.", "Give one with --model.")
    whole, fell_short = read_sets(
        [*((f, None, scale) for f in files), *((f, "human", human_scale) for f in human)], paper
    )
    kept = filtered(whole.reviews, FILTERS[filters], () if paper else whole.papers)
    whole = whole.model_copy(update={"reviews": kept})
    if sample is not None:
        fit = [one for one in whole.papers if any(r.kept and r.paper_id == one.id for r in kept)]
        ids = {one.id for one in drawn(fit, sample)}
        whole = whole.model_copy(
            update={
                "papers": tuple(one for one in whole.papers if one.id in ids),
                "reviews": tuple(one for one in kept if one.paper_id in ids),
            }
        )
    for review in whole.reviews:
        if not review.kept:
            remark(f"A review of “{_title(whole, review.paper_id)}” was left out. {review.why_left_out}")
    encoder = None if words_only else models.load_encoder()
    encode = None if encoder is None else encoder.encode
    readings = _readings(paper)
    judge, origin = judge_of(model)
    missing = [
        one.id
        for one in whole.papers
        if not whole.rubrics.get(one.id) or not all(r.key_points for r in whole.rubrics[one.id])
    ]
    with ExitStack() as stack:
        stored = None if scores_file is None else stack.enter_context(_appended(scores_file))
        for key in missing:
            try:
                made = make_rubrics(whole, key, readings, encode=encode, model=judge, origin=origin, by=by, seed=seed)
                whole = whole.model_copy(update={"rubrics": {**whole.rubrics, key: made}})
            except UnusableAnswer as problem:
                remark(f"No rubrics for “{_title(whole, key)}”. {problem}")

        def keep(review: BenchmarkReview, found: Sequence[Judgement], *_: object) -> None:
            if stored is not None:
                about = {"paper": _title(whole, review.paper_id), "source": review.source, "reviewer": review.reviewer}
                stored.writelines(json.dumps(about | one.model_dump(), ensure_ascii=False) + "\n" for one in found)
                stored.flush()

        judged = judge_reviews(
            whole, readings, encode=encode, model=judge, together=all_at_once, seed=seed, on_scores=keep
        )
    remark(*(f"Not scored: {problem}" for problem in judged.problems))
    scores = {review: {one.dimension: one.score for one in given} for review, given in judged.judgements.items()}
    rows = table(
        whole.reviews, scores, meta_rubrics(), baseline=baseline or None, complete=judge is not None, seed=seed
    )
    numeric = numeric_rows(whole, rounded=strict, scale=scale_of(compare_on))
    people = _ratings(ratings, whole) if ratings is not None else {}
    against = agreement(whole.reviews, scores, people, meta_rubrics())
    if out is not None:
        write(out, write_review_set(whole).encode("utf-8"))
    emit(
        {
            "judge": origin or "checks",
            "rows": [
                fields(
                    row,
                    "source papers reviews passed",
                    overall=estimate(row.overall),
                    substantiated=estimate(row.substantiated),
                    dimensions={name: estimate(value) for name, value in row.dimensions.items()},
                    against=None if row.against is None else estimate(row.against),
                )
                for row in rows
            ],
            "numeric": [row.model_dump() for row in numeric],
            "agreement": [
                {name: defined(value) if isinstance(value, float) else value for name, value in row} for row in against
            ],
            "settings": {"filters": filters, "reference": by, "all_at_once": all_at_once, "scale": compare_on},
            "questions": judged.questions,
            "tokens": judged.tokens,
            "reviews": _reviews(whole, judged.judgements),
            "seconds": round(judged.seconds, 3),
        }
    )
    for row in rows:
        say(
            f"{row.source}: {row.overall.value:.2f}{row.overall.span(' ({:.2f} to {:.2f})')}, "
            f"{counted(row.papers, 'paper')}"
        )
        for meta in meta_rubrics():
            value = row.dimensions[meta.id].value
            say(f"  {meta.title:32} {'n/a' if isnan(value) else format(value, '5.2f'):>5}")
        share = row.substantiated.value
        say(f"  {'Criticism with a reason':32} {'n/a' if isnan(share) else format(share, '5.0%'):>5}")
    for line in against:
        measures = {
            "MAE": line.mae, "Spearman": line.spearman, "Pearson": line.pearson,
            "pairwise error": line.pairwise_absolute,
        }  # fmt: skip
        shown = ", ".join(f"{name} {'–' if isnan(value) else format(value, '.3f')}" for name, value in measures.items())
        shown += f" (correlations need {FEWEST} reviews)" * (line.n < FEWEST)
        say(f"Judge and human scores, {line.dimension}: {shown}")
    if (
        fell_short
        or judged.problems
        or len(judged.judgements) < sum(r.kept and r.role != "reference" for r in whole.reviews)
    ):
        sys.exit(1)


def read_sets(files: Sequence[tuple[Path, Role | None, str]], paper: Path | None) -> tuple[ReviewSet, bool]:
    """Merges all files, each with its role and scale, into one set; papers with the same key are merged, and with
    ``--paper`` all are. Also returns whether there were warnings."""
    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    rubrics: dict[str, tuple[PaperRubric, ...]] = {}
    fell_short = False
    for file, role, scale in files:
        found = read_review_set(read_text(file).text, file.name, role=role, scale=scale_of(scale))
        for warning in found.warnings:
            remark(warning)
            fell_short = True
        place = {}
        for one in found.papers:
            key = "paper" if paper is not None else (one.external_id or one.title)
            place[one.id] = key
            there = papers.get(key)
            papers[key] = one.model_copy(
                update={"id": key, "text": (there.text if there else "") or one.text,
                        "decision": (there.decision if there else "") or one.decision}
            )  # fmt: skip
        for review in found.reviews:
            number = f"r{len(reviews) + 1}"
            source = "human" if role == "human" else review.source
            reviews.append(
                review.model_copy(update={"id": number, "paper_id": place[review.paper_id], "source": source})
            )
        rubrics.update({place[key]: made for key, made in found.rubrics.items()})
    return ReviewSet(papers=tuple(papers.values()), reviews=tuple(reviews), rubrics=rubrics), fell_short


def _ratings(path: Path, whole: ReviewSet) -> Given:
    """Returns people's scores by review and dimension. Raises BadInput for a row that doesn't identify a review,
    dimension and score."""
    kinds = {meta.id: meta.kind for meta in meta_rubrics()}
    titles = {paper.id: {paper.id, paper.external_id, paper.title} for paper in whole.papers}
    given: dict[str, dict[str, int]] = {}
    for number, row in read_table(path).records():
        wanted = {name: (row.get(name) or "").strip() for name in ("paper", "source", "reviewer", "dimension", "score")}
        of = [
            review.id
            for review in whole.reviews
            if wanted["paper"] in titles.get(review.paper_id, ())
            and review.source == wanted["source"]
            and wanted["reviewer"] in ("", review.reviewer)
        ]
        low = -2 if kinds.get(wanted["dimension"]) == "pitfall" else 0
        if len(of) != 1 or wanted["dimension"] not in kinds or wanted["score"] not in map(str, range(low, low + 3)):
            raise BadInput(
                f"Row {number} of {path.name} doesn't identify one review, a dimension and a score.",
                "Nothing was scored.",
                "Each row needs paper, source, dimension and score (0, 1, 2, for the pitfall 0, -1, -2), and a "
                "reviewer if a source has several reviews of a paper.",
            )
        given.setdefault(of[0], {})[wanted["dimension"]] = int(wanted["score"])
    if not given:
        raise BadInput(
            f"{path.name} contains no scores.", "Nothing was scored.", "The table must have a row for each score."
        )
    return given


def _appended(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        raise BadInput(
            f"{path} couldn't be written: {error.strerror}.", "Nothing was scored.", "Choose another place."
        ) from error


def _title(whole: ReviewSet, key: str) -> str:
    return next(paper.title for paper in whole.papers if paper.id == key)


def _readings(pdf: Path | None) -> Readings:
    read: dict[str, PaperReading] = {}

    def reading(paper: BenchmarkPaper) -> PaperReading:
        if paper.id not in read:
            if pdf is not None:
                read[paper.id] = read_for_drafting(pdf)[0]
            elif paper.text:
                read[paper.id] = read_text_paper(paper.title, paper.text)
            else:
                raise BadInput(
                    f"The text of the paper “{paper.title}” is missing.",
                    "Its reviews can't be checked against it.",
                    "Give its PDF with --paper, or a file that contains its text.",
                )
        return read[paper.id]

    return reading


def judge_of(key: str) -> tuple[LanguageModel | None, str]:
    if not key:
        return None, ""
    model = language_model(key)
    return model, model.info.origin


def estimate(value: Estimate) -> dict[str, float | int | None]:
    return {**{name: defined(getattr(value, name), 4) for name in ("value", "low", "high")}, "n": value.n}


def _reviews(whole: ReviewSet, judgements: Mapping[str, Sequence[Judgement]]) -> list[dict[str, object]]:
    return [
        {
            "paper": _title(whole, review.paper_id),
            "source": review.source,
            "reviewer": review.reviewer,
            "scores": {one.dimension: one.score for one in judgements[review.id]},
            "rationales": {one.dimension: one.rationale for one in judgements[review.id]},
        }
        for review in whole.reviews
        if review.id in judgements
    ]
