"""Evidence cards: whatever is selected, the sentence that a card becomes is verified as it stands."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.places import Places
from engine.errors import BadInput
from engine.review_drafting.evidence import LONGEST_QUOTE, card_of, place_name, quoted, sentence_of
from engine.review_drafting.grounding import ground
from engine.review_drafting.store import EvidenceCard
from tests.engine.review_drafting.conftest import Read


@pytest.fixture(scope="module")
def places(clean: Read) -> Places:
    return clean.paper.places


def _card(places: Places, paragraph: int, start: int, end: int) -> EvidenceCard:
    return card_of(places, (paragraph, start), (paragraph, end))


def _text(places: Places, paragraph: int) -> str:
    return places.document.paragraphs[paragraph].text


def _body(places: Places) -> list[int]:
    paragraphs = enumerate(places.document.paragraphs)
    return [n for n, p in paragraphs if p.kind in ("body", "caption") and len(p.words) > 8]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_the_sentence_of_any_selection_is_verified(places: Places, data: st.DataObject) -> None:
    paragraph = data.draw(st.sampled_from(_body(places)))
    words = places.document.paragraphs[paragraph].words
    first = data.draw(st.integers(0, len(words) - 4))
    last = data.draw(st.integers(first + 3, len(words) - 1))
    begin = data.draw(st.integers(words[first].start, words[first].end - 1))  # anywhere in a word
    card = _card(places, paragraph, begin, data.draw(st.integers(words[last].start + 1, words[last].end)))
    note = data.draw(st.sampled_from(["", "The claim is broader than the evidence.", "Why is this so?", "Unclear"]))
    sentence = sentence_of(replace(card, note=note))
    checked = ground(sentence, places).claims
    assert len(checked) == 1, sentence
    # A note is the reviewer's own: that the words beside it are the paper's does not support it.
    assert checked[0].verdict == ("place found" if note else "supported"), (sentence, checked[0].why)
    quote = next(part for part in checked[0].parts if part.kind == "quote")
    assert quote.page == card.page or card.page in {box.page for box in quote.place.boxes}  # type: ignore[union-attr]


def test_words_that_are_in_several_places_are_found_at_the_named_one(places: Places) -> None:
    document = places.document
    paragraphs = tuple(replace(p, page=1 + (p.section == "3 Results"), words=()) for p in document.paragraphs)
    places = Places(replace(document, paragraphs=paragraphs), places.tables)
    words = "reaches an accuracy of"
    assert sum(words in p.text for p in places.document.paragraphs) == 2
    for name, section, page in (("Abstract", "Abstract", 1), ("Section 3", "3 Results", 2)):
        (claim,) = ground(f"The paper states “{words}” ({name}).", places).claims
        assert claim.verdict == "supported", claim.why
        quote = next(part for part in claim.parts if part.kind == "quote")
        assert quote.place is not None and claim.why == f"The quotation is on page {page}."
        assert next(p for p in places.document.paragraphs if p.id == quote.place.paragraph_id).section == section
    (claim,) = ground(f"The paper states “{words}” (Section 2).", places).claims
    assert claim.verdict == "place found" and claim.why.endswith("not in Section 2.")


def test_a_number_is_taken_with_its_decimals(places: Places) -> None:
    paragraph, at = next((n, m.start()) for n in _body(places) if (m := re.search(r"\d\.\d", _text(places, n))))
    for cut in (at + 1, at + 2):  # before and after the point
        begins, ends = _card(places, paragraph, cut, len(_text(places, paragraph))), _card(places, paragraph, 0, cut)
        whole = re.match(r"\d+\.\d+", begins.quote)
        assert whole is not None and ends.quote.endswith(whole[0])
        assert ground(sentence_of(ends), places).claims[0].verdict == "supported"


def test_a_selection_over_paragraphs_is_one_quotation(places: Places) -> None:
    first, second = next((a, b) for a, b in pairwise(_body(places)) if b == a + 1)
    before = places.document.paragraphs[first].text
    card = card_of(places, (second, 40), (first, len(before) - 40))  # drawn from below
    assert card.paragraph_id == places.document.paragraphs[first].id and card.end == len(before)
    assert len(card.boxes) >= 2
    assert ground(sentence_of(card), places).claims[0].verdict == "supported"


def test_nothing_selected_is_said(places: Places) -> None:
    with pytest.raises(BadInput, match="Nothing is selected"):
        card_of(places, (0, 3), (0, 3))


def test_a_caption_is_evidence_of_its_table(places: Places) -> None:
    caption = next(p for p in places.captioned if p.kind == "table")
    paragraph = [p.id for p in places.document.paragraphs].index(caption.paragraph_id)
    assert place_name(places, paragraph) == caption.label
    assert sentence_of(_card(places, paragraph, 0, 20)).endswith(f"{caption.label}, page {caption.page}).")


def test_a_long_quotation_leaves_out_its_middle() -> None:
    words = " ".join(f"w{n}" for n in range(LONGEST_QUOTE + 1))
    assert quoted(words) == " ".join([*(f"w{n}" for n in range(14)), "...", *(f"w{n}" for n in range(23, 33))])
    assert quoted('He said "so," and “left”.') == "He said ’so,’ and ‘left’"


def test_a_note_comes_first_and_a_question_stays_one() -> None:
    card = EvidenceCard("quote", "Section 3", "we use ten trees", page=4, note="Why ten?")
    assert sentence_of(card) == "Why ten (“we use ten trees”, Section 3, page 4)?"
    table = EvidenceCard("table", "Table 2", page=6, note="The gains are small.")
    assert sentence_of(table) == "The gains are small (Table 2, page 6)."
    assert sentence_of(EvidenceCard("quote", quote="we use ten trees")) == "The paper states “we use ten trees”."
