"""The response matrix, the figures above it, and the notes on a response."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.commands import CommandRegistry
from desktop_app.panes.rebuttal.lists import Note
from desktop_app.panes.rebuttal.matrix_view import MatrixPart
from desktop_app.panes.rebuttal.response_part import NotesView
from desktop_app.theme import theme
from engine.rebuttal.claims import Checked, Claim
from engine.reviews.records import Span
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


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_the_mark_of_a_note_leaves_a_gap_to_its_words(zoom: float, qtbot: QtBot) -> None:
    theme().configure(zoom=zoom)
    claim = Checked(Claim(None, "|" * 9, Span(0, 9)), "not found", "|" * 9)
    view = NotesView(CommandRegistry())
    qtbot.addWidget(view)
    view.setFixedWidth(600)
    view.show_notes((Note("claim", "attention", "|" * 9, of=claim), Note("tone", "attention", "|" * 9)))
    view.show()
    qtbot.waitExposed(view)
    image = view.viewport().grab().toImage()
    for row in range(2):
        rect = view.visualRect(view.model().index(row, 0)).adjusted(8, 4, -8, -4)
        ground = image.pixel(rect.right(), rect.top())
        inked = [
            any(image.pixel(x, y) != ground for y in range(rect.top(), rect.bottom())) for x in range(rect.right())
        ]
        mark = inked.index(True, 9)
        gap = inked.index(False, mark + theme().px(8))
        assert inked.index(True, gap) - gap >= theme().px(3), "the mark touches the words"
