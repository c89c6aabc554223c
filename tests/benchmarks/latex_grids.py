"""Reads tables from the LaTeX source of papers, for comparison with what the program reads in the PDF.

``latex_grids(folder)`` reads ``folder/<paper>/`` with ``paper.pdf``, ``paper.aux`` and ``main.tex`` (with its inputs
beside it). Tables are left out that have no number in the PDF's captions, several tabulars, fewer than 2 rows, numbers
with gaps beside the names of rows, headings between the rows, or whose numbers aren't on one page of the PDF; also if
two captions of a paper start alike, two tables have one number, a fifth of the rows share a name, or names contain
markup, and samples of journal classes. Nothing here is part of the checker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.table_grids import UNITS, Grid, value_of

_TABLE = re.compile(r"\\begin\{(table\*?|wraptable|sidewaystable)\}(.*?)\\end\{\1\}", re.DOTALL)
_TABULAR = re.compile(r"\\begin\{(tabular[*xy]?|tabulary)\}(.*?)\\end\{\1\}", re.DOTALL)
_RULE = re.compile(
    r"\\(?:toprule|midrule|bottomrule|hline|hdashline|specialrule\{[^}]*\}\{[^}]*\}\{[^}]*\}|addlinespace(?:\[[^]]*\])?"
    r"|(?:cmidrule|cline|cdashline)(?:\([^)]*\))?(?:\[[^]]*\])?(?:\([^)]*\))?\{[^}]*\}"
    r"|rowcolors?(?:\[[^]]*\])?\{[^}]*\}(?:\{[^}]*\})*|noalign\{[^}]*\}|Xhline\{[^}]*\})"
)
_SYMBOLS = {
    r"\pm": "±", r"\times": "×", r"\uparrow": "↑", r"\downarrow": "↓", r"\alpha": "α", r"\beta": "β", r"\lambda": "λ",
    r"\sigma": "σ", r"\mu": "μ", r"\rho": "ρ", r"\tau": "τ", r"\epsilon": "ϵ", r"\Delta": "Δ", r"\gamma": "γ",
    r"\theta": "θ", r"\leq": "≤", r"\geq": "≥", r"\checkmark": "✓", r"\dagger": "†", r"\ddagger": "‡", r"\infty": "∞",
}  # fmt: skip
_SAMPLE = re.compile(r"[Tt]ables? which (?:is|are) (?:set to full|too long to fit)")
"""Captions of samples that come with journal classes and remain in some manuscripts."""
Cell = tuple[str, int, int]
"""Text, and the numbers of columns and rows that it spans."""


def latex_grids(folder: Path) -> Iterator[Grid]:
    """Yields the tables of all papers in a folder."""
    for main in sorted(folder.glob("*/main.tex")):
        yield from grids_of(main)


def grids_of(main: Path) -> list[Grid]:
    """Returns the tables of one paper."""
    source = _with_inputs(main.read_text(encoding="utf-8", errors="replace"), main.parent)
    source = source.partition(r"\begin{document}")[2]
    macros = _macros(main.parent, _with_inputs(main.read_text(encoding="utf-8", errors="replace"), main.parent))
    aux = (main.parent / "paper.aux").read_text(encoding="utf-8", errors="replace")
    numbers: dict[str, str] = dict(re.findall(r"\\newlabel\{([^}]+)\}\{\{\{?([\w.]+)\}?\}", aux))
    pages = _pages(main.parent / "paper.pdf")
    found: list[tuple[str, Grid]] = []
    for table in _TABLE.finditer(source):
        body = table[2]
        label = re.search(r"\\label\s*\{([^}]+)\}", body)
        number = numbers.get(label[1].strip()) if label else None
        tabulars = list(_TABULAR.finditer(body))
        if _SAMPLE.search(body) or (label and label.start() < body.find(r"\caption")):
            continue  # such a label has the number of a section
        if (
            number is None
            or len(tabulars) != 1
            or re.search(r"\\(?:sub)?caption\*?\s*[\[{].*\\(?:sub)?caption\*?\s*[\[{]", body, re.S)
        ):
            continue
        grid = _grid(tabulars[0][2], macros, main.parent, number)
        if grid is not None and any(_on_page(grid, page) for page in pages):
            found.append((_caption(body), grid))
    begins = Counter(caption[:40] for caption, _ in found)
    own = Counter(grid.number for _, grid in found)  # several tables with one number have that of a section
    return [g for caption, g in found if begins[caption[:40]] == own[g.number] == 1 and _apart(g)]


def _apart(grid: Grid) -> bool:
    names = Counter(grid.rows)
    unclear = any(
        re.search(r"\^|\b_|_\b|[\\<>{}|]|\(\)|\d\.\d.*\d\.\d|[^\W\d]+ \+?\d+\.\d+$", name) or not name
        for name in (*grid.rows, *grid.columns)
    )
    return not unclear and sum(n for n in names.values() if n > 1) < 0.2 * len(grid.rows)


def _caption(body: str) -> str:
    found = re.search(r"\\caption(?:\[[^]]*\])?\s*\{", body)
    return plain_text(_braced(body, found.end() - 1)[0], {}) if found else ""


def _pages(pdf: Path) -> list[Counter[str]]:
    import pymupdf

    with pymupdf.open(pdf) as document:
        return [Counter(re.findall(r"\d+(?:[.,]\d+)*", re.sub(r"[−–]", "-", page.get_text()))) for page in document]


def _on_page(grid: Grid, page: Counter[str]) -> bool:
    wanted = Counter(v.digits.lstrip("-+") for row in grid.values for v in row if v)
    return sum((wanted & page).values()) >= 0.95 * wanted.total()


def _with_inputs(source: str, folder: Path, depth: int = 0) -> str:
    source = re.sub(r"(?<!\\)%.*", "", source)
    source = re.sub(r"\\begin\{comment\}.*?\\end\{comment\}", "", source, flags=re.DOTALL)

    def read(match: re.Match[str]) -> str:
        path = folder / match[1].strip()
        path = path if path.suffix == ".tex" and path.exists() else path.with_name(path.name + ".tex")
        return (
            _with_inputs(path.read_text(encoding="utf-8", errors="replace"), folder, depth + 1)
            if path.exists() and depth < 5
            else ""
        )

    return re.sub(r"\\(?:input|include|subfile)\s*\{([^}]+)\}", read, source)


def _macros(folder: Path, source: str) -> dict[str, str]:
    """Returns macros without arguments."""
    texts = [source, *(p.read_text(encoding="utf-8", errors="replace") for p in folder.glob("*.sty"))]
    found = {}
    for text in texts[:1]:
        for match in re.finditer(r"\\(?:newcommand|renewcommand|def)\*?\s*\{?(\\[A-Za-z]+)\}?\s*(?=\{)", text):
            meant = _braced(text, match.end())[0]
            found[match[1]] = "" if re.search(r"\\(?:arrayrulewidth|hrule|vrule|hline)", meant) else meant
    return found


def _braced(text: str, start: int) -> tuple[str, int]:
    """Returns the text in the braces that open at ``start``, and the position after them."""
    depth = 0
    for n in range(start, len(text)):
        if text[n] == "{" and text[n - 1 : n] != "\\":
            depth += 1
        elif text[n] == "}" and text[n - 1 : n] != "\\":
            depth -= 1
            if depth == 0:
                return text[start + 1 : n], n + 1
    return text[start + 1 :], len(text)


def plain_text(latex: str, macros: dict[str, str]) -> str:
    """Converts LaTeX to the text that a person reads."""
    text = latex
    for _ in range(3):
        text = re.sub(r"\\[A-Za-z]+", lambda m: macros.get(m[0], m[0]), text)
    text = re.sub(
        r"\\(?:[a-z]*cite[a-z]*|footnote(?:mark)?|label|[vh]space|tnote|fontfamily)\s*\*?(?:\s*\[[^]]*\])*\s*\{[^{}]*\}",
        "",
        text,
    )
    text = re.sub(r"\\(?:ref|eqref|cref)\{[^}]*\}", "", text)
    text = re.sub(r"\\(?:textcolor|color|cellcolor|colorbox)(?:\[[^]]*\])?\{[^{}]*\}", "", text)
    text = re.sub(r"\\(?:rotatebox|raisebox|makebox|parbox|resizebox)(?:\[[^]]*\])*\{[^{}]*\}(?:\[[^]]*\])*", "", text)
    text = re.sub(r"\\(?:makecell|thead|shortstack)(?:\[[^]]*\])?\{", "{", text).replace(r"\\", " ")
    for command, sign in _SYMBOLS.items():
        text = re.sub(re.escape(command) + r"(?![A-Za-z])", sign, text)
    text = re.sub(r"\\[hv]?phantom\s*\{[^{}]*\}", "", text)
    text = re.sub(r"\\(log|ln|exp|sin|cos|min|max)(?![A-Za-z])", r"\1 ", text)
    text = re.sub(r"\^\s*\{?\s*(?:\\circ)\s*\}?", "°", text)
    text = re.sub(r"\\(?:[,;:!]|quad|qquad)", " ", text).replace("~", " ")
    text = re.sub(r"\\([%&#$_{}])", lambda m: "\0" if m[1] == "_" else m[1] if m[1] not in "{}" else "", text)
    text = re.sub(r"\\[A-Za-z]+\*?(?:\[[^]]*\])?", "", text)
    text = re.sub(r"[_^]\s*\{?([*†‡]|\\?[A-Za-z]+|\d+)\}?", lambda m: "" if m[1] in "*†‡" else m[1], text)
    text = re.sub(r"\$|[{}]", "", text).replace("---", "—").replace("--", "–").replace("``", "").replace("''", "")
    return " ".join(text.replace("\0", "_").split())


def _rows(body: str, macros: dict[str, str]) -> tuple[list[list[Cell]], list[int]]:
    """Returns the rows, and how many are above each rule."""
    body = body[_spec_end(body) :]
    body = re.sub(
        r"\\multirow(?:\[[^]]*\])?\s*\{([^}]*)\}(?:\[[^]]*\])?\s*\{[^}]*\}(?:\[[^]]*\])?\s*(?=\{)", r"\\ROWS{\1}", body
    )
    body = _RULE.sub(lambda m: "\1" if re.search(r"midrule|\\hline|specialrule", m[0]) else " ", body)
    rows: list[list[Cell]] = []
    ends: list[int] = []
    for row in _split(body, r"\\"):
        if rows and "\1" in row[: len(row) - len(row.lstrip(" \n\t\1"))]:
            ends.append(len(rows))
        line = re.sub(r"^\s*\[[^]]*\]", "", row.replace("\1", " ")).replace(r"\tabularnewline", "")
        cells: list[Cell] = []
        for cell in _split(line, "&"):
            across, down, part = 1, 1, cell
            found = re.match(r"\s*\\multicolumn\s*\{\s*(\d+)\s*\}\s*\{", part)
            if found:
                across = int(found[1])
                part = part[_braced(part, found.end() - 1)[1] :]
            if span := re.search(r"\\ROWS\{\s*([-+]?\d+|\*)\s*\}", part):
                down = int(span[1]) if span[1] != "*" else 1
                part = part.replace(span[0], "")
            cells.append((plain_text(part, macros), across, down))
        if any(text for text, _, _ in cells):
            rows.append(cells)
    return rows, ends


def _spec_end(body: str) -> int:
    at = 0
    while (found := re.compile(r"\s*(?:\[[^]]*\]|(?=\{))").match(body, at)) and found.end() < len(body):
        if body[found.end() : found.end() + 1] != "{":
            at = found.end()
            continue
        spec, end = _braced(body, found.end())
        at = end
        if re.search(r"[lcrXpmSLCR]", re.sub(r"\\[A-Za-z]+", "", spec)):
            return at
    return at


def _split(text: str, by: str) -> list[str]:
    """Splits a text at "&" or a double backslash outside of braces."""
    parts, depth, last, n = [], 0, 0, 0
    while n < len(text):
        if text.startswith("\\\\", n):
            if by == r"\\" and depth == 0:
                parts.append(text[last:n])
                last = n + 2
            n += 2
            continue
        if text[n] == "\\":
            n += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[n], 0)
        if by == text[n] and depth == 0:
            parts.append(text[last:n])
            last = n + 1
        n += 1
    return [*parts, text[last:]]


def _grid(body: str, macros: dict[str, str], folder: Path, number: str) -> Grid | None:
    rows, ends = _rows(body, macros)
    width = max((sum(across for _, across, _ in row) for row in rows), default=0)
    texts = [[""] * width for _ in rows]
    spans = [[False] * width for _ in rows]
    for r, row in enumerate(rows):
        at = 0
        for text, across, down in row:
            reach = range(r, min(len(rows), r + down)) if down > 0 else range(max(0, r + down + 1), r + 1)
            for c in range(at, min(width, at + across)):
                for k in reach:
                    if text:
                        texts[k][c] = text
                        spans[k][c] = across > 1
            at += across
    values = [
        [value_of(text) if not spans[r][c] else None for c, text in enumerate(row)] for r, row in enumerate(texts)
    ]
    most = max((sum(v is not None for v in row) for row in values), default=0)
    head = next((r for r, row in enumerate(values) if 2 * sum(v is not None for v in row) > most), 0)
    if head not in ends:  # rows of words below the headings
        head = max((end for end in ends if end < head), default=head)
    body = [r for r in range(head, len(rows)) if any(values[r])]
    numeric = [c for c in range(1, width) if 2 * sum(values[r][c] is not None for r in body) > len(body)]
    beside = [c for c in range(width) if numeric and c < numeric[0]]
    if not head or not beside:
        return None
    if any(2 * sum(values[r][c] is not None for r in body) > sum(bool(texts[r][c]) for r in body) for c in beside if c):
        return None  # a column of numbers with gaps, which doesn't name rows
    words = ([c for c in numeric if texts[r][c] and not spans[r][c]] for r in range(head, len(rows)) if r not in body)
    if any(len(row) > max(1, len(numeric) / 2) for row in words):
        return None  # further headings within the table
    last = [values[head - 1][c] is not None for c in numeric if texts[head - 1][c]]
    if any(last) and not all(last):
        return None  # a row of the table with few numbers
    names, found, last = [], [], [""] * width
    for r in range(head, len(rows)):
        if not any(values[r][c] for c in numeric):
            continue
        for c in beside:
            if texts[r][c] or c == beside[-1]:
                last[c] = texts[r][c]
        names.append(" ".join(dict.fromkeys(last[c] for c in beside if last[c])))
        found.append(tuple(values[r][c] for c in numeric))
    if len(found) < 2 or len(numeric) < 1:
        return None
    columns, units = [], []
    # A text over all columns is a title of the rows below.
    titles = [len({*texts[r][1:]}) == 1 and spans[r][-1] for r in range(head)]
    for c in numeric:
        heading = " ".join(dict.fromkeys(texts[r][c] for r in range(head) if texts[r][c] and not titles[r]))
        unit = re.search(r"[(\[]([^()\[\]]*)[)\]]\s*[↑↓]?$", heading)
        units.append(UNITS.get(unit[1], "") if unit else "%" if "%" in heading else "")
        heading = re.sub(r"\s*[↑↓]", "", heading)
        columns.append(
            re.sub(r"\s*[(\[]([^()\[\]]*)[)\]]$", lambda m: "" if m[1] in UNITS else m[0], heading)
            .replace("%", "")
            .strip()
        )
    better = ""
    words = " ".join(columns).lower()
    if (
        all(
            re.search(r"accura|f1|f-?score|precision|recall|bleu|auc|map\b|\bacc", column.lower()) for column in columns
        )
        and words
    ):
        better = "high"
    whole = [v for row in found for v in row if v]
    fraction = bool(whole) and all(0 <= v.number <= 1 for v in whole) and any(v.places >= 2 for v in whole)
    return Grid(
        folder.name,
        folder / "paper.pdf",
        number,
        tuple(names),
        tuple(columns),
        tuple(found),
        tuple(units),
        better=better,
        fraction=fraction,
    )
