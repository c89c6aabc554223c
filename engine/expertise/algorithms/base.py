"""What every similarity algorithm is: a named strategy that scores reviewers for submissions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.expertise.records import REPRESENTATIONS, PaperText, Representation
from engine.jobs import Report

Vectors = NDArray[np.float32]
Scores = NDArray[np.float64]
"""Reviewers x submissions; higher is more expert; NaN where the reviewer's profile is empty."""


@dataclass(frozen=True, slots=True)
class AlgorithmInfo:
    """Which strategy it is, for provenance; ``parameters`` are name and value. Titles are in the registry."""

    id: str
    version: str
    parameters: tuple[tuple[str, str], ...] = ()
    representations: tuple[Representation, ...] = REPRESENTATIONS


@dataclass(frozen=True, slots=True)
class Evidence:
    """One profile paper's part in a score: its ``share`` (those of a score sum to 1), ``passages`` of the submission
    and of the profile paper with their similarity, the strongest first, and the ``words`` that drove the match."""

    paper: str
    share: float
    passages: tuple[tuple[str, str, float], ...] = ()
    words: tuple[str, ...] = ()


class Scorer(Protocol):
    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        """Scores of every reviewer (in the order of ``profiles``, each the keys of papers) for every submission.

        A submission that is in the reviewer's own profile is left out of that profile. Raises Cancelled, and
        KeyError for a paper that was not read.
        """
        ...

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        """Why the score is what it is, the strongest profile paper first."""
        ...


class SimilarityAlgorithm(Protocol):
    """Pure: equal input gives equal output."""

    @property
    def info(self) -> AlgorithmInfo: ...

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> Scorer:
        """Reads papers once (words counted, vectors made), for any number of profiles over them. Raises Cancelled."""
        ...


def own_pairs(
    profiles: Iterable[Sequence[str]], submissions: Sequence[str]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Row and column of each submission that is in a reviewer's profile, with the rest of that profile."""
    columns: dict[str, list[int]] = {}
    for column, key in enumerate(submissions):
        columns.setdefault(key, []).append(column)
    for row, papers in enumerate(profiles):
        for key in dict.fromkeys(papers):
            for column in columns.get(key, ()):
                yield row, column, profile_without(papers, key)


def profile_without(profile: Sequence[str], submission: str) -> tuple[str, ...]:
    """The profile's papers, each once, but the submission itself."""
    return tuple(key for key in dict.fromkeys(profile) if key != submission)
