"""What the job engine runs for the laboratory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from engine.errors import BadInput, EnvironmentProblem
from engine.expertise.algorithms.base import Evidence
from engine.expertise.algorithms.registry import ALGORITHMS
from engine.expertise.laboratory import LENGTHS, Choice, Data, Explain, Laboratory, Outcome, Setup
from engine.expertise.laboratory_store import LaboratoryStore
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.shown import counted

Load = Callable[[Report], Data]


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A data set ready to work on; ``laboratory`` is for the long lane alone."""

    laboratory: Laboratory
    outcomes: tuple[Outcome, ...]

    @property
    def data(self) -> Data:
        return self.laboratory.data


@dataclass(frozen=True, slots=True)
class RunAlgorithms:
    """Algorithms to run, one after the other; each Outcome is a partial result."""

    choices: tuple[Choice, ...]
    setup: Setup


@dataclass(frozen=True, slots=True)
class Curve:
    """One algorithm with every profile length; the set-up's own length does not matter."""

    choice: Choice
    setup: Setup


def load_data(key: str, load: Load, store: LaboratoryStore, make: Callable[[Data], Laboratory]) -> Task[str, Loaded]:
    """Reads a data set and evaluates the runs that the project keeps of it; ``key`` is a study's id or a folder."""
    run = partial(_load_data, load, store, make)
    return Task("expertise.load", "Read expertise data", run, key, DuplicatePolicy.REPLACE)


def _load_data(
    load: Load, store: LaboratoryStore, make: Callable[[Data], Laboratory], _key: str, report: Report
) -> Loaded:
    report.progress(0.0, "Reading the data")
    data = load(report)
    if not data.gold.ratings:
        raise BadInput(
            "This data set has no ratings yet.", "There's nothing to compare.", "Merge returned answers first."
        )
    laboratory = make(data)
    kept = store.runs(data.id)
    report.progress(0.3, "Evaluating published scores")
    outcomes = list(laboratory.published_outcomes())
    for number, found in enumerate(kept):
        report.progress(0.4 + 0.6 * number / len(kept), "Evaluating earlier runs")
        outcomes.append(laboratory.outcome(found, store.predictions(found.id)))
    return Loaded(laboratory, tuple(outcomes))


def run_algorithms(laboratory: Laboratory, store: LaboratoryStore, params: RunAlgorithms) -> Task[RunAlgorithms, int]:
    """Runs and keeps them, first those that need no model; returns how many. If one can't be run, the others are, and
    the first such problem is raised at the end.
    """
    run = partial(_run_algorithms, laboratory, store)
    return Task("expertise.run", "Run similarity algorithms", run, params, DuplicatePolicy.REPLACE, lane=Lane.LONG)


def _run_algorithms(laboratory: Laboratory, store: LaboratoryStore, params: RunAlgorithms, report: Report) -> int:
    problems: list[EnvironmentProblem] = []
    for number, choice in enumerate(
        sorted(params.choices, key=lambda choice: ALGORITHMS[choice.algorithm].needs != "nothing")
    ):
        part = report.part(number / len(params.choices), (number + 1) / len(params.choices))
        try:
            outcome = laboratory.run(choice, params.setup, part)
        except EnvironmentProblem as problem:
            problems.append(EnvironmentProblem(f"{choice.label}: {problem.what}", problem.means, problem.do))
            continue
        kept = store.save(outcome.run, outcome.predictions)
        report.partial(replace(outcome, run=kept))
    if problems:
        others = (
            ""
            if len(params.choices) == 1
            else f"{counted(len(problems), 'algorithm')} of {len(params.choices)} failed."
        )
        raise EnvironmentProblem(problems[0].what, others or problems[0].means, problems[0].do)
    return len(params.choices)


def curve(laboratory: Laboratory, store: LaboratoryStore, params: Curve) -> Task[Curve, int]:
    """Runs an algorithm with every profile length and keeps the runs, but for those whose scores are kept already; each
    Outcome is a partial result. Returns how many lengths there are."""
    run, name = partial(_curve, laboratory, store), params.choice.label
    return Task("expertise.curve", f"Profile lengths for {name}", run, params, DuplicatePolicy.REPLACE, name, Lane.LONG)


def _curve(laboratory: Laboratory, store: LaboratoryStore, params: Curve, report: Report) -> int:
    kept = {found.kind: found for found in store.runs(laboratory.data.id)}
    for outcome in laboratory.curve(params.choice, params.setup, report):
        earlier = kept.get(outcome.run.kind)
        if earlier is None or store.predictions(earlier.id) != outcome.predictions:
            report.partial(replace(outcome, run=store.save(outcome.run, outcome.predictions)))
    return len(LENGTHS)


def explain(laboratory: Laboratory, params: Explain) -> Task[Explain, tuple[Evidence, ...]]:
    """Why a score is what it is."""
    # In the lane of the runs: a Laboratory belongs to one thread.
    run = laboratory.explain
    return Task("expertise.explain", "Explain a score", run, params, DuplicatePolicy.REPLACE, lane=Lane.LONG)


def folder_key(folder: Path) -> str:
    """A short name of a folder's data for the project: the hash of its ratings file."""
    import hashlib

    return hashlib.sha256((folder / "evaluations.csv").read_bytes()).hexdigest()[:16]
