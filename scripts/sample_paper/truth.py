"""The ground truth of the sample by construction: the paragraphs of both versions and the edits between them.

The rules are those of ``engine.revision.records.Edit``: tokens are words and citations, automatic numbers don't count
as changes, fewer than ten changed tokens are minor, and a paragraph is moved if its pair isn't part of the longest run
of pairs in the same order.
"""

import re
from bisect import bisect_left
from difflib import SequenceMatcher
from typing import Any

from sample_paper.mathset import plain_text
from sample_paper.source import Block, Version

KINDS = {
    "abstract": "body",
    "body": "body",
    "figure": "caption",
    "table": "caption",
    "reference": "reference",
    "heading": "heading",
    "equation": "equation",
}


def reader_text(version: Version, block: Block) -> str:
    """Returns the paragraph as printed: without emphasis, formula marks and footnotes, with numbers filled in."""
    if block.kind == "equation":
        return plain_text(block.text)
    text = re.sub(r"\^\[[^\]]+\]", "", version.printed(block.text))
    text = re.sub(r"\$([^$]+)\$", lambda match: plain_text(match[1]), text).replace("*", "")
    if block.kind in {"figure", "table"}:
        text = f"{block.kind.title()} {block.number}: {text}"
    if block.kind == "heading" and block.number:
        text = f"{block.number} {text}"
    return " ".join(text.split())


def _tokens(block: Block) -> list[str]:
    # Citations and references are compared by key, so that a new number alone is no change.
    return re.findall(r"@[\w-]+|\{[^}]+\}|\w+(?:[.,]\d+)*", block.text)


def _changed(before: list[str], after: list[str]) -> tuple[int, int]:
    removed = added = 0
    for operation, a0, a1, b0, b1 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation != "equal":
            removed += a1 - a0
            added += b1 - b0
    return removed, added


def _kept_in_order(values: list[int]) -> set[int]:
    """Returns the positions of a longest increasing subsequence of ``values``."""
    tails: list[int] = []
    where: list[int] = []
    previous = [-1] * len(values)
    for position, value in enumerate(values):
        slot = bisect_left(tails, value)
        previous[position] = where[slot - 1] if slot else -1
        if slot == len(tails):
            tails.append(value)
            where.append(position)
        else:
            tails[slot], where[slot] = value, position
    kept: set[int] = set()
    position = where[-1] if where else -1
    while position >= 0:
        kept.add(position)
        position = previous[position]
    return kept


def paragraphs(version: Version) -> list[dict[str, Any]]:
    """Returns the paragraphs of a version in reading order: id, kind, section, text; with headings and equations."""
    return [
        {"id": block.id, "kind": KINDS[block.kind], "section": block.section, "text": reader_text(version, block)}
        for block in version.blocks
        if block.kind in KINDS
    ]


def edits(submitted: Version, revised: Version) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Returns the edits of body paragraphs, captions and references in order of the revised text, and unchanged pairs.

    Returns (edits, [[submitted id, revised id], ...]).
    """
    compared = {"abstract", "body", "figure", "table", "reference"}
    old = {block.id: block for block in submitted.blocks if block.kind in compared}
    new = {block.id: block for block in revised.blocks if block.kind in compared}
    old_place = {name: place for place, name in enumerate(old)}
    groups: list[tuple[list[str], list[str]]] = []
    for block in new.values():
        sources = [name for name in block.sources if name in old]
        if sources and groups and groups[-1][0] == sources:
            groups[-1][1].append(block.id)
        else:
            groups.append((sources, [block.id]))
    paired = [group for group in groups if group[0]]
    kept = _kept_in_order([old_place[sources[0]] for sources, _ in paired])
    moved = {tuple(targets) for position, (_, targets) in enumerate(paired) if position not in kept}
    used = {name for sources, _ in groups for name in sources}
    # A deleted paragraph is placed after its predecessor.
    ordered: list[tuple[list[str], list[str]]] = list(groups)
    for name in old:
        if name not in used:
            before = [o for o in old if old_place[o] < old_place[name]]
            spot = 0
            for position, (sources, _) in enumerate(ordered):
                if before and before[-1] in sources:
                    spot = position + 1
            ordered.insert(spot, ([name], []))
    found: list[dict[str, Any]] = []
    unchanged: list[list[str]] = []
    for sources, targets in ordered:
        before_tokens = [token for name in sources for token in _tokens(old[name])]
        after_tokens = [token for name in targets for token in _tokens(new[name])]
        removed, added = _changed(before_tokens, after_tokens)
        is_moved = tuple(targets) in moved and bool(targets)
        if not sources:
            kind, operation = "added", "add"
        elif not targets:
            kind, operation = "deleted", "delete"
        elif len(sources) == len(targets) == 1 and not removed + added:
            if not is_moved:
                unchanged.append([sources[0], targets[0]])
                continue
            kind, operation = "moved", "move"
        else:
            kind = "minor" if removed + added < 10 else "major"
            operation = "split" if len(targets) > len(sources) else "merge" if len(sources) > len(targets) else "edit"
        first = (new[targets[0]] if targets else old[sources[0]])  # fmt: skip
        found.append(
            {
                "id": f"edit-{len(found) + 1:02d}",
                "kind": kind,
                "operation": operation,
                "moved": is_moved,
                "type": KINDS[first.kind],
                "source_ids": sources,
                "target_ids": targets,
                "tokens_removed": removed,
                "tokens_added": added,
            }
        )
    return found, unchanged
