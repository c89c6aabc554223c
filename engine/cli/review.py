"""``rejoinder review``: reviews drafted, checked against the paper, scored, moved, renamed or removed."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.output import emit, fields, json_option, remark, write
from engine.cli.papers import move_review_command, remove_review, rename_review
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.encoding import read_text
from engine.measures.estimate import defined
from engine.review_drafting.grounding import CheckedAnchor, Claim, ground

if TYPE_CHECKING:
    from engine.measures.estimate import Estimate
    from engine.models.language import LanguageModel
    from engine.review_drafting.benchmark.records import (
        BenchmarkPaper,
        BenchmarkReview,
        Judgement,
        PaperRubric,
        ReviewSet,
    )
    from engine.review_drafting.benchmark.running import Readings
    from engine.review_drafting.pipeline import Crew, Run
    from engine.review_drafting.records import Anchor, Draft, LibraryEntry, PaperReading


STAGE_NAMES = ("drafter", "literature", "insight", "results", "aggregator")


@click.command()
@click.argument("path", metavar="PAPER.pdf", type=click.Path(path_type=Path))
@click.option("--model", default="", help="The id of a language model that was added; without it none is used.")
@click.option(
    "--library",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder of papers to search for related work: PDFs, BibTeX, RIS, CSL-JSON, or the expertise data set.",
)
@click.option(
    "--without", multiple=True, type=click.Choice(STAGE_NAMES), help="Leave a stage out; may be given several times."
)
@click.option("--seed", default=0, show_default=True, help="For the language model.")
@json_option
def draft(  # noqa: PLR0917 (click passes by name)
    path: Path, model: str, library: Path | None, without: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Draft a review of a paper; nothing leaves this machine and nothing is filed.

    Without a language model the draft is a scaffold: the paper's own statements with their places, findings of checks,
    and questions. Exit 1 where a stage failed, or the paper holds no text.
    """
    from engine.review_drafting.pipeline import RunSettings, StageRun, run_stages
    from engine.review_drafting.records import STAGE_TITLES, STAGES
    from engine.review_drafting.tasks import read_for_drafting

    started = time.perf_counter()
    with ThreadPoolExecutor(1) as pool:  # models load while the PDF is read in a process of its own
        reading = pool.submit(read_for_drafting, path)
        entries = _library(library)
        crew = _crew(model, with_library=bool(entries))
        paper, warnings = reading.result()
    for warning in warnings:
        remark(warning)
    settings = RunSettings(frozenset(stage for stage in STAGES if stage not in without), seed)

    def tell(run: StageRun) -> None:
        remark(f"{STAGE_TITLES[run.stage]}: {run.problem or f'{run.seconds:.1f} s'}")

    run = run_stages(crew, paper, library=entries, settings=settings, on_stage=tell)
    if as_json:
        emit(_draft_document(run, paper.title, round(time.perf_counter() - started, 3)))
    else:
        _print_draft(run.draft)
    if run.problems or not paper.sentences:
        sys.exit(1)


def _library(folder: Path | None) -> tuple[LibraryEntry, ...]:
    if folder is None:
        return ()
    from engine.exchange.paper_folder import read_paper_folder
    from engine.review_drafting.tasks import library_entries

    found = read_paper_folder(folder)
    for warning in found.warnings:
        remark(warning)
    return library_entries(found.papers)


def _crew(model: str, *, with_library: bool) -> Crew:
    from engine.models import load_encoder
    from engine.models.library import ModelLibrary, load_language_model
    from engine.review_drafting.crews import deterministic_crew, language_crew

    encoder = load_encoder() if with_library else None
    fingerprint = encoder.fingerprint if encoder is not None else ""
    search = None if encoder is None else (lambda: encoder)
    if not model:
        return deterministic_crew(search, fingerprint)
    asked = load_language_model(ModelLibrary().find(model))
    return language_crew(asked, encoder=search, fingerprint=fingerprint)


def _draft_document(run: Run, title: str, seconds: float) -> dict[str, object]:
    """The review schema with its anchors, and how it came about."""
    review = run.draft.review()
    return fields(
        review,
        "summary strengths weaknesses questions",
        title=title,
        **review.scores.model_dump(),
        anchors=[
            _drafted_anchor(anchor, claim=point.text, field=name, origin=point.origin)
            for name, point in run.draft.points()
            for anchor in point.anchors
        ],
        checklist=[
            fields(item, "dimension question", places=[_drafted_anchor(anchor) for anchor in item.places])
            for item in run.draft.checklist
        ],
        origin=run.origin,
        stages=[
            fields(stage, "stage seconds problem")
            | fields(stage.info, "way version prompt_version")
            | {"output": None if stage.output is None else stage.output.model_dump(mode="json")}
            for stage in run.stages
        ],
        seconds=seconds,
    )


def _drafted_anchor(anchor: Anchor, **others: object) -> dict[str, object]:
    """An anchor as the command-line contract has it."""
    return fields(anchor, "kind ref quote verified", page=anchor.page or None, **others)


def _print_draft(draft: Draft) -> None:
    for name in ("summary", "strengths", "weaknesses", "questions"):
        click.echo(f"## {name.title()}\n")
        for point in getattr(draft, name):
            click.echo(f"- {point.text}" + (f"\n  Suggestion: {point.suggestion}" if point.suggestion else ""))
        click.echo("")
    click.echo("## Checklist for the reviewer\n")
    for item in draft.checklist:
        pages = ", ".join(f"p. {page}" for page in dict.fromkeys(anchor.page for anchor in item.places))
        click.echo(f"- {item.question}" + (f" (look at {pages})" if pages else ""))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="REVIEWS...", type=click.Path(path_type=Path))
@click.option(
    "--paper", type=click.Path(path_type=Path), help="The paper's PDF, where all reviews are of this one paper."
)
@click.option("--human", multiple=True, type=click.Path(path_type=Path), help="Reviews by people, of the same papers.")
@click.option("--baseline", default="", help="The source that others are compared with.")
@click.option("--model", default="", help="The id of a language model that judges; without it rules do.")
@click.option("--words-only", is_flag=True, help="Compare words alone, without the sentence encoder.")
@click.option("--strict", is_flag=True, help="Round numeric fields to the published steps before comparing them.")
@click.option("--out", type=click.Path(path_type=Path), help="Write papers, reviews and rubrics as JSON Lines.")
@click.option("--seed", default=0, show_default=True, help="For the language model and the intervals.")
@json_option
def score(  # noqa: PLR0917 - one parameter an option
    files: tuple[Path, ...],
    paper: Path | None,
    human: tuple[Path, ...],
    baseline: str,
    model: str,
    words_only: bool,
    strict: bool,
    out: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Score any number of review sources on the same papers, side by side with intervals.

    REVIEWS are Markdown, OpenReview notes, or DeepReview's and ReviewGrounder's JSON; a file is a source by its name.
    Exit 1 where something could not be read or scored.
    """
    from engine.models import load_encoder
    from engine.review_drafting.benchmark.comparison import compare, reference_scores, table
    from engine.review_drafting.benchmark.filters import FilterSettings, filtered
    from engine.review_drafting.benchmark.reference import mean_scores
    from engine.review_drafting.benchmark.running import judge_reviews, make_rubrics
    from engine.review_drafting.rubrics import meta_rubrics

    whole, fell_short = _read(files, human, paper)
    whole = whole.model_copy(update={"reviews": filtered(whole.reviews, FilterSettings())})
    for review in whole.reviews:
        if not review.kept:
            remark(f"A review of “{_title(whole, review.paper_id)}” was left out. {review.why_left_out}")
    encoder = None if words_only else load_encoder()
    encode = None if encoder is None else encoder.encode
    readings = _readings(paper)
    judge, origin = _model(model)
    missing = [
        one.id
        for one in whole.papers
        if not whole.rubrics.get(one.id) or not all(r.key_points for r in whole.rubrics[one.id])
    ]
    made = make_rubrics(whole, missing, readings, encode=encode, model=judge, origin=origin, seed=seed)
    whole = whole.model_copy(update={"rubrics": {**whole.rubrics, **made}})
    judged = judge_reviews(whole, readings, encode=encode, model=judge, seed=seed)
    scores = {review: {one.dimension: one.score for one in given} for review, given in judged.judgements.items()}
    rows = table(whole.reviews, scores, meta_rubrics(), baseline=baseline or None, seed=seed)
    true = reference_scores(whole)
    numeric = [
        compare(
            source,
            [
                (mean_scores([r.review.scores for r in whole.reviews if r.source == source and r.paper_id == key]), of)
                for key, of in true.items()
                if any(r.source == source and r.paper_id == key for r in whole.reviews)
            ],
            rounded=strict,
        )
        for source in dict.fromkeys(r.source for r in whole.reviews if r.role == "candidate")
    ]
    if out is not None:
        from engine.exchange.review_sets import write_review_set

        write(out, write_review_set(whole).encode("utf-8"))
    if as_json:
        emit(
            {
                "judge": origin or "checks",
                "rows": [
                    fields(
                        row,
                        "source papers reviews passed",
                        overall=_estimate(row.overall),
                        dimensions={name: _estimate(value) for name, value in row.dimensions.items()},
                        against=None if row.against is None else _estimate(row.against),
                    )
                    for row in rows
                ],
                "numeric": [row.model_dump() for row in numeric],
                "reviews": _reviews(whole, judged.judgements),
                "seconds": round(judged.seconds, 3),
            }
        )
    else:
        for row in rows:
            click.echo(
                f"{row.source}: {row.overall.value:.2f} ({row.overall.low:.2f} to {row.overall.high:.2f}),"
                f" {row.papers} papers"
            )
            for meta in meta_rubrics():
                click.echo(f"  {meta.title:32} {row.dimensions[meta.id].value:5.2f}")
    if fell_short or len(judged.judgements) < sum(r.kept and r.role != "reference" for r in whole.reviews):
        sys.exit(1)


def _read(files: Sequence[Path], human: Sequence[Path], paper: Path | None) -> tuple[ReviewSet, bool]:
    """All files as one set; a paper is the same where its key is, or all are with ``--paper``."""
    from engine.exchange.encoding import read_text
    from engine.exchange.review_sets import read_review_set
    from engine.review_drafting.benchmark.records import ReviewSet

    papers: dict[str, BenchmarkPaper] = {}
    reviews: list[BenchmarkReview] = []
    rubrics: dict[str, tuple[PaperRubric, ...]] = {}
    fell_short = False
    for file, role in [*((f, None) for f in files), *((f, "human") for f in human)]:
        found = read_review_set(read_text(file).text, file.name, role=role)  # type: ignore[arg-type]
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


def _title(whole: ReviewSet, key: str) -> str:
    return next(paper.title for paper in whole.papers if paper.id == key)


def _readings(pdf: Path | None) -> Readings:
    from engine.review_drafting.benchmark.text_paper import read_text_paper
    from engine.review_drafting.tasks import read_for_drafting

    read: dict[str, PaperReading] = {}

    def reading(paper: BenchmarkPaper) -> PaperReading:
        if paper.id not in read:
            if pdf is not None:
                read[paper.id] = read_for_drafting(pdf)[0]
            elif paper.text:
                read[paper.id] = read_text_paper(paper.title, paper.text)
            else:
                raise BadInput(
                    f"Nothing is known of the paper “{paper.title}” but its reviews.",
                    "Its reviews cannot be held against it.",
                    "Give its PDF with --paper, or a file that holds its text.",
                )
        return read[paper.id]

    return reading


def _model(key: str) -> tuple[LanguageModel | None, str]:
    if not key:
        return None, ""
    from engine.models.library import ModelLibrary, load_language_model

    entry = ModelLibrary().find(key)
    model = load_language_model(entry, beside_window=False)
    return model, f"model:{model.info.id}@{model.info.version}"


def _estimate(value: Estimate) -> dict[str, float | int | None]:
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


_SIGNS = {"green": "+", "amber": "o", "red": "x", "none": " "}


@click.group()
def review() -> None:
    """Draft, check and score reviews; move, rename and remove those of a project."""


for _command in (draft, score, move_review_command, remove_review, rename_review):
    review.add_command(_command)


@review.command()
@click.argument("path", metavar="REVIEW.md", type=click.Path(path_type=Path))
@click.option("--paper", required=True, metavar="PAPER.pdf", type=click.Path(path_type=Path), help="The paper's PDF.")
@json_option
def check(path: Path, paper: Path, as_json: bool) -> None:
    """Verify each place, quotation and number that a review of any origin points at.

    Each sentence is marked + (what it points at was found), o (says something of the paper and points nowhere) or x
    (points at something that is not there). Only what the PDF shows counts. Exit 1 where a sentence is marked x.
    """
    from engine.documents.hidden import unexamined_words, visible_document
    from engine.exchange.review_markdown import read_review

    decoded = read_text(path)
    for warning in decoded.warnings:
        remark(warning)
    with DocumentService() as service:
        parsed, seen = service.parse(paper), service.inspect(paper)
    if seen.hidden or seen.injection:
        remark(f"The PDF hides text or speaks to its reviewer; see rejoinder inspect {paper.name}.")
    if not seen.complete:
        remark(f"{unexamined_words(seen)} Text on such pages does not count; see rejoinder inspect {paper.name}.")
    found = ground(decoded.text, Places(visible_document(parsed, seen)))
    if as_json:
        emit(
            {
                **read_review(decoded.text).model_dump(),
                "anchors": [_anchor(claim, a) for claim in found.claims for a in claim.anchors],
                "unsupported": [_claim(claim) for claim in found.unsupported],
                "claims": [_claim(claim) for claim in found.claims],
                "hidden_text": len(seen.hidden),
                "complete": seen.complete,
                "seconds": found.seconds,
            }
        )
    else:
        for claim in found.claims:
            click.echo(f"{_SIGNS[claim.colour]} {' '.join(claim.text.split())}")
            if claim.colour in ("red", "amber"):
                click.echo(f"    {claim.why}")
            for passage in claim.passages:
                click.echo(f"    nearest, page {passage.page}: {passage.text[:160]}")
        counts = {colour: sum(c.colour == colour for c in found.claims) for colour in ("green", "amber", "red")}
        click.echo(f"\n{counts['green']} verified, {counts['amber']} without a place, {counts['red']} unsupported.")
    if found.unsupported:
        sys.exit(1)


def _anchor(claim: Claim, anchor: CheckedAnchor) -> dict[str, Any]:
    return fields(
        anchor,
        "kind ref verified certain start end why",
        claim=claim.text,
        page=anchor.page or None,
        boxes=[[b.page, b.x0, b.y0, b.x1, b.y1] for b in anchor.place.boxes] if anchor.place else [],
    )


def _claim(claim: Claim) -> dict[str, Any]:
    nearest = [fields(passage, "page text share") for passage in claim.passages]
    return fields(claim, "start end kind colour why missing", claim=claim.text, nearest=nearest)
