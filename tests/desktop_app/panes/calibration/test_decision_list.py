"""The list of decisions: every item, counted by kind, and as easy to use for a large venue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.headless import settle
from desktop_app.panes.calibration.decisions_view import DecisionsView
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.project import Project
from tests.desktop_app.panes.calibration.steps import rows


@pytest.fixture
def pane(window: MainWindow, project_path: Path, qtbot: QtBot) -> CalibrationPane:
    with Project.open(project_path) as project:
        store = CalibrationStore(project)
        store.set_cutoff(store.add_table("Scores", rows(300, 60), origin="import:s.csv"), 100)
    window.open_path(project_path)
    found = window.show_pane("calibration")
    assert isinstance(found, CalibrationPane)
    found.show_view("decisions")
    qtbot.waitUntil(lambda: found.decisions.model.rowCount() == 300, timeout=20_000)
    return found


def standings(view: DecisionsView) -> list[str]:
    """The kinds, without what is decided for now."""
    words = [view.model.words(row)[1] for row in range(view.model.rowCount())]
    return [kind.removesuffix(" accept").removesuffix(" reject") if kind[0] == "b" else kind for kind in words]


def test_every_item_is_listed_and_the_kinds_are_counted(pane: CalibrationPane) -> None:
    view = pane.decisions
    listed = standings(view)
    assert view.kind.itemText(0) == "300 items"
    for number, kind in enumerate(("borderline", "safe accept", "safe reject"), 1):
        assert view.kind.itemText(number) == f"{listed.count(kind)} {kind}"
    assert listed == sorted(listed, key=["borderline", "safe accept", "safe reject"].index)
    taken = [row for row in range(300) if view.model.words(row)[1].endswith("accept")]
    assert len(taken) == 100, "borderline items are accepted or rejected, too"


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_every_decision_is_readable_whatever_kind_comes_first(pane: CalibrationPane, zoom: float) -> None:
    view = pane.decisions
    theme().configure(zoom=zoom)
    settle(pane.window())
    longest = max((view.model.words(row)[1] for row in range(300)), key=len)
    needed = view.table.fontMetrics().horizontalAdvance(longest)
    assert view.table.columnWidth(1) >= needed + 2 * theme().px(4)


def test_items_without_a_rank_and_a_tie_at_the_cut_off_are_named(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project:
        store = CalibrationStore(project)
        found = [ScoreRow(f"a{i}", f"r{r}", float(i % 3 * 3 + r), 1.0) for i in range(12) for r in range(3)]
        found += [ScoreRow(f"b{i}", f"s{r}", float(i % 5 + r), 1.0) for i in range(9) for r in range(3)]
        store.set_cutoff(store.add_table("Scores", found, origin="import:s.csv"), 3)
    window.open_path(project_path)
    pane = window.show_pane("calibration")
    assert isinstance(pane, CalibrationPane)
    pane.show_view("decisions")
    view = pane.decisions
    qtbot.waitUntil(lambda: view.model.rowCount() == 12, timeout=20_000)
    assert view.why.isVisibleTo(pane) and view.why.text() == (
        "The chances are nominal. 9 items have no rank and no decision. "
        "The cut-off and all chances refer to the 12 others only. "
        "4 items tie at the cut-off. Those that come first in the table are accepted."
    )
    accepted = {view.model.words(row)[0] for row in range(12) if view.model.words(row)[1].endswith("accept")}
    pane.show_view("scenarios")
    table = pane.side_by_side
    marked = {table.item(n, 0).text() for n in range(table.rowCount()) if table.item(n, 1).text().endswith("✓")}
    assert accepted == marked == {"a2", "a5", "a8"}


def test_one_kind_alone_is_listed(pane: CalibrationPane) -> None:
    view = pane.decisions
    many = standings(view).count("safe reject")
    assert 0 < many < 300
    view.kind.setCurrentIndex(view.kind.findData("safe reject"))
    assert standings(view) == ["safe reject"] * many
    pane.bar.cutoff_chosen.emit(101)
    assert view.kind.value == "safe reject", "another line keeps what is listed"


def test_names_stay_readable_and_a_gain_is_in_points(pane: CalibrationPane) -> None:
    view, theme_ = pane.decisions, theme()
    assert view.model.words(0)[3].startswith("−") and view.model.words(0)[3].endswith(" pp")
    theme_.configure(zoom=2.0)
    pane.window().resize(1280, 800)
    settle(pane.window())
    whole = min(view.table.sizeHintForColumn(0), theme_.px(120))
    assert view.table.columnWidth(0) >= whole, "the list scrolls sideways rather than cutting names"


def test_names_that_differ_at_their_end_keep_it(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    with Project.open(project_path) as project:
        named = [replace(row, item=f"Submission {row.item.split()[-1]}") for row in rows(30, 8)]
        store = CalibrationStore(project)
        store.set_cutoff(store.add_table("Scores", named, origin="import:s.csv"), 10)
    window.open_path(project_path)
    pane = window.show_pane("calibration")
    assert isinstance(pane, CalibrationPane)
    pane.show_view("decisions")
    qtbot.waitUntil(lambda: pane.decisions.model.rowCount() == 30, timeout=20_000)
    for table in (pane.decisions.table, pane.attention, pane.side_by_side):
        assert table.textElideMode() is Qt.TextElideMode.ElideMiddle


def test_an_item_that_is_found_is_current_in_the_list_and_one_of_the_list_elsewhere(
    pane: CalibrationPane, qtbot: QtBot
) -> None:
    view, board = pane.decisions, pane.state.board
    assert board is not None
    far = view.model.order[250]
    pane.search(board.items[far])
    assert pane.selection.item == view.model.order[view.table.currentIndex().row()]
    index = view.model.index(3, 0)
    view.table.scrollTo(index)
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=view.table.visualRect(index).center())
    assert pane.selection.item == view.model.order[3]


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_all_columns_fit_beside_the_matrix(pane: CalibrationPane, zoom: float, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    theme().configure(zoom=zoom)
    settle(pane.window())
    table = pane.decisions.table
    qtbot.waitUntil(lambda: table.horizontalHeader().length() <= table.viewport().width())
    assert pane.matrix.width() > 500
