"""The project file with 200,000 rows: an action until its change signal, opening, undo; baseline: bare SQLite."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.papers.store import PaperStore
from engine.project import Changes, Project, new_id, now

ROWS = 200_000
ACTS = 300


def _fill(path: Path) -> None:
    with Project.create(path) as project, project.action("Fill") as act:
        me, moment = project.annotator_id, now()
        papers = [new_id() for _ in range(ROWS // 4)]
        act.executemany(
            "INSERT INTO paper(id, title, abstract, external_id, position, annotator_id, created_at, updated_at)"
            " VALUES (?, ?, ?, '', ?, ?, ?, ?)",
            (
                (key, f"Paper {n}", "An abstract of some words. " * 8, n, me, moment, moment)
                for n, key in enumerate(papers)
            ),
        )
        texts = [new_id() for _ in range(ROWS // 4)]
        act.executemany(
            "INSERT INTO source_text(id, paper_id, title, kind, media_type, text, position, origin, annotator_id,"
            " created_at, updated_at) VALUES (?, ?, 'Review', 'review', 'text/plain', ?, 1, 'person', ?, ?, ?)",
            ((key, papers[n], "The split is unclear. " * 10, me, moment, moment) for n, key in enumerate(texts)),
        )
        act.executemany(
            "INSERT INTO comment(id, source_id, comment, position, origin, annotator_id, created_at, updated_at)"
            " VALUES (?, ?, 'It is unclear how the split was made.', 1, 'person', ?, ?, ?)",
            ((new_id(), texts[n % len(texts)], me, moment, moment) for n in range(ROWS // 2)),
        )


def _baseline(folder: Path) -> float:
    """Returns the median time in ms of a durable insert in bare SQLite with the same pragmas: the cost of the disk."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE t (id TEXT PRIMARY KEY, title TEXT)")
        times = []
        for number in range(ACTS):
            started = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (?, ?)", (new_id(), f"paper {number}"))
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1000


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns medians over 300 actions and 15 openings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.rejoinder"
        _fill(path)
        openings = []
        for _ in range(15):
            started = time.perf_counter()
            project = Project.open(path)
            project.query("SELECT title FROM paper ORDER BY position LIMIT 50")
            openings.append(time.perf_counter() - started)
            project.close()
        with Project.open(path) as project:
            shown: list[float] = []

            def show(_changes: Changes) -> None:
                project.query("SELECT title FROM paper ORDER BY position DESC LIMIT 50")
                shown.append(time.perf_counter())

            project.subscribe(show)
            store = PaperStore(project)
            acts, undos = [], []
            for number in range(ACTS):
                started = time.perf_counter()
                store.add_paper(f"new {number}")
                acts.append(shown[-1] - started)
            for _ in range(ACTS):
                started = time.perf_counter()
                project.undo()
                undos.append(shown[-1] - started)
        bare = _baseline(Path(folder))
    act = statistics.median(acts) * 1000
    return {
        "act_ms": {"value": act, "unit": "ms", "better": "lower", "target": 16},
        "act_p99_ms": {
            "value": statistics.quantiles(acts, n=100)[98] * 1000,
            "unit": "ms",
            "better": "lower",
            "target": None,
        },
        "act_over_bare_sqlite": {"value": act / bare, "unit": "ratio", "better": "lower", "target": None},
        "undo_ms": {"value": statistics.median(undos) * 1000, "unit": "ms", "better": "lower", "target": 16},
        "open_ms": {"value": statistics.median(openings) * 1000, "unit": "ms", "better": "lower", "target": 300},
    }
