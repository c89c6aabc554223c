"""How well response letters come apart, against hand-marked letters.

The gold layout (per manuscript): ``response_letter.md``, ``review_comments.jsonl`` (actionable items: comment_spans,
block_span, response_spans, block_response_span) and ``non_actionable.jsonl`` (comment_spans, block_span). An item is
matched where the intersection over union of characters is at least one half; each side is used once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.reviews.letter import read_letter
from engine.reviews.records import Comment, ReviewBundle, Span

Ranges = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Tally:
    """Counts that several letters add up to."""

    blocks_gold: int = 0
    blocks_found: int = 0
    blocks_right: int = 0
    items_gold: int = 0
    items_found: int = 0
    items_half: int = 0
    items_exact: int = 0
    responses_gold: int = 0
    responses_right: int = 0
    actionable_right: int = 0
    actionable_gold: int = 0
    reviewers_right: int = 0
    letters: list[str] = field(default_factory=list)


def f1(right: int, gold: int, found: int) -> float:
    """Harmonic mean of precision and recall; 0 where nothing was found or nothing is there."""
    return 2 * right / (gold + found) if gold + found else 0.0


def overlap(first: Ranges, second: Ranges) -> int:
    """Characters that both sets of ranges hold."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in first for c, d in second)


def iou(first: Ranges, second: Ranges) -> float:
    """Intersection over union of characters, 0 to 1."""
    both = overlap(first, second)
    union = sum(b - a for a, b in first) + sum(b - a for a, b in second) - both
    return both / union if union else 0.0


def _ranges(spans: Iterable[Span]) -> Ranges:
    return tuple((s.start, s.end) for s in spans)


def _gold(folder: Path) -> Iterator[tuple[dict[str, Any], bool]]:
    for name, actionable in (("review_comments.jsonl", True), ("non_actionable.jsonl", False)):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield json.loads(line), actionable


def score(folder: Path, tally: Tally, *, verbose: bool = False) -> ReviewBundle:
    """Read the letter in ``folder`` and add its counts to ``tally``."""
    text = (folder / "response_letter.md").read_text(encoding="utf-8")
    bundle = read_letter(text)
    gold = list(_gold(folder))
    tally.letters.append(folder.name)
    gold_blocks = {tuple(record["block_span"]) for record, _ in gold}
    found_blocks = {(s.start, s.end) for c in bundle.comments for s in c.context_spans}
    tally.blocks_gold += len(gold_blocks)
    tally.blocks_found += len(found_blocks)
    tally.blocks_right += len(gold_blocks & found_blocks)
    spans = [tuple(tuple(s) for s in record["comment_spans"]) for record, _ in gold]
    tally.items_gold += len(gold)
    tally.items_found += len(bundle.comments)
    pairs = sorted(
        ((iou(g, _ranges(c.spans)), i, j) for i, g in enumerate(spans) for j, c in enumerate(bundle.comments)),
        reverse=True,
    )
    used_gold: set[int] = set()
    used_found: set[int] = set()
    for value, i, j in pairs:
        if value >= 0.5 and i not in used_gold and j not in used_found:
            used_gold.add(i)
            used_found.add(j)
            tally.items_half += 1
            tally.items_exact += value == 1.0
    for i, (record, actionable) in enumerate(gold):
        nearest = max(bundle.comments, key=lambda c: overlap(spans[i], _ranges(c.spans)), default=None)
        _score_nearest(tally, record, actionable, spans[i], nearest, verbose)
        if verbose and i not in used_gold:
            sys.stderr.write(f"  missed {record['comment_id']} {text[spans[i][0][0] : spans[i][-1][1]]!r}\n")
    if verbose:
        for j, comment in enumerate(bundle.comments):
            if j not in used_found:
                sys.stderr.write(f"  spurious {comment.comment!r}\n")
    return bundle


def _score_nearest(
    tally: Tally, record: dict[str, Any], actionable: bool, spans: Ranges, nearest: Comment | None, verbose: bool
) -> None:
    tally.actionable_gold += 1
    if nearest is None or not overlap(spans, _ranges(nearest.spans)):
        tally.responses_gold += bool(record.get("block_response_span"))
        return
    tally.actionable_right += nearest.actionable == actionable
    if verbose and nearest.actionable != actionable:
        sys.stderr.write(f"  actionable should be {actionable}: {record['comment_id']} {nearest.comment!r}\n")
    reviewer = record["reviewer"] if record["reviewer"][-1:].isdigit() else ""
    tally.reviewers_right += nearest.reviewer == reviewer
    answer = record.get("block_response_span")
    if answer:
        tally.responses_gold += 1
        tally.responses_right += iou((tuple(answer),), _ranges(nearest.response_spans)) >= 0.9


def evaluate(root: Path, *, verbose: bool = False) -> Tally:
    """Score every letter under ``root`` (the folder of the revision data)."""
    tally = Tally()
    for letter in sorted(root.glob("*/response_letter.md")):
        if verbose:
            sys.stderr.write(f"{letter.parent.name}\n")
        score(letter.parent, tally, verbose=verbose)
    return tally


def quality(tally: Tally) -> dict[str, float]:
    """The figures of a tally, each 0 to 1."""
    return {
        "block_f1": f1(tally.blocks_right, tally.blocks_gold, tally.blocks_found),
        "item_f1": f1(tally.items_half, tally.items_gold, tally.items_found),
        "item_exact_f1": f1(tally.items_exact, tally.items_gold, tally.items_found),
        "response_accuracy": tally.responses_right / max(1, tally.responses_gold),
        "actionable_accuracy": tally.actionable_right / max(1, tally.actionable_gold),
        "reviewer_accuracy": tally.reviewers_right / max(1, tally.actionable_gold),
    }


if __name__ == "__main__":
    result = evaluate(Path(sys.argv[1]), verbose="--verbose" in sys.argv)
    sys.stdout.write(json.dumps(quality(result), indent=2) + "\n")
