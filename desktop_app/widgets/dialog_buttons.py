"""The foot of a dialog: what does it, and what leaves everything as it was."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox

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
