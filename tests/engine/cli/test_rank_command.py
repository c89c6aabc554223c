"""``rejoinder rank`` as scripts see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(rejoinder, arguments)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "preferences.csv"
    rows = ["a,b,a,ann", "c,a,a,ann", "b,c,b,ann", "b,a,tie,bob", "c,b,b,bob", "a,c,a,bob"]
    path.write_text("item_a,item_b,winner,annotator\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("method", ["pagerank", "bradley-terry"])
def test_json_has_the_fields_of_the_contract(table: Path, method: str) -> None:
    done = _run("rank", str(table), "--method", method, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert [row["item"] for row in document["items"]] == ["a", "b", "c"]
    assert all({"item", "score", "low", "high", "rank"} <= set(row) for row in document["items"])
    assert {row[key] for row in document["items"] for key in ("low", "high", "rank_low", "first")} == {None}
    assert any("6 comparisons among the ranked items: intervals" in words for words in document["warnings"])
    twice = table.with_name("twice.csv")
    again = "\n".join(table.read_text().splitlines()[1:])
    twice.write_text(table.read_text() + again)
    document = json.loads(_run("rank", str(twice), "--method", method, "--json").stdout)
    assert document["comparisons"] == 6, "what the same annotators say again is no further opinion"
    twice.write_text(table.read_text() + again.replace("ann", "cem").replace("bob", "dee"))
    document = json.loads(_run("rank", str(twice), "--method", method, "--json").stdout)
    assert all(row["low"] <= row["high"] for row in document["items"])
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] for row in document["items"])
    assert any("First place is uncertain" in warning for warning in document["warnings"])
    assert done.stdout == _run("rank", str(table), "--method", method, "--json").stdout
    assert "rank" in _run("rank", str(table), "--method", method).stdout


def test_one_edge_gives_the_published_ranks(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("item_a,item_b,winner,annotator\nx,y,x,ann\n")
    rows = json.loads(_run("rank", str(path), "--json").stdout)["items"]
    assert [row["score"] for row in rows] == pytest.approx([0.350877, 0.649123], abs=1e-6)


def test_no_judgement_and_a_doubtful_encoding_are_said(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("item_a,item_b,winner,annotator\n")
    assert _run("rank", str(path)).exit_code == 1
    path.write_bytes("item_a,item_b,winner,annotator\né,y,é,ann\n".encode("latin-1"))
    done = _run("rank", str(path), "--json")
    assert done.exit_code == 0 and "isn't UTF-8" in json.loads(done.stdout)["warnings"][0]


def test_one_annotator_and_bad_rows(table: Path) -> None:
    assert json.loads(_run("rank", str(table), "--annotator", "bob", "--json").stdout)["comparisons"] == 3
    wrong = _run("rank", str(table), "--annotator", "eve")
    assert isinstance(wrong.exception, BadInput) and "bob" in str(wrong.exception)
    table.write_text(table.read_text() + "a,b,d,ann\n")
    done = _run("rank", str(table), "--json")
    assert done.exit_code == 1 and "Row 8" in json.loads(done.stdout)["warnings"][0]


def test_first_place_of_an_item_that_always_loses_is_unlikely_not_impossible(tmp_path: Path) -> None:
    path = tmp_path / "clear.csv"
    path.write_text("item_a,item_b,winner,annotator\n" + "".join(f"a,b,a,p{n}\nb,a,a,q{n}\n" for n in range(30)))
    shown = _run("rank", str(path)).stdout
    assert " >99 %  a" in shown and "  <1 %  b" in shown
