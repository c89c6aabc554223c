"""Combines the labels that together name a row or a column ("Freeway m1d0", "A (B)") into one, in a clause and its
table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, permutations, product

from engine.statements.grids import Layout
from engine.statements.table_mentions import Mention
from engine.statements.table_phrases import ROWS, comparison_in, extreme_in, squeezed
from engine.statements.table_wording import plainly
from engine.statements.table_words import Reading

_JOIN = " / "


_SIDE = re.compile(r"\bM(\d+) (?:(/)|\() M(\d+)\b")


def _turned(reading: Reading, layout: Layout) -> Reading:
    """Returns a clause with "A / B" and "B (A)" as the labels of one row if A and B may be labels of two columns, and
    with the other label of further rows named by one ("A / B is better than C")."""
    mentions, text, dimensions = [*reading.mentions], reading.text, set[int]()
    left = {int(n) for n in re.findall(r"\bM(\d+)", text)}
    for found in _SIDE.finditer(text):
        first, second = (mentions[int(found[n])] for n in ((1, 3) if found[2] else (3, 1)))
        if first.dimension == second.dimension < layout.rows - 2:
            for a, b in permutations(range(layout.rows - 2), 2):
                if any(e.labels[a] in first.labels and e.labels[b] in second.labels for e in layout.entries):
                    own = replace(first, dimension=a), replace(second, dimension=b)
                    mentions[int(found[1])], mentions[int(found[3])] = own if found[2] else own[::-1]
                    break
        pair = {mentions[int(found[n])].dimension for n in (1, 3)}
        if len(pair) == 2 and max(pair) < layout.rows - 2:
            dimensions, left = pair, left - {int(found[1]), int(found[3])}
    for n in left if dimensions else ():
        if mentions[n].dimension in dimensions:
            other = (dimensions - {mentions[n].dimension}).pop()
            cells = [e for e in layout.entries if e.labels[mentions[n].dimension] in mentions[n].labels]
            cells = [e for e in cells if e.labels[other] in mentions[n].labels] or cells
            if len({e.row for e in cells}) == 1 and cells[0].labels[other]:
                text = re.sub(rf"\bM{n}\b", f"M{n} ( M{len(mentions)} )", text)
                mentions.append(replace(mentions[n], dimension=other, labels=frozenset({cells[0].labels[other]})))
    return replace(reading, mentions=tuple(mentions), text=text)


def compounded(reading: Reading, layout: Layout) -> tuple[Reading, Layout]:
    """Combines labels that together name a row (or a column) into one label, in a clause and its table, if the clause
    names several such combinations ("A x is better than B y") or speaks of rows."""
    reading = _turned(reading, layout)
    for axis in (range(layout.rows), range(layout.rows, len(layout.names))):
        chunks = _chunks(reading, axis)
        if chunks:
            reading, layout = _joined(reading, layout, chunks)
    return reading, layout


def named_whole(statement: str, layout: Layout) -> Layout:
    """Returns the table with the labels of each row combined if a statement contains a row's first or all labels as
    written; likewise for the heading path of each column."""
    said = squeezed(statement)
    paths = {e.column: " ".join(filter(None, e.labels[layout.rows :])) for e in layout.entries}
    if any(name.count(" ") and _written(name, statement) for name in paths.values()):
        filled = [""] * (len(layout.names) - layout.rows - 1)
        joined = (replace(e, labels=(*e.labels[: layout.rows], *filled, paths[e.column])) for e in layout.entries)
        layout = replace(layout, entries=tuple(joined), _labels={})
    for length in range(max(map(len, layout.beside.values()), default=0), 1, -1):
        names = {n: " ".join(filter(None, labels[:length])) for n, labels in layout.beside.items()}
        if any(
            layout.beside[n][length - 1] and name.count(" ") and squeezed(name) in said for n, name in names.items()
        ):
            others = [""] * (layout.rows - 3)
            entries = (replace(e, labels=(names[e.row], *others, *e.labels[layout.rows - 2 :])) for e in layout.entries)
            return replace(layout, entries=tuple(entries), _labels={})
    return layout


def _written(name: str, statement: str) -> bool:
    """Returns whether a statement contains a name as it is, apart from variants of signs and case."""
    own, said = (" ".join(map(squeezed, text.split())) for text in (name, statement))
    return bool(re.search(rf"(?<!\w){re.escape(own)}(?!\w)", said))


def _chunks(reading: Reading, axis: range) -> list[tuple[int, ...]]:
    """Groups the mentions of one axis by what they name, if each group has the same several dimensions."""
    found = [(n, reading.mentions[n]) for n in map(int, re.findall(r"\bM(\d+)\b", reading.text))]
    own = [(n, m.dimension) for n, m in found if m.dimension in axis]
    kinds = [d for _, d in own]
    size = len(set(kinds))
    groups = [kinds[at : at + size] for at in range(0, len(own), size or 1)]
    if size < 2 or any(sorted(group) != sorted({*kinds}) for group in groups):
        return []
    turned = [own[n * size : n * size + size] for n, group in enumerate(groups) if group != groups[0]]
    steps = [re.search(_between(a[0], b[0]), reading.text) for chunk in turned for a, b in pairwise(chunk)]
    if not all(step and re.fullmatch(r"\W+", step[1]) for step in steps):  # "M1 (A) is better than A / M2"
        return []
    if (
        len(own) == size
        and not ROWS.search(reading.text)
        and not re.search(" (?:and )?".join(rf"\bM{n}\b" for n, _ in own), reading.text)
    ):
        return []
    chunks = [tuple(n for n, _ in own[at : at + size]) for at in range(0, len(own), size)]
    return chunks if all(_adjacent(reading.text, chunk) for chunk in chunks) else []


def _between(first: int, second: int) -> str:
    return rf"\bM{first}\b([^MN]*?)\bM{second}\b"


def _adjacent(text: str, chunk: Sequence[int]) -> bool:
    """Returns whether nothing that compares is between the mentions of a group."""
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
        text = re.sub(rf"\bM{chunk[0]} \)", f"M{chunk[0]}", text)
    entries = tuple(replace(e, labels=tuple(_labels(e.labels, first, others))) for e in layout.entries)
    return replace(reading, mentions=tuple(mentions), text=plainly(text)), replace(layout, entries=entries, _labels={})


def _labels(labels: Sequence[str], first: int, others: Sequence[int]) -> Iterator[str]:
    for n, label in enumerate(labels):
        if n == first:
            yield _JOIN.join((label, *(labels[k] for k in others)))
        else:
            yield "" if n in others else label
