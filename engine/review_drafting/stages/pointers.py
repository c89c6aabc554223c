"""How a paper's own text points at its tables and figures, and the words of measures; shared by the checks."""

from __future__ import annotations

import re

MEASURE = (
    r"accurac|auroc|\bauc\b|f-?1|precision|recall|sensitivit|specificit|bleu|rouge|perplexity|\brmse\b|\bmse\b|\bmae\b"
    r"|error|correlation|\br2\b|ndcg|\bmrr\b|\bmap\b|iou|psnr|ssim|\bfid\b|\bwer\b|score|performance|loss"
)
"""A pattern of words that name what is measured."""
POINTER = re.compile(
    r"(?<![\w])(?P<kind>Tables?|Figures?|Figs?\.?)\s*(?P<numbers>\d{1,2}(?![\d.%])[A-Za-z]?"
    r"(?:\s*(?:,|and|&|-|–|to)\s*\d{1,2}(?![\d.%])[A-Za-z]?)*)"
)
"""Tables and figures that a sentence points at: ``kind``, and ``numbers`` as they stand there."""


def numbered(text: str) -> list[int]:
    """ "1, 2 and 4-6" as its numbers; an interval of more than ten is none."""
    pieces = re.findall(r"\d+|-|–|to", text)
    found: list[int] = []
    for place, piece in enumerate(pieces):
        if piece.isdigit():
            found.append(int(piece))
        elif 0 < place < len(pieces) - 1 and pieces[place + 1].isdigit() and found:
            last = int(pieces[place + 1])
            if 0 < last - found[-1] <= 10:
                found.extend(range(found[-1] + 1, last))
    return found
