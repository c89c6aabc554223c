"""The response matrix: for each comment whether it is answered, linked to an edit, and its claims checked, with
issues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.rebuttal.budget import budgets, reply_length, savings
from engine.rebuttal.claims import Checked, find_claims, promises_change
from engine.rebuttal.points import Cell, Outline, Row, notes_in, said
from engine.rebuttal.records import STANCES, Point, Quoting
from engine.rebuttal.slots import answered_cell, find_slots
from engine.reviews.limits import Limit, Unit, unit_name
from engine.revision.records import Edit
from engine.shown import shortened
from engine.statements.verdicts import UNFOUNDED, Verdict, counted_states, gravest

ClaimsCell = Verdict | Literal["none", "confirmed"]
"""The most serious state of the claims; ``none`` without claims, ``confirmed`` if a person confirmed all of them."""
OPEN: tuple[ClaimsCell, ...] = (*UNFOUNDED, "not checked")
"""States of claims that still need work."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An issue to fix before sending the rebuttal; ``cell`` is the column that shows it, ``by`` the action that fixes
    it (filling slots, accepting generated text, linking an edit), "" if the text must change."""

    cell: Literal["answered", "linked", "checked", "length"]
    sentence: str
    grave: bool = False
    by: Literal["", "slots", "accept", "link"] = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One comment's row. ``allotted`` is None without a limit; lengths are in the limit's unit."""

    row: Row
    answered: Cell
    linked: Cell
    checked: ClaimsCell
    edits: tuple[Edit, ...]
    claims: tuple[Checked, ...]
    spent: int
    allotted: int | None
    flags: tuple[Flag, ...]

    @property
    def done(self) -> bool:
        return {self.answered, self.linked} <= {"good", "none"} and self.checked not in OPEN and not self.flags


@dataclass(frozen=True, slots=True)
class Matrix:
    """All rows in the order of the outline."""

    rows: tuple[MatrixRow, ...] = ()

    def of(self, comment_id: str) -> MatrixRow | None:
        return next((row for row in self.rows if row.row.comment.id == comment_id), None)

    @property
    def unanswered(self) -> tuple[MatrixRow, ...]:
        return tuple(row for row in self.rows if row.answered == "empty")

    @property
    def answers(self) -> tuple[MatrixRow, ...]:
        """The first row of each response: comments can share one."""
        first = {row.row.answer: row for row in reversed(self.rows)}
        return tuple(row for row in self.rows if first[row.row.answer] is row)

    @property
    def claims(self) -> tuple[Checked, ...]:
        return tuple(one for row in self.answers for one in row.claims)

    @property
    def unfounded(self) -> tuple[tuple[Row, Checked], ...]:
        """The claims that are contradicted or not found and that nobody confirmed, with the comments answered."""
        return tuple(
            (line.row, one)
            for line in self.rows
            for one in line.claims
            if one.verdict in UNFOUNDED and not one.confirmed
        )

    def count(self, column: Literal["answered", "linked"], cell: Cell) -> int:
        return sum(getattr(row, column) == cell for row in self.rows)


def claim_words(claims: Sequence[Checked]) -> str:
    """Returns the number of claims in each of the five states, and how many a person confirmed; "" if there are
    none."""
    confirmed = sum(one.confirmed for one in claims)
    own = f"{confirmed} of them confirmed by you" if confirmed else ""
    return " · ".join(filter(None, (counted_states(one.verdict for one in claims), own)))


def matrix(
    outline: Outline,
    edits: Mapping[str, Sequence[Edit]],
    checked: Mapping[str, Sequence[Checked]],
    limit: Limit,
    quoting: Quoting,
    *,
    revised: bool,
) -> Matrix:
    """Builds the matrix. ``edits``: linked edits by comment. ``checked``: the checked claims of each reply by comment;
    replies missing there haven't been checked yet. ``revised``: whether there is a revised version to check against."""
    shares = budgets(outline, limit, quoting)
    return Matrix(
        tuple(
            matrix_row(
                row,
                tuple(edits.get(row.comment.id, ())),
                checked.get(row.comment.id),
                shares.get(row.comment.id),
                limit.unit,
                revised=revised,
            )
            for row in outline.rows
        )
    )


def matrix_row(
    row: Row,
    edits: tuple[Edit, ...],
    checked: Sequence[Checked] | None,
    allotted: int | None,
    unit: Unit,
    *,
    revised: bool,
    before: MatrixRow | None = None,
) -> MatrixRow:
    """Builds one row. ``before`` is the previous row while the user types; its checked claims are kept until the next
    check."""
    point = row.point
    flags: list[Flag] = []
    leaving = said(point.text)
    slots = find_slots(leaving)
    if slots:
        names = ", ".join(dict.fromkeys("{" + slot.name + "}" for slot in slots))
        flags.append(Flag("answered", f"{len(slots)} open slot{'' if len(slots) == 1 else 's'}: {names}.", by="slots"))
    if point.generated:
        many = len(point.generated)
        words = f"{many} generated sentence{' hasn' if many == 1 else 's haven'}'t been accepted yet."
        flags.append(Flag("answered", words, by="accept"))
    if notes := len(notes_in(point.text)):
        words = "1 note to co-authors stays" if notes == 1 else f"{notes} notes to co-authors stay"
        flags.append(Flag("answered", f"{words} here when you send it."))
    linked = _linked(point, edits, flags, revised=revised)
    if before is None:
        state, claims = _checked(row, checked, flags, revised=revised)
    else:
        state, claims = before.checked, before.claims
        flags += [flag for flag in before.flags if flag.cell == "checked"]
    spent = reply_length(row, unit)
    if allotted is not None and spent > allotted:
        over = spent - allotted
        ways = "".join(
            f" Leave out “{shortened(words, 48)}” to save {gain:,}." for words, gain in savings(point.text, unit)
        )
        flags.append(Flag("length", f"{over:,} {unit_name(unit, over)} over its share of {allotted:,}.{ways}"))
    return MatrixRow(row, answered_cell(point), linked, state, edits, claims, spent, allotted, tuple(flags))


def _linked(point: Point, edits: tuple[Edit, ...], flags: list[Flag], *, revised: bool) -> Cell:
    action, written = point.action, bool(said(point.text).strip())
    if edits:
        return "good"
    if action == "task_done":
        missing = "no edit in the revised PDF is linked" if revised else "there is no revised PDF to show it"
        words = f"The response says “task done”, but {missing}."
        flags.append(Flag("linked", words, grave=True, by="link" if revised else ""))
        return "wrong"
    own = point.text
    for one in point.generated:  # a sentence that isn't accepted has a flag of its own
        own = own.replace(one.sentence, "")
    if revised and promises_change(own):
        words = "The response mentions or promises a change, but no edit is linked."
        flags.append(Flag("linked", words, by="link"))
        if action is None:
            return "attention"
    settled = action is not None and (
        STANCES[action] != "concur" or action in ("task_will_be_done", "future_work", "answer")
    )
    return "empty" if revised and not written and not settled else "none"


def _checked(
    row: Row, checked: Sequence[Checked] | None, flags: list[Flag], *, revised: bool
) -> tuple[ClaimsCell, tuple[Checked, ...]]:
    made = find_claims(row.point.text)
    if not made:
        return "none", ()
    if not revised:
        flags.append(Flag("checked", "It makes claims about the revised paper, but there is no revised PDF."))
    if checked is None or not revised:
        why = "It hasn't been checked yet." if revised else "There is no revised PDF."
        return "not checked", tuple(Checked(one, "not checked", why) for one in made)
    unaccepted = {one.sentence for one in row.point.generated}
    for one in checked:
        if one.confirmed or one.verdict in ("supported", "place found") or one.claim.sentence in unaccepted:
            continue  # a sentence that isn't accepted has a flag of its own
        flags.append(Flag("checked", one.said, grave=one.verdict in UNFOUNDED))
    return gravest(one.verdict for one in checked if not one.confirmed) or "confirmed", tuple(checked)
