"""Finds words in a clause that say when, of whom or of what part its cells are, if a table doesn't have these words."""

import re

from engine.statements.table_phrases import COUNTED
from engine.statements.table_words import Reading

_WHEN = r"during|after|before|since|when|while|if|once|until|unless"
_AFTER = rf"(?:{_WHEN}|in|on|at|for|under|with|without|among|within|outside|near|despite|beyond)"
_CONDITION = re.compile(
    rf"(?:^\W*(?:even |only )?{_AFTER}|\b(?:{_WHEN}))(?P<words>(?: (?!{_AFTER}\b)[a-z][^\s,.;()]*)+)(?! [MN]\d)"
)
"""A phrase at the beginning of a clause, or one of time anywhere, without a label or number of the table."""


def restricted(reading: Reading) -> bool:
    """Whether a clause says when, where, of whom or under which condition in words that the table doesn't have ("before
    tuning", "in a pilot"): its cells may be others than those. "In each period" chooses nothing."""
    words_of = (re.findall(r"\w{4,}", x.lower()) for m in reading.mentions for x in m.labels)
    named = tuple(word for words in words_of for word in words)
    unknown = {word.lower() for word in reading.unknown if not word.lower().startswith(named)}
    if any(found[1] in unknown for found in _VERB.finditer(reading.text)):
        return True  # "break the fewest bricks"
    parts = [found["words"].split() for found in _CONDITION.finditer(reading.text)] if unknown else []
    return any(unknown.intersection(words) and not _QUANTIFIED.intersection(words) for words in parts)


def qualified(reading: Reading) -> bool:
    """Whether words that the table doesn't have say what of a part of a label is meant: "the standard deviation of the
    cluster size" for "Clusters"."""
    words = "|".join(re.escape(word.lower()) for word in (*reading.unknown, *reading.beside))
    found = re.finditer(rf"\b(?:{words}) of(?: the)? M(\d+)", reading.text) if words else ()
    return any(not reading.mentions[int(m[1])].exact for m in found)


_VERB = re.compile(
    r"\b([a-z]+) (?:the |far |much |slightly )?(?:(?:most|fewest|least|more|fewer|less) M\d|(?:more|less) than M\d)"
)
_QUANTIFIED = frozenset(("terms", "all", "any", "both", "each", "every", *COUNTED[1:]))
