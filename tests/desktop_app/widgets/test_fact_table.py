"""Tables of facts where their columns have no room."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.widgets.fact_table import FactTable


def test_a_narrow_table_scrolls_and_hides_neither_names_nor_rows(qtbot: QtBot) -> None:
    table = FactTable("Annotators", ("Annotator", *(f"Column {number}" for number in range(8))))
    qtbot.addWidget(table)
    table.resize(320, 200)
    table.show()
    table.show_all_rows([("Somebody", *("100",) * 8)])

    def whole() -> bool:
        row = table.visualItemRect(table.item(0, 0))
        return table.horizontalScrollBar().isVisible() and table.viewport().rect().contains(row)

    qtbot.waitUntil(whole)
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance("Annotator")
    table.resize(1600, 200)
    qtbot.waitUntil(lambda: not table.horizontalScrollBar().isVisible())
    assert table.columnWidth(0) > 320, "the first column takes the room that is left"
