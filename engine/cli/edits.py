"""``rejoinder edits`` and ``marked``: lists the edits between two versions of a paper, or marks them on the PDF."""

import datetime
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from engine import models
from engine.cli.output import (
    FILE,
    PATH,
    SEEDS,
    Command,
    Remarks,
    answer,
    emit,
    fields,
    group_option,
    paper_option,
    paragraph_fields,
    project_argument,
    remark,
    say,
    wants_json,
    write,
)
from engine.cli.studies import compared_study
from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.studies import PaperStudy, Studies
from engine.models.language import Prompt
from engine.models.library import ModelLibrary, load_language_model
from engine.project import Project
from engine.reviews.records import Comment
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf, marked_pdf
from engine.revision.differences import cell_changes, diff_form, word_changes
from engine.revision.edits import compare
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tasks import propose_edits
from engine.revision.groups import doubts, folded, in_groups
from engine.revision.records import GROUPS, Edit, RevisionDiff
from engine.shown import counted, shortened, unread_by_models

Document = dict[str, object]


@click.command(cls=Command)
@click.argument("old", metavar="OLD.pdf", type=PATH)
@click.argument("new", metavar="NEW.pdf", type=PATH)
@click.option("--html", type=FILE, help="Write the list of changes as a web page.")
@click.option("--pdf", type=FILE, help="Write the list of changes as a PDF.")
@group_option("List edits in this group and only count the others. Repeatable. JSON always has all edits.")
def edits(*, old: Path, new: Path, html: Path | None, pdf: Path | None, groups: tuple[str, ...]) -> None:
    """List the paragraph edits between two versions of a paper.

    Exit code 1: a version has no text to compare.
    """
    started = time.perf_counter()
    source, target = read_pair(old, new)
    diff = compare(source.paragraphs, target.paragraphs)
    seconds = time.perf_counter() - started
    for path, document in ((old, source), (new, target)):
        remark(*(f"{path.name}: {warning}" for warning in document.warnings))
    shown = in_groups(diff.edits, groups)
    listed = ChangeList(
        shown,
        source.paragraphs,
        target.paragraphs,
        subtitle=target.title,
        source_name=old.name,
        target_name=new.name,
        made=f"{datetime.datetime.now().astimezone():%Y-%m-%d}",
        folded=folded(diff.edits, groups),
        doubts=doubts(diff.edits, source, target),
    )
    if html is not None:
        write(html, changes_html(listed).encode())
    if pdf is not None:
        with DocumentService() as service:
            write(pdf, changes_pdf(listed, service))
    emit(_document(source, target, diff, seconds))
    if html is None and pdf is None and not wants_json():  # word differences take time
        _print(shown, diff, listed.folded, listed.doubts)
    if not (source.paragraphs and target.paragraphs):
        sys.exit(1)


@click.command(cls=Command)
@click.argument("old", metavar="OLD.pdf", type=PATH)
@click.argument("new", metavar="NEW.pdf", type=PATH)
@click.option("--out", required=True, type=FILE, help="The PDF to write. NEW.pdf isn't changed.")
def marked(old: Path, new: Path, out: Path) -> None:
    """Mark additions, deletions and moves on the revised PDF.

    The marks are PDF annotations that every reader shows. Exit code 1: a version has no text to compare, or a damaged
    page couldn't be marked.
    """
    started = time.perf_counter()
    source, target = read_pair(old, new)
    diff = compare(source.paragraphs, target.paragraphs)
    with DocumentService() as service:
        made = marked_pdf(
            new.read_bytes(),
            diff,
            source.paragraphs,
            target.paragraphs,
            service,
            title=target.title or new.stem,
            source_name=old.name,
            doubts=doubts(diff.edits, source, target),
        )
    write(out, made.content, quiet=True)
    if made.left_out:
        remark(f"{counted(made.left_out, 'mark')} left out because of damaged pages.")
    document = {
        "path": str(out.absolute()),
        "seconds": round(time.perf_counter() - started, 3),
        "edits": len(diff.edits),
        "marks": made.marks,
        "left_out": made.left_out,
    }
    answer(document, f"Wrote {out}: {counted(len(diff.edits), 'edit')}, {counted(made.marks, 'mark')}.")
    sys.exit(0 if source.paragraphs and target.paragraphs and not made.left_out else 1)


def read_pair(old: Path, new: Path) -> tuple[ParsedDocument, ParsedDocument]:
    """Parses both versions concurrently in separate processes."""
    with DocumentService() as first, DocumentService() as second, ThreadPoolExecutor(2) as pool:
        readings = [pool.submit(service.parse, path) for service, path in ((first, old), (second, new))]
        source, target = (reading.result() for reading in readings)
    return source, target


def _document(source: ParsedDocument, target: ParsedDocument, diff: RevisionDiff, seconds: float) -> Document:
    pages = [{paragraph.id: paragraph.page for paragraph in one.paragraphs} for one in (source, target)]
    doubted = doubts(diff.edits, source, target)
    return {
        "seconds": round(seconds, 3),
        "source_paragraphs": [paragraph_fields(paragraph) for paragraph in source.paragraphs],
        "target_paragraphs": [paragraph_fields(paragraph) for paragraph in target.paragraphs],
        "edits": [_fields(edit, pages, doubted.get(edit.id, ())) for edit in diff.edits],
        "groups": {group: sum(edit.group == group for edit in diff.edits) for group in GROUPS},
        "unchanged": len(diff.unchanged),
        "unchanged_pairs": [[list(old), list(new)] for old, new in diff.unchanged],
    }


def _fields(edit: Edit, pages: Sequence[dict[str, int]], doubted: Sequence[str]) -> Document:
    source_pages, target_pages = pages
    return fields(
        edit,
        "kind group moved source_ids target_ids source_text target_text operation section tokens_removed tokens_added",
        edit_id=edit.id,
        source_pages=sorted({source_pages[i] for i in edit.source_ids}),
        target_pages=sorted({target_pages[i] for i in edit.target_ids}),
        cells=[asdict(cell) for cell in cell_changes(edit)],
        doubts=list(doubted),
    )


def _print(shown: Sequence[Edit], diff: RevisionDiff, folded_away: str, doubted: Mapping[str, Sequence[str]]) -> None:
    for edit in shown:
        place = f" [{edit.section}]" if edit.section else ""
        moved = ", moved" if edit.moved and edit.kind != "moved" else ""
        say(f"{edit.id} {edit.kind}{moved}{place}")
        for sentence in doubted.get(edit.id, ()):
            say(f"  ! {sentence}")
        cells = cell_changes(edit)
        for cell in cells:
            say(f"  {cell.place}: {cell.old or '(none)'} → {cell.new or '(none)'}")
        if not cells:
            say(f"  {diff_form(word_changes(edit.source_text, edit.target_text))}")
        say("")
    left = f" Not listed: {folded_away} (--group all lists them)." if folded_away else ""
    say(f"{counted(len(shown), 'edit')}; {counted(len(diff.unchanged), 'paragraph')} unchanged.{left}")


# ``rejoinder propose``: responses and edits for a project's comments, by sentence frames and a language model.


@click.command(cls=Command)
@project_argument
@paper_option
@click.option("--comments", default="", help="Comment ids, separated by commas. Default: all unanswered comments.")
@click.option("--linked", is_flag=True, help="Use comments with links, to compare the proposals with the real edits.")
@click.option(
    "--annotator", default="", help="Annotator whose links and decisions count. Defaults to the last one used."
)
@click.option("--model", help="Id of a language model in the Models pane. Default: sentence frames only.")
@click.option("--seed", default=0, type=SEEDS, help="Seed of the model's first try. A second try uses the next number.")
def propose(
    *, path: Path, paper: str, comments: str, linked: bool, annotator: str, model: str | None, seed: int
) -> None:
    """Propose a response and one or more edits for comments, and store them in the project.

    The JSON has the prompt, the seed and the raw answer of each model proposal. Exit code 1: a model's answer had no
    edit.
    """
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
            study.revision.id,
            tuple(one.id for one in wanted),
            model=added,
            seed=seed,
            encoder=lambda: models.load_encoder(leave_free=0),
            load=load_language_model,
        )
        made = task.run(Remarks()) if wanted else None
        source = studies.documents.parsed(study.revision.source_document_id)
    by_id = {one.id: one for one in wanted}
    proposals, prompts = (made.proposals, made.prompts) if made is not None else ((), {})
    read = [(f"Comment {one.external_id or one.id}", one.comment, True) for one in wanted]
    if source is not None and wanted:
        read.append(("The paper", "\n".join(one.text for one in source.paragraphs), False))
    remarks = [
        said
        for name, text, own in read
        if added is not None
        for said in unread_by_models(text, name, said_by_reviewer=own)
    ]
    remark(*remarks)
    rows = [_propose_fields(one, by_id[one.comment_id], source, prompts.get(one.id)) for one in proposals]
    unusable = list(made.unusable) if made else []
    emit({"paper": study.paper.title, "proposals": rows, "unusable": unusable, "remarks": remarks})
    for one in proposals:
        say(f"{one.comment_id}  {shortened(by_id[one.comment_id].comment, 90)}")
        say(f"  {one.origin}: {one.response}")
        for change in one.changes:
            say(f"  {change.placement} {change.paragraph_id or '(no place)'}: {change.text}")
    if made is not None and made.unusable:
        remark(f"The model gave no edit for {counted(len(made.unusable), 'comment')}: {', '.join(made.unusable)}.")
        sys.exit(1)


def _wanted(study: PaperStudy, named: str, *, linked: bool) -> list[Comment]:
    """Returns the comments by id (of the project or the imported file), the linked ones, or the open ones."""
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


def _propose_fields(
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
