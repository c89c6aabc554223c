"""PDF letters whose pages have two columns: of text, or of a table without rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import pytest

from engine.documents.service import DocumentService
from engine.exchange.response_reading import letter_text
from engine.reviews.letter import read_letter

PAIRS = (
    (
        "The sampling depth of the lakes is never reported. Please report how deep the samples were taken in each of "
        "the lakes and at which time of the day.",
        "We thank the reviewer. We added the depth of every sample to the first table.",
    ),
    (
        "It is unclear why the northern lakes were left out of the comparison, although they were sampled in the same "
        "summer.",
        "We now explain this choice: the northern lakes froze during the second half of the survey, so that no sample "
        "could be taken there after the first of December, which was the date that we had planned for it.",
    ),
    ("The axes of the second figure need units.", "Done."),
    (
        "Please compare the results with the older survey, which came to the opposite conclusion for all of its lakes.",
        "We compare them in the fourth section now. The older survey had fewer lakes, and all of them were shallow.",
    ),
)
LEFT, RIGHT, STEP = 60, 310, 12
Line = tuple[float, float, str, str]
"""Where a line begins, its words and its font."""


@pytest.fixture(scope="module")
def service() -> DocumentService:
    with DocumentService() as service:
        yield service


def pdf(lines: Sequence[Line], size: float = 9) -> bytes:
    import pymupdf

    with pymupdf.open() as document:
        page = document.new_page()
        for x, y, words, font in lines:
            page.insert_text((x, y), words, fontsize=size, fontname=font)
        return document.tobytes()


def pairs(data: bytes, service: DocumentService) -> list[tuple[str, str]]:
    found = read_letter(letter_text(data, "letter.pdf", service)).comments
    return [(" ".join(one.comment.split()), " ".join(one.response.split())) for one in found]


@pytest.mark.parametrize("numbered", [False, True])
def test_a_page_is_read_column_by_column(numbered: bool, service: DocumentService) -> None:
    lines: list[Line] = [(LEFT, 60, "Reviewer 1", "hebo")]
    if numbered:  # line numbers in both margins
        lines += [(x, 60 + STEP * n, f"{n + first:03}", "helv") for n in range(20) for x, first in ((20, 0), (570, 54))]
    for x, some in ((LEFT, PAIRS[:2]), (RIGHT, PAIRS[2:])):
        y = 84.0
        for asked, said in some:
            for words, font in ((asked, "hebo"), (said, "helv")):
                for line in wrap(words, 48):
                    lines.append((x, y, line, font))
                    y += STEP
                y += 7
    assert pairs(pdf(lines), service) == list(PAIRS)


@pytest.mark.parametrize("titles", [(), ("Comment", "Response")])
def test_a_table_without_rules_is_read_row_by_row(titles: tuple[str, ...], service: DocumentService) -> None:
    lines: list[Line] = [(LEFT, 60, "Reviewer 1", "hebo")]
    y = 84.0
    for row in (titles, *PAIRS) if titles else PAIRS:
        cells = [wrap(words, 48) for words in row]
        for x, cell in zip((LEFT, RIGHT), cells, strict=True):
            lines += [(x, y + STEP * at, words, "helv") for at, words in enumerate(cell)]
        y += STEP * max(map(len, cells))
    assert pairs(pdf(lines), service) == list(PAIRS)


def test_the_numbers_of_a_tables_rows_stay(service: DocumentService) -> None:
    lines: list[Line] = []
    y = 84.0
    for row in range(12):
        lines.append((24, y, str(row + 1), "helv"))
        for words in wrap(" ".join([PAIRS[row % 4][0]] * (1 + row % 3)), 60):
            lines.append((RIGHT - 200, y, words, "helv"))
            y += STEP
    read = letter_text(pdf(lines), "letter.pdf", service).text
    assert [word for word in read.split() if word.isdigit()] == [str(row + 1) for row in range(12)]


def test_paragraphs_that_only_an_indent_sets_apart(service: DocumentService) -> None:
    lines: list[Line] = [(LEFT, 60, "Reviewer 1", "hebo")]
    y = 84.0
    for asked, said in PAIRS:
        for words, font in ((asked, "hebo"), (said, "helv")):
            for at, line in enumerate(wrap(words, 90)):
                lines.append((LEFT + (0 if at else 15), y, line, font))
                y += STEP
    assert pairs(pdf(lines), service) == list(PAIRS)


def test_a_page_of_one_column_stays_one(service: DocumentService, tmp_path: Path) -> None:
    words = " ".join(f"{asked} {said}" for asked, said in PAIRS)
    lines = [(LEFT, 60 + STEP * at, line, "helv") for at, line in enumerate(wrap(words, 100))]
    assert " ".join(letter_text(pdf(lines), "letter.pdf", service).text.split()) == words


@pytest.mark.parametrize(("rows", "second"), [(100, "left1"), (260, "right0")])
def test_lines_of_pages_with_very_many_are_not_compared(rows: int, second: str, service: DocumentService) -> None:
    lines = [
        (x, 20 + 3 * at, f"{name}{at}", "helv") for at in range(rows) for x, name in ((60, "left"), (310, "right"))
    ]
    assert letter_text(pdf(lines, size=2), "letter.pdf", service).text.split()[:2] == ["left0", second]
