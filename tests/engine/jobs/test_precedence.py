"""Jobs wait while the window's thread works, but never for long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from engine.jobs import DuplicatePolicy, JobEngine, Task
from engine.jobs.engine import MOST, SLICE, Precedence


class Thread:
    """Another thread's CPU time: in each slice of sleep it works for the next of ``shares``, then for none."""

    def __init__(self, shares: Iterable[float]) -> None:
        self.shares = iter(shares)
        self.used = self.now = 0.0
        self.slices = 0

    def sleep(self, seconds: float) -> None:
        self.slices += 1
        self.now += seconds
        self.used += seconds * next(self.shares, 0.0)

    def precedence(self) -> Precedence:
        return Precedence(lambda: self.used, lambda: self.now, self.sleep)


def test_nobody_waits_for_an_idle_thread() -> None:
    thread = Thread([])
    thread.precedence().wait()
    assert thread.slices == 0


def test_a_job_goes_on_as_soon_as_the_thread_is_idle() -> None:
    thread = Thread([1.0, 0.5, 0.2])
    precedence = thread.precedence()
    thread.used += 1e-6  # it began to work
    precedence.wait()
    assert thread.slices == 4, "three slices of work, and the one that was idle"
    precedence.wait()
    assert thread.slices == 4


def test_a_thread_that_never_rests_gets_half_of_the_time() -> None:
    thread = Thread([1.0] * 10_000)
    precedence = thread.precedence()
    thread.used += 1e-6
    precedence.wait()
    assert thread.now == pytest.approx(MOST, abs=SLICE)
    waited = thread.slices
    thread.used += 1.0
    precedence.wait()
    assert thread.slices == waited, "now it is the job's turn"
    thread.now += MOST
    precedence.wait()
    assert thread.slices > waited


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


def test_a_job_looks_at_the_first_thread_whenever_it_reports() -> None:
    looked: list[float] = []

    def used() -> float:
        looked.append(0.0)
        return 0.0

    engine = JobEngine(first=used)
    seen: list[int] = []

    def run(report: object) -> None:
        before = len(looked)
        for part in (report, report.part(0.0, 0.5)):  # type: ignore[attr-defined]
            part.check()
            part.progress(0.5)
        seen.append(len(looked) - before)

    job = engine.submit(Task("test.look", "Look", run, DuplicatePolicy.AFTER))
    job.wait(10)
    assert engine.shutdown()
    assert seen == [4]
