"""``rejoinder paper``, ``review move|rename|remove`` and ``survey rename|remove``, with their JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import user_files
from engine.documents.records import PARSER
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.store import SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from tests.command_line import rejoinder
from tests.engine.cli.test_project_command import document
from tests.engine.operations.random_acts import make
from tests.engine.operations.test_incoming import BEES, RIVERS, pdf, text
from tests.engine.operations.test_rereading import Study


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.rejoinder"


def test_papers_are_imported_listed_renamed_replaced_and_removed(path: Path, tmp_path: Path) -> None:
    Project.create(path, "A study", "Ada").close()
    bees, rivers = pdf(tmp_path / "a.pdf", BEES), pdf(tmp_path / "b.pdf", RIVERS)
    review = text(tmp_path / "r.txt", f"On “{RIVERS}”. Why twelve? Explain it.")
    look = rejoinder("paper", "import", path, bees, rivers, review, "--json")
    assert look.returncode == 1 and [f["paper_title"] for f in document(look)["files"]][:2] == [BEES, RIVERS]
    with Project.open(path, read_only=True) as project:
        assert PaperStore(project).papers() == ()
    done = rejoinder("paper", "import", path, bees, rivers, "--yes", "--annotator", "Ada")
    assert done.returncode == 0 and f"to “{BEES}”, a new paper" in done.stdout, done.stderr
    assert document(rejoinder("paper", "import", path, review, "--yes", "--json"))["files"][0]["paper_title"] == RIVERS
    listed = document(rejoinder("paper", "list", path, "--json"))["papers"]
    assert [(p["title"], len(p["versions"]), len(p["reviews"])) for p in listed] == [(BEES, 1, 0), (RIVERS, 1, 1)]
    assert BEES in rejoinder("paper", "list", path).stdout
    assert rejoinder("paper", "rename", path, BEES, "Bees").returncode == 0
    assert rejoinder("paper", "rename", path, "Bees", "first", "--version", SUBMITTED).returncode == 0
    unknown = rejoinder("paper", "rename", path, "Bees", "x", "--version", SUBMITTED)
    assert unknown.returncode == 2 and "Its versions are: first" in unknown.stderr
    new = pdf(tmp_path / "c.pdf", BEES, "Again.")
    assert rejoinder("paper", "replace", path, "Bees", new, "--version", "first").returncode == 1
    made = document(rejoinder("paper", "replace", path, "Bees", new, "--version", "first", "--yes", "--json"))
    with Project.open(path, read_only=True) as project:
        assert DocumentStore(project).parsed(made["document"]) is not None
        assert {name for _, name in project.annotators()} == {"Ada"}
    gone = rejoinder("paper", "remove", path, RIVERS)
    assert gone.returncode == 1 and "1 paper, 1 version, 1 PDF" in gone.stdout and "--yes" in gone.stderr
    assert document(rejoinder("paper", "remove", path, RIVERS, "--yes", "--json"))["done"] is True
    assert [p["title"] for p in document(rejoinder("paper", "list", path, "--json"))["papers"]] == ["Bees"]
    both = rejoinder("paper", "import", path, review, "--paper", "Bees", "--new", "X", "--yes")
    assert both.returncode == 2 and "--paper and --new can't be used together" in both.stderr
    assert rejoinder("paper", "import", path, tmp_path / "no.pdf", "--yes").returncode == 1
    with Project.open(path, read_only=True) as project:
        kept = json.loads(user_files.read(user_files.window_state())[f"added.{project.id}"])
    assert [(one[0], one[4]) for one in kept] == [("add 0", "problem")] and "no.pdf" in kept[0][1], "for the window"


def test_two_versions_and_a_letter_become_links_that_are_exported(path: Path, tmp_path: Path) -> None:
    Project.create(path, "A study", "Ada").close()
    old = pdf(tmp_path / "submitted.pdf", BEES, "We counted bees on twelve plots.")
    new = pdf(tmp_path / "revised.pdf", BEES, "We counted bees on forty plots, twice a day, with three observers.")
    letter = text(tmp_path / "letter.md", "> Why only twelve plots? Please count bees on more plots.\n\nWe did.\n")
    assert rejoinder("paper", "import", path, old, "--yes").returncode == 0
    early = rejoinder("paper", "compare", path)
    assert early.returncode == 2 and "Add both PDFs first" in early.stderr
    assert "rejoinder paper compare" in rejoinder("second-round", path).stderr
    assert rejoinder("paper", "import", path, new, letter, "--yes").returncode == 0
    made = document(rejoinder("paper", "compare", path, "--json"))
    assert (made["edits"], made["comments"]) == (1, 1)
    (asked,) = document(rejoinder("second-round", path, "--json"))["requests"]
    assert asked["state"] == "addressed"
    out = tmp_path / "links"
    assert rejoinder("project", "export", path, "--to", out, "--format", "aries").returncode == 0
    assert "forty plots" in (out / "s2orc" / "revised.json").read_text()


def test_reviews_are_moved_renamed_and_removed(path: Path) -> None:
    make(path)
    with Project.open(path, read_only=True) as project:
        first, second = PaperStore(project).papers()
        review = ReviewStore(project).texts(first.id)[0]
    arguments = (path, review.id, "--to", second.title, "--annotator", "Ada")
    look = rejoinder("review", "move", *arguments, "--json")
    assert look.returncode == 1 and "Bo" in document(look)["others"]
    refused = rejoinder("review", "move", *arguments, "--yes")
    assert refused.returncode == 2 and "by Bo" in refused.stderr
    assert rejoinder("review", "move", *arguments, "--yes", "--others").returncode == 0
    assert rejoinder("review", "rename", path, review.id, "Moved").returncode == 0
    reviewer = ("review", "rename", path, review.reviewer, "Dr Mud", "--reviewer", "--paper", second.id)
    assert rejoinder(*reviewer).returncode == 0
    again = rejoinder(*reviewer)
    assert again.returncode == 2 and "no reviewer" in again.stderr
    with Project.open(path, read_only=True) as project:
        moved = next(t for t in ReviewStore(project).texts(second.id) if t.id == review.id)
        assert (moved.title, moved.reviewer) == ("Moved", "Dr Mud")
        assert {act.annotator for act in project.history(3)} == {"Ada"}, "who was named once acts from then on"
    assert document(rejoinder("review", "remove", path, "Moved", "--yes", "--others", "--json"))["rows"]["comment"] > 0
    assert rejoinder("review", "remove", path, "Moved").returncode == 2


def test_studies_are_renamed_and_removed(path: Path) -> None:
    with Project.create(path, "A study", "Ada") as project:
        SurveyStore(project).add_study(new_study("Bees"))
    assert rejoinder("survey", "rename", path, "Bees", "Hives", "--annotator", "Ada").returncode == 0
    assert rejoinder("survey", "remove", path, "Hives").returncode == 1
    assert document(rejoinder("survey", "remove", path, "Hives", "--yes", "--json"))["rows"] == {"study": 1}
    assert rejoinder("survey", "remove", path, "Hives", "--yes").returncode == 2


def test_a_check_finds_entries_that_contradict_each_other(path: Path) -> None:
    make(path)
    found = document(rejoinder("project", "check", path, "--json"))
    assert found["sound"] is True and found["contradictions"] == [] and found["checked"]
    with Project.open(path) as project, project.rewriting() as connection:
        connection.execute("UPDATE comment_span SET end_offset = 5000")
    done = rejoinder("project", "check", path, "--json")
    assert done.returncode == 1 and not document(done)["sound"]
    assert (
        "comment spans lie outside their text" in document(done)["contradictions"][0]
        and document(done)["problems"] == []
    )
    assert "comment spans lie outside their text" in rejoinder("project", "check", path).stdout


def test_a_paper_is_read_again_where_an_earlier_version_read_it(path: Path) -> None:
    with Project.create(path) as project, DocumentService() as service:
        keys = Study(project, service).keys
    shown = rejoinder("paper", "read-again", path, "A paper", "--json")
    assert shown.returncode == 1 and not document(shown)["done"]
    done = rejoinder("paper", "read-again", path, "A paper", "--yes", "--json")
    assert done.returncode == 0 and document(done)["sentences"] == document(shown)["sentences"]
    with Project.open(path, read_only=True) as project:
        read = [DocumentStore(project).parsed(key) for key in keys]
    assert [one.parser for one in read if one is not None] == [PARSER, PARSER]
    assert rejoinder("paper", "read-again", path, "A paper").returncode == 2
