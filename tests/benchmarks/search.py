"""How soon a search in 200,000 rows returns while a person types.

Texts consist of the words of the documentation, so that common prefixes are as frequent as in English. Each query is
typed letter by letter from the second letter on; one call of ``search`` is timed.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from engine.operations import search_store as index
from engine.project import Project

ROWS, COMMENTS, WORDS_A_ROW, QUERIES = 200_000, 3_000, 60, 40
ROOT = Path(__file__).resolve().parents[2]


def _vocabulary() -> tuple[list[str], list[int]]:
    counts: dict[str, int] = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for word in index.tokens(path.read_text(encoding="utf-8")):
            counts[word] = counts.get(word, 0) + 1
    ordered = sorted(counts, key=lambda word: -counts[word])
    return ordered, list(accumulate(counts[word] for word in ordered))


def measure() -> dict[str, float]:
    """Returns milliseconds by figure, and the index size in MiB."""
    words, weights = _vocabulary()
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as name:
        os.environ["REJOINDER_HOME"] = name
        with Project.create(Path(name) / "p.rejoinder", "P", "Ada") as project:
            index.refresh(project)
            with index._index(project) as made:
                for kind, rows in (("comment", COMMENTS), ("paragraph", ROWS - COMMENTS)):
                    made.table(kind).insert_all(
                        (_row(" ".join(rng.choices(words, cum_weights=weights, k=WORDS_A_ROW))) for _ in range(rows)),
                        batch_size=2_000,
                    )
            common, rare = words[:200], words[2_000:]
            queries = [" ".join(rng.sample(common if at % 2 else rare, 1 + at % 3)) for at in range(QUERIES)]
            times = []
            for query in queries:
                for end in range(2, len(query) + 1):
                    begun = time.perf_counter()
                    index.search(project, query[:end])
                    times.append((time.perf_counter() - begun) * 1000)
            begun = time.perf_counter()
            index.refresh(project)
            unchanged = (time.perf_counter() - begun) * 1000
            size = sum(path.stat().st_size for path in index.index_path(project).parent.iterdir()) / 2**20
    return {
        "search_p50": float(np.quantile(times, 0.5)),
        "search_p95": float(np.quantile(times, 0.95)),
        "search_longest": max(times),
        "refresh_unchanged": unchanged,
        "index_mib": size,
    }


def _row(text: str) -> dict[str, object]:
    entry = {"title": "submitted", "text": text, "paper_id": "", "document_id": "", "paragraph_id": "", "page": 1}
    return {"table": "document", "key": "bench", **entry, "words": text}


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns times of a search while typing; the median and the 95th percentile have targets."""
    units = {"index_mib": "MiB"}
    targets = {"search_p50": 30.0, "search_p95": 30.0}
    return {
        name: {"value": round(value, 2), "unit": units.get(name, "ms"), "better": "lower", "target": targets.get(name)}
        for name, value in measure().items()
    }


if __name__ == "__main__":
    for name, figure in figures(None).items():
        print(f"{name:>20} {figure['value']:9.1f} {figure['unit']}")
