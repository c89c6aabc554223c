"""How every search compares texts: without regard to case, accents, and kinds of dashes, quotation marks and spaces."""

import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain


class _Folds(dict[int, str]):
    """What each character is compared as, for ``str.translate``; marks become nothing."""

    def __missing__(self, code: int) -> str:
        plain = "".join(_PLAIN.get(c, c) for c in unicodedata.normalize("NFKD", chr(code).casefold()))
        self[code] = "".join(c for c in plain if not unicodedata.combining(c))
        return self[code]


# Letters that Unicode normalisation doesn't decompose into a base letter and a mark, and punctuation.
_PLAIN = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n",
    **dict.fromkeys("‘’‚‛′`´", "'"), **dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\t\n\r\u2028\u2029", " "),
}  # fmt: skip
_FOLDS = _Folds()


def folded(text: str) -> str:
    """Returns the form in which texts are compared; letters of other scripts are kept."""
    return text.translate(_FOLDS)


def holds(text: str, query: str) -> bool:
    """Returns whether a text contains what is searched for; true for an empty search."""
    return folded(query).strip() in folded(text)


def occurrences(text: str, query: str) -> Iterator[tuple[int, int]]:
    """Yields where a text contains what is searched for, as [start, end); nothing for an empty search. The length of
    white space in the query doesn't count."""
    wanted, plain = " ".join(folded(query).split()), folded(text)
    at = plain.find(wanted) if wanted else -1
    places = range(len(text) + 1) if text.isascii() or at < 0 else _places(text)
    while at >= 0:
        end = at + len(wanted)
        yield places[at], max(places[end], places[end - 1] + 1)
        at = plain.find(wanted, end)


def _places(text: str) -> list[int]:
    """Returns for each character of the folded text, and its end, the position in the text. Marks belong to the letter
    before them."""
    origins = [at for at, char in enumerate(text) for _ in _FOLDS[ord(char)]]
    return [*origins, len(text)]


def next_match(text: str, count: int, at: int, by: int, words: Callable[[int], str]) -> int | None:
    """Returns the next (``by`` 1), the previous (-1) or, from ``at`` on, the first of ``count`` entries (0) that has a
    text in it, or else all of its words, wrapping around. An entry that is the text comes first for 0."""
    wanted = folded(text).strip()
    steps = range(count) if by == 0 else range(1, count + 1)
    said = [(place, folded(words(place))) for place in ((at + step * (by or 1)) % count for step in steps if wanted)]
    found = chain(
        (place for place, there in said if by == 0 and there == wanted),
        (place for place, there in said if wanted in there),
        (place for place, there in said if all(word in there for word in wanted.split())),
    )
    return next(found, None)
