# ruff: noqa: S608 (only names of tables of the released schema are put into statements)
"""Work packages: the lead assigns items, writes a file for each person and monitors progress; each person opens their
file.

A file contains only one person's items and what they need to decide, so nothing they must not see is in it. It is made
by writing selected rows into an empty project, like a shared copy.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from engine.errors import BadInput, not_written
from engine.exchange.package_file import Manifest, names_of, read_manifest, unpack, write_package
from engine.measures.estimate import NOTHING
from engine.operations.package_content import PAPER_OF, names_to_hide, write_content
from engine.packages.assignment import assign, in_order
from engine.packages.progress import Answer, Progress, agreement, answers, pace, right
from engine.packages.records import (
    DECISIONS,
    Known,
    Package,
    Role,
    Round,
    Settings,
    Task,
    pair_item,
    sentence_item,
    tables_of,
)
from engine.packages.store import PACKAGE, WorkStore
from engine.project import Project, new_id, now
from engine.reviews.naming import reviewer_name
from engine.reviews.sentences import split_sentences

_PLAIN = Settings()


@dataclass(frozen=True, slots=True)
class Plan:
    """What the lead wants to assign.

    ``of`` restricts the items to keys of papers (also for reviews and sentences), clusters or library papers; empty for
    all. ``training`` is the number of items decided by the lead that everyone works on first.
    """

    title: str
    task: Task
    people: tuple[str, ...]
    settings: Settings = _PLAIN
    of: tuple[str, ...] = ()
    guidelines: str = ""
    training: int = 0


def items_of(project: Project, task: Task, of: Collection[str] = ()) -> dict[str, int]:
    """Returns all items that can be assigned, with the amount of work of each (number of comments, otherwise 1)."""
    return {item: weight for item, parent, weight in _items(project, task) if not of or parent in of}


def _items(project: Project, task: Task) -> Iterator[tuple[str, str, int]]:
    """Yields (item, its key in ``Plan.of``, weight)."""
    if task in {"papers", "reviews"}:
        key = "p.id" if task == "papers" else "t.id"
        yield from (
            (row[0], row[1], row[2])
            for row in project.query(
                f"SELECT {key}, p.id, count(*) FROM comment c JOIN source_text t ON t.id = c.source_id"
                f" JOIN paper p ON p.id = {PAPER_OF}"
                f" WHERE c.origin <> 'person' AND c.actionable GROUP BY {key}, p.id ORDER BY {key}"
            )
        )
    elif task == "sentences":
        for row in project.query(
            f"SELECT id, text, {PAPER_OF} FROM source_text t WHERE kind IN ('review', 'meta-review')"
            " ORDER BY position, id"
        ):
            for span in split_sentences(row["text"]):
                words = row["text"][span.start : span.end]
                if any(map(str.isalnum, words)) and reviewer_name(words) is None:
                    yield sentence_item(row["id"], span.start, span.end), row[2], 1
    elif task == "pairs":
        clusters: dict[str, list[str]] = {}
        for row in project.query(
            "SELECT id, cluster_id FROM rebuttal_candidate WHERE decision IS NOT 'out' ORDER BY position, id"
        ):
            clusters.setdefault(row["cluster_id"], []).append(row["id"])
        for cluster, candidates in clusters.items():
            yield from ((pair_item(one, two), cluster, 1) for one, two in combinations(candidates, 2))
    else:
        yield from (
            (row[0], row[0], 1) for row in project.query("SELECT id FROM library_paper ORDER BY created_at, id")
        )


def create(project: Project, plan: Plan, folder: Path, progress: Callable[[float], None] | None = None) -> list[Path]:
    """Assigns the items, stores the assignment, and writes a package for each person into ``folder``.

    Raises:
        BadInput: there is nothing to assign, there are too few people or training items, or authors to hide aren't
            known; nothing was stored or written.
        EnvironmentProblem: a file can't be written.
    """
    names = _different(plan.people)
    items = items_of(project, plan.task, plan.of)
    store = WorkStore(project)
    training: list[Known] = []
    if plan.training:
        own = answers(plan.task, store.entries(project.annotator_id, DECISIONS[plan.task]))
        units = units_of(project, plan.task, items)
        decided = [item for item in in_order(items, "training", plan.settings.seed) if units[item] <= own.keys()]
        if len(decided) < plan.training:
            raise BadInput(
                f"You've decided on only {len(decided)} of the items, but the training set needs {plan.training}.",
                "Nothing was created.", "Decide on more items first, or choose a smaller training set.",
            )  # fmt: skip
        training = [
            Known(item, {unit: own[unit].value for unit in sorted(units[item])}) for item in decided[: plan.training]
        ]
        items = {item: weight for item, weight in items.items() if item not in {known.item for known in training}}
    if not items or (
        plan.task == "survey" and project.query_one("SELECT 1 FROM study WHERE side = 'organiser'") is None
    ):
        raise BadInput("There is nothing to assign.", "Nothing was created.", _MISSING[plan.task])
    if plan.settings.hide_authors:
        names_to_hide(project, plan.task, [*items, *(k.item for k in training)], plan.settings.names)
    settings = plan.settings
    dealt = assign(items, names, overlap=settings.overlap, raters=settings.raters, seed=settings.seed, weights=items)
    moment = now()
    made = Round(
        new_id(), plan.title.strip() or "Work packages", plan.task, plan.guidelines, tuple(training), settings,
        project.annotator_id, moment,
    )  # fmt: skip
    first = tuple(known.item for known in training)
    with project.action(f"Create work packages “{made.title}”"):
        keys = {name: project.add_annotator(name) for name in names}
        packages = [Package(new_id(), made.id, "annotator", first + dealt[name], keys[name]) for name in names]
        store.add_round(made, packages)
    return _written(project, made, packages, folder, progress)


def _written(
    project: Project, made: Round, packages: Sequence[Package], folder: Path, progress: Callable[[float], None] | None
) -> list[Path]:
    """Writes new packages; removes them from the project if that fails."""
    try:
        return write_packages(project, made, packages, folder, progress)
    except BaseException:
        WorkStore(project).remove(made, packages)
        raise


def _different(people: Sequence[str]) -> tuple[str, ...]:
    names = tuple(name.strip() for name in people)
    if len({*names} - {""}) != len(names):
        raise BadInput("Each person needs a different name.", "Nothing was created.", "Change the names.")
    return names


_MISSING: Mapping[Task, str] = {
    "papers": "Import reviews with comments and compare the versions first.",
    "reviews": "Import reviews with comments and compare the versions first.",
    "sentences": "Import reviews first.",
    "pairs": "Create preference clusters with two or more candidates first.",
    "survey": "Create a survey and add papers to the library first.",
}


def add_people(project: Project, made: Round, role: Role, names: Sequence[str], folder: Path) -> list[Path]:
    """Creates packages for adjudicators, who divide the items that several people got, or for observers. Raises
    BadInput if an adjudicator has a package of the round or decided on its items, or if no item went to several people.
    """
    names, store = _different(names), WorkStore(project)
    packages = store.packages(made.id)
    people = dict(project.annotators())
    known = {people[one.annotator_id] for one in packages}
    if role == "annotator":
        raise BadInput(
            "The items of a round are assigned only once.",
            "Nothing was created.",
            "Create another round for more people.",
        )
    times = Counter(item for package in packages if package.role == "annotator" for item in package.items)
    trained = {one.item for one in made.training}
    items = [item for item, number in times.items() if item not in trained and (number > 1 or role == "observer")]
    if role == "adjudicator":
        if not items:
            raise BadInput("No item was assigned to several people.", "There is nothing to adjudicate.")
        units = set().union(*units_of(project, made.task, items).values())
        for name in names:
            key = next((key for key, one in people.items() if one == name), "")
            own = answers(made.task, store.entries(key, DECISIONS[made.task])) if key else {}
            if name in known or own.keys() & units:
                raise BadInput(
                    f"{name} decided on these items and can't adjudicate them.", "Nothing was created.",
                    "Choose somebody who didn't decide on them.",
                )  # fmt: skip
    if taken := known & set(names):
        raise BadInput(f"{', '.join(sorted(taken))} already has a package in this round.", "Nothing was created.")
    dealt = (
        assign(items, names, seed=made.settings.seed) if role == "adjudicator" else dict.fromkeys(names, tuple(items))
    )
    with project.action(f"Create work packages “{made.title}”"):
        keys = {name: project.add_annotator(name) for name in names}
        fresh = [Package(new_id(), made.id, role, dealt[name], keys[name]) for name in names]
        store.add_packages(made, fresh)
    return _written(project, made, fresh, folder, None)


def write_again(project: Project, made: Round, names: Sequence[str], folder: Path) -> list[Path]:
    """Writes packages of a round again for people who lost theirs: the same items in the same order, with what they
    returned so far. Nothing is assigned. Raises BadInput if someone has no package of the round."""
    people = dict(project.annotators())
    known = {people[one.annotator_id]: one for one in WorkStore(project).packages(made.id)}
    if missing := [name for name in names if name not in known]:
        raise not_written(
            f"{', '.join(missing)} has no package of “{made.title}”.", f"These people have one: {', '.join(known)}."
        )
    return write_packages(project, made, [known[name] for name in names], folder)


def units_of(project: Project, task: Task, items: Collection[str]) -> dict[str, set[str]]:
    """Returns what is decided individually in each item: its comments, otherwise the item itself."""
    if task not in {"papers", "reviews"}:
        return {item: {item} for item in items}
    found: dict[str, set[str]] = {item: set() for item in items}
    for comment, text, paper in project.query(
        f"SELECT c.id, t.id, {PAPER_OF} FROM comment c JOIN source_text t ON t.id = c.source_id"
        " WHERE c.origin <> 'person' AND c.actionable"
    ):
        item = text if task == "reviews" else paper
        if item in found:
            found[item].add(comment)
    return found


def write_packages(
    project: Project,
    made: Round,
    packages: Sequence[Package],
    folder: Path,
    progress: Callable[[float], None] | None = None,
) -> list[Path]:
    """Writes the files of packages, replacing files of the same names. Raises EnvironmentProblem if one can't be
    written."""
    people = dict(project.annotators())
    folder.mkdir(parents=True, exist_ok=True)
    files = names_of([people[one.annotator_id] for one in packages])
    written = []
    for number, (package, file) in enumerate(zip(packages, files, strict=True)):
        if progress is not None:
            progress(number / len(packages))
        with tempfile.TemporaryDirectory(prefix=".rejoinder-", dir=folder) as private:
            content = Path(private) / "project.rejoinder"
            write_content(project, made, package, content)
            write_package(
                folder / file, content, made, package, person=people[package.annotator_id], project=project.id,
                written_at=now(),
            )  # fmt: skip
        written.append(folder / file)
    return written


def open_package(path: Path, target: Path | None = None) -> tuple[Path, Manifest]:
    """Extracts a package's project next to it (or to ``target``), or uses the one extracted earlier. Raises BadInput if
    the file isn't a package, is truncated or was changed, or if another project has the name."""
    manifest = read_manifest(path)
    target = target or path.with_suffix(".rejoinder")
    if not target.exists():
        unpack(path, target)
    with Project.open(target, read_only=True) as opened:
        found = opened.info(PACKAGE)
    if found != manifest.package:
        raise BadInput(
            f"{target.name} already exists and is a different project.", "Nothing was opened.",
            "Rename the package, then open it again.",
        )  # fmt: skip
    return target, manifest


def progress(project: Project, made: Round) -> tuple[Progress, ...]:
    """Returns each person's progress in a round, in the order in which the packages were created."""
    store, names = WorkStore(project), dict(project.annotators())
    packages = store.packages(made.id)
    known = {unit: value for one in made.training for unit, value in one.answer.items()}
    trained = {one.item for one in made.training}
    said = {package.id: _answers(project, made, package) for package in packages}
    came = {one.package_id: one.created_at for one in store.returns()}
    found = []
    for package in packages:
        items = [item for item in package.items if item not in trained]
        units = set().union(*units_of(project, made.task, items).values())
        own = {unit: answer for unit, answer in said[package.id].items() if unit in units}
        others = [said[one.id] for one in packages if one.id != package.id and one.role == "annotator"]
        correct, answered = right(said[package.id], known)
        agreed, kappa = agreement(own, others) if package.role == "annotator" else (NOTHING, NOTHING)
        part = Progress(
            names[package.annotator_id], package.role, len(set(package.items) - trained), len(units),
            len(own), correct, answered, len(known) if trained & set(package.items) else 0,
            pace([answer.at for answer in own.values()]), agreed, kappa, came.get(package.id, ""),
        )  # fmt: skip
        found.append(part)
    return tuple(found)


def _answers(project: Project, made: Round, package: Package) -> dict[str, Answer]:
    """Returns a person's answers by unit; for an adjudicator, only that they decided."""
    entries = WorkStore(project).entries(package.annotator_id, tables_of(made.task, package.role))
    if package.role != "adjudicator":
        return answers(made.task, entries)
    return {_unit(made.task, entry.row): Answer("", entry.stamp) for entry in entries if entry.row is not None}


def _unit(task: Task, row: Mapping[str, Any]) -> str:
    """Returns the unit that an adjudication counts for."""
    if "comment_id" in row:
        return str(row["comment_id"])
    if "first_id" in row:
        return pair_item(row["first_id"], row["second_id"])
    if task == "sentences":
        return f"{row['subject_id']}:{row['unit'].replace('-', ':')}"
    return str(row["unit"] if task == "survey" else row["subject_id"])


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's decision on a unit of the training set, and the correct one; ``own`` and ``known`` are None before
    they decided."""

    item: str
    unit: str
    own: Any
    known: Any

    @property
    def right(self) -> bool | None:
        return None if self.own is None else bool(self.own == self.known)


def feedback(project: Project) -> tuple[Feedback, ...]:
    """Returns the training set of a package, in order. Correct answers are only given for units the person has decided
    on."""
    own = WorkStore(project).own()
    if own is None:
        return ()
    made, package = own
    found = answers(made.task, WorkStore(project).entries(package.annotator_id, tables_of(made.task, package.role)))
    known: dict[str, Mapping[str, Any]] = {one.item: one.answer for one in made.training}
    return tuple(
        Feedback(item, unit, found[unit].value if unit in found else None, value if unit in found else None)
        for item in package.items
        for unit, value in known.get(item, {}).items()
    )
