"""What stands around the text: page numbers of a small type area, and line numbers that are rare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.documents.furniture import remove_line_numbers, remove_running_heads
from engine.documents.page_text import Line, PageText, Token


def words(page: int, text: str, base: float, x0: float = 100.0, size: float = 10.0) -> Line:
    """A line of words of six points a letter."""
    tokens, left = [], x0
    for word in text.split():
        right = left + 6 * len(word)
        font = "Text" if size == 10 else "Small"
        tokens.append(Token(word, left, base - 8, right, base + 2, base, size, font, False, False, (("Text", word),)))
        left = right + 3
    return Line(page, tokens)


def _name(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def pages(numbers: bool = False, step: int = 10) -> list[PageText]:
    """Four pages of thirty lines on a part of their sheets, with page numbers below and, if asked, line numbers."""
    found, counted = [], 0
    for number in range(1, 5):
        page = PageText(number, 595.0, 842.0, 0)
        for at in range(30):
            page.lines.append(
                words(number, f"the mills and streets of {_name(30 * number + at)} were counted", 90 + 12 * at)
            )
            counted += 1
            if numbers and counted % step == 0:
                page.lines.append(words(number, str(counted), 90 + 12 * at, x0=60.0, size=6.0))
        page.lines.append(words(number, str(number + 6), 90 + 12 * 32, x0=280.0))
        found.append(page)
    return found


def test_page_numbers_are_found_below_a_type_area_that_ends_high_on_the_sheet() -> None:
    made = pages()
    assert [line.text for line in remove_running_heads(made)] == ["7", "8", "9", "10"]
    assert all(len(page.lines) == 30 for page in made)


@pytest.mark.parametrize(("text", "removed"), [("-2-", True), ("Page 2", True), ("(2)", False), ("2", False)])
def test_a_single_page_number_is_one_if_it_can_be_nothing_else(text: str, removed: bool) -> None:
    made = pages()[:2]
    for page in made:
        page.lines = page.lines[:-1]
    made[1].lines.append(words(2, text, 90 + 12 * 32, x0=280.0))
    assert [line.text for line in remove_running_heads(made)] == [text] * removed


@pytest.mark.parametrize(("step", "removed"), [(10, 12), (5, 24), (2, 60), (7, 0)])
def test_line_numbers_may_be_at_some_lines_only(step: int, removed: int) -> None:
    made = pages(numbers=True, step=step)
    found = remove_line_numbers(made)
    assert [one.number for one in found] == list(range(step, 121, step))[:removed]


def test_numbers_that_do_not_go_on_from_page_to_page_are_kept() -> None:
    made = pages(numbers=True)
    for page in made[1::2]:
        page.lines = [line for line in page.lines if line.size == 10]
    assert remove_line_numbers(made) == []


@pytest.mark.parametrize(("ruled", "removed"), [(False, 24), (True, 0)])
def test_numbers_between_the_lines_of_a_table_count_its_rows(ruled: bool, removed: int) -> None:
    made = pages()
    for page in made[:2]:
        page.lines += [words(page.number, str(n + 1), 90 + 24 * n, x0=60.0) for n in range(12)]
        page.rules += [(40, y, 400, y) for y in (70, 80, 400) if ruled]
    assert len(remove_line_numbers(made)) == removed


def test_captions_at_the_top_of_pages_are_no_running_heads() -> None:
    made = pages()
    for page in made:
        page.lines.insert(0, words(page.number, f"Table A{page.number}", 60))
    assert not any("Table" in line.text for line in remove_running_heads(made))


def test_headings_below_captions_at_the_top_of_pages_are_no_running_heads() -> None:
    made = pages()
    for page in made:
        page.lines[:0] = [words(page.number, "Table 1: Sizes.", 60), words(page.number, "Dependent variable:", 75)]
    assert not any("variable" in line.text for line in remove_running_heads(made))


@pytest.mark.parametrize(
    ("text", "base", "removed"),
    [
        ("Ortega, report {}", 60, True),  # counts with the pages, apart from the text
        ("Report 17, page {}", 60, True),
        ("MILLS AND STREETS", 78, True),  # the same everywhere, the outermost line
        ("Figure {}: Sizes.", 60, False),
        ("(a) Before.", 60, False),
        ("Study {}", 78, False),  # the first line of the text
        ("Note: errors in brackets.", 78 + 12 * 31, False),  # the last one, above the page's number
    ],
)
def test_what_differs_only_in_a_number_is_a_running_head_if_it_counts_and_is_apart(
    text: str, base: float, removed: bool
) -> None:
    made = pages()
    for page in made:
        page.lines.append(words(page.number, text.format(page.number + 6), base))
        page.lines[-2].tokens = words(page.number, str(page.number + 6), 90 + 12 * 34, x0=280.0).tokens
        page.lines[-2].forget()
        if "{}" in text and removed:
            del page.lines[-2]
    gone = [line.text for line in remove_running_heads(made)]
    assert sum(line.startswith(text[:6]) for line in gone) == 4 * removed


def test_a_note_with_a_raised_mark_is_no_running_foot_even_if_each_page_has_one() -> None:
    made = pages()
    for page in made:
        note = words(page.number, f"{page.number + 6} See the appendix.", 90 + 12 * 33)
        note.tokens[0] = replace(note.tokens[0], base=note.base - 4, size=6.0)
        page.lines[-1:] = [note]
    assert remove_running_heads(made) == []


@pytest.mark.parametrize(("on", "removed"), [((1, 2, 3, 4), 4), ((1, 2), 0)])
def test_a_stamp_larger_than_the_text_is_furniture_if_most_pages_have_it(on: tuple[int, ...], removed: int) -> None:
    made = pages()
    for page in made:
        head = [words(page.number, "Quill and others", 60)]
        stamp = [words(page.number, "ARTICLE IN PRESS", 40, size=14.0)] if page.number in on else []
        page.lines = [*stamp, *head, *page.lines]
    gone = [line.text for line in remove_running_heads(made)]
    assert gone.count("ARTICLE IN PRESS") == removed
    assert gone.count("Quill and others") == 4 - len(on) + removed
