"""The left column: data, algorithms, representation, profile length, and the buttons to run and stop."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop_app.commands import CommandRegistry
from desktop_app.panes.expertise.parameters import Parameters
from desktop_app.panes.expertise.sources import Source
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.choice_box import ChoiceBox
from desktop_app.widgets.labels import text_label
from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, Entry
from engine.expertise.laboratory import Choice, Setup
from engine.expertise.profiles import PUBLISHED_LENGTH
from engine.expertise.records import REPRESENTATIONS, Representation

_ID = Qt.ItemDataRole.UserRole
_FOLDER = Qt.ItemDataRole.UserRole + 1
_OPTIONS = Qt.ItemDataRole.UserRole + 2
_FIRST = (DEFAULT, "tpms", "bm25")


class SetUp(QWidget):
    """A form of what to run. Its algorithms can be ticked, given a model folder, and given parameters."""

    source_chosen = Signal(str)
    changed = Signal()
    folder_wanted = Signal(str)
    """The id of an algorithm that was ticked and needs a model folder."""

    def __init__(self, registry: CommandRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Set-up")
        self._registry = registry
        self.data = ChoiceBox("Data", self)
        self.data.picked.connect(self.source_chosen)
        self.algorithms = QListWidget(self)
        self.algorithms.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.algorithms.setAccessibleName("Algorithms")
        self.algorithms.itemChanged.connect(self._ticked)
        for entry in ALGORITHMS.values():
            item = QListWidgetItem(entry.title, self.algorithms)
            item.setData(_ID, entry.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if entry.id in _FIRST else Qt.CheckState.Unchecked)
            needs = {"folder": " It needs a model folder.", "encoder": " It uses the bundled encoder."}
            item.setToolTip(f"{entry.title} ({entry.id}): {entry.citation}.{needs.get(entry.needs, '')}")
        self.parameters = Parameters(registry, self)
        self.parameters.changed.connect(self._set_options)
        self.algorithms.currentItemChanged.connect(lambda item, _before: self._show_algorithm(item))
        self.algorithms.setCurrentRow(0)
        self.representation = ChoiceBox("Parts of a paper to read", self)
        self.representation.offer([(name[:1].upper() + name[1:], name) for name in REPRESENTATIONS], "title+abstract")
        self.representation.picked.connect(lambda _name: self.changed.emit())
        self.length = self._spin("Papers in the profile", PUBLISHED_LENGTH)
        self.draws = self._spin("Draws of profiles", 10)
        self._facts = text_label("", "small", wrap=True, parent=self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(text_label("Data", "section", parent=self))
        layout.addWidget(self.data)
        layout.addWidget(self._facts)
        layout.addWidget(CommandButton(registry, "expertise.add_data", parent=self), 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(text_label("Algorithms", "section", parent=self))
        layout.addWidget(self.algorithms, 1)
        layout.addWidget(self.parameters)
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow("Reads", self.representation)
        form.addRow("Profile", self.length)
        form.addRow("Draws", self.draws)
        layout.addLayout(form)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(CommandButton(registry, "expertise.run", primary=True, parent=self), 1)
        buttons.addWidget(CommandButton(registry, "expertise.stop", show_key=False, parent=self))
        layout.addLayout(buttons)

    def show_sources(self, found: Sequence[Source], chosen: str) -> None:
        self.data.offer([(source.title, source.key) for source in found], chosen)

    def show_facts(self, words: str) -> None:
        self._facts.setText(words)

    def setup(self) -> Setup:
        """Everything but the algorithms."""
        return Setup(cast(Representation, self.representation.key), self.length.value(), self.draws.value())

    def choices(self) -> tuple[Choice, ...]:
        """The ticked algorithms, in the order of the list."""
        return tuple(self._choice(item) for item in self._items() if item.checkState() is Qt.CheckState.Checked)

    def tick(self, algorithms: Collection[str]) -> None:
        """Ticks these algorithms and no others."""
        for item in self._items():
            on = item.data(_ID) in algorithms
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    @property
    def algorithm(self) -> Entry:
        """The selected algorithm."""
        return ALGORITHMS[self.algorithms.currentItem().data(_ID)]

    def folder_of(self, algorithm: str) -> Path | None:
        """The model folder of an algorithm; None for the bundled model."""
        return self._choice(self._item(algorithm)).folder

    @staticmethod
    def _choice(item: QListWidgetItem) -> Choice:
        folder = item.data(_FOLDER)
        return Choice(item.data(_ID), Path(folder) if folder else None, tuple(item.data(_OPTIONS) or ()))

    def set_folder(self, algorithm: str, folder: Path | None) -> None:
        """Sets the model folder of an algorithm; one that needs a folder and has none isn't ticked."""
        item = self._item(algorithm)
        with QSignalBlocker(self.algorithms):
            item.setData(_FOLDER, str(folder) if folder else None)
            if folder is not None:
                item.setCheckState(Qt.CheckState.Checked)
            elif ALGORITHMS[algorithm].needs == "folder":
                item.setCheckState(Qt.CheckState.Unchecked)
        self._name(item)
        self.changed.emit()

    def _set_options(self, algorithm: str, options: tuple[tuple[str, str], ...]) -> None:
        item = self._item(algorithm)
        with QSignalBlocker(self.algorithms):
            item.setData(_OPTIONS, options)
        self._name(item)
        self.changed.emit()

    def _name(self, item: QListWidgetItem) -> None:
        with QSignalBlocker(self.algorithms):
            item.setText(self._choice(item).label)

    def _show_algorithm(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            choice = self._choice(item)
            self.parameters.show_algorithm(ALGORITHMS[choice.algorithm], choice.options)
            self._registry.state_changed.emit()

    def _items(self) -> list[QListWidgetItem]:
        return [self.algorithms.item(row) for row in range(self.algorithms.count())]

    def _item(self, algorithm: str) -> QListWidgetItem:
        return next(item for item in self._items() if item.data(_ID) == algorithm)

    def _ticked(self, item: QListWidgetItem) -> None:
        needs = ALGORITHMS[item.data(_ID)].needs
        if item.checkState() is Qt.CheckState.Checked and needs == "folder" and not item.data(_FOLDER):
            self.folder_wanted.emit(item.data(_ID))
        else:
            self.changed.emit()

    def _spin(self, name: str, value: int) -> QSpinBox:
        spin = QSpinBox(self)
        spin.setAccessibleName(name)
        spin.setToolTip(name)
        spin.setRange(1, PUBLISHED_LENGTH)
        spin.setValue(value)
        spin.lineEdit().setTextMargins(5, 0, 0, 0)
        spin.valueChanged.connect(lambda _n: self.changed.emit())
        return spin
