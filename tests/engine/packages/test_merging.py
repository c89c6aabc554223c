"""Of all that is known of a decision the latest counts, in whatever order and however often it comes."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from engine.packages.merging import Entry, canonical, fold, key_of

ENTRIES = st.lists(
    st.builds(
        Entry,
        st.sampled_from(["edit_link", "comment_state"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["2026-01-01", "2026-01-02"]),
        st.none() | st.fixed_dictionaries({"note": st.sampled_from("xyz")}),
    ),
    max_size=8,
)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_latest_counts_in_any_order_and_between_equal_times_the_content(entries: list[Entry], draw: Random) -> None:
    found = fold(entries)
    for entry in entries:
        of_it = [one for one in entries if one.place == entry.place]
        latest = max(one.stamp for one in of_it)
        rows = [one.row for one in of_it if one.stamp == latest]
        assert found[entry.place] == Entry(*entry.place, latest, max(rows, key=canonical))
    assert len(found) == len({entry.place for entry in entries})
    shuffled = draw.sample(entries * 2, 2 * len(entries))
    assert fold(shuffled) == found


def test_a_decision_is_known_by_what_it_is_about_and_not_by_the_key_of_its_row() -> None:
    row = {"id": "1", "comment_id": "c", "edit_id": "e", "note": "n"}
    assert key_of("edit_link", row) == '["c","e"]' == key_of("edit_link", {**row, "id": "2", "note": ""})
    assert canonical({"b": "ü", "a": 1}) == '{"a":1,"b":"ü"}'
