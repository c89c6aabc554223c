"""Paragraphs that are not prose: tables, formulas, listings, and whatever else a page cuts into many pieces."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.matching import Group

FRAGMENTS: frozenset[ParagraphKind] = frozenset({"table", "equation", "code", "other"})
"""Kinds that a parser gives in pieces which mean little alone."""

_FIGURE = re.compile(r"(?:[A-Z]\w+ ){0,2}Fig(?:ure|\.)\s*[A-Z]?\d")
_LABEL_WORDS = 8
"""Words (figures do not count) of a piece of a drawing; what has more is a text of its own."""


def figure_words(paragraphs: Sequence[Paragraph]) -> frozenset[str]:
    """Ids of the pieces that are words in a drawing: names of axes, ticks, labels. They stand in one run beside the
    caption of a figure, on its page; above it where there are any, else below.
    """
    found: set[str] = set()
    for at, caption in enumerate(paragraphs):
        if caption.kind == "caption" and _FIGURE.match(caption.text):
            found |= _labels_beside(paragraphs, at, -1) or _labels_beside(paragraphs, at, 1)
    return frozenset(found)


def _labels_beside(paragraphs: Sequence[Paragraph], caption: int, step: int) -> set[str]:
    found: set[str] = set()
    at = caption + step
    while 0 <= at < len(paragraphs) and _is_label(paragraphs[at]) and paragraphs[at].page == paragraphs[caption].page:
        found.add(paragraphs[at].id)
        at += step
    return found


def _is_label(paragraph: Paragraph) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", paragraph.text)
    return paragraph.kind == "other" and len(words) <= _LABEL_WORDS and not paragraph.text.rstrip().endswith((".", ";"))


def runs(paragraphs: Sequence[Paragraph], among: Collection[int]) -> list[tuple[int, ...]]:
    """The positions ``among`` in order, neighbouring fragments of one kind and section taken together."""
    found: list[tuple[int, ...]] = []
    for at in sorted(among):
        if found and found[-1][-1] + 1 == at and _alike(paragraphs[at - 1], paragraphs[at]):
            found[-1] += (at,)
        else:
            found.append((at,))
    return found


def whole_tables(
    groups: Sequence[Group], source: Sequence[Paragraph], target: Sequence[Paragraph]
) -> tuple[Group, ...]:
    """``groups`` with tables made whole.

    Tables that share too few words to be matched are a pair where they stand beside the same caption in both versions;
    pieces of a table that its page cut off, and that nothing else claims, go with the table.
    """
    free_source = set(range(len(source))) - {i for group in groups for i in group.source}
    free_target = set(range(len(target))) - {j for group in groups for j in group.target}
    result = list(groups)
    for at, group in enumerate(groups):
        kinds = source[group.main[0]].kind, target[group.main[1]].kind
        if kinds not in (("caption", "caption"), ("table", "table")):
            continue
        for step in (1, -1):
            edge = -1 if step > 0 else 0
            old = _tables_beside(group.source[edge], step, source, free_source)
            new = _tables_beside(group.target[edge], step, target, free_target)
            if kinds[0] == "table":
                grown = tuple(sorted((*result[at].source, *old))), tuple(sorted((*result[at].target, *new)))
                result[at] = Group(*grown, group.main)
            elif old and new:
                result.append(Group(old, new, (old[0], new[0])))
            else:
                continue
            free_source.difference_update(old)
            free_target.difference_update(new)
    return tuple(result)


def _alike(before: Paragraph, after: Paragraph) -> bool:
    return after.kind in FRAGMENTS and (before.kind, before.section) == (after.kind, after.section)


def _tables_beside(at: int, step: int, paragraphs: Sequence[Paragraph], free: Collection[int]) -> tuple[int, ...]:
    """Free table pieces next to ``at``; behind a table, what follows may have lost its look of one."""
    found: list[int] = []
    inside = paragraphs[at].kind == "table"
    at += step
    while 0 <= at < len(paragraphs) and at in free:
        if paragraphs[at].kind != "table" and not (inside and paragraphs[at].kind == "other"):
            break
        inside = True
        found.append(at)
        at += step
    return tuple(sorted(found))
