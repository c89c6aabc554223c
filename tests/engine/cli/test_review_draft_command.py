"""``rejoinder review draft``: its JSON, its exit codes, a library beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.review import review
from engine.errors import BadInput
from engine.review_drafting.form_files import folder
from tests.engine.review_drafting.papers import letter_paper


@pytest.fixture(scope="module")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("paper") / "paper.pdf"
    path.write_bytes(letter_paper(faulty=True))
    return path


def test_the_json_is_the_review_schema_with_anchors(pdf: Path) -> None:
    result = CliRunner().invoke(review, ["draft", str(pdf), "--json"])
    assert result.exit_code == 0, result.stderr
    made = json.loads(result.stdout)
    assert isinstance(made["summary"], str) and "careful reader" in made["summary"]
    for field in ("strengths", "weaknesses", "questions"):
        assert made[field] and all(isinstance(text, str) for text in made[field])
    for field in ("soundness", "presentation", "contribution", "confidence", "rating", "decision"):
        assert made[field] is None, "no score is invented"
    assert "checklist" not in made, "nothing is asked that does not come from this paper"
    for anchor in made["anchors"]:
        assert {"claim", "kind", "ref", "verified", "page", "state"} <= set(anchor) and anchor["page"] >= 1
        states = {one["state"] for one in made["claims"] if one["claim"] in anchor["claim"]}
        assert anchor["state"] in ("supported", "place-found"), "every place was found, and nothing is contradicted"
        assert anchor["verified"] is (anchor["state"] == "supported") and (
            not anchor["verified"] or states == {"supported"}
        )
    assert {anchor["verified"] for anchor in made["anchors"]} == {True, False}
    assert '"verified"' not in json.dumps(made["stages"]), "a stage only finds places"
    said = [claim for claim in made["claims"] if claim["field"] == "summary"]
    assert said and all(claim["claim"] in made["summary"] and claim["why"] for claim in said)
    assert {claim["state"] for claim in made["claims"]} <= {
        "supported", "contradicted", "place-found", "not-found", "not-checked",
    }  # fmt: skip
    assert [stage["stage"] for stage in made["stages"]] == [
        "drafter", "literature", "insight", "results", "aggregator",
    ]  # fmt: skip
    assert "Drafter:" in result.stderr


def test_stages_are_left_out_and_the_text_is_readable(pdf: Path) -> None:
    result = CliRunner().invoke(review, ["draft", str(pdf), "--without", "results", "--without", "literature"])
    assert result.exit_code == 0
    assert "## Weaknesses" in result.stdout and "45 of 60" not in result.stdout
    counts = result.stdout.splitlines()[-1]
    assert " supported" in counts or " place found" in counts or " not checked" in counts
    assert any(line.startswith("    supported: ") for line in result.stdout.splitlines()) == (" supported" in counts)


def test_a_library_of_files_is_searched(pdf: Path, tmp_path: Path) -> None:
    (tmp_path / "near.bib").write_text(
        "@article{a, title = {Parsing review letters with templates}, author = {Smith, Eve}, year = {2021},"
        " abstract = {We propose templates for review letters. We found that 80% can be parsed.}}"
    )
    result = CliRunner().invoke(review, ["draft", str(pdf), "--library", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.stderr
    literature = json.loads(result.stdout)["stages"][1]["output"]
    assert [work["title"] for work in literature["found"]] == ["Parsing review letters with templates"]


def test_a_form_of_ones_own_says_what_to_look_for(pdf: Path) -> None:
    folder().mkdir(parents=True)
    fields = '[[field]]\nkey = "a"\ntitle = "{}"\n'
    for name, title in (("plain", "Remarks"), ("asking", "Reproducibility")):
        (folder() / f"{name}.toml").write_text(f'title = "{name}"\n{fields.format(title)}')
    asked = []
    for name in ("plain", "asking"):
        result = CliRunner().invoke(review, ["draft", str(pdf), "--without", "literature", "--form", name, "--json"])
        assert result.exit_code == 0, result.stderr
        outputs = [stage["output"] or {} for stage in json.loads(result.stdout)["stages"]]
        asked.append({check["name"] for output in outputs for check in output.get("checks", ())})
    assert asked[1] - asked[0] == {"no-variance"}


def test_a_form_that_nobody_has_is_wrong_input(pdf: Path) -> None:
    error = CliRunner().invoke(review, ["draft", str(pdf), "--form", "none"]).exception
    assert isinstance(error, BadInput) and "no form “none”" in error.what and "iclr" in error.do


@pytest.mark.parametrize(
    "arguments", [["{pdf}", "--model", "nobody"], ["{folder}/none.pdf"], ["{pdf}", "--library", "{folder}"]]
)
def test_wrong_input_is_said_in_words(arguments: list[str], pdf: Path, tmp_path: Path) -> None:
    given = [part.format(pdf=pdf, folder=tmp_path) for part in arguments]
    result = CliRunner().invoke(review, ["draft", *given])
    assert isinstance(result.exception, BadInput), "exit 2 with one line, by the command's top"


def test_a_paper_without_text_falls_short(tmp_path: Path) -> None:
    import pymupdf

    document = pymupdf.open()
    document.new_page()
    path = tmp_path / "empty.pdf"
    path.write_bytes(document.tobytes())
    document.close()
    assert CliRunner().invoke(review, ["draft", str(path), "--json"]).exit_code == 1


@pytest.mark.parametrize(
    "how",
    ["", "insight", "nobody:tokens=64", "insight:tokens=0", "insight:temperature=nan", "insight:temperature=2.1",
     "insight:reasoning=much", "insight:reasoning-tokens=-1", "insight:colour=red"],
)  # fmt: skip
def test_how_a_stage_asks_is_checked_before_anything_is_read(how: str) -> None:
    result = CliRunner().invoke(review, ["draft", "none.pdf", "--stage", how])
    assert isinstance(result.exception, BadInput)
    said = str(result.exception)
    assert "isn't a valid stage setting" in said or "A model can't run with temperature" in said, said
