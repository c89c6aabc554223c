"""Converts Markdown to blocks with runs, for formats with paragraphs, lists, quotations and emphasis, and blocks read
from such formats to Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from engine.reviews.marks import Mark, MarkedText

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal["paragraph", "heading", "quote", "bullet", "number", "code", "rule"]


@dataclass(frozen=True, slots=True)
class Run:
    """Text with uniform formatting, possibly with line ends; the text of a ``formula`` includes its dollar signs."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""
    formula: bool = False
    marks: frozenset[str] = frozenset()
    """Formatting that Markdown lacks: colours, fonts, commands."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or similar block. ``level`` is that of a heading or the depth of a list, ``number`` that of a
    numbered item. ``opens``: a quotation that doesn't continue the previous one."""

    kind: BlockKind
    runs: tuple[Run, ...]
    level: int = 1
    number: int = 0
    opens: bool = False
    within: tuple[tuple[str, int], ...] = ()
    """Enclosing environments, each with a number that the blocks of one occurrence share."""


_MATH = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?![\s$])[^$\n]+?(?<![\s\\])\$(?![$\d])", re.DOTALL)
"""Formulas, distinguished from prices as in Pandoc: no blank inside the dollar signs, no digit after the second one."""
_KEPT = re.compile("\ue000(\\d+)\ue001")


def blocks_of(text: str) -> tuple[Block, ...]:
    """Returns the blocks of a Markdown text in order; text between dollar signs isn't parsed as Markdown."""
    formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        formulas.append(match[0])
        return f"\ue000{len(formulas) - 1}\ue001"

    blocks = tuple(_blocks(_reader().parse(_MATH.sub(keep, _KEPT.sub("", text)))))
    if not formulas:
        return blocks
    return tuple(replace(block, runs=tuple(_put_back(block.runs, formulas))) for block in blocks)


def _put_back(runs: Sequence[Run], formulas: Sequence[str]) -> Iterator[Run]:
    for run in runs:
        if run.code:
            yield replace(run, text=_KEPT.sub(lambda match: formulas[int(match[1])], run.text))
            continue
        for at, part in enumerate(_KEPT.split(run.text)):
            if part:
                yield replace(run, text=formulas[int(part)], formula=True) if at % 2 else replace(run, text=part)


def formulas_in(text: str) -> bool:
    return _MATH.search(text) is not None


def with_formulas(run: Run) -> Iterator[Run]:
    """Splits a run into runs of text and of formulas between dollar signs."""
    end = 0
    for match in () if run.code else _MATH.finditer(run.text):
        if run.text[end : match.start()]:
            yield replace(run, text=run.text[end : match.start()])
        yield replace(run, text=match[0], formula=True)
        end = match.end()
    if run.text[end:]:
        yield replace(run, text=run.text[end:])


_OPENED, _CLOSED = "\ue002", "\ue003"
"""Delimiters of a run with marks during conversion."""


def marked_of(blocks: Sequence[Block]) -> MarkedText:
    """Converts blocks to Markdown that parses to the same blocks, with the positions of marks of runs and environments;
    markup characters are escaped except in formulas."""
    parts: list[str] = []
    names: list[frozenset[str]] = []
    marks: list[Mark] = []
    length = 0
    within: dict[tuple[str, int], tuple[int, int]] = {}
    before: Block | None = None
    for block in blocks:
        names.clear()
        words = _written(block, names)
        if not words:
            continue
        if before is not None:
            together = block.kind in ("bullet", "number") and before.kind == block.kind
            parts.append("\n" if together else "\n\n")
            if block.kind == before.kind == "quote" and not block.opens:
                parts[-1] = "\n>\n"
            length += len(parts[-1])
        words, found = _placed(words, names, length)
        spans = [(key, length, length + len(words)) for key in block.within]
        for mark in found:
            name, _, use = mark.name.partition("\0")
            if use:
                spans.append(((name, int(use)), mark.start, mark.end))
            else:
                marks.append(mark)
        for key, start, end in spans:
            within[key] = within.get(key, (start, 0))[0], end
        parts.append(words)
        length += len(words)
        before = block
    marks += (Mark(name, *span) for (name, _), span in within.items())
    return MarkedText("".join(parts), tuple(marks), converted=True)


def _placed(words: str, names: Sequence[frozenset[str]], start: int) -> tuple[str, list[Mark]]:
    """Removes the delimiters around marked runs, and returns the text with the marks' positions."""
    if not names:
        return words, []
    parts = re.split(f"[{_OPENED}{_CLOSED}]", words)  # every second part has marks
    said = "".join(parts)
    marks: list[Mark] = []
    latest: dict[str, int] = {}
    at = 0
    for part, looks in zip(parts, (look for name in names for look in (None, name)), strict=False):
        for name in sorted(looks or ()):
            before = latest.get(name)
            if before is not None and not said[marks[before].end - start : at].strip("*_` \n\\"):
                marks[before] = replace(marks[before], end=start + at + len(part))  # merge with the previous mark
            else:
                latest[name] = len(marks)
                marks.append(Mark(name, start + at, start + at + len(part)))
        at += len(part)
    return said, marks


def _written(block: Block, names: list[frozenset[str]]) -> str:
    if block.kind == "rule":
        return "* * *"
    if block.kind == "code":
        said = "".join(run.text for run in block.runs)
        fence = "`" * max(3, 1 + max((len(match[0]) for match in re.finditer("`+", said)), default=0))
        return f"{fence}\n{said}\n{fence}"
    words = _START.sub(_unmarked, "".join(_run_written(run, names) for run in _merged(block.runs)).strip())
    if not words:
        return ""
    if block.kind == "heading":
        return f"{'#' * block.level} {' '.join(words.split())}"
    if block.kind == "quote":
        return "\n".join(f"> {line}".rstrip() for line in words.split("\n"))
    if block.kind in ("bullet", "number"):
        mark = f"{block.number}." if block.kind == "number" else "-"
        indent = " " * 3 * (block.level - 1)
        return f"{indent}{mark} " + words.replace("\n", f"\n{indent}{' ' * (len(mark) + 1)}")
    return words


_START = re.compile(
    rf"^(?P<marked>{_OPENED}?)(?:#{{1,6}}(?=\s|$)|>|[-+](?=\s|$)|\d{{1,9}}(?=[.)](?:\s|$))"
    r"|={1,}[ \t]*$|-{2,}[ \t]*$|~{3})",
    re.MULTILINE,
)
_SPECIAL = re.compile(r"[\\`$]|(?<!\s)\*|\*(?!\s)|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|\](?=\()|&(?=#?\w+;)")


def _unmarked(match: re.Match[str]) -> str:
    sign = match[0].removeprefix(match["marked"])
    return f"{match[0]}\\" if sign.isdigit() else f"{match['marked']}\\{sign}"


def _merged(runs: Sequence[Run]) -> Iterator[Run]:
    """Merges adjacent runs with the same formatting, and runs of blanks with the run before them."""
    found: list[Run] = []
    for run in runs:
        blank = not run.text.strip() and not run.link
        if found and (blank or replace(found[-1], text="") == replace(run, text="")):
            found[-1] = replace(found[-1], text=found[-1].text + run.text)
        elif run.text:
            found.append(replace(run, bold=False, italic=False) if blank else run)
    return iter(found)


def _run_written(run: Run, names: list[frozenset[str]]) -> str:
    run = replace(run, text=run.text.replace(_OPENED, "").replace(_CLOSED, ""))
    inner = run.text.strip()
    if not inner:
        return run.text
    start = run.text.index(inner)
    before, after = run.text[:start], run.text[start + len(inner) :]
    if run.formula:
        pass
    elif run.code:
        tick = "`" * (1 + max((len(match[0]) for match in re.finditer("`+", inner)), default=0))
        pad = " " if "`" in inner else ""
        inner = f"{tick}{pad}{inner}{pad}{tick}"
    else:
        inner = _SPECIAL.sub(r"\\\g<0>", inner).replace("\n", "\\\n")
    if run.link:
        bare = run.link in (run.text.strip(), f"mailto:{run.text.strip()}")
        inner = f"<{run.text.strip()}>" if bare else f"[{inner}]({run.link})"
    mark = {(True, True): "***", (True, False): "**", (False, True): "*"}.get((run.bold, run.italic), "")
    looks = run.marks | ({"bold"} if run.bold else set()) | ({"italic"} if run.italic else set())
    if not looks:
        return f"{before}{inner}{after}"
    names.append(looks)
    return f"{before}{_OPENED}{mark}{inner}{mark}{_CLOSED}{after}"


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False})


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    quotes, quote, lists = 0, 0, []
    heading, item = 0, False
    for token in tokens:
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
            quote += token.nesting > 0
        elif token.type == "bullet_list_open":
            lists.append(0)
        elif token.type == "ordered_list_open":
            lists.append(int(token.attrGet("start") or 1))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            item = True
        elif token.type == "heading_open":
            heading = int(token.tag[1:])
        elif token.type == "heading_close":
            heading = 0
        elif token.type == "hr":
            yield Block("rule", ())
        elif token.type in ("fence", "code_block"):
            yield Block("code", (Run(token.content.rstrip("\n"), code=True),))
        elif token.type == "inline":
            runs = tuple(_runs(token.children or []))
            if heading:
                yield Block("heading", runs, heading)
            elif lists and item:
                number = lists[-1]
                within = (("quoted", quote),) if quotes else ()
                yield Block("number" if number else "bullet", runs, len(lists), number, within=within)
                if number:
                    lists[-1] += 1
                item = False
            else:
                yield Block("quote" if quotes else "paragraph", runs)


def _runs(children: Sequence[Token]) -> Iterator[Run]:
    bold = italic = 0
    link = ""
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            bold += child.nesting
        elif child.type in ("em_open", "em_close"):
            italic += child.nesting
        elif child.type == "link_open":
            link = str(child.attrGet("href") or "")
        elif child.type == "link_close":
            link = ""
        elif child.type in ("softbreak", "hardbreak"):
            yield Run(" " if child.type == "softbreak" else "\n", bool(bold), bool(italic), link=link)
        elif child.content:
            yield Run(child.content, bool(bold), bool(italic), child.type == "code_inline", link)


# --- Building blocks while parsing the markup of a letter: shared by LaTeX and HTML ----------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """The formatting at a position, and the enclosing elements."""

    styles: frozenset[str] = frozenset()
    """Any of "bold", "italic", "code"."""
    link: str = ""
    quoted: bool = False
    lists: tuple[BlockKind, ...] = ()
    marks: frozenset[str] = frozenset()
    within: tuple[tuple[str, int], ...] = ()
    switch: str = ""
    """The mark of a command that applies until the next one."""
    column: int = 0
    hidden: bool = False

    def styled(self, style: str) -> Look:
        """Returns the look with a style, added as a mark if Markdown doesn't have it."""
        if style in ("bold", "italic", "code"):
            return replace(self, styles=self.styles | {style})
        return replace(self, marks=self.marks | {style})

    def instead(self, kind: str, mark: str) -> Look:
        """Returns the look with ``mark`` (none if "") replacing others of its kind ("colour", "column")."""
        others = frozenset(one for one in self.marks if not one.startswith(f"{kind} "))
        return replace(self, marks=others | {mark} if mark else others)


@dataclass(slots=True)
class Paragraphs:
    """The finished blocks, the current one, and the look of the text that follows."""

    blocks: list[Block] = field(default_factory=list)
    look: Look = Look()
    item: tuple[BlockKind, int] | None = None
    """Kind and number of the list item that starts next."""
    counts: list[int] = field(default_factory=list)
    """Counters of the open lists."""
    heading: int = 0
    opens: bool = False
    """Whether the next quotation doesn't continue the previous one."""
    _runs: list[Run] = field(default_factory=list)
    _entered: int = 0

    @property
    def said(self) -> str:
        return self._runs[-1].text if self._runs else ""

    def say(self, words: str, *, formula: bool = False) -> None:
        look = self.look
        if words[:1] == " " and self.said[-1:].isspace():
            words = words.lstrip(" ")
        if words and not look.hidden:
            marks = look.marks | {look.switch} if look.switch else look.marks
            bold, italic, code = (style in look.styles for style in ("bold", "italic", "code"))
            self._runs.append(Run(words, bold, italic, code, look.link, formula, marks))

    def finish(self) -> None:
        runs, self._runs = tuple(self._runs), []
        if not any(run.text.strip() for run in runs):
            return
        within = self.look.within
        if self.heading:
            plain = tuple(replace(run, bold=False) for run in runs)
            self.blocks.append(Block("heading", plain, self.heading, within=within))
        elif self.item is not None:
            (kind, number), self.item = self.item, None
            self.blocks.append(Block(kind, runs, max(1, len(self.look.lists)), number, within=within))
        elif self.look.quoted:
            self.blocks.append(Block("quote", runs, opens=self.opens, within=within))
            self.opens = False
        else:
            self.blocks.append(Block("paragraph", runs, within=within))

    def rule(self) -> None:
        """Ends the current paragraph and adds a horizontal rule."""
        self.finish()
        self.blocks.append(Block("rule", ()))

    def enter(self, name: str) -> None:
        """Marks the following text as part of an environment, style or quotation."""
        self._entered += 1
        self.look = replace(self.look, within=(*self.look.within, (name, self._entered)))

    def quote(self, *, opens: bool) -> None:
        self.opens = opens
        self.enter("quoted")
        self.look = replace(self.look, quoted=True, switch="")

    def switch(self, name: str) -> None:
        """Marks the following text until the next switch, as one mark across paragraphs."""
        self._entered += 1
        self.look = replace(self.look, switch=f"{name}\0{self._entered}")

    def column(self, number: int) -> None:
        self.look = replace(self.look.instead("column", f"column {number}"), column=number)
