"""What can be taken out of the linking pane, and the job that writes it. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from desktop_app.panes.linking.reader import Reader
from desktop_app.panes.linking.study import Study
from engine.documents.service import DocumentService
from engine.exchange.change_summary import Summary
from engine.exchange.records import Export, ExportFile, Linking, LossReport, Version
from engine.exchange.studies import Studies
from engine.files import write_whole
from engine.jobs import DuplicatePolicy, Report, Task
from engine.revision.changes_report import ChangeList, changes_html, changes_pdf
from engine.revision.coverage import coverage
from engine.revision.marked import marked_pdf
from engine.revision.records import RevisionDiff, Suggestion

Format = Literal[
    "aries", "annotations", "csv", "letter", "changes_html", "changes_pdf", "summary_md", "summary_pdf", "marked"
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A format as it is offered: the words of its menu entry, the file's ending, empty where a folder is chosen."""

    title: str
    help: str
    ending: str


KINDS: Mapping[Format, Kind] = {
    "aries": Kind("ARIES files…", "Writes edits, comments and links as the three files of ARIES, into a folder.", ""),
    "annotations": Kind("Web Annotations…", "Writes links and states as W3C Web Annotations.", ".jsonld"),
    "csv": Kind("Table of links (CSV)…", "Writes a row for each link and for each comment without one.", ".csv"),
    "letter": Kind("Comments and responses…", "Writes comments and responses as a letter in Markdown.", ".md"),
    "changes_html": Kind("List of changes (HTML)…", "Writes the edits that the filter shows, to be read.", ".html"),
    "changes_pdf": Kind("List of changes (PDF)…", "Writes the edits that the filter shows, to be printed.", ".pdf"),
    "summary_md": Kind("What we did (Markdown)…", "Writes each comment with its response, its edits and pages.", ".md"),
    "summary_pdf": Kind("What we did (PDF)…", "Writes each comment with its response, its edits and pages.", ".pdf"),
    "marked": Kind("Marked PDF…", "Writes the revised PDF with the changes marked on its pages.", ".pdf"),
}


@dataclass(frozen=True)
class Extra:
    """What some formats need beside the linking: the file of the revised version, what did not change, suggestions."""

    pdf: Callable[[], bytes]
    unchanged: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    suggestions: Mapping[str, tuple[Suggestion, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Writing:
    """What the job gets: everything as it is now, frozen."""

    format: Format
    path: str
    linking: Linking
    shown: tuple[str, ...]
    made: str
    extra: Extra


@dataclass(frozen=True)
class Written:
    """What came of it: the files, and sentences on what they do not hold."""

    paths: tuple[str, ...]
    loss: tuple[str, ...]


def extra_of(reader: Reader, study: Study) -> Extra:
    """What the study has beside its linking."""
    target = study.target.document_id if study.target else ""
    unchanged = study.revision.unchanged if study.revision else ()
    return Extra(lambda: reader.documents.pdf_bytes(target), unchanged, study.suggestions)


def linking_of(reader: Reader, study: Study, whose: str = "") -> Linking:
    """The study as exports want it: the acting annotator's, another's, or what was adjudicated."""
    if whose and whose != reader.project.annotator_id and study.paper is not None:
        studies = Studies(reader.project)
        return studies.linking(studies.study(study.paper.id, whose, suggestions=False))
    sides = []
    for version in (study.source, study.target):
        parsed = reader.parsed(version)
        name = Path(version.filename).stem if version else ""
        sides.append(Version(name, parsed.paragraphs if parsed else ()))
    return Linking(
        study.paper.external_id or study.paper.title if study.paper else "",
        sides[0],
        sides[1],
        study.texts,
        (*study.comments, *study.remarks),
        study.edits,
        study.links,
        tuple(study.states.values()),
        reader.project.annotators(),
    )


def export_task(
    format_: Format, path: Path, linking: Linking, shown: tuple[str, ...], extra: Extra, *, service: DocumentService
) -> Task[Writing, Written]:
    """The job that writes a format to ``path`` (a folder for ARIES); ``shown`` are the edits that the filter lets
    through, which is what a list of changes holds."""
    made = f"{datetime.now().astimezone():%d %B %Y}"
    return Task(
        kind="linking.export",
        title=f"Write {path.name}",
        run=partial(_write, service),
        params=Writing(format_, str(path), linking, shown, made, extra),
        duplicate=DuplicatePolicy.AFTER,
        scope=str(path),
    )


def _write(service: DocumentService, params: Writing, report: Report) -> Written:
    report.progress(0.1, "Writing")
    path = Path(params.path)
    export = _MAKERS[params.format](params, service)
    folder = path if params.format == "aries" else path.parent
    paths = []
    for file in export.files:
        report.check()
        target = folder / file.name
        write_whole(target, file.content)
        paths.append(str(target))
    return Written(tuple(paths), export.loss.sentences)


def _aries(params: Writing, _service: DocumentService) -> Export:
    from engine.exchange.aries import write_linking

    return write_linking(params.linking)


def _annotations(params: Writing, _service: DocumentService) -> Export:
    from engine.exchange.web_annotation import write_links

    return write_links(params.linking, Path(params.path).name)


def _csv(params: Writing, _service: DocumentService) -> Export:
    from engine.exchange.links_csv import write_links

    return write_links(params.linking, Path(params.path).name)


def _letter(params: Writing, _service: DocumentService) -> Export:
    from engine.exchange.plain_text import write_markdown_comments as write_comments

    return write_comments(params.linking.comments, Path(params.path).name)


def _answers(linking: Linking) -> dict[str, list[str]]:
    """The comments that each edit answers, by name."""
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for comment in linking.comments:
        numbers[comment.reviewer] = numbers.get(comment.reviewer, 0) + 1
        names[comment.id] = f"{comment.reviewer or 'Reviewer'}, comment {numbers[comment.reviewer]}"
    answers: dict[str, list[str]] = {}
    for link in linking.links:
        answers.setdefault(link.edit_id, []).append(names.get(link.comment_id, "a comment"))
    return answers


def _changes(params: Writing) -> ChangeList:
    linking = params.linking
    shown = set(params.shown)
    return ChangeList(
        edits=tuple(edit for edit in linking.edits if edit.id in shown),
        source=linking.source.paragraphs,
        target=linking.target.paragraphs,
        title=linking.paper or "List of changes",
        subtitle="List of changes",
        source_name=linking.source.name or "the submitted version",
        target_name=linking.target.name or "the revised version",
        made=params.made,
        of=len(linking.edits) if len(shown) < len(linking.edits) else None,
        answers=_answers(linking),
    )


def _changes_html(params: Writing, _service: DocumentService) -> Export:
    content = changes_html(_changes(params)).encode()
    return Export((ExportFile(Path(params.path).name, content, "text/html"),))


def _changes_pdf(params: Writing, service: DocumentService) -> Export:
    return Export((ExportFile(Path(params.path).name, changes_pdf(_changes(params), service), "application/pdf"),))


def _summary(params: Writing) -> Summary:
    linking = params.linking
    states = {judgement.comment_id: judgement for judgement in linking.states}
    found = coverage(linking.comments, linking.edits, linking.links, states, params.extra.suggestions)
    return Summary(found, linking.source.paragraphs, linking.target.paragraphs, linking.paper, params.made)


def _summary_md(params: Writing, _service: DocumentService) -> Export:
    from engine.exchange.change_summary import write_markdown

    return write_markdown(_summary(params), Path(params.path).name)


def _summary_pdf(params: Writing, service: DocumentService) -> Export:
    from engine.exchange.change_summary import write_pdf

    return write_pdf(_summary(params), service, Path(params.path).name)


def _marked(params: Writing, service: DocumentService) -> Export:
    linking = params.linking
    made = marked_pdf(
        params.extra.pdf(),
        RevisionDiff(linking.edits, params.extra.unchanged),
        linking.source.paragraphs,
        linking.target.paragraphs,
        service,
        title=linking.paper or "Changes marked",
        source_name=linking.source.name or "the submitted version",
        answers=_answers(linking),
    )
    lost = (f"{made.left_out} marks were left out: their pages are damaged.",) if made.left_out else ()
    return Export((ExportFile(Path(params.path).name, made.content, "application/pdf"),), LossReport(lost))


_MAKERS: Mapping[Format, Callable[[Writing, DocumentService], Export]] = {
    "aries": _aries,
    "annotations": _annotations,
    "csv": _csv,
    "letter": _letter,
    "changes_html": _changes_html,
    "changes_pdf": _changes_pdf,
    "summary_md": _summary_md,
    "summary_pdf": _summary_pdf,
    "marked": _marked,
}
