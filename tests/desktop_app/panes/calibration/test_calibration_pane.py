"""The calibration pane driven by mouse and keys: from the import over what-ifs to the export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.headless import settle
from desktop_app.panes.calibration.importing import ImportDialog
from desktop_app.panes.calibration.matrix_canvas import MatrixView
from desktop_app.panes.calibration.matrix_field import Selection
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.panes.calibration.plots import labelled, ticks
from desktop_app.panes.calibration.tables_view import ChoosingTable
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.file_dialogs import file_name
from desktop_app.window import MainWindow
from engine.calibration.registry import CALIBRATORS
from engine.calibration.store import ORIGINAL, CalibrationStore
from engine.project import Project
from tests.desktop_app.pane_cases import PaneCases, assert_named
from tests.desktop_app.panes.calibration.steps import opened, rows, run, settled
from tests.desktop_app.shell_helpers import assert_cancelling_ends_it


def _csv(path: Path, items: int = 24, referees: int = 8) -> Path:
    lines = ["paper,reviewer,rating,confidence"]
    lines += [f"{r.item},{r.referee},{r.score:.4f},{r.confidence:.4f}" for r in rows(items, referees)]
    path.write_text("\n".join(lines) + "\nitem 1,referee 99,none,3\n", encoding="utf-8")
    return path


class TestCases(PaneCases):
    pane_id = "calibration"
    huge = 600

    def fill(self, project: Project, count: int) -> None:
        CalibrationStore(project).add_table(
            "Scores", rows(max(count // 3, 4), max(count // 12, 3)), origin="import:s.csv"
        )


def _at(point: QPointF) -> QPoint:
    return QPoint(round(point.x()), round(point.y()))


def _drag(qtbot: QtBot, matrix: MatrixView, start: QPointF, by: QPoint) -> None:
    viewport = matrix.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=_at(start))
    qtbot.mouseMove(viewport, _at(start) + by)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=_at(start) + by)


def _asked(qtbot: QtBot, pane: CalibrationPane) -> ImportDialog:
    """The dialog that asks which column holds what, once the file is read."""
    qtbot.waitUntil(lambda: pane.findChild(ImportDialog) is not None)
    return present(pane.findChild(ImportDialog))


def test_from_import_to_export(
    window: MainWindow, project_path: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = opened(window, project_path)
    pane.import_table(_csv(tmp_path / "spring.csv"))
    dialog = _asked(qtbot, pane)
    assert_named(dialog)
    assert "72 reviews of 24 items by 8 referees. 1 doubtful row, 1 left out" in dialog.summary.text()
    assert "Row 74" in dialog.problems.item(0).text()
    qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
    settled(qtbot, pane)
    assert pane.state.table is not None and pane.state.table.title == "spring" and len(pane.state.table.problems) == 1
    pane.bar.cutoff.setValue(5)
    settled(qtbot, pane)
    strictest = int(pane.state.board.referee_at[-1])  # type: ignore[union-attr]
    pane.selection.choose(referee=strictest)
    run(pane, "exclude_referee")
    settled(qtbot, pane, lambda p: p.state.scenario is not None and bool(p.state.scenario.changes))
    assert pane.state.board is not None and pane.state.board.crossed
    assert "items change rank" in pane.bar.moved.text() and "above the line" in pane.bar.moved.text()
    stems: list[str] = []
    monkeypatch.setattr(pane.context.files, "save_file", lambda _parent, _title, stem, _ending: stems.append(stem))
    run(pane, "export_csv")
    assert stems == ["spring-What if 1-calibrated"], "beside the files of the original scenario, not in their place"
    out = tmp_path / "out"
    out.mkdir()
    for format_, names in {
        "csv": ["r-items.csv", "r-referees.csv", "r-reviews.csv"],
        "xlsx": ["r.xlsx"],
        "figures": ["r-ranking.pdf", "r-ranking.svg", "r-ranking.png", "r-ranking.csv"],
        "html": ["r.html"],
        "pdf": ["r.pdf"],
    }.items():
        pane.export(pane.state.export(pane.comparison, ""), format_, out / f"r.{format_}")
        qtbot.waitUntil(lambda n=names: all((out / name).exists() for name in n), timeout=30_000)  # type: ignore[misc]
        qtbot.waitUntil(lambda: any(n.key == "export" for n in pane.banner.notices), timeout=30_000)
        pane.banner.dismiss("export")
    with monkeypatch.context() as patch:
        export = pane.state.export(pane.comparison, "")
        assert_cancelling_ends_it(pane, lambda: pane.export(export, "pdf", out / "stopped.pdf"), patch)
    report = (out / "r.html").read_text(encoding="utf-8")
    assert f"Referee excluded: {pane.state.board.referees[strictest]}" in report and "Row 74" in report
    assert "Improved model" in report and "data:image/svg+xml" in report and "<td>rating</td>" in report
    assert (out / "r.pdf").read_bytes().startswith(b"%PDF")
    assert (
        (out / "r-items.csv")
        .read_text()
        .splitlines()[0]
        .startswith("rank,rank_low,rank_high,interval,rank_before,item")
    )


@pytest.mark.parametrize(
    ("bank", "kind", "by"),
    [
        ("bias", "pin_bias", QPoint(14, 0)),
        ("trust", "pin_trust", QPoint(-10, 0)),
        ("score", "pin_score", QPoint(0, 16)),
    ],
)
def test_a_slider_pins_when_it_is_let_go_and_a_double_click_frees_it(
    pane: CalibrationPane, qtbot: QtBot, bank: str, kind: str, by: QPoint
) -> None:
    board = present(pane.state.board)
    index = int((board.item_at if bank == "score" else board.referee_at)[1])
    before = board.current.calibration.score.copy()
    _drag(qtbot, pane.matrix, pane.matrix.handle_at(bank, index), by)  # type: ignore[arg-type]
    settled(qtbot, pane, lambda p: p.state.scenario is not None and bool(p.state.scenario.changes))
    assert pane.state.scenario is not None and pane.state.scenario.name == "What if 1"
    (change,) = pane.state.scenario.changes
    assert change.kind == kind and change.value is not None
    fit = pane.state.board.current.calibration  # type: ignore[union-attr]
    held = {"score": fit.score, "bias": fit.bias, "trust": fit.trust}[bank][index]
    assert held == pytest.approx(change.value, abs=1e-6)
    assert not np.allclose(fit.score, before)
    handle = _at(pane.matrix.handle_at(bank, index))  # type: ignore[arg-type]
    qtbot.mouseDClick(pane.matrix.viewport(), Qt.MouseButton.LeftButton, pos=handle)
    settled(qtbot, pane, lambda p: p.state.scenario is not None and not p.state.scenario.changes)
    assert pane.state.board.current.calibration.score == pytest.approx(before, abs=0.02)  # type: ignore[union-attr]


@pytest.mark.parametrize(("bank", "key"), [("bias", "B"), ("trust", "T"), ("score", "S")])
def test_a_value_is_pinned_without_dragging(pane: CalibrationPane, qtbot: QtBot, bank: str, key: str) -> None:
    board = present(pane.state.board)
    pane.selection.choose(item=int(board.item_at[1]), referee=int(board.referee_at[1]))
    before = float(board.values(bank)[pane.selection.item if bank == "score" else pane.selection.referee])  # type: ignore[arg-type]
    pane.take_focus()
    qtbot.keyClick(
        pane.window().focusWidget() or pane, getattr(Qt.Key, f"Key_{key}"), Qt.KeyboardModifier.ShiftModifier
    )
    (dialog,) = pane.findChildren(QInputDialog)
    assert dialog.doubleValue() == pytest.approx(before, abs=0.005)
    dialog.setDoubleValue(before * 0.5)
    wanted = dialog.doubleValue()
    dialog.accept()
    settled(qtbot, pane, lambda p: p.state.scenario is not None and bool(p.state.scenario.changes))
    (change,) = pane.state.scenario.changes  # type: ignore[union-attr]
    assert (change.kind, change.value) == (f"pin_{bank}", wanted) and wanted != pytest.approx(before)


def test_the_original_stays_and_undo_takes_the_what_if_back(
    pane: CalibrationPane, window: MainWindow, qtbot: QtBot
) -> None:
    pane.selection.choose(item=2, referee=1)
    run(pane, "exclude_referee")
    settled(qtbot, pane, lambda p: p.bar.scenario.count() == 2)
    assert pane.state.store is not None and pane.state.table is not None
    assert [s.name for s in pane.state.store.scenarios(pane.state.table.id)] == [ORIGINAL, "What if 1"]
    assert window.bridge.opened.undo_title == f"Exclude referee {pane.state.referee}"
    window.commands.run("edit.undo")
    settled(qtbot, pane, lambda p: p.bar.scenario.count() == 1)
    pane.show_view("scenarios")
    heads = [pane.side_by_side.horizontalHeaderItem(n).text() for n in range(pane.side_by_side.columnCount())]
    assert heads == ["Item", ORIGINAL], "the other scenario doesn't exist any more"
    assert (
        pane.state.scenario is not None and pane.state.scenario.name == ORIGINAL and pane.state.scenario.changes == ()
    )
    window.commands.run("edit.redo")
    qtbot.waitUntil(lambda: pane.bar.scenario.count() == 2)


def test_reviews_are_excluded_changed_and_added(pane: CalibrationPane, qtbot: QtBot) -> None:
    review = pane.state.reviews[5]
    board = present(pane.state.board)
    pane.selection.choose(item=board.items.index(review.item), referee=board.referees.index(review.referee))
    count = len(board.current.prepared.reviews)
    run(pane, "exclude_review")
    settled(qtbot, pane, lambda p: len(p.state.board.current.prepared.reviews) == count - 1)  # type: ignore[union-attr]
    run(pane, "exclude_review")
    settled(qtbot, pane, lambda p: len(p.state.board.current.prepared.reviews) == count)  # type: ignore[union-attr]
    run(pane, "set_score")
    dialog = present(pane.findChild(QInputDialog))
    dialog.setDoubleValue(9.0)
    dialog.accept()
    settled(qtbot, pane, lambda p: 9.0 in p.state.board.current.prepared.reviews.score)  # type: ignore[union-attr]
    pane.change(lambda: pane.state.add_review(-3.0))
    settled(qtbot, pane, lambda p: len(p.state.board.current.prepared.reviews) == count + 1)  # type: ignore[union-attr]
    assert [c.kind for c in pane.state.scenario.changes] == ["set_score", "add_review"]  # type: ignore[union-attr]
    chips = [pane.bar._chips.itemAt(n).widget().accessibleName() for n in range(pane.bar._chips.count())]
    assert chips[0].startswith("Remove change: Score set to 9")
    pane.bar._chips.itemAt(0).widget().click()  # type: ignore[attr-defined]
    settled(qtbot, pane, lambda p: 9.0 not in p.state.board.current.prepared.reviews.score)  # type: ignore[union-attr]


def test_method_lambda_and_score_are_the_scenarios(pane: CalibrationPane, qtbot: QtBot) -> None:
    pane.bar.method.setCurrentIndex(pane.bar.method.findData("gam"))
    pane.bar.method.activated.emit(0)
    settled(qtbot, pane, lambda p: p.state.board.current.calibration.method == "gam")  # type: ignore[union-attr]
    pane.bar.precision.setText("50")
    pane.bar.precision.editingFinished.emit()
    settled(qtbot, pane, lambda p: p.state.scenario.prior_precision == 50)  # type: ignore[union-attr]
    pane.bar.precision.setText("many")
    pane.bar.precision.editingFinished.emit()
    assert pane.bar.precision.text() == "50"
    for wrong in ("inf", "nan", "-1"):
        pane.bar.precision.setText(wrong)
        pane.bar.precision.editingFinished.emit()
        said = [notice.what for notice in pane.banner.notices]
        assert "The prior precision isn't a number of 0 or more." in said, wrong
        pane.banner.clear()
        qtbot.waitUntil(lambda: pane.bar.precision.text() == "50")
    assert pane.state.current.prior_precision == 50
    assert pane.bar.score.isVisibleTo(pane)
    pane.bar.score.setCurrentIndex(pane.bar.score.findData("soundness"))
    pane.bar.score.activated.emit(0)
    settled(qtbot, pane, lambda p: p.state.scenario.score_name == "soundness")  # type: ignore[union-attr]
    board, review = present(pane.state.board), pane.state.reviews[5]
    pane.selection.choose(item=board.items.index(review.item), referee=board.referees.index(review.referee))
    for now, then in ((dict(review.further)["soundness"], 2.5), (2.5, 4.0)):
        run(pane, "set_score")
        dialog = present(next((one for one in pane.findChildren(QInputDialog) if one.isVisible()), None))
        assert dialog.doubleValue() == pytest.approx(now, abs=0.005), "the score that is calibrated, as it was changed"
        dialog.setDoubleValue(then)
        dialog.accept()
        settled(qtbot, pane)


def test_scenarios_are_named_and_stand_side_by_side(pane: CalibrationPane, qtbot: QtBot) -> None:
    pane.change(lambda: pane.state.new_scenario("Harsh"))
    settled(qtbot, pane, lambda p: p.state.scenario.name == "Harsh")  # type: ignore[union-attr]
    pane.selection.choose(referee=0)
    run(pane, "exclude_referee")
    settled(qtbot, pane, lambda p: bool(present(p.state.scenario).changes))
    store, scenario = pane.state.store, pane.state.scenario
    assert store is not None and scenario is not None
    store.rename_scenario(scenario.id, "Harsher")
    settled(qtbot, pane, lambda p: p.state.scenario.name == "Harsher")  # type: ignore[union-attr]
    pane.show_view("scenarios")
    heads = [pane.side_by_side.horizontalHeaderItem(n).text() for n in range(pane.side_by_side.columnCount())]
    assert heads == ["Item", ORIGINAL, "Harsher"] and pane.side_by_side.rowCount() == 24
    run(pane, "next_scenario")
    settled(qtbot, pane, lambda p: p.state.scenario.name == ORIGINAL)  # type: ignore[union-attr]
    pane.change(lambda: pane.state.new_scenario(ORIGINAL))
    assert any("already" in notice.what for notice in pane.banner.notices)


def test_all_methods_are_compared(pane: CalibrationPane, qtbot: QtBot) -> None:
    pane.compare()
    qtbot.waitUntil(lambda: pane.methods.rowCount() == len(CALIBRATORS), timeout=60_000)
    assert pane.methods.item(0, 2).text() == "1.000"


def test_methods_are_compared_again_on_another_scenario_or_table(pane: CalibrationPane, qtbot: QtBot) -> None:
    def compared() -> list[list[str]]:
        pane.show_view("methods")
        qtbot.waitUntil(lambda: pane.methods.rowCount() == len(CALIBRATORS), timeout=60_000)
        return [_column(pane.methods, column) for column in (1, 3)]

    before = compared()
    pane.change(lambda: pane.state.change("exclude_referee", referee="referee 2"))
    settled(qtbot, pane, lambda p: bool(present(p.state.scenario).changes))
    assert compared() != before and len(pane.comparison) == len(CALIBRATORS)
    pane.tabs.setCurrentIndex(0)
    other = present(pane.state.store).add_table("Other", rows(5, 3), origin="import:o.csv", columns={})
    pane.show_other(lambda: pane.state.show_table(other))
    assert pane.comparison == (), "it isn't exported with the other table"
    assert not pane.status_text and not pane.banner.notices, "counts and warnings of the table before are gone, too"
    settled(qtbot, pane, lambda p: present(p.state.table).id == other)
    assert compared() != before


def _column(table: ChoosingTable, column: int) -> list[str]:
    cells = [table.item(row, column) for row in range(table.rowCount())]
    return [cell.text() for cell in cells if cell is not None]


def test_what_is_chosen_in_one_view_is_chosen_in_all(pane: CalibrationPane, qtbot: QtBot) -> None:
    board = present(pane.state.board)
    row = QPoint(80, 26 + 24 * 3 + 10)
    qtbot.mouseClick(pane.ranking.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert board.items[pane.selection.item] == pane.ranking.order[3]
    assert pane.ranking.order[3] in pane.ranking.accessibleDescription()
    described = pane.ranking.accessibleDescription()
    pane.ranking.show_board(None)
    assert pane.ranking.accessibleDescription() == "", "it doesn't describe what isn't shown"
    pane.ranking.show_board(board)
    assert pane.ranking.accessibleDescription() == described
    pane.show_view("bias")
    plot = pane.plots["bias"]
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=_at(plot.place(5)))
    assert pane.selection.referee == 5
    pane.show_view("residuals")
    plot = pane.plots["residuals"]
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=_at(plot.place(7)))
    reviews = board.current.prepared.reviews
    assert plot.place(7) in [plot.place(int(n)) for n in plot._chosen()]
    assert pane.selection.item in reviews.item
    pane.show_view("attention")
    assert pane.attention.item(pane.attention.rowCount() - 1, 0).text() == "Row 9: again."
    assert "reviews disagree" not in _column(pane.attention, 1), "the drawn reviews differ by chance"
    pane.show_view("decisions")
    view = pane.decisions
    standings = [view.model.words(row)[1] for row in range(view.model.rowCount())]
    kinds = ["borderline" if standing.startswith("borderline ") else standing for standing in standings]
    assert len(kinds) == len(board.items) and kinds == sorted(
        kinds, key=["borderline", "safe accept", "safe reject"].index
    )
    view.table.setFocus()
    view.table.setCurrentIndex(view.model.index(2, 0))
    assert board.items[pane.selection.item] == view.model.words(2)[0]
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert board.items[pane.selection.item] == view.model.words(3)[0], "the keyboard chooses, too"
    pane.bar.cutoff.setValue(0)
    qtbot.waitUntil(lambda: view.why.text() == "Set a cut-off above to list decisions")
    assert view.model.rowCount() == 0 and not view.table.isVisible()


def test_the_matrix_by_keyboard_and_mouse(pane: CalibrationPane, qtbot: QtBot) -> None:
    board, matrix = pane.state.board, pane.matrix
    assert board is not None
    review = board.current.prepared.reviews
    n = int(np.argmin(board.column + board.row))
    spot = QPointF(matrix.column_x(board.column[n]), matrix.row_y(board.row[n]))
    qtbot.mouseClick(matrix.viewport(), Qt.MouseButton.LeftButton, pos=_at(spot))
    assert (pane.selection.item, pane.selection.referee) == (review.item[n], review.referee[n])
    assert "compared with the expected score" in matrix.describe(spot)
    qtbot.keyClick(matrix, Qt.Key.Key_Right)
    assert board.column_of[pane.selection.item] == board.column[n] + 1
    before = matrix.cell
    qtbot.keyClick(matrix, Qt.Key.Key_Minus)
    assert matrix.cell < before
    qtbot.keyClick(matrix, Qt.Key.Key_0)
    assert matrix.cell == before


@pytest.mark.qt_log_ignore("This plugin does not support")  # of a menu that pops up, on the offscreen platform
def test_the_menu_of_a_review_excludes_it(pane: CalibrationPane, qtbot: QtBot) -> None:
    board, matrix = pane.state.board, pane.matrix
    assert board is not None
    n = int(np.argmin(board.column + board.row))
    spot = _at(QPointF(matrix.column_x(board.column[n]), matrix.row_y(board.row[n])))
    qtbot.mouseClick(matrix.viewport(), Qt.MouseButton.RightButton, pos=spot)
    assert pane.selection.item == board.current.prepared.reviews.item[n]
    matrix.customContextMenuRequested.emit(spot)
    (menu,) = matrix.viewport().findChildren(QMenu) or matrix.findChildren(QMenu)
    menu.actions()[0].trigger()
    menu.close()
    settled(qtbot, pane, lambda p: bool(present(p.state.scenario).changes))


def test_search_finds_items_and_referees(pane: CalibrationPane) -> None:
    board = present(pane.state.board)
    pane.search("item 2")
    assert "item 2" in board.items[pane.selection.item]
    first = pane.selection.item
    pane.search_next()
    assert pane.selection.item != first and "item 2" in board.items[pane.selection.item]
    pane.search("referee 3")
    assert board.referees[pane.selection.referee] == "referee 3"
    pane.search("item 2")
    assert board.items[pane.selection.item] == "item 2", "not 20 to 24, one of which ranks higher"
    pane.search("item 204")
    assert [notice.what for notice in pane.banner.notices if notice.key == "searched"] == ["No results for “item 204”."]
    pane.search("")
    assert not [notice for notice in pane.banner.notices if notice.key == "searched"]


def test_a_selection_tells_only_when_it_changes(qtbot: QtBot) -> None:
    selection = Selection()
    heard: list[int] = []
    selection.changed.connect(lambda: heard.append(selection.item))
    selection.choose(item=2)
    selection.choose(item=2)
    selection.choose(referee=1)
    assert heard == [2, 2] and (selection.item, selection.referee) == (2, 1)


def test_ticks_are_round_and_inside() -> None:
    assert ticks(-1.2, 2.3) == [-1.0, 0.0, 1.0, 2.0]
    assert ticks(0, 0.05)[1] == 0.01
    assert [words for _, words in labelled(ticks(-1.2, 0.4))] == ["−1", "−0.5", "0"]


def test_a_change_of_paper_leaves_the_matrix_alone(
    window: MainWindow, project_path: Path, pane: CalibrationPane, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(pane.state, "read", lambda: bool(read.append("read")))
    window.papers.changed.emit()
    assert not read
    pane.mark_dirty()
    assert read == ["read"]


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_the_bar_takes_a_second_line_before_it_is_cut(pane: CalibrationPane, zoom: float, qtbot: QtBot) -> None:
    pane.window().resize(1280, 800)
    theme().configure(zoom=zoom)
    bar = pane.bar
    qtbot.waitUntil(lambda: (bar.export.y() > bar.scenario.geometry().bottom()) == (zoom > 1.5))
    assert all(
        pane.rect().contains(QRect(part.mapTo(pane, QPoint()), part.size()))
        for part in (bar.scenario, bar.method, bar.export)
    )


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_what_the_changes_did_stays_in_sight_however_long_the_names(
    window: MainWindow, project_path: Path, zoom: float, qtbot: QtBot
) -> None:
    ending = "a paper with a title that goes on and on and says little, part "
    with Project.open(project_path) as project:
        found = [replace(row, item=ending + row.item, referee=ending + row.referee) for row in rows(24, 8)]
        store = CalibrationStore(project)
        first = store.scenarios(store.add_table("Scores", found, origin="import:x"))[0]
        other = store.add_scenario(first.id, "Harsh")
        for row in found[:6]:
            store.change(other, "pin_bias", referee=row.referee, value=0.25)
    assert window.open_path(str(project_path))
    window.resize(1280, 800)
    theme().configure(zoom=zoom)
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    pane.show_other(pane.state.show_next_scenario)
    settled(qtbot, pane)
    settle(window)
    changes, bar = len(pane.state.current.changes), pane.bar
    seen = [chip for chip in bar._buttons() if chip.isVisible()]
    assert 1 <= len(seen) < changes and bar._earlier.text() == f"{changes - len(seen)} earlier, then"
    assert all(chip.width() >= chip.sizeHint().width() and ending in chip.accessibleName() for chip in seen)
    assert bar.moved.text().endswith("change rank") and bar.moved.width() >= 0.25 * bar.width()


def test_a_button_that_has_nothing_left_to_do_gives_the_keyboard_back(pane: CalibrationPane, qtbot: QtBot) -> None:
    """Qt would give it to whatever control comes next, where Space or Return may do something unexpected."""
    pane.window().activateWindow()
    pane.change(lambda: pane.state.new_scenario("What if"))
    pane.matrix.pinned.emit("bias", 2, 0.4)
    settled(qtbot, pane)
    (reset,) = (one for one in pane.findChildren(CommandButton) if one.accessibleName() == "Reset scenario")
    qtbot.waitUntil(reset.isEnabled)
    reset.setFocus()
    qtbot.mouseClick(reset, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not reset.isEnabled())
    assert pane.window().focusWidget() is pane.matrix


def test_the_table_and_scenario_shown_last_are_shown_when_the_project_is_opened_again(
    pane: CalibrationPane, project_path: Path, qtbot: QtBot
) -> None:
    store = present(pane.state.store)
    first = pane.state.current
    harsh = store.add_scenario(first.id, "Harsh")
    store.add_table("Other", rows(5, 3), origin="import:o.csv", columns={})
    pane.show_other(lambda: pane.state.show_scenario(harsh))
    settled(qtbot, pane)
    window = pane.window()
    assert isinstance(window, MainWindow)
    window.control.close()
    assert pane.state.table is None
    assert opened(window, project_path) is pane
    settled(qtbot, pane)
    assert pane.state.current.id == harsh and pane.bar.scenario.currentText() == "Harsh"


def test_a_long_title_leaves_room_in_the_file_name_for_scenario_and_kind(
    window: MainWindow, project_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Project.open(project_path) as project:
        store = CalibrationStore(project)
        first = store.scenarios(store.add_table("Scores of the conference, " * 6, rows(9, 4), origin="import:x"))[0]
        store.add_scenario(first.id, "Harsh")
    pane = opened(window, project_path)
    pane.show_other(pane.state.show_next_scenario)
    settled(qtbot, pane)
    stems: list[str] = []
    monkeypatch.setattr(pane.context.files, "save_file", lambda _parent, _title, stem, _ending: stems.append(stem))
    run(pane, "export_csv")
    assert stems[0].startswith("Scores of the conference") and file_name(stems[0]).endswith("…-Harsh-calibrated")
