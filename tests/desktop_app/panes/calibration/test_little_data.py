"""What the pane says where scores are few, or belong to some reviews only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QInputDialog, QLabel
from pytestqt.qtbot import QtBot

from desktop_app import present
from desktop_app.panes.calibration.choices import VIEWS
from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.panes.calibration.plots import bias_points, raw_points
from desktop_app.window import MainWindow
from engine.calibration.records import ScoreRow
from engine.calibration.store import CalibrationStore
from engine.project import Project
from tests.desktop_app.panes.calibration.steps import rows, run, settled


def test_where_every_item_has_one_review_nothing_is_ranked(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project:
        rows = [ScoreRow(f"item {i}", f"referee {i // 4}", float(i % 9), 1.0, (), i) for i in range(24)]
        CalibrationStore(project).set_cutoff(CalibrationStore(project).add_table("Scores", rows, origin="import:x"), 5)
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    settled(qtbot, pane)
    assert {pane.ranking.describe(item) for item in range(24)} == {f"item {i} has no rank." for i in range(24)}
    assert "No item has two reviews" in " ".join(words.text() for words in pane.banner.findChildren(QLabel))
    for view in range(len(VIEWS)):
        if list(VIEWS)[view] != "methods":  # starts a job of its own
            pane.tabs.setCurrentIndex(view)
            pane.grab()
    assert pane.attention.item(0, 1).text() == "not checked"
    assert pane.ranking.interval_title == "rank" and "Whiskers" not in raw_points(present(pane.state.board)).note
    pane.selection.choose(item=3, referee=0)
    assert pane.matrix.accessibleDescription().splitlines() == [
        "item 3: no score, no rank", "referee 0: no bias, no trust", "gave 3 with confidence 1",
    ]  # fmt: skip
    commands = pane.context.commands
    assert not commands.enabled("calibration.pin_bias") and commands.enabled("calibration.pin_bias_to")
    pane.change(lambda: pane.state.change("pin_bias", 0.5, referee="referee 0"))
    settled(qtbot, pane, lambda p: bool(p.state.current.changes))
    run(pane, "pin_bias")
    settled(qtbot, pane, lambda p: not p.state.current.changes)
    pane.selection.choose(item=3, referee=0)
    run(pane, "add_review")
    (dialog,) = pane.findChildren(QInputDialog)
    assert dialog.doubleValue() == 3.0, "the plain mean, since no score is known"
    dialog.reject()


def test_a_score_that_only_later_reviews_have_can_be_calibrated(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project:
        found = [replace(row, further=row.further if n > 250 else ()) for n, row in enumerate(rows(100, 20))]
        CalibrationStore(project).add_table("Scores", found, origin="import:x")
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    settled(qtbot, pane)
    assert pane.bar.score.findData("soundness") > 0 and pane.bar.score.isVisibleTo(pane)


def test_intervals_that_rest_on_the_prior_say_it(window: MainWindow, project_path: Path, qtbot: QtBot) -> None:
    with Project.open(project_path) as project:
        rows = [ScoreRow(f"item {i}", f"referee {i % 2}", float(i % 5), 1.0, (), i) for i in range(8)]
        rows += [ScoreRow(f"item {i}", f"referee {1 - i % 2}", float(i % 4), 1.0, (), i + 8) for i in range(3)]
        CalibrationStore(project).add_table("Scores", rows, origin="import:x")
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    settled(qtbot, pane)
    assert pane.ranking.interval_title == "rank, 90 % by the prior"
    assert "with 90 % by the prior" in pane.ranking.describe(0)


def test_intervals_of_methods_that_take_their_estimates_for_the_truth_are_called_nominal(
    window: MainWindow, project_path: Path, qtbot: QtBot
) -> None:
    with Project.open(project_path) as project:
        CalibrationStore(project).add_table("Scores", rows(60, 8), origin="import:x")
    assert window.open_path(str(project_path))
    window.show_pane("calibration")
    pane = window.panes["calibration"]
    assert isinstance(pane, CalibrationPane)
    settled(qtbot, pane)
    assert pane.ranking.interval_title == "rank, 90 %"
    pane.change(lambda: pane.state.configure("gam", None, pane.state.current.score_name))
    settled(qtbot, pane)
    assert pane.ranking.interval_title == "rank, nominal 90 %" and "nominal 90 %" in pane.ranking.describe(0)
    assert pane.state.board is not None
    for make in (bias_points, raw_points):
        assert make(pane.state.board).note.endswith("Whiskers: nominal 90 %.")


def test_a_warning_that_was_dismissed_stays_away(pane: CalibrationPane, qtbot: QtBot) -> None:
    assert len(pane.banner.notices) == 1
    pane.banner.dismiss_note()
    for pinned in (0.5, 0.6):
        pane.change(lambda to=pinned: pane.state.change("pin_bias", to, referee=pane.state.reviews[0].referee))
        settled(qtbot, pane)
        assert not pane.banner.notices
