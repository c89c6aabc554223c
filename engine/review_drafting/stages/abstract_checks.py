"""Checks the abstract's figures against the rest of the paper. See ``pointers.py``."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from engine.documents.numbers import Quantity, agrees, find_quantities
from engine.documents.tables import Table
from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.reading import in_quotes, quote, table_anchor, where
from engine.review_drafting.records import Anchor, Check, PaperReading, Sentence
from engine.review_drafting.stages.pointers import finding
from engine.shown import listed
from engine.statements.grids import grid_of, lay_out
from engine.statements.table_doubts import trusted

_MOST_SENTENCES = 25
"""A longer "abstract" includes the text after it."""
_CLOSE = 0.6
"""The least ratio of two figures that may be meant to be the same."""
_AROUND = 8
"""The words on either side of a figure that say what it counts."""
_FEW = 6
_CHANGE = re.compile(
    r"\b(?:by|improv\w*|gains?|increas\w*|decreas\w*|reduc\w*|drop\w*|higher|lower|more|less|fewer|faster|slower|better"
    r"|averag\w*|overall|total)\b",
    re.IGNORECASE,
)
"""Words next to a figure that follows from others."""
_LOOSE = re.compile(
    r"(?:\b(?:about|around|nearly|almost|over|above|below|under|than|approximately|roughly|least|most|to|p|n|CI|and)"
    r"|[~≈<>≤≥±–=[/^-])\s*$",
    re.IGNORECASE,
)
"""What is before a figure that is rounded, a limit, or one end of a range."""


def abstract_numbers(paper: PaperReading) -> Iterator[Check]:
    """Yields a figure of the abstract that the rest of the paper doesn't contain, if another figure is in its place:
    in a sentence with the same words, or in the row or column of a table that the abstract names. Ignores rounded
    figures, and changes and averages that only a table could have."""
    sentences = [s for s in paper.sentences if s.part == "abstract" and not s.caption]
    if not 0 < len(sentences) <= _MOST_SENTENCES:
        return
    own = {s.paragraph_id for s in sentences}
    rest = [p for p in paper.places.document.paragraphs if p.id not in own and p.kind != "reference"]
    there = [(find_quantities(p.text), p.kind == "body") for p in rest]
    said = [q for s in sentences for q in find_quantities(s.text)]
    for sentence in sentences:
        for q in find_quantities(sentence.text):
            if _exact(sentence.text, q) and not any(_given(q, *numbers) for numbers in there):
                found = _in_text(paper, sentence, q, said) or _in_tables(trusted(paper.places.tables), sentence, q)
                if found:
                    anchors = (quote(sentence), found[1])
                    words = (
                        f"The abstract says {in_quotes(sentence.text)} (p. {sentence.page}). {q.text} isn't found"
                        f" anywhere else. {found[0]}."
                    )
                    fix = "Give the same figure in both places, or say where the abstract's comes from."
                    yield finding("abstract-number", words, fix, *anchors)
                    break


def _exact(text: str, q: Quantity) -> bool:
    """Returns whether a number is a figure as measured or counted, rather than a small count, year, limit or name."""
    year = q.value.is_integer() and 1800 <= q.value < 2100 and "," not in q.text
    name = re.search(r"(?:[A-Z]\S*|[\w.]-)\s*$", text[: q.start].removeprefix(text.split(maxsplit=1)[0]))
    small = q.value < 10 and not q.decimals and not q.percent
    bounded = _LOOSE.search(text[: q.start]) or re.match(r"[-–]|\s?to \d", text[q.end :])
    return not (year or small or name or bounded)


def _given(q: Quantity, numbers: Sequence[Quantity], prose: bool) -> bool:
    """Returns whether a figure is among the numbers of a paragraph, or follows from two of a few."""
    if any(agrees(q, r) or agrees(r, q) for r in numbers):
        return True
    few = [abs(r.value) for r in numbers if r.value] if prose and len(numbers) <= _FEW else []
    derived = [made for a, b in permutations(few, 2) for made in (a + b, a - b, a / b, 100 * a / b)]
    return any(abs(made - q.value) <= 0.5 * 10.0**-q.decimals + 1e-9 for made in derived)


def _near(q: Quantity, value: float) -> bool:
    low, high = sorted((abs(q.value), abs(value)))
    return low < high and low >= _CLOSE * high


def _in_text(paper: PaperReading, own: Sentence, q: Quantity, said: Sequence[Quantity]) -> tuple[str, Anchor] | None:
    """Returns the only figure that counts the same thing, in a sentence with the same words around it."""
    counted, around = _after(own.text, q), _around(own.text, q)
    found: dict[float, Sentence] = {}
    for sentence in paper.sentences:
        if sentence.part in ("abstract", "related"):
            continue
        for r in find_quantities(sentence.text):
            alike = r.percent == q.percent and bool(r.decimals) == bool(q.decimals) and _near(q, r.value)
            if not alike or not counted & _after(sentence.text, r) or any(agrees(s, r) for s in said):
                continue
            slip = len(r.text) == len(q.text) >= 3 and sorted(r.text) == sorted(q.text)
            if len(around & _around(sentence.text, r)) >= (1 if slip else max(2, 0.5 * len(around))):
                found.setdefault(r.value, sentence)
    if len(found) != 1:
        return None
    anchor = quote(next(iter(found.values())))
    return f"The text says {in_quotes(anchor.quote)} {where(anchor)}", anchor


def _after(text: str, q: Quantity) -> frozenset[str]:
    """Returns the stems of the first words after a number: what it counts."""
    words = re.findall(r"[^\W\d]+", text[q.end :])[:3]
    return content_stems(" ".join(words)) | {word for word in words[:1] if len(word) == 1}


def _around(text: str, q: Quantity) -> frozenset[str]:
    before, after = text[: q.start].split()[-_AROUND:], text[q.end :].split()[:_AROUND]
    return frozenset(stem for stem in content_stems(" ".join((*before, *after))) if not stem.isdigit())


def _in_tables(tables: Sequence[Table], own: Sentence, q: Quantity) -> tuple[str, Anchor] | None:
    """Returns the figures of the table's row or column that a sentence names, if one of them is close."""
    stems, best = content_stems(own.text), None
    if _CHANGE.search(own.text[max(0, q.start - 40) : q.start]) or _CHANGE.search(own.text[q.end : q.end + 20]):
        return None
    for table in tables:
        entries = lay_out(grid_of(table)[0]).entries
        named = [(e, [label for label in e.labels if label and _names(label, own.text)]) for e in entries]
        most = max((len(labels) for _, labels in named), default=0)
        about = content_stems(f"{table.caption} {' '.join(label for e in entries for label in e.labels)}") & stems
        line = [e for e, labels in named if len(labels) == most and any(re.search(r"[^\W\d]", n) for n in labels)]
        close = any(_near(q, e.value) and bool(e.quantity.decimals) == bool(q.decimals) for e in line)
        if most and close and len(line) <= 6 and len(about) >= 2 and (best is None or most > best[0]):
            best = most, table, line
    if best is None:
        return None
    table, line = best[1:]
    shown = listed([f"{e.quantity.text} ({', '.join(filter(None, e.labels))})" for e in line])
    return f"Table {table.number} (p. {table.page}) has {shown}", table_anchor(table)


def _names(label: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE))
