"""The messages at the foot of a page, when the text grows."""

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.widgets.banner import MessageArea, Notice
from desktop_app.widgets.layouts import column


def test_a_message_that_outgrows_its_place_with_the_text_is_folded_again(qtbot: QtBot) -> None:
    """Its row is shown in full at first, and gets the height that this needs only when it has been laid out."""
    theme().configure("light", 1.5)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    page, status = QWidget(window), QLabel("Status", window)
    column((page, 1), status, of=window)
    area = MessageArea(window)
    area.follow(page, status, status)
    banner, _other = area.banner(), area.banner()
    window.show()
    banner.show_notice(Notice("", "Something happened to the file you opened.", "It means this. " * 3, kind="note"))
    (row,) = banner.rows
    qtbot.waitUntil(lambda: row.level == 2)
    before = status.height()
    theme().configure("light", 2.0)
    qtbot.waitUntil(lambda: status.height() > before)
    qtbot.waitUntil(lambda: row.level == 2)
    theme().configure("light", 1.0)
