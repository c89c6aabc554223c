"""``rejoinder reproduce``: published tables computed again, beside the published figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from engine.cli.means import means_of, means_options
from engine.cli.output import chosen, emit, fields, json_option, remark
from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.expertise.algorithms.base import SimilarityAlgorithm
    from engine.research.similarity import Figures


_folder = click.Path(path_type=Path, file_okay=False)
PUBLISHED_REMARK = "The published figures (ARIES, table 2) are on other papers than these."


@click.command("alignment")
@click.option("--data", type=_folder, required=True, help="Folder in the layout of ARIES; see docs/formats.md.")
@click.option("--strategies", default="", help="Some of them, divided by commas; all that can run here otherwise.")
@click.option("--labels", default=None, help="Another file of labels, for example edit_labels_dev.jsonl.")
@means_options
@click.option("--least-characters", type=click.IntRange(0), default=None, help="Leave out shorter edits; 100 in ARIES.")
@click.option("--trial", "trials", multiple=True, type=_folder, help="--model trained with another seed, for a mean.")
@json_option
def alignment(  # noqa: PLR0917 (click passes options by name)
    data: Path,
    strategies: str,
    labels: str | None,
    least_characters: int | None,
    trials: tuple[Path, ...],
    as_json: bool,
    **means_given: Any,
) -> None:
    """Comment-edit alignment on annotated revisions, leaving one paper out: tables 2, 3 and 8 of ARIES.

    Intervals are 95 %, by bootstrap over comments and over papers. Pairs about which nothing is known are left out.
    """
    from engine.models import load_encoder
    from engine.research.alignment.comparison import (
        OF_SOURCES,
        compare_strategies,
        extras,
        row_fields,
        runnable,
        source_papers,
    )
    from engine.research.alignment.corpus import read_papers
    from engine.revision.aligners import STRATEGIES
    from engine.revision.aligners.selection import SHORT

    papers = read_papers(data, labels)
    if not papers:
        raise BadInput(f"No paper in {data} has labelled comments.", "Nothing was computed.")
    encoder = load_encoder(leave_free=0)
    means = means_of(encoder, **means_given)
    names = chosen(strategies, STRATEGIES, "strategy") or list(runnable(means))
    rows = []
    for row in compare_strategies(
        papers, means, names, least_characters=least_characters, trials=trials, progress=remark
    ):
        rows.append(row_fields(row))
        if not as_json:
            if len(rows) == 1:
                click.echo(_HEAD)
            click.echo(_line(rows[-1]))
    remark("Source paragraphs")
    of_sources = [name for name in OF_SOURCES if name in names]
    sources = compare_strategies(source_papers(papers), means, of_sources, least_characters=SHORT, trials=trials)
    document = {
        "rows": rows,
        "source_rows": [row_fields(row) for row in sources if not row.use_responses] if of_sources else [],
        **extras(papers, encoder),
    }
    if as_json:
        emit(document)
    else:
        _print_rest(document)
    remark(PUBLISHED_REMARK)


_HEAD = f"{'':32} {'F1':>17}  {'papers':>9} {'no empty':>8} {'R@1':>5} {'R@3':>5} {'R@5':>5} {'all5':>5}"


def _line(row: Mapping[str, Any]) -> str:
    return (
        f"{_named(row):32} {_percent(row, 'f1')}  {100 * row['f1_low_over_papers']:4.1f}-"
        f"{100 * row['f1_high_over_papers']:4.1f} {100 * row['macro_f1_without_empty']:8.1f} "
        + " ".join(f"{100 * row[name]:5.1f}" for name in ("recall_at_1", "recall_at_3", "recall_at_5", "all_in_5"))
    )


def _named(row: Mapping[str, Any]) -> str:
    name: str = row["strategy"] + (" + responses" if row["responses"] else "")
    return name + (f" (≥ {row['least_characters']})" if row["least_characters"] else "")


def _percent(row: Mapping[str, float], name: str) -> str:
    """A figure with its interval, both in percent; a dash where there is none."""
    if name not in row:
        return f"{'-':>5}" + " " * (12 if name.endswith("f1") else 0)
    bounds = f" {100 * row[f'{name}_low']:5.1f}-{100 * row[f'{name}_high']:5.1f}" if f"{name}_low" in row else ""
    return f"{100 * row[name]:5.1f}{bounds}"


_TABLE_2 = (
    "addition_f1", "precision", "recall", "f1", "addition_macro_f1", "macro_precision", "macro_recall", "macro_f1",
)  # fmt: skip


def _print_table_2(document: Mapping[str, Any]) -> None:
    """Ours, and below what ARIES prints."""
    widths = [17 if name.endswith("f1") else 5 for name in _TABLE_2]
    click.echo(f"\nTable 2{'':27}" + " ".join(f"{head:>{w}}" for head, w in zip(2 * _HEADS, widths, strict=True)))
    for title, rows in (("these papers", document["rows"]), ("as printed", document["table_2"])):
        click.echo(f"{title}, micro and macro")
        for row in rows:
            name = row["title"] if title == "as printed" else _named(row)
            click.echo(f"  {name:32}" + " ".join(_percent(row, column) for column in _TABLE_2))


_HEADS = ("AO-F1", "P", "R", "F1")


def _print_rest(document: Mapping[str, Any]) -> None:
    from engine.research.alignment.comparison import SOURCE_MEASURES

    possible = document["rows"][0]["recall_at_5_possible"] if document["rows"] else 0.0
    click.echo(f"\nHighest recall at 5 that any ranking can reach here: {100 * possible:.1f}")
    _print_table_2(document)
    click.echo("\nTable 3: micro-F1 by directness and by compliance; errors in the worst fifth of the comments")
    for row in document["rows"]:
        parts = _parts(row["by_directness"] | row["by_compliance"])
        click.echo(f"  {_named(row):32} {parts}; {100 * row['errors_in_worst_fifth']:.0f} % of the errors")
    for name, figures in document["table_3"].items():
        click.echo(f"  {f'{name}, as printed':32} {_parts(figures)}")
    click.echo("\nTable 8: the source paragraph among those that were changed; micro and macro P, R and F1")
    for row in (*document["source_rows"], *document["table_8"]):
        name = f"{row['title']}, as printed" if "f1_low" not in row else _named(row)
        click.echo(f"  {name:32}" + " ".join(f"{100 * row[column]:5.1f}" for column in SOURCE_MEASURES))
    click.echo("\nBM25 filter before language models")
    for row in document["filter"]:
        click.echo(
            f"  {'with' if row['responses'] else 'without'} responses: keeps {100 * row['recall']:.1f} % of the true"
            f" pairs in {100 * row['kept']:.1f} % of all"
        )
    click.echo("\nSilver labels against the gold links")
    for row in document["silver"]:
        click.echo(
            f"  {row['kind']:16} {row['labels']:4} labels, precision {100 * row['precision']:5.1f},"
            f" recall {100 * row['recall']:5.1f}"
        )
    found = document["source_alignment"]
    click.echo(
        f"\nSource paragraph: {found['comments']} comments, {found['paragraphs']:.0f} paragraphs each; right one first"
        f" {100 * found['hit_at_1']:.1f}, among 3 {100 * found['hit_at_3']:.1f}, among 5 {100 * found['hit_at_5']:.1f}"
    )


def _parts(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {100 * value:.1f}" for name, value in figures.items())


TASKS = ("theme", "labels", "rebuttal-action", "answers", "scoring", "descriptions", "generation")
_folder = click.Path(path_type=Path, file_okay=False)


@click.command("rebuttal")
@click.option("--data", type=_folder, required=True, help="Folder with disapere/ and jitsupeer/; see docs/formats.md.")
@click.option("--tasks", default="", help=f"Some of {', '.join(TASKS)}, divided by commas; all otherwise.")
@click.option("--part", type=click.Choice(["dev", "test"]), default="dev", show_default=True, help="What is judged on.")
@click.option("--seq2seq", "folders", multiple=True, type=_folder, help="Folder with BART, Pegasus or T5; writes, too.")
@click.option("--seed", default=1, show_default=True, help="Of folds, trees, networks and the shuffle of candidates.")
@json_option
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

    names = chosen(tasks, TASKS, "task") or TASKS
    bases = tuple(bundled_encoder().folder if str(name) == "bundled" else name for name in fine_tune)
    made = Reproduction(data, part, seed, load_encoder(leave_free=0), Remarks(), folders, bases)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(names, start=1):
        remark(f"{name} (task {number} of {len(names)})")
        for found in made.rows(name):
            rows.append(found)
            if not as_json:
                _print_task(rows)
    baselines(rows)
    if as_json:
        emit({"rows": rows})
    else:
        for note in dict.fromkeys(f"{row['strategy']}: {row['note']}" for row in rows if row["note"]):
            click.echo(f"  {note}")


def _print_task(rows: list[dict[str, Any]]) -> None:
    row = rows[-1]
    if len(rows) == 1 or any(rows[-2][key] != row[key] for key in ("task", "split")):
        click.echo(f"\n{row['task']} ({row['split']})\n{'':62} {'':10}  value  95 %         published")
    best = max(row["published"].items(), key=lambda one: one[1], default=None)
    published = f"{100 * best[1]:.1f} {best[0]}" if best else ""
    click.echo(
        f"{row['strategy'][:16]:16} {row['title'][:45]:45} {row['metric']:10} {100 * row['value']:6.1f} "
        f" {100 * row['low']:5.1f}-{100 * row['high']:4.1f}  {published}"
    )


_folder = click.Path(path_type=Path, file_okay=False)


@click.command("similarity")
@click.option("--data", type=_folder, required=True, help="Folder of a gold standard; see docs/formats.md.")
@click.option(
    "--algorithms",
    default="",
    help="Some, divided by commas; fusion and all that need no model otherwise, and those of --model.",
)
@click.option("--model", "models", multiple=True, metavar="NAME=FOLDER", help="The folder of an algorithm's model.")
@click.option("--lengths", is_flag=True, help="Also profiles of 1 to 20 papers (Figure 2).")
@click.option("--samples", default=1000, show_default=True, type=click.IntRange(1), help="Bootstrap samples.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap and of profiles that are drawn.")
@json_option
def similarity(  # noqa: PLR0917 (click passes options by name)
    data: Path, algorithms: str, models: tuple[str, ...], lengths: bool, samples: int, seed: int, as_json: bool
) -> None:
    """Similarity algorithms on a gold standard of expertise, beside what was published on the same people.

    Loss with 95 % intervals (bootstrap over participants), easy and hard triples, difference to TPMS on title and
    abstract. The data's own profile draws are used where it has them.
    """
    from engine.exchange.expertise_data import paper_records, read_gold_standard, read_predictions
    from engine.research.similarity import Figures, described

    gold = read_gold_standard(data)
    chosen = _algorithms(algorithms, models)
    found = Figures(gold, read_predictions(data), samples, seed)
    remark(_who(found))
    for key, algorithm in chosen.items():
        found.add(key, algorithm, lengths=lengths, say=remark)
    wanted = [name.strip() for name in algorithms.split(",") if name.strip()]
    document = described(gold, paper_records(data)) | found.document(wanted)
    if as_json:
        emit(document)
    else:
        _print_tables(document)


def _algorithms(algorithms: str, models: Sequence[str]) -> Mapping[str, SimilarityAlgorithm | None]:
    """Algorithms by name; None for one whose model is not here, of which only the published scores are shown."""
    from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, make_algorithm
    from engine.models import load_encoder

    folders: dict[str, Path] = {}
    for pair in models:
        name, found, folder = pair.partition("=")
        if not found or name not in ALGORITHMS:
            raise BadInput(f"“{pair}” names no algorithm's folder.", "Nothing was computed.", "Write NAME=FOLDER.")
        folders[name] = Path(folder)
    wanted = [name.strip() for name in algorithms.split(",") if name.strip()]
    # Another encoder pass over full texts takes minutes: only when asked for.
    wanted = wanted or [
        key for key, entry in ALGORITHMS.items() if key == DEFAULT or entry.needs == "nothing" or key in folders
    ]
    chosen: dict[str, SimilarityAlgorithm | None] = {}
    for name in wanted:
        entry = ALGORITHMS.get(name)
        if entry is not None and entry.needs == "folder" and name not in folders:
            remark(f"{entry.title} needs a model folder (--model {name}=FOLDER): only what was published is shown.")
            chosen[name] = None
            continue
        embedder = load_encoder(leave_free=0) if entry is not None and entry.needs == "encoder" else None
        chosen[name] = make_algorithm(name, embedder=embedder, folder=folders.get(name))
    return chosen


def _who(found: Figures) -> str:
    people = {rating.participant for rating in found.gold.ratings}
    return (
        f"{len(people)} participants, {len(found.gold.ratings)} ratings, {len(found.draws)} draws of profiles"
        + ("" if found.gold.draws else " (drawn here: the data has none)")
        + ("." if found.with_texts else "; no full texts.")
    )


def _print_tables(document: Mapping[str, Any]) -> None:
    click.echo(
        f"{document['participants']} participants, {document['ratings']} ratings"
        f" ({document['ratings_left_out']} of papers without a title left out), {document['draws']} draws\n"
    )
    for number, about in (("1", "participants"), ("2", "papers and ratings")):
        click.echo(f"Table {number}: {about}, and what the paper prints of all 58 participants")
        for row in document[f"table_{number}"]:
            value = "not in the data" if row["value"] is None else f"{row['value']:g}"
            click.echo(f"  {row['name']:28} {value:>16} {row['printed']:8g}")
        click.echo()
    click.echo("Figure 1: ratings by value; pairs of one participant by their distance")
    click.echo("  " + ", ".join(f"{one['rating']:g}: {one['ratings']}" for one in document["figure_1a"]))
    click.echo("  " + ", ".join(f"{one['distance']:g}: {one['pairs']}" for one in document["figure_1b"]))
    note = "; the published scores on the same people; what the paper prints (58 participants)"
    click.echo(f"\nTable 3: loss (95 %), difference to TPMS on title and abstract{note}")
    _losses(document["rows"])
    if document["table_4"]:
        click.echo(f"\nTable 4: profiles of papers with full text only, difference to title and abstract{note}")
        _losses(document["table_4"])
    click.echo("\nTable 5: triples resolved, easy and hard; by the published scores; printed")
    for row in document["rows"]:
        names = ("easy", "hard", "published_easy", "published_hard", "printed_easy", "printed_hard")
        click.echo(f"  {_name(row)} {'  '.join(_text(row[name]) for name in names)}")
    if "lengths" in document:
        click.echo("\nFigure 2: loss by length of the profile")
        for row in document["lengths"]:
            click.echo(f"  {_name(row)} {row['length']:3}  {_interval(row)}")


def _losses(rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        ours, theirs, printed = (
            f"{_interval(row, f'{prefix}loss'):24} {_interval(row, f'{prefix}difference', '+'):27}"
            for prefix in ("", "published_", "printed_")
        )
        click.echo(f"  {_name(row)} {ours} {theirs} {printed}".rstrip())


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['algorithm']:14} {row['representation']:16}"


def _interval(row: Mapping[str, Any], name: str = "loss", sign: str = "-") -> str:
    """A figure with its interval, where there is one."""
    value, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return "not run" if name == "loss" else "–"
    return f"{value:{sign}.3f}" + ("" if low is None else f" ({low:{sign}.3f} to {high:{sign}.3f})")


def _text(value: float | None) -> str:
    return "  –  " if value is None else f"{value:.3f}"


@click.group()
def reproduce() -> None:
    """Compute published tables again, beside the published figures."""


reproduce.add_command(alignment)
reproduce.add_command(rebuttal)
reproduce.add_command(similarity)


@reproduce.command("calibration-table-1")
@click.option("--seeds", default=20, show_default=True, type=click.IntRange(1, 1000), help="Draws; seeds 0, 1, 2...")
@json_option
def calibration_table_1(seeds: int, as_json: bool) -> None:
    """Score calibration on synthetic reviews: table 1 of IDSIA-25-98, and the improved model as e).

    1,500 items, 500 referees, 4,500 reviews a draw, by eq. (12), and by three generators that break its assumptions.
    Exit 1 where the published order d < c < a < b of the mean rank differences does not hold.
    """
    from typing import get_args

    from engine.calibration.synthetic import Break, Design
    from engine.research.calibration import MEASURES, PRINTED_LESS, table_one

    kinds = get_args(Break)
    rows = {}
    for kind in kinds:
        remark(f"Generator: {kind}" if kind != "none" else "Generator: as printed")
        rows[kind] = table_one(
            range(seeds), Design(breaks=kind), lambda done: remark(f"{round(done * seeds)} of {seeds} draws")
        )
    by_name = {row.configuration: row.mean[1] for row in rows["none"]}
    ordered = by_name["d"] < by_name["c"] < by_name["a"] < by_name["b"]
    if as_json:
        emit(
            {
                "seeds": seeds,
                "published_order_holds": ordered,
                "printed_log_likelihoods_are_lower_by": PRINTED_LESS,
                "rows": [
                    fields(row, "title", generator=kind, strategy=row.configuration)
                    | {
                        **dict(zip(MEASURES, row.mean, strict=True)),
                        "spread": dict(zip(MEASURES, row.spread, strict=True)),
                        "published": row.published and dict(zip(MEASURES, row.published, strict=True)),
                    }
                    for kind, table in rows.items()
                    for row in table
                ],
            }
        )
    else:
        for kind, table in rows.items():
            click.echo(f"\nGenerator: {'eq. (12)' if kind == 'none' else kind}; ± is the spread over {seeds} draws")
            click.echo(f"{'':36} log-likelihood        absolute rank difference of the items\n{'':36} of a review"
                       f"{'mean':>17}{'RMS':>15}{'maximum':>13}")  # fmt: skip
            for row in table:
                cells = [f"{row.mean[0]:8.3f} ± {row.spread[0]:.3f}"]
                cells += [
                    f"{mean:7.1f} ± {spread:.1f}" for mean, spread in zip(row.mean[1:], row.spread[1:], strict=True)
                ]
                click.echo(f"{row.configuration}) {row.title:33}" + "  ".join(cells))
                if row.published:
                    printed = (
                        f"{row.published[0]:8.3f}        ",
                        *(f"{value:7.1f}      " for value in row.published[1:]),
                    )
                    click.echo(f"{'   printed':36}" + "  ".join(printed))
        click.echo(f"\nThe printed log-likelihoods are lower by a constant, about {PRINTED_LESS:.2f} (half ln 2 pi).")
        click.echo("The published order d < c < a < b " + ("holds." if ordered else "does NOT hold."))
    sys.exit(0 if ordered else 1)
