"""Page furniture: what printers put around the text. Running heads, page numbers, line numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.page_text import Line, PageText, Token
from engine.documents.records import Box, MarginLine

_NUMBER = re.compile(r"\d{1,4}")
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—(\[]?\s*(\d{1,4}|[ivxlc]{1,6})\s*[-–—)\]]?(?:\s*(?:/|of)\s*\d{1,4})?", re.I)


def remove_line_numbers(pages: list[PageText]) -> list[MarginLine]:
    """Take the numbers that count lines in a margin or gutter out of the lines; returns them, page by page.

    Such numbers are under each other in a strip that hardly any text crosses, and rise by one or by five. Where at least
    eight do, or a few do and go on so on the next page, every number of their look and place is one.
    """
    strips = [strip for page in pages for strip in _strips(page)]
    certain = [s for s in strips if len(s) >= 8]
    certain += [
        s for a, b in pairwise(strips) if b[0].page == a[0].page + 1 and _follows(a, b) for s in (a, b) if len(s) >= 3
    ]
    if len(pages) > 3 and len({s[0].page for s in certain}) < 2:
        return []  # the rows of one table are counted, too
    looks = {(n.token.font, n.token.size, round(n.token.x1 / 6) + k) for s in certain for n in s for k in (-1, 0, 1)}
    removed: list[MarginLine] = []
    for page in pages:
        gone = [n for n in _numbers(page) if (n.token.font, n.token.size, round(n.token.x1 / 6)) in looks]
        removed += [_margin_line(page, n.line, n.token) for n in gone]
        for number in gone:
            number.line.tokens = [t for t in number.line.tokens if t is not number.token]
            number.line.forget()
        page.lines = [line for line in page.lines if line.tokens]
    return removed


@dataclass(frozen=True, slots=True)
class _Number:
    page: int
    line: Line
    token: Token

    @property
    def value(self) -> int:
        return int(self.token.text)


def _numbers(page: PageText) -> list[_Number]:
    return [_Number(page.number, line, t) for line in page.lines for t in line.tokens if _NUMBER.fullmatch(t.text)]


def _follows(a: list[_Number], b: list[_Number]) -> bool:
    """Whether the numbers of one strip go on in the next, or begin again as they began before."""
    step = a[1].value - a[0].value
    return abs(a[0].token.x1 - b[0].token.x1) < 12 and b[0].value in (a[-1].value + step, a[0].value)


def _strips(page: PageText) -> list[list[_Number]]:
    """Numbers of one look under each other that count lines, at least two of them."""
    columns: dict[tuple[str, float, int], list[_Number]] = defaultdict(list)
    for number in _numbers(page):
        columns[(number.token.font, number.token.size, round(number.token.x1 / 6))].append(number)
    strips = []
    for font, size, x in list(columns):
        # Neighbouring buckets belong together: digits of different width shift the edge a little.
        near = [n for k in (-1, 0, 1) for n in columns.get((font, size, x + k), [])]
        if len(near) < 2 or len(columns[(font, size, x)]) < max(len(columns.get((font, size, x + k), [])) for k in (-1, 1)):
            continue
        near.sort(key=lambda n: n.token.base)
        step, times = Counter(b.value - a.value for a, b in pairwise(near)).most_common(1)[0]
        if step not in (1, 5) or times < 0.8 * (len(near) - 1):
            continue
        left, right = min(n.token.x0 for n in near), max(n.token.x1 for n in near)
        taken = {id(n.token) for n in near}
        texts = [line for line in page.lines if line.letters >= 20]
        crossing = sum(any(t.x0 < right and t.x1 > left and id(t) not in taken for t in line.tokens) for line in texts)
        # Every line of the column has a number, or every fifth; entries of a list have several lines.
        beside = {round(x.base) for x in texts if near[0].token.base - 3 <= x.base <= near[-1].token.base + 3}
        if crossing <= 0.15 * len(texts) and len(near) >= (0.5 if step == 1 else 0.08) * len(beside):
            strips.append(near)
    return strips


def _margin_line(page: PageText, line: Line, token: Token) -> MarginLine:
    """The line beside a number: the line at its height on its side of the page, else the number itself.

    Numbers left of the text count what lies right of them up to the middle of the page where another column has
    numbers of its own; so a line never reaches over the gutter.
    """
    leading = token.x0 < page.width / 2
    beside = [
        other
        for other in page.lines
        if min(other.y1, token.y1) - max(other.y0, token.y0) > 0.5 * (token.y1 - token.y0)
        and (other is line or (other.x0 >= token.x0 if leading else other.x1 <= token.x1))
        and any(t is not token for t in other.tokens)
    ]
    two_columns = len(beside) > 1 and any(o.x0 > page.width / 2 for o in beside) != all(
        o.x0 > page.width / 2 for o in beside
    )
    if two_columns:
        beside = [o for o in beside if (o.x0 <= page.width / 2) == leading]
    tokens = [t for o in beside for t in o.tokens if t is not token] or [token]
    left, right = min(t.x0 for t in tokens), max(t.x1 for t in tokens)
    top, bottom = min(t.y0 for t in tokens), max(t.y1 for t in tokens)
    box = Box(page.number, round(left, 2), round(top, 2), round(right, 2), round(bottom, 2))
    return MarginLine(int(token.text), box)


def remove_running_heads(pages: list[PageText]) -> list[Line]:
    """Take running heads, feet and page numbers off the pages; returns the lines that went."""
    gone: list[Line] = []
    repeated: dict[tuple[str, int], set[int]] = defaultdict(set)
    edges: dict[int, list[Line]] = {}
    for page in pages:
        edges[page.number] = _edge_lines(page)
        for line in edges[page.number]:
            repeated[(_pattern(line.text), round(line.base / 6))].add(page.number)
    offsets: Counter[int] = Counter()
    for page in pages:
        for line in edges[page.number]:
            match = _PAGE_NUMBER.fullmatch(line.text)
            if match and match.group(1).isdigit():
                offsets[int(match.group(1)) - page.number] += 1
    shift, seen = offsets.most_common(1)[0] if offsets else (0, 0)
    need = max(2, min(4, round(0.3 * len(pages))))
    for page in pages:
        out: set[int] = set()
        for line in edges[page.number]:
            match = _PAGE_NUMBER.fullmatch(line.text)
            numbered = bool(
                match
                and match.group(1).isdigit()
                and int(match.group(1)) - page.number == shift
                and (seen >= 2 or len(pages) == 1)
            )
            key = round(line.base / 6)
            pattern = _pattern(line.text)
            where = set().union(*(repeated.get((pattern, k), set()) for k in (key - 1, key, key + 1)))
            if numbered or (len(where) >= need and len(pattern) < 160):
                out.add(id(line))
                gone.append(line)
        page.lines = [line for line in page.lines if id(line) not in out]
    return gone


def _edge_lines(page: PageText) -> list[Line]:
    """Lines in the outer tenth of the page, at most three baselines from the top and from the bottom."""
    found: list[Line] = []
    for top in (True, False):
        lines = sorted(page.lines, key=lambda line: line.base if top else -line.base)
        bases: list[float] = []
        for line in lines:
            if (line.y0 > 0.12 * page.height) if top else (line.y1 < 0.88 * page.height):
                break
            if not bases or abs(bases[-1] - line.base) > 3:
                if len(bases) == 3:
                    break
                bases.append(line.base)
            found.append(line)
    return found


def _pattern(text: str) -> str:
    return re.sub(r"\d+", "#", text.lower())
