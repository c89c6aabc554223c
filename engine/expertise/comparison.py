"""Two algorithms beside each other: the difference of their losses, pair by pair, and each participant's papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.expertise.evaluation import Difference, Pair, difference, ratings_by_participant
from engine.expertise.laboratory import Data, Drill, Outcome, RankedPaper, drill


@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs of rated papers by who orders them as the participant did; a tie is not right.

    ``worth`` are the rating differences of the pairs that only one of the two gets right, summed: of the first, of the
    other.
    """

    both: int
    only_one: int
    only_other: int
    neither: int
    worth: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Standing:
    """One participant under one algorithm, or under two. Losses are means over the draws, orders of mean scores.

    ``order`` and ``other_order`` are the rated papers in the algorithm's order, the best first; ``loss`` is None where
    nothing can be lost (all ratings alike, or no scores).
    """

    participant: str
    name: str
    loss: float | None
    order: tuple[RankedPaper, ...]
    other_loss: float | None = None
    other_order: tuple[RankedPaper, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """``one`` against ``other``: loss of one minus that of the other, on the same bootstrap samples."""

    difference: Difference
    tally: Tally


@dataclass(frozen=True, slots=True, eq=False)
class Drilled:
    """An outcome with every participant's drill-down, so that it is made once for all that is asked of it."""

    outcome: Outcome
    drills: Mapping[str, Drill]


def drilled(data: Data, outcome: Outcome) -> Drilled:
    """All participants of an outcome."""
    ratings = ratings_by_participant(data.gold)
    return Drilled(outcome, {p.id: drill(data, outcome, p.id, ratings.get(p.id, {})) for p in data.gold.participants})


def standings(data: Data, one: Drilled, other: Drilled | None = None) -> tuple[Standing, ...]:
    """Every participant, in the order of the data."""
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
    """A participant's papers as the algorithm orders them; among tied ones the lower rated first, as at worst."""
    return tuple(sorted(found.papers, key=lambda paper: (paper.rank, -paper.true_rank)))


def compare(one: Drilled, other: Drilled) -> Comparison:
    """The difference with its interval, and the pairs of all participants (scores are means over the draws)."""
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
    """The pairs that both scored, each with its counterpart, in the order of the first."""
    other = {(pair.better, pair.worse): pair for pair in theirs}
    return [(pair, other[pair.better, pair.worse]) for pair in mine if (pair.better, pair.worse) in other]


def all_differences(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, Outcome, Difference], ...]:
    """Every two of the outcomes, the first against the second."""
    return tuple(
        (one, other, difference(one.evaluation, other.evaluation, seed=one.run.seed))
        for number, one in enumerate(outcomes)
        for other in outcomes[number + 1 :]
    )
