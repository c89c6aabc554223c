"""Which words texts share, counted for all pairs at once (sparse matrices over a common vocabulary)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.revision.aligners.lexical import runs, stems, weights

if TYPE_CHECKING:
    from engine.revision.aligners.base import Matrix

UNKNOWN = 3.0
"""Weight of a stem that the paper does not hold: about as telling as one that is in a few paragraphs."""


@lru_cache(maxsize=16384)
def stem_set(text: str) -> frozenset[str]:
    """The different stems of a text."""
    return frozenset(stem for stem, _ in stems(text))


class Vocabulary:
    """The stems of a paper with their weights (inverse document frequency over its paragraphs)."""

    def __init__(self, paragraphs: Sequence[str]) -> None:
        self._weights: Mapping[str, float] = weights(paragraphs)
        self._index: dict[str, int] = {}

    def incidence(self, texts: Sequence[str]) -> Any:
        """Sparse (texts, stems), 1 where a text holds a stem. Grows the vocabulary; rows stay comparable."""
        import numpy as np
        from scipy.sparse import csr_array

        rows: list[int] = []
        columns: list[int] = []
        for row, text in enumerate(texts):
            for stem in stem_set(text):
                rows.append(row)
                columns.append(self._index.setdefault(stem, len(self._index)))
        return csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(self._index)))

    def telling(self) -> Matrix:
        """The weight of every stem seen so far."""
        import numpy as np

        return np.array([self._weights.get(stem, UNKNOWN) for stem in self._index])

    def found(self, wanted: Sequence[str], places: Sequence[str], *, slack: float = 0.0) -> Matrix:
        """Share of the weight of each wanted text's stems that a place holds: (wanted, places), 0 to 1.

        ``slack`` is added below the line, so that a text of one common word is not found everywhere in full.
        """
        import numpy as np

        asked, there = self._common(wanted, places)
        telling = self.telling()
        held = (asked * telling) @ there.T
        whole = asked @ telling + slack
        share: Matrix = held.toarray() / np.maximum(whole, 1e-9)[:, None]
        return share

    def rarest(self, asked: Sequence[str], places: Sequence[str], most: int = 3) -> Matrix:
        """How rare the rarest shared stems are: the sum of the ``most`` rarest over ``most``, (asked, places), 0 to 1.

        Rarity is the stem's weight over the highest, less where many of the places hold it.
        """
        import numpy as np

        of_asked, of_places = (matrix.tocsc() for matrix in self._common(asked, places))
        spread = np.diff(of_places.indptr)
        telling = self.telling() / max(self._weights.values(), default=1.0) / (1.0 + np.log(np.maximum(spread, 1)))
        total = np.zeros((len(asked), len(places)))
        taken = np.zeros((len(asked), len(places)), dtype=np.int8)
        both = np.flatnonzero((spread > 0) & (np.diff(of_asked.indptr) > 0))
        for stem in both[np.argsort(-telling[both], kind="stable")]:
            pairs = np.ix_(
                of_asked.indices[of_asked.indptr[stem] : of_asked.indptr[stem + 1]],
                of_places.indices[of_places.indptr[stem] : of_places.indptr[stem + 1]],
            )
            free = taken[pairs] < most
            total[pairs] += telling[stem] * free
            taken[pairs] += free
        return total / most

    def _common(self, first: Sequence[str], second: Sequence[str]) -> tuple[Any, Any]:
        one, two = self.incidence(first), self.incidence(second)
        one.resize((len(first), len(self._index)))
        two.resize((len(second), len(self._index)))
        return one, two


def common_runs(first: Sequence[str], second: Sequence[str], length: int) -> Matrix:
    """How many different runs of ``length`` words two texts share: (first, second)."""
    import numpy as np
    from scipy.sparse import csr_array

    index: dict[tuple[str, ...], int] = {}
    for text in first:
        for run in runs(text, length):
            index.setdefault(run, len(index))

    def incidence(texts: Sequence[str]) -> Any:
        pairs = [(row, index[run]) for row, text in enumerate(texts) for run in runs(text, length) if run in index]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        return csr_array((np.ones(len(pairs)), (rows, columns)), shape=(len(texts), max(1, len(index))))

    shared: Matrix = (incidence(first) @ incidence(second).T).toarray()
    return shared
