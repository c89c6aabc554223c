"""Counts words as an editor would: differences of typesetting and automatic changes don't count.

A text is split into tokens that tile it. Tokens with equal keys have the same content. Keys ignore ligatures,
typographic quotes and dashes, soft hyphens and white space, and automatic numbers: citation numbers and those of
figures, tables, equations, sections and list items.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import NamedTuple

CITATION = "¤"
"""The key of one citation marker. ``[3–5]`` are three."""

NUMBER = "№"
"""The key of a number after "Figure", "Table", "Section" and the like."""

SPACE = " "

STOP_WORDS = frozenset(
    [
        "a", "about", "above", "after", "again", "all", "also", "an", "and", "any", "are", "as", "at", "be",
        "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "did",
        "do", "does", "doing", "down", "during", "each", "few", "for", "further", "from", "had", "has", "have",
        "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
        "itself", "just", "may", "me", "might", "more", "most", "must", "my", "no", "nor", "not", "now", "of",
        "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "same", "she", "should", "so",
        "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
        "those", "through", "to", "too", "under", "until", "up", "upon", "very", "was", "we", "were", "what",
        "when", "where", "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
        "paper", "author", "authors", "reviewer", "reviewers", "comment", "comments", "thank", "please",
        "section", "manuscript",
    ]
)  # fmt: skip
"""English function words, and words that occur in almost every comment and reply."""

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_TRANSLATION = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "`": "'", "´": "'",
        "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "﹣": "-", "-": "-",
        "∼": "~", "˜": "~", "∗": "*", "⁄": "/", "∕": "/", "⋅": "·", "∙": "·", "µ": "μ",
        **dict.fromkeys(_INVISIBLE, ""),
    }
)  # fmt: skip

_SPELLED_OUT = {"''": '"', "..": "...", "....": "..."}

_RANGE_LIMIT = 200  # "[6–9]" are four citations; a longer range is more likely an interval of numbers

# [12], [1, 2], [6–9], and a superscript glued to the end of a sentence or clause: "cells.12,13 The"
_BRACKETED = re.compile(r"\[\s*\d{1,4}(?:\s*[,;\-–—]\s*\d{1,4})*\s*\]")
_WITH_PLACE = re.compile(  # [12, Thm. 4]
    r"(?<=\[)\d{1,4}(?=,\s?(?:Thm|Theorem|Lem|Prop|Cor|Def|Sec|Ch|Eq|Fig|Tab|App|Alg|p(?:ages?|p?\.)|§)[^\[\]]{0,30}\])"
)
_SUPERSCRIPT = re.compile(
    r"(?:(?<=[^\W\d_]{3}[.,;:])|(?<=[^\W\d_]\)[.,;:])|(?<=\bal\.))\d{1,3}(?:[,\-–]\d{1,3})*(?=\s|$)"
)
_BY_NUMBER = re.compile(r"\bRefs?\.\s?(?P<numbers>\d{1,3}(?:(?:\s?[,–-]\s?|,? and )\d{1,3})*)\b(?!\.\d)")
_NAME = r"(?:[A-Z][\w’'.-]*|v[ao]n|de[nrl]?|l[ae]|d[iu]|et|al\.?|and|&)"
_PUBLISHED = r"(?:(?:1[89]|20)\d\d[a-z]?|in press|n\.d\.)"
_WORK = rf"(?:{_NAME}(?:[\s,:]+{_NAME})*[\s,]+)?{_PUBLISHED}(?:,\s?(?:{_PUBLISHED}|[a-z]\b))*"
_LEAD = r"(?:(?:e\.g\.,?|see(?: also)?,?|cf\.,?|i\.e\.,?)\s+)?"
_BY_AUTHOR = re.compile(rf"(?:[(\[]{_LEAD}|(?<=\bsee )|(?<=\bsee, )){_WORK}(?:[;,]\s*{_WORK})*[)\]]")
"""(Smith et al., 2010; Li and Wu 2011a, b), also after "for a review see", and (2010) after a name."""
_IN_TEXT = re.compile(
    rf"\b[A-Z][\w’'-]+(?:\s+Collaboration)?(?:\s+(?:and|&)\s+[A-Z][\w’'-]+|,?\s+et\s+al\.?)?\s*"
    rf"[(\[](?P<years>{_PUBLISHED}(?:[,;]\s?(?:{_PUBLISHED}|[a-z]\b))*)[)\]]"
)
"""Smith et al. (2010)"""
_YEAR = re.compile(rf"{_PUBLISHED}|(?<=, )[a-z](?=[,;)\]])")
_UNRESOLVED = re.compile(rf"[(\[]{_LEAD}\?+(?:\s*[,;]\s*\?+)*[)\]]|(?<=\w )\?+(?=[,;.]|\s+[a-z(])|(?<=\bsee )\?+(?=\))")
_GLUED = re.compile(
    r"(?:(?<!\w)(?:[a-z]{3,}|(?:[A-Z][a-z]{2,}|[A-Z]{3,})(?=\d\d)|as|by|in|is|of|on|to)|\)|[^\W\d_][.,;:]{1,2})"
    r"(?P<numbers>\d{1,3}(?:[,\-–]\d{1,3})*)(?!\w|\.\d)"
)
_GLUED_LIST = re.compile(r"[a-z]{3}\d{1,3}(?:[,–]\d{1,3})+(?!\w|\.\d)")
_SIGNS_OF_RAISED = 3
_AUTOMATIC = r"(?:\?\?|(?:[A-Z]?\d+(?:\.\d+)*[A-Za-z]?|(?-i:[IVXL]+))\b)"  # ?? is an unresolved LaTeX reference
_LABELLED = re.compile(
    r"(?P<label>\b(?:Fig(?:ure)?s?\.?|Tabs?\.|Tables?|Sec(?:tion)?s?\.?|Eqs?\.|Eqns?\.?|Equations?|Algorithms?|"
    r"Alg\.|Listings?|Theorems?|Lemmas?|Propositions?|Corollar(?:y|ies)|Definitions?|Assumptions?|Remarks?|Examples?|"
    r"Claims?|Appendix|Appendices|Panels?|Box|Footnotes?|Lines?|Supp(?:lementary|\.)?"
    r"\s+(?:Fig(?:ure)?s?\.?|Tables?|Notes?|Files?|Data|Text|Section))|§+)\s*"
    rf"(?P<numbers>\(?{_AUTOMATIC}\)?(?:\s*(?:,|–|-|&|and|to)\s*\(?{_AUTOMATIC}\)?)*)",
    re.IGNORECASE,
)
_LABELS = {"fig": "figure", "tab": "table", "eq": "equation", "sec": "section", "§": "section"}
_EQUATION_NUMBER = re.compile(r"(?:(?<=[a-z,;:] )|(?<= )(?=\(\w{1,4}\)$))\((?P<numbers>(?:[A-Z]\.?)?\d{1,3})\)")
_ABSTRACT = re.compile(r"\s*Abstract\s*[—–:.-]+", re.IGNORECASE)
_LEADING = re.compile(r"\s*(?:\d{1,3}(?=\s*[A-Z][a-z])|\(?(?:\d{1,3}|[a-z])[.)](?=\s))")
"""The number of a line, a formula, a section, a footnote or a list item."""
_RAISED_MARK = re.compile(
    r"(?:(?<=[a-z]{2})|(?<=[)\],;:”])|(?<=[^\W\d][.]))\d{1,2}(?!\w|\.\d)|(?<=[^\W\d][.”)])\s\d{1,2}(?=\s+[A-Z]|\s*$)"
)
_DIGITS = re.compile(r"\?\?|\d+(?:\.\d+)*|\b[IVXL]+\b")
_WORD_OR_SIGN = re.compile(
    r"[-‐-―−]{2,}|\.{2,}|[`'´‘’]{2}|"
    rf"\d+(?:[.,]\d+)*(?![\w{_INVISIBLE}])|[\w{_INVISIBLE}]+(?:['’][\w{_INVISIBLE}]+)*|[^\w\s{_INVISIBLE}]"
)
_TOKEN = re.compile(rf"\s+|{_WORD_OR_SIGN.pattern}")


class Token(NamedTuple):
    """A token of a text: its [start, end) code points, and its key (the key of white space is one space)."""

    start: int
    end: int
    key: str


def tokens(text: str) -> tuple[Token, ...]:
    """Returns the tokens of ``text``, in order, without gaps or overlaps: words, numbers, white space, single signs.

    A citation group such as ``[6–9]`` is one token whose key contains one ``¤`` per cited work.
    """
    found: list[Token] = []
    at = 0
    for start, end, key in _automatic_numbers(text):
        if start < at:
            continue
        found.extend(_plain_tokens(text, at, start))
        found.append(Token(start, end, key))
        at = end
    found.extend(_plain_tokens(text, at, len(text)))
    return tuple(found)


def cites_by_raised_numbers(texts: Iterable[str]) -> bool:
    """Returns whether a paper cites by superscript numbers: lists of numbers directly after words, more often than in
    brackets."""
    behind = bracketed = 0
    for text in texts:
        behind += sum(1 for _ in _GLUED_LIST.finditer(text)) + sum(1 for _ in _SUPERSCRIPT.finditer(text))
        bracketed += sum(1 for _ in _BRACKETED.finditer(text))
    return behind >= _SIGNS_OF_RAISED and behind > bracketed


def counted_words(text: str, *, raised: bool = False) -> tuple[str, ...]:
    """Returns the words of ``text`` that count as changes: words, numbers, citation markers; no punctuation.

    Hyphenated words count by their parts, so it doesn't matter whether a hyphen at a line's end was kept. ``raised``:
    the paper cites by superscript numbers, which its text has directly after a word: "as in cells12,13".
    """
    return tuple(key for key, _ in counted_tokens(text, raised=raised))


def counted_tokens(text: str, *, raised: bool = False, marks: Collection[str] = ()) -> list[tuple[str, int]]:
    """Returns ``counted_words``, each with its starting code point; citations of one marker share it. ``marks`` are the
    footnote numbers of the text's page, which also directly follow a word."""
    found: list[tuple[str, int]] = []
    at = 0
    for start, end, automatic in (*_automatic_numbers(text, raised, marks), (len(text), len(text), "")):
        if start < at:
            continue
        for match in _WORD_OR_SIGN.finditer(text, at, start):
            piece = match.group()
            if piece.isascii() and piece.isalnum():
                found.append((piece, match.start()))
            elif is_word(key := _key(piece)):
                found.append((key, match.start()))
        if automatic.startswith(CITATION):
            found += [(sign, start) for sign in automatic]
        elif is_word(automatic):
            found.append((automatic, start))
        at = end
    return found


def is_word(key: str) -> bool:
    """Returns whether a key counts as a word: letters, digits, an automatic number, a citation, or a mathematical
    sign."""
    return key.isalnum() or any(ch.isalnum() for ch in key) or key[:1] in (CITATION, NUMBER) or key in _MATH_SIGNS


_MATH_SIGNS = frozenset("=<>≤≥≠≈±×÷∈∉⊂⊆∪∩∑∏∫√∞∂∇→←↔%+")


def fold(text: str) -> str:
    """Returns ``text`` without differences of typesetting: ligatures, quote and dash style, soft hyphens."""
    return unicodedata.normalize("NFKC", text.translate(_TRANSLATION)).translate(_TRANSLATION)


def _plain_tokens(text: str, start: int, end: int) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, end):
        piece = match.group()
        found.append(
            Token(*match.span(), piece if piece == SPACE or (piece.isascii() and piece.isalnum()) else _key(piece))
        )
    return found


def _key(piece: str) -> str:
    key = SPACE if piece.isspace() else fold(piece) or SPACE
    return _SPELLED_OUT.get(key, "-" if not key.strip("-") else key)


def _automatic_numbers(text: str, raised: bool = False, marks: Collection[str] = ()) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    if marks:
        spans.extend((*match.span(), SPACE) for match in _RAISED_MARK.finditer(text) if match.group().strip() in marks)
    if raised:
        spans.extend(
            (*match.span("numbers"), CITATION * _citations(match["numbers"]))
            for match in _GLUED.finditer(text)
            if _citations(match["numbers"])
        )
    for pattern in (_BRACKETED, _WITH_PLACE, _SUPERSCRIPT):
        for match in pattern.finditer(text):
            count = _citations(match.group())
            if count:
                spans.append((match.start(), match.end(), CITATION * count))
    for match in _BY_NUMBER.finditer(text):
        spans.append((*match.span("numbers"), CITATION * _citations(match["numbers"].replace("and", ","))))
    for match in _IN_TEXT.finditer(text):
        spans.append((*match.span(), CITATION * len(_YEAR.findall(f"({match['years']})"))))
    for match in _BY_AUTHOR.finditer(text):
        spans.append((*match.span(), CITATION * len(_YEAR.findall(match.group()))))
    for match in _LABELLED.finditer(text):
        start = match.start("numbers")
        label = match["label"].lower().rstrip("s.")
        spans.append((*match.span("label"), next((_LABELS[key] for key in _LABELS if label.startswith(key)), label)))
        spans.extend(
            (start + number.start(), start + number.end(), NUMBER)
            for number in _DIGITS.finditer(match.group("numbers"))
        )
    begun = {start for start, _, _ in spans}
    for match in _UNRESOLVED.finditer(text):
        if match.start() not in begun:  # "Section ??" isn't a citation
            spans.append((*match.span(), CITATION * len(re.findall(r"\?+", match.group()))))
    for match in _EQUATION_NUMBER.finditer(text):
        spans.append((*match.span("numbers"), NUMBER))
    if mark := _ABSTRACT.match(text) or _LEADING.match(text):
        spans.append((*mark.span(), SPACE))
    return sorted(spans)


def _citations(group: str) -> int:
    """Returns how many works a group such as ``[1, 6–9]`` cites; 0 if it can't be a citation."""
    count = 0
    for part in re.split(r"[,;]", group.strip("[] ")):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 1:
            count += 1
        elif len(ends) == 2 and 0 < ends[1] - ends[0] <= _RANGE_LIMIT:
            count += ends[1] - ends[0] + 1
        else:
            return 0
    return count
