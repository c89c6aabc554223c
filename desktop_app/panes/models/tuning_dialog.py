"""Fine-tuning an encoder for labels: the dialog, the job, and notices about its result."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QDialog, QLineEdit, QPushButton, QSpinBox, QWidget

from desktop_app import if_any
from desktop_app.device import device
from desktop_app.panes.base import PaneTools
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.dialogs import lay_out_form
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.file_dialogs import FileDialogs
from desktop_app.widgets.labels import named, say
from desktop_app.widgets.layouts import form_rows, row
from desktop_app.widgets.model_jobs import OneJob
from desktop_app.writing import free_folder
from engine.exchange.labelled_folders import data_set_of
from engine.jobs import Failure
from engine.models.library import ModelLibrary
from engine.reviews.labels.records import LAYERS, LEAST_FOR_HEADS
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layer
from engine.shown import counted
from engine.user_files import data_folder

if TYPE_CHECKING:
    from engine.research.tasks import TunedEncoder


OWN, FOLDER = "own", "folder"


@dataclass(frozen=True, slots=True)
class Start:
    title: str
    folder: Path


class TuningDialog(QDialog):
    """``source``, ``data``, ``start``, ``out``, ``specialise_box`` and ``epoch_box`` hold the choices."""

    def __init__(
        self, starts: Sequence[Start], own_sentences: int, least: int, files: FileDialogs, parent: QWidget | None = None
    ) -> None:
        """``own_sentences``: labelled sentences in the project's fullest layer, of which ``least`` are needed."""
        super().__init__(parent)
        self.setWindowTitle("Fine-tune an encoder for labels")
        self.resize(620, 0)
        self._own, self._least, self._files = own_sentences, least, files
        self._starts = tuple(starts)
        about = (
            "Trains a whole encoder on labelled review sentences. It then suggests labels together with the heads. "
            "A fifth of the papers is held out for evaluation; training stops early when results no longer improve."
        )
        own = f"The labels of this project ({counted(own_sentences, 'sentence')})"
        sources = (("A folder with Peer-Review-Analyze or DISAPERE", FOLDER), (own, OWN))
        self.source_box = ChoiceBox("Train on", sources, letters=24, parent=self)
        self.data_line, data_row = self._folder_row("Folder with the data set", "Choose a folder of labelled reviews")
        encoders = [(start.title, str(start.folder)) for start in starts]
        self.start_box = ChoiceBox("Start from", encoders, letters=24, parent=self)
        self.specialise_box = named(
            QCheckBox("First continue pre-training on the training reviews", self), "Specialise on reviews first"
        )
        self.specialise_box.setToolTip(
            "Adapts the encoder to reviews by masked language modelling, as in the published method. Takes about "
            "twice as long."
        )
        self.epoch_box = named(QSpinBox(self, minimum=1, maximum=30, value=3), "Maximum epochs")
        self.out_line, out_row = self._folder_row("New folder", "Choose an empty folder for the new encoder")
        form = form_rows(
            ("Train on", self.source_box), ("Data set", data_row), ("Start from", self.start_box),
            ("", self.specialise_box), ("Maximum epochs", self.epoch_box), ("Save to", out_row),
        )  # fmt: skip
        self.note, self.ok = lay_out_form(self, about, form, "Fine-tune")
        if own_sentences >= least:
            self.source_box.setCurrentIndex(1)
        self.source_box.currentIndexChanged.connect(self._check)
        self.data_line.textChanged.connect(self._check)
        self.out_line.textChanged.connect(self._check)
        self.start_box.currentIndexChanged.connect(self._name_out)
        self._name_out()
        self._check()

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

    def _folder_row(self, name: str, title: str) -> tuple[QLineEdit, QBoxLayout]:
        line = named(QLineEdit(self), name, hint=name)
        button = named(QPushButton("Choose…", self), f"Choose: {name}")
        button.setAutoDefault(False)
        button.clicked.connect(
            lambda: if_any(self._files.choose_folder(self, title), lambda folder: line.setText(str(folder)))
        )
        return line, row((line, 1), button)

    def _name_out(self) -> None:
        if self.out_line.isModified():
            return
        stem = re.sub(r"[^\w.-]+", "-", self.start.title).strip("-").lower() or "encoder"
        self.out_line.setText(str(free_folder(data_folder() / "models", f"{stem}-labels")))

    def _check(self) -> None:
        own = self.source == OWN
        self.data_line.setEnabled(not own)
        wrong = ""
        if own and self._own < self._least:
            wrong = (
                f"{self._least} labelled sentences in one layer are needed. Heads need only {LEAST_FOR_HEADS}:"
                " use “Learn from my labels”."
            )
        elif not own and not (self.data_line.text().strip() and self.data.is_dir()):
            wrong = "Choose the folder of the data set."
        elif not self.out_line.text().strip():
            wrong = "Choose where to save the new encoder."
        where = device()[0]
        about = (
            f"It runs on the {where} in the background. The status bar shows progress and lets you cancel."
            f"{'' if where == 'GPU' else ' On a CPU, ten thousand sentences take about a quarter of an hour.'}"
        )
        if not wrong and not own and data_set_of(self.data).research_only:
            about = f"The licence of {data_set_of(self.data).title} allows research use only. {about}"
        say(self.note, wrong or about, bad=bool(wrong))
        self.ok.setEnabled(not wrong)


KEY = "models.tuning"
STOPPED = "Training stopped. Nothing was saved."


class Tuner(OneJob):
    tuned = Signal(object)
    """The folder of the new encoder, which was added to the library and is used for suggesting labels."""

    def __init__(self, tools: PaneTools, library: ModelLibrary) -> None:
        super().__init__(tools.context.bridge, tools.owner)
        self._tools, self._library = tools, library
        self.dialog: TuningDialog | None = None
        self.failed.connect(self._failed)

    def ask(self, starts: Sequence[Start]) -> None:
        """Opens the dialog; ``starts`` are the available encoders."""
        from engine.research.tasks import LEAST_SENTENCES

        project = self._bridge.project
        own = max(LabelStore(project).counts().values(), default=0) if project is not None else 0
        self.dialog = TuningDialog(starts, own, LEAST_SENTENCES, self._tools.context.files, self._tools.owner)
        self.dialog.accepted.connect(self._begin)
        self.dialog.open()

    def _begin(self) -> None:
        from engine.research.tasks import Tuning, fine_tune_encoder

        dialog, project = self.dialog, self._bridge.project
        assert dialog is not None
        if dialog.source == OWN and project is not None:
            name, licence = "labels of a project", "that of the project's reviews"
            source: LabelStore | Path = LabelStore(project)
        else:
            known = data_set_of(dialog.data)
            name, licence, source = known.title, known.licence, dialog.data
        tuning = Tuning(
            dialog.start.folder, dialog.out, specialise=dialog.specialise_box.isChecked(),
            epochs=dialog.epoch_box.value(), data=name, licence=licence,
        )  # fmt: skip
        self.submit(fine_tune_encoder(tuning, source, library=self._library), self._done)
        words = f"Fine-tuning “{dialog.start.title}” on {name}…"
        self._say(words, "The status bar shows the progress.", ("Stop", self.stop))

    def _done(self, made: "TunedEncoder") -> None:
        spent = f"{made.seconds:.0f} s" if made.seconds < 100 else f"{made.seconds / 60:.0f} min"
        early = f", stopped early after epoch {len(made.losses)}" if made.stopped_early else ""
        self._say(
            f"“{made.folder.name}” now suggests labels, together with the heads.",
            f"F1 on {made.test_sentences:,} held-out sentences: {_f1_words(made.figures)}. On the "
            f"{made.device} in {spent}, best at epoch {made.best_epoch}{early}.",
        )
        self.tuned.emit(made.folder)

    def _failed(self, failure: Failure) -> None:
        self._tools.banner.dismiss(KEY)
        self._tools.show_failure(failure, KEY)
        self._tools.context.commands.state_changed.emit()

    def _ended(self) -> None:
        super()._ended()
        self._say(STOPPED)  # replaced by the notice of a result or failure

    def _say(self, words: str, means: str = "", *actions: tuple[str, Callable[[], object]]) -> None:
        self._tools.banner.show_notice(Notice(KEY, words, means, kind="note", actions=actions))
        self._tools.context.commands.state_changed.emit()


def _f1_words(figures: Mapping[str, Mapping[str, float]]) -> str:
    """Returns the F1 of each layer in per cent: micro if sentences may have several labels, else macro."""
    return ", ".join(
        f"{layer(name).title} {100 * figures[name]['micro_f1' if layer(name).several else 'macro_f1']:.0f}"
        for name in LAYERS
        if name in figures
    )
