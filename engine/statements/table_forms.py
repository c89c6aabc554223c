"""The form in which a statement gives the numbers of a table (rounded, as a fraction, per mille), and the phrases in it
that only say which table is meant."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.documents.numbers import Quantity
from engine.statements.table_phrases import COUNTED, label_words

_FEW = rf"(?:an?|a single|{'|'.join(COUNTED[1:7])}|\d)"
_STEPS = {
    "integer": 0, "whole": 0, "unit": 0, "ten": -1, "hundred": -2, "thousand": -3, "million": -6, "billion": -9,
    "tenth": 1, "hundredth": 2, "thousandth": 3, "percent": 0, "per cent": 0, "percentage": 0,
}  # fmt: skip
_GIVEN = r"(?:(?:\w+ly )?(?:correct|accurate|exact|precise|good|true)(?: only)?)"
_NEAREST = re.compile(
    rf"(?:\b{_GIVEN} )?(?:\b(?:to|by|at) )?(?:\b(?:the|an?) )?(?:\b(?:nearest|closest|next) (?P<many>ten |hundred )?"
    rf"(?:full )?(?P<step>{'|'.join(_STEPS)})(?:s\b|\b)(?: (?:point|number|percent|figure|value)s?\b)?"
    r"|\b(?P<whole>(?:whole|full) numbers?|integers?)\b)",
    re.IGNORECASE,
)
_PLACES = re.compile(
    rf"(?:\b{_GIVEN} )?(?:\b(?:to|by|at|with|of) )?(?:\bonly )?(?:\b(?P<n>{_FEW}|no)\b[ -]"
    r"(?:decimal(?:s\b|\b)|digits? after)"
    r"(?: (?:places?|digits?|figures?|the (?:decimal )?point)\b)*"
    rf"|\b(?P<figures>{_FEW}) significant (?:figures?|digits?|places?)\b)",
    re.IGNORECASE,
)
_ROUNDING = re.compile(
    r"\b(?:(?:when|once|if|after|with|being|by)(?: (?:it|this|that|they|we|one))?(?: (?:is|are))? )?"
    r"(?:(?:is|are|was|were) )?(?:\w+ly )?(?:rounded|rounding|rounds?)\b(?: (?:it|them|off|up|down))?",
    re.IGNORECASE,
)
_IF = re.compile(r"^\W*(?:if|when|once|after|assuming|with|provided)\b", re.IGNORECASE)
_FRACTION = re.compile(
    r"(?:,? (?:(?:when|if|once) )?(?:expressed|written|stated|given|quoted|put|read|seen|taken) )?"
    r"\b(?:(?:as|in) (?:an? )?"
    r"(?:(?:decimal )?fractions?(?: of (?:one|1|unity))?|fractional (?:form|terms)|(?:plain |pure )?proportion|decimal"
    r" number|share of (?:one|1|unity))"
    r"|on (?:a|the) (?:unit )?scale (?:from|of|between) (?:0|zero) (?:to|and) (?:1|one)\b|on (?:the|a) unit (?:scale"
    r"|interval)|on (?:a|the) (?:0|zero)[ –-](?:to[ –-])?(?:1|one) scale|out of (?:one|unity)\b)",
    re.IGNORECASE,
)
_MILLE = re.compile(
    r"(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?:per[ -]?mill?e?|permill?e?|parts per thousand|in a thousand|‰)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a statement rounds its numbers: to a number of decimals, less than 0 for tens, or of significant figures."""

    decimals: int | None = None
    figures: int | None = None

    def places(self, value: float) -> int:
        if self.decimals is not None:
            return self.decimals
        return (self.figures or 1) - len(f"{abs(value):.0f}") if abs(value) >= 1 else (self.figures or 1)


def _few(word: str) -> int:
    word = word.removeprefix("a ").strip()
    return int(word) if word.isdigit() else 0 if word == "no" else COUNTED.index(word) if word in COUNTED else 1


def rounding_in(statement: str) -> tuple[str, Rounding | None]:
    """Returns a statement without the words that say how its numbers are rounded, and what they say."""
    found = _NEAREST.search(statement) or _PLACES.search(statement)
    if found is None or (found.re is _NEAREST and found["whole"] and not _ROUNDING.search(statement)):
        return statement, None
    own = {name: word and word.lower() for name, word in found.groupdict().items()}
    if found.re is _PLACES:
        rounding = Rounding(None, _few(own["figures"])) if own["figures"] else Rounding(_few(own["n"]))
    else:
        many = {"ten ": -1, "hundred ": -2}.get(own["many"] or "", 0)
        rounding = Rounding(_STEPS[own["step"] or "whole"] + many)
    text = f"{statement[: found.start()]} {statement[found.end() :]}"
    text = _IF.sub("", text) if "," not in statement[: found.start()] else text
    return " ".join(_ROUNDING.sub("", text).split()), rounding


def has_other_form(statement: str) -> bool:
    """Returns whether a statement says in which form its numbers are, which only ``stated_values`` knows."""
    return any(words.search(statement) for words in (_MILLE, _FRACTION)) or rounding_in(statement)[1] is not None


def unit_of_share(statement: str) -> tuple[str, float]:
    """Returns a statement without "as a fraction" and with "%" for "per mille", and the factor to percent."""
    if _MILLE.search(statement):
        return _MILLE.sub(lambda m: f"{m['n']} %", statement), 0.1
    return (_FRACTION.sub("", statement), 100.0) if _FRACTION.search(statement) else (statement, 1.0)


def in_percent(number: Quantity, factor: float) -> Quantity:
    """Returns a number as a percentage if a factor other than 1 applies to it."""
    if factor == 1.0 or (factor < 1 and not number.percent):
        return number
    shift = 1 if factor < 1 else -2
    return replace(number, value=number.value * factor, decimals=number.decimals + shift, percent=True)


_TABLES = re.compile(
    r"(?:comparisons?|table|listing|overview|breakdown|summary|statistics|experiments?|study|studies|ablation"
    r"|compilation|survey|list)"
)
_TELLS = (
    r"\b(?:is|are|was|were|has|have|had|that|which|rests?|shows?|says?|tells?|gives?|indicates?|settles?|reports?|lists?"
    r"|documents?|credits?|supplies|informs?|assigns?)\b"
)
_TITLE = re.compile(
    r"(?:^|[,(;:]|(?<=\S)(?= (?:in|from|across|within|under|by|according to|per|of)"
    r" (?:the|its|their|our|this|that|a)\b))"
    rf"(?P<words>(?:(?!{_TELLS})[^,();:\d])*?\b{_TABLES.pattern}\b"
    rf"(?:(?!{_TELLS})[^,();:\d]|,(?= [\w -]+ (?:and|or) ))*)"
    rf"(?: ?(?:that|which) (?:includes?|contains?|covers?|lists?|also|gives?|shows?|reports?)\b[^,();:\d]*)?"
    rf"(?=[,();:]|\.?$| ?{_TELLS})(?! ?\d)"
)
"""What a table is called in a phrase of its own, at the beginning or the end: the labels in it are no subject."""


_ARTICLES = frozenset(("the", "a", "an", "our", "its", "their"))
_LEADS = frozenset(
    ("of", "on", "for", "with", "in", "from", "between", "and", "or", "across", "at", "to", "by", "under", "includes")
) | {"include", "contains", "covers", "lists", "gives", "shows", "reports", "within", "over", "than", "after", "using"}
"""Words after which a noun with its article is part of the same phrase."""


_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|(?:head|top|lead|open|close|end|rank)s?(?: \w+)?"
    r" (?:the|this|our) (?:list|table|comparison))\b"
)


def without_title(statement: str) -> str:
    """Leaves out phrases that only say which table is meant."""
    for found in reversed(list(_TITLE.finditer(statement))):
        start, end = found.start("words"), found.end()
        words = list(re.finditer(r"[\w-]+", statement[start:end]))
        at = next((n for n, word in enumerate(words) if _TABLES.fullmatch(word[0])), len(words))
        for before, word in pairwise(words[at:]):  # "In the ablation the lowest error on A": another subject begins
            if word[0] in _ARTICLES and before[0] not in _LEADS:
                end = start + word.start()
                break
        rest = f"{statement[:start]} {statement[end:]}"
        if len(label_words(rest)) > 3 and not _SAYS.search(statement[start:end]):
            statement = rest
    return statement
