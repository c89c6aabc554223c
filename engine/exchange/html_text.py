"""The text of an HTML page as marked text: saved review pages, letters written for the web, mails."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser

from engine.exchange.markdown_tokens import Block, BlockKind, Run, marked_of
from engine.reviews.marks import MarkedText

_LEFT_OUT = frozenset(
    {"script", "style", "head", "nav", "footer", "title", "button", "select", "option", "svg", "template"}
)
_BOLD, _ITALIC, _CODE = (
    frozenset({"b", "strong"}),
    frozenset({"i", "em", "cite"}),
    frozenset({"code", "tt", "kbd", "samp"}),
)
_BREAKS = frozenset({
    "p", "div", "table", "tr", "td", "th", "ul", "ol", "li", "dl", "dt", "dd", "section", "article", "header", "main",
    "aside", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "form", "fieldset", "center", "figure", "tbody",
    "thead", "body", "details",
})  # fmt: skip
_VOID = frozenset({"br", "hr", "img", "input", "meta", "link", "col", "area", "base", "wbr", "source"})


def is_html(text: str) -> bool:
    """Whether a text is an HTML page, or mail."""
    head = text[:3000].lower()
    return (
        bool(re.search(r"<!doctype html|<html[\s>]", head))
        or len(re.findall(r"</?(?:p|div|br|td|h[1-6])\b[^>]*>", head)) >= 6
    )


def html_text(text: str) -> MarkedText:
    """The text of a page; scripts, styles and navigation are left out."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.finish()
    return marked_of(reader.blocks)


@dataclass(frozen=True, slots=True)
class _Look:
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""
    marks: frozenset[str] = frozenset()
    quoted: bool = False
    lists: tuple[BlockKind, ...] = ()
    hidden: bool = False
    within: tuple[tuple[str, int], ...] = ()


@dataclass
class _Reader(HTMLParser):
    blocks: list[Block] = field(default_factory=list)
    _runs: list[Run] = field(default_factory=list)
    _look: _Look = field(default_factory=_Look)
    _open: list[tuple[str, _Look]] = field(default_factory=list)
    _counts: list[int] = field(default_factory=list)
    _heading: int = 0
    _item: tuple[BlockKind, int] | None = None
    _quote: bool = False
    _column: int = 0
    _number: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def finish(self) -> None:
        """Ends the current paragraph."""
        runs, self._runs = tuple(self._runs), []
        if not any(run.text.strip() for run in runs):
            return
        look = self._look
        if self._heading:
            self.blocks.append(
                Block("heading", tuple(replace(run, bold=False) for run in runs), self._heading, within=look.within)
            )
        elif self._item is not None:
            (kind, number), self._item = self._item, None
            self.blocks.append(Block(kind, runs, max(1, len(look.lists)), number, within=look.within))
        elif look.quoted:
            self.blocks.append(Block("quote", runs, opens=self._quote, within=look.within))
            self._quote = False
        else:
            self.blocks.append(Block("paragraph", runs, within=look.within))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element."""
        if tag in _BREAKS or tag in ("br", "hr"):
            if tag == "br":
                self._runs.append(Run("\n"))
                return
            self.finish()
        if tag == "hr":
            self.blocks.append(Block("rule", ()))
        if tag in _VOID:
            return
        if tag in ("p", "li", "td", "th", "tr", "dt", "dd"):  # their ends may be left out
            self._close(
                tag,
                within={"li": ("ul", "ol"), "td": ("tr",), "th": ("tr",), "tr": ("table",)}.get(
                    tag, ("div", "td", "blockquote")
                ),
            )
        given = {name: value or "" for name, value in attrs}
        look = self._look
        self._open.append((tag, look))
        hidden = look.hidden or tag in _LEFT_OUT or "display:none" in given.get("style", "").replace(" ", "").lower()
        marks = look.marks | _marks(tag, given)
        if tag == "tr":
            self._column = 0
        elif tag in ("td", "th"):
            self._column += 1
            marks |= {f"column {self._column}"}
        look = replace(
            look,
            bold=look.bold
            or tag in _BOLD
            or bool(re.search(r"font-weight:\s*(?:bold|[6-9]00)", given.get("style", ""))),
            italic=look.italic or tag in _ITALIC or "italic" in given.get("style", ""),
            code=look.code or tag in _CODE,
            link=given.get("href", look.link)
            if tag == "a" and given.get("href", "")[:1] not in ("", "#")
            else look.link,
            marks=marks,
            hidden=hidden,
        )
        if tag == "blockquote":
            self._quote = True
            self._number += 1
            look = replace(look, quoted=True, within=(*look.within, ("quoted", self._number)))
        elif tag in ("ul", "ol"):
            self._counts.append(int(given["start"]) - 1 if given.get("start", "").isdecimal() else 0)
            look = replace(look, lists=(*look.lists, "bullet" if tag == "ul" else "number"))
        elif tag == "li" and look.lists:
            self._counts[-1] += 1
            self._item = (look.lists[-1], self._counts[-1])
        elif re.fullmatch(r"h[1-6]", tag):
            self._heading = int(tag[1])
        if tag in ("div", "section", "article", "td", "p") and given.get("class"):
            self._number += 1
            look = replace(look, within=(*look.within, (f"style {given['class'].split()[0]}", self._number)))
        self._look = look

    def handle_endtag(self, tag: str) -> None:
        """Closes an element."""
        self._close(tag)

    def _close(self, tag: str, within: tuple[str, ...] = ()) -> None:
        names = [name for name, _ in self._open]
        if tag not in names:
            return
        at = len(names) - 1 - names[::-1].index(tag)
        if any(name in within for name in names[at + 1 :]):
            return
        if any(name in _BREAKS for name in names[at:]):
            self.finish()
            self._heading = 0 if any(re.fullmatch(r"h[1-6]", name) for name in names[at:]) else self._heading
        for name in names[at:]:
            if name in ("ul", "ol") and self._counts:
                self._counts.pop()
        self._look = self._open[at][1]
        del self._open[at:]

    def handle_data(self, data: str) -> None:
        """Takes words in."""
        look = self._look
        if not look.hidden:
            words = re.sub(r"[ \t\r\n\f]+", " ", data)
            self._runs.append(Run(words, look.bold, look.italic, look.code, look.link, marks=look.marks))


def _marks(tag: str, given: dict[str, str]) -> set[str]:
    colour = re.search(r"(?<![-\w])color\s*:\s*([#\w]+(?:\([^)]*\))?)", given.get("style", ""))
    found = (
        {f"colour {colour[1].lower()}"}
        if colour
        else {f"colour {given['color'].lower()}"}
        if given.get("color")
        else set()
    )
    if re.search(r"background(?:-color)?\s*:", given.get("style", "")) or tag == "mark":
        found.add("highlighted")
    if tag == "u":
        found.add("underlined")
    if tag == "span" and given.get("class"):
        found.add(f"style {given['class'].split()[0]}")
    return {one for one in found if one not in ("colour black", "colour #000", "colour #000000")}
