"""Bars beside their names and figures."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.widgets.bars import Bar, Bars


@pytest.mark.parametrize("zoom", [1.0, 1.25, 1.5, 2.0])
def test_names_and_figures_leave_room_for_the_axis(qtbot: QtBot, zoom: float) -> None:
    theme().configure(zoom=zoom)
    bars = Bars("Agreement", "intervals")
    qtbot.addWidget(bars)
    bars.show_bars([Bar("Krippendorff's alpha", 0.78, "fewer than 6 units")], ticks=(0.0, 0.5, 1.0))
    bars.resize(theme().px(330), 100)
    left, right = bars._span()
    assert right - left >= bars.width() // 6
