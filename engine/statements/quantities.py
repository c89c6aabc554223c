"""Decides whether a stated number equals that of a cell: rounding, percentages, units and thousands."""

import re
from collections.abc import Iterable
from dataclasses import replace

from engine.documents.numbers import Quantity, find_quantities

_FAMILIES: tuple[dict[str, float], ...] = (
    {"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
     "week": 604800.0, "month": 2629800.0, "year": 31557600.0},
    {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    {"mas": 1e-3, "arcsec": 1.0, "arcmin": 60.0},
    {"nm": 1e-9, "µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    {"mg": 1e-3, "g": 1.0, "kg": 1e3}, {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"J": 1.0, "kJ": 1e3, "MJ": 1e6, "cal": 4.184, "kcal": 4184.0, "eV": 1.602177e-19, "Wh": 3.6e3, "kWh": 3.6e6,
     "MWh": 3.6e9},
    {"mol": 1.0, "mmol": 1e-3}, {"W": 1.0, "kW": 1e3, "MW": 1e6, "GW": 1e9}, {"EUR": 1.0}, {"USD": 1.0},
    {"deg": 1.0, "rad": 57.29577951},
    {"Pa": 1.0, "hPa": 1e2, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9}, {"pc": 1.0, "kpc": 1e3, "Mpc": 1e6},
)  # fmt: skip
_NAMES = {
    "sec": "s", "second": "s", "millisecond": "ms", "microsecond": "µs", "minute": "min", "hour": "h", "hr": "h",
    "day": "d", "hrs": "h", "mins": "min", "secs": "s", "G": "GB", "gigabyte": "GB", "megabyte": "MB", "kilobyte": "kB",
    "KB": "kB", "gb": "GB", "mb": "MB", "kb": "kB", "milliarcsecond": "mas", "arcsecond": "arcsec", "′′": "arcsec",
    "mole": "mol", "calorie": "cal", "kilocalorie": "kcal", "joule": "J", "kilojoule": "kJ", "watt": "W",
    "kilowatt": "kW", "megawatt": "MW", "gigawatt": "GW", "euro": "EUR", "€": "EUR", "dollar": "USD", "$": "USD",
    "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "metre": "m", "meter": "m", "kilometre": "km",
    "degree": "deg", "°": "deg", "radian": "rad", "week": "week", "month": "month", "year": "year",
}  # fmt: skip
_SCALES = {"thousand": 3, "k": 3, "K": 3, "million": 6, "mio": 6, "billion": 9}
_UNIT = r"[A-Za-zµμ€$]+(?:\s?/\s?[A-Za-zµμ]+|\sper\s[a-z]+)?(?!\w)"
_AFTER = re.compile(rf"[\s-]?(thousand|million|billion|mio|k\b|K\b)(?:\s?({_UNIT}))?|\s?(′′|{_UNIT})")


def quantities_in(text: str) -> tuple[tuple[Quantity, str], ...]:
    """Returns the numbers of a statement, "3.5 million" as 3,500,000, each with the unit after it ("" if none), which
    its span includes."""
    found = []
    for quantity in _with_spreads(text):
        match = _AFTER.match(text, quantity.end)
        unit, number = "", quantity
        if match is not None and match[1]:
            exponent = _SCALES[match[1]]
            end = match.end(1)
            number = replace(
                quantity, value=quantity.value * 10**exponent, decimals=quantity.decimals - exponent, end=end
            )
            unit, end = _known(match[2] or "")
            number = replace(number, end=match.start(2) + end) if unit else number
        elif match is not None:
            unit, end = _known(match[3])
            number = replace(number, end=match.start(3) + end) if unit else number
        found.append((number, unit))
    return tuple(found)


def _with_spreads(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    for quantity in find_quantities(text):
        if found and re.fullmatch(r"\s?(?:±|\+\s?/\s?-)\s?", text[found[-1].end : quantity.start]):
            found[-1] = replace(found[-1], end=quantity.end, text=text[found[-1].start : quantity.end])
        else:
            found.append(quantity)
    return found


def _known(words: str) -> tuple[str, int]:
    """Returns the unit at the start of some words, and its length there."""
    first = re.match(r"\S+", words)
    for said in (words, first[0] if first else ""):
        if unit := unit_of(said):
            return unit, len(said)
    return "", 0


def unit_of(word: str) -> str:
    """Returns the unit in this module's notation, "EUR/kW" for "euros per kilowatt"; "" for other words."""
    over, _, under = (part.strip() for part in re.sub(r"\sper\s", "/", word).partition("/"))
    if under:
        parts = unit_of(over), unit_of(under)
        return "/".join(parts) if all(parts) else ""
    name = _NAMES.get(word) or _NAMES.get(word.removesuffix("s")) or word
    return name if any(name in family for family in _FAMILIES) else ""


def other_unit(unit: str, texts: Iterable[str]) -> bool:
    """Returns whether texts contain another unit for the same kind of measure, but not the unit itself."""
    there = {unit_of(w) or unit_of(w.lower()) for text in texts for w in re.findall(r"[^\W\d_]+", text)} - {""}
    return bool(unit) and unit not in there and any(_size(unit)[0] == _size(other)[0] for other in there)


def _size(unit: str) -> tuple[tuple[int, ...], float]:
    """Returns the kind of measure of a unit, as positions in ``_FAMILIES``, and its size in their first units."""
    kinds, size = [], 1.0
    for n, part in enumerate(unit.split("/")):
        kind, family = next((k, f) for k, f in enumerate(_FAMILIES) if part in f)
        kinds.append(kind)
        size = size / family[part] if n else family[part]
    return tuple(kinds), size


def unit_behind(cell: str) -> str:
    """Returns the unit or scale after the number of a cell: "13.3m" and "12 ms"."""
    found = re.fullmatch(r"[^A-Za-zµ]*\d\s*([A-Za-zµ]{1,4})[†‡*∗⋆★§¶]*(?:\s*\([^()]*\))?", cell.strip())
    if found is None:
        return ""
    return {"m": "M", "M": "M", "k": "k", "K": "k"}.get(found[1]) or unit_of(found[1])


def unit_in(label: str) -> str:
    """Returns the unit in a heading: "Latency (ms)", "time, seconds", "RAM [GB]", "Hours"."""
    if label.isalpha() and len(label) > 3 and (unit := unit_of(label.lower())):
        return unit
    for word in re.findall(r"[(\[]\s*([A-Za-zµ′/€$]+)\s*[)\]]|,\s*([A-Za-z]+)\s*$|\b(?:in|as)\s+([A-Za-z]+)\b", label):
        if unit := unit_of("".join(word)):
            return unit
    if scale := re.search(r"[(\[](?:in )?(k|K|M|thousands?|millions?)[)\]]", label):
        return "M" if scale[1][0] in "Mm" else "k"
    before, _, last = label.rpartition(" ")
    if before[-1:].isdigit():
        return ""  # "20 MB" names a row rather than the unit of its numbers
    return unit_of(last) if last in ("ms", "mas", "GB", "MB", "kg", "mm", "cm", "km") else ""


def same_number(said: Quantity, unit: str, cell: Quantity, cell_unit: str, *, shares: bool, near: bool) -> bool | None:
    """Returns whether a stated number equals that of a cell, as written or rounded to the stated digits; None if it is
    in another unit and the cell is too coarse to tell.

    ``shares``: all cells of its column are shares of one, so 0.93 may be stated as 93 % but not as 0.93 %. ``near``:
    the statement says "about".
    """
    factor = conversion(unit, cell_unit)
    if factor is None or (said.value < 0) > (cell.value < 0):
        return False
    if factor != 1.0 and not said.percent:
        return _converted(said, factor, abs(cell.value), cell.decimals, near)
    factors = [factor]
    if cell_unit in ("k", "M"):
        factors = [1.0, 1e-3 if cell_unit == "k" else 1e-6]
    if said.percent and not cell.percent and shares:
        factors = [0.01]
    elif cell.percent and not said.percent and abs(said.value) <= 1 and said.decimals >= 2:
        factors = [1.0, 100.0]
    return any(_same(said, f, abs(cell.value), cell.decimals, near) for f in factors)


def conversion(unit: str, cell_unit: str) -> float | None:
    """Returns the factor that converts a number to another unit; None if they measure different things."""
    if not unit or not cell_unit or unit == cell_unit or cell_unit in ("k", "M"):
        return 1.0
    (what, size), (there, own) = _size(unit), _size(cell_unit)
    return size / own if what == there else None


def _converted(said: Quantity, factor: float, there: float, decimals: int, near: bool) -> bool | None:
    """As ``_same`` for a number in another unit, which may have more digits than the cell can distinguish."""
    off, half = abs(abs(said.value) * factor - there), 0.5 * factor * 10.0**-said.decimals * (1 + 1e-9)
    if _same(said, factor, there, decimals, near) or (_rounded(said, near) and off <= half):
        return True
    return None if off <= max(half, 0.5 * 10.0**-decimals) else False


def _same(said: Quantity, factor: float, there: float, decimals: int, near: bool) -> bool:
    wanted = abs(said.value) * factor
    if abs(wanted - there) <= 1e-9 * max(1.0, there):
        return True
    step = factor * 10.0**-said.decimals
    if near and said.decimals <= 0:
        digits = str(round(abs(said.value)))
        zeros = min(len(digits) - len(digits.rstrip("0")), len(digits) - 2)  # at least two digits count
        step = max(step, factor * 10.0 ** max(0, zeros))
    if _rounded(said, near) and step > 1.0001 * 10.0**-decimals:
        return abs(wanted - there) <= 0.5 * step * (1 + 1e-9)
    return near and abs(wanted - there) <= 0.01 * there


def _rounded(said: Quantity, near: bool) -> bool:
    """Returns whether a number has enough digits to be rounded."""
    return said.decimals != 0 or abs(said.value) >= 10 or near


def whole_share(quantity: Quantity, text: str) -> Quantity:
    """Converts 0.85 to 85 % if the statement calls it a fraction."""
    if abs(quantity.value) <= 1 and re.search(
        r"\bas a (?:fraction|share|proportion)\b|\bfraction of (?:one|1)\b", text
    ):
        return replace(quantity, value=100 * quantity.value, decimals=max(0, quantity.decimals - 2), percent=True)
    return quantity
