"""Reads and writes publication lists: BibTeX, RIS and CSL-JSON; reads Semantic Scholar JSON and tables as well.

RIS has one tag per line: two characters, two blanks, a dash, a blank; a record ends with ``ER``. See the RIS Format
Specifications of Research Information Systems (2011). CSL-JSON is the bibliography format of citation processors
(Zotero, Pandoc, Crossref): https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html

Semantic Scholar's authors and papers are read as its API and the released expertise data store them. An author has
``authorId``, ``name``, ``papers``; a paper ``paperId`` (released data: ``ssId``), ``title``, ``abstract``, ``year``,
``venue``, ``authors`` (objects or names), ``externalIds`` (released data: ``arXivId``), ``openAccessPdf`` or ``link``,
``isOpenAccess`` or ``openAccess``, ``fieldsOfStudy``. See https://api.semanticscholar.org/api-docs/graph
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from engine.errors import BadInput, not_imported
from engine.exchange.bibtex import looks_like_bibtex, read_bibtex
from engine.exchange.encoding import read_text
from engine.exchange.io import parse_table
from engine.exchange.jsontext import parse_json, text_of, try_json
from engine.exchange.records import Export, ExportFile, Publications
from engine.papers.catalogues import csl_paper, semantic_scholar_paper
from engine.papers.entry import PaperEntry, doi_in_link, recognise
from engine.papers.library import normal_arxiv, normal_doi
from engine.papers.records import LibraryPaper
from engine.shown import counted
from engine.text_search import folded

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
    """Returns the papers of a file, detecting its format from the content. Raises BadInput if it can't be read or its
    format isn't supported."""
    text = read_text(path)
    found = read_publications_text(text.text, path.name)
    return Publications(found.papers, (*text.warnings, *found.warnings), found.author, found.author_id)


def read_publications_text(text: str, name: str) -> Publications:
    """Like ``read_publications``, for text; ``name`` is used in messages."""
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
    return not_imported(
        f"{name} contains no readable publications.",
        "Choose a BibTeX, RIS, CSL-JSON or Semantic Scholar file, or a table with a column “title”.",
    )


def read_publications_csv(text: str, name: str) -> Publications:
    """Parses a table with a header. Raises BadInput if it has no title column (see ``_COLUMNS``)."""
    table = parse_table(text, name)
    columns = _columns(table.columns)
    if "title" not in columns:
        raise _unknown(name)
    papers, warnings = [], list(table.warnings)
    for number, row in zip(table.numbers, table.rows, strict=True):
        cells = {key: row[place].strip() for key, place in columns.items()}
        if cells["title"]:
            papers.append(_table_paper(cells))
        else:
            warnings.append(f"{name}, row {number}: the title is missing.")
    return Publications(tuple(papers), tuple(warnings))


def _columns(header: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    plain = [re.sub(r"[^a-z]", "", folded(cell)) for cell in header]
    for key, names in _COLUMNS.items():
        place = next((plain.index(name) for name in names if name in plain), None)
        if place is not None and place not in found.values():
            found[key] = place
    return found


def _table_paper(cells: dict[str, str]) -> LibraryPaper:
    year = re.search(r"\b\d{4}\b", cells.get("year", ""))
    link = cells.get("link", "")
    return LibraryPaper(
        id="",
        title=cells["title"],
        abstract=cells.get("abstract", ""),
        year=int(year[0]) if year else 0,
        venue=cells.get("venue", ""),
        authors=_names(cells.get("authors", "")),
        doi=normal_doi(cells.get("doi", "")) or doi_in_link(link),
        arxiv_id=normal_arxiv(cells.get("arxiv", "")) or normal_arxiv(link),
        source_id=cells.get("id", ""),
        link=link,
        areas=tuple(part.strip() for part in cells.get("areas", "").split(";") if part.strip()),
    )


def _names(cell: str) -> tuple[str, ...]:
    """Splits a cell into names at semicolons, "and" or commas; a single "Last, First" is reordered, not split."""
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
    """Like ``engine.papers.entry.recognise``, but tries a BibTeX or RIS entry first, since it says more than an
    identifier. Falls back to identifiers if no entry can be parsed."""
    papers: tuple[LibraryPaper, ...] = ()
    if looks_like_bibtex(text):
        papers = read_bibtex(text).papers
    elif looks_like_ris(text):
        papers = read_ris(text).papers
    return PaperEntry("bibtex", papers[0], papers[1:]) if papers else recognise(text)


def is_semantic_scholar(document: Any) -> bool:
    """Returns whether a JSON document is an author with papers, an API response (``data``), or one or more papers."""
    if isinstance(document, dict):
        return (
            (isinstance(document.get("papers"), list) and bool({"authorId", "name"} & set(document)))
            or isinstance(document.get("data"), list)
            or _is_paper(document)
        )
    return isinstance(document, list) and bool(document) and _is_paper(document[0])


def _is_paper(value: Any) -> bool:
    return isinstance(value, dict) and bool({"paperId", "ssId"} & set(value))


def read_semantic_scholar(text: str, name: str = "Semantic Scholar JSON") -> Publications:
    """Returns the papers of a document in its order, including those that have an id but no title. Raises BadInput if
    the document isn't a Semantic Scholar author or paper."""
    document = parse_json(text, name)
    if not is_semantic_scholar(document):
        raise not_imported(f"{name} isn't a Semantic Scholar author or paper.")
    author = document if isinstance(document, dict) and isinstance(document.get("papers"), list) else {}
    if author:
        found = document["papers"]
    elif isinstance(document, dict):
        found = document["data"] if isinstance(document.get("data"), list) else [document]
    else:
        found = document
    papers, untitled, other = [], 0, 0
    for item in found:
        if not isinstance(item, dict):
            other += 1
            continue
        paper = semantic_scholar_paper(item)
        untitled += not paper.title
        if paper.title or paper.source_id:
            papers.append(paper)
    warnings = []
    if untitled:
        warnings.append(f"{name}: {counted(untitled, 'paper has', 'papers have')} no title, only an id.")
    if other:
        warnings.append(f"{name}: {counted(other, 'entry', 'entries')} of another kind left out.")
    return Publications(tuple(papers), tuple(warnings), text_of(author.get("name")), text_of(author.get("authorId")))


def released_paper(paper: LibraryPaper) -> dict[str, Any]:
    """Returns a paper in the format of the released expertise data, plus DOI, venue and areas, which it lacks."""
    document: dict[str, Any] = {
        "title": paper.title,
        "abstract": paper.abstract or None,
        "year": paper.year or None,
        "ssId": paper.source_id,
        "arXivId": paper.arxiv_id or None,
        "link": paper.link or None,
        "openAccess": paper.open_access,
        "authors": list(paper.authors),
    }
    further = {"doi": paper.doi, "venue": paper.venue, "fieldsOfStudy": list(paper.areas)}
    return document | {key: value for key, value in further.items() if value}


def is_csl(document: Any) -> bool:
    """Returns whether a JSON document is a list of CSL items, or an object with such a list under ``items``."""
    items = document.get("items") if isinstance(document, dict) else document
    return (
        isinstance(items, list)
        and bool(items)
        and isinstance(items[0], dict)
        and "title" in items[0]
        and bool({"type", "issued", "container-title"} & set(items[0]))
    )


def read_csl(text: str, name: str = "CSL-JSON") -> Publications:
    """Returns the papers of a CSL-JSON document. Raises BadInput if it is in another format."""
    document = parse_json(text, name)
    if not is_csl(document):
        raise not_imported(f"{name} isn't CSL-JSON.")
    items = document["items"] if isinstance(document, dict) else document
    papers, warnings = [], []
    for number, item in enumerate(items, start=1):
        paper = csl_paper(item) if isinstance(item, dict) else None
        if paper is not None and paper.title:
            papers.append(paper)
        else:
            warnings.append(f"{name}: item {number} has no title.")
    return Publications(tuple(papers), tuple(warnings))


_TAG = re.compile(r"^\s*([A-Z][A-Z0-9])\s{1,2}-\s?(.*)$")
_TITLES, _AUTHORS, _VENUES = ("TI", "T1", "CT", "BT"), ("AU", "A1"), ("T2", "JO", "JF", "JA", "J2", "BT", "PB")
_YEARS, _ABSTRACTS, _LINKS = ("PY", "Y1", "DA"), ("AB", "N2"), ("UR", "L1", "L2")


def looks_like_ris(text: str) -> bool:
    """Returns whether a text starts like a RIS file, possibly after text that databases put before a record."""
    start = text[:4000].lstrip("\ufeff")
    return bool(re.match(r"\s*TY\s{1,2}-", start) or re.search(r"^TY {1,2}- ?[A-Z]{3,6}\s*$", start, re.MULTILINE))


def read_ris(text: str, name: str = "RIS") -> Publications:
    """Returns the papers of a RIS file in its order; records without a title are skipped with a warning."""
    papers, warnings = [], []
    for line, fields in _ris_records(text):
        paper = _ris_paper(fields)
        if paper.title:
            papers.append(paper)
        else:
            warnings.append(f"{name}, line {line}: the record has no title.")
    return Publications(tuple(papers), tuple(warnings))


def _ris_records(text: str) -> Iterator[tuple[int, Mapping[str, Sequence[str]]]]:
    fields: dict[str, list[str]] = defaultdict(list)
    begun, last = 0, ""
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        found = _TAG.match(line)
        if found is None:
            if last and line.strip():  # continuation of a long value
                fields[last][-1] += " " + line.strip()
            continue
        tag, value = found[1], found[2].strip()
        if tag == "TY" and fields:
            yield begun, fields
            fields = defaultdict(list)
        if tag == "TY":
            begun = number
        if tag == "ER":
            if fields:
                yield begun, fields
            fields, last = defaultdict(list), ""
            continue
        fields[tag].append(value)
        last = tag
    if fields:
        yield begun, fields


def _first(fields: Mapping[str, Sequence[str]], tags: Iterable[str]) -> str:
    return next((" ".join(value.split()) for tag in tags for value in fields.get(tag, ()) if value), "")


def _ris_paper(fields: Mapping[str, Sequence[str]]) -> LibraryPaper:
    title = _first(fields, _TITLES)
    numbers = (_first(fields, _LINKS), *fields.get("AN", ()), *fields.get("M1", ()))
    year = re.search(r"\d{4}", _first(fields, _YEARS))
    link = _first(fields, _LINKS)
    return LibraryPaper(
        id="",
        title=title,
        abstract=_first(fields, _ABSTRACTS),
        year=int(year[0]) if year else 0,
        venue=next((v for tag in _VENUES if (v := _first(fields, (tag,))) and v != title), ""),
        authors=tuple(_turned(name) for tag in _AUTHORS for name in fields.get(tag, ()) if name.strip()),
        doi=normal_doi(_first(fields, ("DO",))) or doi_in_link(link),
        arxiv_id=next((found for value in numbers if (found := normal_arxiv(value))), ""),
        source_id=_first(fields, ("ID",)),
        link=link,
    )


def _turned(name: str) -> str:
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) == 2:
        return f"{parts[1]} {parts[0]}"
    return f"{parts[1]} {parts[0]}, {parts[2]}" if len(parts) == 3 else " ".join(name.split())


# --- Writing BibTeX, RIS and CSL-JSON ---------------------------------------------------------------------------------
# The library stores names as "First von Last, Jr."; RIS and CSL need a separate family name, which is the last word
# with the lower-case particles before it. The source file's keys are kept if they are unique and valid.

Style = Literal["bibtex", "ris", "csl"]
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "$": r"\$", "%": r"\%", "&": r"\&",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_LIGATURES = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=[?!])(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=,)(?=,)")
_KEY = re.compile(r"[A-Za-z0-9][\w:.+/-]{0,100}", re.ASCII)
_MEETING = re.compile(r"\b(proceedings|conference|workshop|symposium|meeting|findings)\b", re.IGNORECASE)


def write_publications(papers: Sequence[LibraryPaper], style: Style, name: str) -> Export:
    make: Mapping[Style, Callable[[LibraryPaper, str], str]] = {
        "bibtex": _bibtex,
        "ris": _ris,
        "csl": lambda paper, key: json.dumps(_csl(paper, key), ensure_ascii=False),
    }
    entries = [make[style](_plain(paper), key) for paper, key in zip(papers, _keys(papers), strict=True)]
    text = "[" + ",\n".join(entries) + "]\n" if style == "csl" else "\n".join(entries)
    return Export((ExportFile(name, text.encode("utf-8", "replace")),), _loss(papers))


def _loss(papers: Sequence[LibraryPaper]) -> tuple[str, ...]:
    found = (
        (sum(bool(paper.text_sha256) for paper in papers), "full text is", "full texts are", "left out."),
        (sum(bool(paper.areas) for paper in papers), "paper has", "papers have", "areas, which are left out."),
        (
            sum(paper.open_access is not None for paper in papers),
            "paper has", "papers have", "an open-access status, which is left out.",
        ),
    )  # fmt: skip
    return tuple(f"{counted(number, one, many)} {words}" for number, one, many, words in found if number)


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(paper: LibraryPaper) -> LibraryPaper:
    return replace(
        paper, title=_line(paper.title), abstract=_line(paper.abstract), venue=_line(paper.venue),
        link=_line(paper.link), authors=tuple(_line(name) for name in paper.authors if name.strip()),
    )  # fmt: skip


def _keys(papers: Sequence[LibraryPaper]) -> Iterator[str]:
    taken = {paper.source_id.lower() for paper in papers if _KEY.fullmatch(paper.source_id)}
    used: set[str] = set()
    for paper in papers:
        key = paper.source_id
        if not _KEY.fullmatch(key) or key.lower() in used:
            family = re.sub(r"[^a-z]", "", folded(paper.authors[0].split(",")[0].split()[-1])) if _named(paper) else ""
            word = next((w for w in re.findall(r"[a-z]{4,}", folded(paper.title))), "")
            stem = f"{family or 'anonymous'}{paper.year or ''}{word}"
            key, number = stem, 1
            while key in used or key in taken:
                number += 1
                key = f"{stem}{number}"
        used.add(key.lower())
        yield key


def _named(paper: LibraryPaper) -> bool:
    return bool(paper.authors and paper.authors[0].split(",")[0].strip())


def tex(value: str) -> str:
    """Escapes text for BibTeX and LaTeX: special characters, and characters that would form a ligature."""
    return "".join(_TEX.get(letter, letter) for letter in _LIGATURES.sub("\0", value)).replace("\0", "{}")


def _bibtex(paper: LibraryPaper, key: str) -> str:
    meeting = bool(_MEETING.search(paper.venue))
    kind = "misc" if not paper.venue else "inproceedings" if meeting else "article"
    fields = {
        "title": tex(paper.title),
        "author": " and ".join(_bibtex_name(name) for name in paper.authors),
        "year": str(paper.year or ""),
        "booktitle" if meeting else "journal": tex(paper.venue),
        "doi": paper.doi,
        "eprint": paper.arxiv_id,
        "archiveprefix": "arXiv" if paper.arxiv_id else "",
        "url": re.sub(r"([_%&#~])", r"\\\1", paper.link.replace("{", "%7B").replace("}", "%7D")),
        "abstract": tex(paper.abstract),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@{kind}{{{key},", *lines, "}", ""))


def _bibtex_name(name: str) -> str:
    """Returns an escaped name, in braces if BibTeX would split or reorder it."""
    whole = "," in name or re.search(r"(?i)\band\b|^others$", name)
    return f"{{{tex(name)}}}" if whole else tex(name)


def _parts(name: str) -> tuple[str, str, str]:
    """Splits a name into given name, family name and suffix; a single word is a family name."""
    base, _, suffix = name.partition(",")
    words = base.split()
    start = len(words) - 1
    while start > 1 and words[start - 1].islower():
        start -= 1
    return " ".join(words[:start]), " ".join(words[start:]), suffix.strip()


def _ris(paper: LibraryPaper, key: str) -> str:
    kind = "GEN" if not paper.venue else "CPAPER" if _MEETING.search(paper.venue) else "JOUR"
    lines = [("TY", kind), ("ID", key), ("TI", paper.title)]
    for name in paper.authors:
        given, family, suffix = _parts(name)
        lines.append(("AU", ", ".join(filter(None, (family, given, suffix)))))
    lines += [
        ("PY", str(paper.year or "")), ("T2", paper.venue), ("DO", paper.doi),
        ("AN", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""), ("UR", paper.link), ("AB", paper.abstract),
    ]  # fmt: skip
    return "\n".join((*(f"{tag}  - {value}" for tag, value in lines if value), "ER  - ", ""))


def _csl(paper: LibraryPaper, key: str) -> dict[str, Any]:
    meeting = bool(_MEETING.search(paper.venue))
    item = {
        "id": key,
        "type": "article" if not paper.venue else "paper-conference" if meeting else "article-journal",
        "title": paper.title,
        "author": [_csl_name(name) for name in paper.authors],
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.venue,
        "DOI": paper.doi,
        "number": f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "",
        "URL": paper.link,
        "abstract": paper.abstract,
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(name: str) -> dict[str, str]:
    given, family, suffix = _parts(name)
    if not given or suffix:
        return {"literal": name}
    return {"family": family, "given": given}
