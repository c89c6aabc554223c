"""Parts of paragraphs: list items parsed as one paragraph, and what is unchanged in a group of many pieces.

Paragraph boundaries partly depend on how the parser reads a page. Items of a numbered list are compared one by one
however they were parsed; and of paragraphs joined in one version only, unchanged ones aren't edits.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, dropwhile, pairwise, zip_longest

from engine.documents.records import Paragraph, ParagraphKind
from engine.revision.differences import laid_out
from engine.revision.matching import Group
from engine.revision.words import NUMBER, counted_tokens, counted_words

_ITEM = re.compile(r"(?:^|(?<=\s))(?:(?P<bullet>[•▪◦‣∙])|(?P<number>\d{1,3})(?P<close>[.)]))\s+(?=\S)")
Stretches = tuple[tuple[int, int, int, int], ...]
_NOTE = re.compile(r"\s*(?P<number>\d{1,2})(?=\s?[^\W\d_]|\s?[(“\"])")  # a footnote mark
_TO_SPACES = {ord("\t"): " ", ord("\n"): " "}
_LEAST_ITEMS = 3
_LEAST_WORDS = 4
"""Minimum words of a piece that counts as unchanged by itself."""


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph or part of its text, [start, end) code points, with its counted words and where each begins."""

    paragraph: Paragraph
    start: int
    end: int
    words: tuple[str, ...]
    places: tuple[int, ...]

    @property
    def text(self) -> str:
        """The text without surrounding white space; for a table with rows and cells separated."""
        whole = laid_out(self.paragraph) if self.paragraph.kind == "table" else self.paragraph.text
        return whole[self.start : self.end].strip()

    def cut(self, start: int, end: int) -> "Part":
        first = self.places[start] if start else self.start
        last = self.places[end] if end < len(self.words) else self.end
        return Part(self.paragraph, first, last, self.words[start:end], self.places[start:end])


def headings_of(paragraphs: Sequence[Paragraph]) -> frozenset[tuple[str, ...]]:
    """The words of the headings, without their numbers; not of those that the paragraph below begins with as well."""
    found: set[tuple[str, ...]] = set()
    for heading, below in zip_longest(paragraphs, paragraphs[1:]):
        if heading.kind == "heading" and (words := _unnumbered(counted_words(heading.text))):
            begins = _unnumbered(counted_words(below.text))[: len(words)] if below else ()
            found.update(() if begins == words else [words])
    return frozenset(found)


def parts_of(
    paragraphs: Sequence[Paragraph], *, raised: bool, headings: Collection[tuple[str, ...]] = ()
) -> list[Part]:
    """The paragraphs, or the items of those that are lists, but without what has no word. ``raised`` as in
    ``counted_tokens``. Those of ``headings``, of the other version, that paragraphs begin with are left out.
    """
    longest = max(map(len, headings), default=0)
    notes: dict[int, set[str]] = {}
    for paragraph in paragraphs:
        if paragraph.kind == "footnote" and (mark := _NOTE.match(paragraph.text)):
            for page in (paragraph.page - 1, paragraph.page):  # a paragraph may continue on the next page
                notes.setdefault(page, set()).add(mark["number"])
    found = []
    for paragraph in paragraphs:
        text, first = paragraph.text, 0
        if paragraph.kind == "footnote" and (mark := _NOTE.match(text)):
            first = mark.end()
        for start, end in pairwise([0, *_items(text), len(text)]):
            begin = max(first, start)
            counted = counted_tokens(text[begin:end], raised=raised, marks=notes.get(paragraph.page, ()))
            if longest and not start and paragraph.kind in ("body", "other"):
                counted = counted[_run_in(counted, text[begin:end], headings, longest) :]
            if counted:
                words, places = tuple(key for key, _ in counted), tuple(begin + at for _, at in counted)
                found.append(Part(paragraph, start, end, words, places))
    return found


def _unnumbered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in dropwhile(lambda word: word == NUMBER or word[0].isdigit(), words))


def _run_in(counted: Sequence[tuple[str, int]], text: str, headings: Collection[tuple[str, ...]], longest: int) -> int:
    """How many words of a text are a heading: all, or as many as a stop or a capital letter is behind."""
    begun = [key for key, _ in counted[: longest + 2]]
    words = _unnumbered(begun)
    for size in range(len(words), 0, -1):
        end = len(begun) - len(words) + size
        if words[:size] in headings:
            if end == len(counted):
                return end
            at = counted[end][1]
            if text[:at].rstrip()[-1] in ".:—–" or (size > 1 and text[at].isupper()):
                return end
    return 0


def places(text: str, paragraphs: Sequence[str]) -> Stretches:
    """Locates the text of an edit in its paragraphs: [start, end) of the text, the paragraph's position, and where the
    part begins in it. Empty if the paragraphs differ because another parser read them."""
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
    """Returns the parts, with adjacent ones of one paragraph merged."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last is not None and last.paragraph is part.paragraph and last.end == part.start:
            found[-1] = Part(part.paragraph, last.start, part.end, last.words + part.words, last.places + part.places)
        else:
            found.append(part)
    return found


def _items(text: str) -> list[int]:
    """Returns where the items of a list begin, except the first: bullets, or the longest run of consecutive numbers."""
    chains: dict[tuple[str, int], list[int]] = {}
    for match in _ITEM.finditer(text):
        look, value = match["bullet"] or match["close"], int(match["number"] or 0)
        chains[look, value] = [*chains.get((look, value - (not match["bullet"])), ()), match.start()]
    longest = max(chains.values(), key=len, default=[])
    if len(longest) < (_LEAST_ITEMS if longest[:1] != [0] else 2):
        return []
    return [start for start in longest if start]


def changed_parts(source: Sequence[Part], target: Sequence[Part]) -> list[tuple[list[Part], list[Part]]]:
    """Splits a group at the boundaries of its pieces: into unchanged parts, and each run of changed ones.

    A group without an unchanged piece stays whole.
    """
    whole = [(list(source), list(target))]
    if len(source) == len(target) == 1:
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


# Paragraphs that aren't prose: tables, formulas, listings, and anything else that a page divides into many pieces.

FRAGMENTS: frozenset[ParagraphKind] = frozenset({"table", "equation", "code", "other"})
"""Kinds that a parser returns in pieces that mean little alone."""

_FIGURE = re.compile(r"(?:[A-Z]\w+ ){0,2}Fig(?:ure|\.)\s*[A-Z]?\d")
_LABEL_WORDS = 8
"""Maximum words (not counting numbers) of a label in a drawing; longer text is separate."""


def figure_words(paragraphs: Sequence[Paragraph]) -> frozenset[str]:
    """Returns ids of paragraphs that are words in a drawing: axis names, ticks, labels. They form one run next to the
    caption of a figure, on its page; above it if there are any, otherwise below."""
    found: set[str] = set()
    for at, caption in enumerate(paragraphs):
        if caption.kind == "caption" and _FIGURE.match(caption.text):
            found |= _labels_beside(paragraphs, at, -1) or _labels_beside(paragraphs, at, 1)
    return frozenset(found)


def _labels_beside(paragraphs: Sequence[Paragraph], caption: int, step: int) -> set[str]:
    found: set[str] = set()
    at = caption + step
    while 0 <= at < len(paragraphs) and _is_label(paragraphs[at]) and paragraphs[at].page == paragraphs[caption].page:
        found.add(paragraphs[at].id)
        at += step
    return found


def _is_label(paragraph: Paragraph) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", paragraph.text)
    return paragraph.kind == "other" and len(words) <= _LABEL_WORDS and not paragraph.text.rstrip().endswith((".", ";"))


def runs(paragraphs: Sequence[Paragraph], among: Collection[int]) -> list[tuple[int, ...]]:
    """Returns the positions ``among`` in order, with adjacent fragments of one kind and section grouped."""
    found: list[tuple[int, ...]] = []
    for at in sorted(among):
        if found and found[-1][-1] + 1 == at and _alike(paragraphs[at - 1], paragraphs[at]):
            found[-1] += (at,)
        else:
            found.append((at,))
    return found


def whole_tables(
    groups: Sequence[Group], source: Sequence[Paragraph], target: Sequence[Paragraph]
) -> tuple[Group, ...]:
    """Completes the tables in ``groups``.

    Tables that share too few words to be matched are paired if they are next to the same caption in both versions;
    unmatched pieces of a table are added to it.
    """
    free_source = set(range(len(source))) - {i for group in groups for i in group.source}
    free_target = set(range(len(target))) - {j for group in groups for j in group.target}
    result = list(groups)
    for at, group in enumerate(groups):
        kinds = source[group.main[0]].kind, target[group.main[1]].kind
        if kinds not in (("caption", "caption"), ("table", "table")):
            continue
        for step in (1, -1):
            edge = -1 if step > 0 else 0
            old = _tables_beside(group.source[edge], step, source, free_source)
            new = _tables_beside(group.target[edge], step, target, free_target)
            if kinds[0] == "table":
                grown = tuple(sorted((*result[at].source, *old))), tuple(sorted((*result[at].target, *new)))
                result[at] = Group(*grown, group.main)
            elif old and new:
                result.append(Group(old, new, (old[0], new[0])))
            else:
                continue
            free_source.difference_update(old)
            free_target.difference_update(new)
    return tuple(result)


def _alike(before: Paragraph, after: Paragraph) -> bool:
    if after.kind == "other" and any(p.text.endswith(".") for p in (before, after)):
        return False  # sentences, such as notes on the authors
    return after.kind in FRAGMENTS and (before.kind, before.section) == (after.kind, after.section)


def _tables_beside(at: int, step: int, paragraphs: Sequence[Paragraph], free: Collection[int]) -> tuple[int, ...]:
    """Returns free table pieces next to ``at``; what follows a table may no longer be recognised as one."""
    found: list[int] = []
    inside = paragraphs[at].kind == "table"
    at += step
    while 0 <= at < len(paragraphs) and at in free:
        if paragraphs[at].kind != "table" and not (inside and paragraphs[at].kind == "other"):
            break
        inside = True
        found.append(at)
        at += step
    return tuple(sorted(found))
