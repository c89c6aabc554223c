"""A pane's jobs on labels: suggesting them, and training heads from one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from desktop_app.widgets.banner import Notice
from engine.reviews.labels.records import LAYERS
from engine.reviews.labels.taxonomy import layer

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from desktop_app.panes.base import Pane
    from engine.jobs import Failure, Task
    from engine.project import Project
    from engine.reviews.labels.records import OwnHeads
    from engine.reviews.labels.tasks import LabelsSuggested

KEY = "labels"


def f1_words(figures: Mapping[str, Mapping[str, float]]) -> str:
    """The F1 of each layer in per cent: micro for layers with several labels per sentence, else macro."""
    return ", ".join(
        f"{layer(name).title} {100 * figures[name]['micro_f1' if layer(name).several else 'macro_f1']:.0f}"
        for name in LAYERS
        if name in figures
    )


class LabelJobs(QObject):
    """One job at a time, with its result in the pane's banner. The job tray shows its progress."""

    changed = Signal()
    """A job began or ended."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(pane)
        self._pane = pane
        self._job: BridgedJob | None = None

    @property
    def busy(self) -> bool:
        return self._job is not None

    def suggest(self, project: Project, source_ids: tuple[str, ...]) -> None:
        """Suggests labels for these texts; nothing is decided."""
        from engine.reviews.labels.store import LabelStore
        from engine.reviews.labels.tasks import label_texts
        from engine.reviews.store import ReviewStore

        self.submit(label_texts(ReviewStore(project), LabelStore(project), source_ids), self._suggested)

    def learn(self, project: Project) -> None:
        """Trains heads on the labels of the project; from then on they make the suggestions."""
        from engine.reviews.labels.store import LabelStore
        from engine.reviews.labels.tasks import train_own_heads

        self.submit(train_own_heads(LabelStore(project)), self._learnt)

    def submit(self, task: Task[Any, Any], done: Callable[[Any], object]) -> None:
        """Runs any job; ``done`` gets its result, failures go to the banner."""

        def ended(made: object) -> None:
            self._ended()
            done(made)

        self._job = self._pane.context.bridge.submit(
            task, self._pane, on_done=ended, on_error=self._failed, on_cancelled=self._ended
        )
        self.changed.emit()

    def stop(self) -> None:
        """Stops the running job; suggestions made so far stay."""
        if self._job is not None:
            self._job.cancel()
            self._ended()

    def _ended(self) -> None:
        self._job = None
        self.changed.emit()

    def _suggested(self, made: LabelsSuggested) -> None:
        words = f"{made.suggestions:,} labels suggested for {made.sentences:,} sentences. Y accepts, N rejects."
        asked = f"The fine-tuned encoder “{made.tuned}” was used, too." if made.tuned else ""
        names = ", ".join(made.left_out)
        left = f"Left out: {names}. The models they were trained with aren't available." if names else ""
        self._say(Notice(KEY, words, asked, left, kind="note"))

    def _learnt(self, heads: OwnHeads) -> None:
        what = f"Heads trained on {heads.card['sentences']:,} of your sentences. They now make the suggestions."
        means = f"F1 on unseen sentences (cross-validated): {f1_words(heads.card['cross_validation'])}."
        actions = (
            ("Suggest with them", lambda: self._pane.context.commands.run(f"{self._pane.pane_id}.suggest_labels")),
            ("Use the previous heads", lambda: self._back(heads)),
            ("All heads", lambda: self._pane.context.show_pane("models")),
        )
        self._say(Notice(KEY, what, means, kind="note", actions=actions))

    def _back(self, heads: OwnHeads) -> None:
        """Deletes the newest heads; the previous ones make the suggestions again."""
        from engine.reviews.labels.store import LabelStore

        project = self._pane.project
        if project is None:
            return
        store = LabelStore(project)
        store.remove_heads(heads.id)
        before = store.own_heads()
        store.use_heads(before[0].id if before else None)
        again = f"“{before[0].title}”" if before else "the heads that ship"
        self._say(Notice(KEY, f"The new heads were deleted. Suggestions come from {again} again.", kind="note"))

    def _failed(self, failure: Failure) -> None:
        self._ended()
        self._pane.show_failure(failure, KEY)

    def _say(self, notice: Notice) -> None:
        self._pane.banner.show_notice(notice)
