from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.reviews.limits import (
    UNITS,
    Excess,
    Limit,
    Unit,
    count,
    fits,
    page_count,
    preset,
    presets,
    with_own,
)  # fmt: skip


def test_presets_ship_with_what_they_rest_on() -> None:
    found = {limit.id: limit for limit in presets()}
    assert [found[f"openreview-{n}"].per_reply for n in (2500, 5000, 10000)] == [2500, 5000, 10000]
    assert found["arr"].per_reply == 5000 and found["neurips-page"].total == 5000
    assert found["free"].tightest is None and found["openreview-2500"].tightest == 2500
    assert all(limit.note and limit.title and limit.unit in UNITS for limit in presets())
    assert preset("gone") == found["free"]


def test_own_values_change_single_bounds() -> None:
    limit = with_own(preset("arr"), [("total", "900"), ("per_reply", ""), ("unit", "words")])
    assert (limit.total, limit.per_reply, limit.unit, limit.id) == (900, None, "words", "arr")
    assert with_own(preset("arr"), [("per_reviewer", "7")]).per_reviewer == 7
    page = preset("neurips-page")
    assert (with_own(page, [("total", "8000")]).total, with_own(page, [("total", "8000")]).pages) == (8000, None)
    assert with_own(page, [("per_reply", "900")]).pages == 1
    for name, value in (
        ("total", "many"),
        ("total", "-3"),
        ("total", "0"),
        ("total", "٣"),
        ("unit", "pages"),
        ("x", "1"),
    ):
        with pytest.raises(BadInput):
            with_own(preset("arr"), [(name, value)])


def test_slightly_more_than_a_page_does_not_look_like_a_page() -> None:
    assert [page_count(pages) for pages in (1.0, 1.0001, 0.999, 0.29, 2.5)] == ["1.00", "1.01", "1.00", "0.29", "2.50"]


def test_characters_are_counted_as_the_venue_counts() -> None:
    text = "a 😀\r\nb  c"
    assert count(text, "code points") == 8
    assert count(text, "utf-16") == 9
    assert count(text, "words") == 4
    assert count("", "words") == 0


@given(st.text())
def test_utf_16_units_are_those_of_the_encoding(text: str) -> None:
    assert count(text, "utf-16") == len(text.replace("\r\n", "\n").encode("utf-16-le", "surrogatepass")) // 2
    assert count(text, "code points") == len(json.loads(json.dumps(text)).replace("\r\n", "\n"))


@given(st.text("ab 😀\n", max_size=60), st.integers(0, 30), st.sampled_from(UNITS))
def test_what_fits_is_the_longest_beginning_within_the_limit(text: str, limit: int, unit: Unit) -> None:
    at = fits(text, limit, unit)
    assert count(text[:at], unit) <= limit
    assert at == len(text) or count(text[: at + 1], unit) > limit


def test_an_excess_is_said_in_words() -> None:
    assert Excess("total", "", 1200, 1000).sentence("words") == "The rebuttal is 200 words too long (1,200 of 1,000)."
    said = Excess("reviewer", "Reviewer 2", 2501, 2500).sentence("utf-16")
    assert said == "The answer to Reviewer 2 is 1 character too long (2,501 of 2,500)."
    assert Limit("x", "X").tightest is None
