"""``rejoinder paper``, and ``rejoinder review move|rename|remove``: manages a project's papers and their content."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from engine.cli.output import PATH, Command, Group, Remarks, answer, emit, fields, hint, project_argument, remark, say
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import about, not_changed, not_imported
from engine.operations import identity
from engine.operations.papers import (
    chosen_paper,
    move_review,
    moving,
    paper_summary,
    rename,
    rename_reviewer,
    replace_version,
    replacing,
)
from engine.operations.removing import Affected, affected, remove
from engine.operations.targets import Kind, Target, find
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.lock import user
from engine.reviews.store import ReviewStore
from engine.shown import counted

annotator_option = click.option("--annotator", default="", help="Annotator to act as. Defaults to the last one used.")
yes_option = click.option("--yes", is_flag=True, help="Do it now. Otherwise only show what's affected.")
others_option = click.option("--others", is_flag=True, help="Proceed even if other annotators' work is removed.")


def how_options(command: Callable[..., None]) -> Callable[..., None]:
    """Who does it, whether it is done, and how it is printed."""
    return annotator_option(yes_option(command))


@contextmanager
def acting(path: Path, annotator: str, *, yes: bool = True) -> Iterator[Project]:
    """Opens the project, writable only with ``yes``, as the acting annotator."""
    with Project.open(path, read_only=not yes) as project:
        name = annotator or identity.acting(project).name
        if yes:
            project.set_annotator(name or user())
            identity.remember(project)
        else:
            people = {known: key for key, known in project.annotators()}
            project.annotator_id = people.get(name, project.annotator_id)
        yield project


def said(found: Affected, *, yes: bool, **fields: object) -> None:
    """Prints what an operation affects or did; exits with 1 if nothing was done."""
    others = {name: dict(counts) for name, counts in found.others.items()}
    emit({"done": yes, "rows": found.counts, "others": others, "sentences": list(found.sentences), **fields})
    say("\n".join((found.title, *found.sentences)) if not yes else f"Done: {found.title}.")
    if not yes:
        remark("Nothing was changed. Add --yes to do it.")
        sys.exit(1)


def carry_out(
    path: Path, look: Callable[[Project], Affected], do: Callable[[Project], Affected], *, annotator: str, yes: bool
) -> None:
    """Prints what ``look`` finds, or with ``yes`` does it."""
    with acting(path, annotator, yes=yes) as project:
        said(do(project) if yes else look(project), yes=yes)


def remove_target(path: Path, kind: Kind, words: str, *, others: bool, **how: Any) -> None:
    """Removes the target with this key or name; ``how`` as for ``carry_out``."""
    carry_out(
        path,
        look=lambda project: affected(project, find(project, kind, words)),
        do=lambda project: remove(project, find(project, kind, words), others=others),
        **how,
    )


def rename_target(path: Path, kind: Kind, words: str, name: str, annotator: str) -> None:
    """Renames the target with this key or name."""
    with acting(path, annotator) as project:
        target = find(project, kind, words)
        rename(project, target, name)
    answer({"id": target.id, "name": name}, f"Renamed “{target.name}” to “{name}”.")


@click.group(cls=Group)
def paper() -> None:
    """List, import, compare, rename, replace and remove the papers of a project."""


@paper.command("list")
@project_argument
def list_command(path: Path) -> None:
    """List the papers of a project with their versions and reviews."""
    with Project.open(path, read_only=True) as project:
        papers, reviews = PaperStore(project), ReviewStore(project)
        found = [
            {
                "id": one.id,
                "title": one.title,
                "summary": paper_summary(project, one.id),
                "versions": [fields(v, "id label", file=v.filename) for v in papers.versions(one.id)],
                "reviews": [fields(text, "id title kind") for text in reviews.texts(one.id)],
            }
            for one in papers.papers()
        ]
    answer({"papers": found}, (f"{one['title']}  ({one['summary']})\n  {one['id']}" for one in found))


@paper.command("import")
@project_argument
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--paper", "wanted", default="", help="Key or title of the paper for all files.")
@click.option("--new", "title", default="", help="Title of a new paper for all files.")
@how_options
def import_command(path: Path, *, files: tuple[Path, ...], wanted: str, title: str, annotator: str, yes: bool) -> None:
    """Import PDFs, reviews, letters and links, after showing which paper each belongs to.

    Exit code 1: --yes is missing, or a file could not be imported.
    """
    from engine.operations.importing import take_in
    from engine.operations.incoming import Added, Place, proposal_fields, propose

    if wanted and title:
        raise not_imported("--paper and --new can't be used together.", "Use one of them.")
    with acting(path, annotator, yes=yes) as project, DocumentService() as service:
        proposal = propose(project, files, service=service)
        if wanted:
            chosen = find(project, "paper", wanted)
            proposal = proposal.put(Place(chosen.id, chosen.name, 1.0, "as you said"))
        elif title:
            proposal = proposal.put(Place("", title, 1.0, "as you said"))
        added = take_in(project, proposal) if yes else Added(list(proposal.problems))
        if yes:
            added.keep_messages(project)
    problems = [str(problem) for problem in added.problems]
    emit({"done": yes, "files": proposal_fields(proposal), "problems": problems, "warnings": added.warnings})
    for one in proposal.files:
        place = f"“{one.place.title}”" + ("" if one.place.paper_id else ", a new paper")
        say(f"{one.path.name}: {one.what}, to {place} ({one.place.why})")
    hint(*map(str, added.problems), *added.warnings)
    if not yes:
        remark("Nothing was changed. Add --yes to import, --paper or --new to choose another paper.")
    sys.exit(1 if added.problems or not yes else 0)


@paper.command("rename")
@project_argument
@click.argument("words", metavar="PAPER")
@click.argument("name")
@click.option("--version", default="", help="Label of a version: rename this version instead of the paper.")
@annotator_option
def rename_command(path: Path, *, words: str, name: str, version: str, annotator: str) -> None:
    """Rename a paper or, with --version, one of its versions. PAPER is its key or title."""
    target = _version(path, words, version)
    rename_target(path, "version" if version else "paper", target, name, annotator)


@paper.command("compare")
@project_argument
@click.option("--paper", "words", default="", help="Key or title of the paper, if there are several.")
@annotator_option
def compare_command(path: Path, *, words: str, annotator: str) -> None:
    """Find the edits between the submitted and the revised version of a paper, and suggest some for each comment.

    Links stay. They move to the new edits where those are the same.
    """
    from engine.revision.store import RevisionStore
    from engine.revision.tasks import compute_edits, suggest_links

    with acting(path, annotator) as project, DocumentService() as service:
        papers, documents, revisions = PaperStore(project), DocumentStore(project), RevisionStore(project)
        chosen = chosen_paper(papers.papers(), words)
        keys = {one.label: one.document_id for one in papers.versions(chosen.id)} if chosen else {}
        if chosen is None or not {SUBMITTED, REVISED} <= keys.keys():
            raise not_changed("There are no two versions to compare.", "Add both PDFs first.")
        edits = compute_edits(documents, service, revisions, keys[SUBMITTED], keys[REVISED])
        saved = edits.run(Remarks())
        reviews, suggested = ReviewStore(project), 0
        problems: tuple[str, ...] = ()
        found = len(revisions.edits(saved.revision_id))
        if found and reviews.comments(paper_id=chosen.id, actionable=True):
            links = suggest_links(reviews, revisions, saved.revision_id, documents=documents)
            made = links.run(Remarks())
            suggested, problems = made.comments, made.remarks
    remark(*problems)
    document = {"revision": saved.revision_id, "edits": found, "comments": suggested, "warnings": list(problems)}
    words = f"Found {counted(found, 'edit')}, and suggested some for {counted(suggested, 'comment')}."
    answer(document, words)
    sys.exit(1 if problems else 0)


@paper.command("replace")
@project_argument
@click.argument("words", metavar="PAPER")
@click.argument("pdf", metavar="FILE.pdf", type=PATH)
@click.option("--version", required=True, help="Label of the version: submitted, revised...")
@how_options
def replace_command(path: Path, *, words: str, pdf: Path, version: str, annotator: str, yes: bool) -> None:
    """Replace a version's PDF. Work on the old PDF stays with it, as another version."""
    from engine.operations.incoming import file_bytes

    content, target = file_bytes(pdf), _version(path, words, version)
    with acting(path, annotator, yes=yes) as project:
        found = replacing(project, target)
        fields: dict[str, object] = {}
        if yes:
            with DocumentService() as service, about(pdf.name):
                packed = service.read(content)
            made = replace_version(project, target, content, pdf.name)
            DocumentStore(project).save_packed(made.document_id, packed)
            fields = {"document": made.document_id, "former_version": made.former_version_id or None}
    said(found, yes=yes, **fields)


@paper.command("read-again")
@project_argument
@click.argument("words", metavar="PAPER")
@how_options
def read_again_command(path: Path, *, words: str, annotator: str, yes: bool) -> None:
    """Read a paper again that an earlier version of Rejoinder read. You can undo this.

    Without --yes, nothing is changed: the command shows what's affected and exits with code 1.
    """
    from engine.operations.rereading import read_again, rereading

    with acting(path, annotator, yes=yes) as project, DocumentService() as service:
        found = rereading(project, service, find(project, "paper", words).id).run(Remarks())
        said(read_again(project, found) if yes else found.affected, yes=yes)


@paper.command("remove")
@project_argument
@click.argument("words", metavar="PAPER")
@click.option("--version", default="", help="Label of a version: remove only this version.")
@others_option
@how_options
def remove_command(path: Path, *, words: str, version: str, **how: Any) -> None:
    """Remove a paper (or one version) and everything that belongs to it. You can undo this.

    Without --yes, nothing is changed: the command shows what's affected and exits with code 1.
    """
    remove_target(path, "version" if version else "paper", _version(path, words, version), **how)


def _version(path: Path, words: str, label: str) -> str:
    """Returns the key of a paper's version, or of the paper if there is no label."""
    with Project.open(path, read_only=True) as project:
        found: Target = find(project, "paper", words)
        if not label:
            return found.id
        versions = {version.label: version.id for version in PaperStore(project).versions(found.id)}
    if label not in versions:
        known = ", ".join(versions) or "none"
        raise not_changed(f"“{found.name}” has no {label} version.", f"Its versions are: {known}.")
    return versions[label]


# reviews --------------------------------------------------------------------------------------------------------------

_review = click.argument("words", metavar="REVIEW")


@click.command("rename", cls=Command)
@project_argument
@_review
@click.argument("name")
@click.option("--reviewer", is_flag=True, help="REVIEW is a reviewer's name, to change throughout the paper.")
@click.option("--paper", "of", default="", help="Key or title of the reviewer's paper, if there are several.")
@annotator_option
def rename_review(path: Path, *, words: str, name: str, reviewer: bool, of: str, annotator: str) -> None:
    """Rename a review or letter or, with --reviewer, a reviewer. REVIEW is its key or title."""
    if not reviewer:
        rename_target(path, "review", words, name, annotator)
        return
    with acting(path, annotator) as project:
        chosen = chosen_paper(PaperStore(project).papers(), of)
        key = chosen.id if chosen else None
        if words not in {known for known, _ in ReviewStore(project).reviewers(key)}:
            raise not_changed(f"There is no reviewer “{words}”.", "Check the name and the paper.")
        rename_reviewer(project, key, words, name)
    answer({"reviewer": name, "paper": key}, f"Renamed “{words}” to “{name}”.")


@click.command("move", cls=Command)
@project_argument
@_review
@click.option("--to", "target", required=True, help="Key or title of the new paper.")
@others_option
@how_options
def move_review_command(path: Path, *, words: str, target: str, others: bool, **how: Any) -> None:
    """Move a review or letter and its comments to another paper. REVIEW is its key or title."""
    carry_out(
        path,
        look=lambda p: moving(p, find(p, "review", words), find(p, "paper", target)),
        do=lambda p: move_review(p, find(p, "review", words), find(p, "paper", target), others=others),
        **how,
    )


@click.command("remove", cls=Command)
@project_argument
@_review
@others_option
@how_options
def remove_review(path: Path, *, words: str, **how: Any) -> None:
    """Remove a review or letter with its comments, labels and links. You can undo this."""
    remove_target(path, "review", words, **how)
