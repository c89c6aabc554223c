"""Whether the rules that read words can read a text: they are for English."""

import re
from functools import lru_cache

from engine.statements.words import word_set

UNREAD = "Words aren't checked in this language; places, numbers, tables and quotations are."
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile(r"(?<!\w)(?:[a-z]*[à-öø-ÿ][a-zà-öø-ÿ]*(?!\w)|[ldLD]['’](?=[a-zà-öø-ÿ]))")
"""Words that English hardly has: with accents and without a capital, or shortened before a vowel."""
_QUOTED = re.compile(r"[“„«「『\"][^“”„«»「」『』\"]{2,}[”“»」』\"]")


@lru_cache(maxsize=2048)
def is_english(text: str, around: str = "") -> bool:
    """Whether a text is in English as far as its letters and commonest words tell, those in quotation marks left out;
    where they tell nothing, what is ``around`` it decides."""
    text = _QUOTED.sub(" ", text)
    letters = [c for c in text if c.isalpha()]
    if letters and sum(c > "\u024f" and not "\u0370" <= c <= "\u03ff" for c in letters) > 0.3 * len(letters):
        return False  # neither Latin nor the Greek of formulas
    words = [word.casefold() for word in _WORD.findall(text)]
    english = word_set("english")
    ours, theirs = sum(w in english for w in words), sum(w in word_set("foreign") - english for w in words)
    theirs += len(_ACCENTED.findall(text))
    return is_english(around) if ours == theirs and around else ours >= theirs
