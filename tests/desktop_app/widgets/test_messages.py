"""The messages at the foot of a page: how much of them is shown at which text size."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.theme import theme
from desktop_app.widgets.banner import Banner, Kind, MessageArea, Notice
from desktop_app.widgets.buttons import IconButton
from desktop_app.widgets.layouts import column

WHAT = "This comment has 2 links, but this state means that no edit answers it."
MEANS = "Which do you want to keep? Nothing has changed yet."
ACTIONS = (("Remove the links", lambda: None), ("Keep the links", lambda: None))


@pytest.fixture
def banner(qtbot: QtBot) -> Iterator[Banner]:
    """A banner above a status bar of 850 pixels, on a page that ends with a line of keys."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    page, status = QWidget(window), QLabel("Status", window)
    column((page, 1), status, of=window)
    status.setFixedWidth(850)
    area = MessageArea(window)
    area.follow(page, status, status)
    area.cover_keys(keys=True)
    window.show()
    yield area.banner()
    theme().configure("light", 1.0)


def area_of(banner: Banner) -> MessageArea:
    (area,) = banner.window().findChildren(MessageArea)
    return area


def shown(banner: Banner) -> tuple[int, int]:
    """How the row is folded, and the area's height."""
    (row,) = banner.rows
    area = area_of(banner)
    return row.level, area.height()


@pytest.mark.parametrize(
    ("size", "kind", "buttons", "level"),
    [(1.0, "note", 1, 0), (1.5, "note", 1, 1), (1.5, "note", 2, 2), (1.5, "attention", 2, 1), (2.0, "attention", 2, 1)],
)
def test_a_message_is_folded_no_further_than_needed(
    banner: Banner, qtbot: QtBot, size: float, kind: Kind, buttons: int, level: int
) -> None:
    """What happened is shown in full if it fits, and always if it needs attention."""
    theme().configure("light", size)
    banner.show_notice(Notice("", WHAT, MEANS, kind=kind, actions=ACTIONS[:buttons]))
    qtbot.waitUntil(lambda: shown(banner)[0] == level)
    (row,) = banner.rows
    if level < 2:
        qtbot.waitUntil(lambda: row.words.height() >= row.words.heightForWidth(row.words.width()))
    assert row.level == level


def test_a_message_that_outgrows_its_place_with_the_text_is_folded_again(banner: Banner, qtbot: QtBot) -> None:
    banner.show_notice(Notice("", WHAT, MEANS, kind="note", actions=ACTIONS))
    assert shown(banner)[0] == 0
    for size in (1.5, 2.0):
        before = shown(banner)
        theme().configure("light", size)
        qtbot.waitUntil(lambda before=before: shown(banner) != before)
        qtbot.waitUntil(lambda: shown(banner)[0] == 2)


def test_only_the_newest_message_of_two_banners_is_shown_also_after_it_was_replaced(banner: Banner) -> None:
    area = area_of(banner)
    other = area.banner()
    banner.show_notice(Notice("read", WHAT, MEANS, kind="note", actions=ACTIONS))
    for name in ("table", "letter"):
        other.show_notice(Notice("written", f"Saved: {name}.", "Some of it is left out.", kind="note"))
        assert banner.rows[0].isHidden() and not other.rows[0].isHidden() and not area.more.isHidden(), name


@pytest.mark.parametrize("size", [1.0, 1.5])
@pytest.mark.parametrize("kind", ["attention", "problem"])
def test_a_question_or_problem_stays_in_sight_behind_later_notes(
    banner: Banner, qtbot: QtBot, size: float, kind: Kind
) -> None:
    theme().configure("light", size)
    area = area_of(banner)
    other = area.banner()
    banner.show_notice(Notice("who", "Who are you?", MEANS, kind=kind, actions=ACTIONS))
    for name in ("table", "letter"):
        other.show_notice(Notice(name, f"Saved: {name}.", "Some of it is left out.", kind="note", actions=ACTIONS[:1]))
        question, newest = banner.rows[0], other.rows[-1]
        assert not question.isHidden() and not newest.isHidden() and not area.more.isHidden(), name
    assert other.rows[0].isHidden()
    banner.dismiss("who")
    assert [one.isHidden() for one in other.rows] == [True, False]


@pytest.mark.parametrize("kind", ["attention", "problem"])
def test_a_question_does_not_cover_the_control_with_the_focus(banner: Banner, qtbot: QtBot, kind: Kind) -> None:
    theme().configure("light", 1.5)
    area = area_of(banner)
    window = area.window()
    low = QPushButton("Low", window.layout().itemAt(0).widget())
    high = QPushButton("High", low.parentWidget())
    low.show()
    high.show()
    banner.show_notice(Notice("", WHAT, MEANS, kind=kind, actions=ACTIONS))
    if kind == "problem":
        banner.show_notice(Notice("note", "Saved.", kind="note", actions=ACTIONS[:1]))
        low.move(20, area.y() + 8 - low.height())
        low.setFocus()
        qtbot.waitUntil(banner.rows[1].isHidden)
        assert not banner.rows[0].isHidden(), "a note hides no problem"
        return
    qtbot.waitUntil(lambda: shown(banner)[0] == 1)
    low.move(20, area.y() + 8 - low.height())
    low.setFocus()
    qtbot.waitUntil(lambda: shown(banner)[0] == 2)
    assert area.y() >= low.y() + low.height()
    high.setFocus()
    qtbot.waitUntil(lambda: shown(banner)[0] == 1)
    banner.show_notice(Notice("note", "Saved.", kind="note", actions=ACTIONS[:1]))
    question, note = banner.rows
    assert not question.isHidden() and not note.isHidden()
    low.setFocus()
    qtbot.waitUntil(question.isHidden)
    assert not note.isHidden() and note.level == 2, "what happened is shown"
    high.setFocus()
    qtbot.waitUntil(lambda: not question.isHidden() and not note.isHidden())
    low.setFocus()
    qtbot.waitUntil(question.isHidden)
    banner.dismiss("note")
    assert not question.isHidden()


@pytest.mark.parametrize("kind", ["note", "attention", "problem"])
def test_a_message_of_a_hundred_sentences_scrolls_and_can_be_dismissed(
    banner: Banner, qtbot: QtBot, kind: Kind
) -> None:
    area = area_of(banner)
    banner.show_notice(
        Notice("", WHAT, " ".join(f"Sentence {n} of a very long message." for n in range(300)), kind=kind)
    )
    if not area.more.isHidden():
        area.more.click()
    (scroll,) = area.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: scroll.verticalScrollBar().maximum() > 0)
    assert area.y() >= 100 and area.height() < 800
    bar = scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    (row,) = banner.rows
    assert row.words.height() >= row.words.heightForWidth(row.words.width())
    close = row.findChildren(IconButton)[-1]
    scroll.ensureWidgetVisible(close)
    assert not close.visibleRegion().isEmpty()
    close.click()
    assert not area.isVisible()
