"""Markdown with LaTeX formulas as OpenReview shows it: Markdown is read first, formulas in what is left of the text.

That order is why formulas break: what Markdown takes for emphasis or for an escaped sign is gone before the formula is
read. The preview goes the same way, so it shows the damage, and says which formula was damaged by what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from engine.reviews.records import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<display>.+?)(?<!\\)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+(?:\n[^$\n]+)*?)(?<!\\)\$(?!\$)"
    r"|\\\\\[(?P<square>.+?)\\\\\]|\\\\\((?P<round>.+?)\\\\\)",
    re.DOTALL,
)
_SHOWN = re.compile(
    r"\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$\n]+(?:\n[^$\n]+)*?)\$|\\\[(?P<square>.+?)\\\]|\\\((?P<round>.+?)\\\)",
    re.DOTALL,
)
_CODE = re.compile(
    r"^(?:```|~~~).*?^(?:```|~~~)[ \t]*$|(`+)(?!`).+?(?<!`)\1(?!`)|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE
)
_PRICE = re.compile(r"^\d[\d,.]*\s|\s$|^\s")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it is left for the venue to draw: LaTeX without its delimiters; ``display`` on a line of its own."""

    tex: str
    display: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """What will not look as it was meant; ``span`` in code points of the Markdown, ``sentence`` for people."""

    span: Span
    sentence: str


@dataclass(frozen=True, slots=True)
class Preview:
    """``html`` holds ``<img src="formula:N">`` for the formula N of ``formulas``; everything else is escaped text and
    the tags of Markdown. HTML in the Markdown is shown as text.
    """

    html: str
    formulas: tuple[Formula, ...]
    troubles: tuple[Trouble, ...]


def preview(text: str) -> Preview:
    """The preview of a text."""
    tokens = _reader().parse(text)
    formulas: list[Formula] = []
    shown: list[str] = []
    for token in tokens:
        if token.type == "inline" and token.children is not None:
            token.children = list(_drawn(token.children, formulas, shown))
    rendered = str(_reader().renderer.render(tokens, _reader().options, {}))
    return Preview(rendered, tuple(formulas), tuple(_troubles(text, shown)))


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _drawn(children: Sequence[Token], formulas: list[Formula], shown: list[str]) -> Iterator[Token]:
    """The tokens of a paragraph with formulas in the place of their text; a formula never reaches over a tag."""
    from markdown_it.token import Token

    run = ""
    for child in (*children, None):
        if child is not None and child.type in ("text", "softbreak", "text_special"):
            run += "\n" if child.type == "softbreak" else child.content
            continue
        end = 0
        for match in _SHOWN.finditer(run):
            if match.start() > end:
                yield Token("text", "", 0, content=run[end : match.start()])
            tex = next(part for part in match.groups() if part is not None)
            display = match["display"] is not None or match["square"] is not None
            image = Token("image", "img", 0, content=tex, children=[])
            image.attrs = {"src": f"formula:{len(formulas)}", "alt": tex}
            image.children = [Token("text", "", 0, content=tex)]
            if display:
                yield Token("hardbreak", "br", 0)
            yield image
            if display:
                yield Token("hardbreak", "br", 0)
            formulas.append(Formula(tex.strip(), display))
            shown.append(match[0])
            end = match.end()
        if run[end:]:
            yield Token("text", "", 0, content=run[end:])
        run = ""
        if child is not None:
            yield child


def _troubles(text: str, shown: Sequence[str]) -> Iterator[Trouble]:
    """Formulas that were meant and did not come through as they were written, and dollar signs that stand alone."""
    left = list(shown)
    code = [Span(*match.span()) for match in _CODE.finditer(text)]
    meant = [m for m in _FORMULA.finditer(text) if not any(s.start <= m.start() < s.end for s in code)]
    for match in meant:
        span, source = Span(*match.span()), match[0]
        # Doubled backslashes before brackets are how these delimiters have to be written in Markdown.
        written = source.replace("\\\\[", "\\[").replace("\\\\]", "\\]").replace("\\\\(", "\\(").replace("\\\\)", "\\)")
        if written in left:
            left.remove(written)
            inner = match["inline"]
            if inner is not None and _PRICE.search(inner):
                yield Trouble(span, f"“{_short(source)}” is read as a formula; write \\\\$ for a dollar sign.")
        else:
            yield Trouble(span, f"In “{_short(source)}”: {_reason(source)}")
    for match in re.finditer(r"(?<![\\$])\$(?!\$)", text):
        inside = any(m.start() <= match.start() < m.end() for m in meant)
        if not inside and not any(s.start <= match.start() < s.end for s in code):
            yield Trouble(Span(*match.span()), "A dollar sign stands alone; write \\\\$ for one, or close the formula.")


def _reason(source: str) -> str:
    if re.search(r"\\\\(?![\[\]()])", source):
        return "a doubled backslash becomes one; write \\\\\\\\ for it."
    if re.search(r"\\[!-/:-@\[-`{-~]", source):
        return "the backslash before a sign is taken away; write two."
    if "*" in source:
        return "* is read as emphasis; write \\ast or put blanks around it."
    if "_" in source:
        return "_ is read as emphasis; write \\_ or a blank before it."
    if "`" in source or "<" in source:
        return "` and < are read as code and tags; write \\lt for <."
    return "an empty line or a list ends it; write it on one line."


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 40 else f"{words[:38]}…"
