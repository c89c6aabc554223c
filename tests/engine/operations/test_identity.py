"""Who acts is remembered for each project, outside of it, and not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import user_files
from engine.errors import BadInput
from engine.operations.identity import KEPT, Acting, act_as, acting, remember
from engine.operations.packages import open_package
from engine.papers.store import PaperStore
from engine.project import Project
from tests.engine.operations.packaged import dealt, lead_project


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REJOINDER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def worked(path: Path, *names: str) -> Path:
    with Project.create(path, path.stem, names[0]) as project:
        for name in names:
            project.set_annotator(name)
            PaperStore(project).add_paper(f"By {name}")
    return path


def test_who_worked_here_last_acts_again_whatever_happened_elsewhere(tmp_path: Path) -> None:
    one, two = worked(tmp_path / "one.rejoinder", "Ada", "Bo"), worked(tmp_path / "two.rejoinder", "Cy", "Ada")
    with Project.open(one, annotator="Ada") as project:
        assert acting(project, "Ada") == Acting("", ("Ada", "Bo")) and not acting(project, "Ada").known
        project.set_annotator("Bo")
        remember(project)
    with Project.open(two, annotator="Cy") as project:
        remember(project)
        assert acting(project, "Ada") == Acting("Cy", ("Cy", "Ada"))
    before = one.read_bytes()
    with Project.open(one) as project:
        assert acting(project, "Ada").name == "Bo"
    assert one.read_bytes() == before


def test_in_a_project_without_work_the_settings_count(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", "p", "Ada") as project:
        assert acting(project, " Dee ") == Acting("Dee") and Acting("Dee").known and not acting(project).known
        remember(project)
        assert acting(project, "Dee").name == "Ada", "chosen here, though nothing was done yet"


def test_a_name_that_is_gone_is_not_made_up(tmp_path: Path) -> None:
    path = worked(tmp_path / "p.rejoinder", "Ada")
    with Project.open(path, annotator="Nobody") as project:
        remember(project)
        assert acting(project) == Acting("", ("Ada",))


def test_what_is_remembered_is_bounded_private_and_may_be_lost(tmp_path: Path, home: Path) -> None:
    path = worked(tmp_path / "p.rejoinder", "Ada")
    file = user_files.config_folder() / "annotators.json"
    user_files.write(file, {"projects": [[f"p{n}", "X"] for n in range(KEPT)]})
    with Project.open(path, annotator="Ada") as project:
        remember(project)
        kept = user_files.read(file)["projects"]
        assert len(kept) == KEPT and kept[-1] == [project.id, "Ada"] and kept[0] == ["p1", "X"]
        assert file.stat().st_mode & 0o077 == 0
        file.write_text("{", encoding="utf-8")
        assert not acting(project).known
        user_files.write(file, {"projects": "?"})
        assert not acting(project).known


def test_for_reading_the_named_one_acts_else_who_did_the_newest_step(tmp_path: Path) -> None:
    path = worked(tmp_path / "p.rejoinder", "Ada", "Bo", "Cy")
    with Project.open(path, annotator="Ada") as project:
        people = {name: key for key, name in project.annotators()}
        act_as(project)
        assert project.annotator_id == people["Cy"]
        act_as(project, "Bo")
        assert project.annotator_id == people["Bo"]
        with pytest.raises(BadInput, match="No annotator named “Dee” worked on it") as caught:
            act_as(project, "Dee")
        assert caught.value.do == "Choose one of Ada, Bo, Cy."
    with Project.create(tmp_path / "new.rejoinder", "New", "Eve") as project:
        own = project.annotator_id
        act_as(project)
        assert project.annotator_id == own


def test_in_a_work_package_it_is_the_person_whom_it_is_for(tmp_path: Path) -> None:
    with lead_project(tmp_path / "lead.rejoinder") as lead:
        (ann,) = dealt(lead, tmp_path / "out", "sentences", ("Ann",), overlap=0.0)
    path, _ = open_package(ann)
    with Project.open(path, annotator="Somebody else") as project:
        remember(project)
        assert acting(project, "Somebody else") == Acting("Ann", ("Ann",))
