"""Roots hang from their origin, which is above the line of text that they stand in."""

from __future__ import annotations

import pytest

from engine.documents.columns import order_pages
from engine.documents.page_text import Line, PageText, Token

SIZE = 11.0


def token(text: str, x: float, base: float, *, hangs: bool = False) -> Token:
    top, bottom = (base - 0.5, base + 6.5) if hangs else (base - 8.0, base + 2.5)
    return Token(text, x, top, x + 5.5 * len(text), bottom, base, SIZE, "Font", False, False, ())


@pytest.mark.parametrize("sign", ["p", "√"])
def test_a_root_goes_to_the_line_below_its_origin(sign: str) -> None:
    above = Line(
        1, [token(word, 72 + 60 * at, 417.6) for at, word in enumerate(["that", "these", "rates", "are", "counted"])]
    )
    before = Line(1, [token("consistent", 72, 431.2), token("with", 130, 431.2), token("O(", 154, 431.2)])
    root = Line(1, [token(sign, 166, 420.5, hangs=True)])
    behind = Line(1, [token("1/n)", 177, 431.2), token("as", 202, 431.2), token("said", 216, 431.2)])
    (lines,) = order_pages([PageText(1, 612.0, 792.0, 0, [above, before, root, behind])])
    assert [line.text for line in lines] == ["that these rates are counted", f"consistent with O( {sign} 1/n) as said"]
