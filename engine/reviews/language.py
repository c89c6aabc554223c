"""Detects whether a text is in English, which the rules on wording and the bundled heads require."""

import re
from functools import cache, lru_cache

from engine.resource_files import resource_table

_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile(r"(?<!\w)(?:[a-z]*[à-öø-ÿ][a-zà-öø-ÿ]*(?!\w)|[ldLD]['’](?=[a-zà-öø-ÿ]))")
"""Words that are rare in English: accented and not capitalised, or elided before a vowel."""
_QUOTED = re.compile(r"[“„«「『\"][^“”„«»「」『』\"]{2,}[”“»」』\"]")


@cache
def _word_set(name: str) -> frozenset[str]:
    return frozenset(resource_table("languages.toml")[name].split())


def may_turn(text: str) -> bool:
    """Returns whether a text in another language may negate, limit or compare what it says: it has such a word, or
    isn't in Latin letters."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return not words.isdisjoint(_word_set("turning")) or any(c > "\u024f" for word in words for c in word)


@lru_cache(maxsize=2048)
def is_english(text: str, around: str = "") -> bool:
    """Returns whether a text is in English, judging by its letters and most common words, without quotations; if these
    are inconclusive, the text ``around`` it decides."""
    text = _QUOTED.sub(" ", text)
    letters = [c for c in text if c.isalpha()]
    if letters and sum(c > "\u024f" and not "\u0370" <= c <= "\u03ff" for c in letters) > 0.3 * len(letters):
        return False  # neither Latin nor the Greek letters of formulas
    words = [word.casefold() for word in _WORD.findall(text)]
    english = _word_set("english")
    ours, theirs = sum(w in english for w in words), sum(w in _word_set("foreign") - english for w in words)
    theirs += len(_ACCENTED.findall(text))
    return is_english(around) if ours == theirs and around else ours >= theirs
