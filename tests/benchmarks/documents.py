"""Speed and quality of reading documents: parse time, first page, paragraphs found whole, spurious ones.

Parse times and the first page are medians of three runs with a warm worker, including everything that a caller waits
for. The timed papers are made by the tests' typesetter, so that these figures need no data; the long real paper is
timed as well if the data are available.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pymupdf

from engine.documents.service import DocumentService
from tests.benchmarks.paragraph_quality import measure
from tests.engine.documents.typeset import conference_paper


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the figures on documents; those of paragraphs need ``data_folder``."""
    result: dict[str, dict[str, Any]] = {}
    with DocumentService() as service:
        service.warm()
        service.parse(two_column_pdf(1))
        thirty, long = two_column_pdf(30), two_column_pdf(120)
        result["parse_30_pages"] = figure(seconds(lambda: service.parse(thirty)), "s", "lower", 3)
        result["parse_120_pages"] = figure(seconds(lambda: service.parse(long)), "s", "lower", 12)
        result["first_page"] = figure(seconds(lambda: _first_page(service, long)) * 1000, "ms", "lower", 300)
        result["first_page_cold"] = figure(_cold_first_page(long) * 1000, "ms", "lower", 1500)
        if data_folder is not None:
            real = data_folder / "revisions" / "deep-review" / "revised.pdf"
            result["parse_123_real_pages"] = figure(seconds(lambda: service.parse(real)), "s", "lower", 12)
            quality = measure(data_folder, service).values()
            found, known = sum(q.found for q in quality), sum(q.known for q in quality)
            spurious, parsed = sum(len(q.spurious) for q in quality), sum(q.parsed for q in quality)
            result["found_whole"] = figure(100 * found / known, "%", "higher", 95)
            result["found_whole_worst_file"] = figure(100 * min(q.found_share for q in quality), "%", "higher", 95)
            result["spurious"] = figure(100 * spurious / parsed, "%", "lower", 3)
            right = sum(q.sections_right for q in quality)
            result["sections_right"] = figure(100 * right / found, "%", "higher", 95)
    return result


def two_column_pdf(pages: int) -> bytes:
    """Returns a dense two-column paper with this many pages."""
    paper = conference_paper(seed=1, pages=6, columns=2).finish()
    with pymupdf.open(stream=paper, filetype="pdf") as part, pymupdf.open() as whole:
        while whole.page_count < pages:
            whole.insert_pdf(part, to_page=min(part.page_count, pages - whole.page_count) - 1)
        return bytes(whole.tobytes())


def _first_page(service: DocumentService, pdf: bytes) -> None:
    service.render(service.open(pdf).sha256, 1, 1.5)


def _cold_first_page(pdf: bytes) -> float:
    started = time.perf_counter()
    with DocumentService() as service:
        _first_page(service, pdf)
        return time.perf_counter() - started


def seconds(call: Callable[[], object]) -> float:
    """Returns the median of three runs."""
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return median(taken)


def figure(value: float, unit: str, better: str, target: float) -> dict[str, Any]:
    """Returns a figure in the format of bench.json."""
    return {"value": round(value, 3), "unit": unit, "better": better, "target": target}
