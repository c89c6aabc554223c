"""A response letter (Markdown, plain text, Word, LaTeX, PDF, HTML, Org, OpenReview notes) as one Markdown text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.docx_text import docx_text, is_docx
from engine.exchange.encoding import Decoded, decode, read_bytes
from engine.exchange.html_text import html_text, is_html
from engine.exchange.jsontext import try_json
from engine.exchange.latex_text import is_latex, latex_text
from engine.exchange.openreview import is_openreview, read_notes
from engine.exchange.org_text import is_org, org_text
from engine.exchange.pdf_text import pdf_text
from engine.reviews.marks import MarkedText

ENDINGS = ("md", "txt", "docx", "tex", "pdf", "html", "htm", "org", "json")
"""What letters are called."""
_OLE = b"\xd0\xcf\x11\xe0"
_TO = re.compile(r"^(?:rebuttal|response|reply|answer)\s+to\s+(?P<who>.+?)(?:\s*\(\d+/\d+\))?$", re.IGNORECASE)


def read_letter_file(path: Path, service: DocumentService) -> MarkedText:
    """The letter in a file; ``service`` reads a PDF. Raises BadInput where it cannot be read."""
    return letter_text(read_bytes(path), path.name, service, path.parent)


def letter_text(data: bytes, name: str, service: DocumentService, folder: Path | None = None) -> MarkedText:
    """A letter by what is in it, not by its name; parts that it includes are in ``folder``. Raises BadInput where it
    cannot be read.
    """
    found = _letter(data, name, service, folder)
    limits.check_size(len(found.text), limits.LETTER_CHARACTERS, name, "characters")
    return found


def _letter(data: bytes, name: str, service: DocumentService, folder: Path | None) -> MarkedText:
    if b"%PDF-" in data[:1024]:
        return pdf_text(data, name, service)
    if is_docx(data):
        return docx_text(data, name)
    if data.startswith((b"PK", _OLE, b"{\\rtf")):
        raise BadInput(
            f"{name} has an unsupported format.", "Nothing was imported.", "Save it as Word (.docx) or as PDF."
        )
    decoded = decode(data, name)
    marked = markup_text(decoded, name, folder)
    if marked is not None:
        return marked
    if isinstance(document := try_json(decoded.text), (dict, list)):
        if not is_openreview(document):
            raise BadInput(
                f"{name} is JSON but contains no OpenReview notes.", "Nothing was imported.",
                "Export the notes of the forum from OpenReview, or save the letter as text, Word or PDF.",
            )  # fmt: skip
        return MarkedText(_notes(decoded.text, name), (), decoded.warnings, converted=True)
    return MarkedText(decoded.text, (), decoded.warnings)


def markup_text(decoded: Decoded, name: str, folder: Path | None) -> MarkedText | None:
    """The text of a LaTeX, HTML or Org file; None for another one. Raises BadInput where it cannot be read."""
    if is_latex(decoded.text):
        marked = latex_text(decoded.text, name, folder)
    elif is_html(decoded.text):
        marked = html_text(decoded.text)
    elif is_org(decoded.text, name):
        marked = org_text(decoded.text)
    else:
        return None
    return replace(marked, warnings=(*decoded.warnings, *marked.warnings))


# --- OpenReview -------------------------------------------------------------------------------------------------------


def _notes(text: str, name: str) -> str:
    """The notes one after the other, each under the reviewer whom its title names."""
    parts: list[str] = []
    for note in read_notes(text, name):
        said = [str(value).strip() for key, value in note.content.items() if key != "title" and isinstance(value, str)]
        to = _TO.match(str(note.content.get("title", "")).strip())
        heading = [f"## {to['who']}"] if to and f"## {to['who']}" not in parts else []
        if any(said):
            parts += [*heading, *filter(None, said)]
    return "\n\n".join(parts)
