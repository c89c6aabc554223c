"""Merges comments: links, decisions and responses of all annotators are moved to the comment that is kept."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.errors import not_changed
from engine.operations.removing import Affected, affects, carry_out
from engine.project import Action, Project
from engine.project.tables import Row
from engine.reviews.records import Comment
from engine.reviews.spans import bridged
from engine.reviews.store import ReviewStore

_SAID_ONCE: Mapping[str, tuple[str, ...]] = {
    "edit_link": ("edit_id", "annotator_id"),
    "suggestion_decision": ("edit_id", "annotator_id"),
    "silver_decision": ("edit_id", "annotator_id"),
    "comment_state": ("revision_id", "annotator_id"),
    "edit_analysis": ("proposal_id", "annotator_id"),
    "rebuttal_point": ("annotator_id",),
    "rebuttal_use": ("id",),
}
"""What identifies a row in addition to its comment. When two comments are merged, one row of each is kept."""
_SAYS: Mapping[str, str] = {"suggestion_decision": "decision", "silver_decision": "decision", "comment_state": "state"}
"""The column in which two rows about the same thing can contradict each other."""
_OPEN = ("undecided", "no_edit_found")


def merging(project: Project, comment_ids: Sequence[str]) -> Affected:
    """Returns what merging comments removes: adjudications of the merged ones, and decisions that contradict the kept
    comment. Raises BadInput for fewer than two comments or comments of different texts, KeyError for a missing one."""
    kept, *merged = _parts(project, comment_ids)
    parts: dict[str, frozenset[str]] = {"comment": frozenset(comment.id for comment in merged)}
    for table in ("comment_span", "adjudication"):
        found = (project.query(f"SELECT id FROM {table} WHERE comment_id = ?", (c.id,)) for c in merged)  # noqa: S608
        parts[table] = frozenset(row[0] for rows in found for row in rows)
    work = _contradicting(project, kept, merged) | {"adjudication": set(parts.pop("adjudication"))}
    units = (project.query("SELECT id FROM unit_adjudication WHERE subject_id = ?", (c.id,)) for c in merged)
    work["unit_adjudication"] = {row[0] for rows in units for row in rows}
    affected = affects(project, f"Merge {len(merged) + 1} comments", work)
    return replace(affected, rows={**affected.rows, **parts})


def merge_comments(project: Project, comment_ids: Sequence[str], *, others: bool = False) -> Comment:
    """Merges several comments of the same text into one and returns it.

    The first in order receives the others' spans, contexts and responses, and becomes a request if one of them was.
    Decisions on the kept comment take precedence; links and responses are combined. Raises like ``merging``, and
    BadInput if other annotators' work would be removed and ``others`` doesn't allow that.
    """
    found = merging(project, comment_ids)
    parts = _parts(project, comment_ids)
    kept, reviews = parts[0], ReviewStore(project)
    with project.action(found.title) as act:
        for comment in parts[1:]:
            _move_work(act, comment.id, kept.id)
        _link_states(act, kept.id)
        if spans := [span for part in parts for span in part.spans]:
            reviews.set_spans(kept.id, bridged(reviews.text(kept.source_id).text, spans))
        else:
            reviews.set_comment_text(kept.id, " ".join(part.comment for part in parts))
        if context := [span for part in parts for span in part.context_spans]:
            reviews.set_context(kept.id, context)
        if response := [span for part in parts for span in part.response_spans]:
            reviews.set_response_spans(kept.id, response)
        reviews.set_actionable([kept.id], any(part.actionable for part in parts))
        carry_out(act, found, others=others)
    return reviews.comment(kept.id)


def _parts(project: Project, comment_ids: Sequence[str]) -> list[Comment]:
    wanted, reviews = set(comment_ids), ReviewStore(project)
    if len(wanted) < 2:
        raise not_changed("Merging needs two or more comments.", "Choose another comment as well.")
    source, *others = {reviews.comment(key).source_id for key in wanted}
    if others:
        raise not_changed("Comments from different reviews can't be merged.")
    return [comment for comment in reviews.comments(source_id=source) if comment.id in wanted]


def _contradicting(project: Project, kept: Comment, merged: Sequence[Comment]) -> dict[str, set[str]]:
    gone: dict[str, set[str]] = {}
    for table, column in _SAYS.items():
        subject = _SAID_ONCE[table]
        said: dict[tuple[str, ...], str] = {}
        for comment in (kept, *merged):
            for row in project.query(f"SELECT * FROM {table} WHERE comment_id = ?", (comment.id,)):  # noqa: S608
                about = tuple(row[name] for name in subject)
                before = said.get(about, "undecided")
                if before == "undecided":
                    said[about] = row[column]
                elif row[column] not in {before, "undecided"} and {before, row[column]} != {"linked", "no_edit_found"}:
                    gone.setdefault(table, set()).add(row["id"])
    return gone


def _move_work(act: Action, merged_id: str, kept_id: str) -> None:
    for table, subject in _SAID_ONCE.items():
        for row in list(act.db.table(table).rows_where("comment_id = ?", [merged_id])):
            there = _row(act, table, {"comment_id": kept_id} | {name: row[name] for name in subject})
            if there is None:
                act.update(table, row["id"], {"comment_id": kept_id})
                continue
            if table == "rebuttal_point":
                join_points(act, there, row)
                continue
            changed = {}
            if row.get("note") and row["note"] != there["note"]:
                changed["note"] = "\n".join(filter(None, (there["note"], row["note"])))
            if table == "comment_state" and there["state"] == "undecided" != row["state"]:
                changed["state"] = row["state"]
            if changed:
                act.update(table, there["id"], changed)
            act.delete(table, id=row["id"])
    # References to the merged comment are redirected to the kept one.
    act.execute("UPDATE comment SET extra = replace(extra, ?2, ?1) WHERE instr(extra, ?2)", (kept_id, merged_id))
    act.execute("UPDATE anchor SET owner_id = ? WHERE owner_table = 'comment' AND owner_id = ?", (kept_id, merged_id))


def _row(act: Action, table: str, where: Row) -> Row | None:
    condition = " AND ".join(f"{name} = :{name}" for name in where)
    return next(iter(list(act.db.table(table).rows_where(condition, where, limit=1))), None)


def join_points(act: Action, kept: Mapping[str, object], other: Mapping[str, object]) -> None:
    """Merges two responses by concatenating their texts; the other one is deleted."""
    texts = dict.fromkeys(str(row["text"]).strip() for row in (kept, other))
    budgets = [row["budget"] for row in (kept, other) if isinstance(row["budget"], int)]
    values = {
        "text": "\n\n".join(filter(None, texts)),
        "budget": sum(budgets) if budgets else None,
        "action": kept["action"] or other["action"],
    }
    for name in ("generated", "confirmed"):
        both = [*json.loads(str(kept[name])), *json.loads(str(other[name]))]
        values[name] = json.dumps([one for at, one in enumerate(both) if one not in both[:at]], ensure_ascii=False)
    act.update("rebuttal_point", str(kept["id"]), values)
    act.delete("rebuttal_point", id=other["id"])


def _link_states(act: Action, comment_id: str) -> None:
    """Sets comments with links to "linked", unless their annotator decided otherwise."""
    rows: list[sqlite3.Row] = act.execute(
        "SELECT DISTINCT e.revision_id, l.annotator_id FROM edit_link l JOIN edit e ON e.id = l.edit_id"
        " WHERE l.comment_id = ?",
        (comment_id,),
    ).fetchall()
    for row in rows:
        about = {"comment_id": comment_id, "revision_id": row[0], "annotator_id": row[1]}
        known = _row(act, "comment_state", about)
        if known is None or known["state"] in _OPEN:
            act.keep("comment_state", about, {"state": "linked"})
