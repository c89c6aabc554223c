"""How long it takes to merge what 20 people with 5,000 decisions each send back, and to preview it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from engine.operations.packages import Plan, create, open_package
from engine.operations.results import import_results, outgoing, preview
from engine.packages.records import Settings
from engine.packages.store import WorkStore
from engine.project import Project
from engine.project.tables import columns_of
from engine.reviews.store import ReviewStore

PEOPLE, DECISIONS = 20, 5_000
LAYERS = ("polarity", "aspect", "review_action", "actionable", "action")


def run() -> dict[str, object]:
    """Figures for ``make bench``."""
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder))


def measure(folder: Path) -> dict[str, object]:
    """Seconds and sizes. Each person labels 1,000 sentences in five layers; every sentence is given to two."""
    people = tuple(f"Person {number}" for number in range(PEOPLE))
    with Project.create(folder / "lead.rejoinder", "Large", "Lead") as lead:
        reviews = ReviewStore(lead)
        for number in range(100):
            text = " ".join(f"Sentence {number} {n} of this review says something." for n in range(100))
            reviews.add_text(f"Review {number}", text, reviewer=f"R{number}")
        started = time.perf_counter()
        plan = Plan("Labels", "sentences", people, Settings(overlap=1.0))
        packages = create(lead, plan, folder / "out")
        made = time.perf_counter() - started
        files = [answered(package) for package in packages]
        started = time.perf_counter()
        found = preview(lead, files)
        previewed = time.perf_counter() - started
        assert sum(one.added for one in found) == PEOPLE * DECISIONS
        started = time.perf_counter()
        import_results(lead, files)
        merged = time.perf_counter() - started
        started = time.perf_counter()
        assert {one.status for one in import_results(lead, files)} == {"known"}
        again = time.perf_counter() - started
        assert lead.query("SELECT count(*) FROM sentence_label")[0][0] == PEOPLE * DECISIONS
        return {
            "people": PEOPLE, "decisions_each": DECISIONS, "package_bytes": packages[0].stat().st_size,
            "results_bytes": files[0].stat().st_size, "create_seconds": round(made, 2),
            "preview_seconds": round(previewed, 2), "merge_seconds": round(merged, 2),
            "merge_again_seconds": round(again, 2), "limit_seconds": 20,
        }  # fmt: skip


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
    print(run())
