"""``rejoinder review score``: sources side by side, exit codes, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.exchange.review_sets import read_review_set
from engine.review_drafting.rubrics import meta_rubrics
from tests.engine.exchange.review_texts import write_review
from tests.engine.review_drafting.benchmark.test_checks_of_reviews import BAD, GOOD, PAPER


def _sets(folder: Path) -> tuple[Path, Path]:
    paths = []
    for name, review in (("good", GOOD), ("bad", BAD)):
        entries = [{"paper_id": "x", "title": "X", "content": PAPER, "review_markdown": write_review(review)}]
        path = folder / f"{name}.json"
        path.write_text(json.dumps(entries))
        paths.append(path)
    return paths[0], paths[1]


def test_two_sources_on_one_paper(tmp_path: Path) -> None:
    good, bad = _sets(tmp_path)
    out = tmp_path / "set.jsonl"
    done = CliRunner().invoke(
        rejoinder,
        ["review", "score", str(good), str(bad), "--words-only", "--baseline", "bad", "--out", str(out), "--json"],
    )
    assert done.exit_code == 0, done.output
    heard = json.loads(done.stdout)
    assert [row["source"] for row in heard["rows"]] == ["good", "bad"]
    assert set(heard["rows"][0]["dimensions"]) == {meta.id for meta in meta_rubrics()}
    assert heard["rows"][0]["against"]["value"] > 5
    assert heard["judge"] == "checks"
    assert heard["rows"][0]["overall"]["low"] is None, "one paper has no interval"
    assert {one["source"] for one in heard["reviews"]} == {"good", "bad"}
    assert len(read_review_set(out.read_text(), out.name).rubrics["x"]) == 8


def test_scores_are_kept_as_they_arrive_and_shown_as_not_applicable(tmp_path: Path) -> None:
    _, bad = _sets(tmp_path)
    letter = tmp_path / "letter.json"
    own = write_review(GOOD.model_copy(update={"summary": "", "strengths": ()}))
    letter.write_text(json.dumps([{"paper_id": "x", "title": "X", "content": PAPER, "review_markdown": own}]))
    kept = tmp_path / "scores.jsonl"
    arguments = ["review", "score", str(letter), str(bad), "--words-only", "--scores", str(kept)]
    done = CliRunner().invoke(rejoinder, arguments)
    assert done.exit_code == 0, done.output
    shown = done.stdout[done.stdout.index("letter: ") :].split("bad: ")[0]
    assert [line.split()[-1] for line in shown.splitlines() if "Core" in line or "Results" in line] == ["n/a", "n/a"]
    assert "1 paper\n" in shown and " to " not in shown.splitlines()[0]
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert {(line["source"], line["dimension"]) for line in lines} >= {("letter", "critique-clarity")}
    assert ("letter", "core-contribution-accuracy") not in {(line["source"], line["dimension"]) for line in lines}
    CliRunner().invoke(rejoinder, arguments)
    assert len(kept.read_text().splitlines()) == 2 * len(lines), "the file is added to, not replaced"


def test_a_review_without_its_paper_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "alone.md"
    path.write_text(write_review(GOOD))
    done = CliRunner().invoke(rejoinder, ["review", "score", str(path), "--words-only"])
    assert isinstance(done.exception, BadInput) and "--paper" in str(done.exception)


def _scored(*arguments: object) -> Any:
    done = CliRunner().invoke(rejoinder, ["review", "score", *map(str, arguments), "--words-only", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_people_beside_the_judge(tmp_path: Path) -> None:
    good, bad = _sets(tmp_path)
    rows = ["paper,source,dimension,score"]
    for source in ("good", "bad"):
        rows += [f"X,{source},{m.id},{-2 if m.kind == 'pitfall' else int(source == 'good')}" for m in meta_rubrics()]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(rows))
    by_dimension = {row["dimension"]: row for row in _scored(good, bad, "--ratings", ratings)["agreement"]}
    assert by_dimension["overall"]["n"] == 2 and by_dimension["overall"]["pearson"] is None, "of two any is 1 or -1"
    assert by_dimension["overall"]["pairwise_absolute"] is not None
    assert by_dimension["false-or-contradictory-claims"]["spearman"] is None, "people gave both the same"
    done = CliRunner().invoke(
        rejoinder, ["review", "score", str(good), str(bad), "--ratings", str(ratings), "--words-only"]
    )
    assert "Spearman –" in done.stdout and "correlations need 6 reviews" in done.stdout and "nan" not in done.stdout
    ratings.write_text("paper,source,dimension,score\nX,good,critique-clarity,-1")
    done = CliRunner().invoke(rejoinder, ["review", "score", str(good), "--ratings", str(ratings), "--words-only"])
    assert isinstance(done.exception, BadInput) and "Row 2" in str(done.exception)
    nowhere = ("--scores", str(tmp_path / "none" / "scores.jsonl"))
    done = CliRunner().invoke(rejoinder, ["review", "score", str(good), *nowhere, "--words-only"])
    assert isinstance(done.exception, BadInput) and "scores.jsonl" in str(done.exception)
    ratings.write_text('"unclosed,source\n')
    done = CliRunner().invoke(rejoinder, ["review", "score", str(good), "--ratings", str(ratings), "--words-only"])
    assert isinstance(done.exception, BadInput), "what is no table is not passed over"


def _people(folder: Path, papers: dict[str, int]) -> tuple[Path, Path]:
    """A system's review and that many complete human reviews of each paper, on the published scale."""
    system, human = [], []
    for key, count in papers.items():
        content = {"paper_id": key, "title": key, "content": PAPER}
        system.append(content | {"review_markdown": write_review(GOOD), "scores": {"soundness": 5, "rating": 8}})
        for number in range(count):
            texts = {"summary": f"S {number}.", "strengths": "A.", "weaknesses": f"B {number}.", "questions": "C?"}
            numbers = {"soundness": 1, "presentation": 3, "contribution": 3, "confidence": 5, "rating": 5 + number}
            human.append(content | {"review": texts | numbers})
    (folder / "system.json").write_text(json.dumps(system))
    (folder / "people.json").write_text(json.dumps(human))
    return folder / "system.json", folder / "people.json"


def test_the_published_filter_scales_and_sample(tmp_path: Path) -> None:
    system, human = _people(tmp_path, {"two": 2, "three": 3, "four": 4})
    scales = ("--scale", "reviewbench", "--human-scale", "reviewbench", "--compare-on", "reviewbench")
    heard = _scored(system, "--human", human, "--filters", "published", *scales)
    assert {one["paper"] for one in heard["reviews"]} == {"three", "four"}
    [row] = heard["numeric"]
    assert row["n"]["soundness"] == 2 and row["mae"]["soundness"] == pytest.approx(4)
    assert row["mae"]["rating"] == pytest.approx((abs(8 - 6) + abs(8 - 6.5)) / 2)
    everything = _scored(system, "--human", human, "--filters", "none", *scales, "--sample", 2)
    assert len({one["paper"] for one in everything["reviews"]}) == 2


def test_what_needs_a_model_says_so(tmp_path: Path) -> None:
    good, _ = _sets(tmp_path)
    for option in (("--all-at-once",), ("--reference", "model")):
        done = CliRunner().invoke(rejoinder, ["review", "score", str(good), *option])
        assert isinstance(done.exception, BadInput) and "--model" in str(done.exception)
