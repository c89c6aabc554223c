"""Where the arguments and options in LaTeX text begin and end, and the other files that a letter is made of."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from engine.errors import BadInput
from engine.exchange import limits
from engine.exchange.encoding import decode, read_bytes

_EDGES = re.compile(
    r"\\(?:url|href|nolinkurl)[ \t]*(?P<open>\{)[^{}]*(?P<close>\})|\\.|%[^\n]*|[{}\[\]]",
    re.DOTALL,  # in addresses, a percent sign begins no comment
)
_BLANK = re.compile(r"[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?")
_SPACE = re.compile(r"[ \t]*")
_FILE = re.compile(r"[ \t]+([^\s{}\\%]+)")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.DOTALL)
_LONGEST_OPTION = 4_000
_INCLUSIONS = 500
_PARTS = frozenset({".tex", ".ltx", ".sty", ".cls", ".txt", ".md", ".bbl", ".inc"})
"""The endings of files that letters are made of."""


class TooMuch(Exception):
    """Commands that expand, or files that include each other, without an end."""


class Source:
    """LaTeX text, and where its groups and options end: all of them are found in one pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[int, int] | None = None
        self._found: dict[str, tuple[int, int]] = {}

    def find(self, words: str, position: int) -> int:
        """The next place of ``words``, -1 for none."""
        asked, at = self._found.get(words, (position + 1, 0))
        if position < asked or 0 <= at < position:
            at = self.text.find(words, position)
            self._found[words] = position, at
        return at

    def blank(self, position: int, *, lines: bool = True) -> int:
        """Past the blanks after a command's name and, with ``lines``, a line's end, but not that of a paragraph."""
        match = (_BLANK if lines else _SPACE).match(self.text, position)
        return match.end() if match else position

    def file_name(self, position: int) -> tuple[str, int]:
        """As ``argument``, but TeX ends one without braces at a blank."""
        match = _FILE.match(self.text, position)
        return (match[1], match.end()) if match else self.argument(position)

    def argument(self, position: int) -> tuple[str, int]:
        """The argument that comes next, without its braces, and where it ends."""
        begin = self.blank(position)
        if begin >= len(self.text) or self.text[begin] in "}\n":
            return "", position
        if match := _COMMAND.match(self.text, begin):
            return match[0], match.end()
        if self.text[begin] != "{":
            return self.text[begin], begin + 1
        end = self._end(begin)
        return (self.text[begin + 1 : end], end + 1) if end >= 0 else (self.text[begin + 1 :], len(self.text))

    def option(self, position: int) -> tuple[str, int]:
        """The optional argument that comes next, and where it ends; "" and ``position`` where none comes, or it does
        not end in its group.
        """
        begin = self.blank(position)
        end = self._end(begin) if self.text[begin : begin + 1] == "[" else -1
        return (self.text[begin + 1 : end], end + 1) if 0 <= end - begin <= _LONGEST_OPTION else ("", position)

    def past_options(self, position: int) -> int:
        """Past all optional arguments that come next without a blank."""
        while self.text[position : position + 1] == "[":
            _, after = self.option(position)
            if after == position:
                break
            position = after
        return position

    def _end(self, begin: int) -> int:
        if self._ends is None:
            self._ends = dict(_ends(self.text))
        return self._ends.get(begin, -1)


def _ends(text: str) -> list[tuple[int, int]]:
    """Each opening brace and bracket with the one that closes it; an option ends at the first bracket in its group."""
    found: list[tuple[int, int]] = []
    groups: list[int] = []
    options: list[list[int]] = [[]]
    for match in _EDGES.finditer(text):
        sign, at = match[0], match.start()
        if match.lastgroup:
            found.append((match.start("open"), match.start("close")))
        elif sign == "{":
            groups.append(at)
            options.append([])
        elif sign == "}" and groups:
            found.append((groups.pop(), at))
            options.pop()
        elif sign == "[":
            options[-1].append(at)
        elif sign == "]":
            found += [(begin, at) for begin in options[-1]]
            options[-1] = []
    return found


class Parts:
    """The other files of a letter. Only text files in its own folder are read, whatever names, links and ``..`` say."""

    def __init__(self, folder: Path | None) -> None:
        self.missing: set[str] = set()
        self._home = folder.resolve() if folder is not None else None
        self._read: dict[Path, str] = {}
        self._inclusions = 0

    def text(self, name: str, ending: str, *, quiet: bool = False) -> str:
        """The text of the file ``name``, with or without its ``ending``; "" for one that cannot be had, which is
        ``missing`` then unless ``quiet``.

        Raises TooMuch where files are included without an end, BadInput where all of them are too large.
        """
        name = name.strip().strip('"')
        self._inclusions += bool(name)
        if self._inclusions > _INCLUSIONS:
            raise TooMuch
        for candidate in (name, f"{name}{ending}") if name and self._home else ():
            path = _inside(self._home, candidate)
            if path is None:
                continue
            if path not in self._read:
                try:
                    said = decode(read_bytes(path, 4 * limits.LETTER_CHARACTERS), path.name).text
                except BadInput:  # empty, or no text
                    said = ""
                self._read[path] = said.replace("\r\n", "\n").replace("\r", "\n")
                size = sum(map(len, self._read.values()))
                limits.check_size(size, limits.LETTER_CHARACTERS, f"Included from {path.name}", "characters")
            return self._read[path]
        self.missing |= {name} if name and not quiet else set()
        return ""


def _inside(home: Path | None, name: str) -> Path | None:
    """The text file of that name in a folder, links resolved; None where there is none, or it is elsewhere."""
    try:
        path = (home / name).resolve() if home else Path()
        if home and path.is_relative_to(home) and path.suffix.lower() in _PARTS and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links that lead in a circle
        return None
    return None


@lru_cache(maxsize=2000)
def letter_of(command: str) -> str:
    """What a sign or accented letter looks like; "" for a command that nobody knows."""
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return str(LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text(command)).strip()
    except (LatexWalkerError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
