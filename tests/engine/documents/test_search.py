"""Finding text, and the rectangles of what was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents import search
from engine.documents.records import Box
from engine.documents.search import boxes_for, find
from tests.engine.documents.pages import document, paragraph

TEXT = "The “first” result, found in 2019–2020, isn’t the last: a FIRST result follows."


def test_case_quotes_dashes_and_spaces_do_not_matter() -> None:
    source = document("Nothing here.", TEXT)
    assert [(h.paragraph_id, h.start, h.end) for h in find(source, "first")] == [("p0001", 5, 10), ("p0001", 58, 63)]
    assert [source.paragraphs[1].text[h.start : h.end] for h in find(source, '"FIRST"  result')] == ["“first” result"]
    assert find(document("Jos\u00e9 Mu\u0308ller"), "jose muller")[0].end == 12, "nor do accents, in either form"
    assert len(find(source, "2019-2020")) == len(find(source, "isn't")) == 1


def test_nothing_is_found_for_nothing_and_the_limit_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LIMIT", 4)
    source = document("a a a a a a")
    assert find(source, "  ") == ()
    assert len(find(source, "a")) == 4


def test_a_find_over_two_lines_has_two_boxes() -> None:
    made = paragraph("one two three four five six seven eight nine ten")
    start = made.text.index("seven")
    boxes = boxes_for(made, start, made.text.index("nine") + 4)
    assert [b.y0 for b in boxes] == [40.0, 52.0]
    assert boxes[1] == Box(1, 50.0, 52.0, 70.0, 62.0)


def test_part_of_a_word_has_part_of_its_box() -> None:
    made = paragraph("abcdefghij next")
    assert boxes_for(made, 2, 4) == (Box(1, 60.0, 40.0, 70.0, 50.0),)
    assert boxes_for(made, 3, 3) == ()


@given(st.text(alphabet="ab -", min_size=1, max_size=60), st.text(alphabet="ab ", min_size=1, max_size=4))
def test_every_find_is_one(text: str, query: str) -> None:
    needle = " ".join(query.split())
    for hit in find(document(text), query):
        assert text[hit.start : hit.end] == needle
