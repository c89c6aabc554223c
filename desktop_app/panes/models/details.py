"""Details of one model: facts, the tasks that use it, and a trial; and label heads listed as models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QLineEdit, QPushButton, QWidget

from desktop_app.device import device
from desktop_app.panes.models.language_part import LanguageSettings
from desktop_app.widgets.labels import named, plain_text, say, text_label
from desktop_app.widgets.layouts import TOP, column, fix_height, row, sized, spaced_grid
from engine.errors import BadInput, EnvironmentProblem
from engine.models import ModelInfo
from engine.models.folders import FolderReport, Precision, inspect_folder, memory_needed
from engine.models.library import USES, Added, AddedFolder, AddedServer
from engine.project import Project
from engine.reviews.labels.records import LAYERS, NEVER, suggested_from
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layer
from engine.shown import estimated, percent, visible

if TYPE_CHECKING:
    from engine.reviews.labels.reading import Reading


KIND = "heads"
USE = "Suggesting labels in Labels and Rebuttal"
SHIPPED_USE = f"{USE} and with “rejoinder label”, unless the project has its own heads."


@dataclass(frozen=True, slots=True)
class HeadsEntry:
    """Label heads to list. ``own_id`` is their key in the open project, "" for the bundled ones, which are in
    ``folder``. ``size`` is in bytes; ``used``: they suggest the project's labels."""

    title: str
    card: Mapping[str, Any]
    size: int
    folder: Path | None = None
    own_id: str = ""
    used: bool = False

    @property
    def licence(self) -> str:
        return str(self.card.get("licence", ""))


def listed(project: Project | None) -> tuple[HeadsEntry, ...]:
    from engine.reviews.labels.heads import SHIPPED, shipped, shipped_folder

    found: list[HeadsEntry] = []
    try:
        card, folder = shipped().card, shipped_folder()
        size = (folder / f"{SHIPPED}.safetensors").stat().st_size
        found.append(HeadsEntry(str(card["title"]), card, size, folder))
    except EnvironmentProblem:
        pass  # `rejoinder doctor` reports it
    if project is not None:
        store = LabelStore(project)
        found += [HeadsEntry(own.title, own.card, own.size, own_id=own.id, used=own.used) for own in store.own_heads()]
    return tuple(found)


def learnt_words(card: Mapping[str, Any]) -> str:
    licence = f" ({card['data_licence']})" if "data_licence" in card else ""
    counts = [f"{card[key]:,} {key}" for key in ("papers", "reviews", "sentences") if key in card]
    return f"{card.get('data', 'not stated')}{licence}: {', '.join(counts)}; seed {card.get('seed', 'not stated')}"


def measured_words(card: Mapping[str, Any]) -> str:
    """Returns accuracy on unseen sentences, one line per figure."""
    lines = []
    for name, figures in card.get("cross_validation", {}).items():
        title = layer(name).title if name in LAYERS else name
        measured = card.get("suggestions", {})
        read = measured.get(name, {}).get("labels", ("",))
        limits = {one for label in read if (one := suggested_from(card, name, label)) < NEVER}
        ends = dict.fromkeys(percent(one) for one in (min(limits), max(limits))) if limits else ()
        why = "too few of its labels are right" if name in measured else "how many of its labels are right is unknown"
        offered = f"suggested from {' to '.join(ends)}" if ends else f"not suggested: {why}"
        lines.append(
            f"{title}: micro-F1 {100 * figures['micro_f1']:.1f}, macro-F1 {100 * figures['macro_f1']:.1f}"
            f" (cross-validated); {offered}"
        )
    lines += [
        f"{row['task'].capitalize()}, {row['strategy']}, {row['split']}: {row['metric']} {row['value']:.1f}"
        f" [{row['low']:.1f}, {row['high']:.1f}]"
        for row in card.get("figures", ())
    ]
    return "\n".join(lines)


def tuned_values(folder: Path) -> dict[str, str]:
    """Returns the facts of a fine-tuned encoder from its card."""
    from engine.reviews.labels.classifier import read_card

    card = read_card(folder)
    lines = [
        f"{layer(name).title if name in LAYERS else name}: micro-F1 {100 * figures['micro_f1']:.1f}, macro-F1"
        f" {100 * figures['macro_f1']:.1f} ({card.get('test_sentences', 0):,} held-out sentences)"
        for name, figures in card.get("figures", {}).items()
    ]
    before = ", first specialised on reviews" if card.get("specialised") else ""
    return {
        "Trained on": f"{learnt_words(card)}; from {card.get('base', 'another encoder')}{before}",
        "Measured": "\n".join(lines) or "not stated",
        **({"Licence": card["licence"]} if card.get("licence") else {}),
    }


def reading_words(readings: "Sequence[Reading]") -> str:
    """Returns the labels of a text by heads and rules with confidence, one sentence after the other, as text."""
    lines = []
    for reading in readings:
        lines.append(reading.text)
        for name, said in reading.labels.items():
            labels = ", ".join(
                f"{layer(name).option(label).title} {estimated(sure)}"
                for label, sure in zip(said.labels, said.confidence, strict=True)
            )
            heads = "fine-tuned" if said.origin.startswith("model:fine-tuned") else "heads"
            by = "rules" if said.origin.startswith("rules:") else heads
            lines.append(f"    {layer(name).title}: {labels or 'none'} ({by})")
    return "\n".join(lines)


MEASURE = 860
_FACTS = (
    "Kind", "Folder", "Licence", "Weights", "On disk", "Context", "Abilities", "Hash", "Memory", "Trained on",
    "Measured",
)  # fmt: skip
_ASKED = {
    "encoder": "First text", "language model": "Ask a question", KIND: "A sentence of a review",
    "label encoder": "A sentence of a review",
}  # fmt: skip
"""The prompt of the trial, by kind of model."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A listed model: bundled, added, or heads of the project; ``key`` is empty for a bundled one."""

    key: str
    title: str
    kind: str
    where: str
    entry: Added | ModelInfo | HeadsEntry

    @property
    def report(self) -> FolderReport | None:
        """The report on its folder; None for a server, for heads, and for a damaged bundled model."""
        if isinstance(self.entry, AddedFolder):
            return self.entry.report
        if isinstance(self.entry, AddedServer | HeadsEntry):
            return None
        try:
            return inspect_folder(self.entry.folder)
        except BadInput:
            return None

    @property
    def folder(self) -> Path | None:
        """The folder with its weights; None for a server and for heads stored in the project."""
        return None if isinstance(self.entry, AddedServer) else self.entry.folder


def size_words(size: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


class ModelDetails(QWidget):
    """Facts in two columns, tasks as check boxes, and the trial below."""

    used_for = Signal(str, bool)
    """A task's id, and whether it should use this model."""
    tried = Signal(str, str)
    """Two texts for an encoder; otherwise the question or sentence, and a text that isn't used."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Selected model")
        self.title = text_label("", "section", wrap=True)
        self.head = row((self.title, 1), spacing=6)
        grid = spaced_grid(16, 6)
        grid.setColumnStretch(1, 1)
        self.facts: dict[str, QLabel] = {}
        self._names: dict[str, QLabel] = {}
        for at, name in enumerate(_FACTS):
            self._names[name] = text_label(name, "muted")
            value = text_label("", wrap=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setAccessibleName(name)
            self.facts[name] = value
            grid.addWidget(self._names[name], at, 0, TOP)
            grid.addWidget(value, at, 1)
        self.boxes = {use.id: self._box(use.id, use.title) for use in USES}
        self.own_use = self._box(KIND, USE)
        self._fixed_use = text_label("", wrap=True)
        self.settings = LanguageSettings()
        column(
            self.head, grid, 4, text_label("Used for", "section"),
            column(*self.boxes.values(), self.own_use, self._fixed_use, spacing=6), 4, self.settings, 4,
            text_label("Try it", "section"), self._build_trial(), None,
            margins=(20, 16, 20, 16), spacing=12, of=self,
        )  # fmt: skip
        sized(self, MEASURE, self.setMaximumWidth)

    def _box(self, use: str, title: str) -> QCheckBox:
        box = named(QCheckBox(title), title)
        box.toggled.connect(lambda on: self.used_for.emit(use, on))
        return box

    def _build_trial(self) -> QWidget:
        self.first, self.second = QLineEdit(), QLineEdit()
        for line, name in ((self.first, "First text"), (self.second, "Second text")):
            line.setAccessibleName(name)
            line.returnPressed.connect(self.try_it)
        self.second.setPlaceholderText("Second text")
        self.go = named(QPushButton("Try"), "Try this model")
        self.go.clicked.connect(self.try_it)
        self.stop = named(QPushButton("Stop"), "Stop the trial")
        self.stop.setEnabled(False)
        self.note = text_label("", "muted")
        self.answer = plain_text("The model's answer", self)
        self.fold = named(QPushButton(flat=True), "Show the model's reasoning")
        self.fold.setCheckable(True)
        self.reasoning = plain_text("The model's reasoning", self)
        self.fold.toggled.connect(self.reasoning.setVisible)
        for text in (self.answer, self.reasoning):
            fix_height(text, 140)
        self.trial = QFrame()
        self.trial.setProperty("role", "panel")
        self.show_reasoning("")
        buttons = row(self.go, self.stop, (self.note, 1), spacing=6)
        column(
            self.first, self.second, buttons, self.fold, self.reasoning, self.answer, margins=(12, 12, 12, 12),
            spacing=8, of=self.trial,
        )  # fmt: skip
        return self.trial

    def show_model(self, shown: Shown, uses: frozenset[str], fixed_use: str, *, keep_trial: bool = False) -> None:
        """Shows the facts and uses of a model, and clears the trial unless ``keep_trial``."""
        self.title.setText(shown.title)
        entry = shown.entry
        values = {"Kind": f"{shown.kind[:1].upper()}{shown.kind[1:]}, {shown.where}"}
        report = shown.report
        if isinstance(entry, AddedServer):
            values["Folder"] = f"{entry.server.url}, model {entry.model}, {entry.server_kind}"
            values["Memory"] = "Uses the server's memory"
            values["Context"] = context_words(entry)
            values["Abilities"] = ", ".join(entry.report.abilities).capitalize() if entry.report else ""
            values["Abilities"] = values["Abilities"] or "not reported by the server"
        elif isinstance(entry, HeadsEntry):
            values |= _heads_values(entry)
        else:
            values["Folder"] = str(entry.folder)
            values["Hash"] = "…"
        if report is not None:
            values["Licence"] = getattr(entry, "licence", report.licence)
            values["Weights"] = f"{counted(report.parameters)} ({report.architecture})"
            values["On disk"] = size_words(report.size)
            precision = entry.precision if isinstance(entry, AddedFolder) else "auto"
            values["Memory"] = memory_words(report.parameters, precision)
        if shown.kind == "label encoder" and shown.folder is not None:
            values |= tuned_values(shown.folder)
        context = getattr(entry, "context", None) or getattr(report, "context", None)
        if context and not isinstance(entry, AddedServer):
            values["Context"] = f"{context:,} tokens"
        self.settings.setVisible(shown.kind == "language model")
        if isinstance(entry, AddedFolder | AddedServer) and shown.kind == "language model":
            self.settings.show_entry(entry)
        for name in _FACTS:
            self._names[name].setVisible(name in values)
            self.facts[name].setVisible(name in values)
            self.facts[name].setText(values.get(name, ""))
        self._names["Folder"].setText("Address" if isinstance(entry, AddedServer) else "Folder")
        for use in USES:
            box = self.boxes[use.id]
            box.setVisible(use.kind == shown.kind)
            with QSignalBlocker(box):
                box.setChecked(use.id in uses)
        self._fixed_use.setText(fixed_use)
        self._fixed_use.setVisible(bool(fixed_use))
        self.own_use.setVisible(isinstance(entry, HeadsEntry) and bool(entry.own_id))
        with QSignalBlocker(self.own_use):
            self.own_use.setChecked(isinstance(entry, HeadsEntry) and entry.used)
        encoder, asked = shown.kind == "encoder", _ASKED.get(shown.kind, "")
        self.trial.setEnabled(bool(asked))
        self.second.setVisible(encoder)
        self.answer.setVisible(bool(asked) and not encoder)
        named(self.first, "Question" if shown.kind == "language model" else asked or "Question", hint=asked)
        if keep_trial:
            return
        self.trial_ended("" if asked else f"A {shown.kind} can't be tried on its own.")
        self.answer.clear()
        self.show_reasoning("")

    def trial_runs(self) -> None:
        self.go.setEnabled(False)
        self.stop.setEnabled(True)
        self.answer.clear()
        self.show_reasoning("")
        self.say("Working…")

    def trial_ended(self, words: str, *, bad: bool = False) -> None:
        self.go.setEnabled(True)
        self.stop.setEnabled(False)
        self.say(words, bad=bad)

    def say(self, words: str, *, bad: bool = False) -> None:
        say(self.note, words, bad=bad)
        self.note.setToolTip(words)

    def show_reasoning(self, text: str) -> None:
        """Shows a model's reasoning before its answer, folded; "" hides it."""
        self.fold.setChecked(False)
        self.fold.setText(f"Reasoning ({len(text.split()):,} words)")
        self.fold.setVisible(bool(text))
        self.reasoning.setPlainText(visible(text))
        self.reasoning.hide()

    def add_piece(self, text: str) -> None:
        cursor = self.answer.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(visible(text))

    def try_it(self) -> None:
        if self.go.isEnabled() and self.trial.isEnabled():
            self.tried.emit(self.first.text(), self.second.text())


def _heads_values(entry: HeadsEntry) -> dict[str, str]:
    encoder = entry.card.get("encoder") or f"with the hash {entry.card.get('encoder_fingerprint', 'not stated')}"
    values = {
        "Licence": entry.licence,
        "Weights": f"for the encoder {encoder}",
        "On disk": size_words(entry.size),
        "Trained on": learnt_words(entry.card),
        "Measured": measured_words(entry.card),
    }
    return values | (
        {"Folder": "in the open project"} if entry.folder is None else {"Folder": str(entry.folder), "Hash": "…"}
    )


def counted(parameters: int) -> str:
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if parameters >= size:
            return f"{parameters / size:.1f} {word}"
    return f"{parameters:,}"


def context_words(entry: AddedServer) -> str:
    longest = entry.report.longest if entry.report is not None else None
    known = f"{entry.context:,} tokens" if entry.context else "unknown: enter it below before you use the model"
    return f"{known}; supports up to {longest:,}" if longest and longest != entry.context else known


def memory_words(parameters: int, precision: Precision = "auto") -> str:
    """Returns the memory that a model needs to run and, without a GPU, the computer's free memory."""
    on_gpu = device()[0] == "GPU"
    needed, memory = memory_needed(parameters, precision, on_gpu=on_gpu), psutil.virtual_memory()
    if on_gpu:
        return f"about {size_words(needed)} of GPU memory"
    words = (
        f"about {size_words(needed)} while it runs; {size_words(memory.available)} of {size_words(memory.total)} free"
    )
    return words if needed < memory.available else f"{words}: not enough at the moment"
