"""How well response letters come apart, against hand-marked letters.

The gold layout (per manuscript): ``response_letter.md``, ``review_comments.jsonl`` (actionable items: comment_spans,
block_span, response_spans, block_response_span) and ``non_actionable.jsonl`` (comment_spans, block_span). A request is
listed where the comment that holds most of it asks for something. A comment is what was answered at once, so it may
hold several items: an item is whole where one comment holds nine tenths of it, and a comment is right where it says
that it asks for something if and only if it holds a request.
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
    responses_gold: int = 0
    responses_right: int = 0
    requests: int = 0
    requests_listed: int = 0
    gold: int = 0
    items_whole: int = 0
    comments: int = 0
    actionable_right: int = 0
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
    for comment in bundle.comments:
        asks = any(asked and overlap(g, _ranges(comment.spans)) for g, (_, asked) in zip(spans, gold, strict=True))
        tally.actionable_right += comment.actionable == asks
    tally.comments += len(bundle.comments)
    for i, (record, actionable) in enumerate(gold):
        nearest = max(bundle.comments, key=lambda c: overlap(spans[i], _ranges(c.spans)), default=None)
        _score_nearest(tally, record, actionable, spans[i], nearest, verbose)
    return bundle


def _score_nearest(
    tally: Tally, record: dict[str, Any], actionable: bool, spans: Ranges, nearest: Comment | None, verbose: bool
) -> None:
    tally.gold += 1
    tally.requests += actionable
    if nearest is None or not overlap(spans, _ranges(nearest.spans)):
        tally.responses_gold += bool(record.get("block_response_span"))
        return
    tally.requests_listed += actionable and nearest.actionable
    tally.items_whole += overlap(spans, _ranges(nearest.spans)) >= 0.9 * sum(end - start for start, end in spans)
    if verbose and actionable and not nearest.actionable:
        sys.stderr.write(f"  not listed: {record['comment_id']} {nearest.comment!r}\n")
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
        "items_whole": tally.items_whole / max(1, tally.gold),
        "response_accuracy": tally.responses_right / max(1, tally.responses_gold),
        "requests_listed": tally.requests_listed / max(1, tally.requests),
        "actionable_accuracy": tally.actionable_right / max(1, tally.comments),
        "reviewer_accuracy": tally.reviewers_right / max(1, tally.gold),
    }


if __name__ == "__main__":
    result = evaluate(Path(sys.argv[1]), verbose="--verbose" in sys.argv)
    sys.stdout.write(json.dumps(quality(result), indent=2) + "\n")
