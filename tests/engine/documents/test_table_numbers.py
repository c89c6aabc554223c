"""Numbers in the cells of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.tables import number_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", (12.0, False, False)),
        ("1,391", (1391.0, False, False)),
        ("−0.5", (-0.5, False, False)),
        ("14.5%", (14.5, True, False)),
        (".78", (0.78, False, False)),
        ("82.1 ± 0.3", (82.1, False, True)),
        ("13,022.2±35,054.4", (13022.2, False, True)),
        ("82.1 (0.3)", (82.1, False, False)),
        ("91.2*", (91.2, False, False)),
        ("85.4∗⋆", (85.4, False, False)),
        ("64.76a", (64.76, False, False)),
        ("< 0.01", (0.01, False, False)),
        ("55.57+2.28", (55.57, False, False)),
        ("9,000h", (9000.0, False, False)),
        ("57.8 (forgetting)", (57.8, False, False)),
        ("1,116 (5.4% of total)", (1116.0, False, False)),
        ("−1.79+0.34−0.32", (-1.79, False, False)),
        ("31·3 ± 11·2", (31.3, False, True)),
        ("1·42 (1·09–1·84)", (1.42, False, False)),
        ("1.8E-12", (1.8e-12, False, False)),
        ("−8.22 × 10−10", (-8.22e-10, False, False)),
        ("3 × 107", (3e7, False, False)),
        ("20, 582.64", (20582.64, False, False)),
        ("26+3 −2", (26.0, False, False)),
        ("0.14 ± 0.01 s", (0.14, False, True)),
        ("43.12 sec", (43.12, False, False)),
        ("0.25(*)", (0.25, False, False)),
    ],
)
def test_numbers_as_papers_write_them(text: str, expected: tuple[float, bool, bool]) -> None:
    assert number_in(text) == expected


@pytest.mark.parametrize(
    "text", ["", "n/a", "BERT-2", "(0.5, 0.8)", "10-fold", "1.2.3", "–", "12 34", "3a", "2·103", "0, 100", "10+5"]
)
def test_what_is_no_number(text: str) -> None:
    assert number_in(text) is None


@given(st.floats(min_value=-1e6, max_value=1e6, allow_nan=False), st.integers(0, 4))
def test_a_printed_number_is_read_back(value: float, digits: int) -> None:
    printed = f"{value:,.{digits}f}"
    read = number_in(printed)
    assert read is not None
    assert read[0] == float(printed.replace(",", ""))
