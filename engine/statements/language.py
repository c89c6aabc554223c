"""Whether the rules that read words can read a text: they are for English."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.statements.words import word_set

UNREAD = "Words aren't checked in this language; places, numbers, tables and quotations are."
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=2048)
def is_english(text: str) -> bool:
    """Whether a text is in English as far as its letters and commonest words tell; True where too little tells."""
    letters = [c for c in text if c.isalpha()]
    if letters and sum(c > "ɏ" and not "Ͱ" <= c <= "Ͽ" for c in letters) > 0.3 * len(letters):
        return False  # neither Latin nor the Greek of formulas
    words = [word.casefold() for word in _WORD.findall(text)]
    english = word_set("english")
    foreign = word_set("foreign") - english
    return sum(word in foreign for word in words) <= sum(word in english for word in words)
