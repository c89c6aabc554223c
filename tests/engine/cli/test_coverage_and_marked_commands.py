"""coverage, marked, agreement and project merge from the command line: what they print, write, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from click.testing import CliRunner, Result

from engine.agreement.store import AgreementStore
from engine.cli.main import rejoinder
from engine.papers.store import PaperStore
from engine.project import Project
from engine.revision.store import RevisionStore

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, [str(argument) for argument in arguments])


def test_coverage_of_whoever_worked_last(path: Path) -> None:
    done = run("coverage", path, "--json")
    assert done.exit_code == 1, "comments are open"
    found = json.loads(done.stdout)
    assert [c["standing"] for c in found["comments"]] == ["answered", "attention", "open"]
    assert [e["label"] for e in found["comments"][0]["edits"]] == ["e0"]
    assert [e["label"] for e in found["edits_without_comment"]] == ["e1", "e2", "e3"]
    assert (found["answered"], found["attention"], found["open"]) == (1, 1, 1)
    ann = json.loads(run("coverage", path, "--annotator", "Ann", "--json").stdout)
    assert [c["standing"] for c in ann["comments"]] == ["answered", "answered", "open"]
    nothing = json.loads(run("coverage", path, "--annotator", "adjudicated", "--json").stdout)
    assert nothing["answered"] == 0, "nobody is done: what others did stays hidden"
    assert "1 of 3 comments answered, 1 open; 3 edits answer no comment." in run("coverage", path).stdout


def test_what_was_done_is_written(path: Path, tmp_path: Path) -> None:
    markdown, pdf = tmp_path / "done.md", tmp_path / "done.pdf"
    done = run("coverage", path, "--markdown", markdown, "--pdf", pdf, "--reviewer", "R1")
    assert done.exit_code == 1
    text = markdown.read_text(encoding="utf-8")
    assert "## R1" in text and "> Please explain the split." in text
    assert "added “Quite new text number 0.”" in text and "**Answered by changes.**" in text and "**Open.**" in text
    with pymupdf.open(pdf) as document:
        words = " ".join("".join(page.get_text() for page in document).split())
    assert "Answered by changes" in words and "Quite new text number 0." in words and "1 answered, 2 not yet" in words


def test_what_is_not_there_is_said(path: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("--reviewer", "R9"), "no reviewer named"),
        (("--paper", "Other"), "no compared paper named"),
        (("--annotator", "Eve"), "No annotator named"),
    ):
        done = run("coverage", path, *arguments)
        assert words in str(done.exception)
    Project.create(tmp_path / "empty.rejoinder").close()
    assert "No versions have been compared" in str(run("coverage", tmp_path / "empty.rejoinder").exception)


def test_marked(tmp_path: Path) -> None:
    if not (SAMPLE / "revised.pdf").exists():
        pytest.skip("the sample project was not made yet: make sample")
    out = tmp_path / "marked.pdf"
    done = run("marked", SAMPLE / "submitted.pdf", SAMPLE / "revised.pdf", "--out", out, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["marks"] > found["edits"] > 10 and found["left_out"] == 0
    with pymupdf.open(out) as document:
        assert document[0].first_annot is not None


def test_merge(path: Path, tmp_path: Path) -> None:
    other, out = tmp_path / "other.rejoinder", tmp_path / "both.rejoinder"
    with Project.open(path, annotator="Ann") as project:
        project.save_copy(other)
    for file, state in ((path, "visual_only"), (other, "not_addressed")):
        with Project.open(file, annotator="Ann") as project:
            store = RevisionStore(project)
            (revision,) = store.revisions()
            comment = sorted(store.comment_states(revision.id).items())[-1][0]
            store.set_comment_state(revision.id, comment, state)  # type: ignore[arg-type]
    done = run("project", "merge", path, other, "--out", out, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    (conflict,) = found["conflicts"]
    assert conflict["table"] == "comment_state" and "state" in conflict["columns"]
    assert (conflict["ours"]["state"], conflict["theirs"]["state"]) == ("visual_only", "not_addressed")
    again = run("project", "merge", path, path, "--out", tmp_path / "same.rejoinder")
    assert again.exit_code == 0 and "0 rows" in again.stdout
    assert "already exists" in str(run("project", "merge", path, other, "--out", out).exception)


def test_agreement(path: Path) -> None:
    assert "No two annotators have marked" in str(run("agreement", path).exception)
    for name in ("Ben", "Ann"):
        with Project.open(path, annotator=name) as project:
            (paper,) = PaperStore(project).papers()
            AgreementStore(project).set_done(paper.id, True)
    found = json.loads(run("agreement", path, "--json").stdout)
    assert found["annotators"] == ["Ann", "Ben"]
    assert found["overall"]["pairs"] == {"both": 1, "first_only": 1, "second_only": 0, "neither": 6}
    assert found["overall"]["measures"]["overlap"]["value"] is None, "nobody marked a comment"
    assert found["disagreements"] == 2 and found["published"]["kappa"] == 0.8
    turned = json.loads(run("agreement", path, "--annotators", "Ben,Ann", "--json").stdout)
    assert turned["overall"]["pairs"]["second_only"] == 1
    assert "(published 0.80)" in run("agreement", path).stdout
    assert "Give two names" in str(run("agreement", path, "--annotators", "Ann,Eve").exception)


def test_agreement_of_all(path: Path, tmp_path: Path) -> None:
    """What is seen is what the named annotator may see; the data set is written once, whole."""

    def seen(name: str, *options: str) -> list[int]:
        found = json.loads(run("agreement", path, "--of", "states", "--annotator", name, "--json", *options).stdout)
        return [len(part["people"]) for part in found["parts"]]

    assert seen("Ann") == [1] and seen("Ann", "--done") == [1] and seen("Ben") == [1]
    assert "no two annotators who are done" in run("agreement", path, "--of", "states", "--annotator", "Ann").stdout
    assert seen("Ben", "--done") == [2] and seen("Ann") == [2]
    out = tmp_path / "set"
    said = run("agreement", path, "--of", "links", "--annotator", "Ann", "--out", out)
    assert "Krippendorff's alpha, nominal" in said.stdout and "names are left out" in said.stderr
    assert {file.name for file in out.iterdir()} == {
        "decisions.csv", "adjudicated.csv", "agreement.csv", "DATA_STATEMENT.md", "SHA256SUMS",
    }  # fmt: skip
    assert "already exists" in str(run("agreement", path, "--of", "links", "--out", out).exception)
    assert "need --of" in str(run("agreement", path, "--done").exception)
    assert "compares everybody" in str(run("agreement", path, "--of", "links", "--annotators", "Ann,Ben").exception)
    assert "Survey answers can't be marked as done," in str(
        run("agreement", path, "--of", "ratings", "--done").exception
    )


def test_units_are_listed_and_adjudicated_by_who_is_no_party(path: Path) -> None:
    for name in ("Ann", "Ben"):
        run("agreement", path, "--of", "states", "--annotator", name, "--done")
    with Project.open(path, annotator="Dea") as project:
        project.add_annotator("Dea")

    def states(*options: str) -> Result:
        return run("agreement", path, "--of", "states", "--annotator", "Dea", *options)

    assert json.loads(states("--units", "open", "--json").stdout)["units"] == [], "Dea didn't say yet that she is done"
    found = json.loads(states("--done", "--units", "open", "--json").stdout)
    assert found["of"] == "states" and found["units"]
    (unit, *_) = found["units"]
    assert {one["annotator"] for one in unit["said"]} == {"Ann", "Ben"} and unit["how"] == "open"
    assert [one["method"] for one in unit["proposals"]] == ["majority"]
    done = states("--adjudicate", unit["unit"], "not_addressed", "--units", "adjudicated", "--json")
    assert [(one["unit"], one["value"]) for one in json.loads(done.stdout)["units"]] == [
        (unit["unit"], "not_addressed")
    ]
    assert "adjudicated: not_addressed" in states("--units", "adjudicated").stdout
    assert "Ann: " in states("--units", "all", "--order", "apart").stdout
    assert "isn't a unit" in str(states("--adjudicate", "nothing", "linked").exception)
    assert "isn't a valid value here" in str(states("--adjudicate", unit["unit"], "good").exception)
    party = run("agreement", path, "--of", "states", "--annotator", "Ann", "--adjudicate", unit["unit"], "answered")
    assert "yourself" in str(party.exception)
    states("--adjudicate", unit["unit"], "-")
    assert "0 units." in states("--units", "adjudicated").stdout
