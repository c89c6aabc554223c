"""Asks what to erase for good, or what a copy to share leaves out, and shows what that means before it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QFormLayout, QListWidget, QListWidgetItem, QWidget

from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.dialog_buttons import DialogButtons, lay_out_scrolling
from desktop_app.widgets.labels import named, text_label
from desktop_app.widgets.layouts import column
from engine.operations.erase import KINDS, REMAINS, Affected
from engine.operations.share import PARTS, Choice
from engine.operations.targets import Target, targets
from engine.project import Project


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
        words = "The copy contains no history and nothing that identifies this computer. Your project isn't changed."
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


Look = Callable[[QObject, Target, Callable[[Affected], None]], None]
"""Finds what erasing a target would delete, as a job of the first argument."""


class EraseDialog(QDialog):
    """``wanted`` carries the target, and whether copies beside the project go, too."""

    wanted = Signal(object, bool)

    def __init__(self, project: Project, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Erase permanently")
        self._project, self._look = project, look
        self._found: Affected | None = None
        self._shown: Target | None = None
        names = {"annotator": "Annotator's work", "review": "Review or letter"}
        kinds = [(names.get(kind, words), kind) for kind, words in KINDS.items()]
        self.kind = ChoiceBox("What to erase", kinds, letters=16, parent=self)
        self.target = ChoiceBox("Item", letters=16, parent=self)
        self.affected = named(text_label("", wrap=True), "What will be deleted")
        self.copies = QCheckBox("Also delete earlier copies next to the project")
        self.copies.setChecked(True)
        self.copy_names = text_label("", "small", wrap=True)
        self.sure = QCheckBox("I understand that this can't be undone")
        self.buttons = DialogButtons(self, "Erase permanently")
        self._lay_out()
        self.kind.picked.connect(lambda _kind: self._list())
        self.target.picked.connect(lambda _target: self._show())
        self.sure.toggled.connect(lambda _on: self._enable())
        self.accepted.connect(self._send)
        self._list()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow("Erase", self.kind)
        form.addRow("Item", self.target)
        for box in (self.copies, self.sure):
            box.setAccessibleName(box.text())
        page, remains = QWidget(), text_label(REMAINS, "small", wrap=True)
        column(
            form, self.affected, self.copies, self.copy_names, remains, None,
            margins=(16, 16, 16, 8), spacing=8, of=page,
        )  # fmt: skip
        lay_out_scrolling(self, page, [self.sure, self.buttons], 90, 27)

    def _list(self) -> None:
        self.target.show_entries([(target.name, target) for target in targets(self._project, self.kind.value)])
        self._show()

    def _show(self) -> None:
        self._found = None
        self._shown = target = self.target.value
        self.sure.setChecked(False)
        self.copies.hide()
        self.copy_names.hide()
        if target is None:
            self.affected.setText("This project has none.")
        else:
            self.affected.setText("Counting…")
            self._look(self, target, lambda found: self._show_found(target, found))
        self._enable()

    def _show_found(self, target: Target, found: Affected) -> None:
        if target is not self._shown:
            return
        self._found = found
        self.affected.setText("\n\n".join(found.sentences))
        self.copies.setVisible(bool(found.copies))
        self.copy_names.setText(", ".join(file.name for file in found.copies))
        self.copy_names.setVisible(bool(found.copies))
        self._enable()

    def _enable(self) -> None:
        self.sure.setEnabled(self._found is not None)
        self.buttons.ok.setEnabled(self._found is not None and self.sure.isChecked())

    def _send(self) -> None:
        if self._found is not None and self.sure.isChecked():
            self.wanted.emit(self._found.target, self.copies.isChecked())
