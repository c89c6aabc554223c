"""Checks the percentages in a paper.

Each check yields something that a reader can look up, see ``pointers.py``.
"""

import re
from collections.abc import Iterator

from engine.review_drafting.reading import stretch, where
from engine.review_drafting.records import Anchor, Check, PaperReading, Sentence
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
        yield from _above(sentence)


_SHARES = (
    # 45 of 60 (75%), 45 papers out of a total of 60, or 75%; (n = 45/60; 75%)
    rf"(?P<a>{_NUMBER})(?:\s*(?:of|/)\s*|(?: [a-z-]+){{0,2}} out of ){_ALL}(?P<b>{_NUMBER}){_WORDS}"
    rf"\s*[(,;=]\s*{_THAT_IS}{_PERCENT}{_ENDS}",
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
_SAVED = re.compile(
    rf"\b(?:{_DOWN}|sav\w+|remain\w*|left|less|fewer|smaller|spar\w+|shr[aiu]nk\w*|compress\w*|prun\w+|discard\w*"
    r"|remov\w+|exclud\w+|eliminat\w+|omit\w*|missing|lost|loss|other|rest|not|without|only)\b",
    re.IGNORECASE,
)
"""Words that let a percentage be of what was saved or left over, beside the count of the rest."""


def _shares(sentence: Sentence) -> Iterator[Check]:
    for pattern in _SHARE_PATTERNS:
        for match in pattern.finditer(sentence.text):
            part, whole, said = _value(match["a"]), _value(match["b"]), float(match["p"])
            counts = part.is_integer() and whole.is_integer() and "." not in match["a"] + match["b"]
            if whole <= 1 or part > whole or not counts:
                continue
            share = 100 * part / whole
            shares = [share, *([100 - share] if _SAVED.search(sentence.text) else [])]
            if min(abs(value - said) for value in shares) > _rounding(match["p"]):
                anchor = _whole(sentence, match)
                words = f"“{anchor.quote}” {where(anchor)}: {match['a']} of {match['b']} is {_printed(share)} %"
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
        right = [relative, absolute, *([100 * abs(end - start) / end] if end and not (up or down) else [])]
        if min(abs(value - said) for value in right) > 2 * _rounding(match["p"]):
            anchor = _whole(sentence, match)
            words = (
                f"“{anchor.quote}” {where(anchor)}: from {match['a']} to {match['b']} the relative change is"
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
_AND = r"(?:[,;]|,? and)(?: the (?:other|remaining|last))?"
_PART = rf"{_NUMBER} (?:(?!{_AND} {_NUMBER})[^.;,()\d]){{3,40}}"
_PARTS = rf"(?P<parts>{_PART}(?:{_AND} {_PART})+)"
_DIVIDED = (
    r"into|compris\w+|consist(?:s|ed|ing)? of|(?:made up|composed) of|(?:divid\w+|split|broken down|partition\w*)"
    r"(?: up)?(?: into| as)?"
)
_SPLITS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 96 pages were split into 60 for training and 30 for testing; 96 pages (60 men, 36 women); 96 pages: ...
        rf"(?P<n>{_NUMBER}){_WORDS}"
        rf"(?: (?P<divided>{_DIVIDED}) |(?P<colon>: )| \(|, | has | with | contains? | includ\w+ ){_PARTS}",
        # of the 96 pages, 60 were old and 46 new
        rf"\b(?:of|among) {_ALL}(?P<n>{_NUMBER}){_WORDS}, {_PARTS}",
        # 60 women and 50 men among the 96 readers
        rf"{_PARTS}(?: (?:among|of|in) {_ALL})(?P<n>{_NUMBER})(?= [a-z])",
    )
)
_REST = re.compile(r"\bthe (?:other|remaining|last) *$|\b(?:none|no \w+)\b[^.]*\bboth\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|un|non)[ -]?(?=[a-z])", re.IGNORECASE)


def _splits(sentence: Sentence) -> Iterator[Check]:
    """Yields totals that are smaller than the sum of their classes."""
    found: set[int] = set()
    for match in (m for pattern in _SPLITS for m in pattern.finditer(sentence.text)):
        parts = re.findall(rf"({_NUMBER}) ([^,\d]+)", match["parts"], re.IGNORECASE)
        values, said = [_value(number) for number, _ in parts], _value(match["n"])
        exclusive = match.end() not in found and _exclusive(match, [words for _, words in parts])
        if max(values) < said < sum(values) and exclusive:
            found.add(match.end())
            anchor = _whole(sentence, match)
            words = f"“{anchor.quote}” {where(anchor)}: the parts sum to {_printed(sum(values))}, not {match['n']}."
            yield finding(
                "percentage", words, "Correct the numbers, or say what is counted twice.", anchor, certain=True
            )


def _exclusive(match: re.Match[str], parts: list[str]) -> bool:
    """Returns whether nothing can be in two of the parts: by the verb, by "the other", or because they exclude each
    other."""
    groups = match.groupdict()
    if groups.get("divided") or (groups.get("colon") and len(parts) > 2 and all(len(p.split()) < 4 for p in parts)):
        return True
    last = match["parts"].rfind(re.findall(_NUMBER, match["parts"], re.IGNORECASE)[-1])
    denied = {_NOT.sub("", " ".join(part.split()).removesuffix(" and")).rpartition(" ")[2] for part in parts}
    names = [[m[0].lower() for m in re.finditer(c, match["parts"], re.IGNORECASE)] for c in _CLASSES]
    return (
        bool(_REST.search(match["parts"][:last]) or _REST.search(match.string[match.end() :]))
        or (len(denied) == 1 < len(parts) and bool(_NOT.search(match["parts"])))
        or any(len(set(own)) == len(own) == len(parts) for own in names)
    )


_ABOVE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<a>{_NUMBER})(?: [a-z-]+)? (?:out of (?:the |all |our )?|of (?:the|all|these|our) )"
        rf"(?P<b>{_NUMBER})(?= [a-z])",
        rf"\bof (?:the|all|these|our) (?P<b>{_NUMBER})(?: [a-z][\w-]*){{1,3}}, (?P<a>{_NUMBER})"
        r" (?:were|was|are|had|have|did|could|[a-z]+ed)\b",
    )
)
_NAMED = re.compile(r"(?:[$€£]|\b(?:nos?|page|version|tables?|figs?|figures?|sections?|chapters?)\.?) ?$", re.I)


def _above(sentence: Sentence) -> Iterator[Check]:
    """Yields parts that are larger than the whole they are counted in."""
    for match in (m for pattern in _ABOVE for m in pattern.finditer(sentence.text)):
        part, whole = _value(match["a"]), _value(match["b"])
        year = _YEAR.fullmatch(match["a"]) or _NAMED.search(sentence.text[: match.start("a")])
        if part > whole > 4 and part.is_integer() and whole.is_integer() and not year:
            anchor = stretch(sentence, *match.span())
            words = f"“{match[0]}” {where(anchor)}: {match['a']} is more than the whole, {match['b']}."
            yield finding("percentage", words, "Correct the numbers.", anchor, certain=True)


def _whole(sentence: Sentence, match: re.Match[str]) -> Anchor:
    """Returns the anchor of a match with the parenthesis that closes it."""
    opened = match[0].count("(") > match[0].count(")") and sentence.text[match.end() : match.end() + 1] == ")"
    return stretch(sentence, match.start(), match.end() + opened)


def _value(text: str) -> float:
    return float(COUNTED.index(text.lower()) if text.isalpha() else text.replace(",", ""))


def _rounding(printed: str) -> float:
    """Returns the maximum difference of a percentage from the true one if rounded or truncated as printed."""
    return 10.0 ** -len(printed.partition(".")[2])


def _printed(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value >= 0.1 else f"{value:.2g}"
