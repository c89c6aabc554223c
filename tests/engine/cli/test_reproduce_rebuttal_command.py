"""``rejoinder reproduce rebuttal`` on invented data in the released layouts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.models.registry import local_encoder
from engine.research.rebuttal.generation import DESCRIBERS, GENERATORS
from engine.research.rebuttal.scoring import SCORERS
from engine.research.rebuttal.seq2seq import SHOTS, Seq2SeqSettings
from tests.engine.expertise.word_embedder import WordEmbedder
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.rebuttal.invented_dialogues import write_data
from tests.engine.research.rebuttal.tiny_seq2seq import make_tiny_seq2seq

FIELDS = {
    "task", "strategy", "title", "metric", "value", "low", "high", "split", "seed", "published", "baseline", "note",
}  # fmt: skip


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, ["reproduce", "rebuttal", *map(str, arguments)])


@pytest.fixture(autouse=True)
def small_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.load_encoder", lambda *_, **__: WordEmbedder())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def rows(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["rows"]
    assert all(set(row) == FIELDS and row["split"] == "train -> dev" for row in found)
    return found


def test_scoring_as_json_with_intervals_baseline_and_published(data: Path, tmp_path: Path) -> None:
    tiny = make_tiny_encoder(tmp_path / "tiny")
    found = rows(run("--data", data, "--tasks", "scoring", "--fine-tune", tiny, "--json"))
    assert [row["strategy"] for row in found[::4]] == [*SCORERS, "bi-encoder-fine-tuned"]
    for row in found:
        assert (row["low"] is row["high"] is None) or row["low"] <= row["value"] <= row["high"]
        assert row["baseline"]["strategy"] == "random"
    first = found[0]
    assert (first["metric"], max(first["published"].values())) == ("pearson", 0.491)
    assert first["published"]["random"] == 0.01 and len(first["published"]) == 10


def test_descriptions_and_answers_as_a_table_for_people(data: Path) -> None:
    result = run("--data", data, "--tasks", "descriptions,answers", "--seed", 3)
    assert result.exit_code == 0, result.output
    for words in (
        "descriptions (train -> dev; seed 3)",
        "answers (train -> dev; seed 3)",
        "published: T5-full",
        "46.5",
        "map",
    ):
        assert words in result.stdout


def test_actions_and_generation_need_both_sets(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tiny = local_encoder(make_tiny_encoder(tmp_path / "tiny"))
    monkeypatch.setattr("engine.models.bundled_encoder", lambda: tiny)
    found = rows(run("--data", data, "--tasks", "generation,rebuttal-action", "--json"))
    assert {row["task"] for row in found} == {"generation", "rebuttal-action", "rebuttal-stance"}
    scores = [row for row in found if row["metric"] == "bert_score"]
    assert len(scores) == 3 and all(0 < row["value"] <= 1 for row in scores)
    heads = next(row for row in found if row["strategy"] == "heads" and row["task"] == "rebuttal-action")
    assert heads["value"] > heads["baseline"]["value"]


def test_who_waits_is_told_which_task_runs_and_how_far_it_is(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cli.output.PAUSE", 0.0)
    result = run("--data", data, "--tasks", "descriptions,generation", "--json")
    rows(result)  # standard output holds nothing but the document
    heard = result.stderr.splitlines()
    assert "descriptions (task 1 of 2)" in heard and "generation (task 2 of 2)" in heard
    shares = [line for line in heard if re.match(r" *\d+ %  \w", line)]
    for words in (DESCRIBERS["consensus"].title, GENERATORS["constant"].title):
        assert any(line.endswith(words) for line in shares), words


@pytest.mark.parametrize(
    ("arguments", "heard"),
    [
        (("--tasks", "scoring,juggling"), "juggling"),
        (("--tasks", "scoring", "--part", "test"), "scoring_test.csv"),
        (("--tasks", "answers", "--part", "test"), "disapere"),
    ],
)
def test_what_is_not_there_is_told(data: Path, arguments: tuple[str, ...], heard: str) -> None:
    problem = run("--data", data, *arguments).exception
    assert isinstance(problem, BadInput) and heard in str(problem)


def test_an_encoder_decoder_of_a_folder_writes_too(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tiny = local_encoder(make_tiny_encoder(tmp_path / "tiny"))
    monkeypatch.setattr("engine.models.bundled_encoder", lambda: tiny)
    monkeypatch.setattr(
        "engine.research.rebuttal.seq2seq.Seq2SeqSettings",
        lambda seed: Seq2SeqSettings(epochs=1, length=32, written=4, beams=1, seed=seed),
    )
    writer = make_tiny_seq2seq(tmp_path / "tiny-t5", "t5")
    found = rows(run("--data", data, "--tasks", "descriptions", "--seq2seq", writer, "--json"))
    own = [row for row in found if row["strategy"].startswith("tiny-t5")]
    assert [row["strategy"] for row in own[::4]] == [f"tiny-t5-{shots}" for shots in SHOTS]
    assert all(row["published"] for row in own if row["metric"] == "rouge_1")
