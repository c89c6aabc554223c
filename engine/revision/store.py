# ruff: noqa: S608 (only the column lists below are put into statements; values are always bound)
"""The revision tables: comparisons and suggestions as results, links, states and decisions as human work.

Links whose edit the newest comparison no longer finds are listed by ``needs_attention``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from engine.errors import BadInput
from engine.project import Action, new_id, now
from engine.revision.records import (
    CommentJudgement,
    CommentState,
    Link,
    LinkChange,
    LinkingProgress,
    NewLink,
    Suggestion,
    SuggestionDecision,
)
from engine.revision.suggestion_store import SuggestionStore

_STATE_TITLES: dict[CommentState, str] = {
    "undecided": "Set comment back to undecided",
    "linked": "Mark comment as linked",
    "answered": "Mark comment as answered without an edit",
    "visual_only": "Mark comment as visual change only",
    "not_addressed": "Mark comment as not addressed",
    "no_edit_found": "Mark comment as no edit found",
}
_LINK_COLUMNS = "l.id, l.comment_id, l.edit_id, l.annotator_id, l.origin, l.confidence, l.note, e.current AS attached"


class RevisionStore(SuggestionStore):
    """Readers and verbs of the revision tables. Readers show the acting annotator's own work unless told
    otherwise.
    """

    # --- decisions on suggestions: human work -------------------------------------------------------

    def accept_suggestion(self, suggestion: Suggestion, *, initiator: object | None = None) -> LinkChange:
        """Makes the link, with the model as its origin, and keeps that it was offered and taken."""
        with self._project.action(f"Accept suggestion {self._label(suggestion.edit_id)}", initiator=initiator) as act:
            self._decide(act, suggestion, "accepted")
            new = NewLink(suggestion.comment_id, suggestion.edit_id, suggestion.score)
            return self._link(act, [new], suggestion.origin)

    def reject_suggestion(self, suggestion: Suggestion, *, initiator: object | None = None) -> LinkChange:
        """Keeps that it was offered and refused; a link that came from accepting it goes."""
        with self._project.action(f"Reject suggestion {self._label(suggestion.edit_id)}", initiator=initiator) as act:
            rows = act.execute(
                f"SELECT {_LINK_COLUMNS}, e.revision_id FROM edit_link l JOIN edit e ON e.id = l.edit_id"
                " WHERE l.comment_id = ? AND l.edit_id = ? AND l.annotator_id = ? AND l.origin LIKE 'model:%'",
                (suggestion.comment_id, suggestion.edit_id, self._project.annotator_id),
            ).fetchall()
            change = self._unlink(act, rows)
            self._decide(act, suggestion, "rejected")
            return change

    def _decide(self, act: Action, suggestion: Suggestion, decision: SuggestionDecision) -> None:
        act.execute(
            "INSERT INTO suggestion_decision(id, comment_id, edit_id, annotator_id, decision, origin, score, rank,"
            " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT(comment_id, edit_id, annotator_id) DO UPDATE SET decision = excluded.decision,"
            " origin = excluded.origin, score = excluded.score, rank = excluded.rank, updated_at = excluded.updated_at"
            " WHERE decision <> excluded.decision",
            (
                new_id(), suggestion.comment_id, suggestion.edit_id, self._project.annotator_id, decision,
                suggestion.origin, suggestion.score, suggestion.rank, now(), now(),
            ),
        )  # fmt: skip

    # --- links: human work ------------------------------------------------------------------------

    def links(self, revision_id: str, *, annotator_id: str | None = None) -> tuple[Link, ...]:
        """All links of a revision, oldest first, those that need attention among them."""
        rows = self._project.query(
            f"SELECT {_LINK_COLUMNS} FROM edit_link l JOIN edit e ON e.id = l.edit_id"
            " WHERE e.revision_id = ? AND l.annotator_id = ? ORDER BY l.created_at, l.id",
            (revision_id, annotator_id or self._project.annotator_id),
        )
        return tuple(map(_link_record, rows))

    def needs_attention(self, revision_id: str) -> tuple[Link, ...]:
        """Links whose edit the newest comparison no longer finds; ``edit`` still shows what it was."""
        return tuple(link for link in self.links(revision_id) if not link.attached)

    def link_comment(
        self,
        comment_id: str,
        edit_id: str,
        *,
        note: str = "",
        confidence: float | None = None,
        initiator: object | None = None,
    ) -> LinkChange:
        """Links an edit to a comment; an undecided comment becomes linked. A link that is there stays as it
        is.
        """
        with self._project.action(f"Link comment to edit {self._label(edit_id)}", initiator=initiator) as act:
            return self._link(act, [NewLink(comment_id, edit_id, confidence, note)], "person")

    def link_many(self, links: Sequence[NewLink], *, initiator: object | None = None) -> LinkChange:
        """Makes several links in one step."""
        with self._project.action(f"Link {_count(len(links), 'pair')}", initiator=initiator) as act:
            return self._link(act, links, "person")

    def import_links(self, links: Sequence[NewLink], filename: str, *, initiator: object | None = None) -> LinkChange:
        """Takes links over from a file, whose name they carry as origin."""
        title = f"Import {_count(len(links), 'link')} from {filename}"
        with self._project.action(title, initiator=initiator) as act:
            return self._link(act, links, f"import:{filename}")

    def link_from(self, links: Sequence[NewLink], origin: str, *, initiator: object | None = None) -> LinkChange:
        """Makes links that something else than a hand or a file brought; to be called inside the act that decides."""
        with self._project.action(f"Link {_count(len(links), 'pair')}", initiator=initiator) as act:
            return self._link(act, links, origin)

    def unlink_comment(self, comment_id: str, edit_id: str, *, initiator: object | None = None) -> LinkChange:
        """Takes a link away; with its last link a linked comment becomes undecided again."""
        with self._project.action(f"Unlink comment from edit {self._label(edit_id)}", initiator=initiator) as act:
            return self._unlink(act, self._own_links(act, "l.comment_id = ? AND l.edit_id = ?", comment_id, edit_id))

    def unlink_all(self, comment_id: str, *, initiator: object | None = None) -> LinkChange:
        """Takes all links of a comment away in one step."""
        with self._project.action("Unlink comment from all edits", initiator=initiator) as act:
            return self._unlink(act, self._own_links(act, "l.comment_id = ?", comment_id))

    def note_on_link(self, link_id: str, note: str, *, initiator: object | None = None) -> LinkChange:
        """Writes a note on a link; typing on is one undo step."""
        with self._project.action("Note on link", coalesce=f"edit_link.note:{link_id}", initiator=initiator) as act:
            act.execute("UPDATE edit_link SET note = ?, updated_at = ? WHERE id = ?", (note, now(), link_id))
            return LinkChange(links=tuple(map(_link_record, self._own_links(act, "l.id = ?", link_id))))

    def reattach_link(self, link_id: str, edit_id: str, *, initiator: object | None = None) -> LinkChange:
        """Points a link that needs attention at an edit of the new comparison; note and origin stay."""
        with self._project.action("Re-attach link", initiator=initiator) as act:
            (old,) = self._own_links(act, "l.id = ?", link_id)
            if self._own_links(act, "l.comment_id = ? AND l.edit_id = ?", old["comment_id"], edit_id):
                act.execute("DELETE FROM edit_link WHERE id = ?", (link_id,))
                return LinkChange(removed=(_link_record(old),))
            act.execute("UPDATE edit_link SET edit_id = ?, updated_at = ? WHERE id = ?", (edit_id, now(), link_id))
            return LinkChange(links=tuple(map(_link_record, self._own_links(act, "l.id = ?", link_id))))

    def _label(self, edit_id: str) -> str:
        """An edit's name for people, so that History tells one step from the next."""
        row = self._project.query_one("SELECT label FROM edit WHERE id = ?", (edit_id,))
        return str(row[0]) if row is not None else ""

    def _own_links(self, act: Action, condition: str, *values: str) -> list[sqlite3.Row]:
        return act.execute(
            f"SELECT {_LINK_COLUMNS}, e.revision_id FROM edit_link l JOIN edit e ON e.id = l.edit_id"
            f" WHERE {condition} AND l.annotator_id = ?",
            (*values, self._project.annotator_id),
        ).fetchall()

    def _link(self, act: Action, links: Sequence[NewLink], origin: str) -> LinkChange:
        made: list[Link] = []
        states: dict[str, CommentJudgement] = {}
        for new in links:
            edit = act.execute("SELECT revision_id, current FROM edit WHERE id = ?", (new.edit_id,)).fetchone()
            if edit is None:
                raise KeyError(new.edit_id)
            if self._own_links(act, "l.comment_id = ? AND l.edit_id = ?", new.comment_id, new.edit_id):
                continue
            link = Link(
                new_id(), new.comment_id, new.edit_id, self._project.annotator_id, origin, new.confidence, new.note,
                bool(edit["current"]),
            )  # fmt: skip
            act.execute(
                "INSERT INTO edit_link(id, comment_id, edit_id, annotator_id, origin, confidence, note, created_at,"
                " updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    link.id, link.comment_id, link.edit_id, link.annotator_id, link.origin, link.confidence, link.note,
                    now(), now(),
                ),
            )  # fmt: skip
            made.append(link)
            if self._state(act, edit["revision_id"], new.comment_id) in ("undecided", "no_edit_found"):
                states[new.comment_id] = self._set_state(act, edit["revision_id"], new.comment_id, "linked", None)
        return LinkChange(links=tuple(made), states=tuple(states.values()))

    def _unlink(self, act: Action, rows: Sequence[sqlite3.Row]) -> LinkChange:
        states: dict[str, CommentJudgement] = {}
        for row in rows:
            act.execute("DELETE FROM edit_link WHERE id = ?", (row["id"],))
            # The suggestion is open again: neither taken nor refused.
            for table in ("suggestion_decision", "silver_decision"):
                act.execute(
                    f"DELETE FROM {table} WHERE comment_id = ? AND edit_id = ? AND annotator_id = ?"
                    " AND decision = 'accepted'",
                    (row["comment_id"], row["edit_id"], self._project.annotator_id),
                )
            left = self._own_links(act, "l.comment_id = ? AND e.revision_id = ?", row["comment_id"], row["revision_id"])
            if not left and self._state(act, row["revision_id"], row["comment_id"]) == "linked":
                states[row["comment_id"]] = self._set_state(
                    act, row["revision_id"], row["comment_id"], "undecided", None
                )
        return LinkChange(removed=tuple(map(_link_record, rows)), states=tuple(states.values()))

    # --- states: human work -----------------------------------------------------------------------

    def comment_states(self, revision_id: str, *, annotator_id: str | None = None) -> dict[str, CommentJudgement]:
        """What was decided, by comment; a comment that is missing is undecided."""
        rows = self._project.query(
            "SELECT comment_id, state, note FROM comment_state WHERE revision_id = ? AND annotator_id = ?",
            (revision_id, annotator_id or self._project.annotator_id),
        )
        return {row["comment_id"]: CommentJudgement(row["comment_id"], row["state"], row["note"]) for row in rows}

    def set_comment_state(
        self,
        revision_id: str,
        comment_ids: str | Sequence[str],
        state: CommentState,
        *,
        note: str | None = None,
        initiator: object | None = None,
    ) -> LinkChange:
        """Decides on one or several comments in one step; ``note`` None leaves the note as it is.

        Raises:
            BadInput: "linked" for a comment that has no link.
        """
        listed = [comment_ids] if isinstance(comment_ids, str) else list(comment_ids)
        title = _STATE_TITLES[state].replace("comment", _count(len(listed), "comment")) if listed[1:] else None
        with self._project.action(title or _STATE_TITLES[state], initiator=initiator) as act:
            for comment_id in listed:
                if state == "linked" and not self._own_links(
                    act, "l.comment_id = ? AND e.revision_id = ?", comment_id, revision_id
                ):
                    raise BadInput(
                        "This comment is not linked to any edit yet.",
                        "Its state was not changed.",
                        "Choose an edit and press L, or choose another state.",
                    )
            states = [self._set_state(act, revision_id, comment_id, state, note) for comment_id in listed]
        return LinkChange(states=tuple(states))

    def _state(self, act: Action, revision_id: str, comment_id: str) -> str:
        row = act.execute(
            "SELECT state FROM comment_state WHERE revision_id = ? AND comment_id = ? AND annotator_id = ?",
            (revision_id, comment_id, self._project.annotator_id),
        ).fetchone()
        return "undecided" if row is None else str(row[0])

    def _set_state(
        self, act: Action, revision_id: str, comment_id: str, state: CommentState, note: str | None
    ) -> CommentJudgement:
        act.execute(
            "INSERT INTO comment_state(id, revision_id, comment_id, annotator_id, state, note, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(revision_id, comment_id, annotator_id)"
            " DO UPDATE SET state = excluded.state, note = coalesce(?, note), updated_at = excluded.updated_at"
            " WHERE state <> excluded.state OR note <> coalesce(?, note)",
            (
                new_id(), revision_id, comment_id, self._project.annotator_id, state, note or "", now(), now(), note,
                note,
            ),
        )  # fmt: skip
        row = act.execute(
            "SELECT note FROM comment_state WHERE revision_id = ? AND comment_id = ? AND annotator_id = ?",
            (revision_id, comment_id, self._project.annotator_id),
        ).fetchone()
        return CommentJudgement(comment_id, state, row["note"])

    # --- counts -----------------------------------------------------------------------------------

    def progress(self, revision_id: str, comment_ids: Iterable[str]) -> LinkingProgress:
        """How far the linking is; ``comment_ids`` are the comments that the revision is meant to answer."""
        wanted = set(comment_ids)
        states = self.comment_states(revision_id)
        decided = sum(
            judgement.state != "undecided" and comment_id in wanted for comment_id, judgement in states.items()
        )
        links = self.links(revision_id)
        linked = {link.edit_id for link in links}
        edits = self.edits(revision_id)
        return LinkingProgress(
            decided=decided,
            undecided=len(wanted) - decided,
            edits=len(edits),
            edits_without_comment=sum(edit.id not in linked for edit in edits),
            links=len(links),
            needs_attention=sum(not link.attached for link in links),
        )


def _link_record(row: sqlite3.Row) -> Link:
    return Link(
        id=row["id"],
        comment_id=row["comment_id"],
        edit_id=row["edit_id"],
        annotator_id=row["annotator_id"],
        origin=row["origin"],
        confidence=row["confidence"],
        note=row["note"],
        attached=bool(row["attached"]),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
