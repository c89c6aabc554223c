from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.revision.differences import added_text, deleted_text, diff_form, word_changes
from engine.revision.words import tokens

WORDS = st.lists(
    st.sampled_from(
        ["we", "show that", "the", "model", "is", "large.", ",", "[3]", "“big”", "Figure", "2", "ﬁt", "fit\n"]
    ),
    max_size=30,
)
PROSE = WORDS.map(" ".join)


@given(st.one_of(st.text(max_size=60), PROSE), st.one_of(st.text(max_size=60), PROSE))
def test_changes_tile_both_texts_and_offsets_slice(source: str, target: str) -> None:
    at_source = at_target = 0
    rebuilt = ""
    for change in word_changes(source, target):
        assert change.source[0] == at_source
        assert change.target[0] == at_target
        at_source, at_target = change.source[1], change.target[1]
        if change.operation == "delete":
            assert change.target[0] == change.target[1]
            assert change.text == source[slice(*change.source)]
        else:
            assert change.text == target[slice(*change.target)]
            rebuilt += change.text
        if change.operation == "insert":
            assert change.source[0] == change.source[1]
    assert (at_source, at_target) == (len(source), len(target))
    assert rebuilt == target


@given(PROSE, PROSE)
def test_no_half_words(source: str, target: str) -> None:
    for text, side in ((source, "source"), (target, "target")):
        borders = {0, len(text)} | {token.start for token in tokens(text)}
        for change in word_changes(source, target):
            assert set(getattr(change, side)) <= borders


@given(PROSE, PROSE)
def test_equal_runs_say_the_same(source: str, target: str) -> None:
    for change in word_changes(source, target):
        if change.operation == "equal":
            # Automatic numbers depend on the words before them, which a slice may have lost; compare without digits.
            old = [t.key for t in tokens(source) if change.source[0] <= t.start < change.source[1]]
            new = [t.key for t in tokens(target) if change.target[0] <= t.start < change.target[1]]
            assert [key for key in old if key != " "] == [key for key in new if key != " "]


@given(PROSE)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert all(change.operation == "equal" for change in word_changes(text, text))


def test_typesetting_is_no_difference() -> None:
    source = "the ‘ﬁrst’ run -- see [3]\n``and so’’ on ..."
    target = "the 'first' run — see [14] “and so” on …"
    assert [change.operation for change in word_changes(source, target)] == ["equal"]


@pytest.mark.parametrize(
    ("source", "target", "changed"),
    [
        ("a twosegment model", "a two-segment model", []),
        ("A two-segment model is", "A twosegment model is", []),
        ("the well-known two-segment one", "the well-known twosegment model", ["one", "model"]),
        ("a two - segment model", "a twosegment model", ["two - segment ", "twosegment "]),
        ("runs 1-2 times", "runs 12 times", ["1-2 ", "12 "]),
    ],
)
def test_a_hyphen_that_was_dropped_where_a_line_ended_is_no_difference(
    source: str, target: str, changed: list[str]
) -> None:
    changes = word_changes(source, target)
    assert [one.text for one in changes if one.operation != "equal"] == changed


def test_a_replaced_sentence_is_not_shredded() -> None:
    source = "We train the model. The data were split at random by hand. It works."
    target = "We train the model. Papers were assigned to the folds by venue. It works."
    operations = [change.operation for change in word_changes(source, target)]
    assert operations.count("insert") <= 2
    assert "".join(c.text for c in word_changes(source, target) if c.operation != "delete") == target


def test_forms_for_aligners() -> None:
    changes = word_changes("the data were split", "the data were split by paper, not by author")
    assert diff_form(changes) == "the data were split [+ by paper, not by author +]"
    assert added_text(changes) == "by paper, not by author"
    assert deleted_text(changes) == ""


def test_more_distinct_words_than_one_plane_holds() -> None:
    source = " ".join(f"w{n}" for n in range(21_000))
    target = source + " end"
    assert added_text(word_changes(source, target)) == "end"
