"""Converts edits to the candidates that aligners rank."""

from collections.abc import Callable, Iterable, Sequence

from engine.documents.records import ParsedDocument
from engine.revision.differences import added_text, deleted_text, diff_form, word_changes
from engine.revision.records import Candidate, Edit, RevisionDiff


def candidates(diff: RevisionDiff, keep: Callable[[Edit], bool] | None = None) -> tuple[Candidate, ...]:
    """Returns the candidates of the edits, in their order; with ``keep``, only edits for which it is true."""
    return tuple(candidate(edit) for edit in diff.edits if keep is None or keep(edit))


def candidate(edit: Edit) -> Candidate:
    """Returns an edit as a candidate: diff form, added and deleted text, and the text around the changes.

    ``context`` is the unchanged text, so that a comment on the topic finds the edit even if the changed words don't
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


def stated(key: str, old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]], section: str) -> Edit:
    """Creates an edit from the (id, text) of its paragraphs on both sides, as stated by a file; its words aren't
    counted."""
    return Edit(
        id=key,
        kind="added" if not old else "deleted" if not new else "major",
        operation="add" if not old else "delete" if not new else "edit",
        moved=False,
        source_ids=tuple(paragraph for paragraph, _ in old),
        target_ids=tuple(paragraph for paragraph, _ in new),
        source_text="\n".join(text for _, text in old),
        target_text="\n".join(text for _, text in new),
        section=section,
        tokens_removed=0,
        tokens_added=0,
    )


def whole_paper(edits: Sequence[Edit], paragraphs: Iterable[tuple[str, str, str]]) -> tuple[Candidate, ...]:
    """Returns every paragraph of a revision in order: the edits, and between them the unchanged paragraphs.

    ``edits`` are in order; ``paragraphs`` are id, section and text of the revised version. An edit without a revised
    paragraph (a deletion) comes right before the next edit.
    """
    changed = {key: at for at, edit in enumerate(edits) for key in edit.target_ids}
    found: list[Candidate] = []
    done = 0
    for key, section, text in paragraphs:
        if key not in changed:
            found.append(Candidate(key, text, "", "", text, section))
        elif changed[key] >= done:
            found += map(candidate, edits[done : changed[key] + 1])
            done = changed[key] + 1
    return (*found, *map(candidate, edits[done:]))


def whole_revision(
    edits: Sequence[Edit], unchanged: Iterable[tuple[Sequence[str], Sequence[str]]], target: ParsedDocument
) -> tuple[Candidate, ...]:
    """Returns ``whole_paper`` of a compared PDF: the paragraphs of edits and of ``unchanged`` pairs."""
    compared = {key for _, keys in unchanged for key in keys} | {key for edit in edits for key in edit.target_ids}
    return whole_paper(edits, ((p.id, p.section, p.text) for p in target.paragraphs if p.id in compared))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(text.split()) for text in texts if text.strip())
