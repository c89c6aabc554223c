"""The response matrix and the figures above it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.panes.rebuttal.matrix_view import MatrixPart
from desktop_app.theme import theme
from tests.desktop_app.looks import cut


def test_with_large_text_the_figures_above_it_go_on_in_another_line(qtbot: QtBot) -> None:
    theme().configure(zoom=1.5)
    part = MatrixPart()
    qtbot.addWidget(part)
    part.setFixedSize(400, 500)
    part.show_lines(
        (), "7 of 9 answered · 2 started", "1,240 of 900 characters in total · 2 comments to fix", "No claims"
    )
    part.show()
    qtbot.waitExposed(part)
    assert not cut(part)
