"""Fonts of the generated papers: the standard ones and embedded subsets, with arbitrary ToUnicode maps."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import matplotlib
import pymupdf
from fontTools import subset
from fontTools.ttLib import TTFont

from tests.benchmarks.concealment.writer import Writer, literal

STANDARD = {
    "Helvetica": "helv",
    "Helvetica-Bold": "hebo",
    "Times-Roman": "tiro",
    "Times-Italic": "tiit",
    "Times-Bold": "tibo",
    "Courier": "cour",
}
EMBEDDED = ("DejaVuSans", "DejaVuSerif", "STIXGeneral", "DejaVuSansMono", "STIXGeneralItalic")
LATIN = "".join(map(chr, range(32, 127))) + "·•–—’“”­éüö"


@dataclass(frozen=True)
class Face:
    """A font of one file: its object, how it encodes a string operand, and the width of a string in em."""

    ref: int
    encode: Callable[[str], str]
    width: Callable[[str], float]


def standard_face(pdf: Writer, name: str) -> Face:
    """Returns one of the standard fonts of every viewer, not embedded."""
    font = pymupdf.Font(STANDARD[name])
    ref = pdf.add(f"<</Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding>>")
    return Face(ref, _windows, lambda text: font.text_length(text, 1))


def embedded_face(pdf: Writer, name: str) -> Face:
    """Returns a subset of one of matplotlib's fonts, as a simple TrueType font."""
    return simple_face(pdf, open_font(name), name)


def any_face(pdf: Writer, rng: Random) -> Face:
    """Returns a text font, embedded or not."""
    name = rng.choice(("Helvetica", "Times-Roman", "Times-Roman", "Courier", *EMBEDDED[:4]))
    return standard_face(pdf, name) if name in STANDARD else embedded_face(pdf, name)


@functools.lru_cache
def font_bytes(name: str, characters: str = LATIN) -> bytes:
    """Returns one of matplotlib's fonts with only these characters."""
    font = TTFont(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf", recalcTimestamp=False)
    options = subset.Options(layout_features=[], notdef_outline=True, glyph_names=True, hinting=False)
    options.drop_tables += ["FFTM"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def open_font(name: str, characters: str = LATIN) -> TTFont:
    return TTFont(io.BytesIO(font_bytes(name, characters)), recalcTimestamp=False)


def simple_face(pdf: Writer, font: TTFont, name: str, entries: str = "/Encoding /WinAnsiEncoding") -> Face:
    """Returns a simple TrueType font with the letters of Windows code page 1252."""
    width = _widths(font)
    widths = " ".join(str(round(1000 * width(_windows_letter(code)))) for code in range(32, 256))
    ref = pdf.add(
        f"<</Type /Font /Subtype /TrueType /BaseFont /QXRTAB+{name} /FirstChar 32 /LastChar 255 /Widths [{widths}]"
        f" /FontDescriptor {_descriptor(pdf, font, name)} 0 R {entries}>>"
    )
    return Face(ref, _windows, width)


def composite_face(pdf: Writer, font: TTFont, name: str) -> Face:
    """Returns a Type 0 font whose codes are glyph numbers, with the matching ToUnicode map."""
    glyphs, width = font.getBestCmap(), _widths(font)
    ids = {chr(code): font.getGlyphID(glyph) for code, glyph in glyphs.items()}
    advances = {number: width(letter) for letter, number in ids.items()}
    ref = composite_font(pdf, font, name, advances, {number: letter for letter, number in ids.items()})
    return Face(ref, lambda text: cids(ids[letter] for letter in text), width)


def composite_font(
    pdf: Writer,
    font: TTFont,
    name: str,
    advances: Mapping[int, float],
    letters: Mapping[int, str],
    glyph_of: Mapping[int, int] | None = None,
) -> int:
    """Adds a Type 0 font object; ``advances`` (em) and ``letters`` by CID, ``glyph_of`` only if CIDs aren't glyphs."""
    to_glyph = "/Identity"
    if glyph_of is not None:
        table = b"".join(glyph_of.get(cid, 0).to_bytes(2) for cid in range(max(glyph_of) + 1))
        to_glyph = f"{pdf.stream(table)} 0 R"
    widths = " ".join(f"{cid} [{round(1000 * advance)}]" for cid, advance in sorted(advances.items()))
    descendant = pdf.add(
        f"<</Type /Font /Subtype /CIDFontType2 /BaseFont /QXRTAB+{name} /CIDToGIDMap {to_glyph} /DW 500 /W [{widths}]"
        " /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>"
        f" /FontDescriptor {_descriptor(pdf, font, name)} 0 R>>"
    )
    return pdf.add(
        f"<</Type /Font /Subtype /Type0 /BaseFont /QXRTAB+{name} /Encoding /Identity-H"
        f" /DescendantFonts [{descendant} 0 R] /ToUnicode {to_unicode(pdf, letters)} 0 R>>"
    )


def to_unicode(pdf: Writer, letters: Mapping[int, str], digits: int = 4) -> int:
    """Adds a ToUnicode map from codes with ``digits`` hexadecimal digits."""
    rows = [f"<{code:0{digits}x}> <{text.encode('utf-16-be').hex()}>" for code, text in sorted(letters.items())]
    blocks = [rows[first : first + 90] for first in range(0, len(rows), 90)]
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return pdf.stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def"
        " /CMapType 2 def\n1 begincodespacerange\n"
        f"<{'0' * digits}> <{'f' * digits}>\nendcodespacerange\n{body}\nendcmap end end"
    )


def cids(codes: Iterable[int]) -> str:
    """Returns a string operand with these two-byte codes."""
    return "<" + "".join(f"{code:04x}" for code in codes) + ">"


def _descriptor(pdf: Writer, font: TTFont, name: str) -> int:
    out = io.BytesIO()
    font.save(out)
    file = pdf.stream(out.getvalue(), f"/Length1 {len(out.getvalue())}")
    return pdf.add(
        f"<</Type /FontDescriptor /FontName /QXRTAB+{name} /Flags 32 /FontBBox [-200 -250 1200 950] /ItalicAngle 0"
        f" /Ascent 760 /Descent -240 /CapHeight 720 /StemV 80 /FontFile2 {file} 0 R>>"
    )


def _widths(font: TTFont) -> Callable[[str], float]:
    glyphs, metrics, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
    return lambda text: sum(metrics[glyphs.get(ord(letter), ".notdef")][0] for letter in text) / em


def _windows(text: str) -> str:
    return literal(text.encode("cp1252", "replace"))


def _windows_letter(code: int) -> str:
    return bytes([code]).decode("cp1252", "replace")
