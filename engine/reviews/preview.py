"""Renders Markdown with LaTeX formulas as OpenReview does: Markdown is parsed first, then formulas in the remaining
text. That order is why formulas break: what Markdown takes for emphasis or an escape is gone before the formula is
read. The preview uses the same order, so it shows the damage, and says which formula was damaged by what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from engine.reviews.records import Span
from engine.shown import shortened

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<display>.+?)(?<!\\)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+(?:\n[^$\n]+)*?)(?<!\\)\$(?!\$)"
    r"|\\\\\[(?P<square>.+?)\\\\\]|\\\\\((?P<round>.+?)\\\\\)",
    re.DOTALL,
)
_SHOWN = re.compile(
    r"(?<!\\)\$\$(?P<display>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<inline>(?:\\\$|[^$\n])+(?:\n(?:\\\$|[^$\n])+)*?)(?<!\\)\$|\\\[(?P<square>.+?)\\\]|\\\((?P<round>.+?)\\\)",
    re.DOTALL,
)
_CODE = re.compile(
    r"^(?:```|~~~).*?^(?:```|~~~)[ \t]*$|(`+)(?!`).+?(?<!`)\1(?!`)|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE
)
_PRICE = re.compile(r"^\d[\d,.]*\s|\s$|^\s")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as the venue receives it: LaTeX without its delimiters; ``display``: on a line of its own."""

    tex: str
    display: bool


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that won't look as intended; ``span`` in code points of the Markdown, ``sentence`` for the user."""

    span: Span
    sentence: str


@dataclass(frozen=True, slots=True)
class Preview:
    """``html`` contains ``<img src="formula:N">`` for formula N of ``formulas``; everything else is escaped text and
    the tags of Markdown. HTML in the Markdown is shown as text."""

    html: str
    formulas: tuple[Formula, ...]
    troubles: tuple[Trouble, ...]


def preview(text: str) -> Preview:
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
    """Yields the tokens of a paragraph with its formulas as images; a formula never spans a tag."""
    from markdown_it.token import Token

    run = ""
    for child in (*children, None):
        if child is not None and child.type in ("text", "softbreak", "text_special"):
            run += "\n" if child.type == "softbreak" else child.content
            continue
        end = 0
        for match in _SHOWN.finditer(run):
            if match.start() > end:
                yield Token("text", "", 0, content=_priced(run[end : match.start()]))
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
            yield Token("text", "", 0, content=_priced(run[end:]))
        run = ""
        if child is not None:
            yield child


def _priced(text: str) -> str:
    """Removes the backslash before a dollar sign, as MathJax does."""
    return text.replace("\\$", "$")


def _troubles(text: str, shown: Sequence[str]) -> Iterator[Trouble]:
    """Yields formulas that weren't read as intended, text unintentionally read as a formula, and single dollar
    signs."""
    left = list(shown)
    code = [Span(*match.span()) for match in _CODE.finditer(text)]
    meant = [m for m in _FORMULA.finditer(text) if not any(s.start <= m.start() < s.end for s in code)]
    for match in meant:
        span, source = Span(*match.span()), match[0]
        written = _marked(source)
        if written in left:
            left.remove(written)
            inner = match["inline"]
            if inner is not None and _PRICE.search(inner):
                yield Trouble(span, f"“{shortened(source, 40)}” is read as a formula; write \\\\$ for a dollar sign.")
            elif harm := _harm(source):
                yield Trouble(span, f"In “{shortened(source, 40)}”: {harm}")
        else:
            yield Trouble(span, f"In “{shortened(source, 40)}”: {_reason(source)}")
    lost = [m for m in _ROUND.finditer(text) if not any(s.start <= m.start() < s.end for s in code)]
    for match in lost:
        yield Trouble(
            Span(*match.span()), f"“{shortened(match[0], 40)}” loses its backslashes. Write $ … $ or $$ … $$."
        )
    for match in _ESCAPED.finditer(text) if left and not lost else ():
        if not any(s.start <= match.start() < s.end for s in (*code, *(Span(*m.span()) for m in meant))):
            yield Trouble(Span(*match.span()), "This dollar sign still starts or ends a formula. Write \\\\$.")
    for match in re.finditer(r"(?<![\\$])\$(?!\$)", text):
        inside = any(m.start() <= match.start() < m.end() for m in meant)
        if not inside and not any(s.start <= match.start() < s.end for s in code):
            yield Trouble(
                Span(*match.span()), "A single dollar sign has no partner. Write \\\\$ for one, or close the formula."
            )


_BACKSLASHED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ROUND = re.compile(r"(?<!\\)\\\((?!\\).+?(?<!\\)\\\)|(?<!\\)\\\[(?!\\).+?(?<!\\)\\\]", re.DOTALL)
_ESCAPED = re.compile(r"(?<!\\)\\\$")
_NEEDED = re.compile(r"(?<!\\)\\[{}|,;:!%#&$]")
"""Single backslashes that formulas need and Markdown removes; those before _ and * are Markdown's own."""
_ROW = re.compile(r"(?<!\\)\\\\(?![\\{}|,;:!%#&$_*()\[\]])")
_TAG = re.compile(r"<[A-Za-z][\w-]*(?:\s+[\w:.-]+(?:\s*=\s*[^\s>]+)?)*\s*/?>|</[A-Za-z]")


_FOREIGN = {
    "argmin": r"\operatorname*{argmin}", "argmax": r"\operatorname*{argmax}", "bm": r"\boldsymbol", "coloneqq": ":=",
    "mathbbm": r"\mathbb", "mathds": r"\mathbb", "norm": r"\lVert … \rVert", "abs": r"\lvert … \rvert",
    "eqref": "the number", "ref": "the number", "SI": "the number and its unit",
}  # fmt: skip
"""Commands of packages that papers use and OpenReview's MathJax lacks, with replacements."""
_COMMAND = re.compile(rf"\\({'|'.join(_FOREIGN)})(?![a-zA-Z])")


def _marked(source: str) -> str:
    """Returns what Markdown makes of the backslashes in a formula that it otherwise leaves alone."""
    return _BACKSLASHED.sub(r"\1", source)


def _harm(source: str) -> str:
    """Returns what is damaged or unknown in a formula that was read as one; "" if nothing is."""
    if _ROW.search(source):
        return "a doubled backslash becomes one, and the line does not end; write four."
    if needed := _NEEDED.search(source):
        return f"the backslash of {needed[0]} is taken away; write two."
    if _TAG.search(source):
        return "< with a letter after it may be read as a tag; write \\lt or put a blank after it."
    if foreign := _COMMAND.search(source):
        return f"{foreign[0]} is unknown there; write {_FOREIGN[foreign[1]]}."
    return ""


def _reason(source: str) -> str:
    if re.search(r"\n[ \t]*\n", source):
        return "an empty line ends it; write it without one."
    if "`" in source:
        return "` is read as code."
    if re.search(r"\]\(", source):
        return "[…](…) is read as a link; put a blank between the brackets."
    if "*" in source:
        return "* is read as emphasis; write \\ast or put blanks around it."
    if "_" in source:
        return "_ is read as emphasis; write \\_ or a blank before it."
    if "<" in source:
        return "< is read as a tag; write \\lt."
    return "a list, a heading or a line of a table ends it; write it on one line."
