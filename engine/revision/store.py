"""The revision tables: comparisons and suggestions as results; links, states and decisions as human work.

Links whose edit the newest comparison no longer finds are marked as not ``attached``.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from engine.errors import BadInput
from engine.project import Action, Project, new_id, record, records, values_of
from engine.project.tables import Row
from engine.reviews.store import named_comment
from engine.revision.comparison_store import ComparisonStore
from engine.revision.records import (
    MISTAKES,
    CommentJudgement,
    CommentState,
    Link,
    LinkChange,
    LinkingProgress,
    Mistake,
    NewLink,
    NewPassage,
    SilverLabel,
    SilverPair,
    Suggestion,
    SuggestionDecision,
)
from engine.revision.silver import KINDS
from engine.shown import counted, shortened

_STATE_TITLES: dict[CommentState, str] = {
    "undecided": "Set comment back to undecided",
    "linked": "Mark comment as linked",
    "answered": "Mark comment as answered without an edit",
    "visual_only": "Mark comment as visual change only",
    "not_addressed": "Mark comment as not addressed",
    "no_edit_found": "Mark comment as no edit found",
}
_NAMED = 40
"""Maximum characters of a passage in its name in History."""
_LINKS = "SELECT l.*, e.current AS attached FROM edit_link l JOIN edit e ON e.id = l.edit_id"


class RevisionStore(ComparisonStore):
    """Reads and writes the revision tables. Unless an annotator is given, reads return the acting one's work.

    ``on_screen`` returns whether suggestions for a comment are visible to the person deciding; this is stored with each
    decision. None: unknown, nothing is stored.
    """

    on_screen: Callable[[str], bool] | None = None

    # --- decisions on suggestions: human work -------------------------------------------------------

    def accept_suggestion(self, suggestion: Suggestion, *, overrule: bool = False) -> LinkChange:
        """Creates the link, with the model as its origin, and stores that the suggestion was accepted; ``overrule`` as
        in ``link_comment``."""
        with self._project.action(f"Accept suggestion {self.pair_title(suggestion)}") as act:
            self._decide(act, suggestion, "accepted")
            new = NewLink(suggestion.comment_id, suggestion.edit_id, suggestion.score)
            return self._link(act, [new], suggestion.origin, overrule=overrule)

    def reject_suggestion(self, suggestion: Suggestion) -> LinkChange:
        """Stores that the suggestion was rejected; removes a link from accepting it."""
        with self._project.action(f"Reject suggestion {self.pair_title(suggestion)}") as act:
            return self._reject(act, suggestion, suggestion.mistakes)

    def toggle_mistake(self, suggestion: Suggestion, mistake: Mistake) -> LinkChange:
        """Adds this reason to a suggestion's rejection, rejecting it, or removes the reason while it stays rejected."""
        with self._project.action(f"Give reason for rejecting suggestion {self.pair_title(suggestion)}") as act:
            chosen = {*suggestion.mistakes} ^ {mistake}
            return self._reject(act, suggestion, [name for name in MISTAKES if name in chosen])

    def _reject(self, act: Action, suggestion: Suggestion, mistakes: Sequence[Mistake]) -> LinkChange:
        own = self._own_links(comment_id=suggestion.comment_id, edit_id=suggestion.edit_id)
        change = self._unlink(act, [link for link in own if link.origin.startswith("model:")])
        self._decide(act, suggestion, "rejected", mistakes)
        return change

    def _decide(
        self, act: Action, suggestion: Suggestion, decision: SuggestionDecision, mistakes: Sequence[Mistake] = ()
    ) -> None:
        pair = {"comment_id": suggestion.comment_id, "edit_id": suggestion.edit_id}
        offer = {"origin": suggestion.origin, "score": suggestion.score, "rank": suggestion.rank}
        act.keep(
            "suggestion_decision",
            pair | {"annotator_id": self._project.annotator_id},
            offer | {"decision": decision, "mistakes": list(mistakes)},
        )

    # --- links: human work ------------------------------------------------------------------------

    def links(self, revision_id: str, *, annotator_id: str | None = None) -> tuple[Link, ...]:
        """Returns all links of a revision, oldest first, including those that need attention."""
        rows = self._project.query(
            f"{_LINKS} WHERE e.revision_id = ? AND l.annotator_id = ? ORDER BY l.created_at, l.id",
            (revision_id, annotator_id or self._project.annotator_id),
        )
        return tuple(records(Link, rows))

    def workers(self) -> dict[str, frozenset[str]]:
        """Returns by revision the annotators who linked or decided anything there."""
        rows = self._project.query(
            "SELECT e.revision_id, l.annotator_id FROM edit_link l JOIN edit e ON e.id = l.edit_id"
            " UNION SELECT revision_id, annotator_id FROM comment_state"
        )
        found: dict[str, set[str]] = defaultdict(set)
        for revision_id, annotator_id in rows:
            found[revision_id].add(annotator_id)
        return {key: frozenset(people) for key, people in found.items()}

    def link_comment(self, comment_id: str, edit_id: str, *, overrule: bool = False) -> LinkChange:
        """Links an edit to a comment; an undecided comment becomes linked, with ``overrule`` also one whose state says
        that no edit answers it. An existing link isn't changed."""
        with self._project.action(f"Link {self._named(comment_id)} to {self._label(edit_id)}") as act:
            return self._link(act, [NewLink(comment_id, edit_id)], "person", overrule=overrule)

    def link_passage(
        self, comment_id: str, revision_id: str, passage: NewPassage, *, overrule: bool = False
    ) -> LinkChange:
        """Links a passage of the revised version where no edit was found; ``overrule`` as in ``link_comment``."""
        return self.link_comment(comment_id, self.keep_passage(revision_id, passage), overrule=overrule)

    def dismiss_edit(self, edit_id: str) -> LinkChange:
        """Dismisses an edit: it is removed from lists, suggestions and counts, and the annotator's links to it are
        deleted."""
        with self._project.action(f"Dismiss {self._label(edit_id)}") as act:
            change = self._unlink(act, self._own_links(edit_id=edit_id))
            act.keep("dismissed_edit", {"edit_id": edit_id, "annotator_id": self._project.annotator_id}, {})
            return change

    def restore_edit(self, edit_id: str) -> None:
        """Restores a dismissed edit."""
        with self._project.action(f"Restore {self._label(edit_id)}") as act:
            act.delete("dismissed_edit", edit_id=edit_id, annotator_id=self._project.annotator_id)

    def import_links(self, links: Sequence[NewLink], filename: str) -> LinkChange:
        """Imports links from a file, whose name becomes their origin."""
        title = f"Import {counted(len(links), 'link')} from {filename}"
        with self._project.action(title) as act:
            return self._link(act, links, f"import:{filename}")

    def link_from(self, links: Sequence[NewLink], origin: str) -> LinkChange:
        """Creates several links in one step, with an ``origin``: "person", or their source."""
        with self._project.action(f"Link {counted(len(links), 'pair')}") as act:
            return self._link(act, links, origin)

    def unlink_comment(self, comment_id: str, edit_id: str) -> LinkChange:
        """Removes a link; without any link left, a linked comment becomes undecided again."""
        with self._project.action(f"Unlink {self._named(comment_id)} from {self._label(edit_id)}") as act:
            return self._unlink(act, self._own_links(comment_id=comment_id, edit_id=edit_id))

    def reattach_link(self, link_id: str, edit_id: str) -> LinkChange:
        """Moves a link that needs attention to an edit of the new comparison; note and origin are kept."""
        (old,) = self._own_links(id=link_id)
        title = f"Move link of {self._named(old.comment_id)} to {self._label(edit_id)}"
        with self._project.action(title) as act:
            if self._own_links(comment_id=old.comment_id, edit_id=edit_id):
                act.delete("edit_link", id=link_id)
                return LinkChange(removed=(old,))
            act.update("edit_link", link_id, {"edit_id": edit_id})
            return LinkChange(links=self._own_links(id=link_id))

    def _label(self, edit_id: str) -> str:
        """Returns an edit's display name, which distinguishes actions in History; for a passage with its words."""
        row = self._project.query_one("SELECT label, passage, target_text FROM edit WHERE id = ?", (edit_id,))
        if row is None:
            return ""
        words = f" “{shortened(row['target_text'], _NAMED)}”" if row["passage"] else ""
        return f"{'passage' if row['passage'] else 'edit'} {row['label']}{words}"

    def _named(self, comment_id: str) -> str:
        return named_comment(self._project, comment_id)

    def pair_title(self, pair: Suggestion | SilverPair) -> str:
        """Returns an edit and a comment, for the title of an action."""
        return f"{self._label(pair.edit_id).removeprefix('edit ')} for {self._named(pair.comment_id)}"

    def _own_links(self, revision_id: str | None = None, **wanted: str) -> tuple[Link, ...]:
        """Returns the acting annotator's links with these values, of a revision if one is given."""
        condition = "".join(f" AND l.{column} = ?" for column in wanted)
        rows = self._project.query(
            f"{_LINKS} WHERE l.annotator_id = ?{condition} AND (? IS NULL OR e.revision_id = ?)",
            (self._project.annotator_id, *wanted.values(), revision_id, revision_id),
        )
        return tuple(records(Link, rows))

    def _link(self, act: Action, links: Sequence[NewLink], origin: str, *, overrule: bool = False) -> LinkChange:
        made: dict[tuple[str, str], Link] = {}
        judged: list[Row] = []
        states: dict[tuple[str, str], CommentJudgement] = {}
        for new in links:
            edit = self._project.row("edit", new.edit_id)
            pair = new.comment_id, new.edit_id
            if pair in made or self._own_links(comment_id=new.comment_id, edit_id=new.edit_id):
                continue
            made[pair] = Link(
                new_id(), *pair, self._project.annotator_id, origin, new.confidence, new.note, bool(edit["current"])
            )
            act.delete("dismissed_edit", edit_id=new.edit_id, annotator_id=self._project.annotator_id)
            state = self._state(edit["revision_id"], new.comment_id)
            whose = edit["revision_id"], new.comment_id
            if whose not in states and (state is None or overrule or state["state"] in ("undecided", "no_edit_found")):
                linked = states[whose] = CommentJudgement(
                    new.comment_id, "linked", "" if state is None else state["note"]
                )
                if state is None:
                    shown = self._on_screen(new.comment_id, None)
                    judged.append(values_of(linked) | {"revision_id": edit["revision_id"], "suggested": shown})
                else:
                    shown = self._on_screen(new.comment_id, state["suggested"])
                    act.update("comment_state", state["id"], {"state": "linked", "suggested": shown})
        act.insert_all("edit_link", (values_of(link, "attached") for link in made.values()))
        act.insert_all("comment_state", judged)
        return LinkChange(links=tuple(made.values()), states=tuple(states.values()))

    def _unlink(self, act: Action, links: Sequence[Link]) -> LinkChange:
        states: dict[str, CommentJudgement] = {}
        for link in links:
            act.delete("edit_link", id=link.id)
            # The suggestion is open again, neither accepted nor rejected.
            pair = {"comment_id": link.comment_id, "edit_id": link.edit_id, "annotator_id": link.annotator_id}
            for table in ("suggestion_decision", "silver_decision"):
                act.delete(table, **pair, decision="accepted")
            revision_id = self._project.row("edit", link.edit_id)["revision_id"]
            left = self._own_links(revision_id, comment_id=link.comment_id)
            state = self._state(revision_id, link.comment_id)
            if not left and state is not None and state["state"] == "linked":
                states[link.comment_id] = self._set_state(act, revision_id, link.comment_id, "undecided", None)
        return LinkChange(removed=tuple(links), states=tuple(states.values()))

    # --- states: human work -----------------------------------------------------------------------

    def comment_states(self, revision_id: str, *, annotator_id: str | None = None) -> dict[str, CommentJudgement]:
        """Returns the decided states by comment; other comments are undecided."""
        rows = self._project.query(
            "SELECT comment_id, state, note FROM comment_state WHERE revision_id = ? AND annotator_id = ?",
            (revision_id, annotator_id or self._project.annotator_id),
        )
        return {judgement.comment_id: judgement for judgement in records(CommentJudgement, rows)}

    def set_comment_state(
        self,
        revision_id: str,
        comment_ids: str | Sequence[str],
        state: CommentState,
        *,
        note: str | None = None,
        keep_links: bool = True,
    ) -> LinkChange:
        """Decides on one or several comments in one step; without ``keep_links`` their links are removed. ``note`` None
        keeps the note.

        Raises:
            BadInput: "linked" for a comment without a link.
        """
        listed = [comment_ids] if isinstance(comment_ids, str) else list(comment_ids)
        named = counted(len(listed), "comment") if listed[1:] else self._named(*listed)
        with self._project.action(_STATE_TITLES[state].replace("comment", named, 1)) as act:
            removed = tuple(
                link for key in listed if not keep_links for link in self._own_links(revision_id, comment_id=key)
            )
            self._unlink(act, removed)
            for comment_id in listed:
                if state == "linked" and not self._own_links(revision_id, comment_id=comment_id):
                    raise BadInput(
                        "This comment isn't linked to any edit yet.",
                        "Its state wasn't changed.",
                        "Choose an edit and press L, or choose another state.",
                    )
            states = [self._set_state(act, revision_id, comment_id, state, note) for comment_id in listed]
        return LinkChange(removed=removed, states=tuple(states))

    def _state(self, revision_id: str, comment_id: str) -> sqlite3.Row | None:
        return self._project.query_one(
            "SELECT * FROM comment_state WHERE revision_id = ? AND comment_id = ? AND annotator_id = ?",
            (revision_id, comment_id, self._project.annotator_id),
        )

    def _set_state(
        self, act: Action, revision_id: str, comment_id: str, state: CommentState, note: str | None
    ) -> CommentJudgement:
        whose = {"revision_id": revision_id, "comment_id": comment_id, "annotator_id": self._project.annotator_id}
        known = self._state(revision_id, comment_id)
        shown = self._on_screen(comment_id, known["suggested"] if known is not None else None)
        values = {"state": state, "suggested": shown} | ({} if note is None else {"note": note})
        key = act.keep("comment_state", whose, values)
        return record(CommentJudgement, self._project.row("comment_state", key))

    def _on_screen(self, comment_id: str, before: int | None) -> int | None:
        """Returns whether suggestions for a comment were ever visible to the acting annotator when deciding on it."""
        if self.on_screen is None:
            return before
        return int(bool(before) or self.on_screen(comment_id))

    # --- counts -----------------------------------------------------------------------------------

    def progress(self, revision_id: str, comment_ids: Iterable[str]) -> LinkingProgress:
        """Returns the progress of linking; ``comment_ids`` are the comments that the revision should answer."""
        wanted = set(comment_ids)
        states = self.comment_states(revision_id)
        decided = sum(
            judgement.state != "undecided" and comment_id in wanted for comment_id, judgement in states.items()
        )
        lost = sum(not link.attached for link in self.links(revision_id))
        return LinkingProgress(decided, len(wanted) - decided, lost)


# The silver labels of a project: links found in responses as results, and a person's decision on each pair. A pair
# found in several ways is decided on once. Confirming creates the link, with the rule as its origin; rejecting stores
# that it was offered. Decisions survive a new search.

VERSION = "1"


class SilverStore:
    """Reads and writes silver labels. Reads return the acting annotator's own decisions."""

    def __init__(self, project: Project, revisions: RevisionStore) -> None:
        self._project = project
        self._revisions = revisions

    def save(self, revision_id: str, labels: Sequence[SilverLabel]) -> None:
        """Stores the results of a search; labels that weren't found again are deleted, decisions are kept."""
        with self._project.results("Find links in responses") as write:
            write.delete("silver_label", revision_id=revision_id)
            write.insert_all("silver_label", (values_of(label) | {"revision_id": revision_id} for label in labels))
            write.touched("silver_label", {label.comment_id for label in labels})

    def pairs(self, revision_id: str, *, undecided: bool = False) -> tuple[SilverPair, ...]:
        """Returns the queue: pairs whose edit is in the newest comparison, the most certain first; ``undecided`` leaves
        out those that were confirmed, rejected, or linked otherwise."""
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
        """Creates the link and stores that the label was right."""
        surest = pair.labels[0]
        with self._project.action(f"Confirm link from response: {self._revisions.pair_title(pair)}") as act:
            self._decide(act, pair, "accepted")
            new = NewLink(pair.comment_id, pair.edit_id, surest.strength)
            return self._revisions.link_from([new], origin_of(surest))

    def refuse(self, pair: SilverPair) -> LinkChange:
        """Stores that the label was wrong; removes a link from confirming it."""
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
        """Reopens a rejected pair: it is in the queue again."""
        with self._project.action(f"Reopen link from response: {self._revisions.pair_title(pair)}") as act:
            act.delete("silver_decision", **self._key(pair), decision="rejected")

    def _decide(self, act: Action, pair: SilverPair, decision: SuggestionDecision) -> None:
        surest = pair.labels[0]
        values = {"decision": decision, "kind": surest.kind, "strength": surest.strength}
        act.keep("silver_decision", self._key(pair), values)

    def _key(self, pair: SilverPair) -> Row:
        return {"comment_id": pair.comment_id, "edit_id": pair.edit_id, "annotator_id": self._project.annotator_id}


def origin_of(label: SilverLabel) -> str:
    """Returns the provenance of a confirmed label's link."""
    return f"model:silver-{label.kind.replace(' ', '-')}@{VERSION}"


def _sureness(label: SilverLabel) -> tuple[int, float]:
    return -KINDS.index(label.kind), label.strength
