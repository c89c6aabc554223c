"""Shared by the checks of a paper: references to tables and figures, words for measures, findings.

A check reports something that a reader can look up, with its place. A finding is ``certain`` if the paper contradicts
itself; otherwise it is a question. New checks should prefer missing a finding: a false alarm costs a reviewer more.
"""

import re

from engine.review_drafting.records import Anchor, Check, CheckName

MEASURE = (
    r"accurac|auroc|\bauc\b|f-?1|precision|recall|sensitivit|specificit|bleu|rouge|perplexity|\brmse\b|\bmse\b|\bmae\b"
    r"|error|correlation|\br2\b|ndcg|\bmrr\b|\bmap\b|iou|psnr|ssim|\bfid\b|\bwer\b|score|performance|loss"
)
"""A pattern of words that name what is measured."""


def numbered(text: str) -> list[int]:
    """Returns the numbers in a text such as "1, 2 and 4-6"; ranges of more than ten aren't expanded."""
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


def finding(name: CheckName, text: str, suggestion: str, *anchors: Anchor, certain: bool = False) -> Check:
    """Returns a finding: a sentence, and what to do about it."""
    return Check(name=name, text=text, suggestion=suggestion, certain=certain, anchors=anchors)
