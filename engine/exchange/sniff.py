"""Detects from a file's content which importer it is for."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine.errors import not_imported
from engine.exchange import limits
from engine.exchange.aries import kind_of
from engine.exchange.encoding import Decoded, read_bytes, read_text
from engine.exchange.jsontext import json_records
from engine.exchange.openreview import is_openreview
from engine.exchange.response_reading import ENDINGS as LETTER_ENDINGS
from engine.exchange.response_reading import is_pdf, markup_text, office_text, table_text
from engine.exchange.web_annotation import is_web_annotation
from engine.reviews.marks import MarkedText, Reading
from engine.reviews.proposing import text_readings

Kind = Literal[
    "pdf", "letter", "review", "openreview", "aries-edits", "aries-comments", "aries-labels", "web-annotation",
    "links-csv", "s2orc",
]  # fmt: skip

ENDINGS = (*LETTER_ENDINGS, "jsonl", "csv")
"""Supported file name endings."""
TITLES: dict[Kind, str] = {
    "pdf": "PDF document",
    "letter": "Response letter",
    "review": "Review",
    "openreview": "OpenReview notes",
    "aries-edits": "ARIES paper edits",
    "aries-comments": "ARIES review comments",
    "aries-labels": "ARIES edit labels",
    "web-annotation": "Web annotations",
    "links-csv": "Table of links",
    "s2orc": "S2ORC parse",
}


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The kind of a file. ``text`` is None for a PDF, and Markdown if converted from Word or LaTeX. ``markdown`` says
    whether a letter or review is Markdown."""

    kind: Kind
    text: str | None = None
    markdown: bool = False
    warnings: tuple[str, ...] = ()
    read: MarkedText | None = None
    """A letter or review with its formatting marks."""
    readings: tuple[Reading, ...] = ()
    """Possible ways to read a letter or review, the proposed one first."""

    @property
    def unsure(self) -> bool:
        """Returns whether the file was classified as a review but may be a letter."""
        return self.kind == "review" and any(way.doubtful for way in self.readings[:1])


def sniff(path: Path) -> Sniffed:
    """Detects which importer fits the file at ``path``. Raises BadInput if none does (empty, not text, unsupported
    JSON) or the file can't be read."""
    if path.is_file():
        if is_pdf(read_bytes(path, 1024), path.name):
            return Sniffed("pdf")
        if (document := office_text(read_bytes(path), path.name)) is not None:
            return marked_letter(document, path)
    return sniff_text(read_text(path), path)


def sniff_text(decoded: Decoded, path: Path) -> Sniffed:
    """As ``sniff``, for text that was in the file at ``path`` or was pasted."""
    marked = markup_text(decoded, path.name, path.parent)
    if marked is not None:
        return marked_letter(marked, path)
    stripped = decoded.text.lstrip()
    kind: Kind | None = None
    if stripped[:1] in "{[":
        kind = _json_kind(decoded, path.name)
    elif _is_table(decoded.text):
        kind = "links-csv"
    if kind is None:
        marked = table_text(decoded.text)
        return marked_letter(replace(marked, warnings=(*decoded.warnings, *marked.warnings)), path)
    return Sniffed(kind, decoded.text, warnings=decoded.warnings)


def marked_letter(read: MarkedText, path: Path) -> Sniffed:
    limits.check_size(len(read.text), limits.LETTER_CHARACTERS, path.name, "characters")
    readings = text_readings(read)
    markdown = read.converted or path.suffix.lower() in {".md", ".markdown", ".mkd"}
    answered = not readings or readings[0].rest != "review"
    return Sniffed("letter" if answered else "review", read.text, markdown, read.warnings, read, readings)


def _json_kind(decoded: Decoded, name: str) -> Kind | None:
    records = json_records(decoded.text)
    if records is None:
        if decoded.text.lstrip().startswith("[") and "\n" in decoded.text.strip():
            # A letter may start with a bracket too; in JSON a quote, brace or bracket follows it.
            head = decoded.text.lstrip()[1:].lstrip()[:1]
            if head not in '{["':
                return None
        raise not_imported(f"{name} looks like JSON but can't be read.", "Export the file again.")
    first = records[0] if records else None
    if isinstance(first, dict):
        aries = kind_of(first)
        if aries is not None:
            names: dict[str, Kind] = {"edits": "aries-edits", "comments": "aries-comments", "labels": "aries-labels"}
            return names[aries]
        if isinstance(first.get("pdf_parse"), dict) or isinstance(first.get("body_text"), list):
            return "s2orc"
    document = records[0] if len(records) == 1 else records
    if is_web_annotation(document):
        return "web-annotation"
    if is_openreview(document):
        return "openreview"
    raise not_imported(
        f"{name} is JSON in an unsupported format.",
        "You can import OpenReview notes, ARIES files, Web Annotations and S2ORC parses.",
    )


def _is_table(text: str) -> bool:
    head = text.split("\n", 1)[0].lower()
    return "comment_id" in head and any(head.count(mark) >= 1 for mark in ",;\t")
