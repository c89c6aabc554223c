"""Figures on edits for ``make bench``: quality and speed."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from engine.documents.records import Paragraph
from engine.revision.changes_report import ChangeList, changes_html
from engine.revision.edits import compare
from tests.benchmarks import edit_quality

_LONG_PAPER = 800  # paragraphs of 100 words: about 120 pages


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the speed on a generated paper, and the quality on the revision corpus if it is available."""
    found = _speed()
    if data_folder is None:
        return found
    golds = edit_quality.manuscripts(data_folder)
    for origin, run in (
        ("paragraphs", edit_quality.from_paragraphs),
        ("cut_paragraphs", edit_quality.from_cut_paragraphs),
        ("pdfs", edit_quality.from_pdfs),
    ):
        results = [run(gold) for gold in golds]
        counts = edit_quality.total(result.exact for result in results)
        edited = 100.0 * counts.edited_unchanged / max(counts.unchanged, 1)
        found[f"f1_from_{origin}"] = _figure(counts.f1, "F1", "higher", 0.85)
        found[f"unchanged_reported_from_{origin}"] = _figure(edited, "%", "lower", 1.0)
        for result in results:
            found[f"f1_from_{origin}.{result.gold.name}"] = _figure(result.exact.f1, "F1", "higher", 0.85)
            if origin == "pdfs":
                # Shorter pairs aren't scaled up: most of their time is start-up, which doesn't grow with the pages.
                share = min(1.0, 60 / max(sum(result.pages), 1))
                found[f"seconds_for_30_pages.{result.gold.name}"] = _figure(result.seconds * share, "s", "lower", 8.0)
    return found


def _speed() -> dict[str, dict[str, Any]]:
    generator = random.Random(7)
    vocabulary = ["".join(generator.choices("abcdefghiklmnoprstuvwz", k=generator.randint(2, 9))) for _ in range(6000)]
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    texts = [generator.choices(vocabulary, weights, k=100) for _ in range(_LONG_PAPER)]
    revised = [list(words) for words in texts]
    for words in generator.sample(revised, 250):
        for at in generator.sample(range(100), generator.randint(2, 30)):
            words[at] = generator.choice(vocabulary)
    revised[300:300] = [generator.choices(vocabulary, weights, k=100) for _ in range(25)]
    old, new = (_paper(side) for side in (texts, revised))
    compare(old[:5], new[:5])  # imports
    started = time.perf_counter()
    diff = compare(old, new)
    compared = time.perf_counter() - started
    started = time.perf_counter()
    changes_html(ChangeList(diff.edits, old, new))
    return {
        "compare_120_pages": _figure(compared, "s", "lower", 2.0),
        "list_of_changes_120_pages": _figure(time.perf_counter() - started, "s", "lower", 2.0),
    }


def _paper(texts: list[list[str]]) -> tuple[Paragraph, ...]:
    return tuple(
        Paragraph(f"p{at}", at, "", "body", " ".join(words), " ".join(words), (), 1, ())
        for at, words in enumerate(texts)
    )


def _figure(value: float, unit: str, better: str, target: float) -> dict[str, Any]:
    return {"value": round(value, 4), "unit": unit, "better": better, "target": target}
