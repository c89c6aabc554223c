"""The lines of the response matrix, and what they say. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.panes.rebuttal.entries import key_of
from engine.rebuttal.budget import Spent, spent
from engine.rebuttal.matrix import Cell, ClaimsCell, Matrix, MatrixRow
from engine.rebuttal.points import Outline, said
from engine.rebuttal.records import ACTION_TITLES, Point, Quoting
from engine.reviews.limits import Limit, Unit, count, unit_name

COLUMNS = ("Text", "Edit", "Claims")
_SPOKEN: dict[Cell | ClaimsCell, str] = {
    "empty": "missing", "good": "done", "attention": "needs a look", "wrong": "wrong", "none": "not needed",
    "confirmed": "confirmed by you",
}  # fmt: skip
OUTCOMES = {"satisfied": "satisfied", "partly": "partly satisfied", "unmoved": "unmoved"}


@dataclass(frozen=True, slots=True)
class ReviewerLine:
    """A reviewer, and how much of the limit is used. ``pages`` replaces the figures of a rebuttal limited in pages."""

    reviewer: str
    spent: Spent
    unit: Unit
    pages: str = ""

    @property
    def used(self) -> str:
        """How much is used, in words."""
        return self.pages or spent_words(self.spent, self.unit)


@dataclass(frozen=True, slots=True)
class EndLine:
    """The opening or closing of an answer, and its length."""

    point: Point
    length: int
    unit: Unit


Line = ReviewerLine | EndLine | MatrixRow


def lines_of(outline: Outline, matrix: Matrix, limit: Limit, quoting: Quoting) -> tuple[Line, ...]:
    """Reviewer by reviewer: the heading, the opening, a row for each comment, the closing."""
    rows = {line.row.comment.id: line for line in matrix.rows}

    def end(point: Point) -> EndLine:
        return EndLine(point, count(said(point.text).strip(), limit.unit), limit.unit)

    lines: list[Line] = []
    for section in outline:
        lines += [ReviewerLine(section.reviewer, spent(section, limit, quoting), limit.unit), end(section.opening)]
        lines += [rows[row.comment.id] for row in section.rows]
        lines.append(end(section.closing))
    return tuple(lines)


def line_key(line: Line) -> str:
    """What identifies a line: of those that can be selected, the key of the point."""
    if isinstance(line, ReviewerLine):
        return f"head:{line.reviewer}"
    return line.row.comment.id if isinstance(line, MatrixRow) else key_of(line.point)


def spoken(line: Line) -> str:
    """A line in words, for screen readers."""
    if isinstance(line, ReviewerLine):
        return f"{line.reviewer}: {line.used}"
    if isinstance(line, EndLine):
        return f"{line.point.kind.capitalize()}, {line.length} {unit_name(line.unit, line.length)}"
    cells = zip(COLUMNS, (line.answered, line.linked, line.checked), strict=True)
    states = ", ".join(f"{title} {_SPOKEN.get(cell, cell)}" for title, cell in cells)
    flags = " ".join(flag.sentence for flag in line.flags)
    return f"{line.row.label}, {action_words(line.row.point)}: {states}. {flags}".rstrip()


def tip(line: Line) -> str:
    """The tooltip of a comment's line."""
    if not isinstance(line, MatrixRow):
        return ""
    edits = ", ".join(edit.label for edit in line.edits)
    linked = [f"Linked edits: {edits}"] if edits else []
    return "\n".join((action_words(line.row.point), *linked, *(flag.sentence for flag in line.flags)))


def action_words(point: Point) -> str:
    """What a response does, whether it concurs, and its outcome."""
    if point.action is None:
        return "no action yet"
    stance = {"concur": ", concurs", "dispute": ", disputes"}.get(point.stance or "", "")
    outcome = f", reviewer {OUTCOMES[point.outcome]}" if point.outcome else ""
    return f"{ACTION_TITLES[point.action]}{stance}{outcome}"


def spent_words(used: Spent, unit: Unit) -> str:
    """“3,210 of 5,000 characters”; “8,672 characters in 2 posts of 5,000” where there are several."""
    words = unit_name(unit, used.total)
    if used.allowed is None:
        return f"{used.total:,} {words}"
    if used.posts > 1:
        return f"{used.total:,} {words} in {used.posts} posts of {used.allowed:,}"
    return f"{used.total:,} of {used.allowed:,} {words}"
