"""Papers as JSON: Semantic Scholar's authors and papers, in the shapes of its API and of the released expertise
data, and CSL-JSON, the bibliography of citation processors (Zotero, Pandoc, Crossref).

An author: ``authorId``, ``name``, ``papers``; a paper: ``paperId`` (in the released data ``ssId``), ``title``,
``abstract``, ``year``, ``venue``, ``authors`` (objects or names), ``externalIds`` (in the released data ``arXivId``),
``openAccessPdf`` or ``link``, ``isOpenAccess`` or ``openAccess``, ``fieldsOfStudy``.
See https://api.semanticscholar.org/api-docs/graph and https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html
"""

from __future__ import annotations

from typing import Any

from engine.errors import BadInput
from engine.exchange.jsontext import parse_json, text_of
from engine.exchange.records import Publications
from engine.papers.catalogues import csl_paper, semantic_scholar_paper
from engine.papers.records import LibraryPaper


def is_semantic_scholar(document: Any) -> bool:
    """Whether a JSON document is an author with papers, an answer of the API (``data``), or a list of papers."""
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
    """The papers of an author's JSON, in its order; papers known by their id alone are kept, without a title.

    Raises:
        BadInput: the document is of another kind.
    """
    document = parse_json(text, name)
    if not is_semantic_scholar(document):
        raise BadInput(f"{name} is no author or paper of Semantic Scholar.", "Nothing was imported.")
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
        warnings.append(f"{name}: {untitled} papers have no title, only an id.")
    if other:
        warnings.append(f"{name}: {other} entries are no papers and were left out.")
    return Publications(
        tuple(papers), tuple(warnings), text_of(author.get("name")), text_of(author.get("authorId"))
    )  # fmt: skip


def released_paper(paper: LibraryPaper) -> dict[str, Any]:
    """A paper as the released expertise data keeps one; what it has no field for (DOI, venue, areas) is added."""
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
    """Whether a JSON document is a list of CSL items, or an object that holds one."""
    items = document.get("items") if isinstance(document, dict) else document
    return (
        isinstance(items, list)
        and bool(items)
        and isinstance(items[0], dict)
        and "title" in items[0]
        and bool({"type", "issued", "container-title"} & set(items[0]))
    )


def read_csl(text: str, name: str = "CSL-JSON") -> Publications:
    """The papers of a CSL-JSON document. Raises BadInput where it is none."""
    document = parse_json(text, name)
    if not is_csl(document):
        raise BadInput(f"{name} is no CSL-JSON.", "Nothing was imported.")
    items = document["items"] if isinstance(document, dict) else document
    papers, warnings = [], []
    for number, item in enumerate(items, start=1):
        paper = csl_paper(item) if isinstance(item, dict) else None
        if paper is not None and paper.title:
            papers.append(paper)
        else:
            warnings.append(f"{name}: item {number} has no title.")
    return Publications(tuple(papers), tuple(warnings))
