"""The buttons of a dialog, and the layout of long dialogs."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from desktop_app.widgets.labels import scrolled, set_role
from desktop_app.widgets.layouts import column


class DialogButtons(QDialogButtonBox):
    """``ok`` (primary) accepts the dialog, the other one (Cancel, or ``refuse``) rejects it."""

    def __init__(self, dialog: QDialog, words: str, refuse: str = "") -> None:
        super().__init__(dialog)
        self.ok = self.addButton(words, QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self.ok, "primary")
        if refuse:
            self.addButton(refuse, QDialogButtonBox.ButtonRole.RejectRole)
        else:
            self.addButton(QDialogButtonBox.StandardButton.Cancel)
        for button in self.buttons():
            button.setAccessibleName(button.text().replace("&", ""))
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)


def lay_out_scrolling(dialog: QDialog, page: QWidget, foot: list[QWidget], columns: int, lines: int) -> None:
    """Lays out a page that scrolls above a foot that doesn't. The dialog is ``columns`` characters wide and ``lines``
    lines high in the current font, but never larger than its window."""
    column(
        (scrolled(page, dialog.windowTitle(), dialog), 1),
        column(*foot, margins=(16, 0, 16, 0), spacing=12),
        margins=(0, 0, 0, 12), spacing=12, of=dialog,
    )  # fmt: skip
    dialog.ensurePolished()  # the font is the theme's
    metrics, window = dialog.fontMetrics(), dialog.parentWidget()
    width, height = columns * metrics.averageCharWidth(), lines * metrics.lineSpacing()
    if window is not None:
        width, height = min(width, window.width() - 32), min(height, window.height() - 32)
    dialog.resize(width, height)
