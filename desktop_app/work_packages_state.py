"""What the window does with work packages, without Qt: what to write and read, as tasks; names, and rows of tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.jobs import Report
from engine.packages.records import Role
from engine.packages.store import WorkStore
from engine.shown import percent

if TYPE_CHECKING:
    from engine.operations.packages import Plan
    from engine.operations.results import FileReport
    from engine.packages.progress import Progress
    from engine.packages.records import Round
    from engine.project import Project

PANE_OF = {"papers": "linking", "reviews": "linking", "sentences": "labels", "pairs": "preferences", "survey": "survey"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to write: the ``plan`` of a new round, the ``people`` who join a round in a ``role``, or ``again`` the
    packages of people who have one.
    """

    folder: str
    plan: Plan | None = None
    round_id: str = ""
    role: Role = "annotator"
    people: tuple[str, ...] = ()
    again: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """Results files; whether to import them, or only to say what they bring."""

    files: tuple[str, ...]
    write: bool = False


def create(project: Project, wanted: Wanted, report: Report) -> tuple[str, ...]:
    from engine.operations.packages import add_people, write_again
    from engine.operations.packages import create as deal

    if wanted.plan is not None:
        made = deal(project, wanted.plan, Path(wanted.folder), report.progress)
    else:
        round_ = next(one for one in WorkStore(project).rounds() if one.id == wanted.round_id)
        folder = Path(wanted.folder)
        if wanted.again:
            made = write_again(project, round_, wanted.people, folder)
        else:
            made = add_people(project, round_, wanted.role, wanted.people, folder)
    return tuple(map(str, made))


def bring_in(project: Project, incoming: Incoming, _report: Report) -> tuple[FileReport, ...]:
    from engine.operations.results import import_results, preview

    return (import_results if incoming.write else preview)(project, [Path(one) for one in incoming.files])


def progress(project: Project, _params: object, _report: Report) -> tuple[tuple[Round, tuple[Progress, ...]], ...]:
    from engine.operations.package_progress import progress as found

    return tuple((made, found(project, made)) for made in reversed(WorkStore(project).rounds()))


def people_of(text: str) -> tuple[str, ...]:
    """Names, one on each line."""
    return tuple(dict.fromkeys(name for line in text.splitlines() if (name := " ".join(line.split()))))


def progress_row(one: Progress) -> tuple[str, ...]:
    """A person as a row of the table; a dash where nothing is known."""
    rate, alike, kappa = one.pace.per_hour, one.agreed, one.kappa
    return (
        one.person, one.role, f"{one.decided:,} of {one.units:,}", f"{rate:,.0f}" if rate == rate else "–",  # noqa: PLR0124
        f"{one.right} of {one.training}" if one.training else "–",
        f"{percent(alike.value)} of {alike.n:,}" if alike.known else "–",
        f"{kappa.shown()}{kappa.span(' ({:.2f} to {:.2f})')}" if kappa.n else "–", one.came[:10] or "–",
    )  # fmt: skip
