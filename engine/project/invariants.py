# ruff: noqa: S608 (only names of tables and columns are put into statements)
"""Invariants of a project's content that hold after any sequence of actions, undo and redo.

A merge leaves out rows that would violate a rule (``broken``). Positions aren't checked, because two merged files may
both have used one; readers break such ties by key.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from engine.project.journal import journalled_tables
from engine.project.project import Project

CHECKED = ("references between rows", "places in reviews", "links and decisions by paper", "history against content")
"""What ``violations`` checks, in words for users."""
ON_COMPARISONS: Mapping[str, str] = {
    "edit_link": "(SELECT revision_id FROM edit WHERE id = w.edit_id)",
    "suggestion_decision": "(SELECT revision_id FROM edit WHERE id = w.edit_id)",
    "silver_decision": "(SELECT revision_id FROM edit WHERE id = w.edit_id)",
    "comment_state": "w.revision_id",
    "adjudication": "w.revision_id",
    "edit_analysis": "(SELECT revision_id FROM proposal WHERE id = w.proposal_id)",
}
"""For tables about a comment and a comparison of two versions: the SQL that finds the comparison of a row ``w``."""
_PAPER_OF_COMMENT = "(SELECT t.paper_id FROM comment c JOIN source_text t ON t.id = c.source_id WHERE c.id = {})"
_RULES: Mapping[str, tuple[str, str]] = {
    "{n} comment spans lie outside their text": (
        "comment_span",
        "SELECT s.id FROM comment_span s JOIN comment c ON c.id = s.comment_id JOIN source_text t ON t.id = c.source_id"
        " WHERE s.end_offset > points(t.text)"),
    "{n} sentence labels lie outside their text": (
        "sentence_label",
        "SELECT l.id FROM sentence_label l JOIN source_text t ON t.id = l.source_id"
        " WHERE l.end_offset > points(t.text)"),
    "{n} decisions on sentence labels lie outside their text": (
        "sentence_label_decision",
        "SELECT l.id FROM sentence_label_decision l JOIN source_text t ON t.id = l.source_id"
        " WHERE l.end_offset > points(t.text)"),
    "{n} versions of a paper share a label with another version": (
        "paper_version",
        "SELECT id FROM paper_version v WHERE EXISTS (SELECT 1 FROM paper_version o WHERE o.paper_id = v.paper_id"
        " AND o.label = v.label AND o.id <> v.id)"),
    "{n} responses are in the rebuttal of a different paper than their comment": (
        "rebuttal_point",
        f"SELECT id FROM rebuttal_point WHERE kind = 'reply' AND paper_id <> {_PAPER_OF_COMMENT.format('comment_id')}"),
    "{n} openings or closings for a reviewer are duplicated": (
        "rebuttal_point",
        "SELECT id FROM rebuttal_point p WHERE kind <> 'reply' AND EXISTS (SELECT 1 FROM rebuttal_point o"
        " WHERE o.paper_id IS p.paper_id AND o.kind = p.kind AND o.reviewer = p.reviewer"
        " AND o.annotator_id = p.annotator_id AND o.id <> p.id)"),
    "{n} marked places belong to something that was deleted": (
        "anchor",
        "SELECT id FROM anchor WHERE owner_table = 'comment' AND owner_id NOT IN (SELECT id FROM comment)"),
    "{n} “done” marks belong to something that was deleted": (
        "annotation_done",
        "SELECT id FROM annotation_done WHERE task = 'linking' AND subject_id NOT IN (SELECT id FROM paper)"),
    "{n} adjudications name an edit that was deleted": (
        "adjudication",
        "SELECT a.id FROM adjudication a, json_each(a.edit_ids) e WHERE e.value NOT IN (SELECT id FROM edit)"),
    "{n} preference judgements compare candidates of different clusters": (
        "preference_judgement",
        "SELECT j.id FROM preference_judgement j JOIN rebuttal_candidate l ON l.id = j.left_id"
        " JOIN rebuttal_candidate r ON r.id = j.right_id WHERE NOT (j.cluster_id = l.cluster_id"
        " AND j.cluster_id = r.cluster_id)"),
    "{n} scenario changes belong to a review in another table": (
        "calibration_change",
        "SELECT h.id FROM calibration_change h JOIN calibration_scenario s ON s.id = h.scenario_id"
        " JOIN score_review r ON r.id = h.review_id WHERE r.table_id <> s.table_id"),
}  # fmt: skip
"""By sentence: the table and the SQL that finds the offending rows."""


def violations(project: Project) -> tuple[str, ...]:
    """Returns a sentence for each violated rule; empty for a sound project. Changes nothing."""
    found = [
        f"a row of {row['table']} refers to a row of {row['parent']} that doesn't exist"
        for row in project.query("PRAGMA foreign_key_check")
    ]
    found += [sentence.format(n=len(keys)) + f" ({keys[0]})" for sentence, _, keys in broken(project)]
    return (*found, *_history(project))


def broken(project: Project) -> Iterator[tuple[str, str, list[str]]]:
    """Yields the sentence, table and row keys of each violated rule on rows. Inside an action, it sees what the action
    has written so far."""
    project.connection().create_function("points", 1, len, deterministic=True)  # SQLite's own length ends at a NUL
    rules = dict(_RULES)
    for table, revision in ON_COMPARISONS.items():
        sentence = f"{{n}} rows of {table} link a comment to a comparison of another paper"
        rules[sentence] = table, _across(table, revision)
    for sentence, (table, statement) in rules.items():
        if keys := [row[0] for row in project.query(statement)]:
            yield sentence, table, keys


def _across(table: str, revision: str) -> str:
    """Returns SQL that finds rows whose comparison has a document of some paper, but not of the comment's paper."""
    paper = _PAPER_OF_COMMENT.format("w.comment_id")
    return (
        f"SELECT w.id FROM (SELECT w.id, {revision} AS revision, {paper} AS paper FROM {table} w) w"
        " JOIN revision r ON r.id = w.revision JOIN paper_version v"
        " ON v.document_id IN (r.source_document_id, r.target_document_id) WHERE w.paper IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM paper_version o WHERE o.document_id = v.document_id AND o.paper_id = w.paper)"
    )


def _history(project: Project) -> Iterator[str]:
    """Yields a sentence for each table with rows that differ from what the history's last steps left. Undone steps
    count with their state before."""
    newest: dict[tuple[str, str], str | None] = {}
    rows = project.query(
        "SELECT j.table_name, j.row_id, j.before, j.after, a.state FROM journal j JOIN action a ON a.id = j.action_id"
        " ORDER BY j.seq"
    )
    for row in rows:
        key = row["table_name"], row["row_id"]
        if row["state"] == "done":
            newest[key] = row["after"]
        elif key not in newest:
            newest[key] = row["before"]
    tables = set(journalled_tables(project.connection()))
    if strange := {table for table, _ in newest} - tables:
        yield f"the history has rows of unknown tables: {', '.join(sorted(strange))}"
    for table in sorted(tables & {table for table, _ in newest}):
        living = {row["id"]: dict(row) for row in project.query(f'SELECT * FROM "{table}"')}
        wrong = [
            key
            for (name, key), image in newest.items()
            if name == table and not _same(living.get(key), None if image is None else json.loads(image))
        ]
        if wrong:
            yield f"{len(wrong)} rows of {table} don't match the history ({wrong[0]})"


def _same(row: dict[str, Any] | None, image: dict[str, Any] | None) -> bool:
    if row is None or image is None:
        return row is image
    return all(name not in row or _equal(row[name], value) for name, value in image.items())


def _equal(value: Any, kept: Any) -> bool:
    """The journal's JSON keeps only 15 digits of a double."""
    if isinstance(value, float) and isinstance(kept, float | int):
        return math.isclose(value, kept, rel_tol=1e-14)
    return bool(value == kept)
