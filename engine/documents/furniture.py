"""Page furniture: what printers put around the text. Running heads, page numbers, line numbers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from engine.documents.page_text import Line, PageText, Token
from engine.documents.records import Box, MarginLine

_NUMBER = re.compile(r"\d{1,4}")
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—(\[]?\s*(\d{1,4}|[ivxlc]{1,6})\s*[-–—)\]]?(?:\s*(?:/|of)\s*\d{1,4})?", re.I)


def remove_line_numbers(pages: list[PageText]) -> list[MarginLine]:
    """Take the numbers that count lines in the margin out of the lines; returns them, page by page.

    Such numbers stand at one x, outside the text, and rise down the page. They are often glued to the text line.
    """
    removed: list[MarginLine] = []
    for page in pages:
        for edge in (_first_token, _last_token):
            candidates: dict[int, list[tuple[Line, Token]]] = defaultdict(list)
            for line in page.lines:
                token = edge(line)
                if _NUMBER.fullmatch(token.text):
                    anchor = token.x1 if edge is _first_token else token.x0
                    candidates[round(anchor / 4)].append((line, token))
            # Neighbouring buckets belong together: digits of different width shift the edge a little.
            for key in sorted(candidates, key=lambda k: -len(candidates[k])):
                group = candidates[key] + candidates.get(key - 1, []) + candidates.get(key + 1, [])
                group.sort(key=lambda item: item[0].base)
                if _counts_lines(page, group, leading=edge is _first_token):
                    removed += [_margin_line(page, line, token) for line, token in group]
                    for line, token in group:
                        line.tokens = [t for t in line.tokens if t is not token]
                        line.forget()
                    break
            page.lines = [line for line in page.lines if line.tokens]
    return removed


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


def _counts_lines(page: PageText, group: list[tuple[Line, Token]], *, leading: bool) -> bool:
    texts = sum(line.letters >= 20 for line in page.lines)  # labels in figures have no line numbers
    if len(group) < 8 or len(group) < 0.15 * texts:
        return False
    values = [int(token.text) for _, token in group]
    steps = [b - a for a, b in pairwise(values)]
    step, times = Counter(steps).most_common(1)[0]
    if step not in (1, 5) or times < 0.8 * len(steps):
        return False
    x = max(t.x1 for _, t in group) if leading else min(t.x0 for _, t in group)
    taken = {id(token) for _, token in group}
    others = [t for line in page.lines for t in line.tokens if id(t) not in taken]
    outside = sum(t.x0 >= x if leading else t.x1 <= x for t in others)
    # In two columns with numbers on both sides, each set has the text on one side only.
    return outside >= 0.9 * len(others)


def _first_token(line: Line) -> Token:
    return line.tokens[0]


def _last_token(line: Line) -> Token:
    return line.tokens[-1]


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
