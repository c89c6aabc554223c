"""Progress of long commands, on standard error."""

from __future__ import annotations

import time

from engine.cli.output import remark
from engine.jobs import PartReport, QuietReport, Report

PAUSE = 5.0
"""Seconds between two remarks."""


class Remarks(QuietReport):
    """Says how far a command is, at most once in ``PAUSE`` seconds."""

    def __init__(self) -> None:
        self._said = 0.0

    def progress(self, fraction: float, words: str = "") -> None:
        """One line on standard error."""
        if words and time.monotonic() - self._said > PAUSE:
            remark(f"{100 * fraction:3.0f} %  {words}")
            self._said = time.monotonic()

    def part(self, start: float, end: float) -> Report:
        return PartReport(self, start, end)
