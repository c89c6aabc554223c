"""Which group of the list an edit belongs to: running text, or one of the kinds of changes that are folded by default.

The kinds that the parser gave to paragraphs decide first; where they say "body" or "other", the words do, since a
reference list, a formula or a table can be read as running text in one version and not in the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from engine.documents.records import Paragraph
from engine.revision.records import EditGroup
from engine.revision.words import CITATION, NUMBER

_BY_KIND: dict[str, EditGroup] = {
    "caption": "captions",
    "table": "tables",
    "equation": "mathematics",
    "code": "code",
    "reference": "references",
}
_CAPTION = re.compile(
    r"(?:(?:Supplementary|Supporting|Extended Data|Appendix|S\d+)\s+)?(?:Fig(?:ure)?|Table|Tab|Algorithm|Listing|Scheme|Box)"
    r"\b\.?\s*[A-Z]{0,2}\d*(?:[.-]\d+)*[a-z]?\s*[:.|–—]\s|S\d+\s+(?:Fig|Table|Text|File)\b",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"\S+@\S+\.\w|\bORCID\b|\bE-?mail\b|Corresponding author", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:Universit\w+|Department|Institute?|Laborator\w+|School|Faculty|Centre|Center|Hospital|College)\b"
)
_ENTRY_START = re.compile(
    r"\s*(?:\[[\w+-]{1,12}\]|\(?\d{1,3}[.)]?\s)?\s*(?:[A-Z][\w’'-]+,? (?:[A-Z]\.|[A-Z]{1,3}\b)|[A-Z]\. ?[A-Z-])"
)
_ENTRY_SIGNS = re.compile(
    r"\bdoi\b|https?://|arXiv|\bpp?\. ?\d|\bvol\.|\bIn:? (?:Proc|Advances|[A-Z]\w+ed)|\bet al\b|\b\d+ ?\(\d+\)|"
    r"\b\d{1,4}[:,] ?[A-Z]?\d+\s?[-–]\s?[A-Z]?\d+|\bPress\b|\bJournal\b|\bTrans\b|\bProceedings\b|\bURL\b|\bISBN\b|\bPhD thesis\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d[a-z]?\b")
_CODE_SIGN = re.compile(
    r"[{};]|->|=>|::|==|:=|<-|\+\+|\(\)|\b(?:def|return|class|import|instance|where|if|else|for|end)\b|[a-z]_[a-z]"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTIONS = frozenset(
    {"exp", "log", "sin", "cos", "tan", "max", "min", "arg", "sup", "inf", "lim", "det", "var", "cov", "diag", "with"}
)
_MATHEMATICAL = re.compile(r"[=<>≤≥≠≈±×÷∈∉⊂⊆∪∩∑∏∫√∞∂∇→←↔∥|+\u0370-\u03ff\ue000-\uf8ff\U0001d400-\U0001d7ff]")

FEW_WORDS = 3
"""What has fewer words of three letters or more is no running text: labels, numbers, pieces of formulas."""


def group_of_edit(
    source: Sequence[Paragraph],
    target: Sequence[Paragraph],
    front: Collection[int],
    removed: Sequence[str],
    added: Sequence[str],
) -> EditGroup:
    """The group of an edit; ``front`` are paragraphs (by ``id()``) before the first running text, ``removed`` and ``added``
    the keys of the words that changed.
    """
    weights: Counter[EditGroup] = Counter()
    for paragraph in (*source, *target):
        weights[_group_of_paragraph(paragraph, id(paragraph) in front)] += len(paragraph.text)
    group = weights.most_common(1)[0][0]
    if group == "text" and source and target and (removed or added):
        return _group_of_words([*removed, *added])
    return group


def _group_of_words(changed: Sequence[str]) -> EditGroup:
    """An edit of running text in which only citations or formulas changed is one of these."""
    left = [key for key in changed if not key.startswith(CITATION)]
    if not left:
        return "references"
    if all(_in_formula(key) for key in left) and any(not key[0].isdecimal() and key != NUMBER for key in left):
        return "mathematics"
    return "text"


def _in_formula(key: str) -> bool:
    return (
        bool(_MATHEMATICAL.search(key))
        or (key not in ("a", "A", "I") and not _WORD.search(key) and key != "%" and len(key) < 3)
        or key in _FUNCTIONS
    )


def _group_of_paragraph(paragraph: Paragraph, front: bool) -> EditGroup:
    text, kind = paragraph.text, paragraph.kind
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if front and (kind in ("other", "footnote") or _EMAIL.search(text) or len(_PLACE.findall(text)) > 1):
        return "authors"
    if _CAPTION.match(text):
        return "captions"
    if looks_like_reference(text):
        return "references"
    words = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    signs = len(_CODE_SIGN.findall(text))
    if signs > 3 and signs > 0.3 * len(words):
        return "code"
    tokens = len(text.split())
    if len(words) < 0.3 * tokens:
        return "mathematics" if _MATHEMATICAL.search(text) else "tables" if kind == "other" else "other"
    if kind == "other" or len(words) < FEW_WORDS:
        return "mathematics" if "=" in text else "other"
    return "text"


def looks_like_reference(text: str) -> bool:
    """Whether a paragraph reads like an entry of a reference list: names first, a year, and what entries have."""
    if len(text) > 1200 or not _ENTRY_START.match(text) or not _YEAR.search(text):
        return False
    return len(_ENTRY_SIGNS.findall(text)) >= (1 if len(text) < 400 else 2)
