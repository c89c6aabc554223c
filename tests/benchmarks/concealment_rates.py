"""Hidden text: how many kinds of concealment are found, and how often honest PDFs raise an alarm.

The kinds come from ``concealment_kinds.py``. Those in ``concealment/later.py`` were made to defeat the search, the
others by someone who hadn't seen it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from engine.documents.hidden import Inspection
from engine.documents.service import DocumentService
from engine.errors import EnvironmentProblem

EACH = 10
SEED = 4_000
"""Seed of the first variant; the tests use smaller ones."""


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns shares found by kind, and alarms for generated honest PDFs and, with ``data_folder``, all PDFs in it."""
    from tests.benchmarks.concealment_kinds import HONEST, KINDS

    result: dict[str, dict[str, Any]] = {}
    with DocumentService() as service:
        shares: dict[str, float] = {}
        unexamined = 0
        for kind, make in KINDS.items():
            outcomes = Counter(_outcome(service, make, kind, n) for n in range(EACH))
            shares[kind] = outcomes["found"] / EACH
            unexamined += outcomes["not examined"]
            result[f"found: {kind}"] = _figure(100 * shares[kind], "%", "higher", 90)
        result["kinds found in at least 9 of 10 variants"] = _figure(
            sum(share >= 0.9 for share in shares.values()), f"of {len(shares)} kinds", "higher", len(shares) - 1
        )
        result["variants not examined"] = _figure(unexamined, "PDFs", "lower", 0)
        alarms = [
            not service.inspect(make(random.Random(f"{kind} {SEED + n}"))).clean
            for kind, make in HONEST.items()
            for n in range(EACH)
        ]
        if alarms:
            result["alarms at honest PDFs"] = _figure(100 * sum(alarms) / len(alarms), "%", "lower", 1)
        if data_folder is not None:
            result |= _real(service, data_folder)
    return result


def _real(service: DocumentService, data_folder: Path) -> dict[str, dict[str, Any]]:
    """Measures alarms on all PDFs of the measuring data, which are honest."""
    papers = sorted(data_folder.rglob("*.pdf"))
    if not papers:
        return {}
    seen = [service.inspect(paper) for paper in papers]
    alarms = sum(bool(one.hidden or one.injection) for one in seen)
    return {
        "real PDFs": _figure(len(papers), "PDFs", "higher", 80),
        "alarms at real PDFs": _figure(100 * alarms / len(papers), "%", "lower", 1),
        "real PDFs not fully examined": _figure(100 * sum(not s.complete for s in seen) / len(papers), "%", "lower", 1),
        "seconds per 30 real pages": _figure(median(30 * s.seconds / max(1, s.pages) for s in seen), "s", "lower", 2.5),
    }


def _outcome(service: DocumentService, make: Callable[[random.Random], Any], kind: str, n: int) -> str:
    case = make(random.Random(f"{kind} {SEED + n}"))
    try:
        seen = service.inspect(case.pdf)
    except EnvironmentProblem:
        return "not examined"
    return "found" if found(case.concealed, seen) else "missed" if seen.complete else "not examined"


def found(concealed: str, seen: Inspection) -> bool:
    """Returns whether one finding contains at least half of the concealed words.

    Reported zero-width or tag characters suffice, since they may spell the words.
    """
    words = set(_words(concealed))
    if any(finding.way in ("zero-width", "tag characters") for finding in seen.hidden):
        return True
    texts = [set(_words(finding.text)) for finding in (*seen.hidden, *seen.injection)]
    return bool(words) and any(len(words & text) >= 0.5 * len(words) for text in texts)


def _words(text: str) -> list[str]:
    return ["".join(c for c in word if c.isalnum()) for word in text.casefold().split()]


def _figure(value: float, unit: str, better: str, target: float) -> dict[str, Any]:
    return {"value": round(value, 3), "unit": unit, "better": better, "target": target}
