"""Rows and columns that a clause names by several labels at once ("Freeway m1d0", "trained on A and tested on B")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from engine.statements.grids import Layout
from engine.statements.table_labels import squeezed
from engine.statements.table_phrases import ROWS, comparison_in, extreme_in
from engine.statements.table_words import Mention, Reading, plainly

_JOIN = " / "


def compounded(reading: Reading, layout: Layout) -> tuple[Reading, Layout]:
    """A clause and its table with labels that together name a row (or a column) as one label.

    They do where the clause says the same labels of several ("A x is better than B y") or speaks of rows.
    """
    for axis in (range(layout.rows), range(layout.rows, len(layout.names))):
        chunks = _chunks(reading, axis)
        if chunks:
            reading, layout = _joined(reading, layout, chunks)
    return reading, layout


def named_whole(statement: str, layout: Layout) -> Layout:
    """The table with the labels of each row as one where a statement names a row by all of several, or by the first
    ones, as they are written there; and those of each column where it names one by all of several headings."""
    said = squeezed(statement)
    paths = {e.column: " ".join(filter(None, e.labels[layout.rows :])) for e in layout.entries}
    if any(name.count(" ") and _written(name, statement) for name in paths.values()):
        filled = [""] * (len(layout.names) - layout.rows - 1)
        joined = (replace(e, labels=(*e.labels[: layout.rows], *filled, paths[e.column])) for e in layout.entries)
        layout = replace(layout, entries=tuple(joined), _labels={})
    for size in range(max(map(len, layout.beside.values()), default=0), 1, -1):
        names = {n: " ".join(filter(None, labels[:size])) for n, labels in layout.beside.items()}
        if any(layout.beside[n][size - 1] and name.count(" ") and squeezed(name) in said for n, name in names.items()):
            others = [""] * (layout.rows - 3)
            entries = (replace(e, labels=(names[e.row], *others, *e.labels[layout.rows - 2 :])) for e in layout.entries)
            return replace(layout, entries=tuple(entries), _labels={})
    return layout


def _written(name: str, statement: str) -> bool:
    """Whether a statement has a name as it is, apart from the kinds of its signs and case."""
    own, said = (" ".join(map(squeezed, text.split())) for text in (name, statement))
    return bool(re.search(rf"(?<!\w){re.escape(own)}(?!\w)", said))


def _chunks(reading: Reading, axis: range) -> list[tuple[int, ...]]:
    """The mentions of one axis by what they name, where each is named in the same dimensions, several of them."""
    found = [(n, reading.mentions[n]) for n in map(int, re.findall(r"\bM(\d+)\b", reading.text))]
    own = [(n, m.dimension) for n, m in found if m.dimension in axis]
    kinds = [d for _, d in own]
    size = len(set(kinds))
    if size < 2 or len(own) % size or len({*kinds[:size]}) < size or kinds != kinds[:size] * (len(own) // size):
        return []
    if (
        len(own) == size
        and not ROWS.search(reading.text)
        and f"M{' M'.join(str(n) for n, _ in own)}" not in reading.text
    ):
        return []
    chunks = [tuple(n for n, _ in own[at : at + size]) for at in range(0, len(own), size)]
    return chunks if all(_adjacent(reading.text, chunk) for chunk in chunks) else []


def _between(first: int, second: int) -> str:
    return rf"\bM{first}\b([^MN]*?)\bM{second}\b"


def _adjacent(text: str, chunk: Sequence[int]) -> bool:
    """Whether nothing that compares is between the mentions of a chunk."""
    found = [re.search(_between(a, b), text) for a, b in pairwise(chunk)]
    return all(f and not comparison_in(f[1]) and not extreme_in(f[1]) for f in found)


def _joined(reading: Reading, layout: Layout, chunks: Sequence[Sequence[int]]) -> tuple[Reading, Layout]:
    mentions, text = [*reading.mentions], reading.text
    dimensions = sorted(mentions[n].dimension for n in chunks[0])
    first, others = dimensions[0], dimensions[1:]
    for chunk in chunks:
        own = sorted((mentions[n] for n in chunk), key=lambda m: m.dimension)
        labels = frozenset(map(_JOIN.join, product(*(m.labels for m in own))))
        mentions[chunk[0]] = Mention(
            first, labels, own[0].start, own[-1].end, all(m.exact for m in own), min(m.share for m in own)
        )
        for a, b in pairwise(chunk):
            text = re.sub(_between(chunk[0], b) if a != chunk[0] else _between(a, b), f"M{chunk[0]}", text)
    entries = tuple(replace(e, labels=tuple(_labels(e.labels, first, others))) for e in layout.entries)
    return replace(reading, mentions=tuple(mentions), text=plainly(text)), replace(layout, entries=entries, _labels={})


def _labels(labels: Sequence[str], first: int, others: Sequence[int]) -> Iterator[str]:
    for n, label in enumerate(labels):
        if n == first:
            yield _JOIN.join((label, *(labels[k] for k in others)))
        else:
            yield "" if n in others else label
