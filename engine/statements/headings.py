"""Finds the headings above each column of a parsed table."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from engine.documents.records import Box
from engine.documents.search import union
from engine.documents.table_lines import BLANK
from engine.documents.tables import Cell, Row, Table, number_in, unbroken
from engine.statements.quantities import unit_of

NOTHING = re.compile(r"[-–—−.·/]*|n/?a|nan|oom|∞", re.IGNORECASE)
SEVERAL = re.compile(r"[\d.,%\s]+(?:/[\d.,%\s]+)+")
"""Several numbers in a cell; they name a row ("5/5") in a column without other numbers."""
_INTERVAL = re.compile(r"[(\[][\d.,;\s–−+-]+[)\]]")
_FLUSH = 1.5
"""Greatest distance, in points, of the end of a heading from that of its column."""
_ALIGNED = 4.0
"""Maximum offset, in points, of a heading from the middle of what it is above."""


def heading_paths(table: Table) -> tuple[tuple[str, ...], ...]:
    """Returns the headings of each column from the top; one centred over several columns belongs to each of them."""
    rows, count = table.rows, table.columns
    body = [row for row in rows if not row.header]
    titles = [row for row in body if len(row.cells) == 1 and row.cells[0].number is None]  # may be over several columns
    single = [row for row in rows if (not row.header and row not in titles) or len(row.cells) >= max(2, count - 1)]
    above = [row for row in rows if row.header]
    drawn = _drawn(above, body, [rule for rule in table.rules if rule.page == table.page])
    heads = []
    for n, row in enumerate(above):
        below, near = _below(above[n + 1 :]), _near([c for c in row.cells if c.column])
        again = _repeated(near, range(1, count), [below.get(c, "") for c in range(1, count)])  # surer than drawn lines
        heads.append((None if again else drawn.get(n)) or _spread(row.cells, single, below))
    heads = _levels(heads, count)
    paths = [_path([head.get(column, ("", False)) for head in heads]) for column in range(count)]
    used = [n for n in range(len(heads)) if any(path[n] for path in paths)]
    return tuple(tuple(path) if any(path) else () for path in ([path[n] for n in used] for path in paths))


def _levels(heads: Sequence[dict[int, tuple[str, bool]]], count: int) -> list[dict[int, tuple[str, bool]]]:
    """Returns heading rows with those that are named in the first column and repeat a heading as levels of their own:
    "Species: mouse, mouse, human", "Aligner: A, B, A"."""
    texts = [[head.get(column, ("", False))[0] for column in range(count)] for head in heads]
    own = [all(row) and len({*row[1:]}) < count - 1 for row in texts]
    if sum(own) < 2:
        return [*heads]
    return [
        {c: (text, True) for c, (text, _) in head.items()} if named else head
        for head, named in zip(heads, own, strict=True)
    ]


def _path(levels: Sequence[tuple[str, bool]]) -> list[str]:
    """Returns the heading path of a column, from heading rows top to bottom: consecutive headings of this column alone
    are joined as one over several lines."""
    path = [text for text, _ in levels]
    last = len(path) - 1
    for n in range(last - 1, -1, -1):
        text, shared = levels[n]
        if text and not shared:
            below = next((k for k in range(n + 1, len(path)) if path[k]), last)
            if path[below] and levels[below][1]:
                continue  # a shared heading below one of this column alone
            own = unit_of(path[below].strip("()[]"))
            path[below] = f"{text} ({own})" if own else unbroken(f"{text} {path[below]}".strip())
            path[n] = ""
    return path


def _drawn(heads: Sequence[Row], body: Sequence[Row], rules: Sequence[Box]) -> dict[int, dict[int, tuple[str, bool]]]:
    """Returns the column headings in heading rows with lines drawn below them over some of the columns."""
    places: dict[int, list[Box]] = defaultdict(list)
    for cell in (cell for row in body for cell in row.cells):
        places[cell.column].append(cell.box)
    middles = {column: _middle(union(boxes)) for column, boxes in places.items()}
    found: dict[int, dict[int, tuple[str, bool]]] = {}
    begin = max((box.x1 for box in places[0]), default=0.0)
    last = max((cell.box.x1 for row in (*heads, *body) for cell in row.cells), default=0.0)
    for cell in (cell for row in heads for cell in row.cells):  # vertical lines delimit a heading like a line below it
        x, y = _middle(cell.box)
        upright = {r.x0 for r in rules if r.y0 < y < r.y1}
        edges = sorted({begin, last, *(edge for edge in upright if begin < edge)}) if upright else []
        at = bisect_left(edges, x)
        left, right = (edges[at - 1], edges[at]) if 0 < at < len(edges) else (x, x)
        between = [m for c, (m, _) in middles.items() if c and left < m < right]
        deep = any(sum(left < _middle(c.box)[0] < right for c in row.cells) > 1 for row in heads)
        beside = between and min(abs(x - m) for m in between) < abs(x - (between[0] + between[-1]) / 2)
        if (deep or not beside) and left < right and left < cell.box.x0 + 3 and cell.box.x1 - 3 < right:
            rules = [*rules, Box(cell.box.page, left, cell.box.y1, right, cell.box.y1)]
    for rule in rules:
        over = [c for c, (x, _) in middles.items() if c and rule.x0 - 2 < x < rule.x1 + 2]
        if not over or rule.x0 < middles.get(0, (0, 0))[0] or (body and rule.y0 > _middle(body[0].cells[0].box)[1]):
            continue
        for n, row in reversed([*enumerate(heads)]):
            above = [c for c in row.cells if rule.x0 - 2 < _middle(c.box)[0] < rule.x1 + 2]
            if len(above) == 1 and _middle(above[0].box)[1] < rule.y0:
                own = found.setdefault(n, {c.column: (c.text, False) for c in row.cells})
                own.pop(above[0].column, None)
                own.update(dict.fromkeys(over, (above[0].text, len(over) > 1)))
                break
    return found


def _middle(box: Box) -> tuple[float, float]:
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2


def _spread(cells: Sequence[Cell], single: Sequence[Row], below: dict[int, str]) -> dict[int, tuple[str, bool]]:
    """Returns the heading of each column in one heading row, and whether it is shared by several columns; ``single``
    are the rows whose cells are each in one column, ``below`` is the next heading of each column."""
    extents: dict[int, tuple[float, float]] = {}
    numbers: Counter[int] = Counter()
    for cell in (cell for row in single for cell in row.cells):
        left, right = extents.get(cell.column, (cell.box.x0, cell.box.x1))
        extents[cell.column] = (min(left, cell.box.x0), max(right, cell.box.x1))
        counted = number_in(cell.text) or SEVERAL.fullmatch(cell.text) or _INTERVAL.fullmatch(cell.text)
        numbers[cell.column] += 1 if counted else not NOTHING.fullmatch(cell.text) and -any(map(str.isalnum, cell.text))
    found: dict[int, str] = {}
    for cell in cells:
        found[cell.column] = f"{found.get(cell.column, '')} {cell.text}".strip()
    columns = [c for c in sorted(extents) if c > 0 and numbers[c] >= 0]
    above = [c for c in cells if c.box.x1 > (extents[columns[0]][0] if columns else 0)]
    heads = {column: (text, False) for column, text in found.items()}
    texts, near = [below.get(c, "") for c in columns], _near(above)
    own = len(near) == 1 and any(
        abs(near[0].box.x0 - left) < _FLUSH or abs(near[0].box.x1 - right) < _FLUSH
        for left, right in (extents[c] for c in columns[1:])
    )
    groups = None if own else _repeated(near, columns, texts)
    above = near if groups else above
    if len(above) < len(columns) and (groups := groups or _groups(above, [extents[c] for c in columns])):
        for cell, (first, last) in zip(above, groups, strict=True):
            below_it = list(filter(None, texts[first : last + 1]))
            if len(above) > 1 and len({*below_it}) < len(below_it):
                return {}  # repeated headings below a shared one: where the groups end is unknown
            if last > first:
                heads.update({columns[n]: (cell.text, True) for n in range(first, last + 1)})
        return heads
    for cell in above:  # of unknown extent, but above more than one column
        over = [c for c in columns if cell.box.x0 < sum(extents[c]) / 2 < cell.box.x1]
        if len(over) > 1 and cell.column in over:
            heads.update(dict.fromkeys(over, (cell.text, True)))
    return heads


def _groups(cells: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[tuple[int, int]] | None:
    """Returns the contiguous runs of columns that headings are centred over; None if they aren't, or if each is
    directly above one column."""
    at, groups, furthest, apart = 0, [], 0.0, 0.0
    for n, cell in enumerate(cells):
        middle = (cell.box.x0 + cell.box.x1) / 2
        least = len(columns) - (len(cells) - n - 1)
        options = [
            (abs(middle - (columns[at][0] + columns[end][1]) / 2), end)
            for end in (range(at, least) if n < len(cells) - 1 else [len(columns) - 1])
        ]
        if not options:
            return None
        off, end = min(options)
        if off > 0.25 * (columns[end][1] - columns[at][0]) + 4:
            return None
        furthest = max(furthest, off)
        wide = sum(cell.box.x0 < (left + right) / 2 < cell.box.x1 for left, right in columns) > 1
        apart = inf if wide else max(apart, min(abs(middle - (left + right) / 2) for left, right in columns))
        groups.append((at, end))
        at = end + 1
    return groups if at == len(columns) and furthest <= apart + _ALIGNED else None


def _below(rows: Sequence[Row]) -> dict[int, str]:
    """Returns by column the headings in the next row with several and its further lines, and in rows with one heading
    above it."""
    found: dict[int, str] = {}
    several = False
    for row in rows:
        if several and not {cell.column for cell in row.cells} <= found.keys():
            break
        for cell in row.cells:
            found[cell.column] = f"{found[cell.column]} {cell.text}" if several else cell.text
        several = several or sum(cell.column > 0 for cell in row.cells) > 1
    return found


def _near(cells: Sequence[Cell]) -> list[Cell]:
    """Merges the headings of one row that are only a word space apart."""
    found: list[Cell] = []
    for cell in cells:
        last = found[-1] if found else None
        if last and cell.box.x0 - last.box.x1 < BLANK * (cell.box.y1 - cell.box.y0):
            found[-1] = replace(last, text=f"{last.text} {cell.text}", box=union([last.box, cell.box]))
        else:
            found.append(cell)
    return found


def _repeated(heads: Sequence[Cell], columns: Sequence[int], below: Sequence[str]) -> list[tuple[int, int]] | None:
    """Returns the runs of columns below headings if the headings directly below repeat under each, and nowhere else."""
    count, most = len(heads), len(below) // max(1, len(heads))
    for size in range(most, 1 if count > 1 else max(1, most - 1), -1):
        for first in range(len(below) - size * count + 1):
            runs = [(at, at + size - 1) for at in range(first, first + size * count, size)]
            own = [columns[a] <= cell.column <= columns[b] for cell, (a, b) in zip(heads, runs, strict=True)]
            rest = {*below[:first], *below[first + size * count :]}
            again = len({tuple(below[a : b + 1]) for a, b in runs}) == 1 and all(below[first : first + size])
            if again and all(own) and not rest.intersection(below[first : first + size]):
                return runs
    return None
