"""The objects of operations under the names that users know, and the words for counting affected rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.errors import not_changed
from engine.project import Project
from engine.shown import counted, shortened

Kind = Literal["paper", "version", "review", "comment", "study", "annotator"]
_NAMED: Mapping[Kind, str] = {
    "paper": "SELECT id, title FROM (SELECT id, title, 0 AS late, position, '' AS made FROM paper UNION ALL"
    " SELECT id, coalesce(nullif(title, ''), filename), 1, 0, created_at FROM document"
    " WHERE id NOT IN (SELECT document_id FROM paper_version)) ORDER BY late, position, made, id",
    "version": "SELECT v.id, p.title || ': ' || v.label FROM paper_version v JOIN paper p ON p.id = v.paper_id"
    " ORDER BY p.position, p.id, v.position, v.id",
    "review": "SELECT id, coalesce(nullif(title, ''), reviewer), text FROM source_text ORDER BY position, id",
    "comment": "SELECT id, reviewer || ': ' || substr(comment, 1, 60) FROM comment ORDER BY position, id",
    "study": "SELECT id, title FROM study ORDER BY position, id",
    "annotator": "SELECT id, name FROM annotator ORDER BY created_at, id",
}
"""Keys and names. Papers include documents without a paper, and reviews' names include the beginning of the text."""
_COUNTED: Mapping[str, tuple[str, str]] = {
    "paper": ("paper", "papers"), "paper_version": ("version", "versions"), "document": ("PDF", "PDFs"),
    "source_text": ("review or letter", "reviews and letters"),
    "comment": ("comment", "comments"), "edit_link": ("link", "links"), "edit": ("edit", "edits"),
    "dismissed_edit": ("dismissed edit", "dismissed edits"),
    "comment_state": ("decision on a comment", "decisions on comments"),
    "suggestion_decision": ("decision on a suggestion", "decisions on suggestions"),
    "silver_decision": ("decision on a suggested link", "decisions on suggested links"),
    "adjudication": ("adjudication", "adjudications"),
    "unit_adjudication": ("adjudication of a single decision", "adjudications of single decisions"),
    "edit_analysis": ("judgement of an edit", "judgements of edits"),
    "anchor": ("marked place", "marked places"),
    "sentence_label": ("sentence label", "sentence labels"),
    "sentence_label_decision": ("decision on a sentence label", "decisions on sentence labels"),
    "rebuttal_point": ("response in the rebuttal", "responses in the rebuttal"),
    "review_draft": ("review draft", "review drafts"),
    "preference_judgement": ("preference judgement", "preference judgements"),
    "study": ("survey", "surveys"), "participant": ("participant", "participants"),
    "profile_paper": ("paper in a profile", "papers in profiles"),
    "rating": ("survey rating", "survey ratings"), "participant_contact": ("e-mail address", "e-mail addresses"),
}  # fmt: skip
"""Tables counted under their own name, in this order; all others are counted together."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an operation acts on; kind "paper" includes a PDF without a paper, "review" a letter."""

    kind: Kind
    id: str
    name: str


def targets(project: Project, kind: Kind) -> tuple[Target, ...]:
    rows = project.query(_NAMED[kind])
    return tuple(Target(kind, key, ": ".join([name, *(shortened(t, 60) for t in text)])) for key, name, *text in rows)


def find(project: Project, kind: Kind, words: str) -> Target:
    """Returns the target with this key or name (for a review, its title). Raises BadInput if there
    is none or several."""
    there = targets(project, kind)
    found = [one for one in there if one.id == words] or [one for one in there if one.name == words]
    if kind == "review":
        found = found or [one for one in there if one.name.partition(": ")[0] == words]
    if len(found) != 1:
        what = f"There's no {kind} named “{words}”" if not found else f"More than one {kind} is named “{words}”"
        known = "; ".join(f"{one.id} ({one.name})" for one in there) or "none"
        raise not_changed(f"{what}.", f"Available: {known}.")
    return found[0]


def in_words(rows: Mapping[str, int]) -> list[str]:
    """Returns the numbers of rows by table in words: "3 comments", "1 link"."""
    parts = [counted(rows[table], *words) for table, words in _COUNTED.items() if rows.get(table)]
    if other := sum(number for table, number in rows.items() if table not in _COUNTED):
        parts.append(counted(other, "other entry", "other entries"))
    return parts
