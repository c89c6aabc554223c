# ruff: noqa: S608 (only the column lists below are put into statements; values are always bound)
"""The revision tables: comparisons and suggestions as results, links, states and decisions as human work.

An edit keeps its key when the versions are compared anew: new edits are matched to old ones by their text
(``engine.revision.reattachment``), and edits that are no longer found stay in the table, marked, so that
links, decisions and the undo history never point at nothing. Their links are listed by ``needs_attention``.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from engine.errors import BadInput
from engine.project import Action, Project, new_id, now
from engine.revision.reattachment import match_edits
from engine.revision.records import (
    CommentJudgement,
    CommentState,
    Edit,
    Link,
    LinkChange,
    LinkingProgress,
    NewLink,
    Revision,
    RevisionDiff,
    SavedDiff,
    Scored,
    Suggestion,
    SuggestionDecision,
    SuggestionRun,
)

_STATE_TITLES: dict[CommentState, str] = {
    "undecided": "Set comment back to undecided",
    "linked": "Mark comment as linked",
    "answered": "Mark comment as answered without an edit",
    "visual_only": "Mark comment as visual change only",
    "not_addressed": "Mark comment as not addressed",
    "no_edit_found": "Mark comment as no edit found",
}
_CHUNK = 200  # rows a transaction: a few milliseconds, so that no act waits for results
KEPT_SUGGESTIONS = 30
"""How many edits a run keeps for each comment; those over the threshold are kept however many they are."""

_LINK_COLUMNS = "l.id, l.comment_id, l.edit_id, l.annotator_id, l.origin, l.confidence, l.note, e.current AS attached"

_WORK_ON_COMMENTS = ("edit_link", "comment_state", "suggestion_decision", "silver_decision", "edit_analysis")


class RevisionStore:
    """Readers and verbs of the revision tables. Readers show the acting annotator's own work unless told
    otherwise.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._edits: dict[str, tuple[str, tuple[Edit, ...]]] = {}

    # --- revisions and edits: results -------------------------------------------------------------

    def revisions(self) -> tuple[Revision, ...]:
        """All comparisons, oldest first."""
        return tuple(map(_revision, self._project.query("SELECT * FROM revision ORDER BY created_at, id")))

    def revision(self, revision_id: str) -> Revision:
        """Raises KeyError where there is none."""
        row = self._project.query_one("SELECT * FROM revision WHERE id = ?", (revision_id,))
        if row is None:
            raise KeyError(revision_id)
        return _revision(row)

    def revision_of(self, source_document_id: str, target_document_id: str) -> Revision | None:
        """The comparison of two documents, if there is one."""
        row = self._project.query_one(
            "SELECT * FROM revision WHERE source_document_id = ? AND target_document_id = ?",
            (source_document_id, target_document_id),
        )
        return None if row is None else _revision(row)

    def texts_of(self, revision_id: str) -> str | None:
        """The paper whose reviews belong to a revision; None where all do, since there is one paper only.

        Reviews that were imported before there was a paper belong to the only one. Raises KeyError.
        """
        revision = self.revision(revision_id)
        papers = self._project.query("SELECT id FROM paper")
        rows = self._project.query(
            "SELECT paper_id FROM paper_version WHERE document_id IN (?, ?) GROUP BY paper_id"
            " ORDER BY count(DISTINCT document_id) DESC, min(created_at), paper_id",
            (revision.source_document_id, revision.target_document_id),
        )
        return str(rows[0][0]) if len(papers) > 1 and rows else None

    def edits(self, revision_id: str) -> tuple[Edit, ...]:
        """The current edits in order of the revised text; read again only after a new comparison."""
        stamp = self._project.query_one("SELECT updated_at FROM revision WHERE id = ?", (revision_id,))
        if stamp is None:
            raise KeyError(revision_id)
        cached = self._edits.get(revision_id)
        if cached is None or cached[0] != stamp[0]:
            rows = self._project.query(
                "SELECT * FROM edit WHERE revision_id = ? AND current = 1 ORDER BY position", (revision_id,)
            )
            cached = self._edits[revision_id] = (stamp[0], tuple(map(_edit, rows)))
        return cached[1]

    def edit(self, edit_id: str) -> Edit:
        """An edit by its key, also one that is no longer current. Raises KeyError where there is none."""
        row = self._project.query_one("SELECT * FROM edit WHERE id = ?", (edit_id,))
        if row is None:
            raise KeyError(edit_id)
        return _edit(row)

    def save_diff(
        self,
        source_document_id: str,
        target_document_id: str,
        diff: RevisionDiff,
        parameters: Mapping[str, str] | None = None,
    ) -> SavedDiff:
        """Keeps a comparison; edits that were known keep their key, and with it their links."""
        revision_id = self._revision_key(source_document_id, target_document_id)
        rows = self._project.query(
            "SELECT * FROM edit WHERE revision_id = ? ORDER BY current DESC, position", (revision_id,)
        )
        before = [_edit(row) for row in rows]
        was_current = {row["id"] for row in rows if row["current"]}
        matches = match_edits(before, diff.edits)
        keys = [new_id() if match is None else before[match].id for match in matches]
        fresh = [
            (key, revision_id, position, *_edit_values(edit))
            for position, (key, edit, match) in enumerate(zip(keys, diff.edits, matches, strict=True))
            if match is None
        ]
        # New rows go in unseen (current = 0), a few at a time; one last short transaction shows the new
        # comparison.
        for chunk in _chunks(fresh):
            with self._project.results("Compare versions") as write:
                write.executemany(f"INSERT INTO edit({_EDIT_COLUMNS}) VALUES ({_EDIT_MARKS})", chunk)
        with self._project.results("Compare versions") as write:
            write.execute("UPDATE edit SET current = 0 WHERE revision_id = ? AND current = 1", (revision_id,))
            write.executemany(
                f"UPDATE edit SET current = 1, position = ?, {_EDIT_ASSIGNMENTS} WHERE id = ?",
                [
                    (position, *_edit_values(edit), key)
                    for position, (key, edit, match) in enumerate(zip(keys, diff.edits, matches, strict=True))
                    if match is not None
                ],
            )
            write.executemany("UPDATE edit SET current = 1 WHERE id = ?", [(row[0],) for row in fresh])
            write.execute(
                "UPDATE revision SET parameters = ?, unchanged = ?, seconds = ?, updated_at = ? WHERE id = ?",
                (json.dumps(dict(parameters or {})), json.dumps(diff.unchanged), diff.seconds, now(), revision_id),
            )
            write.touched("edit", {*keys, *was_current})
            write.touched("revision", [revision_id])
        return SavedDiff(
            revision_id=revision_id,
            kept=len(keys) - len(fresh),
            new=len(fresh),
            retired=len(was_current.difference(keys)),
            needs_attention=len(self.needs_attention(revision_id)),
        )

    def _revision_key(self, source_document_id: str, target_document_id: str) -> str:
        with self._project.results("Compare versions") as write:
            write.execute(
                "INSERT OR IGNORE INTO revision(id, source_document_id, target_document_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (new_id(), source_document_id, target_document_id, now(), now()),
            )
            row = write.execute(
                "SELECT id FROM revision WHERE source_document_id = ? AND target_document_id = ?",
                (source_document_id, target_document_id),
            ).fetchone()
        return str(row[0])

    # --- suggestions: results, and what people decided on them ------------------------------------

    def save_suggestions(
        self,
        revision_id: str,
        strategy: str,
        origin: str,
        rankings: Mapping[str, Sequence[Scored]],
        *,
        use_responses: bool,
        parameters: Mapping[str, str] | None = None,
        seconds: float = 0.0,
    ) -> SuggestionRun:
        """Keeps one pass of an aligner, best first for each comment, and shows it once all of it is written."""
        with self._project.results("Suggest links") as write:
            write.execute("DELETE FROM suggestion_run WHERE revision_id = ? AND complete = 0", (revision_id,))
            run_id = new_id()
            write.execute(
                "INSERT INTO suggestion_run(id, revision_id, strategy, origin, parameters, use_responses, seconds,"
                " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id, revision_id, strategy, origin, json.dumps(dict(parameters or {})), int(use_responses),
                    seconds, now(), now(),
                ),
            )  # fmt: skip
        rows = (
            (run_id, comment_id, scored.edit_id, rank, scored.score, int(scored.linked), json.dumps(scored.reasons))
            for comment_id, ranking in rankings.items()
            for rank, scored in enumerate(ranking, start=1)
            if rank <= KEPT_SUGGESTIONS or scored.linked
        )
        for chunk in _chunks(rows):
            with self._project.results("Suggest links") as write:
                write.executemany(
                    "INSERT INTO suggestion(run_id, comment_id, edit_id, rank, score, linked, reasons)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    chunk,
                )
        with self._project.results("Suggest links") as write:
            write.execute("UPDATE suggestion_run SET complete = 1, updated_at = ? WHERE id = ?", (now(), run_id))
            write.touched("suggestion_run", [run_id])
            write.touched("suggestion", rankings)
        run = self._project.query_one("SELECT * FROM suggestion_run WHERE id = ?", (run_id,))
        assert run is not None
        return _run(run)

    def latest_run(self, revision_id: str, strategy: str | None = None) -> SuggestionRun | None:
        """The newest complete pass over a revision, of any strategy or of one."""
        row = self._project.query_one(
            "SELECT * FROM suggestion_run WHERE revision_id = ? AND complete = 1 AND (? IS NULL OR strategy = ?)"
            " ORDER BY created_at DESC, id DESC LIMIT 1",
            (revision_id, strategy, strategy),
        )
        return None if row is None else _run(row)

    def suggestions(self, revision_id: str, comment_id: str, strategy: str | None = None) -> tuple[Suggestion, ...]:
        """What the newest pass offers for a comment, best first, each with the decision taken on it."""
        return self.all_suggestions(revision_id, strategy, [comment_id]).get(comment_id, ())

    def all_suggestions(
        self,
        revision_id: str,
        strategy: str | None = None,
        comment_ids: Sequence[str] | None = None,
        *,
        top: int | None = None,
    ) -> dict[str, tuple[Suggestion, ...]]:
        """The newest pass by comment: for all comments, or for those named; with ``top`` only the first so many of
        each and what passes the threshold.
        """
        run = self.latest_run(revision_id, strategy)
        if run is None:
            return {}
        some = "" if comment_ids is None else f" AND s.comment_id IN ({', '.join('?' * len(comment_ids))})"
        rows = self._project.query(
            "SELECT s.*, d.decision FROM suggestion s JOIN edit e ON e.id = s.edit_id AND e.current = 1"
            " LEFT JOIN suggestion_decision d ON d.comment_id = s.comment_id AND d.edit_id = s.edit_id"
            " AND d.annotator_id = ? WHERE s.run_id = ? AND (? IS NULL OR s.rank <= ? OR s.linked = 1)"
            f"{some} ORDER BY s.comment_id, s.rank",
            (self._project.annotator_id, run.id, top, top, *(comment_ids or ())),
        )
        found: dict[str, list[Suggestion]] = {}
        for row in rows:
            found.setdefault(row["comment_id"], []).append(_suggestion(row, run.origin))
        return {comment_id: tuple(listed) for comment_id, listed in found.items()}

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

    def decisions(self, revision_id: str) -> tuple[tuple[str, str, SuggestionDecision, str], ...]:
        """(comment, edit, decision, origin) of everything decided on a revision, oldest first."""
        rows = self._project.query(
            "SELECT d.comment_id, d.edit_id, d.decision, d.origin FROM suggestion_decision d"
            " JOIN edit e ON e.id = d.edit_id WHERE e.revision_id = ? AND d.annotator_id = ?"
            " ORDER BY d.created_at, d.id",
            (revision_id, self._project.annotator_id),
        )
        return tuple((row[0], row[1], row[2], row[3]) for row in rows)

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

    def forget_comments(self, comment_ids: Iterable[str], *, initiator: object | None = None) -> None:
        """Takes links, states and decisions of comments away, so that the comments can be deleted in the same
        action.

        Raises:
            BadInput: another annotator has worked on one of them; their work is theirs.
        """
        own = self._project.annotator_id
        with self._project.action("Remove links of comments", initiator=initiator) as act:
            for comment_id in comment_ids:
                for table in _WORK_ON_COMMENTS:
                    act.execute(f"DELETE FROM {table} WHERE comment_id = ? AND annotator_id = ?", (comment_id, own))
                    if act.execute(f"SELECT 1 FROM {table} WHERE comment_id = ?", (comment_id,)).fetchone():
                        raise BadInput(
                            "Another annotator has worked on this comment.",
                            "It was not deleted, and nothing was changed.",
                            "Say that it asks for nothing instead.",
                        )

    def move_links(self, kept_id: str, merged_ids: Sequence[str], *, initiator: object | None = None) -> LinkChange:
        """Gives the links of comments that are merged into another one to that one; to be called inside the merge.

        A state decided on the kept comment stays; where there is none, links make it linked. The work of other
        annotators goes over row by row, where they have not said the same of the kept comment.
        """
        with self._project.action("Move links", initiator=initiator) as act:
            moved: list[sqlite3.Row] = []
            others = [comment_id for comment_id in merged_ids if comment_id != kept_id]
            for comment_id in others:
                moved.extend(self._own_links(act, "l.comment_id = ?", comment_id))
                values = (comment_id, self._project.annotator_id)
                for table in _WORK_ON_COMMENTS:
                    act.execute(
                        f"UPDATE OR IGNORE {table} SET comment_id = ?, updated_at = ?"
                        " WHERE comment_id = ? AND annotator_id <> ?",
                        (kept_id, now(), *values),
                    )
                    act.execute(f"DELETE FROM {table} WHERE comment_id = ? AND annotator_id <> ?", values)
            self.forget_comments(others)
            made: list[Link] = []
            states: list[CommentJudgement] = []
            for row in moved:
                new = NewLink(kept_id, row["edit_id"], row["confidence"], row["note"])
                change = self._link(act, [new], row["origin"])
                made.extend(change.links)
                states.extend(change.states)
        return LinkChange(links=tuple(made), states=tuple(states))

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


_EDIT_FIELDS = (
    "label", "kind", "operation", "moved", "source_ids", "target_ids", "source_text", "target_text", "section",
    "tokens_removed", "tokens_added",
)  # fmt: skip
_EDIT_COLUMNS = ", ".join(("id", "revision_id", "position", *_EDIT_FIELDS, "current"))
_EDIT_MARKS = ", ".join(["?"] * (3 + len(_EDIT_FIELDS)) + ["0"])
_EDIT_ASSIGNMENTS = ", ".join(f"{name} = ?" for name in _EDIT_FIELDS)


def _edit_values(edit: Edit) -> tuple[Any, ...]:
    return (
        edit.label or edit.id, edit.kind, edit.operation, int(edit.moved), json.dumps(edit.source_ids),
        json.dumps(edit.target_ids), edit.source_text, edit.target_text, edit.section, edit.tokens_removed,
        edit.tokens_added,
    )  # fmt: skip


def _edit(row: sqlite3.Row) -> Edit:
    return Edit(
        id=row["id"],
        kind=row["kind"],
        operation=row["operation"],
        moved=bool(row["moved"]),
        source_ids=tuple(json.loads(row["source_ids"])),
        target_ids=tuple(json.loads(row["target_ids"])),
        source_text=row["source_text"],
        target_text=row["target_text"],
        section=row["section"],
        tokens_removed=row["tokens_removed"],
        tokens_added=row["tokens_added"],
        label=row["label"],
    )


def _revision(row: sqlite3.Row) -> Revision:
    return Revision(
        id=row["id"],
        source_document_id=row["source_document_id"],
        target_document_id=row["target_document_id"],
        parameters=tuple(json.loads(row["parameters"]).items()),
        unchanged=tuple((tuple(source), tuple(target)) for source, target in json.loads(row["unchanged"])),
        seconds=row["seconds"],
        updated_at=row["updated_at"],
    )


def _run(row: sqlite3.Row) -> SuggestionRun:
    return SuggestionRun(
        id=row["id"],
        revision_id=row["revision_id"],
        strategy=row["strategy"],
        origin=row["origin"],
        use_responses=bool(row["use_responses"]),
        parameters=tuple(json.loads(row["parameters"]).items()),
        seconds=row["seconds"],
        created_at=row["created_at"],
    )


def _suggestion(row: sqlite3.Row, origin: str) -> Suggestion:
    return Suggestion(
        run_id=row["run_id"],
        comment_id=row["comment_id"],
        edit_id=row["edit_id"],
        rank=row["rank"],
        score=row["score"],
        linked=bool(row["linked"]),
        origin=origin,
        reasons=tuple(json.loads(row["reasons"])),
        decision=row["decision"],
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


def _chunks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    left = iter(rows)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
