"""Jobs wait while the window's thread works.

Every call into Qt releases Python's lock, and a job that computes takes it each time: a key that calls Qt 500 times
then waits for 500 slices of the job. Shorter slices don't help, only none do.
"""

import sys
import time
from collections.abc import Callable

SLICE = 0.0005
"""Seconds between two looks at the other thread."""
MOST = 0.05
"""The longest wait in seconds. After it, the job works for as long, whatever the other thread does."""


def cpu_clock(thread: int) -> Callable[[], float] | None:
    """The CPU time of another thread in seconds, by its ``ident``; None on systems that don't tell."""
    if sys.platform != "linux":
        return None
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


class Precedence:
    """``wait`` returns when the thread whose CPU time is ``used`` is idle."""

    def __init__(
        self,
        used: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._used, self._clock, self._sleep = used, clock, sleep
        self._seen = used()
        self._free_until = 0.0

    def wait(self) -> None:
        begun = self._clock()
        if begun < self._free_until or self._used() == self._seen:
            return
        while True:
            before = self._used()
            self._sleep(SLICE)
            self._seen = self._used()
            if self._seen - before < SLICE / 10:
                return
            if self._clock() - begun >= MOST:
                self._free_until = self._clock() + MOST
                return
