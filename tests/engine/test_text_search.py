"""What searches take for the same, and where they find it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.text_search import folded, holds, next_match, occurrences


def test_case_accents_quotes_dashes_and_spaces_do_not_matter() -> None:
    assert folded("Łódź, “MÜLLER”\u00a0–\nﬁt") == 'lodz, "muller" - fit'
    assert holds("Frau Müller", " mull") and holds("anything", "") and not holds("Mueller", "müller")


def test_occurrences_are_places_in_the_text_itself() -> None:
    text = "Straße, STRASSE, Mu\u0308ller\u0301"
    assert [text[slice(*span)] for span in occurrences(text, "strasse")] == ["Straße", "STRASSE"]
    assert [text[slice(*span)] for span in occurrences(text, "muller")] == ["Mu\u0308ller\u0301"], "marks included"
    assert list(occurrences("aß", "s")) == [(1, 2), (1, 2)], "never an empty place"
    assert list(occurrences(text, " ")) == []


@given(st.text(), st.text(min_size=1, max_size=3))
def test_what_is_found_holds_what_was_searched_for(text: str, query: str) -> None:
    for start, end in occurrences(text, query):
        assert 0 <= start < end <= len(text)
        assert " ".join(folded(query).split()) in folded(text[start:end])


def test_the_next_match_wraps_around() -> None:
    names = ["Ana Žižek", "Ana", "Zizek, Ana"]
    assert next_match("ana", 3, 0, 0, names.__getitem__) == 1, "the entry that is the text comes first"
    assert next_match("zizek", 3, 0, 1, names.__getitem__) == 2
    assert next_match("zizek", 3, 2, 1, names.__getitem__) == 0
    assert next_match("zizek ana", 3, 0, -1, names.__getitem__) == 2, "in any order"
    assert next_match(" ", 3, 0, 0, names.__getitem__) is None
