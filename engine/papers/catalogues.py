"""Papers as described by online catalogues: CSL and Crossref items, JSON of Semantic Scholar and OpenAlex, arXiv's
Atom. Pure functions that return ``LibraryPaper``; unknown fields are ignored, missing ones are empty."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree import ElementTree

from engine.errors import BadInput
from engine.papers.entry import doi_in_link
from engine.papers.library import normal_arxiv, normal_doi
from engine.papers.records import LibraryPaper

_ATOM = "{http://www.w3.org/2005/Atom}"
_MOST_WORDS = 20_000
"""The most words in an abstract; words at later positions are dropped."""
_ARXIV = "{http://arxiv.org/schemas/atom}"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Returns text on one line, the first entry of a list, and "" for anything but text and numbers."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    # JSON can contain half of a surrogate pair, which no file can; it becomes a replacement character.
    text = str(value).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return " ".join(text.split())


def _filled(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, values)))


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def csl_paper(item: Mapping[str, Any]) -> LibraryPaper:
    """Converts a CSL item, including Crossref's variant, in which titles are lists."""
    link = _text(item.get("URL"))
    doi = normal_doi(_text(item.get("DOI"))) or doi_in_link(link)
    arxiv = next(
        (a for key in ("number", "archive_location", "note", "URL", "DOI") if (a := _arxiv(_text(item.get(key))))), ""
    )
    return LibraryPaper(
        id="",
        title=_plain(_text(item.get("title"))),
        abstract=_plain(_text(item.get("abstract"))),
        year=_year(item),
        venue=_plain(_text(item.get("container-title")) or _text(item.get("publisher"))),
        authors=_filled(map(_csl_name, _list(item.get("author")))),
        doi=doi,
        arxiv_id=arxiv,
        source_id=_text(item.get("id")),
        link=link,
    )


def _plain(text: str) -> str:
    # markup in CSL (rich text) and Crossref (JATS): <i>, <sub>, <jats:p>...
    return " ".join(re.sub(r"</?[a-zA-Z][\w:-]*(?: [^<>]*)?/?>", "", text).split())


def _arxiv(text: str) -> str:
    found = re.search(r"(?:arxiv[:. /]|arxiv\.org/\w+/)\s*(\S+)", text, re.IGNORECASE)
    return normal_arxiv(found[1].rstrip(".,;)")) if found else ""


def _year(item: Mapping[str, Any]) -> int:
    for key in ("issued", "published", "published-print", "published-online"):
        date = item.get(key)
        if isinstance(date, dict):
            parts = date.get("date-parts")
            said = json.dumps(parts) if parts else _text(date.get("literal") or date.get("raw"))
            found = re.search(r"\d{4}", said)
            if found:
                return int(found[0])
    return 0


def _csl_name(part: Any) -> str:
    if not isinstance(part, dict):
        return _text(part)
    if part.get("literal") or part.get("name"):
        return _text(part.get("literal") or part.get("name"))
    words = (part.get("given"), part.get("non-dropping-particle") or part.get("dropping-particle"), part.get("family"))
    name = " ".join(filter(None, map(_text, words)))
    return f"{name}, {_text(part['suffix'])}" if part.get("suffix") else name


def semantic_scholar_paper(item: Mapping[str, Any]) -> LibraryPaper:
    """Converts a paper from Semantic Scholar; unknown fields are ignored, missing ones are empty."""
    outside, pdf = _dict(item.get("externalIds")), _dict(item.get("openAccessPdf"))
    open_access = item.get("isOpenAccess", item.get("openAccess"))
    year = item.get("year")
    areas = item.get("fieldsOfStudy") or [_dict(area).get("category") for area in _list(item.get("s2FieldsOfStudy"))]
    return LibraryPaper(
        id="",
        title=_text(item.get("title")),
        abstract=_text(item.get("abstract")),
        year=int(year) if isinstance(year, int | float) and not isinstance(year, bool) and 0 < year < 10_000 else 0,
        venue=_text(item.get("venue")) or _text(_dict(item.get("journal")).get("name")),
        authors=_filled(_dict(part).get("name", part) for part in _list(item.get("authors"))),
        doi=normal_doi(_text(outside.get("DOI") or item.get("doi"))),
        arxiv_id=normal_arxiv(_text(outside.get("ArXiv") or item.get("arXivId") or item.get("arxivId"))),
        source_id=_text(item.get("paperId") or item.get("ssId")),
        link=_text(pdf.get("url") or item.get("link") or item.get("url")),
        open_access=open_access if isinstance(open_access, bool) else None,
        areas=tuple(dict.fromkeys(_filled(_list(areas)))),
    )


def openalex_paper(item: Mapping[str, Any]) -> LibraryPaper:
    """Converts a work from OpenAlex (https://docs.openalex.org/api-entities/works/work-object). Abstracts are given as
    words with their positions and are reassembled."""
    place = _dict(item.get("primary_location"))
    access = _dict(item.get("open_access"))
    year = item.get("publication_year")
    open_access = access.get("is_oa")
    landing = _text(place.get("landing_page_url"))
    link = _text(access.get("oa_url")) or landing or _text(item.get("id"))
    doi = normal_doi(_text(item.get("doi")))
    return LibraryPaper(
        id="",
        title=_plain(_text(item.get("display_name")) or _text(item.get("title"))),
        abstract=_plain(_uninverted(item.get("abstract_inverted_index"))),
        year=year if isinstance(year, int) and not isinstance(year, bool) and year > 0 else 0,
        venue=_text(_dict(place.get("source")).get("display_name")),
        authors=_filled(
            _dict(_dict(part).get("author")).get("display_name") for part in _list(item.get("authorships"))
        ),
        doi=doi,
        arxiv_id=normal_arxiv(doi) or normal_arxiv(landing),
        source_id=_text(item.get("id")).rsplit("/", 1)[-1],
        link=link,
        open_access=open_access if isinstance(open_access, bool) else None,
        areas=tuple(dict.fromkeys(_filled(_dict(topic).get("display_name") for topic in _list(item.get("topics"))))),
    )


def _uninverted(index: Any) -> str:
    places = {
        place: word
        for word, found in _dict(index).items()
        for place in _list(found)
        if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < _MOST_WORDS
    }
    return _text(" ".join(places[place] for place in sorted(places)))


def atom_papers(xml: str) -> tuple[LibraryPaper, ...]:
    """Returns the papers in a response of arXiv's API (https://info.arxiv.org/help/api/user-manual.html). Raises
    BadInput if it isn't an Atom feed."""
    try:
        # The caller limits the size, and expat limits the expansion of entities.
        feed = ElementTree.fromstring(xml)  # noqa: S314
    except ElementTree.ParseError as error:
        raise BadInput("The answer from arXiv can't be read.", "Nothing was looked up.", "Try again later.") from error
    papers = []
    for entry in feed.iter(f"{_ATOM}entry"):
        arxiv = normal_arxiv(_text(entry.findtext(f"{_ATOM}id")))
        title = _text(entry.findtext(f"{_ATOM}title"))
        if not arxiv or title == "Error":
            continue
        year = re.match(r"\d{4}", _text(entry.findtext(f"{_ATOM}published")))
        papers.append(
            LibraryPaper(
                id="",
                title=title,
                abstract=_text(entry.findtext(f"{_ATOM}summary")),
                year=int(year[0]) if year else 0,
                venue=_text(entry.findtext(f"{_ARXIV}journal_ref")),
                authors=_filled(author.findtext(f"{_ATOM}name") for author in entry.iter(f"{_ATOM}author")),
                doi=normal_doi(_text(entry.findtext(f"{_ARXIV}doi"))),
                arxiv_id=arxiv,
                link=f"https://arxiv.org/abs/{arxiv}",
                open_access=True,
            )
        )
    return tuple(papers)
