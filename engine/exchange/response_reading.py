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
from engine.exchange.markdown_tokens import blocks_of, marked_of
from engine.exchange.openreview import is_openreview, read_notes
from engine.exchange.pdf_text import pdf_text
from engine.reviews.marks import MarkedText

# The text of an Org file as marked text: headings, quotations, lists, emphasis, links, code (orgmode.org/manual).

_KEYWORD = re.compile(r"^[ \t]*#\+(?:title|author|date|email|options|startup|latex_\w+|begin_\w+)\b", re.I | re.M)
_DRAWER = re.compile(
    r"^[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*\n(?:(?![ \t]*:END:).*\n){0,200}?[ \t]*:END:[ \t]*$", re.I | re.M
)
_ITEM = re.compile(r"(?:[-+*]|\d+[.)])[ \t]")
_NO_LIST = 1_000
"""A margin that no line reaches: text counts as indented in lists only, not under headings."""
_LINK = re.compile(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]|\[")
_BEFORE, _AFTER = r"(?<![^\s\-({'\"])", r"(?![^\s\-.,;:!?'\")}\[\\])"
_INLINE = (
    (re.compile(rf"{_BEFORE}[=~](?! )([^=~\n]+)(?<! )[=~]{_AFTER}"), r"`\1`"),
    (re.compile(rf"{_BEFORE}\*(?! )([^*\n]+(?:\n[^*\n]+)?)(?<! )\*{_AFTER}"), r"**\1**"),
    (re.compile(rf"{_BEFORE}/(?! )([^/\n]+(?:\n[^/\n]+)?)(?<! )/{_AFTER}"), r"*\1*"),
    (re.compile(rf"{_BEFORE}_(?! )([^_\n]+)(?<! )_{_AFTER}"), r"\1"),
)


def is_org(text: str, name: str) -> bool:
    """Whether a text is an Org file, by its keywords or its name."""
    return name.lower().endswith(".org") or bool(_KEYWORD.search(text[:5000]))


def org_text(text: str) -> MarkedText:
    """The text of a file; keywords, comments and drawers are left out."""
    text = _DRAWER.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    found: list[str] = []
    block = ""
    margin = _NO_LIST
    for line in text.split("\n"):
        bare = line.strip()
        edge = re.match(r"#\+(begin|end)_(\w+)", bare, re.IGNORECASE)
        stars = re.match(r"(\*+)[ \t]+(?:(?:TODO|DONE)[ \t]+)?(.*)", line)
        if edge and (not block or (edge[1].lower() == "end" and edge[2].lower() == block)):
            block = edge[2].lower() if edge[1].lower() == "begin" else ""
            code = edge[2].lower() in ("src", "example", "verbatim")
            found.append("```" if code else "")
        elif block in ("src", "example", "verbatim"):
            found.append(line)
        elif title := re.match(r"#\+title:[ \t]*(.+)", bare, re.IGNORECASE):
            found += [f"# {title[1]}", ""]
        elif re.match(r"#(?:\+\w+(?:\[.*\])?:|[ \t]|$)", bare):
            continue
        elif stars:
            found += ["", f"{'#' * min(6, len(stars[1]))} {_inline(stars[2])}", ""]
            margin = _NO_LIST
        else:
            indent = len(line) - len(line.lstrip())
            if _ITEM.match(bare):
                margin = min(margin, indent)
            elif bare and indent <= margin:
                margin = _NO_LIST
            said = _inline(line[margin:] if margin < _NO_LIST else bare)
            found.append(f"> {said}".rstrip() if block in ("quote", "verse") else said)
    return marked_of(blocks_of("\n".join(found)))


def _inline(line: str) -> str:
    line = _LINK.sub(_linked, line)
    for pattern, instead in _INLINE:
        line = pattern.sub(instead, line)
    return line


def _linked(match: re.Match[str]) -> str:
    """A link; a bracket that begins none is escaped, since Markdown's parser looks for its end again and again."""
    if not match[1]:
        return "\\["
    return f"[{match[2]}]({match[1]})" if match[2] else f"<{match[1]}>"


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
