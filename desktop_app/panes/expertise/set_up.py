"""The left column: data, algorithms, representation, profile length, and the buttons to run and stop."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QSizePolicy, QSpinBox, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.expertise.state import Source
from desktop_app.theme import ROW
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.fields import ChoiceBox, number_box
from desktop_app.widgets.labels import named, scrolled, text_label
from desktop_app.widgets.layouts import at_least, column, command_button, fix_height, form_rows, row, spaced_grid
from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, Entry, Option, changed_options
from engine.expertise.experiments import PUBLISHED_LENGTH
from engine.expertise.laboratory import Choice, Setup
from engine.expertise.records import REPRESENTATIONS, Representation

ROOM = 158
"""Height of the largest set of parameters, so that nothing below moves when another algorithm is selected."""
_SIDES = 2


class Parameters(QWidget):
    """The parameters of an algorithm: two numbers per row; a choice of names takes a row by itself."""

    changed = Signal(str, tuple)
    """The algorithm's id, and its parameters that differ from the defaults."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Selected algorithm")
        self.citation = text_label("", "small", wrap=True, parent=self)
        self.boxes: dict[str, ChoiceBox] = {}
        self._labels: list[QLabel] = []
        self._entry: Entry | None = None
        self._grid = spaced_grid(8, 4)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        self._model = CommandButton(registry, "expertise.model", parent=self)
        column(self.citation, self._grid, row(self._model, None), None, spacing=6, of=self)
        fix_height(self, ROOM)

    def show_algorithm(self, entry: Entry, options: tuple[tuple[str, str], ...]) -> None:
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
            line, side = divmod(place, _SIDES)
            label = text_label(option.title, "small", parent=self)
            label.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
            box = self._box(option, chosen.get(option.name, option.default))
            self._grid.addWidget(label, line, 2 * side)
            self._grid.addWidget(box, line, 2 * side + 1, 1, 3 if wide else 1)
            self.boxes[option.name] = box
            self._labels.append(label)
            place += _SIDES if wide else 1

    def _box(self, option: Option, value: str) -> ChoiceBox:
        box = ChoiceBox(option.title, letters=2, parent=self)
        box.show_entries([(choice, choice) for choice in dict.fromkeys((*option.choices, value))], value)
        box.setItemData(box.findData(option.default), "the default", Qt.ItemDataRole.ToolTipRole)
        box.setToolTip(f"{option.title}: {option.default} by default")
        box.picked.connect(lambda _value: self._emit())
        return box

    def _emit(self) -> None:
        assert self._entry is not None
        values = {name: box.value for name, box in self.boxes.items()}
        self.changed.emit(self._entry.id, changed_options(self._entry.id, values))


_ID = Qt.ItemDataRole.UserRole
_FIRST = (DEFAULT, "tpms", "bm25")


class SetUp(QWidget):
    """The form for a run. Algorithms can be ticked and given a model folder and parameters."""

    changed = Signal()
    folder_wanted = Signal(str)
    """The id of an algorithm that was ticked and needs a model folder."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Set-up")
        self._registry = registry
        self._choices = {key: Choice(key) for key in ALGORITHMS}
        self.data = ChoiceBox("Data", letters=14, parent=self)
        self.algorithms = named(QListWidget(self), "Algorithms")
        self.algorithms.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.algorithms.itemChanged.connect(self._ticked)
        for entry in ALGORITHMS.values():
            item = QListWidgetItem(entry.title, self.algorithms)
            item.setData(_ID, entry.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if entry.id in _FIRST else Qt.CheckState.Unchecked)
            needs = {"folder": " It needs a model folder.", "encoder": " It uses the bundled encoder."}
            item.setToolTip(f"{entry.title} ({entry.id}): {entry.citation}.{needs.get(entry.needs, '')}")
        self.parameters = Parameters(registry, self)
        self.parameters.changed.connect(lambda key, options: self._set(replace(self._choices[key], options=options)))
        self.algorithms.currentItemChanged.connect(lambda item, _before: self._show_algorithm(item))
        self.algorithms.setCurrentRow(0)
        self.representation = ChoiceBox("Parts of a paper to read", letters=14, parent=self)
        self.representation.show_entries(
            [(name[:1].upper() + name[1:], name) for name in REPRESENTATIONS], "title+abstract"
        )
        self.representation.picked.connect(lambda _name: self.changed.emit())
        self.length = self._spin("Papers in the profile", PUBLISHED_LENGTH)
        self.draws = self._spin("Number of random profiles", 10)
        self.facts = text_label("", "small", wrap=True, parent=self)
        sizes = row((self.length, 1), text_label("Draws", parent=self), (self.draws, 1))
        form = form_rows(("Reads", self.representation), ("Profile", sizes))
        run = CommandButton(registry, "expertise.run", primary=True, parent=self)
        stop = command_button(registry, "expertise.stop", "", self, show_key=False)
        data, algorithms = (text_label(title, "section", parent=self) for title in ("Data", "Algorithms"))
        page = self._page = QWidget()
        column(
            data, self.data, self.facts, row(CommandButton(registry, "expertise.add_data", parent=self), None),
            algorithms, (self.algorithms, 1), self.parameters, form, margins=(12, 12, 12, 0), spacing=8, of=page,
        )  # fmt: skip
        self._area = scrolled(page, "Set-up", self)
        column((self._area, 1), row((run, 1), stop, margins=(12, 8, 12, 12)), spacing=0, of=self)
        at_least(self.algorithms, 0, 3 * ROW)

    def minimumSizeHint(self) -> QSize:
        """Returns room for the fields' width; what doesn't fit in height scrolls above the buttons."""
        bar = self._area.verticalScrollBar().sizeHint().width()
        return QSize(self._page.minimumSizeHint().width() + bar, super().minimumSizeHint().height())

    def show_sources(self, found: Sequence[Source], chosen: str) -> None:
        self.data.show_entries([(source.title, source.key) for source in found], chosen)

    def setup(self) -> Setup:
        return Setup(cast(Representation, self.representation.value), self.length.value(), self.draws.value())

    def choices(self) -> tuple[Choice, ...]:
        items = (item for item in self._items() if item.checkState() is Qt.CheckState.Checked)
        return tuple(self._choices[item.data(_ID)] for item in items)

    def tick(self, algorithms: Collection[str]) -> None:
        for item in self._items():
            on = item.data(_ID) in algorithms
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    @property
    def algorithm(self) -> Entry:
        return ALGORITHMS[self.algorithms.currentItem().data(_ID)]

    def folder_of(self, algorithm: str) -> Path | None:
        """Returns the model folder of an algorithm; None for the bundled model."""
        return self._choices[algorithm].folder

    def set_folder(self, algorithm: str, folder: Path | None) -> None:
        """Sets the model folder of an algorithm; without one, an algorithm that needs a folder is unticked."""
        ticked = True if folder is not None else False if ALGORITHMS[algorithm].needs == "folder" else None
        self._set(replace(self._choices[algorithm], folder=folder), ticked)

    def _set(self, choice: Choice, ticked: bool | None = None) -> None:
        self._choices[choice.algorithm] = choice
        item = next(item for item in self._items() if item.data(_ID) == choice.algorithm)
        with QSignalBlocker(self.algorithms):
            item.setText(choice.label)
            if ticked is not None:
                item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.changed.emit()

    def _show_algorithm(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            key = item.data(_ID)
            self.parameters.show_algorithm(ALGORITHMS[key], self._choices[key].options)
            self._registry.state_changed.emit()

    def _items(self) -> list[QListWidgetItem]:
        return [self.algorithms.item(row) for row in range(self.algorithms.count())]

    def _ticked(self, item: QListWidgetItem) -> None:
        key = item.data(_ID)
        needs = ALGORITHMS[key].needs == "folder" and self._choices[key].folder is None
        if item.checkState() is Qt.CheckState.Checked and needs:
            self.folder_wanted.emit(key)
        else:
            self.changed.emit()

    def _spin(self, name: str, value: int) -> QSpinBox:
        spin = number_box(name, 1, PUBLISHED_LENGTH, tip=name, parent=self, value=value, keyboardTracking=True)
        spin.valueChanged.connect(lambda _n: self.changed.emit())
        return spin
