"""Check of the percentages that a paper gives.

Each yields what a reader can look up, see ``pointers.py``.
"""

import re
from collections.abc import Iterator

from engine.review_drafting.reading import stretch, where
from engine.review_drafting.records import Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


def percentages(paper: PaperReading) -> Iterator[Check]:
    """Shares and differences whose percentage does not follow from the numbers beside it."""
    for sentence in paper.sentences:
        yield from _shares(sentence)
        yield from _changes(sentence)


_SHARES = (
    # 45 of 60 (75%), 45 out of 60 papers (75%)
    rf"(?P<a>{_NUMBER})\s*(?:of|out of|/)\s*(?:the |all |our |these )?(?P<b>{_NUMBER})(?: [\w-]+){{0,4}}\s*"
    rf"[(,]\s*(?:i\.e\.,? |or |about |~|≈)?(?P<p>\d*\.?\d+)\s?%",
    # 75% (45/60), 75% (45 of 60)
    rf"(?P<p>\d+(?:\.\d+)?)\s?%(?: [\w-]+){{0,3}} \(\s*(?P<a>{_NUMBER})\s*(?:/|of|out of)\s*(?:the )?(?P<b>{_NUMBER})",
)
_SHARE_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _SHARES)
_CHANGE = re.compile(
    rf"\bfrom (?P<a>{_NUMBER})\s?(?P<pa>%?) to (?P<b>{_NUMBER})\s?(?P<pb>%?)"
    r"(?: \w+){0,2}[,(;]? ?(?:which is |i\.e\.,? |or )?an? (?:[\w-]+ )?"
    r"(?P<word>increase|decrease|improvement|reduction|drop|gain|rise)[^.;\d]{0,30}?(?P<p>\d+(?:\.\d+)?)\s?%(?! point)",
    re.IGNORECASE,
)


_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_INTERVAL = re.compile(
    r"\s*(?:\w+ )?(?:CI|CrI|HPD|HDI|PI|confidence|credib\w*|prediction|interval|limits?|quantile|C\.I)", re.I
)


def _shares(sentence: Sentence) -> Iterator[Check]:
    for pattern in _SHARE_PATTERNS:
        for match in pattern.finditer(sentence.text):
            part, whole, said = _value(match["a"]), _value(match["b"]), float(match["p"])
            counts = part.is_integer() and whole.is_integer() and "." not in match["a"] + match["b"]
            interval = said in (90, 95, 99) and _INTERVAL.match(sentence.text[match.end() :])
            if whole <= 1 or part > whole or not counts or interval:
                continue
            share = 100 * part / whole
            if abs(share - said) > _rounding(match["p"]):
                anchor = stretch(sentence, match.start(), match.end())
                words = (
                    f"“{match[0].strip(' (,')}” {where(anchor)}: {match['a']} of {match['b']} is {_printed(share)} %"
                )
                fix = "Correct the percentage or the counts."
                yield finding("percentage", f"{words}, not {match['p']} %.", fix, anchor, certain=True)


def _changes(sentence: Sentence) -> Iterator[Check]:
    for match in _CHANGE.finditer(sentence.text):
        start, end, said = _value(match["a"]), _value(match["b"]), float(match["p"])
        if start <= 0 or (_YEAR.fullmatch(match["a"]) and _YEAR.fullmatch(match["b"])):
            continue
        relative, absolute = 100 * abs(end - start) / start, abs(end - start)
        right = [relative, absolute, *([100 * abs(end - start) / end] if end else [])]
        if min(abs(value - said) for value in right) > 2 * _rounding(match["p"]):
            anchor = stretch(sentence, match.start(), match.end())
            words = (
                f"“{match[0]}” {where(anchor)}: from {match['a']} to {match['b']} the relative change is"
                f" {_printed(relative)} %, the difference {_printed(absolute)}; neither is {match['p']} %."
            )
            fix = "Correct the percentage, or say what it is a percentage of."
            yield finding("percentage", words, fix, anchor, certain=True)


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _rounding(printed: str) -> float:
    """How far a percentage may lie from the true one when it was rounded or cut off as printed."""
    return 10.0 ** -len(printed.partition(".")[2])


def _printed(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.1 else f"{value:.2g}"
