r"""Text of others as it is shown: without the signs that disguise what it says.

``evil\u202efdp.exe`` reads "evilexe.pdf" on screen, and a terminal obeys what follows ``\x1b``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_DISGUISING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
_LINES = re.compile(r"[\t\r\n]+")


def visible(text: str) -> str:
    """``text`` with a replacement character for each control character and each override of the writing direction.

    Line ends and tabs stay, and so do the marks that Arabic and Hebrew need. See Unicode Technical Report 36, 2.5.
    """
    return _DISGUISING.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def visible_line(text: str) -> str:
    """``visible`` text on one line, for titles and names of people and files."""
    return visible(_LINES.sub(" ", text))


def visible_json(text: str) -> str:
    """JSON text that a terminal shows as it is; what ``visible`` replaces is escaped, so that the data are the same."""
    return _DISGUISING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")


def inert_markdown(text: str) -> str:
    """Markdown of others for a Markdown file: HTML and pictures in it are escaped, so that no reader loads them.

    A text that has neither comes back as it is, so ``a<b`` in a formula and ``<T>`` in code are kept.
    """
    if not _ACTIVE.search(text) or not any(_loads(given) for given in (text, f"x {text}")):
        return visible(text)
    return visible(_ACTIVE.sub(r"\\\g<0>", text))


def inert_line(text: str) -> str:
    """``inert_markdown`` on one line, for headings."""
    return inert_markdown(visible_line(text))


def _loads(text: str) -> bool:
    tokens = _reader().parse(text)
    return any(
        token.type in ("html_block", "html_inline", "image")
        for block in tokens
        for token in (block, *(block.children or ()))
    )


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True})


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun in the right form: "1 paper", "2 papers"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shortened(text: str, most: int) -> str:
    """Text on one line, with an ellipsis in the place of what is beyond ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
