"""The jobs of the Preferences pane: what ranks a cluster, and what reads and writes files. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from desktop_app.writing import IntoFolder, Written, write_export
from engine.agreement.store import AgreementStore
from engine.exchange.preference_study import TASK, Study, collection_of_project, export_files, read_study
from engine.exchange.preferences import Imported, clusters_of_project, import_into
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
