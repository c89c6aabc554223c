"""Text with marks: the common form into which every format of letter and review is read.

A mark says how a part of the text looks or what it is in ("bold", "colour #0000ff", "in reply", "by rc"). Format
readers only produce marks; what a mark means in a letter is learnt from that letter (``engine.reviews.roles``).
"""

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on [start, end) of the text, in code points."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in Markdown, and the marks that Markdown can't express. ``warnings`` are sentences on what was lost in
    conversion; ``converted``: it isn't the file's own text."""

    text: str
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()
    converted: bool = False
    reading: "Reading | None" = None
    """Set if the file itself says what is a comment and what a response."""


def column_of(marks: frozenset[str]) -> int:
    """Returns the table column among the marks; 0 if there is none."""
    return next((int(mark[7:]) for mark in marks if mark.startswith("column ")), 0)


def table_titles(marked: MarkedText) -> tuple[Mark, ...]:
    """Returns the cells of tables' first rows that contain only titles ("Comment", "Response")."""
    cells = sorted((one for one in marked.marks if one.name.startswith("column ")), key=lambda one: one.start)
    found: list[Mark] = []
    row: list[Mark] = []
    for before, cell in pairwise((Mark("", 0, 0), *cells, Mark("column 1", len(marked.text), len(marked.text)))):
        apart = not before.name or any(map(str.isalnum, marked.text[before.end : cell.start]))
        if row and (apart or cell.name < before.name):
            titles = [marked.text[one.start : one.end].strip("*_#| \n") for one in row]
            if not apart and all(len(title) <= (20 if title.endswith((".", "?", "!")) else 40) for title in titles):
                found += row
            row = []
        if apart or row:
            row.append(cell)
    return tuple(found)


# --- readings of a letter: which marks mean comment or response -------------------------------------------------------

Role = Literal["comment", "response"]
Rest = Literal["comment", "response", "same", "wording", "review"]
DOUBT = "This reading is doubtful: check the comments and responses."
OTHER: dict[Role, Role] = {"comment": "response", "response": "comment"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Which marks a letter's comments and responses have; ``rest`` says what unmarked paragraphs are ("same": as the
    previous speaker's, "wording": decided by wording, "review": each a comment, in a text without responses).
    ``swapped`` exchanges the two roles at the end. ``doubtful``: it was proposed with little evidence."""

    comment: frozenset[str] = frozenset()
    response: frozenset[str] = frozenset()
    rest: Rest = "same"
    swapped: bool = False
    doubtful: bool = field(default=False, compare=False)

    def swap(self) -> "Reading":
        return replace(self, swapped=not self.swapped, doubtful=False)

    def sentence(self) -> str:
        """Returns the reading in words: "Blue text is the response, the rest is comments."."""
        ours, theirs = (self.comment, self.response) if self.swapped else (self.response, self.comment)
        parts = [f"{_words(theirs)} is a comment"] if theirs else []
        parts += [f"{_words(ours)} is a response"] if ours else []
        rest = OTHER[self.rest] if self.swapped and self.rest in OTHER else self.rest
        parts += ["labelled text is a response"] if rest == "comment" and not parts else []
        parts += {
            "comment": ["the rest is comments"],
            "response": ["the rest is responses"],
            "wording": ["the wording tells the rest apart"],
            "review": ["each paragraph is a comment without a response"],
            "same": [] if parts else ["labels tell comments and responses apart"],
        }[rest]
        said = ", ".join(parts)
        return f"{said[:1].upper()}{said[1:]}."

    def remark(self) -> str:
        """Returns the reading in words, and whether it is doubtful."""
        return f"{self.sentence()} {DOUBT}" if self.doubtful else self.sentence()


_COLOURS = {
    "black": (0, 0, 0), "grey": (128, 128, 128), "blue": (0, 0, 255), "blue ": (46, 116, 181), "red": (255, 0, 0),
    "green": (0, 128, 0), "green ": (0, 200, 0), "purple": (128, 0, 128), "orange": (255, 128, 0),
    "brown": (150, 75, 0), "cyan": (0, 180, 200), "magenta": (255, 0, 255), "dark blue": (0, 0, 139),
    "dark red": (139, 0, 0),
}  # fmt: skip


def _words(marks: frozenset[str]) -> str:
    return " and ".join(sorted(map(describe, marks)))


def describe(mark: str) -> str:
    """Describes a mark: "blue text", "text in the environment “reply”"."""
    kind, _, name = mark.partition(" ")
    if kind == "colour":
        if match := re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", name):
            rgb = [int(part, 16) for part in match.groups()]
            name = min(_COLOURS, key=lambda one: sum((a - b) ** 2 for a, b in zip(rgb, _COLOURS[one], strict=True)))
        return f"{name.strip()} text"
    named = {"in": "text in “{}”", "by": "text of “{}”", "font": "text in the font {}",
             "style": "text in the style “{}”",
             "begins": "what begins with “{}”", "column": "column {} of the tables", "bullet": "each item with “{}”",
             "heading": "each heading of level {}"}  # fmt: skip
    plain = {"quoted": "text after “>”", "quoted twice": "text after “>>”", "numbered": "each numbered paragraph",
             "in brackets": "text in brackets", "between lines": "text between lines",
             "begins CAPITALS": "text in capitals"}  # fmt: skip
    if kind in named and name and mark not in plain:
        return named[kind].format(name)
    return plain.get(mark, mark if mark.startswith("in ") else f"{mark} text")
