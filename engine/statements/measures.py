"""Determines from the words around a measure whether higher or lower values are better."""

import re
from typing import Literal

Better = Literal["higher", "lower"]

_HIGHER = re.compile(
    r"↑|(?<!negative )log[- ]likelihood"
    r"|\brand index|\b[rp]@\d|\bri\b|\bari\b|\bnmi\b|\bf[- ](?:measure|score)"
    r"|\bpass ?@|accurac|\bacc\b|auroc|\bauc|auprc|f-?1\b|precision|recall|sensitivit|specificit|bleu|rouge|meteor|ndcg"
    r"|\bmrr\b|\bmap\b|\bm?iou\b|\bdice\b|psnr|ssim|kappa|exact match|\bem\b|r2\b|correlation|hits@|spearman|pearson"
    r"|\blas\b|\buas\b|cider|spice|\bsuccess\b|\bscores?\b|throughput|speed-?up|agreement|\brating",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"↓|variation of information|\bvoi\b|negative log|\bnll\b|error"
    r"|\bloss\b|perplexity|\bppl\b|\bperp\b|\brmse\b|\bmse\b|\bmae\b|\bfid\b|\bwer\b|\bcer\b|\b(?:run)?time\b|latency|duration|memory"
    r"|parameters|params|flops|\bcosts?\b|\brank\b|distance|\bter\b|\beer\b",
    re.IGNORECASE,
)


def better_values(*texts: str) -> Better | None:
    """Returns which values are better, by the first text that says so ("Accuracy ↑", "RMSE"); None if none does."""
    for words in texts:
        up, down = bool(_HIGHER.search(words)), bool(_LOWER.search(words))
        if up != down:
            return "higher" if up else "lower"
    return None
