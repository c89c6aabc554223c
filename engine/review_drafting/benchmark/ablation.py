"""Reviews the same papers with stages left out, exchanged or configured differently, all judged alike (ReviewGrounder,
section 5.2 and appendix A.4).

Each draft is stored with its scores as soon as it is judged, so that an interrupted run can be resumed. Rubrics are
made once per paper and shared by all configurations; the stages that draft never see them.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from engine.errors import EnvironmentProblem
from engine.files import write_whole
from engine.jobs import QuietReport, Report
from engine.models.language import ContextTooLong, LanguageModel, UnusableAnswer
from engine.review_drafting.benchmark import checks, judge
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, PaperRubric, ReviewSet
from engine.review_drafting.benchmark.reference import Encode
from engine.review_drafting.benchmark.running import Aggregation, Readings, judge_reviews, make_rubrics
from engine.review_drafting.pipeline import Crew, RunSettings, run_stages
from engine.review_drafting.records import LibraryEntry, Made, PaperReading, Record, Review, Stage, StageId, StageInput

FULL = "full"
DRAFTER_ONLY = "drafter only"
LEFT_OUT: tuple[StageId, ...] = ("literature", "insight", "results")
"""The grounding agents that table 3 leaves out, one at a time."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to draft: its name, the stages, their settings, and a stage done by another crew."""

    name: str
    crew: Crew
    settings: RunSettings
    exchanged: tuple[StageId, Crew] | None = None


def configurations(
    crew: Crew,
    settings: RunSettings,
    *,
    exchanged: Sequence[tuple[StageId, Crew]] = (),
    tops: Sequence[int] = (),
    reranking: bool = False,
) -> tuple[Configuration, ...]:
    """Returns the full configuration, those without each grounding agent, the Drafter alone, and the requested others.

    ``exchanged`` are stages that another crew does (tables 8 and 9); ``tops`` are numbers of related papers, and
    ``reranking`` adds a search without reranking (figure 3).
    """
    on = settings.on
    found = [Configuration(FULL, crew, settings)]
    found += [
        Configuration(f"without {stage}", crew, replace(settings, on=on - {stage})) for stage in LEFT_OUT if stage in on
    ]
    found.append(Configuration(DRAFTER_ONLY, crew, replace(settings, on=frozenset({"drafter"}))))
    for stage, other in exchanged:
        found.append(Configuration(f"{stage} by {other.model or 'rules'}", crew, settings, (stage, other)))
    for top in tops:
        found.append(Configuration(f"top {top}", crew, replace(settings, search=replace(settings.search, top=top))))
    if reranking:
        plain = replace(settings, search=replace(settings.search, reranked=False))
        found.append(Configuration("without reranking", crew, plain))
    return tuple(found)


def _crew(one: Configuration, known: dict[object, Made]) -> Crew:
    """Returns the stages of a configuration; they are pure, so repeated inputs are answered from ``known``."""

    def remembered(stage: Stage, origin: str, settings: RunSettings) -> Stage:
        def run(given: StageInput, report: Report) -> Made:
            asked = given.model_dump_json(include=given.model_fields_set)
            key = (stage.info, origin, settings.seed, settings.temperature, _hash(asked))
            if key not in known:
                known[key] = stage.run(given, report)
            return known[key]

        return Stage(stage.info, run)

    def stages(settings: RunSettings) -> Sequence[Stage]:
        name, other = one.exchanged or ("", one.crew)
        theirs = {stage.info.stage: stage for stage in other.stages(settings)}
        return [
            remembered(theirs[name], other.origin, settings)
            if stage.info.stage == name
            else remembered(stage, one.crew.origin, settings)
            for stage in one.crew.stages(settings)
        ]

    others = "" if one.exchanged is None else f", {one.exchanged[0]}: {one.exchanged[1].origin}"
    return replace(one.crew, origin=f"{one.crew.origin}{others}", stages=stages)


@dataclass(frozen=True, slots=True)
class Judging:
    """Who makes rubrics and scores (a language model, otherwise rules), and how human reviews become the reference."""

    model: LanguageModel | None = None
    encode: Encode | None = None
    encoder: str = ""
    by: Aggregation = "rules"
    together: bool = False
    seed: int = 0

    @property
    def origin(self) -> str:
        return f"model:{checks.VERSION}" if self.model is None else self.model.info.origin


class Scored(Record):
    """The stored result of one paper and configuration; ``key`` is a hash of everything it was made with."""

    key: str
    paper: str
    configuration: str
    review: Review
    judgements: tuple[Judgement, ...]
    problems: tuple[str, ...] = ()


class _Rubrics(Record):
    key: str
    rubrics: tuple[PaperRubric, ...]


Kept = TypeVar("Kept", Scored, _Rubrics)


@dataclass(frozen=True, slots=True)
class Ablation:
    """The scored drafts, how many of them an earlier run had stored, and what couldn't be done, with the reason."""

    scored: tuple[Scored, ...]
    resumed: int
    skipped: tuple[str, ...]

    def reviews(self) -> tuple[BenchmarkReview, ...]:
        """Returns the drafts as reviews whose source is their configuration; the id is the position in ``scored``."""
        return tuple(
            BenchmarkReview(id=str(number), paper_id=one.paper, source=one.configuration, review=one.review)
            for number, one in enumerate(self.scored)
        )

    def scores(self) -> Mapping[str, Mapping[str, int]]:
        return {
            str(number): {given.dimension: given.score for given in one.judgements}
            for number, one in enumerate(self.scored)
        }


def ablate(
    papers: Sequence[BenchmarkPaper],
    readings: Readings,
    wanted: Sequence[Configuration],
    folder: Path,
    *,
    humans: Sequence[BenchmarkReview] = (),
    library: Sequence[LibraryEntry] = (),
    judging: Judging = Judging(),
    report: Report = QuietReport(),
    on_scored: Callable[[Scored], None] | None = None,
) -> Ablation:
    """Drafts and scores every paper in every configuration, and stores the results in ``folder``.

    ``external_id`` of a paper identifies its content (a hash of its file); ``humans`` are reviews by people, by the
    papers' ids, for the reference. A paper that can't be read is skipped, as is a draft for which the judge gives no
    usable answer.

    Raises Cancelled, and EnvironmentProblem if a model fails; what was stored until then is kept.
    """
    with_library = _hash(*(entry.model_dump_json() for entry in library))
    scored: list[Scored] = []
    skipped: list[str] = []
    resumed = 0
    for number, paper in enumerate(papers):
        part = report.part(number / len(papers), (number + 1) / len(papers))
        part.progress(0.0, paper.title)
        own = tuple(review for review in humans if review.paper_id == paper.id)
        place = folder / _slug(paper.id)
        about = [paper.external_id, checks.VERSION, judge.PROMPT_VERSION, judging.origin, judging.encoder]
        about += [judging.by, str(judging.seed), *(review.review.model_dump_json() for review in own)]
        keys = {one.name: _key(one, with_library, judging.together, *about) for one in wanted}
        there = {name: _kept(place / f"{_slug(name)}.json", Scored, key) for name, key in keys.items()}
        # A draft in which a stage failed is made again: the server may have been unavailable.
        missing = [one for one in wanted if (kept := there[one.name]) is None or kept.problems]
        resumed += len(wanted) - len(missing)
        if missing:
            try:
                again = _given(readings(paper))
            except EnvironmentProblem as problem:
                skipped.append(f"{paper.title}: {problem.what}")
                missing = []
        known: dict[object, Made] = {}
        rubrics: tuple[PaperRubric, ...] = ()
        if missing:
            try:
                rubrics = _rubrics(paper, again, own, judging, place, _hash(*about), part)
            except (UnusableAnswer, ContextTooLong) as problem:
                skipped.append(f"{paper.title}: {problem.what}")
                missing = []
        for at, one in enumerate(missing):
            step = part.part(at / len(missing), (at + 1) / len(missing))
            step.progress(0.0, f"{paper.title}: {one.name}")
            run = run_stages(
                _crew(one, known), again(paper), library=library, settings=one.settings, report=step.part(0.0, 0.8)
            )
            draft = BenchmarkReview(id="draft", paper_id=paper.id, source=one.name, review=run.draft.review())
            judged = judge_reviews(
                ReviewSet(papers=(paper,), reviews=(draft,), rubrics={paper.id: rubrics}), again,
                encode=judging.encode, model=judging.model, together=judging.together, seed=judging.seed,
                report=step.part(0.8, 1.0),
            )  # fmt: skip
            if judged.problems:
                skipped += [f"{one.name}: {problem}" for problem in judged.problems]
                continue
            made = Scored(
                key=keys[one.name], paper=paper.id, configuration=one.name, review=draft.review,
                judgements=judged.judgements["draft"], problems=run.problems,
            )  # fmt: skip
            _keep(place / f"{_slug(one.name)}.json", made)
            there[one.name] = made
            if on_scored is not None:
                on_scored(made)
        scored += [one for one in there.values() if one is not None]
    report.progress(1.0)
    return Ablation(tuple(scored), resumed, tuple(skipped))


def _given(reading: PaperReading) -> Readings:
    return lambda _: reading


def _rubrics(  # noqa: PLR0917 (a step of ``ablate``)
    paper: BenchmarkPaper,
    readings: Readings,
    humans: Sequence[BenchmarkReview],
    judging: Judging,
    place: Path,
    key: str,
    report: Report,
) -> tuple[PaperRubric, ...]:
    path = place / "rubrics.json"
    kept = _kept(path, _Rubrics, key)
    if kept is None:
        whole = ReviewSet(papers=(paper,), reviews=tuple(humans))
        made = make_rubrics(
            whole, paper.id, readings, encode=judging.encode, model=judging.model, origin=judging.origin,
            by=judging.by, seed=judging.seed, report=report.part(0.0, 0.01),
        )  # fmt: skip
        kept = _Rubrics(key=key, rubrics=made)
        _keep(path, kept)
    return kept.rubrics


def _key(one: Configuration, *parts: object) -> str:
    crew = _crew(one, {})
    stages = [asdict(stage.info) for stage in crew.stages(one.settings) if stage.info.stage in one.settings.on]
    settings = asdict(one.settings) | {"on": sorted(one.settings.on)}
    about: list[Any] = [crew.origin, crew.encoder, stages, settings, *map(str, parts)]
    return _hash(json.dumps(about, sort_keys=True))


def _kept(path: Path, shape: type[Kept], key: str) -> Kept | None:
    """Returns the result of an earlier run; None if there is none or it was made differently."""
    try:
        found = shape.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return found if found.key == key else None


def _keep(path: Path, record: Record) -> None:
    write_whole(path, record.model_dump_json(indent=1).encode("utf-8", "surrogatepass"), make_folders=True)


def _slug(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:40]
    return f"{plain}-{_hash(name)[:8]}"


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
