"""second-round: what became of each request, whether a person or a program says so, and what is written."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from openpyxl import load_workbook

from engine.cli.main import rejoinder
from engine.cli.studies import check_reviewer
from engine.errors import BadInput
from engine.revision.records import Scored
from tests.engine.exchange.test_two_annotators import SENTENCE, Desk

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"
SUGGESTED = "suggested, not confirmed by a person"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, ["second-round", *(str(argument) for argument in arguments)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ann answered the first comment by edits and the second without; the third has a suggestion."""
    desk = Desk(tmp_path / "desk.rejoinder")
    desk.work()
    desk.links.set_comment_state(desk.revision, desk.comments[1], "answered", note="weak, ask the chair")
    ranking = [Scored(desk.edits[2], 0.8, True, ("shared words: split",)), Scored(desk.edits[3], 0.01, False)]
    desk.links.save_suggestions(
        desk.revision, "fused", "model:fused@1", {desk.comments[2]: ranking}, use_responses=True
    )
    desk.project.close()
    return desk.project.path


def test_decided_and_suggested_states_are_told_apart(path: Path) -> None:
    done = run(path, "--annotator", "Ann", "--json")
    assert done.exit_code == 0, "every request was found"
    found = json.loads(done.stdout)["requests"]
    assert [(one["number"], one["state"], one["basis"], one["decision"]) for one in found] == [
        (1, "addressed", "decided", "linked"),
        (2, "answered only", "decided", "answered"),
        (3, "addressed", "suggested", "undecided"),
    ]
    assert len(found[0]["edits"]) == 2 and found[0]["evidence"][0]["words"].startswith("Linked edit: added “Quite new")
    assert found[2]["evidence"] == [
        {
            "place": "Method",
            "words": "Suggested edit, score 0.80 (shared words: split): added “Quite new text number 2.”",
        }
    ]
    text = run(path, "--annotator", "Ann").stdout
    assert "addressed     decided by a person" in text and f"addressed     {SUGGESTED}" in text
    assert "The suggested edits fit it." in text, "the reader is told what a suggestion rests on"
    assert "3 requests: 2 addressed (1 by a person), 1 answered only (1 by a person)." in text


def test_what_was_not_checked_and_what_another_annotator_decided(path: Path, tmp_path: Path) -> None:
    done = run(path, "--annotator", "Ben", "--json")
    states = [(one["state"], one["basis"]) for one in json.loads(done.stdout)["requests"]]
    assert states == [("addressed", "decided"), ("not found", "decided"), ("addressed", "suggested")]
    assert done.exit_code == 1, "one request is not found"
    desk = Desk(tmp_path / "fresh.rejoinder")
    desk.project.close()
    fresh = run(desk.project.path)
    assert "3 requests: 3 not checked." in fresh.stdout and "No edits were suggested for some" in fresh.stderr
    assert fresh.exit_code == 1


def test_tables_and_the_letter(path: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"requests.{ending}" for ending in ("csv", "xlsx", "md")]
    letter = tmp_path / "letter.md"
    for file in files:
        assert run(path, "--annotator", "Ann", "--table", file, "--letter", letter).exit_code == 0
    with files[0].open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["state"], row["basis"], row["place"]) for row in rows] == [
        ("addressed", "decided by a person", "Method"),
        ("answered only", "decided by a person", ""),
        ("addressed", SUGGESTED, "Method"),
    ]
    sheet = load_workbook(files[1]).active
    assert [[cell.value or "" for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        [int(value) if name == "number" else value for name, value in row.items()] for row in rows
    ]
    table = files[2].read_text(encoding="utf-8").splitlines()
    assert len(table) == 5 and table[4].startswith(f"| R1 | 3 | {SENTENCE} | addressed | {SUGGESTED} |")
    text = letter.read_text(encoding="utf-8")
    assert "### Request 1: addressed (decided by a person)" in text and f"> {SENTENCE}" in text
    assert f"### Request 3: addressed ({SUGGESTED})" in text
    assert "- Method. Suggested edit: added “Quite" in text and "Answered by changes." in text
    assert "0.80" not in text and "0.80" in rows[2]["evidence"], "scores aren't for reviewers"
    assert "ask the chair" not in text and rows[1]["note"] == "weak, ask the chair", "nor are an annotator's notes"
    assert "3 requests: 2 addressed (1 by a person), 1 answered only (1 by a person)." in text


def test_a_table_of_an_unknown_kind_or_reviewer_is_refused(path: Path, tmp_path: Path) -> None:
    assert "isn't a supported table format" in str(run(path, "--table", tmp_path / "requests.doc").exception)
    assert "no reviewer named “R9”" in str(run(path, "--reviewer", "R9").exception)
    assert "input files are missing" in str(run(path, path).exception)


def test_a_reviewer_is_looked_for_among_those_who_are_named() -> None:
    with pytest.raises(BadInput, match="Choose one of Ann, Bob"):
        check_reviewer("Zoe", ["Ann", "", "Bob"])
    with pytest.raises(BadInput, match="No comment names its reviewer"):
        check_reviewer("Zoe", [""])
    check_reviewer("", [])


def test_nothing_is_written_over_the_project_or_another_file_of_the_call(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    assert "both an input and the output" in str(run(path, "--letter", path).exception) and path.read_bytes() == before
    both = tmp_path / "both.md"
    assert "both an input and the output" in str(run(path, "--table", both, "--letter", both).exception)
    assert both.read_text(encoding="utf-8").startswith("| reviewer |"), "the first one is there"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
def test_a_pipe_gets_the_letter_and_stays_a_pipe(path: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(path, "--annotator", "Ann", "--letter", pipe).exit_code == 0
        assert os.read(end, 20).startswith(b"# The revised paper") and pipe.is_fifo()
    finally:
        os.close(end)


def test_two_versions_and_a_letter(tmp_path: Path) -> None:
    if not (SAMPLE / "revised.pdf").exists():
        pytest.skip("the sample project was not made yet: make sample")
    old, letter = SAMPLE / "submitted.pdf", tmp_path / "response.md"
    letter.write_text(
        "# Reviewer 1\n\n> Please add a map of the city.\n\nWe keep the present figures, as the streets are named.\n\n"
        "> How many tubes did you count with?\n\n",
        encoding="utf-8",
    )
    done = run(old, SAMPLE / "revised.pdf", SAMPLE / "response-letter.md", "--json")
    found = json.loads(done.stdout)["requests"]
    assert len(found) > 20 and {one["basis"] for one in found} == {"suggested"}
    assert {"addressed", "answered only"} <= {one["state"] for one in found}
    assert all(one["evidence"][0]["place"] for one in found if one["state"] == "addressed")
    same = json.loads(run(old, old, letter, "--json").stdout)["requests"]
    assert {one["state"] for one in same} <= {"answered only", "not found"}, "nothing changed"
    assert all("Both versions have the same text." in one["why"] for one in same)


def test_what_cannot_be_compared_is_no_success(tmp_path: Path) -> None:
    import pymupdf

    scan, letter, thanks = (tmp_path / name for name in ("scan.pdf", "response.md", "thanks.md"))
    with pymupdf.open() as document:
        document.new_page()
        document.save(scan)
    letter.write_text("# Reviewer 1\n\n> Please add a map of the city.\n\nWe added a map.\n", encoding="utf-8")
    thanks.write_text("Dear editor, thank you.\n", encoding="utf-8")
    done = run(scan, SAMPLE / "revised.pdf", letter)
    assert "scan.pdf contains no text to compare" in str(done.exception), "nothing is called addressed"
    none = run(SAMPLE / "revised.pdf", SAMPLE / "revised.pdf", thanks)
    assert "No requests." in none.stdout and none.exit_code == 1
