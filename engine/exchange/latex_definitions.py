"""The commands, environments and counters that a LaTeX letter defines itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.exchange.latex_source import Parts, Source, TooMuch
from engine.exchange.limits import LETTER_CHARACTERS

DEFINING = re.compile(
    r"(?:re)?newcommand|providecommand|DeclareRobustCommand|def|gdef|NewDocumentCommand|RenewDocumentCommand"
)
ENVIRONING = re.compile(
    r"(?:re)?newenvironment|(?:New|Renew)DocumentEnvironment|(?:re)?newtcolorbox|newmdenv|newtcbox|newtheorem"
)
_PLACE = re.compile(r"(?<!\\)#(\d)")
_NAME = re.compile(r"\s*\{?\s*\\([A-Za-z@]+\*?|.)\s*\}?")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_UNSAFE = re.compile(r"@|\\(?:if|expandafter|csname|let|catcode|futurelet|loop)")
_OWN = ("comment-of", "closing")
"""Environments of letters that were written here."""
_LONGEST_FOREIGN = 400


@dataclass(frozen=True, slots=True)
class Definition:
    """A command or environment: how many arguments it takes, the first one's ``default``, and what it expands to."""

    count: int
    default: str | None
    body: str
    end: str = ""

    def arguments(self, source: Source, position: int) -> tuple[list[str], int]:
        """What it is given, and where that ends."""
        found: list[str] = []
        for number in range(self.count):
            if not number and self.default is not None:
                given, after = source.option(position)
                found.append(given if after != position else self.default)
                position = after
            else:
                given, position = source.argument(position)
                found.append(given)
        return found, position

    def filled(self, arguments: Sequence[str]) -> str:
        """The body with what it is given in its places. Raises TooMuch where that is longer than any letter."""
        places = _PLACE.findall(self.body)
        given = {str(number): argument for number, argument in enumerate(arguments, start=1)}
        if sum(len(given.get(place, "")) for place in places) > LETTER_CHARACTERS:
            raise TooMuch
        return _PLACE.sub(lambda place: given.get(place[1], place[0]), self.body)


class Definitions:
    """What a letter and its own style files define, as far as it can be read."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.macros: dict[str, Definition] = {}
        self.environments: dict[str, Definition] = {}
        self.counters: dict[str, int] = {}

    def read(self, text: str, *, foreign: bool = False) -> None:
        """Takes in the definitions of a preamble and of the files beside the letter that it uses. Of ``foreign`` files
        long commands are known by their name and number of arguments only.
        """
        source = Source(re.sub(r"(?<!\\)%.*", "", text))
        position = 0
        while match := _COMMAND.search(source.text, position):
            position = match.end()
            if DEFINING.fullmatch(match[1]) or ENVIRONING.fullmatch(match[1]):
                position = self.define(match[1], source, position, foreign=foreign)
            elif match[1] in ("usepackage", "RequirePackage") and not foreign:
                names, position = source.argument(source.past_options(position))
                for name in names.split(","):
                    self.read(self._parts.text(name, ".sty", quiet=True), foreign=True)
            elif match[1] in ("input", "include") and not foreign:
                name, position = source.argument(position)
                self.read(self._parts.text(name, ".tex", quiet=True), foreign=True)
            elif match[1] == "newcounter":
                name, position = source.argument(position)
                self.counters.setdefault(name, 0)

    def define(self, kind: str, source: Source, position: int, *, foreign: bool = False) -> int:
        """One definition; where it ends. One that only TeX can follow is known by its name and number of arguments."""
        environment = ENVIRONING.fullmatch(kind) is not None
        while source.text[position : position + 1] == "*":
            position += 1
        if kind == "newmdenv":
            _, position = source.option(position)
        if environment:
            name, position = source.argument(position)
        else:
            match = _NAME.match(source.text, position)
            if match is None:
                return position
            name, position = match[1], match.end()
        if kind == "newtheorem":
            return source.argument(position)[1]
        count, default, position = _takes(kind, source, position)
        body = end = ""
        if kind != "newmdenv":
            body, position = source.argument(position)
            body = re.sub(r"\s*\n\s*\n\s*", "\n\n", body)
        if kind.endswith(("environment", "Environment")):
            end, position = source.argument(position)
        if kind.endswith(("tcolorbox", "tcbox")):
            body = ""
        if _UNSAFE.search(body + end) or (foreign and len(body) > _LONGEST_FOREIGN):
            body, end = "".join(f"#{n}" for n in range(1, count + 1)) if not environment else "", ""
            if not environment and not count:
                return position
        if name not in _OWN:
            made = Definition(min(count, 9), default, body, end)
            (self.environments if environment else self.macros)[name] = made
        return position

    def count(self, verb: str, source: Source, position: int) -> tuple[str, int]:
        """One change of a counter; its name, and where the change ends."""
        counter, position = source.argument(position)
        value = ""
        if verb in ("setcounter", "addtocounter"):
            value, position = source.argument(position)
        number = int(value) if re.fullmatch(r"\s*-?\d{1,6}\s*", value) else 0
        if verb == "newcounter":
            _, position = source.option(position)
        before = self.counters.get(counter, 0)
        self.counters[counter] = number if verb in ("setcounter", "newcounter") else before + (number if value else 1)
        return counter, position


def _takes(kind: str, source: Source, position: int) -> tuple[int, str | None, int]:
    """How many arguments a definition says that it takes, the first one's default, and where it says its body."""
    if kind in ("def", "gdef"):
        end = source.find("{", position)
        end = end if end >= 0 else len(source.text)
        return len(re.findall(r"#\d", source.text[position:end])), None, end
    if "Document" in kind:
        pattern, position = source.argument(position)
        letters = re.sub(r"\{[^}]*\}|[+!\s]", "", pattern)
        return len(letters), "" if letters[:1] in ("o", "O") else None, position
    if kind == "newmdenv":
        return 0, None, position
    number, position = source.option(position)
    count = int(number) if re.fullmatch(r"\s*\d{1,2}\s*", number) else 0
    default, after = source.option(position) if count else ("", position)
    return count, default if after != position else None, after
