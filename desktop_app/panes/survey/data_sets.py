"""The jobs of an organiser: data sets in and out, and the results of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.jobs import DuplicatePolicy, Lane, Report, Task

if TYPE_CHECKING:
    from engine.exchange.records import Export
    from engine.expertise.summary import SurveySummary
    from engine.project import Project


@dataclass(frozen=True, slots=True)
class Kind:
    """An export format: its title and help in the menu, and the suffix of the folder's name."""

    title: str
    help: str
    ending: str


KINDS: dict[str, Kind] = {
    "released": Kind(
        "Data set in the released layout…",
        "evaluations.csv, participants and papers in folders; participants without consent are left out.",
        "released",
    ),
    "texts": Kind(
        "Data set with full texts…", "The same, with the full texts that the project has.", "texts"
    ),
    "openreview": Kind(
        "Data set for OpenReview…", "Participants' publications as archives, rated papers as submissions.",
        "openreview",
    ),
    "summary": Kind(
        "Tables and figures…", "Tables 1 and 2 (CSV, LaTeX), Figures 1a and 1b (PDF, SVG, PNG, CSV).", "figures"
    ),
}  # fmt: skip


def maker(kind: str, project: Project, study_id: str, stem: str) -> Callable[[Report], Export]:
    """A function that makes an export of a study."""

    def make(_report: Report) -> Export:
        from engine.exchange.records import Export

        if kind == "summary":
            from engine.exchange.survey_summary import summary_files, summary_of

            return Export(summary_files(summary_of(project, study_id), stem))
        if kind == "openreview":
            from engine.exchange.openreview_expertise import of_gold_standard, write_openreview_expertise
            from engine.expertise.store import SurveyStore

            gold = SurveyStore(project).gold_standard(study_id, agreed_only=True)
            return write_openreview_expertise(of_gold_standard(gold))
        from engine.exchange.expertise_release import release_study

        return release_study(project, study_id, with_texts=kind == "texts")

    return make


@dataclass(frozen=True, slots=True)
class OfStudy:
    """A study of the project, by its key in it."""

    study_id: str


def summarise_study(project: Project, study_id: str) -> Task[OfStudy, SurveySummary]:
    """The tables and figures of a study."""

    def run(params: OfStudy, report: Report) -> SurveySummary:
        from engine.exchange.survey_summary import summary_of

        report.check()
        return summary_of(project, params.study_id)

    return Task("survey.summary", "Tables and figures", run, OfStudy(study_id), DuplicatePolicy.REPLACE, study_id)


@dataclass(frozen=True, slots=True)
class DataSetFolder:
    """The folder of a data set."""

    folder: str


def import_data_set(project: Project, folder: Path) -> Task[DataSetFolder, str]:
    """Imports a data set as a study, in one undo step; returns the study's key. The layout follows from the files."""

    def run(params: DataSetFolder, report: Report) -> str:
        report.progress(0.05, "Reading")
        path = Path(params.folder)
        if (path / "evaluations.csv").is_file():
            from engine.exchange.expertise_release import import_release

            return import_release(project, path)
        from engine.exchange.openreview_expertise import import_openreview_expertise

        return import_openreview_expertise(project, path)

    return Task(
        "survey.import",
        f"Import {folder.name}",
        run,
        DataSetFolder(str(folder)),
        DuplicatePolicy.DISCARD,
        str(folder),
        Lane.LONG,
    )
