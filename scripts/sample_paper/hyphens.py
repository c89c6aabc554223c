"""Hyphenates English words with a few rules, stricter than necessary, so that breaks look right."""

import re

_SUFFIXES = re.compile(
    r"(?:[tsc]ions?|ments?|ness|tures?|tives?|cial|tial|ings?|ences?|ances?|[ai]ble|ward|hood|ship|less|ful|days?)$"
)
_PREFIXES = ("per", "inter", "over", "under", "com", "con", "sub", "dis", "mis", "un", "ex", "re", "pro")
_KEPT_TOGETHER = re.compile(r"[tscpgw]h|ck|qu|ng|[tdbcfgp]r|[bcfgps]l|s[tpkcmns]|ll|ff|tw|dg")
_VOWELS = "aeiouy"


def break_points(word: str) -> list[int]:
    """Returns the positions in ``word`` after which a hyphen is allowed; [] for words of under six letters."""
    if not re.fullmatch(r"[A-Za-z]{6,}", word):
        return []
    lower = word.lower()
    points: set[int] = set()
    found = _SUFFIXES.search(lower)
    if found and found.start() >= 4:
        stem = lower[: found.start()]
        doubled = found[0].startswith("ing") and stem[-1] == stem[-2] and stem[-1] not in "lsf"
        points.add(len(stem) - 1 if doubled else len(stem))
    for prefix in _PREFIXES:
        rest = lower[len(prefix) :]
        if lower.startswith(prefix) and len(rest) >= 4 and rest[0] not in _VOWELS and not rest.startswith("st"):
            points.add(len(prefix))
    for position in range(2, len(lower) - 2):
        pair = lower[position - 1 : position + 1]
        if re.fullmatch(f"[^{_VOWELS}](e|ed|es|en|est|ings?)", lower[position:]):
            continue  # the consonant belongs to the stem: work-ing, not wor-king
        between = lower[position - 2] in _VOWELS and lower[position + 1] in _VOWELS
        if between and all(letter not in _VOWELS for letter in pair) and not _KEPT_TOGETHER.fullmatch(pair):
            points.add(position)
    chosen: list[int] = []
    for point in sorted(points):
        if point < 2 or len(lower) - point < 3:
            continue
        if not re.search(f"[{_VOWELS}]", lower[:point]) or not re.search(f"[{_VOWELS}]", lower[point:].rstrip("e")):
            continue
        if not chosen or point - chosen[-1] >= 2:
            chosen.append(point)
    return chosen
