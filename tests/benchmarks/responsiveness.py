"""How soon the window's event loop responds while the engine thread works.

A probe ticks every 2 ms in a Qt event loop on the main thread. Between two ticks the loop was busy or blocked; an event
that arrives in the gap waits until its end. The figures are these waits, for events arriving evenly over time, so that
one long stall counts for all the events that it delays. Meanwhile jobs run one after the other on the engine thread, as
in the application: loading the encoder, encoding 2,000 sentences, parsing two documents of 120 pages, comparing them.

``python -m tests.benchmarks.responsiveness [SWITCH_INTERVAL]`` prints the phases.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.documents.records import ParsedDocument
from engine.documents.service import DocumentService
from engine.jobs import DuplicatePolicy, JobEngine, JobState, Report, Task
from engine.models import ProcessEmbedder, bundled_encoder, fingerprint
from engine.revision.candidates import candidates
from engine.revision.edits import compare

PAGES = 120
SENTENCES = 2_000
TICK_MS = 2


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


@dataclass(frozen=True)
class Phase:
    """A watched job: its duration in seconds, and the waits of events meanwhile in ms, one per ms."""

    name: str
    seconds: float
    waits: NDArray[np.float64]

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.waits, share))


def sentence(rng: random.Random) -> str:
    """Returns a sentence of about twenty made-up words."""
    words = ("".join(rng.choices("aeioulnrst", k=rng.randint(2, 9))) for _ in range(rng.randint(14, 26)))
    return " ".join(words).capitalize() + "."


def write_paper(path: Path, rng: random.Random, edited: random.Random | None) -> None:
    """Writes a PDF of 120 pages with five paragraphs each; with ``edited`` one in five has an additional sentence."""
    import pymupdf

    document = pymupdf.open()
    for _ in range(PAGES):
        page = document.new_page()
        for at in range(5):
            text = " ".join(sentence(rng) for _ in range(4))
            if edited is not None and edited.random() < 0.2:
                text = f"{text} {sentence(edited)}"
            page.insert_textbox((72, 72 + 125 * at, 523, 180 + 125 * at), text, fontsize=9)
    document.save(path)
    document.close()


def watch(lane: JobEngine, name: str, run: Callable[[Report], None]) -> Phase:
    """Runs a job while the probe ticks, until it has ended."""
    from PySide6.QtCore import QCoreApplication, QElapsedTimer, Qt, QTimer

    app = QCoreApplication.instance() or QCoreApplication([])
    job = lane.submit(Task(name, name, run, DuplicatePolicy.AFTER))
    clock = QElapsedTimer()
    clock.start()
    ticks: list[float] = []

    def tick() -> None:
        ticks.append(clock.nsecsElapsed() / 1e6)
        if job.state.ended:
            app.quit()

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(TICK_MS)
    app.exec()
    timer.stop()
    if job.wait(10) is not JobState.DONE:
        raise RuntimeError(f"{name}: {job.failure.traceback if job.failure else job.state}")
    return Phase(name, ticks[-1] / 1000, waits(np.array(ticks)))


def waits(ticks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns how long an event waits for the next tick, for events arriving every ms between first and last tick."""
    arrivals = np.arange(ticks[0], ticks[-1], 1.0)
    return np.asarray(ticks[np.searchsorted(ticks, arrivals)] - arrivals)


def phases() -> list[Phase]:
    """Watches all jobs one after the other."""
    rng = random.Random(5)
    sentences = [sentence(rng) for _ in range(SENTENCES)]
    watched: list[Phase] = []
    parsed: list[ParsedDocument] = []
    with tempfile.TemporaryDirectory() as name, DocumentService() as service:
        folder = Path(name)
        write_paper(folder / "old.pdf", random.Random(6), None)
        write_paper(folder / "new.pdf", random.Random(6), random.Random(7))
        lane = JobEngine()
        model = bundled_encoder()
        encoder = ProcessEmbedder(model.folder, fingerprint(model.folder))

        def parse(report: Report) -> None:
            for file in ("old.pdf", "new.pdf"):
                parsed.append(service.parse(folder / file, progress=report.progress))

        def diff(report: Report) -> None:
            report.check()
            candidates(compare(parsed[0].paragraphs, parsed[1].paragraphs))

        try:
            watched.append(watch(lane, "loading the encoder", lambda report: void(encoder.encode(["one"], report))))
            watched.append(watch(lane, "encoding", lambda report: void(encoder.encode(sentences, report))))
            watched.append(watch(lane, "parsing", parse))
            watched.append(watch(lane, "comparing", diff))
        finally:
            encoder.close()
            if not lane.shutdown(30):
                raise RuntimeError("the engine thread did not end")
    return watched


def void(_: object) -> None:
    """Discards the result: a task's result must be frozen, but an array isn't."""


def figures(_data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns the waits over all jobs, of the worst job, and the longest."""
    watched = phases()
    everything = np.concatenate([phase.waits for phase in watched])

    def entry(value: float, unit: str, target: float | None) -> dict[str, Any]:
        return {"value": round(value, 2), "unit": unit, "better": "lower", "target": target}

    found = {
        "event_wait_p99": entry(float(np.quantile(everything, 0.99)), "ms", 50.0),
        "event_wait_p99_worst_job": entry(max(phase.quantile(0.99) for phase in watched), "ms", 50.0),
        "event_wait_longest": entry(float(everything.max()), "ms", None),
    }
    for phase in watched:
        found[f"seconds_{phase.name.replace(' ', '_')}"] = entry(phase.seconds, "s", None)
    return found


def main() -> None:
    """Prints the phases."""
    if len(sys.argv) > 1:
        sys.setswitchinterval(float(sys.argv[1]))
    started = time.perf_counter()
    for phase in phases():
        print(
            f"{phase.name:>20} {phase.seconds:7.1f} s   waits: median {phase.quantile(0.5):5.1f} ms,"
            f" 99 % {phase.quantile(0.99):6.1f} ms, longest {phase.waits.max():6.1f} ms"
        )
    print(f"{time.perf_counter() - started:.0f} s with a switch interval of {sys.getswitchinterval()} s")


if __name__ == "__main__":
    main()
