"""A response letter as it comes (Markdown, plain text, Word, LaTeX, PDF, OpenReview notes) as one Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.docx_text import docx_text, is_docx
from engine.exchange.encoding import decode, read_bytes
from engine.exchange.jsontext import try_json
from engine.exchange.latex_text import is_latex, latex_as_markdown
from engine.exchange.markdown_tokens import Block, Run, markdown_of, with_formulas
from engine.exchange.openreview import is_openreview, read_notes
from engine.rebuttal.letter import labelled

ENDINGS = ("md", "txt", "docx", "tex", "pdf", "json")
"""What letters are called."""
_STEP = 4.0
"""Points by which a deeper list is further in."""
_OLE = b"\xd0\xcf\x11\xe0"
_BULLET = re.compile(r"^[•◦▪‣–·]\s+")
_NUMBER = re.compile(r"^(\d{1,3})[.)]\s+")
_WHO = re.compile(r"^(?:anonymous )?(?:reviewer|referee|area chair|meta-?reviewer|editor)\b.{0,24}$", re.IGNORECASE)
_TO = re.compile(r"^(?:rebuttal|response|reply|answer)\s+to\s+(?P<who>.+?)(?:\s*\(\d+/\d+\))?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LetterText:
    """A letter as Markdown, and what did not come over, in sentences; ``converted``: it is not the file's own text."""

    text: str
    warnings: tuple[str, ...] = ()
    converted: bool = True


def read_letter_file(path: Path, service: DocumentService) -> LetterText:
    """The letter in a file; ``service`` reads a PDF. Raises BadInput where it cannot be read."""
    return letter_text(read_bytes(path), path.name, service)


def letter_text(data: bytes, name: str, service: DocumentService) -> LetterText:
    """A letter by what is in it, not by its name. Raises BadInput where it cannot be read."""
    found = _letter(data, name, service)
    limits.check_size(len(found.text), limits.LETTER_CHARACTERS, name, "characters")
    return found


def _letter(data: bytes, name: str, service: DocumentService) -> LetterText:
    if b"%PDF-" in data[:1024]:
        return _pdf(data, name, service)
    if is_docx(data):
        return LetterText(*docx_text(data, name))
    if data.startswith((b"PK", _OLE, b"{\\rtf")):
        raise BadInput(
            f"{name} is of a kind that cannot be read.", "Nothing was imported.", "Save it as Word (.docx) or as PDF."
        )
    decoded = decode(data, name)
    if is_latex(decoded.text):
        text, warnings = latex_as_markdown(decoded.text, name)
        return LetterText(text, (*decoded.warnings, *warnings))
    if decoded.text.lstrip()[:1] in ("{", "["):
        notes = _notes(decoded.text, name)
        if notes is not None:
            return LetterText(notes, decoded.warnings)
    return LetterText(decoded.text, decoded.warnings, converted=False)


# --- OpenReview -------------------------------------------------------------------------------------------------------


def _notes(text: str, name: str) -> str | None:
    """The notes one after the other, each under the reviewer whom its title names; None for what are no notes."""
    if not is_openreview(try_json(text)):
        return None
    parts: list[str] = []
    for note in read_notes(text, name):
        said = [str(value).strip() for key, value in note.content.items() if key != "title" and isinstance(value, str)]
        to = _TO.match(str(note.content.get("title", "")).strip())
        heading = [f"## {to['who']}"] if to and f"## {to['who']}" not in parts else []
        if any(said):
            parts += [*heading, *filter(None, said)]
    return "\n\n".join(parts) or None


# --- PDF --------------------------------------------------------------------------------------------------------------


def _pdf(data: bytes, name: str, service: DocumentService) -> LetterText:
    parsed = service.parse(data)
    text = markdown_of(tuple(_blocks(parsed.paragraphs)))
    if not text.strip():
        raise BadInput(
            f"{name} holds no text that could be read.",
            "Nothing was imported.",
            "It may be scanned: import its source.",
        )
    return LetterText(text, ("A PDF does not say what is bold, italic or a link: look the replies through.",))


def _blocks(paragraphs: Sequence[Paragraph]) -> Iterator[Block]:
    indents: list[float] = []
    for paragraph in paragraphs:
        # A list's mark is no part of a paragraph's words, but of what is on the page.
        words, raw = paragraph.text.strip(), paragraph.raw.strip()
        label, _ = labelled(words)
        bullet, number = _BULLET.match(raw), _NUMBER.match(words)
        left = paragraph.boxes[0].x0 if paragraph.boxes else 0.0
        indents = [*(at for at in indents if at < left - _STEP), left] if bullet or number else []
        if not words or re.fullmatch(r"\d+ / \d+", words):
            continue
        if re.fullmatch(r"[*\s]+", raw):
            yield Block("rule", ())
        elif label:
            yield Block("quote", (Run(label, bold=True), *_runs(words[words.index(label) + len(label) :])), opens=True)
        elif _WHO.match(words) or paragraph.kind == "heading":
            yield Block("heading", _runs(words), 2 if _WHO.match(words) else 3)
        elif bullet:
            yield Block("bullet", _runs(_BULLET.sub("", words)), len(indents))
        elif number:
            yield Block("number", _runs(words[number.end() :]), len(indents), int(number[1]))
        else:
            yield Block("paragraph", _runs(words))


def _runs(words: str) -> tuple[Run, ...]:
    return tuple(with_formulas(Run(words)))
