"""The options that say what an aligner is made with, and the files behind them (``align``, ``reproduce alignment``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from engine.cli.models import language_model as loaded
from engine.cli.output import FILE, FOLDER
from engine.errors import BadInput
from engine.exchange.encoding import read_bytes, read_text
from engine.exchange.jsontext import json_lines


def means_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of ``means_of``."""

    for option in (
        click.option("--links", type=FILE, help="For human: a person's links as ARIES edit labels."),
        click.option(
            "--generated", type=FILE, help="For bm25-generated: JSON lines with comment_id and edit, or a project."
        ),
        click.option("--language-model", help="For the llm strategies: the id of a model in the Models pane."),
        click.option("--model", type=FOLDER, help="For bi-encoder and cross-encoder: a model folder."),
    ):
        command = option(command)
    return command


def means_of(
    encoder: Any, model: Path | None, language_model: str | None, generated: Path | None, links: Path | None
) -> Any:
    """What the options give, as ``Means``. Raises BadInput for a file that cannot be read or an unknown model."""
    from engine.revision.aligners import Means

    return Means(
        embedder=encoder,
        model_folder=model,
        language_model=None if language_model is None else loaded(language_model),
        generated=None if generated is None else _generated(generated),
        links=None if links is None else _person(links),
    )


def _generated(path: Path) -> dict[str, str]:
    """By comment the text of its generated edit: fields ``comment_id`` and ``edit`` (or ``generated_edit``), or what is
    proposed in a project, by the project's ids and by those of the files that the comments came from.
    """
    if path.suffix == ".rejoinder":
        return _proposed(path)
    found = {}
    for number, _, record in json_lines(read_text(path).text, path.name):
        text = record.get("edit") or record.get("generated_edit")
        if "comment_id" not in record or not isinstance(text, str):
            raise BadInput(f"{path.name}, line {number} has no comment_id and edit.", "Nothing was computed.")
        found[str(record["comment_id"])] = text
    return found


def _proposed(path: Path) -> dict[str, str]:
    from engine.exchange.studies import Studies
    from engine.project import Project
    from engine.revision.generation.store import GenerationStore
    from engine.revision.means import generated_edits

    found: dict[str, str] = {}
    with Project.open(path, read_only=True) as project:
        studies, generation = Studies(project), GenerationStore(project)
        for _paper, _source, _target, revision in studies.compared():
            found |= generated_edits(generation, studies.documents, studies.revisions, revision.id)
        for comment in studies.reviews.comments():
            if comment.external_id and comment.id in found:
                found[comment.external_id] = found[comment.id]
    if not found:
        raise BadInput(
            f"No edits are proposed in {path.name}.", "Nothing was computed.", "Run rejoinder propose first."
        )
    return found


def _person(path: Path) -> dict[str, frozenset[str]]:
    from engine.exchange.aries import edit_labels, read_file

    labels = edit_labels(read_file(read_bytes(path), path.name))
    return {label.comment_id: frozenset(label.positives) for label in labels}
