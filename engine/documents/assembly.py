"""Turns blocks into paragraphs: joins them across columns and pages, normalises text, maps it back to the glyphs."""

import re
from bisect import bisect_right
from itertools import pairwise

from engine.documents.glyphs import Reading
from engine.documents.grouping import ENDS_SENTENCE, STATEMENT, Block, Style, is_bullet
from engine.documents.page_text import Line
from engine.documents.prose import PROSE_SHARE, prose_share
from engine.documents.records import Box, Paragraph, ParagraphKind, Word

_FLOATS = ("caption", "table", "footnote", "other")
_HYPHENS = "-\u2010"
_ADDRESS = re.compile(r"[(\[<]?(?:https?:|www\.|doi:|[\w.+-]+@)")


def join_blocks(blocks: list[Block], style: Style, reading: Reading) -> list[Block]:
    """Joins body paragraphs interrupted by a column, page, figure or displayed equation, and cut captions."""
    blocks = _join_captions(blocks, style, reading)
    result: list[Block] = []
    open_block: Block | None = None  # the last body paragraph, which may continue
    cut: Block | None = None  # the last paragraph that ended mid-sentence
    equation_between = False
    for block in blocks:
        listing = block.kind == "code" and open_block is not None and _place(block.first) != _place(open_block.last)
        if block.kind == "equation" or block.kind in _FLOATS or (listing and cut is open_block):
            equation_between = equation_between or block.kind == "equation"
            result.append(block)
            continue
        if block.kind == "body":
            waits = cut is not None and _resumes(cut, block, style, reading)
            if (
                open_block is not None
                and not (waits and cut is not open_block and _is_stray(open_block, reading))
                and (
                    _interrupted(open_block, block, result)
                    or (_is_cut(open_block, reading) and _begins_within(block, reading))
                )
                and _goes_on(open_block, block, style, reading, equation_between)
            ):
                open_block.lines.extend(block.lines)
                equation_between = False
                if _is_cut(open_block, reading):
                    cut = open_block
                elif cut is open_block:
                    cut = None
                continue
            if cut is not None and waits:
                between = result[next(i for i in range(len(result) - 1, -1, -1) if result[i] is cut) + 1 :]
                headings = [b for b in between if b.kind == "heading"]
                texts = [b for b in between if b.kind == "body"]
                if headings and any(not _begins_within(b, reading) for b in texts):
                    cut = None
            if cut is not None and _resumes(cut, block, style, reading):
                for heading in headings:  # a heading never splits a sentence, so these belong to a figure
                    heading.kind, heading.level = "other", 0
                cut.lines.extend(block.lines)
                open_block, cut = cut, None
                continue
        result.append(block)
        if block.kind == "body" and _is_cut(block, reading) and (cut is None or len(block.lines) > 1):
            cut = block
        open_block = block if block.kind == "body" else None
        equation_between = False
    return result


def _is_cut(block: Block, reading: Reading) -> bool:
    """Returns whether a paragraph ends mid-sentence with a full line; a single line must be prose."""
    last = block.last
    prose = len(block.lines) > 1 or prose_share(block.text) > PROSE_SHARE
    return prose and last.right - last.x1 < 0.6 * last.size and not _ended(block, reading)


def _is_stray(block: Block, reading: Reading) -> bool:
    """Returns whether a block is text of a float: no prose, and no end of a sentence."""
    return prose_share(block.text) == 0 and not _ended(block, reading)


def _ended(block: Block, reading: Reading) -> bool:
    return bool(ENDS_SENTENCE.search(reading.text(block.last.tokens[-1])))


def _resumes(cut: Block, block: Block, style: Style, reading: Reading) -> bool:
    """Returns whether a block starting mid-sentence continues one cut in another column, or up to two pages before."""
    return (
        _place(cut.last) != _place(block.first)
        and block.page - cut.last.page <= 2
        and not block.listed
        and abs(cut.size - block.size) < 0.08 * style.size
        and block.first.x0 - block.first.left < 0.6 * block.size
        and _begins_within(block, reading)
    )


def _begins_within(block: Block, reading: Reading) -> bool:
    """Returns whether a paragraph starts with a lower-case letter, as only the rest of a sentence does."""
    return bool(re.match(r"[(\"“‘]?[a-z]", reading.text(block.first.tokens[0])))


def _join_captions(blocks: list[Block], style: Style, reading: Reading) -> list[Block]:
    """Joins a caption that a column or page break cuts with the first block after it."""
    result: list[Block] = []
    for block in blocks:
        caption = next((b for b in reversed(result) if b.kind != "footnote"), None)
        if (
            caption is not None
            and caption.kind == "caption"
            and block.kind in ("body", "other")
            and _place(caption.last) != _place(block.first)
            and abs(caption.size - block.size) < 0.05 * block.size
        ):
            tail, head = reading.text(caption.last.tokens[-1]), reading.text(block.first.tokens[0])
            unended = not ENDS_SENTENCE.search(tail)
            own_size = abs(caption.size - style.size) > 0.05 * style.size
            if (unended and (own_size or re.match(r"[(\"“‘]?[a-z\d]", head))) or (
                own_size and _full(caption.last, block.first)
            ):
                caption.lines.extend(block.lines)
                continue
        result.append(block)
    return result


def _place(line: Line) -> tuple[int, int, int]:
    return line.page, line.column, line.band


def _full(last: Line, first: Line) -> bool:
    """Returns whether the next line's first word wouldn't have fitted at the end of this line."""
    width = first.tokens[0].x1 - first.tokens[0].x0
    return last.right - last.x1 < width + 0.6 * last.size


def _interrupted(before: Block, after: Block, result: list[Block]) -> bool:
    return _place(before.last) != _place(after.first) or result[-1] is not before


def _goes_on(before: Block, after: Block, style: Style, reading: Reading, equation_between: bool) -> bool:
    if after.listed or abs(before.size - after.size) > 0.08 * style.size:
        return False
    if before.bold != after.bold and min(len(before.lines), len(after.lines)) > 1:
        return False  # authors above an abstract
    last, first = before.last, after.first
    tail, head = reading.text(last.tokens[-1]), reading.text(first.tokens[0])
    indented = 0.6 * first.size < first.x0 - first.left < 5 * first.size and (
        style.indents if len(after.lines) == 1 else after.lines[1].x0 < first.x0 - 0.5 * first.size
    )
    lower = bool(re.match(r"[(\"“‘]?[a-z]", head))
    ended = bool(ENDS_SENTENCE.search(tail))
    if indented or (STATEMENT.match(first.text) and (ended or _place(last) == _place(first))):
        return False
    if ended and first.tokens[0].bold and not last.tokens[-1].bold:
        return False  # a run-in heading
    if equation_between:
        return lower or (style.indents and abs(first.x0 - first.left) < 0.5 * first.size)
    if not ended:  # table cells at the top of a page don't continue a sentence
        return lower or not _is_stray(after, reading)
    if lower and not tail.endswith((".", "!", "?")):
        return True
    # After a full last line, a page or column break usually falls inside a paragraph; an interruption within a column
    # falls between paragraphs.
    return _place(last) != _place(first) and _full(last, first)


def to_paragraphs(blocks: list[Block], reading: Reading) -> tuple[Paragraph, ...]:
    """Returns the document's paragraphs in order, without empty ones."""
    paragraphs: list[Paragraph] = []
    for block in blocks:
        paragraph = _paragraph(block, reading, len(paragraphs))
        if paragraph.text:
            paragraphs.append(paragraph)
    return tuple(paragraphs)


def _paragraph(block: Block, reading: Reading, index: int) -> Paragraph:
    said: list[str] = []
    length = 0
    offsets: list[int] = []
    raw: list[str] = []
    raw_length = 0
    words: list[Word] = []
    pending_space = False
    lines = _cell_by_cell(block.lines) if block.kind == "table" else block.lines
    for line_index, line in enumerate(lines):
        for token_index, token in enumerate(line.tokens):
            text, positions = reading.read(token)
            if block.listed and not words and line_index == 0 and token_index == 0 and is_bullet(line):
                text, positions = "", ()  # the bullet is kept in the glyphs only
            at_line_end = token_index == len(line.tokens) - 1 and line_index + 1 < len(lines)
            if pending_space and length:
                said.append(" ")
                length += 1
                offsets.append(raw_length - 1)
            pending_space = True
            if at_line_end:
                following = reading.text(lines[line_index + 1].tokens[0])
                pending_space = _space_after(token.text, text, following)
                if not pending_space and text.endswith(tuple(_HYPHENS)) and reading.joins(text, following):
                    text, positions = text[:-1], positions[:-1]
            said.append(text)
            offsets.extend([raw_length + position for position in positions])
            raw.append(token.text)
            raw_length += len(token.text)
            if text:
                box = _box(line.page, token.x0, token.y0, token.x1, token.y1)
                words.append(Word(length, length + len(text), box))
                length += len(text)
            raw.append("\n" if at_line_end else " ")
            raw_length += 1
    glyphs = "".join(raw)[:-1] if raw else ""
    text = "".join(said).rstrip(" ")
    offsets[len(text) :] = [len(glyphs)]
    kind: ParagraphKind = block.kind  # type: ignore[assignment]
    return Paragraph(
        id=f"p{index:04d}",
        index=index,
        section=block.section,
        kind=kind,
        text=text,
        raw=glyphs,
        offsets=tuple(offsets),
        page=block.page,
        boxes=_boxes(lines),
        words=tuple(words),
    )


def _cell_by_cell(lines: list[Line]) -> list[Line]:
    """Returns a table's lines cell by cell if its sentences run over several lines, otherwise unchanged.

    A row starts where its first cell does, or where cells start in most columns.
    """
    columns: list[list[Line]] = []
    reach = 0.0
    for line in sorted(lines, key=lambda x: x.x0):
        if columns and line.x0 < reach:
            columns[-1].append(line)
        else:
            columns.append([line])
        reach = max(reach, line.x1) if len(columns[-1]) > 1 else line.x1
    within, tops = set(), []
    for column in columns:
        column.sort(key=lambda x: (round(x.base), x.x0))
        for a, b in pairwise(column):
            beside = abs(b.base - a.base) < 2 and id(a) in within
            below = 2 <= b.base - a.base < 1.5 * a.size
            if beside or (below and (a.text.endswith("-") or b.text[:1].islower())):
                within.add(id(b))
    prose = prose_share(" ".join(x.text for x in lines)) > PROSE_SHARE
    if not prose or len(columns) < 2 or len(within) < max(3, 0.3 * len(lines)):
        return lines
    for base in sorted({round(x.base) for x in lines}):
        starts = [next((x for x in column if abs(x.base - base) < 2), None) for column in columns]
        begins = [x is not None and id(x) not in within for x in starts]
        if begins.count(True) == len(starts) - starts.count(None) and (begins[0] or 2 * sum(begins) > len(columns)):
            tops.append(base - 2)
    place = {id(x): number for number, column in enumerate(columns) for x in column}
    return sorted(lines, key=lambda x: (bisect_right(tops, x.base), place[id(x)], round(x.base), x.x0))


def _space_after(glyphs: str, text: str, following: str) -> bool:
    """Returns whether the line break after a word stands for a space."""
    if glyphs.endswith("\u00ad"):
        return False
    if len(text) > 1 and text[-1] in _HYPHENS + "–—/" and text[-2].isalnum() and following[:1].isalnum():
        return False
    return not (
        _ADDRESS.match(text) and text[-1] in "/.-_=&?%:@#~" and (following[:1].isalnum() or following[0] in "/~")
    )


def _boxes(lines: list[Line]) -> tuple[Box, ...]:
    """Returns one rectangle per run of lines in the same column and band of a page."""
    boxes: list[Box] = []
    place: tuple[int, int, int] | None = None
    for line in lines:
        here = (line.page, line.column, line.band)
        box = _box(line.page, line.x0, line.y0, line.x1, line.y1)
        if here == place:
            old = boxes[-1]
            boxes[-1] = Box(
                old.page, min(old.x0, box.x0), min(old.y0, box.y0), max(old.x1, box.x1), max(old.y1, box.y1)
            )
        else:
            boxes.append(box)
        place = here
    return tuple(boxes)


def _box(page: int, x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(page, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
