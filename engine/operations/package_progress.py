"""What has come back of a round, person by person, and feedback on the training set."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.measures.estimate import NOTHING
from engine.operations.packages import units_of
from engine.packages.progress import Answer, Progress, agreement, answers, pace, right
from engine.packages.records import Package, Round, Task, pair_item, tables_of
from engine.packages.store import WorkStore
from engine.project import Project


def progress(project: Project, made: Round) -> tuple[Progress, ...]:
    """Each person's part of a round, in the order in which the packages were made."""
    store, names = WorkStore(project), dict(project.annotators())
    packages = store.packages(made.id)
    known = {unit: value for one in made.training for unit, value in one.answer.items()}
    trained = {one.item for one in made.training}
    units: dict[str, set[str]] = {}
    said: dict[str, dict[str, Answer]] = {}
    for package in packages:
        items = [item for item in package.items if item not in trained]
        units[package.id] = set().union(*units_of(project, made.task, items).values())
        said[package.id] = _answers(project, made, package)
    came = {one.package_id: one.created_at for one in store.returns()}
    found = []
    for package in packages:
        own = {unit: answer for unit, answer in said[package.id].items() if unit in units[package.id]}
        others = [said[one.id] for one in packages if one.id != package.id and one.role == "annotator"]
        correct, answered = right(said[package.id], known)
        agreed, kappa = agreement(own, others) if package.role == "annotator" else (NOTHING, NOTHING)
        part = Progress(
            names[package.annotator_id], package.role, len(set(package.items) - trained), len(units[package.id]),
            len(own), correct, answered, len(known) if trained & set(package.items) else 0,
            pace([answer.at for answer in own.values()]), agreed, kappa, came.get(package.id, ""),
        )  # fmt: skip
        found.append(part)
    return tuple(found)


def _answers(project: Project, made: Round, package: Package) -> dict[str, Answer]:
    """What a person decided, by unit; of an adjudicator only that they did."""
    entries = WorkStore(project).entries(package.annotator_id, tables_of(made.task, package.role))
    if package.role != "adjudicator":
        return answers(made.task, entries)
    return {_unit(made.task, entry.row): Answer("", entry.stamp) for entry in entries if entry.row is not None}


def _unit(task: Task, row: Mapping[str, Any]) -> str:
    """The unit of progress that an adjudication is on."""
    if "comment_id" in row:
        return str(row["comment_id"])
    if "first_id" in row:
        return pair_item(row["first_id"], row["second_id"])
    if task == "sentences":
        return f"{row['subject_id']}:{row['unit'].replace('-', ':')}"
    return str(row["unit"] if task == "survey" else row["subject_id"])


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person decided on a unit of the training set, and what is right; ``own`` is None before they decided."""

    item: str
    unit: str
    own: Any
    known: Any

    @property
    def right(self) -> bool | None:
        return None if self.own is None else bool(self.own == self.known)


def feedback(project: Project) -> tuple[Feedback, ...]:
    """The training set of a package, in its order. What is right is said only where the person has decided."""
    own = WorkStore(project).own()
    if own is None:
        return ()
    made, package = own
    found = answers(made.task, WorkStore(project).entries(package.annotator_id, tables_of(made.task, package.role)))
    known: dict[str, Mapping[str, Any]] = {one.item: one.answer for one in made.training}
    return tuple(
        Feedback(
            item, unit, found[unit].value if unit in found else None, value if unit in found else None
        )
        for item in package.items
        for unit, value in known.get(item, {}).items()
    )  # fmt: skip
