"""A lead's project with everything that can be dealt, packages of it, and people who work on theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.expertise.records import Study
from engine.expertise.store import SurveyStore
from engine.operations.packages import Plan, create, open_package
from engine.operations.results import outgoing
from engine.packages.records import Package, Round, Settings, Task
from engine.packages.store import WorkStore
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project
from engine.rebuttal.preferences.records import NewCluster, NewSentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.reviews.labels.records import LAYERS
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.revision.records import NewLink
from engine.revision.store import RevisionStore
from tests.engine.operations.random_acts import Acts

STATES = ("answered", "no_edit_found", "not_addressed", "visual_only")


def lead_project(path: Path) -> Project:
    """Two papers with two reviews each, a cluster of four candidates, a survey and a library."""
    if not _made:
        with _lead_project(path.with_name("built.rejoinder")) as project:
            project.save_copy(path.with_name("copy.rejoinder"))
        _made.append(path.with_name("copy.rejoinder").read_bytes())
    path.write_bytes(_made[0])
    return Project.open(path, annotator="Lea")


_made: list[bytes] = []


def _lead_project(path: Path) -> Project:
    project = Project.create(path, "Study", "Lea")
    Acts(project).fill()
    project.set_annotator("Lea")
    sentences = tuple(NewSentence(f"We did candidate {n}.") for n in range(4))
    PreferenceStore(project).add_clusters([NewCluster("Clarity", "Method", "explain", candidates=sentences)])
    SurveyStore(project).add_study(Study("", "key", "organiser", "What do you know?"))
    library = LibraryStore(project)
    library.add_all([LibraryPaper("", title=f"Paper of the library {n}", authors=("Zoe Writer",)) for n in range(4)])
    return project


def dealt(
    project: Project, folder: Path, task: Task = "reviews", people: tuple[str, ...] = ("Ann", "Ben"), **more: object
) -> list[Path]:
    settings = {key: more.pop(key) for key in tuple(more) if key in Settings.__dataclass_fields__}
    plan = Plan(f"Round of {task}", task, people, Settings(**{"overlap": 1.0, **settings}), **more)  # type: ignore[arg-type]
    return create(project, plan, folder)


def at(package: Path, target: Path, work: Callable[[Person], object]) -> Path:
    """Opens a package as its person, does the work, and writes the results beside it."""
    path, _ = open_package(package, target)
    with Project.open(path) as project:
        own = WorkStore(project).own()
        assert own is not None
        project.annotator_id = own[1].annotator_id
        work(Person(project, *own))
        made = outgoing(project)
    count = len(list(target.parent.glob(f"{target.stem}-*.rejoinder-results")))
    results = target.with_name(f"{target.stem}-{count}.rejoinder-results")
    results.write_bytes(made.file.content)
    return results


class Person:
    """Somebody at their package; each act takes two numbers."""

    def __init__(self, project: Project, made: Round, package: Package) -> None:
        self.project, self.round, self.package = project, made, package
        self.acts = Acts(project)
        self.links, self.labels = RevisionStore(project), LabelStore(project)
        self.verbs: dict[str, Callable[[int, int], object]] = {
            "decide": self.decide, "back": self.back, "undo": lambda _a, _b: project.undo(),
            "redo": lambda _a, _b: project.redo(), "extra": self.extra,
        }  # fmt: skip

    def item(self, number: int) -> str:
        return self.package.items[number % len(self.package.items)]

    def decide(self, a: int, b: int) -> None:
        """A decision on an item."""
        parts = self.item(a).split(":")
        if self.round.task in {"papers", "reviews"}:
            comments = self.acts.reviews.comments()
            comment = comments[a % len(comments)].id
            if b % 2:
                self.links.link_from([NewLink(comment, self.acts.edit(a, b), note=f"Note {b}")], "person")
            else:
                revision = self.acts.revision(comment)
                self.links.set_comment_state(revision, comment, STATES[b % len(STATES)])  # type: ignore[arg-type]
        elif self.round.task == "sentences":
            layer = LAYERS[b % 2]
            label = {"polarity": ("positive", "negative")[b % 2], "aspect": "clarity"}.get(layer, "yes")
            self.labels.set_label(parts[0], Span(int(parts[1]), int(parts[2])), layer, [label])
        elif self.round.task == "pairs":
            answer = ("left", "right", "tie")[b % 3]
            cluster = PreferenceStore(self.project).clusters()[0].id
            PreferenceStore(self.project).judge(cluster, parts[0], parts[1], answer)  # type: ignore[arg-type]
        else:
            store = SurveyStore(self.project)
            participant = store.participants(store.studies("participant")[0].id)[0]
            rows = store.rows(participant.id)
            store.rate(rows[a % len(rows)].id, 1.0 + b % 5)

    def back(self, a: int, b: int) -> None:
        """Takes a decision back."""
        if self.round.task in {"papers", "reviews"}:
            links = [link for r in self.revisions() for link in self.links.links(r)]
            if links:
                link = links[a % len(links)]
                self.links.unlink_comment(link.comment_id, link.edit_id)
        elif self.round.task == "sentences":
            parts = self.item(a).split(":")
            self.labels.clear_labels(parts[0], Span(int(parts[1]), int(parts[2])), LAYERS[:2])
        elif self.round.task == "survey":
            store = SurveyStore(self.project)
            participant = store.participants(store.studies("participant")[0].id)[0]
            rows = store.rows(participant.id)
            store.rate(rows[a % len(rows)].id, None)

    def extra(self, a: int, b: int) -> None:
        """Marks a comment in a review, and links it."""
        if self.round.task in {"papers", "reviews"}:
            self.acts.do("mark", a, b)
            self.acts.do("link", -1 - a % 2, b)

    def revisions(self) -> list[str]:
        return [row[0] for row in self.project.query("SELECT id FROM revision")]
