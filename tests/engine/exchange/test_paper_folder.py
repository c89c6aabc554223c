"""A folder of papers: PDFs, bibliographies and the expertise data set, with what cannot be read left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.paper_folder import read_paper_folder
from engine.papers.store import LibraryStore
from engine.project import Project
from tests.engine.review_drafting.papers import TITLE, letter_paper


def test_pdfs_and_lists_of_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "more"
    inner.mkdir()
    (inner / "paper.pdf").write_bytes(letter_paper(faulty=False))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing follows")
    (tmp_path / "a.bib").write_text("@article{k, title={On reading}, author={Ada Example}, year={2020}}")
    (tmp_path / "b.ris").write_text("TY  - JOUR\nTI  - On writing\nAU  - Other, Bea\nER  - \n")
    (tmp_path / "c.json").write_text(
        json.dumps([{"id": "1", "type": "article", "title": "On talking", "DOI": "10.1000/t"}])
    )
    (tmp_path / "notes.txt").write_text("no paper")
    (tmp_path / "other.json").write_text("{}")
    found = read_paper_folder(tmp_path)
    assert [paper.title for paper in found.papers] == ["On reading", "On writing", "On talking", TITLE]
    assert "Review letters are long" in found.papers[3].abstract
    ((place, text),) = found.texts
    assert place == 3 and "careful reader" in text and "Journal of Tests" not in text
    assert any("broken.pdf" in warning for warning in found.warnings)
    with Project.create(tmp_path / "p.rejoinder") as project:
        library = LibraryStore(project)
        kept = library.add_all(found.papers, origin="import:folder", texts=dict(found.texts))
        assert library.text(kept[3].id) == text
        assert library.add_all(found.papers, origin="import:folder") == kept, "a second time adds nothing"


def test_the_expertise_data_set_gives_its_papers(tmp_path: Path) -> None:
    (tmp_path / "evaluations.csv").write_text("ParticipantID\tPaper1\tExpertise1\n1\tx\t3.0\n")
    papers = [
        {"ssId": "x", "title": "On reading", "abstract": "Says.", "year": 2020, "authors": ["Ada Example"]},
        {"ssId": "y", "title": ""},
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, papers)))
    (paper,) = read_paper_folder(tmp_path).papers
    assert (paper.title, paper.abstract, paper.year, paper.authors) == ("On reading", "Says.", 2020, ("Ada Example",))
    assert paper.source_id == "x"


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_nothing_to_read_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        read_paper_folder(tmp_path / name)
