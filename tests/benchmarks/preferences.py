"""The preference loop in a real window (from the key until the next pair is painted), memory growth after a thousand
pairs, time for rankings, and savings of the adaptive schedule with simulated annotators (kappa 0.45)."""

from __future__ import annotations

import gc
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import psutil
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest

from desktop_app.headless import settle
from desktop_app.panes.preferences.pane import PreferencesPane
from desktop_app.settings import Settings, WindowState
from desktop_app.window import MainWindow, application
from engine.project import Project
from engine.rebuttal.preferences.ranking import Method, rank
from engine.rebuttal.preferences.records import NewCluster, NewSentence, Plan, Schedule
from engine.rebuttal.preferences.store import PreferenceStore
from scripts.sample_paper.simulated_annotators import annotators_of, as_comparisons, curve, draw_table

PAIRS, LONG, WARM = 200, 1000, 50
RUNS = 40


def cluster(candidates: int, theme: str) -> NewCluster:
    """Returns an invented cluster; texts are as long as typical rebuttal sentences."""
    words = "We agree with this point, and in the revised version we have made the description clearer in way"
    return NewCluster(
        "clarity",
        theme,
        "task_done",
        tuple(NewSentence(f"Part {n} of the method is hard to follow, and I had to read it twice.") for n in range(12)),
        tuple(NewSentence(f"{words} {n}.", decision="in") for n in range(candidates)),
        "The description of the method is hard to follow.",
    )


def open_pane(folder: Path, candidates: int, schedule: Schedule) -> tuple[MainWindow, PreferencesPane]:
    """Opens a window with one cluster to judge."""
    path = folder / f"{schedule}-{candidates}.rejoinder"
    with Project.create(path, "Pairs", "Ada") as project:
        store = PreferenceStore(project)
        (made,) = store.add_clusters([cluster(candidates, "overall")])
        store.set_plan(made.id, Plan(schedule, 0.1))
    window = MainWindow(Settings(), WindowState())
    window.resize(1280, 800)
    window.show()
    window.open_path(path)
    window.show_pane("preferences")
    settle(window)
    pane = window.panes["preferences"]
    assert isinstance(pane, PreferencesPane)
    pane.take_focus()
    return window, pane


def judge(window: MainWindow, pane: PreferencesPane, count: int) -> list[float]:
    """Returns the milliseconds of each of ``count`` pairs, from the key until the next one is painted."""
    times = []
    keys = "FJGFJHFJS"
    for number in range(count):
        desk = pane.state.opened
        assert desk is not None
        if desk.pair is None:
            break
        started = time.perf_counter()
        QTest.keyClick(pane.judging, keys[number % len(keys)])
        window.grab()
        times.append(1000 * (time.perf_counter() - started))
    return times


def close(window: MainWindow) -> None:
    """Closes the window and deletes all its objects."""
    window.stop_work()
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def memory() -> float:
    """Returns the memory of this process in MiB after garbage collection."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 2**20


def ranking_seconds(n: int, judgements: int, method: Method) -> float:
    """Returns the seconds for ranking ``n`` items with intervals."""
    rng = np.random.default_rng(0)
    strength = rng.standard_normal(n)
    table = draw_table(annotators_of(0.45), strength, rng)
    comparisons = as_comparisons(table)
    chosen = [comparisons[i] for i in rng.permutation(len(comparisons))[:judgements]]
    started = time.perf_counter()
    rank([f"item {i}" for i in range(n)], chosen, method)
    return time.perf_counter() - started


def percentile(times: Sequence[float], share: float) -> float:
    """Returns the smallest time not exceeded by ``share`` of them."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def figures(_data_folder: Path | None) -> dict[str, dict[str, Any]]:
    """Returns all figures; no measuring data are needed."""
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        application()
        window, pane = open_pane(Path(own), 50, "exhaustive")
        judge(window, pane, WARM)
        times = judge(window, pane, PAIRS)
        before = memory()
        long = judge(window, pane, LONG)
        grown = memory() - before
        assert len(long) == LONG
        started = time.perf_counter()
        window.run_command("edit.undo")
        window.grab()
        undone = 1000 * (time.perf_counter() - started)
        close(window)
        adaptive = []
        for candidates in (12, 30):
            window, pane = open_pane(Path(own), candidates, "adaptive")
            adaptive += judge(window, pane, PAIRS)[2:]
            close(window)
    ranking_seconds(5, 10, "pagerank")  # imports the modules for rankings
    (points,) = curve(annotators_of(0.45), [12], RUNS, goal="points")
    few, ranks = curve(annotators_of(0.45), [8, 12], RUNS)
    (careless,) = curve(annotators_of(0.45, "careless"), [8], RUNS)

    def figure(value: float, unit: str, target: float | None, better: str = "lower") -> dict[str, Any]:
        return {"value": round(value, 3), "unit": unit, "better": better, "target": target}

    return {
        "next_pair_median": figure(statistics.median(times), "ms", 150),
        "next_pair_p99": figure(percentile(times, 0.99), "ms", 300),
        "next_pair_adaptive_median": figure(statistics.median(adaptive), "ms", 150),
        "next_pair_adaptive_p99": figure(percentile(adaptive, 0.99), "ms", 400),
        "undo": figure(undone, "ms", 150),
        "memory_growth_1000_pairs": figure(grown, "MiB", 8),
        "adaptive_fewer_points": figure(100 * (1 - points.share), "%", 60, "higher"),
        "adaptive_same_winner_points": figure(100 * points.same, "%", 95, "higher"),
        "adaptive_fewer_pagerank": figure(100 * (1 - ranks.share), "%", 60, "higher"),
        "adaptive_same_winner_pagerank": figure(100 * ranks.same_pagerank, "%", 95, "higher"),
        "adaptive_fewer_8_candidates": figure(100 * (1 - few.share), "%", 60, "higher"),
        "adaptive_same_winner_8_candidates": figure(100 * few.same_pagerank, "%", 95, "higher"),
        "adaptive_same_winner_careless": figure(100 * careless.same_pagerank, "%", 95, "higher"),
        "rank_pagerank_30": figure(ranking_seconds(30, 435, "pagerank"), "s", 1.0),
        "rank_bradley_terry_30": figure(ranking_seconds(30, 435, "bradley-terry"), "s", 1.0),
        "rank_pagerank_400": figure(ranking_seconds(400, 8000, "pagerank"), "s", 30.0),
        "rank_bradley_terry_400": figure(ranking_seconds(400, 8000, "bradley-terry"), "s", 30.0),
    }
