"""The selected algorithm of the set-up: its source and its parameters."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import text_label
from engine.expertise.algorithms.registry import Entry, Option, changed_options

ROOM = 158
"""Height of the largest algorithm, so that nothing below moves when another one is selected."""
_SIDES = 2


class Parameters(QWidget):
    """Two numbers in a row; a choice of names has a row of its own."""

    changed = Signal(str, tuple)
    """An algorithm, and its parameters that differ from the defaults."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Selected algorithm")
        self.citation = text_label("", "small", wrap=True, parent=self)
        self.boxes: dict[str, ChoiceBox] = {}
        self._labels: list[QLabel] = []
        self._entry: Entry | None = None
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.citation)
        layout.addLayout(self._grid)
        self._model = CommandButton(registry, "expertise.model", parent=self)
        layout.addWidget(self._model, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch(1)
        theme().changed.connect(self._resize)
        self._resize()

    def show_algorithm(self, entry: Entry, options: tuple[tuple[str, str], ...]) -> None:
        """Shows the parameters of another algorithm."""
        self._entry = entry
        self._model.setVisible(entry.takes_folder)
        for widget in (*self.boxes.values(), *self._labels):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.boxes, self._labels = {}, []
        none = "" if entry.options else " It has no parameters to set."
        self.citation.setText(f"{entry.title}: {entry.citation}.{none}")
        chosen, place = dict(options), 0
        for option in entry.options:
            wide = option.span is None
            place += place % _SIDES if wide else 0
            row, side = divmod(place, _SIDES)
            label = text_label(option.title, "small", parent=self)
            label.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
            box = self._box(option, chosen.get(option.name, option.default))
            self._grid.addWidget(label, row, 2 * side)
            self._grid.addWidget(box, row, 2 * side + 1, 1, 3 if wide else 1)
            self.boxes[option.name] = box
            self._labels.append(label)
            place += _SIDES if wide else 1

    def _box(self, option: Option, value: str) -> ChoiceBox:
        box = ChoiceBox(option.title, self, 2)
        box.offer([(choice, choice) for choice in dict.fromkeys((*option.choices, value))], value)
        box.setItemData(box.findData(option.default), "the default", Qt.ItemDataRole.ToolTipRole)
        box.setToolTip(f"{option.title}: {option.default} by default")
        box.picked.connect(lambda _value: self._emit())
        return box

    def _emit(self) -> None:
        assert self._entry is not None
        values = {name: box.key for name, box in self.boxes.items()}
        self.changed.emit(self._entry.id, changed_options(self._entry.id, values))

    def _resize(self) -> None:
        self.setFixedHeight(theme().px(ROOM))
