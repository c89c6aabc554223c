"""Reads a PDF letter as marked text: joins lines to paragraphs, with emphasis, colours, fonts and indents."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from statistics import median

from engine.documents.glyphs import whole_letters
from engine.documents.looks import LookLine, Span
from engine.documents.page_text import commonest
from engine.documents.service import DocumentService
from engine.errors import BadInput, about
from engine.exchange.markdown_tokens import Block, Run, marked_of, with_formulas
from engine.rebuttal.letter import labelled
from engine.reviews.marks import MarkedText
from engine.reviews.naming import reviewer_name

_STEP = 4.0
"""How many points further in a nested list is."""
_BULLET = re.compile(r"^[•◦▪‣–·∗●○■□]\s+")
_NUMBER = re.compile(r"^\(?(\d{1,3})[.)]\s+")
_ENDS = (".", "?", "!", ":", ".”", '."', ".)", "?”", "!”")
_WEIGHT = re.compile(
    r"(?:[-,]|(?<=[a-z]))(?:regular|roman|bold|italic|oblique|medium|regu|medi|ital|mt|psmt|ps)+.*$|\d+$", re.I
)
_LIGATURES = str.maketrans({"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": "-"})


def pdf_text(data: bytes, name: str, service: DocumentService) -> MarkedText:
    """Returns the text of a PDF. Raises BadInput if it contains no readable text."""
    with about(name):
        lines = _without_furniture(service.looks(data))
    read = marked_of(tuple(_blocks(lines)))
    if not read.text.strip():
        raise BadInput(
            f"{name} contains no readable text.",
            "Nothing was imported.",
            "It may be scanned. Import its source instead.",
        )
    return replace(
        read,
        text=read.text.translate(whole_letters(read.text)),
        warnings=("PDFs don't mark where paragraphs end. Check the comments and responses.",),
    )


def _without_furniture(lines: Sequence[LookLine]) -> list[LookLine]:
    """Returns the lines without page numbers and without text repeated at the edges of pages."""
    pages = max((line.page for line in lines), default=0)
    heights = [line.y1 for line in lines]
    bottom, top = max(heights, default=0.0), min((line.y0 for line in lines), default=0.0)
    places = [(re.sub(r"\d+", "#", line.text.strip()), round(line.y0 / 4)) for line in lines]
    seen = Counter(places)
    kept = []
    for line, place in zip(lines, places, strict=True):
        said = line.text.strip()
        edge = line.y0 < top + 40 or line.y1 > bottom - 40
        repeated = pages > 1 and seen[place] > pages / 2
        number = re.fullmatch(r"(?:page )?[\divx]{1,4}(?: ?(?:of|/) ?\d{1,4})?", said, re.IGNORECASE)
        paged = number and (pages > 1 or "/" in said or (said.lower() in ("1", "page 1") and _set_apart(line, lines)))
        if line.cell[1] or not (edge and (repeated or paged)):
            kept.append(line)
    return kept


def _set_apart(line: LookLine, lines: Sequence[LookLine]) -> bool:
    """Returns whether a line is the last of its page, below a gap of more than a line."""
    return all(other.y1 + 1.2 * (line.y1 - line.y0) < line.y0 for other in lines if other is not line)


def _look(line: LookLine) -> tuple[str, bool, bool, str]:
    """Returns the font family, bold, italic and colour of most letters of a line."""
    looks = (((_family(s.font), s.bold, s.italic, s.colour), len(s.text.strip())) for s in line.spans)
    return commonest(looks)


@lru_cache(maxsize=1000)
def _family(font: str) -> str:
    """Returns a font's family without weight and slope; all sizes of Computer Modern are one family."""
    if re.match(r"(?:CM|SF|LM)[A-Z]", font):
        return {"TT": "typewriter", "SS": "sans serif", "Sa": "sans serif"}.get(font[2:4], "Computer Modern")
    return _WEIGHT.sub("", font)


def _blocks(lines: Sequence[LookLine]) -> Iterator[Block]:
    if not lines:
        return
    letters = Counter({"": 0})
    families: Counter[str] = Counter()
    sizes: Counter[float] = Counter()
    for line in lines:
        for span in line.spans:
            letters[span.colour] += len(span.text)
            families[_family(span.font)] += len(span.text)
            sizes[round(span.size, 1)] += len(span.text)
    size = sizes.most_common(1)[0][0]
    family = families.most_common(1)[0][0]
    lefts = Counter(round(line.x0 / 2) * 2 for line in lines if len(line.text) > 40)
    margin = min((left for left, count in lefts.items() if count >= 0.1 * sum(lefts.values())), default=0.0)
    right = sorted(line.x1 for line in lines)[int(0.9 * (len(lines) - 1))]
    gaps = [b.y0 - a.y0 for a, b in pairwise(lines) if a.page == b.page and 0 < b.y0 - a.y0 < 3 * size]
    step = median(gaps) if gaps else 1.2 * size
    small = sorted(gaps)[len(gaps) // 4] if gaps else step
    step = min(step, 1.15 * small) if small > 0.9 * size else step
    indents: list[float] = []
    for group in _groups(lines, step, right, size):
        block, indents = _block(group, indents, size, family, margin)
        if block is not None:
            yield block


def _groups(lines: Sequence[LookLine], step: float, right: float, size: float) -> Iterator[list[LookLine]]:
    group: list[LookLine] = []
    for line in lines:
        if group and _begins(line, group, step, right, size):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _begins(line: LookLine, group: list[LookLine], step: float, right: float, size: float) -> bool:
    before = group[-1]
    if line.cell != before.cell:
        return True
    said, last = line.text.strip(), before.text.strip()
    ended = last.endswith(_ENDS)
    short = before.x1 < right - 12 * size
    if (
        any(re.fullmatch(r"[*∗ ]+", words) for words in (said, last))
        or _BULLET.match(said)
        or labelled(said)[0]
        or reviewer_name(said) is not None
        or reviewer_name(last) is not None
    ):
        return True
    big, was = max(span.size for span in line.spans), max(span.size for span in before.spans)
    if abs(big - was) > 0.15 * size and (big > 1.15 * size or was > 1.15 * size):
        return True
    if line.page == before.page and line.y0 - before.y0 > 1.25 * step + 0.5:
        return True
    turned = line.page != before.page or line.y0 < before.y0 - step  # to the next page or column
    if turned and (ended or short) and (said[:1].isupper() or not said[:1].isalpha()):
        return ended or before.x1 < right - 25 * size
    if _look(line) != _look(before) and (ended or short) and _look(line)[1:] != _look(before)[1:]:
        return True
    if _NUMBER.match(said) and (ended or short):
        return True
    inset = line.x0 - before.x0
    hangs = _NUMBER.match(last) or _BULLET.match(last)
    return ended and (
        (short and not said[:1].islower()) or (inset > 8 and not hangs) or (inset < -8 and len(group) > 1)
    )


def _block(
    group: list[LookLine], indents: list[float], size: float, family: str, margin: float
) -> tuple[Block | None, list[float]]:
    spans: list[Span] = []
    for at, line in enumerate(group):
        for span in line.spans:
            spans.append(replace(span, text=span.text.translate(_LIGATURES)))
        if at + 1 < len(group):
            after = group[at + 1].text.lstrip()
            if spans[-1].text.endswith("-") and after[:1].islower():
                spans[-1] = replace(spans[-1], text=spans[-1].text[:-1])
            elif not spans[-1].text.endswith((" ", "/")):
                spans[-1] = replace(spans[-1], text=spans[-1].text + " ")
    runs = _runs(spans, family)
    words = "".join(run.text for run in runs).strip()
    if not words:
        return None, indents
    if column := group[0].cell[1]:
        return Block("paragraph", tuple(replace(run, marks=run.marks | {f"column {column}"}) for run in runs)), indents
    left = min(line.x0 for line in group)
    bullet, number = _BULLET.match(words), _NUMBER.match(words)
    listed = [*(at for at in indents if at < group[0].x0 - _STEP), group[0].x0] if bullet or number else []
    if re.fullmatch(r"[*∗\s]+", words):
        return Block("rule", ()), listed
    label, _ = labelled(words)
    if label:
        rest = _after(runs, words.index(label) + len(label))
        return Block("quote", (Run(f"{label} ", bold=True), *rest), opens=True), listed
    biggest = max(span.size for span in spans)
    heading = len(group) <= 2 and len(words) <= 110 and not words.endswith((".", "?"))
    if reviewer_name(words) is not None or (heading and biggest > 1.12 * size):
        return Block("heading", (Run(words),), 2 if reviewer_name(words) is not None else 3), listed
    if left > margin + 10:
        runs = tuple(replace(run, marks=run.marks | {"indented"}) for run in runs)
    if bullet:
        return Block("bullet", _after(runs, bullet.end()), len(listed)), listed
    if number:
        return Block("number", _after(runs, number.end()), len(listed), int(number[1])), listed
    return Block("paragraph", runs), listed


def _runs(spans: Sequence[Span], family: str) -> tuple[Run, ...]:
    found: list[Run] = []
    for span in spans:
        marks = set()
        red, green, blue = (int(span.colour[at : at + 2], 16) for at in (1, 3, 5))
        if max(red, green, blue) > 60:
            marks.add(f"colour {span.colour}")
        if _family(span.font) != family:
            marks.add(f"font {_family(span.font)}")
        run = Run(re.sub(r"\s+", " ", span.text), span.bold, span.italic, marks=frozenset(marks))
        same = found and (found[-1].bold, found[-1].italic, found[-1].marks) == (run.bold, run.italic, run.marks)
        if found and (same or not run.text.strip()):
            found[-1] = replace(found[-1], text=found[-1].text + run.text)
        else:
            found.append(run)
    return tuple(part for run in found for part in with_formulas(run))


def _after(runs: Sequence[Run], letters: int) -> tuple[Run, ...]:
    """Returns the runs after the given number of letters of the trimmed text."""
    rest: list[Run] = []
    for at, run in enumerate(runs):
        text = run.text.lstrip() if not at else run.text
        rest.append(replace(run, text=text[letters:]))
        letters = max(0, letters - len(text))
    return tuple(run for run in rest if run.text)
