"""What the matrix and the ranking paint, in both schemes and at each level of detail."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration.choices import VIEWS
from desktop_app.panes.calibration.matrix_canvas import MatrixView
from desktop_app.panes.calibration.matrix_field import CELLS, NAMES_HEIGHT, SCORE_BANK
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.panes.calibration.ranking import CHANCE_WIDTH, CHANGE_WIDTH, HEAD, RANK_WIDTH, SWAPS_FROM
from desktop_app.theme import theme
from desktop_app.window import MainWindow
from engine.calibration.store import CalibrationStore
from engine.project import Project
from tests.desktop_app.panes.calibration.steps import rows, settled
from tests.desktop_app.shell_helpers import on_screen


def test_both_schemes_paint_every_view(pane: CalibrationPane, qtbot: QtBot) -> None:
    pane.selection.choose(item=3, referee=2)
    grabs = []
    for scheme in ("light", "dark"):
        theme().configure(scheme)  # type: ignore[arg-type]
        for index in range(pane.tabs.count()):
            if list(VIEWS)[index] != "methods":
                pane.tabs.setCurrentIndex(index)
                grabs.append(pane.grab().toImage())
    half = len(grabs) // 2
    assert all(light != dark for light, dark in zip(grabs[:half], grabs[half:], strict=True))
    assert all(one != other for one, other in combinations(grabs[:half], 2)), "each view paints something of its own"


@pytest.mark.parametrize("step", range(CELLS.index(2.0), len(CELLS)))
def test_each_level_of_detail_shows_every_review(pane: CalibrationPane, step: int) -> None:
    matrix = pane.matrix
    matrix.zoom(step - CELLS.index(matrix.cell))
    assert matrix.cell == CELLS[step]
    image = matrix.viewport().grab().toImage()
    board = pane.state.board
    assert board is not None
    surface = theme().colour("surface").rgb()
    shown = 0
    field = matrix._field()
    for column, row in zip(board.column, board.row, strict=True):
        at = QPoint(round(matrix.column_x(column)), round(matrix.row_y(row)))
        if field.adjusted(2, 2, -2, -2).contains(at):
            near = [image.pixel(at.x() + dx, at.y() + dy) for dx in range(-6, 7) for dy in range(-6, 7)
                    if image.rect().contains(at.x() + dx, at.y() + dy)]  # fmt: skip
            assert any(pixel != surface for pixel in near)
            shown += 1
    assert shown


def test_moving_the_selection_paints_what_painting_everything_would(pane: CalibrationPane, qtbot: QtBot) -> None:
    """Only the old and the new row or column are painted after a key, so they must leave no trace."""
    for view, keys in (
        (pane.matrix, (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left)),
        (pane.ranking, (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up)),
    ):
        view.setFocus()
        for key in keys:
            before = on_screen(view.viewport())
            qtbot.keyClick(view, key)
            shown = on_screen(view.viewport())
            assert shown != before
            view.viewport().update()
            assert shown == on_screen(view.viewport())


def test_the_whole_table_is_seen_where_it_has_no_room_even_as_points(pane: CalibrationPane, qtbot: QtBot) -> None:
    """As of a venue with thousands of items: here, of 24 in a small window."""
    board = pane.state.board
    assert board is not None
    view = MatrixView(pane.selection)
    qtbot.addWidget(view)
    view.resize(420, SCORE_BANK + theme().px(NAMES_HEIGHT) + 20)
    view.show()
    view.show_board(board)
    assert view.cell * len(board.referees) <= 20, "all referees are seen at first"
    view.zoom(-len(CELLS))
    assert view.cell * len(board.items) <= 20 and view.horizontalScrollBar().maximum() == 0
    for column in (3, 4):
        view.selection.choose(item=int(board.item_at[column]), referee=int(board.referee_at[2]))
        assert view.accessibleDescription().startswith(board.items[int(board.item_at[column])] + ":")
    pane.matrix.zoom(-len(CELLS))
    assert pane.matrix.cell == 2.0, "a table with room stays large enough to tell its reviews apart"


@pytest.mark.parametrize(
    "name", ["A long title that all of these items share: {}", "{}: a long title that all of these items share"]
)
def test_items_that_differ_in_a_few_letters_are_told_apart(
    name: str, window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    named = [replace(row, item=name.format(row.item)) for row in rows(24, 8)]
    with Project.open(project_path) as project:
        CalibrationStore(project).add_table("Scores", named, origin="import:s.csv")
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    settled(qtbot, pane)
    ranking = pane.ranking
    image = ranking.viewport().grab().toImage()
    left = theme().px(RANK_WIDTH) + theme().px(CHANGE_WIDTH)
    right = image.width() - (theme().px(CHANCE_WIDTH) if image.width() >= theme().px(SWAPS_FROM) else 0) - 8
    room = int((right - left) * 0.55) - 6  # the share of the names: bars begin behind it
    names = [
        image.copy(QRect(left, theme().px(HEAD) + at * ranking._row, room, ranking._row)).constBits().tobytes()
        for at in range(8)
    ]
    assert len(set(names)) == len(names)


def test_a_narrow_ranking_shortens_the_heading_to_the_kind_of_interval(
    pane: CalibrationPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 1280x800 and text of 1.5 it said "rank, nominal 9…"."""
    ranking = pane.ranking
    ranking.setFixedWidth(330)
    words = ranking.interval_title
    assert words.startswith("rank, ")
    shown = ranking.viewport().grab(QRect(0, 0, 330, HEAD)).toImage()
    monkeypatch.setattr(type(ranking), "interval_title", words.removeprefix("rank, "))
    assert ranking.viewport().grab(QRect(0, 0, 330, HEAD)).toImage() == shown
