"""Asks what a shared copy is to hold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QListWidget, QListWidgetItem, QWidget

from desktop_app.widgets.dialog_buttons import DialogButtons, lay_out_scrolling
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column
from engine.operations.share import PARTS, Choice


class ShareDialog(QDialog):
    """``chosen`` carries the Choice. Papers can be chosen where there is more than one."""

    chosen = Signal(object)

    def __init__(self, papers: Sequence[tuple[str, str]], choice: Choice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Share a copy")
        self.papers = named(QListWidget(), "Papers")
        for key, title in papers:
            item = QListWidgetItem(title, self.papers)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
        several = len(papers) > 1
        self.papers.setMaximumHeight(self.papers.sizeHintForRow(0) * min(5, len(papers)) + 8)
        self.parts = {part.id: _check(part.title, part.id in choice.parts) for part in PARTS}
        self.anonymous = _check("Number annotators instead of naming them", choice.anonymous)
        words = "The copy has no history, and no trace of this computer. Your project stays as it is."
        note = "Names inside PDFs, reviews and other texts aren't changed."
        page, heading = QWidget(), text_label("Papers", "section")
        column(
            text_label(words, wrap=True), heading, self.papers, text_label("Include", "section"), *self.parts.values(),
            text_label("Names", "section"), self.anonymous, text_label(note, "small", wrap=True), None,
            margins=(16, 16, 16, 8), spacing=6, of=page,
        )  # fmt: skip
        heading.setVisible(several)
        self.papers.setVisible(several)
        self.buttons = DialogButtons(self, "Save copy as…")
        lay_out_scrolling(self, page, [self.buttons], 90, 36)
        self.papers.itemChanged.connect(lambda _item: self.buttons.ok.setEnabled(self._papers() != ()))
        self.accepted.connect(lambda: self.chosen.emit(self.choice()))

    def _papers(self) -> tuple[str, ...] | None:
        """The papers that are ticked; None for all."""
        items = [self.papers.item(row) for row in range(self.papers.count())]
        chosen = [item for item in items if item.checkState() == Qt.CheckState.Checked]
        if len(chosen) == len(items):
            return None
        return tuple(item.data(Qt.ItemDataRole.UserRole) for item in chosen)

    def choice(self) -> Choice:
        """What is ticked."""
        parts = frozenset(key for key, box in self.parts.items() if box.isChecked())
        return Choice(self._papers(), parts, self.anonymous.isChecked())


def _check(title: str, on: bool) -> QCheckBox:
    box = named(QCheckBox(title), title)
    box.setChecked(on)
    return box
