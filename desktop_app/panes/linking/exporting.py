"""Exports of a study in the formats of ``terms.KINDS``. No Qt."""

from dataclasses import dataclass

from desktop_app.panes.linking.study import Study, StudyReader
from desktop_app.panes.linking.terms import Format
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.documents.tasks import stopping
from engine.exchange import aries, change_summary, links_csv, plain_text, web_annotation
from engine.exchange.change_summary import write_letter, write_table
from engine.exchange.records import Export, ExportFile, Linking
from engine.exchange.studies import Studies, exported_version
from engine.jobs import Report
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf, marked_pdf
from engine.revision.coverage import coverage
from engine.revision.groups import doubts
from engine.revision.records import Edit, RevisionDiff
from engine.shown import left_out


@dataclass(frozen=True)
class ExportRequest:
    """The data to export, as it was when the export was requested."""

    format: Format
    name: str
    """The name of the file; for ARIES, of the folder."""
    linking: Linking
    shown: tuple[str, ...]
    """The edits that match the filters; a list of changes and a marked PDF contain only these."""
    made: str
    """The date, as text."""
    study: Study
    reviewer: str = ""
    """Summaries, tables of requests and letters contain only this reviewer's comments, if given."""


def linking_of(reader: StudyReader, study: Study, whose: str = "") -> Linking:
    """Returns the data to export: the acting annotator's, another annotator's, or the adjudicated links."""
    if whose and whose != reader.project.annotator_id and study.paper is not None:
        studies = Studies(reader.project)
        return studies.linking(studies.study(study.paper.id, whose, suggestions=False))
    documents = DocumentStore(reader.project)
    return Linking(
        study.paper.external_id or study.paper.title if study.paper else "",
        exported_version(documents, study.source),
        exported_version(documents, study.target),
        study.texts,
        (*study.comments, *study.remarks),
        study.targets,
        study.links,
        tuple(study.states.values()),
        reader.project.annotators(),
    )


def make_export(documents: DocumentStore, service: DocumentService, request: ExportRequest, report: Report) -> Export:
    """Returns the files of an export; ``documents`` and ``service`` are those of the project."""
    linking, name, service = request.linking, request.name, stopping(service, report)
    match request.format:
        case "aries":
            return aries.write_linking(linking)
        case "annotations":
            return web_annotation.write_links(linking, name)
        case "csv":
            return links_csv.write_links(linking, name)
        case "letter":
            return plain_text.write_markdown_comments(linking.comments, name)
        case "changes_html":
            return Export((ExportFile(name, changes_html(_changes(request)).encode()),))
        case "changes_pdf":
            return Export((ExportFile(name, changes_pdf(_changes(request), service)),))
        case "marked":
            return _marked(documents, service, request)
    states = {judgement.comment_id: judgement for judgement in linking.states}
    suggested = request.study.suggestions
    found = coverage(linking.comments, linking.edits, linking.links, states, suggested, groups=("all",))
    source, target = linking.source, linking.target
    doubted = doubts(linking.edits, source, target)
    summary = change_summary.Summary(found, source.paragraphs, target.paragraphs, linking.paper, request.made, doubted)
    if request.format.startswith("requests"):
        requests = request.study.requests(found)
        write = write_letter if request.format == "requests_letter" else write_table
        return write(requests, summary, name, request.reviewer)
    if request.format == "summary_md":
        return change_summary.write_markdown(summary, name, request.reviewer)
    return change_summary.write_pdf(summary, service, name, request.reviewer)


def _answers(linking: Linking) -> dict[str, list[str]]:
    """Returns the names of the comments that each edit answers."""
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for comment in linking.comments:
        numbers[comment.reviewer] = numbers.get(comment.reviewer, 0) + 1
        names[comment.id] = f"{comment.reviewer or 'Reviewer'}, comment {numbers[comment.reviewer]}"
    answers: dict[str, list[str]] = {}
    for link in linking.links:
        answers.setdefault(link.edit_id, []).append(names.get(link.comment_id, "a comment"))
    return answers


def _edits(linking: Linking) -> tuple[Edit, ...]:
    return tuple(edit for edit in linking.edits if not edit.passage)


def _changes(request: ExportRequest) -> ChangeList:
    linking, shown = request.linking, set(request.shown)
    edits = _edits(linking)
    return ChangeList(
        edits=tuple(edit for edit in edits if edit.id in shown),
        source=linking.source.paragraphs,
        target=linking.target.paragraphs,
        title=linking.paper or "List of changes",
        subtitle="List of changes",
        source_name=linking.source.name or "the submitted version",
        target_name=linking.target.name or "the revised version",
        made=request.made,
        of=len(edits) if len(shown) < len(edits) else None,
        answers=_answers(linking),
        doubts=doubts(edits, linking.source, linking.target),
    )


def _marked(documents: DocumentStore, service: DocumentService, request: ExportRequest) -> Export:
    linking, study, every = request.linking, request.study, _edits(request.linking)
    edits = tuple(edit for edit in every if edit.id in request.shown)
    made = marked_pdf(
        documents.pdf_bytes(study.target.document_id if study.target else ""),
        RevisionDiff(edits, study.revision.unchanged if study.revision else ()),
        linking.source.paragraphs,
        linking.target.paragraphs,
        service,
        title=linking.paper or "Marked changes",
        source_name=linking.source.name or "the submitted version",
        answers=_answers(linking),
        doubts=doubts(edits, linking.source, linking.target),
    )
    lost = left_out(len(every) - len(edits), "edit hidden by the filters", "edits hidden by the filters")
    lost += left_out(made.left_out, "mark on a damaged page", "marks on damaged pages")
    return Export((ExportFile(request.name, made.content),), lost)
