"""Tables of facts where their columns have no room."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QStringListModel, Qt
from PySide6.QtWidgets import QHeaderView, QTableView
from pytestqt.qtbot import QtBot

from desktop_app.widgets.fact_table import MEASURED, FactTable, plain_rows
from desktop_app.widgets.labels import HtmlPage, direction, plain_text, text_label


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


NAMED = "\u0645\u062d\u0645\u062f is already in the study (2 of 3)."
"""A sentence that begins with an Arabic name."""


def test_a_name_from_right_to_left_turns_no_english_sentence_round(qtbot: QtBot) -> None:
    table, label, page = FactTable("Messages", ("Message",)), text_label(NAMED), HtmlPage("Comment")
    typed = plain_text("Note", page, read_only=False)
    for one in (table, label, page):
        qtbot.addWidget(one)
    table.show_rows([("x\u202eevil",)])
    assert table.item(0, 0).text() == "x\ufffdevil"
    label.resize(600, 40)
    image = label.grab().toImage()
    blank = image.pixel(image.width() - 1, 0)
    right = range(image.width() - 100, image.width())
    assert {image.pixel(x, y) for x in right for y in range(image.height())} == {blank}, "it begins at the left"
    left, right_to_left = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
    page.setHtml(f"<p>{NAMED}</p>")
    typed.insertPlainText(NAMED)
    for edit in (page, typed):
        assert edit.document().firstBlock().textDirection() == left
    typed.setPlainText(NAMED[:4] * 3)
    assert typed.document().firstBlock().textDirection() == right_to_left == direction(NAMED[:4])


def test_a_hidden_table_measures_no_more_rows_than_one_in_view(qtbot: QtBot) -> None:
    """Otherwise another text size measures all of History while Settings is shown."""

    class Long(QStringListModel):
        asked: ClassVar[set[int]] = set()

        def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
            self.asked.add(index.row())
            return super().data(index, role)

    model, table = Long([f"Step {number}" for number in range(500)]), QTableView()
    qtbot.addWidget(table)
    table.setModel(model)
    header = plain_rows(table)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setResizeContentsPrecision(MEASURED)
    table.show()
    table.hide()
    model.asked.clear()
    assert table.sizeHintForColumn(0) > 0
    assert 0 < len(model.asked) <= MEASURED
