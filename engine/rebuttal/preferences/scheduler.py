"""Which pair comes next: all of them (the paper's default), or only those needed to determine the winner.

Order and sides are pseudo-random, derived from the names of pair, annotator and cluster: the same state always gives
the same pair with the same sides, so a pair comes back unchanged after undo.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.rebuttal.preferences.bradley_terry import Ints, draw_strengths, fit_coded, probabilities
from engine.rebuttal.preferences.pagerank import ranks
from engine.rebuttal.preferences.records import Floats, Judgement, Plan, Verdict

# --- Adaptive schedule: ask only what is needed to predict who would win if every pair were judged --------------------
# The goal is the winner of the exhaustive schedule, as in the paper. A Bradley-Terry model with ties is fitted to the
# answers so far; strengths are drawn from it and the table of all pairs is completed many times. Each completed table
# has a winner: the lowest PageRank, as the paper ranks, or the most points (a win counts 1, a tie 1/2: the sufficient
# statistic of the model, so the strongest item of a complete table; Ford 1957, Davidson 1970). The next pair is the one
# whose answer is most informative about that winner (mutual information between answer and winner over the
# completions); judging ends when one item wins at least ``enough`` of them. If several items win a table equally,
# each is a winner: any of them would be canonical, and further judgements couldn't distinguish them. How often that
# winner is an exhaustive one, and at what cost, is measured by ``simulation.py`` (docs/methods-preferences.md has the
# curve).

_UNSURE = 0.8
"""Determines when judging ends: see ``enough``."""
COMPLETIONS = 512
Goal = Literal["pagerank", "points"]
PRIOR_SD = 1.5
_CELLS, _FEWEST = 400_000, 128
"""Limit on completions times pairs in one step, so that it doesn't delay the next key press."""
_EQUAL = 1e-5
"""Tolerance for equal ranks."""


@dataclass(frozen=True, slots=True)
class Next:
    """The next question: positions of the two items (None if everything needed is answered), each item's probability of
    being a winner of the complete table (n,), alone or tied, and the position of the most likely winner."""

    pair: tuple[int, int] | None
    chances: Floats
    winner: int

    @property
    def confidence(self) -> float:
        """The probability of the most likely winner."""
        return float(self.chances[self.winner]) if len(self.chances) else 1.0


def enough(n: int) -> float:
    """Returns the probability, 0 to 1, at which the winner of ``n`` items counts as known.

    It is lower for fewer items. With this rule about 95 % of the winners are exhaustive ones from 8 to 20 items, as
    measured by ``simulation.py``.
    """
    return 1 - _UNSURE / max(n, 4)


@lru_cache(maxsize=8)
def _pairs(n: int) -> tuple[Ints, Ints]:
    one, two = np.triu_indices(n, 1)
    return one.astype(np.int64), two.astype(np.int64)


def choose(
    n: int,
    answers: Mapping[tuple[int, int], int],
    generator: np.random.Generator,
    *,
    open_pairs: Iterable[tuple[int, int]] | None = None,
    goal: Goal = "pagerank",
    completions: int = COMPLETIONS,
) -> Next:
    """Chooses the next pair of ``n`` items. ``answers`` by pair (i < j): 0 if i won, 1 if j won, 2 for a tie.

    ``open_pairs`` are those that may still be asked (by default all without an answer); pairs that have no answer and
    can't be asked count as unknown.
    """
    if n < 2:
        return Next(None, np.ones(n), 0)
    one, two = _pairs(n)
    answered = np.array([answers.get((int(i), int(j)), -1) for i, j in zip(one, two, strict=True)], dtype=np.int64)
    known = answered >= 0
    outcome = _completed(n, one, two, answered, generator, completions)
    merit = _merit(n, one, two, outcome, goal)
    top = merit >= merit.max(1, keepdims=True) - _EQUAL
    chances = np.asarray(top.mean(0), dtype=np.float64)
    # The information about the winner requires one winner per table, so ties are broken at random.
    winner = np.argmax(top * (1 + generator.random(top.shape)), axis=1)
    best = int(chances.argmax())
    left = np.flatnonzero(~known)
    if open_pairs is not None:
        allowed = set(open_pairs)
        left = np.array([k for k in left if (int(one[k]), int(two[k])) in allowed], dtype=np.int64)
    if not len(left) or chances[best] >= enough(n):
        return Next(None, chances, best)
    told_most = _information(outcome[:, left], winner, n)
    chosen = left[int(told_most.argmax())]
    return Next((int(one[chosen]), int(two[chosen])), chances, best)


def _completed(  # noqa: PLR0917 - one step of the loop above
    n: int, one: Ints, two: Ints, answered: Ints, generator: np.random.Generator, completions: int
) -> NDArray[np.int8]:
    """Returns answers (c, m) to all pairs: the known ones, and draws for the others."""
    known = answered >= 0
    unknown = np.flatnonzero(~known)
    count = max(_FEWEST, min(completions, _CELLS // max(len(one), 1)))
    found = fit_coded(n, one[known], two[known], answered[known], prior_sd=PRIOR_SD, with_side=False)
    strengths = draw_strengths(found, generator, count)
    tie = found.tie if np.isfinite(found.tie) else -np.inf
    chances = probabilities(strengths, one[unknown], two[unknown], tie)
    drawn = generator.random((count, len(unknown)))
    outcome = np.tile(answered.astype(np.int8), (count, 1))
    outcome[:, unknown] = (drawn > chances[..., 0]).astype(np.int8) + (drawn > chances[..., 0] + chances[..., 1])
    return outcome


def _merit(n: int, one: Ints, two: Ints, outcome: NDArray[np.int8], goal: Goal) -> Floats:
    """Returns each item's merit in each table, (c, n), higher is better."""
    if goal == "points":
        gained = _POINTS[outcome]
        return np.asarray(gained @ np.eye(n)[one] + (1 - gained) @ np.eye(n)[two], dtype=np.float64)
    preferred = np.concatenate([outcome == 0, outcome == 1], axis=1).astype(np.float64)
    return -ranks(n, np.concatenate([one, two]), np.concatenate([two, one]), preferred)


_POINTS: Floats = np.array([1.0, 0.0, 0.5])


def _information(outcome: NDArray[np.int8], winner: Ints, n: int) -> Floats:
    """Returns the mutual information (u,) in nats between each pair's answer and the winner, over completions (c,)."""
    c = len(winner)
    wins = np.eye(n)[winner]
    wins = wins[:, wins.any(0)]
    total = np.zeros(outcome.shape[1])
    base = wins.sum(0) / c
    for answer in range(3):
        given = (outcome == answer).astype(np.float64)
        joint = given.T @ wins / c
        share = given.mean(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            term = joint * np.log(joint / (share[:, None] * base[None]))
        total += np.where(joint > 0, term, 0.0).sum(1)
    return total


FEW = 6
"""With fewer candidates there are so few pairs that the adaptive schedule isn't worth its uncertainty."""
SIMULATED = {
    "close calls": ((5, 0.49), (8, 0.39), (12, 0.29), (20, 0.23)),
    "careless": ((5, 0.54), (8, 0.49), (12, 0.48), (20, 0.52)),
}
"""Numbers of candidates, and the share of all pairs that the adaptive schedule asks, as measured by ``simulation.py``
at kappa 0.45, ranked by PageRank, for annotators who differ on close calls and for careless ones."""
GAP = 8
"""The minimum number of judgements between a pair and its repetition, as long as there are others to judge."""
_ANSWERS: Mapping[Verdict, int] = {"first": 0, "second": 1, "tie": 2}
_SKIPS = 2
"""A skipped pair is shown once more, at the end."""


@dataclass(frozen=True, slots=True)
class Pair:
    left_id: str
    right_id: str
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An annotator's progress: the next pair (None: nothing is left), how many were judged, and the expected total. On
    the adaptive schedule ``confidence`` is the probability that the most likely ``winner`` would win if every pair were
    judged; None on the exhaustive one."""

    pair: Pair | None
    judged: int
    total: int
    confidence: float | None = None
    winner: str = ""


def expected_pairs(n: int) -> tuple[int, int]:
    """Returns about how many of the pairs of ``n`` candidates the adaptive schedule asks, for annotators who differ on
    close calls only and for careless ones; interpolated between the simulated numbers of candidates."""
    every = n * (n - 1) / 2
    low, high = (
        round(every * float(np.interp(float(n), [float(at) for at, _ in curve], [share for _, share in curve])))
        for curve in (SIMULATED["close calls"], SIMULATED["careless"])
    )
    return low, max(low, high)


class Queue:
    """The pairs of one annotator in one cluster, in the order in which they are shown."""

    def __init__(
        self,
        cluster_id: str,
        candidate_ids: Sequence[str],
        plan: Plan,
        annotator: str,
        dealt: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        """``annotator`` is a name, since a person's keys differ between files that are merged later. ``dealt`` are the
        pairs of a work package in order, which replace all others."""
        self._key = f"{cluster_id}:{annotator}"
        self._plan = plan
        team = plan.team if annotator in plan.team else ()
        pairs = list(combinations(sorted(candidate_ids), 2))
        if len(team) > 1 and plan.overlap < 1:
            place = sorted(team).index(annotator)
            pairs = [
                pair
                for pair in pairs
                if _draw("overlap", *pair) < plan.overlap or int(_draw("share", *pair) * len(team)) == place
            ]
        random.Random(self._key).shuffle(pairs)
        self.pairs: tuple[tuple[str, str], ...] = tuple(pairs if dealt is None else dealt)

    def with_sides(self, pair: tuple[str, str], *, repeat: bool = False) -> Pair:
        """Returns the pair with pseudo-random sides; a repetition has them swapped."""
        swap = (_draw(self._key, "side", *pair) < 0.5) != repeat
        left, right = reversed(pair) if swap else pair
        return Pair(left, right, repeat)

    def written_left(self) -> bool:
        """Returns whether the written description is on the left when it is compared with the extracted one."""
        return _draw(self._key, "description") < 0.5

    def is_repeated(self, pair: tuple[str, str]) -> bool:
        """Returns whether a pair is selected to be shown a second time."""
        return _draw(self._key, "repeat", *pair) < self._plan.repeats

    def exhaustive(self, own: Sequence[Judgement]) -> Step:
        """Returns the next of all pairs, given the annotator's judgements so far (in order of time)."""
        done, due, skipped = self._standing(own)
        pair = due
        if pair is None:
            first = next((p for p in self.pairs if p not in done), None)
            pair = self.with_sides(first) if first else self._late(own, skipped)
        total = len(self.pairs) + sum(map(self.is_repeated, self.pairs))
        wanted = set(self.pairs)
        judged = sum(j.pair in wanted and j.answer != "skip" for j in own)
        return Step(pair, judged, max(total, judged + (pair is not None)))

    def next_step(self, own: Sequence[Judgement], goal: Goal = "pagerank") -> Step:
        """Returns the next pair by the plan's schedule; ``goal`` is the ranking whose winner the adaptive one looks
        for."""
        return self.adaptive(own, goal) if self._plan.schedule == "adaptive" else self.exhaustive(own)

    def adaptive(self, own: Sequence[Judgement], goal: Goal = "pagerank") -> Step:
        """Returns the most informative pair about the winner, until that is known well enough; repetitions come in
        between. A candidate that was judged unsuitable isn't shown again."""
        done, due, _ = self._standing(own)
        unsuitable = {key for j in own if j.answer == "unsuitable" for key in j.pair}
        items = sorted({key for pair in self.pairs for key in pair} - unsuitable)
        place = {key: at for at, key in enumerate(items)}
        answers: dict[tuple[int, int], int] = {}
        for judgement in own:
            verdict, (one, two) = judgement.verdict, judgement.pair
            if verdict is not None and verdict != "unsuitable" and one in place and two in place:
                answers.setdefault((place[one], place[two]), _ANSWERS[verdict])
        open_pairs = [(place[a], place[b]) for a, b in self.pairs if a in place and b in place and (a, b) not in done]
        seed = int(_draw(self._key, "adaptive", str(len(own))) * 2**32)
        found = choose(len(items), answers, np.random.default_rng(seed), open_pairs=open_pairs, goal=goal)
        pair = due if due is not None and found.pair is not None else None
        if pair is None and found.pair is not None:
            pair = self.with_sides((items[found.pair[0]], items[found.pair[1]]))
        judged = sum(j.answer != "skip" for j in own)
        about = min(round(expected_pairs(len(items))[0] * (1 + self._plan.repeats)), len(self.pairs))
        total = max(judged + 1, about) if pair is not None else judged
        winner = items[found.winner] if items else ""
        return Step(pair, judged, total, found.confidence, winner)

    def _standing(self, own: Sequence[Judgement]) -> tuple[set[tuple[str, str]], Pair | None, list[tuple[str, str]]]:
        """Returns the pairs that were seen, a repetition that is due, and the pairs that were only skipped."""
        wanted = set(self.pairs)
        seen: dict[tuple[str, str], int] = {}
        repeated: set[tuple[str, str]] = set()
        answered: set[tuple[str, str]] = set()
        for number, judgement in enumerate(own):
            seen.setdefault(judgement.pair, number)
            if judgement.answer != "skip":
                answered.add(judgement.pair)
            if judgement.repeat:
                repeated.add(judgement.pair)
        due = next(
            (
                self.with_sides(pair, repeat=True)
                for pair, number in seen.items()
                if pair in wanted
                and pair in answered
                and pair not in repeated
                and len(own) - number >= GAP
                and self.is_repeated(pair)
            ),
            None,
        )
        return set(seen), due, [pair for pair in seen if pair in wanted and pair not in answered]

    def _late(self, own: Sequence[Judgement], skipped: Sequence[tuple[str, str]]) -> Pair | None:
        """Returns what remains once every pair was seen: skipped ones once more, then repetitions regardless of the
        gap."""
        for pair in skipped:
            if sum(j.pair == pair for j in own) < _SKIPS:
                return self.with_sides(pair)
        repeated = {j.pair for j in own if j.repeat}
        answered = {j.pair for j in own if j.answer != "skip"}
        for judgement in own:
            pair = judgement.pair
            if pair in answered and pair not in repeated and self.is_repeated(pair) and pair in set(self.pairs):
                return self.with_sides(pair, repeat=True)
        return None


def _draw(*parts: str) -> float:
    """Returns a number in [0, 1) that depends only on the given strings."""
    digest = blake2b("\0".join(parts).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
