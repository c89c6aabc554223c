"""Finds lists of references: where they start and end, and the lines of each entry."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from engine.documents.grouping import Block
from engine.documents.page_text import Line

TITLE = re.compile(
    r"(?:[\divxA-Z]{0,4}[.\s]*)(?:(?:supplementa(?:ry|l)|supporting|additional|further|online|cited|selected|main)\s+)?"
    r"(references?(?: and notes| cited)?|bibliography|works cited|literature cited|literature|literatur(?:verzeichnis)?"
    r"|quellen(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?"
    r"|bibliograf[ií]a|referências(?: bibliográficas)?|riferimenti|参\s?考\s?文\s?献)(?:\s+\1)?"
    r"(?:\s+(?:for|in|of|to)(?:\s+the)?\s+(?:main text|supplement\w*|appendix|appendices|methods))?\s*[.:]?",
    re.I,
)
_LABEL = re.compile(r"(?:\[(\d{1,4})\]|\((\d{1,3})\)|(\d{1,3})\.?)$|(\d{1,3})(?=[A-Z][.a-z])")
_NAMED = re.compile(r"[^\W\d_a-z][^\W\d_]+(?:[ ’'-][^\W\d_]+)?,? (?:[A-Z]\. ?-?)+|[—–]+\.")
"""The start of an entry without a number: a name and initials, or a dash for the same names."""
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b|\bin press\b|\barxiv\b", re.I)
_ENTRY_KINDS = frozenset({"body", "other", "table", "equation", "footnote", "code", "heading"})


def mark_references(blocks: list[Block]) -> list[Block]:
    """Turns each list's entries into one block each, of kind "reference"; the headings of the lists are kept."""
    result: list[Block] = []
    index = 0
    for start, end in _lists(blocks):
        result += blocks[index:start]
        members = blocks[start:end]
        sizes = Counter(b.size for b in members if _label(b.first) is not None) or Counter(b.size for b in members)
        size = sizes.most_common(1)[0][0] if sizes else 0.0
        # A list without a heading may start below running text that continues in the next column, and tables may
        # interrupt any list.
        text = [
            b
            for b in members
            if (b.kind in ("body", "heading", "other", "table") and b.size > 1.05 * size and _label(b.first) is None)
            or (b.kind == "table" and not _YEAR.search(b.text))
        ]
        entries = [b for b in members if b.kind in _ENTRY_KINDS and b not in text]
        result += [*text, *_entries(entries), *(b for b in members if b.kind not in _ENTRY_KINDS)]
        index = end
    return result + blocks[index:]


def _lists(blocks: list[Block]) -> list[tuple[int, int]]:
    """Returns the ranges of blocks of the lists, without their headings."""
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(blocks):
        block = blocks[index]
        if block.kind == "heading" and block.level > 0 and TITLE.fullmatch(block.text):
            found.append((index + 1, _end(blocks, index)))
            index = found[-1][1]
        elif block.kind in ("body", "other", "footnote") and (
            end := _untitled_end(blocks, index, _last_label, 5)
            if _label(block.first) == 1
            else _untitled_end(blocks, index, _one_more, 8)
        ):
            found.append((index, end))
            index = end
        else:
            index += 1
    return found


def _label(line: Line) -> int | None:
    """Returns the number that labels an entry's first line, or None; a raised number is part of the first word."""
    match = _LABEL.match(line.tokens[0].text) if len(line.tokens) > 1 else None
    return int(next(g for g in match.groups() if g)) if match else None


def _counts_on(block: Block, last: int) -> bool:
    """Returns whether a block starts with the number after ``last``; up to two numbers may be missing."""
    number = _label(block.first)
    return number is not None and last < number <= last + (3 if last else 1)


def _last_label(block: Block, last: int) -> int:
    """Returns the highest consecutive number of a block's lines, since several entries may form one block."""
    if _counts_on(block, last):
        last = _label(block.first) or 0
    for line in block.lines[1:]:
        if last and _label(line) == last + 1:
            last += 1
    return last


def _end(blocks: list[Block], title: int) -> int:
    """Returns the index after the last entry of the list below a title, which is where another section starts.

    A heading that looks unlike all earlier ones, or like the entries, is a bold title within an entry; a heading with
    the next number is an entry's first line. A numbered list ends with what belongs to its last entry.
    """
    level = blocks[title].level
    looks = {_look(b.first) for b in blocks[: title + 1] if b.kind == "heading" and b.level <= level}
    after = blocks[title + 1 : title + 60]
    entry = [b for b in after if _label(b.first) is not None] or after
    usual = Counter(_look(line) for b in entry for line in b.lines).most_common(1)
    last, entries, end = 0, 0, title + 1
    for index in range(title + 1, len(blocks)):
        block = blocks[index]
        if (counted := _last_label(block, last)) > last:
            last, entries, end = counted, entries + 1, index + 1
        elif block.kind == "heading" and block.level >= 0 and _look(block.first) != usual[0][0]:
            further = entries >= 3 and any(_counts_on(b, last) for b in blocks[index + 1 : index + 4])
            if (_look(block.first) in looks or block.size > blocks[title].size) and not further:
                return index
    return _tail(blocks, end) if entries >= 5 else len(blocks)


def _look(line: Line) -> tuple[float, bool, str]:
    return line.size, line.bold, line.font


def _tail(blocks: list[Block], end: int) -> int:
    """Returns the index after the blocks that still belong to the last entry of a numbered list."""
    while end < len(blocks):
        before, block = blocks[end - 1].last, blocks[end].first
        same = (before.page, before.column, before.band) == (block.page, block.column, block.band)
        ended = before.tokens[-1].text.endswith((".", "]", ")"))
        if (
            blocks[end].kind in ("caption", "heading")
            or block.base - before.base > 2.2 * block.size
            or not (same or not ended)
        ):
            break
        end += 1
    return end


def _one_more(block: Block, last: int) -> int:
    return last + bool(block.kind in ("body", "other", "footnote") and _NAMED.match(block.text))


def _untitled_end(blocks: list[Block], start: int, count: Callable[[Block, int], int], least: int) -> int | None:
    """Returns the index after a list of at least ``least`` entries that ``count`` counts on, 70 % of them with a year,
    or None."""
    last, entries, dated, end, others = 0, 0, 0, start, 0
    for index in range(start, len(blocks)):
        block = blocks[index]
        if (counted := count(block, last)) > last:
            last, entries, end, others = counted, entries + 1, index + 1, 0
            dated += bool(_YEAR.search(" ".join(b.text for b in blocks[index : index + 2])))
        elif index == start:
            return None
        else:
            others += block.kind == "heading" or (block.kind in ("body", "footnote") and block.letters > 100)
            if others > 6 or _label(block.first) == 1:
                break
    return _tail(blocks, end) if entries >= least and dated >= 0.7 * entries else None


def _entries(blocks: list[Block]) -> list[Block]:
    """Splits a list into entries by number labels, bracketed labels or indentation, otherwise by blocks."""
    lines = [line for block in blocks for line in block.lines]
    if not lines:
        return []
    starts = _starts(lines)
    if starts is None:
        starts = {id(block.first) for block in blocks}
    entries: list[Block] = []
    for line in lines:
        if not entries or id(line) in starts:
            entries.append(Block([line], kind="reference"))
        else:
            entries[-1].lines.append(line)
    return entries


def _starts(lines: list[Line]) -> set[int] | None:
    counted: set[int] = set()
    last = 0
    for line in lines:
        number = _label(line)
        if number is not None and (last < number <= last + 3 if counted else number < 400):
            counted.add(id(line))
            last = number
    if len(counted) >= max(3, 0.12 * len(lines)):
        return counted
    lefts: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for line in lines:
        lefts[(line.page, line.column)][round(line.x0)] += 1
    margin = {
        place: min((x for x, n in counts.items() if n + counts[x + 1] >= 2), default=min(counts))
        for place, counts in lefts.items()
    }
    for place, counts in lefts.items():
        if counts.total() < 4:  # too few lines, such as the rest of an entry, to show the margin
            margin[place] = min(x for other, x in margin.items() if other[1] == place[1])
    flush = [line.x0 - margin[(line.page, line.column)] < 0.5 * line.size for line in lines]
    bracketed = {id(x) for x, first in zip(lines, flush, strict=True) if first and x.text.startswith("[")}
    if len(bracketed) >= max(3, 0.15 * len(lines)):
        return bracketed
    share = sum(flush) / len(lines)
    if not 0.1 < share < 0.9:
        return None
    # Entries start with names; continuation lines often start mid-sentence or with a number.
    within = {
        kind: sum(not x.text[:1].isupper() for x, first in zip(lines, flush, strict=True) if first == kind)
        / max(1, flush.count(kind))
        for kind in (True, False)
    }
    begins = within[True] < within[False]
    if abs(within[True] - within[False]) < 0.15:
        # Otherwise what follows a line that ends short of the margin starts an entry.
        after = Counter(
            first
            for above, line, first in zip(lines, lines[1:], flush[1:], strict=False)
            if above.x1 < above.right - 3 * above.size and above.text.endswith(".") and above.base < line.base
        )
        begins = after[True] >= after[False]
        if after[begins] < max(2, 0.75 * after.total()):
            return None
    return {id(x) for x, first in zip(lines, flush, strict=True) if first == begins}
