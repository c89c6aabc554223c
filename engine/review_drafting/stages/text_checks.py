"""Checks of what a paper says of its results: numbers of the abstract, percentages.

Each yields what a reader can look up, see ``pointers.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.reading import quote, short, stretch, where
from engine.review_drafting.records import Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"


def abstract_numbers(paper: PaperReading) -> Iterator[Check]:
    """Numbers of the abstract that the body does not have, where it says the same with another number."""
    body = [s for s in paper.sentences if s.part != "abstract"]
    abstract = {s.paragraph_id for s in paper.sentences if s.part == "abstract"}
    known = {n for p in paper.places.document.paragraphs if p.id not in abstract for n in _numbers(p.text)}
    known |= {n for s in body for n in _numbers(s.text)}
    known |= {n for table in paper.tables for row in table.rows for cell in row.cells for n in _numbers(cell.text)}
    # A body that holds hardly any number is one of which the text was not read.
    if len(known) < 5:
        return
    for sentence in (s for s in paper.sentences if s.part == "abstract"):
        for match in re.finditer(rf"(?<![\w.,-])({_NUMBER})(?![\w.-]*\w)(?P<percent>\s?%)?", sentence.text):
            raw = match[1]
            if not _telling(raw, bool(match["percent"])) or _near(raw, known):
                continue
            other = _same_claim(sentence, raw, bool(match["percent"]), body)
            if other is not None:
                anchors = (stretch(sentence, match.start(1), match.end(0)), quote(other))
                said = f"The abstract says “{match[0].strip()}” {where(anchors[0])}"
                words = f"{said}, the body {short(other)} {where(anchors[1])}."
                fix = "Give the same number in the abstract and in the body, or say why they differ."
                yield finding("abstract-number", words, fix, *anchors)


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


def _numbers(text: str) -> set[str]:
    return {found.replace(",", "") for found in re.findall(rf"(?<![\d.]){_NUMBER}", text)}


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _telling(raw: str, percent: bool) -> bool:
    """Whether a number is so particular that it should come again: a decimal, a percentage, or a larger count."""
    if percent or "." in raw or "," in raw:
        return True
    value = int(raw)
    return value >= 20 and not 1900 <= value <= 2100


def _near(raw: str, known: set[str]) -> bool:
    """Whether the body holds the number, or one that is rounded to it."""
    bare = raw.replace(",", "")
    if bare in known:
        return True
    hair = 0.5 * 10 ** -len(bare.partition(".")[2]) * 1.000001
    # 0.974 in a table is 97.4 % in the abstract.
    return any(abs(scale * other - float(bare)) <= hair for other in map(float, known) for scale in (1, 100))


def _same_claim(sentence: Sentence, raw: str, percent: bool, body: Iterable[Sentence]) -> Sentence | None:
    """The sentence of the body that says nearly the same with another number of the same kind; None where none does."""
    words = content_stems(re.sub(r"[\d.,%]+", " ", sentence.text))

    def alike(other: Sentence) -> float:
        kinds = re.findall(rf"(?<![\d.])({_NUMBER})(\s?%)?", other.text)
        if not any(bool(mark) == percent and ("." in n) == ("." in raw) for n, mark in kinds):
            return 0.0
        theirs = content_stems(re.sub(r"[\d.,%]+", " ", other.text))
        return len(words & theirs) / max(1, len(words | theirs))

    best = max(body, key=alike, default=None)
    return best if best is not None and alike(best) >= 0.5 else None


def _rounding(printed: str) -> float:
    """How far a percentage may lie from the true one when it was rounded as printed, with a hair for rounding twice."""
    return 0.55 * 10.0 ** -len(printed.partition(".")[2])


def _printed(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value >= 0.1 else f"{value:.2g}"
