"""The form in which a statement gives the numbers of a table: rounded, as a fraction, per mille."""

import re
from dataclasses import dataclass, replace

from engine.documents.numbers import Quantity, find_quantities
from engine.statements.grids import Layout
from engine.statements.table_phrases import COUNTED

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
    r"(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?:per[ -]?mill?e?|per thousand|permill?e?|parts per thousand|in a thousand|‰)(?!\w)"
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


_SPREAD = re.compile(
    r"(?:\bone )?\b(?:(?P<error>standard[ -](?:deviations?|errors?)|std(?:\.? ?dev\b|\b)\.?|stddev|deviations?)"
    r"|error bars?|spreads?|uncertaint(?:y|ies))(?: (?:of|in|on|for)\b(?: the\b)?)?",
    re.IGNORECASE,
)
_ERROR = re.compile(r"±|\+/-")


def of_spread(statement: str, layout: Layout) -> tuple[str, Layout] | None:
    """Returns a statement about a spread ("the standard deviation of A is 0.05") without the word, and the table with
    the numbers beside its numbers ("0.92 (±0.05)"). Both unchanged if it is about none, or labels name spreads; None
    if the table has none, or both numbers are given."""
    labels = [x for d in layout.dimensions for x in layout.labels(d)]
    said = _SPREAD.search(statement)
    if said is None or any(_SPREAD.search(x) and not _ERROR.search(x) for x in labels):
        return statement, layout
    described = _SPREAD.search(f"{layout.caption} {layout.about} {' '.join(labels)}")
    spreads = []
    for e in layout.entries:
        beside = find_quantities(e.quantity.text)[1:]
        if len(beside) == 1 and (described or _ERROR.search(e.quantity.text)):
            own = replace(e.quantity, value=abs(beside[0].value), decimals=beside[0].decimals, text="")
            spreads.append(replace(e, quantity=own, bold=False))
    if not spreads or re.search(r"\b(?:with|plus|and) (?:an?|its|their|the) $", statement[: said.start()]):
        return None if said["error"] or spreads else (statement, layout)
    rest = " ".join(_SPREAD.sub("", statement).split())
    return rest, replace(layout, entries=tuple(spreads), _labels={}, better={})
