"""A box of named choices that leaves the pane its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from desktop_app.widgets.keys import KeepsKeys


class ChoiceBox(QComboBox):
    """Each choice has a text and a key. ``picked`` is emitted with the key when the user chooses one."""

    picked = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None, length: int = 14) -> None:
        """``length`` is how many characters are always visible."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(length)
        KeepsKeys(self)
        self.activated.connect(lambda _at: self.picked.emit(self.key))

    @property
    def key(self) -> str:
        """The key of the current choice; "" for none."""
        return self.currentData() or ""

    def offer(self, entries: Sequence[tuple[str, str]], chosen: str) -> None:
        """Shows these choices, text and key; selects the first one where ``chosen`` is not among them."""
        with QSignalBlocker(self):
            if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != list(entries):
                self.clear()
                for text, key in entries:
                    self.addItem(text, key)
            self.setCurrentIndex(max(0, self.findData(chosen)) if entries else -1)
