"""Algorithms that compare individual papers and pool over the profile: their common scorer, and cosines of vectors."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.expertise.algorithms.base import Evidence, Scores, Vectors, own_pairs, profile_without
from engine.expertise.algorithms.pooling import Floats, Pooled, Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import PaperText, Representation
from engine.jobs import Report
from engine.reviews.sentences import split_sentences

REVIEWERS_AT_ONCE, SUBMISSIONS_AT_ONCE = 256, 1024
"""The block size: one slot of similarities is 1 MB and fits in the processor's cache."""
Reasons = tuple[tuple[tuple[str, str, float], ...], tuple[str, ...]]
"""Passages and words that two papers share, as in ``Evidence``."""
Explain = Callable[[str, str], Reasons]
"""Maps submission and profile paper to similar passages and the most important words."""

Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]
EXPLAINED = 3
"""The number of profile papers for which passages are searched, which takes encoder time."""


class Comparison(Protocol):
    def has_text(self, paper: str) -> bool:
        """Returns whether there is anything to compare. Raises KeyError for a paper that wasn't read."""
        ...

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        """Returns a function of papers to similarities (papers, submissions); higher is more similar, 0 without text.
        Raises KeyError for a paper that wasn't read."""
        ...

    def reasons(self, paper: str, submission: str) -> Reasons: ...


class PaperwiseScorer:
    """Pools a comparison over each profile, block by block. Profile papers without text are ignored; submissions
    without text have similarity 0."""

    def __init__(self, comparison: Comparison, pooling: Pooling, explained: float = math.inf) -> None:
        """``explained``: the number of profile papers for which reasons are searched."""
        self.comparison = comparison
        self._pooling = pooling
        self._explained = explained

    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        known = [self._known(papers) for papers in profiles.values()]
        order = sorted(range(len(known)), key=lambda at: -len(known[at]))
        scores = np.full((len(known), len(submissions)), np.nan)
        chunks = range(0, len(order), REVIEWERS_AT_ONCE)
        for left in range(0, len(submissions), SUBMISSIONS_AT_ONCE):
            block = list(submissions[left : left + SUBMISSIONS_AT_ONCE])
            compare = self.comparison.against(block)
            for done, start in enumerate(chunks):
                report.progress((left + len(block) * done / len(chunks)) / len(submissions), "Comparing papers")
                people = order[start : start + REVIEWERS_AT_ONCE]
                pooled = Pooled(self._pooling, len(people), len(block))
                for slot in range(len(known[people[0]])):
                    pooled.add(compare([known[at][slot] for at in people if slot < len(known[at])]))
                scores[people, left : left + len(block)] = pooled.result()
        for row, column, rest in own_pairs(profiles.values(), submissions):
            papers = self._known(rest)
            alike = self.comparison.against([submissions[column]])(papers)[:, 0] if papers else None
            scores[row, column] = np.nan if alike is None else self._pooling.one(alike)
        report.progress(1.0)
        return scores

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        papers = self._known(profile_without(profile, submission))
        if not papers:
            return ()
        parts = self._pooling.shares(self.comparison.against([submission])(papers)[:, 0])
        found = []
        for place, (key, share) in enumerate(sorted(zip(papers, parts, strict=True), key=lambda item: -item[1])):
            wanted = share > 0 and place < self._explained
            passages, words = self.comparison.reasons(key, submission) if wanted else ((), ())
            found.append(Evidence(key, float(share), passages, words))
        return tuple(found)

    def _known(self, papers: Sequence[str]) -> list[str]:
        return [key for key in dict.fromkeys(papers) if self.comparison.has_text(key)]


class VectorComparison:
    """Cosines of papers with vectors; papers without text have zero vectors."""

    def __init__(self, keys: Sequence[str], vectors: Vectors, explainer: Explain | None) -> None:
        self.rows = {key: row for row, key in enumerate(keys)}
        self._vectors = vectors
        self._there = np.concatenate(
            [np.any(vectors[at : at + 4096], axis=1) for at in range(0, len(vectors), 4096)] or [np.zeros(0, bool)]
        )
        self._explainer = explainer

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_explainer": None}

    def has_text(self, paper: str) -> bool:
        return bool(self._there[self.rows[paper]])

    def against(self, submissions: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
        targets = self._vectors[[self.rows[key] for key in submissions]].T.copy()
        return lambda papers: self._vectors[[self.rows[key] for key in papers]] @ targets

    def reasons(self, paper: str, submission: str) -> Reasons:
        return ((), ()) if self._explainer is None else self._explainer(submission, paper)


class VectorScorer(PaperwiseScorer):
    """Scores papers with vectors. Papers without text are ignored in profiles; as submissions, their cosines are 0."""

    def __init__(
        self, keys: Sequence[str], vectors: Vectors, pooling: Pooling, explainer: Explain | None = None
    ) -> None:
        """``vectors``: (papers, d), float32, rows of length 1, or 0 for a paper without text; can be a memory map.
        ``explainer`` finds passages; it isn't copied to other processes."""
        super().__init__(VectorComparison(keys, vectors, explainer), pooling, EXPLAINED)


def sentences(text: str, longest: int = 60) -> tuple[str, ...]:
    """Returns the first ``longest`` sentences of a text, with white space normalised."""
    # Splitting a whole paper only for its beginning would take a second.
    head = text[: longest * 400]
    found = (" ".join(head[span.start : span.end].split()) for span in split_sentences(head))
    return tuple(sentence for sentence in found if sentence)[:longest]


def sentence_pairs(
    submission: str, paper: str, encode: Encode, most: int = 3, longest: int = 60
) -> tuple[tuple[str, str, float], ...]:
    """Returns the ``most`` most similar pairs of sentences with their cosines, best first, each sentence once, among
    the first ``longest`` of each text."""
    left, right = sentences(submission, longest), sentences(paper, longest)
    if not left or not right:
        return ()
    vectors = encode([*left, *right])
    alike = vectors[: len(left)] @ vectors[len(left) :].T
    found: list[tuple[str, str, float]] = []
    while len(found) < min(most, len(left), len(right)):
        row, column = np.unravel_index(int(np.argmax(alike)), alike.shape)
        found.append((left[row], right[column], float(alike[row, column])))
        alike[row, :] = alike[:, column] = -np.inf
    return tuple(found)


def alike_sentences(papers: Mapping[str, PaperText], representation: Representation, encode: Encode) -> Explain:
    """Returns an explainer that uses the most similar sentences of two papers."""
    texts = {key: paper_text(paper, representation) for key, paper in papers.items()}
    return lambda submission, paper: (sentence_pairs(texts[submission], texts[paper], encode), ())
