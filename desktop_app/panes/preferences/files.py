"""Imports clusters and judgements, and exports clusters, judgements and rankings: dialogs and jobs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from desktop_app import if_any, present
from desktop_app.panes.base import PaneTools
from desktop_app.panes.preferences.choices import EXPORTS
from desktop_app.panes.preferences.state import PreferencesState, study_task
from desktop_app.writing import Written, free_folder, write_export
from engine.agreement.store import AgreementStore
from engine.exchange.preference_study import TASK, Study, collection_of_project, export_files
from engine.exchange.preferences import Imported, clusters_of_project, import_into
from engine.exchange.records import Export
from engine.jobs import DuplicatePolicy, Report, Task, task
from engine.project import Project
from engine.shown import counted

WORK = "work"
"""Key of job failures in the banner."""


def export_task(project: Project, study: Task[Study], format_: str, path: Path) -> Task[Written]:
    """Returns the job that writes the files of a format into the folder of ``path``, named after it: all clusters as
    one table, or a cluster's judgements or ranking."""
    make = partial(_files, project, study, format_, path)
    return write_export("preferences.export", path.parent, make, path.name)


def _files(project: Project, study: Task[Study], format_: str, path: Path, report: Report) -> Export:
    if format_ == "clusters":
        return Export((clusters_of_project(project, path.name),))
    return Export(export_files(study.run(report), format_, path.stem))


def collection_task(project: Project, folder: Path) -> Task[Written]:
    """Returns the job that writes all clusters with their rankings into a folder in the JitsuPeer layout."""
    return write_export("preferences.export", folder, partial(_collection, project))


def _collection(project: Project, _report: Report) -> Export:
    return collection_of_project(project, partial(AgreementStore(project).visible, task=TASK))


@task("preferences.import", "Import {path.name}", DuplicatePolicy.DISCARD, "{path}")
def import_task(report: Report, project: Project, path: Path, cluster_id: str) -> Imported:
    """Imports a file or folder; ``cluster_id`` is the cluster of a table of judgements ("" for a new one)."""
    report.progress(0.1, "Reading")
    return import_into(project, path, cluster_id)


class PreferenceFiles:
    """Asks for files and starts the jobs that read and write them. ``imported`` is called with the key of an imported
    cluster, or "" after judgements were imported."""

    def __init__(self, tools: PaneTools, state: PreferencesState, imported: Callable[[str], object]) -> None:
        self._tools, self._state, self._taken = tools, state, imported
        self._files, self._over = tools.context.files, tools.owner

    def ask_for_table(self) -> None:
        found = self._files.open_file(self._over, "Import clusters or judgements", "Tables (*.csv *.tsv)")
        if_any(found, self.import_from)

    def ask_for_folder(self) -> None:
        if_any(self._files.choose_folder(self._over, "Import a folder of clusters"), self.import_from)

    def import_from(self, path: Path) -> None:
        task = import_task(present(self._state.project), path, self._state.key)
        self._tools.submit(task, self._imported, WORK)

    def _imported(self, found: Imported) -> None:
        problems = f", with {counted(len(found.warnings), 'problem')}." if found.warnings else "."
        self._tools.notify(WORK, found.words.rstrip(".") + problems, " ".join(found.warnings[:5]))
        self._taken(found.cluster_id)

    def ask_where(self, kind: str) -> None:
        title = EXPORTS[kind][0].rstrip("…")
        if kind == "jitsupeer":
            if_any(self._files.choose_folder(self._over, title), lambda folder: self.export(kind, folder / kind))
        else:
            stem = "preferences" if kind == "clusters" else self._state.subject[1].replace(" · ", ", ")
            if_any(self._files.save_file(self._over, title, stem, ".csv"), partial(self.export, kind))

    def export(self, kind: str, path: Path) -> None:
        """Writes the files of a format, named after ``path``; for JitsuPeer, a new folder with that name."""
        state, project = self._state, present(self._state.project)
        if kind == "jitsupeer":
            self._tools.write_files(collection_task(project, free_folder(path.parent, path.name)))
        else:
            task = export_task(project, study_task(project, state.key, state.method), kind, path)
            self._tools.write_files(task, *EXPORTS[kind][2:])
