"""The remaining time: silent without evidence, right at an even pace, honest about stalls, steady under
noise.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.jobs import PartReport, QuietReport, RemainingTime


def test_silent_until_there_is_evidence() -> None:
    estimate = RemainingTime()
    assert estimate.seconds(0.0) is None
    estimate.update(0.0, 0.0)
    estimate.update(0.4, 0.1)
    assert estimate.seconds(0.5) is None
    estimate.update(0.9, 0.2)
    assert estimate.seconds(0.9) is None, "less than a second of evidence"
    estimate.update(1.2, 0.3)
    assert estimate.seconds(1.2) is not None


def test_no_progress_is_no_evidence() -> None:
    estimate = RemainingTime()
    for second in range(10):
        estimate.update(float(second), 0.0)
    assert estimate.seconds(10.0) is None


@pytest.mark.parametrize("total", [5.0, 60.0, 1800.0])
def test_right_at_an_even_pace(total: float) -> None:
    estimate = RemainingTime()
    for step in range(1, 80):
        now = total * step / 100
        estimate.update(now, step / 100)
        shown = estimate.seconds(now)
        if shown is not None:
            assert shown == pytest.approx(total - now, rel=0.05, abs=0.2)
    assert shown is not None


def test_counts_down_between_reports() -> None:
    estimate = RemainingTime()
    for step in range(11):
        estimate.update(float(step), step / 20)
    assert estimate.seconds(10.0) == pytest.approx(10.0, abs=0.1)
    assert estimate.seconds(10.5) == pytest.approx(9.5, abs=0.1)


def test_follows_a_task_that_slows_down() -> None:
    estimate = RemainingTime(window=20.0)
    now = fraction = 0.0
    for _ in range(20):
        now, fraction = now + 0.5, fraction + 0.02
        estimate.update(now, fraction)
        estimate.seconds(now)
    for _ in range(30):
        now, fraction = now + 2.0, fraction + 0.01
        estimate.update(now, fraction)
        shown = estimate.seconds(now)
    assert shown == pytest.approx((1 - fraction) * 200.0, rel=0.15)


def test_steady_under_noise() -> None:
    rng = np.random.default_rng(1)
    estimate = RemainingTime()
    now, errors = 0.0, []
    steps = rng.uniform(0.02, 1.98, 200)
    total = float(steps.sum())
    for index, step in enumerate(steps[:180]):
        now += float(step)
        estimate.update(now, (index + 1) / 200)
        shown = estimate.seconds(now)
        if index > 20 and shown is not None:
            errors.append(abs(shown - (total - now)) / total)
    assert np.median(errors) < 0.1


def test_a_task_that_finds_more_to_do_starts_the_evidence_anew() -> None:
    estimate = RemainingTime()
    for step in range(10):
        estimate.update(float(step), step / 10)
    assert estimate.seconds(9.0) is not None
    estimate.update(9.5, 0.3)
    assert estimate.seconds(9.5) is None


class Recorder(QuietReport):
    def __init__(self) -> None:
        self.seen: list[tuple[float, str]] = []

    def progress(self, fraction: float, words: str = "") -> None:
        self.seen.append((fraction, words))


def test_parts_nest() -> None:
    recorder = Recorder()
    part = PartReport(recorder, 0.5, 1.0).part(0.0, 0.5)
    part.progress(0.5, "half")
    part.progress(7.0)
    assert recorder.seen == [(0.625, "half"), (0.75, "")]
    with pytest.raises(ValueError, match=r"must lie in 0\.\.1"):
        PartReport(recorder, 0.5, 1.5)
