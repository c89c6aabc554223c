"""A cluster made by hand, renamed, or given further texts: root, theme, action, sentences, candidates."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QPlainTextEdit, QWidget

from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.layouts import column
from engine.rebuttal.preferences.naming import Part, identified, options, title
from engine.rebuttal.preferences.records import Cluster, NewCluster, NewSentence

_PARTS: tuple[tuple[Part, str], ...] = (("root", "Aspect"), ("theme", "Theme"), ("action", "Rebuttal action"))


class ClusterDialog(QDialog):
    """``cluster()`` is what was entered. With ``named``, only a cluster's names can be entered; with ``adds``, only
    sentences and candidates."""

    def __init__(self, named: Cluster | None = None, parent: QWidget | None = None, *, adds: bool = False) -> None:
        super().__init__(parent)
        words = "Add sentences and candidates" if adds else "New cluster" if named is None else "Rename cluster"
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(words)
        self.setAccessibleName(words)
        self.resize(620, 480 if named is None else 200)
        self.boxes: dict[Part, QComboBox] = {}
        form = QFormLayout()
        form.setSpacing(8)
        for part, name in _PARTS if not adds else ():
            box = self.boxes[part] = QComboBox(self)
            box.setEditable(True)
            box.setAccessibleName(name)
            for key, entry in options(part):
                box.addItem(entry, key)
            box.setCurrentIndex(-1)
            if named is not None:
                box.setEditText(title(part, getattr(named, part)))
            form.addRow(name, box)
        self.sentences = self._lines("Review sentences", "What the reviewers said, one sentence per line")
        self.candidates = self._lines("Candidates", "Rebuttals to compare, one per line")
        for field in (self.sentences, self.candidates):
            if named is None:
                form.addRow(field.accessibleName(), field)
            field.setHidden(named is not None)
        column(
            (form, 1), DialogButtons(self, "Save" if named else "Add"), margins=(16, 16, 16, 16), spacing=12, of=self
        )

    def _lines(self, name: str, hint: str) -> QPlainTextEdit:
        field = QPlainTextEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        field.setTabChangesFocus(True)
        return field

    def cluster(self) -> NewCluster:
        """What was entered; titles of the taxonomy become its ids."""
        root, theme, action = (identified(p, self.boxes[p].currentText()) if self.boxes else "" for p, _ in _PARTS)
        return NewCluster(root, theme, action, lines(self.sentences), lines(self.candidates, "in"))


def lines(field: QPlainTextEdit, decision: Literal["in"] | None = None) -> tuple[NewSentence, ...]:
    """Each line of a field that is not empty."""
    found = (" ".join(line.split()) for line in field.toPlainText().splitlines())
    return tuple(NewSentence(line, decision=decision) for line in dict.fromkeys(found) if line)
