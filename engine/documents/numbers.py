"""Finds numbers in text and tables, and decides when two of them agree."""

import re
from dataclasses import dataclass

_QUANTITY = re.compile(
    r"(?<![^\W一-鿿가-힯ぁ-ヿ])(?<!\.)(?P<sign>[-–−+](?=[\d.]))?(?P<digits>\d{1,3}(?:[,\u2009\u202f]\d{3})+(?:\.\d+)?"
    r"|\d+(?:(?:\.|·(?!10(?:[-–−]?\d\d?)?(?!\d)))\d+)?|\.\d+)"
    r"(?:\s?[x×]\s?10\s?\^?(?P<power>[-–−]?\d{1,3})|[eE](?P<exponent>[-–+]?\d{1,3}))?"
    r"(?:\s?(?P<percent>%|percent(?:age points?)?\b|per cent\b|％))?(?![^\W一-鿿가-힯ぁ-ヿ]*\d)"
)
_ROMAN = re.compile(r"(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50}
_LARGEST_POWER = 250
"""Larger powers are products of other numbers ("3 x 10 640"), which floats can't represent, and are ignored."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: its range [start, end), value as written, and number of decimals."""

    value: float
    decimals: int
    percent: bool
    start: int
    end: int
    text: str


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Returns the numbers in a text, from left to right; "93.2%" is 93.2 with ``percent``, "1,204" is 1204.

    A dash between two numbers is a range, not a sign.
    """
    found = []
    for match in _QUANTITY.finditer(text):
        digits = re.sub(r"[,\u2009\u202f]", "", match["digits"]).replace("·", ".")
        value = float(digits)
        decimals = len(digits.partition(".")[2])
        power = int(re.sub("[–−]", "-", match["power"] or match["exponent"] or "0"))
        if abs(power) <= _LARGEST_POWER:
            value *= 10.0**power
        start = match.start()
        if match["sign"] and match["sign"] != "+":
            before = text[:start].rstrip()
            if before and (before[-1].isdigit() or before[-1] in "%)"):
                start = match.start("digits")
            else:
                value = -value
        found.append(Quantity(value, decimals, bool(match["percent"]), start, match.end(), text[start : match.end()]))
    return tuple(found)


def from_roman(letters: str) -> int:
    """Returns the value of a Roman number from I to LXXXIX in capitals, and 0 for anything else."""
    values = [_LETTERS[letter] for letter in letters] if _ROMAN.fullmatch(letters) else []
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=False))


def agrees(said: Quantity, found: Quantity) -> bool:
    """Returns whether a stated number equals a found one, possibly rounded to the stated precision.

    A share may be stated in percent (0.932 and 93.2 %). Signs are ignored ("a drop of 1.2" for -1.2). Numbers with
    decimals may be rounded to whole numbers, but not to a single digit.
    """
    return any(_same(said, factor * found.value, found.decimals) for factor in _factors(said, found))


def _factors(said: Quantity, found: Quantity) -> tuple[float, ...]:
    if said.percent and not found.percent and abs(found.value) <= 1 and found.decimals >= 2:
        return (1.0, 100.0)
    if found.percent and not said.percent and abs(said.value) <= 1 and said.decimals >= 2:
        return (1.0, 0.01)
    return (1.0,)


def _same(said: Quantity, value: float, decimals: int) -> bool:
    wanted, there = abs(said.value), abs(value)
    if abs(wanted - there) <= 1e-9 * max(1.0, wanted):
        return True
    if (said.value >= 10 or said.decimals >= 1) and said.decimals < decimals and "e" not in said.text.lower():
        # Half a unit of the last stated digit; the margin absorbs binary rounding of halves.
        return abs(wanted - there) <= 0.5 * 10.0**-said.decimals + 1e-9
    return False
