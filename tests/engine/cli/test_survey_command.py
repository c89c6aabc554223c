"""``rejoinder survey``: from the study file to the data set and back, as scripts do it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import rejoinder
from engine.errors import BadInput
from engine.exchange.expertise_data import read_gold_standard
from engine.exchange.study_file import preview_release, read_study_file
from engine.expertise.store import SurveyStore
from engine.papers.records import LibraryPaper
from engine.project import Project


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(rejoinder, ["survey", *map(str, arguments)])


@pytest.fixture
def study(tmp_path: Path) -> Path:
    done = _run("new", tmp_path / "org.rejoinder", "--title", "Reading", "--organiser", "A", "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert set(document) == {"study", "title", "file"}
    assert document["file"] == str(tmp_path / "reading.rejoinder-study")
    return Path(document["file"])


def _answered(study: Path, folder: Path, name: str, ratings: tuple[float, ...]) -> Path:
    """What a participant's own Rejoinder does."""
    with Project.create(folder / f"{name}.rejoinder") as project:
        store = SurveyStore(project)
        person = store.open_study(read_study_file(study), filename=study.name).id
        store.set_name(person, name)
        store.set_email(person, "private@example.org")
        store.set_consent(person, True)
        store.set_answer(person, "position", "Faculty")
        for number, value in enumerate(ratings):
            store.add_row(person, LibraryPaper("", f"An invented paper that is number {number}"), value)
        store.add_publications(person, [LibraryPaper("", f"The own publication of {name}")])
        preview = preview_release(
            store.study(store.participant(person).study_id), store.participant(person), store.rows(person),
            store.profile(person), written_at="2026-01-01T00:00:00Z",
        )  # fmt: skip
    path = folder / preview.file.name
    path.write_bytes(preview.file.content)
    return path


def test_a_whole_survey(study: Path, tmp_path: Path) -> None:
    project = tmp_path / "org.rejoinder"
    files = [_answered(study, tmp_path, "ada", (1.0, 2.25, 5.0)), _answered(study, tmp_path, "bea", (3.0, 3.0))]
    done = _run("merge", project, *files, "--json")
    assert done.exit_code == 0, done.output
    assert [entry["outcome"] for entry in json.loads(done.stdout)["files"]] == ["added", "added"]
    again = _run("merge", project, *files, "--json")
    assert [entry["outcome"] for entry in json.loads(again.stdout)["files"]] == ["unchanged", "unchanged"]

    done = _run("summary", project, "--out", tmp_path / "figures", "--json")
    document = json.loads(done.stdout)
    assert (document["participants"], document["papers"], document["pairs"], document["ties"]) == (2, 3, 4, 1)
    assert {"table_1", "table_2", "figure_1a", "figure_1b"} <= set(document)
    assert len(document["files"]) == 12 and all(Path(file).is_file() for file in document["files"])
    assert "2 of them" not in _run("summary", project).output and "1 of them ties" in _run("summary", project).output

    done = _run("export", project, "--out", tmp_path / "data", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["losses"] == []
    gold = read_gold_standard(tmp_path / "data")
    assert sorted(rating.value for rating in gold.ratings) == [1.0, 2.25, 3.0, 3.0, 5.0]
    assert "private@" not in "".join(p.read_text() for p in (tmp_path / "data").rglob("*") if p.is_file())

    done = _run("export", project, "--layout", "openreview", "--out", tmp_path / "or")
    assert done.exit_code == 0 and len(list((tmp_path / "or" / "archives").glob("~*.jsonl"))) == 2
    done = _run("import", tmp_path / "new.rejoinder", tmp_path / "data", "--json")
    assert json.loads(done.stdout)["ratings"] == 5 and json.loads(done.stdout)["title"] == "data"


def test_doubtful_files_wait_for_a_choice(study: Path, tmp_path: Path) -> None:
    project = tmp_path / "org.rejoinder"
    (tmp_path / "other").mkdir()
    first = _answered(study, tmp_path, "ada", (1.0,))
    second = _answered(study, tmp_path / "other", "ada", (2.0,))
    assert _run("merge", project, first).exit_code == 0
    done = _run("merge", project, second, "--json")
    assert done.exit_code == 1
    (entry,) = json.loads(done.stdout)["files"]
    assert entry["outcome"] == "skipped" and "may be the same person" in " ".join(entry["remarks"])
    assert "--doubtful" in done.stderr
    assert "added" in _run("merge", project, second, "--doubtful", "default").output
    broken = tmp_path / "x.rejoinder-answers"
    broken.write_text("{}")
    done = _run("merge", project, broken, "--json")
    assert done.exit_code == 1 and json.loads(done.stdout)["files"][0]["kind"] == "refused"


def test_wrong_calls_say_how_to_mend_them(study: Path, tmp_path: Path) -> None:
    project = tmp_path / "org.rejoinder"
    for arguments, words in (
        (("summary", project, "--study", "nothing"), "no study “nothing”"),
        (("summary", tmp_path / "none.rejoinder"), "none"),
        (("export", project, "--out", tmp_path / "o"), "Nobody has rated"),
        (("import", project, tmp_path), "evaluations.csv"),
        (("import", tmp_path / "none.rejoinder", tmp_path), "evaluations.csv"),
        (("new", project, "--min-papers", 9, "--max-papers", 3), "--min-papers"),
        (("new", project, "--title", "Reading"), "already exists"),
        (("export", project, "--out", tmp_path), "not empty"),
    ):
        done = _run(*arguments)
        assert done.exit_code != 0 and words in str(done.exception), arguments
    assert not (tmp_path / "none.rejoinder").exists()
    assert _run("new", project, "--title", "Second").exit_code == 0
    with pytest.raises(BadInput, match="several studies"):
        raise _run("summary", project).exception or AssertionError
    assert _run("summary", project, "--study", "Second").exit_code == 0
