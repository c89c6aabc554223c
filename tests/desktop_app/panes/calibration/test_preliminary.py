"""What the pane shows until a calculation ends, or if it was cancelled."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop_app.panes.calibration.pane import CalibrationPane
from engine.calibration import tasks
from tests.desktop_app.panes.calibration.steps import settled


def test_a_cancelled_fit_is_marked_as_preliminary_and_can_be_calculated_again(
    pane: CalibrationPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, whole = Event(), tasks.rank_doubt
    pane.bar.cutoff.setValue(9)
    settled(qtbot, pane, lambda p: p.state.board.cutoff == 9)  # type: ignore[union-attr]
    pane.show_view("decisions")
    monkeypatch.setattr(tasks, "rank_doubt", lambda *given, **named: go_on.wait(20) and whole(*given, **named))
    pane.change(lambda: pane.state.change("pin_score", 3.0, item="item 1"))
    qtbot.waitUntil(lambda: pane.bar.moved.text().startswith("Preliminary. "), timeout=20_000)
    assert pane.ranking.interval_title == "rank, previous 90 %" and pane.decisions.why.text() == "Calculating…"
    pane.context.bridge.cancel_job(max(pane.context.bridge._handles))
    go_on.set()
    qtbot.waitUntil(lambda: any("was cancelled" in notice.what for notice in pane.banner.notices), timeout=20_000)
    assert pane.decisions.why.text() == "The chances weren't calculated"
    monkeypatch.undo()
    again = next(button for button in pane.banner.findChildren(QPushButton) if button.text() == "Calculate again")
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    settled(qtbot, pane)
    assert "Preliminary" not in pane.bar.moved.text() and pane.ranking.interval_title == "rank, nominal 90 %"
    assert not any("was cancelled" in notice.what for notice in pane.banner.notices)


def test_while_a_ranking_is_preliminary_no_chance_is_told_of_neighbours(
    pane: CalibrationPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, whole = Event(), tasks.rank_doubt
    assert "below the next item" in pane.ranking.describe(0)
    monkeypatch.setattr(tasks, "rank_doubt", lambda *given, **named: go_on.wait(20) and whole(*given, **named))
    pane.change(lambda: pane.state.change("pin_score", 3.0, item="item 1"))
    qtbot.waitUntil(lambda: pane.bar.moved.text().startswith("Preliminary. "), timeout=20_000)
    assert "below the next item" not in pane.ranking.describe(0), "the next item may be another"
    go_on.set()
    settled(qtbot, pane)
    assert "below the next item" in pane.ranking.describe(0)
    chances = [pane.ranking.describe(n) for n in range(24)]
    assert not any(" 0 % chance" in words or " 100 % chance" in words for words in chances), "they are drawn"


def test_another_cutoff_needs_no_other_fit(
    pane: CalibrationPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pane.state.board
    assert before is not None
    monkeypatch.setattr(tasks, "calibrate", None)
    pane.bar.cutoff.setValue(9)
    settled(qtbot, pane, lambda p: p.state.board.cutoff == 9)  # type: ignore[union-attr]
    board = pane.state.board
    assert board is not None and board.current.calibration is before.current.calibration
    assert board.current.doubt is not None and before.current.doubt is not None
    assert np.nansum(board.current.doubt.above) > np.nansum(before.current.doubt.above)
    assert (board.current.doubt.low == before.current.doubt.low).all()
