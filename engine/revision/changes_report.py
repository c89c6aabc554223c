"""The list of changes, as an author hands it to an editor: a calm page of HTML that needs nothing else, and a PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from engine.documents.records import Paragraph
from engine.documents.service import DocumentService
from engine.resource_files import rendered, resource_text
from engine.revision.differences import CellChange, cell_changes, word_changes
from engine.revision.edits import SEPARATOR
from engine.revision.records import Edit

CONTEXT_WORDS = 30
"""Words of unchanged text kept on either side of a change; longer runs are cut to these."""

_WORDS = {"added": "Added", "deleted": "Deleted", "minor": "Small change", "major": "Changed", "moved": "Moved"}
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
    """What a list of changes shows.

    ``edits`` are those to be listed, in that order; where a filter chose them, ``of`` says how many there are in all,
    and ``folded`` what the groups that are not listed have ("12 in references").
    ``answers`` names, by edit id, the comments that an edit answers. ``made`` is a date as it shall read.
    ``context_words`` is how much unchanged text is on either side of a change; None keeps all of it.
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
    context_words: int | None = CONTEXT_WORDS


def changes_html(changes: ChangeList) -> str:
    """The list as one HTML page that loads nothing from outside."""
    return _render(changes, resource_text("templates/changes.css"))


def changes_pdf(changes: ChangeList, service: DocumentService) -> bytes:
    """The list as a PDF on A4, pages numbered; MuPDF sets it in the service's worker process."""
    head, rest = _render(changes, resource_text("templates/changes.print.css")).split("<!-- blocks -->")
    blocks = rest.split("<!-- end -->")[0].split("<!-- block -->")
    return service.typeset(changes.title, [f"{head}{block}</body></html>" for block in blocks])


@dataclass(frozen=True, slots=True)
class _Run:
    """Words with one mark; ``space`` where white space follows, which is outside the mark."""

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
    """Each edit with the section to list it under: what was deleted from a section that is gone stays where it was."""
    present = {paragraph.section for paragraph in changes.target}
    heading = ""
    for edit in changes.edits:
        if edit.target_ids or edit.section in present:
            heading = edit.section
        yield heading or edit.section, edit


def _entry(edit: Edit, changes: ChangeList, pages: tuple[Mapping[str, int], Mapping[str, int]], heading: str) -> _Entry:
    what = [_WORDS[edit.kind]]
    if edit.operation in _OPERATIONS:
        what.append(_OPERATIONS[edit.operation])
    if edit.moved and edit.kind != "moved":
        what.append("moved")
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
    """The difference by line: each paragraph of an edit begins its own."""
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
    """``text`` with only its first ``head`` and last ``tail`` words, where that leaves out enough to be worth it."""
    words = list(_WORD.finditer(text))
    if head == tail == 0:  # nothing changed but the place: enough to recognise the paragraph
        head = 2 * CONTEXT_WORDS
    if len(words) <= head + tail + _WORTH_CUTTING:
        yield _Run("equal", text, space)
        return
    if head:
        yield _Run("equal", text[: words[head - 1].end()], True)
    yield _Run("gap", "", True)
    if tail:
        yield _Run("equal", text[words[-tail].start() :], space)
