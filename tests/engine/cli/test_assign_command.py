"""``rejoinder assign`` as scripts see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput

SCORES = "p1,ann,0.9\np1,bob,0.8\np1,cat,0.1\np2,ann,0.7\np2,bob,0.2\np2,cat,0.3\n"
LOADS = "reviewer,load\nann,1\nbob,1\ncat,2\n"


@pytest.fixture
def venue(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "loads.csv").write_text(LOADS)
    return tmp_path


def _run(venue: Path, *more: str, reviewers: int = 1) -> Result:
    files = ("--scores", f"{venue}/scores.csv", "--loads", f"{venue}/loads.csv")
    return CliRunner().invoke(rejoinder, ["assign", *files, "--reviewers", str(reviewers), *more])


def _pairs(done: Result) -> set[tuple[str, str]]:
    return {(pair["paper"], pair["reviewer"]) for pair in json.loads(done.stdout)["pairs"]}


def test_json_has_the_fields_of_the_contract(venue: Path) -> None:
    done = _run(venue, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert {"pairs", "total_score", "worst_paper", "loads", "seconds", "warnings"} <= set(document)
    assert _pairs(done) == {("p1", "bob"), ("p2", "ann")}
    assert document["total_score"] == pytest.approx(1.5)
    assert document["worst_paper"] == {"paper": "p2", "score": pytest.approx(0.7)}
    assert document["loads"] == {"ann": 1, "bob": 1, "cat": 0}
    assert document["warnings"] == [] and document["short"] == {}


def test_conflicts_are_never_assigned_and_bids_count(venue: Path) -> None:
    (venue / "conflicts.csv").write_text("p2,ann\np2,bob\n")
    assert _pairs(_run(venue, "--conflicts", f"{venue}/conflicts.csv", "--json")) == {("p1", "ann"), ("p2", "cat")}
    (venue / "bids.csv").write_text("paper,reviewer,bid\np1,bob,no\np1,cat,Yes\np1,ann,1\np9,ann,yes\np1,ann,1\n")
    done = _run(venue, "--bids", f"{venue}/bids.csv", "--json")
    # From the lowest score, 0.1: ann's 0.9 doubles to 1.7, bob's 0.8 halves to 0.45.
    assert _pairs(done) == {("p1", "ann"), ("p2", "cat")}
    assert json.loads(done.stdout)["total_score"] == pytest.approx(1.7 + 0.3)
    assert json.loads(done.stdout)["warnings"] == ["bids.csv: 1 row about a pair without a score was left out."]


def test_a_paper_that_is_short_is_named(venue: Path) -> None:
    done = _run(venue, "--json", reviewers=3)
    document = json.loads(done.stdout)
    assert done.exit_code == 1
    assert sum(document["short"].values()) == 6 - len(document["pairs"]) == 2
    assert any("fewer than 3 reviewers" in warning for warning in document["warnings"])


def test_reviewers_without_a_load_or_a_score_are_counted(venue: Path) -> None:
    (venue / "loads.csv").write_text("ann,2\ndan,3\n")
    done = _run(venue, "--json")
    assert _pairs(done) == {("p1", "ann"), ("p2", "ann")}
    assert json.loads(done.stdout)["warnings"] == [
        "loads.csv: 1 reviewer without a score was left out.",
        "2 reviewers without a load in loads.csv got no papers.",
    ]


def test_lines_without_column_names_are_rows(venue: Path) -> None:
    (venue / "scores.csv").write_text(SCORES.replace("p", "Paper "))
    (venue / "conflicts.csv").write_text("Paper 2,ann\nPaper 2,bob\n")
    found = _pairs(_run(venue, "--conflicts", f"{venue}/conflicts.csv", "--json"))
    assert found == {("Paper 1", "ann"), ("Paper 2", "cat")}


def test_repeated_pairs_and_enormous_loads(venue: Path) -> None:
    (venue / "scores.csv").write_text(SCORES + "p1,ann,0\n")
    (venue / "loads.csv").write_text("ann,1e300\nbob,2\ncat,5000000000\n")
    done = _run(venue, "--json")
    assert _pairs(done) == {("p1", "bob"), ("p2", "ann")}
    assert json.loads(done.stdout)["warnings"] == ["scores.csv: 1 row repeats a pair; its last score counts."]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("scores.csv", "p1,ann,high\np2,ann,1\n", "“high” isn't a number"),
        ("scores.csv", "p1,ann,1\n,ann,1\n", "row 2, has an empty name"),
        ("scores.csv", "paper,score\np1,1\n", "no column for the reviewer"),
        ("scores.csv", "paper,reviewer,score\n", "has no scores"),
        ("scores.csv", "p1,ann,inf\n", "“inf” isn't a number"),
        ("scores.csv", "p1;ann;0,5\n", "“0,5” isn't a number"),
        ("loads.csv", "ann,-1\n", "-1 isn't a whole number"),
        ("loads.csv", "ann,1.5\n", "1.5 isn't a whole number"),
        ("bids.csv", "p1,ann,7\n", "7 isn't between -1 and 1"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(venue: Path, file: str, text: str, said: str) -> None:
    (venue / file).write_text(text)
    done = _run(venue, *(["--bids", f"{venue}/bids.csv"] if file == "bids.csv" else []))
    assert isinstance(done.exception, BadInput) and said in str(done.exception)


def test_the_pairs_are_written(venue: Path) -> None:
    done = _run(venue, "--out", f"{venue}/out.csv")
    assert (venue / "out.csv").read_text() == "p1,bob,0.8\np2,ann,0.7\n"
    assert "total score 1.500" in done.stdout


def test_an_input_is_not_overwritten(venue: Path) -> None:
    done = _run(venue, "--out", f"{venue}/scores.csv")
    assert isinstance(done.exception, BadInput) and "both an input and the output" in str(done.exception)
    assert (venue / "scores.csv").read_text() == SCORES
