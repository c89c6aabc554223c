"""Who has finished what, and adjudications. Annotators' own work is never changed."""

import json
from collections.abc import Collection, Sequence

from engine.agreement.records import Adjudication, Disagreement, Subject, Verdict, Where
from engine.errors import BadInput
from engine.project import HistoryEntry, Store, keyed, records, require_no_party
from engine.reviews.store import named_comment

TABLES = frozenset({"annotation_done", "adjudication", "unit_adjudication"})
LINKING, LABELS, PREFERENCES, BENCHMARK = "linking", "labels", "preferences", "benchmark"
"""What annotators mark as done: the linking of a paper, the labels of a text, the preferences of a cluster, the scores
of a benchmark."""
_UNSEEN = ("edit_link", "dismissed_edit", "comment_state", "suggestion_decision", "silver_decision", "edit_analysis")
"""Tables of work hidden from other annotators until both are done; comments that an annotator marks are hidden too."""
_PAPERS_OF_ACTS = (
    "SELECT DISTINCT j.action_id, t.paper_id FROM (SELECT action_id, table_name, coalesce(after, before) AS image,"
    " CASE table_name WHEN 'comment' THEN row_id ELSE json_extract(coalesce(after, before), '$.comment_id') END"
    " AS comment_id FROM journal WHERE action_id IN (SELECT value FROM json_each(?))) j"
    " LEFT JOIN comment c ON c.id = j.comment_id LEFT JOIN source_text t ON t.id = c.source_id"
    " WHERE j.table_name IN (SELECT value FROM json_each(?)) OR j.table_name = 'comment_span' AND c.origin = 'person'"
    " OR j.table_name = 'comment' AND json_extract(j.image, '$.origin') = 'person'"
)
"""The papers of hidden work, by action; NULL if the paper is unknown."""
_PARTIES = (
    "SELECT l.annotator_id FROM edit_link l JOIN edit e ON e.id = l.edit_id WHERE e.revision_id = ?"
    " AND l.comment_id IN (SELECT value FROM json_each(?))"
    " UNION SELECT annotator_id FROM comment_state WHERE revision_id = ? AND state <> 'undecided'"
    " AND comment_id IN (SELECT value FROM json_each(?))"
)
_TASKS = {
    "sentence_label": LABELS,
    "sentence_label_decision": LABELS,
    "preference_judgement": PREFERENCES,
    "rubric_rating": BENCHMARK,
}
"""Other tables of hidden work, each with the task whose subject its rows name."""
_SUBJECTS_OF_ACTS = (
    "SELECT DISTINCT j.action_id, j.table_name, coalesce(json_extract(image, '$.source_id'),"
    " json_extract(image, '$.cluster_id'), p.benchmark_id, '') FROM (SELECT action_id, table_name,"
    " coalesce(after, before) AS image FROM journal WHERE action_id IN (SELECT value FROM json_each(?))) j"
    " LEFT JOIN benchmark_review r ON r.id = json_extract(image, '$.review_id') LEFT JOIN benchmark_paper p"
    " ON p.id = r.paper_id WHERE j.table_name IN (SELECT value FROM json_each(?))"
    " AND coalesce(json_extract(image, '$.origin'), '') NOT LIKE 'import:%'"
)


class AgreementStore(Store):
    """Reads and writes ``annotation_done``, ``adjudication`` and ``unit_adjudication``."""

    def done(self, subject_id: str, task: str = LINKING) -> frozenset[str]:
        rows = self._project.query(
            "SELECT annotator_id FROM annotation_done WHERE task = ? AND subject_id = ?", (task, subject_id)
        )
        return frozenset(row[0] for row in rows)

    def everything_done(self, task: str = LINKING) -> dict[str, frozenset[str]]:
        """Returns the annotators who marked a subject as done, by subject."""
        found: dict[str, frozenset[str]] = {}
        for subject, who in self._project.query(
            "SELECT subject_id, annotator_id FROM annotation_done WHERE task = ?", (task,)
        ):
            found[subject] = found.get(subject, frozenset()) | {who}
        return found

    def own_done(self, task: str = LINKING) -> frozenset[str]:
        rows = self._project.query(
            "SELECT subject_id FROM annotation_done WHERE task = ? AND annotator_id = ?",
            (task, self._project.annotator_id),
        )
        return frozenset(row[0] for row in rows)

    def visible(self, subject_id: str, task: str = LINKING) -> frozenset[str]:
        """Returns the annotators whose work the acting annotator may see: their own, and that of others once both are
        done."""
        return self.visible_of(self.done(subject_id, task))

    def visible_of(self, done: frozenset[str]) -> frozenset[str]:
        """Returns whose work the acting annotator may see, given the annotators who are done with it."""
        own = frozenset({self._project.annotator_id})
        return done if own <= done else own

    def titles(self, entries: Sequence[HistoryEntry]) -> list[str]:
        """Returns the actions' titles for History and Undo. Of another annotator's work that the acting annotator may
        not see yet, they only say that somebody worked. An action whose paper is unknown (its comments were deleted) is
        hidden while that annotator's work on any paper is."""
        whose = {one.id: one.annotator_id for one in entries if one.annotator_id != self._project.annotator_id}
        acts = json.dumps(list(whose))
        found = self._project.query(_SUBJECTS_OF_ACTS, (acts, json.dumps(list(_TASKS))))
        work = [(act, (subject, _TASKS[table])) for act, table, subject in found]
        every = [row[0] for row in self._project.query("SELECT id FROM paper")]
        for act, paper in self._project.query(_PAPERS_OF_ACTS, (acts, json.dumps(_UNSEEN))):
            work += ((act, (one, LINKING)) for one in (every if paper is None else [paper]))
        seen = {of: self.visible(*of) for of in {of for _, of in work}}
        hidden = {act for act, of in work if whose[act] not in seen[of]}
        return [f"Work of {e.annotator}, hidden until both are done" if e.id in hidden else e.title for e in entries]

    def set_done(self, subject_id: str, done: bool, title: str = "", *, task: str = LINKING) -> None:
        """Marks the subject (called ``title`` in History) as done or not done by the acting annotator."""
        words = "Mark as done:" if done else "Mark as not done:"
        with self._project.action(f"{words} {title or 'the paper'}") as act:
            own = {"task": task, "subject_id": subject_id, "annotator_id": self._project.annotator_id}
            if done:
                act.keep("annotation_done", own, {})
            else:
                act.delete("annotation_done", **own)

    def adjudications(self, revision_id: str) -> dict[str, Adjudication]:
        """Returns the adjudications of a revision, by comment (the first annotator's, if each marked one)."""
        rows = self._project.query(
            "SELECT * FROM adjudication WHERE revision_id = ? ORDER BY created_at, id", (revision_id,)
        )
        return {found.comment_id: found for found in records(Adjudication, rows)}

    def parties(self, revision_id: str, comments: Collection[str]) -> frozenset[str]:
        """Returns who linked edits to one of these comments or gave one a state; none of them may adjudicate it."""
        rows = self._project.query(_PARTIES, (revision_id, json.dumps(list(comments))) * 2)
        return frozenset(row[0] for row in rows)

    def adjudicate(
        self,
        disagreement: Disagreement,
        annotators: tuple[str, str],
        verdict: Verdict,
        *,
        edit_ids: Sequence[str] | None = None,
    ) -> Adjudication:
        """Decides on a comment: the first annotator is right, the second, both, or neither.

        With ``edit_ids``, the disputed edits that apply are chosen individually; agreed ones always apply. An existing
        note is kept. Raises BadInput if one of ``edit_ids`` isn't disputed or the acting annotator is a party.
        """
        found = disagreement
        holding = {"first": found.only_first, "second": found.only_second, "both": found.disputed}
        chosen = holding.get(verdict, ()) if edit_ids is None else tuple(e for e in found.disputed if e in edit_ids)
        if edit_ids is not None and len(chosen) != len(set(edit_ids)):
            raise BadInput("You can only choose edits that one of the two annotators linked.", "Nothing was changed.")
        holds = (*found.agreed, *chosen)
        return self._write(found, annotators, verdict, holds, _state(found, verdict, holds), None, "Decide on")

    def note(self, disagreement: Disagreement, annotators: tuple[str, str], note: str) -> Adjudication:
        """Writes a note on a disagreement, decided or not; continued typing is one undo step. Raises BadInput for a
        party."""
        known = self.adjudications(disagreement.revision_id).get(disagreement.comment.first_id)
        decided = (known.verdict, known.edit_ids, known.state) if known else (None, (), "undecided")
        return self._write(disagreement, annotators, *decided, note, "Note on")

    def unit_adjudications(self, kind: Subject) -> dict[Where, str]:
        """Returns the adjudications of single units of a kind, by ``Decision.where``."""
        rows = self._project.query(
            "SELECT subject_id, part, unit, value FROM unit_adjudication WHERE kind = ? ORDER BY id", (kind,)
        )
        return {(row[0], row[1], row[2]): row[3] for row in rows}

    def adjudicate_units(self, kind: Subject, units: Collection[Where], value: str | None) -> None:
        """Decides on units in one step; None removes the decision."""
        with self._project.action("Adjudicate" if value is not None else "Reopen adjudication") as act:
            for subject, part, unit in units:
                place = {"kind": kind, "subject_id": subject, "part": part, "unit": unit}
                if value is None:
                    act.delete("unit_adjudication", **place)
                else:
                    act.keep("unit_adjudication", place, {"value": value, "annotator_id": self._project.annotator_id})

    def reopen(self, adjudication: Adjudication) -> None:
        """Deletes a decision, which reopens the disagreement. Raises BadInput if the acting annotator is a party."""
        require_no_party(self._project.annotator_id, self.parties(adjudication.revision_id, [adjudication.comment_id]))
        with self._project.action(f"Reopen {named_comment(self._project, adjudication.comment_id)}") as act:
            act.delete("adjudication", id=adjudication.id)

    def _write(  # noqa: PLR0917 - the columns of one row
        self,
        disagreement: Disagreement,
        annotators: tuple[str, str],
        verdict: Verdict | None,
        edit_ids: Sequence[str],
        state: str,
        note: str | None,
        verb: str,
    ) -> Adjudication:
        comment, revision = disagreement.comment.first_id, disagreement.revision_id
        pair = {comment, disagreement.comment.second_id}
        require_no_party(self._project.annotator_id, self.parties(revision, pair) | set(annotators))
        coalesce = f"adjudication.note:{comment}" if note is not None else None
        with self._project.action(f"{verb} {named_comment(self._project, comment)}", coalesce=coalesce) as act:
            values = {
                "first_annotator_id": annotators[0], "second_annotator_id": annotators[1], "verdict": verdict,
                "edit_ids": list(edit_ids), "state": state, "annotator_id": self._project.annotator_id,
            } | ({} if note is None else {"note": note})  # fmt: skip
            key = act.keep("adjudication", {"revision_id": revision, "comment_id": comment}, values)
        return keyed(Adjudication, self._project.db, "adjudication", key)


def _state(found: Disagreement, verdict: Verdict, edits: Sequence[str]) -> str:
    """The verdict also decides the state, but an edit that applies always makes the comment linked."""
    if edits:
        return "linked"
    state = {"first": found.first_state, "second": found.second_state}.get(verdict, "undecided")
    if found.first_state == found.second_state:
        state = found.first_state
    return "no_edit_found" if state == "linked" else state
