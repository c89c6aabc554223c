"""Shown instead of the form until a review of the paper is begun: the forms to choose from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.review.choices import FORMS
from desktop_app.panes.review.layout import button, column, surface
from desktop_app.widgets.labels import text_label
from engine.review_drafting.forms import shipped


class BeginPage(QWidget):
    """One button for each form."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        surface(self)
        rows = column(
            None,
            text_label("Start a review", "title", parent=self),
            text_label("Choose the form of the venue. You can change it later and keep your text.", "muted", wrap=True),
            margins=(24, 24, 24, 24), spacing=6, on=self,
        )  # fmt: skip
        rows.addSpacing(12)
        offered = [(f"begin_{key}", title, shipped(key).note) for key, title in FORMS.items()]
        imported = ("import_form", "Other form from OpenReview…", "An OpenReview invitation as a JSON file.")
        self.buttons = []
        for name, title, note in (*offered, imported):
            self.buttons.append(button(registry, name, title, self))
            rows.addWidget(self.buttons[-1])
            if note:
                rows.addWidget(text_label(note, "small", wrap=True, parent=self))
            rows.addSpacing(8)
        rows.addStretch(2)

    def take_focus(self) -> None:
        self.buttons[0].setFocus(Qt.FocusReason.ShortcutFocusReason)
