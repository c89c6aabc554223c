"""Finds the lines of program and algorithm listings, which are kept whole as code and are never headings."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest

from engine.documents.page_text import Line, PageText, Rule

MONOSPACED = re.compile(r"mono|courier|consol|cmtt|typewriter|inconsolata|menlo|code", re.I)
_ADDRESS = re.compile(r"://|www\.|\w/\w[^ ]*[/.]|\w@\w", re.I)
_COUNTED = re.compile(r"(\d{1,3})(:?)\s")
_TITLE = re.compile(r"(?:algorithm|procedure|pseudo-?code)\s+[A-Z]?[.-]?\d{1,3}(?:\.\d{1,2})?\b", re.I)
_STEP = re.compile(
    r"(?:\d{1,3}:?\s+)?(?:(?:require|ensure|inputs?|outputs?|data|result|initiali[sz]e|parameters?)\s*:"
    r"|(?:procedure|function|for|foreach|while|if|else|elif|repeat|until|loop|end|return)\b|.*(?:;|\bdo|\bthen|←.*)$)",
    re.I,
)
_SYNTAX = re.compile(
    r"(?:\d{1,3}\s+)?(?:(?:def|class|for|while|if|elif|else|import|from|function|public|private|static|void|int|double|float|let"
    r"|const|var|end|print|library|#include|@\w)\b.*[(){}:;=]|.*[{};]$|.*\w\(.*\)[:;]?$|\w[\w.\[\], ]*\s?[-+*]?=\s?\S"
    r"|return\b|else:?$|try:$|(?:#|//|/\*)\s?\S)"
)

_FORMULA = re.compile("[\u0370-\u03ff\u2032\u2200-\u22ff\u27e8\u27e9]")


@dataclass(eq=False)
class _Row:
    """Lines on one baseline: a step and its number, or separate pieces of one."""

    lines: list[Line]

    @property
    def first(self) -> Line:
        return self.lines[0]

    @cached_property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @cached_property
    def letters(self) -> int:
        return sum(line.letters for line in self.lines)

    @property
    def x0(self) -> float:
        return self.first.x0

    @property
    def x1(self) -> float:
        return self.lines[-1].x1

    @cached_property
    def size(self) -> float:
        return max(self.lines, key=lambda line: line.letters).size

    @property
    def flush(self) -> bool:
        return self.x0 - self.first.left < 0.6 * self.size

    @property
    def full(self) -> bool:
        return self.first.right - self.x1 < 0.6 * self.size

    def is_celled(self) -> bool:
        """Returns whether it has gaps as wide as between table cells, except after a number."""
        gaps = [b.x0 - a.x1 for a, b in pairwise(self.lines) if not re.fullmatch(r"\d{1,3}:?", a.text)]
        return any(gap > 2.5 * self.size for gap in gaps) or sum(gap > 1.2 * self.size for gap in gaps) > 1


def mark_code(lines: list[Line], fixed: frozenset[str], font: str, pages: list[PageText]) -> None:
    """Marks lines of listings and algorithms: below the title of one; numbered "1:", "2:" in sequence; in a monospaced
    font; or in a font other than ``font``, the text's, and with program syntax; and single rows between such."""
    rows: list[_Row] = []
    for line in lines:
        last = rows[-1].lines[-1] if rows else None
        beside = last is not None and _place(last) == _place(line) and abs(last.base - line.base) < 0.4 * line.size
        if beside and last is not None and line.x0 > last.x1 - 0.2 * line.size:
            rows[-1].lines.append(line)
        else:
            rows.append(_Row([line]))
    rules = {page.number: page.rules for page in pages}
    code = _of_fixed_width(rows, fixed) | _counted(rows) | _of_other_font(rows, font)
    for number, row in enumerate(rows):
        if _TITLE.match(row.text):
            code |= _beneath_title(rows, number, rules.get(row.first.page, []))
    for a, b, c in zip(rows, rows[1:], rows[2:], strict=False):
        if {a, c} <= code and _near(a, b) and _near(b, c):
            code.add(b)
    for row in code:
        for line in row.lines:
            line.code = True


def _place(line: Line) -> tuple[int, int, int]:
    return line.page, line.column, line.band


def _near(a: _Row, b: _Row, lines: float = 2.6) -> bool:
    return _place(a.first) == _place(b.first) and 0 < b.first.base - a.first.base < lines * 1.2 * max(a.size, b.size)


def _of_fixed_width(rows: list[_Row], fixed: frozenset[str]) -> set[_Row]:
    """Returns rows in a monospaced font that are indented or adjacent, in runs of which under half are table-like."""

    def likely(row: _Row) -> bool:
        tokens = [t for line in row.lines for t in line.tokens]
        share = sum(len(t.text) for t in tokens if t.font in fixed) / row.letters
        return share >= 0.8 and not any(_ADDRESS.search(t.text) for t in tokens)

    code: set[_Row] = set()
    run: list[_Row] = []
    above: _Row | None = None
    for row in [*rows, None]:
        if row is not None and likely(row) and (not run or _near(run[-1], row)):
            run.append(row)
            continue
        if run:
            # The rest of a sentence that contains a program's name.
            runs_on = above is not None and _near(above, run[0]) and above.first.right - above.x1 < 2 * above.size
            runs_on = runs_on and not _SYNTAX.match(run[0].text)
            found = run[runs_on and run[0].flush :]
            indented = len(found) == 1 and found[0].x0 - found[0].first.left > 0.5 * found[0].size
            cells = sum(r.is_celled() and not _SYNTAX.match(r.text) for r in found)
            if (indented or len(found) > 1) and cells < 0.5 * len(found):
                code.update(found)
            above = run[-1]
        run = [row] if row is not None and likely(row) else []
        above = row if row is not None and not run else above
    return code


def _counted(rows: list[_Row]) -> set[_Row]:
    """Returns rows numbered in sequence with a colon ("1:"), and the up to three rows between two of them."""
    code: set[_Row] = set()
    run: list[int] = []
    for i, row in enumerate(rows):
        number = _COUNTED.match(row.text)
        if number is None or not number[2]:
            continue
        last = _COUNTED.match(rows[run[-1]].text) if run else None
        if last is None or int(number[1]) != int(last[1]) + 1 or i - run[-1] > 4:
            run = []
        run.append(i)
        if len(run) >= 3:
            code.update(rows[run[0] : i + 1])
    return code


def _of_other_font(rows: list[_Row], font: str) -> set[_Row]:
    """Returns runs of three or more rows in another font, 60 % with program syntax, none filling the column."""
    code: set[_Row] = set()
    run: list[_Row] = []
    for row in [*rows, None]:
        fits = row is not None and not any(line.font == font or line.italic for line in row.lines)
        fits = fits and row is not None and not row.is_celled()
        goes_on = not run or (row is not None and _near(run[-1], row, 1.9) and row.size == run[0].size)
        if row is not None and fits and goes_on and not (row.flush and row.full):
            run.append(row)
            continue
        if len(run) >= 3 and sum(bool(_SYNTAX.match(r.text)) and not _FORMULA.search(r.text) for r in run) >= 0.6 * len(
            run
        ):
            code.update(run)
        run = [row] if row is not None and fits else []
    return code


def _beneath_title(rows: list[_Row], at: int, rules: list[Rule]) -> set[_Row]:
    """Returns the steps of an algorithm below its title: up to the closing rule, or as far as they read like steps."""
    title = rows[at]
    under = [row for row in rows[at + 1 :] if _place(row.first) == _place(title.first)]
    across = [r for r in rules if r[2] - r[0] > 8 * title.size and r[0] - 3 < title.x0 < r[2] and r[3] - r[1] < 3]
    closing = [r[1] for r in across if r[1] > title.first.base + 1.8 * title.size]
    if any(abs(r[1] - title.first.base) < 1.8 * title.size for r in across) and closing:
        return {row for row in under if row.first.base < min(closing)}
    if not title.first.tokens[0].bold:
        return set()
    found: list[_Row] = []
    for row, following in zip_longest(under, under[1:]):
        prose = row.flush and (row.full or following is None) and not _STEP.match(row.text)
        if prose or not _near(found[-1] if found else title, row, 1.7 if found else 2.6):
            break
        found.append(row)
    steps = sum(bool(_STEP.match(row.text)) for row in found)
    return set(found) if steps >= max(2, 0.4 * len(found)) else set()


def fixed_fonts(lines: list[Line]) -> frozenset[str]:
    """Returns monospaced fonts: those named so, or whose letters all have the same width."""
    widths: dict[str, dict[str, float]] = defaultdict(dict)
    for line in lines:
        for token in line.tokens:
            if token.size <= 0 or len(token.pieces) != 1 or len(set(token.text)) <= 2:
                continue
            if re.search(r"[^\W\d_\u2e80-\uffef]{2}", token.text):  # Chinese letters are all as wide
                widths[token.font][token.text] = (token.x1 - token.x0) / len(token.text) / token.size
    found = set()
    for font, known in widths.items():
        ordered = sorted(known.values())
        spread = ordered[-1 - len(ordered) // 10] - ordered[len(ordered) // 10]
        if MONOSPACED.search(font) or (len(known) >= 4 and spread < 0.03 * ordered[len(ordered) // 2]):
            found.add(font)
    return frozenset(found)
