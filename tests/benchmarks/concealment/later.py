"""Kinds of concealment added after the search handled the others, for what those leave open."""

from __future__ import annotations

import zlib
from copy import deepcopy
from random import Random

import pymupdf

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import cids, composite_font, open_font, standard_face
from tests.benchmarks.concealment.lettering import PLAIN
from tests.benchmarks.concealment.paper import Box, Line, Page, Paper, fitted, host, shown, wrapped
from tests.benchmarks.concealment.setting import Case, Setting, gray_rgb, over_prose, rgb, setting
from tests.benchmarks.concealment.writer import number, numbers, object_body, stream_body, text_string, updated


def clipped_over_hatching(rng: Random) -> Case:
    """Text clipped away over a hatched area, so that there is ink in its place."""
    s = setting(rng)
    box, step = s.box.grown(2), rng.uniform(1.5, 4)
    lines = " ".join(
        f"{numbers(box.x0 + step * n, box.y0)} m {numbers(box.x0 + step * n + rng.choice((0, 6)), box.y1)} l S"
        for n in range(int(box.width / step))
    )
    clip = rng.choice(("3 3 0 0 re W n", f"{numbers(box.x0, box.y1 + 200)} 4 4 re W n"))
    s.page.insert(rng, f"q {number(rng.uniform(0.3, 0.8))} w {lines} Q q {clip} 0 g {s.ops()} Q", "end")
    return s.case("text outside the clip path, over hatching", "get_text_unclipped")


def sideways_masked(rng: Random) -> Case:
    """Text at a right angle to the prose that it crosses, behind a soft mask or fully transparent."""
    s = over_prose(rng)
    group = "/Group <</S /Transparency /CS /DeviceGray>>"
    empty = s.paper.form("", s.page.bounds.grown(600), group)
    state = s.paper.resource(
        "ExtGState", rng.choice((f"<</SMask <</Type /Mask /S /Alpha /G {empty} 0 R>>>>", "<</ca 0>>"))
    )
    turn = numbers(0, 1, -1, 0, s.box.x0 + 100, min(s.box.y0 - 30, s.page.height - 300))
    rows = wrapped(s.text, s.face, 8, 200)
    lines = [Line(0, -10 * row, 8, text) for row, text in enumerate(rows)]
    s.page.insert(rng, f"q {state} gs 0 g {turn} cm {shown(s.font, s.face, lines, s.style)} Q", "end")
    return s.case("text across the prose that a mask hides")


def words_on_words(rng: Random) -> Case:
    """Words clipped away, each a separate text in the place of a visible word of about its length."""
    s = over_prose(rng, longest=24)
    places = []
    for line, _ in s.page.lines:
        x = line.x
        for word in line.text.split(" "):
            places.append((line, x, word))
            x += s.face.width(word + " ") * line.size
    ops, start = [], rng.randrange(max(1, len(places) // 3))
    for word in s.text.split():
        at = next((n for n in range(start, len(places)) if abs(len(places[n][2]) - len(word)) < 3), start)
        start = min(at + 1, len(places) - 1)
        line, x, _ = places[at]
        ops.append(shown(s.font, s.face, [Line(x, line.y, line.size, word)], "lines"))
    s.page.insert(rng, f"q 3 3 0 0 re W n 0 g {' '.join(ops)} Q", "end")
    return s.case("words clipped away, on visible words", "get_text_unclipped")


def some_words_misread(rng: Random) -> Case:
    """Single words in lines of their own that a ToUnicode map turns into other words, letter by letter."""
    paper, text = host(rng, upright=True), wording.secret(rng, 16)
    page = rng.choice(paper.pages)
    name = rng.choice(PLAIN)
    font = open_font(name)
    glyphs, metrics, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
    letters, shapes, spots = {}, {}, []
    known = [line for line, _ in page.lines[1:] if line.size < 12]
    lines = known[rng.randrange(max(1, len(known) - 16)) :]
    words = text.split()
    chosen = lines[: len(words)]
    for line, word in zip(chosen, words, strict=False):
        shape = rng.choice(("measured", "harbour", "station", "winter", "gauge", "of", "and", "river"))
        shape = (shape * 8)[: len(word)]
        codes = []
        for letter, seen in zip(word, shape, strict=True):
            codes.append(len(letters) + 1)
            letters[codes[-1]], shapes[codes[-1]] = letter, glyphs[ord(seen)]
        spots.append((line, codes))
    advances = {code: metrics[glyph][0] / em for code, glyph in shapes.items()}
    ref = composite_font(
        paper.pdf, font, name, advances, letters, {code: font.getGlyphID(glyph) for code, glyph in shapes.items()}
    )
    resource = paper.resource("Font", ref)
    for line, codes in spots:
        page.replace(line, f"BT {resource} {number(line.size)} Tf {numbers(line.x, line.y)} Td {cids(codes)} Tj ET")
    said = " ".join(words[: len(spots)])
    return Case(paper.finish(), said, "single words with other letters than their glyphs; yielded by drawn_letters")


def actual_text_of_space(rng: Random) -> Case:
    """An ActualText for spaces, dots or dashes beside a line of prose."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    line, ops = rng.choice([known for known in page.lines if len(known[0].text) > 20])
    face = standard_face(paper.pdf, "Helvetica")
    mark = shown(
        paper.font(face), face, [Line(line.x - 5, line.y, 6, rng.choice(("     ", "- - -", ". . . .")))], "lines"
    )
    page.replace(line, f"{ops} /Span <</ActualText {text_string(text)}>> BDC {mark} EMC")
    return Case(paper.finish(), text, "an ActualText of spaces or dots; yielded by get_text")


def painted_over_by_itself(rng: Random) -> Case:
    """Black text under the same text in white with an outline."""
    s = setting(rng, sizes=(5, 10))
    s.page.insert(rng, f"q 0 g {s.ops()} 1 g 1 G {number(rng.uniform(0.8, 1.6))} w {s.ops('2 Tr')} Q", "end")
    return s.case("text under the same text in white")


def under_image_mask(rng: Random) -> Case:
    """Text under an image mask that paints white."""
    s = setting(rng)
    wide, high = rng.choice(((8, 8), (64, 32)))
    mask = s.paper.resource(
        "XObject",
        s.paper.pdf.stream(
            zlib.compress(bytes(wide * high // 8)),
            f"/Type /XObject /Subtype /Image /Width {wide} /Height {high} /ImageMask true /BitsPerComponent 1"
            " /Filter /FlateDecode",
            deflate=False,
        ),
    )
    box = s.box.grown(3)
    s.page.insert(
        rng, f"q 0 g {s.ops()} 1 g {numbers(box.width, 0, 0, box.height, box.x0, box.y0)} cm {mask} Do Q", "end"
    )
    return s.case("text under a stencil mask in white")


def clipped_among_cut_lines(rng: Random) -> Case:
    """Text clipped away on a page where a frame cuts through visible lines of a figure."""
    s = setting(rng, sizes=(5, 9))
    box = s.box
    cut = " ".join(
        shown(s.font, s.face, [Line(box.x0 + 40, box.y0 - 20 - 16 * n, 8, "Readings by day and station")], "lines")
        for n in range(3)
    )
    s.page.insert(
        rng, f"q {numbers(box.x0 + 40, box.y0 - 70, 55, 70)} re W n 0 g {cut} Q q 3 3 0 0 re W n 0 g {s.ops()} Q", "end"
    )
    return s.case("text outside the clip path on a page with labels that a frame cuts", "get_text_unclipped")


def pale_gray(rng: Random) -> Case:
    """Small text in a grey so pale that it looks like paper."""
    s = setting(rng, sizes=(3, 6))
    colour = gray_rgb(rng, rng.uniform(0.93, 0.96), 0.01)
    s.page.insert(rng, f"q {rgb(colour)} {s.ops()} Q")
    return s.case("small text in pale gray")


def dark_on_dark(rng: Random) -> Case:
    """Text in a dark colour of another hue than the dark box under it."""
    s = setting(rng, sizes=(4, 8))
    ground = [rng.uniform(0, 0.06) for _ in range(3)]
    ink = [part + rng.uniform(0, 0.04) for part in ground]
    ink[rng.choice((0, 2))] += rng.uniform(0.04, 0.12)
    s.page.insert(rng, f"q {rgb(ground)} {s.box.grown(4).path()} f {rgb(ink)} {s.ops()} Q", "end")
    return s.case("dark text on a dark box of another hue")


def under_page_picture(rng: Random) -> Case:
    """A page with concealed text under a picture of the same page without it."""
    paper = host(rng, upright=True)
    page, text = rng.choice(paper.pages), wording.secret(rng, 40)
    face = standard_face(paper.pdf, "Times-Roman")
    box = rng.choice(page.free)
    if rng.random() < 0.5:
        first = rng.choice([line for line, _ in page.lines if 8 < line.size < 12])
        box = Box(first.x, first.y - 60, first.x + 200, first.y + first.size)
    picture = _picture(paper, page)
    s = Setting(paper, page, box, text, face, paper.font(face), fitted(text, face, 8, box), "lines")
    page.insert(rng, f"q 0 g {s.ops()} Q", "start")
    name = paper.resource("XObject", picture)
    page.insert(rng, f"q {numbers(page.width, 0, 0, page.height, 0, 0)} cm {name} Do Q", "end")
    return s.case("text under a picture of the page")


def _picture(paper: Paper, page: Page) -> int:
    """Adds an image of the page in its present state and returns its object number."""
    alone = deepcopy(paper)
    alone.pages = [next(p for p, known in zip(alone.pages, paper.pages, strict=True) if known is page)]
    with pymupdf.open(stream=alone.finish(), filetype="pdf") as document:
        drawn = document[0].get_pixmap(dpi=120, colorspace=pymupdf.csGRAY)
    return paper.pdf.stream(
        drawn.tobytes("jpeg", jpg_quality=80),
        f"/Type /XObject /Subtype /Image /Width {drawn.width} /Height {drawn.height} /ColorSpace /DeviceGray"
        " /BitsPerComponent 8 /Filter /DCTDecode",
        deflate=False,
    )


def strings_of_objects(rng: Random) -> Case:
    """A string read only by programs: private data, titles in the structure, signatures, threads, page labels."""
    paper, text = host(rng), wording.secret(rng)
    string = text_string(text)
    page = rng.choice(paper.pages)
    match rng.randrange(5):
        case 0:
            page.entries["PieceInfo"] = f"<</Tool <</LastModified (D:20240101) /Private <</Notes {string}>>>>>>"
        case 1:
            root = paper.pdf.reserve()
            element = paper.pdf.add(f"<</Type /StructElem /S /Sect /P {root} 0 R /T {string}>>")
            paper.pdf.put(root, f"<</Type /StructTreeRoot /K [{element} 0 R]>>")
            paper.catalog["StructTreeRoot"] = f"{root} 0 R"
        case 2:
            field = paper.pdf.add(f"<</FT /Sig /T (approval) /V <</Type /Sig /Reason {string} /Location (Desk)>>>>")
            paper.catalog["AcroForm"] = f"<</Fields [{field} 0 R]>>"
        case 3:
            thread = paper.pdf.add(f"<</Type /Thread /I <</Title {string}>>>>")
            paper.catalog["Threads"] = f"[{thread} 0 R]"
        case _:
            words = text.split()
            labels = " ".join(
                f"{n} <</P {text_string(' '.join(words[n * 3 : n * 3 + 3]))}>>" for n in range(-(-len(words) // 3))
            )
            paper.catalog["PageLabels"] = f"<</Nums [{labels}]>>"
    return Case(paper.finish(), text, "a string of an object that no page shows; yielded by objects")


def layer_by_zoom(rng: Random) -> Case:
    """Text in a layer shown only at magnifications that nobody uses, or to certain users."""
    s = setting(rng)
    usage, category = rng.choice(
        (
            ("/Zoom <</min 60>>", "Zoom"),
            ("/Zoom <</max 0.01>>", "Zoom"),
            ("/User <</Type /Ind /Name (Automated reader)>>", "User"),
        )
    )
    group = s.paper.pdf.add(f"<</Type /OCG /Name (Detail) /Usage <<{usage}>>>>")
    events = f"/AS [<</Event /View /Category [/{category}] /OCGs [{group} 0 R]>>]"
    s.paper.catalog["OCProperties"] = f"<</OCGs [{group} 0 R] /D <</ON [{group} 0 R] {events}>>>>"
    name = s.paper.resource("Properties", group)
    s.page.insert(rng, f"/OC {name} BDC q 0 g {s.ops()} Q EMC")
    return s.case("text of a layer that its usage dictionary hides at usual magnifications")


def earlier_revision(rng: Random) -> Case:
    """Words that an update of the file removes from their page."""
    s = setting(rng, sizes=(6, 10))
    s.page.insert(rng, f"q 0 g {s.ops()} Q", "end")
    pdf = s.paper.finish()
    content = "\n".join(s.page.blocks[:-1])
    body = stream_body(f"q {numbers(*s.page.matrix())} cm\n{content}\nQ")
    assert object_body(pdf, s.page.contents)
    return Case(updated(pdf, {s.page.contents: body}), s.text, "text of an earlier revision; yielded by first_revision")


KINDS = {
    "clipped_over_hatching": clipped_over_hatching,
    "sideways_masked": sideways_masked,
    "words_on_words": words_on_words,
    "some_words_misread": some_words_misread,
    "actual_text_of_space": actual_text_of_space,
    "painted_over_by_itself": painted_over_by_itself,
    "under_image_mask": under_image_mask,
    "clipped_among_cut_lines": clipped_among_cut_lines,
    "pale_gray": pale_gray,
    "dark_on_dark": dark_on_dark,
    "under_page_picture": under_page_picture,
    "strings_of_objects": strings_of_objects,
    "layer_by_zoom": layer_by_zoom,
    "earlier_revision": earlier_revision,
}
