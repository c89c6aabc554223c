"""Encoders of local folders: text as each family reads it, pooling, scores, reasons, empty papers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadInput, EnvironmentProblem
from engine.expertise.algorithms.encoder import FAMILIES, Encoder, encode_papers, encoder_in
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.registry import make_algorithm
from engine.expertise.records import PaperText
from engine.jobs import QuietReport, Report
from tests.engine.expertise.invented_papers import PROFILES, SUBMISSIONS, invented_papers
from tests.engine.models.tiny_encoder import make_tiny_encoder


class Recording:
    """An embedder that writes down what it reads."""

    fingerprint = "recording"

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str], report: Report | None = None) -> np.ndarray:
        self.read += texts
        made = np.array([[len(text), text.count("s") + 1, text.count("e")] for text in texts], dtype=np.float32)
        made = made.reshape(-1, 3)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_encoder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def plain(folder: Path, tmp_path: Path) -> Path:
    """The same network as a plain transformers folder, as SPECTER comes."""
    copied = tmp_path / "specter"
    shutil.copytree(folder, copied)
    (copied / "modules.json").unlink()
    shutil.rmtree(copied / "1_Pooling")
    return copied


def test_scores_are_pooled_cosines(folder: Path) -> None:
    papers = invented_papers()
    algorithm = encoder_in(folder, pooling=Pooling("mean"))
    scores = algorithm.read(papers, "title+abstract", report=QuietReport()).score(
        {**PROFILES, "nobody": ()}, SUBMISSIONS, report=QuietReport()
    )
    from engine.models import load_encoder, local_encoder

    vectors = load_encoder(local_encoder(folder)).encode([f"{p.title}. {p.abstract}" for p in papers.values()])
    by_key = dict(zip(papers, vectors, strict=True))
    expected = np.mean([by_key[key] @ by_key["b3"] for key in PROFILES["ornithologist"]])
    assert scores[0, 0] == pytest.approx(expected, abs=1e-5) and np.isnan(scores[2]).all()


def test_a_plain_folder_is_read_as_its_family_reads_it(plain: Path, folder: Path) -> None:
    specter = dict(encoder_in(plain, "specter").info.parameters)
    assert specter["encoder"].endswith("-cls") and specter["separator"] == "[SEP]" and specter["pooling"] == "max"
    general = dict(encoder_in(plain).info.parameters)
    assert not general["encoder"].endswith("-cls") and general["separator"] == ". "
    assert dict(encoder_in(folder, "specter").info.parameters)["separator"] == ". ", "the folder says: mean"
    said = folder.parent / "said"
    shutil.copytree(folder, said)
    (said / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 16, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    (said / "special_tokens_map.json").write_text(json.dumps({"sep_token": {"content": "</s>"}}))
    assert dict(encoder_in(said).info.parameters)["separator"] == "</s>"


def test_title_separator_abstract_and_what_is_missing() -> None:
    embedder = Recording()
    papers = {
        "a": PaperText("a", "Title", "Abstract."), "b": PaperText("b", "Only title"), "c": PaperText("c", ""),
        "d": PaperText("d", "", "Only abstract."),
    }  # fmt: skip
    scorer = Encoder(embedder, FAMILIES["specter"], separator="[SEP]").read(
        papers, "title+abstract", report=QuietReport()
    )
    assert embedder.read == ["Title[SEP]Abstract.", "Only title", "Only abstract."]
    scores = scorer.score({"x": ["a", "c"], "y": ["c"]}, ["b", "c"], report=QuietReport())
    assert scores[0, 0] > 0 and scores[0, 1] == 0 and np.isnan(scores[1]).all()
    (first,) = scorer.explain(["a"], "d")
    assert first.share == 1.0 and first.passages[0][:2] == ("Only abstract.", "Abstract.")


def test_papers_are_encoded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.expertise.algorithms.encoder.TEXTS_AT_ONCE", 2)
    texts = ["one", "", "three", "four", "five"]
    vectors = encode_papers(Recording(), texts, QuietReport())
    assert np.allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1, 1, 1])
    assert np.allclose(vectors[3], Recording().encode(["four"])[0])
    assert encode_papers(Recording(), [], QuietReport()).shape == (0, 3)


def test_from_the_registry(folder: Path, tmp_path: Path) -> None:
    assert make_algorithm("encoder", embedder=Recording()).info.id == "encoder"
    assert make_algorithm("encoder", folder=folder, embedder=Recording()).info.parameters[0] != ("encoder", "recording")
    for key in ("specter", "specter2", "scincl"):
        assert make_algorithm(key, folder=folder).info.id == key
        with pytest.raises(BadInput, match="needs a model folder"):
            make_algorithm(key)
    with pytest.raises(EnvironmentProblem, match="is missing"):
        make_algorithm("specter", folder=tmp_path / "gone")
