"""``rejoinder project export`` and ``import``: every format by its name, losses, and refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.formats import WRITERS
from engine.frames import FRAMES
from engine.operations import identity
from engine.papers.store import LibraryStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from tests.hostile import SAMPLE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The sample with a labelled sentence."""
    path = Path(shutil.copyfile(SAMPLE, tmp_path / "sample.rejoinder"))
    with Project.open(path) as project:
        text = ReviewStore(project).texts()[0]
        LabelStore(project).set_label(text.id, Span(0, 20), "aspect", ["clarity"])
        identity.remember(project)
    return path


def run(*arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(rejoinder, ["project", *map(str, arguments), "--json"])
    if isinstance(done.exception, BadInput):
        raise done.exception
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_a_bundle_is_written_and_becomes_a_project(path: Path, tmp_path: Path) -> None:
    before = path.read_bytes()
    made = run("export", path, tmp_path / "out.zip")
    assert made["format"] == "bundle" and made["rows"]["paper"] == 1
    assert "history and e-mail addresses are left out" in made["warnings"][1]
    assert "journal" in run("export", path, tmp_path / "folder", "--history")["rows"]
    assert path.read_bytes() == before
    for source in ("out.zip", "folder", "folder/datapackage.json"):
        new = tmp_path / f"{source.replace('/', '-')}.rejoinder"
        assert run("import", new, tmp_path / source)["done"][0].startswith("Created")
        with Project.open(new, read_only=True) as project:
            assert bool(project.history()) == ("folder" in source)
    with pytest.raises(BadInput, match="its own project"):
        run("import", tmp_path / "n.rejoinder", tmp_path / "out.zip", tmp_path / "folder", "--format", "bundle")


@pytest.mark.parametrize("format_", WRITERS)
def test_every_format_is_written_by_its_name(path: Path, tmp_path: Path, format_: str) -> None:
    if format_.startswith("cas"):
        pytest.importorskip("cassis")
    out = tmp_path / "out"
    files = run("export", path, out, "--format", format_)["files"]
    assert files and sum(Path(file).stat().st_size for file in files)
    assert out.is_file() == bool(WRITERS[format_].ending)
    if out.is_dir():
        with pytest.raises(BadInput, match="not empty"):
            run("export", path, out, "--format", format_)


def test_unfounded_claims_of_a_rebuttal_are_named(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        project.annotator_id = {name: key for key, name in project.annotators()}["Sample annotator"]
        LabelStore(project).set_label(ReviewStore(project).texts()[0].id, Span(0, 20), "aspect", ["clarity"])
    made = run("export", path, tmp_path / "out.md", "--format", "rebuttal-markdown", code=1)
    assert made["files"] and "R1.8, not found: Table 9 is not in the revised paper." in made["warnings"]
    assert not any(
        "not found" in words for words in run("export", path, tmp_path / "csv", "--format", "csv")["warnings"]
    )


def test_to_is_a_folder_for_files_too(path: Path, tmp_path: Path) -> None:
    made = run("export", path, "--to", tmp_path / "shared", "--format", "w3c", "--annotator", "adjudicated")
    assert made["files"] == [str(tmp_path / "shared" / f"{path.stem}.jsonld")]
    tables = run("export", path, "--to", tmp_path / "tables", "--format", "csv")["files"]
    written = pd.read_csv(tmp_path / "tables" / "comments.csv")
    with Project.open(path, read_only=True) as project:
        assert list(written["comment_id"]) == list(FRAMES["comments"](project)["comment_id"])
    assert len(tables) > 10
    for wrong in ((), (tmp_path / "a.zip", "--to", tmp_path / "b")):
        assert (
            "Give either OUT or --to"
            in CliRunner().invoke(rejoinder, ["project", "export", str(path), *map(str, wrong)]).output
        )


def test_links_of_one_paper_and_annotator_are_imported_again(path: Path, tmp_path: Path) -> None:
    run("export", path, tmp_path / "links.jsonld", "--format", "w3c", "--annotator", "adjudicated")
    with Project.open(path) as project:
        names = [name for _, name in project.annotators()]
    run("export", path, tmp_path / "links.csv", "--format", "links", "--annotator", names[0])
    with pytest.raises(BadInput, match="no paper named"):
        run("export", path, tmp_path / "x.csv", "--format", "links", "--paper", "none such")
    found = run("import", path, tmp_path / "links.csv", "--paper", _paper(path), "--annotator", "Third")
    assert found["done"] and not found["problems"]
    with Project.open(path, read_only=True) as project:
        third = next(key for key, name in project.annotators() if name == "Third")
        assert project.query("SELECT count(*) FROM edit_link WHERE annotator_id = ?", (third,))[0][0] > 0


def _paper(path: Path) -> str:
    with Project.open(path, read_only=True) as project:
        return str(project.query("SELECT id FROM paper")[0][0])


def test_publications_come_into_the_library(path: Path, tmp_path: Path) -> None:
    (tmp_path / "own.bib").write_text("@article{k, title={On nothing much}, author={A. Nobody}, year=2020}")
    found = run("import", path, tmp_path / "own.bib", "--format", "publications")["done"][0]
    assert "1 paper is in the library" in found
    with Project.open(path, read_only=True) as project:
        assert "On nothing much" in {paper.title for paper in LibraryStore(project).papers()}
    (tmp_path / "bad.bib").write_text("no bibliography")
    with pytest.raises(BadInput):
        run("import", path, tmp_path / "own.bib", tmp_path / "bad.bib", "--format", "publications")


def test_clusters_go_out_and_come_in(path: Path, tmp_path: Path) -> None:
    run("export", path, tmp_path / "clusters.csv", "--format", "clusters")
    assert "2 clusters" in run("import", path, tmp_path / "clusters.csv", "--format", "clusters")["done"][0]
