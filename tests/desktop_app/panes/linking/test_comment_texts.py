"""The current comment and its response share the room that there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app.panes.linking.comments_panel import CommentTexts
from desktop_app.theme import theme
from engine.reviews.records import Comment

LONG = "The abstract reports single numbers; please give an interval for each. " * 6


@pytest.fixture
def texts(qtbot: QtBot) -> Iterator[CommentTexts]:
    found = CommentTexts()
    qtbot.addWidget(found)
    found.show()
    yield found
    theme().configure(zoom=1.0)


def scrolls(page: QWidget) -> bool:
    return page.verticalScrollBar().maximum() > 0  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_a_long_comment_leaves_the_response_in_sight(texts: CommentTexts, zoom: float) -> None:
    theme().configure(zoom=zoom)
    texts.show_comment(Comment("c", "r", "R1", LONG, context=LONG + "More.", response=LONG))
    texts.resize(300, 160)
    assert texts.asked.height() >= 70 and texts.response.height() >= 70
    assert texts.response.geometry().bottom() <= texts.height() and texts.asked.geometry().bottom() < texts.response.y()
    for page in (texts.asked, texts.response):
        assert scrolls(page) and page.focusPolicy() & Qt.FocusPolicy.TabFocus, "what scrolls can be scrolled by keys"


def test_a_short_response_leaves_the_comment_what_it_does_not_need(texts: CommentTexts) -> None:
    texts.show_comment(Comment("c", "r", "R1", LONG, response="Done."))
    texts.resize(300, 200)
    assert not scrolls(texts.response) and scrolls(texts.asked) and texts.asked.height() > 120
    texts.resize(300, 900)
    for page in (texts.asked, texts.response):
        assert not scrolls(page) and not page.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_a_comment_without_a_response_has_all_the_room(texts: CommentTexts) -> None:
    texts.resize(300, 200)
    texts.show_comment(Comment("c", "r", "R1", LONG))
    assert texts.asked.height() == 200 and not texts.response.isVisible()
    texts.show_comment(None)
    assert texts.asked.toPlainText() == ""


def test_links_and_bold_words_of_a_letter_are_not_shown_raw(texts: CommentTexts) -> None:
    said = "We **do** now; see <https://example.org/a?b=1&c=2>, the [new list](https://example.org/x) and a[i](j) <b>."
    texts.show_comment(Comment("c", "r", "R1", "Why?", response=said))
    shown = texts.response.toPlainText().partition("\n")[2]
    assert shown == "We do now; see https://example.org/a?b=1&c=2, the new list and a[i](j) <b>."
    assert "<u>" not in shown and "font-weight" in texts.response.toHtml()
    said = "*We thank the reviewer; the \\*Alpha\\* run has 3\\_000 words.*\n\n*It is 2 * 3 now.* And 4 * 5 * 6."
    texts.show_comment(Comment("c", "r", "R1", "Why?", response=said))
    assert texts.response.toPlainText().partition("\n")[2].split("\n") == [
        "We thank the reviewer; the *Alpha* run has 3_000 words.", "", "*It is 2 * 3 now.* And 4 * 5 * 6.",
    ] and "italic" in texts.response.toHtml()  # fmt: skip
