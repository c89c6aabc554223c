"""``rejoinder project packages``: assigns work, writes it to files, and merges the results."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engine.cli.output import (
    FILE,
    FOLDER,
    PATH,
    SEEDS,
    FiniteRange,
    Group,
    answer,
    emit,
    fields,
    hint,
    project_argument,
    remark,
    say,
    write,
)
from engine.errors import BadInput
from engine.exchange.encoding import decode
from engine.measures.estimate import defined
from engine.operations import identity
from engine.packages.records import ROLES, TASKS, Role, Round, Settings, Task
from engine.packages.store import WorkStore
from engine.project import Project
from engine.shown import counted, percent

_round = click.option("--round", "round_", default="", help="Title or key of the round. Default: the newest.")


@click.group(cls=Group)
def packages() -> None:
    """Create work packages and combine their results."""


@packages.command()
@project_argument
@click.option("--out", required=True, type=FOLDER, help="Folder for the files.")
@click.option("--person", "people", multiple=True, required=True, help="Person to create a package for. Repeatable.")
@click.option("--task", type=click.Choice(list(TASKS)), default="reviews", help="The kind of items to assign.")
@click.option("--role", type=click.Choice(list(ROLES)), default="annotator")
@click.option("--title", default="", help="Title of the round. Default: the task.")
@click.option("--of", multiple=True, help="Key of a paper, cluster or library paper to take items from. Default: all.")
@click.option("--overlap", default=0.0, type=FiniteRange(0, 1), help="Share of items given to several people.")
@click.option("--raters", default=2, type=click.IntRange(2), help="Number of people who get each shared item.")
@click.option("--seed", default=0, type=SEEDS, help="The same seed gives the same packages.")
@click.option(
    "--training",
    default=0,
    type=click.IntRange(0),
    help="Number of items you've decided on to give first, as training.",
)
@click.option("--guidelines", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A Markdown file.")
@click.option("--hide-authors", is_flag=True, help="Leave out PDFs and redact names.")
@click.option("--name", "names", multiple=True, help="Another name to redact. Repeatable.")
@click.option("--annotator", default="", help="The lead's annotator name. Defaults to the last one used.")
@_round
def create(
    path: Path,
    *,
    out: Path,
    people: tuple[str, ...],
    task: Task,
    role: Role,
    title: str,
    of: tuple[str, ...],
    training: int,
    guidelines: Path | None,
    annotator: str,
    round_: str,
    **settings: Any,
) -> None:
    """Assign items to people and write a file for each.

    With --role adjudicator or observer, adds people to an existing round.
    """
    from engine.operations.packages import Plan, add_people
    from engine.operations.packages import create as make

    with Project.open(path) as project:
        identity.act_as(project, annotator)
        store = WorkStore(project)
        if role == "annotator":
            words = decode(guidelines.read_bytes(), guidelines.name).text if guidelines else ""
            plan = Plan(title or TASKS[task], task, people, Settings(**settings), of, words, training)
            files = make(project, plan, out)
            made = store.rounds()[-1]
        else:
            made = _found(store.rounds(), round_)
            files = add_people(project, made, role, people, out)
        _tell(project, made, people, files)


def _tell(project: Project, made: Round, people: Sequence[str], files: Sequence[Path]) -> None:
    """Prints what was written for whom."""
    names = dict(project.annotators())
    items = {names[one.annotator_id]: len(one.items) for one in WorkStore(project).packages(made.id)}
    listed = [
        {"person": name, "file": str(file), "items": items[name], "bytes": file.stat().st_size}
        for name, file in zip(people, files, strict=True)
    ]
    emit(fields(made, "id title task", packages=listed))
    if empty := ", ".join(str(one["person"]) for one in listed if not one["items"]):
        remark(f"No items for {empty}: there are fewer than people. --overlap 1 gives everyone all of them.")
    for one in listed:
        say(f"{one['person']}: {counted(items[str(one['person'])], 'item')}, {one['bytes']:,} bytes, {one['file']}")


@packages.command()
@project_argument
@click.option("--out", required=True, type=FOLDER, help="Folder for the files.")
@click.option("--person", "people", multiple=True, required=True, help="Person who lost their package. Repeatable.")
@_round
def rewrite(path: Path, out: Path, people: tuple[str, ...], round_: str) -> None:
    """Recreate packages for people who lost theirs.

    They get the same items in the same order, with the results they've sent so far. Items aren't reassigned.
    """
    from engine.operations.packages import write_again

    with Project.open(path, read_only=True) as project:
        made = _found(WorkStore(project).rounds(), round_)
        _tell(project, made, people, write_again(project, made, people, out))


def _found(rounds: tuple[Round, ...], words: str) -> Round:
    known = [one for one in rounds if not words or words in {one.id, one.title}]
    if not known:
        titles = "; ".join(one.title for one in rounds) or "none"
        raise BadInput("There's no such round of work packages.", "Nothing was done.", f"The rounds are: {titles}.")
    return known[-1]


@packages.command("open")
@click.argument("package", type=PATH)
@click.option("--to", "target", type=PATH, help="The project to write. Default: next to the package.")
def open_command(package: Path, target: Path | None) -> None:
    """Unpack a package you received into its own project."""
    from engine.operations.packages import open_package

    made, manifest = open_package(package, target)
    answer(
        fields(manifest, "title person role task items written_at", path=str(made)),
        f"{manifest.title}: {counted(manifest.items, 'item')} for {manifest.person} ({manifest.role}), in {made}.",
    )


@packages.command()
@project_argument
def feedback(path: Path) -> None:
    """Show which decisions on a package's training set are correct. Undecided items aren't revealed."""
    from engine.operations.packages import feedback as found

    with Project.open(path, read_only=True) as project:
        listed = found(project)
    emit([fields(one, "item unit own known right") for one in listed])
    for one in listed:
        said = {None: "not decided yet", True: "right", False: f"you: {one.own}, correct: {one.known}"}[one.right]
        say(f"{one.unit}: {said}")
    say(f"{sum(one.right is True for one in listed)} of {len(listed)} correct.")


@packages.command()
@project_argument
@click.option("--out", type=FILE, help="The file to write. Default: next to the project.")
@click.option("--without-notes", is_flag=True, help="Leave out your notes on decisions.")
def results(path: Path, out: Path | None, without_notes: bool) -> None:
    """Write a package's results to send back. You can do this as often as you like."""
    from engine.operations.results import outgoing

    with Project.open(path, read_only=True) as project:
        made = outgoing(project, notes=not without_notes)
    file = write(out or path.with_name(made.file.name), made.file.content, quiet=True)
    emit(fields(made, "decisions sentences", path=file, bytes=len(made.file.content)))
    say("\n".join([f"Wrote {file}.", *made.sentences]))


@packages.command("import")
@project_argument
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option("--yes", is_flag=True, help="Import now. Otherwise only show what would be imported.")
def import_command(path: Path, files: tuple[Path, ...], yes: bool) -> None:
    """Import results into the project in which the packages were created.

    Files can be imported in any order and more than once. Without --yes, nothing is changed and the exit code is 1, as
    it is if a file was refused.
    """
    from engine.operations.results import import_results, preview

    with Project.open(path) as project:
        found = (import_results if yes else preview)(project, files)
    names = "status person title added changed removed same aside left_out problem"
    emit({"done": yes, "files": [fields(one, names, file=one.filename) for one in found]})
    say("\n".join(one.sentence for one in found))
    if not yes:
        hint("Nothing was changed. Add --yes to import.")
    sys.exit(0 if yes and not any(one.status == "refused" for one in found) else 1)


@packages.command()
@project_argument
@_round
def status(path: Path, round_: str) -> None:
    """Show each person's progress and pace, and how well they agree with the others."""
    from engine.operations.packages import progress

    with Project.open(path, read_only=True) as project:
        made = _found(WorkStore(project).rounds(), round_)
        found = progress(project, made)
    people = [
        fields(one, "person role items units decided right trained training came")
        | {"seconds": round(one.pace.seconds, 1), "per_hour": defined(one.pace.per_hour, 1)}
        | {
            name: {key: defined(getattr(part, key), 4) for key in ("value", "low", "high")} | {"n": part.n}
            for name, part in (("agreed", one.agreed), ("kappa", one.kappa))
        }
        for one in found
    ]
    emit(fields(made, "id title task created_at", people=people))
    say(made.title)
    for one in found:
        rate = defined(one.pace.per_hour)
        alike = defined(one.agreed.value)
        parts = [
            f"{one.decided} of {one.units} decided",
            f"{rate:.0f} an hour" if rate is not None else "",
            f"{one.right} of {one.training} correct in training" if one.training else "",
            f"{percent(alike)} agreement with others (n = {one.agreed.n})" if alike is not None else "",
            f"kappa: {one.kappa.shown()}{one.kappa.span('  [{:.2f}, {:.2f}]')}" if one.kappa.n else "",
            f"results from {one.came[:10]}" if one.came else "no results yet",
        ]
        say(f"{one.person} ({one.role}): {', '.join(part for part in parts if part)}")
