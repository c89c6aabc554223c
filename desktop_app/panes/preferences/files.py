"""Clusters out of files, and clusters, judgements and rankings into files; and the pane's jobs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.panes.base import AppContext
from desktop_app.panes.preferences.choices import EXPORTS
from desktop_app.panes.preferences.state import PreferencesState
from desktop_app.widgets.banner import Notice, folder_notice, written_notice
from desktop_app.writing import IntoFolder, Written, free_folder, write_export
from engine.agreement.store import AgreementStore
from engine.exchange.preference_clusters import Imported, clusters_of_project, import_into
from engine.exchange.preference_study import TASK, Study, collection_of_project, export_files, read_study
from engine.exchange.records import Export
from engine.jobs import DuplicatePolicy, Report, Task
from engine.project import Project
from engine.rebuttal.preferences.ranking import Method


@dataclass(frozen=True, slots=True)
class Ranking:
    """A cluster, and the method that ranks it."""

    cluster_id: str
    method: Method


def study_task(project: Project, cluster_id: str, method: Method) -> Task[Ranking, Study]:
    run, params = partial(_study, project), Ranking(cluster_id, method)
    return Task("preferences.study", "Rank a cluster", run, params, DuplicatePolicy.REPLACE, "preferences")


def _study(project: Project, params: Ranking, report: Report) -> Study:
    report.progress(0.1, "Ranking and comparing")
    visible = AgreementStore(project).visible(params.cluster_id, TASK)
    return read_study(project, params.cluster_id, params.method, visible)


def export_task(project: Project, ranking: Ranking, format_: str, path: Path) -> Task[IntoFolder, Written]:
    """The job that writes the files of a format into the folder of ``path``, named after it: all clusters as one table,
    or a cluster's judgements and ranking."""
    make = partial(_files, project, ranking, format_, path)
    return write_export("preferences.export", path.parent, make, path.name)


def _files(project: Project, ranking: Ranking, format_: str, path: Path, report: Report) -> Export:
    if format_ == "clusters":
        return Export((clusters_of_project(project, path.name),))
    return Export(export_files(_study(project, ranking, report), format_, path.stem))


def collection_task(project: Project, folder: Path) -> Task[IntoFolder, Written]:
    """The job that writes all clusters with their rankings into a folder in the layout of JitsuPeer."""
    return write_export("preferences.export", folder, partial(_collection, project))


def _collection(project: Project, _report: Report) -> Export:
    return collection_of_project(project, partial(AgreementStore(project).visible, task=TASK))


@dataclass(frozen=True, slots=True)
class Import:
    """A file or folder, and the cluster that a table of judgements belongs to ("" for a new one)."""

    path: str
    cluster_id: str


def import_task(project: Project, path: Path, cluster_id: str) -> Task[Import, Imported]:
    run, params = partial(_import, project), Import(str(path), cluster_id)
    return Task("preferences.import", f"Import {path.name}", run, params, DuplicatePolicy.DISCARD, str(path))


def _import(project: Project, params: Import, report: Report) -> Imported:
    report.progress(0.1, "Reading")
    return import_into(project, Path(params.path), params.cluster_id)


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
            export_task(state.project, Ranking(state.key, state.method), kind, path),
            lambda made: self.notice.emit(written_notice(EXPORT, made.paths, EXPORTS[kind][2:])),
        )

    def _submit(self, task: Task[Any, Any], done: Any) -> None:
        self._context.bridge.submit(task, self, on_done=done, on_error=self.failed.emit)
