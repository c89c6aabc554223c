"""The organiser's pane: a study is made, written to its file, and read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.survey.pane import SurveyPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.exchange.study_file import read_study_file
from engine.expertise.records import Question, SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.project import Project
from tests.desktop_app.pane_cases import PaneCases
from tests.desktop_app.panes.survey.surveys import papers, press, study, write

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


class TestCases(PaneCases):
    pane_id = "survey"
    huge = 300

    def fill(self, project: Project, count: int) -> None:
        store = SurveyStore(project)
        made = store.add_study(study())
        with project.action("Fill"):
            known = store.library.add_all(papers(70))
            for number in range(count):
                one = store.add_participant(made, SurveyParticipant("", made, f"p{number}", f"Person {number}"))
                for place in range(5):
                    store.add_row(one, known[(number * 3 + place) % 70], 1 + (number + place) % 17 / 4)


@pytest.fixture
def pane(window: MainWindow, project_path: Path, qtbot: QtBot) -> SurveyPane:
    """The pane with a study that nobody answered."""
    assert window.open_path(project_path)
    window.show_pane("survey")
    found = window.panes["survey"]
    assert isinstance(found, SurveyPane)
    window.commands.run("survey.new")
    qtbot.waitActive(window)
    return found


def test_a_study_is_written_by_keyboard_and_undone(pane: SurveyPane, window: MainWindow) -> None:
    assert pane.state.study is not None and "ten minutes" in pane.state.study.instructions
    assert pane.form.lines["title"].hasFocus()
    write(pane, "Bridges and ferries")
    press(pane, Key.Key_Tab)
    write(pane, "Group of Somewhere")
    press(pane, Key.Key_Tab)
    assert (pane.state.study.title, pane.state.study.organiser) == ("Bridges and ferries", "Group of Somewhere")
    pane.form.least.setValue(12)
    assert (pane.state.study.min_papers, pane.state.study.max_papers) == (12, 12), "the other number follows"
    for _ in range(3):
        window.commands.run("edit.undo")
    assert (pane.state.study.title, pane.state.study.min_papers) == ("Expertise survey", 5)
    window.commands.run("edit.undo")
    assert pane.state.study is None and pane.is_empty()


def test_a_title_cannot_be_empty(pane: SurveyPane) -> None:
    pane.form.lines["title"].clear()
    pane.form.edited.emit("title", " ", pane.state.study.id)
    assert "needs a title" in pane.banner.notices[0].what
    assert pane.state.study is not None and pane.state.study.title == "Expertise survey"


def test_questions_are_changed_added_and_removed(pane: SurveyPane) -> None:
    assert pane.state.study is not None
    before = pane.state.study.questions
    pane.form.questions.add.click()
    _, words, choices = pane.form.questions.rows[len(before)]
    assert words.hasFocus()
    write(pane, "How many ferries have you steered?")
    press(pane, Key.Key_Tab)
    assert choices.hasFocus()
    write(pane, "None; One; More")
    press(pane, Key.Key_Return)
    assert pane.state.study.questions[:-1] == before
    made = pane.state.study.questions[-1]
    assert (made.words, made.choices) == ("How many ferries have you steered?", ("None", "One", "More"))
    pane.form.questions.remove(0)
    assert [question.key for question in pane.state.study.questions] == [*(q.key for q in before[1:]), made.key]
    assert isinstance(made, Question)


def test_a_question_typed_on_a_full_disk_is_written_later_to_its_own_study(
    pane: SurveyPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = present(pane.state.study)
    pane.new_study()
    second = present(pane.state.study)
    pane.form.questions.remove(0)
    others = present(pane.state.study).questions
    pane.choose_study(first.id)
    store = type(present(pane.state.store))
    set_questions = store.set_questions

    def full(*_args: object) -> None:
        raise EnvironmentProblem("The disk is full.", "Your last change wasn't saved.", "Free some space.")

    monkeypatch.setattr(store, "set_questions", full)
    field = pane.form.questions.rows[0][1]
    field.setFocus()
    field.selectAll()
    write(pane, "How senior are you?")
    pane.next_study()  # while the cursor is in the field
    assert present(pane.state.study).id == second.id
    assert [words.text() for part, words, _ in pane.form.questions.rows if part.isVisible()] == [
        q.words for q in others
    ]
    assert any("1 text that you typed" in notice.means for notice in pane.banner.notices)
    monkeypatch.setattr(store, "set_questions", set_questions)
    field._visit.commit()
    stored = present(pane.state.store)
    assert [q.words for q in stored.study(first.id).questions] == [
        "How senior are you?", *(q.words for q in first.questions[1:])
    ]  # fmt: skip
    assert stored.study(second.id).questions == others
    assert not any("that you typed" in notice.means for notice in pane.banner.notices)


def test_the_study_file_holds_the_study(pane: SurveyPane, tmp_path: Path) -> None:
    assert pane.state.study is not None
    assert pane.write_study(tmp_path / "ferries")
    read = read_study_file(tmp_path / "ferries.rejoinder-study")
    assert (read.key, read.title, read.instructions) == (
        pane.state.study.key,
        pane.state.study.title,
        pane.state.study.instructions,
    )
    assert "Exported ferries.rejoinder-study" in pane.banner.notices[0].what
    assert not pane.write_study(tmp_path / "no such folder" / "x")
    assert "couldn't be written" in pane.banner.notices[-1].what


def test_the_organiser_can_try_the_study_and_comes_back(pane: SurveyPane, window: MainWindow) -> None:
    project = window.bridge.project
    assert project is not None and pane.state.study is not None
    assert window.commands.run("survey.try")
    assert window.in_survey and window.bridge.project is not project
    participant = window.panes["participant"]
    assert pane.state.study is None or participant.state.survey.study.key != pane.state.study.key  # type: ignore[attr-defined]
    assert window.commands.run("project.leave_survey")
    assert not window.in_survey and window.pane is pane
    assert window.bridge.project is not None and window.bridge.project.path == project.path


def test_large_text_leaves_the_tables_of_the_results_ten_rows(pane: SurveyPane, qtbot: QtBot) -> None:
    """Stacked over the figures, each showed three."""
    TestCases().fill(present(pane.project), 6)
    pane.window().resize(1280, 800)
    theme().configure(zoom=1.5)
    pane.tabs.setCurrentIndex(2)
    table = pane.results.table_1
    qtbot.waitUntil(lambda: table.rowCount() > 0 and table.viewport().height() >= 10 * table.rowHeight(0))
