"""Asks what to erase for good, shows what that deletes, and goes on only after a tick."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFormLayout, QVBoxLayout, QWidget

from desktop_app.widgets.dialog_buttons import DialogButtons, lay_out_scrolling
from desktop_app.widgets.labels import text_label
from engine.operations.erase import KINDS, REMAINS, Affected
from engine.operations.targets import Target, targets
from engine.project import Project

Look = Callable[[QObject, Target, Callable[[Affected], None]], None]
"""Finds what erasing a target would delete, as a job of the first argument."""


class EraseDialog(QDialog):
    """``wanted`` carries the target, and whether copies beside the project go, too."""

    wanted = Signal(object, bool)

    def __init__(self, project: Project, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Erase permanently")
        self.setAccessibleName("Erase permanently")
        self._project, self._look = project, look
        self._found: Affected | None = None
        self._shown: Target | None = None
        self.kind = self._box("What to erase")
        for kind, words in KINDS.items():
            self.kind.addItem({"Annotator": "Annotator's work", "Review": "Review or letter"}.get(words, words), kind)
        self.target = self._box("Which one")
        self.affected = text_label("", wrap=True)
        self.affected.setAccessibleName("What will be deleted")
        self.copies = QCheckBox("Also delete earlier copies beside the project")
        self.copies.setChecked(True)
        self.copy_names = text_label("", "small", wrap=True)
        self.sure = QCheckBox("I understand that this can't be undone")
        self.buttons = DialogButtons(self, "Erase permanently")
        self._lay_out()
        self.kind.currentIndexChanged.connect(lambda _at: self._list())
        self.target.currentIndexChanged.connect(lambda _at: self._show())
        self.sure.toggled.connect(lambda _on: self._enable())
        self.accepted.connect(self._send)
        self._list()

    def _box(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        return box

    def _lay_out(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 16, 16, 8)
        column.setSpacing(8)
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow("Erase", self.kind)
        form.addRow("Which one", self.target)
        column.addLayout(form)
        column.addWidget(self.affected)
        for box in (self.copies, self.sure):
            box.setAccessibleName(box.text())
        column.addWidget(self.copies)
        column.addWidget(self.copy_names)
        column.addWidget(text_label(REMAINS, "small", wrap=True, parent=page))
        column.addStretch(1)
        lay_out_scrolling(self, page, [self.sure, self.buttons], 90, 27)

    def _list(self) -> None:
        with QSignalBlocker(self.target):
            self.target.clear()
            for target in targets(self._project, self.kind.currentData()):
                self.target.addItem(target.name, target)
        self._show()

    def _show(self) -> None:
        self._found = None
        self._shown = target = self.target.currentData()
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
