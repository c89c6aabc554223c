"""Compares names of people, ignoring accents, initials, order and particles."""

import re
import unicodedata
from dataclasses import dataclass

from engine.text_search import folded

_PARTICLES = frozenset(
    {
        "al", "bin", "da", "das", "de", "dei", "del", "della", "den", "der", "di", "dos", "du", "el", "ibn", "la", "le",
        "ten", "ter", "van", "vander", "von", "y", "zu", "zum",
    }
)  # fmt: skip
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md"})
_TITLES = re.compile(r"^(?:(?:dr|prof|professor|mr|mrs|ms)\.?\s+)+", re.IGNORECASE)
NAME_WORD = (
    r"(?:(?:-?[^\W\d_a-z]\.)+|(?:[dlDLO]['’])?[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*\.?"
    r"|van|von|der|den|de|da|di|del|la|le|el|al|bin|ten|ter|dos|du)"
)
"""A pattern for a word of a written name: capitalised, initials with full stops, or a particle."""


@dataclass(frozen=True, slots=True)
class PersonName:
    """A parsed name in plain lower-case letters, with written-out umlauts reduced to one letter. ``family`` excludes
    particles."""

    family: str
    given: tuple[str, ...] = ()


def parse_name(text: str) -> PersonName:
    """Parses "First Middle Last", "Last, First" and "Last FM", without titles; an empty text gives an empty name."""
    composed = _TITLES.sub("", unicodedata.normalize("NFC", text).strip())
    if "," in composed:
        family, _, given = composed.partition(",")
        if folded(given).strip(" .") in _SUFFIXES:
            composed = family
        else:
            return _made(_words(family), _words(given))
    words = _words(composed)
    while len(words) > 1 and folded(words[-1]).strip(".") in _SUFFIXES:
        words.pop()
    if not words:
        return PersonName("")
    if len(words) > 1 and _is_initials(words[-1]) and not _is_initials(words[0]):
        return _made(words[:-1], words[-1:])
    return _made(words[-1:], words[:-1])


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_](?:[^\W\d_]|['’])*\.?", text)


def _is_initials(word: str) -> bool:
    return word.endswith(".") or (len(word) <= 2 and word.isupper() and word.isascii())


def _plain(word: str) -> str:
    # Müller is written Muller or Mueller, Ørsted Orsted or Oersted: all become equal.
    return re.sub(r"(?<=[aou])e|(?<=a)a", "", re.sub(r"['’.]", "", folded(word)))


def _made(family: list[str], given: list[str]) -> PersonName:
    names = [_plain(word) for word in family]
    kept = [name for name, word in zip(names, family, strict=True) if folded(word) not in _PARTICLES] or names
    firsts: list[str] = []
    for word in given:
        if folded(word).strip(".") in _PARTICLES | _SUFFIXES:
            continue
        # "JW" is two initials, but "Jo" a name.
        firsts.extend(_plain(word) if word.isupper() and 1 < len(word.strip(".")) <= 3 else [_plain(word)])
    return PersonName("".join(kept), tuple(name for name in firsts if name))


def same_person(one: str | PersonName, other: str | PersonName) -> bool:
    """Returns whether both can be names of one person: family names agree and no given name contradicts another.

    Initials match names that begin with them. A family name alone never matches, since too many people share one. "Wei
    Li" and "Li Wei" match, because it is unknown which is the family name.
    """
    a = parse_name(one) if isinstance(one, str) else one
    b = parse_name(other) if isinstance(other, str) else other
    if not (a.family and b.family and a.given and b.given):
        return False
    if a.family == b.family:
        return _given_agree(a.given, b.given)
    # Reversed order: only full names, since initials would match by chance.
    if len(a.given) == len(b.given) == 1 and min(len(a.given[0]), len(b.given[0])) > 1:
        return a.family == b.given[0] and b.family == a.given[0]
    return False


def _given_agree(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    # The first names must match; of further names, the shorter list must occur in order in the longer one.
    if not _agree(a[0], b[0]) and "".join(a) != "".join(b):
        return False
    short, long = sorted((a[1:], b[1:]), key=len)
    place = 0
    for name in short:
        while place < len(long) and not _agree(name, long[place]):
            place += 1
        if place == len(long):
            return "".join(a) == "".join(b)
        place += 1
    return True


def _agree(a: str, b: str) -> bool:
    if len(a) == 1 or len(b) == 1:
        return a[0] == b[0]
    return a == b
