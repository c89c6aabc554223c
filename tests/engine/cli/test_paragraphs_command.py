"""``rejoinder paragraphs`` prints the promised fields and the promised exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import rejoinder
from tests.engine.documents.typeset import conference_paper


def test_json_has_the_promised_fields_and_nothing_else_is_printed(tmp_path: Path) -> None:
    paper = conference_paper(seed=9, pages=1.5)
    pages = paper.document.page_count
    path = tmp_path / "paper.pdf"
    path.write_bytes(paper.finish())
    done = rejoinder("paragraphs", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["pages"] == pages
    assert document["seconds"] > 0
    first = next(p for p in document["paragraphs"] if p["kind"] == "body")
    assert set(first) == {"id", "section", "kind", "text", "page", "boxes"}
    assert first["section"] == "Abstract"
    assert [len(box) for box in first["boxes"]] == [5]


def test_what_is_no_pdf_is_one_line_and_exit_2(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("some notes")
    done = rejoinder("paragraphs", path, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "not a PDF" in done.stderr
