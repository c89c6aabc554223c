"""Files into and out of the Linking pane: chosen in dialogs, imported, written; notices say how it went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.panes.linking.importing import Incoming
from desktop_app.panes.linking.state import LinkingState
from desktop_app.panes.linking.terms import KINDS, Format
from desktop_app.widgets.banner import Notice, written_notice
from desktop_app.writing import Written, write_export
from engine.papers.store import SUBMITTED

if TYPE_CHECKING:
    from engine.jobs import Failure
    from engine.operations.incoming import Added

_FILTERS = "Papers, reviews, letters (*.pdf *.md *.txt *.docx *.tex *.json *.jsonl *.csv);;All files (*)"


Act = Callable[[Callable[[], object]], bool]


class LinkingFiles(QObject):
    """Works on the files of ``state``. ``act`` runs a verb and shows its problem, as ``Pane.act`` does; ``whose`` says
    whose links are exported (empty: the acting annotator's)."""

    notice = Signal(object)
    """A Notice to show."""

    def __init__(self, context: AppContext, act: Act, whose: Callable[[], str], parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._act, self._whose, self._window = context, act, whose, parent
        self.state = LinkingState()
        self.incoming = Incoming(context.bridge, act, parent)
        self.incoming.added.connect(self._added)
        self.incoming.failed.connect(lambda failure: self._failed(failure, "add"))

    def ask_for_files(self) -> None:
        """Asks which files to add."""
        self.add_files(self._context.files.open_files(self._window, "Add files", _FILTERS))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Adds files by their content; problems of single files do not stop the others."""
        reader = self.state.reader
        if reader is None or not paths:
            return
        study = self.state.study
        self.incoming.add(reader.project, paths, study.paper.id if study.paper else "")

    def _added(self, added: Added) -> None:
        for at, problem in enumerate(added.problems):
            self.notice.emit(Notice.of(problem, f"add {at}"))
        project = self.state.project
        for text_id, letter in added.letters.items():
            if project is None or letter.reading is None:
                continue
            swap = ("Swap comments and responses", partial(self.incoming.swap, project, text_id, letter))
            what = f"{letter.path.name}: {letter.reading.sentence()}"
            self.notice.emit(Notice(f"reading {letter.path.name}", what, kind="note", actions=(swap,)))
        if added.warnings:
            self.notice.emit(Notice("added", " ".join(dict.fromkeys(added.warnings)), kind="attention"))

    def compare_version(self, label: str, version_id: str) -> None:
        """Compares another version as the submitted or the revised one; links stay with their two versions."""
        shown = self.state.study.source if label == SUBMITTED else self.state.study.target
        if self.state.reader is not None and (shown is None or shown.id != version_id):
            self._act(partial(self.state.reader.papers.compare_as, version_id, label))

    def export(self, format_: Format) -> None:
        """Asks where to write a format, and writes it."""
        study, kind, files = self.state.study, KINDS[format_], self._context.files
        title, stem = kind.title.rstrip("…"), (study.paper.title if study.paper else "") or "linking"
        if kind.ending:
            path = files.save_file(self._window, title, stem, kind.ending)
        else:
            path = files.choose_folder(self._window, title)
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: Format, path: Path) -> None:
        """Writes a format to a file (for ARIES to a folder) in a job."""
        from desktop_app.panes.linking.exporting import ExportRequest, linking_of, make_export

        state, bridge = self.state, self._context.bridge
        assert state.reader is not None
        shown, study = state.selection.edit_filter, state.study
        passing = tuple(edit.id for edit in study.edits if shown.passes(edit, study))
        linking, today = linking_of(state.reader, study, self._whose()), f"{datetime.now().astimezone():%d %B %Y}"
        request = ExportRequest(format_, path.name, linking, passing, today, study)
        folder, name = (path.parent, path.name) if KINDS[format_].ending else (path, "")
        make = partial(make_export, state.reader.documents, bridge.documents, request)
        task = write_export("linking.export", folder, make, name)
        bridge.submit(task, self, on_done=self._exported, on_error=self._failed)

    def _exported(self, written: Written) -> None:
        self.notice.emit(written_notice("export", written.paths, written.loss))

    def _failed(self, failure: Failure, key: str = "export") -> None:
        if failure.problem is None:
            self._context.bridge.job_failed.emit(failure)
        else:
            self.notice.emit(Notice.of(failure.problem, key))
