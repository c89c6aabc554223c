"""The text shared by paragraphs of two versions, by weighted word bigrams, in sparse matrices.

Sparse, since two books have tens of thousands of paragraphs, and few pairs share more than phrases.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Words = Sequence[str]

_COMMON_MATTERS_BELOW = 3000
_COMMON_SHARE = 0.02
_CELLS = 4_000_000
_NONE = 1e-9


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of the pairs that share anything: parallel arrays of source rows, target columns and values."""

    rows: Ints
    columns: Ints
    values: Floats
    shape: tuple[int, int]


class Overlap:
    """The bigrams of both texts as 0/1 tables (rows are paragraphs, columns bigrams), and the weights of the bigrams.

    A bigram weighs log(1 + N / n), where n of all N paragraphs contain it. In very long texts bigrams in more than a
    fiftieth of the paragraphs are left out: they carry little information, and would make all pairs overlap.
    """

    def __init__(self, source: Sequence[Words], target: Sequence[Words]) -> None:
        from scipy.sparse import csr_matrix

        vocabulary: dict[tuple[str, str], int] = {}
        tables: list[tuple[Ints, Ints]] = []
        for texts in (source, target):
            ends = [0]
            columns: list[int] = []
            for text in texts:
                columns.extend({vocabulary.setdefault(pair, len(vocabulary)) for pair in bigrams(text)})
                ends.append(len(columns))
            tables.append((np.asarray(columns, dtype=np.int64), np.asarray(ends, dtype=np.int64)))
        held = np.maximum(np.bincount(np.concatenate([columns for columns, _ in tables])), 1)
        paragraphs = len(source) + len(target)
        self.weights: Floats = np.log1p(paragraphs / held)
        self._tables: list[Any] = [
            csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(ends) - 1, len(vocabulary)))
            for columns, ends in tables
        ]
        if paragraphs > _COMMON_MATTERS_BELOW:
            rare = np.flatnonzero(held <= _COMMON_SHARE * paragraphs)
            self.weights = self.weights[rare]
            self._tables = [table[:, rare] for table in self._tables]

    def side(self, side: int) -> Any:
        """Returns the table of the source (0) or the target (1)."""
        return self._tables[side]

    def union(self, side: int, groups: Sequence[Sequence[int]]) -> Any:
        """Returns a table with one row per group of paragraphs of a side: the bigrams of any of them."""
        from scipy.sparse import csr_matrix

        table = self._tables[side]
        rows = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        columns = np.concatenate([np.asarray(group) for group in groups])
        member = csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(groups), table.shape[0]))
        return (member @ table).sign()

    def mass(self, table: Any) -> Floats:
        mass: Floats = table @ self.weights
        return mass

    def shared(self, one: Any, other: Any) -> Scores:
        """Returns the weight of what each row of one table shares with each row of the other."""
        product = (one.multiply(self.weights) @ other.T).tocoo()
        rows, columns = product.row.astype(np.int64), product.col.astype(np.int64)
        return Scores(rows, columns, product.data, product.shape)

    def scores(self, containment: float) -> Scores:
        """Returns the weighted Dice of each source with each target, with a bonus if the shorter one is mostly
        contained.

        The bonus is ``containment`` times the excess of the shorter one's coverage over one half, times (1 - Dice).
        """
        shared = self.shared(*self._tables)
        own, other = (
            self.mass(table)[at] for table, at in zip(self._tables, (shared.rows, shared.columns), strict=True)
        )
        dice = 2.0 * shared.values / np.maximum(own + other, _NONE)
        coverage = shared.values / np.maximum(np.minimum(own, other), _NONE)
        values = dice + containment * np.maximum(coverage - 0.5, 0.0) * (1.0 - dice)
        return Scores(shared.rows, shared.columns, values, shared.shape)


def bigrams(text: Words) -> list[tuple[str, str]]:
    """Returns the word bigrams of a text in lower case; for very short texts also its beginning and end."""
    words = [word.lower() for word in text]
    if len(words) < 4:
        words = ["", *words, ""]
    return list(pairwise(words))


def best(at: Ints, values: Floats, size: int) -> Ints:
    """Returns for each of ``size`` rows the position of its highest value in the parallel arrays (first of equals), or
    -1."""
    found = np.full(size, -1, dtype=np.int64)
    order = np.lexsort((-np.arange(len(values)), values))
    found[at[order]] = order
    return found


def assign(scores: Scores, threshold: float) -> list[tuple[int, int]]:
    """Returns the one-to-one assignment with the highest total among pairs that reach ``threshold``, by source row.

    Values are squared, so that one strong pair is worth two weak ones. Unconnected paragraphs are assigned separately
    (Kuhn-Munkres on each connected part); in a part too large for that, the best pairs go first.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    kept = np.flatnonzero(scores.values >= threshold)
    rows, columns, gains = scores.rows[kept], scores.columns[kept], scores.values[kept] ** 2
    sources, targets = scores.shape
    graph = csr_matrix((np.ones(len(kept)), (rows, columns + sources)), shape=(sources + targets,) * 2)
    part = connected_components(graph, directed=False)[1][rows]
    order = np.argsort(part, kind="stable")
    borders = np.flatnonzero(np.diff(part[order])) + 1
    pairs: list[tuple[int, int]] = []
    for member in np.split(order, borders) if len(order) else ():
        pairs.extend(_assign_part(rows[member], columns[member], gains[member]))
    return sorted(pairs)


def _assign_part(rows: Ints, columns: Ints, gains: Floats) -> Iterator[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    row_names, row_at = np.unique(rows, return_inverse=True)
    column_names, column_at = np.unique(columns, return_inverse=True)
    if len(row_names) * len(column_names) > _CELLS:
        yield from _greedy(rows, columns, gains)
        return
    table = np.zeros((len(row_names), len(column_names)))
    table[row_at, column_at] = gains
    for i, j in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        if table[i, j] > 0.0:
            yield int(row_names[i]), int(column_names[j])


def _greedy(rows: Ints, columns: Ints, gains: Floats) -> Iterator[tuple[int, int]]:
    taken: tuple[set[int], set[int]] = (set(), set())
    for at in np.argsort(-gains, kind="stable"):
        row, column = int(rows[at]), int(columns[at])
        if row not in taken[0] and column not in taken[1]:
            taken[0].add(row)
            taken[1].add(column)
            yield row, column
