from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from click.testing import CliRunner

from engine.cli.edits import edits
from engine.errors import BadInput, EnvironmentProblem

KEPT = (
    "The passages were drawn by lot from all of the papers, and every reading was made twice by people who did not "
    "know each other. Where the two readings differed, a third person decided which of them should stand in the end."
)
GONE = (
    "A reviewer who had seen a paper before was not asked about it again in the same year. We had hoped that this "
    "would keep the judgements apart, but the committee met too often for that, and so the rule was given up."
)
NEW = (
    "Since then, every judgement carries the date on which it was given. Those from before the change are kept in a "
    "file of their own, which we publish together with the others, so that anyone may repeat the count."
)


def pdf(path: Path, *paragraphs: str) -> Path:
    with pymupdf.open() as document:
        page = document.new_page()
        top = 72.0
        for paragraph in paragraphs:
            page.insert_textbox((72, top, 523, top + 120), paragraph, fontsize=11, fontname="tiro")
            top += 110
        document.save(path)
    return path


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    old = pdf(tmp_path / "old.pdf", KEPT, GONE)
    return old, pdf(tmp_path / "new.pdf", KEPT.replace("by lot", "at random"), NEW)


def test_json_and_files(versions: tuple[Path, Path], tmp_path: Path) -> None:
    page, document = tmp_path / "changes.html", tmp_path / "changes.pdf"
    result = CliRunner().invoke(
        edits, [*map(str, versions), "--json", "--html", str(page), "--pdf", str(document)], catch_exceptions=False
    )
    assert result.exit_code == 0
    printed = json.loads(result.stdout)
    assert {"seconds", "source_paragraphs", "target_paragraphs", "edits", "unchanged"} <= set(printed)
    assert [edit["kind"] for edit in printed["edits"]] == ["minor", "deleted", "added"]
    for edit in printed["edits"]:
        assert {"edit_id", "kind", "moved", "source_ids", "target_ids", "source_text", "target_text"} <= set(edit)
        assert set(edit["source_ids"]) <= {paragraph["id"] for paragraph in printed["source_paragraphs"]}
        assert set(edit["target_ids"]) <= {paragraph["id"] for paragraph in printed["target_paragraphs"]}
    paragraph = printed["target_paragraphs"][0]
    assert {"id", "section", "kind", "text", "page", "boxes"} <= set(paragraph)
    assert paragraph["boxes"][0][0] == paragraph["page"] == 1
    assert "<ins>at random</ins>" in page.read_text(encoding="utf-8")
    assert document.read_bytes().startswith(b"%PDF")


def test_for_people(versions: tuple[Path, Path]) -> None:
    result = CliRunner().invoke(edits, [*map(str, versions)], catch_exceptions=False)
    assert "[- by lot -] [+ at random +]" in " ".join(result.stdout.split())
    assert result.stdout.rstrip().endswith("3 edits; 0 paragraphs unchanged.")


def test_groups_are_folded_unless_they_are_asked_for(tmp_path: Path) -> None:
    captions = [f"Figure 1: The mills along the river, counted in {month} by two people." for month in ("May", "June")]
    versions = [str(pdf(tmp_path / f"{at}.pdf", KEPT, text)) for at, text in enumerate(captions)]
    plain = CliRunner().invoke(edits, versions, catch_exceptions=False).stdout
    assert plain.rstrip().endswith("unchanged. Not listed: 1 in captions (--group all lists them).")
    assert "June" not in plain
    assert "[- May -] [+ June +]" in CliRunner().invoke(edits, [*versions, "--group", "captions"]).stdout
    printed = json.loads(CliRunner().invoke(edits, [*versions, "--json"], catch_exceptions=False).stdout)
    assert [edit["group"] for edit in printed["edits"]] == ["captions"]
    assert printed["groups"]["captions"] == 1 and printed["groups"]["text"] == 0


def test_a_version_against_itself(versions: tuple[Path, Path]) -> None:
    result = CliRunner().invoke(edits, [str(versions[0]), str(versions[0]), "--json"], catch_exceptions=False)
    printed = json.loads(result.stdout)
    assert (printed["edits"], printed["unchanged"]) == ([], 2)


def test_not_a_pdf(versions: tuple[Path, Path], tmp_path: Path) -> None:
    note = tmp_path / "note.pdf"
    note.write_text("Not a PDF.")
    with pytest.raises(BadInput):
        CliRunner().invoke(edits, [str(note), str(versions[1]), "--json"], catch_exceptions=False)


def test_a_folder_that_is_not_there(versions: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="couldn't be written"):
        CliRunner().invoke(
            edits, [*map(str, versions), "--html", str(tmp_path / "no" / "o.html")], catch_exceptions=False
        )
