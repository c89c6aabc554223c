"""Finds captions by their labels, and joins labels with lines of their own to the text."""

import re
from itertools import pairwise

from engine.documents.glyphs import Reading
from engine.documents.grouping import CAPTION, Block, Style
from engine.documents.run_in import block_text

_LABEL = re.compile(
    r"(?P<numbered>(?:figur[ea]|fig\.?|tab(?:leau|le|l?a|ell?[ae]?)|abbildung)\s+(?:SI\s|[A-Z]{0,2}\.?)\d)"
    r"|(?:figure|fig\.?|table|algorithm|listing|scheme)\s+(?:[A-Z]{0,2}[.-]?\d|[IVXL]+\b|[A-Z]\b)",
    re.I,
)


def mark_captions(blocks: list[Block], reading: Reading) -> None:
    for block in blocks:
        if block.kind != "body":
            continue
        if CAPTION.match(block_text(block, reading)) or has_caption_label(block):
            block.kind = "caption"


def join_labels(blocks: list[Block], style: Style) -> None:
    """Joins a caption's text to its label, which has a line to itself or is beside the text."""
    for index in range(len(blocks) - 1, 0, -1):
        label, block = blocks[index - 1 : index + 1]
        line, usual = block.first, style.line_gap(block.size)
        drop = line.base - label.last.base
        if (
            block.kind == "body"
            and CAPTION.fullmatch(label.text)
            and (label.page, label.last.column) == (block.page, line.column)
            and (drop < 2.3 * usual if drop > 0 else drop > -2 and line.x0 > label.last.x1)
            and (drop < 1.6 * usual or (block.size, line.font) != (style.size, style.font))
            and len(re.findall(r"[^\W\d_]{3,}", block.text)) > 2
            and not any(b.x0 - a.x1 > 1.5 * b.size for x in block.lines for a, b in pairwise(x.tokens))
        ):
            label.kind = "caption"
            label.lines.extend(block.lines)
            del blocks[index]


def has_caption_label(block: Block) -> bool:
    """Returns whether a block starts with a bold "Table 3", or a bold label on a line ending in another weight. Any
    other font for the number and the word before it may be bold without being named so."""
    bold, label = [token.bold for token in block.first.tokens], _LABEL.match(block.text)
    if label is None:
        return False
    fonts = [token.font for token in block.first.tokens[:3]]
    apart = len(fonts) == 3 and fonts[0] == fonts[1] != fonts[2] and block.first.tokens[2].text[0].isupper()
    return (bold[:2] == [True, True] and (not bold[-1] or bool(label["numbered"]))) or (
        apart and bool(label["numbered"]) and block.first.tokens[1].text.isalnum()
    )
