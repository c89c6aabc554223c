"""Reads title, authors, abstract and identifiers from a paper's PDF."""

import re
from collections.abc import Sequence

from engine.documents.places import untitled_abstract
from engine.documents.records import Paragraph, ParsedDocument
from engine.papers.library import normal_arxiv, normal_doi, title_key
from engine.papers.names import NAME_WORD
from engine.papers.records import LibraryPaper

LAST_TITLE_PAGE = 2
"""A cover page may precede the title; on later pages, large type is something else."""
LAST_ABSTRACT_PAGE = 6
"""Long author lists can push the abstract to a later page."""
SMALLEST_ABSTRACT = 150
"""Characters; less text under the heading is a note or a table of contents."""

_ABSTRACT = re.compile(r"^(?:abstract|summary|zusammenfassung|résumé|resumen)\s*(?:[.:—–-]+\s*|\n|$)", re.IGNORECASE)
_ENDS = re.compile(
    r"^(?:(?:\d+|[IVX]+)[.\s]+)?(?:introduction|keywords?|key words|index terms|ccs concepts|acm reference|contents|"
    r"categories and subject|author summary|significance|plain language|1\b)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"^(?:arxiv:|preprint|draft|under review|published as|accepted|submitted|proceedings of|journal of|vol\.|https?:|"
    r"doi\b|research article|original article|article|authors?|abstract|introduction|contents|table of contents|"
    r"untitled|microsoft word|.*\.(?:docx?|tex|dvi|pdf|indd)$|note\b)",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"universit|institut|departm|school|college|laborator|\blabs?\b|centre|center|faculty|hospital|academy|research|"
    r"\binc\b|\bllc\b|\bltd\b|corporation|google|microsoft|deepmind|amazon|facebook|\bmeta\b|\bibm\b|nvidia|openai|"
    r"street|avenue|program|division|group\b|@|https?:|www\.|equal|correspond|contribut|anonymous|orcid|order",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"©|copyright|acm reference format|permission to make|digital object identifier|how to cite|cite this article"
    r"|published (?:online|by)",
    re.IGNORECASE,
)
_MARKS = r"[\d*†‡§¶∗☯♯✉⋆°]"


def pdf_paper(document: ParsedDocument) -> LibraryPaper:
    """Returns what the PDF states about itself; parts that can't be determined are empty.

    The title is the largest type on the first pages, or the file's metadata if it also appears on a page or nothing
    stands out. The abstract is the text under or after its heading, or the only paragraph before the first section;
    authors are names between title and abstract. A DOI counts only before the abstract or in the first page's imprint,
    an arXiv id only as a stamp on that page.
    """
    paragraphs = document.paragraphs
    place, title = _title(document)
    start, abstract = _abstract(paragraphs)
    before = paragraphs[place + 1 : start] if place >= 0 else ()
    head = [
        p
        for n, p in enumerate(paragraphs)
        if p.page == 1 and p.kind != "reference" and (n < start or _IMPRINT.search(p.text))
    ]
    return LibraryPaper(
        id="",
        title=title,
        abstract=abstract,
        authors=_authors(before),
        doi=next((doi for p in head if (doi := normal_doi(p.text))), ""),
        arxiv_id=_stamp(paragraphs),
    )


def author_block(document: ParsedDocument) -> range:
    """Returns the indexes of the paragraphs between title and abstract (authors, affiliations, addresses); empty if
    either isn't found."""
    place, _ = _title(document)
    start, abstract = _abstract(document.paragraphs)
    return range(place + 1, start) if place >= 0 and abstract else range(0)


def _size(paragraph: Paragraph) -> float:
    """Returns the median height of a paragraph's words in points, so that single formulas or initials don't matter."""
    heights = sorted(word.box.y1 - word.box.y0 for word in paragraph.words)
    return heights[len(heights) // 2] if heights else 0.0


def _title(document: ParsedDocument) -> tuple[int, str]:
    """Returns the index of the title's last paragraph, and the title; -1 if it is only in the metadata or nowhere."""
    candidates = [
        (place, paragraph)
        for place, paragraph in enumerate(document.paragraphs)
        if paragraph.page <= LAST_TITLE_PAGE and _could_be_title(paragraph)
    ]
    stated = title_key(document.title)
    if len(stated) > 8 and not _NO_TITLE.match(document.title):
        for at, (place, paragraph) in enumerate(candidates):
            key = title_key(paragraph.text)
            if not key or not (key == stated or (len(key) > 20 and key in stated) or stated in key):
                continue
            if key not in stated:
                return place, paragraph.text.strip()
            last = place
            for further, part in candidates[at + 1 :]:
                last = further if further == last + 1 and title_key(part.text) in stated else last
            return last, " ".join(document.title.split())
    first = [(place, paragraph) for place, paragraph in candidates if paragraph.page == 1] or candidates
    largest = max((_size(paragraph) for _, paragraph in first), default=0.0)
    if not first or largest < 1.1 * _body_size(document.paragraphs):
        # Nothing on the page stands out, so the metadata is better than nothing.
        plausible = len(stated.split()) > 1 and not _NO_TITLE.match(document.title)
        return -1, " ".join(document.title.split()) if plausible else ""
    parts: list[tuple[int, Paragraph]] = []
    for place, paragraph in first:
        if _size(paragraph) >= 0.93 * largest and (not parts or place == parts[-1][0] + 1):
            parts.append((place, paragraph))
        elif parts:
            break
    return parts[-1][0], " ".join(paragraph.text.strip() for _, paragraph in parts)


def _could_be_title(paragraph: Paragraph) -> bool:
    text = paragraph.text.strip()
    return (
        paragraph.kind in {"heading", "body", "other"}
        and 8 <= len(text) <= 300
        and not _NO_TITLE.match(text)
        and sum(ch.isalpha() for ch in text) > 0.6 * len(text.replace(" ", ""))
    )


def _body_size(paragraphs: Sequence[Paragraph]) -> float:
    sizes = sorted(_size(p) for p in paragraphs[:200] if p.kind == "body" and len(p.text) > 200)
    return sizes[len(sizes) // 2] if sizes else 0.0


def _abstract(paragraphs: Sequence[Paragraph]) -> tuple[int, str]:
    """Returns the index of the abstract's heading, and its text; without an abstract, where the introduction starts or
    the first page ends."""
    end = next((n for n, p in enumerate(paragraphs) if p.page > LAST_ABSTRACT_PAGE), len(paragraphs))
    for place, paragraph in enumerate(paragraphs[:end]):
        found = _ABSTRACT.match(paragraph.text.strip())
        if found is None:
            continue
        run_in = paragraph.text.strip()[found.end() :].strip()
        parts = [run_in] if run_in else []
        for following in paragraphs[place + 1 : end]:
            text = following.text.strip()
            if following.kind in {"footnote", "caption", "table", "other"} and not (following.section and not parts):
                continue
            if following.kind == "reference" or _ENDS.match(text):
                break
            if following.kind == "heading" and not _part_of_abstract(text):
                break
            if run_in and following.kind == "body" and following.section != paragraph.section:
                break
            parts.append(text)
            if run_in and len(run_in) >= SMALLEST_ABSTRACT:
                parts.pop()
                break
        abstract = " ".join(part for part in parts if part)
        cut = re.search(r"\s(?:Keywords?|Key words|Index Terms|CCS Concepts)\s*[:—–-]", abstract)
        abstract = abstract[: cut.start()].strip() if cut else abstract
        abstract = re.sub(r"(?<=[^\W\d_][.!?])\d{1,2}$", "", abstract)  # a footnote mark
        if len(abstract) >= SMALLEST_ABSTRACT:
            return place, abstract
    if (untitled := untitled_abstract(paragraphs)) is not None:
        return paragraphs.index(untitled), untitled.text
    first = next((n for n, p in enumerate(paragraphs) if p.page > 1), len(paragraphs))
    return next((n for n, p in enumerate(paragraphs[:first]) if _ENDS.match(p.text.strip())), first), ""


def _part_of_abstract(text: str) -> bool:
    """Returns whether a heading is part of a structured abstract, as in medicine."""
    return bool(
        re.match(
            r"^(?:background|objectives?|aims?|purpose|methods?|design|setting|results?|findings|conclusions?|"
            r"motivation|availability|interpretation|funding|significance|trial registration)\b.{0,30}$",
            text,
            re.IGNORECASE,
        )
    )


def _authors(paragraphs: Sequence[Paragraph]) -> tuple[str, ...]:
    names: list[str] = []
    broken = ""
    for paragraph in paragraphs:
        if _PLACES.search(paragraph.text):
            broken = ""
            continue
        text = re.sub(rf"\s*{_MARKS}(?:\s*[,;]?\s*{_MARKS})*", "", f"{broken} {paragraph.text}")
        broken = ""
        text = re.sub(r"\b[a-z]\b(?=\s*(?:,|$))", "", text)
        pieces = [piece.strip(" .") for piece in re.split(r"\s*[,;·|•]\s*|\s+(?:and|&)\s+", text)]
        pieces = [re.sub(r"^(?:and|by)\s+", "", piece) for piece in pieces if piece]
        if len(pieces) > 1 and re.fullmatch(NAME_WORD, pieces[-1]):
            broken = pieces.pop()  # the family name is on the next line, which became a separate paragraph
        good = [piece for piece in pieces if _is_name(piece)]
        # A city and its state look like names too, but their lines also contain other things.
        if pieces and (len(good) == len(pieces) or (len(good) >= 2 and len(good) >= 0.7 * len(pieces))):
            names.extend(good)
    return tuple(dict.fromkeys(names))


def _is_name(text: str) -> bool:
    words = text.split()
    return (
        2 <= len(words) <= 5
        and all(re.fullmatch(NAME_WORD, word) for word in words)
        and len(words[-1].rstrip(".")) > 1
        and any(letter.isupper() for letter in words[-1])
        and not text.isupper()
    )


def _stamp(paragraphs: Sequence[Paragraph]) -> str:
    for paragraph in paragraphs:
        if paragraph.page > 1:
            break
        found = re.match(r"^arxiv:\s*(\S+)", paragraph.text.strip(), re.IGNORECASE)
        if found and (arxiv := normal_arxiv(found[1])):
            return arxiv
    return ""
