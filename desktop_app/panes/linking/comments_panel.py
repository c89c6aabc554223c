"""The left side: the current comment in full with its states and keys, and the list of comments below."""

import html
import re
from collections.abc import Mapping

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.linking.lists import CommentFilter, CommentRow, Selection, comment_row, state_chip
from desktop_app.panes.linking.study import reviewer_name
from desktop_app.panes.linking.terms import ICONS, SHORT_STATES, STATES
from desktop_app.theme import READING_LINE_HEIGHT, theme
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.labels import ElidedLabel, HtmlPage, hairline, named
from desktop_app.widgets.layouts import ButtonGrid, column, command_button, row, splitter, surface
from desktop_app.widgets.record_list import LEFT, RIGHT, RecordList, draw_lines, draw_text
from engine.reviews.records import Comment
from engine.reviews.spans import unmarked
from engine.revision.records import CommentState

_LEAST, _GAP = 84, 6
_UNBOUNDED = 16_000


class CommentTexts(QWidget):
    """The comment with its context, and the response; each scrolls separately if it doesn't fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Comment and response")
        self._comment: Comment | None = None
        self.asked, self.response = (HtmlPage(name, self, reading=13) for name in ("Comment", "Response"))
        for page in (self.asked, self.response):
            page.document().setDocumentMargin(0)
        theme().follow(self._write)

    def show_comment(self, comment: Comment | None) -> None:
        self._comment = comment
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _write(self) -> None:
        self.setMinimumHeight(theme().px(_LEAST))
        comment = self._comment
        for page, words in ((self.asked, _asked(comment)), (self.response, _response(comment))):
            page.setHtml(words)
        self.response.setVisible(bool(comment and comment.response))
        self._share()

    def _share(self) -> None:
        """Divides the height: both in full if they fit; otherwise the response gets half, or what the comment
        leaves."""
        width, room = self.width(), self.height()
        needs = []
        for page in (self.asked, self.response):
            page.setGeometry(0, 0, width, _UNBOUNDED)  # lay out without a scroll bar to measure the height
            needs.append(round(page.document().size().height()) + 1 if page.toPlainText() else 0)
        first, second = needs
        room -= _GAP if second else 0
        if first + second > room:
            second = min(second, max(room // 2, room - first))
            first = room - second
        heights, tops = (first if second else room, room - first), (0, first + _GAP)
        for page, top, height, need in zip((self.asked, self.response), tops, heights, needs, strict=True):
            page.setGeometry(0, top, width, height)
            # Only texts that scroll are a Tab stop, so that they can be scrolled by keyboard.
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


_MARKDOWN = {
    r"&lt;(https?://\S{1,500}?)&gt;": r"\1",
    r"\[([^\[\]]{1,300})\]\(https?://[^\s()]{1,500}\)": r"<u>\1</u>",
    r"\*\*(?=\S)(.{1,500}?)\*\*": r"<b>\1</b>",
    r"(?<![*\w\\])\*(?=[^\s*])((?:\\.|[^*\\]){1,4000}?)(?<=\S)\*(?![*\w])": r"<i>\1</i>",
    r"(?:^|(?<=<br>))#{1,6}[ \t]+": "",
    r"\\(<br>|[\\`*_\[\]#~$.])": r"\1",
}
"""Common Markdown in letters and its replacement in HTML (regular expression, replacement)."""


def _said(text: str, colour: str) -> str:
    words, line = html.escape(text.strip()).replace("\n", "<br>"), round(READING_LINE_HEIGHT * 100 - 15)
    for mark, shown in _MARKDOWN.items():
        words = re.sub(mark, shown, words)
    return f"<p style='color: {colour}; line-height: {line}%; margin: 0'>{words}</p>"


_CHOSEN = "✓"
_PAD = 3
_ROW_HEIGHT = 60


def _state_ink(state: CommentState) -> str:
    tokens = theme().tokens
    if state in ("linked", "not_addressed"):
        return tokens.data["linked" if state == "linked" else "unsupported"].ink
    return tokens.muted if state == "undecided" else tokens.ink


def _paint_comment(painter: QPainter, rect: QRect, row: CommentRow, selected: bool) -> None:
    """Paints a line with reviewer and state above two lines of text."""
    tokens, inner = theme().tokens, rect.adjusted(12, 6, -12, -6)
    painter.setFont(theme().font("small"))
    metrics = painter.fontMetrics()
    line, words = metrics.height(), state_chip(row.state, row.links, row.doubt)
    top = QRect(inner.left(), inner.top(), inner.width(), line)
    icon = QRect(top.right() - metrics.horizontalAdvance(words) - 18, top.top() + (line - 14) // 2, 14, 14)
    name = "question" if row.doubt else ICONS[row.state]
    theme().icon(name, "muted" if row.state == "undecided" else "ink").paint(painter, icon)
    small = theme().font("small")
    draw_text(painter, top, RIGHT, words, small, tokens.data["attention"].ink if row.doubt else _state_ink(row.state))
    top.setWidth(max(0, icon.left() - top.left() - 8))
    draw_text(painter, top, LEFT, row.label, small, tokens.muted)
    painter.setPen(QColor(tokens.ink if row.state == "undecided" or selected else tokens.muted))
    body = QRect(inner.left(), inner.top() + line + 2, inner.width(), inner.height() - line - 2)
    draw_lines(painter, body, " ".join(unmarked(row.comment.comment).split()), theme().font("body"), 2)


class CommentsPanel(QWidget):
    """The list of comments of a selection, and the current comment in full."""

    filtered = Signal(object)
    """A CommentFilter was chosen."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Comments")
        self.card = CommentCard(registry, self)
        lower = named(QWidget(self), "List of comments")
        states = (
            ("All states", ""),
            ("Without a link", "unlinked"),
            ("Doubtful requests", "maybe"),
            ("Criticism without a request", "criticism"),
            *((w, s) for s, w in STATES.items()),
        )
        self.reviewer = ChoiceBox("Show only comments of this reviewer", parent=lower)
        self.state = ChoiceBox("Show only comments in this state", states, parent=lower)
        for box in (self.reviewer, self.state):
            box.picked.connect(lambda _value: self.filtered.emit(self._filter()))
        self.list = RecordList(
            "Comments", _paint_comment, lambda _row: theme().px(_ROW_HEIGHT), lambda found: found.spoken,
            key=lambda found: found.id, parent=lower,
        )  # fmt: skip
        filters = row((self.reviewer, 1), (self.state, 1), margins=(12, 8, 12, 8))
        column(hairline(parent=lower), filters, (self.list, 1), of=lower)
        parts = splitter((self.card, 475, 3), (lower, 225, 2), vertical=True, parent=self)
        column(parts, of=self)

    def show_selection(self, shown: Selection, *, waiting: bool) -> None:
        """Shows the comments that match the filters; ``waiting`` while documents are being read."""
        names = dict.fromkeys(map(reviewer_name, shown.study.comments))
        chosen = shown.comment_filter
        self.reviewer.show_entries([("Everyone", ""), *((name, name) for name in names)], chosen.reviewer)
        self.state.show_value(chosen.state)
        nothing = "" if waiting else "No comments yet. Add files, or paste a review here."
        self.list.set_message("No comments match the filters." if shown.study.comments else nothing)
        self.list.show_records(shown.comment_rows, shown.comment_at)
        comment = shown.study.comment_by_id.get(shown.comment_id)
        self.card.show_comment(comment_row(shown.study, comment) if comment else None)

    def _filter(self) -> CommentFilter:
        return CommentFilter(self.reviewer.currentData(), self.state.currentData())


class CommentCard(QFrame):
    """A comment with reviewer, text and response, and buttons for its six states."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Current comment")
        self._row: CommentRow | None = None
        self._comment: Comment | None = None
        self._title = ElidedLabel("section", self)
        self._title.setText("No comment")
        self.texts = CommentTexts(self)
        self._states = QButtonGroup(self)
        self._buttons: Mapping[CommentState, StateButton] = {
            state: StateButton(registry, state, self) for state in STATES
        }
        for button in self._buttons.values():
            self._states.addButton(button)
        self._propose = command_button(registry, "linking.propose", "", self, quiet=True)
        self._dismiss = command_button(registry, "linking.toggle_request", "", self, quiet=True)
        self._dismiss.setVisible(False)
        column(
            self._title, (self.texts, 1), row(self._dismiss, self._propose, None),
            ButtonGrid(list(self._buttons.values()), self, spacing=4), margins=(12, 12, 12, 12), spacing=8, of=self,
        )  # fmt: skip

    def show_comment(self, found: CommentRow | None) -> None:
        if found == self._row:
            return
        self._row, before = found, self._comment
        self._comment = found.comment if found else None
        self._title.setText(found.label if found else "No comment")
        doubtful = found is not None and found.doubt is not None
        self._dismiss.setVisible(doubtful)
        self._propose.show_text(not doubtful)  # there is room for the text of one button
        for state, button in self._buttons.items():
            button.set_chosen(found is not None and state == found.state)
        if self._comment != before:
            self.texts.show_comment(self._comment)
            self.setAccessibleDescription(self._comment.comment if self._comment else "")


class StateButton(QPushButton):
    """A button for one of the six states, with its key; checked if it is the comment's state."""

    def __init__(self, registry: CommandRegistry, state: CommentState, parent: QWidget) -> None:
        super().__init__(parent)
        self._registry, self._command, self._state = registry, f"linking.state_{state}", state
        self._chosen, self._with_key = False, True
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._run)
        registry.changed.connect(self._refresh)
        registry.state_changed.connect(self._enable)
        theme().follow(self._refresh)
        self._enable()

    def set_chosen(self, chosen: bool) -> None:
        if chosen != self._chosen or chosen != self.isChecked():
            self._chosen = chosen
            self.setChecked(chosen)
            self._refresh()

    def show_key(self, shown: bool) -> None:
        """Shows or hides the key (or check mark). Without it, the chosen state is marked by a thicker border."""
        if shown != self._with_key:
            self._with_key = shown
            self._refresh()

    def room(self, *, key: bool) -> int:
        """Returns the width needed for the full text, optionally with the key or check mark."""
        metrics = self.fontMetrics()
        if not key:
            return metrics.horizontalAdvance(SHORT_STATES[self._state]) + 2 * _PAD + 2
        widest = max(metrics.horizontalAdvance(end) for end in (_CHOSEN, self._key))
        return metrics.horizontalAdvance(f" {SHORT_STATES[self._state]}") + widest + 2 * _PAD + 2

    @property
    def _key(self) -> str:
        return self._registry.native_shortcut(self._command).split(" or ")[0]

    def _enable(self) -> None:
        self.setEnabled(self._command in self._registry and self._registry.enabled(self._command))

    def _run(self) -> None:
        self.setChecked(self._chosen)  # restore it: the state decides what is checked
        self._registry.run(self._command)

    def _refresh(self) -> None:
        end = "" if not self._with_key else _CHOSEN if self._chosen else self._key
        self.setText(f"{end} {SHORT_STATES[self._state]}".lstrip())
        self.setAccessibleName(STATES[self._state])
        if self._command in self._registry:
            self.setToolTip(self._registry.tooltip(self._command))
        tokens = theme().tokens
        ground = tokens.accent_wash if self._chosen else "transparent"
        edge = tokens.accent if self._chosen else tokens.hairline
        thick = 2 if self._chosen and not self._with_key else 1
        self.setStyleSheet(
            f"QPushButton {{ padding: {3 - thick}px {_PAD + 1 - thick}px; text-align: left; background: {ground};"
            f" border: {thick}px solid {edge}; }}"
            f"QPushButton:focus {{ border: 2px solid {tokens.focus}; padding: 1px {_PAD - 1}px; }}"
        )
