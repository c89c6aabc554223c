"""``rejoinder calibrate`` and ``reproduce calibration-table-1`` as scripts see them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.calibration.registry import CALIBRATORS
from engine.calibration.synthetic import Design
from engine.cli import reproduce
from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.shown import percent


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(rejoinder, arguments)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    done = _run("calibrate", "synthetic", "--seed", "4", "--items", "24", "--referees", "8", "--out", str(path))
    assert done.exit_code == 0 and "72 reviews" in done.output
    return path


def test_json_has_the_fields_of_the_contract(table: Path) -> None:
    done = _run("calibrate", str(table), "--cutoff", "5", "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert {"items", "referees", "log_likelihood", "warnings"} <= set(document)
    assert {"item", "score", "sd", "rank", "rank_low", "rank_high"} <= set(document["items"][0])
    assert {"referee", "bias", "trust", "flagged"} <= set(document["referees"][0])
    assert [entry["rank"] for entry in document["items"]] == list(range(1, 25))
    assert all(e["rank_low"] <= e["rank"] <= e["rank_high"] for e in document["items"])
    assert sum(e["above_cutoff"] for e in document["items"]) == pytest.approx(5, abs=1e-6)
    for entry in document["items"]:
        safe = "safe accept" if entry["rank"] <= 5 else "safe reject"
        assert entry["decision"] == (safe if entry["decision_change"] <= 0.05 else "borderline")
        assert 0 <= entry["review_gain"] <= entry["decision_change"] + 1e-9 and entry["reviews_disagree"] is False
    said = _run("calibrate", str(table), "--cutoff", "5").output
    borderline = [entry["item"] for entry in document["items"] if entry["decision"] == "borderline"]
    assert f"Borderline ({len(borderline)}): {', '.join(borderline)}" in said
    first = max(document["items"], key=lambda entry: entry["review_gain"])
    assert f"help most for:\n  {first['item']}: {percent(first['decision_change'])} chance" in said
    assert said.count(" chance of a different decision") == sum(e["review_gain"] >= 0.01 for e in document["items"]) > 1
    assert any(0 < e["review_gain"] < 0.01 for e in document["items"])
    assert "Borderline" not in _run("calibrate", str(table)).output


def test_a_table_with_one_review_per_item_has_no_ranks_and_intervals(tmp_path: Path) -> None:
    path = tmp_path / "thin.csv"
    rows = [f"p{i},r{i // 3},{1 + i % 7},1" for i in range(12)]
    path.write_text("\n".join(["item,referee,score,confidence", *rows]), encoding="utf-8")
    document = json.loads(_run("calibrate", str(path), "--cutoff", "3", "--json").stdout)
    assert {entry[key] for entry in document["items"] for key in ("rank", "rank_low", "sd", "above_cutoff")} == {None}
    assert "No item has two reviews" in " ".join(document["warnings"]) and not document["intervals_rest_on_prior"]
    path.write_text("\n".join(["item,referee,score,confidence", *rows, "p0,r1,3,1", "p4,r2,2,1"]), encoding="utf-8")
    assert json.loads(_run("calibrate", str(path), "--json").stdout)["intervals_rest_on_prior"]
    assert "90 % by the prior" in _run("calibrate", str(path)).output


@pytest.mark.parametrize(
    ("method", "items", "why"),
    [("bayes", 50, ""), ("ordinal", 50, ""), ("bayes", 49, "fewer than 50 items")]
    + [(method, 20, "treat its estimates as exact") for method in ("gam", "bias", "weighted", "mean", "zscore")],
)
def test_intervals_that_were_not_found_to_hold_are_called_nominal(
    tmp_path: Path, method: str, items: int, why: str
) -> None:
    path = tmp_path / "scores.csv"
    quality = [1 + i % 3 + i // 3 % 3 + i // 9 % 3 for i in range(items)]
    rows = [f"p{i},r{(i + n) % 6},{value + n % 2},1" for i, value in enumerate(quality) for n in range(3)]
    path.write_text("\n".join(["item,referee,score,confidence", *rows]), encoding="utf-8")
    document = json.loads(_run("calibrate", str(path), "--method", method, "--json").stdout)
    interval = "nominal 90 %" if why else "90 %"
    assert {document["interval"]} == {entry["interval"] for entry in document["items"]} == {interval}
    assert any(f"{why or 'nominal 90 % intervals'}" in said for said in document["warnings"]) == bool(why)


def test_the_same_file_gives_the_same_figures(table: Path) -> None:
    assert _run("calibrate", str(table), "--json").stdout == _run("calibrate", str(table), "--json").stdout


@pytest.mark.parametrize("method", ["bayes", "gam", "bias", "weighted", "mean", "zscore", "mixed", "ordinal"])
def test_every_method_runs(table: Path, method: str) -> None:
    done = _run("calibrate", str(table), "--method", method, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["method"] == method


def test_comparison_has_all_methods_and_says_which_refuse(table: Path) -> None:
    rows = json.loads(_run("calibrate", str(table), "--compare", "--json").stdout)["comparison"]
    assert len(rows) == len(CALIBRATORS) and rows[0]["rank_correlation"] == pytest.approx(1)


def test_a_left_out_row_is_said_and_ends_with_one(table: Path) -> None:
    table.write_text(table.read_text() + "item 1,referee 9,none,3\n")
    done = _run("calibrate", str(table), "--json")
    assert done.exit_code == 1
    assert any("Row 74" in said and "skip" in said for said in json.loads(done.stdout)["warnings"])


def test_scores_from_which_nothing_can_be_estimated_end_with_one(tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("paper,reviewer,score\n" + "".join(f"p{i},r{j},5\n" for i in range(3) for j in range(3)))
    done = _run("calibrate", str(path), "--json")
    assert done.exit_code == 1 and {row["score"] for row in json.loads(done.stdout)["items"]} == {None}
    with pytest.raises(BadInput, match="“paper” is named for two things"):
        CliRunner().invoke(
            rejoinder, ["calibrate", str(path), "--item", "paper", "--referee", "paper"], catch_exceptions=False
        )


def test_columns_and_answers_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\np,r,1\np,s,2\nq,r,4\nq,s,6\nq,s,8\n")
    with pytest.raises(BadInput, match="couldn't be recognised"):
        CliRunner().invoke(rejoinder, ["calibrate", str(path)], catch_exceptions=False)
    arguments = ["calibrate", str(path), "--item", "a", "--referee", "b", "--score", "c", "--method", "mean", "--json"]
    scores = {}
    for answer in ("first", "last", "mean"):
        document = json.loads(_run(*arguments, "--on", f"duplicate={answer}").stdout)
        scores[answer] = {entry["item"]: entry["score"] for entry in document["items"]}["q"]
    assert scores == {"first": 5.0, "last": 6.0, "mean": 5.5}


def test_a_doubtful_decimal_mark_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('paper;reviewer;score;remark\np;r;"1,234";x\np;s;2;\nq;r;4;\nq;s;6;\n')
    with pytest.raises(BadInput, match=r"1\.234 or 1234"):
        CliRunner().invoke(rejoinder, ["calibrate", str(path)], catch_exceptions=False)
    done = _run("calibrate", str(path), "--method", "mean", "--json", "--decimal", ",")
    document = json.loads(done.stdout)
    assert {entry["item"]: entry["score"] for entry in document["items"]} == {"p": pytest.approx(1.617), "q": 5.0}
    assert "separated by semicolons" in done.stderr and "Not used: remark." in done.stderr
    assert document["unused"] == ["remark"] and document["columns"]["referee"] == "reviewer"


def test_text_output_is_a_ranking(table: Path) -> None:
    lines = _run("calibrate", str(table), "--method", "gam").stdout.splitlines()
    assert lines[0].split()[0] == "rank" and lines[1].split()[0] == "1"


def test_synthetic_truth_as_json_is_seeded() -> None:
    runs = [
        _run("calibrate", "synthetic", "--seed", "1", "--items", "6", "--referees", "3", "--json") for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout
    document = json.loads(runs[0].stdout)
    assert len(document["reviews"]) == 18 and "true_score" in document["items"][0]


def test_table_one_prints_the_published_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "Design", partial(Design, items=300, referees=100))
    done = _run("reproduce", "calibration-table-1", "--seeds", "2", "--json")
    assert done.exit_code == 0
    rows = json.loads(done.stdout)["rows"]
    assert [row["strategy"] for row in rows] == list("abcde") * 4
    assert [row["generator"] for row in rows[::5]] == ["none", "careless", "confidence", "steps"]
    assert rows[3]["published"] == {"average_log_likelihood": -2.025, "mean": 82.9, "rms": 113.6, "max": 608}
    assert rows[4]["published"] is None and rows[8]["published"] is None and rows[3]["spread"]["mean"] > 0
