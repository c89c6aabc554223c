"""The revised PDF with the changes marked on it, as latexdiff would, but drawn on the finished pages.

What was added is underlined in blue with a bar in the margin, what was deleted has an orange caret where it stood, what
moved has a purple bar. Each carries the edit's number and, as a note, the words. The last pages explain the marks and
list what was deleted, so that the file can be printed.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.documents.marking import Mark
from engine.documents.records import Box, Paragraph
from engine.documents.search import boxes_for
from engine.documents.service import DocumentService
from engine.revision.differences import word_changes
from engine.revision.parts import Stretches, places
from engine.revision.records import Edit, RevisionDiff

NOTE_CHARACTERS = 1500
"""The longest note of a mark; readers show no more without scrolling, and the appendix has the whole text."""


@dataclass(frozen=True, slots=True)
class MarkedPdf:
    """The file, and what is on it."""

    content: bytes
    marks: int
    left_out: int


def marked_pdf(
    pdf: bytes,
    diff: RevisionDiff,
    source: Sequence[Paragraph],
    target: Sequence[Paragraph],
    service: DocumentService,
    *,
    title: str = "Marked changes",
    source_name: str = "the submitted version",
    answers: Mapping[str, Sequence[str]] | None = None,
) -> MarkedPdf:
    """The revised ``pdf`` with all edits marked. ``answers`` names the comments that an edit answers, by edit id.

    Raises:
        BadInput: the PDF cannot be opened (one that was parsed can).
    """
    marks = list(marks_of(diff, source, target, answers or {}))
    appendix = service.typeset(title, _appendix(diff.edits, title, source_name))
    made = service.mark(pdf, marks, title, appendix, outline="Marks of the changes")
    return MarkedPdf(made.content, made.marks, made.left_out)


def marks_of(
    diff: RevisionDiff, source: Sequence[Paragraph], target: Sequence[Paragraph], answers: Mapping[str, Sequence[str]]
) -> Iterator[Mark]:
    """Every mark, in order of the edits."""
    old, new = {p.id: p for p in source}, {p.id: p for p in target}
    places = _Places(diff, source, new)
    for edit in diff.edits:
        paragraphs = [new[key] for key in edit.target_ids if key in new]
        said = f" Answers {', '.join(answers[edit.id])}." if answers.get(edit.id) else ""
        name = edit.label or edit.id
        if not paragraphs:
            page, at = places.after(edit)
            words = _short(f"Deleted here: {edit.source_text}{said}")
            yield Mark("deleted", page, name, words, caret=at)
            continue
        numbered = False
        for mark in _changes(edit, paragraphs, said):
            yield Mark(mark.kind, mark.page, "" if numbered else name, mark.note, mark.lines, mark.bar, mark.caret)
            numbered = True
        if edit.moved:
            before = old.get(edit.source_ids[0]) if edit.source_ids else None
            where = f" from page {before.page}" if before else ""
            within = f", section {before.section}" if before and before.section else ""
            for part, box in enumerate(_blocks(paragraphs)):
                yield Mark("moved", box.page, "" if numbered or part else name, f"Moved{where}{within}.{said}", bar=box)


def _changes(edit: Edit, paragraphs: Sequence[Paragraph], said: str) -> Iterator[Mark]:
    """What was added and deleted within paragraphs that are there."""
    stretches = places(edit.target_text, [p.text for p in paragraphs])
    if not stretches:  # read by another parser: mark it as a whole
        for box in _blocks(paragraphs):
            yield Mark("added", box.page, "", f"Changed.{said}", bar=box)
        return
    for change in word_changes(edit.source_text, edit.target_text):
        if change.operation == "insert":
            boxes = _boxes(paragraphs, stretches, *change.target)
            words = "Added here." if edit.source_text else f"Added paragraph.{said}"
            for page in dict.fromkeys(box.page for box in boxes):
                lines = tuple(box for box in boxes if box.page == page)
                for column in _columns(lines):
                    yield Mark(
                        "added",
                        page,
                        "",
                        f"{words}{said if edit.source_text else ''}",
                        column,
                        _beside(column, paragraphs),
                    )
        elif change.operation == "delete":
            place = _point(paragraphs, stretches, change.target[0])
            if place is not None and change.text.strip():
                page, at = place
                yield Mark("deleted", page, "", _short(f"Deleted here: {change.text.strip()}{said}"), caret=at)


def _boxes(paragraphs: Sequence[Paragraph], stretches: Stretches, start: int, end: int) -> tuple[Box, ...]:
    """One box a line for [start, end) of the edit's text."""
    found: list[Box] = []
    for first, last, at, begins in stretches:
        low, high = max(start, first) - first + begins, min(end, last) - first + begins
        if low < high:
            found += boxes_for(paragraphs[at], low, high) if paragraphs[at].words else paragraphs[at].boxes
    return tuple(found)


def _point(
    paragraphs: Sequence[Paragraph], stretches: Stretches, offset: int
) -> tuple[int, tuple[float, float]] | None:
    """Page and point at an offset of the edit's text: behind the word before it, or in front of the word after."""
    before = _boxes(paragraphs, stretches, max(0, offset - 12), offset)
    if before:
        return before[-1].page, (before[-1].x1, before[-1].y1)
    after = _boxes(paragraphs, stretches, offset, offset + 12)
    if after:
        return after[0].page, (after[0].x0, after[0].y1)
    boxes = [box for paragraph in paragraphs for box in paragraph.boxes]
    return (boxes[0].page, (boxes[0].x0, boxes[0].y0)) if boxes else None


def _columns(lines: Sequence[Box]) -> Iterator[tuple[Box, ...]]:
    """Lines that stand one below the other: a change that runs on in the next column begins again."""
    part: list[Box] = []
    for line in lines:
        if part and line.y0 < part[-1].y0 - 1:
            yield tuple(part)
            part = []
        part.append(line)
    if part:
        yield tuple(part)


def _beside(lines: Sequence[Box], paragraphs: Sequence[Paragraph]) -> Box:
    """What a bar in the margin runs along: the lines, from the left edge of their column."""
    first = lines[0]
    left = min(
        (
            box.x0
            for box in _blocks(paragraphs)
            if box.page == first.page and box.x0 <= first.x0 <= box.x1 and box.y0 - 1 <= first.y0 <= box.y1
        ),
        default=min(box.x0 for box in lines),
    )
    return Box(first.page, left, first.y0, max(box.x1 for box in lines), max(box.y1 for box in lines))


def _blocks(paragraphs: Sequence[Paragraph]) -> list[Box]:
    return [box for paragraph in paragraphs for box in paragraph.boxes]


class _Places:
    """Where in the revised text something stood that is gone."""

    def __init__(self, diff: RevisionDiff, source: Sequence[Paragraph], target: Mapping[str, Paragraph]) -> None:
        self._order = [paragraph.id for paragraph in source]
        self._at = {key: index for index, key in enumerate(self._order)}
        self._target = target
        self._stands: dict[str, tuple[str, ...]] = {}
        pairs = [(edit.source_ids, edit.target_ids) for edit in diff.edits if not edit.moved]
        for sources, targets in (*pairs, *diff.unchanged):
            for key in sources:
                self._stands[key] = tuple(targets)

    def after(self, edit: Edit) -> tuple[int, tuple[float, float]]:
        """Page and point: below what stood before it, above what stood after it, or at the head of the first page."""
        first, last = self._at.get(edit.source_ids[0], 0), self._at.get(edit.source_ids[-1], 0)
        for index in range(first - 1, -1, -1):
            boxes = self._boxes(self._order[index])
            if boxes:
                return boxes[-1].page, (boxes[-1].x0 + 4, boxes[-1].y1 + 3)
        for index in range(last + 1, len(self._order)):
            boxes = self._boxes(self._order[index])
            if boxes:
                return boxes[0].page, (boxes[0].x0 + 4, boxes[0].y0)
        return 1, (40.0, 30.0)

    def _boxes(self, key: str) -> list[Box]:
        return _blocks([self._target[k] for k in self._stands.get(key, ()) if k in self._target])


def _appendix(edits: Sequence[Edit], title: str, source_name: str) -> list[str]:
    """The legend, and what was deleted, as HTML blocks to be set."""
    counts = {
        "added": sum(edit.kind == "added" for edit in edits),
        "changed": sum(edit.kind in ("minor", "major") for edit in edits),
        "deleted": sum(edit.kind == "deleted" for edit in edits),
        "moved": sum(edit.moved for edit in edits),
    }
    shown = ", ".join(f"{number} {word}" for word, number in counts.items())
    style = (
        "<style>body{font-family:sans-serif;font-size:9pt;line-height:1.4}h1{font-size:14pt}h2{font-size:11pt}"
        ".a{color:#005c94;text-decoration:underline}.d{color:#9a4d00}.m{color:#9b4f86}</style>"
    )
    blocks = [
        f"<html><head>{style}</head><body><h1>Marks of the changes</h1><p>{html.escape(title)}: changes since "
        f"{html.escape(source_name)}; paragraphs: {shown}.</p><p><span class='a'>Underlined in blue, with a bar in the "
        "margin</span>: added.<br><span class='d'>Orange caret</span>: deleted here; the note has the words, and so "
        "has the list below.<br><span class='m'>Purple bar</span>: moved, with or without changes.<br>Numbers at the "
        "edge are those of the list of changes. Line breaks, hyphenation and numbers that count by themselves are not "
        "compared.</p></body></html>"
    ]
    heading = "<h2>What was deleted</h2>"
    for edit in edits:
        gone = [c.text.strip() for c in word_changes(edit.source_text, edit.target_text) if c.operation == "delete"]
        gone = [text for text in gone if text]
        if gone:
            words = " … ".join(gone)
            blocks.append(
                f"<html><head>{style}</head><body>{heading}<p><b>{html.escape(edit.label or edit.id)}</b> "
                f"<span class='d'>{html.escape(words)}</span></p></body></html>"
            )
            heading = ""
    return blocks


def _short(text: str) -> str:
    return text if len(text) <= NOTE_CHARACTERS else text[: NOTE_CHARACTERS - 1].rstrip() + "…"
