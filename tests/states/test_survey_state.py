"""What the survey panes show and change, without a window."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.panes.survey.state import CONSENT, PROFILE, RATINGS, RELEASE, OrganiserState, ParticipantState
from engine.errors import EnvironmentProblem
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.records import LibraryPaper
from engine.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as made:
        yield made


@pytest.fixture
def state(project: Project) -> ParticipantState:
    SurveyStore(project).open_study(new_study("Ferries", organiser="Group", key="one"), filename="a.rejoinder-study")
    made = ParticipantState()
    made.open(project)
    made.read()
    return made


def agree(state: ParticipantState) -> str:
    assert state.store is not None and state.survey is not None
    key = state.survey.participant.id
    state.store.set_consent(key, True)
    state.read()
    return key


def add(state: ParticipantState, *titles: str) -> list[str]:
    papers = [LibraryPaper("", title, link=f"https://example.org/{title}") for title in titles]
    state.add_papers(papers)
    survey = state.read()
    assert survey is not None
    return [row.id for row in survey.rows]


def complete(state: ParticipantState) -> str:
    """Everything that is required for the answers file."""
    key = agree(state)
    assert state.store is not None and state.survey is not None
    state.store.set_name(key, "Ada Example")
    state.go_to(RATINGS)
    rows = add(
        state, *(f"Paper {n} about {word}" for n, word in enumerate(("tides", "trams", "gates", "lifts", "loops")))
    )
    for value, row in zip((1.0, 2.0, 3.0, 4.0, 5.0), rows, strict=True):
        state.store.rate(row, value)
    state.read()
    return key


def test_without_consent_only_the_first_page_can_be_seen(state: ParticipantState) -> None:
    assert state.step == CONSENT and state.next_title() == "Agree and begin" and not state.can_add()
    state.go_to(RATINGS)
    assert state.step == CONSENT
    key = agree(state)
    state.go_to(RATINGS)
    assert state.step == RATINGS and state.can_add()
    assert state.store is not None
    state.store.set_consent(key, False)
    state.read()
    assert state.step == CONSENT


def test_a_survey_that_was_begun_continues_on_its_papers(project: Project, state: ParticipantState) -> None:
    agree(state)
    state.go_to(RATINGS)
    add(state, "Tides")
    again = ParticipantState()
    again.open(project)
    again.read()
    assert again.step == RATINGS
    again.go_to(PROFILE)
    again.read()
    assert again.step == PROFILE, "a refresh does not turn the page"


def test_several_papers_are_one_undo_step_and_go_to_the_list_of_the_page(
    project: Project, state: ParticipantState
) -> None:
    agree(state)
    state.go_to(RATINGS)
    assert len(add(state, "Tides", "Trams", "Gates")) == 3
    assert project.undo_title == "Add 3 papers to rate"
    project.undo()
    state.go_to(PROFILE)
    assert add(state, "Own work") == []
    assert state.store is not None and state.survey is not None
    assert [row.paper.title for row in state.store.profile(state.survey.participant.id)] == ["Own work"]


def test_the_row_beside_one_that_is_removed(state: ParticipantState) -> None:
    agree(state)
    state.go_to(RATINGS)
    first, second, third = add(state, "Tides", "Trams", "Gates")
    assert (state.neighbour(first), state.neighbour(second), state.neighbour(third)) == (second, third, second)


def test_a_paper_that_is_known_is_not_entered_twice(state: ParticipantState) -> None:
    agree(state)
    state.go_to(RATINGS)
    add(state, "Counting tides with three magnets")
    (found,) = state.recognise("Counting tides with three magnets")
    assert found.link.startswith("https://example.org/")


def test_the_answers_file_is_dated_when_its_content_was_first_shown(state: ParticipantState) -> None:
    assert state.preview() is None
    key = complete(state)
    assert state.can_save()
    shown = state.preview()
    assert shown is not None and state.preview() is shown
    assert state.store is not None
    state.store.set_name(key, "Ada Beispiel")
    state.read()
    changed = state.preview()
    assert changed is not None and changed.file.content != shown.file.content


def test_saving_writes_the_bytes_that_were_shown(tmp_path: Path, state: ParticipantState) -> None:
    complete(state)
    state.go_to(RELEASE)
    assert state.next_title().startswith("Save") and state.saved_text() == ""
    shown = state.preview()
    assert shown is not None
    with pytest.raises(EnvironmentProblem):
        state.save(tmp_path / "missing" / "a.rejoinder-answers")
    assert state.saved_to is None
    path = tmp_path / "a.rejoinder-answers"
    state.save(path)
    survey = state.read()
    assert path.read_bytes() == shown.file.content and survey is not None and survey.participant.finished_at
    assert "a.rejoinder-answers" in state.saved_text() and "Group" in state.saved_text()
    again = state.preview()
    assert again is not None and again.file.content == shown.file.content

    # the same file after a restart; other answers aren't saved until they are
    later = ParticipantState()
    later.open(state.project)
    survey = later.read()
    made = later.preview()
    assert survey is not None and made is not None and made.file.content == shown.file.content and later.is_saved()
    assert later.saved_text().startswith("You saved these answers earlier.")
    assert later.store is not None
    later.store.rate(survey.rows[0].id, 1.25)
    later.read()
    made = later.preview()
    assert made is not None and made.written_at > shown.written_at and not later.is_saved()
    assert "If you have changed anything since" in later.saved_text()


def test_an_organiser_turns_from_study_to_study(project: Project) -> None:
    state = OrganiserState()
    assert not state.can_write() and not state.read()
    state.open(project)
    assert not state.read() and state.can_write() and not state.can_change()
    for _ in range(2):
        state.add_study("Ada")
    assert state.read() and state.study == state.studies[1] and state.status == "No answers yet"
    state.choose_next()
    state.read()
    assert state.study == state.studies[0]
    project.undo()
    state.choose("gone")
    assert state.read() and state.study == state.studies[-1]


def test_a_trial_has_another_key_and_the_study_file_leaves_its_hash(tmp_path: Path, project: Project) -> None:
    state = OrganiserState()
    state.open(project)
    state.add_study("Ada")
    state.read()
    assert state.study is not None
    path = tmp_path / "s.rejoinder-study"
    state.write_study(path)
    trial = json.loads(state.write_trial(tmp_path / "tried").read_text("utf-8"))
    real = json.loads(path.read_text("utf-8"))
    assert json.dumps(real).count("-trial") == 0 and f"{state.study.key}-trial" in json.dumps(trial)
    state.read()
    assert state.study.content_hash
