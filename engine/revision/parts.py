"""Parts of paragraphs: list items that were read as one paragraph, and what is unchanged in a group of many pieces.

Where a paragraph ends is partly the parser's reading of a page. Items of a numbered list are compared one by one
however they were read; and of paragraphs that were joined in one version only, those that did not change are no edit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.documents.records import Paragraph
from engine.revision.cells import laid_out
from engine.revision.words import counted_tokens

_ITEM = re.compile(r"(?:^|(?<=\s))(?:(?P<bullet>[•▪◦‣∙])|(?P<number>\d{1,3})(?P<close>[.)]))\s+(?=\S)")
Stretches = tuple[tuple[int, int, int, int], ...]
_NOTE = re.compile(r"\s*(?P<number>\d{1,2})(?=\s?[^\W\d_]|\s?[(“\"])")  # the mark of a footnote
_TO_SPACES = {ord("\t"): " ", ord("\n"): " "}
_LEAST_ITEMS = 3
_LEAST_PIECES = 3
"""Two paragraphs that became one are an author's merge; a page that runs together joins more, and other ones."""
_LEAST_WORDS = 4
"""Words of a piece that is taken for unchanged by itself."""


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph or a stretch of its text, [start, end) code points, with its counted words and where each begins."""

    paragraph: Paragraph
    start: int
    end: int
    words: tuple[str, ...]
    places: tuple[int, ...]

    @property
    def text(self) -> str:
        """The text without white space around it; of a table with its rows and cells apart."""
        whole = laid_out(self.paragraph) if self.paragraph.kind == "table" else self.paragraph.text
        return whole[self.start : self.end].strip()

    def cut(self, start: int, end: int) -> Part:
        """The part from one word up to another."""
        first = self.places[start] if start else self.start
        last = self.places[end] if end < len(self.words) else self.end
        return Part(self.paragraph, first, last, self.words[start:end], self.places[start:end])


def parts_of(paragraphs: Sequence[Paragraph], *, raised: bool) -> list[Part]:
    """The paragraphs, or the items of those that are lists, but without what has no word. ``raised`` as in
    ``counted_tokens``.
    """
    notes: dict[int, set[str]] = {}
    for paragraph in paragraphs:
        if paragraph.kind == "footnote" and (mark := _NOTE.match(paragraph.text)):
            for page in (paragraph.page - 1, paragraph.page):  # a paragraph goes on to the next page
                notes.setdefault(page, set()).add(mark["number"])
    found = []
    for paragraph in paragraphs:
        text, first = paragraph.text, 0
        if paragraph.kind == "footnote" and (mark := _NOTE.match(text)):
            first = mark.end()
        for start, end in pairwise([0, *_items(text), len(text)]):
            begin = max(first, start)
            counted = counted_tokens(text[begin:end], raised=raised, marks=notes.get(paragraph.page, ()))
            if counted:
                words, places = tuple(key for key, _ in counted), tuple(begin + at for _, at in counted)
                found.append(Part(paragraph, start, end, words, places))
    return found


def places(text: str, paragraphs: Sequence[str]) -> Stretches:
    """Where the text of an edit is in its paragraphs: [start, end) of the text, the position of the paragraph, and
    where in it the stretch begins. Empty where the paragraphs are others, read by another parser.
    """
    found: list[tuple[int, int, int, int]] = []
    plain = [paragraph.translate(_TO_SPACES) for paragraph in paragraphs]
    at = paragraph = begun = 0
    for line in text.split("\n") if paragraphs else ():
        piece = line.translate(_TO_SPACES)
        while (place := plain[paragraph].find(piece, begun)) < 0:
            paragraph, begun = paragraph + 1, 0
            if paragraph == len(plain):
                return ()
        found.append((at, at + len(line), paragraph, place))
        at, begun = at + len(line) + 1, place + len(line)
    return tuple(found)


def joined(parts: Sequence[Part]) -> list[Part]:
    """The parts, neighbours in one paragraph put together."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and last.paragraph is part.paragraph and last.end == part.start:
            found[-1] = Part(part.paragraph, last.start, part.end, last.words + part.words, last.places + part.places)
        else:
            found.append(part)
    return found


def _items(text: str) -> list[int]:
    """Where the items of a list begin, but the first: bullets, or the longest run of numbers that count up by one."""
    chains: dict[tuple[str, int], list[int]] = {}
    for match in _ITEM.finditer(text):
        look, value = match["bullet"] or match["close"], int(match["number"] or 0)
        chains[look, value] = [*chains.get((look, value - (not match["bullet"])), ()), match.start()]
    longest = max(chains.values(), key=len, default=[])
    if len(longest) < (_LEAST_ITEMS if longest[:1] != [0] else 2):
        return []
    return [start for start in longest if start]


def changed_parts(source: Sequence[Part], target: Sequence[Part]) -> list[tuple[list[Part], list[Part]]]:
    """A group cut where its pieces begin and end: the parts that are the same, and each run of those that are not.

    Without a piece of its own that is unchanged a group stays whole.
    """
    whole = [(list(source), list(target))]
    if max(len(source), len(target)) < _LEAST_PIECES:
        return whole
    from rapidfuzz.distance import LCSseq

    old, new = ([word for part in side for word in part.words] for side in (source, target))
    equal = [run for run in LCSseq.opcodes(old, new) if run.tag == "equal"]
    if sum(run.src_end - run.src_start for run in equal) * 4 < min(len(old), len(new)):
        return whole
    to_new = {run.src_start + at: run.dest_start + at for run in equal for at in range(run.src_end - run.src_start)}
    to_old = {j: i for i, j in to_new.items()}
    cuts = {(0, 0), (len(old), len(new))}
    for i in _borders(source):
        if i - 1 in to_new and i in to_new and to_new[i] == to_new[i - 1] + 1:
            cuts.add((i, to_new[i]))
    for j in _borders(target):
        if j - 1 in to_old and j in to_old and to_old[j] == to_old[j - 1] + 1:
            cuts.add((to_old[j], j))
    found: list[tuple[tuple[int, int], tuple[int, int], bool]] = []
    for (i, j), (i_end, j_end) in pairwise(sorted(cuts)):
        same = i_end - i >= _LEAST_WORDS and old[i:i_end] == new[j:j_end]
        if found and not same and not found[-1][2]:
            found[-1] = (found[-1][0][0], i_end), (found[-1][1][0], j_end), False
        else:
            found.append(((i, i_end), (j, j_end), same))
    if len({same for *_, same in found}) == 1:
        return whole
    return [(_stretch(source, *a), _stretch(target, *b)) for a, b, _ in found]


def _borders(parts: Sequence[Part]) -> list[int]:
    return list(accumulate(len(part.words) for part in parts))[:-1]


def _stretch(parts: Sequence[Part], start: int, end: int) -> list[Part]:
    found, at = [], 0
    for part in parts:
        first, last = max(start - at, 0), min(end - at, len(part.words))
        if first < last:
            found.append(part.cut(first, last))
        at += len(part.words)
    return found
