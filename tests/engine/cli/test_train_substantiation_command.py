"""``rejoinder train substantiation``: weights, card and figures from a file of claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.train import train
from engine.errors import BadInput
from tests.engine.reviews.labels.invented_claims import write_claims


def test_weights_and_card_are_written(tmp_path: Path) -> None:
    data = write_claims(tmp_path / "train.jsonl")
    done = CliRunner().invoke(train, ["substantiation", "--data", str(data), "--out", str(tmp_path / "made"), "--json"])
    assert done.exit_code == 0, done.output
    card = json.loads(done.stdout)
    assert card["reviews"] == 40 and card["spans"] == 40 and 0 <= card["cross_validation"]["f1"] <= 1
    assert sorted(path.suffix for path in (tmp_path / "made").iterdir()) == [".json", ".safetensors"]
    [kept] = (tmp_path / "made").glob("*.json")
    assert json.loads(kept.read_text())["cross_validation"] == card["cross_validation"]


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "",
        "[" * 100_000,
        '{"review": "", "label": [[0, 4, "Eval_neg_1"]]}\n' * 12,
        '{"review": "It is weak.", "label": [[0, 10, "Eval_neg_1"]]}\n' * 12,
    ],
    ids=["another layout", "empty", "deep", "blank", "nothing else"],
)
def test_what_nothing_can_be_learnt_from_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.jsonl").write_text(text)
    done = CliRunner().invoke(train, ["substantiation", "--data", str(tmp_path / "other.jsonl")])
    assert isinstance(done.exception, BadInput) and "other.jsonl" in str(done.exception)
