"""``rejoinder propose``: responses and edits for the comments of a project, by sentence frames and a language model."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.output import emit, fields, json_option, paper_option, project_argument, remark
from engine.cli.progress import Remarks
from engine.cli.studies import compared_study
from engine.documents.records import ParsedDocument
from engine.errors import BadInput
from engine.exchange.studies import PaperStudy, Studies
from engine.project import Project
from engine.reviews.records import Comment
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.shown import counted, shortened

if TYPE_CHECKING:
    from engine.models.language import Prompt


@click.command()
@project_argument
@paper_option
@click.option("--comments", default="", help="Comment ids, separated by commas. Default: all unanswered comments.")
@click.option("--linked", is_flag=True, help="Use comments with links, to compare the proposals with the real edits.")
@click.option(
    "--annotator", default="", help="Annotator whose links and decisions count. Defaults to the last one used."
)
@click.option("--model", help="Id of a language model in the Models pane. Default: sentence frames only.")
@click.option(
    "--seed", default=0, show_default=True, help="Seed of the model's first try. A second try uses the next number."
)
@json_option
def propose(
    *, path: Path, paper: str, comments: str, linked: bool, annotator: str, model: str | None, seed: int, as_json: bool
) -> None:
    """Propose a response and one or more edits for comments, and store them in the project.

    The JSON has the prompt, the seed and the raw answer of each model proposal. Exit code 1: a model's answer had no
    edit.
    """
    from engine.models import load_encoder
    from engine.models.library import ModelLibrary, load_language_model
    from engine.revision.generation.tasks import ProposeEdits, propose_edits

    added = ModelLibrary().find(model) if model is not None else None
    with Project.open(path) as project:
        studies, generation = Studies(project), GenerationStore(project)
        study = compared_study(project, studies, paper, annotator)
        wanted = _wanted(study, comments, linked=linked)
        if not wanted:
            remark("There are no comments to propose edits for.")
        task = propose_edits(
            studies.documents,
            studies.reviews,
            studies.revisions,
            generation,
            ProposeEdits(study.revision.id, tuple(one.id for one in wanted), added, seed),
            encoder=lambda: load_encoder(leave_free=0),
            load=load_language_model,
        )
        made = task.run(task.params, Remarks()) if wanted else None
        source = studies.documents.parsed(study.revision.source_document_id)
    by_id = {one.id: one for one in wanted}
    proposals, prompts = (made.proposals, made.prompts) if made is not None else ((), {})
    if as_json:
        rows = [_fields(one, by_id[one.comment_id], source, prompts.get(one.id)) for one in proposals]
        emit({"paper": study.paper.title, "proposals": rows, "unusable": list(made.unusable) if made else []})
    else:
        for one in proposals:
            click.echo(f"{one.comment_id}  {shortened(by_id[one.comment_id].comment, 90)}")
            click.echo(f"  {one.origin}: {one.response}")
            for change in one.changes:
                click.echo(f"  {change.placement} {change.paragraph_id or '(no place)'}: {change.text}")
    if made is not None and made.unusable:
        remark(f"The model gave no edit for {counted(len(made.unusable), 'comment')}: {', '.join(made.unusable)}.")
        sys.exit(1)


def _wanted(study: PaperStudy, named: str, *, linked: bool) -> list[Comment]:
    """The comments by id (of the project or of the file that they came from), the linked ones, or the open ones."""
    if named:
        by_id = {one.external_id: one for one in study.comments} | {one.id: one for one in study.comments}
        keys = [key.strip() for key in named.split(",") if key.strip()]
        for key in keys:
            if key not in by_id:
                do = "rejoinder coverage --json lists the ids."
                raise BadInput(f"The paper has no comment “{key}”.", "Nothing was proposed.", do)
        return [by_id[key] for key in keys]
    answered = {link.comment_id for link in study.links}
    if linked:
        return [one for one in study.comments if one.id in answered]
    states = {key: judgement.state for key, judgement in study.states.items()}
    return [
        one
        for one in study.comments
        if one.actionable and states.get(one.id, "undecided") in ("undecided", "not_addressed")
    ]


def _fields(
    proposal: Proposal, comment: Comment, source: ParsedDocument | None, prompt: Prompt | None
) -> dict[str, Any]:
    paragraphs = {one.id: one for one in source.paragraphs} if source is not None else {}
    edits = []
    for change in proposal.changes:
        place = paragraphs.get(change.paragraph_id)
        edits.append(
            asdict(change) | {"section": place.section if place else "", "page": place.page if place else None}
        )
    return fields(proposal, "id comment_id origin action response prompt_version seed seconds raw") | {
        "external_id": comment.external_id,
        "comment": comment.comment,
        "edits": edits,
        "temperature": prompt.temperature if prompt else None,
        "prompt": [asdict(message) for message in prompt.messages] if prompt else None,
    }
