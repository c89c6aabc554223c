"""Records of calibration: a table of reviews as arrays, and a calibrator's result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Reviews:
    """N reviews of I items by R referees.

    ``item`` and ``referee`` are indices of shape (N,) into the names ``items`` and ``referees``; ``score`` (N,) is any
    real number, ``confidence`` (N,) is greater than 0 and is interpreted as a precision: 1/confidence is the variance,
    in squared score units, that the referee's own certainty explains. An item or referee without a review is allowed.
    """

    item: Ints
    referee: Ints
    score: Floats
    confidence: Floats
    items: tuple[str, ...]
    referees: tuple[str, ...]

    def __post_init__(self) -> None:
        shapes = {a.shape for a in (self.item, self.referee, self.score, self.confidence)}
        if len(shapes) != 1 or self.item.ndim != 1:
            raise ValueError("item, referee, score and confidence need one shape (N,)")
        if not (np.isfinite(self.score).all() and np.isfinite(self.confidence).all()):
            raise ValueError("scores and confidences must be finite numbers")
        if (self.confidence <= 0).any():
            raise ValueError("confidences must be greater than 0")
        for values in (self.item, self.referee, self.score, self.confidence):
            values.setflags(write=False)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float, float]]) -> "Reviews":
        """Builds from (item, referee, score, confidence); names keep the order of their first occurrence."""
        table = list(rows)
        items = {name: i for i, name in enumerate(dict.fromkeys(row[0] for row in table))}
        referees = {name: i for i, name in enumerate(dict.fromkeys(row[1] for row in table))}
        return cls(
            np.array([items[row[0]] for row in table], dtype=np.int64),
            np.array([referees[row[1]] for row in table], dtype=np.int64),
            np.array([row[2] for row in table], dtype=np.float64),
            np.array([row[3] for row in table], dtype=np.float64),
            tuple(items),
            tuple(referees),
        )

    def __len__(self) -> int:
        return len(self.score)

    def per_item(self, values: Floats) -> Floats:
        """Sums values (N,) over the reviews of each item: shape (I,)."""
        return np.bincount(self.item, weights=values, minlength=len(self.items)).astype(np.float64, copy=False)

    def per_referee(self, values: Floats) -> Floats:
        """Sums values (N,) over the reviews of each referee: shape (R,)."""
        return np.bincount(self.referee, weights=values, minlength=len(self.referees)).astype(np.float64, copy=False)

    @property
    def reviews_per_item(self) -> Ints:
        """The number of reviews of each item: shape (I,)."""
        return np.bincount(self.item, minlength=len(self.items))

    @property
    def reviews_per_referee(self) -> Ints:
        """The number of reviews by each referee: shape (R,)."""
        return np.bincount(self.referee, minlength=len(self.referees))


@dataclass(frozen=True, slots=True, eq=False)
class Pins:
    """Values fixed by the user; NaN where the model is free. ``score`` (I,) and ``bias`` (R,) are in score units;
    ``noise`` (R,) is exp(-trust), in squared score units."""

    score: Floats
    bias: Floats
    noise: Floats

    @classmethod
    def none(cls, reviews: Reviews) -> "Pins":
        items, referees = len(reviews.items), len(reviews.referees)
        return cls(np.full(items, np.nan), np.full(referees, np.nan), np.full(referees, np.nan))


class Joint(Protocol):
    """The joint distribution of all items' scores."""

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Returns draws of all item scores, shape (count, I)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A calibrator's result for a table of reviews.

    Shapes: ``score``, ``score_sd`` (I,), ``bias``, ``bias_sd``, ``noise`` (R,), ``weight``, ``residual`` and
    ``log_likelihood`` (N,). Units are those of the scores. Standard deviations are NaN if the method has none; scores
    are NaN for items without a review and for those not connected to the others. ``noise`` is exp(-gamma): 0 is
    infinite trust, NaN if the method doesn't estimate trust. ``weight`` is the weight of a review in its item's score.
    ``trace`` is the (penalised) log-likelihood after each iteration. ``parameters`` are the values used, including
    estimated ones.
    """

    method: str
    score: Floats
    score_sd: Floats
    bias: Floats
    bias_sd: Floats
    noise: Floats
    weight: Floats
    residual: Floats
    log_likelihood: Floats
    trace: tuple[float, ...] = ()
    converged: bool = True
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[str, ...] = ()
    joint: Joint | None = None
    """Draws item scores with their correlations; None if the method has no posterior or the table is large."""
    rests_on_prior: bool = False
    """Whether so few items were reviewed twice that the intervals rest on the priors more than the reviews."""
    nominal: bool = False
    """Whether the actual coverage of the intervals was found to differ from the nominal one, for this method or tables
    like this one."""
    likeliest: bool = False
    """Whether ``noise`` contains only the most likely values, regardless of their uncertainty."""
    messages: tuple[Floats, Floats] | None = None
    """For a warm start from this fit: precision, and precision times mean, of each review's message
    to its item, (N,)."""

    @property
    def interval(self) -> str:
        """The name of its 90 % intervals, which shows how far they can be trusted; "" if no score has one."""
        if np.isnan(self.score_sd).all():
            return ""
        return "90 % by the prior" if self.rests_on_prior else "nominal 90 %" if self.nominal else "90 %"

    @property
    def trust(self) -> Floats:
        """gamma = -log(noise): shape (R,), infinite for zero noise."""
        with np.errstate(divide="ignore"):
            return -np.log(self.noise)

    @property
    def average_log_likelihood(self) -> float:
        """The mean over reviews; NaN without reviews."""
        return float(self.log_likelihood.mean()) if len(self.log_likelihood) else float("nan")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One usable review of a table; ``further`` are (column, score) pairs; ``row`` is its row in the file."""

    item: str
    referee: str
    score: float
    confidence: float
    further: tuple[tuple[str, float], ...] = ()
    row: int = 0


class ScoreProblem(NamedTuple):
    """A doubtful row of an imported table: its kind, a sentence for users, and the decision about it."""

    row: int
    kind: str
    sentence: str
    decision: str

    @property
    def skipped(self) -> bool:
        return self.decision == "skip"
