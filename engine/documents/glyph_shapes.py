"""Checks whether a PDF's glyphs look like the characters they yield. Uses MuPDF; runs in the worker.

A font can claim anything: its character map (ToUnicode), glyph names and encoding are all chosen by the author, while a
reader sees outlines. So MuPDF draws every glyph in use separately, from the same font object, and it is compared with
the same character in reference fonts: those built into MuPDF and those shipped with matplotlib. The comparison is
coarse: a glyph is reported only if it clearly is another character.
"""

import contextlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pymupdf
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Verdict = Literal["same", "unknown", "differs", "blank", "too long"]
Use = tuple[str, int, str]
"""Font name, glyph number in the font, and the text that the glyph yields."""
UNKNOWN_GLYPH = 1 << 20
"""Glyph number if only the font and the text are known."""

_SIZE, _CELL, _LEFT, _BASE = 32, 72, 20, 22
"""In pixels: the em, the side of a glyph's cell, and its origin in the cell, from the left and from the bottom."""
_SIDE = 16
_ROW = 40
"""Cells per row of a sheet."""
_MOST_CELLS = 6_000
"""Greatest number of glyphs examined per document."""
_MOST_CODES = 4_000
"""Greatest number of codes tried per composite font."""
_CLOSE, _MARGIN = 0.115, 1.35
"""A glyph is another character if its distance to that is below ``_CLOSE`` and ``_MARGIN`` times smaller than to its
own. A distance is the mean difference of ink per grid cell plus a term for the proportions."""
_LOW, _FLAT, _NARROW = 0.25, 0.4, 0.5
"""A glyph lower than ``_LOW`` em and than ``_FLAT`` of its advance is a mark, not a letter. Several letters are wider
than ``_NARROW`` of their width in Helvetica."""
_JOINED = re.compile("f[fbhijklt]+|ti|tt|t[iz]|Th|[sc]t|s[psh]|c[hk]|i?j|[ao]e|[dln][jz]|[QLg][ujy]", re.IGNORECASE)
"""Letters that fonts may draw as one glyph."""
_WORSE: tuple[Verdict, ...] = ("blank", "unknown", "same", "differs", "too long")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_BUILT_IN = ("helv", "hebo", "heit", "tiro", "tibo", "tiit", "cour", "cobo")
_SHIPPED = (
    "DejaVuSerif.ttf", "DejaVuSans.ttf", "cmr10.ttf", "cmb10.ttf", "cmss10.ttf", "cmtt10.ttf", "cmmi10.ttf",
    "STIXGeneralItalic.ttf", "DejaVuSans-Oblique.ttf",
)  # fmt: skip
_ALIKE = (
    "0oq",
    "1iljt",
    "il",
    "5s",
    "2z",
    "8b",
    "uv",
    "vy",
    "ceo",
    "nh",
    "nr",
    "rf",
    "ft",
    "gq",
    "9gq",
    "6b",
    "ocd",
    "hb",
    "ao",
    "17",
    "cg",
    "pd",
)
"""Characters drawn much alike or like each other: italic a and o, old-style digits, swashes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The result for a glyph use: ``drawn`` is the character it looks like, "" if none is certain; ``font`` (object
    number) and ``code`` (hexadecimal) draw it, ``ink`` is the area it covers in em²."""

    verdict: Verdict
    drawn: str = ""
    font: int = 0
    code: str = ""
    ink: float = 0.0


def fold(text: str) -> str:
    """Returns a character without case and marks; "" if it isn't a single ASCII letter or digit."""
    letters = [c for c in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(c)]
    return letters[0] if len(letters) == 1 and letters[0].isascii() and letters[0].isalnum() else ""


@cache
def _alike() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {fold(c): {fold(c)} for c in _LETTERS}
    for group in _ALIKE:
        for c in group:
            found[c].update(group)
    return {c: frozenset(others) for c, others in found.items()}


# --- drawing glyphs by themselves ------------------------------------------------------------------------------------
@contextlib.contextmanager
def scratch_page(document: Any, size: tuple[float, float], fonts: Mapping[str, str], content: str) -> Iterator[Any]:
    """Provides a temporary page of ``size`` (points) with ``content``, and removes it afterwards. ``fonts`` maps names
    used in the content to object references."""
    page = document.new_page(-1, width=size[0], height=size[1])
    number = page.xref
    try:
        named = " ".join(f"/{name} {reference}" for name, reference in fonts.items())
        document.xref_set_key(number, "Resources", f"<</Font<<{named}>>>>")
        stream = document.get_new_xref()
        document.update_object(stream, "<<>>")
        document.update_stream(stream, content.encode("ascii"), compress=False)
        document.xref_set_key(number, "Contents", f"{stream} 0 R")
        yield document.reload_page(page)
    finally:
        document.delete_page(document.page_count - 1)
        document.update_object(number, "<<>>")  # an unused page would be reported as hidden


def _sheet(document: Any, fonts: Mapping[str, str], cells: Sequence[tuple[str, str, float]], *, traced: bool) -> Any:
    """Draws one code per cell on a temporary page. ``fonts`` maps resource names to references; ``cells`` are (resource
    name, hexadecimal code, pixels per em). Returns the trace or an image array (cells, _CELL, _CELL)."""
    rows = -(-len(cells) // _ROW)
    parts = []
    for number, (name, code, em) in enumerate(cells):
        x, y = number % _ROW * _CELL, (rows - 1 - number // _ROW) * _CELL
        parts.append(
            f"q {x} {y} {_CELL} {_CELL} re W n BT /{name} {em:.2f} Tf 1 0 0 1 {x + _LEFT} {y + _BASE} Tm"
            f" <{code}> Tj ET Q"
        )
    with scratch_page(document, (_ROW * _CELL, max(1, rows) * _CELL), fonts, "\n".join(parts)) as page:
        if traced:
            return page.get_texttrace()
        drawn = page.get_pixmap(colorspace=pymupdf.csGRAY, alpha=False, annots=False)
        ink = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width]
        return ink.reshape(rows, _CELL, _ROW, _CELL).swapaxes(1, 2).reshape(-1, _CELL, _CELL)[: len(cells)]


def _features(ink: Any) -> tuple[Floats, Any, Any]:
    """Returns the ink boxes stretched to grids (n, _SIDE²), proportions (n, 3), and a mask of cells with ink (n)."""
    dark = 1 - ink.astype(np.float32) / 255
    count = len(dark)
    grids = np.zeros((count, _SIDE * _SIDE), np.float32)
    shapes = np.zeros((count, 3), np.float32)
    some = np.zeros(count, bool)
    edges = np.arange(_SIDE + 1) / _SIDE
    for n, cell in enumerate(dark):
        rows, columns = np.flatnonzero(cell.max(axis=1) > 0.3), np.flatnonzero(cell.max(axis=0) > 0.3)
        if not len(rows):
            continue
        some[n] = True
        top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
        # Area means over a grid from interpolated cumulative sums, which works for glyphs of any size.
        sums = np.pad(cell[top:bottom, left:right].cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
        high, wide = bottom - top, right - left
        sums = _between(_between(sums, edges * high, 0), edges * wide, 1)
        grids[n] = (np.diff(np.diff(sums, axis=0), axis=1) / (high * wide / _SIDE**2)).ravel()
        shapes[n] = (np.log(wide / high), (_CELL - _BASE - bottom) / _SIZE, high / _SIZE)
    return grids, shapes, some


def _between(sums: Any, places: Any, axis: int) -> Any:
    low = np.minimum(places.astype(int), sums.shape[axis] - 2)
    part = places - low
    part = part[:, None] if axis == 0 else part[None, :]
    return np.take(sums, low, axis) * (1 - part) + np.take(sums, low + 1, axis) * part


@cache
def _references() -> tuple[Floats, Any, tuple[str, ...], dict[str, float]]:
    """Returns grids and proportions of ``_LETTERS`` in all reference fonts, their characters, and Helvetica widths
    (em)."""
    # Only its folder is located: importing matplotlib takes longer than everything done here.
    origin = getattr(find_spec("matplotlib"), "origin", None) or "."
    folder = Path(origin).parent / "mpl-data" / "fonts" / "ttf"
    fonts: dict[str, str] = {}
    cells: list[tuple[str, str, float]] = []
    with pymupdf.open() as document:
        page = document.new_page()
        for name in _BUILT_IN:
            fonts[name] = f"{page.insert_font(fontname=name)} 0 R"
            cells += [(name, f"{ord(c):02x}", _SIZE) for c in _LETTERS]
        for number, file in enumerate(_SHIPPED):
            if not (folder / file).is_file():
                continue
            name = f"F{number}"
            fonts[name] = f"{page.insert_font(fontname=name, fontfile=str(folder / file))} 0 R"
            font = pymupdf.Font(fontfile=str(folder / file))
            cells += [(name, f"{font.has_glyph(ord(c)):04x}", _SIZE) for c in _LETTERS]
        grids, shapes, some = _features(_sheet(document, fonts, cells, traced=False))
        helvetica = pymupdf.Font("helv")
        widths = {c: float(helvetica.glyph_advance(ord(c))) for c in map(chr, range(32, 127))}
    characters = tuple(fold(_LETTERS[n % len(_LETTERS)]) for n in range(len(cells)))
    kept = [n for n in range(len(cells)) if some[n]]
    return grids[kept], shapes[kept], tuple(characters[n] for n in kept), widths


# --- judging ---------------------------------------------------------------------------------------------------------
def _judge(claims: Sequence[tuple[str, float]], ink: Any, ems: Sequence[float]) -> list[Shape]:
    """Compares glyphs with the references; ``claims`` are (text, advance in em), ``ems`` pixels per em of ``ink``."""
    grids, shapes, some = _features(ink)
    reference, proportions, characters, _ = _references()
    kinds = sorted(set(characters))
    at = {c: n for n, c in enumerate(kinds)}
    numbers = np.array([at[c] for c in characters])
    ordered = np.argsort(numbers, kind="stable")
    reference, proportions = reference[ordered], proportions[ordered]
    begins = np.searchsorted(numbers[ordered], np.arange(len(kinds)))
    result: list[Shape] = []
    for n, (claim, advance) in enumerate(claims):
        if not some[n]:
            result.append(Shape("blank"))
            continue
        distance = np.abs(reference - grids[n]).mean(axis=1)
        apart = np.abs(proportions - shapes[n])
        distance = distance + 0.12 * np.minimum(apart[:, 0], 1) + 0.08 * np.minimum(apart[:, 1] * 4, 1)
        best = np.minimum.reduceat(distance, begins)
        nearest = int(best.argmin())
        drawn = kinds[nearest]
        letters = "".join(c for c in claim if c.isalnum())
        high = float(shapes[n, 2]) * _SIZE / ems[n]
        own = fold(letters)
        if letters.isascii() and high < min(_LOW, _FLAT * advance):
            result.append(Shape("differs"))
        elif len(letters) > 1:
            other = letters.isascii() and not _JOINED.fullmatch(letters)
            narrow = float(np.exp(shapes[n, 0])) * high < _NARROW * _width(letters)
            sure = best[nearest] < _CLOSE
            result.append(Shape("differs" if other and (sure or narrow) else "unknown", drawn if sure else ""))
        elif own:
            alike = [at[c] for c in _alike()[own]]
            mine = float(best[alike].min())
            if best[nearest] < _CLOSE and mine > _MARGIN * best[nearest]:
                result.append(Shape("differs", drawn))
            else:
                result.append(Shape("same" if nearest in alike else "unknown", drawn if best[nearest] < _CLOSE else ""))
        else:
            result.append(Shape("unknown", drawn if best[nearest] < _CLOSE else ""))
    return result


def _fonts(objects: Mapping[int, str]) -> dict[int, str]:
    """Returns the numbers of the file's font objects, with names as MuPDF probably reports them."""
    return {
        number: _plain("".join(_BASE_FONT.findall(text)[:1]))
        for number, text in objects.items()
        if "/Font" in text and _FONT.search(text)
    }


def _plain(name: str) -> str:
    return name.split("+", 1)[-1]


_FONT = re.compile(r"/Subtype\s*/(?:Type0|Type1|MMType1|Type3|TrueType)\b")
_BASE_FONT = re.compile(r"/BaseFont\s*/([^\s/<>\[\]()]+)")
_PAIR = re.compile(rb"<\s*([0-9A-Fa-f]{2,8})\s*>")
_SECTION = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.DOTALL)


def _codes(document: Any, number: int, uses: Sequence[Use], *, all_of: bool) -> list[str]:
    """Returns a font's hexadecimal codes that may be in use: for composite fonts those that ToUnicode maps or that
    equal a used glyph number or character; without ``all_of``, for simple fonts those with widths."""
    if document.xref_get_key(number, "Subtype")[1] != "/Type0":
        first, last = (document.xref_get_key(number, key) for key in ("FirstChar", "LastChar"))
        if not all_of and first[0] == last[0] == "int":
            return [f"{code:02x}" for code in range(max(0, int(first[1])), min(255, int(last[1])) + 1)]
        return [f"{code:02x}" for code in range(256)]
    codes = {f"{glyph:04x}" for _, glyph, _ in uses if 0 <= glyph < 0x10000}
    codes.update(f"{ord(text[0]):04x}" for _, _, text in uses if text and ord(text[0]) < 0x10000)
    kind, value = document.xref_get_key(number, "ToUnicode")
    if kind == "xref":
        for section, body in _SECTION.findall(document.xref_stream(int(value.split()[0])) or b""):
            if section == b"bfchar":
                codes.update(code.decode().lower() for code in _PAIR.findall(body)[::2])
            else:
                for line in re.findall(rb"<\s*(\w+)\s*>\s*<\s*(\w+)\s*>\s*(?:<[^>]*>|\[[^\]]*\])", body):
                    first, last = int(line[0], 16), int(line[1], 16)
                    codes.update(f"{c:0{len(line[0])}x}" for c in range(first, min(last, first + 300) + 1))
    return sorted(codes)[:_MOST_CODES]


def examine(
    document: Any, objects: Mapping[int, str], uses: Iterable[Use], tick: Callable[[], None]
) -> dict[Use, Shape]:
    """Returns what the glyphs in use look like, in an open ``pymupdf.Document``, which is left unchanged.

    ``tick`` is called regularly. A use missing from the result couldn't be examined: its font wasn't found, or too many
    glyphs are in use.
    """
    wanted = {use for use in uses if any(c.isalnum() for c in use[2])}
    names = {_plain(name) for name, _, _ in wanted}
    fonts = _fonts(objects)
    result: dict[Use, Shape] = {}
    likely = {number for number, name in fonts.items() if name in names}
    for chosen, all_of in ((likely, False), (set(fonts), True)):
        left = [use for use in wanted if use not in result]
        if left and chosen:
            _examine(document, sorted(chosen), left, result, tick, all_of=all_of)
    return result


def _examine(
    document: Any,
    fonts: Sequence[int],
    uses: Sequence[Use],
    result: dict[Use, Shape],
    tick: Callable[[], None],
    *,
    all_of: bool,
) -> None:
    wanted = set(uses)
    named = {f"F{number}": f"{number} 0 R" for number in fonts}
    tried: list[tuple[str, str, float]] = []
    for number in fonts:
        tried += [(f"F{number}", code, float(_SIZE)) for code in _codes(document, number, uses, all_of=all_of)]
    found: dict[int, tuple[Use, float]] = {}
    for start in range(0, len(tried), _MOST_CODES):
        tick()
        some = tried[start : start + _MOST_CODES]
        for span in _sheet(document, named, some, traced=True):
            first = span["chars"][0]
            column, row = int(first[2][0] // _CELL), int(first[2][1] // _CELL)
            text = "".join(
                chr(c[0]) if 0 < c[0] < 0x110000 else "\ufffd"
                for n, c in enumerate(span["chars"])
                if n == 0 or c[1] < 0
            )
            for glyph in (int(first[1]), UNKNOWN_GLYPH):
                if (use := (str(span["font"]), glyph, text)) in wanted:
                    found.setdefault(start + row * _ROW + column, (use, (first[3][2] - first[3][0]) / _SIZE))
                    break
    kept = sorted(found)[:_MOST_CELLS]
    em = _ems([(tried[n][0], found[n][1]) for n in kept])
    cells = [(tried[n][0], tried[n][1], em[tried[n][0]]) for n in kept]
    for start in range(0, len(cells), 1_000):
        tick()
        part = kept[start : start + 1_000]
        ink = _sheet(document, named, cells[start : start + 1_000], traced=False)
        dark = (255 - ink.astype(np.float32)).sum(axis=(1, 2)) / 255
        claims = [(found[n][0][2], found[n][1]) for n in part]
        shapes = _judge(claims, ink, [em for _, _, em in cells[start : start + 1_000]])
        for n, judged, covers in zip(part, shapes, dark, strict=True):
            use, advance = found[n]
            long = len(use[2]) > 1 and judged.verdict != "blank" and _too_long(use[2], advance)
            shape = Shape("too long") if long else judged
            before = result.get(use)
            # If fonts of one name draw a glyph number differently, the misleading one counts, but not a blank one:
            # parts of a font contain different glyphs, and missing text is noticed on the page.
            if before is None or _WORSE.index(shape.verdict) > _WORSE.index(before.verdict):
                font, code, _ = tried[n]
                result[use] = replace(shape, font=int(font[1:]), code=code, ink=float(covers) / em[font] ** 2)


def _ems(advances: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Returns pixels per em by font: fonts with unusual units (Type 3) are scaled by their median advance."""
    by_font: dict[str, list[float]] = {}
    for name, advance in advances:
        by_font.setdefault(name, []).append(advance)
    result = {}
    for name, all_of in by_font.items():
        middle = sorted(all_of)[len(all_of) // 2]
        result[name] = _SIZE * (0.5 / middle if middle > 1.2 or 0 < middle < 0.15 else 1.0)
    return result


def _too_long(text: str, advance: float) -> bool:
    """Returns whether a text of more than three characters is too wide for one glyph of this advance (em)."""
    if len(text) <= 3:
        return False
    return _width(text) > 2.5 * max(advance, 0.2) and sum(c.isalpha() for c in text) > 3


def _width(text: str) -> float:
    """Returns the width of a text in Helvetica, in em."""
    widths = _references()[3]
    return sum(widths.get(c, 0.5) for c in text)
