"""Holds what the two versions contain, so that replies can be checked again and again while they are written."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.store import DocumentStore
from engine.rebuttal.claims import Checked, check_claims
from engine.rebuttal.points import Outline
from engine.revision.records import Edit

if TYPE_CHECKING:
    from engine.documents.places import Places


@dataclass(frozen=True, slots=True)
class ToCheck:
    """A reply as it is now."""

    comment_id: str
    text: str
    confirmed: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    """Its sentences that nobody has accepted yet."""


def to_check(outline: Outline) -> list[ToCheck]:
    """All replies of an outline as they are now."""
    return [
        ToCheck(row.comment.id, row.point.text, row.point.confirmed, tuple(g.sentence for g in row.point.generated))
        for row in outline.rows
    ]


class ClaimChecker:
    """Reads each version once, at the first check. May be called on any thread, one at a time."""

    def __init__(self, documents: DocumentStore, source_document_id: str = "", target_document_id: str = "") -> None:
        self._documents = documents
        self._ids = (source_document_id, target_document_id)
        self._lock = threading.Lock()
        self._places: tuple[Places | None, Places | None] | None = None

    def check(self, replies: Sequence[ToCheck], edits: Sequence[Edit]) -> dict[str, tuple[Checked, ...]]:
        """What the revised version says to each reply, by comment; empty where it was not read yet."""
        with self._lock:
            submitted, revised = self._read()
            if revised is None:
                return {}
            return {
                r.comment_id: check_claims(r.text, revised, submitted, edits, r.confirmed, generated=r.generated)
                for r in replies
            }

    def revised_paragraphs(self) -> Mapping[str, Paragraph]:
        """The paragraphs of the revised version by id; empty where it was not read yet."""
        with self._lock:
            revised = self._read()[1]
            return {p.id: p for p in revised.document.paragraphs} if revised is not None else {}

    def _read(self) -> tuple[Places | None, Places | None]:
        if self._places is None:
            submitted, revised = (_places(self._documents.parsed(key) if key else None) for key in self._ids)
            if revised is None:
                return submitted, None  # it may be read later
            self._places = submitted, revised
        return self._places


def _places(parsed: ParsedDocument | None) -> Places | None:
    from engine.documents.places import Places

    return Places(parsed) if parsed is not None else None
