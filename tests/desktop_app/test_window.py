"""The window as a person uses it: projects, undo, closing, and what it remembers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from desktop_app import project_control
from desktop_app.headless import settle
from desktop_app.regular_backups import is_due
from desktop_app.state import WindowState
from desktop_app.theme import theme
from desktop_app.widgets.banner import Banner, Notice
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from engine.jobs import DuplicatePolicy, Report, Task
from engine.project import DamagedProject, Project, backups
from tests.desktop_app.shell_helpers import do_acts, papers


def button(window: MainWindow, text: str) -> QPushButton:
    return next(b for b in window.banner.findChildren(QPushButton) if text in b.text())


def test_the_frame_says_where_one_is(window: MainWindow, project_path: Path) -> None:
    assert window.header.pane_title.text() == "Home"
    assert window.open_path(project_path)
    window.show_pane("history")
    assert window.header.pane_title.text() == "History"
    assert "deep-review" in window.header.project_title.text()
    assert "deep-review" in window.windowTitle()
    assert window.side.buttons["history"].isChecked()
    assert window.status.network.text() == "network: none"


def test_the_search_field_is_there_where_there_is_something_to_search(window: MainWindow, project_path: Path) -> None:
    window.show_pane("history")
    assert not window.header.search.isVisible() and not window.commands.enabled("edit.search")
    window.open_path(project_path)
    assert window.header.search.isVisible() and window.commands.enabled("edit.search")
    window.show_pane("home")
    assert not window.header.search.isVisible()


def test_the_device_is_found_without_torch(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.status.device.text() in ("CPU", "GPU"))
    assert window.status.device.toolTip()


def test_undo_and_redo_work_in_any_pane_and_say_what_they_will_do(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 2)
    assert window.commands.text("edit.undo") == "Undo “Add paper 1”"
    for pane in ("history", "home"):
        window.show_pane(pane)
        qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert papers(project) == 0
    assert not window.undoing.can("undo")
    assert window.commands.text("edit.redo") == "Redo “Add paper 0”"
    window.run_command("edit.redo")
    assert papers(project) == 1


def test_a_project_that_another_window_holds_says_who(
    make_window: Callable[[], MainWindow], project_path: Path, tmp_path: Path
) -> None:
    holder = Project.open(project_path, annotator="Grace")
    window = make_window()
    assert window.open_path(project_path)
    notice = window.banner.notices[0]
    assert "read-only" in notice.what
    assert "has had it open" in notice.means
    assert "read only" in window.header.project_title.text()
    assert not window.undoing.can("undo")
    assert window.control.save_copy(tmp_path / "mine")
    assert window.bridge.project is not None and not window.bridge.project.read_only
    assert window.banner.notices == []
    holder.close()


def test_a_damaged_project_offers_the_last_good_backup_and_keeps_the_damaged_file(
    window: MainWindow, project_path: Path
) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 3)
        project.back_up()
    damaged = project_path.read_bytes()[:200] + bytes(5000)
    project_path.write_bytes(damaged)
    assert not window.open_path(project_path)
    assert window.banner.notices[0].kind == "problem"
    button(window, "Restore backup").click()
    assert window.bridge.project is not None
    assert papers(window.bridge.project) == 3
    kept = next(project_path.parent.glob("*.replaced-*"))
    assert kept.read_bytes() == damaged
    assert kept.name in window.banner.notices[0].what


def test_a_damaged_project_without_a_backup_says_so(window: MainWindow, project_path: Path) -> None:
    project_path.write_bytes(project_path.read_bytes()[:200] + bytes(5000))
    assert not window.open_path(project_path)
    assert "No backup" in window.banner.notices[0].do


def test_a_removed_project_offers_its_backup(window: MainWindow, project_path: Path) -> None:
    with Project.open(project_path) as project:
        do_acts(project, 2)
        project.back_up()
    for file in project_path.parent.glob("deep-review.rejoinder*"):
        file.unlink()
    assert not window.open_path(project_path)
    button(window, "Restore backup").click()
    assert window.bridge.project is not None and papers(window.bridge.project) == 2


@pytest.mark.parametrize("content", [b"", b"%PDF-1.5 not a project", b"\x00" * 40])
def test_a_file_that_is_no_project_is_told_and_left_alone(window: MainWindow, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.rejoinder"
    path.write_bytes(content)
    assert not window.open_path(path)
    assert len(window.banner.notices) == 1
    assert path.read_bytes() == content


def test_nothing_is_overwritten_by_a_new_project(window: MainWindow, project_path: Path) -> None:
    before = project_path.read_bytes()
    assert not window.control.create(project_path)
    assert "already exists" in window.banner.notices[0].what
    assert project_path.read_bytes() == before


def test_a_recent_project_that_is_gone_can_be_forgotten(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    window.control.close()
    for file in project_path.parent.glob("deep-review.rejoinder*"):
        file.unlink()
    assert not window.open_path(project_path)
    button(window, "Remove from recent").click()
    assert window.state.recent == []
    assert window.banner.notices == []


@pytest.mark.filterwarnings("ignore:.*QDragEnterEvent.*:DeprecationWarning")  # 6.12 would rather have a QPointF
def test_a_dropped_project_opens(window: MainWindow, project_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(project_path))])
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, drop)
    assert window.bridge.project is not None and window.bridge.project.path == project_path


@pytest.mark.filterwarnings("ignore:.*QDragEnterEvent.*:DeprecationWarning")  # 6.12 would rather have a QPointF
def test_other_dropped_files_are_not_taken(window: MainWindow, tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "x.txt"))])
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


@dataclass(frozen=True)
class Nothing:
    pass


def endless(started: threading.Event) -> Task[Nothing, None]:
    def run(_params: Nothing, report: Report) -> None:
        while True:
            started.set()
            report.check()
            threading.Event().wait(0.005)

    return Task("test.endless", "Read a long paper", run, Nothing(), DuplicatePolicy.AFTER)


def test_closing_asks_about_running_work_and_lists_it(window: MainWindow, qtbot: QtBot) -> None:
    started = threading.Event()
    window.bridge.submit(endless(started), window)
    assert started.wait(5)
    assert not window.close()
    box = window.findChild(QMessageBox)
    assert box is not None and "Read a long paper" in box.informativeText()
    stay = next(b for b in box.buttons() if "Keep" in b.text())
    stay.click()
    assert window.isVisible() and window.bridge.engine.busy()
    assert not window.close()
    box = window._asking
    assert box is not None
    next(b for b in box.buttons() if "Stop" in b.text()).click()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not window.bridge.engine.busy()


def test_jobs_show_in_the_tray_and_the_status_bar(window: MainWindow, qtbot: QtBot) -> None:
    started = threading.Event()
    job = window.bridge.submit(endless(started), window)
    qtbot.waitUntil(lambda: window.status.jobs.text().startswith("1 job "))
    window.run_command("view.jobs")
    assert window.tray.isVisible()
    window.tray.cancel_wanted.emit(job.id)
    qtbot.waitUntil(lambda: window.status.jobs.text() == "no jobs", timeout=1000)


def test_the_window_comes_back_as_it_was(make_window: Callable[[], MainWindow], project_path: Path) -> None:
    first = make_window()
    first.open_path(project_path)
    first.show_pane("history")
    first.resize(1100, 700)
    first.commands.remap("view.side_bar", "Ctrl+Shift+B")
    first.settings.set("appearance.scheme", "dark")
    first.close()
    second = make_window()
    second.resume()
    assert second.bridge.project is not None and second.bridge.project.path == project_path
    assert second.pane is not None and second.pane.pane_id == "history"
    assert second.commands.shortcut("view.side_bar") == "Ctrl+Shift+B"
    assert theme().tokens.scheme == "dark"


def test_size_pane_and_project_are_remembered_before_the_window_closes(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    window.show_pane("history")
    window.resize(1111, 702)

    def kept() -> WindowState:
        return WindowState(window.state.path)

    qtbot.waitUntil(lambda: kept().text("pane") == "history" and kept().text("project") == str(project_path))
    assert kept().bytes("geometry") == window.saveGeometry()


def test_a_message_moves_nothing_on_the_page(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    pane = window.show_pane("home")
    window.banner.clear()
    settle(window)
    first = next(b for b in pane.findChildren(QAbstractButton) if b.isVisible())
    before = first.mapToGlobal(QPoint())

    def shown(banner: Banner) -> None:
        banner.show_notice(Notice("test", "Something happened.", "It means little.", "Go on."))
        qtbot.waitUntil(lambda: banner.isVisible() and banner.height() > 20)
        assert first.mapToGlobal(QPoint()) == before

    shown(window.banner)
    shown(pane.banner)


def test_buttons_of_a_message_leave_its_words_room(window: MainWindow, qtbot: QtBot) -> None:
    answers = tuple((name, int) for name in ("Sample annotator", "Second reader", "Somebody"))
    window.banner.show_notice(Notice("test", "You haven't worked on this project yet. Who are you?", actions=answers))
    words = next(label for label in window.banner.findChildren(QLabel) if "Who are you" in label.text())
    first = next(button for button in window.banner.findChildren(QPushButton) if button.text() == answers[0][0])

    def below() -> bool:
        return first.mapToGlobal(QPoint()).y() >= words.mapToGlobal(QPoint(0, words.height())).y()

    settle(window)
    assert not below()
    theme().configure("light", 2.0)
    qtbot.waitUntil(below)
    theme().configure("light", 1.0)
    qtbot.waitUntil(lambda: not below())


def test_a_message_that_goes_returns_the_keyboard_to_the_pane(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    pane = window.show_pane("history")
    with qtbot.waitActive(window):
        window.activateWindow()
    held = window.focusWidget()
    for banner in (window.banner, pane.banner):
        act = ("Do it", partial(banner.dismiss, "test"))
        banner.show_notice(Notice("test", "Something happened.", actions=(act,)))
        does = next(button for button in banner.findChildren(QPushButton) if button.text() == "Do it")
        does.setFocus()
        assert window.focusWidget() is does
        does.click()
        assert window.focusWidget() is held
        window.header.settings_button.setFocus()
        banner.show_notice(Notice("test", "Something else happened."))
        banner.dismiss("test")
        assert window.focusWidget() is window.header.settings_button, "it had not been in the message"


def test_escape_closes_the_job_tray_and_returns_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    held = window.focusWidget()
    window.tray.toggle()
    assert window.tray.isVisible() and window.focusWidget() is window.tray
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not window.tray.isVisible() and window.focusWidget() is held
    window.tray.toggle()
    window.header.settings_button.setFocus()
    window.tray.toggle()
    assert not window.tray.isVisible() and window.focusWidget() is window.header.settings_button, "it was used since"


def test_the_pane_shown_at_the_start_gets_the_keyboard(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    pane = window.show_pane("calibration")
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    held = window.focusWidget()
    assert held is not None and pane.isAncestorOf(held)
    window.header.settings_button.setFocus()
    window.hide()
    window.show()
    assert window.focusWidget() is window.header.settings_button, "what has the keyboard keeps it"


def test_a_message_does_not_cut_off_the_job_tray(window: MainWindow, qtbot: QtBot) -> None:
    window.tray.toggle()
    before = window.stack.height()
    window.banner.show_notice(Notice("test", "Something happened.", "It means little.", "Go on."))
    qtbot.waitUntil(lambda: window.stack.height() < before)
    assert window.stack.rect().contains(window.tray.geometry())


def test_the_last_project_stays_closed_if_the_person_wants_that(
    make_window: Callable[[], MainWindow], project_path: Path
) -> None:
    first = make_window()
    first.open_path(project_path)
    first.settings.set("work.reopen_last", False)
    first.close()
    second = make_window()
    second.resume()
    assert second.bridge.project is None


def test_an_unreadable_settings_file_is_told_in_the_banner(
    make_window: Callable[[], MainWindow], own_home: Path
) -> None:
    (own_home / "config").mkdir()
    (own_home / "config" / "settings.json").write_text("{")
    window = make_window()
    assert "could not be read" in window.banner.notices[0].what


def test_zoom_and_scheme_by_command(window: MainWindow, qtbot: QtBot) -> None:
    before = window.side.width()
    qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert theme().zoom == 1.1
    assert window.side.width() > before
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert theme().zoom == 1.0
    window.run_command("view.scheme")
    assert theme().tokens.scheme == "dark"
    assert window.settings.text("appearance.scheme") == "dark"


def test_the_side_bar_collapses_to_icons_with_tooltips(window: MainWindow) -> None:
    window.run_command("view.side_bar")
    assert window.side.width() == 44
    assert window.side.buttons["home"].toolTip().startswith("Go to Home")
    window.run_command("view.side_bar")
    assert window.side.width() > 100


def test_buttons_of_the_side_bar_never_lie_over_each_other(window: MainWindow, qtbot: QtBot) -> None:
    buttons = (window.side.menu_button, *window.side.buttons.values(), window.side.fold)

    def is_apart(height: int) -> bool:
        apart = all(below.y() > above.geometry().bottom() for above, below in pairwise(buttons))
        return apart and {button.height() for button in buttons} == {height}

    theme().configure(zoom=2.0)
    qtbot.waitUntil(lambda: is_apart((window.side.height() - 24) // len(buttons) - 4))
    theme().configure(zoom=1.0)
    qtbot.waitUntil(lambda: is_apart(32))


def test_the_key_overview_lists_keys_and_closes_by_escape(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window, "?")
    assert window.keys.isVisible()
    qtbot.keyClick(window.keys, Qt.Key.Key_Escape)
    assert not window.keys.isVisible()


def test_space_presses_a_focused_button_even_where_a_pane_uses_space(window: MainWindow, qtbot: QtBot) -> None:
    from desktop_app.commands import ActionBinder, Command

    ran: list[str] = []
    window.commands.register(
        [Command("home.next", "Next", "Goes on to the next.", lambda _: ran.append("next"), "Space", scope="home")]
    )
    assert any(isinstance(child, ActionBinder) for child in window.panes["home"].children())
    press = next(b for b in window.panes["home"].findChildren(QPushButton) if b.isEnabled())
    press.clicked.disconnect()
    clicked: list[bool] = []
    press.clicked.connect(lambda _checked=False: clicked.append(True))
    press.setFocus()
    qtbot.keyClick(press, Qt.Key.Key_Space)
    assert ran == [] and len(clicked) == 1


def test_the_sample_opens_as_a_copy(
    window: MainWindow, project_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    monkeypatch.setattr(project_control, "SAMPLES", project_path.parent)
    shipped = project_path.read_bytes()
    assert window.control.open_sample()
    project = window.bridge.project
    assert project is not None and project.path.is_relative_to(own_home)
    do_acts(project, 1)
    window.control.close()
    assert project_path.read_bytes() == shipped
    assert window.state.recent == []
    assert window.control.open_sample()
    assert window.bridge.project is not None and papers(window.bridge.project) == 1


def test_backing_up_and_checking_run_as_jobs_and_report(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.run_command("project.backup")
    qtbot.waitUntil(lambda: "Backed up" in window.status.words.text())
    window.run_command("project.check")
    qtbot.waitUntil(lambda: "No problems found" in window.status.words.text())


def test_a_project_backs_itself_up_when_something_was_done(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    window.backups.back_up_if_due()
    assert not window.bridge.engine.busy() and backups(project_path) == ()
    do_acts(project, 1)
    window.backups.back_up_if_due()
    qtbot.waitUntil(lambda: len(backups(project_path)) == 1 and not window.bridge.engine.busy())
    assert not is_due(project)
    do_acts(project, 1)
    assert is_due(project)


def test_a_file_that_vanishes_while_open_can_be_saved_as_a_copy(
    window: MainWindow, project_path: Path, tmp_path: Path
) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 2)
    project_path.rename(tmp_path / "elsewhere.rejoinder")
    with pytest.raises(EnvironmentProblem) as caught:
        do_acts(project, 1)
    window.show_problem(caught.value)
    assert button(window, "Save a copy").isEnabled()
    assert window.control.save_copy(tmp_path / "rescued.rejoinder")
    assert window.bridge.project is not None and papers(window.bridge.project) == 2


def test_damage_found_while_open_offers_the_backup(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    do_acts(project, 1)
    project.back_up()
    do_acts(project, 1)
    window.show_problem(DamagedProject("The file is damaged.", "Part of it cannot be read."))
    button(window, "Restore backup").click()
    assert window.bridge.project is not None and papers(window.bridge.project) == 1


def test_a_question_mark_shows_the_keys_but_is_a_letter_in_a_field(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("history")
    qtbot.keyClick(window, Qt.Key.Key_Question)
    assert window.keys.isVisible()
    qtbot.keyClick(window.keys, Qt.Key.Key_Escape)
    window.focus_search()
    qtbot.keyClicks(window.header.search, "?")
    assert not window.keys.isVisible()
    assert window.header.search.text() == "?"


def test_a_new_name_acts_from_now_on(window: MainWindow, project_path: Path) -> None:
    window.open_path(project_path)
    project = window.bridge.project
    assert project is not None
    window.settings.set("annotator.name", "Grace")
    do_acts(project, 1)
    assert project.history()[0].annotator == "Grace"


def test_who_acts_is_asked_once_for_each_project_and_opening_writes_nothing(
    make_window: Callable[[], MainWindow], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.rejoinder" for name in ("one", "two")]
    for path in paths:
        with Project.create(path, path.stem, "Ada") as project:
            do_acts(project, 1)
            project.set_annotator("Bo")
            do_acts(project, 1)
    before = [path.read_bytes() for path in paths]
    window = make_window()
    window.settings.set("annotator.name", "Cy")
    assert window.open_path(paths[0])
    (notice,) = window.banner.notices
    assert "Who are you?" in notice.what and [words for words, _ in notice.actions] == ["Ada", "Bo", "Cy"]
    dict(notice.actions)["Bo"]()
    assert not window.banner.notices and acting(window) == "Bo"
    assert window.open_path(paths[1])
    assert acting(window) == "Cy" and window.banner.notices, "who acts in one project says nothing of another"
    assert window.open_path(paths[0])
    assert acting(window) == "Bo" and not window.banner.notices
    window.control.close()
    assert [path.read_bytes() for path in paths] == before
    window.settings.set("annotator.name", "Ada")
    assert window.open_path(paths[1])
    assert acting(window) == "Ada" and not window.banner.notices


def acting(window: MainWindow) -> str:
    project = window.bridge.project
    assert project is not None
    return dict(project.annotators())[project.annotator_id]


def test_the_tray_and_palette_stay_inside_when_the_window_shrinks(window: MainWindow, qtbot: QtBot) -> None:
    window.tray.toggle()
    window.open_palette()
    window.resize(960, 560)
    qtbot.waitUntil(lambda: window.width() == 960)
    centre = window.centralWidget().rect()
    assert centre.contains(window.palette_view.geometry())
    assert window.stack.rect().contains(window.tray.geometry())
    window.palette_view.leave()
    assert window.event(QEvent(QEvent.Type.None_)) is False
