"""A box of named values that leaves the pane its keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QToolTip, QWidget

from desktop_app.widgets.keys import KeepsKeys


class ChoiceBox(QComboBox):
    """Each entry has its words and a value. The box keeps its value when the entries change, if that is still offered.
    ``letters`` are always visible; with 0 the widest entry is."""

    picked = Signal(object)
    """The person picked this value."""

    def __init__(
        self, name: str, entries: Sequence[tuple[str, Any]] = (), *, letters: int = 6, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if letters:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(letters)
        KeepsKeys(self)
        self.show_entries(entries)
        self.currentIndexChanged.connect(lambda _at: self.picked.emit(self.value))

    @property
    def tip(self) -> str:
        """What the tooltip says: the name, and the current entry where it is cut off."""
        return self.toolTip() if self._elided() == self.currentText() else f"{self.toolTip()}: {self.currentText()}"

    def _elided(self) -> str:
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width() - 2
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        option.currentText = self._elided()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip, self)
            return True
        return super().event(event)

    @property
    def value(self) -> Any:
        """The value of the current entry; None without one."""
        return self.currentData()

    def show_entries(self, entries: Sequence[tuple[str, Any]], value: object = None) -> None:
        """Offers ``entries`` and shows ``value`` (None: the one shown before, else the first). Emits nothing."""
        wanted = self.value if value is None else value
        with QSignalBlocker(self):
            if [(self.itemText(n), self.itemData(n)) for n in range(self.count())] != list(entries):
                self.clear()
                for words, data in entries:
                    self.addItem(words, data)
            known = [data for _, data in entries]
            self.setCurrentIndex(known.index(wanted) if wanted in known else min(0, len(known) - 1))

    def show_value(self, value: object) -> None:
        """Shows a value (the first one where it is not offered) without emitting it."""
        with QSignalBlocker(self):
            self.setCurrentIndex(max(0, self.findData(value)))
