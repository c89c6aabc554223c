"""Splits a reviewer's block into items, one per comment, and decides which of them ask for nothing."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from engine.reviews.cues import SILENT, asks_nothing, cites_works, is_pointed, sentence_role
from engine.reviews.forms import LOCATOR
from engine.reviews.layout import Unit, listed
from engine.reviews.naming import Label, find_label
from engine.reviews.records import Asks, Comment, Span
from engine.reviews.sentences import skip_marks, split_sentences
from engine.reviews.spans import readable


@dataclass(frozen=True, slots=True)
class Item:
    """A comment of a block; ``actionable`` unless it certainly asks for nothing."""

    span: Span
    actionable: bool
    listed: bool


def find_items(text: str, units: Sequence[Unit], *, silent: bool = False, split: bool = False) -> tuple[Item, ...]:
    """Returns the items of a block: one, unless numbers, bullets or labels divide it. ``silent``: they are in a part
    without requests ("Strengths"). ``split``: the points of a list under "Comment 3" have their own responses."""
    groups: list[list[Unit]] = []
    label = (units[0].label or _title_label(text, units[0].outer)) if units and not split else None
    numbered = bool(label and label.kind == "comment" and label.word)
    quiet: set[int] = set()
    for unit, after in zip_longest(units, units[1:]):
        title = text[content_start(text, unit) : unit.end]
        if not any(map(str.isalnum, title)):
            continue
        if after and after.list_mark and not unit.list_mark and LOCATOR.fullmatch(title[:60]):
            continue  # "Section 3" above the points about it
        if len(units) > 1 and len(title) <= 60 and not unit.list_mark and sentence_role(title) == "connective":
            silent = asks_nothing(title)  # a title belongs to no item
            groups.append([])
            continue
        if silent:
            quiet.add(unit.start)
        within = {mark for mark in unit.marks - unit.begins if re.match(r"by |in (?!quotation|brackets|code)", mark)}
        # A list in a command or environment, or under "Comment 3", belongs to that one comment; likewise a list item
        # that continues a sentence.
        goes_on = groups and groups[-1] and text[groups[-1][-1].end - 1] in ":;," and _SMALL.match(title)
        parts = unit.list_mark and not (within or numbered or goes_on)
        if groups and groups[-1] and not parts and not (unit.label and unit.label.kind == "comment"):
            groups[-1].append(unit)
        else:
            groups.append([unit])
    found = []
    for group in filter(None, groups):
        span = Span(content_start(text, group[0]), group[-1].end)
        actionable = asks(readable(text, (span,)), silent=group[0].start in quiet) != "no"
        found.append(Item(span, actionable, listed(group[0])))
    return tuple(found)


def _title_label(text: str, start: int) -> Label | None:
    """Returns the label that the line above consists of, such as "Reviewer comment 2.6:", maybe above a place in the
    paper."""
    above = text[max(0, start - 4 * _TITLE) : start].split("\n")
    lines = [words for line in reversed(above) if (words := line.lstrip("#").strip(" *_\r"))]
    line = next((line for line in lines if not LOCATOR.fullmatch(line[:_TITLE])), "")
    label = find_label(line, 0, len(line)) if len(line) <= _TITLE else None
    return label if label and label.end >= len(line) else None


_TITLE = 60
"""Characters of the longest line that is a label alone."""


def content_start(text: str, unit: Unit) -> int:
    """Returns where a paragraph's text begins, after its label or a sign such as "%%", with which notes begin."""
    signs = (mark[7:] for mark in unit.marks if mark.startswith("begins ") and not any(map(str.isalnum, mark[7:])))
    sign = next((sign for sign in signs if text.startswith(sign, unit.start)), "")
    end = unit.label.end if unit.label else unit.start + len(sign)
    return skip_marks(text, end, unit.end) if end > unit.start else unit.start


@lru_cache(maxsize=4096)
def asks(comment: str, *, silent: bool = False) -> Asks:
    """Returns whether a comment asks for something: "yes" if the wording of a sentence does, "criticism" if it only
    criticises in general, "no" if it has only praise, summaries, references and the like, otherwise "maybe". Criticism
    in a ``silent`` part may be praise."""
    if cites_works(comment):
        return "no"
    words = [comment[span.start : span.end] for span in split_sentences(comment)]
    roles = [sentence_role(sentence) for sentence in words]
    if "question" in roles or (not silent and "request" in roles):
        return "yes"
    if not silent and "criticism" in roles:
        return "yes" if any(map(is_pointed, words)) else "criticism"
    if silent:
        pleads = any(role == "request" and _PLEADS.search(said) for role, said in zip(roles, words, strict=True))
        return "maybe" if pleads else "no"
    return "no" if any(role in SILENT for role in roles) else "maybe"


def doubtful(comments: Iterable[Comment]) -> dict[str, Asks]:
    """Returns "maybe" or "criticism" by the ids of the listed comments that may ask for nothing, by their wording,
    except those that a person marked."""
    known = {c.id: asks(c.comment) for c in comments if c.actionable and c.external_id}
    return {key: said for key, said in known.items() if said in ("maybe", "criticism")}


_SMALL = re.compile(r"[^\w“\"]*[a-z]")
_PLEADS = re.compile(
    r"\b(?:please|suggest|recommend|curious|needs? to be \w+ed|authors? (?:need|could|can (?:perhaps )?consider)|"
    r"(?:could|would|should|must|needs? to) (?:also )?"
    r"(?:be (?:also )?(?:clear|nice|good|bett|help|use|inter|"
    r"add|inc|disc|exp|rem)|avoid|add|include|discuss|clarify|explain|provide|consider|like))",
    re.IGNORECASE,
)
