"""Fine-tuning from the Models pane: set up in a dialog, run as a job, reported in the banner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.panes.models.tuning_dialog import OWN, Start, TuningDialog
from desktop_app.widgets.banner import Notice
from engine.reviews.labels.records import LAYERS
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.taxonomy import layer

if TYPE_CHECKING:
    from pathlib import Path

    from desktop_app.engine_bridge import BridgedJob
    from desktop_app.panes.base import Pane
    from engine.jobs import Failure
    from engine.models.library import ModelLibrary
    from engine.research.tasks import TunedEncoder

KEY = "models.tuning"
STOPPED = "Training stopped. Nothing was saved."


class Tuner(QObject):
    """One training at a time."""

    tuned = Signal(object)
    """The folder of a new encoder, which is now in the library and suggests labels."""

    def __init__(self, pane: Pane, library: ModelLibrary) -> None:
        super().__init__(pane)
        self._pane, self._library = pane, library
        self._job: BridgedJob | None = None
        self.dialog: TuningDialog | None = None

    @property
    def busy(self) -> bool:
        return self._job is not None

    def ask(self, starts: Sequence[Start]) -> None:
        """Opens the dialog; ``starts`` are the encoders to choose from."""
        from engine.research.tasks import LEAST_SENTENCES

        project = self._pane.project
        own = max(LabelStore(project).counts().values(), default=0) if project is not None else 0
        self.dialog = TuningDialog(starts, own, LEAST_SENTENCES, self._pane.context.files, self._pane)
        self.dialog.accepted.connect(self._begin)
        self.dialog.open()

    def _begin(self) -> None:
        from engine.research.tasks import Tuning, fine_tune_encoder

        dialog, project = self.dialog, self._pane.project
        assert dialog is not None
        if dialog.source == OWN and project is not None:
            name, licence = "labels of a project", "that of the project's reviews"
            source: LabelStore | Path = LabelStore(project)
        else:
            from engine.exchange.labelled_folders import data_set_of

            known = data_set_of(dialog.data)
            name, licence, source = known.title, known.licence, dialog.data
        tuning = Tuning(
            dialog.start.folder, dialog.out, specialise=dialog.specialise_box.isChecked(),
            epochs=dialog.epoch_box.value(), data=name, licence=licence,
        )  # fmt: skip
        self._job = self._pane.context.bridge.submit(
            fine_tune_encoder(tuning, source, library=self._library),
            self._pane,
            on_done=self._done,
            on_error=self._failed,
            on_cancelled=lambda: self._ended(STOPPED),
        )
        words = f"Fine-tuning “{dialog.start.title}” on {name}…"
        self._say(words, "The status bar shows the progress.", ("Stop", self.stop))

    def stop(self) -> None:
        """Ends the training."""
        if self._job is not None:
            self._job.cancel()
            self._ended(STOPPED)

    def _done(self, made: TunedEncoder) -> None:
        spent = f"{made.seconds:.0f} s" if made.seconds < 100 else f"{made.seconds / 60:.0f} min"
        early = f", stopped early after epoch {len(made.losses)}" if made.stopped_early else ""
        self._ended(
            f"“{made.folder.name}” now suggests labels, together with the heads.",
            f"F1 on {made.test_sentences:,} held-out sentences: {_f1_words(made.figures)}. On the "
            f"{made.device} in {spent}, best at epoch {made.best_epoch}{early}.",
        )
        self.tuned.emit(made.folder)

    def _failed(self, failure: Failure) -> None:
        self._job = None
        self._pane.banner.dismiss(KEY)
        self._pane.show_failure(failure, KEY)
        self._pane.context.commands.state_changed.emit()

    def _ended(self, words: str, means: str = "") -> None:
        self._job = None
        self._say(words, means)

    def _say(self, words: str, means: str = "", *actions: tuple[str, Callable[[], object]]) -> None:
        self._pane.banner.show_notice(Notice(KEY, words, means, kind="note", actions=actions))
        self._pane.context.commands.state_changed.emit()


def _f1_words(figures: Mapping[str, Mapping[str, float]]) -> str:
    """The F1 of each layer in per cent: micro where a sentence may have several labels, else macro."""
    return ", ".join(
        f"{layer(name).title} {100 * figures[name]['micro_f1' if layer(name).several else 'macro_f1']:.0f}"
        for name in LAYERS
        if name in figures
    )
