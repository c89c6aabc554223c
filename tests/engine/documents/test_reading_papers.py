"""What papers have besides running text: code, references, columns, running heads, and pages not to be trusted."""

from __future__ import annotations

import itertools
import math
import random
import re
from functools import cache

import pymupdf
import pytest

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from tests.engine.documents.typeset import Look, Paper, prose

LISTING = ["def answer(question):", "    for word in question.split():", "        count(word)", "    return 42"]
ENTRIES = [
    f"{'ABCDEFGHIJKL'[n]}author, B., and Coauthor, C. {2001 + n}. A study of {what} in many journals and in some of the"
    f" conferences. Journal of Invented Results {n + 3}, pages {10 * n + 11} to {10 * n + 19}."
    for n, what in enumerate(["rivers", "clouds", "stones", "wheels", "lamps", "roads", "birds", "maps"])
]


def texts(parsed: ParsedDocument, kind: str) -> list[str]:
    return [p.text for p in parsed.paragraphs if p.kind == kind]


def started(**options: object) -> Paper:
    paper = Paper(**options)  # type: ignore[arg-type]
    paper.title("A Paper That Was Made to Be Read Back", ["Ada Example"])
    return paper


def listing(paper: Paper, lines: list[str], font: str = "cour") -> None:
    paper._y += 6
    for line in lines:
        paper._y += 11
        start = paper.left + 14 + 5.4 * (len(line) - len(line.lstrip()))
        for word in line.split():
            start = paper._put(start, paper._y, word, Look(font, 9, 11)) + 5.4
    paper._y += 8


def test_a_listing_is_kept_whole_as_code_and_parts_the_text(service: DocumentService) -> None:
    rng = random.Random(1)
    paper = started()
    before, after = prose(rng, 4), prose(rng, 4)
    paper.heading("1 Method")
    paper.paragraph(before, first=True)
    listing(paper, LISTING)
    paper.paragraph(after, first=True)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == [" ".join(" ".join(LISTING).split())]
    assert texts(parsed, "body") == [before, after]
    assert texts(parsed, "heading")[-1] == "1 Method"


def test_counted_lines_of_an_algorithm_are_code(service: DocumentService) -> None:
    rng = random.Random(2)
    paper = started()
    text = prose(rng, 5)
    paper.paragraph(text)
    steps = ["1: for each page do", "2: read the lines", "3: end for", "4: return the paragraphs"]
    listing(paper, steps, font="tiro")
    parsed = service.parse(paper.finish())
    assert texts(parsed, "code") == [" ".join(steps)]
    assert text in texts(parsed, "body")


def test_an_address_in_typewriter_letters_does_not_cut_its_paragraph(service: DocumentService) -> None:
    paper = started(justified=False)
    words = "The programs of this paper are kept where everybody finds them, with their tests and their results, at "
    paper._set(words * 3, paper.body)
    paper._y += 12
    paper._put(
        paper.left,
        paper._y,
        "https://example.org/a/very/long/address/of/the/programs/of/this/paper/",
        Look("cour", 9, 12),
    )
    paper._set("and in the archive of the journal that printed it, for as long as there is one.", paper.body)
    listing(paper, LISTING)
    parsed = service.parse(paper.finish())
    assert len(texts(parsed, "code")) == 1
    assert len(texts(parsed, "body")) == 1


@pytest.mark.parametrize("form", ["numbered", "bracketed", "hanging", "bold titles", "no heading"])
def test_a_list_of_references_of_every_form_is_found_entry_by_entry(service: DocumentService, form: str) -> None:
    rng = random.Random(3)
    paper = started()
    for name in ("1 Introduction", "2 Results"):
        paper.heading(name)
        paper.paragraph(prose(rng, 5), first=True)
        paper.paragraph(prose(rng, 5))
    if form != "no heading":
        paper.heading("References")
    small = Look("tiro", 9, 10.5)
    for number, entry in enumerate(ENTRIES, start=1):
        label = {"numbered": f"{number}. ", "bracketed": f"[{number}] ", "no heading": f"[{number}] "}.get(form, "")
        paper._y += 2
        if form == "bold titles":
            paper._set(f"{number}. {entry.split('. ')[2]}", Look("tibo", 10, 12), justified=False)
            paper._set(entry, small, justified=False)
        else:
            paper._set(label + entry, small, rest_indent=14, justified=form != "numbered")
    paper.heading("A Appendix")
    last = prose(rng, 6)
    paper.paragraph(last, first=True)
    parsed = service.parse(paper.finish())
    found = texts(parsed, "reference")
    assert len(found) == len(ENTRIES)
    assert all(f"{2001 + n}" in text for n, text in enumerate(found))
    assert len(texts(parsed, "body")) == 5
    assert texts(parsed, "body")[-1] == last
    assert texts(parsed, "heading")[-1] == "A Appendix"


def test_three_columns_are_read_one_after_the_other(service: DocumentService) -> None:
    rng = random.Random(4)
    paper = Paper(columns=3, width=700, margin=45, gutter=20, body=Look("tiro", 9, 10.5))
    known = [prose(rng, rng.randint(3, 6)) for _ in range(24)]
    for text in known:
        paper.paragraph(text)
    assert texts(service.parse(paper.finish()), "body") == known


def test_running_heads_that_name_the_section_are_nowhere(service: DocumentService) -> None:
    rng = random.Random(5)
    paper = started(page_numbers=False)
    known = [prose(rng, 6) for _ in range(40)]
    for text in known:
        paper.paragraph(text)
    names = ["Introduction", "Methods", "Results", "Discussion", "Conclusion", "Acknowledgements"]
    for number, page in enumerate(paper.document):
        page.insert_text((paper.margin, 48), f"{number + 1}", fontname="tiro", fontsize=10)
        page.insert_text((paper.width - 160, 48), names[number % len(names)], fontname="tiit", fontsize=10)
    parsed = service.parse(paper.finish())
    assert len(parsed.pages) >= 5
    assert texts(parsed, "body") == known
    assert not [p for p in parsed.paragraphs if p.text in names]


def test_rows_of_tables_at_the_top_of_pages_are_no_running_heads(service: DocumentService) -> None:
    rng = random.Random(5)
    paper = started(page_numbers=False)
    for _ in range(40):
        paper.paragraph(prose(rng, 6))
    pages = range(0, len(paper.document), 2)
    for number in pages:
        page, letter = paper.document[number], "abcdefgh"[number]
        rows = [[f"Set {letter}", "Accuracy", f"Time of {letter}"], [letter, f"{number}.5", f"{number}7"]]
        for row, column in itertools.product(range(2), range(3)):
            place = (paper.margin + 90 * column, 36 + 12 * row)
            page.insert_text(place, rows[row][column], fontname="tiro", fontsize=9)
    words = " ".join(p.text for p in service.parse(paper.finish()).paragraphs).split()
    assert words.count("Accuracy") == len(pages) > 2
    assert {f"{n}.5" for n in pages} <= set(words)


def test_items_that_a_little_space_parts_are_not_joined(service: DocumentService) -> None:
    rng = random.Random(6)
    paper = started(justified=False, hyphenate=False, indent=0, skip=3.4)
    known = [prose(rng, 4) for _ in range(9)]
    for text in known:
        paper.paragraph(text)
    assert texts(service.parse(paper.finish()), "body") == known


@pytest.mark.parametrize("references", [0, 30])
def test_widely_spaced_lines_are_paragraphs_also_beside_closely_set_references(
    service: DocumentService, references: int
) -> None:
    rng = random.Random(7)
    paper = Paper(indent=20, body=Look("tiro", 11, 27))
    known = [prose(rng, 5) for _ in range(8)]
    for text in known:
        paper.paragraph(text)
    if references:
        paper.heading("References")
    paper.body = Look("tiro", 12, 14.5)  # one point more than the entries
    for number in range(references):
        paper.reference(f"Author{number}, A., {1990 + number}. {prose(rng, 2)} Journal {number}, 1-{number + 9}.")
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == known and len(texts(parsed, "reference")) == references


class WithFigures(Paper):
    """A paper with a figure at the top of each second column, in which a word looks like a heading."""

    def _next_column(self) -> None:
        super()._next_column()
        if self._column == 1:
            self._put(self.left + 40, self._y + 12, "Epoch Seven", Look("tibo", 12, 14))
            self._put(self.left, self._y + 50, "Figure 1: A picture of an epoch.", Look("tiro", 9, 10))
            self._y += 60


def test_a_paragraph_goes_on_below_a_figure_with_text_like_a_heading(service: DocumentService) -> None:
    paper = WithFigures(columns=2, height=420, margin=40)
    paper.heading("1 Introduction")
    text = "This sentence goes on and on over the end of its column, " * 24 + "and then it ends."
    paper.paragraph(text, first=True)
    parsed = service.parse(paper.finish())
    assert texts(parsed, "body") == [text]
    assert texts(parsed, "heading") == ["1 Introduction"]


class TwoSided(Paper):
    """A paper whose columns are further right on every other page, and begin lower on the right."""

    def _put(self, x: float, y: float, text: str, look: Look) -> float:
        shift = 0 if self.document.page_count % 2 else 60
        return super()._put(x + shift, y, text, look) - shift

    def _next_column(self) -> None:
        super()._next_column()
        self._y += 100 * self._column


def test_pages_printed_on_both_sides_have_their_columns_where_they_are(service: DocumentService) -> None:
    rng = random.Random(12)
    paper = TwoSided(columns=2, height=420, margin=70)
    known = [prose(rng, 5) for _ in range(30)]
    for text in known:
        paper.paragraph(text)
    parsed = service.parse(paper.finish())
    assert len(parsed.pages) >= 6
    assert texts(parsed, "body") == known


def test_accents_set_apart_from_their_letters_are_composed(service: DocumentService) -> None:
    document = pymupdf.open()
    page = document.new_page()
    y = 100.0
    for line in [
        "A na\u00a8\u0131ve reader of the caf\u00b4e wrote this line and then another.",
        "It was a d\u00b4ej`a vu.",
    ]:
        page.insert_text((72, y), line, fontname="helv", fontsize=11)
        y += 14
    parsed = service.parse(document.tobytes())
    text = " ".join(p.text for p in parsed.paragraphs)
    assert "d\u00e9j\u00e0 vu" in text
    assert "caf\u00b4e" not in text


# --- pages that cannot be trusted ---


def doubts(parsed: ParsedDocument) -> dict[int, str]:
    return {d.page: d.reason for d in parsed.doubtful}


def ordinary(pages: int = 3) -> Paper:
    rng = random.Random(8)
    paper = started()
    while paper.document.page_count < pages or paper._y < 500:
        paper.paragraph(prose(rng, 6))
    return paper


def test_ordinary_pages_are_not_doubted(service: DocumentService) -> None:
    assert service.parse(ordinary().finish()).doubtful == ()


def test_a_scan_is_doubted_with_and_without_recognised_text(service: DocumentService) -> None:
    paper = ordinary(2)
    picture = paper.document[0].get_pixmap(dpi=60).tobytes("png")
    with pymupdf.open(stream=paper.finish(), filetype="pdf") as document:
        document[0].insert_image(document[0].rect, stream=picture, overlay=False)
        empty = document.new_page(width=612, height=792)
        empty.insert_image(empty.rect, stream=picture)
        parsed = service.parse(document.tobytes())
    assert doubts(parsed) == {1: "scan", 3: "scan"}


@pytest.mark.parametrize(
    ("kind", "doubted"), [("plain", {}), ("masked", {1: "scan"}), ("huge", {1: "scan"}), ("damaged", {1: "scan"})]
)
def test_text_on_a_plain_picture_is_no_scan(service: DocumentService, kind: str, doubted: dict[int, str]) -> None:
    width = 9000 if kind == "huge" else 850
    plain = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, width, width))
    plain.clear_with(250)
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document:
        page = document[0]
        mask = document[1].get_pixmap(dpi=60, colorspace=pymupdf.csGRAY).tobytes("png") if kind == "masked" else None
        page.insert_image(page.rect, stream=plain.tobytes("png"), mask=mask, overlay=False, keep_proportion=False)
        if kind == "damaged":
            other = page.insert_image((0, 0, 9, 9), pixmap=pymupdf.Pixmap(plain, 0), overlay=False)
            document.update_stream(other, b"no picture", compress=False)
            document.xref_set_key(other, "Filter", "/JPXDecode")
        parsed = service.parse(document.tobytes(deflate=True, deflate_images=True))
    assert doubts(parsed) == doubted and texts(parsed, "body")


def drawing(words: bool) -> pymupdf.Document:
    """A page that a curve fills, or lines of text as curves."""
    document = pymupdf.open()
    shape = document.new_page(width=400, height=400).new_shape()
    shape.draw_rect((40, 20, 380, 360))
    shape.draw_polyline([(40 + 2 * x, 190 + 150 * math.sin(x / 20)) for x in range(170)])
    shape.finish(color=(1, 0, 0))
    for n in range(30 if words else 0):
        for letter in range(50):
            shape.draw_rect((50 + 6 * letter, 30 + 11 * n, 52 + 6 * letter, 36 + 11 * n))
    shape.finish(fill=(0, 0, 0), width=0.1)
    for n in range(25):
        shape.draw_circle((60 + 12 * n, 380), 2)
        shape.finish(fill=(0, 0, 0))
    shape.commit()
    return document


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize(("picture", "reason"), [(True, "scan"), (False, "no text")])
def test_a_page_that_is_a_figure_is_doubted_where_it_may_hold_text(
    service: DocumentService, picture: bool, reason: str, words: bool
) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document, drawing(words) as figure:
        page = document.new_page(width=612, height=792)
        if picture:
            page.insert_image((50, 50, 560, 700), pixmap=figure[0].get_pixmap(dpi=150), keep_proportion=False)
        else:
            page.show_pdf_page(pymupdf.Rect(50, 50, 560, 700), figure, 0, keep_proportion=False)
        number = document.page_count
        assert doubts(service.parse(document.tobytes())) == ({number: reason} if words else {})


def test_a_page_too_large_to_be_drawn_keeps_its_text_and_its_doubt(service: DocumentService) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document, drawing(words=False) as figure:
        page = document.new_page(width=60_000, height=60_000)
        page.insert_image(page.rect, pixmap=figure[0].get_pixmap())
        page.insert_textbox((72, 72, 540, 700), prose(random.Random(2), 8), fontsize=10)
        number = document.page_count
        parsed = service.parse(document.tobytes())
    assert doubts(parsed) == {number: "scan"}
    assert any(paragraph.page == number for paragraph in parsed.paragraphs)


def in_parts(page: pymupdf.Page) -> list[tuple[pymupdf.Rect, bytes]]:
    """Pictures of a page's eight strips."""
    strips = [pymupdf.Rect(0, y, 612, y + 99) for y in range(0, 792, 99)]
    return [(strip, page.get_pixmap(dpi=50, clip=strip).tobytes("png")) for strip in strips]


@pytest.mark.parametrize(("margin", "words"), [(0, False), (0, True), (60, False), (60, True)])
def test_scans_in_strips_and_with_margins_are_doubted(service: DocumentService, margin: int, words: bool) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document:
        page = document.new_page(width=612, height=792)
        whole = [
            (pymupdf.Rect(margin, margin, 612 - margin, 792 - margin), document[0].get_pixmap(dpi=50).tobytes("png"))
        ]
        for place, picture in whole if margin else in_parts(document[0]):
            page.insert_image(place, stream=picture)
        if words:
            page.insert_textbox((72, 72, 540, 700), prose(random.Random(2), 8), fontsize=10, render_mode=3)
        number = document.page_count
        parsed = service.parse(document.tobytes())
    assert doubts(parsed) == {number: "scan"}


def test_text_beside_a_large_picture_is_not_doubted(service: DocumentService) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document:
        page = document.new_page(width=612, height=792)
        page.insert_image(
            (60, 40, 552, 560), stream=document[0].get_pixmap(dpi=50).tobytes("png"), keep_proportion=False
        )
        page.insert_textbox((72, 570, 540, 780), prose(random.Random(2), 8), fontsize=9)
        parsed = service.parse(document.tobytes())
    assert doubts(parsed) == {}


def test_a_page_that_shows_what_cannot_be_read_is_doubted(service: DocumentService) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document:
        document.new_page()  # empty
        drawn = document.new_page()
        for n in range(300):
            drawn.draw_circle((80 + n % 30 * 14, 80 + n // 30 * 20), 4, fill=(0, 0, 0))
        parsed = service.parse(document.tobytes())
        assert doubts(parsed) == {len(parsed.pages): "no text"}


def test_words_that_no_other_page_has_are_doubted_and_other_languages_are_not(service: DocumentService) -> None:
    with pymupdf.open(stream=ordinary(2).finish(), filetype="pdf") as document:
        rng = random.Random(3)
        strange = " ".join(rng.choice("tmlk") + rng.choice("aou") + rng.choice("vrt") + "u" for _ in range(200))
        german = (
            "die Waage zeigt das Gewicht der Birnen, und wir lesen es auf dem Schirm ab, weil sie nicht eicht. " * 8
        )
        for text in (german, strange):
            document.new_page(width=612, height=792).insert_textbox((72, 72, 540, 700), text, fontsize=10)
        number = document.page_count
        parsed = service.parse(document.tobytes())
    assert doubts(parsed) == {number: "absurd words"}


def test_a_font_whose_letters_stand_for_others_is_doubted(service: DocumentService) -> None:
    paper = ordinary(2)
    shifted = str.maketrans("abcdefghijklmnopqrstuvwxyz", "defghijklmnopqrstuvwxyzabc")
    page = paper.document.new_page(width=612, height=792)
    rng = random.Random(9)
    for row in range(30):
        page.insert_text((72, 80 + 12 * row), prose(rng, 1).translate(shifted)[:85], fontname="tiro", fontsize=10)
    number = paper.document.page_count
    parsed = service.parse(paper.finish())
    assert doubts(parsed) == {number: "absurd words"}
    assert parsed.doubtful[0].sentence.startswith(f"Page {number} ")


def test_initials_of_authors_are_no_absurd_words(service: DocumentService) -> None:
    paper = ordinary(2)
    page = paper.document.new_page(width=612, height=792)
    for row in range(8):
        names = "Planning: N.A.L., A.M.S.; Writing: K.J.F., P.D.S.; Money: V.B.Y., J.L.L., H.S."
        page.insert_text((72, 80 + 12 * row), names, fontname="tiro", fontsize=10)
    assert not doubts(service.parse(paper.finish()))


def test_letters_without_a_meaning_are_doubted(service: DocumentService) -> None:
    paper = ordinary(2)
    data = paper.finish()
    with pymupdf.open() as document:
        document.insert_pdf(pymupdf.open(stream=data, filetype="pdf"))
        page = document.new_page(width=612, height=792)
        font = pymupdf.Font("helv")
        writer = pymupdf.TextWriter(page.rect)
        rng = random.Random(10)
        for row in range(30):
            writer.append((72, 80 + 12 * row), prose(rng, 1)[:80], font=font, fontsize=10)
        writer.write_text(page)
        number = document.page_count
        broken = document.tobytes()
    with pymupdf.open(stream=broken, filetype="pdf") as document:
        for xref in range(1, document.xref_length()):
            kind, value = document.xref_get_key(xref, "ToUnicode")
            if kind == "xref":
                target = int(value.split()[0])
                codes = "".join(f"<{n:04x}> <{0xE000 + n:04x}>\n" for n in range(1, 100))
                cmap = (
                    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
                    "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
                    f"99 beginbfchar\n{codes}endbfchar endcmap end end"
                )
                document.update_stream(target, cmap.encode())
        parsed = service.parse(document.tobytes())
    assert doubts(parsed).get(number) == "unmapped font"


@cache
def _width(text: str) -> float:
    return float(pymupdf.get_text_length(text, "tiro", 10))


@pytest.mark.parametrize("begin_in_the_middle", [True, False])
def test_sentences_that_break_off_and_others_that_begin_in_the_middle_make_the_order_doubtful(
    service: DocumentService, begin_in_the_middle: bool
) -> None:
    paper = ordinary(2)
    page = paper.document.new_page(width=612, height=792)
    rng = random.Random(11)
    page.insert_text((72, 60), "2 Results", fontname="tibo", fontsize=14)
    y = 60.0
    for _ in range(8):
        y += 34
        words = [word.lower().strip(".,") for word in prose(rng, 9).split()]
        for row in range(2):  # full lines
            line = words.pop() if row or begin_in_the_middle else words.pop().title()
            while fits := [w for w in words if _width(line) + _width(f" {w}") < 468]:
                line += " " + (fits[0] if len(fits) > 9 else max(fits, key=len))
                words.remove(line.split()[-1])
            page.insert_text((72, y), line, fontname="tiro", fontsize=10)
            y += 12
    number = paper.document.page_count
    parsed = service.parse(paper.finish())
    assert doubts(parsed) == ({number: "order"} if begin_in_the_middle else {})
    assert all(0 < doubt.share <= 1 for doubt in parsed.doubtful)


def test_the_sentence_of_each_doubt_says_what_is_wrong() -> None:
    from engine.documents.records import DOUBTS, DoubtfulPage

    for reason in DOUBTS:
        assert re.fullmatch(r"Page 7 \w.*\.", DoubtfulPage(7, reason, 0.5).sentence)  # type: ignore[arg-type]
