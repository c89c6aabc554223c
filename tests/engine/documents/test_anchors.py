"""Anchors find their place again, say how sure they are, and never guess in silence."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.documents.anchors import ATTENTION, make_anchor, reanchor
from tests.engine.documents.pages import document, paragraph

FIRST = (
    "We compare the submitted paper with its revision and list every paragraph that was added, removed or rewritten by"
    " the authors, so that a reviewer can see at once what became of a comment."
)
SECOND = "The reader of pages joins lines to paragraphs by their distance, their indentation and the room at their end."
THIRD = "All figures were measured on two cores without a graphics card, and each of them is the median of five runs."

words = st.lists(
    st.sampled_from(("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")),
    min_size=8,
    max_size=60,
)


def test_the_same_place_is_exact() -> None:
    source = document(FIRST, SECOND, THIRD)
    anchor = make_anchor(source.paragraphs[1], 4, 19)
    found = reanchor(anchor, source)
    assert (found.status, found.score, found.anchor) == ("exact", 1.0, anchor)
    assert not found.needs_attention


def test_the_same_words_in_new_surroundings_are_moved() -> None:
    anchor = make_anchor(paragraph(SECOND), 24, 51)
    other = document(FIRST, f"Elsewhere in a paragraph one reads: {anchor.quote}, and then it goes on differently.")
    found = reanchor(anchor, other)
    assert found.status == "moved"
    assert found.anchor is not None
    assert found.anchor.paragraph_id == "p0001"
    assert 0.75 <= found.score < 1.0


def test_a_reworded_quotation_is_changed_and_covers_what_was_put_in() -> None:
    at = FIRST.index("list every")
    anchor = make_anchor(paragraph(FIRST), at, FIRST.index(" by the authors"))
    other = document(THIRD, FIRST.replace("was added, removed", "was newly added, silently removed"), SECOND)
    found = reanchor(anchor, other)
    assert found.status == "changed"
    assert found.anchor is not None
    assert found.anchor.quote == "list every paragraph that was newly added, silently removed or rewritten"
    assert ATTENTION <= found.score < 1.0


def test_what_is_gone_is_lost_and_needs_attention() -> None:
    anchor = make_anchor(paragraph(SECOND), 0, len(SECOND))
    found = reanchor(anchor, document(FIRST, THIRD))
    assert (found.status, found.anchor) == ("lost", None)
    assert found.needs_attention
    assert found.score < ATTENTION


def test_one_of_several_equal_places_needs_attention() -> None:
    source = document("It holds, as shown in the table above.", THIRD, "It holds, as shown in the table above.")
    found = reanchor(make_anchor(source.paragraphs[0], 10, 37), source)
    assert found.status == "moved"
    assert found.anchor is not None
    assert found.needs_attention


def test_an_empty_document_loses_it() -> None:
    assert reanchor(make_anchor(paragraph(FIRST), 0, 10), document()).status == "lost"


@pytest.mark.parametrize(("start", "end"), [(-1, 4), (4, 4), (5, 2), (0, 10_000)])
def test_an_impossible_stretch_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="stretch"):
        make_anchor(paragraph(FIRST), start, end)


@given(words, st.data())
def test_an_anchor_holds_its_quotation_and_its_context(text: list[str], data: st.DataObject) -> None:
    made = paragraph(" ".join(text))
    start = data.draw(st.integers(0, len(made.text) - 1))
    end = data.draw(st.integers(start + 1, len(made.text)))
    anchor = make_anchor(made, start, end)
    assert made.text[anchor.start : anchor.end] == anchor.quote
    assert made.text.startswith(anchor.prefix + anchor.quote + anchor.suffix, start - len(anchor.prefix))


@settings(max_examples=60)
@given(words, words, words, st.data())
def test_a_verbatim_quotation_is_found_verbatim(a: list[str], b: list[str], c: list[str], data: st.DataObject) -> None:
    source = document(" ".join(a), " ".join(b))
    start = data.draw(st.integers(0, len(source.paragraphs[1].text) - 20))
    anchor = make_anchor(source.paragraphs[1], start, start + 20)
    found = reanchor(anchor, document(" ".join(c), " ".join(a), " ".join(b)))
    assert found.anchor is not None
    assert found.anchor.quote == anchor.quote
    assert found.status in ("exact", "moved")


@settings(max_examples=60)
@given(words, words, st.data())
def test_a_score_below_the_threshold_has_no_place(a: list[str], b: list[str], data: st.DataObject) -> None:
    made = paragraph(" ".join(a))
    start = data.draw(st.integers(0, len(made.text) - 10))
    anchor = make_anchor(made, start, data.draw(st.integers(start + 1, len(made.text))))
    target = document(" ".join(b))
    assume(anchor.quote not in target.paragraphs[0].text)
    found = reanchor(anchor, target)
    assert (found.anchor is None) == (found.status == "lost") == (found.score < ATTENTION)
    assert 0 <= found.score < 1
    if found.anchor is not None:
        place = found.anchor
        assert target.paragraphs[0].text[place.start : place.end] == place.quote
