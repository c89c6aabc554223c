"""Recognises a paper in typed or pasted text: a link, a DOI, an arXiv id, a title, or a line of a reference list."""

import re
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from engine.papers.library import ARXIV_ID, normal_arxiv, normal_doi
from engine.papers.names import NAME_WORD
from engine.papers.records import LibraryPaper

EntryKind = Literal["doi", "arxiv", "link", "bibtex", "title", "nothing"]
MAX_TITLE = 400
"""Longer text isn't a title; it is only searched for identifiers."""

_LINK = re.compile(r"(?:https?://|www\.)\S+|\b(?:arxiv\.org|doi\.org|openreview\.net|aclanthology\.org)/\S+", re.I)
# Authors (2020). Title. Venue. - or: Authors. 2020. Title. Venue.
_REFERENCE = re.compile(
    r"^(?P<authors>[^()\n]{4,300}?)[.,]?\s*\(?(?P<year>(?:19|20)\d\d)[a-z]?\)?[.,:]\s+(?P<title>[^.?!\n]{12,300}[?!]?)(?:\.|$|(?<=[?!]))"
)
_QUOTED = re.compile(r"[“\"„«]([^“”\"„«»]{12,300}?)[,.]?[”\"“»]")


@dataclass(frozen=True, slots=True)
class PaperEntry:
    """The result of ``recognise``. ``further`` are additional papers if several were pasted."""

    kind: EntryKind
    paper: LibraryPaper
    further: tuple[LibraryPaper, ...] = ()


def recognise(text: str) -> PaperEntry:
    """Recognises the paper that ``text`` names, offline, so an identifier stays without a title until it is looked up.

    Several lines, each with an identifier or a link, are several papers. Without a result, the kind is "nothing" and
    the paper is empty.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        found = [_one(line) for line in lines]
        if all(entry.kind in {"doi", "arxiv", "link"} for entry in found):
            return replace(found[0], further=tuple(entry.paper for entry in found[1:]))
    return _one(" ".join(lines))


def _one(text: str) -> PaperEntry:
    link = _first_link(text)
    if link:
        doi = doi_in_link(link)
        arxiv = normal_arxiv(link) or normal_arxiv(doi)
        rest = text.replace(link, " ").strip()
    else:
        doi = normal_doi(text)
        arxiv = normal_arxiv(doi)
        rest = re.sub(re.escape(doi), " ", text, flags=re.IGNORECASE) if doi else text
    if not arxiv and (alone := _arxiv_in(rest)):
        arxiv = alone
        rest = ARXIV_ID.sub(" ", rest, count=1)
    paper = _described(rest)
    paper = replace(
        paper, doi=doi, arxiv_id=arxiv, link=_whole(link), source_id=_source_in(link),
        open_access=True if arxiv else None,
    )  # fmt: skip
    if arxiv and not paper.link:
        paper = replace(paper, link=f"https://arxiv.org/abs/{arxiv}")
    if arxiv:
        return PaperEntry("arxiv", paper)
    if doi:
        return PaperEntry("doi", paper)
    if link:
        return PaperEntry("link", paper)
    return PaperEntry("title" if paper.title else "nothing", paper)


def _first_link(text: str) -> str:
    found = _LINK.search(text)
    if found is None:
        return ""
    link = found[0].rstrip(".,;:!'”’\"»>")
    while link.endswith(")") and link.count(")") > link.count("("):
        link = link[:-1]
    return link


def _whole(link: str) -> str:
    return link if not link or re.match(r"(?i)https?://", link) else f"https://{link}"


def doi_in_link(link: str) -> str:
    """Returns the DOI in an address, without suffixes that publishers append; "" if there is none."""
    if link[:4].lower() == "doi:":
        return normal_doi(link)
    try:
        address = urlsplit(_whole(link))
    except ValueError:  # brackets that contain no valid address
        return normal_doi(link)
    doi = normal_doi(address.path + (f"?{address.query}" if "doi=" in address.query else ""))
    if not doi and (values := parse_qs(address.query).get("doi")):
        doi = normal_doi(values[0])
    doi = doi.split("?")[0].rstrip("/")
    doi = re.sub(r"\.(?:full(?:\.pdf)?|pdf|abstract|html?|xml|epub)$|/(?:full|pdf|abstract|meta|epdf)$", "", doi)
    # Preprint servers append the version to the identifier.
    return re.sub(r"(?<=\d)v\d+$", "", doi) if doi.startswith("10.1101/") else doi


def _source_in(link: str) -> str:
    found = re.search(r"semanticscholar\.org/(?:paper|reader)/(?:[^/?#]*/)?([0-9a-f]{40})\b", link)
    return found[1] if found else ""


def _arxiv_in(text: str) -> str:
    """Finds an identifier that follows "arXiv" or stands alone; elsewhere, four digits, a dot and more are just a
    number."""
    stripped = text.strip().strip("[](){}.,;")
    if alone := normal_arxiv(stripped):
        return alone
    named = re.finditer(r"arxiv[:\s/]*(?=(\S+))", text, re.IGNORECASE)
    return next((arxiv for found in named if (arxiv := normal_arxiv(found[1].strip("[](){}.,;")))), "")


def _described(text: str) -> LibraryPaper:
    """Returns the title, and for a reference also authors and year, from text without its identifiers."""
    text = re.sub(
        r"(?i)\b(?:doi|arxiv|url|pdf|available at|retrieved from)\s*:?\s*$|^\s*(?:doi|arxiv|url)\s*:?", "", text
    )
    text = re.sub(r"\(\s*\)|\[\s*\]", " ", text)
    text = " ".join(text.split()).strip(" ,;:-–—|")
    if len(text) > MAX_TITLE or not re.search(r"[^\W\d_]{2}", text):
        return LibraryPaper("", "")
    if quoted := _QUOTED.search(text):
        year = re.search(r"\b(?:19|20)\d\d\b", text[quoted.end() :] or text)
        return LibraryPaper("", quoted[1].strip(), year=int(year[0]) if year else 0)
    found = _REFERENCE.match(text)
    if found and _looks_like_names(found["authors"]):
        return LibraryPaper(
            "", found["title"].strip(), year=int(found["year"]), authors=_reference_authors(found["authors"])
        )
    return LibraryPaper("", text.rstrip("."))


def _looks_like_names(text: str) -> bool:
    """Returns whether all parts are names of at least two words; a title such as "Cats and dogs, 2020:" isn't."""
    names = _reference_authors(text)
    return bool(names) and all(re.fullmatch(rf"{NAME_WORD}(?: {NAME_WORD})+", " ".join(name.split())) for name in names)


def _reference_authors(text: str) -> tuple[str, ...]:
    text = re.sub(r",?\s*\bet al\b\.?|\b(?:eds?|hrsg)\b\.?", "", text).strip(" .,(")
    # "Doe, J., & Roe, A." and "J. Doe and A. Roe": initials after a comma belong to the preceding name.
    turned = re.findall(r"([^\s,&][^,&]*?),\s*((?:[A-Z]\.[\s-]?)*[A-Z]\b\.?)\s*(?=,|&|$|and\b)", text)
    if turned:
        return tuple(f"{given.rstrip('.')}. {family.strip().removeprefix('and ')}" for family, given in turned)
    parts = re.split(r"\s*,\s*(?:and\s+|&\s*)?|\s+(?:and|&)\s+", text)
    return tuple(part.strip() for part in parts if part.strip())
