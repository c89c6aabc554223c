"""Fonts whose glyphs are numbers alone, as pdfTeX sets them where a font has no outlines."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from engine.documents.bitmap_fonts import encodings
from engine.documents.service import DocumentService


def bitmap_pdf(path: Path, *lines: bytes, name: str = "F33") -> Path:
    """Lines of a Type 3 font: a box for each of its 256 glyphs, which are called /a0 to /a255."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=300)
    box, font, content = (document.get_new_xref() for _ in range(3))
    document.update_object(box, "<<>>")
    document.update_stream(box, b"500 0 0 0 450 600 d1 0 0 450 600 re f")
    procedures = " ".join(f"/a{code} {box} 0 R" for code in range(256))
    names = " ".join(f"/a{code}" for code in range(256))
    document.update_object(
        font,
        f"<</Type/Font/Subtype/Type3/Name/{name}/FontMatrix[.001 0 0 .001 0 0]/FontBBox[0 0 500 700]/FirstChar 0"
        f"/LastChar 255/Widths[{'500 ' * 256}]/CharProcs<<{procedures}>>/Encoding<</Differences[0 {names}]>>>>",
    )
    shown = b" ".join(b"<%s> Tj T*" % line.hex().encode() for line in lines)
    document.update_object(content, "<<>>")
    document.update_stream(content, b"BT /%s 10 Tf 12 TL 20 250 Td %s ET" % (name.encode(), shown))
    document.xref_set_key(page.xref, "Contents", f"{content} 0 R")
    document.xref_set_key(page.xref, "Resources", f"<</Font<</{name} {font} 0 R>>>>")
    document.save(path)
    document.close()
    return path


@pytest.mark.parametrize(
    ("codes", "text"),
    [
        (
            b"The classi\x1cers shu\x1fe \x10e\x1ecient\x11 \x1dows, di\x1ber on 3\x155 \x16 and cite \x8a\xf3d\xb9.",
            "The classifiers shuffle “efficient” flows, differ on 3–5 — and cite Łódź.",
        ),
        (
            b'The classi\x0cers shu\x0fe \\e\x0ecient" \x0dows, di\x0ber on 3{5 | and cite K\x7fonig.',
            "The classifiers shuffle “efficient” flows, differ on 3–5 — and cite König.",
        ),
    ],
)
def test_papers_and_letters_in_bitmap_fonts_are_read(
    tmp_path: Path, service: DocumentService, codes: bytes, text: str
) -> None:
    path = bitmap_pdf(tmp_path / "paper.pdf", codes, codes)
    assert {paragraph.text for paragraph in service.parse(path).paragraphs} == {f"{text} {text}"}
    shown = "".join(line.text for line in service.looks(path.read_bytes()))
    assert shown.replace("ﬁ", "fi").count("classifiers") == 2 and "\x1c" not in shown and "\x0c" not in shown


def test_fonts_of_formulas_and_of_other_programs_are_left_alone(tmp_path: Path, service: DocumentService) -> None:
    assert encodings([("F27", "\x0b\x1cx"), ("Arial", "classi\x1cers"), ("F8", "a"), ("F8", "\x1c")]) == {}
    path = bitmap_pdf(tmp_path / "other.pdf", b"of the other\x15program and its words", name="Other")
    assert "–" not in service.parse(path).paragraphs[0].text


def test_each_font_has_its_own_encoding() -> None:
    tables = encodings([("F1", "classi\x1cers"), ("F2", "classi\x0cers"), ("F2", "3{5")])
    assert "3{5".translate(tables["F1"]) == "3{5" and "3{5".translate(tables["F2"]) == "3–5"


def test_glyphs_that_the_file_names_are_left_alone() -> None:
    assert encodings([("F33", "in \xa77 the classi\ufb01ers"), ("F74", "see \xa77")]) == {}
