"""Reviews: splitting letters, sentences, importing and reading many comments."""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.project import Project
from engine.reviews.letter import read_letter
from engine.reviews.store import ReviewStore
from tests.benchmarks.letter_quality import evaluate, quality
from tests.benchmarks.letter_styles import styles
from tests.benchmarks.sentence_quality import boundaries, requests

COMMENTS = 300


def _long_letter() -> str:
    parts = ["# Response to reviewers", ""]
    for number in range(COMMENTS):
        if number % 100 == 0:
            parts += [f"## Reviewer {number // 100 + 1}", ""]
        parts += [f"> {number}. It is unclear how step {number} was measured. Please report it.", ""]
        parts += [f"We agree. Step {number} is now described in Section {number % 7 + 1}.", ""]
    return "\n".join(parts)


def _figure(value: float, unit: str, better: str, target: float | None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}


def _speed() -> dict[str, dict[str, Any]]:
    letter = _long_letter()
    started = time.perf_counter()
    bundle = read_letter(letter)
    reading = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder) / "reviews.rejoinder") as project:
        store = ReviewStore(project)
        started = time.perf_counter()
        store.import_bundle(replace(bundle), "letter.md")
        importing = time.perf_counter() - started
        started = time.perf_counter()
        comments = store.comments()
        listing = time.perf_counter() - started
        acts = []
        for number in range(30):
            started = time.perf_counter()
            store.set_actionable([comments[number].id], False)
            acts.append(time.perf_counter() - started)
        acting = statistics.median(acts)
    return {
        "letter_of_300_comments": _figure(reading, "s", "lower", 2.0),
        "import_300_comments": _figure(importing, "s", "lower", 0.5),
        "list_300_comments": _figure(listing * 1000, "ms", "lower", 50.0),
        "label_a_comment": _figure(acting * 1000, "ms", "lower", 16.0),
    }


def figures(data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the speed, and the quality if the measuring data are available."""
    found = _speed()
    if data_folder is None:
        return found
    if (data_folder / "revisions").is_dir():
        targets = {
            "block_f1": 0.95,
            "items_whole": 0.95,
            "response_accuracy": 0.95,
            "requests_listed": 0.97,
            "actionable_accuracy": 0.9,
            "reviewer_accuracy": 0.95,
        }
        for name, value in quality(evaluate(data_folder / "revisions")).items():
            found[f"letter_{name}"] = _figure(value, "share", "higher", targets[name])
        dress = styles(data_folder / "revisions")
        found["letter_worst_style_block_f1"] = _figure(min(dress.values()), "share", "higher", 0.85)
        found["letter_mean_style_block_f1"] = _figure(sum(dress.values()) / len(dress), "share", "higher", 0.93)
    if (data_folder / "disapere" / "dev").is_dir():
        sentences = boundaries(data_folder / "disapere" / "dev")
        found["sentence_boundary_f1"] = _figure(sentences["f1"], "share", "higher", 0.9)
        found["sentence_boundary_f1_pysbd"] = _figure(sentences["pysbd_f1"], "share", "higher", None)
        found["sentence_speed"] = _figure(sentences["characters_per_second"], "characters/s", "higher", 100_000)
        for name, value in requests(data_folder / "disapere" / "dev").items():
            found[f"sentence_{name}"] = _figure(value, "share", "higher", None)
    return found
