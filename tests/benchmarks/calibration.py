"""Score calibration: speed and memory of the fits, and quality of the improved model on the synthetic design.

All draws are seeded: speeds use seeds 0 to 4, the comparison with d) and coverage seeds 0 to 49, coverage of realistic
tables seeds from 7,000 on (smaller ones were used to choose the widening of intervals). ``python -m
tests.benchmarks.calibration [METHODS [ITEMS [TABLES [FIRST SEED]]]]`` prints the coverage of all methods' intervals.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.calibration import alternate, bayes, peers
from engine.calibration.comparability import FEW_ITEMS
from engine.calibration.ranking import rank_difference, rank_doubt, ranks
from engine.calibration.records import Floats, Reviews
from engine.calibration.registry import CALIBRATORS, DEFAULT, calibrate
from engine.calibration.synthetic import Design, draw
from engine.errors import BadInput
from engine.research.calibration import FITS, table_one

SEEDS = range(50)
NORMAL_90 = 1.6449
REFITS = 10
LARGE = Design(items=30_000, referees=15_000)


def _seconds(call: Callable[[], object], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _large_reviews(design: Design, count: int, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    """Draws ``count`` reviews of the design's items, about equally many per item."""
    from dataclasses import replace

    drawn = draw(replace(design, per_item=-(-count // design.items)), rng).reviews
    kept = np.sort(rng.permutation(len(drawn))[:count])
    return replace(
        drawn,
        item=drawn.item[kept],
        referee=drawn.referee[kept],
        score=drawn.score[kept],
        confidence=drawn.confidence[kept],
    )


def _pane_figures() -> dict[str, float]:
    """Measures the pane on the paper's design, in ms: from releasing a slider until the new scores show (median with
    one change, and with eight to ten), the 99th percentile of the event loop's delay meanwhile, and one paint of the
    matrix at the smallest cells."""
    import tempfile

    from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer

    from desktop_app.panes.calibration.pane import CalibrationPane
    from desktop_app.window import MainWindow, application
    from engine.calibration.records import ScoreRow
    from engine.calibration.store import CalibrationStore
    from engine.project import Project

    application()
    reviews = draw(Design(), np.random.default_rng(0)).reviews
    rows = [
        ScoreRow(reviews.items[i], reviews.referees[r], float(s), float(c))
        for i, r, s, c in zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.rejoinder"
        with Project.create(path) as project:
            store = CalibrationStore(project)
            store.set_cutoff(store.add_table("Scores", rows, origin="synthetic:0"), 300)
        window = MainWindow()
        window.resize(1920, 1200)
        window.show()
        window.open_path(str(path))
        window.show_pane("calibration")
        pane = window.panes["calibration"]
        assert isinstance(pane, CalibrationPane)
        loop = QEventLoop()
        pane.work.fitted.connect(lambda *_fits: loop.quit())
        loop.exec()
        pane.bar.scenario.setFocus()
        times, gaps = [], []
        clock, tick = QElapsedTimer(), QTimer()
        tick.setInterval(5)
        tick.timeout.connect(lambda: gaps.append(clock.restart()))
        pane.change(lambda: pane.state.new_scenario("What if"))
        for n in range(2 * REFITS):
            started = time.perf_counter()
            pane.matrix.pinned.emit("bias", 20 + n, 0.4)
            clock.start()
            tick.start()
            loop.exec()  # ends at the first result, which the matrix and the ranking show by then
            tick.stop()
            times.append((time.perf_counter() - started) * 1000)
            pane.matrix.viewport().grab()
            while pane.state.board is None or pane.state.board.current.doubt is None:
                loop.exec()
            if n < REFITS:  # first one change at a time, then a growing number
                pane.context.commands.run("calibration.reset")
                while (
                    (board := pane.state.board) is None or board.current.scenario.changes or board.current.doubt is None
                ):
                    loop.exec()
        pane.matrix.zoom(-20)
        paint = _seconds(lambda: pane.matrix.viewport().grab()) * 1000
        window.stop_work()
        window.close()
        window.deleteLater()
    return {
        "refit": statistics.median(times[1:REFITS]),
        "many": statistics.median(times[-3:]),
        "gap": float(np.quantile(gaps, 0.99)) - 5,
        "paint": paint,
    }


@contextmanager
def _both_cores_busy() -> Iterator[None]:
    """Runs two other processes that compute continuously."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(1000))"]) for _ in range(2)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


REGIMES = {"usual": (1.5, 0.7, 1.0), "noisy": (1.0, 0.7, 1.5), "biased": (1.3, 1.2, 0.9), "clear": (2.0, 0.5, 0.7)}
"""Standard deviations of items, biases and noise, in steps of a scale from 1 to 10."""
SIZES = {12: 60, 40: 20, 300: 4, 3000: 1}
"""Number of items, and number of tables of that size drawn of each kind."""
CASES = tuple(product(SIZES, range(6)))
"""Number of items, and of reviews per item (0: one to five)."""


def realistic(
    items: int, per_item: int, rng: np.random.Generator, *, regime: str = "usual", load: float = 5, steps: int = 10
) -> tuple[Reviews, Floats]:
    """Draws a table like a venue's, and the true scores (items,): whole numbers from 1 to ``steps``, by referees who
    use narrower or wider parts of the scale (factor e^N(0, 0.25)) and differ in noise; about ``load`` reviews per
    referee, and ``per_item`` per item (0: one to five, at random)."""
    quality, strictness, error = REGIMES[regime]
    counts = np.full(items, per_item) if per_item else rng.integers(1, 6, items)
    referees = max(round(int(counts.sum()) / load), int(counts.max()), 2)
    used, chosen = np.zeros(referees), []
    for count in counts:
        chosen.append(np.argsort(used + 2 * rng.random(referees))[:count])
        used[chosen[-1]] += 1
    item, referee = np.repeat(np.arange(items), counts), np.concatenate(chosen)
    score, bias = rng.normal(0, quality, items), rng.normal(0, strictness, referees)
    stretch, noise = np.exp(rng.normal(0, 0.25, referees)), error * np.exp(rng.normal(0, 0.3, referees))
    said = stretch[referee] * score[item] + bias[referee] + noise[referee] * rng.standard_normal(len(item))
    middle, unit = (steps + 1) / 2, (steps - 1) / 9
    given = np.clip(np.round(middle + unit * said), 1, steps)
    names = [tuple(f"{word} {n}" for n in range(many)) for word, many in (("item", items), ("referee", referees))]
    return Reviews(item, referee, given, np.ones(len(item)), *names), middle + unit * score


class Coverage(NamedTuple):
    """For one kind of table and one method: the share of items without an interval or marked as resting on the prior,
    and the shares of the other intervals that contain the true score and the true rank (NaN without any)."""

    items: int
    per_item: int
    regime: str
    steps: int
    withheld: float
    score: float
    rank: float


def interval_coverage(
    method: str = DEFAULT, sizes: Mapping[int, int] = SIZES, first_seed: int = 7000, load: float = 5
) -> Iterator[Coverage]:
    """Measures coverage for each number of items and of reviews per item (0: one to five), in all regimes, on scales
    with ten and five steps. ``sizes`` maps numbers of items to numbers of tables; refused tables are skipped."""
    for items, per_item, regime, steps in product(sizes, range(6), REGIMES, (10, 5)):
        held, placed = [np.zeros(0, dtype=np.bool_)], [np.zeros(0, dtype=np.bool_)]
        for seed in range(first_seed, first_seed + sizes[items]):
            rng = np.random.default_rng(seed)
            reviews, truth = realistic(items, per_item, rng, regime=regime, load=load, steps=steps)
            try:
                found, _ = calibrate(reviews, method)
            except BadInput:
                continue
            known = ~np.isnan(found.score_sd) & (not found.rests_on_prior)
            if known.any():
                doubt, place = rank_doubt(found, rng), ranks(np.where(known, truth, np.nan))
                held.append((np.abs(found.score - truth) < NORMAL_90 * found.score_sd)[known])
                placed.append(((doubt.low <= place) & (place <= doubt.high))[known])
        score, rank = np.concatenate(held), np.concatenate(placed)
        means = (float(some.mean()) if len(some) else float("nan") for some in (score, rank))
        yield Coverage(items, per_item, regime, steps, 1 - len(score) / (items * sizes[items]), *means)


def print_coverage(methods: Sequence[str], sizes: Mapping[int, int], first_seed: int) -> None:
    """Prints mean, lowest and highest coverage in % over the kinds of table, by method and number of items."""
    for method, items in product(methods, sizes):
        cases = [case for case in interval_coverage(method, {items: sizes[items]}, first_seed) if case.withheld < 1]
        name = "nominal" if items < FEW_ITEMS or CALIBRATORS[method].nominal else "90 %"
        for what in ("rank",) if method == "ordinal" else ("score", "rank"):
            shares = 100 * np.array([getattr(case, what) for case in cases])
            if len(shares):
                within = ((shares >= 87) & (shares <= 93)).mean()
                print(
                    f"{method:9} {items:5} items, {name:7}, {what:5}: {shares.mean():.1f}, kinds {shares.min():.1f} to"
                    f" {shares.max():.1f}, {within:.0%} of them within 87 to 93",
                    flush=True,
                )


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns all figures; speeds are medians of up to five runs."""
    design = Design()
    drawn = [draw(design, np.random.default_rng(seed)) for seed in range(5)]
    precision = design.bias_spread**-2
    gam = statistics.median(
        _seconds(lambda r=d.reviews: alternate.maximise(r, prior_precision=precision), 3) for d in drawn
    )
    improved = statistics.median(_seconds(lambda r=d.reviews: bayes.calibrate(r), 3) for d in drawn)
    start = bayes.calibrate(drawn[0].reviews)
    refit = _seconds(lambda: bayes.calibrate(drawn[0].reviews, start=start))

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = _large_reviews(LARGE, 100_000, np.random.default_rng(0))
    gam_large = _seconds(lambda: alternate.maximise(large, prior_precision=precision), 3)
    gam_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bayes_large = _seconds(lambda: bayes.calibrate(large), 1)
    bayes_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tenth = _large_reviews(Design(items=3000, referees=1500), 10_000, np.random.default_rng(0))
    gam_tenth = _seconds(lambda: alternate.maximise(tenth, prior_precision=precision))
    per_round = gam_large / len(alternate.maximise(large, prior_precision=precision).trace)
    per_round_tenth = gam_tenth / len(alternate.maximise(tenth, prior_precision=precision).trace)

    exponent = float(np.log10(gam_large / gam_tenth))
    # statsmodels runs once, on the paper's design; both use the same draw.
    mixed = _seconds(lambda: peers.mixed_variances(drawn[0].reviews), 1)
    gam_same = _seconds(lambda: alternate.maximise(drawn[0].reviews, prior_precision=precision))

    rows = {row.configuration: row for row in table_one(range(20))}
    gains: dict[int, list[float]] = {2: [], 3: [], 6: []}
    covered: dict[int, list[float]] = {2: [], 3: [], 6: []}
    for per_item, found in gains.items():
        varied = Design(per_item=per_item)
        for seed in SEEDS:
            one = draw(varied, np.random.default_rng(seed))
            fits = {name: FITS[name][1](one.reviews) for name in "de"}
            off = {name: rank_difference(fits[name].score, one.score).mean for name in "de"}
            found.append(off["e"] / off["d"])
            inside = np.abs(fits["e"].score - one.score) < NORMAL_90 * fits["e"].score_sd
            covered[per_item].append(float(inside.mean()))

    pane = _pane_figures()
    with _both_cores_busy():
        loaded = _pane_figures()

    def figure(value: float, unit: str, better: str, target: float | None = None) -> dict[str, Any]:
        return {"value": value, "unit": unit, "better": better, "target": target}

    means = [rows[name].mean[1] for name in "dcab"]
    ordered = means == sorted(means)
    out = {
        "gam_ms": figure(gam * 1000, "ms", "lower", 60),
        "improved_ms": figure(improved * 1000, "ms", "lower"),
        "improved_warm_ms": figure(refit * 1000, "ms", "lower", 100),
        "pane_refit_shown_ms": figure(pane["refit"], "ms", "lower", 100),
        "pane_refit_shown_10_changes_ms": figure(pane["many"], "ms", "lower", 100),
        "pane_refit_shown_under_load_ms": figure(loaded["refit"], "ms", "lower", 100),
        "pane_refit_shown_10_changes_under_load_ms": figure(loaded["many"], "ms", "lower", 100),
        "pane_loop_gap_p99_ms": figure(pane["gap"], "ms", "lower", 50),
        "pane_paint_ms": figure(pane["paint"], "ms", "lower", 50),
        "gam_100k_s": figure(gam_large, "s", "lower", 120),
        "gam_100k_peak_mb": figure(gam_peak, "MB", "lower", 500),
        "gam_100k_before_mb": figure(before / 1024, "MB", "lower"),
        "improved_100k_s": figure(bayes_large, "s", "lower"),
        "improved_100k_peak_mb": figure(bayes_peak, "MB", "lower"),
        "gam_growth_10x_per_round": figure(per_round / per_round_tenth, "ratio", "lower", 15),
        "gam_growth_exponent": figure(exponent, "power of the reviews", "lower", 1.2),
        "statsmodels_mixed_s": figure(mixed, "s", "lower"),
        "statsmodels_over_gam": figure(mixed / gam_same, "ratio", "higher"),
        "order_holds_20_seeds": figure(float(ordered), "yes", "higher", 1),
        "improved_over_d_3_reviews": figure(statistics.median(gains[3]), "ratio", "lower", 0.95),
        "improved_over_d_2_reviews": figure(max(gains[2]), "worst ratio", "lower", 1.01),
        "improved_over_d_6_reviews": figure(max(gains[6]), "worst ratio", "lower", 1.01),
    }
    for per_item, shares in covered.items():
        name = "coverage_90" if per_item == 3 else f"coverage_90_{per_item}_reviews"
        out[f"{name}_low"] = figure(statistics.mean(shares), "share", "higher", 0.88)
        out[f"{name}_high"] = figure(statistics.mean(shares), "share", "lower", 0.92)
    cases = list(interval_coverage())
    loads = [[case for case in cases if (case.items, case.per_item) == one and case.withheld < 1] for one in CASES]
    scores, places = (np.array([np.mean([one[at] for one in load]) for load in loads if load]) for at in (5, 6))
    single = [case.withheld for case in cases if case.per_item == 1]
    out |= {
        "realistic_coverage_lowest": figure(float(scores.min()), "share", "higher", 0.87),
        "realistic_coverage_highest": figure(float(scores.max()), "share", "lower", 0.93),
        "realistic_coverage_mean": figure(float(scores.mean()), "share", "higher"),
        "realistic_rank_coverage_lowest": figure(float(places.min()), "share", "higher"),
        "realistic_rank_coverage_mean": figure(float(places.mean()), "share", "higher"),
        "one_review_intervals_withheld": figure(min(single), "share", "higher", 1),
    }
    for name, row in rows.items():
        out[f"table_1_{name}_mean"] = figure(row.mean[1], "ranks", "lower")
    return out


if __name__ == "__main__":
    given = dict(enumerate(sys.argv[1:]))
    chosen = {int(many): SIZES[int(many)] for many in given[1].split(",")} if 1 in given else SIZES
    print_coverage(
        given.get(0, ",".join(CALIBRATORS)).split(","),
        {many: int(given.get(2, tables)) for many, tables in chosen.items()},
        int(given.get(3, 7000)),
    )
