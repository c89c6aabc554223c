"""The window as a person uses it: closing, what it remembers, messages, keys."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton, QScrollArea, QSplitter, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.main import show_whole
from desktop_app.settings import WindowState
from desktop_app.theme import theme
from desktop_app.widgets.banner import Notice
from desktop_app.window import MainWindow
from engine.jobs import DuplicatePolicy, Report, Task
from engine.papers.store import PaperStore
from engine.project import Project


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


@dataclass(frozen=True)
class Nothing:
    pass


def endless(started: threading.Event) -> Task[None]:
    def run(report: Report) -> None:
        while True:
            started.set()
            report.check()
            threading.Event().wait(0.005)

    return Task("test.endless", "Read a long paper", run, DuplicatePolicy.AFTER)


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


@pytest.mark.parametrize("pane", ["rebuttal", "linking", "review"])
def test_sizes_and_paper_survive_a_killed_process(
    make_window: Callable[[], MainWindow], sample_path: Path, qtbot: QtBot, pane: str
) -> None:
    """The first window never closes; the second one is opened as the next process would."""
    with Project.open(sample_path) as project:
        second = PaperStore(project).add_paper("Another paper")
        first = PaperStore(project).papers()[0].id

    def sizes(window: MainWindow) -> list[list[int]]:
        settle(window)
        shown = [one for one in window.panes[pane].findChildren(QSplitter) if one.isVisible()]
        return [one.sizes()[:2] for one in shown]

    killed = make_window()
    killed.open_path(sample_path)
    killed.show_pane(pane)
    before = sizes(killed)
    for one in killed.panes[pane].findChildren(QSplitter):
        one.moveSplitter(one.sizes()[0] + 17, 1)
    kept = sizes(killed)
    assert kept != before
    for paper in (second, first):
        killed.papers.choose(paper)
        qtbot.waitUntil(lambda key=paper: key in WindowState(killed.state.path).path.read_text())
    after = make_window()
    killed.bridge.set_project(None)
    after.resume()
    assert after.pane is not None and after.pane.pane_id == pane
    assert after.papers.id == first
    assert sizes(after) == kept


@pytest.mark.parametrize("pane", ["linking", "rebuttal"])
def test_a_border_is_moved_by_keys_and_stays(window: MainWindow, sample_path: Path, qtbot: QtBot, pane: str) -> None:
    window.resize(1600, 900)
    window.open_path(sample_path)
    shown = window.show_pane(pane)
    settle(window)
    shown.take_focus()
    part = window.focusWidget()
    while part is not None and not isinstance(part.parentWidget(), QSplitter):
        part = part.parentWidget()
    assert part is not None
    parts = part.parentWidget()
    assert isinstance(parts, QSplitter)
    at, before = parts.indexOf(part), parts.sizes()
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_PageDown, alt)
    assert parts.sizes()[at] > before[at] and sum(parts.sizes()) == sum(before)
    assert window.state.bytes(parts.objectName()) == parts.saveState()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_PageUp, alt)
    assert parts.sizes() == before
    larger = "view.part_larger"
    assert window.commands.enabled(larger)
    others = [one for n in range(parts.count()) if n != at and (one := parts.widget(n)) is not None]
    for one in others:
        one.hide()
    assert not window.commands.enabled(larger), "there is no border"
    others[-1].show()
    settle(window)
    window.commands.run(larger)
    last = parts.indexOf(others[-1])
    assert parts.sizes()[last] > 0 and all(size == 0 for n, size in enumerate(parts.sizes()) if n not in (at, last))
    shown.setFocus()
    assert not window.commands.enabled(larger), "nothing in the pane has the keyboard"


def test_a_first_window_is_whole_on_a_small_screen(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    room = window.screen().availableSize()
    window.resize(room.width(), room.height() - 20)  # no room for the frame
    show_whole(window)
    assert window.isMaximized()
    window.showNormal()
    window.resize(room.width(), room.height() - 20)
    window.state.set_bytes("geometry", window.saveGeometry())
    show_whole(window)
    assert not window.isMaximized(), "it is as it was left"
    window.resize(room)  # what Qt makes of a window from a larger screen
    show_whole(window)
    assert window.isMaximized()


class Framed(QWidget):
    """What ``show_whole`` needs of a window, small enough for every screen."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.state = WindowState(folder / "window.json")
        self.setGeometry(10, 20, 300, 200)


def test_a_window_of_another_process_is_not_covered(qtbot: QtBot, tmp_path: Path) -> None:
    first, second = (Framed(tmp_path / "new") for _ in range(2))
    for window in (first, second):
        qtbot.addWidget(window)
    before = first.geometry()
    for window in (first, second, first):
        show_whole(cast(MainWindow, window))
    assert first.geometry() == before
    assert second.x() > first.x() and second.y() > first.y()
    room = second.screen().availableGeometry()
    second.move(room.bottomRight() - QPoint(305, 205))
    show_whole(cast(MainWindow, second))
    assert second.pos() == room.topLeft(), "it stays on the screen"
    (tmp_path / "file").write_text("")
    assert WindowState(tmp_path / "file" / "window.json").alone(), "nobody knows"


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


def test_keys_lead_to_the_buttons_of_a_message_and_back(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    window.open_path(project_path)
    window.show_pane("history")
    window.activateWindow()
    assert window.pane is not None and not window.commands.enabled("view.message")
    before, done = window.focusWidget(), list[str]()
    for key, kind in (("first", "note"), ("second", "attention")):
        window.pane.banner.show_notice(
            Notice(key, "Which do you want to keep?", kind=kind, actions=(("Keep it", lambda k=key: done.append(k)),))  # type: ignore[arg-type,misc]
        )
    window.run_command("view.message")
    button = window.focusWidget()
    assert isinstance(button, QPushButton) and button.text() == "Keep it"
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert done == ["second"], "the latest one"
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert window.focusWidget() is before, "nothing was lost on the way"
    for _ in range(2):
        qtbot.keyClick(before, Qt.Key.Key_Escape)
        assert [one.key for one in window.pane.banner.notices] == ["second"], (
            "the note is gone, not what needs attention"
        )


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


def test_a_message_does_not_cover_the_job_tray(window: MainWindow, qtbot: QtBot) -> None:
    window.tray.toggle()
    window.banner.show_notice(Notice("test", "Something happened.", "It means little.", "Go on."))
    qtbot.waitUntil(window.messages.isVisible)
    assert window.stack.rect().contains(window.tray.geometry())
    foot = window.tray.mapTo(window, window.tray.rect().bottomLeft()).y()
    assert foot <= window.messages.mapTo(window, QPoint()).y()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_message_leaves_jobs_device_and_network_in_sight(window: MainWindow, scale: float, qtbot: QtBot) -> None:
    theme().configure("light", scale)
    window.resize(1280, 800)
    status = window.status
    qtbot.waitUntil(lambda: status.device.text() in ("CPU", "GPU"))
    window.banner.show_notice(Notice("test", "Something happened.", "It means little.", kind="note"))
    qtbot.waitUntil(window.messages.isVisible)
    settle(window)
    covered = QRect(window.messages.mapTo(window, QPoint()), window.messages.size())
    for part in (status.jobs, status.device, status.network):
        assert part.width() > 0
        assert not covered.intersects(QRect(part.mapTo(window, QPoint()), part.size())), part.accessibleName()


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
    assert "couldn't be read" in window.banner.notices[0].what


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
    every = (window.side.menu_button, *window.side.buttons.values(), window.side.fold)

    def is_apart(height: int = 0) -> bool:
        buttons = [button for button in every if button.isVisible()]
        height = height or (window.side.height() - 24) // len(buttons) - 4
        apart = all(below.y() > above.geometry().bottom() for above, below in pairwise(buttons))
        return apart and {button.height() for button in buttons} == {height}

    theme().configure(zoom=2.0)
    qtbot.waitUntil(is_apart)
    theme().configure(zoom=1.0)
    qtbot.waitUntil(lambda: is_apart(32))


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_the_key_overview_is_never_cut_sideways(window: MainWindow, zoom: float) -> None:
    theme().configure(zoom=zoom)
    window.resize(1280, 800)
    window.show_pane("linking")
    window.toggle_keys()
    settle(window)
    (area,) = window.keys.findChildren(QScrollArea)
    content = area.widget()
    assert content is not None and content.width() <= area.viewport().width()


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


def test_a_question_mark_shows_the_keys_but_is_a_letter_in_a_field(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("history")
    qtbot.keyClick(window, Qt.Key.Key_Question)
    assert window.keys.isVisible()
    qtbot.keyClick(window.keys, Qt.Key.Key_Escape)
    window.focus_search()
    qtbot.keyClicks(window.header.search, "?")
    assert not window.keys.isVisible()
    assert window.header.search.text() == "?"


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


def test_large_text_in_a_narrow_window_leaves_the_side_bars_room_to_the_pane(window: MainWindow, qtbot: QtBot) -> None:
    assert window.side.words and window.commands.enabled("view.side_bar")
    wide = window.side.width()
    theme().configure("light", 1.5)
    assert not window.side.words and window.side.width() < wide and not window.side.fold.isVisible()
    assert not window.commands.enabled("view.side_bar"), "there is no room for names"
    window.resize(1600, 800)
    qtbot.waitUntil(lambda: window.side.words and window.side.fold.isVisible())
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: not window.side.words)
    theme().configure("light", 1.0)
    assert window.side.words and window.side.width() == wide
