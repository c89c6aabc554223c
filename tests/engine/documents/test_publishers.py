"""Pages as publishers and word processors set them: what isn't running text doesn't become it, and the reverse."""

from __future__ import annotations

import pymupdf
import pytest

from engine.documents.parsing import parse_document
from engine.documents.records import Paragraph

TEXT = (
    "Gauges in small harbours are read once a day by hand, and nobody asks what is lost by this.",
    "We answer with two years of data from seven harbours that were read every hour for this.",
)
Piece = tuple[str, str]  # text and font


class Pages:
    """A document of text in Times, one line after the other, in one column."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.turn()

    def turn(self) -> None:
        self.page, self.at = self.document.new_page(), 60.0

    def line(self, *pieces: Piece, size: float = 10.0, x: float = 72.0, down: float = 12.0) -> None:
        self.at += down
        for text, font in pieces:
            self.page.insert_text((x, self.at), text, fontsize=size, fontname=font)
            x += pymupdf.get_text_length(text, font, size) + 0.25 * size

    def text(self, lines: int = 16, size: float = 10.0) -> None:
        for at in range(lines):
            self.line((TEXT[at % 2], "tiro"), size=size, down=20.0 if at == 0 else 1.2 * size)

    def read(self) -> dict[str, Paragraph]:
        """The paragraphs by their first word."""
        parsed = parse_document(self.document, "x", lambda *_: None)
        return {p.text.split()[0]: p for p in parsed.paragraphs}


@pytest.mark.parametrize(("font", "kind"), [("helv", "caption"), ("tiro", "body")])
def test_a_number_in_another_font_than_the_words_behind_it_labels_a_caption(font: str, kind: str) -> None:
    pages = Pages()
    pages.text()
    pages.line(("Figure 1", font), ("Fellows who were trained in harbours by the sea.", "tiro"), down=150.0)
    pages.line(("These are seven of them, and more were trained later.", "tiro"))
    assert pages.read()["Figure"].kind == kind


@pytest.mark.parametrize(("above", "kind"), [(0, "body"), (16, "footnote")])
def test_small_text_is_a_footnote_only_below_text(above: int, kind: str) -> None:
    pages = Pages()
    for _ in range(3):
        pages.text(40)
        pages.turn()
    pages.text(above)
    pages.at = 500.0
    proof = "Proofs of this are left to those who read such gauges every hour of the year, and they are not hard, since"
    pages.line((proof, "tiro"), size=8)
    pages.line(
        ("the sea comes and goes twice a day in all of them, which can be used to show this.", "tiro"), size=8, down=9
    )
    assert pages.read()["Proofs"].kind == kind


def test_labels_of_the_parts_of_a_figure_are_no_text() -> None:
    pages = Pages()
    pages.text()
    pages.line(("(a)", "tiro"), x=280.0, down=150.0)
    pages.line(("Figure 1. Two harbours.", "tiro"), down=24.0)
    pages.text()
    assert pages.read()["(a)"].kind == "other"


def test_a_formula_with_its_number_in_front_is_no_heading() -> None:
    pages = Pages()
    pages.text()
    pages.line(("(3)", "tiro"), ("Dst = Git + Eig", "tiit"), down=24.0)
    pages.text()
    assert pages.read()["(3)"].kind == "equation"


def test_keywords_in_bold_are_no_heading() -> None:
    pages = Pages()
    pages.line(("Keywords: tides; harbours; gauges read by hand", "tibi"))
    pages.text()
    assert pages.read()["Keywords:"].kind == "other"


def test_what_is_beside_the_abstract_is_read_after_it() -> None:
    pages = Pages()
    pages.line(("A R T I C L E  I N F O", "tiro"), size=8)
    pages.line(("A B S T R A C T", "tiro"), size=8, x=220.0, down=0.0)
    for info, text in (
        ("Keywords:", "This is what gauges lose that are read once a day, and how much."),
        ("Tides", "It can be said from two years of data, which were read every hour"),
        ("Harbours", "in seven harbours, and the loss is small in summer, but it is not"),
        ("Gauges", "in winter. We also show what can be done about this."),
    ):
        pages.line((info, "tiro"))
        pages.line((text, "tiro"), x=220.0, down=0.0)
    pages.line(("1. Introduction", "tibo"), down=40.0)
    pages.text()
    pages.turn()
    pages.text(40)
    found = pages.read()
    assert (found["This"].kind, found["This"].text[-5:]) == ("body", "this.")
    assert found["This"].index < found["1."].index < found["Keywords:"].index


def test_a_text_of_another_language_has_its_abstract_and_references() -> None:
    pages = Pages()
    pages.line(("Les marées des petits ports", "tibo"), size=16)
    pages.line(("A. Plume, Université du Port", "tiro"), down=24.0)
    pages.line(("Résumé", "tibo"), down=24.0)
    pages.line(("Nous montrons ce que l'on perd dans les ports qui sont lus une fois par jour.", "tiro"), down=14.0)
    pages.line(("1. Introduction", "tibo"), down=24.0)
    pages.text(30)
    pages.line(("Références", "tibo"), down=24.0)
    for number in range(1, 8):
        pages.line((f"[{number}] A. Plume et B. Marais. Sables et marées. Journal des ports {number}, 2014.", "tiro"))
    found = pages.read()
    assert [found[word].kind for word in ("Résumé", "Nous", "Références")] == ["heading", "body", "heading"]
    assert found["[1]"].kind == found["[7]"].kind == "reference"


def test_a_last_line_may_be_centred_below_justified_ones() -> None:
    pages = Pages()
    pages.text(30)
    width = pymupdf.get_text_length(TEXT[0], "tiro", 10)
    last = "on days with fog, and none of them is read on every day of the year."
    start = 72 + (width - pymupdf.get_text_length(last, "tiro", 10)) / 2
    pages.line((TEXT[0][:-1], "tiro"), down=24)
    pages.line((last, "tiro"), x=start)
    assert pages.read()["Gauges"].text.endswith(last)


def test_a_widely_spaced_caption_is_whole() -> None:
    pages = Pages()
    pages.text(30)
    caption = "Figure 2: The mean of what gauges lose in seven harbours in two years, for which all of the data"
    pages.line((caption, "tiro"), x=92.0, size=9.0, down=100.0)
    pages.line(("were read by hand.", "tiro"), x=92.0, size=9.0, down=18.0)
    pages.turn()
    pages.text(30)
    pages.text(10, size=9.0)
    assert pages.read()["Figure"].text.endswith("by hand.")


def test_chinese_text_is_neither_code_nor_a_formula() -> None:
    pages = Pages()
    text = "我们在两年的数据中比较了七个港口的潮汐记录，并且发现手工读数在冬天的损失是最大的"
    for at in range(6):
        pages.line((text[at:] + text[:at], "china-s"), down=24.0 if at == 0 else 15.0)
    pages.line(("其中", "china-s"), ("t = x + y", "tiit"), ("是港口的潮汐，而", "china-s"), ("m = n - 1", "tiit"),
               ("是读数的个数，都在表中。", "china-s"), down=30.0)  # fmt: skip
    assert {p.kind for p in pages.read().values()} == {"body"}
