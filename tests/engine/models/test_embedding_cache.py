"""The cache never changes an answer: same vectors, bounded, and any damage costs only time."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import Cancelled
from engine.jobs import QuietReport, Report
from engine.models import CachedEmbedder, EmbeddingCache


class Counting:
    """An embedder that says what it was asked."""

    fingerprint = "counting"

    def __init__(self, cancel_after: int | None = None) -> None:
        self.asked: list[str] = []
        self.cancel_after = cancel_after

    def encode(self, texts: Sequence[str], report: Report | None = None) -> NDArray[np.float32]:
        if self.cancel_after is not None and len(self.asked) >= self.cancel_after:
            raise Cancelled
        self.asked.extend(texts)
        return np.array([[len(text), sum(map(ord, text)) % 97] for text in texts], dtype=np.float32).reshape(-1, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "embeddings.sqlite"


def test_each_text_is_encoded_once(path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, EmbeddingCache(path))
    texts = ["one", "two", "one", "", "three\ud800"]
    first = cached.encode(texts)
    assert sorted(inner.asked) == sorted(set(texts))
    again = CachedEmbedder(inner, EmbeddingCache(path)).encode([*reversed(texts), "four"])
    assert sorted(inner.asked) == sorted({*texts, "four"})
    assert np.array_equal(again[:5], first[::-1])
    assert np.array_equal(first, Counting().encode(texts))


def test_models_do_not_share_vectors(path: Path) -> None:
    cache = EmbeddingCache(path)
    cache.put("a", ["text"], np.ones((1, 3), np.float32))
    assert cache.get("b", ["text"]) == {}
    assert np.array_equal(cache.get("a", ["text", "other"])["text"], [1, 1, 1])


def test_no_texts(path: Path) -> None:
    assert CachedEmbedder(Counting(), EmbeddingCache(path)).encode([]).shape == (0, 2)


def test_what_a_cancelled_job_computed_is_kept(path: Path) -> None:
    texts = [f"text {n}" for n in range(300)]
    inner = Counting(cancel_after=200)
    with pytest.raises(Cancelled):
        CachedEmbedder(inner, EmbeddingCache(path)).encode(texts)
    assert len(inner.asked) == 256
    later = Counting()
    CachedEmbedder(later, EmbeddingCache(path)).encode(texts)
    assert len(later.asked) == 44


@pytest.mark.parametrize("damage", [b"", b"this is no database at all" * 100, None])
def test_a_damaged_file_costs_only_time(path: Path, damage: bytes | None) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, EmbeddingCache(path))
    expected = cached.encode(["one", "two"])
    if damage is None:
        content = bytearray(path.read_bytes())
        content[200 : len(content)] = b"\xff" * (len(content) - 200)
        path.write_bytes(bytes(content))
    else:
        path.write_bytes(damage)
    for _ in range(3):
        assert np.array_equal(CachedEmbedder(inner, EmbeddingCache(path)).encode(["one", "two"]), expected)
    asked = len(inner.asked)
    assert np.array_equal(CachedEmbedder(inner, EmbeddingCache(path)).encode(["one", "two"]), expected)
    assert len(inner.asked) == asked, "the cache works again"


def test_a_folder_that_cannot_be_made_or_a_locked_file_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = CachedEmbedder(Counting(), EmbeddingCache(tmp_path / "file" / "embeddings.sqlite"))
    assert cached.encode(["one"]).shape == (1, 2)
    assert EmbeddingCache(tmp_path / "file" / "embeddings.sqlite").size() == 0
    cache = EmbeddingCache(tmp_path / "locked.sqlite")
    cache.put("m", ["a"], np.ones((1, 2), np.float32))
    holder = sqlite3.connect(cache.path, timeout=0)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        cache.put("m", ["b"], np.ones((1, 2), np.float32))
    finally:
        holder.rollback()
        holder.close()
    assert set(cache.get("m", ["a", "b"])) == {"a"}


def test_the_file_stays_within_its_bound_and_keeps_what_was_used_last(path: Path) -> None:
    cache = EmbeddingCache(path, size_bound=400_000)
    with_vectors = np.ones((20, 384), np.float32)
    for round_ in range(60):
        cache.put("m", [f"{round_} {n}" for n in range(20)], with_vectors)
    assert cache.size() < 800_000
    assert cache.get("m", [f"59 {n}" for n in range(20)])


def test_vectors_that_are_asked_for_are_young_again(path: Path) -> None:
    cache = EmbeddingCache(path)
    cache.put("m", ["a", "b"], np.ones((2, 2), np.float32))
    connection = sqlite3.connect(path)
    connection.execute("UPDATE embedding SET day = 1")
    connection.commit()
    cache.get("m", ["a"])
    days = sorted(row[0] for row in connection.execute("SELECT day FROM embedding"))
    connection.close()
    assert days[0] == 1 and days[1] > 1


def test_threads_and_processes_share_it(path: Path) -> None:
    code = (
        "import sys; import numpy as np; from pathlib import Path; from engine.models import EmbeddingCache\n"
        "cache = EmbeddingCache(Path(sys.argv[1]))\n"
        "for n in range(30): cache.put('m', [f'{sys.argv[2]} {n}'], np.full((1, 4), n, np.float32))"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, str(path), str(number)]) for number in range(2)]

    def work(number: int) -> None:
        cache = EmbeddingCache(path)
        for n in range(30):
            cache.put("m", [f"t{number} {n}"], np.full((1, 4), n, np.float32))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [other.wait() for other in others] == [0, 0]
    cache = EmbeddingCache(path)
    found = cache.get("m", [f"{owner} {n}" for owner in ("0", "1", "t0", "t1", "t2") for n in range(30)])
    assert len(found) == 150 and all(vector[0] == int(text.split()[1]) for text, vector in found.items())


def test_progress_reaches_the_end(path: Path) -> None:
    seen: list[float] = []

    class Recorder(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            seen.append(fraction)

    cached = CachedEmbedder(Counting(), EmbeddingCache(path))
    cached.encode(["a"], Recorder())
    cached.encode(["a"], Recorder())
    assert seen == [1.0, 1.0]
