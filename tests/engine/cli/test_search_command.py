"""``rejoinder search``: results by kind, JSON, and no results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.studies import search
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "p.rejoinder"
    with Project.create(made, "P", "Ada") as project:
        paper = PaperStore(project).add_paper("Of bees", abstract="Bees are small.")
        ReviewStore(project).add_text("Review A", "The bee is too small.", paper_id=paper)
    return made


def test_results_are_printed_by_kind(path: Path) -> None:
    done = CliRunner().invoke(search, [str(path), "bee", "small"])
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "Papers      Of bees", "              Bees are small.",
        "Reviews     Review A", "              The bee is too small.",
    ]  # fmt: skip


def test_json_has_the_promised_fields(path: Path) -> None:
    done = CliRunner().invoke(search, [str(path), "bee", "--json", "--most", "1"])
    first = json.loads(done.output)[0]
    assert first.keys() == {
        "kind", "title", "snippet", "matches", "table", "id", "paper_id", "document_id", "paragraph_id", "page",
    }  # fmt: skip
    assert first["kind"] == "paper" and first["matches"] == [[0, 4]]


def test_no_results_are_said(path: Path) -> None:
    done = CliRunner().invoke(search, [str(path), "wasp"])
    assert (done.exit_code, done.output) == (0, "No results.\n")
