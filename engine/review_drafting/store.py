"""The tables of a review that a person writes: drafts, fields, versions, evidence cards, decisions (human work)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.documents.records import Box
from engine.project import new_id, now
from engine.review_drafting.records import AnchorKind, Point
from engine.review_drafting.run_store import ReviewRunStore

Stance = Literal["strength", "weakness", "question", "note"]
Decision = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A review that a person writes of one document. ``form_content`` is an imported form's JSON, "" where it ships."""

    id: str
    document_id: str
    title: str
    form: str
    form_content: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """All fields as they stood at a moment; ``fields`` are (field, value) in the order of their names."""

    id: str
    draft_id: str
    reason: str
    fields: tuple[tuple[str, str], ...]
    created_at: str


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    """A place in the paper and what the reviewer says of it; ``field`` is the one that it was put into, "" for none."""

    kind: AnchorKind
    ref: str = ""
    quote: str = ""
    prefix: str = ""
    suffix: str = ""
    paragraph_id: str = ""
    start: int = 0
    end: int = 0
    page: int = 0
    boxes: tuple[Box, ...] = ()
    stance: Stance = "note"
    note: str = ""
    field: str = ""
    origin: str = "person"
    id: str = ""
    draft_id: str = ""


_CARD_COLUMNS = (
    "kind", "ref", "quote", "prefix", "suffix", "paragraph_id", "start", "end", "page", "boxes", "stance", "note",
    "field", "origin",
)  # fmt: skip
_CARD_LIST = ", ".join(f'"{column}"' for column in _CARD_COLUMNS)


class ReviewDraftStore(ReviewRunStore):
    """Readers and verbs of drafts, and those of runs and prompts.

    Nothing in here reads the benchmark's tables: drafting has no access to a paper's rubrics.
    """

    # --- drafts ---------------------------------------------------------------------------------------------------
    def drafts(self, document_id: str | None = None) -> tuple[ReviewDraft, ...]:
        """All drafts in the order in which they were begun, or those of one document."""
        rows = self._project.query(
            "SELECT * FROM review_draft WHERE ? IS NULL OR document_id = ? ORDER BY position, id",
            (document_id, document_id),
        )
        return tuple(map(_draft, rows))

    def draft(self, draft_id: str) -> ReviewDraft:
        """One draft. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM review_draft WHERE id = ?", (draft_id,))
        if row is None:
            raise KeyError(draft_id)
        return _draft(row)

    def begin_draft(
        self,
        document_id: str,
        title: str,
        form: str,
        *,
        form_content: str = "",
        fields: Mapping[str, str] | None = None,
        origin: str = "person",
        initiator: object | None = None,
    ) -> ReviewDraft:
        """Begins a review of a document; ``fields`` are filled in with it."""
        key, moment, me = new_id(), now(), self._project.annotator_id
        with self._project.action(f"Begin review “{title}”", initiator=initiator) as act:
            act.execute(
                "INSERT INTO review_draft(id, document_id, title, form, form_content, position, origin, annotator_id,"
                " created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM review_draft), ?, ?, ?, ?)",
                (key, document_id, title, form, form_content, origin, me, moment, moment),
            )
            for name, value in (fields or {}).items():
                self.set_field(key, name, value)
        return self.draft(key)

    def rename_draft(self, draft_id: str, title: str, *, initiator: object | None = None) -> None:
        """Gives a draft another title; typing on is one undo step."""
        with self._project.action("Rename review", coalesce=f"review-title:{draft_id}", initiator=initiator) as act:
            act.execute("UPDATE review_draft SET title = ?, updated_at = ? WHERE id = ?", (title, now(), draft_id))

    def set_form(self, draft_id: str, form: str, form_content: str = "", *, initiator: object | None = None) -> None:
        """Puts a draft on another venue's form; what stands in fields stays, whatever the form shows."""
        with self._project.action("Change the review form", initiator=initiator) as act:
            act.execute(
                "UPDATE review_draft SET form = ?, form_content = ?, updated_at = ? WHERE id = ?",
                (form, form_content, now(), draft_id),
            )

    def remove_draft(self, draft_id: str, *, initiator: object | None = None) -> None:
        """Takes a draft out with all that was made for it; one undo brings it back. Runs stay."""
        with self._project.action("Remove review", initiator=initiator) as act:
            for table in ("review_field", "review_version", "evidence_card", "review_suggestion_decision"):
                act.execute(f"DELETE FROM {table} WHERE draft_id = ?", (draft_id,))  # noqa: S608 - named above
            act.execute("DELETE FROM review_draft WHERE id = ?", (draft_id,))

    # --- fields and versions --------------------------------------------------------------------------------------
    def fields(self, draft_id: str) -> dict[str, str]:
        """What stands in the fields of a draft; fields that nobody touched are not among them."""
        rows = self._project.query(
            "SELECT field, value FROM review_field WHERE draft_id = ? ORDER BY field", (draft_id,)
        )
        return {row["field"]: row["value"] for row in rows}

    def set_field(
        self, draft_id: str, field: str, value: str, *, coalesce: str = "", initiator: object | None = None
    ) -> None:
        """Writes a field; typing on in the same field is one undo step, or what is written under one ``coalesce``."""
        moment, me = now(), self._project.annotator_id
        key = coalesce or f"review-field:{draft_id}:{field}"
        with self._project.action(f"Write {field.replace('_', ' ')}", coalesce=key, initiator=initiator) as act:
            row = self._project.query_one(
                "SELECT id, value FROM review_field WHERE draft_id = ? AND field = ?", (draft_id, field)
            )
            if row is None:
                act.execute(
                    "INSERT INTO review_field(id, draft_id, field, value, annotator_id, created_at, updated_at)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (new_id(), draft_id, field, value, me, moment, moment),
                )
            elif row["value"] != value:
                act.execute(
                    "UPDATE review_field SET value = ?, updated_at = ? WHERE id = ?", (value, moment, row["id"])
                )

    def versions(self, draft_id: str) -> tuple[DraftVersion, ...]:
        """What was kept of a draft, the newest first."""
        rows = self._project.query(
            "SELECT * FROM review_version WHERE draft_id = ? ORDER BY created_at DESC, id DESC", (draft_id,)
        )
        return tuple(map(_version, rows))

    def keep_version(self, draft_id: str, reason: str, *, initiator: object | None = None) -> DraftVersion | None:
        """Keeps the fields as they are; None where they are those of the newest version."""
        fields = tuple(sorted(self.fields(draft_id).items()))
        kept = self.versions(draft_id)
        if kept and kept[0].fields == fields:
            return None
        key, moment = new_id(), now()
        with self._project.action("Keep a version of the review", initiator=initiator) as act:
            act.execute(
                "INSERT INTO review_version(id, draft_id, reason, content, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    draft_id,
                    reason,
                    json.dumps(dict(fields), ensure_ascii=False),
                    self._project.annotator_id,
                    moment,
                    moment,
                ),
            )
        return DraftVersion(key, draft_id, reason, fields, moment)

    def version(self, version_id: str) -> DraftVersion:
        """One version. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM review_version WHERE id = ?", (version_id,))
        if row is None:
            raise KeyError(version_id)
        return _version(row)

    def restore_version(
        self, version_id: str, only: Collection[str] | None = None, *, initiator: object | None = None
    ) -> None:
        """Puts a version back into the fields, or into those of ``only``; what stood there is kept as a version first.

        Raises KeyError.
        """
        version = self.version(version_id)
        with self._project.action("Restore a version of the review", initiator=initiator):
            self.keep_version(version.draft_id, "before restoring")
            now_there = self.fields(version.draft_id)
            for name, value in {**dict.fromkeys(now_there, ""), **dict(version.fields)}.items():
                if now_there.get(name) != value and (only is None or name in only):
                    self.set_field(version.draft_id, name, value)

    # --- evidence cards -------------------------------------------------------------------------------------------
    def cards(self, draft_id: str) -> tuple[EvidenceCard, ...]:
        """The evidence of a draft, in its order."""
        rows = self._project.query("SELECT * FROM evidence_card WHERE draft_id = ? ORDER BY position, id", (draft_id,))
        return tuple(map(_card, rows))

    def card(self, card_id: str) -> EvidenceCard:
        """One card. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM evidence_card WHERE id = ?", (card_id,))
        if row is None:
            raise KeyError(card_id)
        return _card(row)

    def add_card(self, draft_id: str, card: EvidenceCard, *, initiator: object | None = None) -> EvidenceCard:
        """Adds a card at the end; returns it with its key."""
        key, moment = new_id(), now()
        with self._project.action("Add evidence", initiator=initiator) as act:
            act.execute(
                f"INSERT INTO evidence_card(id, draft_id, {_CARD_LIST}, position, annotator_id, created_at, updated_at)"  # noqa: S608
                f" VALUES (?, ?, {', '.join('?' * len(_CARD_COLUMNS))},"
                " (SELECT coalesce(max(position), 0) + 1 FROM evidence_card WHERE draft_id = ?), ?, ?, ?)",
                (key, draft_id, *_card_values(card), draft_id, self._project.annotator_id, moment, moment),
            )
        return replace(card, id=key, draft_id=draft_id)

    def update_card(self, card: EvidenceCard, *, initiator: object | None = None) -> None:
        """Writes a card as it was changed (note, stance, field, place); typing on is one undo step. Raises KeyError."""
        self.card(card.id)
        given = ", ".join(f'"{column}" = ?' for column in _CARD_COLUMNS)
        with self._project.action("Edit evidence", coalesce=f"evidence:{card.id}", initiator=initiator) as act:
            act.execute(
                f"UPDATE evidence_card SET {given}, updated_at = ? WHERE id = ?",  # noqa: S608 - columns of the record
                (*_card_values(card), now(), card.id),
            )

    def move_card(self, card_id: str, before: str | None, *, initiator: object | None = None) -> None:
        """Puts a card before another one of its draft, or at the end. Raises KeyError."""
        card = self.card(card_id)
        order = [other.id for other in self.cards(card.draft_id) if other.id != card_id]
        order.insert(len(order) if before is None else order.index(self.card(before).id), card_id)
        with self._project.action("Move evidence", initiator=initiator) as act:
            for position, key in enumerate(order, start=1):
                act.execute(
                    "UPDATE evidence_card SET position = ?, updated_at = ? WHERE id = ? AND position <> ?",
                    (position, now(), key, position),
                )

    def remove_card(self, card_id: str, *, initiator: object | None = None) -> None:
        """Takes a card out."""
        with self._project.action("Remove evidence", initiator=initiator) as act:
            act.execute("DELETE FROM evidence_card WHERE id = ?", (card_id,))

    # --- decisions ------------------------------------------------------------------------------------------------
    def decisions(self, draft_id: str, run_id: str) -> dict[str, Decision]:
        """What the acting annotator took and refused of a run, by the point's id."""
        rows = self._project.query(
            "SELECT point_id, decision FROM review_suggestion_decision"
            " WHERE draft_id = ? AND run_id = ? AND annotator_id = ?",
            (draft_id, run_id, self._project.annotator_id),
        )
        return {row["point_id"]: row["decision"] for row in rows}

    def decide(
        self,
        draft_id: str,
        run_id: str,
        point: Point,
        decision: Decision | None,
        *,
        initiator: object | None = None,
    ) -> None:
        """Says that a point of a run was taken or refused; None takes the decision back."""
        key = (draft_id, run_id, point.id, self._project.annotator_id)
        moment = now()
        title = {"accepted": "Take a suggestion", "rejected": "Refuse a suggestion", None: "Leave a suggestion open"}
        with self._project.action(title[decision], initiator=initiator) as act:
            row = self._project.query_one(
                "SELECT id FROM review_suggestion_decision"
                " WHERE draft_id = ? AND run_id = ? AND point_id = ? AND annotator_id = ?",
                key,
            )
            if decision is None:
                if row is not None:
                    act.execute("DELETE FROM review_suggestion_decision WHERE id = ?", (row["id"],))
            elif row is not None:
                act.execute(
                    "UPDATE review_suggestion_decision SET decision = ?, updated_at = ? WHERE id = ?",
                    (decision, moment, row["id"]),
                )
            else:
                act.execute(
                    "INSERT INTO review_suggestion_decision(id, draft_id, run_id, point_id, stage, text, decision,"
                    " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        new_id(),
                        draft_id,
                        run_id,
                        point.id,
                        point.origin,
                        point.text,
                        decision,
                        self._project.annotator_id,
                        moment,
                        moment,
                    ),
                )


def _draft(row: sqlite3.Row) -> ReviewDraft:
    return ReviewDraft(row["id"], row["document_id"], row["title"], row["form"], row["form_content"], row["created_at"])


def _version(row: sqlite3.Row) -> DraftVersion:
    fields = tuple(sorted(json.loads(row["content"]).items()))
    return DraftVersion(row["id"], row["draft_id"], row["reason"], fields, row["created_at"])


def _card(row: sqlite3.Row) -> EvidenceCard:
    values = {column: row[column] for column in _CARD_COLUMNS}
    values["boxes"] = tuple(Box(int(page), *rest) for page, *rest in json.loads(row["boxes"]))
    return EvidenceCard(**values, id=row["id"], draft_id=row["draft_id"])


def _card_values(card: EvidenceCard) -> list[object]:
    values: list[object] = []
    for column in _CARD_COLUMNS:
        value = getattr(card, column)
        values.append(json.dumps([[b.page, b.x0, b.y0, b.x1, b.y1] for b in value]) if column == "boxes" else value)
    return values
