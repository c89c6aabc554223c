"""Lists of records and the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.widgets.entry_list import EntryList


def test_the_row_where_the_keyboard_is_can_be_seen_from_the_first_key_on(qtbot: QtBot) -> None:
    found = EntryList("Tasks")
    qtbot.addWidget(found)
    found.show_entries([(key, key, "", "link") for key in ("Survey", "Expertise", "Linking")], "")
    found.show()
    with qtbot.waitActive(found):
        found.activateWindow()
    found.clearFocus()
    found.setFocus(Qt.FocusReason.TabFocusReason)
    assert [index.row() for index in found.selectedIndexes()] == [0]
    qtbot.keyClick(found, Qt.Key.Key_Down)
    assert [index.row() for index in found.selectedIndexes()] == [1]
