"""Home, History and Settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QLineEdit, QPushButton, QTabBar
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.panes.base import Pane
from desktop_app.panes.history.pane import HistoryPane
from desktop_app.panes.home.left_to_do import left_to_do
from desktop_app.panes.home.pane import HomePane
from desktop_app.panes.settings.pane import SettingsPane
from desktop_app.settings import SPEC
from desktop_app.theme import DARK, theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fetcher import Fetcher
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.window import MainWindow
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.documents.store import DocumentStore
from engine.expertise.records import SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.lock import user
from engine.rebuttal.records import Point
from engine.rebuttal.store import RebuttalStore
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.store import ReviewStore
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.shell_helpers import do_acts, papers
from tests.engine.reviews.made_review import review


class TestHome(PaneCases):
    pane_id = "home"


class TestHistory(PaneCases):
    pane_id = "history"
    huge = 600

    def fill(self, project: Project, count: int) -> None:
        do_acts(project, count)


class TestSettings(PaneCases):
    pane_id = "settings"


def test_the_list_of_panes_is_true() -> None:
    assert len({spec.id for spec in PANES}) == len(PANES)
    for spec in PANES:
        pane = spec.load()
        assert issubclass(pane, Pane)
        assert pane.pane_id == spec.id


def test_every_control_of_the_window_has_a_name(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    for spec in PANES:
        window.stack.load(spec.id)
    window.open_palette()
    window.toggle_keys()
    window.tray.toggle()
    assert_named(window)


def home(window: MainWindow) -> HomePane:
    pane = window.panes["home"]
    assert isinstance(pane, HomePane)
    return pane


def test_home_opens_a_recent_project(window: MainWindow, project_path: Path, tmp_path: Path) -> None:
    window.open_path(project_path)
    window.control.create(tmp_path / "second", "A second paper")
    recent = home(window).recent
    assert [title for _, title, _, _ in recent.records] == ["A second paper", "deep-review"]
    assert str(tmp_path / "second.rejoinder") in recent.records[0][2]
    assert recent.key == str(tmp_path / "second.rejoinder"), "the open project is selected"
    recent.select_row(1)
    home(window).refresh()
    assert recent.key == str(project_path), "until another is"
    QTest.keyClick(recent, Qt.Key.Key_Return)
    assert window.bridge.project is not None and window.bridge.project.path == project_path


def test_a_double_click_opens_the_recent_project_under_it_only(
    window: MainWindow, project_path: Path, tmp_path: Path
) -> None:
    """The first click opens it and moves it to the top, so that another project is under the pointer."""
    window.open_path(project_path)
    window.control.create(tmp_path / "second", "A second paper")
    window.show()
    recent = home(window).recent
    place = recent.visualRect(recent.model().index(1, 0)).center()
    QTest.mouseClick(recent.viewport(), Qt.MouseButton.LeftButton, pos=place)
    left, at = Qt.MouseButton.LeftButton, (QPointF(place), QPointF(recent.viewport().mapToGlobal(place)))
    for kind in (QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease):
        QApplication.sendEvent(recent.viewport(), QMouseEvent(kind, *at, left, left, Qt.KeyboardModifier.NoModifier))
    assert window.bridge.project is not None and window.bridge.project.path == project_path


def test_home_says_when_an_open_project_was_changed(window: MainWindow, project_path: Path, tmp_path: Path) -> None:
    """SQLite writes changes into the project file itself only later."""
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    with project.action("Add"):
        PaperStore(project).add_paper("A paper")
    os.utime(project_path, (0, 0))
    home(window).refresh()
    assert "Changed" in home(window).recent.records[0][2] and "1970" not in home(window).recent.records[0][2]


def test_home_asks_for_a_comparison_of_versions_that_are_there(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    store = PaperStore(project)
    with project.action("Add versions"):
        ReviewStore(project).import_bundle(review(3), "review.txt")
        paper = store.add_paper("A paper")
        for label in (SUBMITTED, REVISED):
            assert left_to_do(project)[0].words == "Import and compare two versions of the paper"
            document = DocumentStore(project).add_document(f"%PDF-1.4 {label}".encode(), f"{label}.pdf")
            store.add_version(paper, document, label)
    assert left_to_do(project)[0].words == "Compare the two versions of the paper"


def test_home_says_what_is_left_to_do_and_follows_changes(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    assert not left_to_do(project)
    words = lambda: [one.text() for one in home(window).findChildren(QLabel) if one.isVisible()]  # noqa: E731
    qtbot.waitUntil(lambda: any("Choose what you want" in one for one in words()))
    assert home(window).status_text == "The project is empty"
    ReviewStore(project).import_bundle(review(3), "review.txt")
    assert [(left.count, left.words) for left in left_to_do(project)][1] == (0, "3 comments imported")
    ways = lambda: [b for b in home(window).findChildren(QPushButton) if b.text() == "Linking"]  # noqa: E731
    qtbot.waitUntil(lambda: sum(b.isVisible() for b in ways()) == 1)
    assert home(window).status_text == "1 thing left to do"
    assert not any("Choose what you want" in one for one in words())
    project.undo()
    assert home(window).status_text == "The project is empty"


def test_home_reads_only_while_it_is_shown(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    """Its imports would take as long again from the first display of a pane that is shown at once."""
    window.open_path(project_path)
    window.show_pane("history")
    settle(window)
    assert home(window).status_text == "" and not home(window).findChild(Fetcher).busy
    window.show_pane("home")
    assert home(window).findChild(Fetcher).busy
    qtbot.waitUntil(lambda: home(window).status_text == "The project is empty")


def test_home_leads_to_every_job(window: MainWindow) -> None:
    jobs = home(window).jobs
    wanted = [spec.title for spec in PANES if spec.id != "home" and not spec.below]
    assert [title for _, title, _, _ in jobs.records] == wanted
    place = jobs.visualRect(jobs.model().index(wanted.index("Calibration"), 0)).center()
    QTest.mouseClick(jobs.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.panes["calibration"].isVisible()


def test_home_uses_the_room_that_there_is(window: MainWindow, qtbot: QtBot) -> None:
    home = window.show_pane("home")
    assert isinstance(home, HomePane)
    window.resize(1920, 1200)
    qtbot.waitUntil(lambda: home.jobs.verticalScrollBar().maximum() == 0)
    before = home.jobs.size()
    theme().configure(zoom=1.5)
    qtbot.waitUntil(lambda: home.jobs.height() > 1.2 * before.height() and home.jobs.width() > 1.3 * before.width())


def test_large_text_leaves_recent_projects_whole(window: MainWindow, tmp_path: Path) -> None:
    """Two projects had the room of one and a half, with a scroll bar."""
    window.resize(1280, 800)
    theme().configure(zoom=1.5)
    for name in ("One", "Two", "Three"):
        window.control.create(tmp_path / f"{name}.rejoinder", name)
    recent = home(window).recent
    settle(window)
    assert recent.model().rowCount() == 3 and recent.verticalScrollBar().maximum() == 0


def test_home_counts_other_jobs_once_they_were_begun(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    store = ReviewStore(project)
    store.import_bundle(review(3), "review.txt")
    first = store.comments(actionable=True)[0]
    rebuttals = RebuttalStore(project)
    rebuttals.write(None, Point("reply", first.id), "  ")
    assert {left.pane for left in left_to_do(project)} == {"linking"}, "blanks are no reply"
    rebuttals.write(None, rebuttals.replies()[first.id], "We thank the reviewer.")
    heard = [(left.count, left.words) for left in left_to_do(project) if left.pane == "rebuttal"]
    assert heard == [(2, "2 comments without a finished response")]


def test_home_fits_a_survey_a_table_of_scores_or_a_review(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    surveys = SurveyStore(project)
    study = surveys.add_study(new_study("Who knows what?", key="one"))

    def heard() -> list[tuple[str, int, str]]:
        return [(left.pane, left.count, left.words) for left in left_to_do(project)]

    assert heard() == [("survey", 1, "Send “Who knows what?” to participants and merge their answers")]
    surveys.add_participant(study, SurveyParticipant("", "", "b", "Ben"))
    assert heard() == [("survey", 0, "“Who knows what?”: answers of 1 participant merged")]
    scores = CalibrationStore(project)
    table = scores.add_table(
        "Spring", [ScoreRow("A", "Rita", 3.0, 1.0), ScoreRow("B", "Rita", 4.0, 1.0)], origin="import:s.csv"
    )
    assert heard()[1:] == [("calibration", 1, "“Spring”: choose a cut-off")]
    scores.set_cutoff(table, 1)
    assert heard()[1:] == [("calibration", 0, "“Spring”: a cut-off after 1 item")]
    drafts = ReviewDraftStore(project)
    draft = drafts.begin_draft(DocumentStore(project).add_document(b"%PDF-1.7 x", "a.pdf", pages=1), "A paper", "iclr")
    empty = heard()[2][1]
    assert empty > 1 and heard()[2][2] == f"“A paper”: {empty} fields are empty"
    drafts.set_field(draft.id, "summary", "It counts bicycles.")
    assert heard()[2][1] == empty - 1, "papers to compare are nobody's wish here"


def history(window: MainWindow) -> HistoryPane:
    window.show_pane("history")
    pane = window.panes["history"]
    assert isinstance(pane, HistoryPane)
    return pane


def test_history_shows_what_when_who_newest_first(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 3)
    pane = history(window)
    first = [pane.shown.index(0, column).data() for column in range(4)]
    assert first[0] == "Add paper 2"
    assert first[1].split()[0].isdigit() and ":" in first[1]
    assert first[2]
    assert first[3] == ""


def test_history_goes_back_and_forth_by_double_click_and_key(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 5)
    pane = history(window)
    pane.table.setCurrentIndex(pane.shown.index(3, 0))
    pane.table.doubleClicked.emit(pane.shown.index(3, 0))
    assert papers(project) == 2
    assert [pane.shown.index(row, 3).data() for row in range(5)] == ["undone", "undone", "undone", "", ""]
    muted = theme().colour("muted")
    assert pane.shown.index(0, 0).data(Qt.ItemDataRole.ForegroundRole) == muted
    assert pane.chosen() is not None and pane.chosen().title == "Add paper 1"  # type: ignore[union-attr]
    pane.table.selectRow(0)
    pane.take_focus()
    qtbot.keyClick(pane.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert papers(project) == 5
    assert pane.status_text == "5 steps done"


def test_history_goes_back_to_the_beginning_and_forth_again(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 4)
    pane = history(window)
    window.run_command("history.go_to_start")
    assert papers(project) == 0
    assert not window.commands.enabled("history.go_to_start")
    pane.table.selectRow(0)
    window.run_command("history.go_to")
    assert papers(project) == 4


def test_an_act_that_was_replaced_cannot_be_reached_and_says_so(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 2)
    project.undo()
    do_acts(project, 1, "Another {}")
    pane = history(window)
    titles = [pane.shown.index(row, 0).data() for row in range(3)]
    pane.table.selectRow(titles.index("Add paper 1"))
    assert "replaced" in pane.shown.index(titles.index("Add paper 1"), 3).data()
    assert not window.commands.enabled("history.go_to")


def test_history_filters_and_keeps_its_place(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 30)
    pane = history(window)
    pane.table.selectRow(17)
    chosen = pane.chosen()
    do_acts(project, 1, "New {}")
    assert pane.chosen() == chosen
    qtbot.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.header.search.hasFocus()
    qtbot.keyClicks(window.header.search, "paper 1")
    assert pane.shown.rowCount() == 11
    qtbot.keyClick(window.header.search, Qt.Key.Key_Escape)
    assert pane.shown.rowCount() == 31


def test_history_reads_older_acts_as_one_scrolls(window: MainWindow, project_path: Path) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 450)
    window.open_path(project_path)
    pane = history(window)
    assert pane.model.rowCount() == 200
    while pane.model.canFetchMore(pane.table.rootIndex()):
        pane.model.fetchMore(pane.table.rootIndex())
    assert pane.model.rowCount() == 450 and pane.status_text == "450 steps done"
    assert pane.model.entries[-1].title == "Add paper 0"


@pytest.mark.parametrize(("acts", "words"), [(200, "200 steps done"), (201, "more than 200 steps")])
def test_history_says_more_than_only_of_what_is_more(
    window: MainWindow, project_path: Path, acts: int, words: str
) -> None:
    with Project.open(project_path) as project:
        do_acts(project, acts)
    window.open_path(project_path)
    assert history(window).status_text == words


def settings_pane(window: MainWindow) -> SettingsPane:
    window.show_pane("settings")
    pane = window.panes["settings"]
    assert isinstance(pane, SettingsPane)
    return pane


def test_every_setting_has_a_control_that_sets_it_and_follows_it(window: MainWindow) -> None:
    pane = settings_pane(window)
    assert set(pane.controls) == {setting.name for setting in SPEC}
    scheme = pane.controls["appearance.scheme"]
    assert isinstance(scheme, QComboBox)
    scheme.setCurrentIndex(scheme.findData("dark"))
    assert theme().tokens is DARK
    window.settings.set("appearance.scheme", "light")
    assert scheme.currentData() == "light"
    words = pane.controls["appearance.side_bar_words"]
    assert isinstance(words, QCheckBox)
    words.click()
    assert not window.side.words


def test_the_name_is_set_when_the_field_is_left(window: MainWindow, qtbot: QtBot) -> None:
    pane = settings_pane(window)
    field = pane.controls["annotator.name"]
    assert isinstance(field, QLineEdit)
    assert field.placeholderText() == user(), "who decides without a name"
    field.setFocus()
    qtbot.keyClicks(field, " Ada ")
    pane.tabs.tabBar().setFocus()
    assert window.settings.text("annotator.name") == "Ada"


def test_keys_are_changed_refused_and_set_back_in_the_editor(window: MainWindow, qtbot: QtBot) -> None:
    pane = settings_pane(window)
    editor = pane.shortcuts
    pane.tabs.setCurrentWidget(editor)
    assert editor.choose("view.side_bar")
    editor.edit.setKeySequence("Ctrl+K")
    editor.apply.click()
    assert "Command palette" in editor.message.text()
    assert window.commands.shortcut("view.side_bar") == "Ctrl+B"
    editor.edit.setKeySequence("Ctrl+Alt+B")
    editor.apply.click()
    assert window.commands.shortcut("view.side_bar") == "Ctrl+Alt+B"
    chosen = editor.chosen()
    assert chosen is not None and chosen.id == "view.side_bar"
    editor.remove.click()
    assert window.commands.shortcut("view.side_bar") == ""
    editor.reset.click()
    assert window.commands.shortcut("view.side_bar") == "Ctrl+B"
    assert not editor.reset.isEnabled()


def test_a_text_size_is_chosen_from_a_list(window: MainWindow) -> None:
    """Buttons for steps moved away from under the mouse at each click."""
    pane = settings_pane(window)
    window.settings.set("appearance.zoom", 1.2)
    settle(window)
    control = pane.controls["appearance.zoom"]
    assert isinstance(control, ChoiceBox) and control.currentText() == "120 %", "a size of its own stays"
    control.setCurrentIndex(control.findText("150 %"))
    assert window.settings.number("appearance.zoom") == 1.5


def test_the_search_of_settings_finds_keys(window: MainWindow) -> None:
    pane = settings_pane(window)
    window.header.search.setText("palette")
    assert pane.tabs.currentWidget() is pane.shortcuts
    assert pane.shortcuts.choose("view.palette")
    assert not pane.shortcuts.choose("app.quit")
    tree = pane.shortcuts.tree
    groups = [tree.topLevelItem(at) for at in range(tree.topLevelItemCount())]
    rows = [group.child(at) for group in groups for at in range(group.childCount())]
    shown = [row.text(0) for row in rows if not row.isHidden()]
    assert shown
    assert len(shown) < len(rows)
    assert all("palette" in " ".join(row.text(at) for at in range(3)).casefold() for row in rows if not row.isHidden())
    for group in groups:
        assert group.isHidden() == all(group.child(at).isHidden() for at in range(group.childCount()))
    QTest.keyClick(window.header.search, Qt.Key.Key_Return)
    first = pane.shortcuts.chosen()
    assert first is not None and first.title == shown[0] and pane.shortcuts.edit.isEnabled()
    assert window.focusWidget() is tree
    window.header.search.setText("no command says this")
    assert pane.shortcuts.chosen() is None
    assert not pane.shortcuts.apply.isEnabled()
    window.header.search.clear()
    assert pane.shortcuts.choose("app.quit")
    for at in (0, 1):  # no name and no key is cut
        assert tree.columnWidth(at) >= tree.sizeHintForColumn(at)


@pytest.mark.parametrize("pane_id", ["survey", "expertise", "calibration", "agreement", "analysis", "linking"])
def test_the_first_step_of_an_empty_pane_has_the_keyboard(window: MainWindow, project_path: Path, pane_id: str) -> None:
    window.activateWindow()
    window.open_path(project_path)
    pane = window.show_pane(pane_id)
    step = next(one for one in pane.findChildren(CommandButton) if one.isVisible())
    assert window.focusWidget() is step and step.property("role") == "primary"
    pane.mark_dirty()
    again = next(one for one in pane.findChildren(CommandButton) if one.isVisible())
    assert window.focusWidget() is again is not step, "also when the page is made again"


def test_a_pane_that_is_no_longer_empty_takes_the_keyboard(window: MainWindow, project_path: Path) -> None:
    window.activateWindow()
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    pane = window.show_pane("survey")
    SurveyStore(project).add_study(new_study("Who knows what?", key="one"))
    focus = window.focusWidget()
    assert isinstance(focus, QTabBar) and pane.isAncestorOf(focus)


def test_a_pane_shrinks_before_it_scrolls(window: MainWindow, project_path: Path) -> None:
    """Texts that can be lower are, where the pane's buttons could take more lines."""
    with Project.open(project_path) as project:
        SurveyStore(project).add_study(new_study("Who knows what?", key="one"))
    window.resize(1280, 700)
    window.open_path(project_path)
    pane = window.show_pane("survey")
    settle(window)
    assert pane._area.verticalScrollBar().maximum() == 0
