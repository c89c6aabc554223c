"""``rejoinder reproduce rebuttal --tasks theme,labels`` on invented reviews in the released layouts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import models
from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.models.registry import local_encoder
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.reviews.labels.invented_reviews import (
    WordVectors,
    invented_reviews,
    write_disapere,
    write_peer_review_analyze,
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(models, "load_encoder", lambda *_, **__: WordVectors())
    write_peer_review_analyze(tmp_path / "peer_review_analyze", invented_reviews(16, sentences=6))
    write_disapere(tmp_path / "disapere" / "train", invented_reviews(16, sentences=6, seed=5))
    write_disapere(tmp_path / "disapere" / "dev", invented_reviews(8, sentences=6, seed=6))
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, ["reproduce", "rebuttal", *map(str, arguments)])


def test_each_figure_stands_beside_the_published_one(data: Path) -> None:
    result = run("--data", data, "--tasks", "theme,labels", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["rows"]
    assert {row["strategy"] for row in found} == {"majority", "heads", "heads, neighbours learnt"}
    rows = {(row["task"], row["split"], row["metric"]): row for row in found if row["strategy"] == "heads"}
    expected = {
        ("theme", "70/10/20 by sentence", "micro-F1"): 0.655,
        ("theme", "70/10/20 by paper", "micro-F1"): None,
        ("polarity", "train -> dev", "macro-F1"): 0.709,
        ("aspect, 9 classes with none", "train -> dev", "macro-F1"): 0.383,
        ("aspect of sentences that have one, 8 classes", "train -> dev", "accuracy"): 0.422,
        ("aspect of sentences that have one, 8 classes", "train -> dev", "macro-F1"): 0.318,
        ("review action, 7 classes with none", "train -> dev", "macro-F1"): 0.604,
    }
    assert set(rows) == set(expected)
    for key, row in rows.items():
        assert next(iter(row["published"].values()), None) == pytest.approx(expected[key])
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["baseline"]["strategy"] == "majority" and row["baseline"]["value"] <= row["value"]
    assert rows["polarity", "train -> dev", "macro-F1"]["value"] > 0.6


def test_an_encoder_is_fine_tuned_and_averaged_with_the_heads(data: Path, tmp_path: Path) -> None:
    base = make_tiny_encoder(tmp_path / "tiny")
    result = run("--data", data, "--tasks", "labels", "--fine-tune", base, "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert {row["strategy"] for row in rows} == {"majority", "heads", "fine-tuned, with heads"} and len(rows) == 15


def test_the_bundled_encoder_is_meant_by_its_name(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = local_encoder(make_tiny_encoder(tmp_path / "tiny"))
    monkeypatch.setattr(models, "bundled_encoder", lambda: tiny)
    result = run("--data", data, "--tasks", "theme", "--fine-tune", "bundled")
    assert result.exit_code == 0, result.output
    assert "theme (70/10/20 by paper; seed 1)" in result.stdout and "encoder trained end to end" in result.stdout
    assert "published: SciBERT, specialised" in result.stdout and " 65.5\n" in result.stdout


def test_missing_data_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "load_encoder", lambda *_, **__: WordVectors())
    for task in ("theme", "labels"):
        assert isinstance(run("--data", tmp_path, "--tasks", task).exception, BadInput)
