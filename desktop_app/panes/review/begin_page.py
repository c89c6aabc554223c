"""Shown instead of the form until a review of the paper is begun: the forms to choose from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.choices import FORMS
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import Parts, column, command_button, surface
from engine.review_drafting.forms import shipped


class BeginPage(QWidget):
    """One button for each form."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self, "Start a review")
        offered = [(f"begin_{key}", title, shipped(key).note) for key, title in FORMS.items()]
        imported = ("import_form", "Other form from OpenReview…", "An OpenReview invitation as a JSON file.")
        words = "Choose the form of the venue. You can change it later and keep your text."
        rows: list[Parts] = [
            None, text_label("Start a review", "title", parent=self), text_label(words, "muted", wrap=True), 12,
        ]  # fmt: skip
        self.buttons = []
        for name, title, note in (*offered, imported):
            self.buttons.append(command_button(registry, f"review.{name}", title, self))
            notes = [text_label(note, "small", wrap=True, parent=self)] if note else []
            rows += [self.buttons[-1], *notes, 8]
        column(*rows, (None, 2), margins=(24, 24, 24, 24), spacing=6, of=self)

    def take_focus(self) -> None:
        self.buttons[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
