"""Contents of the Rebuttal pane's lists: comments, lines of the response matrix, and notes on the current response
(tone, checked claims, open slots, markup). No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from desktop_app import present
from desktop_app.panes.rebuttal.choices import Grouping
from desktop_app.widgets.chips import Chip, chips_of
from engine.documents.records import Paragraph
from engine.documents.store import DocumentStore
from engine.exchange.rebuttals import Rebuttal, labels_of, leading
from engine.papers.records import PaperVersion
from engine.rebuttal.budget import Spent, spent
from engine.rebuttal.claims import Checked, find_claims
from engine.rebuttal.matrix import Flag, Matrix, MatrixRow, claim_words
from engine.rebuttal.points import UNNAMED, Cell, Outline, notes_in, said, threads
from engine.rebuttal.readiness import ClaimChecker, ToCheck, to_check
from engine.rebuttal.records import ACTION_TITLES, Point, Quoting
from engine.rebuttal.slots import answered_cell
from engine.reviews.labels.records import Layer
from engine.reviews.labels.taxonomy import layer
from engine.reviews.limits import Limit, Unit, count, unit_name
from engine.reviews.preview import preview
from engine.reviews.records import Asks, Comment, Span
from engine.reviews.tone import ToneRemark
from engine.reviews.wording import Wording
from engine.shown import counted
from engine.statements.verdicts import UNFOUNDED, Verdict

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.operations.opinions import Opinion
    from engine.revision.records import Edit

_SHOWN: tuple[Layer, ...] = ("aspect", "theme")


@dataclass(frozen=True, slots=True)
class Entry:
    """A comment in the left column. ``label`` is "" if it needs no response; ``edits`` is the number of linked edits;
    ``doubt``: why it might not be a request; ``answered``: the matrix cell."""

    comment: Comment
    label: str
    chips: tuple[Chip, ...]
    aspect: str
    themes: tuple[str, ...]
    edits: int
    answered: Cell
    doubt: Asks | None = None


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    entries: tuple[Entry, ...]


def entries(rebuttal: Rebuttal, doubtful: Mapping[str, Asks]) -> tuple[Entry, ...]:
    """Returns all comments in order, including those that need no response; ``doubtful`` ones might not be requests."""
    rows = {row.comment.id: row for row in rebuttal.outline.rows}
    found = []
    for comment in threads(rebuttal.comments):
        labels = labels_of(rebuttal, comment)
        chips: dict[tuple[str, str], Chip] = {}
        for one in labels:
            for chip in chips_of(one, _SHOWN):
                chips.setdefault((chip.layer, chip.label), chip)
        row = rows.get(comment.id)
        aspect, themes = leading(labels)
        found.append(
            Entry(
                comment, row.label if row else "", tuple(sorted(chips.values(), key=lambda c: _SHOWN.index(c.layer))),
                aspect, themes, len(rebuttal.edits.get(comment.id, ())), answered_cell(row.point) if row else "empty",
                doubtful.get(comment.id) if row else None,
            )
        )  # fmt: skip
    return tuple(found)


def grouped(shown: Sequence[Entry], by: Grouping) -> tuple[Group, ...]:
    """Groups comments by reviewer (in order of appearance), or by aspect or first theme (in the taxonomy's order,
    unlabelled comments last)."""
    if by == "reviewer":
        found: dict[str, list[Entry]] = {}
        for entry in shown:
            found.setdefault(entry.comment.reviewer or UNNAMED, []).append(entry)
        return tuple(Group(name, tuple(own)) for name, own in found.items())
    titles = [(option.id, option.title) for option in layer("aspect" if by == "root" else "theme").labels]
    groups = []
    for key, title in (*titles, ("", "Not labelled")):
        own = tuple(e for e in shown if (e.aspect if by == "root" else next(iter(e.themes), "")) == key)
        if own:
            groups.append(Group(title, own))
    return tuple(groups)


def key_of(point: Point) -> str:
    """Returns a point's key in the pane: its comment, or kind and reviewer."""
    return point.comment_id if point.kind == "reply" else f"{point.kind}:{point.reviewer}"


COLUMNS = ("Text", "Edit", "Claims")
_SPOKEN = {"empty": "missing", "good": "done", "attention": "needs a look", "wrong": "wrong", "none": "not needed"}
OUTCOMES = {"satisfied": "satisfied", "partly": "partly satisfied", "unmoved": "unmoved"}


@dataclass(frozen=True, slots=True)
class ReviewerLine:
    """A reviewer and how much of the limit is used. ``pages`` replaces the figures if the limit is in pages."""

    reviewer: str
    spent: Spent
    unit: Unit
    pages: str = ""

    @property
    def used(self) -> str:
        return self.pages or spent_words(self.spent, self.unit)


@dataclass(frozen=True, slots=True)
class EndLine:
    """The opening or closing of an answer, with its length."""

    point: Point
    length: int
    unit: Unit


Line = ReviewerLine | EndLine | MatrixRow


def lines_of(outline: Outline, matrix: Matrix, limit: Limit, quoting: Quoting) -> tuple[Line, ...]:
    """Returns for each reviewer the heading, the opening, a row per comment, and the closing."""
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
    """Returns the key of a line; for lines that can be selected, the key of the point."""
    if isinstance(line, ReviewerLine):
        return f"head:{line.reviewer}"
    return line.row.comment.id if isinstance(line, MatrixRow) else key_of(line.point)


def spoken(line: Line) -> str:
    if isinstance(line, ReviewerLine):
        return f"{line.reviewer}: {line.used}"
    if isinstance(line, EndLine):
        return f"{line.point.kind.capitalize()}, {line.length} {unit_name(line.unit, line.length)}"
    cells = zip(COLUMNS, (line.answered, line.linked, claim_words(line.claims) or line.checked), strict=True)
    states = ", ".join(f"{title} {_SPOKEN.get(cell, cell)}" for title, cell in cells)
    flags = " ".join(flag.sentence for flag in line.flags)
    return f"{line.row.label}, {action_words(line.row.point)}: {states}. {flags}".rstrip()


def tip(line: Line) -> str:
    if not isinstance(line, MatrixRow):
        return ""
    edits = ", ".join(edit.label for edit in line.edits)
    linked = [f"Linked edits: {edits}"] if edits else []
    claims = [f"Claims: {words}"] if (words := claim_words(line.claims)) else []
    return "\n".join((action_words(line.row.point), *linked, *claims, *(flag.sentence for flag in line.flags)))


def action_words(point: Point) -> str:
    if point.action is None:
        return "no action yet"
    stance = {"concur": ", concurs", "dispute": ", disputes"}.get(point.stance or "", "")
    outcome = f", reviewer {OUTCOMES[point.outcome]}" if point.outcome else ""
    return f"{ACTION_TITLES[point.action]}{stance}{outcome}"


def spent_words(used: Spent, unit: Unit) -> str:
    """Formats used length, such as “3,210 of 5,000 characters” or “8,672 characters in 2 posts”."""
    words, several = unit_name(unit, used.total), used.posts > 1
    if used.allowed is None:
        return f"{used.total:,} {words}"
    if used.beyond and (several or used.total <= used.allowed):  # one post may be too long by itself
        return f"{used.beyond:,} {unit_name(unit, used.beyond)} too many in {counted(used.posts, 'post')}"
    if several and used.each:
        return f"{used.total:,} {words} in {used.posts} posts"
    return f"{used.total:,} of {used.allowed:,} {words}" + (f" in {used.posts} posts" if several else "")


class ClaimChecks:
    """The results of claim checks for two versions of a paper. ``revised`` are the paragraphs of the revised version by
    id, once read."""

    def __init__(
        self,
        documents: DocumentStore | None = None,
        source: PaperVersion | None = None,
        target: PaperVersion | None = None,
    ) -> None:
        self.revised: Mapping[str, Paragraph] = {}
        self._results: dict[str, tuple[ToCheck, tuple[Checked, ...]]] = {}
        self.checker: ClaimChecker | None = None
        if documents is not None and target is not None:
            self.checker = ClaimChecker(documents, source.document_id if source else "", target.document_id)

    def of(self, outline: Outline) -> dict[str, tuple[Checked, ...]]:
        """Returns the results for responses that haven't changed since they were checked, by comment."""
        found = {}
        for one in to_check(outline):
            checked, results = self._results.get(one.comment_id, (None, ()))
            if checked == one:
                found[one.comment_id] = results
        return found

    def unchecked(self, outline: Outline) -> list[ToCheck]:
        """Returns the responses still to be checked; none without a revised version."""
        known = self.of(outline)
        wanted = [one for one in to_check(outline) if one.comment_id not in known and find_claims(one.text)]
        return wanted if self.checker is not None else []

    def check(self, replies: Sequence[ToCheck], edits: Sequence[Edit], service: DocumentService) -> None:
        """Checks responses and stores the results together with the checked text. Can be called on any thread."""
        results = present(self.checker).check(replies, edits, service)
        self._results |= {
            one.comment_id: (one, results[one.comment_id]) for one in replies if one.comment_id in results
        }


_FIXED_BY = {"": "", "slots": "next_slot", "accept": "accept", "link": "go"}
_ORDER = (*UNFOUNDED, "unsupported", "attention", "not checked", "place found", "supported")


@dataclass(frozen=True, slots=True)
class Note:
    """A note, classified by the claim's state or else by ``meaning``. ``span`` is its place in the text, ``of`` the
    underlying record; ``command`` is the pane's command that fixes it. An *opinion* is a language model's judgement of
    the claim before it."""

    kind: Literal["tone", "identity", "claim", "opinion", "flag", "markup"]
    meaning: Literal["unsupported", "attention"]
    words: str
    span: Span | None = None
    of: ToneRemark | Checked | None = None
    command: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether it is a claim that the user may have to look up."""
        return (
            self.kind == "claim"
            and isinstance(self.of, Checked)
            and self.of.verdict != "supported"
            and not self.of.confirmed
        )

    @property
    def spoken(self) -> str:
        return f"{self.verdict.capitalize()}. {self.words}" if self.verdict is not None else self.words

    @property
    def verdict(self) -> Verdict | None:
        return self.of.verdict if self.kind == "claim" and isinstance(self.of, Checked) else None

    @property
    def rank(self) -> int:
        """Sort key: the most serious notes come first."""
        return _ORDER.index(self.of.verdict if isinstance(self.of, Checked) else self.meaning)


def notes_of(
    text: str,
    wording: Wording,
    checked: Sequence[Checked],
    flags: Sequence[Flag],
    opinion: Callable[[str], Opinion | None] = lambda _sentence: None,
) -> tuple[Note, ...]:
    """Returns the notes on a response, most serious first; ``opinion`` returns a model's judgement of a sentence."""
    found = [
        Note("flag", "unsupported" if flag.grave else "attention", flag.sentence, command=_FIXED_BY[flag.by])
        for flag in flags
        if flag.cell != "checked"
    ]
    judged = set[str]()
    for one in checked:
        done = one.confirmed or one.verdict == "supported"
        words = f"{'Confirmed by you. ' if one.confirmed else ''}{one.said}"
        found.append(Note("claim", "attention", words, one.claim.span, one, "" if done else "confirm"))
        if (said := opinion(one.claim.sentence)) and said.sentence not in judged:
            judged.add(said.sentence)
            words = f"Judgement by {said.model}: {said.words}"
            found.append(Note("opinion", "attention", words, one.claim.span, one))
    for remark in wording.tone:
        better = " or ".join(f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2])
        words = f"“{remark.words.rstrip(',')}” → {better} · {remark.kind}: {remark.why}"
        found.append(Note("tone", "attention", words, remark.span, remark, "tone"))
    found += [Note("identity", "attention", f"“{one.words}”: {one.why}", one.span) for one in wording.identity]
    if not text.strip():  # no markup to check; avoids loading the Markdown parser
        return tuple(sorted(found, key=lambda note: note.rank))
    blanked = text  # notes to co-authors are replaced by spaces so that offsets stay valid
    for span in notes_in(text):
        blanked = f"{blanked[: span.start]}{' ' * (span.end - span.start)}{blanked[span.end :]}"
    found += [Note("markup", "attention", one.sentence, one.span) for one in preview(blanked).troubles]
    return tuple(sorted(found, key=lambda note: note.rank))
