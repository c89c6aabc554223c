"""The encoder in its own process: the same vectors, cancel at any time, a clear word when the child is gone."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import DuplicatePolicy, JobEngine, JobState, QuietReport, Report, Task
from engine.models import ProcessEmbedder, SentenceTransformerEmbedder

TEXTS = (
    "the split was made at random",
    "",
    "table 4, the caf\u00e9 \u201cquoted\u201d \U0001f642 \ud83d",
    "we thank you " * 60,
)


@pytest.fixture(scope="module")
def apart(tiny_encoder: Path) -> Iterator[ProcessEmbedder]:
    embedder = ProcessEmbedder(tiny_encoder, "tiny", device="cpu")
    yield embedder
    embedder.close()


def test_cancel_is_heard_even_while_it_loads(apart: ProcessEmbedder, tiny_encoder: Path) -> None:
    lane, started = JobEngine(interval=0.0), threading.Event()
    lane.subscribe(lambda snapshot: started.set() if snapshot.words == "Loading the model" else None)

    def run(report: Report) -> None:
        apart.encode(["a text"] * 5000, report)

    job = lane.submit(Task("encode", "Encode", run, DuplicatePolicy.AFTER))
    assert started.wait(30)
    job.cancel()
    assert job.wait(30) is JobState.CANCELLED
    assert lane.shutdown(10)
    there = apart.encode(["another text"])
    here = SentenceTransformerEmbedder(tiny_encoder, "tiny", device="cpu").encode(["another text"])
    assert np.allclose(here, there, atol=1e-5), "the answer to the cancelled batch is not taken for this one"


def test_the_same_vectors_as_in_this_process(apart: ProcessEmbedder, tiny_encoder: Path) -> None:
    here = SentenceTransformerEmbedder(tiny_encoder, "tiny", device="cpu").encode(TEXTS)
    there = apart.encode(TEXTS)
    assert there.dtype == np.float32 and np.allclose(here, there, atol=1e-5)
    assert apart.encode([]).shape == (0, 16)
    assert apart.fingerprint == "tiny"


def test_progress_rises_to_the_end(apart: ProcessEmbedder) -> None:
    seen: list[float] = []

    class Recorder(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            seen.append(fraction)

    apart.encode([f"text {n} " * 40 for n in range(60)], Recorder())
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 5


def test_cancel_between_batches(apart: ProcessEmbedder) -> None:
    class Once(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            if fraction > 0:
                raise Cancelled

    with pytest.raises(Cancelled):
        apart.encode([f"text {n} " * 60 for n in range(300)], Once())
    assert apart.encode(["fine"]).shape == (1, 16)


def test_a_child_that_was_killed_is_said_and_started_again_confined_and_nothing_stays_behind(
    apart: ProcessEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = set(threading.enumerate())  # the shared encoder of earlier tests may still have its reader
    apart.encode(["text"])
    first = apart.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)  # set by torch where a test of this process loaded it
    with pytest.raises(EnvironmentProblem, match="'s process stopped unexpectedly"):
        apart.encode(["text"])
    assert apart.encode(["text"]).shape == (1, 16)
    second = apart.pid
    assert second not in (None, first)
    _look_at_confinement(apart, tmp_path)
    apart.close()
    assert apart.pid is None
    assert list(tmp_path.iterdir()) == []
    assert "rejoinder-encoder-reader" not in {thread.name for thread in threading.enumerate() if thread not in others}
    with pytest.raises(ProcessLookupError):
        os.kill(second or 0, 0)


def _look_at_confinement(embedder: ProcessEmbedder, folder: Path) -> None:
    try:
        from engine.confinement.linux import landlock_abi
    except ImportError:
        return
    if not landlock_abi():
        return  # needs Linux with Landlock; elsewhere doctor says so
    held = embedder._child.held
    assert held is not None and held["network"] and held["files"] and held["programs"]
    loaded = Path(f"/proc/{embedder.pid}/maps").read_text(encoding="utf-8")
    assert "torch" in loaded and "onnxruntime" not in loaded and "hf_xet" not in loaded
    (scratch,) = folder.iterdir()
    assert scratch.stat().st_mode & 0o777 == 0o700


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    embedder = ProcessEmbedder(tmp_path, "none")
    with pytest.raises(EnvironmentProblem, match="no model in"):
        embedder.encode(["text"])
    embedder.close()
