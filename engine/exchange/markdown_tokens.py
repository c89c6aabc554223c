"""Markdown as a short list of blocks with runs, for formats that know paragraphs, lists, quotations and emphasis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal["paragraph", "heading", "quote", "bullet", "number", "code"]


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one look. ``text`` may hold line ends; formulas stand in it as they were written, with their dollar
    signs.
    """

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or what is like one; ``level`` of a heading or the depth of a list, ``number`` of a numbered item."""

    kind: BlockKind
    runs: tuple[Run, ...]
    level: int = 1
    number: int = 0


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text in order."""
    return tuple(_blocks(_reader().parse(text)))


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False})


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    quotes, lists = 0, []
    heading, item = 0, False
    for token in tokens:
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
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
        elif token.type in ("fence", "code_block"):
            yield Block("code", (Run(token.content.rstrip("\n"), code=True),))
        elif token.type == "inline":
            runs = tuple(_runs(token.children or []))
            if heading:
                yield Block("heading", runs, heading)
            elif lists and item:
                number = lists[-1]
                yield Block("number" if number else "bullet", runs, len(lists), number)
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
