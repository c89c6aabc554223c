"""Which edit of a new comparison is which edit of the old one, so that people's links stay where they belong."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from engine.revision.records import Edit

_WORD = re.compile(r"\w+")
LEAST_OVERLAP = 0.5


def match_edits(old: Sequence[Edit], new: Sequence[Edit], least: float = LEAST_OVERLAP) -> tuple[int | None, ...]:
    """For each new edit the index of the old edit that it continues, or None; no old edit is taken twice.

    Edits are compared by the text of their paragraphs, never by position or number: those move with every
    parser and threshold. Equal texts go first (in order, where a text occurs twice). The rest are paired
    greedily by the Dice overlap of their word bigrams, where a bigram counts by the side it is on, from 1
    down to ``least``; below that a link would point at something that its maker did not see.
    """
    taken: set[int] = set()
    found: list[int | None] = [None] * len(new)
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    old_words = [_sides(edit) for edit in old]
    for index, words in enumerate(old_words):
        same[words].append(index)
    new_words = [_sides(edit) for edit in new]
    for index, words in enumerate(new_words):
        if same.get(words):
            found[index] = same_index = same[words].pop(0)
            taken.add(same_index)
    old_bigrams = [set[tuple[str, str]]() if i in taken else _bigrams(words) for i, words in enumerate(old_words)]
    postings: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, bigrams in enumerate(old_bigrams):
        for bigram in bigrams:
            postings[bigram].append(index)
    pairs: list[tuple[float, int, int]] = []
    for index, words in enumerate(new_words):
        if found[index] is not None:
            continue
        bigrams = _bigrams(words)
        shared: Counter[int] = Counter()
        for bigram in bigrams:
            shared.update(postings.get(bigram, ()))
        for other, common in shared.items():
            overlap = 2 * common / (len(bigrams) + len(old_bigrams[other]))
            if overlap >= least:
                pairs.append((-overlap, index, other))
    for _, index, other in sorted(pairs):
        if found[index] is None and other not in taken:
            found[index] = other
            taken.add(other)
    return tuple(found)


def _sides(edit: Edit) -> tuple[str, ...]:
    """The words of both sides, those of the source marked."""
    source = (f"-{word}" for word in _WORD.findall(edit.source_text.casefold()))
    target = (f"+{word}" for word in _WORD.findall(edit.target_text.casefold()))
    return (*source, *target)


def _bigrams(words: Sequence[str]) -> set[tuple[str, str]]:
    return set(pairwise(words)) or {(word, "") for word in words}
