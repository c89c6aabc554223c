"""Which comment and which edit are current, which rows the filters leave, and the steps through them. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from desktop_app.panes.linking.rows import (
    DISMISSED,
    NO_EDIT,
    CommentFilter,
    CommentRow,
    EditFilter,
    EditRow,
    RowKey,
    comment_rows,
    edit_rows,
)
from desktop_app.panes.linking.study import Study, reviewer_name


class Selection:
    """The current comment and edit of a study. The filters never hide the comment that one is working on."""

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
        """Another state of the study: what was current stays, as far as it is still there."""
        self.study, self._kept = study, self.comment_id
        if self.comment_filter.reviewer not in map(reviewer_name, study.comments):
            self.comment_filter = replace(self.comment_filter, reviewer="")
        if self.edit_filter.section not in {edit.section for edit in study.edits}:
            self.edit_filter = replace(self.edit_filter, section="")
        self.comment_rows = comment_rows(study, self.comment_filter, self._kept)
        if self.comment_id in study.comment_by_id:
            self._list_edits()
            if not self.edit_id and study.open_suggestions(self.comment_id):
                self._first_edit()  # suggestions came while the comment was read
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
        """Goes to the next comment of the list, from the last one to the one before it."""
        at = self.comment_at
        if len(self.comment_rows) > 1 and at >= 0:
            self._take_comment(self.comment_rows[at + 1 if at + 1 < len(self.comment_rows) else at - 1].id)

    def choose_edit(self, edit_id: str) -> None:
        """Makes an edit current, in its current row if that is one of its rows; filters that hide it are cleared."""
        if edit_id == self.edit_id and self.edit_at >= 0:
            return
        if self._row(lambda row: row.key[0] == edit_id) < 0 and edit_id in self.study.edit_by_id:
            self.edit_filter = EditFilter(group=self.study.edit_by_id[edit_id].group)
            if self.study.edit_by_id[edit_id].passage:  # is listed with the comments that it is linked to
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
        """Shows only the comments that pass; the first of them becomes current if the current one does not."""
        self.comment_filter, self._kept = chosen, ""
        self.comment_rows = comment_rows(self.study, chosen)
        if self.comment_at < 0 and self.comment_rows:
            self._take_comment(self.comment_rows[0].id)

    def filter_edits(self, chosen: EditFilter) -> None:
        """Shows only the edits and suggestions that pass; the best one becomes current if the current one does not."""
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
        """Goes to the next comment without a decision, around the end; False if there is no other."""
        comments = self.study.comments
        start = next((n for n, c in enumerate(comments) if c.id == self.comment_id), -1)
        for comment in (*comments[start + 1 :], *comments[: start + 1]):
            if self.study.state(comment.id) == "undecided" and comment.id != self.comment_id:
                self.choose_comment(comment.id)
                return True
        return False

    def next_suggestion(self, rank: int) -> None:
        """Goes to the next open suggestion after a rank, or to the first; stays where there is none."""
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
        if self.edit_at < 0:  # it was one of the suggestions, say, and is one of all edits now
            wanted = self.edit_id
            at = self._row(lambda row: row.edit is not None and row.edit.id == wanted)
            self.edit_key = self.edit_rows[at].key if at >= 0 else NO_EDIT

    def _first_edit(self) -> None:
        """The best suggestion, or the first edit linked to the comment."""
        at = self._row(lambda row: row.suggestion is not None)
        at = at if at >= 0 else self._row(lambda row: row.linked_here)
        self.edit_key = self.edit_rows[at].key if at >= 0 else NO_EDIT

    def _row(self, wanted: Callable[[EditRow], bool]) -> int:
        return next((at for at, row in enumerate(self.edit_rows) if wanted(row)), -1)
