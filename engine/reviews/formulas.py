"""Draws formulas with Matplotlib's mathtext, which covers a large part of LaTeX's mathematics without TeX installed.

Mathtext has no environments: matrices, cases and aligned lines are assembled here, cell by cell.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ink = NDArray[np.uint8]

_BEGIN = re.compile(r"\\begin\{(?P<name>[a-zA-Z]+\*?)\}")
_NAMES = {
    r"\lt": "<", r"\gt": ">", r"\operatorname*": r"\mathrm", r"\operatorname": r"\mathrm", r"\textrm": r"\mathrm",
    r"\mbox": r"\mathrm", r"\boldsymbol": r"\mathbf", r"\tfrac": r"\frac", r"\dfrac": r"\frac",
    r"\dots": r"\ldots", r"\dotsc": r"\ldots", r"\textbf": r"\mathbf", r"\textit": r"\mathit", r"\texttt": r"\mathtt",
    r"\lVert": r"\Vert", r"\rVert": r"\Vert", r"\lvert": r"\vert", r"\rvert": r"\vert",
    r"\implies": r"\Longrightarrow", r"\iff": r"\Longleftrightarrow", r"\land": r"\wedge", r"\lor": r"\vee",
    r"\mathbin": "", r"\mathrel": "",
    r"\mathop": "", r"\displaystyle": "", r"\textstyle": "", r"\limits": "", r"\nolimits": "", r"\nonumber": "",
    r"\notag": "", r"\tag*": r"\quad ", r"\quad": r"\;\;\;",
}  # fmt: skip
"""Commands that mathtext calls differently or doesn't know."""
_DROPPED = re.compile(r"\\(?:color|textcolor|label)\s*\{[^{}]*\}")
_DELIMITERS = {
    "pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "Bmatrix": (r"\{", r"\}"), "vmatrix": ("|", "|"),
    "Vmatrix": (r"\Vert", r"\Vert"), "cases": (r"\{", ""), "rcases": ("", r"\}"),
}  # fmt: skip
_LEFT = re.compile(r"\\left\s*(\\[{}|]|\\[a-zA-Z]+|[^\s\\])\s*$")
_RIGHT = re.compile(r"^\s*\\right\s*(\\[{}|]|\\[a-zA-Z]+|[^\s\\])")
_ALIGNED = re.compile(r"align|split|eqnarray")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class FormulaPicture:
    """The intensity of the ink, 0 to 255, row by row; ``depth`` pixels lie below the baseline. Without a picture
    (``width`` 0) ``why`` says why it can't be drawn."""

    width: int
    height: int
    depth: int
    ink: bytes
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Box:
    ink: Ink
    depth: int

    @property
    def above(self) -> int:
        return int(self.ink.shape[0]) - self.depth


def draw(tex: str, size: float, dpi: float = 96.0) -> FormulaPicture:
    """Draws a formula at ``size`` points. What mathtext doesn't support is reported, not approximated."""
    from matplotlib.mathtext import MathTextParser

    source = _DROPPED.sub("", tex)
    for name, other in sorted(_NAMES.items(), key=lambda item: -len(item[0])):
        source = re.sub(re.escape(name) + r"(?![a-zA-Z])", other.replace("\\", r"\\"), source)
    try:
        box = _Setter(MathTextParser("agg"), size, dpi).set(" ".join(source.split()))
    except (ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()
        return FormulaPicture(
            0, 0, 0, b"", f"This formula can't be drawn here ({reason[-1] if reason else 'unknown'})."
        )
    height, width = box.ink.shape
    return FormulaPicture(width, height, box.depth, box.ink.tobytes())


class _Setter:
    def __init__(self, parser: Any, size: float, dpi: float) -> None:
        from matplotlib.font_manager import FontProperties

        self._parser, self._dpi = parser, dpi
        self._font = FontProperties(size=size, math_fontfamily="cm")
        self._em = max(4, round(size * dpi / 72))

    def set(self, source: str, deep: int = 0) -> _Box:
        """Draws a formula, with its environments as grids. Raises ValueError for what can't be drawn."""
        begin = _BEGIN.search(source)
        if begin is None:
            return self._plain(source)
        end = _end_of(source, begin)
        if end is None or deep > _DEEPEST:
            raise ValueError(f"\\begin{{{begin['name']}}} without its end")
        body = source[begin.end() : end[0]]
        before, after = source[: begin.start()], source[end[1] :]
        left, right = _DELIMITERS.get(begin["name"].rstrip("*"), ("", ""))
        opened, closed = _LEFT.search(before), _RIGHT.search(after)
        if opened and closed:
            left, right = opened[1].strip("."), closed[1].strip(".")
            before, after = before[: opened.start()], after[closed.end() :]
        grid = self._grid(begin["name"], body, deep)
        parts = [self._plain(before)] if before.strip() else []
        parts += [self._stretched(left, grid)] if left else []
        parts.append(grid)
        parts += [self._stretched(right, grid)] if right else []
        parts += [self.set(f"{{}}{after}" if after.lstrip()[:1] in "^_" else after, deep + 1)] if after.strip() else []
        return _beside(parts, round(0.12 * self._em))

    def _plain(self, source: str) -> _Box:
        if not source.strip():
            return _Box(np.zeros((1, 1), np.uint8), 0)
        parsed = self._parser.parse(f"${source.strip()}$", self._dpi, self._font)
        return _Box(np.asarray(parsed.image, np.uint8), round(parsed.depth))

    def _grid(self, name: str, body: str, deep: int) -> _Box:
        if name.rstrip("*") in ("array", "alignedat", "alignat", "tabular"):
            body = re.sub(r"^\s*(?:\[[^\]]*\])?\{[^{}]*\}", "", body)
        rows = [[self.set(cell, deep + 1) for cell in _parted(row, "&")] for row in _parted(body, r"\\") if row.strip()]
        if not rows:
            raise ValueError(f"\\begin{{{name}}} without anything in it")
        aligned = bool(_ALIGNED.match(name))
        gap = 0 if aligned else round((1.0 if "cases" in name else 0.6) * self._em)
        count = max(map(len, rows))
        wide = [max((r[n].ink.shape[1] for r in rows if n < len(r)), default=0) for n in range(count)]
        lines = []
        for row in rows:
            above, below = max(cell.above for cell in row), max(cell.depth for cell in row)
            line = np.zeros((above + below, sum(wide) + gap * (count - 1)), np.uint8)
            at = 0
            for number, cell in enumerate(row):
                free = wide[number] - cell.ink.shape[1]
                even = number % 2 == 0
                shift = (free if even else 0) if aligned else 0 if "cases" in name else free // 2
                top = above - cell.above
                line[top : top + cell.ink.shape[0], at + shift : at + shift + cell.ink.shape[1]] = cell.ink
                at += wide[number] + gap
            lines += [line, np.zeros((round(0.35 * self._em), line.shape[1]), np.uint8)]
        ink = np.vstack(lines[:-1])
        axis = round(0.25 * self._em)  # a grid is centred on the math axis, where minus signs and fractions are
        return _Box(ink, max(0, ink.shape[0] // 2 - axis))

    def _stretched(self, sign: str, beside: _Box) -> _Box:
        """Draws a bracket as high as the box next to it."""
        from PIL import Image

        glyph = self._plain(sign).ink
        rows = np.flatnonzero(glyph.any(axis=1))
        if not rows.size:
            raise ValueError(f"{sign} isn't a bracket")
        cut = Image.fromarray(glyph[rows[0] : rows[-1] + 1])
        high = int(beside.ink.shape[0])
        return _Box(np.asarray(cut.resize((cut.width, high), Image.Resampling.BILINEAR), np.uint8), beside.depth)


def _beside(parts: Sequence[_Box], gap: int) -> _Box:
    above, below = max(part.above for part in parts), max(part.depth for part in parts)
    placed = []
    for part in parts:
        high, wide = part.ink.shape
        column = np.zeros((above + below, wide + gap), np.uint8)
        column[above - part.above : above - part.above + high, :wide] = part.ink
        placed.append(column)
    return _Box(np.hstack(placed), below)


def _end_of(source: str, begin: re.Match[str]) -> tuple[int, int] | None:
    """Returns the positions before and after the ``\\end`` of the environment that ``begin`` opens."""
    depth = 0
    for match in re.finditer(r"\\(begin|end)\{" + re.escape(begin["name"]) + r"\}", source[begin.start() :]):
        depth += 1 if match[1] == "begin" else -1
        if depth == 0:
            return begin.start() + match.start(), begin.start() + match.end()
    return None


def _parted(source: str, mark: str) -> Iterator[str]:
    """Yields the parts of a text between marks that aren't inside braces or a nested environment."""
    depth = start = at = 0
    while at < len(source):
        if source.startswith(mark, at) and depth == 0:
            yield source[start:at]
            at = start = at + len(mark)
            continue
        if source.startswith((r"\begin{", r"\end{"), at):
            depth += 1 if source.startswith(r"\begin{", at) else -1
            at = source.find("}", at)
            if at < 0:
                break
        elif source[at] == "\\":
            at += 1
        elif source[at] in "{}":
            depth += 1 if source[at] == "{" else -1
        at += 1
    yield source[start:]
