"""From MuPDF's structured text to words and lines. The only parsing module that touches MuPDF; runs in the worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.documents.page_text import Line, PageText, Token

_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "cmbx", "-bd", "medi")
_ITALIC_NAMES = ("ital", "obli", "slant", "cmti", "cmmi")
_PRIVATE = 0xE000
_NO_BREAK = "\u00a0\u202f\u2007"


def read_page(page: Any) -> PageText:
    """Words and lines of one page (a ``pymupdf.Page``), in the geometry of the page as it is shown."""
    import pymupdf

    rotation = int(page.rotation) % 360
    shown = page.rect
    result = PageText(int(page.number) + 1, float(shown.width), float(shown.height), rotation)
    flags = (
        pymupdf.TEXT_PRESERVE_LIGATURES
        | pymupdf.TEXT_PRESERVE_WHITESPACE
        | pymupdf.TEXT_MEDIABOX_CLIP
        # Glyphs of unknown meaning come as their number in the font, so that ``glyphs`` can tell them apart.
        | pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
    )
    # get_text reports the unrotated page; the matrix is taken before, since get_text resets the rotation meanwhile.
    matrix = page.rotation_matrix if rotation else None
    images = page.get_image_info()
    areas = [pymupdf.Rect(i["bbox"]) & page.mediabox for i in images]
    result.picture = round(max((a.get_area() for a in areas), default=0.0) / (shown.width * shown.height), 2)
    content = page.get_text("rawdict", flags=flags)
    for number, block in enumerate(content["blocks"]):
        for line in block.get("lines", ()):
            dx, dy = line["dir"]
            if matrix is not None:
                dx, dy = dx * matrix.a + dy * matrix.c, dx * matrix.b + dy * matrix.d
            if dx < 0.99 or abs(dy) > 0.1:
                result.sideways += sum(len(span["chars"]) for span in line["spans"])
                continue
            tokens = _tokens(line["spans"], matrix)
            if tokens:
                result.lines.append(Line(result.number, tokens, block=number))
    return result


def bold_words(document: Any, pages: Iterable[int]) -> list[list[float]]:
    """Page, left, top, right, bottom of each word that is set bold on the given pages (from 1) of a document."""
    return [
        [page, round(token.x0, 2), round(token.y0, 2), round(token.x1, 2), round(token.y1, 2)]
        for page in pages
        if 1 <= page <= document.page_count
        for line in read_page(document.load_page(page - 1)).lines
        for token in line.tokens
        if token.bold
    ]


def _tokens(spans: list[dict[str, Any]], matrix: Any) -> list[Token]:
    tokens: list[Token] = []
    chars: list[tuple[str, tuple[float, float, float, float], float, dict[str, Any]]] = []

    def close(glued: bool = False) -> None:
        if chars:
            tokens.append(_token(chars, glued))
            chars.clear()

    for span in spans:
        for char in span["chars"]:
            c = char["c"]
            if c.isspace():
                close(glued=c in _NO_BREAK)
                continue
            if c < " " or "\x7f" <= c < "\xa0":
                c = chr(_PRIVATE + ord(c))  # no control characters in texts; still one character for one glyph
            elif "\ud800" <= c <= "\udfff":
                c = "\ufffd"
            box = char["bbox"]
            origin = char["origin"]
            base = origin[1]
            if matrix is not None:
                x0, y0, x1, y1 = box
                xs = (x0 * matrix.a + y0 * matrix.c + matrix.e, x1 * matrix.a + y1 * matrix.c + matrix.e)
                ys = (x0 * matrix.b + y0 * matrix.d + matrix.f, x1 * matrix.b + y1 * matrix.d + matrix.f)
                box = (min(xs), min(ys), max(xs), max(ys))
                base = origin[0] * matrix.b + origin[1] * matrix.d + matrix.f
            chars.append((c, box, base, span))
    close()
    return tokens


def _token(chars: list[tuple[str, tuple[float, float, float, float], float, dict[str, Any]]], glued: bool) -> Token:
    pieces: list[tuple[str, str]] = []
    best = chars[0]
    for item in chars:
        c, _, _, span = item
        font = span["font"]
        if pieces and pieces[-1][0] == font:
            pieces[-1] = (font, pieces[-1][1] + c)
        else:
            pieces.append((font, c))
        if span["size"] > best[3]["size"] + 0.1:
            best = item
    span = best[3]
    name = span["font"].lower()
    flags = int(span["flags"])
    return Token(
        text="".join(c for c, *_ in chars),
        x0=min(b[0] for _, b, _, _ in chars),
        y0=min(b[1] for _, b, _, _ in chars),
        x1=max(b[2] for _, b, _, _ in chars),
        y1=max(b[3] for _, b, _, _ in chars),
        base=best[2],
        size=round(span["size"] * 2) / 2,
        font=span["font"],
        bold=bool(flags & 16) or any(part in name for part in _BOLD_NAMES),
        italic=bool(flags & 2) or any(part in name for part in _ITALIC_NAMES),
        pieces=tuple(pieces),
        glued=glued,
    )
