"""``rejoinder review draft``: a draft of a review in which every statement points at a place of the paper."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.cli.output import emit, fields, json_option, remark

if TYPE_CHECKING:
    from engine.review_drafting.pipeline import Crew, Run
    from engine.review_drafting.records import Anchor, Draft, LibraryEntry

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
        emit(_document(run, paper.title, round(time.perf_counter() - started, 3)))
    else:
        _print(run.draft)
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


def _document(run: Run, title: str, seconds: float) -> dict[str, object]:
    """The review schema with its anchors, and how it came about."""
    review = run.draft.review()
    return fields(
        review,
        "summary strengths weaknesses questions",
        title=title,
        **review.scores.model_dump(),
        anchors=[
            _anchor(anchor, claim=point.text, field=name, origin=point.origin)
            for name, point in run.draft.points()
            for anchor in point.anchors
        ],
        checklist=[
            fields(item, "dimension question", places=[_anchor(anchor) for anchor in item.places])
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


def _anchor(anchor: Anchor, **others: object) -> dict[str, object]:
    """An anchor as the command-line contract has it."""
    return fields(anchor, "kind ref quote verified", page=anchor.page or None, **others)


def _print(draft: Draft) -> None:
    for name in ("summary", "strengths", "weaknesses", "questions"):
        click.echo(f"## {name.title()}\n")
        for point in getattr(draft, name):
            click.echo(f"- {point.text}" + (f"\n  Suggestion: {point.suggestion}" if point.suggestion else ""))
        click.echo("")
    click.echo("## Checklist for the reviewer\n")
    for item in draft.checklist:
        pages = ", ".join(f"p. {page}" for page in dict.fromkeys(anchor.page for anchor in item.places))
        click.echo(f"- {item.question}" + (f" (look at {pages})" if pages else ""))
