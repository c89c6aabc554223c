"""What the tests of the calibration pane begin with and wait for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration.pane import CalibrationPane
from desktop_app.window import MainWindow
from engine.calibration.records import ScoreProblem, ScoreRow
from engine.calibration.synthetic import Design, draw

PROBLEM = ScoreProblem(9, "duplicate", "Row 9: again.", "mean")


def rows(items: int, referees: int) -> list[ScoreRow]:
    reviews = draw(Design(items=items, referees=referees), np.random.default_rng(1)).reviews
    return [
        ScoreRow(reviews.items[i], reviews.referees[r], float(s), float(c), (("soundness", float(s) + 1),), n)
        for n, (i, r, s, c) in enumerate(
            zip(reviews.item, reviews.referee, reviews.score, reviews.confidence, strict=True), 2
        )
    ]


def opened(window: MainWindow, project_path: Path) -> CalibrationPane:
    assert window.open_path(str(project_path))
    pane = window.show_pane("calibration")
    assert isinstance(pane, CalibrationPane)
    return pane


def settled(qtbot: QtBot, pane: CalibrationPane, until: Callable[[CalibrationPane], bool] = lambda _pane: True) -> None:
    """Waits until the scenario at hand is fitted as it is now, intervals included."""

    def done() -> bool:
        board = pane.state.board
        return (
            board is not None
            and board.current.doubt is not None
            and board.current.scenario == pane.state.scenario
            and board.cutoff == (pane.state.table.cutoff if pane.state.table else None)
            and until(pane)
        )

    qtbot.waitUntil(done, timeout=20_000)


def run(pane: CalibrationPane, command: str) -> None:
    assert pane.context.commands.run(f"calibration.{command}"), command
