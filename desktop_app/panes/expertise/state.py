"""State of the expertise pane: available data sets, results on the current one, and the selected result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import present
from engine.errors import BadInput
from engine.exchange.expertise_report import comparison_files, curve_files, leaderboard_files, scores_file
from engine.exchange.records import Export
from engine.expertise.algorithms.registry import FOLDER, label
from engine.expertise.evaluation import Difference, Evaluation
from engine.expertise.laboratory import (
    Choice,
    Data,
    Explain,
    Outcome,
    Setup,
    curves,
    differences,
    texts_missing,
    without_profile,
)
from engine.expertise.laboratory_store import PUBLISHED, LaboratoryStore
from engine.expertise.store import SurveyStore
from engine.expertise.tasks import Load, Loaded, folder_key
from engine.jobs import Report
from engine.project import Project
from engine.shown import counted

if TYPE_CHECKING:
    from desktop_app.settings import WindowState

_REMEMBERED = "expertise.folders"
RATINGS = "evaluations.csv"
"""The file that identifies a folder as a data set."""


@dataclass(frozen=True, slots=True)
class Source:
    """An available data set; ``key`` identifies it, ``load`` reads it in a job."""

    key: str
    title: str
    load: Load


def sources(project: Project | None, remembered: WindowState) -> tuple[Source, ...]:
    """Returns the project's studies, then the added folders that still exist."""
    found = []
    if project is not None:
        for study in SurveyStore(project).studies("organiser"):
            found.append(Source(f"study:{study.id}", study.title, partial(_read_study, project, study.id, study.title)))
    found += [
        Source(f"folder:{folder}", folder.name, partial(_read_folder, folder))
        for folder in folders(remembered)
        if (folder / RATINGS).is_file()
    ]
    return tuple(found)


def folders(remembered: WindowState) -> tuple[Path, ...]:
    try:
        known = json.loads(remembered.text(_REMEMBERED, "[]"))
    except json.JSONDecodeError:
        return ()
    return tuple(Path(value) for value in known if isinstance(value, str)) if isinstance(known, list) else ()


def add_folder(remembered: WindowState, folder: Path) -> str:
    """Remembers a folder and returns its source's key."""
    folder = folder.resolve()
    paths = dict.fromkeys((*folders(remembered), folder))
    remembered.set_text(_REMEMBERED, json.dumps([str(path) for path in paths]))
    return f"folder:{folder}"


def _read_study(project: Project, study_id: str, title: str, _report: Report) -> Data:
    return Data(study_id, title, SurveyStore(project).gold_standard(study_id, with_texts=True))


def _read_folder(folder: Path, _report: Report) -> Data:
    from engine.exchange.expertise_data import read_gold_standard, read_predictions

    return Data(folder_key(folder), folder.name, read_gold_standard(folder), read_predictions(folder))


HINT = "Select algorithms on the left, then choose Run."
SORTS = {"loss": "loss", "difference": "± baseline", "easy": "easy", "hard": "hard", "algorithm": "algorithm"}
"""The columns that the leaderboard can be sorted by, with their headings."""


@dataclass(frozen=True, slots=True)
class Results:
    """The leaderboard, differences from the baseline by run id, and losses by profile length by name of the line."""

    shown: tuple[Outcome, ...]
    apart: Mapping[str, Difference]
    curves: Mapping[str, Sequence[tuple[int, Evaluation]]]


def results_export(results: Results, _report: Report | None = None) -> Export:
    """Returns leaderboard, comparisons, scores and curves as files."""
    shown = results.shown
    files = (*leaderboard_files(shown, results.apart), *comparison_files(shown), *map(scores_file, shown))
    return Export((*files, *(curve_files(results.curves) if results.curves else ())))


class ExpertiseState:
    """Reads data sources, keeps results as they arrive, and determines what can be run.

    Attributes:
        source: the key of the current data set; "" for none.
        loaded: the data set with its laboratory, once read.
        outcomes: all results on it, by run id.
        choices: the ticked algorithms; ``setup`` holds their common settings.
        running: whether algorithms are running; ``awaited`` are the labels of those without a result yet.
        curving: the labels of algorithms running with every profile length.
        baseline: the label of the algorithm that differences refer to; by default TPMS, which most venues used.
        sorted_by: the column the leaderboard is sorted by, one of ``SORTS``.
    """

    def __init__(self, remembered: WindowState) -> None:
        self._remembered = remembered
        self.choices: tuple[Choice, ...] = ()
        self.setup = Setup()
        self.baseline = label("tpms")
        self.sorted_by = "loss"
        self._other = ""
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.sources: tuple[Source, ...] = ()
        self.choose("")

    def choose(self, source: str) -> None:
        """Makes another data set current and clears the results until it is loaded."""
        self.source = source
        self.loaded: Loaded | None = None
        self.outcomes: dict[str, Outcome] = {}
        self._selected = ""
        self.curving: set[str] = set()
        self.ended()

    @property
    def is_empty(self) -> bool:
        return not sources(self.project, self._remembered)

    def read(self) -> str:
        """Reads the available data sets; returns the key of the one to show, "" for none."""
        self.sources = sources(self.project, self._remembered)
        keys = [source.key for source in self.sources]
        return self.source if self.source in keys else next(iter(keys), "")

    def add_data(self, folder: Path) -> str:
        """Adds the folder of a data set and returns its key. Raises BadInput if it isn't one."""
        if not (folder / RATINGS).is_file():
            raise BadInput(
                f"{folder.name} isn't an expertise data set.", f"It contains no {RATINGS}. Nothing was added.",
                f"Choose the folder that contains {RATINGS}, participants and papers.",
            )  # fmt: skip
        return add_folder(self._remembered, folder)

    @property
    def store(self) -> LaboratoryStore:
        return LaboratoryStore(present(self.project))

    def take(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.outcomes = {outcome.run.id: outcome for outcome in loaded.outcomes}

    def begin(self) -> tuple[tuple[Choice, ...], Setup]:
        """Marks the ticked algorithms as running; returns the arguments of their job."""
        self.running, self.awaited = True, [choice.label for choice in self.choices]
        return self.choices, self.setup

    def begin_curves(self) -> tuple[Choice, ...]:
        """Marks the ticked algorithms as running with every profile length; returns them, for one job each."""
        self.curving |= {choice.label for choice in self.choices}
        return self.choices

    def add(self, outcome: Outcome) -> bool:
        """Adds a result, replacing an earlier one of its kind. Returns whether the leaderboard shows it."""
        self.outcomes = {key: known for key, known in self.outcomes.items() if known.run.kind != outcome.run.kind}
        self.outcomes[outcome.run.id] = outcome
        if self._fits(outcome) and outcome.run.label in self.awaited:
            self.awaited.remove(outcome.run.label)
        return self._fits(outcome)

    def ended(self) -> None:
        """Marks everything as stopped: finished, failed or cancelled. Results that arrived are kept."""
        self.running = False
        self.awaited = []

    def forget(self, outcome: Outcome) -> None:
        self.store.forget([outcome.run.id])
        del self.outcomes[outcome.run.id]

    def restore(self, outcome: Outcome) -> None:
        """Stores a deleted run again, as the newest; shows it if its data set is current."""
        run = self.store.save(outcome.run, outcome.predictions)
        if self.loaded is not None and self.loaded.data.id == run.data_id:
            self.add(replace(outcome, run=run))

    @property
    def can_run(self) -> bool:
        if self.loaded is None or self.running:
            return False
        gold = self.loaded.data.gold
        return bool(self.choices) and without_profile(gold)[0] < len(gold.participants)

    @property
    def can_stop(self) -> bool:
        return self.running or bool(self.curving)

    @property
    def can_forget(self) -> bool:
        own = self.selected is not None and self.selected.run.origin != PUBLISHED
        return own and self.project is not None and not self.project.read_only

    def _fits(self, outcome: Outcome) -> bool:
        run, setup = outcome.run, self.setup
        return (run.representation, run.profile_length) == (setup.representation, setup.length)

    def board(self) -> tuple[tuple[Outcome, ...], Mapping[str, Difference]]:
        found = [outcome for outcome in self.outcomes.values() if self._fits(outcome)]
        base = next((o for o in found if o.run.label == self.baseline), None)
        if base is None:  # it hasn't been run: use the best one
            base = min(found, key=lambda o: (o.evaluation.loss, o.run.label), default=None)
        apart = differences(found, base) if base is not None else {}

        def rank(outcome: Outcome) -> tuple[bool, float, str]:
            figures = outcome.evaluation
            value = {
                "loss": figures.loss,
                "difference": apart[outcome.run.id].value if outcome.run.id in apart else 0.0,
                "easy": -figures.easy,
                "hard": -figures.hard,
                "algorithm": 0.0,
            }[self.sorted_by]
            return (isnan(value), value, outcome.run.label)

        return tuple(sorted(found, key=rank)), apart

    def sort_next(self) -> None:
        names = list(SORTS)
        self.sorted_by = names[(names.index(self.sorted_by) + 1) % len(names)]

    def status(self, shown: Sequence[Outcome]) -> str:
        count = sum(outcome.run.label not in self.awaited for outcome in shown)  # without those that are running again
        if self.awaited:
            return f"{count} of {counted(count + len(self.awaited), 'algorithm')} finished"
        return f"{counted(count, 'algorithm')} compared"

    @property
    def selected(self) -> Outcome | None:
        return self.outcomes.get(self._selected)

    def select(self, run_id: str) -> None:
        self._selected = run_id

    def select_in(self, shown: Sequence[Outcome]) -> None:
        """Keeps the selected result if it is one of these, else selects the first."""
        ids = [outcome.run.id for outcome in shown]
        if self._selected not in ids:
            self._selected = ids[0] if ids else ""

    def compare_with(self, run_id: str) -> None:
        """Sets the result that the selected one is compared with."""
        self._other = run_id

    def others(self) -> tuple[list[Outcome], str]:
        one = self.selected
        if one is None:
            return [], ""
        found = [
            outcome
            for outcome in self.outcomes.values()
            if outcome is not one and outcome.run.profile_length == one.run.profile_length
        ]
        found.sort(key=lambda outcome: outcome.run.representation != one.run.representation)
        return found, self._other or next((o.run.id for o in found if o.run.label == self.baseline), "")

    def explanation(self, participant: str, paper: str, folder: Path | None) -> Explain:
        """Returns the arguments of the job that explains a score of the selected result.

        ``folder`` is the algorithm's model folder. Raises BadInput if the score can't be explained.
        """
        run = present(self.selected).run
        if run.origin == PUBLISHED:
            raise BadInput("Published scores come without reasons.", "", "Run the algorithm to see why.")
        own = tuple(option for option in run.options if option[0] != FOLDER)
        choice = Choice(run.algorithm, folder if own != run.options else None, own)
        if choice.label != run.label:
            made = dict(run.options)[FOLDER]
            raise BadInput(f"This run used the folder “{made}”.", "", "Choose that folder on the left to see why.")
        return Explain(choice, Setup(run.representation, run.profile_length, run.draws, run.seed), participant, paper)

    def facts(self) -> str:
        if self.loaded is None:
            return "Reading…"
        gold = self.loaded.data.gold
        no_abstract, no_text = texts_missing(gold)
        rated = len({rating.paper for rating in gold.ratings})
        people, ratings = counted(len(gold.participants), "participant"), counted(len(gold.ratings), "rating")
        missing = f" {no_abstract} without abstract or year." if no_abstract else ""
        texts = f" {no_text} without full text." if no_text else " All with full text."
        none, incomplete = (
            counted(n, "participant has", "participants have") if n else "" for n in without_profile(gold)
        )
        apart = f" {none} no own papers and can't be compared." if none else ""
        titles = f" {incomplete} no own paper with abstract and year: the titles count." if incomplete else ""
        return f"{people}, {ratings} of {counted(rated, 'paper')}.{missing}{texts}{titles}{apart}"

    def curves(self) -> tuple[dict[str, Sequence[tuple[int, Evaluation]]], str]:
        """Returns losses by profile length by name of the line, and the line of the selected result ("" for none)."""
        found = curves(tuple(self.outcomes.values()))
        alone = len({representation for _, representation in found}) == 1
        run = self.selected.run if self.selected is not None else None
        lines: dict[str, Sequence[tuple[int, Evaluation]]] = {}
        at = ""
        for (name, representation), points in found.items():
            line = name if alone else f"{name} · {representation}"
            lines[line] = points
            if run is not None and (run.label, run.representation) == (name, representation):
                at = line
        return lines, at

    def results(self) -> Results:
        shown, apart = self.board()
        return Results(shown, apart, self.curves()[0])
