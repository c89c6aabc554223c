"""Converts a parsed PDF for the stages: sentences with the part of the paper that they are in, tables, captions.

Expects visible text only (``engine.documents.hidden`` removes the rest before).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.documents.passages import key
from engine.documents.places import Places
from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.table_captions import CAPTION
from engine.documents.tables import Table
from engine.papers.pdf_metadata import pdf_paper
from engine.review_drafting.records import (
    Anchor,
    Caption,
    PaperReading,
    Part,
    Passage,
    RowReading,
    Sentence,
    TableReading,
)
from engine.reviews.sentences import split_sentences
from engine.shown import orders
from engine.statements.table_doubts import doubt_of

# The first pattern that matches a heading names its part; the outermost heading that matches any counts.
_HEADINGS: tuple[tuple[Part, str], ...] = (
    ("back", r"acknowledg|funding|competing|conflicts? of interest|author contribution|author information|references"
             r"|bibliography|author details|disclosure|ethics statement|supporting information|additional files"),
    ("abstract", r"\babstract\b|^summary$"),
    ("related", r"related (?:work|literature|research|studies)|prior work|literature review|^background"
                r"|previous work"),
    ("limitations", r"limitation|threats to validity|broader impact"),
    ("conclusion", r"conclusion|concluding|outlook|future (?:work|directions)"),
    ("introduction", r"introduction|motivation"),
    ("data", r"\bdata ?sets?\b|\bdata\b|\bcorpus\b|corpora|participants|materials$"),
    ("method", r"method|approach|model|architecture|algorithm|framework|implementation|procedure|theory"
               r"|preliminar|problem (?:statement|formulation|setting)|design"),
    ("results", r"result|experiment|evaluation|ablation|analysis|performance|findings|case stud|simulation"),
    ("discussion", r"discussion|implications"),
    ("appendix", r"^appendi|supplement|^[A-Z](?:\.\d+)*\s"),
)  # fmt: skip
_PARTS = tuple((part, re.compile(pattern, re.IGNORECASE)) for part, pattern in _HEADINGS)
_NUMBERING = re.compile(r"^\s*(?:(?:\d+|[IVX]+)(?:\.\d+)*\.?|[A-Z]\.)\s+(?=\S)")
_ABSTRACT = re.compile(r"abstract\b[\s.:—–-]*", re.IGNORECASE)
_FOOTNOTE = re.compile(r"(?<=[a-z)][.!?])\d{1,2}$")
"""The mark of a footnote after a sentence."""
_LONGEST_HEADING = 15
_LAST_ABSTRACT = 4
"""After this page a "Summary" doesn't summarise the whole paper."""
_SHORTEST = 4
"""Words; shorter sentences are fragments of layout."""
_LONGEST = 900
"""Characters; longer texts are lists or formulas that the sentence rules couldn't split."""


def read_paper(document: ParsedDocument, tables: Sequence[Table] = (), *, hidden: int = 0) -> PaperReading:
    """Converts a parsed document; ``tables`` are those of ``find_tables``, ``hidden`` counts the characters left
    out."""
    about = pdf_paper(document)
    paragraphs = document.paragraphs
    abstract = about.abstract
    by_id = {p.id: p for p in paragraphs}
    doubtful = {one.page for one in document.doubtful}
    reading = PaperReading(
        sha256=document.sha256,
        title=about.title or _shown_title(document),
        abstract=abstract,
        pages=len(document.pages),
        sentences=tuple(s for s in _sentences(paragraphs, abstract) if s.page not in doubtful),
        tables=tuple(_table(t, by_id[t.caption_id].section) for t in tables if t.page not in doubtful),
        captions=_captions(paragraphs),
        sections=tuple(dict.fromkeys(p.section for p in paragraphs if p.kind == "heading" and p.section)),
        references=tuple(p.text for p in paragraphs if p.kind == "reference"),
        hidden=hidden,
        passages=tuple(
            Passage(text=p.text, section=p.section, part=part, page=p.page, paragraph_id=p.id)
            for p, part in _read(paragraphs, abstract)
            if p.kind in ("body", "caption", "equation", "footnote", "code")
        ),
        orders=tuple(dict.fromkeys(one for p in paragraphs for one in orders(p.text))),
    )
    reading._places = Places(document, tables)
    return reading


@lru_cache(maxsize=1024)
def part_of(section: str) -> Part:
    """Returns the part of a paper that a section is, by its headings ("Methods > Data"), the outermost first."""
    for heading in section.split(" > "):
        bare = _NUMBERING.sub("", heading).strip()
        for part, pattern in _PARTS:
            if pattern.search(bare):
                return part
    return "other"


def quote(sentence: Sentence) -> Anchor:
    """Returns the anchor of a sentence of the paper, which is found since it comes from the page's text."""
    return Anchor(
        kind="quote",
        ref=place(sentence.section),
        quote=sentence.text,
        paragraph_id=sentence.paragraph_id,
        start=sentence.start,
        end=sentence.end,
        page=sentence.page,
        found=True,
    )


def stretch(sentence: Sentence, start: int, end: int) -> Anchor:
    """Returns the anchor of [start, end) of a sentence."""
    return quote(sentence).model_copy(
        update={"quote": sentence.text[start:end], "start": sentence.start + start, "end": sentence.start + end}
    )


def in_quotes(text: str) -> str:
    """Puts words of the paper in quotation marks; marks inside become single ones."""
    inner = re.sub(r"[“„«]|\"(?=\w)", "‘", text)
    return "“" + re.sub(r"[”»\"]", "’", inner) + "”"


def table_anchor(table: Table | TableReading) -> Anchor:
    number, page = f"Table {table.number}", table.page
    return Anchor(kind="table", ref=number, paragraph_id=table.caption_id, page=page, found=True)


def place(section: str) -> str:
    """Returns the display name of a section, its innermost heading; "" if that is as long as a sentence and may not be
    one."""
    heading = section.rsplit(" > ", 1)[-1]
    return f"Section {heading}" if 0 < len(heading.split()) <= _LONGEST_HEADING else ""


def where(anchor: Anchor) -> str:
    """Returns an anchor in parentheses: (Section Results, p. 5)."""
    parts = [part for part in (anchor.ref, f"p. {anchor.page}" if anchor.page else "") if part]
    return f"({', '.join(parts)})" if parts else ""


def _read(paragraphs: Sequence[Paragraph], abstract: str) -> Iterator[tuple[Paragraph, Part]]:
    """Yields the paragraphs of the paper itself with their parts, leaving out names and addresses before it."""
    end = next((n for n, p in enumerate(paragraphs) if p.kind == "reference"), len(paragraphs))
    begin = _begin(paragraphs, abstract)
    for paragraph in paragraphs:
        part = part_of(paragraph.section)
        if paragraph.index < begin:
            continue
        if not paragraph.section and abstract and _ABSTRACT.sub("", paragraph.text)[:80] in abstract:
            part = "abstract"
        if paragraph.index > end and part == "other":
            part = "appendix"
        if part == "abstract" and paragraph.page > _LAST_ABSTRACT:
            part = "other"
        yield paragraph, part


def _sentences(paragraphs: Sequence[Paragraph], abstract: str) -> tuple[Sentence, ...]:
    found = []
    for paragraph, part in _read(paragraphs, abstract):
        if part == "back" or paragraph.kind not in ("body", "caption"):
            continue
        for span in split_sentences(paragraph.text):
            text = _FOOTNOTE.sub("", paragraph.text[span.start : span.end])
            if len(text.split()) < _SHORTEST or len(text) > _LONGEST:
                continue
            page = next((w.box.page for w in paragraph.words if w.end > span.start), paragraph.page)
            found.append(
                Sentence(
                    paragraph_id=paragraph.id,
                    start=span.start,
                    end=span.start + len(text),
                    text=text,
                    section=paragraph.section,
                    part=part,
                    page=page,
                    caption=paragraph.kind == "caption",
                )
            )
    return tuple(found)


def _shown_title(document: ParsedDocument) -> str:
    """Returns the title in the file's metadata if the first page also shows it, since metadata are invisible."""
    shown = key(" ".join(p.text for p in document.paragraphs if p.page == 1))
    return document.title if key(document.title) in shown else ""


def _begin(paragraphs: Sequence[Paragraph], abstract: str) -> int:
    """Returns the index where the paper itself begins, after names and addresses: at its abstract, otherwise its first
    section."""
    for paragraph in paragraphs:
        if paragraph.kind == "heading" and part_of(paragraph.section) in ("abstract", "introduction"):
            return paragraph.index
        if _ABSTRACT.match(paragraph.text) or (paragraph.kind == "body" and abstract[:80] == paragraph.text[:80] != ""):
            return paragraph.index
    return 0


def _captions(paragraphs: Sequence[Paragraph]) -> tuple[Caption, ...]:
    """Returns figures and tables with a caption, even if the layout didn't identify it as one."""
    found = []
    for paragraph in paragraphs:
        match = None if paragraph.kind in ("heading", "reference") else CAPTION.match(paragraph.text)
        if match is None or match["part"]:
            continue
        kind = match["kind"].lower()[:3]
        # Running text may also begin with "Table 2 shows"; a caption has punctuation after its number, or is known as
        # one.
        known = paragraph.kind == "caption" or re.match(r"\s*[.:|–—-]", paragraph.text[match.end("number") :])
        if known and kind in ("fig", "tab"):
            found.append(
                Caption(
                    kind="figure" if kind == "fig" else "table",
                    number=match["number"].rstrip("."),
                    text=paragraph.text,
                    paragraph_id=paragraph.id,
                    page=paragraph.page,
                )
            )
    return tuple(found)


def _table(table: Table, section: str) -> TableReading:
    rows = tuple(RowReading.model_validate(row, from_attributes=True) for row in table.rows)
    about = {name: getattr(table, name) for name in ("number", "caption", "caption_id", "page")}
    return TableReading(**about, section=section, part=part_of(section), rows=rows, doubt=doubt_of(table))
