"""Records of the tasks on canonical rebuttals. Actions are ids of ``engine.rebuttal.records``."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A rebuttal sentence that could be canonical for an action in a cluster of reviews.

    ``description`` is the cluster's. ``score`` is the PageRank on the preference graph, 0..1: lower is more canonical,
    and 1 for a sentence that wasn't ranked.
    """

    description: str
    action: str
    text: str
    score: float

    @property
    def group(self) -> tuple[str, str]:
        """Equal for candidates that were compared with each other."""
        return self.description, self.action


@dataclass(frozen=True, slots=True)
class DescribedReview:
    """A review sentence and the description of its cluster."""

    review: str
    description: str


@dataclass(frozen=True, slots=True)
class AnsweredReview:
    """A review sentence, an action to answer it with, and the canonical rebuttal for both."""

    review: str
    action: str
    rebuttal: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Review sentences with the same attitude root and theme, and the rebuttal sentences that answered them.

    ``actions`` are those of ``rebuttals``, in the same order; empty if unknown.
    """

    root: str
    theme: str
    reviews: tuple[str, ...]
    rebuttals: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class CanonicalRebuttal:
    """A sentence ranked for (root, theme, action); ``score`` as in ``ScoredCandidate``, None if it was chosen and no
    score is known."""

    root: str
    theme: str
    action: str
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class CanonicalCollection:
    """Clusters and their canonical rebuttals, the content of a library."""

    clusters: tuple[Cluster, ...]
    canonical: tuple[CanonicalRebuttal, ...]
    scored: tuple[CanonicalRebuttal, ...] = ()
    warnings: tuple[str, ...] = ()
