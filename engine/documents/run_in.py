"""Headings known by their numbers: run-in ones ("4.1. Cluster property. A tree space has ...") are split off, and those
set like text are found by the heading that they follow. Sets the headings' levels and the blocks' sections."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

from engine.documents.bibliography import TITLE
from engine.documents.glyphs import Reading
from engine.documents.grouping import Block, Style
from engine.documents.page_text import Line, Token

_NUMBER = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3}\.?")
_NUMBERED = re.compile(rf"({_NUMBER.pattern})\s+(?=[A-Z])")
_MARK = re.compile(r"([IVX]{1,5}(?=\.)|\d{1,2}|[A-Z])((?:\.\d{1,2}){0,3})[.)]?\s+(?=\S)")
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV")
_APPENDIX = re.compile(r"\W*(?:appendi|suppl|supporting)", re.I)
_NO_TITLE = re.compile(r".{120}|.*(?:[.,;:]|\s\d+)$")
_WORDS = 18
_ABSTRACT = re.compile(r"\W*abstract\W*", re.I)
_MOST_ABSTRACT = 600  # words
_LEAST_LETTERS = 40  # of the text that follows


def split_run_in(blocks: list[Block], style: Style) -> list[Block]:
    """Splits text blocks that start with a run-in heading into the heading and the text."""
    result: list[Block] = []
    for block in blocks:
        words = _heading(block, style) if block.kind == "body" else 0
        if not words:
            result.append(block)
            continue
        heading: list[Line] = []
        rest: list[Line] = []
        left = words
        for line in block.lines:
            for lines, tokens in ((heading, line.tokens[:left]), (rest, line.tokens[left:])):
                if tokens:
                    lines.append(replace(line, tokens=tokens))
            left = max(left - len(line.tokens), 0)
        result += [Block(heading, kind="heading"), replace(block, lines=rest)]
    return result


def mark_by_number(blocks: list[Block]) -> None:
    """Marks lines without any look of a heading whose number continues those before: "4.2" after a heading "4.1"."""
    seen: set[tuple[str, ...]] = set()
    for block in blocks:
        match = _NUMBERED.match(block.text) if block.kind in ("heading", "body", "footnote") else None
        if match is None:
            continue
        *above, last = number = match[1].rstrip(".").split(".")
        before = (*above, str(int(last) - 1)) if last.isdigit() and last != "1" else (*above,)
        if block.kind == "heading" or (
            above and before in seen and len(block.lines) == 1 and not _NO_TITLE.match(block.text)
        ):
            block.kind = "heading"
            seen.add((*number,))


def _heading(block: Block, style: Style) -> int:
    """Returns how many words of a block are a heading: a number, and words in another font up to a full stop.

    A single number may belong to a list item, whose name looks alike, so it must have the words' font.
    """
    tokens = [token for line in block.lines[:3] for token in line.tokens]
    if len(tokens) < 3 or not _NUMBER.fullmatch(tokens[0].text):
        return 0
    number, first = tokens[:2]
    single = "." not in number.text.rstrip(".")
    if _plain(first, style) or not first.text[:1].isupper() or (single and number.font != first.font):
        return 0
    for at, (word, following) in enumerate(pairwise(tokens[1:_WORDS]), start=2):
        if word.font != first.font:
            return 0
        if following.font != first.font:
            text = sum(line.letters for line in block.lines) - sum(len(token.text) for token in tokens[:at])
            ends = word.text.endswith(".") and following.font == style.font and following.text[:1].isupper()
            return at if ends and text > _LEAST_LETTERS else 0
    return 0


def _plain(token: Token, style: Style) -> bool:
    return token.font == style.font and not (token.bold or token.italic)


def block_text(block: Block, reading: Reading) -> str:
    """Returns the block's text as read, words separated by single spaces; hyphens at line ends are kept."""
    return " ".join(reading.text(t) for line in block.lines for t in line.tokens)


def set_levels(headings: list[Block], reading: Reading) -> None:
    """Sets levels from 1: by numbering if headings are numbered, otherwise by size, weight and slant."""
    texts = [block_text(block, reading) for block in headings]
    looks = [(-block.size, not block.bold, block.first.italic) for block in headings]
    depths = _depths(texts)
    by_look: dict[tuple[float, bool, bool], Counter[int]] = defaultdict(Counter)
    for look, depth in zip(looks, depths, strict=True):
        by_look[look].update([depth] if depth else [])
    order = {look: rank for rank, look in enumerate(sorted(set(looks)), start=1)}
    by_number = sum(map(bool, depths)) >= max(2, 0.4 * len(headings))
    for block, look, depth in zip(headings, looks, depths, strict=True):
        if not by_number:
            block.level = order[look]
        elif depth or by_look[look]:
            block.level = depth or by_look[look].most_common(1)[0][0]
        else:  # one level below the deepest numbered look at least as prominent
            larger = [found.most_common(1)[0][0] for known, found in by_look.items() if known <= look and found]
            block.level = max(larger, default=0) + 1


def _depths(texts: list[str]) -> list[int]:
    """Returns how deep each heading's number is, from 1, or 0 without one.

    A number's dots count, and so do kinds of numbers inside others: "A." between "II." and "III.", and "1." between
    "A." and "B.". Letters after the last section are those of appendices.
    """
    marks: list[tuple[str, int, int] | None] = []  # kind of number, value, dots
    letter = 0
    for text in texts:
        if match := _MARK.match(text):
            first, dots = match[1], match[2].count(".")
            follows = len(first) == 1 and first.isalpha() and ord(first) - 64 == letter + 1 > 1
            if first.isdigit():
                marks.append(("digit", int(first), dots))
            elif first in _ROMAN and not follows and not dots:
                marks.append(("roman", _ROMAN.index(first) + 1, 0))
            else:
                letter = ord(first) - 64
                marks.append(("letter", letter, dots))
        else:
            marks.append(None)
    inside: dict[str, set[str]] = defaultdict(set)
    last: dict[str, int] = {}  # value of each kind
    opened: dict[str, set[str]] = defaultdict(set)  # kinds that began since the last number of a kind
    for kind, value, dots in filter(None, marks):
        if dots:
            continue
        if value == last.get(kind, 0) + 1:
            for other in opened[kind] - inside[kind]:
                inside[other].add(kind)
        last[kind], opened[kind] = value, set()
        for other in list(last)[: [*last].index(kind) if value == 1 else 0]:  # what began before
            opened[other].add(kind)
    depths = []
    appendix = False
    for text, mark in zip(texts, marks, strict=True):
        appendix = (appendix or bool(_APPENDIX.match(text) or TITLE.fullmatch(text))) if not mark else appendix
        if mark and mark[2] == 0 and mark[0] not in inside:
            appendix = False
        outer = 0 if not mark or (appendix and mark[0] == "letter") else _outer(mark[0], inside)
        depths.append(outer + mark[2] + 1 if mark else 0)
    return depths


def _outer(kind: str, inside: dict[str, set[str]]) -> int:
    """Returns inside how many kinds of numbers a kind is."""
    return max((_outer(other, inside) + 1 for other in inside.get(kind, ())), default=0)


def set_sections(blocks: list[Block], reading: Reading) -> None:
    """Sets each block's section from the headings above it.

    If more follows an abstract before the next heading than abstracts have, it ends with its page or its most words: in
    letters and manuscripts, the text after it may have no heading that is recognised.
    """
    path: list[tuple[int, str]] = []
    known: dict[str, str] = {}  # numbered headings, under which those with their number and a dot are
    heads = [at for at, block in enumerate(blocks) if block.kind == "heading" and block.level > 0]
    for start, end in pairwise([0, *heads, len(blocks)]):
        if start in heads:
            name, level = block_text(blocks[start], reading), blocks[start].level
            number = match[1].rstrip(".") if (match := _NUMBERED.match(name)) else ""
            above = [number[:at] for at, sign in enumerate(number) if sign == "."]
            if above and all(one in known for one in above):
                path = [(one.count(".") + 1, known[one]) for one in above]
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, name))
            known = {} if number == "1" else known
            known.setdefault(number, name)
        lengths = [0] * (end - start)
        if len(path) == 1 and _ABSTRACT.fullmatch(path[0][1]):
            lengths = [len(block_text(b, reading).split()) * (b.kind == "body") for b in blocks[start:end]]
        before, long = 0, sum(lengths) > _MOST_ABSTRACT
        for block, length in zip(blocks[start:end], lengths, strict=True):
            if long and length and before and (block.page > blocks[start].page or before > _MOST_ABSTRACT):
                path.clear()
            before += length
            block.section = " > ".join(name for _, name in path)
