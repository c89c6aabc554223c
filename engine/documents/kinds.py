"""Sets each block's section and kind: heading, caption, reference, footnote, table, equation, other, or body."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise

from engine.documents.bibliography import TITLE, mark_references
from engine.documents.captions import has_caption_label, join_labels, mark_captions
from engine.documents.glyphs import Reading
from engine.documents.grouping import CAPTION, ENDS_SENTENCE, EQUATION_NUMBER, STATEMENT, Block, Style, mark_parts
from engine.documents.margin_notes import NOTES
from engine.documents.page_text import Line
from engine.documents.prose import PROSE_SHARE, prose_share
from engine.documents.run_in import block_text, mark_by_number, set_levels, set_sections, split_run_in

_FRONT_END = re.compile(
    r"(?:[\divxA-Z]{0,3}[.\s]*)(abstract|a b s t r a c t|summary|synopsis|zusammenfassung|kurzfassung|résumé|abstrait"
    r"|resumen|resumo|riassunto|摘\s?要|概要|要旨)\b\s*[.:—–-]?",
    re.I,
)
_INTRODUCTION = re.compile(
    r"(?:[\divx]{0,3}[.\s]*)(introduction|background|main|einleitung|einführung|introducción|introdução|introduzione"
    r"|引\s?言|绪\s?论|はじめに)\b",
    re.I,
)
_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire|índice|sumário|indice|目\s?录|目\s?次",
    re.I,
)
_NUMBERED = re.compile(r"((?:\d{1,2}|[A-Z])(?:\.\d{1,2}){0,3})\.?\s+(?=\S)")
_ROMAN = re.compile(r"([IVX]{1,5})\.\s+(?=[A-Z])")
_KEYWORDS = re.compile(r"(?:key\s?words|index terms|ccs concepts|general terms)\b", re.I)
_MATH_FONT = re.compile(
    r"cmmi|cmsy|cmex|msbm|msam|math|symbol|stix(?:size|var|int|non)|euler|rsfs|wasy|mtmi|mtsy|mtex|lmmi|lmsy", re.I
)
_MATH_CHARS = set("=+−×÷±∑∏∫∂∇∈∉⊂⊆∪∩≤≥≠≈∼≡→←↔∞√∝∀∃⟨⟩‖|^_{}αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ")
_OPERATORS = frozenset("=∑∏∫∂∇√∞≤≥≈")
_SIZED = re.compile(r"\d+$")
_SPREAD = re.compile(r"[±+−]?\(?\d[\d.,]*\)?")  # "±0.6" in a table
_PART_LABELS = re.compile(r"\([a-z]\)(?: \([a-z]\))*")  # of a figure
_TITLE_WORD = re.compile(r"[\u3040-\u9fff]|[^\W\d_\u3040-\u9fff]{2,}")
_PIECE_TOKENS = 8
_PIECE_WORD = re.compile(r"(?!lim(?:sup|inf)|arg(?:max|min))[^\W\d_]{4}")
"""Four letters in a row, which a piece of a formula doesn't contain, except in a few operators."""
_LONGEST_SENTENCE = 10
"""Most words of a heading that ends like a sentence and is larger than the text."""


def classify(blocks: list[Block], style: Style, reading: Reading, heights: dict[int, float]) -> tuple[list[Block], str]:
    """Sets kind and section of every block and combines tables and equations. Returns the blocks and the title."""
    _mark_numbered_equations(blocks)
    join_labels(blocks, style)
    mark_parts(blocks, _is_paragraph)
    blocks = _gather_tables(blocks)
    blocks = _gather_equations(blocks, style)
    mark_captions(blocks, reading)
    _mark_footnotes(blocks, style, heights)
    blocks = split_run_in(blocks, style)
    title = _mark_headings(blocks, style, reading)
    _mark_front_matter(blocks, reading)
    blocks = mark_references(blocks)
    set_levels([b for b in blocks if b.kind == "heading" and b.level > 0], reading)  # without numbered references
    set_sections(blocks, reading)
    _mark_rest(blocks, style)
    return blocks, title


def _gather_tables(blocks: list[Block]) -> list[Block]:
    """Combines runs of cells, which are blocks beside others in the same column, into tables."""
    regions: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if block.kind == "body" and not has_caption_label(block):
            regions[(block.page, block.first.column, block.first.band)].append(index)
    merged_into: dict[int, int] = {}
    for members in regions.values():
        extents = {i: _extent(blocks[i]) for i in members}
        celled = {i for i in members if not _is_paragraph(blocks[i]) and _has_neighbour(i, members, blocks, extents)}
        run: list[int] = []
        waiting: list[int] = []  # narrow blocks after a cell, part of the table if another cell follows
        for i in [*members, -1]:
            if i in celled:
                run += [*waiting, i]
                waiting = []
            elif i >= 0 and run and _may_be_cell(blocks[i], blocks[(waiting or run)[-1]], run, blocks):
                waiting.append(i)
            else:
                run += [j for j in waiting if _under_a_cell(blocks[j], run, blocks)]
                if len(run) >= 3 and _row_count(blocks, run) >= 2:
                    for j in run:
                        merged_into[j] = run[0]
                run, waiting = [], []
    result: list[Block] = []
    tables: dict[int, Block] = {}
    for index, block in enumerate(blocks):
        target = merged_into.get(index)
        if target is None:
            result.append(block)
        elif target == index:
            table = Block(list(block.lines), kind="table", parts=[block])
            tables[index] = table
            result.append(table)
        else:
            tables[target].lines.extend(block.lines)
            tables[target].parts.append(block)
    return result


_Extent = tuple[float, float, float, float, float]


def _extent(block: Block) -> _Extent:
    """Returns left, top, right, bottom and size of a block."""
    lines = block.lines
    return min(x.x0 for x in lines), block.first.y0, max(x.x1 for x in lines), block.last.y1, block.size


def _is_paragraph(block: Block) -> bool:
    """Returns whether a block is several lines of prose filling the column: no cell, whatever is beside it."""
    room = block.first.right - block.first.left
    filled = sum(line.width > 0.8 * room for line in block.lines)
    return len(block.lines) >= 2 and filled >= 0.4 * len(block.lines) and prose_share(block.text) > PROSE_SHARE


def _has_neighbour(index: int, members: list[int], blocks: list[Block], extents: dict[int, _Extent]) -> bool:
    block, own = blocks[index], extents[index]
    for other_index in members:
        x0, top, x1, bottom, size = extents[other_index]
        if other_index == index or bottom < own[1] - own[4] or top > own[3] + own[4]:
            continue
        for a in block.lines:
            for b in blocks[other_index].lines:
                # A smaller gap separates a footnote's mark and text, or a bold start and the rest of the line.
                apart = (1.6 if a.bold != b.bold else 0.6) * a.size
                if abs(a.base - b.base) < 0.7 * a.size and max(a.x0 - b.x1, b.x0 - a.x1) > apart:
                    return True
        # Multi-line cells centred against each other share no baseline.
        overlap = min(own[3], bottom) - max(own[1], top)
        if overlap > 2 and (own[0] > x1 or x0 > own[2]) and min(own[4], size) > 0.7 * max(own[4], size):
            return True
    return False


def _may_be_cell(block: Block, above: Block, run: list[int], blocks: list[Block]) -> bool:
    room = block.first.right - block.first.left
    if max(line.width for line in block.lines) > 0.6 * room or CAPTION.match(block.text):
        return False
    if block.size > 1.07 * blocks[run[0]].size:
        return False
    return block.first.y0 - above.last.y1 < 4 * block.size


def _under_a_cell(block: Block, run: list[int], blocks: list[Block]) -> bool:
    """Returns whether a block is a single cell in a last row: it starts where a cell above does, not at the margin."""
    inner = block.first.x0 - block.first.left > 2 * block.size
    return inner and any(abs(blocks[j].first.x0 - block.first.x0) < 3 for j in run)


def _row_count(blocks: list[Block], run: list[int]) -> int:
    bases: list[float] = []
    for base in sorted(line.base for i in run for line in blocks[i].lines):
        if not bases or base - bases[-1] > 3:
            bases.append(base)
    return len(bases)


def is_equation(block: Block) -> bool:
    """Returns whether a block is mostly mathematics: fonts, signs and single letters, with hardly any words."""
    tokens = [t for line in block.lines for t in line.tokens]
    if not tokens or len(tokens) > 120 or len(re.findall("[\u3040-\u9fff]", block.text)) > 10:
        return False
    words = [
        t
        for t in tokens
        if re.fullmatch(r"(?:[A-Za-z]{3}|[^\W\d_]{4})[^\W\d_]*[,.;]?", t.text) and not _MATH_FONT.search(t.font)
    ]
    signs = (t for t in tokens if not _SPREAD.fullmatch(t.text))
    marks = sum(any(c in _MATH_CHARS for c in t.text) or bool(_MATH_FONT.search(t.font)) for t in signs)
    full = any(x.right - x.x1 < x.size and x.x0 - x.left < 3.5 * x.size for x in block.lines)  # like running text
    return marks >= max(1, 0.35 * len(tokens)) and len(words) <= (0.15 if full else 0.3) * len(tokens)


def _mark_numbered_equations(blocks: list[Block]) -> None:
    """Marks formulas with a number at the margin, which are certain enough to be marked before table cells."""
    places: dict[tuple[int, int], list[Block]] = defaultdict(list)
    for block in blocks:
        places[(block.page, block.first.column)].append(block)
    for block in blocks:
        last = block.last
        if last.x1 < last.right - 3 or len(block.lines) > 1 or not EQUATION_NUMBER.fullmatch(last.text):
            continue
        block.kind = "equation"
        for other in places[(block.page, block.first.column)]:
            if any(line.y0 < last.y1 and line.y1 > last.y0 for line in other.lines) and is_equation(other):
                other.kind = "equation"


def _mark_pieces(blocks: list[Block]) -> None:
    """Marks numerators, limits and conditions of formulas, and numbers at the left margin: short lines, otherwise off
    both margins, at the height of a nearby formula. As text they would split a sentence or join paragraphs."""
    for index, block in enumerate(blocks):
        reach = _reach_of_piece(block.first) if block.kind == "body" and len(block.lines) == 1 else None
        if reach is None:
            continue
        line = block.first
        for other in blocks[max(index - 3, 0) : index + 4]:
            if other.kind == "equation" and any(
                (x.page, x.column) == (line.page, line.column) and x.y0 < line.y1 + reach and x.y1 > line.y0 - reach
                for x in other.lines
            ):
                block.kind = "equation"


def _reach_of_piece(line: Line) -> float | None:
    """Returns how far above or below a line its formula may end (points); None if it isn't a piece of one."""
    before, behind = line.x0 - line.left, line.right - line.x1
    if len(line.tokens) > _PIECE_TOKENS:
        return None
    if EQUATION_NUMBER.fullmatch(line.text) and abs(before) < line.size:
        return 0.3 * line.size
    if min(before, behind) <= line.size:
        return None
    if not _PIECE_WORD.search(line.text):
        return 0.3 * line.size
    condition = abs(before - behind) < 2 * line.size and any(c in _MATH_CHARS for c in line.text)  # "such that p > 0"
    return line.size if condition else None


def _starts_with_number(block: Block) -> bool:
    """Returns whether a block is a formula with its number in front: "(3) D = sum(G)"."""
    numbered = len(block.lines) == 1 and EQUATION_NUMBER.fullmatch(block.first.tokens[0].text)
    return bool(numbered and _OPERATORS & set(block.text)) and not re.search(r"[^\W\d_]{5}", block.text)


def _gather_equations(blocks: list[Block], style: Style) -> list[Block]:
    for block in blocks:
        if block.kind in ("body", "table") and (is_equation(block) or _starts_with_number(block)):
            block.kind = "equation"
    _mark_pieces(blocks)
    result: list[Block] = []
    for block in blocks:
        if block.kind == "equation":
            previous = result[-1] if result else None
            if (
                previous is not None
                and previous.kind == "equation"
                and previous.page == block.page
                and previous.first.column == block.first.column
                and block.first.y0 - previous.last.y1 < 2 * style.size
            ):
                previous.lines.extend(block.lines)
                continue
        result.append(block)
    return result


def _mark_footnotes(blocks: list[Block], style: Style, heights: dict[int, float]) -> None:
    by_column: dict[tuple[int, int], list[Block]] = defaultdict(list)
    for block in blocks:
        by_column[(block.page, block.first.column)].append(block)
    # All of an appendix may be small, unlike what is below the tables on a page of these, or in a list of references.
    large = {
        b.page
        for b in blocks
        if (b.size > 0.93 * style.size and b.letters > 60) or b.kind == "caption" or re.match(r"\[\d", b.text)
    }
    for (page, _), members in by_column.items():
        for block in reversed(members):
            small = page in large and block.size <= 0.93 * style.size and block.first.y0 > 0.5 * heights[page]
            if block.kind == "body" and (small or block.first.column == NOTES):
                block.kind = "footnote"
            elif block.kind != "footnote" and block.first.column != NOTES:
                break


def _mark_headings(blocks: list[Block], style: Style, reading: Reading) -> str:
    title, goes_on = "", False
    first_page = [b for b in blocks if b.page == blocks[0].page] if blocks else []
    sizes = [(b.size, len(_TITLE_WORD.findall(b.text)) > 2) for b in first_page if b.kind == "body"]
    biggest = max((size for size, worded in sizes if worded and size > 1.4 * style.size), default=0.0)
    biggest = biggest or max((size for size, _ in sizes), default=0.0)
    for index, block in enumerate(blocks):
        if block.kind != "body":
            continue
        text = block_text(block, reading)
        largest = block in first_page and block.size == biggest and biggest > 1.15 * style.size
        if not title and largest and not _CONTENTS.fullmatch(text):
            block.kind, title, goes_on = "heading", text, True
            block.level = -1
            continue
        if block in first_page and block.size > biggest:
            block.kind = "other"  # the journal's logo, or the kind of article
            continue
        goes_on = goes_on and block in first_page and block.size == biggest
        if goes_on:
            title += f" {text}"
        if index + 1 < len(blocks) and _is_heading(block, text, style, _opens(blocks, index, style)):
            block.kind = "heading"
    title = title or _bold_title(first_page, reading)
    mark_by_number(blocks)
    _join_headings(blocks, reading, style)
    set_levels([b for b in blocks if b.kind == "heading" and b.level == 0], reading)
    return title


def _bold_title(first_page: list[Block], reading: Reading) -> str:
    """Marks and returns a manuscript's title in the size of the text: bold, above short lines."""
    for block, following in pairwise(first_page[:6]):
        text = block_text(block, reading)
        if _FRONT_END.match(text) or _INTRODUCTION.match(text) or _NUMBERED.match(text):
            break
        worded = len(text) < 300 and len(_TITLE_WORD.findall(text)) > 3
        if block.kind in ("body", "heading") and block.bold and worded and following.letters < 200:
            block.kind, block.level = "heading", -1
            return text
    return ""


def _join_headings(blocks: list[Block], reading: Reading, style: Style) -> None:
    """Joins the lines of one heading that were split because they are centred or hang under their first word."""
    for index in range(len(blocks) - 1, 0, -1):
        above, block = blocks[index - 1 : index + 1]
        alike = all(
            (line.size, line.font, line.bold) == (block.first.size, block.first.font, block.first.bold)
            and (line.page, line.column) == (block.page, block.first.column)
            for line in above.lines
        )
        text = block_text(block, reading)
        hangs = block.kind == "heading" and abs(above.first.x0 - block.first.x0) > 1
        if (
            above.kind == "heading"
            and (hangs or (block.kind == "body" and len(block.lines) == 1 and text[:1].islower()))
            and above.level == block.level == 0
            and alike
            and 0 < block.first.base - above.last.base < 1.3 * style.line_gap(block.size)
            and not (_NUMBERED.match(text) or _ROMAN.match(text))
        ):
            above.lines.extend(block.lines)
            del blocks[index]


def _opens(blocks: list[Block], index: int, style: Style) -> bool:
    """Returns whether a block is apart from what is above, and text or another heading follows directly below."""
    block, following = blocks[index], blocks[index + 1]
    above = blocks[index - 1] if index else None
    apart = (
        above is None
        or (above.page, above.last.column) != (block.page, block.first.column)
        or above.kind != "body"
        or block.first.base - above.last.base > 1.2 * max(style.line_gap(block.size), style.line_gap(above.size))
    )
    if (following.page, following.first.column) != (block.page, block.last.column):
        return apart and following.kind == "body" and following.letters > 60
    near = 0 < following.first.base - block.last.base < 3 * max(style.line_gap(style.size), style.line_gap(block.size))
    # Directly above a formula is the sentence leading to it, in italics within a theorem.
    return (
        apart
        and near
        and following.kind not in ("caption", "equation")
        and abs(following.size - style.size) < 0.2 * style.size
    )


def _is_heading(block: Block, text: str, style: Style, opens: bool) -> bool:
    if len(block.lines) > 4 or len(text) > 220 or not re.search(r"[^\W\d_]{2}|a b s t r a c t", text, re.I):
        return False
    if _KEYWORDS.match(text) and len(text.split()) > 2:
        return False
    larger = block.size > 1.07 * style.size
    if block.size < style.size and not block.bold and re.search(r"[a-z]{3}", text) and _small_print(block, style):
        return False
    numbered = bool(_NUMBERED.match(text) or _ROMAN.match(text))
    if _OPERATORS & set(text) and not numbered and not re.search(r"[^\W\d_]{4}", text):
        return False  # a piece of a formula, whose large signs have a heading's size
    distinct = all(line.italic or line.font != style.font for line in block.lines) and not any(
        _MATH_FONT.search(line.font) or (line.font in style.fixed and not numbered) for line in block.lines
    )
    if text.rstrip().endswith((".", ",", ";")) and not (
        (larger and len(text.split()) <= _LONGEST_SENTENCE)
        or (numbered and len(block.lines) == 1 and (block.bold or (opens and distinct)))
    ):
        return False
    apart = opens and (block.bold or distinct)
    named = bool(TITLE.fullmatch(text) or _FRONT_END.fullmatch(text))
    if (block.size < (0.8 if apart else 0.93) * style.size and not named) or (re.match(r"[a-z]", text) and not apart):
        return False
    if larger or block.bold:
        return True
    short = len(block.lines) == 1 and block.first.width < 0.75 * (block.first.right - block.first.left)
    if not short and (STATEMENT.match(text) or (len(block.lines) > 1 and re.match(r"[a-z]", text))):
        return False  # a theorem in italics, or its continuation
    capitals = len(re.findall(r"[A-Z]", text)) > max(4, 4 * len(re.findall(r"[a-z]", text)))
    if (short and (named or (numbered and distinct) or capitals)) or (capitals and numbered and opens):
        return True
    return opens and distinct and bool(re.search(r"[^\W\d_]{4}", text)) and (numbered or short or not block.listed)


def _small_print(block: Block, style: Style) -> bool:
    """Returns whether a block has the body's font designed for another size ("CMR10" for "CMR12")."""
    fonts = {_SIZED.sub("", token.font) for line in block.lines for token in line.tokens}
    return fonts == {_SIZED.sub("", style.font)}


def _mark_front_matter(blocks: list[Block], reading: Reading) -> None:
    end = introduction = None
    for index, block in enumerate(blocks):
        if block.page > blocks[0].page + 4:
            break
        text = block_text(block, reading)
        if end is None and _FRONT_END.match(text) and (block.kind == "heading" or len(block.lines) > 1):
            end = index
        if introduction is None and block.kind == "heading" and _INTRODUCTION.match(text):
            introduction = index
    stop = end if end is not None else introduction
    for index, block in enumerate(blocks):
        text = block_text(block, reading)
        if (
            stop is not None
            and index < stop
            and block.level >= 0
            and block.kind in ("body", "heading", "equation", "table")
        ):
            long_prose = block.letters > 400 and prose_share(text) > PROSE_SHARE
            if end is not None or not long_prose:
                block.kind = "other"
        elif block.kind == "body" and _KEYWORDS.match(text):
            block.kind = "other"


def _mark_rest(blocks: list[Block], style: Style) -> None:
    """Marks as "other" what is neither in the body's style nor prose, numbers alone, rows of contents, and tables of
    figures."""
    for index, block in enumerate(blocks):
        if block.kind == "table":
            sides = blocks[:index][::-1], blocks[index + 1 :]
            captions = [b for side in sides for b in islice(_captions_beside(side, block.page), 2)]
            if captions and all(re.match(r"\W*fig", b.text, re.I) for b in captions) and not CAPTION.match(block.text):
                block.kind = "other"  # the labels in a figure
            continue
        if block.kind != "body":
            continue
        usual = abs(block.size - style.size) <= 0.07 * style.size
        prose = prose_share(block.text)
        label = block.letters < 60 and prose == 0 and not ENDS_SENTENCE.search(block.text)
        contents_row = bool(re.search(r"(?:\.\s?){6,}\s*\d*$", block.first.text))
        if (
            (not usual and (block.letters < 80 or prose < PROSE_SHARE))
            or (label and block.first.font != style.font)
            or not re.search(r"[^\W\d_]|[.)\]]$", block.text)
            or _PART_LABELS.fullmatch(block.text)
            or contents_row
        ):
            block.kind = "other"


def _captions_beside(blocks: list[Block], page: int) -> Iterator[Block]:
    """Yields the captions among the first of the blocks: up to a heading, another page or a second paragraph."""
    paragraphs = 0
    for block in blocks:
        if block.page != page or block.kind == "heading" or paragraphs == 2:
            return
        if block.kind == "caption":
            yield block
        paragraphs += block.kind == "body" and block.letters >= 60 and prose_share(block.text) > 0
