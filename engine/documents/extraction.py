"""Converts MuPDF's structured text to words and lines, the only use of MuPDF in parsing; runs in the worker."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from string import ascii_letters
from typing import Any

import numpy as np
import pymupdf

from engine.documents.bitmap_fonts import encodings
from engine.documents.glyphs import ACCENTS
from engine.documents.ink import shows_text
from engine.documents.page_text import Line, PageText, Rule, Token
from engine.documents.turned import DOWN, UP

_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "cmbx", "-bd", "medi")
_ITALIC_NAMES = ("ital", "obli", "slant", "cmti", "cmmi")
_PRIVATE = 0xE000
_POINTS, _HEIGHTS = 1000, 150
"""A glyph that is alone on more than ``_POINTS`` lines of a page, or at more than ``_HEIGHTS`` heights, marks the
points of a plot; overlapping points may share a line."""
_DRAWN = 20_000
"""Greatest number of drawing elements of a page searched for lines."""
_RULES = 500
_LARGEST = 5_000
"""Points of the longer side up to which a page is drawn to see whether it shows text; beyond, MuPDF may refuse."""
_SOME, _BLANK = 20, 200
"""A page without text shows something unread if it has more paths, or more characters of white space, than these."""
_SIDEWAYS = 100
"""A page is turned if it has more than so many characters set sideways, and more than upright ones."""
_RULED = re.compile(
    r"\s*(?:(?:supplement\w*|supporting|extended data|appendix)\s+)?(?:tab(?:le|\.)|algorithm)\s*[\dA-Z]", re.IGNORECASE
)
"""How captions start of tables and algorithms, around which lines are drawn."""
_CAPTION = re.compile(r"\s*(?:fig(?:ure|\.)|tab(?:le|\.))\s*[\dA-Z][\dA-Z.]*\s*(?:[:.|–—]|[A-Z]|$)", re.IGNORECASE)
_SWAPPED = {chr(ord(c) << 8): c for c in ascii_letters}
_RISING, _LEVEL = 0.5, 3.0
"""Least slope of a heading set upwards, and greatest distance in points between the feet of several."""
_ADVENT = {"\u00f0": "(", "\u00de": ")", "\u00bc": "=", "\u00fe": "+", "\u00bd": "[", "j": "|"}
"""What the fonts of 3B2, which are named "Adv...", mean by these characters in formulas."""
_NO_BREAK = "\u00a0\u202f\u2007"


def read_page(page: Any) -> PageText:
    """Returns the words and lines of a page (``pymupdf.Page``), in the coordinates of the page as it is shown."""
    rotation = int(page.rotation) % 360
    shown = page.rect
    result = PageText(int(page.number) + 1, float(shown.width), float(shown.height), rotation)
    flags = (
        pymupdf.TEXT_PRESERVE_LIGATURES
        | pymupdf.TEXT_PRESERVE_WHITESPACE
        | pymupdf.TEXT_MEDIABOX_CLIP
        # Glyphs without Unicode value are returned as glyph numbers, so that ``glyphs`` can distinguish them.
        | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    )
    # get_text reports unrotated coordinates, and resets the rotation while it runs, so the matrix is taken before.
    matrix = page.rotation_matrix if rotation else None
    # One pass yields both pictures and text; if there are pictures, the text is read again without their data.
    read = page.get_textpage(flags=flags | pymupdf.TEXT_PRESERVE_IMAGES)
    images = read.extractIMGINFO()
    areas = [pymupdf.Rect(i["bbox"]) & page.mediabox for i in images]
    result.picture = round(min(1.0, sum(a.get_area() for a in areas) / (shown.width * shown.height)), 2)
    content = page.get_text("rawdict", flags=flags, textpage=None if images else read)
    if _may_mark_changes(content):
        content = page.get_text("rawdict", flags=flags | pymupdf.TEXT_COLLECT_STYLES)
        _note_marks(content)
    _translate(_spans(content))
    if turn := _turn(content["blocks"], matrix):
        result.turn, result.width, result.height = turn, result.height, result.width
        side = (0, 1, -1, 0, result.width, 0) if turn == UP else (0, -1, 1, 0, 0, result.height)
        matrix = (matrix or pymupdf.Identity) * pymupdf.Matrix(side)
    marks = _points(content["blocks"])
    rising: list[dict[str, Any]] = []
    for number, block in enumerate(content["blocks"]):
        for line in block.get("lines", ()):
            if marks and _glyphs(line) <= marks:
                continue
            dx, dy = _direction(line, matrix)
            if dx < 0.99 or abs(dy) > 0.1:
                result.sideways += sum(len(span["chars"]) for span in line["spans"])
                if dy < -_RISING and matrix is None:
                    rising.append(line)
                continue
            tokens = _tokens(line["spans"], matrix)
            if tokens:
                result.lines.append(Line(result.number, tokens, block=number))
    if sum(line.letters for line in result.lines) < 8:  # a page number may be left
        result.drawn = sum(kind.startswith(("fill-path", "fill-text")) for kind, _ in page.get_bboxlog()) > _SOME
        result.drawn |= sum(len(s["chars"]) for b in content["blocks"] for x in b["lines"] for s in x["spans"]) > _BLANK
    elif result.picture > 0.5 and not _on_plain_ground(page, images):
        shown_areas = [a * matrix for a in areas] if matrix is not None else areas
        on = sum(
            line.letters for line in result.lines if any(((line.x0 + line.x1) / 2, line.base) in a for a in shown_areas)
        )
        result.within = on / sum(line.letters for line in result.lines)
    unsure = result.drawn or result.within > 0.8 or (result.picture > 0.3 and not result.lines)
    if unsure and max(result.width, result.height) <= _LARGEST:
        grey = page.get_pixmap(colorspace=pymupdf.csGRAY, annots=False)
        result.written = shows_text(np.frombuffer(grey.samples, np.uint8).reshape(grey.height, grey.stride))
    if any(_RULED.match(line.text) for line in result.lines):
        _lay_down(rising, result)
        result.rules = _rules(page, matrix)
        bold = (t for line in result.lines for t in line.tokens if t.bold and any(c.isdigit() for c in t.text))
        result.bold = [(t.x0, t.y0, t.x1, t.y1) for t in bold]
    return result


_RED = 60
"""A page may show deletions if more characters are red; fewer are usually links."""
_STRUCK, _FEW = 1, 30
"""MuPDF's flag of characters with a line through them, and the greatest number of them that may have another cause."""


def _spans(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (span for block in content["blocks"] for line in block.get("lines", ()) for span in line["spans"])


def _is_red(span: dict[str, Any]) -> bool:
    red, green, blue = (int(span["color"]) & 0xFFFFFF).to_bytes(3, "big")
    return red > 140 and max(green, blue) < 100


def _is_wavy(span: dict[str, Any]) -> bool:
    """Returns whether these characters draw a wavy line below added text, as latexdiff does."""
    return "LASY" in span["font"] and any(char["c"] == ":" for char in span["chars"])


def _may_mark_changes(content: dict[str, Any]) -> bool:
    return any(map(_is_wavy, _spans(content))) or sum(len(s["chars"]) for s in _spans(content) if _is_red(s)) > _RED


def _note_marks(content: dict[str, Any]) -> None:
    """Marks spans of deleted text as ``struck``, with the links and subscripts in them, and empties the characters of
    wavy lines. A few red words behind a line, without wavy lines, may be labels of a figure."""
    deleted = [s for s in _spans(content) if s["char_flags"] & _STRUCK and _is_red(s)]
    wavy = [s for s in _spans(content) if _is_wavy(s)]
    if not wavy and sum(len(s["chars"]) for s in deleted) <= _FEW:
        return
    for char in (char for span in wavy for char in span["chars"]):
        char["c"] = ""
    gone = {id(span) for span in deleted}
    for line in (line for block in content["blocks"] for line in block.get("lines", ())):
        red = [id(span) in gone for span in line["spans"]]
        for n, span in enumerate(line["spans"]):
            around = {*red[max(0, n - 1) : n], *red[n + 1 : n + 2]}
            span["struck"] = red[n] or ((span["char_flags"] & _STRUCK or _is_red(span)) and around == {True})


_PLAIN = 16
"""Levels of 256 by which the pixels of a plain background may differ."""
_DECODED = 50_000_000
"""Largest picture that is decoded for this, in pixels."""


def _on_plain_ground(page: Any, images: Sequence[dict[str, Any]]) -> bool:
    """Returns whether the only large picture of a page is of a single colour, as a background is. Pictures with too
    many bytes for that aren't decoded, nor are those with masks: a scan's letters may be in the mask."""
    wide = [i for i in images if pymupdf.Rect(i["bbox"]).get_area() > 0.5 * page.rect.get_area()]
    pixels = wide[0]["width"] * wide[0]["height"] if len(wide) == 1 else 0
    if not 0 < pixels <= _DECODED or wide[0]["has-mask"] or wide[0]["size"] > 0.02 * pixels:
        return False
    try:
        xref = next((i["xref"] for i in page.get_image_info(xrefs=True) if i["size"] == wide[0]["size"]), 0)
        ground = pymupdf.Pixmap(page.parent, xref)
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return False  # inline, or a picture of the page is damaged
    levels = np.frombuffer(ground.samples, np.uint8).reshape(-1, ground.n)
    return int(np.ptp(levels[::31], axis=0).max()) < _PLAIN


def _direction(line: dict[str, Any], matrix: Any) -> tuple[float, float]:
    dx, dy = line["dir"]
    return (dx, dy) if matrix is None else (dx * matrix.a + dy * matrix.c, dx * matrix.b + dy * matrix.d)


def _turn(blocks: Iterable[dict[str, Any]], matrix: Any) -> int:
    """Returns the direction of most lines of a page, 0 if it isn't sideways or only the upright lines have captions."""
    ways: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for line in (line for block in blocks for line in block.get("lines", ())):
        dx, dy = _direction(line, matrix)
        if max(abs(dx), abs(dy)) > 0.99:
            ways[round(-dy) or (0 if dx > 0 else 2)].append(line)  # y grows downwards
    letters = {way: sum(len(span["chars"]) for line in ways[way] for span in line["spans"]) for way in (0, UP, DOWN)}
    most = max(UP, DOWN, key=letters.__getitem__)
    if letters[most] <= max(_SIDEWAYS, letters[0]):
        return 0
    captioned = [any(_CAPTION.match(_letters(line)) for line in ways[way]) for way in (0, most)]
    return most if captioned != [True, False] else 0


def _letters(line: dict[str, Any]) -> str:
    return "".join(char["c"] for span in line["spans"] for char in span["chars"])


def _rules(page: Any, matrix: Any) -> list[Rule]:
    """Returns the horizontal and vertical lines drawn on a page, joined where they touch end to end; [] if there are
    many, as in plots."""
    flat: list[Rule] = []
    upright: list[Rule] = []  # with x and y exchanged
    read = page.get_textpage(flags=pymupdf.mupdf.FZ_STEXT_COLLECT_VECTORS)  # kept, since its blocks are freed with it
    for block in islice(read.this, _DRAWN):
        if block.m_internal.type == pymupdf.mupdf.FZ_STEXT_BLOCK_VECTOR:
            box = pymupdf.Rect(block.m_internal.bbox) * (matrix or pymupdf.Identity)
            if box.height < 2.5 and box.width > 6:
                flat.append((box.x0, box.y0, box.x1, box.y1))
            elif box.width < 2.5 and box.height > 6:
                upright.append((box.y0, box.x0, box.y1, box.x1))
    found = [*_touching(flat), *((x0, y0, x1, y1) for y0, x0, y1, x1 in _touching(upright))]
    return found if len(found) < _RULES else []


def _touching(lines: list[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for x0, y0, x1, y1 in sorted(lines, key=lambda b: (round(b[1]), b[0])):
        if found and abs(found[-1][1] - y0) < 1 and x0 < found[-1][2] + 1.5:
            found[-1] = (found[-1][0], y0, max(x1, found[-1][2]), y1)
        else:
            found.append((x0, y0, x1, y1))
    return found


def _glyphs(line: dict[str, Any]) -> set[tuple[str, str]]:
    return {(char["c"], span["font"]) for span in line["spans"] for char in span["chars"] if char["c"] != " "}


def _points(blocks: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Returns the glyphs, with their fonts, that mark points of a plot."""
    alone: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for line in (line for block in blocks for line in block.get("lines", ())):
        if len(set(_letters(line)) - {" "}) == 1 and len(found := _glyphs(line)) == 1:
            alone[found.pop()].append(round(line["spans"][0]["origin"][1], 1))
    return {glyph for glyph, at in alone.items() if len(at) > _POINTS or len(set(at)) > _HEIGHTS}


def _lay_down(rising: Iterable[dict[str, Any]], page: PageText) -> None:
    """Adds lines set upwards that are headings of the numbers below them, as one line with the words of each above its
    column."""
    feet: defaultdict[float, list[dict[str, Any]]] = defaultdict(list)
    for line in rising:
        foot = line["bbox"][3]
        feet[next((y for y in feet if abs(y - foot) < _LEVEL), foot)].append(line)
    for foot, headings in feet.items():
        tokens: list[Token] = []
        beneath: list[int] = []
        for line in headings:
            span, words = line["spans"][0], _letters(line).split()
            x0, _, x1, _ = span["chars"][0]["bbox"]
            size, font = span["size"], span["font"]
            below = [
                n
                for n, other in enumerate(page.lines)
                for t in other.tokens
                if -size < t.y0 - foot < 3 * size
                and t.x0 - size < x1
                and x0 < t.x1 + size
                and any(map(str.isdigit, t.text))
            ]
            step = (x1 - x0) / (len(words) or 1)
            for n, word in enumerate(words if below else ()):
                box = x0 + n * step, foot - size, x0 + (n + 0.9) * step, foot, foot - 0.2 * size
                tokens.append(Token(word, *box, round(size * 2) / 2, font, *_look(font), ((font, word),)))
            beneath += below[:1]
        if len(beneath) > 1 and 2 * len(beneath) > len(headings):
            at = min(beneath)
            page.lines.insert(at, Line(page.number, sorted(tokens, key=lambda t: t.x0), block=page.lines[at].block))


def _is_at(mark: "_Box", letter: "_Box", along: int) -> bool:
    """Returns whether a mark is over or below the middle of a letter, unlike a comma after it. ``along`` is 0 for lines
    along x, 1 along y."""
    quarter = (letter[along + 2] - letter[along]) / 4
    return letter[along] + quarter < (mark[along] + mark[along + 2]) / 2 < letter[along + 2] - quarter


def _translate(spans: Iterable[dict[str, Any]]) -> None:
    """Replaces the glyph numbers of bitmap fonts with characters, and repairs Ghostscript's ligatures, whose bytes are
    swapped, the euro sign of the feym fonts, and the signs of formulas in Advent's."""
    texts = [(span, "".join(char["c"] for char in span["chars"])) for span in spans]
    tables = encodings((span["font"], text) for span, text in texts)
    said: defaultdict[str, str] = defaultdict(str)
    for span, text in texts:
        said[span["font"]] += text
    signs = {font for font, text in said.items() if font.startswith("Adv") and not re.search("[a-ik-zA-Z]", text)}
    for span, text in texts:
        if not text.isascii() and sum(map(_SWAPPED.__contains__, text)) * 2 >= max(1, sum(c > "\u2e7f" for c in text)):
            for char in span["chars"]:
                char["c"] = _SWAPPED.get(char["c"], char["c"])
        elif span["font"] in signs:
            for char in span["chars"]:
                char["c"] = _ADVENT.get(char["c"], char["c"])
        elif "feym" in span["font"]:
            for char in span["chars"]:
                char["c"] = "\u20ac" if char["c"] == "e" else char["c"]
        elif span["font"] in tables:
            for char, c in zip(span["chars"], text.translate(tables[span["font"]]), strict=True):
                char["c"] = c


_APART = 0.5
"""Least gap without a space between two words, as a share of the font size."""
_AFTER_MARK = 0.1
"""The same between punctuation and a letter: titles are set that tight."""
_TIGHT = 0.12
"""The same between letters and digits: the least space of TeX in a full line, wider than kerning."""
_TOUCHING = 0.03
"""Greatest distance of touching letters, as a share of the font size."""
_UNDERLINED = 0.1
"""The same after a part of a wavy line, which continues below spaces without a character."""
_OF_SPACE, _LOOSE, _FULL = 0.5, 0.04, 20
"""Least such gap as a share of the line's narrowest space; in lines without spaces, the least width of a doubtful gap
and the least number of gaps in a full line."""
_SPACED = 1.5
"""Average letters per word below which a line is letter-spaced, so that gaps don't separate words."""
_OPENING = "([“‘£€$§"
_OVER_OR_BELOW = ACCENTS | {",": "\u0326"}
"""Marks that some producers set over or below the preceding letter, with their combining characters."""
_BARRED = {"l": "\u0142", "L": "\u0141"}
_Box = tuple[float, float, float, float]
_Piece = tuple[dict[str, Any], float, list[str]]  # a word's part in one span: the span, the baseline and the characters


def _tokens(spans: list[dict[str, Any]], matrix: Any, tight: float = 0.0) -> list[Token]:
    tokens: list[Token] = []
    boxes: list[_Box] = []
    pieces: list[_Piece] = []
    along = int(matrix is not None and abs(matrix.b) > abs(matrix.a))
    underlined = False
    if not tight:
        tight = _least_gap(spans)
    false_spaces = _false_spaces(spans) if matrix is None else frozenset()
    for span in spans:
        texts: list[str] = []
        if pieces and pieces[-1][0].get("struck") != span.get("struck"):
            tokens.append(_token(pieces, boxes, matrix, False))
            boxes, pieces = [], []
        for char, after in zip(span["chars"], [*span["chars"][1:], None], strict=True):
            c = char["c"]
            if not c:
                underlined = True
                continue
            if c in _OVER_OR_BELOW and texts and _is_at(char["bbox"], boxes[-1], along):
                c = _OVER_OR_BELOW[c]
            elif c == " " and after and after["c"] in _BARRED and after["bbox"][0] < char["bbox"][0] + 0.5:
                after["c"] = _BARRED[after["c"]]  # the stroke is the glyph in place of the space
                continue
            # Between table columns there may be no space.
            share = _UNDERLINED if underlined else _APART
            underlined = False
            if texts and (c.isalnum() or c in _OPENING):
                share = (
                    tight
                    if texts[-1].isalnum() or texts[-1] in "§"
                    else _AFTER_MARK
                    if c.isalpha() and _ends_clause(texts)
                    else _APART
                )
            apart = boxes and matrix is None and char["bbox"][0] - boxes[-1][2] > share * span["size"]
            blank = c.isspace() and not "\x1c" <= c <= "\x1f"
            if blank and id(char) in false_spaces:
                continue
            if (blank or apart) and pieces:
                tokens.append(_token(pieces, boxes, matrix, c in _NO_BREAK))
                boxes, pieces, texts = [], [], []
            if blank:
                continue
            if c < " " or "\x7f" <= c < "\xa0":
                c = chr(_PRIVATE + ord(c))  # removes control characters, keeping one character per glyph
            elif "\ud800" <= c <= "\udfff":
                c = "\ufffd"
            if not texts:
                x, y = char["origin"]
                pieces.append((span, y if matrix is None else x * matrix.b + y * matrix.d + matrix.f, texts))
            texts.append(c)
            boxes.append(char["bbox"])
    if pieces:
        tokens.append(_token(pieces, boxes, matrix, False))
    if tight < _APART and len(tokens) > 3 and sum(len(t.text) for t in tokens) < _SPACED * len(tokens):
        return _tokens(spans, matrix, _APART)
    return tokens


def _false_spaces(spans: list[dict[str, Any]]) -> frozenset[int]:
    """Returns the ids of characters that are spaces between letters that touch, as some producers write after kerning
    and ligatures; none if all spaces of a line are, since then the widths are wrong."""
    chars = [(char, span["size"]) for span in spans for char in span["chars"]]
    spaces, false = 0, []
    for at in range(1, len(chars) - 1):
        (before, size), (char, _), (after, _) = chars[at - 1 : at + 2]
        if char["c"] == " " and not before["c"].isspace() and not after["c"].isspace():
            spaces += 1
            end = max(one["bbox"][2] for one, _ in chars[max(0, at - 2) : at])  # an accent may end before its letter
            if abs(after["bbox"][0] - end) < _TOUCHING * size:
                false.append(id(char))
    return frozenset(false if len(false) < spaces else ())


def _least_gap(spans: list[dict[str, Any]]) -> float:
    """Returns the least gap between two words of this line, as a share of the font size."""
    spaces = [(c["bbox"][2] - c["bbox"][0]) / s["size"] for s in spans for c in s["chars"] if c["c"] == " "]
    if spaces:
        return max(_TIGHT, _OF_SPACE * float(min(spaces)))
    gaps = [(b["bbox"][0] - a["bbox"][2]) / s["size"] for s in spans for a, b in pairwise(s["chars"])]
    return _TIGHT if len(gaps) > max(_FULL, 10 * sum(_LOOSE < gap < _TIGHT for gap in gaps)) else _APART


def _ends_clause(characters: list[str]) -> bool:
    """Returns whether a word of several letters ends with punctuation that a space follows."""
    return len(characters) > 2 and characters[-1] in ",:;?!" and all(c.isalpha() for c in characters[-3:-1])


def _token(pieces: list[_Piece], boxes: list[_Box], matrix: Any, glued: bool) -> Token:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    x0, y0, x1, y1 = min(lefts), min(tops), max(rights), max(bottoms)
    if matrix is not None:
        xs = (x0 * matrix.a + y0 * matrix.c + matrix.e, x1 * matrix.a + y1 * matrix.c + matrix.e)
        ys = (x0 * matrix.b + y0 * matrix.d + matrix.f, x1 * matrix.b + y1 * matrix.d + matrix.f)
        x0, y0, x1, y1 = min(xs), min(ys), max(xs), max(ys)
    fonts: list[tuple[str, str]] = []
    best, base, _ = pieces[0]
    for span, start, characters in pieces:
        text = "".join(characters)
        if fonts and fonts[-1][0] == span["font"]:
            text = fonts.pop()[1] + text
        fonts.append((span["font"], text))
        if span["size"] > best["size"] + 0.1:
            best, base = span, start
    bold, italic = _look(best["font"])
    return Token(
        text="".join(text for _, text in fonts),
        x0=x0,
        y0=y0,
        x1=x1,
        y1=y1,
        base=base,
        size=round(best["size"] * 2) / 2,
        font=best["font"],
        bold=bold or bool(best["flags"] & 16),
        italic=italic or bool(best["flags"] & 2),
        pieces=tuple(fonts),
        glued=glued,
        struck=best.get("struck", False),
    )


@lru_cache(1000)
def _look(font: str) -> tuple[bool, bool]:
    name = font.lower()
    bold = any(part in name for part in _BOLD_NAMES) or name.endswith((".b", ".bi"))
    return bold, any(part in name for part in _ITALIC_NAMES) or name.endswith((".i", ".bi"))
