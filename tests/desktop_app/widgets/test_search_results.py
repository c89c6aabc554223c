"""The list of search results: what is typed is searched, keys select and choose, nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.widgets.search_results import SearchResults, title_of
from desktop_app.widgets.span_editor import CodePoints
from engine.operations.search_store import Found

EVERYTHING = (
    Found("paper", "Bees 𝒙", "the 𝒙 <b>hive</b>", ((6, 10),), "paper", "p1", "p1"),
    Found("comment", "Reviewer 1", "a hive is odd", ((2, 6),), "comment", "c1", "p1"),
    Found("comment", "Reviewer 2", "hives are odd", ((0, 5),), "comment", "c2", "p1"),
    Found("paragraph", "submitted: Methods", "in the hive", ((7, 11),), "document", "d1", "p1", "d1", "e1", 4),
)


class Window(QWidget):
    """A field and its results."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.field = QLineEdit(self)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addStretch(1)
        self.results = SearchResults(self.field, self.search, self)
        self.chosen: list[Found] = []
        self.results.chosen.connect(self.chosen.append)
        self.resize(700, 500)

    def search(self, query: str) -> tuple[Found, ...]:
        self.asked.append(query)
        return tuple(one for one in EVERYTHING if query in one.snippet)


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    made = Window()
    qtbot.addWidget(made)
    made.show()
    made.field.setFocus()
    qtbot.waitUntil(made.field.hasFocus)
    yield made


def test_typing_searches_once_and_shows_results_by_kind(window: Window, qtbot: QtBot) -> None:
    QTest.keyClicks(window.field, "hive")
    qtbot.waitUntil(window.results.isVisible)
    assert window.asked == ["hive"]
    assert list(map(title_of, window.results.list.records)) == [
        "Papers", "Bees 𝒙", "Comments", "Reviewer 1", "Reviewer 2", "Paragraphs", "submitted: Methods · page 4",
    ]  # fmt: skip
    assert window.results.results == list(EVERYTHING)
    assert window.results.list.current == EVERYTHING[0], "headings are never selected"
    assert not window.results.grab().isNull()


def test_keys_select_choose_and_close(window: Window, qtbot: QtBot) -> None:
    QTest.keyClicks(window.field, "hive")
    qtbot.waitUntil(window.results.isVisible)
    QTest.keyClick(window.field, Qt.Key.Key_Down)
    QTest.keyClick(window.field, Qt.Key.Key_Down)
    QTest.keyClick(window.field, Qt.Key.Key_Return)
    assert window.chosen == [EVERYTHING[2]] and not window.results.isVisible()
    QTest.keyClick(window.field, Qt.Key.Key_Return)
    assert window.results.isVisible(), "Enter opens the list again"
    QTest.keyClick(window.field, Qt.Key.Key_Up)
    assert window.results.list.current == EVERYTHING[3]
    QTest.keyClick(window.field, Qt.Key.Key_Escape)
    assert not window.results.isVisible() and window.field.text() == "hive"


def test_enter_right_after_typing_searches_first(window: Window) -> None:
    QTest.keyClicks(window.field, "odd")
    QTest.keyClick(window.field, Qt.Key.Key_Return)
    assert window.asked == ["odd"] and window.chosen == []
    QTest.keyClick(window.field, Qt.Key.Key_Return)
    assert window.chosen == [EVERYTHING[1]]


def test_a_click_chooses_and_an_empty_field_closes(window: Window, qtbot: QtBot) -> None:
    QTest.keyClicks(window.field, "nothing like it")
    qtbot.waitUntil(window.results.isVisible)
    assert window.results.note.text() == "No results" and window.results.note.isVisible()
    window.field.clear()
    QTest.keyClicks(window.field, "hives")
    qtbot.waitUntil(lambda: window.results.results == [EVERYTHING[2]])
    shown = window.results.list
    QTest.mouseClick(
        shown.viewport(), Qt.MouseButton.LeftButton, pos=shown.visualRect(shown.model().index(1, 0)).center()
    )
    assert window.chosen == [EVERYTHING[2]]
    window.results.search()
    window.field.setText(" ")
    window.results.search()
    assert not window.results.isVisible()


def test_positions_are_those_of_qt() -> None:
    points = CodePoints("a𝒙b")
    assert [points.to_units(at) for at in range(4)] == [0, 1, 3, 4]
    assert [points.from_units(at) for at in (0, 1, 3, 4)] == [0, 1, 2, 3]
