"""Comments that hang together: a reviewer's follow-up under the comment it is about, and one response to several."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QMenu, QPlainTextEdit, QWidget

from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.widgets.command_menu import pop_up
from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import column
from desktop_app.widgets.plain import literal
from engine.shown import shortened

_WORDS = 60


class FollowUpDialog(QDialog):
    """Takes what the reviewer wrote after the response."""

    def __init__(self, label: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Follow-up to {label}")
        self.words = QPlainTextEdit(self)
        self.words.setAccessibleName("What the reviewer wrote")
        self.words.setTabChangesFocus(True)
        self.words.setPlaceholderText("Paste what the reviewer wrote after your response.")
        hint = text_label(f"It becomes a separate comment under {label}.", "small", wrap=True, parent=self)
        buttons = DialogButtons(self, "Add")
        buttons.ok.setEnabled(False)
        self.words.textChanged.connect(lambda: buttons.ok.setEnabled(bool(self.words.toPlainText().strip())))
        column(hint, (self.words, 1), buttons, margins=(16, 16, 16, 16), spacing=12, of=self)
        self.resize(520, 300)


class Threads:
    """Acts on the current comment; ``part`` is the widget under which menus and dialogs open, ``take`` goes to a
    comment."""

    def __init__(self, state: RebuttalState, part: QWidget, tools: PaneTools, take: Callable[[str], object]) -> None:
        self._state, self._part, self._tools, self._take = state, part, tools, take

    def ask_follow_up(self) -> None:
        """Asks for what the reviewer wrote after the response, and goes to the new comment."""
        row = self._state.row
        assert row is not None
        dialog = FollowUpDialog(row.label, self._part)
        dialog.accepted.connect(lambda: self._add(row.comment.id, dialog.words.toPlainText()))
        dialog.open()

    def _add(self, comment_id: str, text: str) -> None:
        made: list[str] = []
        if self._tools.do(lambda: made.append(self._state.add_follow_up(comment_id, text))):
            self._take(made[0])

    def open_responses(self) -> None:
        """The responses that are written, as a menu; one of them is taken for the current comment, too."""
        menu = QMenu(self._part)
        for row in self._state.others():
            words = f"{row.label}  {shortened(row.comment.comment, _WORDS)}"
            entry = menu.addAction(literal(words))
            entry.triggered.connect(lambda _=False, key=row.comment.id: self._tools.do(self._state.share, key))
        pop_up(menu, self._part, QPoint(16, 40))
