"""The labels of a table and the words that mean them: in other writings, shortened, spelled out, in part."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.quantities import unit_of
from engine.statements.words import stem

TOKEN = re.compile(r"[^\W\d_]+(?:\d+(?![.\d]*\d*%)[^\W_]*)?|\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\w\s]")
F1 = re.compile(r"\bF[-–\s]?(?:[1₁][-–\s]?)?(?:scores?|measures?)\b|\bF-?1\b|\bFscore\b", re.IGNORECASE)
NUMBER_OF = re.compile(r"\b[Nn](?:o|um|r)\.\sof\b|#\s?(?=\w)|\b[Nn]umber of\b")
_ALIKE = str.maketrans("∆∑∏µΩ’‘◦º", "ΔΣΠμΩ''°°")
"""Signs of mathematics as the letters that look the same."""
_PLAIN = str.maketrans("−–’∗", "--'*")
_LETTERS = "abcdefghijk"
_NOTES = re.compile(rf"(?<=[^\W\d_][{_LETTERS}])(?:,[{_LETTERS}])+(?!\S)")
"""The letters of further notes behind a word that has that of the first."""
_BESIDE = re.compile(r"^\((?:\d{1,2}|[a-z])\)\s*|\s*[(\[][^()\[\]]*[)\]]$|\s+\d\d\s?%\s?C\.?I\.?$")
"""What is beside a name in a label: an enumeration, a unit, an explanation, an interval's level."""
_CITED = re.compile(r"\s*\[[\d,\s?]+\]")
_WORDS = resource_table("table_words.toml")
_SAME: dict[str, str] = _WORDS["same"]
_SHORT: dict[str, str] = _WORDS["short"]
MEASURED: dict[str, str] = _WORDS["measured"]
"""By unit the words for what is measured in it."""
GLUE = frozenset(_WORDS["glue"].split())
"""Words that say nothing of what a table is about."""
LITTLE = frozenset(_WORDS["little"].split())
_STEMS = frozenset(map(stem, GLUE))


def same_letters(text: str) -> str:
    """A text with each sign as the letter that looks the same; places stay where they are."""
    return text.translate(_ALIKE)


@lru_cache(maxsize=20_000)
def squeezed(text: str) -> str:
    """A text without its spaces, with plain dashes and quotation marks, to compare with another letter by letter."""
    return "".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold().split())


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """A word in the form in which words are compared."""
    plural = len(word) > 2 and word[-1] == "s" and word[:-1].isupper()
    word = (word[:-1] if plural else word).casefold()
    word = _SAME.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _SAME.get(word, word)


EMPTY = GLUE | {fold(word) for word in GLUE}


def says_little(word: str) -> bool:
    """Whether a word, in any of its forms, says nothing of what a table is about."""
    return word.lower() in GLUE or (word.islower() and stem(word) in _STEMS)


@lru_cache(maxsize=20_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label in the form in which words are compared."""
    label = NUMBER_OF.sub("number ", same_letters(unicodedata.normalize("NFKC", _NOTES.sub("", label))))
    return tuple(fold(t) for t in TOKEN.findall(F1.sub("f1", label)) if t[0].isalnum())


@lru_cache(maxsize=256)
def _bare(labels: tuple[str, ...]) -> dict[str, str]:
    """Each label of a dimension less what is beside its name, where that leaves another name than those of the others
    or the same unit was beside several."""
    bare = {label: _BESIDE.sub("", _BESIDE.sub("", label)) for label in labels}
    found = {}
    for label, name in bare.items():
        alone = sum(other.casefold() == name.casefold() for other in bare.values()) == 1
        unit = unit_of(label[len(name) :].strip(" ()[]"))
        if name and name != label and (alone or unit) and re.search(r"[^\W\d_]", name):
            found[label] = name
    return found


def bare(label: str, layout: Layout, dimension: int) -> str:
    """A label less what is beside its name, where it can be told apart without."""
    return _bare(layout.labels(dimension)).get(label, label)


@lru_cache(maxsize=100_000)
def fits(form: str, word: str) -> bool:
    """Whether a word is that of a label, or one that the label cuts short ("disc." for "discriminative")."""
    if form == word:
        return True
    note = form[-1] in _LETTERS or (form[-1].isdigit() and form[:-1].isalpha())
    if note and (len(word) > 3 or not word.isascii()) and word in (form[:-1], fold(form[:-1])):
        return True  # the letter or digit of a note stays on its word
    return (
        3 <= len(form) <= 6
        and max(7, len(form) + 3) <= len(word) <= 15
        and word.startswith(form)
        and not {form, word} & EMPTY
    )


@lru_cache(maxsize=100_000)
def has_word(forms: tuple[str, ...], word: str) -> bool:
    """Whether a word is one of those of a label."""
    return any(fits(form, word) for form in forms)


def cut_short(word: str, form: str) -> bool:
    """Whether a word before a stop ("tot.") is short for that of a label."""
    return len(form) > len(word) > 1 and form.startswith(word) and word.isalpha()


def is_whole(label: str, said: str, near: Sequence[str], layout: Layout, dimension: int) -> bool:
    """Whether words that are all of a label mean it: numbers only beside the name of their column or the heading above,
    letters by case."""
    words = label_words(label)
    if len(words) < 3 and all(re.fullmatch(r"[\d.,]+", word) for word in words):
        names = {w for name in layout.names for w in label_words(name)}
        before = near[: near.index(words[0])][-1:] if words[0] in near else []
        above = [d for d in layout.dimensions if dimension > d >= layout.rows]
        known = ({*label_words(layout.caption)} - LITTLE).union(
            *(label_words(x) for d in above for x in layout.labels(d))
        )
        return bool(names & {*near}) or "=" in near or bool({*before} & known)
    if len(words) == 1 and words[0] in EMPTY and label.isupper() and said.islower() and said != label.lower():
        return False  # "the results" for RESULT
    if len(words) == 1 and words[0] in EMPTY and len(words[0]) <= 4:
        inside = said == label and said[0].isupper() and near[0] != words[0]
        return fold(said) == words[0] and (inside or said.casefold() not in LITTLE)
    plain = same_letters(label)
    if sum(map(str.isalnum, plain)) <= 2:
        said = re.sub(r"[^\w]", "", same_letters(said))
        return said == "".join(t for t in TOKEN.findall(F1.sub("f1", plain)) if t[0].isalnum()) and said not in "aAI"
    return True


@lru_cache(maxsize=20_000)
def forms_of(label: str, caption: str) -> frozenset[tuple[str, ...]]:
    """The words of a label, and of what it is short for."""
    return frozenset({label_words(label), *_long_forms(label, caption)})


def _long_forms(label: str, caption: str) -> Iterator[tuple[str, ...]]:
    """What a short label is short for, by custom or by the caption."""
    yield label_words(_CITED.sub("", label))
    if label in _SHORT:
        yield label_words(_SHORT[label])
    if (work := re.match(r"(\S.*?),? et\s+al\b", label)) is not None:
        yield label_words(work[1])
    if not 1 <= len(label) <= 12 or not caption or not re.search(r"[^\W\d]", label):
        return
    escaped = re.escape(label)
    said = re.search(
        rf"(?<!\w){escaped}[”\"'’]?\s*(?::|=|refers to|stands for|denotes|means|indicates)\s*(?:the\s+)?"
        r"([^,;.:()]{3,60})",
        caption,
    )
    if said:
        yield label_words(said[1])
    before = re.search(rf"((?:[\w-]+\s+){{1,8}})[(“\"']+{escaped}[)”\"']", caption)
    if before:
        words = re.findall(r"[^\W_]+", before[1])
        letters = [c for c in label.casefold() if c.isalpha()]
        for count in range(1, len(words) + 1):
            if letters and words[-count][0].casefold() == letters[0] and count <= max(2, len(letters)):
                yield label_words(" ".join(words[-count:]))
                return
