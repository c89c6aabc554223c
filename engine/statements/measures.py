"""Determines from the words around a measure whether higher or lower values are better."""

import re
from collections.abc import Sequence
from typing import Literal

Better = Literal["higher", "lower"]

_HIGHER = re.compile(
    r"↑|(?<!negative )log[- ]likelihood"
    r"|\brand index|\b[rp]@\d|\bri\b|\bari\b|\bnmi\b|\bf[- ](?:measure|score)"
    r"|\bpass ?@|accurac|\bacc\b|auroc|\bauc|auprc?\b|f-?1\b|precision|recall|sensitivit|specificit|bleu|rouge|meteor"
    r"|ndcg|\bmrr\b|\bmap\b|\bm?iou\b|\bdice\b|psnr|ssim|kappa|exact match|\bem\b|r2\b|correlation|hits@|spearman"
    r"|pearson|\blas\b|\buas\b|cider|spice|chrf|bertscore|\bmcc\b|matthews|jaccard|\bsuccess\b|\bscores?\b|throughput|speed-?up|agreement|\brating",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"↓|variation of information|\bvoi\b|negative log|\bnll\b|error"
    r"|\bloss\b|perplexity|\bppl\b|\bperp\b|\b(?:n?r?mss?l?e|rsme|mae|mase|s?mape|aicc?|bic)\b"
    r"|\bfid\b|\bwer\b|\bcer\b|\b(?:run)?time\b|latency|duration|memory"
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


def better_of(values: Sequence[float], bold: Sequence[float], words: str) -> tuple[int, Better] | None:
    """Returns which values of a column or row are better, and the certainty: 3 from an arrow, 2 from its bold values, 1
    from words."""
    if "↑" in words or "↓" in words:
        return 3, "higher" if "↑" in words else "lower"
    if len(values) > 2 and 0 < 2 * len(bold) < len(values) and min(values) < max(values):
        if {*bold} == {max(values)}:
            return 2, "higher"
        if {*bold} == {min(values)}:
            return 2, "lower"
    said = better_values(words)
    return (1, said) if said else None


_MEASURES = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "accuracy": r"accurac|\bacc\b",
        "F1": r"\bf(?:-?1)?\b",
        "recall": r"\brec(?:all)?\b",
        "precision": r"\bprec(?:ision)?\b",
        "BLEU": r"\bbleu\b",
        "ROUGE": r"\brouge",
        "perplexity": r"perplexit|\bppl\b",
        "AUC": r"\bau(?:roc|prc?|c)\b|\bauc-",
        "an error": r"\berrors?\b|\b(?:r?mse|mae|wer|cer)\b",
        "a time": r"\b(?:run)?time\b|latenc|duration|\b(?:milli)?seconds\b|\bminutes\b|\bhours\b",
    }.items()
}


def foreign_measure(statement: str, table: str) -> str:
    """Returns a measure that a statement names although the table's words name only others; "" if there is none."""
    said, there = ({name for name, words in _MEASURES.items() if words.search(text)} for text in (statement, table))
    return min(said) if said and there and not said & there else ""
