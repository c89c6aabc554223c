"""Progress and remaining time of a job."""

import math
from collections import deque
from typing import Any

from engine.jobs.records import Report


class RemainingTime:
    """Estimates the remaining seconds from reported fractions, once there is enough evidence.

    The speed is that of the last ``window`` seconds, including idle time, so that a stall lengthens the estimate. The
    predicted end (not the remaining time) is smoothed with the time constant ``smoothing``, so that the figure counts
    down evenly. Times are seconds of any monotonic clock.
    """

    def __init__(self, window: float = 20.0, smoothing: float = 3.0, evidence: float = 1.0) -> None:
        self._window = window
        self._smoothing = smoothing
        self._evidence = evidence
        self._samples: deque[tuple[float, float]] = deque()
        self._end: float | None = None
        self._updated = 0.0

    def update(self, now: float, fraction: float) -> None:
        """Adds a report. If the fraction decreases (more work was found), earlier reports are discarded."""
        if self._samples and fraction < self._samples[-1][1]:
            self._samples.clear()
            self._end = None
        if len(self._samples) >= 2 and now - self._samples[-2][0] < self._window / 50:
            self._samples[-1] = (now, fraction)
        else:
            self._samples.append((now, fraction))
        while len(self._samples) > 2 and self._samples[1][0] < now - self._window:
            self._samples.popleft()

    def seconds(self, now: float) -> float | None:
        """Returns the remaining seconds at ``now``; None before one second and three reports of progress."""
        if len(self._samples) < 3:
            return None
        (started, first), (_, last) = self._samples[0], self._samples[-1]
        passed, done = now - started, last - first
        if passed < self._evidence or done <= 0.0:
            return None
        end = now + max(0.0, (1.0 - last) * passed / done - (now - self._samples[-1][0]))
        if self._end is None:
            self._end = end
        else:
            weight = 1.0 - math.exp(-max(0.0, now - self._updated) / self._smoothing)
            self._end += weight * (end - self._end)
        self._updated = now
        return max(0.0, self._end - now)


class QuietReport:
    """Ignores reports and is never cancelled: for calls outside the job engine, and as the base of other reports."""

    def progress(self, fraction: float, words: str = "") -> None:
        pass

    def say(self, words: str) -> None:
        pass

    def check(self) -> None:
        pass

    def partial(self, value: Any) -> None:
        pass

    def part(self, start: float, end: float) -> Report:
        return PartReport(self, start, end)


class PartReport(QuietReport):
    """A step of a larger task: its 0..1 corresponds to ``start``..``end`` of the whole task's report."""

    def __init__(self, whole: Report, start: float, end: float) -> None:
        if not 0.0 <= start <= end <= 1.0:
            raise ValueError(f"a part must lie in 0..1, not {start}..{end}")
        self._whole, self._start, self._end = whole, start, end

    def progress(self, fraction: float, words: str = "") -> None:
        self._whole.progress(self._start + min(1.0, max(0.0, fraction)) * (self._end - self._start), words)

    def say(self, words: str) -> None:
        self._whole.say(words)

    def check(self) -> None:
        self._whole.check()

    def partial(self, value: Any) -> None:
        self._whole.partial(value)
