"""Pages whose text is set sideways: their tables are read, and places are those on the page as it is shown."""

from __future__ import annotations

import pymupdf
import pytest

from engine.documents.extraction import read_page
from engine.documents.hidden import visible_text
from engine.documents.records import Box
from engine.documents.service import DocumentService
from engine.documents.tables import find_tables
from engine.documents.turned import DOWN, UP, to_read, to_show
from engine.revision.differences import laid_out

ROWS = (("Hive", "Warmth", "Honey"), ("Upper meadow", "31.4", "12.0"), ("Lower pasture", "29.8", "9.5"))
HIDDEN = "These words are white and nobody who reads the paper sees them"


def sideways(rotate: int) -> bytes:
    """A page with a table whose lines run up (90) or down (270), after one of upright text."""
    with pymupdf.open() as document:
        document.new_page().insert_text((80, 80), "A first page of upright text about hives and meadows.")
        page = document.new_page(width=400, height=600)

        def put(along: float, down: float, text: str, colour: tuple[float, ...] = (0, 0, 0)) -> None:
            at = (down, 600 - along) if rotate == 90 else (400 - down, along)
            page.insert_text(at, text, fontsize=10, rotate=rotate, color=colour)

        put(60, 80, "Table 4: Warmth and honey of the hives that were kept in both of the meadows.")
        for n, row in enumerate(ROWS):
            for at, cell in zip((60, 220, 320), row, strict=True):
                put(at, 100 + 14 * n, cell)
        put(60, 300, HIDDEN, (1, 1, 1))
        return bytes(document.tobytes())


@pytest.mark.parametrize("turn", [UP, DOWN])
def test_the_way_to_the_page_as_read_leads_back(turn: int) -> None:
    box = Box(3, 10, 20, 40, 90)
    assert to_show(to_read(box, turn, 600), turn, 600) == box != to_read(box, turn, 600)


@pytest.mark.parametrize("rotate", [90, 270])
def test_a_table_set_sideways_is_read(service: DocumentService, rotate: int) -> None:
    data = sideways(rotate)
    parsed = service.parse(data)
    assert parsed.doubtful == () and (parsed.pages[1].width, parsed.pages[1].height) == (400, 600)
    (table,) = find_tables(parsed)
    assert table.number == "4" and table.page == 2
    assert [tuple(cell.text for cell in row.cells) for row in table.rows] == list(ROWS)
    assert [row.header for row in table.rows] == [True, False, False]
    (cells,) = [p for p in parsed.paragraphs if p.kind == "table"]
    assert laid_out(cells).split("\n")[-2:] == ["\t".join(row) for row in ROWS[1:]]
    with pymupdf.open(stream=data, filetype="pdf") as document:
        shown = {word[4]: word[:4] for word in document[1].get_text("words")}
    for word in cells.words:
        assert word.box[1:] == pytest.approx(shown[cells.text[word.start : word.end]], abs=1.5)


def test_hidden_words_set_sideways_are_not_taken_for_text(service: DocumentService) -> None:
    data = sideways(90)
    parsed = service.parse(data)
    assert any(HIDDEN in paragraph.text for paragraph in parsed.paragraphs)
    seen = visible_text(parsed, service.inspect(data))
    assert "Upper meadow" in seen and "nobody" not in seen


def test_pages_with_upright_text_and_a_little_beside_it_stay_upright(service: DocumentService) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for n in range(9):
            page.insert_text((80, 80 + 14 * n), "The hives of the meadow were warm in spring and cool in autumn.")
        page.insert_text((30, 500), "A preprint of spring", rotate=90)
        parsed = service.parse(document.tobytes())
    assert "preprint" not in " ".join(p.text for p in parsed.paragraphs)
    assert parsed.doubtful == () and parsed.paragraphs[0].text.startswith("The hives")


@pytest.mark.parametrize(("below", "read"), [("Figure 3: The honey of the hives.", 0), ("The honey of the hives.", 1)])
def test_labels_set_sideways_above_an_upright_caption_do_not_turn_the_page(below: str, read: int) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for n in range(12):
            page.insert_text((80 + 20 * n, 300), "between twenty and thirty", fontsize=5, rotate=90)
        page.insert_text((80, 400), below)
        assert abs(read_page(page).turn) == read


def with_headings(angle: float) -> bytes:
    """A page with a table whose headings are set upwards, at an angle, above columns of numbers."""
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=600)
        page.insert_text((60, 60), "Table 4: Warmth and honey of the hives that were kept in both of the meadows.")
        for y in (80, 154, 200):
            page.draw_line((60, y), (320, y))
        for n, name in enumerate(("Mean warmth", "Honey per hive", "Bees")):
            at = pymupdf.Point(170 + 60 * n, 150)
            page.insert_text(at, name, fontsize=9, morph=(at, pymupdf.Matrix(angle)))
        page.insert_text((60, 150), "Hive", fontsize=9)
        for n, row in enumerate(("Upper meadow", "Lower pasture", "Orchard")):
            for x, text in zip((60, 158, 218, 278), (row, f"71.{n}", f"12.{n}", f"9.{n}"), strict=True):
                page.insert_text((x, 165 + 14 * n), text, fontsize=9)
        return bytes(document.tobytes())


@pytest.mark.parametrize("angle", [90, 65])
def test_headings_set_upwards_are_those_of_the_numbers_below_them(service: DocumentService, angle: float) -> None:
    (table,) = find_tables(service.parse(with_headings(angle)))
    assert [table.heading(n) for n in range(4)] == ["Hive", "Mean warmth", "Honey per hive", "Bees"]


def test_text_set_upwards_without_numbers_below_it_is_left_out(service: DocumentService) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=600)
        page.insert_text((60, 60), "Table 4: Warmth and honey of the hives that were kept in both of the meadows.")
        for n in range(3):
            page.insert_text((100 + 80 * n, 300), "Warmth in degrees", fontsize=9, rotate=90)
        data = bytes(document.tobytes())
    assert "degrees" not in " ".join(p.text for p in service.parse(data).paragraphs)
