"""What a language model writes for the reply at hand, as it comes; dashed, since no person has said it yet."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from engine.rebuttal.records import Draft


class DraftStrip(QWidget):
    """Gone while there is no draft."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.draft: Draft | None = None
        self._told = text_label("", "small", parent=self)
        self.words = QPlainTextEdit(self)
        self.words.setAccessibleName("Draft by a language model")
        self.words.setReadOnly(True)
        self.words.setTabChangesFocus(True)
        self.words.setFixedHeight(theme().px(120))
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._told, 1)
        self.buttons = {}
        for name, text in (("take_draft", "Put in"), ("refuse_draft", "Refuse"), ("stop_drafting", "Stop")):
            button = self.buttons[name] = CommandButton(registry, f"rebuttal.{name}", text=text, parent=self)
            KeepsKeys(button)
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.words)
        layout.addLayout(row)
        self.setVisible(False)
        theme().changed.connect(self._restyle)
        self._restyle()

    def begin(self, title: str) -> None:
        """A model begins to write."""
        self.draft = None
        self.words.setPlainText("")
        self._told.setText(f"{title} is loaded and writes…")
        self._show_buttons(writing=True)
        self.setVisible(True)

    def hear(self, piece: str) -> None:
        """A further piece; an empty one begins anew."""
        if not piece:
            self.words.setPlainText("")
            return
        cursor = self.words.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(piece)
        self.words.ensureCursorVisible()

    def show_draft(self, draft: Draft | None) -> None:
        """A finished draft; None takes the strip away."""
        self.draft = draft
        self.setVisible(draft is not None)
        if draft is not None:
            self.words.setPlainText(draft.text)
            maker = draft.origin.removeprefix("model:").rpartition("@")[0]
            self._told.setText(f"Written by {maker} in {draft.seconds:.0f} s, not by a person")
            self._show_buttons(writing=False)

    def _show_buttons(self, *, writing: bool) -> None:
        for name, button in self.buttons.items():
            button.setVisible((name == "stop_drafting") == writing)

    def _restyle(self) -> None:
        self.words.document().setDefaultFont(theme().reading_font(13))
        self.words.setStyleSheet(
            "QPlainTextEdit { border-radius: 6px; padding: 4px; border: 1px dashed "
            f"{theme().data('suggested').mark}; }}"
        )
