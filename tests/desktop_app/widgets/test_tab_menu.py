"""The menu of all tabs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.widgets.command_menu import TabMenu
from desktop_app.widgets.layouts import row, tabs
from desktop_app.widgets.tab_order import tab_stops

TITLES = tuple(f"A view with number {number}" for number in range(9))


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_where_tabs_have_no_room_a_menu_has_them_all(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    bar = tabs("Views", TITLES, holder)
    menu = TabMenu(bar, holder)
    row((bar, 1), menu, of=holder)
    holder.resize(2000, 60)
    holder.show()
    assert not menu.isVisible()
    holder.resize(400, 60)
    qtbot.waitUntil(lambda: menu.isVisible() and menu.geometry().right() < holder.width() and menu.width() > 0)
    assert list(tab_stops(holder, None)) == [bar, menu], "not the arrows that scroll"
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton)
    opened = menu.findChild(QMenu)
    assert opened is not None
    assert [entry.text() for entry in opened.actions()] == list(TITLES)
    assert [entry.isChecked() for entry in opened.actions()] == [True] + [False] * 8
    opened.actions()[7].trigger()
    opened.close()
    assert bar.currentIndex() == 7 and bar.rect().contains(bar.tabRect(7).center())
    holder.resize(2000, 60)
    qtbot.waitUntil(lambda: not menu.isVisible())
