"""A venue's scale: pairs per second relative to the matrix product, memory, encoding relative to the plain encoder.

Everything runs on one thread and is measured in processor seconds, so that other load hardly matters. Vectors and texts
are made up (the figures don't depend on their content); only the loss of the fast encoder needs data.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PAPERS, DIMENSION = 20, 384
MEASURED = 2_000
"""Number of reviewers and submissions that are timed; the time for 10,000 each is proportional to the product."""
WHOLE = 10_000
TEXTS, ROUNDS = 64, 3
LEXICAL = 150
"""Number of reviewers and submissions, with twenty papers each, for the algorithms that compare words."""


def figures(data: Path | None) -> dict[str, dict[str, Any]]:
    """Returns throughputs, ratios and memory."""
    found = _entries(_child("speed", MEASURED), _child("memory", WHOLE))
    found |= _encoding()
    found |= _lexical()
    if data is not None:
        found |= _loss(data)
    return found


def _entry(value: float, unit: str, better: str, target: float | None = None) -> dict[str, Any]:
    return {"value": value, "unit": unit, "better": better, "target": target}


def _entries(speed: dict[str, float], memory: dict[str, float]) -> dict[str, dict[str, Any]]:
    return {
        "vectors.pairs_per_second": _entry(round(speed["pairs"]), "pairs/s", "higher"),
        "vectors.ratio_to_product": _entry(round(speed["ratio"], 2), "x", "lower", 2.0),
        "vectors.memory_10000x10000x20": _entry(round(memory["peak"] / 2**20), "MB", "lower", 2048),
    }


def _child(what: str, size: int) -> dict[str, float]:
    """Returns the figures of a separate process, so that its memory is measured alone."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.benchmarks.similarity_scale import {what}; {what}({size})"],
        check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )  # fmt: skip
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def _venue(size: int) -> tuple[Any, dict[str, tuple[str, ...]], list[str]]:
    import numpy as np

    from engine.expertise.algorithms.paperwise import VectorScorer
    from engine.expertise.algorithms.pooling import Pooling

    chance = np.random.default_rng(0)
    count = size * (PAPERS + 1)
    vectors = np.empty((count, DIMENSION), dtype=np.float32)
    for start in range(0, count, 10_000):
        some = chance.standard_normal((min(10_000, count - start), DIMENSION), dtype=np.float32)
        vectors[start : start + len(some)] = some / np.linalg.norm(some, axis=1, keepdims=True)
    keys = [f"p{at}" for at in range(count)]
    profiles = {f"r{at}": tuple(keys[at * PAPERS : (at + 1) * PAPERS]) for at in range(size)}
    return VectorScorer(keys, vectors, Pooling("top-3")), profiles, keys[size * PAPERS :]


def speed(size: int) -> None:
    """Prints pairs per second of a whole run (blocks written), and the ratio of its time to the bare product's."""
    from threadpoolctl import threadpool_limits

    from engine.expertise.scale import forget, score_venue
    from engine.jobs import QuietReport

    scorer, profiles, submissions = _venue(size)
    targets = scorer.vectors[size * PAPERS :].T.copy()

    def product() -> None:
        for start in range(0, size * PAPERS, 2560):  # in pieces, since the whole product doesn't fit into memory
            _ = scorer.vectors[start : min(start + 2560, size * PAPERS)] @ targets

    def run() -> None:
        with TemporaryDirectory() as folder:
            parts = Path(folder) / "parts"
            for _ in score_venue(
                scorer, profiles, submissions, folder=parts, provenance="", top_k=50, report=QuietReport()
            ):
                pass
            forget(parts)

    with threadpool_limits(1):  # alternating, so that other load affects both
        pairs = [(_best_of(product, 1), _best_of(run, 1)) for _ in range(ROUNDS)]
    plain, whole = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    print(json.dumps({"pairs": size * size / whole, "ratio": whole / plain}))


def memory(size: int) -> None:
    """Prints the peak memory of a process that holds a venue's vectors and scores two blocks of all pairs."""
    import resource

    from engine.expertise.scale import SUBMISSIONS_AT_ONCE, forget, score_venue
    from engine.jobs import QuietReport

    scorer, profiles, submissions = _venue(size)
    with TemporaryDirectory() as folder:
        parts = Path(folder) / "parts"
        for _ in score_venue(
            scorer, profiles, submissions[: 2 * SUBMISSIONS_AT_ONCE], folder=parts, provenance="", report=QuietReport()
        ):
            pass
        forget(parts)
    print(json.dumps({"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def _encoding() -> dict[str, dict[str, Any]]:
    """Measures texts per second, ours and the library's on texts sorted by length (its default), alternating."""
    import torch

    from engine.models import SentenceTransformerEmbedder, bundled_encoder
    from engine.models.devices import has_bfloat16, processors
    from engine.models.embedders import load_sentence_transformer

    model = bundled_encoder()
    words = ["method", "matching", "reviewers", "expertise", "we", "show", "that", "similarity", "of", "papers", "is"]
    texts = [" ".join(words[(at * 7 + step) % len(words)] for step in range(30 + at * 5 % 200)) for at in range(TEXTS)]
    texts.sort(key=len, reverse=True)
    direct = load_sentence_transformer(model.folder)
    exact = SentenceTransformerEmbedder(model.folder, "exact", leave_free=processors())
    fast = SentenceTransformerEmbedder(model.folder, "fast", leave_free=processors(), fast=True)
    runs: dict[str, Callable[[], object]] = {
        "direct": lambda: direct.encode(texts, normalize_embeddings=True, show_progress_bar=False),
        "exact": lambda: exact.encode(texts),
        "fast": lambda: fast.encode(texts),
    }
    times = {name: float("inf") for name in runs}
    for _ in range(ROUNDS + 1):  # the first one loads
        for name, run in runs.items():
            torch.set_num_threads(1)
            started = time.process_time()
            run()
            times[name] = min(times[name], time.process_time() - started)
    found = {f"encoding.{name}": _entry(round(TEXTS / took, 1), "texts/s", "higher") for name, took in times.items()}
    found["encoding.exact_to_direct"] = _entry(round(times["direct"] / times["exact"], 2), "x", "higher", 1.0)
    goal = 1.5 if has_bfloat16() else 1.0
    found["encoding.fast_to_direct"] = _entry(round(times["direct"] / times["fast"], 2), "x", "higher", goal)
    return found


def _lexical() -> dict[str, dict[str, Any]]:
    """Measures pairs per second of word-comparing algorithms and the default, with titles and abstracts read."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from engine.expertise.algorithms.registry import make_algorithm
    from engine.expertise.records import PaperText
    from engine.expertise.scale import forget, score_venue
    from engine.jobs import QuietReport

    chance = np.random.default_rng(0)
    count = LEXICAL * (PAPERS + 1)
    # Words as frequent as in natural text: the n-th with a share of about 1/n^1.3.
    drawn = np.minimum(chance.zipf(1.3, size=(count, 120)), 20_000)
    papers = {}
    for row, own in enumerate(drawn):
        words = [_word(number) for number in own]
        sentences = (" ".join(words[at : at + 20]).capitalize() + "." for at in range(0, len(words), 20))
        papers[f"p{row}"] = PaperText(f"p{row}", f"On {words[0]} and {words[1]} of {words[2]}", " ".join(sentences))
    keys = list(papers)
    profiles = {f"r{at}": tuple(keys[at * PAPERS : (at + 1) * PAPERS]) for at in range(LEXICAL)}
    found = {}
    for name in ("fusion", "tpms", "bm25"):
        algorithm = make_algorithm(name, embedder=_Random())
        scorer = algorithm.read(papers, "title+abstract", report=QuietReport())

        def run(scorer: Any = scorer) -> None:
            with TemporaryDirectory() as folder:
                parts = Path(folder) / "parts"
                for _ in score_venue(
                    scorer, profiles, keys[LEXICAL * PAPERS :], folder=parts, provenance="", report=QuietReport()
                ):
                    pass
                forget(parts)

        with threadpool_limits(1):
            took = _best_of(run, 1)
        found[f"{name}.pairs_per_second"] = _entry(round(LEXICAL**2 / took), "pairs/s", "higher")
    return found


def _word(number: int) -> str:
    """Returns a different invented word for each number."""
    letters = ""
    while number:
        number, rest = divmod(number, 26)
        letters += "etaoinsrhldcumfpgwybvkxjqz"[rest]
    return letters + "o"


class _Random:
    """Stands in for an encoder, whose speed is measured separately."""

    fingerprint = "random"

    def encode(self, texts: Any, report: Any = None) -> Any:
        import numpy as np

        made = np.random.default_rng(len(texts)).standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def _loss(data: Path) -> dict[str, dict[str, Any]]:
    """Measures how far half precision changes the encoder's loss on the gold standard."""
    from engine.exchange.expertise_data import read_gold_standard
    from engine.expertise.algorithms.encoder import FAMILIES, Encoder
    from engine.expertise.evaluation import evaluate, ratings_by_participant
    from engine.expertise.experiments import draws
    from engine.jobs import QuietReport
    from engine.models import load_encoder

    gold = read_gold_standard(data / "expertise")
    ratings = ratings_by_participant(gold)
    losses = []
    for fast in (False, True):
        algorithm = Encoder(load_encoder(fast=fast, leave_free=0), FAMILIES["encoder"])
        scorer = algorithm.read(gold.papers, "title+abstract", report=QuietReport())
        predictions = []
        for profiles in draws(gold).values():
            scored = {
                person: scorer.score({person: profiles[person]}, list(own), report=QuietReport())[0]
                for person, own in ratings.items()
            }
            predictions.append({person: dict(zip(ratings[person], row, strict=True)) for person, row in scored.items()})
        losses.append(evaluate(gold, predictions, samples=1).loss)
    return {
        "encoding.loss_exact": _entry(round(losses[0], 4), "", "lower"),
        "encoding.loss_moved_by_fast": _entry(round(abs(losses[1] - losses[0]), 4), "", "lower", 0.002),
    }


def _best_of(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        run()
        best = min(best, time.process_time() - started)
    return best
