"""The silver labels of a project: links found in responses as results, and what a person decided on each pair.

A pair that was found in several ways is decided on once. Confirming makes the link, with the rule as its origin;
refusing keeps that it was offered. Decisions survive a new search.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.project import Action, Project, records, values_of
from engine.project.tables import Row
from engine.revision.records import LinkChange, NewLink, SilverLabel, SilverPair, SuggestionDecision
from engine.revision.silver import KINDS
from engine.revision.store import RevisionStore

VERSION = "1"


class SilverStore:
    """Readers and verbs of the silver labels. Readers show the acting annotator's own decisions."""

    def __init__(self, project: Project, revisions: RevisionStore) -> None:
        self._project = project
        self._revisions = revisions

    def save(self, revision_id: str, labels: Sequence[SilverLabel]) -> None:
        """Keeps what a search found; labels of an earlier search that were not found again go, decisions stay."""
        with self._project.results("Find links in responses") as write:
            write.delete("silver_label", revision_id=revision_id)
            write.insert_all("silver_label", (values_of(label) | {"revision_id": revision_id} for label in labels))
            write.touched("silver_label", {label.comment_id for label in labels})

    def pairs(self, revision_id: str, *, undecided: bool = False) -> tuple[SilverPair, ...]:
        """The queue: pairs of edits that the newest comparison knows, the surest first; ``undecided`` leaves out those
        that were confirmed, refused, or linked by hand.
        """
        rows = self._project.query(
            "SELECT s.*, d.decision, l.id AS link_id FROM silver_label s JOIN edit e ON e.id = s.edit_id"
            " AND e.current = 1 AND NOT EXISTS (SELECT 1 FROM dismissed_edit x WHERE x.edit_id = e.id"
            " AND x.annotator_id = ?)"
            " LEFT JOIN silver_decision d ON d.comment_id = s.comment_id AND d.edit_id = s.edit_id"
            " AND d.annotator_id = ? LEFT JOIN edit_link l ON l.comment_id = s.comment_id AND l.edit_id = s.edit_id"
            " AND l.annotator_id = ? WHERE s.revision_id = ? ORDER BY s.id",
            (*[self._project.annotator_id] * 3, revision_id),
        )
        found: dict[tuple[str, str], list[SilverLabel]] = {}
        decisions: dict[tuple[str, str], SuggestionDecision | None] = {}
        for row, label in zip(rows, records(SilverLabel, rows), strict=True):
            if not (undecided and (row["decision"] or row["link_id"])):
                found.setdefault((label.comment_id, label.edit_id), []).append(label)
                decisions[label.comment_id, label.edit_id] = row["decision"]
        pairs = [
            SilverPair(revision_id, *pair, tuple(sorted(own, key=_sureness, reverse=True)), decisions[pair])
            for pair, own in found.items()
        ]
        return tuple(sorted(pairs, key=lambda pair: _sureness(pair.labels[0]), reverse=True))

    def confirm(self, pair: SilverPair) -> LinkChange:
        """Makes the link and keeps that the label was right."""
        surest = pair.labels[0]
        with self._project.action(f"Confirm link from response: {self._revisions.pair_title(pair)}") as act:
            self._decide(act, pair, "accepted")
            new = NewLink(pair.comment_id, pair.edit_id, surest.strength)
            return self._revisions.link_from([new], origin_of(surest))

    def refuse(self, pair: SilverPair) -> LinkChange:
        """Keeps that the label was wrong; a link that came from confirming it goes."""
        with self._project.action(f"Reject link from response: {self._revisions.pair_title(pair)}") as act:
            own = [
                link
                for link in self._revisions.links(pair.revision_id)
                if (link.comment_id, link.edit_id) == (pair.comment_id, pair.edit_id)
                and link.origin.startswith("model:silver")
            ]
            change = self._revisions.unlink_comment(pair.comment_id, pair.edit_id) if own else LinkChange()
            self._decide(act, pair, "rejected")
            return change

    def reopen(self, pair: SilverPair) -> None:
        """Takes a refusal back: the pair is in the queue again."""
        with self._project.action(f"Reopen link from response: {self._revisions.pair_title(pair)}") as act:
            act.delete("silver_decision", **self._key(pair), decision="rejected")

    def decisions(self, revision_id: str) -> tuple[tuple[str, str, SuggestionDecision, str], ...]:
        """(comment, edit, decision, kind) of everything decided on a revision, oldest first."""
        rows = self._project.query(
            "SELECT d.comment_id, d.edit_id, d.decision, d.kind FROM silver_decision d JOIN edit e ON e.id = d.edit_id"
            " WHERE e.revision_id = ? AND d.annotator_id = ? ORDER BY d.created_at, d.id",
            (revision_id, self._project.annotator_id),
        )
        return tuple(tuple(row) for row in rows)

    def _decide(self, act: Action, pair: SilverPair, decision: SuggestionDecision) -> None:
        surest = pair.labels[0]
        values = {"decision": decision, "kind": surest.kind, "strength": surest.strength}
        act.keep("silver_decision", self._key(pair), values)

    def _key(self, pair: SilverPair) -> Row:
        return {"comment_id": pair.comment_id, "edit_id": pair.edit_id, "annotator_id": self._project.annotator_id}


def origin_of(label: SilverLabel) -> str:
    """The provenance that a confirmed label's link carries."""
    return f"model:silver-{label.kind.replace(' ', '-')}@{VERSION}"


def _sureness(label: SilverLabel) -> tuple[int, float]:
    return -KINDS.index(label.kind), label.strength
