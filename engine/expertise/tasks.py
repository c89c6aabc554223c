"""Jobs of the similarity laboratory."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import BadInput, EnvironmentProblem
from engine.expertise.algorithms.base import Evidence
from engine.expertise.algorithms.registry import ALGORITHMS
from engine.expertise.laboratory import LENGTHS, Choice, Data, Explain, Laboratory, Outcome, Setup
from engine.expertise.laboratory_store import LaboratoryStore
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.measures.bootstrap import wider
from engine.shown import counted

Load = Callable[[Report], Data]


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A loaded data set; ``laboratory`` must only be used on the long lane."""

    laboratory: Laboratory
    outcomes: tuple[Outcome, ...]

    @property
    def data(self) -> Data:
        return self.laboratory.data


@task("expertise.load", "Read expertise data", DuplicatePolicy.REPLACE)
def load_data(report: Report, load: Load, store: LaboratoryStore, make: Callable[[Data], Laboratory]) -> Loaded:
    """Reads a data set and evaluates its runs stored in the project."""
    report.progress(0.0, "Reading the data")
    data = load(report)
    if not data.gold.ratings:
        raise BadInput(
            "This data set has no ratings yet.", "There's nothing to compare.", "Merge returned answers first."
        )
    laboratory = make(data)
    kept = store.runs(data.id)
    wider(2)  # what this imports would otherwise block the window for 150 ms when it compares the runs
    report.progress(0.3, "Evaluating published scores")
    outcomes = list(laboratory.published_outcomes())
    for number, found in enumerate(kept):
        report.progress(0.4 + 0.6 * number / len(kept), "Evaluating earlier runs")
        outcomes.append(laboratory.outcome(found, store.predictions(found.id)))
    return Loaded(laboratory, tuple(outcomes))


@task("expertise.run", "Run similarity algorithms", DuplicatePolicy.REPLACE, lane=Lane.LONG)
def run_algorithms(
    report: Report, laboratory: Laboratory, store: LaboratoryStore, choices: tuple[Choice, ...], setup: Setup
) -> int:
    """Runs and stores algorithms one after the other, those without a model first; each Outcome is a partial result.
    Returns their number. If one fails, the others still run, and the first such problem is raised at the end."""
    problems: list[EnvironmentProblem] = []
    for number, choice in enumerate(sorted(choices, key=lambda one: ALGORITHMS[one.algorithm].needs != "nothing")):
        part = report.part(number / len(choices), (number + 1) / len(choices))
        try:
            outcome = laboratory.run(choice, setup, part)
        except EnvironmentProblem as problem:
            problems.append(EnvironmentProblem(f"{choice.label}: {problem.what}", problem.means, problem.do))
            continue
        kept = store.save(outcome.run, outcome.predictions)
        report.partial(replace(outcome, run=kept))
    if problems:
        others = "" if len(choices) == 1 else f"{counted(len(problems), 'algorithm')} of {len(choices)} failed."
        raise EnvironmentProblem(problems[0].what, others or problems[0].means, problems[0].do)
    return len(choices)


@task("expertise.curve", "Profile lengths for {choice.label}", DuplicatePolicy.REPLACE, "{choice.label}", Lane.LONG)
def curve(report: Report, laboratory: Laboratory, store: LaboratoryStore, choice: Choice, setup: Setup) -> int:
    """Runs an algorithm with every profile length (ignoring the one in ``setup``) and stores the runs, except those
    whose scores are already stored; each Outcome is a partial result. Returns the number of lengths."""
    kept = {found.kind: found for found in store.runs(laboratory.data.id)}
    for outcome in laboratory.curve(choice, setup, report):
        earlier = kept.get(outcome.run.kind)
        if earlier is None or store.predictions(earlier.id) != outcome.predictions:
            report.partial(replace(outcome, run=store.save(outcome.run, outcome.predictions)))
    return len(LENGTHS)


# On the same lane as the runs, because a Laboratory belongs to one thread.
@task("expertise.explain", "Explain a score", DuplicatePolicy.REPLACE, lane=Lane.LONG)
def explain(report: Report, laboratory: Laboratory, score: Explain) -> tuple[Evidence, ...]:
    return laboratory.explain(score, report)


def folder_key(folder: Path) -> str:
    """Returns a short identifier of a folder's data: the hash of its ratings file."""
    return hashlib.sha256((folder / "evaluations.csv").read_bytes()).hexdigest()[:16]
