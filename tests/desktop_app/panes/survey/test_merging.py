"""Answers come back: new ones are taken, doubtful ones are asked about, and every merge can be undone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes.survey.merging import MergeDialog
from desktop_app.panes.survey.pane import PEOPLE, RESULTS, STUDY, SurveyPane
from desktop_app.theme import theme
from desktop_app.widgets.dialogs import MessagesDialog
from desktop_app.window import MainWindow
from engine.exchange import study_file
from engine.exchange.study_file import read_answers_file
from engine.expertise.merge import PaperJoin
from engine.expertise.merge_store import MergeStore
from engine.expertise.store import SurveyStore
from engine.expertise.survey import GRID
from engine.papers.records import LibraryPaper
from engine.project import Project
from tests.desktop_app.looks import cut, sideways
from tests.desktop_app.pane_cases import assert_named
from tests.desktop_app.panes.survey.surveys import answers_file, study

LATER = "2026-03-02T10:00:00+00:00"


@pytest.fixture
def returned(tmp_path: Path) -> Path:
    folder = tmp_path / "returned"
    folder.mkdir()
    return folder


@pytest.fixture
def pane(window: MainWindow, project_path: Path) -> SurveyPane:
    """A study that is out, without answers."""
    with Project.open(project_path) as project:
        SurveyStore(project).add_study(study())
    assert window.open_path(project_path)
    window.show_pane("survey")
    found = window.panes["survey"]
    assert isinstance(found, SurveyPane)
    return found


def figures(pane: SurveyPane) -> dict[str, list[float | None]]:
    return {p.participant.name: [row.value for row in p.rows] for p in pane.people._people}


def merge(pane: SurveyPane, qtbot: QtBot, files: list[Path]) -> None:
    """Merges files until all are done or one is asked about."""
    assert pane.add_files(files)
    settled(pane, qtbot)


def settled(pane: SurveyPane, qtbot: QtBot) -> None:
    def done() -> bool:
        asked = any(d.isVisible() for d in pane.findChildren(MergeDialog))
        heard = any(notice.key == "merge" for notice in pane.banner.notices)
        return not pane.context.bridge.engine.busy() and (asked or heard)

    qtbot.waitUntil(done, timeout=20_000)


def dialog(pane: SurveyPane, qtbot: QtBot) -> MergeDialog:
    found = [d for d in pane.findChildren(MergeDialog) if d.isVisible()]
    assert len(found) == 1
    return found[0]


def test_new_answers_are_taken_at_once_and_the_same_file_only_once(
    pane: SurveyPane, returned: Path, qtbot: QtBot
) -> None:
    files = [answers_file(returned, name, [4.0, 2.5, 1.25]) for name in ("Ben Example", "Cleo Example")]
    merge(pane, qtbot, [*files, files[0]])
    assert figures(pane) == {"Ben Example": [4.0, 2.5, 1.25], "Cleo Example": [4.0, 2.5, 1.25]}
    assert pane.banner.notices[0].what == "3 files: 2 added, 1 already merged."
    assert pane.tabs.currentIndex() == PEOPLE and pane.tabs.tabText(PEOPLE) == "Answers (2)"
    assert pane.project is not None
    pane.project.undo()
    assert list(figures(pane)) == ["Ben Example"]
    assert pane.status_text == "1 participant · 3 ratings"


def test_names_are_readable_with_large_text(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    merge(pane, qtbot, [answers_file(returned, "Ben Example", [4.0, 2.5, 1.25])])
    pane.tabs.setCurrentIndex(PEOPLE)
    theme().configure(zoom=1.5)
    pane.window().resize(1280, 800)
    window = pane.window()
    assert isinstance(window, MainWindow)
    settle(window)
    table = pane.people.table
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance("Ben Example") + 16
    assert "Ben" in pane.people.facts.text(), "the file is named beside the table"


def test_participants_are_sorted_by_a_click_or_by_the_box(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    answers = {"Ben": [4.0, 2.5, 1.25], "ada": [3.0], "Zoë": [5.0, 1.0], "Émile": [2.0, 2.25]}
    merge(pane, qtbot, [answers_file(returned, name, values) for name, values in answers.items()])
    pane.tabs.setCurrentIndex(PEOPLE)
    people, header = pane.people, pane.people.table.horizontalHeader()

    def shown(column: int = 0) -> list[str]:
        cells = (people.table.item(row, column) for row in range(people.table.rowCount()))
        return [cell.text() for cell in cells if cell is not None]

    def heading(column: int) -> str:
        return str(people.table.model().headerData(column, Qt.Orientation.Horizontal))

    def click(column: int) -> None:
        middle = header.sectionPosition(column) + header.sectionSize(column) // 2
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(middle, header.height() // 2))

    arrived = shown()
    assert people.find_person("emile", 0) and people.current is not None
    assert people.current.participant.name == "Émile", "accents don't matter"
    assert not people.find_person("nobody", 0)
    people.find_person("zoe", 0)
    click(2)
    assert shown(2) == ["3", "2", "2", "1"] and heading(2) == "Rated ▾"
    assert people.order.currentText() == "Sorted by rated"
    assert people.current is not None and people.current.participant.name == "Zoë", "the same person is selected"
    click(2)
    assert shown(2) == ["1", "2", "2", "3"] and heading(2) == "Rated ▴"
    people.order.setCurrentIndex(people.order.findData(0))
    assert shown() == ["ada", "Ben", "Émile", "Zoë"] and (heading(0), heading(2)) == ("Participant ▴", "Rated")
    pane.refresh_now()
    assert shown() == ["ada", "Ben", "Émile", "Zoë"], "new answers don't change the order"
    people.order.setCurrentIndex(0)
    assert shown() == arrived and heading(0) == "Participant"


def test_answers_that_differ_are_asked_about(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    first = answers_file(returned, "Ben Example", [4.0, 2.5, 1.25])
    second = answers_file(returned, "Ben Example", [4.25, 2.5], written_at=LATER)
    merge(pane, qtbot, [first, second])
    asked = dialog(pane, qtbot)
    assert_named(asked)
    table = asked.findChild(type(pane.people.table))
    assert table is not None
    cells = [[table.item(r, c).text() for c in (1, 2)] for r in range(table.rowCount())]
    assert cells == [["4", "4.25"], ["1.25", "none"]]
    said = [one.text() for one in asked.findChildren(QLabel)]
    assert not any("becomes" in one or "no longer rated" in one for one in said), "the table has it"
    assert asked.choice().outcome == "replaced", "the newer answers are proposed"
    asked.choose("kept")
    asked.accept()
    settled(pane, qtbot)
    assert figures(pane) == {"Ben Example": [4.0, 2.5, 1.25]}
    assert pane.banner.notices[0].what == "2 files: 1 added, 1 set aside."
    assert "set aside" in pane.people.facts.text()
    third = answers_file(returned, "Ben Example", [5.0], written_at="2026-03-03T10:00:00+00:00")
    merge(pane, qtbot, [third])
    dialog(pane, qtbot).accept()
    settled(pane, qtbot)
    assert figures(pane) == {"Ben Example": [5.0]}
    assert pane.project is not None
    pane.project.undo()
    assert figures(pane) == {"Ben Example": [4.0, 2.5, 1.25]}


def test_ratings_that_only_the_newer_file_has_are_in_the_table_alone(
    pane: SurveyPane, returned: Path, qtbot: QtBot
) -> None:
    first = answers_file(returned, "Ben Example", [4.0, 2.5])
    second = answers_file(returned, "Ben Example", [4.0, 2.5, *[1.0] * 8], written_at=LATER)
    merge(pane, qtbot, [first, second])
    asked = dialog(pane, qtbot)
    said = [one.text() for one in asked.findChildren(QLabel)]
    assert (
        not any(": new, rated" in one for one in said)
        and "Ben Example has answered before. This file is newer." in said
    )
    button = next(one for one in asked.findChildren(QRadioButton) if one.isChecked())
    assert not button.visibleRegion().isEmpty(), "what is decided is in sight"
    asked.reject()
    settled(pane, qtbot)


def test_a_file_can_be_left_out_and_the_others_go_on(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    first = answers_file(returned, "Ben Example", [4.0, 2.5])
    second = answers_file(returned, "Ben Example", [4.5, 2.5], written_at=LATER)
    third = answers_file(returned, "Cleo Example", [1.0])
    merge(pane, qtbot, [first, second, third])
    dialog(pane, qtbot).reject()
    settled(pane, qtbot)
    assert figures(pane) == {"Ben Example": [4.0, 2.5], "Cleo Example": [1.0]}
    assert pane.banner.notices[0].what == "3 files: 2 added, 1 skipped."


def test_merging_can_be_stopped_at_a_question(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    first = answers_file(returned, "Ben Example", [4.0, 2.5])
    second = answers_file(returned, "Ben Example", [4.5, 2.5], written_at=LATER)
    others = [answers_file(returned, name, [1.0]) for name in ("Cleo Example", "Dora Example")]
    merge(pane, qtbot, [first, second, *others])
    asked = dialog(pane, qtbot)
    assert "2 more files to merge after this one." in [label.text() for label in asked.findChildren(QLabel)]
    qtbot.mouseClick(
        next(button for button in asked.findChildren(QPushButton) if button.text() == "Stop merging"),
        Qt.MouseButton.LeftButton,
    )
    settled(pane, qtbot)
    assert figures(pane) == {"Ben Example": [4.0, 2.5]}
    (notice,) = [notice for notice in pane.banner.notices if notice.key == "merge"]
    assert notice.what == "Merging was cancelled." and "1 file: 1 added." in notice.means
    merge(pane, qtbot, others)
    assert len(figures(pane)) == 3
    assert pane.window().focusWidget() is pane.people.table, "the arrow keys go through the participants"


def test_a_doubtful_paper_is_named_in_full(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    """Long titles take as many lines as they need."""
    words = "A modular toolkit for counting bicycles, trams, ferries and people at the busiest crossings of a town"
    assert pane.project is not None and pane.state.study is not None
    store, file = MergeStore(pane.project), answers_file(returned, "Ben Example", [4.0])
    plan = store.plan(pane.state.study.id, read_answers_file(file), file.name)
    long = LibraryPaper("", words)
    plan = replace(plan, joins=(PaperJoin(0, long, replace(long, title=words.upper()), "title"),))
    asked = MergeDialog(plan, 0, pane)
    qtbot.addWidget(asked)
    asked.show()
    settle(pane.window())
    assert not cut(asked) and not sideways(asked)
    said = [label.text() for label in asked.findChildren(QLabel)]
    assert "Are these the same papers?" in said and not any("is treated as" in words for words in said)
    assert not asked.findChildren(QRadioButton) and "What do you want to do?" not in said, "there is but one way"
    assert asked.choice().outcome == "added"


def test_messages_take_one_line_where_one_is_enough(pane: SurveyPane, qtbot: QtBot) -> None:
    listed = MessagesDialog("Messages", ("Short.", "A long message. " * 30), pane)
    qtbot.addWidget(listed)
    listed.show()
    usual = listed.list.verticalHeader().defaultSectionSize()
    qtbot.waitUntil(lambda: listed.list.rowHeight(0) == usual and listed.list.rowHeight(1) > 2 * usual)


def test_the_same_name_under_another_key_is_asked_about(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    merge(pane, qtbot, [answers_file(returned, "Ben Example", [4.0, 2.5], key="one")])
    merge(pane, qtbot, [answers_file(returned, "Ben Example", [3.0], key="two", written_at=LATER)])
    asked = dialog(pane, qtbot)
    assert asked.choice().outcome == "added"
    twin = pane.people._people[0].participant
    asked.choose("replaced", twin.id)
    asked.accept()
    settled(pane, qtbot)
    assert figures(pane) == {"Ben Example": [3.0]}


def test_what_is_no_answer_to_this_study_is_told(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    other = answers_file(returned, "Ben Example", [4.0], of=study("another", "Another study"))
    broken = returned / "broken.rejoinder-answers"
    broken.write_bytes(other.read_bytes()[:-40])
    merge(pane, qtbot, [other, broken])
    notice = pane.banner.notices[0]
    assert notice.what == "2 files: 2 left out." and notice.kind == "attention"
    assert "belongs to another study" in notice.means and "broken" in notice.means
    assert figures(pane) == {}


def test_many_messages_are_listed(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    files = []
    for number in range(4):
        files.append(returned / f"broken-{number}.rejoinder-answers")
        files[-1].write_text("no answers", encoding="utf-8")
    merge(pane, qtbot, files)
    assert pane.banner.notices[0].means == "", "they would not fit"
    shown = next(button for button in pane.banner.findChildren(QPushButton) if button.text() == "Show messages")
    qtbot.mouseClick(shown, Qt.MouseButton.LeftButton)
    (listed,) = pane.findChildren(MessagesDialog)
    texts = [item.text() for row in range(listed.list.rowCount()) if (item := listed.list.item(row, 0)) is not None]
    lines = listed.list.rowHeight(0) / listed.list.fontMetrics().lineSpacing()
    assert lines < 5, "as high as the message at the width shown"
    assert len(texts) == 4 and all(file.name in text for file, text in zip(files, texts, strict=True))
    qtbot.keyClick(listed, Qt.Key.Key_Escape)
    assert not listed.isVisible()


def test_a_merge_that_is_cancelled_elsewhere_says_what_arrived_and_can_go_on(
    pane: SurveyPane, returned: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("Ben Example", "Cleo Example", "Dora Example")
    files = [answers_file(returned, name, [4.0, 2.5, 1.25]) for name in names]
    reached, go_on, read = Event(), Event(), study_file.read_answers_file

    def held(path: Path) -> object:
        if path == files[2]:
            reached.set()
            assert go_on.wait(20)
        return read(path)

    monkeypatch.setattr(study_file, "read_answers_file", held)
    assert pane.add_files(files)
    qtbot.waitUntil(reached.is_set, timeout=20_000)
    (job,) = pane.context.bridge._handles
    pane.context.bridge.cancel_job(job)
    go_on.set()
    settled(pane, qtbot)
    notice = pane.banner.notices[0]
    assert notice.what == "Merging was cancelled." and "2 files: 2 added" in notice.means
    monkeypatch.undo()
    merge(pane, qtbot, files)
    qtbot.waitUntil(lambda: len(figures(pane)) == 3, timeout=20_000)
    assert pane.tabs.currentIndex() == PEOPLE and "already merged" in pane.banner.notices[0].what


def test_an_answers_file_opens_in_the_project_of_its_study(
    pane: SurveyPane, window: MainWindow, returned: Path, qtbot: QtBot
) -> None:
    assert pane.state.store is not None
    pane.state.store.add_study(study("later", "A later study"))
    window.show_pane("home")
    assert window.open_path(answers_file(returned, "Ben Example", [4.0]))
    settled(pane, qtbot)
    assert window.pane is pane and pane.state.study is not None and pane.state.study.key == "study-1"
    assert list(figures(pane)) == ["Ben Example"]
    window.control.close()
    assert not window.open_path(answers_file(returned, "Cleo Example", [4.0]))
    assert "project that holds their study" in pane.banner.notices[0].what


def test_a_banner_tells_only_what_went_wrong(pane: SurveyPane, returned: Path, qtbot: QtBot) -> None:
    files = [answers_file(returned, f"Person {number}", [4.0]) for number in range(4)]
    broken = returned / "broken.rejoinder-answers"
    broken.write_text("no answers", encoding="utf-8")
    merge(pane, qtbot, [*files, broken])
    (notice,) = [one for one in pane.banner.notices if one.key == "merge"]
    assert notice.what == "5 files: 4 added, 1 left out."
    assert notice.means.startswith("broken.rejoinder-answers") and "Person" not in notice.means


def test_the_keyboard_stays_out_of_fields_when_views_change(
    pane: SurveyPane, window: MainWindow, returned: Path, qtbot: QtBot
) -> None:
    qtbot.waitActive(window)
    merge(pane, qtbot, [answers_file(returned, "Ben Example", [4.0])])
    assert pane.people.table.hasFocus()
    title = pane.form.lines["title"].text()
    for view in (RESULTS, STUDY, PEOPLE):
        qtbot.keyClick(window.focusWidget() or pane, Qt.Key.Key_V)
        assert pane.tabs.currentIndex() == view
    assert pane.people.table.hasFocus() and pane.form.lines["title"].text() == title


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # of the menu, on the offscreen platform
def test_a_participant_is_removed_and_brought_back_by_key(
    pane: SurveyPane, window: MainWindow, returned: Path, qtbot: QtBot
) -> None:
    merge(
        pane, qtbot, [answers_file(returned, name, [4.0]) for name in ("Ben Example", "Cleo Example", "Dora Example")]
    )
    qtbot.waitActive(window)
    pane.people.table.setFocus()
    pane.search("cleo")
    assert pane.people.current is not None and pane.people.current.participant.name == "Cleo Example"
    qtbot.keyClick(pane.people.table, Qt.Key.Key_Delete)
    assert list(figures(pane)) == ["Ben Example", "Dora Example"]
    assert pane.people.current.participant.name == "Dora Example", "the list keeps its place"
    qtbot.keyClick(pane.people.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert list(figures(pane)) == ["Ben Example", "Cleo Example", "Dora Example"]
    table = pane.people.table
    table.customContextMenuRequested.emit(table.visualItemRect(table.item(1, 0)).center())
    (menu,) = table.findChildren(QMenu)
    assert pane.people.current.participant.name == "Cleo Example", "it is about the row under the pointer"
    menu.actions()[0].trigger()
    menu.close()
    assert list(figures(pane)) == ["Ben Example", "Dora Example"]


def test_the_tables_and_figures_are_of_the_own_data(
    pane: SurveyPane, returned: Path, window: MainWindow, qtbot: QtBot
) -> None:
    ben, cleo = answers_file(returned, "Ben Example", [4.0, 4.0, 1.5]), answers_file(returned, "Cleo Example", [4.0])
    merge(pane, qtbot, [ben, cleo])
    pane.tabs.setCurrentIndex(RESULTS)
    view = pane.results
    qtbot.waitUntil(lambda: view.ratings.accessibleDescription() == "1.5: 1, 4: 3")
    texts = [[view.table_1.item(r, c).text().strip() for c in range(3)] for r in range(view.table_1.rowCount())]
    assert ["Participants", "", ""] in texts and ["all", "2", ""] in texts and ["Postdoc", "2", "100 %"] in texts
    assert view.gaps.accessibleDescription() == "0: 1, 2.5: 2"
    assert view.ratings.bar(12).height() == pytest.approx(3 * view.ratings.bar(2).height())
    assert not window.grab().isNull()
    view.ratings.resize(170, 200)
    view.ratings.show_counts(GRID, [1234] * len(GRID))
    areas = [area for area, _ in view.ratings.labels()]
    assert 2 < len(areas) < len(GRID) and not any(a.intersects(b) for a, b in pairwise(areas))


def exported(pane: SurveyPane, returned: Path, folder: Path, qtbot: QtBot, kind: str) -> Path:
    """A study of one returned file, written into a new folder."""
    merge(pane, qtbot, [answers_file(returned, "Ben Example", [4.0, 2.5, 1.5])])
    pane.export_to(kind, folder)
    qtbot.waitUntil(lambda: any(notice.key == "export" for notice in pane.banner.notices), timeout=30_000)
    (made,) = folder.glob("how-well-does-*")
    return made


@pytest.mark.parametrize("kind", ["released", "openreview", "summary"])
def test_a_study_is_written_and_nothing_is_overwritten(
    pane: SurveyPane, returned: Path, tmp_path: Path, qtbot: QtBot, kind: str
) -> None:
    folder = exported(pane, returned, tmp_path, qtbot, kind)
    names = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    wanted = {
        "released": {"evaluations.csv"},
        "openreview": {"submissions.jsonl"},
        "summary": {f"how-well-does-counting-count-figure-1a.{ending}" for ending in ("pdf", "svg", "png", "csv")},
    }[kind]
    assert wanted <= names
    pane.export_to(kind, tmp_path)
    qtbot.waitUntil(lambda: len(list(tmp_path.glob("how-well-does-*"))) == 2, timeout=30_000)
    qtbot.waitUntil(lambda: not pane.context.bridge.engine.busy(), timeout=30_000)


@pytest.mark.parametrize("kind", ["released", "openreview"])
def test_what_was_written_is_read_again(
    pane: SurveyPane, returned: Path, tmp_path: Path, qtbot: QtBot, kind: str
) -> None:
    folder = exported(pane, returned, tmp_path, qtbot, kind)
    pane.tabs.setCurrentIndex(STUDY)
    pane.import_data_set(folder)
    assert any(notice.what.startswith("Importing") for notice in pane.banner.notices)
    qtbot.waitUntil(lambda: pane.state.study is not None and pane.state.study.title == folder.name, timeout=30_000)
    assert pane.chooser.count() == 2 and pane.window().focusWidget() is pane.people.table
    assert not any(notice.what.startswith("Importing") for notice in pane.banner.notices)
    (person,) = pane.people._people
    assert person.participant.name == "Ben Example"
    assert [row.value for row in person.rows] == ([4.0, 2.5, 1.5] if kind == "released" else [])
    assert pane.state.store is not None and person.publications == 1
    (own,) = pane.state.store.profile(person.participant.id)
    assert own.paper.title == "What Ben Example wrote about bridges and tides"
    assert pane.project is not None
    pane.project.undo()
    assert pane.chooser.count() == 1


def test_a_folder_without_a_data_set_is_told(pane: SurveyPane, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "empty").mkdir()
    pane.import_data_set(tmp_path / "empty")
    qtbot.waitUntil(lambda: any("no OpenReview data set" in one.what for one in pane.banner.notices), timeout=30_000)
