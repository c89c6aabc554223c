"""Reads a response letter (Markdown, text, Word, LaTeX, PDF, HTML, Org, OpenReview notes) as one Markdown text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

from engine.documents.service import DocumentService
from engine.errors import BadInput, not_imported
from engine.exchange import limits
from engine.exchange.docx_text import docx_text, is_docx
from engine.exchange.encoding import Decoded, decode, read_bytes
from engine.exchange.jsontext import json_records
from engine.exchange.latex_text import is_latex, latex_text
from engine.exchange.markdown_tokens import Look, Paragraphs, blocks_of, marked_of
from engine.exchange.openreview import is_openreview, read_notes, read_openreview
from engine.exchange.pdf_text import pdf_text
from engine.reviews.marks import Mark, MarkedText, Reading
from engine.shown import unread_by_models

# --- HTML: saved review pages, letters written for the web, mails -----------------------------------------------------

_LEFT_OUT = frozenset(
    {"script", "style", "head", "nav", "footer", "title", "button", "select", "option", "svg", "template"}
)
_STYLES = (
    ("bold", ("b", "strong"), r"font-weight:\s*(?:bold|[6-9]00)"),
    ("italic", ("i", "em", "cite"), r"italic"),
    ("code", ("code", "tt", "kbd", "samp"), ""),
)
_BREAKS = frozenset({
    "p", "div", "table", "tr", "td", "th", "ul", "ol", "li", "dl", "dt", "dd", "section", "article", "header", "main",
    "aside", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "form", "fieldset", "center", "figure", "tbody",
    "thead", "body", "details",
})  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "area", "base", "wbr", "source"})

_ENDLESS = {
    "li": ("ul", "ol"), "td": ("tr",), "th": ("tr",), "tr": ("table",), "p": ("div", "td", "blockquote"),
    "dt": ("div", "td", "blockquote"), "dd": ("div", "td", "blockquote"),
}  # fmt: skip
"""Elements with optional end tags; the next one doesn't close an open one if a given parent was opened in between."""
_UNSAID = re.compile(r"<!--.*?(?:-->|\Z)|<[!?][^<>]*>?", re.DOTALL)
_LONE = re.compile(r"<(?![^<>]*>)")
_SOURCE = re.compile(r"<(xmp|textarea|script|template|pre)\b[^<>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
"""Elements in which a page may keep the Markdown that its script displays."""
_STYLED = re.compile(r"<(style|script)\b[^<>]*>[^<]*</\1\s*>", re.IGNORECASE)
_DEEPEST = 200


def is_html(text: str) -> bool:
    """Returns whether a text is an HTML page or mail."""
    head = _STYLED.sub("", text[:100_000])[:3000].lower()
    return (
        bool(re.search(r"<!doctype html|<html[\s>]", head))
        or (
            len(re.findall(r"</?(?:p|div|br|td|h[1-6])\b[^>]*>", head)) >= 6
            and not re.search(r"^(?:#{1,6} |\*\*\w)", head, re.MULTILINE)
        )  # tables in Markdown
    )


def html_text(text: str) -> MarkedText:
    """Returns the text of a page without scripts, styles and navigation."""
    reader = _Reader()
    # HTMLParser searches the whole text for the end of each unclosed comment, declaration or tag.
    reader.feed(_LONE.sub("&lt;", _UNSAID.sub("", text)))
    reader.close()
    reader.page.finish()
    if not reader.page.blocks and (sources := [source[2] for source in _SOURCE.finditer(text)]):
        return MarkedText(unescape(max(sources, key=len)).strip())  # the page is rendered by a script
    return marked_of(reader.page.blocks)


@dataclass
class _Reader(HTMLParser):
    page: Paragraphs = field(default_factory=Paragraphs)
    _open: list[tuple[str, Look]] = field(default_factory=list)
    _names: Counter[str] = field(default_factory=Counter)
    """Number of open elements by name."""
    _cells: int = 0
    """Number of cells so far in the current table row."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        page = self.page
        if tag == "br":
            page.say("\n")
        elif tag == "hr":
            page.rule()
        elif tag in _BREAKS:
            page.finish()
        if tag in _VOID or len(self._open) >= _DEEPEST:
            return
        if tag in _ENDLESS:
            self._close(tag, within=_ENDLESS[tag])
        given = {name: value or "" for name, value in attrs}
        self._open.append((tag, page.look))
        self._names[tag] += 1
        look, style = page.look, given.get("style", "").lower()
        hidden = look.hidden or tag in _LEFT_OUT or "display:none" in style.replace(" ", "")
        for name, elements, css in _STYLES:
            if tag in elements or (css and re.search(css, style)):
                look = look.styled(name)
        if tag == "a" and given.get("href", "")[:1] not in ("", "#"):
            look = replace(look, link=given["href"])
        page.look = replace(look, marks=look.marks | _marks(tag, given), hidden=hidden)
        if tag == "tr":
            self._cells = 0
        elif tag in ("td", "th"):
            self._cells += 1
            page.column(self._cells)
        elif tag == "blockquote":
            page.quote(opens=True)
        elif tag in ("ul", "ol"):
            page.counts.append(int(given["start"]) - 1 if re.fullmatch(r"[0-9]{1,9}", given.get("start", "")) else 0)
            page.look = replace(page.look, lists=(*page.look.lists, "bullet" if tag == "ul" else "number"))
        elif tag == "li" and page.look.lists:
            page.counts[-1] += 1
            page.item = (page.look.lists[-1], page.counts[-1])
        elif re.fullmatch(r"h[1-6]", tag):
            page.heading = int(tag[1])
        if tag in ("dt", "dd"):
            page.enter(f"style {tag}")
        if tag in ("div", "section", "article", "td", "p") and given.get("class", "").split():
            page.enter(f"style {given['class'].split()[0]}")

    def handle_endtag(self, tag: str) -> None:
        self._close(tag)

    def _close(self, tag: str, within: tuple[str, ...] = ()) -> None:
        """Closes the innermost element of a name, unless one of ``within`` was opened inside it."""
        if not self._names[tag]:
            return
        at = next(n for n in range(len(self._open) - 1, -1, -1) if self._open[n][0] == tag)
        names = [name for name, _ in self._open[at:]]
        if any(name in within for name in names[1:]):
            return
        if any(name in _BREAKS for name in names):
            self.page.finish()
            self.page.heading = 0 if any(re.fullmatch(r"h[1-6]", name) for name in names) else self.page.heading
        for name in names:
            if name in ("ul", "ol") and self.page.counts:
                self.page.counts.pop()
        self.page.look = self._open[at][1]
        del self._open[at:]
        self._names.subtract(names)

    def handle_data(self, data: str) -> None:
        """Adds text; preformatted text keeps its lines and its quote marks (">"), as in mails."""
        page = self.page
        if not self._names["pre"]:
            page.say(re.sub(r"[ \t\r\n\f]+", " ", data))
            return
        look = page.look
        for number, line in enumerate(re.split(r"\r?\n", data)):
            said = line.lstrip("> \t")
            quoted = line.lstrip().startswith(">") and bool(number or not page.said)
            if number and (not said or quoted != (page.look is not look)):
                page.finish()
            elif number:
                page.say("\n")
            if quoted != (page.look is not look):
                page.look = look
                if quoted:
                    page.quote(opens=True)
            page.say(said if number or quoted else line)
        if page.look is not look:
            page.finish()
            page.look = look


def _marks(tag: str, given: dict[str, str]) -> set[str]:
    style = given.get("style", "")
    colour = re.search(r"(?<![-\w])color\s*:\s*([#\w]+(?:\([^)]*\))?)", style)
    named = (colour[1] if colour else given.get("color", "")).lower()
    found = {f"colour {named}"} if named not in ("", "black", "#000", "#000000") else set()
    if re.search(r"background(?:-color)?\s*:", style) or tag == "mark":
        found.add("highlighted")
    if tag in ("u", "s", "strike", "del"):
        found.add("underlined" if tag == "u" else "struck")
    if tag == "span" and given.get("class", "").split():
        found.add(f"style {given['class'].split()[0]}")
    return found


# --- Org: headings, quotations, lists, emphasis, links, code (orgmode.org/manual) -------------------------------------

_KEYWORD = re.compile(r"^[ \t]*#\+(?:title|author|date|email|options|startup|latex_\w+|begin_\w+)\b", re.I | re.M)
_DRAWER = re.compile(
    r"^[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*\n(?:(?![ \t]*:END:).*\n){0,200}?[ \t]*:END:[ \t]*$", re.I | re.M
)
_SNIPPET = re.compile(r"@@\w+:(?:\\[a-z]+\{([^@]{1,10000}?)\}|[^@]{0,1000}?)@@")
"""A part in another format; the argument of a LaTeX command is kept."""
_ITEM = re.compile(r"(?:[-+*]|\d+[.)])[ \t]")
_NO_LIST = 1_000
"""A margin that no line reaches: indentation is kept in lists only, not under headings."""
_LINK = re.compile(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]|\[")
_BEFORE, _AFTER = r"(?<![^\s\-({'\"])", r"(?![^\s\-.,;:!?'\")}\[\\])"
_INLINE = (
    (re.compile(rf"{_BEFORE}[=~](?! )([^=~\n]+)(?<! )[=~]{_AFTER}"), r"`\1`"),
    (re.compile(rf"{_BEFORE}\*(?! )([^*\n]+(?:\n[^*\n]+)?)(?<! )\*{_AFTER}"), r"**\1**"),
    (re.compile(rf"{_BEFORE}/(?! )([^/\n]+(?:\n[^/\n]+)?)(?<! )/{_AFTER}"), r"*\1*"),
    (re.compile(rf"{_BEFORE}_(?! )([^_\n]+)(?<! )_{_AFTER}"), r"\1"),
)


def is_org(text: str, name: str) -> bool:
    """Returns whether a text is an Org file, by its name or keywords."""
    return name.lower().endswith(".org") or bool(_KEYWORD.search(text[:5000]))


def org_text(text: str) -> MarkedText:
    """Returns the text of an Org file without keywords, comments and drawers."""
    text = _DRAWER.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _SNIPPET.sub(lambda snippet: f"*{snippet[1]}*" if snippet[1] else "", text)
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
    """Converts a link; other brackets are escaped, since Markdown's parser searches for each one's end."""
    if not match[1]:
        return "\\["
    return f"[{match[2]}]({match[1]})" if match[2] else f"<{match[1]}>"


ENDINGS = ("md", "txt", "docx", "tex", "pdf", "html", "htm", "org", "json")
"""File name endings of letters."""
_TO = re.compile(r"^(?:rebuttal|response|reply|answer)\s+to\s+(?P<who>.+?)(?:\s*\(\d+/\d+\))?$", re.IGNORECASE)
_OLE = b"\xd0\xcf\x11\xe0"


def read_letter_file(path: Path, service: DocumentService) -> MarkedText:
    """Reads the letter in a file; ``service`` reads PDFs. Raises BadInput if it can't be read."""
    return letter_text(read_bytes(path), path.name, service, path.parent)


def letter_text(data: bytes, name: str, service: DocumentService, folder: Path | None = None) -> MarkedText:
    """Reads a letter, detecting its format from the content; files that it includes are read from ``folder``. Raises
    BadInput if it can't be read or is too large."""
    found = _letter(data, name, service, folder)
    limits.check_size(len(found.text), limits.LETTER_CHARACTERS, name, "characters")
    return replace(found, warnings=(*found.warnings, *unread_by_models(found.text, name)))


def is_pdf(data: bytes, name: str) -> bool:
    """Returns whether a file is a PDF. Raises BadInput if only its name says so."""
    # The signature may be anywhere in the first kilobyte (ISO 32000-1, annex H.3.4.1).
    found = b"%PDF-" in data[:1024]
    if data and not found and name.lower().endswith(".pdf"):
        raise not_imported(f"{name} isn't a PDF.", "Rename it if it is a text file.")
    return found


def office_text(data: bytes, name: str) -> MarkedText | None:
    """Returns the text of a Word document; None if it isn't an office file. Raises BadInput if it can't be read."""
    if is_docx(data):
        return docx_text(data, name)
    if data.startswith((b"PK", _OLE, b"{\\rtf")):
        if name.lower().endswith(".docx"):  # a password changes the file format
            raise not_imported(
                f"{name} is damaged, has a password or isn't a Word document (.docx).",
                "Open it in its program and save it again as Word (.docx) without a password.",
            )
        raise not_imported(f"{name} has an unsupported format.", "Save it as Word (.docx) or as PDF.")
    return None


def _letter(data: bytes, name: str, service: DocumentService, folder: Path | None) -> MarkedText:
    if is_pdf(data, name):
        return pdf_text(data, name, service)
    if (marked := office_text(data, name)) is not None:
        return marked
    decoded = decode(data, name)
    marked = markup_text(decoded, name, folder)
    if marked is not None:
        return marked
    records = json_records(decoded.text) if decoded.text.lstrip()[:1] in ("{", "[") else None
    if records is not None:
        if not is_openreview(records):
            raise BadInput(
                f"{name} is JSON but contains no OpenReview notes.", "Nothing was imported.",
                "Export the notes of the forum from OpenReview, or save the letter as text, Word or PDF.",
            )  # fmt: skip
        notes = _notes(decoded.text, name)
        return replace(notes, warnings=(*decoded.warnings, *notes.warnings))
    marked = table_text(decoded.text)
    left_out = "\n".join(_COMMENTED.findall(decoded.text[: _end_of_comments(decoded.text)]))
    return replace(marked, warnings=(*decoded.warnings, *marked.warnings, *unread_by_models(left_out, name)))


_COMMENTED = re.compile(r"<!--.*?-->", re.DOTALL)
_SUMMARY = re.compile(r"<summary\b[^<>]*>(.{0,5000}?)</summary>\s*", re.DOTALL | re.IGNORECASE)
_FOLDED = re.compile(r"</?details\b[^<>]*>", re.IGNORECASE)
_TABLE = re.compile(r"<table\b(?:(?!<table\b).){0,200000}?</table\s*>", re.DOTALL | re.IGNORECASE)
_ROW, _CELL, _EDGE = (
    re.compile(part, re.IGNORECASE)
    for part in (r"<tr\b[^<>]*>", r"<t[dh]\b[^<>]*>", r"</?(?:t(?:able|head|body|foot|r|d|h)|p|br|div)\b[^<>]*>")
)
_RULED = re.compile(r"(?=[^\n]*\|)(?=[^\n]*-)[-:| \t]+$")
_ASKED = re.compile(r"comment|request|concern|point|issue|question|suggestion|remark|reviewer|referee", re.IGNORECASE)
_ANSWERED = re.compile(r"respon|repl|answer|author|action|change|revision", re.IGNORECASE)


def _end_of_comments(text: str) -> int:
    """Returns the end of the last HTML comment; behind it, each "<!--" would be searched for its end in vain."""
    return text.rfind("-->") + 3


def table_text(text: str) -> MarkedText:
    """Returns Markdown in which tables of comments and responses are split into marked cells, as in Word; other tables
    are kept. In a text with HTML ``details`` only these are unfolded, to summary and content."""
    end = _end_of_comments(text)
    shown = _COMMENTED.sub(lambda match: re.sub(r"[^\r\n]", " ", match[0]), text[:end]) + text[end:]
    if shown != text:
        return replace(table_text(shown), warnings=("Text in HTML comments (<!-- … -->) was left out.",))
    if summaries := list(_SUMMARY.finditer(text)):
        return _unfolded(text, summaries)
    text = _TABLE.sub(_piped, text)
    if not re.search(r"\t|\|[ \t]*:?-", text):
        return MarkedText(text)
    lines = text.splitlines(keepends=True)
    said = [line for line in map(str.strip, lines) if line]
    tabbed = sum("\t" in line for line in said) > 0.8 * len(said)
    whole = sum(len(line) for line in said if line.count("|") > 1) > 0.5 * len(text)
    made: list[str] = []
    marks: list[Mark] = []
    inside, length = tabbed, 0
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        row = line.strip().removeprefix("|").removesuffix("|")
        cells = [cell.strip() for cell in re.split(r"\t" if tabbed else r"(?<!\\)\|", row)]
        asked = whole or all(any(map(sort.search, cells)) for sort in (_ASKED, _ANSWERED))
        inside = tabbed or bool(_RULED.match(below) and asked) or (inside and "|" in line)
        for number, cell in enumerate(cells if inside and not _RULED.match(line) else (), start=1):
            made.append(f"{cell}\n\n" if cell else "")
            marks.append(Mark(f"column {number}", length, length + len(cell)))
            length += len(made[-1])
        made.append("" if inside else line)
        length += len(made[-1])
    return MarkedText("".join(made), tuple(mark for mark in marks if mark.start < mark.end))


def _piped(table: re.Match[str]) -> str:
    """Converts an HTML table of comments and responses to Markdown; other tables are kept."""
    marked = re.sub(r"</?(?:b|strong)\b[^<>]*>", "**", table[0], flags=re.IGNORECASE)
    marked = re.sub(r"</?(?:i|em)\b[^<>]*>", "*", marked, flags=re.IGNORECASE)
    rows = [_CELL.split(row)[1:] for row in _ROW.split(marked)[1:]]
    titles = " ".join(cell for at, row in enumerate(rows) for cell in row[: 1 if at else None])
    if not (_ASKED.search(titles) and _ANSWERED.search(titles)):
        return table[0]
    lines = [" | ".join(" ".join(_EDGE.sub(" ", cell).split()).replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(["", *lines[:1], "|---|---|", *lines[1:], "", ""])


def _unfolded(text: str, summaries: Sequence[re.Match[str]]) -> MarkedText:
    parts: list[str] = []
    marks: list[Mark] = []
    at = length = 0
    for match in summaries:
        parts += [_FOLDED.sub("", text[at : match.start()]), f"{match[1].strip()}\n\n"]
        length += len(parts[-2])
        marks.append(Mark("in summary", length, length + len(parts[-1]) - 2))
        length += len(parts[-1])
        at = match.end()
    return MarkedText("".join([*parts, _FOLDED.sub("", text[at:])]), tuple(marks))


def markup_text(decoded: Decoded, name: str, folder: Path | None) -> MarkedText | None:
    """Returns the text of a LaTeX, HTML or Org file; None for other files. Raises BadInput if it can't be read."""
    if is_org(decoded.text, name):  # may contain LaTeX
        marked = org_text(decoded.text)
    elif is_latex(decoded.text):
        marked = latex_text(decoded.text, name, folder)
    elif is_html(decoded.text):
        marked = html_text(decoded.text)
    else:
        return None
    return replace(marked, warnings=(*decoded.warnings, *marked.warnings))


# --- OpenReview -------------------------------------------------------------------------------------------------------


_THREAD = Reading(frozenset({"in comment"}), frozenset({"in response"}))


def _notes(text: str, name: str) -> MarkedText:
    """Returns the reviews, each comment followed by its response from the thread, and the rest of the replies. If there
    are no reviews, returns the notes in order."""
    bad: list[str] = []
    notes = read_notes(text, name, bad)
    parts: list[str] = []
    marks: list[Mark] = []
    length = 0

    def say(words: str, mark: str = "") -> None:
        nonlocal length
        if words := words.strip():
            marks.extend([Mark(mark, length, length + len(words))] if mark else [])
            parts.append(words)
            length += len(words) + 2

    if all(note.kind != "review" for note in notes):
        for note in notes:
            to = _TO.match(str(note.content.get("title", "")).strip())
            say(f"## {to['who']}" if to and f"## {to['who']}" not in parts else "")
            for words in (words for key, words in note.content.items() if key != "title" and isinstance(words, str)):
                say("" if note.kind == "submission" and "abstract" in note.content else words)
        return MarkedText("\n\n".join(parts), (), tuple(bad), converted=True)
    bundle = read_openreview(text, name)
    said = "\n\n".join(comment.response for comment in bundle.comments)
    for source in bundle.texts:
        own = [comment for comment in bundle.comments if comment.source_id == source.id]
        if source.kind == "reply" and not own:
            left = [part for part in source.text.split("\n\n") if part not in said]
            say(f"## Response to {source.reviewer}" if left and source.reviewer else "")
            say("\n\n".join(left))
            continue
        say(f"## {source.reviewer}" if source.reviewer else "")
        at = 0
        for comment in own:
            say(source.text[at : comment.spans[0].start])
            say(source.text[comment.spans[0].start : comment.spans[-1].end], "in comment")
            say(comment.response, "in response")
            say("---" if comment.response else "")
            at = comment.spans[-1].end
        say(source.text[at:])
    return MarkedText("\n\n".join(parts), tuple(marks), bundle.warnings, converted=True, reading=_THREAD)
