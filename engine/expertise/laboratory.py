"""The similarity laboratory without a user interface: data, algorithms that have read it, and their losses.

Use it on one thread (the long lane). Scorers are kept while the data stay the same, so that the papers needn't be read
again.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import BadInput
from engine.expertise.algorithms.base import Evidence, Scorer
from engine.expertise.algorithms.registry import ALGORITHMS, FOLDER, label, make_algorithm
from engine.expertise.evaluation import (
    Difference,
    Evaluation,
    Pair,
    Predictions,
    difference,
    evaluate,
    pairs,
    ratings_by_participant,
)
from engine.expertise.experiments import (
    PUBLISHED_LENGTH,
    SUFFIXES,
    by_length,
    draws,
    has_abstract,
    has_title,
    own_papers,
    papers_to_read,
    predict,
    published,
    published_algorithms,
    rated_papers,
)
from engine.expertise.laboratory_store import PUBLISHED, Run
from engine.expertise.records import GoldStandard, PaperText, Representation
from engine.jobs import Report
from engine.models import Embedder

LENGTHS = tuple(range(1, PUBLISHED_LENGTH + 1))
"""Profile lengths of the curve (Stelmakh et al. 2023, Figure 2 and Table 4)."""

SCORERS = 16
"""The number of scorers kept in memory; the oldest is dropped first."""

_Info = tuple[str, tuple[tuple[str, str], ...]]
"""Origin and parameters of a run."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A selected algorithm; ``folder`` is the user's model, if needed. ``options`` are parameters that differ from
    their defaults, as (name, value) in the registry's order."""

    algorithm: str
    folder: Path | None = None
    options: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """Title and selected options, as in ``Run.label``."""
        return label(self.algorithm, (*self.options, *_folder(self.folder)))


@dataclass(frozen=True, slots=True)
class Setup:
    """Settings shared by all algorithms of a run."""

    representation: Representation = "title+abstract"
    length: int = PUBLISHED_LENGTH
    draws: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Explain:
    choice: Choice
    setup: Setup
    participant: str
    paper: str


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A gold standard with its name, and published scores if it includes any."""

    id: str
    title: str
    gold: GoldStandard
    published: Mapping[str, Predictions] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A run with its results; ``published`` is the loss of published scores on the same people, or None."""

    run: Run
    predictions: tuple[Predictions, ...]
    evaluation: Evaluation
    published: float | None = None


@dataclass(frozen=True, slots=True)
class RankedPaper:
    """A participant's rated paper with its rank by rating and by the algorithm (1 is best)."""

    paper: str
    title: str
    rating: float
    true_rank: float
    rank: float
    score: float


@dataclass(frozen=True, slots=True)
class Drill:
    """One participant under one algorithm: papers in true order, and pairs by decreasing cost."""

    participant: str
    papers: tuple[RankedPaper, ...]
    pairs: tuple[Pair, ...]


class Laboratory:
    def __init__(self, data: Data, encoder: Callable[[], Embedder]) -> None:
        self.data = data
        self._encoder = encoder
        self._scorers: dict[tuple[Choice, Representation, int, int, int], Scorer] = {}

    def profiles(self, setup: Setup) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return draws(self.data.gold, setup.length, count=setup.draws, seed=setup.seed)

    def run(self, choice: Choice, setup: Setup, report: Report) -> Outcome:
        """Runs one algorithm, from reading to results. Raises Cancelled, BadInput and EnvironmentProblem."""
        started = time.perf_counter()
        algorithm, scorer = self._read(choice, setup, report.part(0.0, 0.8))
        sets = list(self.profiles(setup).values())
        predictions = self._of_rated(predict(scorer, self.data.gold, sets, report.part(0.8, 0.95)))
        outcome = self.outcome(self._run(choice, setup, algorithm, len(sets), started), predictions)
        report.progress(1.0)
        return outcome

    def _of_rated(self, predictions: Iterable[Predictions]) -> tuple[Predictions, ...]:
        """Keeps only scores of papers that the participant rated: the others, forty times as many, aren't needed."""
        ratings = ratings_by_participant(self.data.gold)
        return tuple(
            {
                person: {paper: score for paper, score in scores.items() if paper in ratings.get(person, {})}
                for person, scores in people.items()
            }
            for people in predictions
        )

    def _run(self, choice: Choice, setup: Setup, info: _Info, draws: int, started: float) -> Run:
        return Run(
            self.data.id, self.data.title, choice.algorithm, info[0], setup.representation, setup.length, draws,
            setup.seed, info[1], time.perf_counter() - started,
        )  # fmt: skip

    def outcome(self, run: Run, predictions: Sequence[Predictions]) -> Outcome:
        known = published(self.data.published, run.algorithm, run.representation, f"d_{run.profile_length}")
        if not known and run.profile_length == PUBLISHED_LENGTH:
            known = published(self.data.published, run.algorithm, run.representation)
        return Outcome(
            run,
            tuple(predictions),
            evaluate(self.data.gold, predictions, seed=run.seed),
            evaluate(self.data.gold, known, seed=run.seed).loss if known else None,
        )

    def published_outcomes(self) -> Iterator[Outcome]:
        """Yields the scores that came with the data as runs; their ids depend only on algorithm and representation."""
        for algorithm in published_algorithms(self.data.published):
            for representation in SUFFIXES:
                known = published(self.data.published, algorithm, representation)
                if known:
                    run = Run(
                        self.data.id, self.data.title, algorithm, PUBLISHED, representation, PUBLISHED_LENGTH,
                        len(known), 0, id=f"{PUBLISHED}:{algorithm}:{representation}",
                    )  # fmt: skip
                    yield Outcome(run, tuple(known), evaluate(self.data.gold, known))

    def curve(self, choice: Choice, setup: Setup, report: Report) -> Iterator[Outcome]:
        """Yields one outcome per profile length, shortest first, each using the first papers of the same draws."""
        longest = replace(setup, length=max(LENGTHS))
        info, scorer = self._read(choice, longest, report.part(0.0, 0.6))
        sets = list(self.profiles(longest).values())
        started = time.perf_counter()
        for length, predictions in by_length(scorer, self.data.gold, sets, LENGTHS, report.part(0.6, 1.0)):
            run = self._run(choice, replace(longest, length=length), info, len(sets), started)
            yield self.outcome(run, self._of_rated(predictions))
            started = time.perf_counter()

    def explain(self, wanted: Explain, report: Report) -> tuple[Evidence, ...]:
        """Explains a participant's score for a paper, in the first draw of the profiles."""
        _, scorer = self._read(wanted.choice, wanted.setup, report.part(0.0, 0.7))
        sets = list(self.profiles(wanted.setup).values())
        profiles = {
            person: [key for key in own if key in self.data.gold.papers]
            for person, own in (sets[0] if sets else {}).items()
        }
        # Word weights depend on all profiles and papers, so all are scored before one score is explained.
        scorer.score(profiles, rated_papers(self.data.gold), report=report.part(0.7, 1.0))
        return scorer.explain(profiles.get(wanted.participant, ()), wanted.paper)

    def _read(self, choice: Choice, setup: Setup, report: Report) -> tuple[_Info, Scorer]:
        needs = ALGORITHMS[choice.algorithm].needs if choice.algorithm in ALGORITHMS else "nothing"
        embedder = self._encoder() if needs == "encoder" and choice.folder is None else None
        options = dict(choice.options)
        algorithm = make_algorithm(
            choice.algorithm, embedder=embedder, folder=choice.folder, options=options, beside_window=True
        )
        if setup.representation not in algorithm.info.representations:
            raise BadInput(
                f"{choice.label} can't read the {setup.representation}.", "It wasn't run.",
                f"Choose one of {', '.join(algorithm.info.representations)}.",
            )  # fmt: skip
        key = (choice, setup.representation, setup.length, setup.draws, setup.seed)
        scorer = self._scorers.get(key)
        if scorer is None:
            papers = papers_to_read(self.data.gold, self.profiles(setup).values())
            scorer = algorithm.read(papers, setup.representation, report=report)
            self._scorers[key] = scorer
            while len(self._scorers) > SCORERS:
                del self._scorers[next(iter(self._scorers))]
        info = algorithm.info
        return (f"model:{info.id}@{info.version}", (*info.parameters, *_folder(choice.folder))), scorer


def _folder(folder: Path | None) -> tuple[tuple[str, str], ...]:
    return ((FOLDER, folder.name),) if folder is not None else ()


def drill(data: Data, outcome: Outcome, participant: str, ratings: Mapping[str, float] | None = None) -> Drill:
    """Returns details of one participant in one outcome; scores are averaged over the draws, papers without a score are
    omitted. ``ratings`` are the participant's own, if the caller has them."""
    if ratings is None:
        ratings = {r.paper: r.value for r in data.gold.ratings if r.participant == participant}
    scores = mean_scores(outcome.predictions, participant, ratings)
    papers = [key for key in ratings if key in scores]
    true_ranks = ranks([ratings[key] for key in papers])
    own_ranks = ranks([scores[key] for key in papers])
    rows = [
        RankedPaper(key, data.gold.papers[key].title or key, ratings[key], true, own, scores[key])
        for key, true, own in zip(papers, true_ranks, own_ranks, strict=True)
    ]
    found = pairs(ratings, scores)
    return Drill(
        participant,
        tuple(sorted(rows, key=lambda row: (row.true_rank, row.rank))),
        tuple(sorted(found, key=lambda pair: (-pair.cost, -pair.difference))),
    )


def mean_scores(predictions: Sequence[Predictions], participant: str, papers: Iterable[str]) -> dict[str, float]:
    """Returns a participant's scores of the given papers, averaged over the draws that have them."""
    wanted = tuple(papers)
    found: dict[str, list[float]] = {}
    for scores in predictions:
        own = scores.get(participant, {})
        for paper in wanted:
            if paper in own:
                found.setdefault(paper, []).append(own[paper])
    return {paper: sum(own) / len(own) for paper, own in found.items()}


def ranks(values: Sequence[float]) -> list[float]:
    """Returns ranks, 1 for the highest value; ties share their mean rank."""
    order = sorted(values, reverse=True)
    return [order.index(value) + (order.count(value) + 1) / 2 for value in values]


def curves(outcomes: Sequence[Outcome]) -> dict[tuple[str, Representation], tuple[tuple[int, Evaluation], ...]]:
    """Returns loss by profile length, shortest first, by label and representation; omitted if only
    one length was run."""
    found: dict[tuple[str, Representation], dict[int, Evaluation]] = {}
    for outcome in outcomes:
        run = outcome.run
        found.setdefault((run.label, run.representation), {})[run.profile_length] = outcome.evaluation
    return {key: tuple(sorted(points.items())) for key, points in found.items() if len(points) > 1}


def differences(outcomes: Sequence[Outcome], baseline: Outcome) -> dict[str, Difference]:
    """Returns the loss of each run minus the baseline's on the same bootstrap samples, by run id,
    without the baseline."""
    return {
        outcome.run.id: difference(outcome.evaluation, baseline.evaluation, seed=baseline.run.seed)
        for outcome in outcomes
        if outcome.run.id != baseline.run.id
    }


def texts_missing(gold: GoldStandard) -> tuple[int, int]:
    """Returns how many rated papers lack an abstract (or title or year), and how many a full text."""
    rated = {rating.paper for rating in gold.ratings}
    papers: list[PaperText] = [gold.papers[key] for key in rated if key in gold.papers]
    return sum(not has_abstract(paper) for paper in papers), sum(not paper.body for paper in papers)


def without_profile(gold: GoldStandard) -> tuple[int, int]:
    """Returns how many participants have no paper of their own, so that nothing is compared with them, and how many
    only have papers without abstract or year."""
    none, incomplete = (
        sum(not own_papers(gold, participant, fits) for participant in gold.participants)
        for fits in (has_title, has_abstract)
    )
    return none, incomplete - none


@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs of rated papers by which algorithm orders them correctly; a tie counts as wrong. ``worth`` sums the rating
    differences of pairs that only one of them orders correctly: the first, the other."""

    both: int
    only_one: int
    only_other: int
    neither: int
    worth: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Standing:
    """One participant under one or two algorithms: loss (averaged over the draws; None without any possible loss) and
    the rated papers in the algorithm's order (by mean scores), best first."""

    participant: str
    name: str
    loss: float | None
    order: tuple[RankedPaper, ...]
    other_loss: float | None = None
    other_order: tuple[RankedPaper, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``one`` compared with ``other``: its loss minus the other's, on the same bootstrap samples."""

    difference: Difference
    tally: Tally


@dataclass(frozen=True, slots=True, eq=False)
class Drilled:
    """An outcome with the details of all participants, computed once for several uses."""

    outcome: Outcome
    drills: Mapping[str, Drill]


def drilled(data: Data, outcome: Outcome) -> Drilled:
    ratings = ratings_by_participant(data.gold)
    return Drilled(outcome, {p.id: drill(data, outcome, p.id, ratings.get(p.id, {})) for p in data.gold.participants})


def standings(data: Data, one: Drilled, other: Drilled | None = None) -> tuple[Standing, ...]:
    return tuple(
        Standing(
            person.id,
            person.name or person.id,
            one.outcome.evaluation.losses.get(person.id),
            in_its_order(one.drills[person.id]),
            other.outcome.evaluation.losses.get(person.id) if other is not None else None,
            in_its_order(other.drills[person.id]) if other is not None else (),
        )
        for person in data.gold.participants
    )


def in_its_order(found: Drill) -> tuple[RankedPaper, ...]:
    """Returns a participant's papers in the algorithm's order; ties in the worst case order, lower
    rated papers first."""
    return tuple(sorted(found.papers, key=lambda paper: (paper.rank, -paper.true_rank)))


def compare(one: Drilled, other: Drilled) -> Comparison:
    """Returns the difference with its interval, and counts over the pairs of all participants (using mean scores)."""
    right = [
        (mine.cost == 0, theirs.cost == 0, mine.difference)
        for person, own in one.drills.items()
        for mine, theirs in matched(own.pairs, other.drills[person].pairs)
    ]
    counts = Counter((mine, theirs) for mine, theirs, _ in right)
    return Comparison(
        difference(one.outcome.evaluation, other.outcome.evaluation, seed=one.outcome.run.seed),
        Tally(
            counts[True, True],
            counts[True, False],
            counts[False, True],
            counts[False, False],
            (
                sum(worth for mine, theirs, worth in right if mine and not theirs),
                sum(worth for mine, theirs, worth in right if theirs and not mine),
            ),
        ),
    )


def matched(mine: Sequence[Pair], theirs: Sequence[Pair]) -> list[tuple[Pair, Pair]]:
    """Returns the pairs that both scored, as (own, counterpart), in the order of the first."""
    other = {(pair.better, pair.worse): pair for pair in theirs}
    return [(pair, other[pair.better, pair.worse]) for pair in mine if (pair.better, pair.worse) in other]


def all_differences(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, Outcome, Difference], ...]:
    """Returns every pair of outcomes with the difference of the first from the second."""
    return tuple(
        (one, other, difference(one.evaluation, other.evaluation, seed=one.run.seed))
        for number, one in enumerate(outcomes)
        for other in outcomes[number + 1 :]
    )
