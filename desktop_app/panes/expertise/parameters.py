"""The algorithm at hand in the set-up: whom it is of, and the parameters that it can be given."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.theme import theme
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label
from engine.expertise.algorithms.registry import Entry, Option, changed_options

ROOM = 158
"""Height that the largest algorithm takes, so that nothing below moves as one goes through the list."""
_SIDES = 2


class Parameters(QWidget):
    """Numbers stand two in a row, names alone in theirs."""

    changed = Signal(str, tuple)
    """An algorithm, and its parameters that differ from the defaults."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The algorithm at hand")
        self.citation = text_label("", "small", wrap=True, parent=self)
        self.boxes: dict[str, QComboBox] = {}
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
        self._model_place = QHBoxLayout()
        layout.addLayout(self._model_place)
        self._model: QWidget | None = None
        layout.addStretch(1)
        theme().changed.connect(self._resize)
        self._resize()

    def add_button(self, button: QWidget) -> None:
        """The button that asks for a model folder; it shows where the algorithm takes one."""
        self._model = button
        self._model_place.addWidget(button)
        self._model_place.addStretch(1)
        button.setVisible(self._entry is not None and self._entry.takes_folder)

    def show_algorithm(self, entry: Entry, options: tuple[tuple[str, str], ...]) -> None:
        """Puts the parameters of another algorithm in place of those that stood there."""
        self._entry = entry
        if self._model is not None:
            self._model.setVisible(entry.takes_folder)
        for widget in (*self.boxes.values(), *self._labels):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.boxes, self._labels = {}, []
        none = "" if entry.options else " As published: there is nothing to set."
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

    def _box(self, option: Option, value: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(option.title)
        for choice in dict.fromkeys((*option.choices, value)):
            box.addItem(choice, choice)
            if choice == option.default:
                box.setItemData(box.count() - 1, "the default", Qt.ItemDataRole.ToolTipRole)
        box.setCurrentIndex(box.findData(value))
        box.setToolTip(f"{option.title}: {option.default}, unless changed")
        box.activated.connect(lambda _at: self._tell())
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(2)
        KeepsKeys(box)
        return box

    def _tell(self) -> None:
        assert self._entry is not None
        values = {name: str(box.currentData()) for name, box in self.boxes.items()}
        self.changed.emit(self._entry.id, changed_options(self._entry.id, values))

    def _resize(self) -> None:
        self.setFixedHeight(theme().px(ROOM))
