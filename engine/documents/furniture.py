"""Removes page furniture around the text: running heads, page numbers, line numbers."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from engine.documents.page_text import CAPTION, Line, PageText, Token, commonest
from engine.documents.records import Box, MarginLine

_NUMBER = re.compile(r"\d{1,4}")
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—(\[]?\s*(\d{1,4}|[ivxlc]{1,6})\s*[-–—)\]]?(?:\s*(?:/|of)\s*\d{1,4})?", re.I)
_DRESSED = re.compile(r"[-–—]|page", re.I)
"""How a line starts that can only be a page number."""
_CAPTION = re.compile(
    CAPTION.pattern + r"|\s*(?:fig(?:ure|\.)|algorithm|listing|scheme|box|chart|plate)\s*(?:\d|[A-Z]{1,4}\b|S\d)"
    r"|\([a-h]\)\s",
    re.IGNORECASE,
)
_MARK = re.compile(r"\d{1,2}|[a-z]|[*∗†‡§¶‖]+")
_CLEAR = 1.25
"""Least distance, in leadings, of furniture from the text."""


def remove_line_numbers(pages: list[PageText]) -> list[MarginLine]:
    """Removes line numbers in margins or gutters from the lines and returns them, page by page.

    They stand below each other in a strip that hardly any text crosses, and rise by one, two, five or ten. If a strip
    has eight, or three that continue on the next page, all numbers of its font and position are removed.
    """
    strips = [strip for page in pages for strip in _strips(page)]
    certain = [s for s in strips if len(s) >= 8]
    certain += [s for a in strips for b in strips if _follows(a, b) for s in (a, b) if len(s) >= 3]
    if len(pages) > 3 and len({s[0].page for s in certain}) < 2:
        return []  # rows of a single table may be numbered, too
    looks = {(n.token.font, n.token.size, round(n.token.x1 / 6) + k) for s in certain for n in s for k in (-1, 0, 1)}
    removed: list[MarginLine] = []
    for page in pages:
        gone = [n for n in _numbers(page) if (n.token.font, n.token.size, round(n.token.x1 / 6)) in looks]
        removed += [_margin_line(page, n.line, n.token) for n in gone]
        _remove(page, gone)
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
    """Returns whether the numbers of a strip on the next page continue this strip, or restart at the same number.

    Numbers of another column may come in between.
    """
    step, further = a[1].value - a[0].value, b[0].value - a[-1].value
    on = b[0].value == a[0].value or (step > 0 and further in range(step, 2 * step * (len(a) + 1), step))
    return b[0].page == a[0].page + 1 and abs(a[0].token.x1 - b[0].token.x1) < 12 and on


def _strips(page: PageText) -> list[list[_Number]]:
    """Returns strips of two or more numbers of one font and size below each other that count lines."""
    columns: dict[tuple[str, float, int], list[_Number]] = defaultdict(list)
    for number in _numbers(page):
        columns[(number.token.font, number.token.size, round(number.token.x1 / 6))].append(number)
    strips = []
    for font, size, x in list(columns):
        # Digits of different width shift the right edge a little, so neighbouring buckets are combined.
        near = [n for k in (-1, 0, 1) for n in columns.get((font, size, x + k), [])]
        if len(near) < 2 or len(columns[(font, size, x)]) < max(
            len(columns.get((font, size, x + k), [])) for k in (-1, 1)
        ):
            continue
        near.sort(key=lambda n: n.token.base)
        step, times = Counter(b.value - a.value for a, b in pairwise(near)).most_common(1)[0]
        if step not in (1, 2, 5, 10) or times < 0.8 * (len(near) - 1):
            continue
        left, right = min(n.token.x0 for n in near), max(n.token.x1 for n in near)
        taken = {id(n.token) for n in near}
        texts = [line for line in page.lines if line.letters >= 20]
        crossing = sum(any(t.x0 < right and t.x1 > left and id(t) not in taken for t in line.tokens) for line in texts)
        # Every line, or every second, fifth or tenth one is numbered; entries of a list have several lines.
        beside = {round(x.base) for x in texts if near[0].token.base - 3 <= x.base <= near[-1].token.base + 3}
        ruled = [y for x0, y, x1, _ in page.rules if x0 < left and right < x1]
        if ruled and min(ruled) < near[0].token.base and near[-1].token.base < max(ruled):
            continue  # the first column of a table
        if crossing <= 0.15 * len(texts) and len(near) >= {1: 0.5, 2: 0.25}.get(step, 0.08) * len(beside):
            strips.append(near)
    return strips


def _remove(page: PageText, numbers: list[_Number]) -> None:
    for number in numbers:
        number.line.tokens = [t for t in number.line.tokens if t is not number.token]
        number.line.forget()
    page.lines = [line for line in page.lines if line.tokens]


def _margin_line(page: PageText, line: Line, token: Token) -> MarginLine:
    """Returns the text beside a line number, within its side of the page; without any, the number itself.

    If the lines at its height belong to two columns, only those in the number's half of the page count.
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
    """Removes running heads, feet and page numbers from the pages and returns the removed lines.

    Furniture repeats at one height near the edge of pages, apart from the text, and its numbers are constant or count
    with the pages, unlike those of captions and footnotes. Page numbers that count with the pages are furniture as
    well, and so are all rows of a height at which most outermost rows are of these kinds (heads with the section's
    title).
    """
    lines = [line for page in pages for line in page.lines]
    if not lines:
        return []
    # The printed area, since the sheet may be much larger.
    above, below = min(line.y0 for line in lines), max(line.y1 for line in lines)
    fifth, leading = 0.2 * (below - above), _leading(pages)
    large = 1.1 * commonest((line.size, line.letters) for line in lines)
    edges = {
        (p.number, top): _edge_rows(p, above + fifth if top else below - fifth, top=top)
        for p in pages
        for top in (True, False)
    }
    repeated: dict[tuple[str, int], dict[int, bool]] = defaultdict(dict)
    known: dict[int, list[str]] = {}
    printed: dict[int, set[int]] = {}
    clear: set[int] = set()
    offsets: Counter[int] = Counter()
    for page in pages:
        bases = sorted(line.base for line in page.lines)
        outer = [
            line for top in (True, False) for row in edges[(page.number, top)] for line in row if line.size < large
        ]
        printed[page.number] = {v for x in outer if _PAGE_NUMBER.fullmatch(x.text) for v in _page_numbers(x)}
        for top in (True, False):
            rows, apart = edges[(page.number, top)], False
            for n, row in reversed([*enumerate(rows)]):
                at = bisect_right(bases, row[0].base + 3) if top else bisect_left(bases, row[0].base - 3) - 1
                gap = abs(bases[at] - row[0].base) if 0 <= at < len(bases) else leading
                # Repeated text is recognised by the rows around it as well; the outermost row may be close to the text.
                apart = apart or gap >= _CLEAR * leading
                if apart:
                    clear.add(id(row[0]))
                for line in row:
                    known[id(line)] = _keys(line.text, page.number, printed[page.number])
                    for m, key in enumerate(known[id(line)]):
                        repeated[(key, round(line.base / 6))][page.number] = apart or (m == n == 0)
                    offsets.update({v - page.number for v in _page_numbers(line)})
    shift, seen = offsets.most_common(1)[0] if offsets else (0, 0)
    need = max(2, min(4, round(0.3 * len(pages))))

    def content(line: Line) -> bool:
        return _marked(line) or _CAPTION.match(line.text) is not None

    def counts(line: Line, number: int) -> bool:
        # Headings may count as well, but are larger than the text, unlike most running heads.
        usual = line.size < large and not content(line)
        return number + shift in _page_numbers(line) and (seen >= 2 or len(pages) == 1) and usual

    def furniture(line: Line, number: int) -> bool:
        if content(line):
            return False
        big = line.size >= large
        if (
            not big
            and len(line.tokens) <= 6
            and _PAGE_NUMBER.fullmatch(line.text)
            and (counts(line, number) or (number in _page_numbers(line) and _DRESSED.match(line.text)))
        ):
            return True
        at = round(line.base / 6)
        for key in known[id(line)][: 1 if big else None]:
            where = {p: apart for k in (at - 1, at, at + 1) for p, apart in repeated.get((key, k), {}).items()}
            if len(where) >= max(need, 3 * big) and 2 * sum(where.values()) >= len(where):
                return len(line.text) < 160
        return False

    by_number = {page.number: page for page in pages}

    def heads(row: list[Line], number: int) -> list[Line]:
        # In a table's row at the top of a page, less than half of the words recur in other tables there.
        found = [x for x in row if furniture(x, number)]
        return found if 2 * len(found) >= len(row) and not _in_table(row, by_number[number]) else []

    slots: dict[tuple[bool, int], list[tuple[int, list[Line], bool]]] = defaultdict(list)
    for (number, top), rows in edges.items():
        for row in rows[:1]:
            counted = id(row[0]) in clear and number + shift not in printed[number]
            sure = bool(heads(row, number)) or (counted and (counts(row[0], number) or counts(row[-1], number)))
            if _in_table(row, by_number[number]):
                continue
            slots[(top, round(row[0].base / 3))].append((number, row, sure))
    out: set[int] = set()
    for members in slots.values():
        if len(members) >= max(3, 0.2 * len(pages)) and sum(sure for *_, sure in members) > 0.6 * len(members):
            out |= {id(x) for _, row, _ in members for x in row}
    gone: list[Line] = []
    for page in pages:
        for top in (True, False):
            for row in edges[(page.number, top)]:
                out |= {id(x) for x in heads(row, page.number)}
                if not any(id(x) in out for x in row):
                    break
        gone += [x for x in page.lines if id(x) in out]
        page.lines = [x for x in page.lines if id(x) not in out]
    return gone


def _leading(pages: list[PageText]) -> float:
    """Returns the commonest distance between lines of text, 12 without any."""
    texts = ([x.base for x in page.lines if x.letters >= 20] for page in pages)
    apart = Counter(round(b - a) for bases in texts for a, b in pairwise(sorted(bases)) if b - a > 5)
    return apart.most_common(1)[0][0] if apart else 12


def _marked(line: Line) -> bool:
    """Returns whether a line starts with the raised mark of a footnote."""
    first = line.tokens[0]
    return first.base < line.base - 1 or (len(first.pieces) > 1 and bool(_MARK.fullmatch(first.pieces[0][1])))


def _keys(text: str, page: int, printed: Collection[int]) -> list[str]:
    """Returns a line's text, and variants with one number relative to the page's; not one ``printed`` separately."""
    text = text.lower()
    numbers = {int(n) for n in re.findall(r"\d{1,5}", text)}
    numbers.difference_update(() if _PAGE_NUMBER.fullmatch(text) else printed)
    return [text, *(re.sub(rf"(?<!\d){n}(?!\d)", f"{n - page:+}", text) for n in sorted(numbers)[:6])]


def _in_table(row: list[Line], page: PageText) -> bool:
    """Returns whether a row is below a caption in the upper half of a page, or between at least three drawn lines of
    equal length, the last of them just above a caption."""
    y, captions = row[0].base, [x.y0 for x in page.lines if CAPTION.match(x.text)]
    if any(caption < y < page.height / 2 for caption in captions):
        return True
    for left, _, right, _ in page.rules if captions else ():
        own = sorted(r[1] for r in page.rules if abs(r[0] - left) + abs(r[2] - right) < 3)
        if own[0] < y and any(y < bottom and 0 < caption - bottom < 30 for bottom in own[2:] for caption in captions):
            return True
    return False


def _page_numbers(line: Line) -> set[int]:
    """Returns candidates for the page number in a line: the line, its first word and its last."""
    match = _PAGE_NUMBER.fullmatch(line.text)
    texts = {match[1] if match else "", line.tokens[0].text, line.tokens[-1].text}
    return {int(t) for t in texts if _NUMBER.fullmatch(t)}


def _edge_rows(page: PageText, limit: float, *, top: bool) -> list[list[Line]]:
    """Returns the three outermost rows above or below a height, each with its lines from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(page.lines, key=lambda x: x.base if top else -x.base):
        if (line.y0 > limit) if top else (line.y1 < limit):
            break
        if rows and abs(rows[-1][0].base - line.base) <= 3:
            rows[-1].append(line)
        elif len(rows) == 3:
            break
        else:
            rows.append([line])
    return [sorted(row, key=lambda x: x.x0) for row in rows]
