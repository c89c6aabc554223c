"""The foot of a dialog: what does it, and what leaves everything as it was."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop_app.widgets.labels import set_role


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
    """Lays out a page that scrolls over a foot that doesn't.

    The dialog is ``columns`` letters wide and ``lines`` lines high in the font as it is now, but never larger than the
    window that it belongs to.
    """
    scroll = QScrollArea(dialog)
    scroll.setAccessibleName(dialog.windowTitle())
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidget(page)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(0, 0, 0, 12)
    layout.setSpacing(12)
    layout.addWidget(scroll, 1)
    inner = QVBoxLayout()
    inner.setContentsMargins(16, 0, 16, 0)
    inner.setSpacing(12)
    for widget in foot:
        inner.addWidget(widget)
    layout.addLayout(inner)
    dialog.ensurePolished()  # the font is the theme's
    metrics, window = dialog.fontMetrics(), dialog.parentWidget()
    width, height = columns * metrics.averageCharWidth(), lines * metrics.lineSpacing()
    if window is not None:
        width, height = min(width, window.width() - 32), min(height, window.height() - 32)
    dialog.resize(width, height)
