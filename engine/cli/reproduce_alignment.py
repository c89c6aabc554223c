"""``rejoinder reproduce alignment``: every aligner on annotated revisions, each paper by what the others taught."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from engine.cli.output import chosen, emit, json_option, remark
from engine.errors import BadInput
from engine.exchange.encoding import read_bytes, read_text
from engine.exchange.jsontext import json_lines

_folder = click.Path(path_type=Path, file_okay=False)
PUBLISHED_REMARK = (
    "The figures of the published ARIES table (section 5.2) are not available: they were looked for and not found in a "
    "source that could be checked, and none is given from memory. So “published” is empty; --published takes a table "
    "of them. They are on other papers than these in any case."
)


def means_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of ``means_of``."""
    file = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option("--links", type=file, help="For human: a person's links, as edit labels of ARIES."),
        click.option("--generated", type=file, help="For bm25-generated: JSON lines with comment_id and edit."),
        click.option("--language-model", help="A model of the Models pane, by its id, for the llm strategies."),
        click.option("--model", type=_folder, help="A model folder for bi-encoder and cross-encoder."),
    ):
        command = option(command)
    return command


@click.command("alignment")
@click.option("--data", type=_folder, required=True, help="Folder in the layout of ARIES; see docs/formats.md.")
@click.option("--strategies", default="", help="Some of them, divided by commas; all that can run here otherwise.")
@click.option("--labels", default=None, help="Another file of labels, for example edit_labels_dev.jsonl.")
@means_options
@click.option("--least-characters", type=click.IntRange(0), default=None, help="Leave out shorter edits; 100 in ARIES.")
@click.option(
    "--published",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Published figures, in percent: CSV with a column strategy and columns f1, precision, recall, macro_f1...",
)
@json_option
def alignment(  # noqa: PLR0917 (click passes options by name)
    data: Path,
    strategies: str,
    labels: str | None,
    least_characters: int | None,
    published: Path | None,
    as_json: bool,
    **means_given: Any,
) -> None:
    """Comment-edit alignment on annotated revisions, leaving one paper out.

    Intervals are 95 %, by bootstrap over comments and over papers. Pairs about which nothing is known are left out.
    """
    from engine.models import load_encoder
    from engine.research.alignment.comparison import compare_strategies, extras, read_published, row_fields, runnable
    from engine.research.alignment.corpus import read_papers
    from engine.revision.aligners import STRATEGIES

    printed = read_published(published) if published is not None else {}
    papers = read_papers(data, labels)
    if not papers:
        raise BadInput(f"No paper in {data} has labelled comments.", "Nothing was computed.")
    encoder = load_encoder(leave_free=0)
    means = means_of(encoder, **means_given)
    names = chosen(strategies, STRATEGIES, "strategy") or list(runnable(means))
    rows = []
    for row in compare_strategies(papers, means, names, least_characters=least_characters, progress=remark):
        rows.append({**row_fields(row), "published": printed.get(row.strategy, {})})
        if not as_json:
            if len(rows) == 1:
                click.echo(_HEAD + ("  published" if printed else ""))
            click.echo(_line(rows[-1]))
    document = {"rows": rows, **extras(papers, encoder)}
    if as_json:
        emit(document)
    else:
        _print_rest(document)
    remark(PUBLISHED_REMARK if not printed else "The published figures are on other papers than these.")


def means_of(
    encoder: Any, model: Path | None, language_model: str | None, generated: Path | None, links: Path | None
) -> Any:
    """What the options give, as ``Means``. Raises BadInput for a file that cannot be read or an unknown model."""
    from engine.revision.aligners import Means

    chosen = None
    if language_model is not None:
        from engine.models.library import ModelLibrary, load_language_model

        chosen = load_language_model(ModelLibrary().find(language_model))
    return Means(
        embedder=encoder,
        model_folder=model,
        language_model=chosen,
        generated=None if generated is None else _generated(generated),
        links=None if links is None else _person(links),
    )


_HEAD = (
    f"{'':32} {'F1':>5} {'95 %, comments':>14} {'papers':>12} {'P':>5} {'R':>5} {'macro':>6} {'no empty':>9}"
    f" {'AO-F1':>6} {'R@1':>5} {'R@3':>5} {'R@5':>5} {'all5':>5}"
)


def _line(row: Mapping[str, Any]) -> str:
    name = row["strategy"] + (" + responses" if row["responses"] else "")
    if row["least_characters"]:
        name += f" (≥ {row['least_characters']})"

    def percent(*fields: str) -> str:
        return " ".join(f"{100 * row[field]:5.1f}" for field in fields)

    def between(low: str, high: str) -> str:
        return f"{100 * row[low]:5.1f}-{100 * row[high]:4.1f}"

    return (
        f"{name:32} {percent('f1')}    {between('f1_low', 'f1_high')} "
        f" {between('f1_low_over_papers', 'f1_high_over_papers')} {percent('precision', 'recall')}"
        f"  {percent('macro_f1')}     {percent('macro_f1_without_empty')}"
        f"  {percent('addition_f1', 'recall_at_1', 'recall_at_3', 'recall_at_5', 'all_in_5')}"
        f"  {', '.join(f'{name} {100 * value:.1f}' for name, value in row['published'].items())}"
    ).rstrip()


def _print_rest(document: Mapping[str, Any]) -> None:
    possible = document["rows"][0]["recall_at_5_possible"] if document["rows"] else 0.0
    click.echo(f"\nHighest recall at 5 that any ranking can reach here: {100 * possible:.1f}")
    click.echo("\nMicro-F1 by directness and by compliance")
    for row in document["rows"]:
        parts = [
            f"{name} {100 * value:.1f}"
            for group in ("by_directness", "by_compliance")
            for name, value in row[group].items()
        ]
        click.echo(f"  {row['strategy'] + (' + responses' if row['responses'] else ''):30} {', '.join(parts)}")
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


def _generated(path: Path) -> dict[str, str]:
    """By comment the text of its generated edit: fields ``comment_id`` and ``edit`` (or ``generated_edit``)."""
    found = {}
    for number, record in _records(path):
        text = record.get("edit") or record.get("generated_edit")
        if "comment_id" not in record or not isinstance(text, str):
            raise BadInput(f"{path.name}, line {number} has no comment_id and edit.", "Nothing was computed.")
        found[str(record["comment_id"])] = text
    return found


def _person(path: Path) -> dict[str, frozenset[str]]:
    from engine.exchange.aries import edit_labels, read_file

    labels = edit_labels(read_file(read_bytes(path), path.name))
    return {label.comment_id: frozenset(label.positives) for label in labels}


def _records(path: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    return ((number, record) for number, _, record in json_lines(read_text(path).text, path.name))
