"""Which aligner makes the suggestions: every strategy with its models, and why one cannot be used now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QWidget

from desktop_app.widgets.record_list import ChoiceBox

if TYPE_CHECKING:
    from engine.revision.means import Choice


class StrategyBox(ChoiceBox):
    """Reads the choices again each time it opens; one that lacks something is disabled and says what."""

    wanted = Signal(object)
    """A Choice was taken."""

    def __init__(self, read: Callable[[], tuple[Choice, ...]], parent: QWidget | None = None) -> None:
        super().__init__("Strategy for suggestions", letters=12, parent=parent)
        self._read = read
        self._choices: tuple[Choice, ...] = ()
        self._chosen = ("fused", "")
        self.activated.connect(self._taken)
        self.read_again()

    def read_again(self) -> None:
        """Shows the entries as they are now; the chosen one stays."""
        found = self._read()
        if found == self._choices:
            return
        self._choices = found
        model = QStandardItemModel(self)
        for choice in found:
            item = QStandardItem(f"{choice.title} ({choice.lacks})" if choice.lacks else choice.title)
            item.setEnabled(not choice.lacks)
            item.setToolTip(item.text())
            model.appendRow(item)
        self.setModel(model)  # the old one is a child of the box, which deletes it
        self.setCurrentIndex(max(0, next((n for n, one in enumerate(found) if _key(one) == self._chosen), -1)))

    def showPopup(self) -> None:
        self.read_again()
        wide = max((self.fontMetrics().horizontalAdvance(self.itemText(n)) for n in range(self.count())), default=0)
        self.view().setMinimumWidth(wide + 48)
        super().showPopup()

    def _taken(self, at: int) -> None:
        choice = self._choices[at]
        if not choice.lacks:
            self._chosen = _key(choice)
            self.wanted.emit(choice)


def _key(choice: Choice) -> tuple[str, str]:
    return choice.strategy, choice.model.id if choice.model else ""
