"""Runs the stages one after the other: which are on, the input and output of each, streaming, timings.

A stage that is switched off (as in the paper's ablation) is skipped: the next ones get what there is. A ``Run``
contains what is needed to read it, to repeat it, and to compare it with another.
"""

import hashlib
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.errors import EnvironmentProblem
from engine.jobs import QuietReport, Report
from engine.models.language import ContextTooLong, Manner, UnusableAnswer
from engine.models.questions import Forecast
from engine.review_drafting.records import (
    STAGE_TITLES,
    STAGES,
    Ask,
    Check,
    Draft,
    DraftIssue,
    Fact,
    InsightReport,
    LibraryEntry,
    LiteratureReport,
    PaperReading,
    Record,
    ResultsReport,
    Scores,
    Search,
    Stage,
    StageId,
    StageInfo,
    StageInput,
    StageOutput,
    Way,
)
from engine.review_drafting.rubrics import meta_rubrics
from engine.shown import listed, shortened

RunState = Literal["running", "done", "cancelled", "failed"]
_SHARES: dict[StageId, float] = {"drafter": 1, "literature": 3, "insight": 1, "results": 1, "aggregator": 1}
"""The shares of the stages in a run's duration, for the progress bar."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run: the active stages, seed and temperature of language models, the search, and questions of
    the review form. ``manners`` and ``models``: by stage, the settings and ids of language models that differ from the
    run's."""

    on: frozenset[StageId] = frozenset(STAGES)
    seed: int = 0
    temperature: float = 0.0
    search: Search = field(default_factory=Search)
    manners: tuple[tuple[StageId, Manner], ...] = ()
    models: tuple[tuple[StageId, str], ...] = ()
    asks: tuple[Ask, ...] = ()


@dataclass(frozen=True, slots=True)
class Crew:
    """The stages of one way, created for a run's settings. ``origin`` is their provenance, ``model`` the language
    model's id and ``encoder`` the fingerprint of the encoder that ranks the library ("" if none). ``instead`` are the
    stages that replace those that fail. ``forecast`` estimates a run's requests to a language model from the paper,
    what is already written, the settings and the number of papers in the library."""

    way: Way
    origin: str
    stages: Callable[[RunSettings], Sequence[Stage]] = field(repr=False)
    model: str = ""
    encoder: str = ""
    instead: Callable[[RunSettings], Sequence[Stage]] | None = field(default=None, repr=False)
    forecast: Callable[[PaperReading, Draft, RunSettings, int], Forecast] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class StageRun:
    """One stage of a run.

    ``problem`` says what went wrong. If a stage failed and was replaced by the rules, ``info`` is theirs; ``output`` is
    None if there is no replacement. ``raw`` is a language model's output, answer by answer. ``input_hash`` is SHA-256
    of the stage's whole input. ``device`` is where the language model ran and in which precision, "" if that isn't
    known, as for servers.
    """

    info: StageInfo
    input_hash: str
    output: StageOutput | None
    raw: tuple[str, ...] = ()
    problem: str = ""
    seconds: float = 0.0
    device: str = ""

    @property
    def stage(self) -> StageId:
        return self.info.stage


@dataclass(frozen=True, slots=True)
class Run:
    """A run. ``inputs`` are (name, SHA-256) of what was read: text, library, rubrics, the reviewer's text, encoder.
    ``own`` are the fields of the draft at its start: (field, value), ordered by name."""

    document_sha256: str
    origin: str
    model: str
    settings: RunSettings
    inputs: tuple[tuple[str, str], ...]
    stages: tuple[StageRun, ...] = ()
    state: RunState = "done"
    problem: str = ""
    seconds: float = 0.0
    id: str = ""
    draft_id: str = ""
    created_at: str = ""
    own: tuple[tuple[str, str], ...] = ()

    @property
    def draft(self) -> Draft:
        """The draft: the Aggregator's, otherwise the Drafter's, otherwise an empty one."""
        made = [run.output for run in self.stages if isinstance(run.output, Draft)]
        return made[-1] if made else Draft()

    def model_of(self, info: StageInfo) -> str:
        """Returns the language model that ran a stage, "" if none."""
        return dict(self.settings.models).get(info.stage, self.model) if info.way == "language model" else ""

    @property
    def scored_by_model(self) -> bool:
        """Whether a language model gave scores; attempts by a paper's text to influence it aren't always recognised."""
        model = any(stage.info.way == "language model" for stage in self.stages)
        return model and self.draft.scores != Scores()

    def output(self, stage: StageId) -> StageOutput | None:
        """Returns a stage's output; None if it was off or failed."""
        return next((run.output for run in self.stages if run.stage == stage), None)

    @property
    def problems(self) -> tuple[str, ...]:
        """The run's problems as sentences; one that several stages had is there once, without what differs."""
        alike: dict[str, list[StageRun]] = {}
        for run in self.stages:
            alike.setdefault(_DETAIL.sub("", run.problem), []).append(run)
        found = []
        for problem, runs in alike.items():
            same = runs[0].problem if len({run.problem for run in runs}) == 1 else problem
            found += [f"{listed([STAGE_TITLES[run.stage] for run in runs])}: {same}"] if problem else []
        return (*((self.problem,) if self.problem else ()), *found)


_DETAIL = re.compile(r" \([\w ,-]+\)(?=\.)")
"""What an answer lacked, as in "it isn't in the requested form (facts)."."""


def run_stages(
    crew: Crew,
    paper: PaperReading,
    *,
    library: Sequence[LibraryEntry] = (),
    own: Draft = Draft(),
    settings: RunSettings = RunSettings(),
    report: Report = QuietReport(),
    on_stage: Callable[[StageRun], None] | None = None,
) -> Run:
    """Runs the active stages in order; ``on_stage`` is called with each as soon as it is done.

    ``own`` is what the reviewer has already written. If a stage fails for any reason, the crew's other way does its
    work if there is one, and the run continues.

    Raises Cancelled (``on_stage`` has received everything that was done), and EnvironmentProblem if a stage without a
    replacement can't run (the encoder is missing).
    """
    started = time.perf_counter()
    draft = own
    outputs: dict[StageId, StageOutput] = {}
    runs: list[StageRun] = []
    stages = {stage.info.stage: stage for stage in crew.stages(settings)}
    instead = {stage.info.stage: stage for stage in crew.instead(settings)} if crew.instead is not None else {}
    on = [stage for stage in STAGES if stage in settings.on]
    total, done = sum(_SHARES[stage] for stage in on), 0.0
    for stage in on:
        part = report.part(done / total, (done + _SHARES[stage]) / total)
        done += _SHARES[stage]
        part.progress(0.0, STAGE_TITLES[stage])
        reads: dict[StageId, dict[str, Any]] = {
            "drafter": {"own": own},
            "literature": {"library": tuple(library), "search": settings.search},
            "results": {"draft": draft, "asks": settings.asks},
            "aggregator": {"draft": draft, "rubrics": meta_rubrics()}
            | {key: outputs.get(key) for key in ("literature", "insight", "results")},
        }
        given = StageInput(paper=paper, **reads.get(stage, {"draft": draft}))
        run = _run_one(stages[stage], given, settings, part, instead.get(stage))
        runs.append(run)
        if run.output is not None:
            outputs[stage] = run.output
            if isinstance(run.output, Draft):
                draft = run.output
        if on_stage is not None:
            on_stage(run)
    report.progress(1.0, "Draft ready")
    return replace(
        begun(crew, paper, library, own, settings),
        stages=tuple(runs),
        state="done",
        seconds=round(time.perf_counter() - started, 3),
    )


def begun(crew: Crew, paper: PaperReading, library: Sequence[LibraryEntry], own: Draft, settings: RunSettings) -> Run:
    """Returns the run before its first stage: its inputs with hashes, and who does it."""
    inputs = (
        ("text", _hash(paper)),
        ("library", _hash(*library)),
        ("rubrics", _hash(*meta_rubrics())),
        ("own", _hash(own)),
        ("encoder", crew.encoder),
    )
    return Run(paper.sha256, crew.origin, crew.model, settings, inputs, state="running")


def _run_one(stage: Stage, given: StageInput, settings: RunSettings, report: Report, instead: Stage | None) -> StageRun:
    started = time.perf_counter()
    asked = given.model_dump_json(include=given.model_fields_set)
    info = stage.info
    hashed = _hash(asked, f"{settings.seed}|{settings.temperature}|{info.prompt_text}")
    output, raw, problem = None, tuple[str, ...](), ""
    try:
        output, raw = stage.run(given, report)
    except EnvironmentProblem as error:
        if instead is None and not isinstance(error, UnusableAnswer | ContextTooLong):
            raise
        raw, problem = (error.raw,) if isinstance(error, UnusableAnswer) else (), error.what
        if instead is not None:
            output, _ = instead.run(given, report)
            info, problem = instead.info, f"{problem} Rules were used instead. {error.do}".rstrip()
    if info.way == "language model" and info.stage == "drafter" and given.paper.orders:
        problem = (
            f"The paper tries to instruct a language model: “{shortened(given.paper.orders[0], 120)}” The model "
            "didn't see such sentences, and its scores weren't used."
        )
    device = stage.device() if info is stage.info else ""
    return StageRun(info, hashed, output, raw, problem, round(time.perf_counter() - started, 3), device)


def _hash(*parts: Record | str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update((part if isinstance(part, str) else part.model_dump_json()).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


# --- comparing runs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StageDifference:
    """A stage in two runs: whether its input and its output were the same, and the points that only one has."""

    stage: StageId
    same_input: bool
    same_output: bool
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)


def compare_runs(first: Run, second: Run) -> tuple[StageDifference, ...]:
    """Compares stage by stage; a stage that is missing in one of the runs counts as different."""
    found = []
    for stage in STAGES:
        one, two = (next((run for run in side.stages if run.stage == stage), None) for side in (first, second))
        if one is None and two is None:
            continue
        texts = [_texts(run.output) if run is not None else [] for run in (one, two)]
        found.append(
            StageDifference(
                stage,
                one is not None and two is not None and one.input_hash == two.input_hash,
                one is not None and two is not None and one.output == two.output,
                tuple(text for text in texts[0] if text not in texts[1]),
                tuple(text for text in texts[1] if text not in texts[0]),
                (one.seconds if one else 0.0, two.seconds if two else 0.0),
            )
        )
    return tuple(found)


def _texts(output: StageOutput | None) -> list[str]:
    match output:
        case Draft():
            return [point.text for _, point in output.points()]
        case LiteratureReport():
            return [*output.keyphrases, *(work.title for work in output.found)]
        case InsightReport():
            return [fact.text for fact in output.facts] + [issue.text for issue in output.issues]
        case ResultsReport():
            named = [item.name for item in (*output.datasets, *output.metrics, *output.baselines)]
            said: tuple[Fact | Check | DraftIssue, ...] = (*output.key_results, *output.checks, *output.issues)
            return [*named, *(item.text for item in said)]
    return []
