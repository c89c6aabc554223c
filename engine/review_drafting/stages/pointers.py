"""What the checks of a paper share: how its text points at tables and figures, the words of measures, their findings.

A check finds something that a reader can look up, and says where. A finding is ``certain`` where the paper contradicts
itself; else it is something to ask. A check that is added should prefer silence: a false alarm costs a reviewer more
than a finding that is missed.
"""

import re

from engine.review_drafting.records import Anchor, Check, CheckName

MEASURE = (
    r"accurac|auroc|\bauc\b|f-?1|precision|recall|sensitivit|specificit|bleu|rouge|perplexity|\brmse\b|\bmse\b|\bmae\b"
    r"|error|correlation|\br2\b|ndcg|\bmrr\b|\bmap\b|iou|psnr|ssim|\bfid\b|\bwer\b|score|performance|loss"
)
"""A pattern of words that name what is measured."""


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


def finding(name: CheckName, text: str, suggestion: str, *anchors: Anchor, certain: bool = False) -> Check:
    """What a check found, in a sentence, and what to do about it."""
    return Check(name=name, text=text, suggestion=suggestion, certain=certain, anchors=anchors)
