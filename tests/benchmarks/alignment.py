"""Suggestions: quality on the revision corpus (leaving one manuscript out), and speed after embedding."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.jobs import QuietReport
from engine.models import shared_encoder
from engine.research.alignment.comparison import compare_strategies
from engine.research.alignment.corpus import read_papers
from engine.revision.aligners import Means, make_aligner

TIMED_COMMENTS, TIMED_EDITS = 60, 300


def figures(data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns micro-F1, recall at 5 and the share of comments with all edits in the first 5; {} without the data."""
    if data is None:
        return {}

    def entry(value: float, unit: str, better: str, target: float | None = None) -> dict[str, Any]:
        return {"value": round(value, 2), "unit": unit, "better": better, "target": target}

    found: dict[str, dict[str, Any]] = {}
    papers = read_papers(data)
    encoder = shared_encoder()
    targets = {"fused": (50.0, 85.0), "fused_with_responses": (65.0, 85.0)}
    for row in compare_strategies(papers, Means(embedder=encoder), ("fused", "bm25", "encoder")):
        without_short = "_long_edits_only" if row.strategy == "fused" and row.least_characters else ""
        name = f"{row.strategy}{'_with_responses' if row.use_responses else ''}{without_short}"
        f1, recall = targets.get(name, (None, None))
        found[f"{name}.f1"] = entry(100 * row.measures.f1, "%", "higher", f1)
        found[f"{name}.recall_at_5"] = entry(100 * row.measures.recall_at_5, "%", "higher", recall)
        found[f"{name}.all_in_5"] = entry(100 * row.measures.all_in_5, "%", "higher")
    queries = [query for paper in papers for query in paper.queries][:TIMED_COMMENTS]
    known = [candidate for paper in papers for candidate in paper.candidates]
    candidates = [
        replace(known[at % len(known)], edit_id=f"{known[at % len(known)].edit_id}/{at}") for at in range(TIMED_EDITS)
    ]
    aligner = make_aligner(use_responses=True, embedder=encoder)
    aligner.score(queries, candidates, report=QuietReport())
    started = time.perf_counter()
    aligner.score(queries, candidates, report=QuietReport())
    found["rank_60_comments_300_edits"] = entry(time.perf_counter() - started, "s", "lower", 1.0)
    return found
