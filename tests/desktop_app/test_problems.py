"""Two families of trouble: the world's speaks in a banner, ours makes a report; neither stops the work."""

from __future__ import annotations

import sys
import threading

from PySide6.QtCore import QCoreApplication, QPoint, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from desktop_app.headless import settle
from desktop_app.problems import Bug, BugReport, Problems, report_of
from desktop_app.widgets.banner import Banner, Notice, written_notice
from desktop_app.window import MainWindow
from desktop_app.writing import Written
from engine.errors import BadInput, Cancelled, EnvironmentProblem


def raised(error: BaseException) -> tuple[type[BaseException], BaseException, object]:
    try:
        raise error
    except BaseException as caught:
        return type(caught), caught, caught.__traceback__


def test_an_export_of_nothing_is_not_called_saved() -> None:
    nothing = written_notice("export", Written("folder", (), ()))
    assert nothing.what == "There was nothing to export, so no file was written." and not nothing.actions
    assert written_notice("export", Written("folder", ("a.csv",), ())).what == "Saved: a.csv."


def test_each_family_goes_its_way(qtbot: QtBot, expected_log: list[str]) -> None:
    expected_log.append("ZeroDivisionError")
    problems = Problems()
    with qtbot.waitSignal(problems.environment) as world:
        problems.caught(*raised(BadInput("The disk is full.")))  # type: ignore[arg-type]
    assert world.args[0].what == "The disk is full."
    with qtbot.waitSignal(problems.bug) as bug:
        problems.caught(*raised(ZeroDivisionError("by zero")))  # type: ignore[arg-type]
    assert "ZeroDivisionError" in bug.args[0].summary
    assert "by zero" in bug.args[0].details
    assert "PySide6" in bug.args[0].details


def test_cancelled_is_silent(qtbot: QtBot) -> None:
    problems = Problems()
    with qtbot.assertNotEmitted(problems.bug), qtbot.assertNotEmitted(problems.environment):
        problems.caught(*raised(Cancelled()))  # type: ignore[arg-type]


def test_the_hooks_are_taken_and_given_back(qapp: QApplication) -> None:
    before = (sys.excepthook, threading.excepthook)
    problems = Problems()
    problems.install()
    assert sys.excepthook == problems.caught
    assert threading.excepthook != before[1]
    problems.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_a_bug_on_a_thread_that_outlives_the_window_is_told_to_nobody(qtbot: QtBot) -> None:
    problems = Problems()
    hook = problems._caught_on_thread
    delete(problems)
    hook(threading.ExceptHookArgs((*raised(RuntimeError("late")), None)))  # type: ignore[arg-type]
    QCoreApplication.sendPostedEvents()


def test_a_bug_on_another_thread_is_told_on_the_gui_thread(qtbot: QtBot, expected_log: list[str]) -> None:
    expected_log.append("on a thread")
    problems = Problems()
    seen: list[threading.Thread] = []
    problems.bug.connect(lambda _bug: seen.append(threading.current_thread()))
    before = threading.excepthook
    threading.excepthook = problems._caught_on_thread

    def run() -> None:
        raise RuntimeError("on a thread")

    try:
        worker = threading.Thread(target=run)
        worker.start()
        worker.join()
    finally:
        threading.excepthook = before
    qtbot.waitUntil(lambda: len(seen) == 1)


def test_messages_of_qt_reach_the_log(qapp: QApplication, expected_log: list[str], caplog: object) -> None:
    from desktop_app.problems import _qt_message

    expected_log.append("a word of Qt's")

    class Context:
        category = "default"

    _qt_message(QtMsgType.QtWarningMsg, Context(), "a word of Qt's")  # type: ignore[arg-type]
    assert "a word of Qt's" in caplog.text  # type: ignore[attr-defined]
    assert qInstallMessageHandler is not None


def test_a_bug_in_the_window_shows_a_banner_and_a_report_to_copy(
    window: MainWindow, qtbot: QtBot, expected_log: list[str]
) -> None:
    expected_log.append("KeyError")
    window.problems.caught(*raised(KeyError("lost")))  # type: ignore[arg-type]
    notice = window.banner.notices[0]
    assert "KeyError" in notice.what
    assert QApplication.activeModalWidget() is None
    button = next(b for b in window.banner.findChildren(QPushButton) if b.text() == "Show report")
    button.click()
    report = window.findChild(BugReport)
    assert report is not None and report.isVisible() and not report.isModal()
    assert "lost" in report.details.toPlainText()
    report.copy.click()
    assert QGuiApplication.clipboard().text() == report.details.toPlainText()
    report.close()


def test_a_report_names_the_place_and_the_versions() -> None:
    bug = report_of(*raised(ValueError("x")))  # type: ignore[arg-type]
    assert isinstance(bug, Bug)
    assert "raised" in bug.summary
    assert "Python" in bug.details


def test_a_notice_of_the_same_subject_takes_the_place_of_the_old(qtbot: QtBot) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    banner.show_notice(Notice("disk", "The disk is full."))
    banner.show_notice(Notice("disk", "The disk is still full."))
    banner.show_notice(Notice("other", "Something else."))
    assert [n.what for n in banner.notices] == ["The disk is still full.", "Something else."]
    banner.dismiss("disk")
    banner.dismiss("other")
    assert banner.isHidden()


def test_the_button_of_a_notice_does_what_it_says(qtbot: QtBot) -> None:
    done: list[str] = []
    banner = Banner()
    qtbot.addWidget(banner)
    problem = EnvironmentProblem("The file is gone.", "Nothing is lost.", "Save a copy.")
    banner.show_notice(Notice.of(problem, "gone", ("Save a copy", lambda: done.append("saved"))))
    banner.findChild(QPushButton).click()  # type: ignore[union-attr]
    assert done == ["saved"]


def test_a_click_on_a_message_leaves_the_keyboard_in_the_pane(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("home")
    with qtbot.waitActive(window):
        window.activateWindow()
    window.banner.show_notice(Notice("disk", "The disk is full.", "Nothing is lost."))
    settle(window)
    before = window.focusWidget()
    words = next(one for one in window.banner.findChildren(QLabel) if one.isVisible() and "disk is full" in one.text())
    qtbot.mouseClick(words, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert before is not None and window.focusWidget() is before


def test_a_button_with_a_long_name_is_shortened_and_its_tooltip_has_all_of_it(qtbot: QtBot) -> None:
    name = "Somebody whose name is so long that two of them are wider than any window has room for"
    banner = Banner()
    qtbot.addWidget(banner)
    banner.show_notice(Notice("who", "Who are you?", actions=((name, lambda: None),)))
    button = next(one for one in banner.findChildren(QPushButton) if one.accessibleName() == name)
    assert button.text().endswith("…") and len(button.text()) <= 40 and button.toolTip() == name
