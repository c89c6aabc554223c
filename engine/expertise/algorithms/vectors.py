"""Scoring by vectors: every paper one vector of length 1, a score the pooled cosine with the profile's papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.expertise.algorithms.paperwise import PaperwiseScorer, Reasons
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.records import PaperText, Representation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.expertise.algorithms.pooling import Floats

    Vectors = NDArray[np.float32]

Explain = Callable[[str, str], Reasons]
"""Submission and profile paper to passages that are alike and words that drove it."""

EXPLAINED = 3
"""For how many papers of a profile passages are looked for: it costs an encoder's time."""


def paper_text(paper: PaperText, representation: Representation, separator: str = ". ") -> str:
    """Title, or title and abstract, or these and the body, whatever is there; "" where nothing is."""
    parts = [paper.title.strip()]
    if representation != "title":
        parts.append(paper.abstract.strip())
    if representation == "full text":
        parts.append(paper.body.strip())
    return separator.join(part for part in parts if part)


class VectorComparison:
    """Cosines of papers with vectors; a paper without text has a vector of length 0."""

    def __init__(self, keys: Sequence[str], vectors: Vectors, explainer: Explain | None) -> None:
        import numpy as np

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
    """Papers with vectors. A paper without text has none: it is no part of a profile, and as a submission is like
    nothing (its scores are those of a cosine of 0).
    """

    def __init__(
        self, keys: Sequence[str], vectors: Vectors, pooling: Pooling, explainer: Explain | None = None
    ) -> None:
        """``vectors``: (papers, d), float32, rows of length 1, or of 0 for a paper without text; a memory map will do.

        ``explainer`` finds passages; it does not travel to other processes.
        """
        super().__init__(VectorComparison(keys, vectors, explainer), pooling, EXPLAINED)
