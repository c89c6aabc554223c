"""How edits are presented: those of chosen groups, what is opposite what, and what is doubtful about an edit."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.documents.records import Paragraph, ParsedDocument
from engine.revision.records import GROUP_TITLES, GROUPS, Edit, EditKind, RevisionDiff


@dataclass(frozen=True, slots=True)
class Aligned:
    """Paragraphs that are opposite each other; ``kind`` is that of the edit, or "unchanged"."""

    source_ids: tuple[str, ...]
    target_ids: tuple[str, ...]
    kind: EditKind | str
    edit_id: str = ""


def aligned_pairs(diff: RevisionDiff, source: Sequence[Paragraph], target: Sequence[Paragraph]) -> tuple[Aligned, ...]:
    """What is opposite what, in order of the revised text, deletions at their place: for linked scrolling.

    Every compared paragraph is in exactly one entry (words in drawings that changed in none). Entries with both
    sides and without a move rise on both sides but for footnotes and floats, and are what one interpolates between.
    """
    order = {paragraph.id: at for at, paragraph in enumerate(target)}
    source_order = {paragraph.id: at for at, paragraph in enumerate(source)}
    entries = [Aligned(old, new, "unchanged") for old, new in diff.unchanged]
    entries += [Aligned(edit.source_ids, edit.target_ids, edit.kind, edit.id) for edit in diff.edits if edit.target_ids]
    entries.sort(key=lambda entry: order[entry.target_ids[0]])
    gone = [Aligned(edit.source_ids, (), edit.kind, edit.id) for edit in diff.edits if not edit.target_ids]
    moved = {edit.id for edit in diff.edits if edit.moved}
    place: dict[int, int] = {}
    for at, entry in enumerate(entries):
        if entry.source_ids and entry.edit_id not in moved:
            place.setdefault(source_order[entry.source_ids[-1]], at)
    return _with_deletions(entries, gone, place, source_order)


def doubts(edit: Edit, source: ParsedDocument, target: ParsedDocument) -> tuple[str, ...]:
    """What is doubtful about the pages that an edit was read from, a sentence for each; () where nothing is."""
    found = []
    for document, ids, version in ((source, edit.source_ids, "Submitted"), (target, edit.target_ids, "Revised")):
        pages = {page for p in document.paragraphs if p.id in ids for page in (p.page, *(box.page for box in p.boxes))}
        found += [f"{version} version: {doubt.sentence}" for doubt in document.doubtful if doubt.page in pages]
    return tuple(found)


def _with_deletions(
    entries: Sequence[Aligned], gone: Sequence[Aligned], place: Mapping[int, int], source_order: Mapping[str, int]
) -> tuple[Aligned, ...]:
    follow: dict[int, list[Aligned]] = {}
    known = sorted(place)
    for entry in sorted(gone, key=lambda entry: source_order[entry.source_ids[0]]):
        before = bisect(known, source_order[entry.source_ids[0]])
        follow.setdefault(place[known[before - 1]] if before else -1, []).append(entry)
    result = list(follow.get(-1, ()))
    for at, entry in enumerate(entries):
        result.append(entry)
        result.extend(follow.get(at, ()))
    return tuple(result)


def in_groups(edits: Iterable[Edit], groups: Collection[str]) -> tuple[Edit, ...]:
    """The edits in some of the groups; "all" among them is every group."""
    return tuple(edit for edit in edits if edit.group in groups or "all" in groups)


def folded(edits: Iterable[Edit], groups: Collection[str]) -> str:
    """What a list of these groups leaves out, in words: "12 in references, 1 in tables"; "" where it is nothing."""
    left = Counter(edit.group for edit in edits if edit.group not in groups and "all" not in groups)
    return ", ".join(f"{left[group]} in {GROUP_TITLES[group].lower()}" for group in GROUPS if left[group])
