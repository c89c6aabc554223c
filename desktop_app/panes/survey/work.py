"""The jobs of the survey panes: data sets in and out, the results of a study, and papers from files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.documents.codec import decode
from engine.errors import Cancelled, EnvironmentProblem, about
from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.project import Project

if TYPE_CHECKING:
    from engine.documents.service import DocumentService
    from engine.exchange.records import Export
    from engine.expertise.summary import SurveySummary
    from engine.papers.records import LibraryPaper


EXPORTS = {
    "released": (
        "Data set in the released layout…",
        "evaluations.csv, participants and papers in folders; participants without consent are left out.", "released",
    ),
    "texts": ("Data set with full texts…", "The same, with the full texts that the project has.", "texts"),
    "openreview": (
        "Data set for OpenReview…", "Participants' publications as archives, rated papers as submissions.",
        "openreview",
    ),
    "summary": (
        "Tables and figures…", "Tables 1 and 2 (CSV, LaTeX), Figures 1a and 1b (PDF, SVG, PNG, CSV).", "figures",
    ),
}  # fmt: skip
"""Title and help of each format, and the ending of its folder's name."""


def export_study(kind: str, project: Project, study_id: str, stem: str, _report: Report) -> Export:
    from engine.exchange.records import Export

    if kind == "summary":
        from engine.exchange.survey_summary import summary_files, summary_of

        return Export(summary_files(summary_of(project, study_id), stem))
    if kind == "openreview":
        from engine.exchange.openreview_expertise import of_gold_standard, write_openreview_expertise
        from engine.expertise.store import SurveyStore

        gold = SurveyStore(project).gold_standard(study_id, agreed_only=True)
        return write_openreview_expertise(of_gold_standard(gold))
    from engine.exchange.expertise_data import release_study

    return release_study(project, study_id, with_texts=kind == "texts")


def summarise_study(project: Project, study_id: str) -> Task[str, SurveySummary]:
    run = partial(_summarise, project)
    return Task("survey.summary", "Tables and figures", run, study_id, DuplicatePolicy.REPLACE, study_id)


def _summarise(project: Project, study_id: str, report: Report) -> SurveySummary:
    from engine.exchange.survey_summary import summary_of

    report.check()
    return summary_of(project, study_id)


def import_data_set(project: Project, folder: Path) -> Task[str, str]:
    """Imports a data set as a study, in one undo step; returns the study's key. The layout follows from the files."""
    path, run = str(folder), partial(_import, project)
    return Task("survey.import", f"Import {folder.name}", run, path, DuplicatePolicy.DISCARD, path, Lane.LONG)


def _import(project: Project, folder: str, report: Report) -> str:
    report.progress(0.05, "Reading")
    path = Path(folder)
    if (path / "evaluations.csv").is_file():
        from engine.exchange.expertise_data import import_release

        return import_release(project, path)
    from engine.exchange.openreview_expertise import import_openreview_expertise

    return import_openreview_expertise(project, path)


def read_paper(path: Path, service: Callable[[], DocumentService]) -> Task[str, LibraryPaper]:
    run = partial(_read_paper, service)
    return Task("survey.read_paper", f"Read {path.name}", run, str(path), DuplicatePolicy.DISCARD, str(path))


def _read_paper(service: Callable[[], DocumentService], path: str, report: Report) -> LibraryPaper:
    from engine.papers.pdf_metadata import pdf_paper

    def cancelled() -> bool:
        try:
            report.check()
        except Cancelled:
            return True
        return False

    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EnvironmentProblem(
            f"Rejoinder couldn't read {file.name}: {error.strerror}.", "Nothing was added.",
            "Check the file, then add it again.",
        ) from error  # fmt: skip
    with about(file.name):
        packed = service().read(content, progress=report.progress, cancelled=cancelled)
    found = pdf_paper(decode(packed.content))
    return found if found.title else replace(found, title=file.stem)


@dataclass(frozen=True, slots=True)
class AddList:
    """A file with papers: the participant's own, or papers to rate."""

    path: str
    participant_id: str
    own: bool


@dataclass(frozen=True, slots=True)
class ListAdded:
    """Keys of the new rows (papers to rate only), and sentences on what couldn't be read."""

    rows: tuple[str, ...]
    warnings: tuple[str, ...]


def add_list(project: Project, params: AddList) -> Task[AddList, ListAdded]:
    title, run = f"Read {Path(params.path).name}", partial(_add_list, project)
    return Task("survey.add_list", title, run, params, DuplicatePolicy.DISCARD, params.path)


def _add_list(project: Project, params: AddList, report: Report) -> ListAdded:
    from engine.exchange.publications import read_publications
    from engine.expertise.store import SurveyStore

    path, store = Path(params.path), SurveyStore(project)
    report.progress(0.1, "Reading")
    found = read_publications(path)
    report.progress(0.4, "Adding")
    rows: list[str] = []
    origin = f"import:{path.name}"
    if params.own:
        store.add_publications(params.participant_id, found.papers, origin=origin)
    else:
        with project.action(f"Add papers from {path.name}"):
            rows = store.add_rows(params.participant_id, [(paper, None) for paper in found.papers], origin=origin)
    return ListAdded(tuple(rows), tuple(dict.fromkeys(found.warnings)))
