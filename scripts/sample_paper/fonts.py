"""The paper's fonts: Times and Helvetica as built into MuPDF, so that the PDF is the same on every machine."""

from functools import cache

import pymupdf

FACES = {"r": "tiro", "b": "tibo", "i": "tiit", "bi": "tibi", "h": "helv", "hb": "hebo"}


@cache
def face(style: str) -> pymupdf.Font:
    """Returns the font of a style: r(oman), b(old), i(talic), bi, h(elvetica), hb."""
    return pymupdf.Font(FACES[style])


def ligated(text: str) -> str:
    """Replaces letters with the font's ligatures, which are extracted from the PDF as single characters."""
    return text.replace("fi", "ﬁ").replace("fl", "ﬂ")


@cache
def _advance(letter: str, style: str) -> float:
    return float(face(style).text_length(letter, fontsize=1))


def width_of(text: str, style: str, size: float) -> float:
    """Returns the width of ``text`` in points, without kerning."""
    return sum(_advance(letter, style) for letter in text) * size
