"""Models: what is installed, what was added, what each task uses, and whether it works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_app.context import AppContext
from desktop_app.panes.base import Pane
from desktop_app.panes.models.details import ModelDetails, Shown
from desktop_app.panes.models.heads import KIND, SHIPPED_USE, HeadsEntry, listed, reading_words
from desktop_app.panes.models.server_dialog import ServerDialog
from desktop_app.panes.models.tuning import Tuner
from desktop_app.panes.models.tuning_dialog import Start
from desktop_app.theme import theme
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.labels import hairline, text_label
from desktop_app.widgets.two_line_delegate import DETAIL, TwoLineDelegate
from engine.errors import EnvironmentProblem
from engine.models.library import USES, AddedFolder, AddedServer, ModelLibrary
from engine.models.registry import models
from engine.models.tasks import (
    AddFolder,
    TryEncoder,
    TryLanguageModel,
    add_folder_task,
    hash_task,
    try_encoder_task,
    try_language_model_task,
)

if TYPE_CHECKING:
    from desktop_app.engine_bridge import BridgedJob
    from engine.jobs import Failure
    from engine.models.language import Completion
    from engine.reviews.labels.reading import Reading
    from engine.reviews.labels.store import LabelStore

LIST_WIDTH = 340
_ICONS = {
    "encoder": "cube",
    "label encoder": "tag",
    "language model": "chat-centered-text",
    "reranker": "sort-ascending",
    KIND: "tag",
}
_BUNDLED_USE = "Suggestions in Linking, and the similarity algorithms that need an encoder."
_BY_FOLDER_USE = "No task takes it by itself: name its folder in the Expertise pane or on the command line."


class ModelsPane(Pane):
    """A list of models at the left, the chosen one at the right."""

    pane_id = "models"
    title = "Models"
    icon = "cube"
    purpose = "The models on this machine, which task uses which, and a place to try them."
    needs_project = False
    tables = frozenset({"trained_heads"})

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.library = ModelLibrary()
        self.setAcceptDrops(True)
        self._job: BridgedJob | None = None
        self._at: tuple[str, str] | None = None
        self._shown: tuple[Shown, ...] = ()
        self._dialog: ServerDialog | None = None
        self.tuner = Tuner(self, self.library)
        self.tuner.tuned.connect(self._tuned)
        self._hashes: dict[Path, str] = {}
        self.list = QListWidget(self.body)
        self.list.setAccessibleName("Models")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.setStyleSheet("QListWidget { border: none; border-radius: 0; }")
        self.list.currentRowChanged.connect(self._chosen)
        self.details = ModelDetails()
        self.details.used_for.connect(self._use)
        self.details.tried.connect(self._try)
        self.details.stopped.connect(self._stop)
        scroll = QScrollArea(self.body)
        scroll.setAccessibleName("The model at hand")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.details)
        self._buttons = QGridLayout()
        self._buttons.setContentsMargins(12, 8, 12, 12)
        self._buttons.setSpacing(8)
        self._buttons.setColumnStretch(2, 1)
        left = QVBoxLayout()
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(0)
        left.addWidget(self.list, 1)
        words = "Folders with safetensors weights, or a server on this machine. Nothing is ever downloaded."
        note = text_label(words, "small", wrap=True, parent=self.body)
        note.setContentsMargins(12, 8, 12, 0)
        left.addWidget(note)
        left.addLayout(self._buttons)
        self._left = QWidget(self.body)
        self._left.setProperty("role", "surface")
        self._left.setLayout(left)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._left)
        row.addWidget(hairline(vertical=True, parent=self.body))
        row.addWidget(scroll, 1)
        theme().changed.connect(self.mark_dirty)
        theme().changed.connect(self._resize)
        self._resize()

    # --- showing --------------------------------------------------------------------------------------------------
    def refresh(self) -> None:
        if not self._buttons.count():
            for at, name in enumerate(("models.add_folder", "models.add_server", "models.fine_tune")):
                button = CommandButton(self.context.commands, name, show_key=at == 2, parent=self.body)
                self._buttons.addWidget(button, at // 2, at % 2, 1, 1 if at < 2 else 2)
            self.details.head.addWidget(CommandButton(self.context.commands, "models.remove", parent=self.details))
        kept = (self.current.key, self.current.title) if self.current else None
        bundled = tuple(Shown("", info.title, info.kind, "ships with Rejoinder", info) for info in models())
        added = tuple(
            Shown(
                entry.id,
                entry.title,
                entry.kind,
                "server" if isinstance(entry, AddedServer) else ("folder" if entry.there else "folder is gone"),
                entry,
            )
            for entry in self.library.added()
        )
        heads = tuple(
            Shown(
                f"{KIND}:{one.own_id}" if one.own_id else "",
                one.title,
                KIND,
                ("in this project, used" if one.used else "in this project") if one.own_id else "ships with Rejoinder",
                one,
            )
            for one in listed(self.project)
        )
        self._shown = bundled + heads[:1] + added + heads[1:]
        self.list.blockSignals(True)
        self.list.clear()
        for shown in self._shown:
            item = QListWidgetItem(theme().icon(_ICONS.get(shown.kind, self.icon), "muted"), shown.title, self.list)
            item.setData(DETAIL, f"{shown.kind} · {shown.where}")
        self.list.blockSignals(False)
        keys = [(shown.key, shown.title) for shown in self._shown]
        self.list.setCurrentRow(keys.index(kept) if kept in keys else 0)
        self.set_status(f"{len(added)} added, {len(bundled)} bundled")

    @property
    def current(self) -> Shown | None:
        """The model at hand."""
        row = self.list.currentRow()
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def _chosen(self, _row: int) -> None:
        shown = self.current
        at = (shown.key, shown.title) if shown is not None else None
        stays, self._at = at == self._at, at
        if not stays:
            self._stop()
        self.details.setVisible(shown is not None)
        if shown is None:
            return
        used = frozenset(use.id for use in USES if shown.key and self._used(use.id) == shown.key)
        chosen_for = any(use.kind == shown.kind for use in USES)
        if isinstance(shown.entry, HeadsEntry):
            fixed = "" if shown.entry.own_id else SHIPPED_USE
        else:
            fixed = "" if chosen_for else _BY_FOLDER_USE if shown.key else _BUNDLED_USE
        self.details.show_model(shown, used, fixed, keep_trial=stays)
        if shown.folder is not None and shown.folder.is_dir():
            self._show_hash(shown.folder)
        self.context.commands.state_changed.emit()

    def _show_hash(self, folder: Path) -> None:
        if folder in self._hashes:
            self.details.show_hash(self._hashes[folder])
            return
        self._hashes[folder] = "…"

        def arrived(value: str) -> None:
            self._hashes[folder] = value
            if self.current is not None and self.current.folder == folder:
                self.details.show_hash(value)

        self.context.bridge.submit(hash_task(folder), self, on_done=arrived)

    def _used(self, use: str) -> str:
        chosen = self.library.chosen(use)
        return chosen.id if chosen is not None else ""

    # --- adding and removing --------------------------------------------------------------------------------------
    def ask_for_folder(self) -> None:
        folder = self.context.files.choose_folder(self, "Add a model folder")
        if folder is not None:
            self.add_folder(folder)

    def add_folder(self, folder: Path) -> None:
        """Looks into a folder in a job and adds it."""
        self.banner.dismiss("models.add")
        self.context.bridge.submit(
            add_folder_task(AddFolder(folder, self.library.path)), self, on_done=self._added, on_error=self._not_added
        )

    def _added(self, entry: AddedFolder) -> None:
        self.refresh_now()
        self._select(entry.id)
        for remark in entry.report.remarks:
            self.details.say(remark)

    def _not_added(self, failure: Failure) -> None:
        if failure.problem is not None:
            self.show_problem(failure.problem, "models.add")
        else:
            self.context.bridge.job_failed.emit(failure)

    def ask_for_server(self) -> None:
        self._dialog = ServerDialog(self.context.bridge, self)
        self._dialog.accepted.connect(self._add_server)
        self._dialog.open()

    def _add_server(self) -> None:
        dialog = self._dialog
        assert dialog is not None
        try:
            entry = self.library.add_server(dialog.server, dialog.model)
        except EnvironmentProblem as problem:
            self.show_problem(problem, "models.add")
            return
        self.refresh_now()
        self._select(entry.id)

    def can_remove(self) -> bool:
        return self.current is not None and bool(self.current.key)

    def remove(self) -> None:
        shown = self.current
        if shown is not None and shown.key:
            self._stop()
            if isinstance(shown.entry, HeadsEntry):
                self._labels().remove_heads(shown.entry.own_id)
            else:
                self.library.remove(shown.key)
            self.refresh_now()

    def _select(self, key: str) -> None:
        self.list.setCurrentRow(next(row for row, shown in enumerate(self._shown) if shown.key == key))

    def _use(self, use: str, on: bool) -> None:
        shown = self.current
        if shown is None or not shown.key:
            return
        if isinstance(shown.entry, HeadsEntry):
            self._labels().use_heads(shown.entry.own_id if on else None)
            return
        try:
            if on:
                self.library.choose(use, shown.key)
            else:
                self.library.choose(use, "")
        except EnvironmentProblem as problem:
            self.show_problem(problem, "models.use")

    def _labels(self) -> LabelStore:
        from engine.reviews.labels.store import LabelStore

        assert self.project is not None
        return LabelStore(self.project)

    # --- fine-tuning ----------------------------------------------------------------------------------------------
    def ask_for_tuning(self) -> None:
        encoders = [(one.title, one.folder) for one in self._shown if one.kind == "encoder"]
        self.tuner.ask([Start(title, folder) for title, folder in encoders if folder is not None and folder.is_dir()])

    def _tuned(self, folder: Path) -> None:
        self.refresh_now()
        place = folder.expanduser().resolve()
        self._select(next(e.id for e in self.library.added() if isinstance(e, AddedFolder) and e.folder == place))

    # --- trying ---------------------------------------------------------------------------------------------------
    def _try(self, first: str, second: str) -> None:
        shown = self.current
        if shown is None:
            return
        self._stop()
        if shown.kind == "encoder" and shown.folder is not None:
            if not (first.strip() and second.strip()):
                self.details.say("Write a text into each field.", bad=True)
                return
            task: Any = try_encoder_task(TryEncoder(shown.folder, first, second))
        elif shown.kind == "label encoder" and shown.folder is not None:
            if not first.strip():
                self.details.say("Write a sentence.", bad=True)
                return
            from engine.reviews.labels.tasks import try_heads

            task = try_heads(first, folder=shown.folder)
        elif isinstance(shown.entry, HeadsEntry):
            if not first.strip():
                self.details.say("Write a sentence.", bad=True)
                return
            from engine.reviews.labels.tasks import try_heads

            own = shown.entry.own_id
            task = try_heads(first, own, labels=self._labels() if own else None)
        else:
            if not first.strip():
                self.details.say("Write a question.", bad=True)
                return
            assert isinstance(shown.entry, AddedFolder | AddedServer)
            task = try_language_model_task(TryLanguageModel(shown.entry, first))
        self.details.trial_runs()
        self._job = self.context.bridge.submit(
            task, self, on_done=self._tried, on_error=self._failed, on_partial=self.details.add_piece
        )

    def _tried(self, result: float | Completion | tuple[Reading, ...]) -> None:
        self._job = None
        if isinstance(result, tuple):
            self.details.add_piece(reading_words(result))
            self.details.trial_ended("")
            return
        if isinstance(result, float):
            self.details.trial_ended(f"similarity {result:.3f}")
            return
        tokens = "" if result.completion_tokens is None else f"{result.completion_tokens} tokens in "
        cut = ", cut off at the trial's budget" if result.finish == "length" else ""
        self.details.trial_ended(f"{tokens}{result.seconds:.1f} s{cut}")

    def _failed(self, failure: Failure) -> None:
        self._job = None
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        self.details.trial_ended(failure.problem.what if failure.problem is not None else failure.summary, bad=True)

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
            self.details.trial_ended("stopped")

    # --- dropping -------------------------------------------------------------------------------------------------
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(Path(url.toLocalFile()).is_dir() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if Path(url.toLocalFile()).is_dir():
                self.add_folder(Path(url.toLocalFile()))

    def take_focus(self) -> None:
        self.list.setFocus()

    def _resize(self) -> None:
        self._left.setFixedWidth(theme().px(LIST_WIDTH))
