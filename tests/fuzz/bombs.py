"""Files that are small, or quickly made, and cost much where nobody counts: each is made when it is needed."""

from __future__ import annotations

import io
import lzma
import zipfile
from collections.abc import Callable

from tests.fuzz import seeds
from tests.fuzz.seeds import Files
from tests.fuzz.target import one

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def rezipped(data: bytes, **changed: bytes | str) -> bytes:
    """An archive with members replaced by the ends of their names ("sheet1": content); others are left out by b""."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            key = member.filename.rsplit("/", 1)[-1].removesuffix(".xml").replace(".", "_")
            new.writestr(member.filename, changed.get(key, old.read(member)))
    return out.getvalue()


def _sheet(rows: str) -> bytes:
    return rezipped(seeds.xlsx(), sheet1=f"<worksheet {_MAIN}><sheetData>{rows}</sheetData></worksheet>")


def _word(body: str, before: str = "") -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    return rezipped(seeds.docx(), document=f"{before}<w:document {space}><w:body>{body}</w:body></w:document>")


def _laughs(name: str) -> str:
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE {name} [<!ENTITY l0 "ha">{lines}]>'


def _nested_zip() -> bytes:
    data = b"\0" * 50_000_000
    for level in range(6):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(8):
                archive.writestr(f"word/document{level}{copy}.xml" if copy else "word/document.xml", data)
        data = out.getvalue()
    return data


_ROW = '<row><c t="n"><v>1</v></c><c t="n"><v>2</v></c></row>'
_ROWS = "".join(f'<row><c t="n"><v>{n * 7919 % 99991}</v></c><c t="n"><v>{n}</v></c></row>' for n in range(5_000))
"""Not so alike that the ratio of packing tells."""
_GRID = '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>'
_STREAM = b"x" * 200_000

BOMBS: dict[str, tuple[str, Callable[[], Files]]] = {
    # name: (target, input). A million rows in a few kilobytes, as found; then what the checks must not be fooled by.
    "workbook of millions of rows": ("commands", lambda: one("s.xlsx", _sheet(_ROW * 4_000_000))),
    "workbook of as many cells as fit": ("commands", lambda: one("s.xlsx", _sheet(_ROWS * 29))),
    "workbook with one endless row": ("scores", lambda: one("s.xlsx", _sheet(f"<row>{'<c/>' * 1_200_000}</row>"))),
    "workbook with a row far below": (
        "scores",
        lambda: one("s.xlsx", _sheet('<row r="999999999"><c r="A999999999"/></row>')),
    ),
    "workbook with a column far right": (
        "scores",
        lambda: one("s.xlsx", _sheet('<row><c r="ZZZ1"><v>1</v></c></row>' * 9_000)),
    ),
    "workbook of strings": (
        "scores",
        lambda: one("s.xlsx", rezipped(seeds.xlsx(), sheet1=f"<sst {_MAIN}>{'<si><t>x</t></si>' * 3_000_000}</sst>")),
    ),
    "workbook with entities": (
        "scores",
        lambda: one("s.xlsx", rezipped(seeds.xlsx(), sheet1=f"{_laughs('worksheet')}<worksheet>&l11;</worksheet>")),
    ),
    "workbook with a huge number": (
        "scores",
        lambda: one("s.xlsx", _sheet(f"<row><c><v>{'9' * 1_000_000}</v></c></row>" * 2)),
    ),
    "Word document of paragraphs": ("commands", lambda: one("l.docx", _word("<w:p/>" * 6_000_000))),
    "Word document with entities": (
        "commands",
        lambda: one("l.docx", _word("<w:p><w:r><w:t>&l11;</w:t></w:r></w:p>", _laughs("w:document"))),
    ),
    "Word document with a wide cell": ("letter", lambda: one("l.docx", _word(_GRID))),
    "Word document in itself": (
        "letter",
        lambda: one("l.docx", _word("<w:tbl><w:tr><w:tc>" * 3_000 + "</w:tc></w:tr></w:tbl>" * 3_000)),
    ),
    "archives in archives": ("commands", lambda: one("l.docx", _nested_zip())),
    "PDF stream": ("commands", lambda: one("p.pdf", seeds.pdf_bomb())),
    "deep JSON lists": ("openreview", lambda: one("n.json", b"[" * 5_000_000)),
    "deep JSON that ends": ("form", lambda: one("n.json", b'{"a":' * 900 + b"1" + b"}" * 900)),
    "deep JSON of JSON Lines": (
        "aries",
        lambda: one("a.jsonl", b'{"comment_id": 1, "comment": ' + b"[" * 900 + b"]" * 900 + b"}"),
    ),
    "wide JSON": ("openreview", lambda: one("n.json", b"[" + b"[]," * 20_000_000 + b"[]]")),
    "many JSON Lines": ("aries", lambda: one("a.jsonl", b"{}\n" * 20_000_000)),
    "huge whole number": ("openreview", lambda: one("n.json", b'{"notes": ' + b"9" * 1_000_000 + b"}")),
    "huge exponent": ("csl", lambda: one("q.json", b'{"paperId": "p", "title": "t", "year": 1e999999}')),
    "huge number in a table": (
        "scores",
        lambda: one("s.csv", b"paper,reviewer,score\n" + b"p,r," + b"9" * 1_000_000 + b"\n" * 2),
    ),
    "xz stream": (
        "expertise",
        lambda: {**seeds.EXPERTISE, "papers.jsonl.xz": lzma.compress(b"{}\n" * 100_000_000, preset=0)},
    ),
    "millions of empty lines": ("review", lambda: one("r.txt", b"\n" * 20_000_000 + b"x")),
    "millions of short lines in a table": (
        "links",
        lambda: one("l.csv", b"comment_id,edit_id\n" + b"a,b\n" * 20_000_000),
    ),
    "one long line of a table": ("preferences", lambda: one("p.csv", b"item_a," * 10_000_000)),
    "a quotation that never ends": (
        "preferences",
        lambda: one("p.csv", b'item_a,item_b,winner\n"' + b"x" * 20_000_000),
    ),
    "NUL after a page of text": ("letter", lambda: one("l.txt", seeds.LETTER.encode() * 20 + b"\0" * 1000)),
    "UTF-32": ("letter", lambda: one("l.txt", seeds.LETTER.encode("utf-32"))),
    "UTF-16 that breaks off": ("letter", lambda: one("l.txt", seeds.LETTER.encode("utf-16")[:-1])),
    "surrogates in JSON": (
        "openreview",
        lambda: one("n.json", seeds.dumped(seeds.NOTES).replace(b"On bridges", b"\\ud800")),
    ),
    "directions in a title": ("publications", lambda: one("p.ris", seeds.RIS.replace("On", "\u202e\u2066=On"))),
    "a word of LaTeX": ("commands", lambda: one("l.tex", seeds.TEX.encode().replace(b"We agree", _STREAM))),
    "macros that grow": (
        "letter",
        lambda: one("l.tex", seeds.TEX.replace("\\newcommand", "\\newcommand{\\a}{\\a\\a}\\a\\newcommand")),
    ),
    "braces of LaTeX": ("letter", lambda: one("l.tex", seeds.TEX.replace("We agree", "{" * 100_000))),
    "an annotated run": (
        "annotated",
        lambda: {"r_annotated.txt": b'"' + _STREAM + b" [[OAL-POS], [CLA-POS]]" + b"[" * 200_000},
    ),
    "annotated spaces": (
        "annotated",
        lambda: {"r_annotated.txt": b'"[[OAL-POS' + b" " * 200_000 + b"EXP-NEG," * 40_000},
    ),
    "a long word in a review": ("review", lambda: one("r.txt", _STREAM)),
    "dots in a review": ("review", lambda: one("r.txt", b"." * 200_000 + b" a")),
    "stops in a review": ("review", lambda: one("r.txt", b"e.g. x " * 60_000)),
    "spaces in a review": ("review", lambda: one("r.txt", b"1" + b" " * 200_000 + b"1. x")),
    "brackets in a review": ("review", lambda: one("r.txt", b"([" * 200_000)),
    "quotation marks in a review": ("review", lambda: one("r.txt", b'"a ' * 130_000)),
    "emphasis in a letter": ("letter", lambda: one("l.md", b"*" * 200_000 + b" a\n\nb")),
    "marks of quotation": ("letter", lambda: one("l.md", b">" * 100_000 + b" a\n\nb")),
    "backticks in a letter": ("letter", lambda: one("l.md", b"`a" * 100_000)),
    "brackets in a letter": ("letter", lambda: one("l.md", b"[" * 100_000 + b"](" * 10_000)),
    "BibTeX braces": ("bibtex", lambda: one("p.bib", b"@article{a, title = " + b"{" * 300_000)),
    "BibTeX without end": ("bibtex", lambda: one("p.bib", b"@article{" * 40_000)),
    "RIS in one line": ("ris", lambda: one("p.ris", b"TY  - JOUR\nTI  - " + _STREAM * 20)),
    "form without end": ("review sets", lambda: one("m.md", b"## a\n" * 100_000)),
    "name of 300 letters": (
        "expertise",
        lambda: {**seeds.EXPERTISE, "evaluations.csv": seeds.RATINGS.replace("ada", "a" * 300).encode()},
    ),
}
