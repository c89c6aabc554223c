"""The text of an HTML page as marked text: saved review pages, letters written for the web, mails."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html import unescape
from html.parser import HTMLParser

from engine.exchange.markdown_tokens import Look, Paragraphs, marked_of
from engine.reviews.marks import MarkedText

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
"""Elements whose ends may be left out, and what one of them may be in that is in another one."""
_UNSAID = re.compile(r"<!--.*?(?:-->|\Z)|<[!?][^<>]*>?", re.DOTALL)
_LONE = re.compile(r"<(?![^<>]*>)")
_SOURCE = re.compile(r"<(xmp|textarea|script|template|pre)\b[^<>]*>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
"""Where a page may hide the Markdown that its script shows."""
_DEEPEST = 200


def is_html(text: str) -> bool:
    """Whether a text is an HTML page, or mail."""
    head = text[:3000].lower()
    return (
        bool(re.search(r"<!doctype html|<html[\s>]", head))
        or (
            len(re.findall(r"</?(?:p|div|br|td|h[1-6])\b[^>]*>", head)) >= 6
            and not re.search(r"^(?:#{1,6} |\*\*\w)", head, re.MULTILINE)
        )  # tables in Markdown
    )


def html_text(text: str) -> MarkedText:
    """The text of a page; scripts, styles and navigation are left out."""
    reader = _Reader()
    # Python's parser searches the whole text for the end of each comment, declaration or tag that has none.
    reader.feed(_LONE.sub("&lt;", _UNSAID.sub("", text)))
    reader.close()
    reader.page.finish()
    if not reader.page.blocks and (sources := [source[2] for source in _SOURCE.finditer(text)]):
        return MarkedText(unescape(max(sources, key=len)).strip())  # a script of the page writes what it says
    return marked_of(reader.page.blocks)


@dataclass
class _Reader(HTMLParser):
    page: Paragraphs = field(default_factory=Paragraphs)
    _open: list[tuple[str, Look]] = field(default_factory=list)
    _names: Counter[str] = field(default_factory=Counter)
    """Of the elements that are open."""
    _cells: int = 0
    """In this row of a table."""

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
        if tag in ("div", "section", "article", "td", "p") and given.get("class", "").split():
            page.enter(f"style {given['class'].split()[0]}")

    def handle_endtag(self, tag: str) -> None:
        self._close(tag)

    def _close(self, tag: str, within: tuple[str, ...] = ()) -> None:
        """Closes the innermost element of a name, unless it is outside of one ``within`` which the next one is."""
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
        """Takes words in; preformatted ones with their lines and quote marks, as in mails."""
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
    if tag == "u":
        found.add("underlined")
    if tag == "span" and given.get("class", "").split():
        found.add(f"style {given['class'].split()[0]}")
    return found
