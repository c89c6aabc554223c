"""``rejoinder reproduce rebuttal``: the tasks of JitsuPeer and DISAPERE, beside the published figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from engine.cli.output import emit, remark
from engine.errors import BadInput

TASKS = ("theme", "labels", "rebuttal-action", "answers", "scoring", "descriptions", "generation")
_folder = click.Path(path_type=Path, file_okay=False)


@click.command("rebuttal")
@click.option("--data", type=_folder, required=True, help="Folder with disapere/ and jitsupeer/; see docs/formats.md.")
@click.option("--tasks", default="", help=f"Some of {', '.join(TASKS)}, divided by commas; all otherwise.")
@click.option("--part", type=click.Choice(["dev", "test"]), default="dev", show_default=True, help="What is judged on.")
@click.option("--seq2seq", "folders", multiple=True, type=_folder, help="Folder with BART, Pegasus or T5; writes, too.")
@click.option("--seed", default=1, show_default=True, help="Of folds, trees, networks and the shuffle of candidates.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--fine-tune",
    multiple=True,
    type=_folder,
    help="An encoder folder (or “bundled”) to fine-tune for theme, labels and scoring, too; takes minutes each.",
)
def rebuttal(
    data: Path,
    tasks: str,
    part: Literal["dev", "test"],
    *,
    folders: tuple[Path, ...],
    fine_tune: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> None:
    """What rebuttals do and answer, and canonical rebuttals: every strategy on given splits.

    Intervals are 95 %, by bootstrap over papers (DISAPERE), descriptions (scoring), sentences (descriptions) and
    canonical rebuttals (generation). Candidates are shuffled first.
    """
    from engine.cli.progress import Remarks
    from engine.models import bundled_encoder, load_encoder
    from engine.research.rebuttal.reproduction import Reproduction, baselines

    chosen = [name.strip() for name in tasks.split(",") if name.strip()] or list(TASKS)
    unknown = [name for name in chosen if name not in TASKS]
    if unknown:
        raise BadInput(
            f"There is no task named “{unknown[0]}”.", "Nothing was computed.", f"Choose of {', '.join(TASKS)}."
        )
    bases = tuple(bundled_encoder().folder if str(name) == "bundled" else name for name in fine_tune)
    made = Reproduction(data, part, seed, load_encoder(leave_free=0), Remarks(), folders, bases)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(chosen, start=1):
        remark(f"{name} (task {number} of {len(chosen)})")
        for found in made.rows(name):
            rows.append(found)
            if not as_json:
                _print(rows)
    baselines(rows)
    if as_json:
        emit({"rows": rows})
    else:
        for note in dict.fromkeys(f"{row['strategy']}: {row['note']}" for row in rows if row["note"]):
            click.echo(f"  {note}")


def _print(rows: list[dict[str, Any]]) -> None:
    row = rows[-1]
    if len(rows) == 1 or any(rows[-2][key] != row[key] for key in ("task", "split")):
        click.echo(f"\n{row['task']} ({row['split']})\n{'':62} {'':10}  value  95 %         published")
    best = max(row["published"].items(), key=lambda one: one[1], default=None)
    published = f"{100 * best[1]:.1f} {best[0]}" if best else ""
    click.echo(
        f"{row['strategy'][:16]:16} {row['title'][:45]:45} {row['metric']:10} {100 * row['value']:6.1f} "
        f" {100 * row['low']:5.1f}-{100 * row['high']:4.1f}  {published}"
    )
