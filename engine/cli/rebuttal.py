"""``rejoinder rebuttal``: checks a project's rebuttal, and exports and imports its files."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from engine.cli.models import judged_by, opinion_fields
from engine.cli.output import PATH, Group, answer, fields, paper_option, project_argument, remark, write
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.documents.tasks import read_visible
from engine.errors import BadInput, EnvironmentProblem
from engine.exchange.rebuttal_forms import FORMS, INFO, Form, Leaving, filled, lay_out, make, write_matrix
from engine.exchange.rebuttals import Rebuttal, Rebuttals, critical_remarks, labels_of, leading
from engine.exchange.response_reading import read_letter_file
from engine.operations import identity
from engine.operations.entailment import undecided_responses
from engine.operations.letters import take_letter
from engine.operations.opinions import Opinion
from engine.operations.papers import chosen_paper
from engine.project import Project
from engine.rebuttal.claims import Checked
from engine.rebuttal.fitting import Asked, TemplateRanker
from engine.rebuttal.letter import posts
from engine.rebuttal.matrix import Matrix, claim_words
from engine.rebuttal.readiness import ClaimChecker, Finding, findings
from engine.rebuttal.records import Template
from engine.rebuttal.slots import fill, outline, slot_values
from engine.rebuttal.store import RebuttalStore
from engine.rebuttal.template_store import PersonalLibrary
from engine.rebuttal.templates import starter
from engine.reviews.anonymity import Identifying, metadata_identifying
from engine.reviews.limits import count, page_count
from engine.shown import counted
from engine.statements.verdicts import GRAVEST


@click.group(cls=Group)
def rebuttal() -> None:
    """Check and export a project's rebuttal, and import responses from a letter."""


@rebuttal.command()
@project_argument
@paper_option
@click.option("--model", default="", help="Id of a language model that also judges undecided claims.")
@click.option("--csv", type=PATH, help="A file for the response matrix as a table.")
def check(path: Path, paper: str, model: str, csv: Path | None) -> None:
    """List unanswered comments, long responses, doubtful claims and text that reveals the authors.

    A model's judgement of a claim is shown separately and changes no state. Exit code 1: something must be fixed, or
    the model failed.
    """
    with Project.open(path, read_only=True) as project:
        reader = Rebuttals(project)
        desk = _read(project, reader, paper)
        with DocumentService() as service:
            found = reader.matrix(desk, service)
        metadata = _metadata(reader, desk)
        judged, complete = _judged(model, reader, desk, found)
        pages = _pages(desk)
    listed = findings(
        desk.outline,
        found,
        desk.limit,
        desk.plan.quoting,
        names=desk.plan.names,
        metadata=metadata,
        pages=pages,
        remarks=critical_remarks(desk),
    )
    if csv is not None:
        write(csv, write_matrix(found, csv.name).files[0].content)
    said = []
    for line in found.rows:
        cells = f"{line.answered:9} {line.linked:9} {line.checked:12}"
        said.append(f"{line.row.label:7} {cells} {line.spent:>6}{f' / {line.allotted}' if line.allotted else ''}")
        said += [f"        {words}"] if (words := claim_words(line.claims)) else []
        for one in line.claims:
            if opinion := judged.get(one.claim.sentence):
                said.append(f"        {one.claim.key}: judgement by {opinion.model}: {opinion.words}")
    if pages is not None:
        said.append(f"pages   {page_count(pages)} / {desk.limit.pages}")
    said += [f"claims  {words}"] if (words := claim_words(found.claims)) else []
    said += [f"{'fix' if one.weight == 'fix' else 'look'}: {one.words} {one.detail}".rstrip() for one in listed]
    answer(_document(desk, found, listed, pages, {key: opinion_fields(one) for key, one in judged.items()}), said)
    sys.exit(1 if not complete or any(one.weight == "fix" for one in listed) else 0)


@rebuttal.command()
@project_argument
@paper_option
@click.option("--form", type=click.Choice(FORMS), default="letter", help="Export format.")
@click.option("--out", type=PATH, required=True, help="The file to write, or for posts the folder.")
def export(path: Path, paper: str, form: Form, out: Path) -> None:
    """Export the rebuttal. Exit code 1: comments are left out, issues remain, or a claim is contradicted or not
    found."""
    with Project.open(path, read_only=True) as project, DocumentService() as service:
        reader = Rebuttals(project)
        desk = _read(project, reader, paper)
        unfounded = [f"{row.label}, {one.verdict}: {one.said}" for row, one in reader.matrix(desk, service).unfounded]
        made = make(form, Leaving(desk.outline, desk.limit, desk.plan.quoting), out.name, service)
    folder = out.parent if INFO[form].ending else out
    written = [write(folder / file.name, file.content, folders=True) for file in made.files]
    kept = _keep_labels(path, desk)
    remark(*made.loss, *unfounded, *kept)
    answer({"files": written, "loss": list(made.loss), "unfounded": unfounded}, ())
    sys.exit(1 if made.loss or unfounded else 0)


@rebuttal.command("import")
@project_argument
@click.argument("letter", metavar="LETTER", type=PATH)
@paper_option
@click.option("--over", is_flag=True, help="Replace existing responses with the letter's.")
def take(path: Path, letter: Path, paper: str, over: bool) -> None:
    """Import the responses of a letter: Markdown, plain text, Word, LaTeX, PDF or OpenReview notes.

    Exit code 1: the letter has no response, or one that matches no comment of the project or differs from one already
    written.
    """
    with DocumentService() as service:
        read = read_letter_file(letter, service)
    with Project.open(path) as project:
        reader = Rebuttals(project)
        desk = _read(project, reader, paper)
        made = take_letter(project, desk.paper_id, desk.outline, read, letter.name, over=over)
    silent = [row.label for row in made.silent]
    labels = {row.comment.id: row.label for row in desk.outline.rows}
    remark(*read.warnings)
    answer(
        {
            "taken": len(made.taken),
            "left": [labels.get(point.comment_id, point.kind) for point, _ in made.differing],
            "unmatched": [one.reply for one in made.unmatched],
            "not_found": silent,
            "warnings": list(read.warnings),
        },
        f"{len(made.taken)} imported, {len(made.differing)} not replaced, {len(made.unmatched)} without a matching "
        f"comment, {counted(len(silent), 'comment')} without a response in the letter.",
    )
    sys.exit(1 if made.unmatched or made.differing or not (made.taken or made.same) else 0)


@rebuttal.command()
@project_argument
@paper_option
def templates(path: Path, paper: str) -> None:
    """Offer a template for each comment: the best match, or an outline if none fits. Slots are filled from the
    linked edits."""
    with Project.open(path, read_only=True) as project:
        reader = Rebuttals(project)
        desk = _read(project, reader, paper)
        checker = ClaimChecker(reader.documents, "", desk.target.document_id if desk.target else "")
        with DocumentService() as service:
            revised = checker.revised_paragraphs(service) if desk.target else {}
        ranker = TemplateRanker((*_own_templates(), *reader.store.library.templates(), *starter()))
        counts = reader.store.counts()
    offers = []
    for row in desk.outline.rows:
        comment, edits = row.comment, desk.edits.get(row.comment.id, ())
        aspect, themes = leading(labels_of(desk, comment))
        asked = Asked(comment.comment, aspect, themes, row.point.action, linked=bool(edits))
        found = next(iter(ranker.rank(asked, counts)), None)
        offered = found.template if found else outline(comment, edits, revised, row.point.action)
        text = fill(offered.text, slot_values(comment, comment.reviewer, edits, revised))
        why = found.reasons[0] if found else "no template fits; an outline of the request, what changed, and where"
        offers.append({"comment_id": comment.id, "label": row.label, "template": found and found.template.source,
                       "action": offered.action, "why": why, "text": text})  # fmt: skip
    said = (f"{offer['label']:7} {offer['text']}\n        {offer['why']}" for offer in offers)
    answer({"comments": offers}, said)


def _own_templates() -> tuple[Template, ...]:
    try:
        return PersonalLibrary().templates()
    except EnvironmentProblem as problem:
        remark(f"{problem.what} Your own templates are left out.")
        return ()


def _read(project: Project, reader: Rebuttals, title: str) -> Rebuttal:
    """Returns the rebuttal of a paper, by the last annotator of the project."""
    identity.act_as(project)
    paper = chosen_paper(reader.papers.papers(), title)
    desk = reader.read(paper.id if paper else None)
    if not desk.outline.rows:
        raise BadInput(
            "There are no comments to answer.", "Nothing was done.", "Add the reviews in the Linking pane first."
        )
    return desk


def _keep_labels(path: Path, desk: Rebuttal) -> tuple[str, ...]:
    """Stores the labels of comments as they were exported; returns a remark if the project can't be written."""
    try:
        with Project.open(path) as project:
            if project.read_only:
                return (f"Comment labels may change later, because they can't be stored: {project.read_only_reason}",)
            identity.act_as(project)
            labels = {row.comment.id: row.label for row in desk.outline.rows}
            RebuttalStore(project).keep_labels(desk.paper_id, labels)
    except EnvironmentProblem as problem:
        return (f"Comment labels may change later, because they can't be stored: {problem.what}",)
    return ()


def _judged(model: str, reader: Rebuttals, desk: Rebuttal, found: Matrix) -> tuple[dict[str, Opinion], bool]:
    """Returns a model's judgements of claims by their sentences, and whether none is missing."""
    with DocumentService() as service:
        read = read_visible(reader.documents, service, desk.target.document_id) if model and desk.target else None
    if read is None:
        return {}, True
    sentences = undecided_responses(desk.outline, {line.row.comment.id: line.claims for line in found.rows})
    return judged_by(model, sentences, Places(read[0]))


def _metadata(reader: Rebuttals, desk: Rebuttal) -> tuple[Identifying, ...]:
    """Returns what the metadata of the revised PDF, which reviewers receive, reveal about its authors."""
    if desk.target is None:
        return ()
    with DocumentService() as service:
        fields = service.metadata(reader.documents.pdf_bytes(desk.target.document_id))
    return metadata_identifying(fields.items(), desk.target.filename)


def _pages(desk: Rebuttal) -> float | None:
    """Returns the number of pages of the rebuttal, if it is limited."""
    if desk.limit.pages is None:
        return None

    with DocumentService() as service:
        return filled(lay_out(desk.outline, desk.limit.page, desk.plan.quoting, service))


def _document(
    desk: Rebuttal, found: Matrix, listed: tuple[Finding, ...], pages: float | None, judged: Mapping[str, object]
) -> dict[str, object]:
    return {
        "paper": desk.paper.title if desk.paper else "",
        "limit": fields(desk.limit, "id unit per_reply per_reviewer total pages"),
        "pages": pages,
        "reviewers": [
            {
                "reviewer": section.reviewer,
                "posts": [count(post.text, desk.limit.unit) for post in posts(section, desk.limit, desk.plan.quoting)],
            }
            for section in desk.outline
        ],
        "points": [
            fields(
                line,
                "answered linked spent allotted",
                comment_id=line.row.comment.id,
                label=line.row.label,
                state=line.checked.replace(" ", "-"),
                verified=line.checked == "supported",
                states=_states(line.claims),
            )
            | fields(line.row.point, "action stance", edits=[edit.id for edit in line.edits])
            | {
                "claims": [
                    fields(
                        one,
                        "why confirmed",
                        claim=one.claim.key,
                        page=one.place.page if one.place else None,
                        state=one.verdict.replace(" ", "-"),
                        verified=one.verdict == "supported",
                        changed=one.changed and one.changed.replace(" ", "-"),
                    )
                    | ({"model": judged[one.claim.sentence]} if one.claim.sentence in judged else {})
                    for one in line.claims
                ]
            }
            for line in found.rows
        ],
        "findings": [fields(one, "weight words detail comment_id") for one in listed],
        "unanswered": len(found.unanswered),
        "states": _states(found.claims),
    }


def _states(claims: Sequence[Checked]) -> dict[str, int]:
    """Returns the number of claims per verdict."""
    return {state.replace(" ", "-"): sum(one.verdict == state for one in claims) for state in GRAVEST}
