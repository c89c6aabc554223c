"""Breaks text into justified lines: inline marks, hyphenation, and the best line breaks for the whole paragraph."""

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise

from sample_paper.fonts import ligated, width_of
from sample_paper.hyphens import break_points
from sample_paper.mathset import Formula, set_formula


@dataclass(frozen=True, slots=True)
class Piece:
    """A unit to write: a run of one font, or a formula; ``rise`` lifts it above the baseline (points)."""

    text: str
    style: str
    size: float
    width: float
    rise: float = 0.0
    formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class Syllable:
    """The smallest part that a line may end after: ``ends`` a word, or allows a hyphen."""

    pieces: tuple[Piece, ...]
    ends: bool
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """Width in points without a hyphen."""
        return sum(piece.width for piece in self.pieces)


@dataclass(slots=True)
class Line:
    """A typeset line: words with their x from the column's left edge, and the footnotes referenced in it."""

    words: list[tuple[float, list[Piece]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _piece(text: str, style: str, size: float, rise: float = 0.0) -> Piece:
    shown = ligated(text)
    return Piece(shown, style, size, width_of(shown, style, size), rise)


def syllables(text: str, size: float, style: str = "r", first_note: int = 1) -> list[Syllable]:
    """Splits a text with inline marks (*italic*, $formula$, ^[footnote]) into syllables."""
    italic = {"r": "i", "i": "r", "b": "bi"}.get(style, style)
    notes: list[str] = []

    def keep_note(match: re.Match[str]) -> str:
        notes.append(match[1])
        return f"\x01{len(notes) - 1}\x01"

    text = re.sub(r"\^\[([^\]]+)\]", keep_note, text)
    text = re.sub(r"\$([^$]+)\$", lambda m: "\x02" + m[1].replace(" ", "\x03") + "\x02", text)
    found: list[Syllable] = []
    inside = False
    for word in text.split():
        pieces: list[list[Piece]] = [[]]
        called: list[str] = []
        for part in re.split(r"(\*|\x01\d+\x01|\x02[^\x02]+\x02)", word):
            if not part:
                continue
            if part == "*":
                inside = not inside
            elif part[0] == "\x01":
                number = int(part.strip("\x01"))
                called.append(notes[number])
                pieces[-1].append(_piece(str(first_note + number), style, size * 0.68, size * 0.36))
            elif part[0] == "\x02":
                formula = set_formula(part.strip("\x02").replace("\x03", " "), size)
                pieces[-1].append(Piece("", style, size, formula.width, formula=formula))
            else:
                now = italic if inside else style
                bare = re.fullmatch(r"(\W*)([A-Za-z]+)(\W*)", part)
                cuts = [len(bare[1]) + cut for cut in break_points(bare[2])] if bare else []
                cuts += [match.end() for match in re.finditer(r"(?<=\w)[-–](?=\w)", part)]
                for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(part)], strict=True):
                    if start:
                        pieces.append([])
                    pieces[-1].append(_piece(part[start:end], now, size))
        last = len(pieces) - 1
        found += [
            Syllable(tuple(group), position == last, tuple(called) if position == last else ())
            for position, group in enumerate(pieces)
        ]
    return found


def _needs_hyphen(syllable: Syllable) -> bool:
    return not syllable.ends and not syllable.pieces[-1].text.endswith(("-", "–"))


def break_lines(
    parts: list[Syllable], width: float, size: float, indent: float = 0.0, *, justify: bool = True
) -> list[Line]:
    """Chooses line breaks with the least sum of squared badness (Knuth and Plass, 1981, without looseness).

    ``indent`` shortens the first line, ``width`` is the column's, both in points.
    """
    space = width_of(" ", "r", size)
    hyphen = width_of("-", "r", size)
    best: list[tuple[float, int, bool]] = [(0.0, -1, False)] + [(math.inf, -1, False)] * len(parts)
    for end in range(1, len(parts) + 1):
        natural, gaps = 0.0, 0
        hyphenated = _needs_hyphen(parts[end - 1])
        for start in range(end - 1, -1, -1):
            if start < end - 1 and parts[start].ends:
                gaps += 1
            natural += parts[start].width
            room = width - (indent if start == 0 else 0.0)
            length = natural + gaps * space + (hyphen if hyphenated else 0.0)
            if length - gaps * space * 0.3 > room and start < end - 1:
                break
            if best[start][0] == math.inf:
                continue
            slack = room - length
            if end == len(parts) and slack >= 0:
                badness = 0.0 if gaps else 400.0
            elif gaps == 0:
                badness = 100.0 * (slack / (4 * space)) ** 2
            else:
                ratio = slack / (gaps * space * (0.55 if slack > 0 else 0.3))
                badness = 100.0 * abs(ratio) ** 3
            cost = best[start][0] + (1 + badness + (50 if hyphenated else 0)) ** 2
            cost += 9000 if hyphenated and best[start][2] else 0
            if cost < best[end][0]:
                best[end] = (cost, start, hyphenated)
    ends = [len(parts)]
    while ends[-1]:
        ends.append(best[ends[-1]][1])
    ends.reverse()
    return [
        _line(parts[a:b], width - (indent if a == 0 else 0.0), indent if a == 0 else 0.0, size,
              stretch=justify and b < len(parts))
        for a, b in pairwise(ends)
    ]  # fmt: skip


def _line(parts: list[Syllable], room: float, left: float, size: float, *, stretch: bool) -> Line:
    words: list[list[Piece]] = [[]]
    for position, syllable in enumerate(parts):
        words[-1] += syllable.pieces
        if position == len(parts) - 1 and _needs_hyphen(syllable):
            words[-1].append(_piece("-", syllable.pieces[-1].style, size))
        if syllable.ends and position < len(parts) - 1:
            words.append([])
    total = sum(piece.width for word in words for piece in word)
    space = width_of(" ", "r", size)
    if len(words) > 1:
        wanted = (room - total) / (len(words) - 1)
        if stretch or wanted < space:
            space = wanted
    line = Line(notes=[note for syllable in parts for note in syllable.notes])
    x = left
    for word in words:
        line.words.append((x, _joined(word)))
        x += sum(piece.width for piece in word) + space
    return line


def _joined(word: list[Piece]) -> list[Piece]:
    """Merges neighbouring runs of one font, so that a word is one string in the PDF."""
    done: list[Piece] = []
    for piece in word:
        if done and not piece.formula and not done[-1].formula:
            before = done[-1]
            if (before.style, before.size, before.rise) == (piece.style, piece.size, piece.rise):
                text = before.text + piece.text
                done[-1] = Piece(text, piece.style, piece.size, before.width + piece.width, piece.rise)
                continue
        done.append(piece)
    return done
