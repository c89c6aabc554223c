"""Which pair comes next: all of them (the paper's default), or only those that decide who wins.

Order and sides are drawn, but from what the pair, the annotator and the cluster are called: the same state always gives
the same pair with the same sides, so that an undone pair comes back as it was and nothing jumps.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import numpy as np

from engine.rebuttal.preferences.adaptive import Goal, choose
from engine.rebuttal.preferences.records import Judgement, Plan, Verdict

FEW = 6
"""With fewer candidates than this all pairs are so few that the adaptive schedule is hardly worth its uncertainty."""
SIMULATED = {
    "close calls": ((5, 0.49), (8, 0.39), (12, 0.29), (20, 0.23)),
    "careless": ((5, 0.54), (8, 0.49), (12, 0.48), (20, 0.52)),
}
"""Candidates, and the share of all pairs that the adaptive schedule asks: as ``simulation.py`` measures it at kappa
0.45, ranked by PageRank, for annotators who differ on close calls, and for careless ones.
"""
GAP = 8
"""How many judgements at least lie between a pair and its repetition, while there are others to judge."""
_ANSWERS: Mapping[Verdict, int] = {"first": 0, "second": 1, "tie": 2}
_SKIPS = 2
"""A pair that was skipped comes once more, at the end."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The next pair with its sides."""

    left_id: str
    right_id: str
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Where an annotator is: the next pair (None: nothing is left), how many were judged, and how many it will
    be about. On the adaptive schedule ``confidence`` is the chance that the likeliest ``winner`` would win if every
    pair were judged; None on the exhaustive one.
    """

    pair: Pair | None
    judged: int
    total: int
    confidence: float | None = None
    winner: str = ""


def expected_pairs(n: int) -> tuple[int, int]:
    """About how many pairs of ``n`` candidates the adaptive schedule asks: where answers differ on close calls only,
    and where they are careless. Between the simulated numbers of candidates it is interpolated.
    """
    every = n * (n - 1) / 2
    low, high = (
        round(every * float(np.interp(float(n), [float(at) for at, _ in curve], [share for _, share in curve])))
        for curve in (SIMULATED["close calls"], SIMULATED["careless"])
    )
    return low, max(low, high)


class Queue:
    """The pairs of one annotator in one cluster, in the order in which they come."""

    def __init__(
        self,
        cluster_id: str,
        candidate_ids: Sequence[str],
        plan: Plan,
        annotator: str,
        dealt: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        """``annotator`` is a name: keys of one person differ between files that are merged later. ``dealt`` are the
        pairs of a work package in their order, whatever else there is."""
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
        """The pair with drawn sides; a repetition has them swapped."""
        swap = (_draw(self._key, "side", *pair) < 0.5) != repeat
        left, right = reversed(pair) if swap else pair
        return Pair(left, right, repeat)

    def written_left(self) -> bool:
        """Whether the written description is at the left when it is compared with the extracted one."""
        return _draw(self._key, "description") < 0.5

    def is_repeated(self, pair: tuple[str, str]) -> bool:
        """Whether a pair is drawn to be shown a second time."""
        return _draw(self._key, "repeat", *pair) < self._plan.repeats

    def exhaustive(self, own: Sequence[Judgement]) -> Step:
        """The next of all pairs, from what the annotator judged so far (in order of time)."""
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
        """The next pair by the plan's schedule; ``goal`` is whose winner the adaptive one looks for."""
        return self.adaptive(own, goal) if self._plan.schedule == "adaptive" else self.exhaustive(own)

    def adaptive(self, own: Sequence[Judgement], goal: Goal = "pagerank") -> Step:
        """The pair that tells most about the winner, until that is known well enough; repetitions come in between.

        A candidate that was judged unsuitable is not asked about again.
        """
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
        """The pairs that were seen, a repetition that is due, and the pairs that were only skipped."""
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
        """What remains when every pair was seen: skipped ones once more, then repetitions whatever the gap."""
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
    """A number in [0, 1) that depends on the words alone."""
    digest = blake2b("\0".join(parts).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
