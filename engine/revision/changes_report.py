"""The list of changes for an editor: a self-contained HTML page or a PDF, and the revised PDF with marks."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from engine.documents.records import Box, Mark, Paragraph
from engine.documents.search import boxes_for
from engine.documents.service import DocumentService
from engine.resource_files import rendered, resource_text
from engine.revision.differences import CellChange, cell_changes, word_changes
from engine.revision.edits import SEPARATOR
from engine.revision.parts import Stretches, places
from engine.revision.records import KIND_WORDS, Edit, RevisionDiff

CONTEXT_WORDS = 30
"""Words of unchanged text kept on either side of a change; longer runs are shortened to these."""

_OPERATIONS = {"split": "split", "merge": "merged", "split+merge": "divided again"}
_COUNTS = (
    ("added", "added"),
    ("deleted", "deleted"),
    ("major", "changed"),
    ("minor", "small changes"),
    ("moved", "moved"),
)

_WORTH_CUTTING = 12
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The content of a list of changes.

    ``edits`` are those to list, in that order; if a filter selected them, ``of`` is the total number, and ``folded``
    describes the groups that aren't listed ("12 in references"). ``answers`` names, by edit id, the comments that an
    edit answers. ``made`` is the date as displayed. ``doubts`` contains the edits that were read from unreliable pages.
    ``context_words`` is how much unchanged text is shown on either side of a change; None shows all of it.
    """

    edits: Sequence[Edit]
    source: Sequence[Paragraph]
    target: Sequence[Paragraph]
    title: str = "List of changes"
    subtitle: str = ""
    source_name: str = "the submitted version"
    target_name: str = "the revised version"
    made: str = ""
    of: int | None = None
    folded: str = ""
    answers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    context_words: int | None = CONTEXT_WORDS


def changes_html(changes: ChangeList) -> str:
    """Returns the list as one HTML page without external resources."""
    return _render(changes, resource_text("templates/changes.css"))


def changes_pdf(changes: ChangeList, service: DocumentService) -> bytes:
    """Returns the list as a PDF on A4 with page numbers; MuPDF typesets it in the service's worker process."""
    head, rest = _render(changes, resource_text("templates/changes.print.css")).split("<!-- blocks -->")
    blocks = rest.split("<!-- end -->")[0].split("<!-- block -->")
    return service.typeset(changes.title, [f"{head}{block}</body></html>" for block in blocks])


@dataclass(frozen=True, slots=True)
class _Run:
    """Words with one mark; ``space``: white space follows, outside the mark."""

    mark: str
    text: str
    space: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    label: str
    kind: str
    moved: bool
    what: str
    where: str
    amount: str
    answers: str
    lines: Sequence[Sequence[_Run]]
    cells: Sequence[CellChange]


def _render(changes: ChangeList, css: str) -> str:
    from markupsafe import Markup

    pages = {p.id: p.page for p in changes.source}, {p.id: p.page for p in changes.target}
    listed, whole = len(changes.edits), changes.of
    return rendered(
        "changes.html.jinja",
        css=Markup(css),  # noqa: S704 - this program's own style sheet
        title=changes.title,
        subtitle=changes.subtitle,
        source_name=changes.source_name,
        target_name=changes.target_name,
        made=changes.made,
        counts=[
            {
                "kind": kind,
                "word": word,
                "number": sum((edit.moved if kind == "moved" else edit.kind == kind) for edit in changes.edits),
            }
            for kind, word in _COUNTS
        ],
        filtered="" if whole is None or whole == listed else f"{listed} of {whole} changes are listed.",
        folded=f"Not listed: {changes.folded}." if changes.folded else "",
        sections=[
            {
                "title": title.replace(" > ", " › ") or "Before the first section",
                "edits": [_entry(edit, changes, pages, title) for _, edit in entries],
            }
            for title, entries in groupby(_under_headings(changes), key=lambda entry: entry[0])
        ],
    )


def _under_headings(changes: ChangeList) -> Iterator[tuple[str, Edit]]:
    """Yields each edit with the section to list it under; deletions from a section that no longer exists stay in
    order."""
    present = {paragraph.section for paragraph in changes.target}
    heading = ""
    for edit in changes.edits:
        if edit.target_ids or edit.section in present:
            heading = edit.section
        yield heading or edit.section, edit


def _entry(edit: Edit, changes: ChangeList, pages: tuple[Mapping[str, int], Mapping[str, int]], heading: str) -> _Entry:
    what = [KIND_WORDS[edit.kind].capitalize()]
    if edit.operation in _OPERATIONS:
        what.append(_OPERATIONS[edit.operation])
    if edit.moved and edit.kind != "moved":
        what.append("moved")
    what += changes.doubts.get(edit.id, ())
    cells = cell_changes(edit)
    return _Entry(
        label=edit.label or edit.id,
        kind=edit.kind,
        moved=edit.moved,
        what=", ".join(what),
        where=_where(edit, pages) + (f", in “{edit.section}”" if edit.section != heading else ""),
        amount=_amount(edit),
        answers=", ".join(changes.answers.get(edit.id, ())),
        lines=() if cells else _lines(edit, changes.context_words),
        cells=cells,
    )


def _where(edit: Edit, pages: tuple[Mapping[str, int], Mapping[str, int]]) -> str:
    old = pages[0].get(edit.source_ids[0]) if edit.source_ids else None
    new = pages[1].get(edit.target_ids[0]) if edit.target_ids else None
    if old and new:
        return f"page {new}" if old == new else f"page {old} before, {new} now"
    return f"page {new}" if new else f"page {old} before" if old else ""


def _amount(edit: Edit) -> str:
    def words(count: int, done: str) -> list[str]:
        return [f"{count} word{'' if count == 1 else 's'} {done}"] if count else []

    return ", ".join(words(edit.tokens_removed, "deleted") + words(edit.tokens_added, "added"))


def _lines(edit: Edit, context: int | None) -> list[list[_Run]]:
    """Returns the difference by line: each paragraph of an edit starts a new one."""
    lines: list[list[_Run]] = [[]]
    for run in _runs(edit, context):
        first, *rest = run.text.split(SEPARATOR)
        lines[-1].append(_Run(run.mark, first.strip(), run.space))
        for piece in rest:
            lines.append([_Run(run.mark, piece.strip(), run.space)])
    return [shown for line in lines if (shown := [run for run in line if run.text or run.mark == "gap"])]


def _runs(edit: Edit, context: int | None) -> Iterator[_Run]:
    changes = word_changes(edit.source_text, edit.target_text)
    for at, change in enumerate(changes):
        following = changes[at + 1].operation if at + 1 < len(changes) else ""
        sides = edit.source_text[slice(*change.source)], edit.target_text[slice(*change.target)]
        space = any(side[-1:].isspace() for side in sides) or {change.operation, following} == {"delete", "insert"}
        if change.operation != "equal" or context is None:
            yield _Run(change.operation, change.text, space)
        else:
            yield from _shortened(change.text, context if at else 0, context if following else 0, space)


def _shortened(text: str, head: int, tail: int, space: bool) -> Iterator[_Run]:
    """Yields ``text`` with only its first ``head`` and last ``tail`` words, if that omits enough to be worthwhile."""
    words = list(_WORD.finditer(text))
    if head == tail == 0:  # only the place changed: show enough to recognise the paragraph
        head = 2 * CONTEXT_WORDS
    if len(words) <= head + tail + _WORTH_CUTTING:
        yield _Run("equal", text, space)
        return
    if head:
        yield _Run("equal", text[: words[head - 1].end()], True)
    yield _Run("gap", "", True)
    if tail:
        yield _Run("equal", text[words[-tail].start() :], space)


# --- The revised PDF with the changes marked, as latexdiff would, but drawn on the finished pages ---------------------
# Added text is underlined in blue with a bar in the margin, deleted text has an orange caret in its place, moved text
# has a purple bar. Each mark has the edit's number and, as a note, the words. The last pages explain the marks and list
# what was deleted, so that the file can be printed.

NOTE_CHARACTERS = 1500
"""Maximum length of a mark's note; readers show no more without scrolling, and the appendix contains the whole text."""


@dataclass(frozen=True, slots=True)
class MarkedPdf:
    """The marked file, and the numbers of marks and of edits left out."""

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
    doubts: Mapping[str, Sequence[str]] | None = None,
) -> MarkedPdf:
    """Returns the revised ``pdf`` with all edits marked. ``answers`` names the comments that an edit answers, by edit
    id; ``doubts`` says what is unreliable about the pages that it was read from.

    Raises BadInput if the PDF can't be opened (one that was parsed can).
    """
    marks = list(marks_of(diff, source, target, answers or {}, doubts or {}))
    appendix = service.typeset(title, _appendix(diff.edits, title, source_name))
    made = service.mark(pdf, marks, title, appendix, outline="Marks of the changes")
    return MarkedPdf(made.content, made.marks, made.left_out)


def marks_of(
    diff: RevisionDiff,
    source: Sequence[Paragraph],
    target: Sequence[Paragraph],
    answers: Mapping[str, Sequence[str]],
    doubts: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Mark]:
    old, new = {p.id: p for p in source}, {p.id: p for p in target}
    places = _Places(diff, source, new)
    for edit in diff.edits:
        paragraphs = [new[key] for key in edit.target_ids if key in new]
        said = f" Answers {', '.join(answers[edit.id])}." if answers.get(edit.id) else ""
        said = " ".join((said, *(doubts or {}).get(edit.id, ())))
        name = edit.label or edit.id
        if not paragraphs:
            page, at = places.after(edit)
            words = _short(f"Deleted here: {edit.source_text}") + said
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
    """Yields marks for what was added and deleted within existing paragraphs."""
    stretches = places(edit.target_text, [p.text for p in paragraphs])
    if not stretches:  # read by another parser: marked as a whole
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
                yield Mark("deleted", page, "", _short(f"Deleted here: {change.text.strip()}") + said, caret=at)


def _boxes(paragraphs: Sequence[Paragraph], stretches: Stretches, start: int, end: int) -> tuple[Box, ...]:
    """Returns one box per line for [start, end) of the edit's text."""
    found: list[Box] = []
    for first, last, at, begins in stretches:
        low, high = max(start, first) - first + begins, min(end, last) - first + begins
        if low < high:
            found += boxes_for(paragraphs[at], low, high) if paragraphs[at].words else paragraphs[at].boxes
    return tuple(found)


def _point(
    paragraphs: Sequence[Paragraph], stretches: Stretches, offset: int
) -> tuple[int, tuple[float, float]] | None:
    """Returns the page and point at an offset of the edit's text: after the preceding word, or before the following
    one."""
    before = _boxes(paragraphs, stretches, max(0, offset - 12), offset)
    if before:
        return before[-1].page, (before[-1].x1, before[-1].y1)
    after = _boxes(paragraphs, stretches, offset, offset + 12)
    if after:
        return after[0].page, (after[0].x0, after[0].y1)
    boxes = [box for paragraph in paragraphs for box in paragraph.boxes]
    return (boxes[0].page, (boxes[0].x0, boxes[0].y0)) if boxes else None


def _columns(lines: Sequence[Box]) -> Iterator[tuple[Box, ...]]:
    """Yields groups of lines below each other: a change that continues in the next column starts a new group."""
    part: list[Box] = []
    for line in lines:
        if part and line.y0 < part[-1].y0 - 1:
            yield tuple(part)
            part = []
        part.append(line)
    if part:
        yield tuple(part)


def _beside(lines: Sequence[Box], paragraphs: Sequence[Paragraph]) -> Box:
    """Returns the box that a margin bar runs along: the lines, from the left edge of their column."""
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
    """Finds the place in the revised text where deleted text was."""

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
        """Returns page and point: below the preceding text, above the following text, or at the top of the first
        page."""
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
    """Returns the legend and the deleted text, as HTML blocks to typeset."""
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
