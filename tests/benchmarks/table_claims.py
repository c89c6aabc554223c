"""Claims about tables of papers, judged without a model: how often a verdict is right, and how often there is one.

``python -m tests.benchmarks.table_claims CLAIMS.jsonl`` prints JSON: ``precision`` of all claims that are called
supported or contradicted (a claim labelled "not enough info" is wrong whichever it is called), ``coverage``, and both
by class in ``classes``. A line of the file has ``table_caption``, ``table_column_names``, ``table_content_values``,
``claim``, ``label`` (supports, refutes, not enough info) and ``paper_id``. ``--half development|held`` takes the papers
of one half, by a hash of their id; ``--choose`` chooses the thresholds on all papers but one and measures on that one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.statements import table_cells, tables
from engine.statements.grids import TableGrid
from engine.statements.tables import judge

LABEL = {"supported": "supports", "contradicted": "refutes"}
CHOICES = tuple((grounded, most) for grounded in (0.4, 0.5, 0.6, 0.67, 0.75) for most in (0.7, 0.75, 0.8, 0.9))
WANTED = 0.88


def half_of(paper: str) -> str:
    """Returns the half that a paper belongs to: rules were written with the development half in view."""
    first, second, third = hashlib.sha256(paper.encode()).digest()[:3]
    return "held" if first % 2 and second % 2 and third % 2 else "development"


def grid_of(claim: dict[str, Any]) -> TableGrid:
    """Returns the table of a claim."""
    rows = tuple(tuple(map(str, row)) for row in claim["table_content_values"])
    return TableGrid(tuple((str(name),) for name in claim["table_column_names"]), rows, claim["table_caption"])


def verdicts(claims: Iterable[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Returns paper, verdict and label of each claim."""
    return [(c["paper_id"], judge(c["claim"], grid_of(c)).verdict, c["label"]) for c in claims]


def figures_of(judged: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """Returns precision and coverage, of all verdicts and by class; precision is None without verdicts."""
    by_class, calls, right = {}, 0, 0
    for verdict, label in LABEL.items():
        called = [truth for _, said, truth in judged if said == verdict]
        good = called.count(label)
        calls, right = calls + len(called), right + good
        by_class[label] = _share(good, len(called), len(judged))
    return {"claims": len(judged), **_share(right, calls, len(judged)), "classes": by_class}


def _share(right: int, calls: int, claims: int) -> dict[str, Any]:
    precision = round(right / calls, 4) if calls else None
    return {"precision": precision, "coverage": round(calls / max(1, claims), 4), "calls": calls}


def leave_papers_out(claims: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the figures with each paper judged at the thresholds that are best for the others: the largest coverage
    with both classes at ``WANTED``, otherwise the largest minimum precision."""
    tried = {}
    for grounded, most in CHOICES:
        with patch.object(tables, "GROUNDED", grounded), patch.multiple(table_cells, MOST=most, LEAST=1 - most):
            tried[grounded, most] = verdicts(claims)
    out: list[tuple[str, str, str]] = []
    chosen: dict[str, int] = defaultdict(int)
    by_paper = []
    for paper in sorted({c["paper_id"] for c in claims}):
        best = max(CHOICES, key=lambda c: _worth([v for v in tried[c] if v[0] != paper]))
        chosen[f"grounded {best[0]}, most {best[1]}"] += 1
        own = [v for v in tried[best] if v[0] == paper]
        out += own
        if (precision := figures_of(own)["precision"]) is not None:
            by_paper.append(precision)
    spread = (
        {"mean": round(statistics.mean(by_paper), 3), "sd": round(statistics.pstdev(by_paper), 3)} if by_paper else {}
    )
    return {
        **figures_of(out),
        "chosen": dict(chosen),
        "precision_by_paper": {**spread, "worst": min(by_paper, default=None)},
    }


def _worth(judged: Sequence[tuple[str, str, str]]) -> tuple[bool, float]:
    found = figures_of(judged)
    least = min((entry["precision"] or 0.0) for entry in found["classes"].values())
    return (True, found["coverage"]) if least >= WANTED else (False, least)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("claims", type=Path)
    parser.add_argument("--half", choices=("development", "held"))
    parser.add_argument("--choose", action="store_true")
    given = parser.parse_args()
    claims = [json.loads(line) for line in given.claims.read_text(encoding="utf-8").splitlines() if line.strip()]
    if given.half:
        claims = [c for c in claims if half_of(c["paper_id"]) == given.half]
    found = leave_papers_out(claims) if given.choose else figures_of(verdicts(claims))
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
