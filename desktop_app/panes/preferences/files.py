"""Clusters out of files, and clusters, judgements and rankings into files: asks where, and starts the jobs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.panes.base import AppContext
from desktop_app.panes.preferences.choices import EXPORTS
from desktop_app.panes.preferences.state import PreferencesState
from desktop_app.panes.preferences.work import collection_task, export_task, import_task, study_task
from desktop_app.widgets.banner import Notice, folder_notice, written_notice
from desktop_app.writing import free_folder
from engine.exchange.preferences import Imported
from engine.jobs import Task

WORK, EXPORT = "work", "export"
"""Places in the banner: a job, an export."""


class PreferenceFiles(QObject):
    """Asks for files and starts the jobs that read and write them."""

    notice = Signal(object)
    imported = Signal(str)
    """The key of an imported cluster; empty where judgements came."""
    failed = Signal(object)

    def __init__(self, context: AppContext, state: PreferencesState, over: QWidget) -> None:
        super().__init__(over)
        self._context, self._state, self._over = context, state, over

    def ask_for_table(self) -> None:
        self._import(self._context.files.open_file(self._over, "Import clusters or judgements", "Tables (*.csv *.tsv)"))

    def ask_for_folder(self) -> None:
        self._import(self._context.files.choose_folder(self._over, "Import a folder of clusters"))

    def _import(self, path: Path | None) -> None:
        if path is not None:
            self.import_from(path)

    def import_from(self, path: Path) -> None:
        assert self._state.project is not None
        self._submit(import_task(self._state.project, path, self._state.key), self._imported)

    def _imported(self, found: Imported) -> None:
        self.notice.emit(Notice(WORK, found.words, " ".join(found.warnings[:5]), kind="note"))
        self.imported.emit(found.cluster_id)

    def ask_where(self, kind: str) -> None:
        title, path = EXPORTS[kind][0].rstrip("…"), None
        if kind != "jitsupeer":
            path = self._context.files.save_file(self._over, title, "preferences", ".csv")
        elif folder := self._context.files.choose_folder(self._over, title):
            path = folder / "jitsupeer"
        if path is not None:
            self.export(kind, path)

    def export(self, kind: str, path: Path) -> None:
        """Writes the files of a format, named after ``path``; a folder of that name where the format is one."""
        state = self._state
        assert state.project is not None
        if kind == "jitsupeer":
            self._submit(
                collection_task(state.project, free_folder(path.parent, path.name)),
                lambda made: self.notice.emit(folder_notice(EXPORT, made.folder, made.names, made.loss)),
            )
            return
        self._submit(
            export_task(state.project, study_task(state.project, state.key, state.method), kind, path),
            lambda made: self.notice.emit(written_notice(EXPORT, made.paths, EXPORTS[kind][2:])),
        )

    def _submit(self, task: Task[Any], done: Any) -> None:
        self._context.bridge.submit(task, self, on_done=done, on_error=self.failed.emit)
