"""Checks the percentages in a paper.

Each check yields something that a reader can look up, see ``pointers.py``.
"""

import re
from collections.abc import Iterator

from engine.review_drafting.reading import stretch, where
from engine.review_drafting.records import Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding
from engine.statements.table_phrases import COUNTED

_NUMBER = rf"(?<![\w.])(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|(?:{'|'.join(COUNTED[1:])})\b)"
_WORDS = r"(?: [a-z][\w-]*){0,4}"
_ALL = r"(?:(?:the|all|our|these|a total of) ){0,2}"
_PERCENT = r"(?P<p>\d*\.?\d+)\s?(?:%|per ?cent\b)"
_ENDS = r"(?=\s*(?:[);,.:]|$))"
"""What may follow a percentage of adjacent numbers; in “40% of which” and “5% level” it refers to something else."""
_THAT_IS = r"(?:(?:i\.e\.,?|that is,?|or|about|only|which is|approximately|~|≈) ?){0,2}"


def percentages(paper: PaperReading) -> Iterator[Check]:
    """Yields shares, differences and totals that don't follow from the adjacent numbers."""
    for sentence in paper.sentences:
        yield from _shares(sentence)
        yield from _changes(sentence)
        yield from _splits(sentence)


_SHARES = (
    # 45 of 60 (75%), 45 papers out of a total of 60, or 75%; (n = 45/60; 75%)
    rf"(?P<a>{_NUMBER})(?:\s*(?:of|/)\s*|(?: [a-z-]+){{0,2}} out of ){_ALL}(?P<b>{_NUMBER}){_WORDS}"
    rf"\s*[(,;]\s*{_THAT_IS}{_PERCENT}{_ENDS}",
    # 75% (45/60), 75% of the papers (n = 45 of 60)
    rf"{_PERCENT}{_WORDS} \(\s*(?:n ?= ?)?(?P<a>{_NUMBER})\s*(?:/|of|out of)\s*{_ALL}(?P<b>{_NUMBER})",
    # Of the 60 papers, 45 (75%); among 60 papers, 45 were read, that is 75%
    rf"\b(?:of|among|from) {_ALL}(?P<b>{_NUMBER}){_WORDS}, (?:only )?(?P<a>{_NUMBER}){_WORDS}"
    rf"(?: \(| ?, {_THAT_IS}){_PERCENT}{_ENDS}",
    # 45 (75%) of the 60 papers
    rf"(?P<a>{_NUMBER}){_WORDS} \({_PERCENT}\) (?:out )?of {_ALL}(?P<b>{_NUMBER})",
)
_SHARE_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _SHARES)
_UP, _DOWN = (
    r"increas\w+|rises?|rose|gain\w*|grew|rais\w+",
    r"decreas\w+|reduc\w+|drop\w*|fell|falls?|declin\w+|cuts?|lower\w+",
)
_STEP = rf"\bfrom (?P<a>{_NUMBER})\s?%?(?: \w+)? to (?P<b>{_NUMBER})\s?%?"
_CHANGES = (
    rf"{_STEP}(?: \w+){{0,2}}[,(;]? ?(?:which is |i\.e\.,? |or )?an? (?:[\w-]+ )?"
    rf"(?P<word>{_UP}|{_DOWN}|improv\w+)[^.;\d]{{0,30}}?{_PERCENT}{_ENDS}",
    rf"\b(?P<word>{_UP}|{_DOWN}|improv\w+)(?: [a-z]+){{0,3}} by (?:about |some |roughly )?{_PERCENT},? \(?{_STEP}",
    rf"{_PERCENT} (?:relative )?(?P<word>{_UP}|{_DOWN}|improvement)(?: (?:in|of) [a-z ]{{1,30}})?,? \(?{_STEP}",
    rf"{_STEP}(?: \w+)? \((?P<word>[-+−–]){_PERCENT}\)",
)
_CHANGE_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _CHANGES)


_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def _shares(sentence: Sentence) -> Iterator[Check]:
    for pattern in _SHARE_PATTERNS:
        for match in pattern.finditer(sentence.text):
            part, whole, said = _value(match["a"]), _value(match["b"]), float(match["p"])
            counts = part.is_integer() and whole.is_integer() and "." not in match["a"] + match["b"]
            if whole <= 1 or part > whole or not counts:
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
    for match in (m for pattern in _CHANGE_PATTERNS for m in pattern.finditer(sentence.text)):
        start, end, said = _value(match["a"]), _value(match["b"]), float(match["p"])
        up, down = re.match(rf"\+|{_UP}", match["word"], re.I), re.match(rf"[-−–]|{_DOWN}", match["word"], re.I)
        other = (up and end < start) or (down and end > start)  # the percentage refers to something else
        if start <= 0 or other or (_YEAR.fullmatch(match["a"]) and _YEAR.fullmatch(match["b"])):
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


_CLASSES = (
    r"\b(?:(?:wo)?m[ae]n|(?:fe)?males?|boys?|girls?)\b",
    r"\b(?:train\w*|validation|dev\w*|test\w*|held[- ]out)\b",
    r"\b(?:positives?|negatives?)\b",
    r"\b(?:cases|controls?|treat\w+|placebo)\b",
)
"""Groups of exclusive classes."""
_PART = rf"{_NUMBER} (?:(?! and {_NUMBER})[^.;,()\d]){{3,40}}"
_SPLIT = re.compile(
    rf"(?P<n>{_NUMBER}){_WORDS}(?: into | \(|, |: | has | with | contains? | includ\w+ )"
    rf"(?P<parts>{_PART}(?:(?:,|,? and) {_PART})+)",
    re.IGNORECASE,
)


def _splits(sentence: Sentence) -> Iterator[Check]:
    """Yields totals that are smaller than the sum of their classes."""
    for match in _SPLIT.finditer(sentence.text):
        parts = re.findall(rf"({_NUMBER}) ([^,\d]+)", match["parts"], re.IGNORECASE)
        said, total = _value(match["n"]), sum(_value(number) for number, _ in parts)
        names = [[m[0].lower() for m in re.finditer(c, match["parts"], re.IGNORECASE)] for c in _CLASSES]
        if (
            any(len(set(own)) == len(own) == len(parts) for own in names)
            and max(_value(n) for n, _ in parts) < said < total
        ):
            anchor = stretch(sentence, *match.span())
            words = f"“{match[0].strip()}” {where(anchor)}: the parts sum to {_printed(total)}, not {match['n']}."
            yield finding(
                "percentage", words, "Correct the numbers, or say what is counted twice.", anchor, certain=True
            )


def _value(text: str) -> float:
    return float(COUNTED.index(text.lower()) if text.isalpha() else text.replace(",", ""))


def _rounding(printed: str) -> float:
    """Returns the maximum difference of a percentage from the true one if rounded or truncated as printed."""
    return 10.0 ** -len(printed.partition(".")[2])


def _printed(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.1 else f"{value:.2g}"
