"""Time for merging and previewing the results of 20 people with 5,000 decisions each."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from engine.operations.packages import Plan, create, open_package
from engine.operations.results import import_results, outgoing, preview
from engine.packages.records import Settings
from engine.packages.store import WorkStore
from engine.project import Project
from engine.project.tables import columns_of
from engine.reviews.store import ReviewStore

PEOPLE, DECISIONS = 20, 5_000
T = TypeVar("T")
LAYERS = ("polarity", "aspect", "review_action", "actionable", "action")


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Measures with 1,000 sentences per person, labelled in five layers; every sentence is assigned to two people."""
    people = tuple(f"Person {number}" for number in range(PEOPLE))
    with tempfile.TemporaryDirectory() as name, Project.create(Path(name) / "lead.rejoinder", "Large", "Lead") as lead:
        folder = Path(name)
        for number in range(100):
            text = " ".join(f"Sentence {number} {n} of this review says something." for n in range(100))
            ReviewStore(lead).add_text(f"Review {number}", text, reviewer=f"R{number}")
        plan = Plan("Labels", "sentences", people, Settings(overlap=1.0))
        packages, made = _timed(lambda: create(lead, plan, folder / "out"))
        files = [answered(package) for package in packages]
        found, previewed = _timed(lambda: preview(lead, files))
        imported, merged = _timed(lambda: import_results(lead, files))
        known, again = _timed(lambda: import_results(lead, files))
        assert sum(one.added for one in found) == PEOPLE * DECISIONS and found == imported
        assert {one.status for one in known} == {"known"}
        assert lead.query("SELECT count(*) FROM sentence_label")[0][0] == PEOPLE * DECISIONS
        sizes = packages[0].stat().st_size / 1e6, files[0].stat().st_size / 1e6
    return {
        "merge_20_people_5000_decisions": seconds(merged, 20.0),
        "preview_20_people_5000_decisions": seconds(previewed, 20.0),
        "merge_again": seconds(again, 20.0),
        "create_20_packages": seconds(made, 20.0),
        "package_size": {"value": round(sizes[0], 2), "unit": "MB", "better": "lower", "target": None},
        "results_size": {"value": round(sizes[1], 2), "unit": "MB", "better": "lower", "target": None},
    }


def seconds(value: float, target: float) -> dict[str, Any]:
    """Returns a duration in the format of ``make bench``."""
    return {"value": round(value, 2), "unit": "s", "better": "lower", "target": target}


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def answered(package: Path) -> Path:
    """Decides on every item in each layer, and writes the results."""
    path, _ = open_package(package)
    with Project.open(path) as project:
        own = WorkStore(project).own()
        assert own is not None
        project.annotator_id = own[1].annotator_id
        with project.action("Label everything") as act:
            rows = []
            for item in own[1].items:
                source, start, end = item.split(":")
                place = {"source_id": source, "start_offset": int(start), "end_offset": int(end)}
                rows += [place | {"layer": layer, "labels": '["x"]', "origin": "person"} for layer in LAYERS]
            assert len(rows) == DECISIONS and set(rows[0]) < set(columns_of("sentence_label").names)
            act.insert_all("sentence_label", rows)
        file = outgoing(project).file
    path.with_name(file.name).write_bytes(file.content)
    return path.with_name(file.name)


if __name__ == "__main__":
    cpu = time.process_time()
    print(figures(None), f"{time.process_time() - cpu:.1f} s of CPU in all")
