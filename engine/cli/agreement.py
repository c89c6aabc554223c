"""``rejoinder agreement``: measures annotators' agreement, lists disagreements, and adjudicates them."""

from importlib import metadata
from pathlib import Path

import click

from engine.agreement import linking
from engine.agreement.records import MEASURES, NUMBER_METHODS, PUBLISHED, SHOWN, SUBJECTS, Subject
from engine.agreement.units import ORDERS, Order, Shown, Unit, listed, proposed
from engine.agreement.units import SHOWN as LISTED
from engine.cli.output import FOLDER, Command, emit, fields, group_option, project_argument, remark, say, write
from engine.errors import BadInput, not_written
from engine.exchange.adjudicated import Decided, data_set, said
from engine.exchange.adjudicated import fields as as_fields
from engine.exchange.agreement import figures_fields, nothing_shared
from engine.exchange.studies import Studies
from engine.measures.estimate import COEFFICIENTS
from engine.operations import identity
from engine.operations.adjudicating import adjudicate as decide
from engine.operations.adjudicating import units_of
from engine.operations.decisions import compared, set_done
from engine.project import Project
from engine.shown import counted

_MIN_PEOPLE = 2


@click.command(cls=Command)
@project_argument
@click.option("--annotators", default="", help="Two names, separated by a comma. Default: the first two who are done.")
@group_option("Count only pairs with edits in this group or edits that either annotator linked. Repeatable.")
@click.option("--of", "of", type=click.Choice(tuple(SUBJECTS)), help="Compare all annotators on this kind of decision.")
@click.option("--annotator", default="", help="With --of: annotator to act as. Defaults to the last one used.")
@click.option("--done", is_flag=True, help="With --of: first mark all of this annotator's work as done.")
@click.option("--out", type=FOLDER, help="With --of: write the data set to a new folder.")
@click.option("--names", is_flag=True, help="With --out: keep annotators' names instead of numbering them.")
@click.option(
    "--units",
    "listed",
    type=click.Choice(tuple(LISTED)),
    help="With --of: list these units with each annotator's decision.",
)
@click.option("--order", type=click.Choice(tuple(ORDERS)), default="text", help="With --units: sort order.")
@click.option(
    "--adjudicate",
    nargs=2,
    multiple=True,
    metavar="UNIT VALUE",
    help="With --of: set a unit's final value, by the key that --units shows; - removes it. Repeatable.",
)
def agreement(
    *,
    path: Path,
    annotators: str,
    groups: tuple[str, ...],
    of: Subject | None,
    annotator: str,
    done: bool,
    out: Path | None,
    names: bool,
    listed: Shown | None,
    order: Order,
    adjudicate: tuple[tuple[str, str], ...],
) -> None:
    """Measure how well annotators agree, with 95 % intervals: two on links, or all on any kind of decision (--of).

    An annotator who made no decisions of that kind can adjudicate the others' disagreements: first --done, then --units
    open, then --adjudicate.
    """
    if of is None:
        if annotator or done or out or names or listed or adjudicate:
            raise BadInput(
                "--annotator, --done, --out, --names, --units and --adjudicate need --of.", "Nothing was done."
            )
        _of_two(path, annotators, groups)
        return
    if annotators:
        raise BadInput("--annotators compares two people on links; --of compares everybody.", "Nothing was done.")
    if out is not None and out.exists():
        raise not_written(f"{out.name} already exists.", "Name a new folder.")
    with Project.open(path, read_only=not (done or adjudicate)) as project:
        identity.act_as(project, annotator)
        if done:
            remark(f"Marked {set_done(project, of)} more as done.")
        found = compared(project, of, groups)
        if adjudicate:
            known = {unit.key: unit for unit in units_of(found)}
            if missing := [key for key, _ in adjudicate if key not in known]:
                raise BadInput(
                    f"“{missing[0]}” isn't a unit that was decided by two people whose work you can see.",
                    "Nothing was adjudicated.", "Run with --units all to list the keys.",
                )  # fmt: skip
            with project.action(f"Adjudicate {counted(len(adjudicate), 'unit')}"):
                for key, value in adjudicate:
                    decide(project, of, known[key].where, None if value == "-" else value)
            found = compared(project, of, groups)
    if out is not None:
        made = data_set(found, names=names, version=metadata.version("rejoinder"))
        for file in made.files:
            write(out / file.name, file.content, folders=True)
        remark(*made.loss)
    if listed is not None:
        _list_units(found, listed, order)
    else:
        _of_all(found)


def _list_units(found: Decided, as_: Shown, order: Order) -> None:
    shown = listed(units_of(found), as_, order)
    emit({"of": found.of, "units": [_unit_fields(found, unit) for unit in shown]})
    for unit in shown:
        said = ", ".join(f"{found.names.get(who, who)}: {value}" for who, value in unit.said)
        held = f"  {unit.how}: {unit.value}" if unit.value else f"  {unit.how}"
        say(f"{unit.key}\n  {f'{unit.part}: ' if unit.part else ''}{unit.words}\n  {said}\n{held}")
        for one in unit.proposals:
            method, words = proposed(*one)
            say(f"  {method} proposes {words}")
    say(f"{counted(len(shown), 'unit')}.")


def _unit_fields(found: Decided, unit: Unit) -> dict[str, object]:
    return fields(
        unit,
        "part words how value",
        unit=unit.key,
        said=[{"annotator": found.names.get(who, who), "value": value} for who, value in unit.said],
        proposals=[
            {"method": method, "value": value, "spread" if method in NUMBER_METHODS else "chance": round(doubt, 6)}
            for method, value, doubt in unit.proposals
        ],
    )


def _of_all(found: Decided) -> None:
    emit(as_fields(found))
    for part in found.parts:
        kind = SUBJECTS[found.of]
        say(f"{part.part or kind.title}: {counted(part.units, 'unit')}, {counted(part.papers, kind.group)}")
        for name, one in part.coefficients.items():
            say(f"  {COEFFICIENTS[name]:32} {said(one)}")
        for person in part.people:
            who = found.names.get(person.annotator, person.annotator)
            alike = f", as others {said(person.with_others)}" if person.with_others.known else ""
            again = f", repeated the same {said(person.repeated)}" if person.repeated.known else ""
            say(f"  {who:32} {person.decided:,} decided{alike}{again}")
    if not any(part.coefficients for part in found.parts):
        say("Nothing to compare yet: no two annotators who are done (--done) decided on the same units.")
    for taken in found.taken:
        who = found.names.get(taken.annotator, taken.annotator)
        say(f"Suggestions of {taken.origin}, {who}: {taken.accepted} accepted, {taken.refused} refused")
    for followed in found.followed:
        who = found.names.get(followed.annotator, followed.annotator)
        of_part = f", {followed.part}" if followed.part else ""
        share, many = said(followed.share), followed.share.n
        say(f"Decided as suggested, {who}{of_part}, {SHOWN[followed.shown]}: {share} of {many:,}")


def _of_two(path: Path, annotators: str, groups: tuple[str, ...]) -> None:
    with Project.open(path, read_only=True) as project:
        studies = Studies(project)
        names = dict(project.annotators())
        done = [key for key in names if any(key in s.worked and key in s.done for s in studies.standings())]
        if annotators:
            wanted = [name.strip() for name in annotators.split(",")]
            unknown = [name for name in wanted if name not in names.values()]
            if unknown or len(wanted) != _MIN_PEOPLE:
                raise BadInput(f"Give two names from: {', '.join(names.values())}.", "Nothing was compared.")
            done = [key for name in wanted for key in done if names[key] == name]
        if len(done) < _MIN_PEOPLE:
            raise BadInput(
                "No two annotators have marked a paper as done.",
                "Their work stays hidden until then.",
                "Ask each of them to mark the paper as done in the Linking pane.",
            )
        project.annotator_id = done[0]
        found = linking.agreement(studies.paper_works(done[0], done[1], groups))
    emit(
        {
            "annotators": [found.first, found.second],
            "overall": figures_fields(found.overall),
            "papers": [figures_fields(figures) for figures in found.papers],
            "disagreements": len(found.disagreements),
            "published": dict(PUBLISHED),
        }
    )
    for measure, words in MEASURES.items():
        estimate = found.overall.estimates[measure]
        published = f"  (published {PUBLISHED[measure]:.2f})" if measure in PUBLISHED else ""
        say(f"{words:24} {said(estimate):24} n = {estimate.n:,}{published}")
    differ = f"{counted(len(found.disagreements), 'comment')} on which {found.first} and {found.second} differ."
    say(differ if found.overall.measured else nothing_shared(found))
