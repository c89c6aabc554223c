"""More PDFs that hide text: by their fonts, by what they give to programs, by how they draw, and beside the pages.

Each is made from a seed, as those of ``attacks.py`` are; ``COMPANIONS`` are honest PDFs that use the same means.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from typing import Any

import pymupdf

from tests.engine.documents.attacks import COMMANDS, INNOCENT, Attacked, base, put, spot

_PLAIN = "The samples were kept in the dark for nine days before they were measured again by hand."


def content(page: Any, operators: str, resources: dict[str, str] | None = None) -> None:
    """Append operators to a page, with entries for its resources such as ``{"Font/F9": "12 0 R"}``."""
    document = page.parent
    page.wrap_contents()
    for key, value in (resources or {}).items():
        kind, reference = document.xref_get_key(page.xref, "Resources")
        owner, prefix = (int(reference.split()[0]), "") if kind == "xref" else (page.xref, "Resources/")
        name, entry = key.split("/")
        kind, reference = document.xref_get_key(owner, prefix + name)
        if kind == "xref":
            document.xref_set_key(int(reference.split()[0]), entry, value)
        else:
            document.xref_set_key(owner, f"{prefix}{key}", value)
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, operators.encode("latin-1"))
    contents = " ".join(f"{n} 0 R" for n in (*page.get_contents(), stream))
    document.xref_set_key(page.xref, "Contents", f"[{contents}]")


def added(document: Any, text: str, stream: bytes | None = None) -> int:
    """The number of an object that is added to a document."""
    number = int(document.get_new_xref())
    document.update_object(number, text)
    if stream is not None:
        document.update_stream(number, stream)
    return number


def helvetica(page: Any) -> dict[str, str]:
    """Resources with a font /H."""
    font = added(page.parent, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
    return {"Font/H": f"{font} 0 R"}


def _table(codes: dict[str, str]) -> bytes:
    rows = "\n".join(f"<{ord(c):02X}> <{text.encode('utf-16-be').hex()}>" for c, text in codes.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(codes)} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap end end"
    ).encode()


def _swapped(message: str, rng: random.Random) -> tuple[str, dict[str, str]]:
    """A text in other letters, and what its letters must yield to give the message."""
    letters = sorted(set(message.replace(" ", "")))
    pool = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in letters] + letters
    others = pool[: len(letters)]
    rng.shuffle(others)
    table = dict(zip(letters, others, strict=True))
    return "".join(table.get(c, " ") for c in message), {b: a for a, b in table.items()}


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _other_letters(page: Any, rng: random.Random, text: str) -> None:
    """Other letters are drawn than the font's table yields."""
    drawn, table = _swapped(text, rng)
    stream = added(page.parent, "<<>>", _table({**table, " ": " "}))
    base_font = rng.choice(("Helvetica", "Times-Roman", "Courier"))
    font = added(
        page.parent,
        f"<</Type/Font/Subtype/Type1/BaseFont/{base_font}/Encoding/WinAnsiEncoding/ToUnicode {stream} 0 R>>",
    )
    x, y = spot(rng)
    content(page, f"BT /T 8 Tf {x} {792 - y} Td ({_escaped(drawn)}) Tj ET", {"Font/T": f"{font} 0 R"})


def _blank_letters(page: Any, rng: random.Random, text: str) -> None:
    """Letters whose procedures draw nothing (Type 3), over the lines of the body."""
    letters = sorted(set(text.replace(" ", "")))
    empty = added(page.parent, "<<>>", b"500 0 d0")
    procedures = "".join(f"/g{ord(c)} {empty} 0 R" for c in letters)
    names = " ".join(f"{ord(c)} /g{ord(c)}" for c in letters)
    stream = added(page.parent, "<<>>", _table({c: c for c in [*letters, " "]}))
    font = added(
        page.parent,
        f"<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<{procedures}>>"
        f"/Encoding<</Differences[{names}]>>/FirstChar 0/LastChar 255/Widths[{'500 ' * 256}]/ToUnicode {stream} 0 R>>",
    )
    y = rng.uniform(500, 600)
    content(page, f"BT /B 9 Tf 72 {y} Td ({_escaped(text)}) Tj ET", {"Font/B": f"{font} 0 R"})


def _one_glyph(page: Any, rng: random.Random, text: str) -> None:
    """One small glyph yields a whole sentence."""
    stream = added(page.parent, "<<>>", _table({"x": text}))
    font = added(
        page.parent, f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode {stream} 0 R>>"
    )
    x, y = spot(rng)
    content(page, f"BT /O 8 Tf {x} {792 - y} Td (x) Tj ET", {"Font/O": f"{font} 0 R"})


def _actual_text(page: Any, rng: random.Random, text: str) -> None:
    x, y = spot(rng)
    span = f"/Span <</ActualText ({_escaped(text)})>> BDC BT /H 8 Tf {x} {792 - y} Td ({_PLAIN}) Tj ET EMC"
    content(page, span, helvetica(page))


def _squeezed(page: Any, rng: random.Random, text: str) -> None:
    x, y = spot(rng)
    matrix = rng.choice(("1 0 0 0.03", "0.02 0 0 1"))
    content(page, f"BT /H 9 Tf {matrix} {x} {792 - y} Tm ({_escaped(text)}) Tj ET", helvetica(page))


def _stacked(page: Any, rng: random.Random, text: str) -> None:
    x, y = spot(rng)
    content(page, f"BT /H 9 Tf -5 Tc -3 Tw {x} {792 - y} Td ({_escaped(text)}) Tj ET", helvetica(page))


def _clipped_over_lines(page: Any, rng: random.Random, text: str) -> None:
    """Clipped away where other lines are drawn, so that there is ink."""
    y = rng.uniform(540, 640)
    operators = f"q 10 10 1 1 re W n BT /H 9 Tf 72 {y} Td ({_escaped(text)}) Tj ET Q"
    content(page, operators, helvetica(page))


def _clip_mode_over_lines(page: Any, rng: random.Random, text: str) -> None:
    y = rng.uniform(540, 640)
    content(page, f"q BT /H 9 Tf 7 Tr 72 {y} Td ({_escaped(text)}) Tj ET Q", helvetica(page))


def _behind_a_picture(page: Any, rng: random.Random, text: str) -> None:
    """A picture with structure, and the text under it in the colour of the picture."""
    x, y = spot(rng)
    put(page, (x, y), text, color=(0.6, 0.6, 0.6))
    image = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 12), False)
    for row in range(12):
        for column in range(60):
            image.set_pixel(column, row, (rng.randrange(100, 220),) * 3)
    page.insert_image(pymupdf.Rect(x - 5, y - 14, 600, y + 10), pixmap=image, keep_proportion=False)


def _blend(page: Any, rng: random.Random, text: str) -> None:
    """Drawn in a mode in which white paper stays white."""
    state = added(page.parent, f"<</Type/ExtGState/BM/{rng.choice(('Screen', 'Lighten', 'ColorDodge'))}>>")
    x, y = spot(rng)
    operators = f"1 g 40 10 560 70 re f q /G gs 0 g BT /H 9 Tf {x} {792 - y} Td ({_escaped(text)}) Tj ET Q"
    content(page, operators, {**helvetica(page), "ExtGState/G": f"{state} 0 R"})


def _soft_mask(page: Any, rng: random.Random, text: str) -> None:
    form = added(
        page.parent,
        "<</Type/XObject/Subtype/Form/BBox[0 0 700 900]/Group<</S/Transparency/CS/DeviceGray>>>>",
        b"0 g 0 0 700 900 re f",
    )
    state = added(page.parent, f"<</Type/ExtGState/SMask<</S/Luminosity/G {form} 0 R>>>>")
    x, y = spot(rng)
    operators = f"q /G gs 0 g BT /H 9 Tf {x} {792 - y} Td ({_escaped(text)}) Tj ET Q"
    content(page, operators, {**helvetica(page), "ExtGState/G": f"{state} 0 R"})


def _white_pattern(page: Any, rng: random.Random, text: str) -> None:
    pattern = added(
        page.parent,
        "<</Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>>>",
        b"1 g 0 0 9 9 re f",
    )
    x, y = spot(rng)
    operators = f"q /Pattern cs /P scn BT /H 9 Tf {x} {792 - y} Td ({_escaped(text)}) Tj ET Q"
    content(page, operators, {**helvetica(page), "Pattern/P": f"{pattern} 0 R"})


def _membership(page: Any, rng: random.Random, text: str) -> None:
    """Shown only while a layer is off that is on."""
    layer = page.parent.add_ocg(f"Layer {rng.randrange(99)}", on=True)
    rule = added(page.parent, f"<</Type/OCMD/OCGs {layer} 0 R/P/AllOff>>")
    x, y = spot(rng)
    operators = f"/OC /M BDC BT /H 9 Tf {x} {792 - y} Td ({_escaped(text)}) Tj ET EMC"
    content(page, operators, {**helvetica(page), "Properties/M": f"{rule} 0 R"})


def _unused_page(page: Any, rng: random.Random, text: str) -> None:
    """A page that is not among those of the document."""
    del rng
    stream = added(page.parent, "<<>>", f"BT /H 9 Tf 72 700 Td ({_escaped(text)}) Tj ET".encode())
    font = helvetica(page)["Font/H"]
    added(page.parent, f"<</Type/Page/MediaBox[0 0 612 792]/Resources<</Font<</H {font}>>>>/Contents {stream} 0 R>>")


def _bookmark(page: Any, rng: random.Random, text: str) -> None:
    del rng
    page.parent.set_toc([[1, text, 1]])


def _attached(page: Any, rng: random.Random, text: str) -> None:
    page.parent.embfile_add(f"notes{rng.randrange(99)}.txt", text.encode(), filename="notes.txt")


def _alternative(page: Any, rng: random.Random, text: str) -> None:
    """In the structure of an accessible file, for a span of text."""
    key = rng.choice(("Alt", "ActualText", "E"))
    element = added(page.parent, f"<</Type/StructElem/S/Span/{key}({_escaped(text)})>>")
    root = added(page.parent, f"<</Type/StructTreeRoot/K {element} 0 R>>")
    page.parent.xref_set_key(page.parent.pdf_catalog(), "StructTreeRoot", f"{root} 0 R")


def _script(page: Any, rng: random.Random, text: str) -> None:
    del rng
    action = added(page.parent, f"<</Type/Action/S/JavaScript/JS(var note = '{_escaped(text)}';)>>")
    page.parent.xref_set_key(page.parent.pdf_catalog(), "OpenAction", f"{action} 0 R")


MORE: dict[str, Callable[[Any, random.Random, str], None]] = {
    "other letters": _other_letters,
    "blank letters": _blank_letters,
    "one glyph": _one_glyph,
    "actual text": _actual_text,
    "squeezed": _squeezed,
    "stacked": _stacked,
    "clipped over lines": _clipped_over_lines,
    "clip mode over lines": _clip_mode_over_lines,
    "behind a picture": _behind_a_picture,
    "blend": _blend,
    "soft mask": _soft_mask,
    "white pattern": _white_pattern,
    "membership": _membership,
    "unused page": _unused_page,
    "bookmark": _bookmark,
    "attached": _attached,
    "alternative": _alternative,
    "script": _script,
}
UNREAD = frozenset({"membership", "unused page", "bookmark", "attached", "alternative", "script"})
"""Ways that no model reads from."""


def _composed(page: Any, rng: random.Random) -> None:
    """Ligatures and a word that ends in a hyphen, with what they stand for; a formula with its source."""
    x, y = spot(rng)
    spans = "".join(
        f"/Span <</ActualText ({given})>> BDC ({drawn}) Tj EMC "
        for given, drawn in (("fi", "f"), ("nding", "nding-"), (r"\\frac{a}{b} = \\sum_{i} x_i^2 c d e f", "a/b"))
    )
    content(page, f"BT /H 8 Tf {x} {792 - y} Td {spans} ET", helvetica(page))


def _lettered(page: Any, rng: random.Random) -> None:
    """Text in fonts that MuPDF and matplotlib ship, upright, slanted and bold."""
    for n, name in enumerate(("tibi", "hebi", "cobi", "symb")):
        text = "We read what the page shows and nothing else of it"
        page.insert_text((72, 735 + 9 * n), text, fontname=name, fontsize=8, color=(rng.random() / 3,) * 3)


def _small_capitals(page: Any, rng: random.Random) -> None:
    """Capitals that yield small letters, as fonts of small capitals do."""
    stream = added(page.parent, "<<>>", _table({c: c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ "}))
    font = added(
        page.parent,
        f"<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding/WinAnsiEncoding/ToUnicode {stream} 0 R>>",
    )
    x, y = spot(rng)
    content(page, f"BT /C 8 Tf {x} {792 - y} Td (A SECTION ON WHAT WAS MEASURED) Tj ET", {"Font/C": f"{font} 0 R"})


def _over_a_photograph(page: Any, rng: random.Random) -> None:
    image = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 12), False)
    for row in range(12):
        for column in range(60):
            image.set_pixel(column, row, tuple(rng.randrange(30, 120) for _ in range(3)))
    page.insert_image(pymupdf.Rect(60, 724, 600, 770), pixmap=image, keep_proportion=False)
    put(page, (80, 750), "A view of the valley in the last week of the season", color=(1, 1, 1), fontsize=11)


def _too_large(page: Any, rng: random.Random) -> None:
    """A figure that runs off the page, with its caption."""
    page.draw_rect(pymupdf.Rect(100, 740, 300, 840 + rng.uniform(0, 40)), color=(0, 0, 0))
    put(page, (100, 900), "Figure 4. The share of papers that were read twice by two readers in one year")


COMPANIONS: dict[str, Callable[[Any, random.Random], None]] = {
    "composed": _composed,
    "lettered": _lettered,
    "small capitals": _small_capitals,
    "over a photograph": _over_a_photograph,
    "too large": _too_large,
}


def companion(look: str, seed: int) -> bytes:
    """An honest paper that uses a means of those that hide text."""
    rng = random.Random(f"{look} {seed}")
    document = base(rng)
    COMPANIONS[look](document.load_page(0), rng)
    content: bytes = document.tobytes()
    return content


def bomb(times: int = 2) -> bytes:
    """A paper with a page whose content unpacks to 300 MB."""
    with pymupdf.open() as document:
        page = document.new_page()
        packed = b" " * 300_000_000
        for _ in range(times):
            packed = zlib.compress(packed, 9)
        stream = added(document, "<<>>", b"x")
        document.xref_set_key(page.xref, "Contents", f"{stream} 0 R")
        document.update_stream(stream, packed, compress=False)
        document.xref_set_key(stream, "Filter", "[/FlateDecode/FlateDecode]" if times == 2 else "/FlateDecode")
        made: bytes = document.tobytes()
        return made


def concealed(way: str, seed: int) -> Attacked:
    """A paper that hides a message in one of these ways; every second message sounds like no command."""
    rng = random.Random(f"more {way} {seed}")
    document = base(rng)
    speaks = seed % 2 == 0
    message = rng.choice(COMMANDS if speaks else INNOCENT)
    page = document.load_page(0)
    MORE[way](page, rng, message)
    return Attacked(way, document.tobytes(), message, speaks)
