"""Which of two reviewers knows a paper better: the loss over pairs of reviewers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.expertise.algorithms.registry import make_algorithm
from tests.benchmarks.reviewer_pairs import losses, main, summary
from tests.engine.models.tiny_encoder import make_tiny_encoder

GLACIERS = {"title": "Glaciers and their sediment", "abstract": "Glaciers carry sediment down the valley."}
PARSERS = {"title": "Parsers of grammars", "abstract": "Grammars are parsed in linear time."}
TAXES = {"title": "Taxes on land", "abstract": "Owners pay by area."}


def _pair(paper: dict[str, str], positive: dict[str, str], negative: dict[str, str], difference: int) -> dict[str, Any]:
    return {
        "anchor": {"paper_id": paper["title"], "paper_title": paper["title"], "abstract": paper["abstract"]},
        "positive": {"author_id": positive["title"], "score": 1 + difference, "papers": [positive]},
        "negative": {"author_id": negative["title"], "score": 1, "papers": [negative]},
    }


def test_what_is_ordered_wrongly_costs_the_difference_and_a_tie_half() -> None:
    sediment = {"title": "Sediment of glaciers", "abstract": "How much sediment glaciers carry."}
    right = _pair(sediment, GLACIERS, PARSERS, 3)
    wrong = _pair(sediment, PARSERS, GLACIERS, 2)
    tied = _pair({"title": "Whales", "abstract": "They sing."}, TAXES, PARSERS, 1)
    found = losses([right, wrong, tied], make_algorithm("tpms"))
    assert found == {"Sediment of glaciers": [(0.0, 3.0), (2.0, 2.0)], "Whales": [(0.5, 1.0)]}
    whole = summary(found)
    assert whole["loss"] == pytest.approx(2.5 / 6) and whole["pairs"] == 3
    assert whole["low"] <= whole["loss"] <= whole["high"]


def test_the_command_prints_loss_pairs_and_algorithm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pairs.json").write_text(json.dumps([_pair(GLACIERS, GLACIERS, PARSERS, 3)]))
    model = make_tiny_encoder(tmp_path / "model")
    for key, more in (("tpms", []), ("merit", ["--model", str(model)])):
        monkeypatch.setattr("sys.argv", ["reviewer_pairs", str(tmp_path / "pairs.json"), "--algorithm", key, *more])
        main()
        printed = json.loads(capsys.readouterr().out)
        assert list(printed) == ["loss", "pairs", "algorithm"] and printed["pairs"] == 1
        assert printed["algorithm"] == key and printed["loss"] == 0
