"""Records of preferences between candidate rebuttals."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Answer = Literal["left", "right", "tie", "unsuitable", "skip"]
Schedule = Literal["exhaustive", "adaptive"]
Verdict = Literal["first", "second", "tie", "unsuitable"]
"""The verdict on a pair of candidates, the first being the one with the smaller key."""
VERDICTS: tuple[Verdict, ...] = ("first", "second", "tie", "unsuitable")
Kind = Literal["written", "extracted"]
"""Where a description comes from."""
Choice = Literal["written", "extracted", "tie"]
EDGES = (2.5, 97.5)
"""The percentiles of a 95 % interval."""
_EQUAL = 1e-9
ALL, ADJUDICATED = "all", "adjudicated"
"""Which judgements rank: everyone's, or everyone's with adjudicated pairs replaced by the decision."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a cluster is judged.

    ``repeats`` is the share of pairs shown again with sides swapped; ``overlap`` the share of pairs that everyone
    judges, the others being divided among ``team`` (names; with fewer than two, everyone judges everything).
    """

    schedule: Schedule = "exhaustive"
    repeats: float = 0.1
    overlap: float = 1.0
    team: tuple[str, ...] = ()


SUITABLE_FROM, SPECIFIC_TO = 0.05, 0.75
"""With these thresholds at least 95 % of the canonical sentences of Purkayastha et al. (2023) are judged; see
docs/methods-preferences.md."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Review sentences with the same request (attitude root, theme), and the rebuttal action that answers them.

    ``basis`` says whose judgements rank: ``ALL``, ``ADJUDICATED``, or an annotator's name. A candidate is judged if its
    suitability is at least ``suitable_from`` and its specificity at most ``specific_to`` (both 0..1), unless a person
    decided otherwise.
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
    """A copied sentence; [start, end) are code points of the text ``source_id``, None if it has no source."""

    id: str
    text: str
    source_id: str = ""
    start: int | None = None
    end: int | None = None
    origin: str = "person"


@dataclass(frozen=True, slots=True)
class Candidate(Sentence):
    """A rebuttal sentence that may be canonical. ``decision`` is a person's decision, None if the scores decide."""

    decision: Literal["in", "out"] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement of one pair. ``milliseconds`` from showing the pair to the key press, None if unknown. ``repeat``
    marks a pair that the same annotator had judged before, now with sides swapped."""

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
        """The verdict independent of the sides; None if the pair was skipped."""
        if self.answer == "skip":
            return None
        if self.answer in ("tie", "unsuitable"):
            return self.answer
        preferred = self.left_id if self.answer == "left" else self.right_id
        return "first" if preferred == self.pair[0] else "second"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A judgement as input of a ranking: positions of the left and right items, and the winner.

    ``winner`` is 0 (the left one), 1 (the right one) or None (a tie).
    """

    left: int
    right: int
    winner: Literal[0, 1] | None


@dataclass(frozen=True, slots=True)
class RankDoubt:
    """Bounds of the ranks' 95 % intervals (n,), rank 1 being the best; ``best`` (n,) is the probability of rank 1."""

    low: Floats
    high: Floats
    best: Floats

    @classmethod
    def of(cls, scores: Floats) -> "RankDoubt":
        """Ranks n items by each of d drawn or resampled scores (d, n), lower being better; equal scores share ranks and
        first place."""
        draws, n = scores.shape
        order = np.sort(scores, axis=1)
        below = np.empty(scores.shape)
        among = np.empty(scores.shape)
        for row in range(draws):  # one row at a time: (d, n, n) would need too much memory for a thousand items
            below[row] = np.searchsorted(order[row], scores[row] - _EQUAL, side="right")
            among[row] = np.searchsorted(order[row], scores[row] + _EQUAL, side="right")
        low = np.percentile(below + 1, EDGES[0], axis=0, method="nearest")
        high = np.percentile(among, EDGES[1], axis=0, method="nearest")
        first = below == 0
        best = (first / np.maximum(first.sum(1, keepdims=True), 1)).mean(0) if n else np.zeros(0)
        return cls(*(np.asarray(values, dtype=np.float64) for values in (low, high, best)))


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The decision on a pair on which annotators differ."""

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
    """Which of two descriptions an annotator chose, without knowing which is which."""

    written: str
    extracted: str
    left_kind: Kind
    choice: Choice
    annotator_id: str
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class NewSentence:
    """A sentence to copy into a cluster. ``decision`` is for candidates: "in" if a person chose it."""

    text: str
    source_id: str = ""
    start: int | None = None
    end: int | None = None
    decision: Literal["in"] | None = None


@dataclass(frozen=True, slots=True)
class NewCluster:
    """A cluster to create, with its initial content."""

    root: str
    theme: str
    action: str
    sentences: tuple[NewSentence, ...] = ()
    candidates: tuple[NewSentence, ...] = ()
    description: str = ""
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """Figures of a cluster for lists: the number of candidates, the acting annotator's judgements without skipped
    pairs, and the number of annotators who judged."""

    candidates: int
    own: int
    annotators: int
