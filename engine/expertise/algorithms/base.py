"""The interface of all similarity algorithms, which score reviewers for submissions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.expertise.records import REPRESENTATIONS, PaperText, Representation
from engine.jobs import Report

Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]
"""Reviewers x submissions; higher means more expertise; NaN for reviewers with an empty profile."""


@dataclass(frozen=True, slots=True)
class AlgorithmInfo:
    """Identifies an algorithm, for provenance; ``parameters`` are (name, value). Titles are in the registry."""

    id: str
    version: str
    parameters: tuple[tuple[str, str], ...] = ()
    representations: tuple[Representation, ...] = REPRESENTATIONS


@dataclass(frozen=True, slots=True)
class Evidence:
    """One profile paper's contribution to a score: its ``share`` (the shares of a score sum to 1), ``passages`` of the
    submission and the profile paper with their similarity, best first, and the ``words`` that contributed most."""

    paper: str
    share: float
    passages: tuple[tuple[str, str, float], ...] = ()
    words: tuple[str, ...] = ()


class Scorer(Protocol):
    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        """Returns scores of every reviewer (in the order of ``profiles``, each a list of paper keys) for every
        submission. A submission in the reviewer's own profile is ignored there. Raises Cancelled, and KeyError for a
        paper that wasn't read."""
        ...

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        """Explains a score by profile papers, the strongest first."""
        ...


class SimilarityAlgorithm(Protocol):
    """A pure algorithm: equal input gives equal output."""

    @property
    def info(self) -> AlgorithmInfo: ...

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> Scorer:
        """Reads papers once (counts words, computes vectors), for any number of profiles. Raises Cancelled."""
        ...


def own_pairs(
    profiles: Iterable[Sequence[str]], submissions: Sequence[str]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yields row and column of each submission that is in a reviewer's profile, with the rest of that profile."""
    columns: dict[str, list[int]] = {}
    for column, key in enumerate(submissions):
        columns.setdefault(key, []).append(column)
    for row, papers in enumerate(profiles):
        for key in dict.fromkeys(papers):
            for column in columns.get(key, ()):
                yield row, column, profile_without(papers, key)


def profile_without(profile: Sequence[str], submission: str) -> tuple[str, ...]:
    """Returns the profile's papers, each once, without the submission."""
    return tuple(key for key in dict.fromkeys(profile) if key != submission)
