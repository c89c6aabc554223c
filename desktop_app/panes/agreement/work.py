"""The jobs of the agreement pane. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop_app.writing import Beside, write_beside
from engine.agreement.linking import agreement
from engine.agreement.records import Agreement
from engine.exchange.agreement import AgreementExport, export_files
from engine.exchange.studies import Studies
from engine.jobs import DuplicatePolicy, Report, Task
from engine.project import Project
from engine.project.merge import MergeReport, merge_into


@dataclass(frozen=True, slots=True)
class Pair:
    """Whose work is compared."""

    first_id: str
    second_id: str


@dataclass(frozen=True, slots=True)
class Other:
    """A project file to be merged."""

    path: str


def compare_task(project: Project, first_id: str, second_id: str) -> Task[Pair, Agreement]:
    """The job that computes all measures for two annotators."""

    def run(params: Pair, report: Report) -> Agreement:
        report.progress(0.1, "Reading both annotators' work")
        works = Studies(project).paper_works(params.first_id, params.second_id)
        report.progress(0.3, "Computing intervals")
        return agreement(works)

    return Task(
        kind="agreement.compare",
        title="Compute agreement",
        run=run,
        params=Pair(first_id, second_id),
        duplicate=DuplicatePolicy.REPLACE,
        scope="agreement",
    )


def merge_task(project: Project, path: Path) -> Task[Other, MergeReport]:
    """The job that brings another annotator's file in."""

    def run(params: Other, report: Report) -> MergeReport:
        return merge_into(project, Path(params.path), progress=report.progress)

    return Task(
        kind="agreement.merge",
        title=f"Bring in {path.name}",
        run=run,
        params=Other(str(path)),
        duplicate=DuplicatePolicy.DISCARD,
        scope=str(path),
    )


def export_task(export: AgreementExport, format_: str, path: Path) -> Task[Beside, tuple[str, ...]]:
    """The job that writes files of a format into the folder of ``path``, named after it; it returns their paths."""
    return write_beside("agreement.export", path, lambda _report: export_files(export, format_, path.stem))
