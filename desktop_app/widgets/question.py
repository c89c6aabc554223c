"""A question with answers as buttons, without a nested event loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def ask(
    parent: QWidget, title: str, text: str, detail: str, answers: Mapping[str, Callable[[], object] | None]
) -> QMessageBox:
    """Shows a question; the last answer is the default and that of Escape. Calls the function of the chosen answer."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(detail)
    role = QMessageBox.ButtonRole.DestructiveRole
    for words in answers:
        role = QMessageBox.ButtonRole.RejectRole if words == list(answers)[-1] else role
        button = box.addButton(words, role)
    box.setDefaultButton(button)
    box.setEscapeButton(button)

    def answered() -> None:
        chosen = box.clickedButton()
        run = answers.get(chosen.text().replace("&", "")) if chosen is not None else None
        if run is not None:
            run()

    box.finished.connect(answered)
    box.open()
    return box
