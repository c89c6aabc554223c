"""What stands in the place of the form while no review of the paper was begun: the forms to choose from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from engine.review_drafting.forms import SHIPPED, shipped


class BeginPage(QWidget):
    """One button for each form."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(24, 24, 24, 24)
        rows.setSpacing(6)
        rows.addStretch(1)
        rows.addWidget(text_label("Begin a review", "title", parent=self))
        rows.addWidget(
            text_label(
                "Choose the form of the venue. It can be changed later; what you wrote goes along.", "muted", wrap=True,
                parent=self,
            )
        )  # fmt: skip
        rows.addSpacing(12)
        self.first: CommandButton | None = None
        for key in SHIPPED:
            form = shipped(key)
            button = CommandButton(registry, f"review.begin_{key}", text=form.title, parent=self)
            KeepsKeys(button)
            self.first = self.first or button
            rows.addWidget(button)
            if form.note:
                rows.addWidget(text_label(form.note, "small", wrap=True, parent=self))
            rows.addSpacing(8)
        button = CommandButton(registry, "review.import_form", text="Another form from OpenReview…", parent=self)
        KeepsKeys(button)
        rows.addWidget(button)
        rows.addWidget(text_label("The JSON of an OpenReview invitation, as a file.", "small", wrap=True, parent=self))
        rows.addStretch(2)

    def take_focus(self) -> None:
        if self.first is not None:
            self.first.setFocus(Qt.FocusReason.ShortcutFocusReason)
