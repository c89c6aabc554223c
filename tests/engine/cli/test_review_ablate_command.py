"""``rejoinder review ablate`` and ``reproduce review-bench``: papers in, rows beside the published ones out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.research.tables import tables
from engine.review_drafting.benchmark.published import published
from tests.engine.review_drafting.benchmark.test_checks_of_reviews import PAPER
from tests.engine.review_drafting.papers import letter_paper

NAMES = ["full", "without literature", "without insight", "without results", "drafter only"]


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, [*map(str, arguments), "--words-only"])


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "one.md").write_text(PAPER)
    (folder / "two.txt").write_text(PAPER.replace("eight schools", "radon"))
    (folder / "notes.csv").write_text("no paper")
    return folder


def test_a_folder_of_papers(papers: Path, tmp_path: Path) -> None:
    human = tmp_path / "human.json"
    review = {"summary": "S.", "weaknesses": ["Compared only with annealed and bridge sampling."]}
    human.write_text(json.dumps([{"paper_id": "one", "reviews": [review]}, {"paper_id": "else", "reviews": [review]}]))
    call = ("review", "ablate", papers, "--out", tmp_path / "out", "--top", 5, "--human", human, "--json")
    done = _run(*call)
    assert done.exit_code == 1 and "No paper in the folder is called “else”" in done.stderr
    heard: dict[str, Any] = json.loads(done.stdout)
    assert [row["configuration"] for row in heard["rows"]] == [*NAMES, "top 5"]
    assert heard["papers"] == 2 and heard["resumed"] == 0 and heard["skipped"] == []
    full, *_, drafter, _ = heard["rows"]
    assert full["published"] == published()["table-1"]["ReviewGrounder (Phi-4-14B)"] and full["against"] is None
    assert drafter["published"]["overall"] == 7.7825 and drafter["against"]["n"] == 2
    rubrics = "".join(path.read_text() for path in (tmp_path / "out").glob("*/rubrics.json"))
    assert rubrics.count("Criticises or asks about this passage") == 1 and "Compared only with" not in rubrics
    again = json.loads(_run(*call).stdout)
    assert again["resumed"] == 12 and again["rows"] == heard["rows"]


def test_calls_that_make_no_sense(papers: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    out = ("--out", tmp_path / "out")
    for call, words in (
        ((tmp_path / "empty",), "contains no papers"),
        ((papers, "--exchange", "drafter"), "STAGE=MODEL"),
        ((papers, "--exchange", "cook=small"), "drafter, literature"),
        ((papers, "--exchange", "drafter=nobody-has-this"), "nobody-has-this"),
        ((papers, "--reference", "model"), "--judge"),
        ((papers, "--all-at-once"), "--judge"),
    ):
        done = _run("review", "ablate", *call, *out)
        assert done.exit_code != 0 and words in str(done.exception) + done.output, done.output
    assert not (tmp_path / "out").exists()


def test_the_revisions_beside_the_published_tables(tmp_path: Path) -> None:
    data = tmp_path / "revisions"
    (data / "one").mkdir(parents=True)
    (data / "one" / "submitted.pdf").write_bytes(letter_paper(faulty=True))
    comment = {"doc_id": "one", "reviewer": "R1", "comment": "It is slow on phones.", "request_kind": "edit"}
    (data / "review_comments.jsonl").write_text(json.dumps(comment))
    done = _run("reproduce", "review-bench", "--data", data, "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    heard = json.loads(done.stdout)
    assert [row["configuration"] for row in heard["rows"]] == NAMES and heard["published"] == published()
    assert (
        json.loads(_run("reproduce", "review-bench", "--data", data, "--out", tmp_path / "out", "--json").stdout)
        == heard
    )
    (table,) = tables("review-bench", heard)
    full = next(row for row in table.rows if row[0] == "full")
    assert full[-2] == f"{heard['rows'][0]['overall']['value']:.2f}", "one paper has no interval"
    assert next(row for row in table.rows if row[0] == "printed: GPT-4o")[-2] == "4.58"
    for broken in ({"doc_id": "one"}, comment | {"comment": 7}, comment | {"reviewer": ["R1"]}):
        (data / "review_comments.jsonl").write_text(json.dumps(broken))
        assert isinstance(_run("reproduce", "review-bench", "--data", data).exception, BadInput)
    (data / "review_comments.jsonl").write_text(json.dumps(comment))
    (data / "one" / "submitted.pdf").write_bytes(b"no PDF")
    done = _run("reproduce", "review-bench", "--data", data, "--words-only")
    assert done.exit_code == 1 and "one:" in done.stderr and "printed: full" in done.stdout
    (data / "review_comments.jsonl").unlink()
    assert "review_comments.jsonl" in str(_run("reproduce", "review-bench", "--data", data).exception)
