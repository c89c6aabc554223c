"""What flows in the preference rooms."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Answer = Literal["left", "right", "tie", "unsuitable", "skip"]
Schedule = Literal["exhaustive", "adaptive"]
Verdict = Literal["first", "second", "tie", "unsuitable"]
"""What holds of a pair of candidates, the first being the one with the smaller key."""
VERDICTS: tuple[Verdict, ...] = ("first", "second", "tie", "unsuitable")
Kind = Literal["written", "extracted"]
"""Where a description comes from."""
Choice = Literal["written", "extracted", "tie"]
EDGES = (2.5, 97.5)
"""Percentiles between which 95 % lie."""
_EQUAL = 1e-9
ALL, ADJUDICATED = "all", "adjudicated"
"""Whose judgements rank: everybody's, or everybody's with what was adjudicated in their place."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a cluster is judged.

    ``repeats`` is the share of pairs shown again with sides swapped; ``overlap`` the share of pairs that everybody
    judges, the others being dealt among ``team`` (names; with fewer than two, everybody judges everything).
    """

    schedule: Schedule = "exhaustive"
    repeats: float = 0.1
    overlap: float = 1.0
    team: tuple[str, ...] = ()


SUITABLE_FROM, SPECIFIC_TO = 0.05, 0.75
"""With these at least 95 % of the canonical sentences of Purkayastha et al. (2023) are judged; see
docs/methods-preferences.md."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Review sentences that ask the same (attitude root, theme), and the rebuttal action that answers them.

    ``basis`` says whose judgements rank: ``ALL``, ``ADJUDICATED``, or an annotator's name. A candidate is judged if
    its suitability is at least ``suitable_from`` and its specificity at most ``specific_to`` (both 0..1), unless a
    person said otherwise.
    """

    id: str
    root: str
    theme: str
    action: str
    external_id: str = ""
    plan: Plan = Plan()
    basis: str = ALL
    suitable_from: float = SUITABLE_FROM
    specific_to: float = SPECIFIC_TO
    origin: str = "person"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it was copied; [start, end) in code points of the text ``source_id``, None where it has none."""

    id: str
    text: str
    source_id: str = ""
    start: int | None = None
    end: int | None = None
    origin: str = "person"


@dataclass(frozen=True, slots=True)
class Candidate(Sentence):
    """A rebuttal sentence that may be canonical. ``decision`` is a person's word, None where the scores decide."""

    decision: Literal["in", "out"] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One look at one pair. ``milliseconds`` from the pair's first paint to the key, None where it is not known.

    ``repeat`` marks a pair that the same annotator had judged before, now with sides swapped.
    """

    id: str
    left_id: str
    right_id: str
    answer: Answer
    annotator_id: str
    milliseconds: int | None = None
    repeat: bool = False
    note: str = ""
    created_at: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The two candidates, the smaller key first."""
        return (self.left_id, self.right_id) if self.left_id < self.right_id else (self.right_id, self.left_id)

    @property
    def verdict(self) -> Verdict | None:
        """What was said, whatever the sides were; None where the pair was skipped."""
        if self.answer == "skip":
            return None
        if self.answer in ("tie", "unsuitable"):
            return self.answer
        preferred = self.left_id if self.answer == "left" else self.right_id
        return "first" if preferred == self.pair[0] else "second"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A judgement as a ranking needs it: positions of the two items, who stood left, and who won.

    ``winner`` is 0 (the left one), 1 (the right one) or None (a tie).
    """

    left: int
    right: int
    winner: Literal[0, 1] | None


@dataclass(frozen=True, slots=True)
class RankDoubt:
    """Lowest and highest rank (n,) with 95 %, rank 1 being the best; ``best`` (n,) the chance to have it."""

    low: Floats
    high: Floats
    best: Floats

    @classmethod
    def of(cls, scores: Floats) -> "RankDoubt":
        """From ranks of n items by each of d drawn or resampled scores (d, n), lower being better; equal scores share
        ranks and first place."""
        draws, n = scores.shape
        order = np.sort(scores, axis=1)
        below = np.empty(scores.shape)
        among = np.empty(scores.shape)
        for row in range(draws):  # a row at a time: (d, n, n) would not fit for a thousand items
            below[row] = np.searchsorted(order[row], scores[row] - _EQUAL, side="right")
            among[row] = np.searchsorted(order[row], scores[row] + _EQUAL, side="right")
        low = np.percentile(below + 1, EDGES[0], axis=0, method="nearest")
        high = np.percentile(among, EDGES[1], axis=0, method="nearest")
        first = below == 0
        best = (first / np.maximum(first.sum(1, keepdims=True), 1)).mean(0) if n else np.zeros(0)
        return cls(*(np.asarray(values, dtype=np.float64) for values in (low, high, best)))


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What holds of a pair on which annotators differ."""

    id: str
    pair: tuple[str, str]
    verdict: Verdict
    annotator_id: str


@dataclass(frozen=True, slots=True)
class Extract:
    """The most central sentence of a cluster: ``mean_cosine`` to the ``sentences`` - 1 others."""

    sentence_id: str
    text: str
    mean_cosine: float
    sentences: int
    origin: str


@dataclass(frozen=True, slots=True)
class Written:
    text: str
    annotator_id: str


@dataclass(frozen=True, slots=True)
class DescriptionChoice:
    """Which of two descriptions an annotator took, without knowing which is which."""

    written: str
    extracted: str
    left_kind: Kind
    choice: Choice
    annotator_id: str
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class NewSentence:
    """A sentence to be copied into a cluster. ``decision`` is for candidates: "in" where a person chose it."""

    text: str
    source_id: str = ""
    start: int | None = None
    end: int | None = None
    decision: Literal["in"] | None = None


@dataclass(frozen=True, slots=True)
class NewCluster:
    """A cluster to be made, with what it begins with."""

    root: str
    theme: str
    action: str
    sentences: tuple[NewSentence, ...] = ()
    candidates: tuple[NewSentence, ...] = ()
    description: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster in figures, for lists: how many candidates, the acting annotator's own judgements without skipped
    pairs, and how many annotators judged.
    """

    candidates: int
    own: int
    annotators: int
