"""The jobs of the preferences pane. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop_app.writing import Beside, IntoFolder, Written, write_beside, write_export
from engine.agreement.store import AgreementStore
from engine.exchange.preference_clusters import Imported, clusters_of_project, import_into
from engine.exchange.preference_study import TASK, Study, collection_of_project, export_files, read_study
from engine.exchange.records import Export, ExportFile
from engine.jobs import DuplicatePolicy, Report, Task
from engine.project import Project
from engine.rebuttal.preferences.ranking import Method


@dataclass(frozen=True, slots=True)
class Asked:
    """A cluster, the method that ranks, and who looks."""

    cluster_id: str
    method: Method
    annotator_id: str


def study_task(project: Project, cluster_id: str, method: Method) -> Task[Asked, Study]:
    """The job that ranks a cluster and compares its annotators, from the judgements that the acting one may see."""

    def run(params: Asked, report: Report) -> Study:
        report.progress(0.1, "Ranking and comparing")
        return _study(project, params.cluster_id, params.method)

    return Task(
        "preferences.study", "Rank a cluster", run, Asked(cluster_id, method, project.annotator_id),
        DuplicatePolicy.REPLACE, "preferences",
    )  # fmt: skip


def _study(project: Project, cluster_id: str, method: Method) -> Study:
    return read_study(project, cluster_id, method, AgreementStore(project).visible(cluster_id, TASK))


def export_task(
    project: Project, cluster_id: str, method: Method, format_: str, path: Path
) -> Task[Beside, tuple[str, ...]]:
    """The job that ranks a cluster and writes the files of a format into the folder of ``path``, named after it."""

    def make(_report: Report) -> tuple[ExportFile, ...]:
        return export_files(_study(project, cluster_id, method), format_, path.stem)

    return write_beside("preferences.export", path, make)


def clusters_task(project: Project, path: Path) -> Task[Beside, tuple[str, ...]]:
    """The job that writes all clusters of a project as one table; it returns its path."""
    return write_beside("preferences.export", path, lambda _report: (clusters_of_project(project, path.name),))


def collection_task(project: Project, folder: Path) -> Task[IntoFolder, Written]:
    """The job that writes all clusters with their rankings into a folder in the layout of JitsuPeer."""
    agreed = AgreementStore(project)

    def make(_report: Report) -> Export:
        return collection_of_project(project, lambda key: agreed.visible(key, TASK))

    return write_export("preferences.export", folder, make)


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder to be taken into a project."""

    path: str


def import_task(project: Project, path: Path, cluster_id: str) -> Task[Source, Imported]:
    """The job that takes clusters or judgements of a file into the project."""

    def run(params: Source, report: Report) -> Imported:
        report.progress(0.1, "Reading")
        return import_into(project, Path(params.path), cluster_id)

    return Task("preferences.import", f"Import {path.name}", run, Source(str(path)), DuplicatePolicy.DISCARD, str(path))
