"""State of the Rebuttal pane: paper, outline, matrix, current point, and operations on them. No Qt."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from desktop_app import present
from desktop_app.panes.rebuttal.choices import OUTCOMES, Grouping
from desktop_app.panes.rebuttal.lists import (
    ClaimChecks,
    Entry,
    Group,
    Line,
    ReviewerLine,
    entries,
    grouped,
    key_of,
    lines_of,
)
from engine.exchange.rebuttals import Rebuttal, Rebuttals, labels_of, limit_of
from engine.project import Project
from engine.rebuttal.budget import Spent, budgets, reviewer_limit
from engine.rebuttal.matrix import Matrix, MatrixRow, claim_words, matrix, matrix_row
from engine.rebuttal.points import Outline, Row, Section, outline, with_labels
from engine.rebuttal.records import ACTION_TITLES, Point
from engine.rebuttal.store import RebuttalStore
from engine.reviews.labels.records import Layer, SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.limits import page_count, unit_name
from engine.reviews.records import Asks, Span
from engine.reviews.sentences import sentences_around
from engine.reviews.spans import sentence
from engine.revision.records import Edit, Suggestion
from engine.shown import counted
from engine.text_search import holds

_FINE = 1000
"""Resolution of the budget bar, in parts of a page."""


class RebuttalState:
    """Reads the rebuttal of a paper and edits the current point: a response, or the opening or closing of an answer.

    Attributes:
        rebuttal: the stored rebuttal.
        made, matrix: outline and matrix including text being typed.
        current: the key of the current point.
        laid_out: the outline last laid out on pages, the number of pages, and its length.
    """

    def __init__(self, grouping: Grouping = "reviewer") -> None:
        self.grouping, self.filter = grouping, ""
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.reader = Rebuttals(project) if project is not None else None
        if self.reader is not None:
            self.reader.revisions.on_screen = lambda comment: bool(self.offered(comment))
        self.claims = ClaimChecks()
        self.laid_out: tuple[Outline, float, int] | None = None
        self._clear()

    def _clear(self) -> None:
        self.rebuttal, self.made, self.matrix, self.current = Rebuttal(), Outline(), Matrix(), ""
        self.entries: tuple[Entry, ...] = ()
        self._places: dict[str, tuple[Section, Point]] = {}
        self._offered: dict[str, tuple[Suggestion, ...]] = {}
        self.doubtful: Mapping[str, Asks] = {}
        self.lines: tuple[Line, ...] = ()

    def is_empty(self, paper_id: str) -> bool:
        """Whether the paper has no comments; if so, clears the state."""
        reader = self.reader
        if reader is not None:
            # Reviews imported before there was a paper belong to the only paper.
            of = paper_id if len(reader.papers.papers()) > 1 else None
            if reader.reviews.has_comments(of):
                return False
        self._clear()
        return True

    def read(self, paper_id: str) -> bool:
        """Reads everything; returns whether the versions changed or the revised text hasn't been read yet."""
        assert self.reader is not None
        before, self.rebuttal = self.rebuttal, self.reader.read(paper_id or None)
        self._offered.clear()
        now = self.rebuttal
        fresh = (before.source, before.target) != (now.source, now.target) or not self.claims.revised
        if fresh:
            self.claims = ClaimChecks(self.reader.documents, now.source, now.target)
        if before.paper_id != now.paper_id:
            self.current, self.laid_out = "", None
        self._derive()
        return fresh

    def read_points(self) -> None:
        now, plan = self.rebuttal, self.store.plan(self.rebuttal.paper_id)
        replies = self.store.replies(one.id for one in now.comments)
        made = outline(now.comments, replies, self.store.words(now.paper_id))
        self.rebuttal = replace(now, outline=with_labels(made, dict(plan.sent)), plan=plan, limit=limit_of(plan))
        self._derive()

    def _derive(self) -> None:
        before, self.entries = self.entries, entries(self.rebuttal, self.doubtful)
        self._places = {key_of(point): (section, point) for section, point in self.points()}
        self.update_matrix()
        known = {*self._places, *(entry.comment.id for entry in self.entries)}
        if self.current not in known:
            keys = [entry.comment.id for entry in before]
            near = keys[: keys.index(self.current)][::-1] if self.current in keys else []  # those above, nearest first
            near += [line.row.comment.id for line in self.matrix.unanswered]
            near += [entry.comment.id for entry in self.entries]
            self.current = next((key for key in near if key in known), "")

    def show_doubtful(self, found: Mapping[str, Asks]) -> None:
        self.doubtful = found
        self.entries = entries(self.rebuttal, found)

    def update_matrix(self) -> None:
        """Rebuilds the matrix from the stored outline and the current checks."""
        now = self.rebuttal
        self.matrix = matrix(
            now.outline, now.edits, self.claims.of(now.outline), now.limit, now.plan.quoting,
            revised=now.target is not None,
        )  # fmt: skip
        self._show_outline(now.outline)

    def type_text(self, text: str) -> bool:
        """Updates outline and matrix with text being typed. Returns False if it equals the stored text."""
        found, now = self.found, self.rebuttal
        if found is None or text == found[1].text:
            return False
        section, point = found[0], replace(found[1], text=text)
        changed = _with_point(section, point)
        made = replace(now.outline, sections=tuple(changed if one is section else one for one in now.outline))
        shares = budgets(made, now.limit, now.plan.quoting)
        self.matrix = Matrix(
            tuple(
                matrix_row(
                    replace(line.row, point=point), line.edits, None, shares.get(point.comment_id), now.limit.unit,
                    revised=now.target is not None, before=line,
                )
                if line.row.comment.id == point.comment_id
                else line
                for line in self.matrix.rows
            )
        )  # fmt: skip
        self._show_outline(made)
        return True

    def _show_outline(self, made: Outline) -> None:
        self.made = made
        self.lines = lines_of(made, self.matrix, self.rebuttal.limit, self.rebuttal.plan.quoting)

    @property
    def found(self) -> tuple[Section, Point] | None:
        if place := self._places.get(self.current):
            return place
        entry = self.entry
        if entry is None:
            return None
        # Comments that need no response aren't in any section until they get one.
        reviewer = entry.comment.reviewer
        section = next((s for s in self.rebuttal.outline if s.reviewer == reviewer), bare(reviewer))
        return section, Point("reply", entry.comment.id)

    @property
    def point(self) -> Point:
        found = present(self.found)
        return found[1]

    @property
    def row(self) -> Row | None:
        """The outline's row of the current comment; None for openings, closings and comments that need no response."""
        return self.rebuttal.outline.row(self.current)

    @property
    def line(self) -> MatrixRow | None:
        return self.matrix.of(self.current)

    @property
    def entry(self) -> Entry | None:
        return next((entry for entry in self.entries if entry.comment.id == self.current), None)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.rebuttal.edits.get(self.current, ())

    def offered(self, comment_id: str) -> tuple[Suggestion, ...]:
        if comment_id not in self._offered:
            self._offered[comment_id] = present(self.reader).suggestions(self.rebuttal, comment_id)
        return self._offered[comment_id]

    @property
    def suggested(self) -> tuple[Edit, ...]:
        """The edits suggested for the current comment, best first; if one is linked already, only likely ones."""
        if not self.current:
            return ()
        offered, linked = self.offered(self.current), {edit.id for edit in self.edits}
        found = [one for one in offered if one.edit_id not in linked and (one.linked or not linked)]
        edits = {edit.id: edit for edit in self.rebuttal.all_edits}
        return tuple(edits[one.edit_id] for one in found if one.edit_id in edits)

    def can_link(self) -> bool:
        return self.can_write() and bool(self.suggested)

    def link_suggested(self) -> None:
        first = self.suggested[0].id
        wanted = next(one for one in self.offered(self.current) if one.edit_id == first)
        present(self.reader).revisions.accept_suggestion(wanted, overrule=True)

    def points(self) -> tuple[tuple[Section, Point], ...]:
        """Returns all points with their sections, in the order of the matrix."""
        return tuple((section, point) for section in self.rebuttal.outline for point in section.points)

    def groups(self) -> tuple[Group, ...]:
        shown = [e for e in self.entries if holds(f"{e.label} {e.comment.comment}", self.filter)]
        return grouped(shown, self.grouping)

    def next_comment(self, *, unanswered: bool) -> str:
        """Returns the key of the next comment without a response, or with issues, wrapping around; "" for none."""
        lines = self.matrix.rows
        keys = [line.row.comment.id for line in lines]
        start = keys.index(self.current) + 1 if self.current in keys else 0
        wanted = (
            line.answered == "empty" if unanswered else not line.done for line in (*lines[start:], *lines[:start])
        )
        order = zip((*keys[start:], *keys[:start]), wanted, strict=True)
        return next((key for key, open_ in order if open_ and key != self.current), "")

    def has_comments(self) -> bool:
        return bool(self.rebuttal.comments)

    def can_write(self) -> bool:
        return self.has_comments() and self.project is not None and not self.project.read_only

    def has_point(self) -> bool:
        return self.can_write() and self.found is not None

    def has_response(self) -> bool:
        return self.has_point() and self.row is not None

    def has_action(self) -> bool:
        return self.has_point() and self.point.action is not None

    @property
    def store(self) -> RebuttalStore:
        return present(self.reader).store

    def on_point(self, verb: Callable[..., object], *args: object, **named: object) -> None:
        verb(self.rebuttal.paper_id, self.point, *args, **named)

    def write(self, place: tuple[str | None, Point], text: str, coalesce: str) -> None:
        """Writes the response at a point of a paper, which needn't be the current one."""
        self.store.write(*place, text, coalesce=coalesce)

    def set_budget(self, number: int) -> None:
        """Sets the allowed length of the current response; 0 means its share of the limit."""
        if (number or None) != self.point.budget:
            self.store.set_budgets(self.rebuttal.paper_id, [(self.point, number or None)])

    def spread_budget(self, evenly: bool) -> None:
        """Divides the limit: evenly by comment length, or with written responses keeping what they use."""
        wanted = [(line.row.point, None if evenly else line.spent or None) for line in self.matrix.rows]
        self.store.set_budgets(self.rebuttal.paper_id, wanted)

    def change_plan(self, **values: Any) -> None:
        plan = replace(self.rebuttal.plan, **values)
        if plan != self.rebuttal.plan:
            self.store.set_plan(self.rebuttal.paper_id, plan)

    def action_title(self) -> str:
        action = self.point.action if self.found is not None else None
        return ACTION_TITLES[action] if action else "Choose an action"

    def outcome_title(self) -> str:
        outcome = self.point.outcome if self.found is not None else ""
        return dict(OUTCOMES)[outcome] if outcome else "Outcome"

    def others(self) -> tuple[Row, ...]:
        """Returns the other comments with a response, one for each shared response."""
        found: dict[tuple[str, str], Row] = {}
        for row in self.rebuttal.outline.rows:
            if row.point.text.strip() and row.comment.id != self.current:
                found.setdefault(row.answer, row)
        return tuple(found.values())

    def can_share(self) -> bool:
        """Whether the current comment can share another's response, i.e. has no text that would be lost."""
        return self.has_response() and not self.point.text.strip() and bool(self.others())

    def share(self, comment_id: str) -> None:
        """Shares another comment's response with the current comment; they stay in sync."""
        other = present(self.rebuttal.outline.row(comment_id))
        self.on_point(self.store.share, other.point)

    def sharing(self) -> tuple[Row, ...]:
        """Returns the other comments that share the current response; after merging, only those with the same text."""
        own = self.entry.comment.same_response if self.entry is not None else ""
        rows = [row for row in self.rebuttal.outline.rows if own and row.comment.same_response == own]
        return tuple(r for r in rows if r.comment.id != self.current and r.point.text == self.point.text)

    def part(self) -> None:
        """Stops sharing the current comment's response; its text is kept."""
        present(self.reader).reviews.part_response(self.current)

    def add_follow_up(self, comment_id: str, text: str) -> str:
        """Adds a reviewer's follow-up as a comment below the one it refers to; returns its key."""
        return present(self.reader).reviews.add_follow_up(comment_id, text).comments[0].id

    def needed_title(self) -> str:
        entry = self.entry
        return "Needs no response" if entry is not None and entry.comment.actionable else "Needs a response"

    def toggle_needed(self) -> None:
        comment = present(self.entry).comment
        present(self.reader).reviews.set_actionable([comment.id], not comment.actionable)


class CommentSentences:
    """The sentences of the current comment, of which number ``at`` is current."""

    def __init__(self, state: RebuttalState) -> None:
        self._state = state
        self.at = 0

    @property
    def text(self) -> str:
        entry = self._state.entry
        return next((t.text for t in self._state.rebuttal.texts if entry and t.id == entry.comment.source_id), "")

    def all(self) -> tuple[SentenceLabels, ...]:
        """Returns the sentences with their labels, in order, including unlabelled ones."""
        entry, rebuttal, text = self._state.entry, self._state.rebuttal, self.text
        if entry is None or not entry.comment.spans or not text:
            return ()
        source, spans = entry.comment.source_id, entry.comment.spans
        known = {one.span: one for one in labels_of(rebuttal, entry.comment)}
        decided = tuple(one.span for one in rebuttal.labels.get(source, ()) if len(one.offered) < len(one.origins))
        return tuple(
            known.get(span) or SentenceLabels(source, span)
            for span in _sentences(text, decided)
            if any(span.start < own.end and own.start < span.end for own in spans)
        )

    @property
    def current(self) -> SentenceLabels:
        found = self.all()
        return found[min(self.at, len(found) - 1)]

    def step(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), max(0, len(self.all()) - 1))

    def can_label(self) -> bool:
        return self._state.can_write() and bool(self.all())

    def has_suggestion(self) -> bool:
        return self.can_label() and bool(self.current.offered)

    def words(self) -> str:
        return sentence(self.text, self.current.span)

    @property
    def _store(self) -> LabelStore:
        return present(self._state.reader).labels

    def accept(self) -> None:
        self._store.accept(self.current.source_id, self.current.span)

    def reject(self) -> None:
        self._store.reject(self.current.source_id, self.current.span)

    def set_label(self, name: Layer, labels: Sequence[str]) -> None:
        shown = name in self.current.offered
        self._store.set_label(self.current.source_id, self.current.span, name, labels, on_screen=shown)


@lru_cache(maxsize=64)
def _sentences(text: str, kept: tuple[Span, ...]) -> tuple[Span, ...]:
    return sentences_around(text, kept)


def total_length(state: RebuttalState) -> int:
    """Returns the length of the whole rebuttal as sent."""
    return sum(line.spent.total for line in state.lines if isinstance(line, ReviewerLine))


def progress_words(state: RebuttalState) -> tuple[str, str, str]:
    """Returns texts about the comments answered, the length, and the claims in each state."""
    done, all_ = state.matrix.count("answered", "good"), len(state.matrix.rows)
    begun = state.matrix.count("answered", "attention")
    if not all_:
        return "", "", ""
    wrong = sum(any(flag.grave for flag in line.flags) for line in state.matrix.rows)
    limit, length = state.rebuttal.limit, total_length(state)
    of = f" of {limit.total:,}" if limit.total else ""
    fix = f" · {counted(wrong, 'comment')} to fix" if wrong else ""
    words = f"{done:,} of {all_:,} answered" if done < all_ else f"All {all_:,} answered"
    words += f" · {begun:,} started" if begun else ""
    claims = claim_words(state.matrix.claims)
    spent = f"{length:,}{of} {unit_name(limit.unit, length)} in total{fix}"
    return words, spent, f"Claims: {claims}" if claims else "No claims about the paper"


def filled_pages(state: RebuttalState) -> float | None:
    """Returns how many pages the rebuttal fills (an estimate while typing); None before the first layout."""
    if state.laid_out is None or state.rebuttal.limit.pages is None:
        return None
    of, pages, length = state.laid_out
    return pages if of == state.made else pages * total_length(state) / max(1, length)


def budget_line(state: RebuttalState) -> ReviewerLine | None:
    """Returns the current reviewer's use of the limit, or the whole rebuttal's if only that is limited."""
    limit, heads = state.rebuttal.limit, [line for line in state.lines if isinstance(line, ReviewerLine)]
    if limit.total is None or reviewer_limit(limit) is not None:
        found = state.found
        own = [head for head in heads if found is not None and head.reviewer == found[0].reviewer]
        return next(iter((*own, *heads)), None)
    if not state.matrix.rows:
        return None
    pages, whole, words = filled_pages(state), Spent(total_length(state), limit.total, 1), ""
    if pages is not None and limit.pages is not None and state.laid_out is not None:
        whole = replace(whole, total=round(_FINE * pages), allowed=_FINE * limit.pages)
        about = "" if state.laid_out[0] == state.made else "about "
        words = f"{about}{page_count(pages)} of {limit.pages} page{'' if limit.pages == 1 else 's'}"
    return ReviewerLine("Whole rebuttal", whole, limit.unit, words)


def bare(reviewer: str) -> Section:
    return Section(reviewer, Point("opening", reviewer=reviewer), (), Point("closing", reviewer=reviewer))


def _with_point(section: Section, point: Point) -> Section:
    if point.kind == "opening":
        return replace(section, opening=point)
    if point.kind == "closing":
        return replace(section, closing=point)
    rows = tuple(replace(r, point=point) if r.comment.id == point.comment_id else r for r in section.rows)
    return replace(section, rows=rows)
