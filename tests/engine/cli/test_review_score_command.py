"""``rejoinder review score``: sources side by side, exit codes, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.exchange.review_markdown import write_review
from engine.exchange.review_sets import read_review_set
from engine.review_drafting.rubrics import meta_rubrics
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
    told = json.loads(done.stdout)
    assert [row["source"] for row in told["rows"]] == ["good", "bad"]
    assert set(told["rows"][0]["dimensions"]) == {meta.id for meta in meta_rubrics()}
    assert told["rows"][0]["against"]["value"] > 5
    assert told["judge"] == "checks"
    assert {one["source"] for one in told["reviews"]} == {"good", "bad"}
    assert len(read_review_set(out.read_text(), out.name).rubrics["x"]) == 8


def test_a_review_without_its_paper_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "alone.md"
    path.write_text(write_review(GOOD))
    done = CliRunner().invoke(rejoinder, ["review", "score", str(path), "--words-only"])
    assert isinstance(done.exception, BadInput) and "--paper" in str(done.exception)
