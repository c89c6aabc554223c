"""``rejoinder project erase`` and ``share``, with their JSON and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.papers.store import PaperStore
from engine.project import Project, backups
from tests.command_line import rejoinder
from tests.engine.cli.test_project_command import document


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "study.rejoinder"
    with Project.create(path, "A study", "Ada") as project:
        PaperStore(project).add_paper("Counting bicycles")
        PaperStore(project).add_paper("Counting trees")
        project.back_up("asked")
    return path


def test_erase_says_first_what_goes_and_erases_with_yes(path: Path) -> None:
    before = path.read_bytes()
    look = rejoinder("project", "erase", path, "--paper", "Counting bicycles", "--json")
    found = document(look)
    assert look.returncode == 1 and found["rows"] == {"paper": 1} and found["backups"] == 1 and not found["erased"]
    assert path.read_bytes() == before
    words = rejoinder("project", "erase", path, "--paper", "Counting bicycles")
    assert words.returncode == 1 and "1 paper will be deleted" in words.stdout and "--yes" in words.stderr
    done = rejoinder("project", "erase", path, "--paper", "Counting bicycles", "--yes", "--json")
    assert done.returncode == 0 and document(done)["erased"] is True
    assert b"Counting bicycles" not in path.read_bytes() + backups(path)[0].path.read_bytes()
    with Project.open(path, read_only=True) as project:
        assert [paper.title for paper in PaperStore(project).papers()] == ["Counting trees"]
    again = rejoinder("project", "erase", path, "--paper", "Counting bicycles", "--yes")
    assert again.returncode == 2 and "no paper" in again.stderr
    assert rejoinder("project", "erase", path, "--yes").returncode == 2


def test_share_writes_what_was_chosen(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    made = document(
        rejoinder("project", "share", path, "--to", out, "--paper", "Counting trees", "--no-names", "--json")
    )
    assert made["rows"]["paper"] == 1 and made["names"] is False and "notes" not in made["parts"]
    with Project.open(Path(made["path"]), read_only=True) as copy:
        assert [paper.title for paper in PaperStore(copy).papers()] == ["Counting trees"]
        assert [name for _, name in copy.annotators()] == ["Annotator 1"] and copy.history() == ()
    refused = rejoinder("project", "share", path, "--to", made["path"])
    assert refused.returncode == 2 and "already exists" in refused.stderr
    wrong = rejoinder("project", "share", path, "--to", tmp_path / "x", "--without", "paper", "--with", "everything")
    assert (
        wrong.returncode == 2 and "no part named everything" in wrong.stderr and not (tmp_path / "x.rejoinder").exists()
    )
