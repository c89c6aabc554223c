"""A whole survey without the mouse: the study is written, answered, sent back, merged, and exported as a data set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.panes.survey.pane import SurveyPane
from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.panes.survey.state import PROFILE, RATINGS, RELEASE
from desktop_app.widgets.file_dialogs import FileDialogs, file_name
from desktop_app.window import MainWindow
from engine.exchange.expertise_data import read_gold_standard
from engine.project import Project

Key = Qt.Key
CONTROL, SHIFT, PLAIN = (
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier,
)  # fmt: skip
READ = {
    "How many counters does a street need": "4.25",
    "https://arxiv.org/abs/2401.01001": "3,5",
    "10.1000/example.doi.7": "1",
    "Loops, magnets and the patience of drivers": "4",
    "@article{k, title={Ferries as moving bridges}, author={Ben Example and Cleo Example}, year={2025}}": "2.75",
    "A theory of information leaflets": "1.25",
}
TITLES = {1: "Sparse sensing at crossings", 2: "What sensors forget"}
"""Titles that are typed where a link tells none, by the place of the paper."""
VALUES = [4.25, 3.5, 1.0, 4.0, 2.75, 1.25]
OWN = ("Counting bicycles by ear", "Bridges that weigh what crosses them", "A note on trams")


def press(*keys: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or QApplication.activeWindow(), key, modifiers)


def write(words: str) -> None:
    for letter in words:
        QTest.keyClick(QApplication.focusWidget(), letter)


def answer_dialogs(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """File dialogs have tests of their own: each is answered with a file in the folder."""

    def save(_files: object, _parent: object, _title: str, stem: str, ending: str) -> Path:
        return folder / file_name(stem, ending)

    monkeypatch.setattr(FileDialogs, "save_file", save)
    monkeypatch.setattr(FileDialogs, "open_files", lambda *_: list(folder.glob("*.rejoinder-answers")))
    monkeypatch.setattr(FileDialogs, "choose_folder", lambda *_: folder)


def bring_to_front(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()


def organiser(window: MainWindow, qtbot: QtBot, path: Path) -> SurveyPane:
    assert window.open_path(path)
    bring_to_front(window, qtbot)
    press(Key.Key_2, modifiers=CONTROL)
    pane = window.panes["survey"]
    assert isinstance(pane, SurveyPane) and window.pane is pane
    return pane


def fill_in(pane: ParticipantPane) -> None:
    """The four pages, from consent to the answers file."""
    press(Key.Key_Return, modifiers=CONTROL)
    assert pane.state.step == PROFILE and pane.profile.name.hasFocus()
    write("Ada Example")
    press(Key.Key_Tab, Key.Key_Down, Key.Key_Down, Key.Key_Tab)
    write("Denmark")
    press(Key.Key_Tab, Key.Key_Tab)
    write("ada@example.org")
    press(Key.Key_Tab)
    assert pane.profile.entry.hasFocus()
    for title in OWN:
        write(title)
        press(Key.Key_Return)
    press(Key.Key_Down, Key.Key_End, Key.Key_Space)  # the last one is left out
    press(Key.Key_Return, modifiers=CONTROL)
    assert pane.state.step == RATINGS and pane.ratings.entry.hasFocus()
    for place, (named, figure) in enumerate(READ.items()):
        write(named)
        press(Key.Key_Return)
        if place in TITLES:
            write(TITLES[place])
            press(Key.Key_Return)
        write(figure)
        press(Key.Key_A)
    assert pane.state.survey is not None and [row.value for row in pane.state.survey.rows] == VALUES
    press(Key.Key_Z, modifiers=CONTROL)
    assert pane.state.survey.rows[-1].value is None
    press(Key.Key_Z, modifiers=CONTROL | SHIFT)
    press(Key.Key_Return, modifiers=CONTROL)
    assert pane.state.step == RELEASE and not pane.state.survey.blocks
    press(Key.Key_Return, modifiers=CONTROL)
    assert "Saved " in pane.release.saved_words.text()


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a list that pops up, on the offscreen platform
def test_a_survey_from_study_file_to_merged_data_set(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, project = tmp_path / "post", tmp_path / "study.rejoinder"
    folder.mkdir()
    answer_dialogs(monkeypatch, folder)
    Project.create(project, "Our study", "Olga Organiser").close()

    window = make_window()
    pane = organiser(window, qtbot, project)
    press(Key.Key_N, modifiers=CONTROL | SHIFT)
    write("What do you know of counting?")
    press(Key.Key_Tab)
    press(Key.Key_E, modifiers=CONTROL)
    (sent,) = folder.glob("*.rejoinder-study")
    window.close()

    window = make_window()
    assert window.open_path(sent) and window.in_survey
    bring_to_front(window, qtbot)
    participant = window.panes["participant"]
    assert isinstance(participant, ParticipantPane)
    fill_in(participant)
    (returned,) = folder.glob("*.rejoinder-answers")
    content = returned.read_text(encoding="utf-8")
    assert "ada@example.org" not in content and OWN[2] not in content
    assert content == participant.release._file, "the preview showed the file letter by letter"
    press(Key.Key_W, modifiers=CONTROL | SHIFT)
    assert not window.in_survey
    window.close()

    window = make_window()
    pane = organiser(window, qtbot, project)
    press(Key.Key_I, modifiers=CONTROL)
    qtbot.waitUntil(lambda: any(notice.key == "merge" for notice in pane.banner.notices), timeout=30_000)
    assert [p.participant.name for p in pane.people._people] == ["Ada Example"]
    assert pane.state.store is not None and pane.state.study is not None
    gold = pane.state.store.gold_standard(pane.state.study.id)
    assert [rating.value for rating in gold.ratings] == VALUES
    assert [gold.papers[key].title for key in gold.participants[0].papers] == list(OWN[:2])
    assert gold.papers[gold.ratings[4].paper].authors == ("Ben Example", "Cleo Example")
    assert {gold.papers[gold.ratings[n].paper].title for n in TITLES} == set(TITLES.values())

    press(Key.Key_K, modifiers=CONTROL)
    write("in the released layout")
    press(Key.Key_Return)
    qtbot.waitUntil(lambda: any(notice.key == "export" for notice in pane.banner.notices), timeout=30_000)
    (data_set,) = folder.glob("*-released")
    released = read_gold_standard(data_set)
    assert [rating.value for rating in released.ratings] == VALUES
    written = "".join(file.read_text(encoding="utf-8") for file in data_set.rglob("*") if file.is_file())
    assert "ada@example.org" not in written and OWN[0] in written and OWN[2] not in written
