"""The jobs of the Preferences pane: what ranks a cluster, and what reads and writes files. No Qt."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from desktop_app.writing import Written, write_export
from engine.agreement.store import AgreementStore
from engine.exchange.preference_study import TASK, Study, collection_of_project, export_files, read_study
from engine.exchange.preferences import Imported, clusters_of_project, import_into
from engine.exchange.records import Export
from engine.jobs import DuplicatePolicy, Report, Task, task
from engine.project import Project
from engine.rebuttal.preferences.ranking import Method


@task("preferences.study", "Rank a cluster", DuplicatePolicy.REPLACE, "preferences")
def study_task(report: Report, project: Project, cluster_id: str, method: Method) -> Study:
    report.progress(0.1, "Ranking and comparing")
    return read_study(project, cluster_id, method, AgreementStore(project).visible(cluster_id, TASK))


def export_task(project: Project, study: Task[Study], format_: str, path: Path) -> Task[Written]:
    """The job that writes the files of a format into the folder of ``path``, named after it: all clusters as one table,
    or a cluster's judgements and ranking."""
    make = partial(_files, project, study, format_, path)
    return write_export("preferences.export", path.parent, make, path.name)


def _files(project: Project, study: Task[Study], format_: str, path: Path, report: Report) -> Export:
    if format_ == "clusters":
        return Export((clusters_of_project(project, path.name),))
    return Export(export_files(study.run(report), format_, path.stem))


def collection_task(project: Project, folder: Path) -> Task[Written]:
    """The job that writes all clusters with their rankings into a folder in the layout of JitsuPeer."""
    return write_export("preferences.export", folder, partial(_collection, project))


def _collection(project: Project, _report: Report) -> Export:
    return collection_of_project(project, partial(AgreementStore(project).visible, task=TASK))


@task("preferences.import", "Import {path.name}", DuplicatePolicy.DISCARD, "{path}")
def import_task(report: Report, project: Project, path: Path, cluster_id: str) -> Imported:
    """Imports a file or folder; ``cluster_id``: the cluster that a table of judgements belongs to ("" for new)."""
    report.progress(0.1, "Reading")
    return import_into(project, path, cluster_id)
