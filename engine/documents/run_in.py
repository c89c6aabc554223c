"""Headings known by their numbers: run-in ones ("4.1. Cluster property. A tree space has ...") are split off, and those
set like text are found by the heading that they follow. Sets the blocks' sections."""

import re
from dataclasses import replace
from itertools import pairwise

from engine.documents.glyphs import Reading
from engine.documents.grouping import Block, Style
from engine.documents.page_text import Line, Token

_NUMBER = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3}\.?")
_NUMBERED = re.compile(rf"({_NUMBER.pattern})\s+(?=[A-Z])")
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


def set_sections(blocks: list[Block], reading: Reading) -> None:
    """Sets each block's section from the headings above it.

    If more follows an abstract before the next heading than abstracts have, it ends with its page or its most words: in
    letters and manuscripts, the text after it may have no heading that is recognised.
    """
    path: list[tuple[int, str]] = []
    heads = [at for at, block in enumerate(blocks) if block.kind == "heading" and block.level > 0]
    for start, end in pairwise([0, *heads, len(blocks)]):
        if start in heads:
            while path and path[-1][0] >= blocks[start].level:
                path.pop()
            path.append((blocks[start].level, block_text(blocks[start], reading)))
        lengths = [0] * (end - start)
        if len(path) == 1 and _ABSTRACT.fullmatch(path[0][1]):
            lengths = [len(block_text(b, reading).split()) * (b.kind == "body") for b in blocks[start:end]]
        before, long = 0, sum(lengths) > _MOST_ABSTRACT
        for block, length in zip(blocks[start:end], lengths, strict=True):
            if long and length and before and (block.page > blocks[start].page or before > _MOST_ABSTRACT):
                path.clear()
            before += length
            block.section = " > ".join(name for _, name in path)
