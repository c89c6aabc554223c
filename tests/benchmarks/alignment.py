"""Suggestions: how good they are on the revision corpus (leaving one manuscript out), and how fast, once embedded."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from engine.jobs import QuietReport
from engine.models import shared_encoder
from engine.revision.aligners import make_aligner
from tests.benchmarks.alignment_quality import load, rows


def figures(data: Path | None) -> dict[str, dict[str, Any]]:
    """Micro-F1, recall at 5 and the share of comments with all edits in the first 5; nothing without the data."""
    if data is None:
        return {}

    def entry(value: float, unit: str, better: str, target: float | None = None) -> dict[str, Any]:
        return {"value": round(value, 2), "unit": unit, "better": better, "target": target}

    found: dict[str, dict[str, Any]] = {}
    for row in rows(data):
        name = f"{row['strategy']}{'_with_responses' if row['responses'] else ''}"
        found[f"{name}.f1"] = entry(100 * row["f1"], "%", "higher")
        found[f"{name}.recall_at_5"] = entry(100 * row["recall_at"][5], "%", "higher")
        found[f"{name}.all_in_5"] = entry(100 * row["all_in_5"], "%", "higher")
    queries = [query for manuscript in load(data) for query in manuscript.queries]
    candidates = [candidate for manuscript in load(data) for candidate in manuscript.candidates]
    aligner = make_aligner(use_responses=True, embedder=shared_encoder())
    aligner.score(queries, candidates, report=QuietReport())
    started = time.perf_counter()
    aligner.score(queries, candidates, report=QuietReport())
    found["rank_82_comments_237_edits"] = entry(time.perf_counter() - started, "s", "lower", 2.0)
    return found
