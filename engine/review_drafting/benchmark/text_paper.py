"""Reads a paper from its text alone (a benchmark's file) as the stages read a PDF, without pages."""

import hashlib
import re

from engine.documents.records import Paragraph, ParagraphKind, ParsedDocument
from engine.review_drafting.reading import read_paper
from engine.review_drafting.records import PaperReading

_HEADING = re.compile(
    r"^(?:#{1,6}[ \t]+(?P<hash>.+)|(?:\d+(?:\.\d+)*\.?|[A-Z]\.)[ \t]+[A-Z][^.\n]{2,70}"
    r"|Abstract|ABSTRACT|Introduction|INTRODUCTION|References|REFERENCES)[ \t]*$"
)
_CAPTION = re.compile(r"^\W*(?:table|figure|fig\.?)\s*\d+\s*[:.|]", re.IGNORECASE)
_BLOCKS = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*#{1,6} )|(?<=^)(?=#{1,6} )", re.MULTILINE)


def text_document(title: str, text: str) -> ParsedDocument:
    """Converts a text to paragraphs under its headings: Markdown headings, numbered ones, and the usual ones of
    papers."""
    paragraphs: list[Paragraph] = []
    section, references = "", False

    def add(kind: ParagraphKind, words: str) -> None:
        paragraphs.append(
            Paragraph(
                id=f"t{len(paragraphs) + 1:04d}", index=len(paragraphs), section=section, kind=kind, text=words,
                raw=words, offsets=tuple(range(len(words) + 1)), page=0, boxes=(),
            )
        )  # fmt: skip

    for block in _BLOCKS.split(text):
        lines = block.strip().splitlines()
        if lines and (match := _HEADING.match(lines[0].strip())):
            section = (match["hash"] or lines[0]).strip()
            references = section.casefold().strip(" .:0123456789") in ("references", "bibliography")
            add("heading", section)
            lines = lines[1:]
        words = " ".join(" ".join(lines).split())
        if words:
            add("caption" if _CAPTION.match(words) else "reference" if references else "body", words)
    return ParsedDocument(
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        pages=(),
        paragraphs=tuple(paragraphs),
        parser="text",
        seconds=0.0,
        title=title,
    )


def read_text_paper(title: str, text: str) -> PaperReading:
    """Returns the text as the stages read a paper. Its anchors have paragraphs ("t0001"...), but no pages and boxes."""
    document = text_document(title, text)
    abstract = " ".join(
        p.text for p in document.paragraphs if p.kind == "body" and p.section.casefold().strip() == "abstract"
    )
    return read_paper(document).model_copy(update={"title": title, "abstract": abstract})
