"""Which pair comes next: all of them (the paper's default), or only those that decide who wins.

Order and sides are drawn, but from what the pair, the annotator and the cluster are called: the same state always gives
the same pair with the same sides, so that an undone pair comes back as it was and nothing jumps.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

from engine.rebuttal.preferences.records import Judgement, Plan

GAP = 8
"""How many judgements at least lie between a pair and its repetition, while there are others to judge."""
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
    """Where an annotator stands: the next pair (None: nothing is left), how many were judged, and how many it will
    be about; ``confidence`` is the chance that the winner would win among all pairs, None where nobody asked.
    """

    pair: Pair | None
    judged: int
    total: int
    confidence: float | None = None


class Queue:
    """The pairs of one annotator in one cluster, in the order in which they come."""

    def __init__(self, cluster_id: str, candidate_ids: Sequence[str], plan: Plan, annotator: str) -> None:
        """``annotator`` is a name: keys of one person differ between files that are merged later."""
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
        self.pairs: tuple[tuple[str, str], ...] = tuple(pairs)

    def with_sides(self, pair: tuple[str, str], *, repeat: bool = False) -> Pair:
        """The pair with drawn sides; a repetition has them swapped."""
        swap = (_draw(self._key, "side", *pair) < 0.5) != repeat
        left, right = reversed(pair) if swap else pair
        return Pair(left, right, repeat)

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
