"""Decodes TeX's bitmap fonts, whose glyphs a PDF identifies only by number, using TeX's two text encodings."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

_NAMED = re.compile(r"F\d+")
"""pdfTeX's names of bitmap fonts."""
_LETTER, _WORD = re.compile("[A-Za-z]"), re.compile("[a-z]{2}")
_SHARED = {0xD7: "Œ", 0xDF: "ẞ", 0xF7: "œ", 0xFF: "ß"}  # the other letters from 0xC0 on are as in Latin-1
_CORK = _SHARED | dict(
    zip(
        (*range(0x10, 0x17), *range(0x19, 0x20), *range(0x7F, 0xC0)),
        "“”„«»–—ıȷﬀﬁﬂﬃﬄ-ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£",
        strict=True,
    )
)
"""T1, the Cork encoding (TUGboat 11, 1990): its differences from ASCII and Latin-1."""
_OT1 = dict(
    zip((*range(0x0B, 0x12), *range(0x19, 0x20), 0x22, 0x5C, 0x7B, 0x7C), "ﬀﬁﬂﬃﬄıȷßæœøÆŒØ”“–—", strict=True)
) | dict(zip((*range(0x12, 0x19), 0x5E, 0x7E, 0x7F), "`´ˇ˘¯˚¸ˆ˜¨", strict=True))
"""OT1, the encoding of Computer Modern (The TeXbook, appendix F); accents precede their letters."""
_IN_OT1_ALONE = re.compile(r"[\x0b-\x0f]")


def encodings(spans: Iterable[tuple[str, str]]) -> dict[str, Mapping[int, str]]:
    """Returns a table for ``str.translate`` by bitmap font of ``(font, text)`` that sets words; values are single
    letters.

    Fonts without words set formulas, in other encodings. Where any character isn't one byte, the file names its glyphs.
    """
    texts: dict[str, list[str]] = defaultdict(list)
    for font, text in spans:
        if _NAMED.fullmatch(font):
            texts[font].append(text)
    if any(max(text, default="") > "\xff" for pieces in texts.values() for text in pieces):
        return {}
    return {
        font: _OT1 if any(map(_IN_OT1_ALONE.search, pieces)) else _CORK
        for font, pieces in texts.items()
        if 2 * sum(map(bool, map(_WORD.search, pieces))) > sum(map(bool, map(_LETTER.search, pieces)))
    }
