"""What the mouse and the keyboard do alike in every pane: the wheel, Tab, the side bar, keys of a pane while one
searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes import PANES
from desktop_app.panes.linking.pane import LinkingPane
from desktop_app.panes.rebuttal.choices import SEND
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.panes.survey.pane import SurveyPane
from desktop_app.widgets.fields import CommittingLineEdit, CommittingTextEdit
from desktop_app.window import MainWindow
from tests.desktop_app.looks import spoken, views
from tests.desktop_app.pane_cases import CONTROLS

WHILE_WRITING = {"Show place"}
"""Only there while the text with the place has the keyboard; Alt+G does the same."""


@pytest.fixture
def window(make_window: Callable[[], MainWindow], sample_path: Path) -> Iterator[MainWindow]:
    """The active window with a copy of the sample project."""
    window = make_window()
    window.open_path(sample_path)
    window.activateWindow()
    yield window
    window.control.close()


def shown(window: MainWindow, pane: str) -> QWidget:
    window.show_pane(pane)
    settle(window)
    return window.panes[pane]


def value(control: QWidget) -> str:
    return control.currentText() if isinstance(control, QComboBox) else spoken(control)[2]


def turn_wheel(widget: QWidget) -> None:
    middle = QPointF(widget.rect().center())
    for notch in (120, -120, -120):
        wheel = QWheelEvent(
            middle, widget.mapToGlobal(middle), QPoint(), QPoint(0, notch), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(widget, wheel)


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_the_wheel_changes_no_number_and_no_choice(window: MainWindow, pane: str) -> None:
    for _view in views(shown(window, pane)):
        for control in window.findChildren(QWidget):
            if isinstance(control, QAbstractSpinBox | QComboBox) and control.isVisible() and control.isEnabled():
                before = value(control)
                turn_wheel(control)
                assert value(control) == before, f"{spoken(control)} turned with the wheel"
                assert control.focusPolicy() is not Qt.FocusPolicy.WheelFocus


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_a_pane_gives_the_keyboard_to_something_named_that_shows_it(window: MainWindow, pane: str) -> None:
    shown(window, pane)
    window.pane.enter()
    main = window.focusWidget()
    assert main is not None and window.pane.isAncestorOf(main) and main.isVisible()
    assert main.focusPolicy() & Qt.FocusPolicy.TabFocus and spoken(main)[1]


def pressed(window: MainWindow, key: Qt.Key, until: QWidget) -> list[QWidget]:
    """What gets the keyboard, one after the other, until this does."""
    found = [window.focusWidget()]
    while len(found) < 90:
        QTest.keyClick(found[-1], key)
        found.append(window.focusWidget())
        if found[-1] is until:
            return found
    raise AssertionError(f"{spoken(until)} isn't reached: {[spoken(one)[1] for one in found]}")


def test_tab_goes_through_a_form_as_it_is_laid_out_and_back(window: MainWindow) -> None:
    pane = shown(window, "survey")
    assert isinstance(pane, SurveyPane)
    start = pane.focusWidget() or window.focusWidget()
    assert start is not None
    found = pressed(window, Qt.Key.Key_Tab, start)
    names = [one.accessibleName() for one in found if isinstance(one, CommittingLineEdit | CommittingTextEdit)]
    wanted = ["Title", "Organiser", "Send answers to", "Question 1", "Choices of question 1", "Instructions", "Consent"]
    assert [name for name in names if name in wanted] == wanted
    assert found == pressed(window, Qt.Key.Key_Backtab, start)[::-1]


@pytest.mark.parametrize("pane", [spec.id for spec in PANES])
def test_tab_reaches_every_control_that_takes_it_and_comes_back(window: MainWindow, pane: str) -> None:
    shown(window, pane)
    window.pane.enter()
    start = window.focusWidget()
    assert start is not None
    wanted = [
        one
        for one in window.pane.findChildren(QWidget)
        if isinstance(one, CONTROLS) and one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.focusProxy() is None
    ]
    wanted = [one for one in wanted if one.isVisible() and one.isEnabled()]
    found = pressed(window, Qt.Key.Key_Tab, start)
    for one in wanted:
        group = getattr(one, "group", lambda: None)()
        chosen = one if group is None else group.checkedButton()
        assert chosen in found or spoken(one)[1] in WHILE_WRITING, spoken(one)


@pytest.mark.parametrize("pane", ["calibration", "history"])
def test_tab_stops_in_the_side_bar_at_the_pane_that_is_shown(window: MainWindow, pane: str) -> None:
    shown(window, "home")
    shown(window, pane)
    window.side.menu_button.setFocus()
    QTest.keyClick(window.side.menu_button, Qt.Key.Key_Tab)
    assert window.focusWidget() is window.side.buttons[pane]


def test_keys_of_a_pane_work_while_one_searches_and_type_nothing(window: MainWindow) -> None:
    pane = shown(window, "rebuttal")
    assert isinstance(pane, RebuttalPane)
    current = pane.state.current
    window.focus_search()
    QTest.keyClick(window.header.search, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert pane.state.current != current, "the second key of a command whose first one is a letter"
    QTest.keyClick(window.header.search, Qt.Key.Key_J)
    assert window.header.search.text() == "j"
    QTest.keyClick(window.header.search, Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier)
    assert pane.head.tabs.currentIndex() == SEND and window.header.search.text() == "j"


def test_keys_of_a_pane_do_nothing_below_a_sheet(window: MainWindow) -> None:
    pane = shown(window, "rebuttal")
    assert isinstance(pane, RebuttalPane)
    for command, sheet in (("help.keys", window.keys), ("help.guide", None), ("view.jobs", window.tray)):
        window.commands.run(command)
        over = sheet or window.help
        assert over is not None and over.isVisible()
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier)
        assert pane.head.tabs.currentIndex() != SEND and over.isVisible()
        over.leave()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_O, Qt.KeyboardModifier.AltModifier)
    assert pane.head.tabs.currentIndex() == SEND


def test_return_never_gives_the_keyboard_to_edits_that_a_proposal_hides(window: MainWindow) -> None:
    pane = shown(window, "linking")
    assert isinstance(pane, LinkingPane)
    pane.take_focus()
    QTest.keyClick(pane.comments.list, Qt.Key.Key_Return)
    assert window.focusWidget() is pane.edits.list
    pane.take_focus()
    pane._open_proposal()
    assert not pane.edits.isVisible(), "it takes their place at this width"
    assert window.stack.part_of(pane.edits.list) is None and window.stack.part_of(pane.comments.list) is not None
    QTest.keyClick(pane.comments.list, Qt.Key.Key_Return)
    assert window.focusWidget() is pane.comments.list


@pytest.mark.parametrize("pane", ["preferences", "benchmark", "calibration", "expertise", "linking"])
def test_ctrl_e_exports_in_every_pane_with_results(window: MainWindow, qtbot: QtBot, pane: str) -> None:
    shown(window, pane)
    keys = [c.id for c in window.commands.in_scope(pane) if window.commands.native_shortcut(c.id) == "Ctrl+E"]
    assert len(keys) == 1
    window.stack.list_commands()
    assert window.commands["agreement.export"].shortcut == "Ctrl+E"
    qtbot.waitUntil(lambda: window.commands.enabled(keys[0]), timeout=60_000)  # the sample has something to export


class _Probe(QObject):
    """Records the keys with a text that reach what it is installed on."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.keys: list[int] = []

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.text():
            self.keys.append(event.key())
        return False


def test_alt_and_a_letter_write_nothing(window: MainWindow) -> None:
    """Where no command has this key, Qt would write the letter. Keys that write nothing are left to the field."""
    shown(window, "review")
    for field in (QLineEdit(window), QTextEdit(window), QPlainTextEdit(window)):
        probe = _Probe(field)
        field.installEventFilter(probe)
        field.show()
        field.setFocus()
        for modifier in (Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier):
            QTest.keyClick(field, Qt.Key.Key_O, modifier)
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        assert text == "o"
        QTest.keyClick(field, Qt.Key.Key_Backspace, Qt.KeyboardModifier.AltModifier)
        assert probe.keys == [Qt.Key.Key_O, Qt.Key.Key_Backspace]
        field.hide()
