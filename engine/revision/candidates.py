"""Edits as an aligner sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.revision.differences import added_text, deleted_text, diff_form, word_changes
from engine.revision.records import Candidate, Edit, RevisionDiff


def candidates(diff: RevisionDiff, keep: Callable[[Edit], bool] | None = None) -> tuple[Candidate, ...]:
    """The candidates that the edits make, in their order; where ``keep`` is given, only edits for which it holds."""
    return tuple(candidate(edit) for edit in diff.edits if keep is None or keep(edit))


def candidate(edit: Edit) -> Candidate:
    """An edit as a candidate: diff form, what was added and deleted, and the text around the changes.

    ``context`` is what stayed, so that a comment on the matter finds the edit even where the changed words alone do not
    name it.
    """
    changes = word_changes(edit.source_text, edit.target_text)
    return Candidate(
        edit_id=edit.id,
        diff_text=diff_form(changes),
        added=added_text(changes),
        deleted=deleted_text(changes),
        context=_joined(change.text for change in changes if change.operation == "equal"),
        section=edit.section,
    )


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(text.split()) for text in texts if text.strip())
