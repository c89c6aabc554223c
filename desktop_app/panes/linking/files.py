"""Files into and out of the linking pane: asked for, dropped, written; the banner says how it went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QDragEnterEvent, QDropEvent

from desktop_app.panes.linking.decisions import Decisions
from desktop_app.panes.linking.exporting import KINDS, Format, Written, export_task, extra_of, linking_of
from desktop_app.widgets.banner import Notice, written_notice
from engine.exchange.studies import ADJUDICATED
from engine.operations.incoming import Added, file_bytes, propose, take_in
from engine.operations.papers import set_version
from engine.papers.store import SUBMITTED

if TYPE_CHECKING:
    from desktop_app.panes.linking.tool_row import ToolRow
    from engine.jobs import Failure


class Files(Decisions):
    """The part of the pane that deals with files."""

    tools: ToolRow

    def exportable(self) -> list[tuple[str, str]]:
        """Whose links can be written: one's own, those of others that may be seen, and what was adjudicated."""
        if self.reader is None or self.study.paper is None:
            return []
        project = self.reader.project
        seen = self.reader.agreement.visible(self.study.paper.id)
        people = [(key, name) for key, name in project.annotators() if key in seen]
        people.sort(key=lambda person: person[0] != project.annotator_id)
        return [*people, (ADJUDICATED, "Adjudicated")] if len(people) > 1 else people

    def ask_for_files(self) -> None:
        """Asks which files to add."""
        kinds = "*.pdf *.md *.txt *.docx *.tex *.json *.jsonl *.csv"
        filters = f"Papers, reviews, letters ({kinds});;All files (*)"
        self.add_files(self.context.files.open_files(self, "Add files", filters))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Adds files by what they are; problems go to the banner, one by one, and do not stop the others."""
        if self.reader is None or not paths:
            return
        done: list[Added] = []
        project, shown = self.reader.project, self.study.paper.id if self.study.paper else ""
        if not self._act(lambda: done.append(take_in(project, propose(project, paths, shown=shown), initiator=self))):
            return
        titles = {paper.id: paper.title for paper in self.reader.papers.papers()}
        for path, paper in done[0].papers.items():
            if shown and paper != shown:
                done[0].warnings.append(f"{path.name} was added to “{titles[paper]}”.")
        for at, problem in enumerate(done[0].problems):
            self.show_problem(problem, f"add {at}")
        if done[0].warnings:
            said = " ".join(dict.fromkeys(done[0].warnings))
            self.banner.show_notice(Notice("added", said, kind="attention"))

    def has_something_to_export(self) -> bool:
        return bool(self.study.comments or self.study.edits)

    def can_replace(self) -> bool:
        return self.can_write() and self.study.paper is not None

    def ask_for_version(self, label: str) -> None:
        """Asks for the PDF that shall be the submitted or the revised version."""
        path = self.context.files.open_file(self, f"Choose the {label} PDF", "PDF (*.pdf)")
        if path is not None and self.reader is not None and self.study.paper is not None:
            project, paper = self.reader.project, self.study.paper.id
            self._act(lambda: set_version(project, paper, label, file_bytes(path), path.name, initiator=self))

    def has_more_versions(self) -> bool:
        """Whether there is a choice which versions are compared."""
        return self.can_replace() and len(self.study.versions) > 2

    def compare_version(self, label: str, version_id: str) -> None:
        """Compares a version in the place of the submitted or the revised one; links stay with their two versions."""
        shown = self.study.source if label == SUBMITTED else self.study.target
        if self.reader is not None and (shown is None or shown.id != version_id):
            papers = self.reader.papers
            self._act(lambda: papers.compare_as(version_id, label, initiator=self))

    def export(self, format_: Format) -> None:
        """Asks where to write a format, and has it written."""
        kind, stem = KINDS[format_], (self.study.paper.title if self.study.paper else "linking")
        title, files = kind.title.rstrip("…"), self.context.files
        path = files.save_file(self, title, stem, kind.ending) if kind.ending else files.choose_folder(self, title)
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: Format, path: Path) -> None:
        """Has a format written to a file (a folder for ARIES); the banner says what was written and what is lost."""
        assert self.reader is not None
        shown = tuple(self.edits.shown_edits())
        whose = self.tools.chosen if self.tools.chosen in dict(self.exportable()) else ""
        linking, service = linking_of(self.reader, self.study, whose), self.context.bridge.documents
        task = export_task(format_, path, linking, shown, extra_of(self.reader, self.study), service=service)
        self.context.bridge.submit(task, self, on_done=self._exported, on_error=self._export_failed)

    def _exported(self, written: Written) -> None:
        self.banner.show_notice(written_notice("export", written.paths, written.loss))

    def _export_failed(self, failure: Failure) -> None:
        if failure.problem is None:
            self.context.bridge.job_failed.emit(failure)
        else:
            self.show_problem(failure.problem, "export")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.can_import() and any(not name.endswith(".rejoinder") for name in _dropped(event)):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.add_files([Path(name) for name in _dropped(event)])
        event.acceptProposedAction()


def _dropped(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
