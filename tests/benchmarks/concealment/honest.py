"""Honest papers that resemble concealment: nothing in them is hidden from a reader."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from random import Random

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import (
    LATIN,
    any_face,
    composite_face,
    embedded_face,
    open_font,
    standard_face,
    to_unicode,
)
from tests.benchmarks.concealment.paper import Box, Line, Page, Paper, fitted, host, shown
from tests.benchmarks.concealment.scan import scanned, scanned_lines
from tests.benchmarks.concealment.setting import gray_rgb, rgb
from tests.benchmarks.concealment.writer import number, numbers, text_string


def scan_with_ocr(rng: Random) -> bytes:
    """A scan with its visible text as an invisible layer, over or under the picture."""
    original, paper = host(rng, upright=True), Paper()
    over = rng.random() < 0.5
    for page in original.pages:
        scan = scanned(rng, paper, original, page)
        face = standard_face(paper.pdf, "Times-Roman")
        name = paper.font(face)
        for line in scanned_lines(page):
            ops = f"q {shown(name, face, [line], 'lines', '3 Tr' if over else '')} Q"
            scan.insert(rng, ops, "end" if over else "start")
    return paper.finish()


def white_on_dark(rng: Random) -> bytes:
    """White text on a dark box or in the dark header of a table."""
    paper, page, box = _place(rng)
    face = any_face(paper.pdf, rng)
    colour = gray_rgb(rng, rng.uniform(0.05, 0.35), 0.1)
    lines = fitted(filled_sentence(rng), face, rng.uniform(7, 10), box)
    fill = rng.choice(("1 g", "1 1 1 rg", "0 0 0 0 k"))
    page.insert(
        rng, f"q {rgb(colour)} {box.grown(4).path()} f {fill} {shown(paper.font(face), face, lines, 'lines')} Q", "end"
    )
    return paper.finish()


def watermark(rng: Random) -> bytes:
    """A large, light gray word across each page, opaque under the text or transparent over it."""
    paper = host(rng)
    face = standard_face(paper.pdf, "Helvetica-Bold")
    word = rng.choice(("DRAFT", "PREPRINT", "UNDER REVIEW", "CONFIDENTIAL"))
    ops = f"BT {paper.font(face)} 60 Tf 0.707 0.707 -0.707 0.707 150 200 Tm {face.encode(word)} Tj ET"
    state = paper.resource("ExtGState", "<</ca 0.15>>")
    transparent = rng.random() < 0.5
    for page in paper.pages:
        if transparent:
            page.insert(rng, f"q {state} gs 0.3 g {ops} Q", "end")
        else:
            page.insert(rng, f"q {number(rng.uniform(0.78, 0.88))} g {ops} Q", "start")
    return paper.finish()


def figure_labels(rng: Random) -> bytes:
    """A chart with labels of 4 points and superscripts of 5."""
    paper, page, box = _place(rng)
    face = standard_face(paper.pdf, "Helvetica")
    name, ops = paper.font(face), []
    for bar in range(8):
        x, high = box.x0 + 18 * bar, rng.uniform(8, max(9, box.height - 14))
        ops.append(f"{rgb(gray_rgb(rng, 0.5, 0.3))} {Box(x, box.y0 + 8, x + 12, box.y0 + 8 + high).path()} f 0 g")
        ops.append(shown(name, face, [Line(x, box.y0 + 2, 4, f"site {bar + 1}")], "lines"))
        ops.append(shown(name, face, [Line(x, box.y0 + 9 + high, 4, f"{high:.1f}")], "lines"))
    for line, _ in rng.sample(page.lines, min(6, len(page.lines))):
        end = line.x + len(line.text) * 0.3 * line.size
        ops.append(shown(name, face, [Line(end, line.y + 4, 5, str(rng.randint(1, 40)))], "lines"))
    page.insert(rng, f"q {' '.join(ops)} Q", "end")
    return paper.finish()


def ligatures(rng: Random) -> bytes:
    """Ligature glyphs with a ToUnicode map of several letters, or drawn letters with an equal ActualText."""
    paper, page, box = _place(rng)
    name = rng.choice(("DejaVuSans", "DejaVuSerif"))
    face = composite_face(paper.pdf, open_font(name, LATIN + "ﬁﬂﬀﬃ"), name)
    text = "The ﬁrst diﬀerence is small, the ﬁnal one suﬃcient; a ﬂat ﬁeld conﬁrms the classiﬁcation."
    resource, ops = paper.font(face), []
    for line in fitted(text, face, 9, box):
        drawn, x = [], line.x
        for word in line.text.split(" "):
            part = shown(resource, face, [Line(x, line.y, line.size, word)], "lines")
            plain = word.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").replace("ﬃ", "ffi")
            drawn.append(f"/Span <</ActualText {text_string(plain)}>> BDC {part} EMC" if plain != word else part)
            x += face.width(word + " ") * line.size
        ops += drawn
    page.insert(rng, f"q {' '.join(ops)} Q")
    return paper.finish()


def soft_hyphens(rng: Random) -> bytes:
    """Words broken at line ends with soft hyphens; the whole word as ActualText in some."""
    paper, page, box = _place(rng)
    face = embedded_face(paper.pdf, rng.choice(("DejaVuSans", "DejaVuSerif")))
    name, ops, y = paper.font(face), [], box.y1 - 9
    for first, second in rng.sample((("measure", "ment"), ("clas", "sify"), ("reser", "voir"), ("har", "bour")), 3):
        parts = [Line(box.x0, y, 8, f"A note on the {first}\u00ad"), Line(box.x0, y - 10, 8, f"{second} in winter.")]
        drawn = shown(name, face, parts, "lines")
        if rng.random() < 0.5:
            drawn = (
                f"{shown(name, face, [parts[0]._replace(text='A note on the ')], 'lines')}"
                f" /Span <</ActualText {text_string(first + second)}>> BDC"
                f" {shown(name, face, [Line(box.x0 + 8 * face.width('A note on the '), y, 8, first + '-')], 'lines')}"
                f" {shown(name, face, [parts[1]._replace(text=second)], 'lines')} EMC"
                f" {shown(name, face, [Line(box.x0 + 8 * face.width(second + ' '), y - 10, 8, 'in winter.')], 'lines')}"
            )
        ops.append(drawn)
        y -= 22
    page.insert(rng, f"q {' '.join(ops)} Q")
    return paper.finish()


def text_over_photo(rng: Random) -> bytes:
    """Readable dark text over a pale photo, or white text over a dark one."""
    paper, page, box = _place(rng)
    face = standard_face(paper.pdf, "Helvetica-Bold")
    dark = rng.random() < 0.5
    base = [rng.randint(20, 70) if dark else rng.randint(190, 235) for _ in range(3)]
    pixels = bytes(max(0, min(255, part + rng.randint(-18, 18))) for _ in range(80 * 40) for part in base)
    picture = paper.pdf.stream(
        zlib.compress(pixels),
        "/Type /XObject /Subtype /Image /Width 80 /Height 40 /ColorSpace /DeviceRGB /BitsPerComponent 8"
        " /Filter /FlateDecode",
        deflate=False,
    )
    around = box.grown(4)
    place = f"q {numbers(around.width, 0, 0, around.height, around.x0, around.y0)} cm"
    lines = fitted(filled_sentence(rng), face, 10, box)
    text = shown(paper.font(face), face, lines, "lines")
    page.insert(
        rng, f"{place} {paper.resource('XObject', picture)} Do Q q {'1 g' if dark else '0.1 g'} {text} Q", "end"
    )
    return paper.finish()


def footnotes(rng: Random) -> bytes:
    """Footnotes of 6 points under a rule, some in dark gray."""
    paper = host(rng)
    face = any_face(paper.pdf, rng)
    for page in paper.pages:
        box = page.free[rng.choice((0, 1))]
        lines = fitted(wording.visible_paragraph(rng, 2), face, 6, box)
        rule = f"0.4 w {numbers(box.x0, box.y1 + 2)} m {numbers(box.x0 + 60, box.y1 + 2)} l S"
        page.insert(rng, f"q {rng.choice((0, 0.25))} g {rule} {shown(paper.font(face), face, lines, 'lines')} Q", "end")
    return paper.finish()


def cropped_figure(rng: Random) -> bytes:
    """An included figure whose clip cuts labels at its edge, as when a plot is trimmed."""
    paper, page, box = _place(rng)
    face = standard_face(paper.pdf, "Helvetica")
    name = paper.font(face)
    ticks = " ".join(
        shown(name, face, [Line(box.x0 - 6 + 30 * tick, box.y0 + 3, 7, f"{10 * tick}")], "lines") for tick in range(12)
    )
    title = shown(name, face, [Line(box.x0 + 10, box.y1 - 8, 8, "Readings by day")], "lines")
    figure = paper.painted_form(f"0 g {ticks} {title} 0.5 w {box.path()} S", Box(box.x0, box.y0, box.x0 + 200, box.y1))
    page.insert(rng, f"q {figure} Do Q")
    return paper.finish()


def formulas(rng: Random) -> bytes:
    """Displayed formulas in a mathematical font, with indices and a fraction bar."""
    paper, page, box = _place(rng)
    face = composite_face(paper.pdf, open_font("STIXGeneral", LATIN + "αβγθλμσ∑∫∂∞≤≥≠≈∈∀√×±"), "STIXGeneral")
    name, ops, y = paper.font(face), [], box.y1 - 12
    for formula in rng.sample(("σ ≈ ∑ θ × λ", "∫ α + β ≤ γ", "∀ μ ∈ M: √μ ≥ 0", "∂f ≠ ±∞", "λ = α × β"), 3):
        ops.append(shown(name, face, [Line(box.x0 + 20, y, 11, formula)], "lines"))
        ops.append(shown(name, face, [Line(box.x0 + 28, y - 3, 6, "i=1")], "lines"))
        ops.append(f"0.5 w {numbers(box.x0 + 20, y - 5)} m {numbers(box.x0 + 90, y - 5)} l S")
        y -= 20
    page.insert(rng, f"q {' '.join(ops)} Q")
    return paper.finish()


def rotated_sidebar(rng: Random) -> bytes:
    """A line up the left margin, like the stamp of a preprint server, in gray."""
    paper = host(rng)
    face = standard_face(paper.pdf, "Times-Roman")
    stamp = f"preprint {rng.randint(1000, 9999)}.{rng.randint(10000, 99999)}v{rng.randint(1, 4)} [stat.AP] 12 May 2023"
    page = paper.pages[0]
    page.insert(
        rng, f"q 0.5 g BT {paper.font(face)} {rng.choice((12, 18))} Tf 0 1 -1 0 32 240 Tm {face.encode(stamp)} Tj ET Q"
    )
    return paper.finish()


def layers_on(rng: Random) -> bytes:
    """Optional content that is on, in a group or a membership dictionary."""
    paper, page, box = _place(rng)
    face = any_face(paper.pdf, rng)
    group = paper.pdf.add("<</Type /OCG /Name (Figures)>>")
    paper.catalog["OCProperties"] = f"<</OCGs [{group} 0 R] /D <</ON [{group} 0 R] /Order [{group} 0 R]>>>>"
    content = rng.choice((group, paper.pdf.add(f"<</Type /OCMD /OCGs [{group} 0 R] /P /AnyOn>>")))
    lines = fitted(filled_sentence(rng), face, 8, box)
    text = shown(paper.font(face), face, lines, "lines")
    page.insert(rng, f"/OC {paper.resource('Properties', content)} BDC q 0 g {text} Q EMC")
    return paper.finish()


def links(rng: Random) -> bytes:
    """Links with Contents that repeat the words they are on."""
    paper = host(rng)
    for page in paper.pages:
        for line, _ in rng.sample(page.lines, min(3, len(page.lines))):
            words = " ".join(line.text.split()[:3])
            box = page.in_file(Box(line.x, line.y - 2, line.x + 50, line.y + line.size))
            page.annotations.append(
                paper.pdf.add(
                    f"<</Type /Annot /Subtype /Link /Rect {box.array()} /Border [0 0 0] /Contents {text_string(words)}"
                    " /A <</S /URI /URI (https://example.org/data)>>>>"
                )
            )
    return paper.finish()


def visible_field(rng: Random) -> bytes:
    """A form field whose value is shown."""
    paper, page, shape = _place(rng, upright=True)
    face = standard_face(paper.pdf, "Helvetica")
    value = rng.choice(("Version of the survey: second round", "Contact: the first author", "Area: environmental data"))
    box = page.in_file(Box(shape.x0, shape.y0, shape.x0 + 180, shape.y0 + 16))
    look = paper.form(
        f"/Tx BMC BT {paper.font(face)} 8 Tf {numbers(box.x0 + 2, box.y0 + 4)} Td {face.encode(value)} Tj ET EMC", box
    )
    field = paper.pdf.add(
        f"<</Type /Annot /Subtype /Widget /FT /Tx /T (note) /F 4 /Rect {box.array()} /V {text_string(value)}"
        f" /DA (0 g /Helv 8 Tf) /AP <</N {look} 0 R>>>>"
    )
    page.annotations.append(field)
    paper.catalog["AcroForm"] = f"<</Fields [{field} 0 R]>>"
    return paper.finish()


def bookmarks(rng: Random) -> bytes:
    """Bookmarks that equal the headings, and properties that equal the title."""
    paper = host(rng)
    headings = [
        (page, line.text)
        for page in paper.pages
        for line, _ in page.lines
        if line.text[:1].isdigit() and " " in line.text and len(line.text) < 20
    ]
    for page in paper.pages:
        page.ref = paper.pdf.reserve()
    root, items = paper.pdf.reserve(), [paper.pdf.reserve() for _ in headings]
    for row, (item, (page, heading)) in enumerate(zip(items, headings, strict=True)):
        beside = f"/Prev {items[row - 1]} 0 R" if row else ""
        beside += f" /Next {items[row + 1]} 0 R" if row + 1 < len(items) else ""
        paper.pdf.put(
            item, f"<</Title {text_string(heading)} /Parent {root} 0 R /Dest [{page.ref} 0 R /Fit] {beside}>>"
        )
    paper.pdf.put(root, f"<</Type /Outlines /First {items[0]} 0 R /Last {items[-1]} 0 R /Count {len(items)}>>")
    paper.catalog["Outlines"] = f"{root} 0 R"
    title = " ".join(line.text for line, _ in paper.pages[0].lines if line.size == 16)
    paper.info = {"Title": text_string(title), "Creator": "(LaTeX with hyperref)", "Producer": "(pdfTeX-1.40.25)"}
    return paper.finish()


def line_numbers(rng: Random) -> bytes:
    """Numbers in gray beside every line, as for review."""
    paper = host(rng)
    face = standard_face(paper.pdf, "Helvetica")
    name, count = paper.font(face), 1
    for page in paper.pages:
        ops = []
        for line, _ in page.lines[1:]:
            ops.append(shown(name, face, [Line(line.x - 16, line.y, 5, f"{count:03d}")], "lines"))
            count += 1
        page.insert(rng, f"q {rng.choice(('0.55 g', '0.6 0.6 0.9 rg'))} {' '.join(ops)} Q", "end")
    return paper.finish()


def small_caps(rng: Random) -> bytes:
    """Small capitals made of two sizes, and a heading with wide letter spacing."""
    paper, page, box = _place(rng)
    face = standard_face(paper.pdf, "Times-Roman")
    name, x, y, ops = paper.font(face), box.x0, box.y1 - 12, []
    for word in ["The", "Keeper", "of", "the", "Harbour", "and", "the", "River", "Gauge"]:
        for row, part in enumerate((word[0], word[1:])):
            size = 10 if row == 0 and part.isupper() else 7.5
            ops.append(shown(name, face, [Line(x, y, size, part.upper())], "lines"))
            x += face.width(part.upper()) * size
        x += 3
    spaced = f"BT 3 Tc {name} 8 Tf {numbers(box.x0, y - 16)} Td (SUPPLEMENT) Tj ET"
    page.insert(rng, f"q {' '.join(ops)} {spaced} Q")
    return paper.finish()


def other_scripts(rng: Random) -> bytes:
    """Sentences in Greek and Cyrillic, in an embedded font."""
    paper, page, box = _place(rng)
    text = rng.choice(
        (
            "Η μέτρηση έγινε δύο φορές σε κάθε σταθμό. Τα αποτελέσματα συμφωνούν με παλαιότερες έρευνες.",
            "Измерения проводились дважды на каждой станции. Результаты согласуются с прежними данными.",
            "Вимірювання проводили двічі на кожній станції. Οι τιμές διαφέρουν ελάχιστα.",
        )
    )
    font = rng.choice(("DejaVuSans", "DejaVuSerif"))
    face = composite_face(paper.pdf, open_font(font, "".join(sorted(set(text + LATIN)))), font)
    page.insert(rng, f"q {shown(paper.font(face), face, fitted(text, face, 9, box), 'matrix')} Q")
    return paper.finish()


def outlined_heading(rng: Random) -> bytes:
    """A heading in outlined letters, another with a shadow, and letters in bold made by filling and stroking."""
    paper, page, box = _place(rng)
    face = standard_face(paper.pdf, "Helvetica-Bold")
    name = paper.font(face)
    first, second, third = (
        Line(box.x0, box.y1 - 14 - 14 * row, 11, text) for row, text in enumerate(("Overview", "Summary", "Material"))
    )
    shadow = shown(name, face, [second._replace(x=second.x + 0.7, y=second.y - 0.7)], "lines")
    page.insert(
        rng,
        f"q 0.4 w 0 G {shown(name, face, [first], 'lines', '1 Tr')} Q q 0.75 g {shadow} 0 g"
        f" {shown(name, face, [second], 'lines')} Q q 0.3 w {shown(name, face, [third], 'lines', '2 Tr')} Q",
        "end",
    )
    return paper.finish()


def bitmap_font(rng: Random) -> bytes:
    """Text in a Type 3 font with visible glyphs, as in old TeX files."""
    paper, page, box = _place(rng)
    letters, procedures = "ILTHEF", []
    strokes = {
        "I": "200 0 100 700 re", "L": "50 0 100 700 re 50 0 400 100 re", "T": "200 0 100 700 re 0 600 500 100 re",
        "H": "50 0 100 700 re 350 0 100 700 re 50 300 400 100 re",
        "E": "50 0 100 700 re 50 0 400 100 re 50 300 300 100 re 50 600 400 100 re",
        "F": "50 0 100 700 re 50 300 300 100 re 50 600 400 100 re",
    }  # fmt: skip
    for letter in letters:
        procedures.append(f"/{letter} {paper.pdf.stream(f'550 0 0 0 500 700 d1 {strokes[letter]} f')} 0 R")
    differences = " ".join(f"{ord(letter)} /{letter}" for letter in letters)
    mapped = to_unicode(paper.pdf, {ord(letter): letter for letter in letters}, 2)
    ref = paper.pdf.add(
        "<</Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix [0.001 0 0 0.001 0 0]"
        f" /CharProcs <<{' '.join(procedures)}>> /Encoding <</Differences [{differences}]>> /FirstChar 0"
        f" /LastChar 255 /Widths [{'550 ' * 256}] /Resources <<>> /ToUnicode {mapped} 0 R>>"
    )
    name = paper.resource("Font", ref)
    words = rng.sample(("THE", "HILL", "FELT", "LITTLE", "TILT", "FILE", "TELL", "LEFT"), 5)
    shows = " ".join(
        f"({word}) Tj 20 0 Td" if not row else f"{26 * 1.6:.1f} 0 Td ({word}) Tj" for row, word in enumerate(words)
    )
    page.insert(rng, f"q BT {name} 9 Tf {numbers(box.x0, box.y1 - 12)} Td {shows} ET Q")
    return paper.finish()


def figure_with_alternate(rng: Random) -> bytes:
    """A tagged paper: a chart with an alternate text that describes it."""
    paper, page, box = _place(rng)
    page.ref = paper.pdf.reserve()
    bars = " ".join(
        f"{Box(box.x0 + 20 * bar, box.y0, box.x0 + 20 * bar + 14, box.y0 + rng.uniform(8, 40)).path()} f"
        for bar in range(5)
    )
    page.insert(rng, f"/Figure <</MCID 0>> BDC q 0.3 0.4 0.7 rg {bars} Q EMC")
    root, element = paper.pdf.reserve(), paper.pdf.reserve()
    alternate = rng.choice(("Bar chart with five bars of different heights.", "A bar chart; one bar for each station."))
    paper.pdf.put(
        element, f"<</Type /StructElem /S /Figure /P {root} 0 R /Pg {page.ref} 0 R /K 0 /Alt {text_string(alternate)}>>"
    )
    paper.pdf.put(root, f"<</Type /StructTreeRoot /K [{element} 0 R] /ParentTree <</Nums [0 [{element} 0 R]]>>>>")
    page.entries["StructParents"] = "0"
    paper.catalog |= {"StructTreeRoot": f"{root} 0 R", "MarkInfo": "<</Marked true>>"}
    return paper.finish()


def filled_sentence(rng: Random) -> str:
    """Returns one or two neutral sentences, not about the review."""
    return wording.visible_paragraph(rng, rng.choice((1, 2)))


def _place(rng: Random, upright: bool = False) -> tuple[Paper, Page, Box]:
    """Returns a host, one of its pages, and its free place with the most room."""
    paper = host(rng, upright=upright)
    page = rng.choice(paper.pages)
    return paper, page, max(page.free, key=lambda box: min(box.height, 80) * box.width)


HONEST: dict[str, Callable[[Random], bytes]] = {
    generator.__name__: generator
    for generator in (
        scan_with_ocr, white_on_dark, watermark, figure_labels, ligatures, soft_hyphens, text_over_photo, footnotes,
        cropped_figure, formulas, rotated_sidebar, layers_on, links, visible_field, bookmarks, line_numbers, small_caps,
        other_scripts, outlined_heading, bitmap_font, figure_with_alternate,
    )
}  # fmt: skip
