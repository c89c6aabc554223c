"""The paper's faces: the Times and Helvetica that MuPDF carries, so that the PDF looks the same on every machine."""

from functools import cache

import pymupdf

FACES = {"r": "tiro", "b": "tibo", "i": "tiit", "bi": "tibi", "h": "helv", "hb": "hebo"}


@cache
def face(style: str) -> pymupdf.Font:
    """The font of a style: r(oman), b(old), i(talic), bi, h(elvetica), hb."""
    return pymupdf.Font(FACES[style])


def ligated(text: str) -> str:
    """The text with the ligatures that the font has; they come out of the PDF as single characters."""
    return text.replace("fi", "ﬁ").replace("fl", "ﬂ")


@cache
def _advance(letter: str, style: str) -> float:
    return float(face(style).text_length(letter, fontsize=1))


def width_of(text: str, style: str, size: float) -> float:
    """Width of ``text`` in points, as it is written (no kerning)."""
    return sum(_advance(letter, style) for letter in text) * size
