"""Fields that write to the project: when, as one step, again where it failed; numbers and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QInputDialog,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QStyleOptionComboBox,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.base import Pane
from desktop_app.theme import theme
from desktop_app.widgets import fields
from desktop_app.widgets.fields import ChoiceBox, CommittingLineEdit, CommittingTextEdit
from desktop_app.window import MainWindow
from engine.errors import EnvironmentProblem
from tests.desktop_app.shell_helpers import answer, do_acts


@pytest.fixture
def desk(qtbot: QtBot) -> QWidget:
    desk = QWidget()
    qtbot.addWidget(desk)
    layout = QVBoxLayout(desk)
    layout.addWidget(CommittingLineEdit("title", "Title"))
    layout.addWidget(CommittingTextEdit("note", "Note"))
    layout.addWidget(QLineEdit())
    desk.show()
    qtbot.waitExposed(desk)
    return desk


@pytest.mark.parametrize("kind", [CommittingLineEdit, CommittingTextEdit])
def test_leaving_a_field_commits_once(desk: QWidget, qtbot: QtBot, kind: type) -> None:
    field = desk.findChild(kind)
    got: list[tuple[str, str]] = []
    field.committed.connect(lambda text, key: got.append((text, key)))  # type: ignore[union-attr]
    field.show_text("old")  # type: ignore[union-attr]
    field.setFocus()  # type: ignore[union-attr]
    qtbot.keyClicks(field, "new ")
    assert got == []
    desk.findChildren(QLineEdit)[-1].setFocus()
    assert len(got) == 1
    assert "new " in got[0][0]
    field.setFocus()  # type: ignore[union-attr]
    desk.findChildren(QLineEdit)[-1].setFocus()
    assert len(got) == 1


def test_a_pause_saves_and_the_visit_stays_one_step(desk: QWidget, qtbot: QtBot) -> None:
    field = present(desk.findChild(CommittingLineEdit))
    field.setFocus()
    with qtbot.waitSignal(field.committed) as first:
        qtbot.keyClicks(field, "a")
    with qtbot.waitSignal(field.committed) as second:
        qtbot.keyClicks(field, "b")
    assert (first.args[0], second.args[0]) == ("a", "ab")
    assert first.args[1] == second.args[1]
    desk.findChildren(QLineEdit)[-1].setFocus()
    field.setFocus()
    with qtbot.waitSignal(field.committed) as third:
        qtbot.keyClicks(field, "c")
    assert third.args[1] != first.args[1]


def test_typing_without_a_pause_is_saved_too(desk: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "LONGEST_MS", 0)
    field = present(desk.findChild(CommittingTextEdit))
    field.setFocus()
    got: list[str] = []
    field.committed.connect(lambda text, _key: got.append(text))

    def typed_on() -> bool:
        qtbot.keyClicks(field, "a")
        return bool(got)

    qtbot.waitUntil(typed_on)


Disk = tuple[Pane, CommittingTextEdit, QLineEdit, list[bool], list[tuple[str, str]]]


@pytest.fixture
def disk(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    """A pane, a field that was left with unsaved text on a full disk, another field, whether the disk is full, and what
    was written for what."""
    monkeypatch.setattr(fields, "RETRY_MS", 20)
    pane = window.show_pane("home")
    qtbot.waitUntil(window.isActiveWindow)
    field, other = CommittingTextEdit("note", "Note", pane), QLineEdit(pane)
    full, written = [True], list[tuple[str, str]]()

    def write(text: str, whose: str) -> None:
        if full[0]:
            raise EnvironmentProblem("The disk is full.", "Your last change wasn't saved.", "Free some space.")
        written.append((whose, text))

    field.committed.connect(lambda text, _key, whose: pane.act(lambda: write(text, whose)))
    for one in (field, other):
        one.show()
    field.show_text("", "R1.1")
    field.setFocus()
    qtbot.keyClicks(field, "a long answer")
    other.setFocus()
    yield pane, field, other, full, written
    full[0] = False
    field.deleteLater()
    other.deleteLater()


def test_what_could_not_be_written_is_kept_and_tried_again(disk: Disk, qtbot: QtBot) -> None:
    pane, field, other, full, written = disk
    [notice] = pane.banner.notices
    assert notice.what == "The disk is full." and notice.means.startswith("1 text that you typed")
    field.show_text("stored", "R1.2")
    field.setFocus()
    qtbot.keyClicks(field, "newly ")
    other.setFocus()
    assert pane.banner.notices[0].means.startswith("2 texts that you typed")
    field.show_text("", "R1.1")
    assert field.toPlainText() == "a long answer"
    field.show_text("", "R1.3")
    qtbot.keyClicks(field, "in between")
    field.show_text("", "R1.4")
    full[0] = False
    qtbot.waitUntil(lambda: len(written) == 3)
    assert written == [("R1.1", "a long answer"), ("R1.2", "newly stored"), ("R1.3", "in between")]
    assert pane.banner.notices == [] and field.toPlainText() == ""
    field.show_text("stored", "R1.2")
    assert field.toPlainText() == "stored"


def test_closing_writes_what_could_not_be_written_before(disk: Disk, window: MainWindow) -> None:
    *_, full, written = disk
    full[0] = False
    window.close()
    assert written == [("R1.1", "a long answer")]


def test_nothing_is_closed_over_text_that_cannot_be_written(disk: Disk, window: MainWindow, project_path: Path) -> None:
    _pane, field, *_ = disk
    for leave in (window.close, window.control.close, lambda: window.open_path(project_path)):
        leave()
        answer(window, "Copy the text")
        assert window.isVisible() and QGuiApplication.clipboard().text() == "a long answer"
    assert window.bridge.project is None and field.toPlainText() == "a long answer"
    window.open_path(project_path)
    answer(window, "Close without it")
    assert window.bridge.project is not None


def test_what_is_being_typed_is_not_overwritten(desk: QWidget, qtbot: QtBot) -> None:
    field = present(desk.findChild(CommittingLineEdit))
    field.setFocus()
    qtbot.keyClicks(field, "mine")
    field.show_text("theirs")
    assert field.text() == "mine"


@pytest.mark.parametrize(
    ("typed", "undone", "before"),
    [
        ("One. Two. Three.", "One. Three.", "One. T"),
        ("One. Three.", "One. 𝒳 Two. Three.", "One. 𝒳 Two. "),
        ("One. Two.", "One.", "One."),
        ("One. Two.", "One. Two. Two.", "One. Two. Two."),
    ],
)
def test_after_an_undo_writing_goes_on_where_the_text_changed(
    desk: QWidget, qtbot: QtBot, typed: str, undone: str, before: str
) -> None:
    field = present(desk.findChild(CommittingTextEdit))
    field.show_text(typed, "summary")
    field.setFocus()
    field.moveCursor(QTextCursor.MoveOperation.End)
    field.show_text(undone, "summary")
    qtbot.keyClicks(field, "!")
    assert field.toPlainText() == undone.replace(before, f"{before}!", 1)
    field.show_text("Another.", "weaknesses")
    assert field.textCursor().position() == 0
    field.show_text("", "weaknesses")
    field.show_text("A whole text. From its start.", "weaknesses")
    assert field.textCursor().position() == 0, "a text that comes into an empty field is read from its start"


def test_undo_is_the_fields_while_it_has_something_to_undo_and_then_the_projects(
    window: MainWindow, qtbot: QtBot, project_path: object
) -> None:
    window.open_path(str(project_path))
    project = present(window.bridge.project)
    do_acts(project, 1)
    field = CommittingLineEdit("title", "Title", window.centralWidget())
    field.show()
    field.setFocus()
    qtbot.keyClicks(field, "abc")
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == ""
    assert project.undo_title is not None
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert project.undo_title is None
    qtbot.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert field.text() == "abc"


@pytest.mark.parametrize("kind", [QLineEdit, QTextEdit, QPlainTextEdit, QSpinBox])
def test_text_fields_leave_the_export_key_to_commands(kind: type[QWidget], window: MainWindow, qtbot: QtBot) -> None:
    seen: list[int] = []

    class Field(kind):  # type: ignore[misc, valid-type]
        def event(self, event: QEvent) -> bool:
            if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
                seen.append(event.key())
            return bool(super().event(event))

    field = Field(window.centralWidget())
    field.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    field.setFocus()
    for key in (Qt.Key.Key_E, Qt.Key.Key_Z):
        qtbot.keyClick(field, key, Qt.KeyboardModifier.ControlModifier)
    assert Qt.Key.Key_Z in seen and Qt.Key.Key_E not in seen, (
        "with X11's keys, the field would move the caret to the end of the line instead"
    )


def test_an_entry_that_is_cut_off_is_in_the_tooltip(qtbot: QtBot) -> None:
    long = "How few counters suffice to estimate a year of traffic"
    box = ChoiceBox("Paper", [(long, 1), ("Short", 2)])
    qtbot.addWidget(box)
    box.resize(900, box.sizeHint().height())
    box.show()
    wide = box.grab().toImage()
    assert box.tip == "Paper"
    box.resize(140, box.height())
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    assert "…" in option.currentText and box.grab().toImage() != wide
    assert box.tip == f"Paper: {long}" and box.currentText() == long
    box.show_value(2)
    assert box.tip == "Paper"


@pytest.mark.parametrize("typed", ["3.25", "3,25"])
def test_a_number_is_typed_with_point_or_comma_in_any_language(
    make_window: Callable[[], MainWindow], qtbot: QtBot, typed: str
) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        window = make_window()
        dialog = QInputDialog(window)
        dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
        dialog.setDoubleDecimals(2)
        with qtbot.waitActive(dialog):
            dialog.open()
        box = present(dialog.findChild(QDoubleSpinBox))
        box.selectAll()
        qtbot.keyClicks(box, typed)
        assert (dialog.doubleValue(), box.text()) == (3.25, "3.25")
        dialog.reject()
    finally:
        QLocale.setDefault(before)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_a_short_list_of_choices_shows_all_of_them(qtbot: QtBot, zoom: float) -> None:
    """Also if the last one is chosen; and an entry that is wider than the box can be read."""
    theme().configure(zoom=zoom)
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(600, 400)
    box = ChoiceBox("Colours", [(words, words) for words in ("The same as the system", "Light", "Dark")], parent=page)
    page.show()
    for at in range(box.count()):
        box.setCurrentIndex(at)
        box.showPopup()
        view = box.view()
        qtbot.waitUntil(view.isVisible)
        assert view.verticalScrollBar().maximum() == 0 and view.viewport().width() >= view.sizeHintForColumn(0)
        box.hidePopup()


def test_a_click_into_the_words_for_the_lowest_value_lets_a_number_be_typed(qtbot: QtBot) -> None:
    box = fields.number_box("Cut-off", 0, 99, zero="no cut-off", prefix="top ")
    qtbot.addWidget(box)
    box.resize(200, box.sizeHint().height())
    box.show()
    qtbot.waitExposed(box)
    edit = box.lineEdit()
    for at in (edit.rect().center(), edit.rect().center() / 2):
        qtbot.mouseClick(edit, Qt.MouseButton.LeftButton, pos=at)
        qtbot.keyClicks(edit, "15")
        qtbot.keyClick(edit, Qt.Key.Key_Return)
        assert box.value() == 15
        box.setValue(0)


def test_a_typed_number_counts_after_a_pause(qtbot: QtBot) -> None:
    """What depends on it said that there is none as long as the box had the keyboard."""
    assert not fields.number_box("Fewest", 1, 50).findChildren(QTimer), "other numbers wait until they are complete"
    box = fields.number_box("Cut-off", 0, 99, zero="no cut-off", pause=True, prefix="top ")
    qtbot.addWidget(box)
    box.show()
    box.setFocus()
    (pause,) = box.findChildren(QTimer)
    pause.setInterval(1_000_000)
    numbers: list[int] = []
    box.valueChanged.connect(numbers.append)
    box.selectAll()
    qtbot.keyClicks(box, "40")
    assert not numbers, "nothing is calculated for 4"
    assert pause.isActive()
    pause.timeout.emit()
    assert numbers == [40]
    qtbot.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(box, Qt.Key.Key_Delete)
    pause.timeout.emit()
    assert box.lineEdit().text() != "top 40", "an emptied box waits for a number"
    for typed in ("0", "15"):
        qtbot.keyClicks(box, typed)
        pause.timeout.emit()
        assert box.value() == int(typed), "a digit replaces the words for 0"
