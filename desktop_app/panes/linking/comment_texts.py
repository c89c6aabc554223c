"""A comment and the authors' response to it, one above the other, both in sight however little room there is."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from desktop_app.theme import READING_LINE_HEIGHT, theme
from desktop_app.widgets.labels import HtmlPage
from engine.reviews.records import Comment

_LEAST, _GAP = 84, 6
_UNBOUNDED = 16_000


class CommentTexts(QWidget):
    """What doesn't fit scrolls: the comment with its context by itself, and the response by itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comment and response")
        self._comment: Comment | None = None
        self.asked, self.response = HtmlPage("Comment", self), HtmlPage("Response", self)
        for page in (self.asked, self.response):
            page.document().setDocumentMargin(0)
        theme().follow(self._write)

    def show_comment(self, comment: Comment | None) -> None:
        """Shows another comment; None for none."""
        self._comment = comment
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _write(self) -> None:
        self.setMinimumHeight(theme().px(_LEAST))
        comment = self._comment
        for page, words in ((self.asked, _asked(comment)), (self.response, _response(comment))):
            page.document().setDefaultFont(theme().reading_font(13))
            page.setHtml(words)
        self.response.setVisible(bool(comment and comment.response))
        self._share()

    def _share(self) -> None:
        """Each gets what it needs where both fit; else the response at most half, unless the comment needs less."""
        width, room = self.width(), self.height()
        needs = []
        for page in (self.asked, self.response):
            page.setGeometry(0, 0, width, _UNBOUNDED)  # as high as it would be without a scroll bar
            needs.append(round(page.document().size().height()) + 1 if page.toPlainText() else 0)
        first, second = needs
        room -= _GAP if second else 0
        if first + second > room:
            second = min(second, max(room // 2, room - first))
            first = room - second
        heights, tops = (first if second else room, room - first), (0, first + _GAP)
        for page, top, height, need in zip((self.asked, self.response), tops, heights, needs, strict=True):
            page.setGeometry(0, top, width, height)
            # What is whole needs no stop of the Tab key; what scrolls can be scrolled by keys, too.
            page.setFocusPolicy(Qt.FocusPolicy.StrongFocus if need > height else Qt.FocusPolicy.ClickFocus)


def _asked(comment: Comment | None) -> str:
    if comment is None:
        return ""
    parts = [_said(comment.comment, theme().tokens.ink)]
    if comment.context and " ".join(comment.context.split()) != " ".join(comment.comment.split()):
        parts += [_heading("Context"), _said(comment.context, theme().tokens.muted)]
    return "".join(parts)


def _response(comment: Comment | None) -> str:
    if comment is None or not comment.response:
        return ""
    return _heading("Authors' response") + _said(comment.response, theme().tokens.ink)


def _heading(words: str) -> str:
    font = f"bold {theme().px(11)}px '{theme().font('small').family()}'"
    return f'<p style="color: {theme().tokens.muted}; font: {font}; margin: 6px 0 2px">{words}</p>'


def _said(text: str, colour: str) -> str:
    words, line = html.escape(text.strip()).replace("\n", "<br>"), round(READING_LINE_HEIGHT * 100 - 15)
    return f"<p style='color: {colour}; line-height: {line}%; margin: 0'>{words}</p>"
