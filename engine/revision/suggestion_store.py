# ruff: noqa: S608 (only marks for values are put into statements; values are always bound)
"""What aligners suggested, pass by pass: results, and the decisions on them as far as they are read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from engine.project import new_id, now
from engine.revision.comparison_store import ComparisonStore, chunks
from engine.revision.records import Scored, Suggestion, SuggestionDecision, SuggestionRun

KEPT_SUGGESTIONS = 30
"""How many edits a run keeps for each comment; those over the threshold are kept however many they are."""


class SuggestionStore(ComparisonStore):
    """Readers and the one writer of suggestions."""

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
        for chunk in chunks(rows):
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

    def decisions(self, revision_id: str) -> tuple[tuple[str, str, SuggestionDecision, str], ...]:
        """(comment, edit, decision, origin) of everything decided on a revision, oldest first."""
        rows = self._project.query(
            "SELECT d.comment_id, d.edit_id, d.decision, d.origin FROM suggestion_decision d"
            " JOIN edit e ON e.id = d.edit_id WHERE e.revision_id = ? AND d.annotator_id = ?"
            " ORDER BY d.created_at, d.id",
            (revision_id, self._project.annotator_id),
        )
        return tuple((row[0], row[1], row[2], row[3]) for row in rows)


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
