"""Fine-tuning an encoder for labels: what it learns from, which encoder it starts from, and where the new one goes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop_app.device import device
from desktop_app.widgets.dialog_buttons import DialogButtons
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.widgets.labels import set_role, text_label
from engine.exchange.labelled_folders import data_set_of
from engine.reviews.labels.records import LEAST_FOR_HEADS
from engine.user_files import data_folder

OWN, FOLDER = "own", "folder"


@dataclass(frozen=True, slots=True)
class Start:
    """An encoder to start from."""

    title: str
    folder: Path


class TuningDialog(QDialog):
    """What was chosen stands in ``source``, ``data``, ``start``, ``out``, ``specialise`` and ``epochs``."""

    def __init__(
        self, starts: Sequence[Start], own_sentences: int, least: int, files: FileDialogs, parent: QWidget | None = None
    ) -> None:
        """``own_sentences``: of the layer with the most labels in the open project; ``least`` are needed."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Fine-tune an encoder for labels")
        self.setAccessibleName("Fine-tune an encoder for labels")
        self.resize(620, 0)
        self._own, self._least, self._files = own_sentences, least, files
        self._starts = tuple(starts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        words = (
            "Trains a whole encoder on labelled sentences of reviews. It then suggests labels together with the heads. "
            "A fifth of the papers is kept back and says how good it is; training stops early when it gains no more."
        )
        layout.addWidget(text_label(words, "muted", wrap=True, parent=self))
        self.source_box = QComboBox(self)
        self.source_box.setAccessibleName("Learn from")
        self.source_box.addItem("A folder with Peer-Review-Analyze or DISAPERE", FOLDER)
        self.source_box.addItem(f"The labels of this project ({own_sentences:,} sentences)", OWN)
        self.data_line, data_row = self._folder_row("Folder with the data set", self._choose_data)
        self.start_box = QComboBox(self)
        self.start_box.setAccessibleName("Start from")
        for start in starts:
            self.start_box.addItem(start.title, str(start.folder))
        self.specialise_box = QCheckBox("First go on reading: masked language modelling on the training reviews", self)
        self.specialise_box.setAccessibleName("Specialise on reviews first")
        self.specialise_box.setToolTip("Specialises the encoder to the language of reviews, as published; about twice "
                                       "the time.")  # fmt: skip
        self.epoch_box = QSpinBox(self)
        self.epoch_box.setAccessibleName("Epochs at most")
        self.epoch_box.setRange(1, 30)
        self.epoch_box.setValue(3)
        self.out_line, out_row = self._folder_row("New folder", self._choose_out)
        form = QFormLayout()
        form.setSpacing(8)
        form.addRow("Learn from", self.source_box)
        form.addRow("Data set", data_row)
        form.addRow("Start from", self.start_box)
        form.addRow("", self.specialise_box)
        form.addRow("Epochs at most", self.epoch_box)
        form.addRow("Keep in", out_row)
        layout.addLayout(form)
        self.note = text_label("", "muted", wrap=True, parent=self)
        self.note.setMinimumHeight(self.note.fontMetrics().lineSpacing() * 3)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.note)
        buttons = DialogButtons(self, "Fine-tune")
        self.ok = buttons.ok
        layout.addWidget(buttons)
        if own_sentences >= least:
            self.source_box.setCurrentIndex(1)
        self.source_box.currentIndexChanged.connect(self._check)
        self.data_line.textChanged.connect(self._check)
        self.out_line.textChanged.connect(self._check)
        self.start_box.currentIndexChanged.connect(self._name_out)
        self._name_out()
        self._check()

    # --- what was chosen ------------------------------------------------------------------------------------------

    @property
    def source(self) -> str:
        return str(self.source_box.currentData())

    @property
    def data(self) -> Path:
        return Path(self.data_line.text().strip()).expanduser()

    @property
    def start(self) -> Start:
        return self._starts[self.start_box.currentIndex()]

    @property
    def out(self) -> Path:
        return Path(self.out_line.text().strip()).expanduser()

    @property
    def specialise(self) -> bool:
        return self.specialise_box.isChecked()

    @property
    def epochs(self) -> int:
        return self.epoch_box.value()

    # --- inside ---------------------------------------------------------------------------------------------------

    def _folder_row(self, name: str, choose: object) -> tuple[QLineEdit, QHBoxLayout]:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        line.setPlaceholderText(name)
        button = QPushButton("Choose…", self)
        button.setAccessibleName(f"Choose: {name}")
        button.setAutoDefault(False)
        button.clicked.connect(choose)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(line, 1)
        row.addWidget(button)
        return line, row

    def _choose_data(self) -> None:
        folder = self._files.choose_folder(self, "Choose a folder of labelled reviews")
        if folder is not None:
            self.data_line.setText(str(folder))

    def _choose_out(self) -> None:
        folder = self._files.choose_folder(self, "Choose an empty folder for the new encoder")
        if folder is not None:
            self.out_line.setText(str(folder))

    def _name_out(self) -> None:
        if self.out_line.isModified():
            return
        stem = re.sub(r"[^\w.-]+", "-", self.start.title).strip("-").lower() or "encoder"
        folder = data_folder() / "models"
        number, out = 1, folder / f"{stem}-labels"
        while out.exists():
            number += 1
            out = folder / f"{stem}-labels-{number}"
        self.out_line.setText(str(out))

    def _check(self) -> None:
        own = self.source == OWN
        self.data_line.setEnabled(not own)
        wrong = ""
        if own and self._own < self._least:
            wrong = (
                f"{self._least} labelled sentences of one kind are needed. Heads learn from {LEAST_FOR_HEADS}:"
                " Learn from my labels."
            )
        elif not own and not (self.data_line.text().strip() and self.data.is_dir()):
            wrong = "Choose the folder that the data set is in."
        elif not self.out_line.text().strip():
            wrong = "Say where the new encoder shall be kept."
        where = device()[0]
        told = (
            f"It runs on the {where}, beside your work, with progress and Cancel at the foot of the window."
            f"{'' if where == 'GPU' else ' On a processor, some ten thousand sentences take a quarter of an hour.'}"
        )
        if not wrong and not own and data_set_of(self.data).research_only:
            told = (
                f"The licence of {data_set_of(self.data).title} allows no commercial use: for your own research. {told}"
            )
        self.note.setText(wrong or told)
        set_role(self.note, "danger" if wrong else "muted")
        self.ok.setEnabled(not wrong)
