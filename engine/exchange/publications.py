"""A person's publications from whatever file they have: BibTeX, RIS, CSL-JSON, Semantic Scholar JSON, CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine.errors import BadInput
from engine.exchange.bibtex import looks_like_bibtex, read_bibtex
from engine.exchange.citation_json import is_csl, is_semantic_scholar, read_csl, read_semantic_scholar
from engine.exchange.encoding import read_text
from engine.exchange.io import parse_table
from engine.exchange.jsontext import try_json
from engine.exchange.records import Publications
from engine.exchange.ris import looks_like_ris, read_ris
from engine.papers.entry import PaperEntry, recognise
from engine.papers.library import normal_arxiv, normal_doi
from engine.papers.names import folded
from engine.papers.records import LibraryPaper

_COLUMNS: dict[str, tuple[str, ...]] = {
    "title": ("title", "papertitle", "articletitle", "documenttitle", "name", "titel", "titre"),
    "authors": ("authors", "author", "authornames", "authorfullnames", "autoren", "auteurs"),
    "year": ("year", "publicationyear", "pubyear", "date", "published", "jahr", "annee"),
    "venue": ("venue", "journal", "publication", "sourcetitle", "booktitle", "conference", "publicationtitle"),
    "abstract": ("abstract", "abstractnote", "summary"),
    "doi": ("doi",),
    "arxiv": ("arxiv", "arxivid", "eprint"),
    "link": ("link", "url", "pdf", "articleurl"),
    "id": ("id", "paperid", "ssid", "key", "eid"),
    "areas": ("areas", "fieldsofstudy", "keywords", "subjects"),
}


def read_publications(path: Path) -> Publications:
    """The papers of a file, whose kind is recognised by what is in it.

    Raises:
        BadInput: it cannot be read, or is of no kind that holds publications.
    """
    text = read_text(path)
    found = read_publications_text(text.text, path.name)
    return Publications(found.papers, (*text.warnings, *found.warnings), found.author, found.author_id)


def read_publications_text(text: str, name: str) -> Publications:
    """As ``read_publications``, for text that was pasted; ``name`` is for people."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped[:1] in {"{", "["}:
        document = try_json(stripped)
        if is_csl(document):
            return read_csl(stripped, name)
        if is_semantic_scholar(document):
            return read_semantic_scholar(stripped, name)
        if document is not None:
            raise _unknown(name)
    if looks_like_ris(text):
        return read_ris(text, name)
    if looks_like_bibtex(text) and "title" not in _columns(re.split(r"[,;\t]", stripped.split("\n", 1)[0])):
        return read_bibtex(text, name)
    return read_publications_csv(text, name)


def _unknown(name: str) -> BadInput:
    return BadInput(
        f"{name} holds no publications that could be read.",
        "Nothing was imported.",
        "Choose a BibTeX, RIS, CSL-JSON or Semantic Scholar file, or a table with a column “title”.",
    )


def read_publications_csv(text: str, name: str) -> Publications:
    """A table with a header. Raises BadInput where no column is called title."""
    table = parse_table(text, name)
    columns = _columns(table.columns)
    if "title" not in columns:
        raise _unknown(name)
    papers, warnings = [], list(table.warnings)
    for number, row in zip(table.numbers, table.rows, strict=True):
        cells = {key: row[place].strip() for key, place in columns.items()}
        if cells["title"]:
            papers.append(_paper(cells))
        else:
            warnings.append(f"{name}, row {number}: there is no title.")
    return Publications(tuple(papers), tuple(warnings))


def _columns(header: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    plain = [re.sub(r"[^a-z]", "", folded(cell)) for cell in header]
    for key, names in _COLUMNS.items():
        place = next((plain.index(name) for name in names if name in plain), None)
        if place is not None and place not in found.values():
            found[key] = place
    return found


def _paper(cells: dict[str, str]) -> LibraryPaper:
    year = re.search(r"\b\d{4}\b", cells.get("year", ""))
    link = cells.get("link", "")
    return LibraryPaper(
        id="",
        title=cells["title"],
        abstract=cells.get("abstract", ""),
        year=int(year[0]) if year else 0,
        venue=cells.get("venue", ""),
        authors=_names(cells.get("authors", "")),
        doi=normal_doi(cells.get("doi", "")) or normal_doi(link),
        arxiv_id=normal_arxiv(cells.get("arxiv", "")) or normal_arxiv(link),
        source_id=cells.get("id", ""),
        link=link,
        areas=tuple(part.strip() for part in cells.get("areas", "").split(";") if part.strip()),
    )


def _names(cell: str) -> tuple[str, ...]:
    """Names apart: at semicolons, at "and", else at commas, unless these only turn "Last, First" round."""
    if ";" in cell:
        parts = cell.split(";")
    elif re.search(r"\s(?:and|&)\s", cell):
        parts = re.split(r"\s*,?\s+(?:and|&)\s+|,\s*", cell)
    else:
        parts = cell.split(",")
        if len(parts) == 2 and not all(" " in part.strip() for part in parts):
            parts = [cell]
    names = []
    for part in parts:
        family, comma, given = part.strip().partition(",")
        name = f"{given.strip()} {family.strip()}" if comma and given.strip() else family.strip()
        if name:
            names.append(" ".join(name.split()))
    return tuple(names)


def recognise_paper(text: str) -> PaperEntry:
    """As ``engine.papers.entry.recognise``; a pasted bibliography entry tells more than an identifier, and goes first.

    What looks like BibTeX but cannot be read is looked through for an identifier.
    """
    papers: tuple[LibraryPaper, ...] = ()
    if looks_like_bibtex(text):
        papers = read_bibtex(text).papers
    elif looks_like_ris(text):
        papers = read_ris(text).papers
    return PaperEntry("bibtex", papers[0], papers[1:]) if papers else recognise(text)
