"""Jobs of panes that use models: label suggestions, training heads on own labels, opinions on undecided statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from desktop_app.engine_bridge import BridgedJob, EngineBridge
from desktop_app.panes.base import PaneTools
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.fetcher import Fetcher
from engine.errors import EnvironmentProblem
from engine.jobs import Task
from engine.operations.opinions import KeptOpinions, kept_opinions
from engine.project import Project
from engine.reviews.labels.measures import better_layers, comparison_words, titles
from engine.reviews.labels.records import Layer, OwnHeads
from engine.reviews.store import ReviewStore
from engine.shown import counted

if TYPE_CHECKING:
    from engine.documents.places import Places
    from engine.models.library import Added
    from engine.operations.opinions import Opinion
    from engine.reviews.labels.tasks import LabelsSuggested


KEY = "labels"


class OneJob(QObject):
    """Runs one job at a time. The job tray shows progress and a Cancel button."""

    changed = Signal()
    """A job started or ended."""
    failed = Signal(object)
    """The Failure of a job."""

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._job: BridgedJob | None = None

    @property
    def busy(self) -> bool:
        return self._job is not None

    def submit(
        self, task: Task[Any], done: Callable[[Any], object], partial: Callable[[Any], None] | None = None
    ) -> None:
        def ended(made: object) -> None:
            self._ended()
            done(made)

        def failed(failure: object) -> None:
            self._ended()
            self.failed.emit(failure)

        self._job = self._bridge.submit(
            task, self, on_done=ended, on_error=failed, on_partial=partial, on_cancelled=self._ended
        )
        self.changed.emit()

    def stop(self) -> None:
        """Cancels the job; results so far are kept."""
        if self._job is not None:
            self._job.cancel()
            self._ended()

    def _ended(self) -> None:
        self._job = None
        self.changed.emit()


class ShownJob(OneJob):
    """Shows the outcome of a job in the pane's banner, under ``key``."""

    def __init__(self, tools: PaneTools, key: str) -> None:
        super().__init__(tools.context.bridge, tools.owner)
        self._context, self._say = tools.context, tools.banner.show_notice
        self.failed.connect(lambda failure: tools.show_failure(failure, key))
        self.changed.connect(tools.context.commands.state_changed)


class LabelJobs(ShownJob):
    """Suggests labels for a pane, and trains heads on the project's labels; ``scope`` is the pane's id."""

    def __init__(self, tools: PaneTools, scope: str) -> None:
        super().__init__(tools, KEY)
        self._scope = scope

    def suggest(self, project: Project, source_ids: tuple[str, ...]) -> None:
        from engine.reviews.labels.store import LabelStore
        from engine.reviews.labels.tasks import label_texts

        self.submit(label_texts(ReviewStore(project), LabelStore(project), source_ids), self._suggested)

    def learn(self, project: Project | None) -> None:
        """Trains heads on the project's labels and compares them with the current ones, which aren't replaced."""
        assert project is not None
        from engine.research.tasks import train_own_heads
        from engine.reviews.labels.store import LabelStore

        self.submit(train_own_heads(LabelStore(project)), lambda heads: self._learnt(project, heads))

    def _suggested(self, made: LabelsSuggested) -> None:
        labels = counted(made.suggestions, "label was", "labels were")
        words = f"{labels} suggested for {counted(made.sentences, 'sentence')}. Y accepts, N rejects."
        tuned = f"The fine-tuned encoder “{made.tuned}” was used as well." if made.tuned else ""
        left = f"Not used, because the model they need is missing: {', '.join(made.left_out)}." if made.left_out else ""
        self._say(Notice(KEY, words, tuned, left, kind="note"))

    def _learnt(self, project: Project, heads: OwnHeads) -> None:
        """Shows old and new heads' results on the same folds; offers the new ones for layers where they are better."""
        what = f"Heads were trained on {heads.card['sentences']:,} of your sentences. They aren't used yet."
        means, proposed = comparison_words(heads.card)
        better = better_layers(heads.card)
        actions = [("All heads", lambda: self._context.show_pane("models"))]
        if better:
            accept = (f"Use for {titles(better)}", lambda: self._use(project, heads))
            actions = [accept, ("Keep the ones in use", lambda: self._keep(project, heads)), *actions]
        self._say(Notice(KEY, what, means, proposed, kind="note", actions=tuple(actions)))

    def _use(self, project: Project, heads: OwnHeads) -> None:
        better = better_layers(heads.card)
        actions = (
            ("Suggest labels", lambda: self._context.commands.run(f"{self._scope}.suggest_labels")),
            ("Undo", lambda: self._keep(project, heads)),
        )
        self._choose(project, heads, better, f"The new heads are used for {titles(better)}.", *actions)

    def _keep(self, project: Project, heads: OwnHeads) -> None:
        """Keeps using the previous heads; the new ones are stored but not used."""
        words = "Suggestions come from the heads that were in use before. The new ones are kept in Models."
        self._choose(project, heads, (), words)

    def _choose(
        self, project: Project, heads: OwnHeads, layers: tuple[Layer, ...], words: str,
        *actions: tuple[str, Callable[[], object]],
    ) -> None:  # fmt: skip
        """Uses the new heads for these layers, and shows that, or that they were removed in Models in the meantime."""
        from engine.reviews.labels.store import LabelStore

        notice = Notice(KEY, words, kind="note", actions=actions)
        try:
            LabelStore(project).use_heads_for(heads.id, layers)
        except EnvironmentProblem as problem:
            notice = Notice.of(problem, KEY)
        self._say(notice)


OPINIONS = "opinions"


class ModelOpinions(ShownJob):
    """A language model's opinions on sentences undecided by rules, about the shown document."""

    def __init__(self, tools: PaneTools) -> None:
        super().__init__(tools, OPINIONS)
        self._found: dict[str, Opinion] = {}
        self._kept = KeptOpinions({})
        self._document = ""
        self._recalling = Fetcher(tools.owner)

    def of(self, sentence: str) -> Opinion | None:
        return self._found.get(sentence) or self._kept.of(sentence)

    def judge(self, model: Added, sentences: Sequence[str], places: Places) -> None:
        from engine.operations.entailment import ask_entailment

        self.submit(ask_entailment(model, tuple(sentences), places, self._document), self._done, self._heard)

    def show_document(self, document_id: str) -> None:
        """Shows the opinions kept from earlier if another document is shown; "" for none."""
        if document_id == self._document:
            return
        had = self._found or self._kept.said
        self._found, self._kept, self._document = {}, KeptOpinions({}), document_id
        self.stop()
        self._recalling.forget()
        if document_id:
            self._recalling.fetch(OPINIONS, partial(kept_opinions, document_id), self._recall)
        if had:
            self.changed.emit()

    def _recall(self, kept: KeptOpinions) -> None:
        self._kept = kept
        if kept.said:
            self.changed.emit()

    def _heard(self, one: Opinion) -> None:
        self._found[one.sentence] = one
        self.changed.emit()

    def _done(self, result: tuple[int, tuple[str, ...]]) -> None:
        asked, problems = result
        if problems:
            what = f"The model couldn't judge some sentences: {'; '.join(problems)}."
            means = "Ask again to retry only these. The others are kept."
            self._say(Notice(OPINIONS, what, means, kind="note"))
        elif not asked:
            self._say(Notice(OPINIONS, "No sentences are left to ask the model about.", kind="note"))
