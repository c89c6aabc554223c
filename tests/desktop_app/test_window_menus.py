"""Menus and small dialogs of the window: how they open, and that nothing in them is cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.window import MainWindow


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_main_menu_waits_for_mouse_or_key_before_it_opens_a_submenu(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.side.menu_button, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    file = menu.activeAction()
    assert file is not None and file.text() == "File"
    inner = file.menu()
    assert isinstance(inner, QMenu)
    assert not inner.isVisible(), "a submenu that opened by itself closes when the mouse moves into it"
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(inner.isVisible)
    assert inner.activeAction() is inner.actions()[0]
    qtbot.keyClick(inner, Qt.Key.Key_Escape)
    qtbot.keyClick(menu, Qt.Key.Key_Escape)


def test_no_submenu_is_wider_than_the_screen(window: MainWindow, sample_path: Path, qtbot: QtBot) -> None:
    """Qt lays out a long menu in columns; with large text the last ones would be cut off."""
    window.open_path(sample_path)
    for zoom in (1.0, 2.0):
        theme().configure("light", zoom)
        for pane in ("linking", "rebuttal"):
            window.show_pane(pane)
            for sub in window.menu().findChildren(QMenu):
                wide = sub.sizeHint().width()
                assert 0 < wide <= window.screen().availableGeometry().width(), (pane, zoom, sub.title())


def test_a_title_can_be_read_while_it_is_changed(window: MainWindow, qtbot: QtBot) -> None:
    """The dialogs that rename papers, projects and reviews are Qt's own, with a field for 20 letters."""
    dialog = QInputDialog(window)
    dialog.setTextValue("Speed and strength of an epidemic intervention")
    dialog.show()
    (field,) = dialog.findChildren(QLineEdit)
    assert field.fontMetrics().horizontalAdvance(field.text()) < field.width()
    dialog.close()
