"""Finds what in a text identifies its authors: names, affiliations, addresses, links, self-citations, paths.

Names and affiliations are given by the user or the paper's metadata. Nothing is looked up on the network.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from engine.resource_files import resource_table
from engine.reviews.records import Span

IdentityKind = Literal["name", "affiliation", "e-mail", "link", "self-citation", "path", "metadata", "acknowledgement"]

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_LINK = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]\"“”]{3,300}|(?<![\w@./-])(?:[\w-]{1,63}\.)+(?:com|org|net|edu|io|ai|gov|ac\.[a-z]{2}|[a-z]{2})/[^\s<>()\[\]\"“”]{1,300}"
)
_SAFE = re.compile(
    r"^(?:https?://)?(?:www\.)?(?:anonymous\.4open\.science|anonymous\.github\.io|(?:dx\.)?doi\.org|arxiv\.org/(?:abs|pdf)|"
    r"openreview\.net|aclanthology\.org|proceedings\.mlr\.press|papers\.nips\.cc|en\.wikipedia\.org|"
    r"creativecommons\.org)",
    re.IGNORECASE,
)
_WHOSE = re.compile(
    r"^(?:https?://)?(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|huggingface\.co|orcid\.org|scholar\.google|"
    r"linkedin\.com|twitter\.com|x\.com|drive\.google|dropbox\.com|kaggle\.com|zenodo\.org|osf\.io|figshare\.com|"
    r"[\w.-]+\.github\.io|[\w.-]+\.(?:edu|ac\.[a-z]{2}|uni-[\w-]+\.[a-z]{2}))",
    re.IGNORECASE,
)
_ORCID = re.compile(r"\b\d{4}-\d{4}-\d{4}-\d{3}[\dX]\b")
_PATH = re.compile(
    r"(?<![\w/])(?:/(?:home|Users|mnt|data|export)/[\w.-]+(?:/[\w.-]+)*|[A-Z]:\\(?:Users|home)\\[\w .-]+)"
)
_WHY: dict[IdentityKind, str] = {
    "name": "An author's name.",
    "affiliation": "An author's affiliation.",
    "e-mail": "An e-mail address.",
    "link": "A link that can reveal its owner or who follows it.",
    "self-citation": "It reveals whose earlier work this is. Cite it like any other paper.",
    "path": "A file path with a user name.",
    "acknowledgement": "It reveals who is behind the work.",
}
_PARTICLES = frozenset("van von der den de la le di da dos du bin ibn al el".split())  # noqa: SIM905
_COMMON = 3
_REST = re.compile(r"(?<=\w)[\w’'-]*\w")
_LEGAL_FORM = re.compile(r",? (?:Ltd|Inc|GmbH|LLC|Corp|S\.?A|B\.?V)\.?$")
_END = r"(?![^\W\d])"  # a digit may follow: an affiliation mark


@dataclass(frozen=True, slots=True)
class Identifying:
    """Words that identify someone; ``span`` in code points of the text, empty for a file's metadata. ``sure`` is False
    if they only might."""

    kind: IdentityKind
    words: str
    span: Span
    why: str
    sure: bool = True


def find_identifying(text: str, names: Iterable[str] = ()) -> tuple[Identifying, ...]:
    """Returns everything that identifies authors, in text order. ``names`` are full names and affiliations, found
    regardless of accents; a surname alone also counts, unless it is very short, but isn't ``sure``."""
    found: list[Identifying] = []

    def add(kind: IdentityKind, start: int, end: int, *, sure: bool = True) -> None:
        if not any(one.span.start < end and start < one.span.end for one in found):
            found.append(Identifying(kind, text[start:end], Span(start, end), _WHY[kind], sure))

    for match in _MAIL.finditer(text):
        add("e-mail", *match.span())
    for match in _LINK.finditer(text):
        words = match[0].rstrip(".,;:!?'")
        if not _SAFE.match(words):
            add("link", match.start(), match.start() + len(words), sure=bool(_WHOSE.match(words)))
    for match in _ORCID.finditer(text):
        add("link", *match.span())
    for match in _PATH.finditer(text):
        add("path", *match.span())
    plain, places = _plain(text)
    for name in names:
        for pattern, sure in _patterns(name):
            for match in pattern.finditer(plain):
                kind: IdentityKind = "affiliation" if _is_affiliation(name) else "name"
                add(kind, places[match.start()], places[match.end()], sure=sure)
    for worded, pattern in _worded().items():
        for match in pattern.finditer(text):
            # A pattern may begin with white space, and end within a word: "funded by the [A-Z]".
            start, rest = match.end() - len(match[0].lstrip()), _REST.match(text, match.end())
            add(worded, start, rest.end() if rest is not None else match.end(), sure=False)
    return tuple(sorted(found, key=lambda one: one.span.start))


@cache
def _worded() -> dict[IdentityKind, re.Pattern[str]]:
    patterns: dict[IdentityKind, list[str]] = resource_table("identity.toml")["patterns"]
    return {kind: re.compile("|".join(held), re.IGNORECASE) for kind, held in patterns.items()}


def hide(text: str, names: Iterable[str]) -> str:
    """Returns the text with names, affiliations and e-mail addresses blacked out, with its length unchanged. Surnames
    that are also common words are blacked out, too."""
    hidden = list(text)
    for one in find_identifying(text, names):
        if one.kind in {"name", "affiliation", "e-mail"}:
            hidden[one.span.start : one.span.end] = "█" * (one.span.end - one.span.start)
    return "".join(hidden)


def metadata_identifying(fields: Iterable[tuple[str, str]], where: str) -> tuple[Identifying, ...]:
    """Returns what a file's metadata, as (field, value) pairs, say about its author. Names of programs are ignored.
    ``where`` names the file."""
    telling = {"author", "creator", "last modified by", "company", "manager"}
    return tuple(
        Identifying("metadata", value, Span(0, 0), f"{where} says “{name}: {value}” in its metadata.")
        for name, value in fields
        if name.casefold() in telling and value.strip() and not _PROGRAM.search(value)
    )


_PROGRAM = re.compile(
    r"\b(?:tex|latex|pdf\w*|word|writer|acrobat|ghostscript|rejoinder|python-docx|libreoffice|overleaf|quartz|typst|"
    r"hyperref|dvips|skia|chrom\w+|microsoft|adobe|pandoc|anonymous|authors?)\b",
    re.IGNORECASE,
)


def _is_affiliation(name: str) -> bool:
    return bool(
        re.search(
            r"\b(?:universit\w*|institut\w*|college|school|laborator\w*|labs?|centre|center|inc|ltd|gmbh|corp\w*|"
            r"department|academy|hospital|foundation|research|eth|mit|google|microsoft|meta)\b",
            name,
            re.IGNORECASE,
        )
    )


def _patterns(name: str) -> list[tuple[re.Pattern[str], bool]]:
    plain = _LEGAL_FORM.sub("", _plain(name.strip())[0])
    words = plain.split()
    if not words:
        return []
    whole = r"[\s.,]+".join(re.escape(word.strip(".,")) for word in words if word.strip(".,"))
    found = [(re.compile(rf"(?<!\w){whole}{_END}", re.IGNORECASE), True)]
    if len(words) > 1 and not _is_affiliation(name):
        surname = words[-1].strip(".,")
        if len(surname) > _COMMON and surname.casefold() not in _PARTICLES:
            initial = rf"{re.escape(words[0][0])}\.?\s*"
            found.append((re.compile(rf"(?<!\w){initial}{re.escape(surname)}{_END}", re.IGNORECASE), True))
            found.append((re.compile(rf"(?<!\w){re.escape(surname[0].upper() + surname[1:])}{_END}"), False))
    return found


def _plain(text: str) -> tuple[str, list[int]]:
    """Returns the text without accents, and for each of its positions (and its end) the position in the original."""
    letters, places = [], []
    for at, ch in enumerate(text):
        for part in unicodedata.normalize("NFD", ch):
            if not unicodedata.combining(part):
                letters.append(part)
                places.append(at)
    places.append(len(text))
    return "".join(letters), places
