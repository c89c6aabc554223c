"""Everything that leaves a project, made from one: the files of every writer, for tests that look into all of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine import frames
from engine.agreement.linking import agreement
from engine.calibration.comparison import compare
from engine.calibration.store import CalibrationStore
from engine.calibration.tasks import refit
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.exchange import (
    adjudicated,
    aries,
    calibration,
    change_summary,
    edit_research,
    expertise_report,
    labelled_folders,
    links_csv,
    openreview_expertise,
    plain_text,
    preference_study,
    preferences,
    rebuttal_forms,
    review_benchmark,
    review_leaving,
    template_files,
    venue,
    web_annotation,
)
from engine.exchange import agreement as agreement_files
from engine.exchange.expertise_data import release_study
from engine.exchange.io import frame_file
from engine.exchange.package_file import names_of, write_package
from engine.exchange.rebuttals import Rebuttals
from engine.exchange.records import ExportFile
from engine.exchange.studies import Studies
from engine.exchange.study_file import preview_release, study_file
from engine.expertise.laboratory import Data, Laboratory, differences
from engine.expertise.laboratory_store import LaboratoryStore
from engine.expertise.scale import Block
from engine.expertise.store import SurveyStore
from engine.formats import WRITERS, Wanted
from engine.jobs import QuietReport
from engine.operations.decisions import compared as everything_decided
from engine.packages.records import Package, Round, Settings
from engine.papers.store import LibraryStore, PaperStore
from engine.project import Project
from engine.rebuttal.matrix import matrix
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.records import Template
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.disclosure import disclosure, statement
from engine.review_drafting.forms import shipped
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.labels.records import LabelledReview, LabelledSentence
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf, marked_pdf
from engine.revision.coverage import coverage
from engine.revision.coverage import second_round as second_requests
from engine.revision.records import RevisionDiff


def every_file(project: Project, service: DocumentService, folder: Path) -> Iterator[tuple[str, ExportFile]]:
    """The name of a writer and a file of it, for every writer; what has a folder of its own writes into ``folder``."""
    for name, make in _makers(project, service, folder).items():
        for file in make():
            yield name, file


def _text(name: str, text: str) -> ExportFile:
    return ExportFile(name, text.encode("utf-8", "surrogatepass"))


def _makers(project: Project, service: DocumentService, folder: Path) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    return {
        **_linking(project, service),
        **_reviews(project, service),
        **_rebuttals(project, service),
        **_preferences(project),
        **_scores(project, service),
        **_survey(project, folder),
        **_by_name(project),
        "work package": lambda: [_work_package(project, folder)],
    }


def _by_name(project: Project) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    """What is written by ``rejoinder project export`` alone."""
    names = ["brat", "webanno-tsv", "bibtex", "ris", "csl", "csv", "parquet"]
    names += ["cas-json", "cas-xmi"] * (importlib.util.find_spec("cassis") is not None)
    text = ReviewStore(project).texts()[0]
    labelled = LabelledReview(text.title, text, (LabelledSentence(Span(0, len(text.text)), {"aspect": ("clarity",)}),))
    return {
        **{name: lambda name=name: WRITERS[name].make(project, Wanted("out")).files for name in names},  # type: ignore[misc]
        "disapere": lambda: labelled_folders.write_disapere([labelled], {text.title: text.title}).files,
        "peer-review-analyze": lambda: labelled_folders.write_peer_review_analyze([labelled]).files,
    }


def _work_package(project: Project, folder: Path) -> ExportFile:
    """The file around a package's project; what is in that is tested in operations/test_packages.py."""
    title = PaperStore(project).papers()[0].title
    made = Round("r", title, "reviews", f"# {title}", (), Settings(), "lead", "")
    content, (name,) = folder / "package.content", names_of([title])
    content.write_bytes(b"SQLite format 3")
    package = Package("p", made.id, "annotator", ("one",), "a")
    write_package(folder / name, content, made, package, person="Ann", project="project", written_at="")
    return ExportFile(name, (folder / name).read_bytes())


def _linking(project: Project, service: DocumentService) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    studies = Studies(project)
    study = studies.study(studies.compared()[0][0].id)
    linking = studies.linking(study)
    states = {judgement.comment_id: judgement for judgement in linking.states}
    found = coverage(linking.comments, linking.edits, linking.links, states, study.suggestions)
    summary = change_summary.Summary(
        found, linking.source.paragraphs, linking.target.paragraphs, linking.paper, "1 May 2026"
    )
    requests = second_requests(found.rows, linking.edits, study.suggestions)
    changes = ChangeList(
        linking.edits, linking.source.paragraphs, linking.target.paragraphs, linking.paper, linking.paper,
        linking.source.name, linking.target.name, "1 May 2026",
        answers={link.edit_id: [f"{linking.comments[0].reviewer}, comment 1"] for link in linking.links},
    )  # fmt: skip
    researched = edit_research.research(studies)
    people = sorted({key for standing in studies.standings() for key in standing.done})
    agreed = agreement(studies.paper_works(people[0], people[1]))
    compared = agreement_files.AgreementExport(
        agreed, {c.id: c for c in study.comments}, {e.id: e for e in study.edits},
        studies.agreement.adjudications(study.revision.id),
    )  # fmt: skip
    pdf = DocumentStore(project).pdf_bytes(study.target.document_id)

    def marked() -> Sequence[ExportFile]:
        made = marked_pdf(
            pdf, RevisionDiff(study.edits, study.revision.unchanged), linking.source.paragraphs,
            linking.target.paragraphs, service, title=linking.paper, source_name=linking.source.name,
            answers={edit.id: [linking.comments[0].reviewer] for edit in study.edits},
        )  # fmt: skip
        return [ExportFile("marked.pdf", made.content)]

    def requests_table(name: str) -> Sequence[ExportFile]:
        return change_summary.write_table(requests, summary, name).files

    return {
        "aries": lambda: aries.write_linking(linking).files,
        "links.csv": lambda: links_csv.write_links(linking).files,
        "annotations": lambda: web_annotation.write_links(linking).files,
        "comments.md": lambda: plain_text.write_markdown_comments(linking.comments).files,
        **{f"requests.{ending}": partial(requests_table, f"r.{ending}") for ending in ("csv", "xlsx", "md")},
        "requests letter": lambda: change_summary.write_letter(requests, summary, "letter.md").files,
        "summary.md": lambda: change_summary.write_markdown(summary).files,
        "summary.pdf": lambda: change_summary.write_pdf(summary, service).files,
        "changes.html": lambda: [_text("changes.html", changes_html(changes))],
        "changes.pdf": lambda: [ExportFile("changes.pdf", changes_pdf(changes, service))],
        "marked": marked,
        **{
            f"analysis {format_}": lambda format_=format_: edit_research.export_files(researched, format_, "a")  # type: ignore[misc]
            for format_ in edit_research.FORMATS
        },
        **{
            f"agreement {format_}": lambda format_=format_: agreement_files.export_files(compared, format_, "a")  # type: ignore[misc]
            for format_ in agreement_files.FORMATS
        },
        "data set": lambda: adjudicated.data_set(everything_decided(project, "states")).files,
    }


def _reviews(project: Project, service: DocumentService) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    store, documents = ReviewDraftStore(project), DocumentStore(project)
    draft = store.drafts()[0]
    form = shipped("iclr")
    values = store.fields(draft.id)
    heard = statement(disclosure(form, values, store.runs(draft_id=draft.id)))
    parsed = documents.parsed(draft.document_id)
    assert parsed is not None
    leaving = review_leaving.Leaving(
        draft.title, form, {"summary": f"{draft.title} {values.get('summary', '')}"}, Places(parsed),
        lambda: documents.pdf_bytes(draft.document_id), f"{heard}",
    )  # fmt: skip
    benchmarks = BenchmarkStore(project)
    report = review_benchmark.benchmark_report(project, benchmarks.benchmarks()[0].id)
    return {
        **{
            f"review {kind}": lambda kind=kind: _make_review(kind, leaving, service)  # type: ignore[misc]
            for kind in review_leaving.FORMS
        },
        "benchmark tables": lambda: review_benchmark.export_tables(report).files,
        "benchmark figures": lambda: review_benchmark.export_figures(report).files,
    }


def _rebuttals(project: Project, service: DocumentService) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    desk = Rebuttals(project).read(next(iter(PaperStore(project).papers())).id)
    leaving = rebuttal_forms.Leaving(desk.outline, desk.limit, "full")
    responses = matrix(desk.outline, desk.edits, {}, desk.limit, "full", revised=True)
    words = next(row.comment.comment for row in desk.outline.rows)
    templates = [Template("t", "done", words, provenance=words, note=words, library=words, roots=("clarity",))]
    return {
        **{
            f"rebuttal {form}": lambda form=form: _make_rebuttal(form, leaving, service)  # type: ignore[misc]
            for form in rebuttal_forms.FORMS
        },
        "response matrix": lambda: rebuttal_forms.write_matrix(responses, "m.csv").files,
        **{
            f"templates {format_}": lambda format_=format_: (  # type: ignore[misc]
                *template_files.write_templates(templates, format_).files,
                *template_files.write_libraries(templates, format_).files,
            )
            for format_ in ("csv", "jsonl", "toml")
        },
    }


def _preferences(project: Project) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    clusters = PreferenceStore(project).clusters()
    everybody = [key for key, _ in project.annotators()]

    def studies(format_: str) -> list[ExportFile]:
        return [
            file
            for cluster in clusters
            for file in preference_study.export_files(
                preference_study.read_study(project, cluster.id, "pagerank", everybody), format_, cluster.id
            )
        ]

    return {
        "clusters": lambda: [preferences.clusters_of_project(project, "clusters.csv")],
        "collection": lambda: preference_study.collection_of_project(project, lambda _key: everybody).files,
        **{f"preferences {one}": lambda one=one: studies(one) for one in preference_study.FORMATS},  # type: ignore[misc]
    }


def _scores(project: Project, service: DocumentService) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    store = CalibrationStore(project)
    table = store.tables()[0]
    reviews = store.reviews(table.id)
    fit = refit(store.scenarios(table.id)[0], reviews, 4).run(QuietReport())
    export = calibration.CalibrationExport(
        table.title, fit, fit, 4, table.problems, compare(fit.prepared.reviews, fit.calibration, 4, methods=("mean",)),
        "1 May 2026", tuple((one.id, one.item, one.referee) for one in reviews),
    )  # fmt: skip
    return {
        f"calibration {format_}": lambda format_=format_: calibration.export_files(
            export, format_, "c", lambda: service
        )  # type: ignore[misc]
        for format_ in ("csv", "xlsx", "figures", "html", "pdf")
    }


def _survey(project: Project, folder: Path) -> dict[str, Callable[[], Sequence[ExportFile]]]:
    store = SurveyStore(project)
    study = store.studies()[0]
    gold = store.gold_standard(study.id, with_texts=True)
    laboratory = Laboratory(Data(study.id, study.title, gold), _no_encoder)
    kept = LaboratoryStore(project)
    outcomes = [laboratory.outcome(run, kept.predictions(run.id)) for run in kept.runs(study.id)]
    papers = LibraryStore(project).papers()

    def answers() -> list[ExportFile]:
        one = store.participants(study.id)[0]
        shown = preview_release(
            replace(study, min_papers=1), one, store.rows(one.id), store.profile(one.id), written_at="2026-05-01"
        )
        return [shown.file]

    def scores() -> list[ExportFile]:
        path = folder / "scores.csv"
        names = [paper.title for paper in papers[:2]]
        block = Block(np.array([0, 1], np.int32), np.array([0, 0], np.int32), np.array([0.5, 0.25], np.float32))
        venue.write_scores(path, names, names, [block])
        return [ExportFile(path.name, path.read_bytes())]

    return {
        "study": lambda: [study_file(study)],
        "answers": answers,
        "released": lambda: release_study(project, study.id).files,
        "released with texts": lambda: release_study(project, study.id, with_texts=True).files,
        "openreview": lambda: (
            openreview_expertise.write_openreview_expertise(
                openreview_expertise.of_gold_standard(store.gold_standard(study.id, agreed_only=True))
            ).files
        ),
        "survey summary": lambda: expertise_report.summary_files(expertise_report.summary_of(project, study.id), "s"),
        "similarity": lambda: (
            *expertise_report.leaderboard_files(outcomes, differences(outcomes, outcomes[0])),
            *expertise_report.comparison_files(outcomes),
            *map(expertise_report.scores_file, outcomes),
            *expertise_report.curve_files({"one": [(1, outcomes[0].evaluation), (2, outcomes[1].evaluation)]}),
        ),
        "venue scores": scores,
        "frames": lambda: [
            frame_file(f"scores.{ending}", frames.answers(project)) for ending in ("csv", "tsv", "xlsx", "parquet")
        ],
    }


def _no_encoder() -> Any:
    raise AssertionError("what was kept is read, nothing is encoded")


def _make_review(
    kind: review_leaving.Form, leaving: review_leaving.Leaving, service: DocumentService
) -> Sequence[ExportFile]:
    return review_leaving.make(kind, leaving, f"review{review_leaving.INFO[kind].ending}", service).files


def _make_rebuttal(
    form: rebuttal_forms.Form, leaving: rebuttal_forms.Leaving, service: DocumentService
) -> Sequence[ExportFile]:
    return rebuttal_forms.make(form, leaving, f"rebuttal{rebuttal_forms.INFO[form].ending}", service).files
