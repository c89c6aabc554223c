"""Fonts and marked content that make programs read other words than the visible ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import EMBEDDED, Face, cids, composite_font, open_font, simple_face, to_unicode
from tests.benchmarks.concealment.paper import Line, Page, Paper, fitted, host, shown
from tests.benchmarks.concealment.setting import Case, rgb, setting
from tests.benchmarks.concealment.writer import number, numbers, text_string

PLAIN = EMBEDDED[:3]


def to_unicode_other(rng: Random) -> Case:
    """Visible prose whose ToUnicode map yields other words, letter by letter or in larger pieces."""
    paper, text = host(rng, upright=True), wording.secret(rng, 40)
    page, lines = _paragraph(rng, paper)
    name = rng.choice(PLAIN)
    font = open_font(name)
    glyphs = font.getBestCmap()
    letters = [letter for line in lines for letter in line.text]
    pieces = _other_words(text, letters)
    names = [glyphs.get(ord(letter), ".notdef") for letter in letters]
    _set_again(paper, page, lines, name, font, names, pieces)
    return Case(paper.finish(), text, "a ToUnicode map with other words than the glyphs; yielded by get_text")


def _set_again(
    paper: Paper,
    page: Page,
    lines: Sequence[Line],
    name: str,
    font: TTFont,
    names: Sequence[str],
    pieces: Sequence[str],
) -> None:
    """Sets lines again in a font with these glyphs, which a ToUnicode map reads as these pieces, one per letter."""
    metrics = font["hmtx"]
    ref = composite_font(
        paper.pdf,
        font,
        name,
        {cid: metrics[glyph][0] / font["head"].unitsPerEm for cid, glyph in enumerate(names, 1)},
        dict(enumerate(pieces, 1)),
        {cid: font.getGlyphID(glyph) for cid, glyph in enumerate(names, 1)},
    )
    resource, first = paper.resource("Font", ref), 1
    for line in lines:
        codes = cids(range(first, first + len(line.text)))
        natural = sum(metrics[glyph][0] for glyph in names[first - 1 : first - 1 + len(line.text)])
        size = min(line.size, _room(page, line) / (natural / font["head"].unitsPerEm))
        page.replace(line, f"BT {resource} {number(size)} Tf {numbers(line.x, line.y)} Td {codes} Tj ET")
        first += len(line.text)


def reencoded_fonts(rng: Random) -> Case:
    """Several subsets with swapped outlines: the codes spell other words than the visible shapes."""
    paper, text = host(rng, upright=True), wording.secret(rng, 24)
    page, lines = _paragraph(rng, paper, len(text))
    shapes = [letter for line in lines for letter in line.text]
    # Letters beyond the visible lines are shown as spaces; visible letters beyond the words keep their codes.
    codes = [*text, *shapes[len(text) :]]
    shapes += [" "] * (len(codes) - len(shapes))
    tables: list[dict[str, str]] = []
    choice = []
    for code, shape in zip(codes, shapes, strict=True):
        fitting = [row for row, table in enumerate(tables) if table.get(code, shape) == shape]
        if not fitting:
            tables.append({})
            fitting = [len(tables) - 1]
        tables[fitting[0]][code] = shape
        choice.append(fitting[0])
    name = rng.choice(PLAIN)
    faces = [_swapped(paper, name, table) for table in tables]
    names = [paper.font(face) for face in faces]
    place = 0
    for row, line in enumerate(lines):
        ops, x = [], line.x
        shown_as = zip(codes[place : place + len(line.text)], choice[place:], strict=False)
        size = min(line.size, _room(page, line) / sum(faces[font].width(code) for code, font in shown_as))
        for _ in line.text:
            face = faces[choice[place]]
            ops.append(f"{names[choice[place]]} {number(size)} Tf 1 0 0 1 {numbers(x, line.y)} Tm")
            ops.append(f"{face.encode(codes[place])} Tj")
            x += face.width(codes[place]) * size
            place += 1
        if row == len(lines) - 1:
            ops += [f"{names[choice[i]]} 8 Tf {faces[choice[i]].encode(text[i])} Tj" for i in range(place, len(text))]
        page.replace(line, f"BT {' '.join(ops)} ET")
    return Case(paper.finish(), text, f"{len(faces)} fonts with swapped outlines; yielded by get_text")


def actual_text(rng: Random) -> Case:
    """Marked content whose ActualText replaces the drawn words."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    line, ops = rng.choice([known for known in page.lines if len(known[0].text) > 20])
    string = text_string(text) if rng.random() < 0.5 else f"<feff{text.encode('utf-16-be').hex()}>"
    tag = rng.choice(("Span", "P", "Artifact"))
    if rng.random() < 0.5:
        opening = f"/{tag} <</ActualText {string}>> BDC"
    else:
        opening = f"/{tag} {paper.resource('Properties', paper.pdf.add(f'<</ActualText {string}>>'))} BDC"
    page.replace(line, f"{opening} {ops} EMC")
    return Case(paper.finish(), text, "an ActualText other than the words drawn; yielded by get_text")


def type3_empty(rng: Random) -> Case:
    """A Type 3 font whose glyph procedures paint nothing."""
    s = setting(rng)
    empty = s.paper.pdf.stream(rng.choice(("500 0 d0", "500 0 0 0 0 0 d1", "500 0 0 0 500 700 d1 0 0 0 0 re f")))
    letters = sorted(set(s.text))
    procedures = " ".join(f"/a{ord(letter)} {empty} 0 R" for letter in letters)
    differences = " ".join(f"{ord(letter)} /a{ord(letter)}" for letter in letters)
    mapped = to_unicode(s.paper.pdf, {ord(letter): letter for letter in letters}, 2)
    ref = s.paper.pdf.add(
        "<</Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0]"
        f" /CharProcs <<{procedures}>> /Encoding <</Differences [{differences}]>> /FirstChar 0 /LastChar 255"
        f" /Widths [{'500 ' * 256}] /Resources <<>> /ToUnicode {mapped} 0 R>>"
    )
    name = s.paper.resource("Font", ref)
    face = Face(ref, s.face.encode, lambda text: 0.5 * len(text))
    s.page.insert(rng, shown(name, face, fitted(s.text, face, s.lines[0].size, s.box), s.style))
    return s.case("a Type 3 font that paints nothing")


def blank_outlines(rng: Random) -> Case:
    """An embedded TrueType font whose letters have no outlines."""
    s = setting(rng)
    name = rng.choice(PLAIN)
    font = open_font(name)
    for glyph in font.getGlyphOrder():
        font["glyf"][glyph] = Glyph()
    face = simple_face(s.paper.pdf, font, name)
    s.page.insert(rng, shown(s.paper.font(face), face, fitted(s.text, face, s.lines[0].size, s.box), s.style))
    return s.case("an embedded font without outlines")


def mapped_to_space(rng: Random) -> Case:
    """A Type 0 font in which every code shows the glyph of the space."""
    s = setting(rng)
    name = rng.choice(PLAIN)
    font = open_font(name)
    letters = dict(enumerate(sorted(set(s.text)), 1))
    space = font.getGlyphID("space")
    ref = composite_font(s.paper.pdf, font, name, dict.fromkeys(letters, 0.5), letters, dict.fromkeys(letters, space))
    codes = {letter: row for row, letter in letters.items()}
    face = Face(ref, lambda text: cids(codes[letter] for letter in text), lambda text: 0.5 * len(text))
    style = rng.choice(("lines", "matrix"))
    s.page.insert(rng, shown(s.paper.font(face), face, fitted(s.text, face, s.lines[0].size, s.box), style))
    return s.case("every letter is shown as a space")


def tag_characters(rng: Random) -> Case:
    """Invisible Unicode characters that spell ASCII, added to visible letters by the ToUnicode map."""
    paper, text = host(rng, upright=True), wording.secret(rng)
    base = rng.choice((0xE0000, 0xE0000, 0xFE00))
    smuggled = [chr(base + ord(letter)) if base == 0xE0000 else _selector(ord(letter)) for letter in text]
    page, lines = _paragraph(rng, paper)
    name = rng.choice(PLAIN)
    font = open_font(name)
    glyphs = font.getBestCmap()
    letters = [letter for line in lines for letter in line.text]
    pieces = [letter + piece for letter, piece in zip(letters, _pieces(smuggled, len(letters)), strict=True)]
    names = [glyphs[ord(letter)] for letter in letters]
    _set_again(paper, page, lines, name, font, names, pieces)
    return Case(paper.finish(), text, "invisible Unicode characters that spell ASCII; yielded by invisible_unicode")


def bullet_yields_sentence(rng: Random) -> Case:
    """A list whose bullets are single glyphs that a ToUnicode map turns into sentences."""
    s = setting(rng, longest=40)
    name = rng.choice(PLAIN)
    font = open_font(name)
    glyph = font.getBestCmap()[ord(rng.choice("•–·"))]
    words = s.text.split()
    parts = [" ".join(words[first : first + 7]) + " " for first in range(0, len(words), 7)]
    letters = dict(enumerate(parts, 1))
    ref = composite_font(
        s.paper.pdf, font, name, dict.fromkeys(letters, 0.5), letters, dict.fromkeys(letters, font.getGlyphID(glyph))
    )
    resource = s.paper.resource("Font", ref)
    marks = " ".join(f"1 0 0 1 {numbers(s.box.x0, s.box.y1 - 9 * row)} Tm {cids([row])} Tj" for row in letters)
    s.page.insert(rng, f"q {rgb((0.2,) * 3)} BT {resource} 8 Tf {marks} ET Q")
    return s.case("bullets that a ToUnicode map turns into sentences")


def differences_swapped(rng: Random) -> Case:
    """A paragraph in fonts whose Differences name other glyphs than their ToUnicode maps yield."""
    paper, text = host(rng, upright=True), wording.secret(rng, 30)
    page, lines = _paragraph(rng, paper)
    base = rng.choice(("Helvetica", "Times-Roman"))
    letters = [letter for line in lines for letter in line.text]
    pieces = _other_words(text, letters)
    resource: list[str] = []
    for first in range(0, len(letters), 200):
        chunk = letters[first : first + 200]
        names = " ".join(f"/{_GLYPH_NAMES.get(letter, letter)}" for letter in chunk)
        mapped = to_unicode(paper.pdf, dict(enumerate(pieces[first : first + 200], 33)), 2)
        ref = paper.pdf.add(
            f"<</Type /Font /Subtype /Type1 /BaseFont /{base} /ToUnicode {mapped} 0 R"
            f" /Encoding <</Type /Encoding /Differences [33 {names}]>>>>"
        )
        resource.append(paper.resource("Font", ref))
    place = 0
    for line in lines:
        ops = []
        for _ in line.text:
            ops.append(f"{resource[place // 200]} {number(line.size)} Tf <{33 + place % 200:02x}> Tj")
            place += 1
        page.replace(line, f"BT {numbers(line.x, line.y)} Td {' '.join(ops)} ET")
    return Case(paper.finish(), text, "glyph names that differ from the ToUnicode map; yielded by get_text")


_GLYPH_NAMES = {
    " ": "space", ".": "period", ",": "comma", ":": "colon", "-": "hyphen", "(": "parenleft", ")": "parenright",
    "0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven",
    "8": "eight", "9": "nine",
}  # fmt: skip


def _paragraph(rng: Random, paper: Paper, least: int = 150) -> tuple[Page, Sequence[Line]]:
    """Returns consecutive visible lines of prose on a page, with at least ``least`` letters if it has enough."""
    page = rng.choice(paper.pages)
    # The first line of a page is its number.
    long = [line for line, _ in page.lines[1:] if line.size < 12]
    starts = [row for row in range(len(long)) if sum(len(line.text) for line in long[row:]) >= least]
    first = rng.choice(starts or [0])
    chosen: list[Line] = []
    for line in long[first:]:
        chosen.append(line)
        if sum(len(known.text) for known in chosen) >= least:
            break
    return page, chosen


def _room(page: Page, line: Line) -> float:
    """Returns the width available to a line: to the page's right margin or, in a left column, to the gutter."""
    middle = page.width / 2
    crosses = any(other.x > middle - 10 and other.size > 9 for other, _ in page.lines[1:])
    return (middle - 5 if crosses and line.x < middle - 10 else page.width - 50) - line.x


def _pieces(text: Sequence[str], count: int) -> list[str]:
    """Distributes the letters over ``count`` codes in order, about equally many each."""
    return ["".join(text[len(text) * row // count : len(text) * (row + 1) // count]) for row in range(count)]


def _other_words(text: str, letters: Sequence[str]) -> list[str]:
    """Distributes the text over visible letters; excess visible letters keep their meaning."""
    if len(text) >= len(letters):
        return _pieces(text, len(letters))
    return [*text, *(" " + letters[len(text)]), *letters[len(text) + 1 :]][: len(letters)]


def _selector(byte: int) -> str:
    """Returns the variation selector that encodes this byte."""
    return chr(0xFE00 + byte) if byte < 16 else chr(0xE0100 + byte - 16)


def _swapped(paper: Paper, name: str, shapes: dict[str, str]) -> Face:
    """Returns a font in which each letter of ``shapes`` has the outline and width of its value."""
    font, original = open_font(name), open_font(name)
    glyphs = original.getBestCmap()
    for code, shape in shapes.items():
        _copy(original, glyphs.get(ord(shape), "space"), font, glyphs[ord(code)])
    return simple_face(paper.pdf, font, name)


def _copy(source: TTFont, old: str, target: TTFont, new: str) -> None:
    target["glyf"][new] = source["glyf"][old]
    target["hmtx"][new] = source["hmtx"][old]


KINDS = {
    "to_unicode_other": to_unicode_other,
    "reencoded_fonts": reencoded_fonts,
    "differences_swapped": differences_swapped,
    "actual_text": actual_text,
    "type3_empty": type3_empty,
    "blank_outlines": blank_outlines,
    "mapped_to_space": mapped_to_space,
    "tag_characters": tag_characters,
    "bullet_yields_sentence": bullet_yields_sentence,
}
