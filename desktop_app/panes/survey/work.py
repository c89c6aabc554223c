"""The jobs of the survey panes: import and export of data sets, results of a study, and papers from files."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from engine.documents.codec import decode
from engine.documents.service import DocumentService
from engine.documents.tasks import is_cancelled
from engine.errors import about
from engine.exchange.records import Export
from engine.expertise.store import SurveyStore
from engine.expertise.summary import SurveySummary
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.papers.records import LibraryPaper
from engine.project import Project


def export_study(kind: str, project: Project, study_id: str, stem: str, _report: Report) -> Export:
    if kind == "summary":
        from engine.exchange.expertise_report import summary_files, summary_of

        return Export(summary_files(summary_of(project, study_id), stem))
    if kind == "openreview":
        from engine.exchange.openreview_expertise import of_gold_standard, write_openreview_expertise

        gold = SurveyStore(project).gold_standard(study_id, agreed_only=True)
        return write_openreview_expertise(of_gold_standard(gold))
    from engine.exchange.expertise_data import release_study

    return release_study(project, study_id, with_texts=kind == "texts")


@task("survey.summary", "Tables and figures", DuplicatePolicy.REPLACE, "{study_id}")
def summarise_study(report: Report, project: Project, study_id: str) -> SurveySummary:
    from engine.exchange.expertise_report import summary_of

    report.check()
    return summary_of(project, study_id)


@task("survey.import", "Import {folder.name}", DuplicatePolicy.DISCARD, "{folder}", Lane.LONG)
def import_data_set(report: Report, project: Project, folder: Path) -> str:
    """Imports a data set as a study, in one undo step; returns the study's key. Detects the layout from the files."""
    report.progress(0.05, "Reading")
    if (folder / "evaluations.csv").is_file():
        from engine.exchange.expertise_data import import_release

        return import_release(project, folder)
    from engine.exchange.openreview_expertise import import_openreview_expertise

    return import_openreview_expertise(project, folder)


@task("survey.read_paper", "Read {file.name}", DuplicatePolicy.DISCARD, "{file}")
def read_paper(report: Report, file: Path, service: Callable[[], DocumentService]) -> LibraryPaper:
    from engine.operations.incoming import file_bytes
    from engine.papers.pdf_metadata import pdf_paper

    with about(file.name):
        packed = service().read(file_bytes(file), progress=report.progress, cancelled=partial(is_cancelled, report))
    found = pdf_paper(decode(packed.content))
    return found if found.title else replace(found, title=file.stem)


@dataclass(frozen=True, slots=True)
class ListAdded:
    """Keys of the new rows (papers to rate only), and messages about what couldn't be read."""

    rows: tuple[str, ...]
    warnings: tuple[str, ...]


@task("survey.add_list", "Read {path.name}", DuplicatePolicy.DISCARD, "{path}")
def add_list(report: Report, project: Project, path: Path, participant_id: str, own: bool) -> ListAdded:
    """Adds papers from a file: the participant's own ones, or papers to rate."""
    from engine.exchange.publications import read_publications

    store = SurveyStore(project)
    report.progress(0.1, "Reading")
    found = read_publications(path)
    report.progress(0.4, "Adding")
    rows: list[str] = []
    origin = f"import:{path.name}"
    if own:
        store.add_publications(participant_id, found.papers, origin=origin)
    else:
        with project.action(f"Add papers from {path.name}"):
            rows = store.add_rows(participant_id, [(paper, None) for paper in found.papers], origin=origin)
    return ListAdded(tuple(rows), tuple(dict.fromkeys(found.warnings)))
