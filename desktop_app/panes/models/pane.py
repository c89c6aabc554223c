"""The Models pane: installed models, the tasks that use them, and trials."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QWidget

from desktop_app import present
from desktop_app.panes.base import AppContext, Pane
from desktop_app.panes.models.details import KIND, SHIPPED_USE, HeadsEntry, ModelDetails, Shown, listed, reading_words
from desktop_app.panes.models.language_part import TASK, ServerDialog
from desktop_app.panes.models.tuning_dialog import Start, Tuner
from desktop_app.undoing import Removal
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.entry_list import EntryList
from desktop_app.widgets.keys import FileDrop
from desktop_app.widgets.labels import hairline, scrolled, text_label
from desktop_app.widgets.layouts import column, fix_width, row
from desktop_app.widgets.model_jobs import OneJob
from engine.jobs import Failure
from engine.models.language import Completion
from engine.models.library import USES, Added, AddedFolder, AddedServer, ModelLibrary
from engine.models.registry import models
from engine.models.server_report import ServerReport
from engine.models.tasks import add_folder_task, hash_task, look_at_task, try_encoder_task, try_language_model_task
from engine.reviews.labels.store import LabelStore
from engine.shown import counted, visible_line

if TYPE_CHECKING:
    from engine.reviews.labels.reading import Reading

LIST_WIDTH = 340
_ICONS = {
    "encoder": "cube",
    "label encoder": "tag",
    "language model": "chat-centered-text",
    "reranker": "sort-ascending",
    KIND: "tag",
}
_BUNDLED_USE = "Suggestions in Linking, and similarity algorithms that need an encoder."
_REMOVED = "models.removed"
_BY_FOLDER_USE = "No task uses it by default. Give its folder in the Expertise pane or on the command line."


class ModelsPane(Pane):
    """The list of models on the left, the selected model on the right."""

    pane_id = "models"
    shows_paper = False
    purpose = "See which models are on this computer and which tasks use them, and try them out."
    tables = frozenset({"trained_heads"})

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.library = ModelLibrary()
        FileDrop(self, Path.is_dir, lambda: True, lambda folders: [*map(self.add_folder, folders)])
        self.trial = OneJob(context.bridge, self)
        self.trial.failed.connect(self._failed)
        self._at = ""
        self._shown: dict[str, Shown] = {}
        self.tuner = Tuner(self.make_tools(lambda: None), self.library)
        self.tuner.tuned.connect(self._tuned)
        self._hashes: dict[Path, str] = {}
        self.main = self.list = EntryList("Models", self.body)
        self.list.picked.connect(self._chosen)
        self.details = ModelDetails()
        self.details.used_for.connect(self._use)
        self.details.tried.connect(self._try)
        self.details.stop.clicked.connect(self._stop)
        settings = self.details.settings
        settings.entry_changed.connect(self._set_entry)
        settings.manner_changed.connect(lambda *way: self.act(lambda: self.library.set_manner(*way), "models.use"))
        settings.model_chosen.connect(self._set_stage_model)
        settings.stage_chosen.connect(self._show_stage)
        add = [
            CommandButton(context.commands, f"models.{name}", show_key=False) for name in ("add_folder", "add_server")
        ]
        tune = CommandButton(context.commands, "models.fine_tune")
        self.details.head.addWidget(CommandButton(context.commands, "models.remove", text="Remove"))
        text = "Folders with safetensors weights, or a server on this computer. Nothing is ever downloaded."
        note = text_label(text, "small", wrap=True)
        note.setContentsMargins(12, 8, 12, 0)
        left = QWidget(self.body)
        left.setProperty("role", "surface")
        column(
            (self.list, 1), note, row(*add, None, margins=(12, 8, 12, 8)), row(tune, None, margins=(12, 0, 12, 12)),
            of=left,
        )  # fmt: skip
        fix_width(left, LIST_WIDTH)
        details = scrolled(self.details, "Selected model", self.body)
        row(left, hairline(vertical=True), (details, 1), of=self.body, spacing=0)

    def refresh(self) -> None:
        bundled = [Shown("", info.title, info.kind, "bundled", info) for info in models()]
        added = [Shown(entry.id, entry.title, entry.kind, _where(entry), entry) for entry in self.library.added()]
        heads = [
            Shown(f"{KIND}:{one.own_id}" if one.own_id else "", one.title, KIND, _where_heads(one), one)
            for one in listed(self.project)
        ]
        self._shown = {shown.key or shown.title: shown for shown in (*bundled, *heads[:1], *added, *heads[1:])}
        entries = [
            (key, shown.title, f"{shown.kind} · {shown.where}", _ICONS.get(shown.kind, self.icon))
            for key, shown in self._shown.items()
        ]
        self.list.show_entries(entries, self.list.key if self.list.key in self._shown else next(iter(self._shown), ""))
        self._chosen()
        own = len(added) + sum(1 for one in heads if one.key)
        self.set_status(f"{own} added, {len(self._shown) - own} bundled")

    @property
    def current(self) -> Shown | None:
        return self._shown.get(self.list.key)

    def _chosen(self, _key: str = "") -> None:
        shown = self.current
        same, self._at = self.list.key == self._at, self.list.key
        if not same:
            self._stop()
        self.details.setVisible(shown is not None)
        if shown is None:
            return
        chosen = {use.id: self.library.chosen(use.id) for use in USES}
        used = frozenset(use for use, added in chosen.items() if added is not None and added.id == shown.key)
        chosen_for = any(use.kind == shown.kind for use in USES)
        if isinstance(shown.entry, HeadsEntry):
            fixed = "" if shown.entry.own_id else SHIPPED_USE
        else:
            fixed = "" if chosen_for else _BY_FOLDER_USE if shown.key else _BUNDLED_USE
        self.details.show_model(shown, used, fixed, keep_trial=same)
        if shown.kind == "language model":
            self._show_stage(self.details.settings.use)
        if shown.folder is not None and shown.folder.is_dir():
            self._show_hash(shown.folder)
        self.context.commands.state_changed.emit()

    def _show_hash(self, folder: Path) -> None:
        if folder in self._hashes:
            self.details.facts["Hash"].setText(self._hashes[folder])
            return
        self._hashes[folder] = "…"

        def arrived(value: str) -> None:
            self._hashes[folder] = value
            if self.current is not None and self.current.folder == folder:
                self.details.facts["Hash"].setText(value)

        self.context.bridge.submit(hash_task(folder), self, on_done=arrived)

    def add_folder(self, folder: Path) -> None:
        self.banner.dismiss("models.add")
        self.submit(add_folder_task(folder, self.library.path), self._added, "models.add")

    def _added(self, entry: AddedFolder) -> None:
        self._select(entry.id)
        for remark in entry.report.remarks:
            self.details.say(remark)

    def ask_for_server(self) -> None:
        dialog = ServerDialog(self.context.bridge, self)

        def add() -> None:
            kind = dialog.report.kind if dialog.report is not None else "OpenAI-compatible"
            added = self.library.add_server(
                dialog.server, dialog.model, context=dialog.context.value() or None, kind=kind, report=dialog.offered
            )
            self._select(added.id)

        dialog.save = add
        dialog.open()

    def remove(self) -> None:
        shown = self.current
        if shown is None or not shown.key:
            return
        self._stop()
        made: list[Callable[[], None]] = []

        def remove() -> None:
            entry = shown.entry
            if isinstance(entry, HeadsEntry):
                made.append(self._labels().remove_heads(entry.own_id))
            else:
                made.append(self.library.remove(shown.key))

        if self.act(remove, _REMOVED):
            title = visible_line(shown.title)
            self.removal = Removal(title, partial(self._restore, title, shown.key, made[0]))
            self.refresh_now()
            means = "" if isinstance(shown.entry, HeadsEntry | AddedServer) else "Its folder wasn't changed."
            undo = (("Undo", self.removal.run),)
            self.banner.show_notice(Notice(_REMOVED, f"Removed {title}.", means, kind="note", actions=undo))

    def _restore(self, title: str, key: str, restore: Callable[[], None]) -> None:
        def redo() -> None:
            self._select(key)
            self.remove()

        if self.act(restore, _REMOVED):
            self.removal = Removal(title, redo, undone=True)
            self._select(key)

    def _select(self, key: str) -> None:
        self.refresh_now()
        self.list.pick(key)

    def _use(self, use: str, on: bool) -> None:
        shown = self.current
        if shown is None or not shown.key:
            return
        if isinstance(shown.entry, HeadsEntry):
            self._labels().use_heads(shown.entry.own_id if on else None)
            return
        self.act(lambda: self.library.choose(use, shown.key if on else ""), "models.use")

    def _set_entry(self, entry: Added) -> None:
        self.act(lambda: self.library.update(entry), "models.use")
        self.refresh_now()

    def _set_stage_model(self, use: str, key: str) -> None:
        self.act(lambda: self.library.choose(use, key), "models.use")
        self.refresh_now()

    def _show_stage(self, use: str) -> None:
        entries = [(entry.title, entry.id) for entry in self.library.added("language model")]
        chosen = self.library.chosen(use)
        first = ("None" if use == TASK else "As for all stages", "")
        own = use in self.library.own_choices() or use == TASK
        key = chosen.id if chosen is not None and own else ""
        self.details.settings.show_stage(self.library.manner(use), [first, *entries], key)

    def can_check(self) -> bool:
        return self.current is not None and isinstance(self.current.entry, AddedServer)

    def check_server(self) -> None:
        entry = self.current.entry if self.current is not None else None
        if isinstance(entry, AddedServer):
            self.banner.dismiss("models.check")
            self.submit(look_at_task(entry.server), partial(self._checked, entry), "models.check")

    def _checked(self, entry: AddedServer, seen: ServerReport) -> None:
        wrong = self.result(lambda: self.library.checked(entry, seen)[1], "models.check")
        if wrong is not None:
            self.refresh_now()
            self.details.say(wrong or "Checked. The server offers this model.", bad=bool(wrong))

    def _labels(self) -> LabelStore:
        return LabelStore(present(self.project))

    def ask_for_tuning(self) -> None:
        encoders = [(one.title, one.folder) for one in self._shown.values() if one.kind == "encoder"]
        self.tuner.ask([Start(title, folder) for title, folder in encoders if folder is not None and folder.is_dir()])

    def _tuned(self, folder: Path) -> None:
        place = folder.expanduser().resolve()
        self._select(next(e.id for e in self.library.added() if isinstance(e, AddedFolder) and e.folder == place))

    def _try(self, first: str, second: str) -> None:
        shown = self.current
        if shown is None:
            return
        self._stop()
        missing, make = self._trial(shown, first, second)
        if missing:
            self.details.say(missing, bad=True)
            return
        task = make()
        self.details.trial_runs()
        self.trial.submit(task, self._tried, self.details.add_piece)

    def _trial(self, shown: Shown, first: str, second: str) -> tuple[str, Callable[[], Any]]:
        """Returns what is missing for a trial of a model ("" if nothing), and a function that makes its task."""
        entry, folder, sentence = shown.entry, shown.folder, "" if first.strip() else "Enter a sentence."
        if shown.kind == "encoder" and folder is not None:
            missing = "" if first.strip() and second.strip() else "Enter a text in each field."
            return missing, lambda: try_encoder_task(folder, first, second)
        from engine.reviews.labels.tasks import try_heads

        if shown.kind == "label encoder" and folder is not None:
            return sentence, lambda: try_heads(first, folder=folder)
        if isinstance(entry, HeadsEntry):
            return sentence, lambda: try_heads(first, entry.own_id, labels=self._labels() if entry.own_id else None)
        assert isinstance(entry, AddedFolder | AddedServer)
        missing = "" if first.strip() else "Enter a question."
        return missing, lambda: try_language_model_task(entry, first)

    def _tried(self, result: "float | Completion | tuple[Reading, ...]") -> None:
        if isinstance(result, tuple):
            self.details.add_piece(reading_words(result))
            self.details.trial_ended("")
            return
        if isinstance(result, float):
            self.details.trial_ended(f"Similarity {result:.3f}")
            return
        tokens = "" if result.completion_tokens is None else f"{counted(result.completion_tokens, 'token')} in "
        said = {"length": "cut off at the limit for trials", "filtered": "refused, or blocked by a filter"}
        about = said.get(result.finish, "" if result.text.strip() else "the answer is empty")
        self.details.show_reasoning(result.reasoning)
        self.details.trial_ended(f"{tokens}{result.seconds:.1f} s{f', {about}' if about else ''}")

    def _failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        self.details.trial_ended(failure.problem.what if failure.problem is not None else failure.summary, bad=True)

    def _stop(self) -> None:
        if self.trial.busy:
            self.trial.stop()
            self.details.trial_ended("Stopped")


def _where(entry: Added) -> str:
    if isinstance(entry, AddedServer):
        return "server"
    return "folder" if entry.there else "folder not found"


def _where_heads(heads: HeadsEntry) -> str:
    if not heads.own_id:
        return "bundled"
    return "in this project, used" if heads.used else "in this project"
