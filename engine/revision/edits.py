"""Paragraph edits between two versions of a paper (after ARIES, appendix A).

Differences of layout only aren't edits: line breaks, hyphenation, ligatures, quote and dash style, punctuation,
capitals, paragraphs split by a page or column, automatic numbers. ``words`` decides what counts, ``matching`` which
paragraphs correspond.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter

from engine.documents.records import Paragraph
from engine.revision.groups import group_of_edit, group_of_part, only_reordered_formulas
from engine.revision.matching import Group, Settings, fewest_changes, match, out_of_order
from engine.revision.parts import Part, changed_parts, figure_words, headings_of, joined, parts_of, runs, whole_tables
from engine.revision.records import Edit, EditKind, EditOperation, RevisionDiff
from engine.revision.words import cites_by_raised_numbers

MINOR_BELOW = 10
"""A paired edit with fewer changed tokens (removed plus added) is minor (ARIES, appendix A)."""

_MOVABLE_WORDS = 8  # fewer words may occur elsewhere by chance, so they don't count as moved

SEPARATOR = "\n"
"""Separates the paragraphs of one side in ``Edit.source_text`` and ``Edit.target_text``."""


def compare(
    source: Sequence[Paragraph], target: Sequence[Paragraph], *, settings: Settings | None = None
) -> RevisionDiff:
    """Returns all paragraph edits that lead from ``source`` to ``target``; both in reading order.

    Edits come in the order of the revised text, a deletion after what stood before it, numbered ``e001`` and on.
    Headings, paragraphs that say nothing (no word at all) and the words in drawings are left out on both sides; so are
    headings that only one version has in its paragraphs.
    """
    started = time.perf_counter()
    # The citation style is determined from both versions together: one with few citations may be misjudged.
    raised = cites_by_raised_numbers(p.text for side in (source, target) for p in side if p.kind != "heading")
    headings = headings_of(source), headings_of(target)
    old, new = (
        parts_of([p for p in side if p.kind != "heading"], raised=raised, headings=theirs - own)
        for side, own, theirs in ((source, *headings), (target, *headings[::-1]))
    )
    groups = match(
        [part.words for part in old],
        [part.words for part in new],
        [_family(p) for p in old],
        [_family(p) for p in new],
        settings,
    )
    groups = whole_tables(groups, [part.paragraph for part in old], [part.paragraph for part in new])
    moved = _moved(groups, old)
    partner = {at: group for group in groups for at in group.source}
    met = {at for group in groups for at in group.target}
    # Words in drawings help to match paragraphs, but aren't edits.
    drawn = figure_words(source), figure_words(target)
    drawn_old = {i for i, part in enumerate(old) if part.paragraph.id in drawn[0]}
    drawn_new = {j for j, part in enumerate(new) if part.paragraph.id in drawn[1]}

    unchanged: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    placed: list[tuple[int, Edit]] = []  # by position in the revised text; in this order for the same position
    for at, group in enumerate(groups):
        sides = [old[i] for i in group.source], [new[j] for j in group.target]
        pieces = [sides] if at in moved or _is_table(sides) else changed_parts(*sides)
        for was, now in pieces:
            removed, added, reordered = fewest_changes(
                [part.words for part in was], [part.words for part in now], raised=raised
            )
            shifted = reordered or at in moved
            if not shifted and only_reordered_formulas(removed, added):
                unchanged.append((_ids(was), _ids(now)))
                continue
            if drawn_old.issuperset(group.source) and drawn_new.issuperset(group.target):
                continue
            placed.append((group.target[0], _edit(was, now, removed, added, shifted)))
    for run in runs([part.paragraph for part in new], set(range(len(new))) - met - drawn_new):
        words = [word for j in run for word in new[j].words]
        placed.append((run[0], _edit([], [new[j] for j in run], [], words, False)))
    still = {group for at, group in enumerate(groups) if at not in moved}
    stood: dict[int, int] = {}
    after = -1
    for i in range(len(old)):
        if i in partner and partner[i] in still:
            after = partner[i].target[-1]
        stood[i] = after
    for run in runs([part.paragraph for part in old], set(range(len(old))) - set(partner) - drawn_old):
        words = [word for i in run for word in old[i].words]
        placed.append((stood[run[0]], _edit([old[i] for i in run], [], words, [], False)))

    placed.sort(key=itemgetter(0))
    digits = max(3, len(str(len(placed))))
    names = [f"e{at:0{digits}d}" for at in range(1, len(placed) + 1)]
    edits = tuple(replace(edit, id=name, label=name) for name, (_, edit) in zip(names, placed, strict=True))
    return RevisionDiff(edits, _apart(unchanged, edits), time.perf_counter() - started)


def edit_of(source: Sequence[Paragraph], target: Sequence[Paragraph]) -> Edit:
    """Returns the edit from ``source`` to ``target`` if their correspondence is given: all of both paragraphs, counted
    as in ``compare``. At most one side may be empty."""
    raised = cites_by_raised_numbers(one.text for one in (*source, *target))
    was, now = parts_of(source, raised=raised), parts_of(target, raised=raised)
    removed, added, _ = fewest_changes([part.words for part in was], [part.words for part in now], raised=raised)
    kind: EditKind = "added" if not source else "deleted" if not target else "major"
    if kind == "major" and len(removed) + len(added) < MINOR_BELOW:
        kind = "minor"
    return Edit(
        id="",
        kind=kind,
        operation=_operation(len(source), len(target), kind),
        moved=False,
        source_ids=tuple(one.id for one in source),
        target_ids=tuple(one.id for one in target),
        source_text=SEPARATOR.join(one.text for one in source),
        target_text=SEPARATOR.join(one.text for one in target),
        section=(target or source)[0].section,
        tokens_removed=len(removed),
        tokens_added=len(added),
        group=group_of_edit(was, now, removed, added) if was or now else "text",
    )


def _is_table(sides: tuple[Sequence[Part], Sequence[Part]]) -> bool:
    return all(part.paragraph.kind == "table" for side in sides for part in side)


def _apart(
    unchanged: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], edits: Sequence[Edit]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Returns the pairs without a paragraph in an edit, each paragraph once as far as possible."""
    edited = [{i for edit in edits for i in ids(edit)} for ids in (attrgetter("source_ids"), attrgetter("target_ids"))]
    seen: tuple[set[str], set[str]] = (set(), set())
    found = []
    for old, new in unchanged:
        if not (edited[0] & set(old) or edited[1] & set(new)) and not (seen[0] >= set(old) and seen[1] >= set(new)):
            found.append((old, new))
            seen[0].update(old)
            seen[1].update(new)
    return tuple(found)


def _family(part: Part) -> str:
    kind = part.paragraph.kind
    return "text" if kind in ("body", "footnote", "other") else kind


def _moved(groups: Sequence[Group], source: Sequence[Part]) -> frozenset[int]:
    """Returns the groups that moved: running text relative to running text, captions relative to those of their kind.

    The position of a float is the typesetter's choice, so the caption of a figure has only moved if it changed places
    with that of another figure; of these, the one that also left its place in the text. Tables follow their captions,
    and footnotes and notes to tables the text.
    """
    sizes = [sum(len(source[i].words) for i in group.source) for group in groups]
    total = sum(sizes) + 1
    prose: list[int] = []
    captions: dict[str, list[int]] = {}
    for at, part in enumerate(source[group.main[0]] for group in groups):
        if part.paragraph.kind == "caption":
            captions.setdefault(part.text[:3].lower(), []).append(at)
        elif part.paragraph.kind == "body" and group_of_part(part) == "text":
            prose.append(at)

    def off(among: Sequence[int], steady: Collection[int] = ()) -> set[int]:
        weights = [(1.0 + sizes[at] / total) * (1.5 if at in steady else 1.0) for at in among]
        return {among[k] for k in out_of_order([groups[at] for at in among], weights)}

    moved = off(prose)
    for alike in captions.values():
        moved |= off(alike, set(alike) - off([*prose, *alike]))
    return frozenset(at for at in moved if sizes[at] >= _MOVABLE_WORDS)


def _edit(
    source: Sequence[Part], target: Sequence[Part], removed: Sequence[str], added: Sequence[str], moved: bool
) -> Edit:
    kind: EditKind
    changed = len(removed) + len(added)
    if not source:
        kind = "added"
    elif not target:
        kind = "deleted"
    elif not changed and moved:
        kind = "moved"
    else:
        kind = "minor" if changed < MINOR_BELOW else "major"
    return Edit(
        id="",
        kind=kind,
        operation=_operation(len(joined(source)), len(joined(target)), kind),
        moved=moved,
        source_ids=_ids(source),
        target_ids=_ids(target),
        source_text=SEPARATOR.join(part.text for part in joined(source)),
        target_text=SEPARATOR.join(part.text for part in joined(target)),
        section=(target or source)[0].paragraph.section,
        tokens_removed=len(removed),
        tokens_added=len(added),
        group=group_of_edit(source, target, removed, added),
    )


def _operation(sources: int, targets: int, kind: EditKind) -> EditOperation:
    if not sources:
        return "add"
    if not targets:
        return "delete"
    if sources > 1:
        return "split+merge" if targets > 1 else "merge"
    if targets > 1:
        return "split"
    return "move" if kind == "moved" else "edit"


def _ids(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.paragraph.id for part in parts))
