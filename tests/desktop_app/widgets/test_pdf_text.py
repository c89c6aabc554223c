"""Caret places, ranges, hit tests and search follow the reading order."""

from __future__ import annotations

from desktop_app.widgets.pdf_text import Place, ReadingText
from tests.desktop_app.widgets.pages import column_text, paragraph


def text() -> ReadingText:
    return ReadingText(column_text(2))


def test_a_point_finds_the_paragraph_of_its_column() -> None:
    assert text().paragraph_at(1, 50, 66) == 0
    assert text().paragraph_at(1, 330, 66) == 2
    assert text().paragraph_at(1, 300, 300) is None
    assert text().paragraph_at(9, 50, 66) is None


def test_a_point_beside_the_text_finds_the_nearest_place() -> None:
    assert text().place_at(1, 5, 66) == Place(0, 0)
    assert text().place_at(9, 5, 66) is None


def test_a_place_inside_a_word_is_interpolated() -> None:
    assert text().place_at(1, 40 + 6 * 3 + 1, 66) == Place(0, 3)
    box = text().caret_box(Place(0, 3))
    assert box is not None
    assert (box.page, box.x0, box.x1) == (1, 58.0, 58.0)


def test_a_selection_runs_down_the_column_before_it_crosses_to_the_next() -> None:
    boxes = text().boxes_between(Place(0, 0), Place(2, 9))
    first_column = [box for box in boxes if box.x1 < 300]
    assert boxes[: len(first_column)] == tuple(first_column)
    assert {box.x0 for box in boxes[len(first_column) :]} == {320.0}
    chosen = text().text_between(Place(2, 9), Place(1, 0))
    assert chosen.startswith("Paragraph 1 begins here.")
    assert chosen.endswith("\n\nParagraph")


def test_a_range_within_a_line_is_cut_at_its_characters() -> None:
    (box,) = text().boxes(0, 2, 5)
    assert (box.x0, box.x1) == (40 + 12, 40 + 30)


def test_words_and_sentences_around_a_place() -> None:
    reading = text()
    first, last = reading.around(Place(0, 3), "word")
    assert reading.text_between(first, last) == "Paragraph"
    first, last = reading.around(Place(0, 40), "sentence")
    assert reading.text_between(first, last).startswith("It has a second sentence")
    first, last = reading.around(Place(1, 4), "paragraph")
    assert reading.text_between(first, last) == reading.paragraphs[1].text


def test_walking_by_each_unit_goes_on_into_the_next_paragraph_and_back() -> None:
    reading = text()
    end = Place(0, len(reading.paragraphs[0].text))
    assert reading.moved(end, "character", 1) == Place(1, 0)
    assert reading.moved(Place(1, 0), "character", -1) == end
    assert reading.moved(Place(0, 0), "word", 1) == Place(0, 9)
    assert reading.moved(Place(0, 9), "word", -1) == Place(0, 0)
    assert reading.moved(Place(0, 0), "sentence", 1) == Place(0, reading.paragraphs[0].text.index("It has"))
    assert reading.moved(Place(0, 5), "paragraph", 1) == Place(1, 0)
    assert reading.moved(Place(1, 0), "paragraph", -1) == Place(0, 0)
    assert reading.moved(Place(1, 5), "paragraph", -1) == Place(1, 0)
    assert reading.moved(Place(3, 0), "document", -1) == Place(0, 0)
    last = reading.moved(Place(0, 0), "document", 1)
    assert last == Place(7, len(reading.paragraphs[7].text))
    assert reading.moved(last, "character", 1) == last
    assert reading.moved(Place(0, 0), "paragraph", -1) == Place(0, 0)


def test_lines_keep_their_column() -> None:
    reading = text()
    start = Place(0, 10)
    goal = reading.caret_box(start)
    assert goal is not None
    below = reading.moved(start, "line", 1, goal.x0)
    box = reading.caret_box(below)
    assert box is not None
    assert box.y0 > goal.y0
    assert abs(box.x0 - goal.x0) <= 6
    assert reading.moved(below, "line", -1, goal.x0) == start
    edge = reading.moved(start, "line edge", 1)
    assert reading.moved(edge, "line edge", -1) == Place(0, 0)


def test_a_caret_can_reach_every_paragraph_by_lines_alone() -> None:
    reading = text()
    place, seen = Place(0, 0), {0}
    for _ in range(100):
        place = reading.moved(place, "line", 1, 40.0)
        seen.add(place.paragraph)
    assert seen == set(range(8))


def test_search_ignores_case_and_line_breaks_and_takes_signs_as_they_are() -> None:
    reading = text()
    assert len(reading.find("BEGINS   here.")) == 8
    ((first, last),) = reading.find("topic3 and")
    assert first.paragraph == 3
    assert reading.text_between(first, last) == "topic3 and"
    assert reading.find(".*") == ()
    assert reading.find("   ") == ()


def test_offsets_are_code_points_beyond_the_basic_plane() -> None:
    reading = ReadingText([paragraph(0, "a 𝔘𝔫𝔦 b ends", [(1, 40.0, 60.0, 240.0)])])
    ((first, last),) = reading.find("𝔘𝔫𝔦")
    assert (first.offset, last.offset) == (2, 5)
    assert reading.text_between(first, last) == "𝔘𝔫𝔦"


def test_an_empty_document_has_no_places() -> None:
    reading = ReadingText(())
    assert reading.place_at(1, 0, 0) is None
    assert reading.find("a") == ()
    assert reading.moved(Place(0, 0), "word", 1) == Place(0, 0)
