"""Rows of the lists of comments and edits, their filters, the current rows, and navigation. No Qt."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from desktop_app.panes.linking.study import Study, reviewer_name
from desktop_app.panes.linking.terms import SHORT_STATES
from desktop_app.widgets.edit_words import WORDS, changes_of
from engine.reviews.records import DOUBTS, Asks, Comment
from engine.reviews.spans import unmarked
from engine.revision.coverage import LIKELY
from engine.revision.differences import cell_changes
from engine.revision.records import GROUP_TITLES, GROUPS, CommentState, Edit, Link, Suggestion
from engine.shown import estimated
from engine.text_search import holds

Run = tuple[Literal["equal", "delete", "insert"], str]
RowKey = tuple[str, bool]
"""An edit's id, and whether its row is one of the suggestions (or lost links) above the list of all edits."""
NO_EDIT: RowKey = ("", False)
DISMISSED = "dismissed"
"""Filter value instead of a kind: the dismissed edits."""
_SNIPPET = 150
_LEAD = 36


@dataclass(frozen=True, slots=True)
class CommentFilter:
    """Filters comments by reviewer and state ("unlinked": no link; "maybe": might not be a request; "criticism": only
    criticises); empty for all."""

    reviewer: str = ""
    state: str = ""

    def passes(self, comment: Comment, study: Study) -> bool:
        if self.reviewer and reviewer_name(comment) != self.reviewer:
            return False
        if self.state == "unlinked":
            return comment.id not in study.linked_edits
        if self.state in DOUBTS:
            return study.doubt(comment.id) == self.state
        return not self.state or study.state(comment.id) == self.state


@dataclass(frozen=True, slots=True)
class EditFilter:
    """Filters edits by group, kind ("moved" includes moved with changes), section, missing link, and text; empty for
    all."""

    group: str = "text"
    kind: str = ""
    section: str = ""
    unlinked: bool = False
    text: str = ""

    def passes(self, edit: Edit, study: Study) -> bool:
        if self.group and edit.group != self.group:
            return False
        if self.kind and edit.kind != self.kind and not (self.kind == "moved" and edit.moved):
            return False
        if (self.section and edit.section != self.section) or (self.unlinked and edit.id in study.answered_comments):
            return False
        said = f"{edit.label}\n{edit.section}\n{edit.source_text}\n{edit.target_text}"
        return holds(said, self.text)


def group_entries(edits: Sequence[Edit]) -> list[tuple[str, str]]:
    """Returns the groups that have edits as entries of a choice, (text with count, group); "" for all."""
    found = Counter(edit.group for edit in edits)
    shown = (name for name in GROUPS if found[name] or name == "text")
    entries = ((f"{GROUP_TITLES[name]} · {found[name]:,}", str(name)) for name in shown)
    return [*entries, (f"All groups · {len(edits):,}", "")]


@dataclass(frozen=True, slots=True)
class CommentRow:
    comment: Comment
    label: str
    """Reviewer and number, such as "R2 · 3 of 12"."""
    state: CommentState
    links: int
    doubt: Asks | None = None

    @property
    def id(self) -> str:
        return self.comment.id

    @property
    def spoken(self) -> str:
        doubt = f", {DOUBTS[self.doubt]}" if self.doubt else ""
        return f"{self.label}, {SHORT_STATES[self.state]}{doubt}. {unmarked(self.comment.comment)}"


def state_chip(state: CommentState, links: int, doubt: Asks | None = None) -> str:
    """Returns the text of a comment's state, with the number of links: "Linked · 2", "Answered", "Doubtful"."""
    if doubt:
        return "Criticism" if doubt == "criticism" else "Doubtful"
    return f"{SHORT_STATES[state]} · {links}" if links else SHORT_STATES[state]


def comment_row(study: Study, comment: Comment) -> CommentRow:
    number, total = study.numbers.get(comment.id, (0, 0))
    label = f"{reviewer_name(comment)} · {number} of {total}"
    links = len(study.linked_edits.get(comment.id, ()))
    return CommentRow(comment, label, study.state(comment.id), links, study.doubt(comment.id))


def comment_rows(study: Study, chosen: CommentFilter, kept: str = "") -> tuple[CommentRow, ...]:
    """Returns the rows of the comments that match a filter, plus the comment ``kept``."""
    return tuple(comment_row(study, c) for c in study.comments if c.id == kept or chosen.passes(c, study))


CALIBRATED = ("model:fused@4", "model:fused@5", "model:fused@6", "model:fused@7")
"""Prefixes of the origins of suggestions whose scores are probabilities."""


def likelihood_of(suggestion: Suggestion) -> str:
    if suggestion.linked:
        return "likely"
    sure = suggestion.origin.startswith(CALIBRATED)
    return "unlikely" if sure and suggestion.score < LIKELY else "possible"


def number_of(suggestion: Suggestion) -> str:
    """The number behind the likelihood: the probability of a calibrated strategy, or another one's score."""
    sure = suggestion.origin.startswith(CALIBRATED)
    return f"probability {estimated(suggestion.score)}" if sure else f"score {suggestion.score:.2f}"


@dataclass(frozen=True, slots=True)
class EditRow:
    """A heading, or an edit with the suggestion that lists it, if any."""

    heading: str = ""
    edit: Edit | None = None
    suggestion: Suggestion | None = None
    linked_here: bool = False
    answers: int = 0
    lost: Link | None = None
    """The link to an edit that the newest comparison no longer finds."""
    doubts: tuple[str, ...] = ()
    """Why the edit might not be a real one, if it is on pages whose text may be wrong."""

    @property
    def key(self) -> RowKey:
        """Identifies the row when the list is read again."""
        return (self.edit.id if self.edit else self.heading), self.suggestion is not None or self.lost is not None

    @property
    def why(self) -> str:
        return "; ".join(self.suggestion.reasons) if self.suggestion else ""

    @property
    def likelihood(self) -> str:
        return likelihood_of(self.suggestion) if self.suggestion else ""

    @property
    def number(self) -> str:
        return number_of(self.suggestion) if self.suggestion else ""

    @property
    def tip(self) -> str:
        sure = f"{self.likelihood.capitalize()} ({self.number})" if self.suggestion else ""
        return "\n".join(filter(None, (*self.doubts, sure, self.why)))

    @property
    def runs(self) -> tuple[Run, ...]:
        """The change as runs of words; in a table, cell by cell."""
        if self.edit is None:
            return ()
        if self.edit.passage:
            return (("equal", self.edit.target_text[:_SNIPPET]),)
        cells = cell_changes(self.edit)
        if not cells:
            return snippet(self.edit.source_text, self.edit.target_text)
        pieces: list[Run] = []
        for cell in cells:
            pieces += [
                ("equal", f"{cell.place}: "),
                ("delete", f"{cell.old or '–'} "),
                ("insert", f"{cell.new or '–'} "),
            ]
        return tuple(pieces)

    @property
    def spoken(self) -> str:
        if self.edit is None:
            return self.heading
        parts = [self.edit.label, WORDS[self.edit.sort], self.edit.section, *self.doubts]
        if self.suggestion is not None:
            parts += [f"suggested as {self.likelihood}, {self.number}", self.why]
        if self.lost is not None:
            parts.append("linked to this comment, but no longer found by the comparison")
        elif self.linked_here:
            parts.append("linked to this comment")
        parts.append("".join(text for _, text in self.runs))
        return ", ".join(part for part in parts if part)


def edit_rows(study: Study, comment_id: str, chosen: EditFilter, heading: str = "All edits") -> tuple[EditRow, ...]:
    """Returns a comment's lost links, suggestions and linked passages, then the edits that match, under ``heading``."""
    linked = study.linked_edits.get(comment_id, frozenset())
    passing = {edit.id for edit in study.edits if chosen.passes(edit, study)}

    def row(edit: Edit, suggestion: Suggestion | None = None) -> EditRow:
        answers = len(study.answered_comments.get(edit.id, ()))
        return EditRow("", edit, suggestion, edit.id in linked, answers, doubts=study.doubts.get(edit.id, ()))

    def of(shown: Sequence[object], total: int) -> str:
        return f"{len(shown):,} of {total:,}" if chosen != EditFilter() or len(shown) < total else f"{total:,}"

    suggested = [s for s in study.open_suggestions(comment_id) if s.edit_id in study.edit_by_id]
    any_group = replace(chosen, group="")
    offered = [row(edit, s) for s in suggested if any_group.passes(edit := study.edit_by_id[s.edit_id], study)]
    others = [row(edit) for edit in study.edits if edit.id in passing]
    lost = [EditRow("", edit, None, True, 1, link) for link, edit in study.lost if link.comment_id == comment_id]
    passages = [row(edit) for edit in study.passages if edit.id in linked]
    if chosen.kind == DISMISSED:
        any_kind = replace(any_group, kind="")
        others = [row(edit) for edit in study.dismissed if any_kind.passes(edit, study)]
        heading = "Dismissed"
    total = len(study.dismissed if chosen.kind == DISMISSED else study.edits)
    rows: list[EditRow] = []
    if lost:
        rows += [EditRow(f"! Needs attention · {len(lost)} no longer found"), *lost]
    if suggested:
        rows += [EditRow(f"Suggested · {of(offered, len(suggested))}"), *offered]
    if passages:
        rows += [EditRow(f"Passages · {len(passages)}"), *passages]
    if study.edits or study.dismissed:
        rows += [EditRow(f"{heading} · {of(others, total)}"), *others]
    return tuple(rows)


_ADJOINING = {("insert", "equal"), ("delete", "equal"), ("equal", "insert")}


@lru_cache(maxsize=2048)
def snippet(source_text: str, target_text: str) -> tuple[Run, ...]:
    """Returns the first change of an edit with a few words before it and the text after it, to fill two lines."""
    runs: list[Run] = []
    left, end = _SNIPPET, " "
    for change in changes_of(source_text, target_text):
        text = " ".join(change.text.split())
        if not text:
            end = " "
            continue
        if change.operation == "equal" and not runs and len(text) > _LEAD:
            text = "…" + text[-_LEAD:].partition(" ")[2]
        pair = (runs[-1][0] if runs else "", change.operation)
        if pair in _ADJOINING and not (end + change.text[0]).count(" "):  # no space before a full stop
            runs[-1] = (runs[-1][0], runs[-1][1].rstrip())
        end = change.text[-1]
        runs.append((change.operation, text[:left] + " "))
        left -= len(text) + 1
        if left <= 0:
            break
    return tuple(runs)


class Selection:
    """The current comment and edit of a study. Showing a study again keeps the current comment listed."""

    def __init__(self) -> None:
        self.study = Study()
        self.comment_id = ""
        self.edit_key: RowKey = NO_EDIT
        self.comment_filter, self.edit_filter = CommentFilter(), EditFilter()
        self.comment_rows: tuple[CommentRow, ...] = ()
        self.edit_rows: tuple[EditRow, ...] = ()
        self._kept = ""

    @property
    def edit_id(self) -> str:
        """The current edit; empty if there is none."""
        return self.edit_key[0]

    @property
    def comment_at(self) -> int:
        """The row of the current comment; -1 if it has none."""
        return next((at for at, row in enumerate(self.comment_rows) if row.id == self.comment_id), -1)

    @property
    def edit_at(self) -> int:
        """The row of the current edit; -1 if it has none."""
        return self._row(lambda row: row.key == self.edit_key)

    def show(self, study: Study) -> None:
        """Shows another state of the study, keeping the current comment and edit if they still exist."""
        self.study, self._kept = study, self.comment_id
        if self.comment_filter.reviewer not in map(reviewer_name, study.comments):
            self.comment_filter = replace(self.comment_filter, reviewer="")
        if self.edit_filter.section not in {edit.section for edit in study.edits}:
            self.edit_filter = replace(self.edit_filter, section="")
        self.comment_rows = comment_rows(study, self.comment_filter, self._kept)
        if self.comment_id in study.comment_by_id:
            self._list_edits()
            if not self.edit_id and study.open_suggestions(self.comment_id):
                self._first_edit()  # suggestions arrived while the comment was shown
        else:
            self._take_comment(self.comment_rows[0].id if self.comment_rows else "")

    def choose_comment(self, comment_id: str) -> None:
        """Makes a comment current; filters that hide it are cleared."""
        if comment_id not in self.study.comment_by_id:
            return
        if not any(row.id == comment_id for row in self.comment_rows):
            self.comment_filter = CommentFilter()
            self.comment_rows = comment_rows(self.study, self.comment_filter)
        if comment_id != self.comment_id:
            self._take_comment(comment_id)

    def leave_comment(self) -> None:
        """Goes to the next comment of the list or, from the last one, to the previous one."""
        at = self.comment_at
        if len(self.comment_rows) > 1 and at >= 0:
            self._take_comment(self.comment_rows[at + 1 if at + 1 < len(self.comment_rows) else at - 1].id)

    def choose_edit(self, edit_id: str) -> None:
        """Makes an edit current, keeping the current row if it is one of its rows; filters that hide it are cleared."""
        if edit_id == self.edit_id and self.edit_at >= 0:
            return
        if self._row(lambda row: row.key[0] == edit_id) < 0 and edit_id in self.study.edit_by_id:
            self.edit_filter = EditFilter(group=self.study.edit_by_id[edit_id].group)
            if self.study.edit_by_id[edit_id].passage:  # passages are listed only with the comments they are linked to
                self.choose_comment(next(iter(self.study.answered_comments.get(edit_id, ())), ""))
            self._list_edits()
        elif any(edit.id == edit_id for edit in self.study.dismissed):
            self.edit_filter = EditFilter(kind=DISMISSED)
            self._list_edits()
        at = self._row(lambda row: row.edit is not None and row.edit.id == edit_id)
        self.edit_key = self.edit_rows[at].key if at >= 0 else NO_EDIT

    def choose_row(self, key: RowKey) -> None:
        self.edit_key = key

    def filter_comments(self, chosen: CommentFilter) -> None:
        """Shows only comments that match; the first one becomes current if the current one doesn't match."""
        self.comment_filter, self._kept = chosen, ""
        self.comment_rows = comment_rows(self.study, chosen)
        if self.comment_at < 0 and self.comment_rows:
            self._take_comment(self.comment_rows[0].id)

    def filter_edits(self, chosen: EditFilter) -> None:
        """Shows only edits and suggestions that match; the best one becomes current if the current one is hidden."""
        self.edit_filter = chosen
        self._list_edits()
        if not self.edit_id:
            self._first_edit()

    def step_comment(self, by: int) -> None:
        if self.comment_rows:
            at = self.comment_at
            self.choose_comment(
                self.comment_rows[min(max(at + by, 0), len(self.comment_rows) - 1) if at >= 0 else 0].id
            )

    def step_edit(self, by: int) -> None:
        rows, at = self.edit_rows, self.edit_at
        found = at + by
        while 0 <= found < len(rows) and rows[found].edit is None:
            found += by
        if 0 <= found < len(rows):
            self.edit_key = rows[found].key
        elif at < 0:
            self.edit_key = next((row.key for row in rows if row.edit), NO_EDIT)

    def next_undecided(self) -> bool:
        """Goes to the next comment without a decision, wrapping around. Returns False if there is no other."""
        comments = self.study.comments
        start = next((n for n, c in enumerate(comments) if c.id == self.comment_id), -1)
        for comment in (*comments[start + 1 :], *comments[: start + 1]):
            if self.study.state(comment.id) == "undecided" and comment.id != self.comment_id:
                self.choose_comment(comment.id)
                return True
        return False

    def next_suggestion(self, rank: int) -> None:
        """Goes to the next open suggestion after a rank, or else to the first; stays if there is none."""
        listed = [s for s in self.study.open_suggestions(self.comment_id) if s.decision is None]
        found = next((s for s in listed if s.rank > rank), next(iter(listed), None))
        if found is not None:
            self.choose_edit(found.edit_id)
            if self._row(lambda row: row.key == (found.edit_id, True)) >= 0:
                self.edit_key = (found.edit_id, True)

    def _take_comment(self, comment_id: str) -> None:
        self.comment_id = comment_id
        self._list_edits()
        self._first_edit()

    def _list_edits(self) -> None:
        self.edit_rows = edit_rows(self.study, self.comment_id, self.edit_filter)
        if self.edit_at < 0:  # its row may have moved, such as from the suggestions to all edits
            wanted = self.edit_id
            at = self._row(lambda row: row.edit is not None and row.edit.id == wanted)
            self.edit_key = self.edit_rows[at].key if at >= 0 else NO_EDIT

    def _first_edit(self) -> None:
        """Makes the best suggestion current or, without any, the first edit linked to the comment."""
        at = self._row(lambda row: row.suggestion is not None)
        at = at if at >= 0 else self._row(lambda row: row.linked_here)
        self.edit_key = self.edit_rows[at].key if at >= 0 else NO_EDIT

    def _row(self, wanted: Callable[[EditRow], bool]) -> int:
        return next((at for at, row in enumerate(self.edit_rows) if wanted(row)), -1)
