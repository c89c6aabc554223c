"""``rejoinder train-aligner``: fine-tunes a bi-encoder or cross-encoder on annotated revisions."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from engine.cli.output import emit, json_option, remark
from engine.cli.progress import Remarks
from engine.errors import BadInput

_folder = click.Path(path_type=Path, file_okay=False)


@click.command("train-aligner")
@click.option("--kind", type=click.Choice(["bi-encoder", "cross-encoder"]), required=True)
@click.option("--data", type=_folder, required=True, help="Annotated revisions in the layout of ARIES.")
@click.option("--base", type=_folder, required=True, help="The model folder to start from.")
@click.option(
    "--out", type=_folder, required=True, help="The folder for the trained model; goes on with a stopped run."
)
@click.option("--development", help="Ids of development papers, divided by commas; the last paper otherwise.")
@click.option("--labels", help="File of training labels, for example edit_labels_train.jsonl.")
@click.option("--development-labels", help="File of development labels, for example edit_labels_dev.jsonl.")
@click.option("--steps", default=8192, show_default=True, type=click.IntRange(1))
@click.option("--batch", default=16, show_default=True, type=click.IntRange(1))
@click.option("--learning-rate", default=2e-5, show_default=True, type=click.FloatRange(min=0, min_open=True))
@click.option("--look-every", default=256, show_default=True, type=click.IntRange(1), help="Steps between two looks.")
@click.option("--patience", default=8, show_default=True, type=click.IntRange(1), help="Looks without a gain.")
@click.option("--least-characters", default=100, show_default=True, type=click.IntRange(0))
@click.option("--use-responses", is_flag=True, help="Read the authors' responses, too.")
@click.option("--device", help="As torch names it; the best there is otherwise.")
@json_option
def train_aligner(  # noqa: PLR0917 (click passes options by name)
    kind: Any,
    data: Path,
    base: Path,
    out: Path,
    development: str | None,
    labels: str | None,
    development_labels: str | None,
    device: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Fine-tune an aligner as ARIES does: 20 negatives from other papers, best model on the development papers.

    Exit 1 where no look at the development papers was better than the model it started from.
    """
    from engine.research.alignment.corpus import read_papers
    from engine.research.alignment.training import TrainingSettings, train

    papers = read_papers(data, labels)
    if development_labels:
        held = read_papers(data, development_labels)
    else:
        wanted = {name.strip() for name in (development or "").split(",") if name.strip()} or {papers[-1].id}
        held = tuple(paper for paper in papers if paper.id in wanted)
        if not held:
            raise BadInput(
                f"There is no paper named {', '.join(sorted(wanted))}.",
                "Nothing was trained.",
                f"Choose of {', '.join(paper.id for paper in papers)}.",
            )
        papers = tuple(paper for paper in papers if paper.id not in wanted)
    trained = train(base, out, papers, held, TrainingSettings(kind=kind, **settings), report=Remarks(), device=device)
    if as_json:
        emit({**asdict(trained), "folder": str(trained.folder)})
    else:
        click.echo(
            f"{trained.steps} steps on {trained.device} in {trained.seconds:.0f} s, at most"
            f" {trained.peak_memory / 2**20:.0f} MiB{'; stopped early' if trained.stopped_early else ''}.\n"
            f"Best at step {trained.best_step}: F1 {100 * trained.f1:.1f} on the development papers, threshold"
            f" {trained.threshold:.3f}. Kept in {trained.folder}."
        )
    if trained.best_step == 0:
        remark("Training did not make the model better on the development papers.")
        sys.exit(1)
