"""Files into and out of the Linking pane: chosen in dialogs, imported, written; notices say how it went."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop_app.panes.base import PaneTools
from desktop_app.panes.linking.importing import Incoming
from desktop_app.panes.linking.state import LinkingState
from desktop_app.panes.linking.terms import KINDS, Format
from desktop_app.widgets.banner import Kind, Notice, written_notice
from desktop_app.widgets.file_dialogs import file_filter
from desktop_app.writing import Written, write_export
from engine.papers.store import SUBMITTED

if TYPE_CHECKING:
    from engine.operations.incoming import Added


class LinkingFiles(QObject):
    """Works on the files of ``state``; ``whose`` says whose links are exported (empty: the acting annotator's)."""

    def __init__(self, tools: PaneTools, whose: Callable[[], str]) -> None:
        super().__init__(tools.owner)
        self._tools, self._files, self._whose = tools, tools.context.files, whose
        self.state = LinkingState()
        self.incoming = Incoming(tools.context.bridge, tools.act, tools.owner)
        self.incoming.added.connect(self._added)
        self.incoming.failed.connect(lambda failure: tools.show_failure(failure, "add"))

    def ask_for_files(self) -> None:
        from engine.exchange.sniff import ENDINGS

        kinds = file_filter("Papers, reviews, letters", ENDINGS)
        self.add_files(self._files.open_files(self._tools.owner, "Add files", kinds))

    def add_files(self, paths: Sequence[Path]) -> None:
        """Adds files by their content; problems of single files do not stop the others."""
        reader = self.state.reader
        if reader is None or not paths:
            return
        study = self.state.study
        self.incoming.add(reader.project, paths, study.paper.id if study.paper else "")

    def _added(self, added: Added) -> None:
        for at, problem in enumerate(added.problems):
            self._tools.banner.show_notice(Notice.of(problem, f"add {at}"))
        project = self.state.project
        for text_id, letter in added.letters.items():
            if project is None or letter.reading is None:
                continue
            swap = ("Swap comments and responses", partial(self.incoming.swap, project, text_id, letter))
            what = f"{letter.path.name}: {letter.reading.remark()}"
            kind: Kind = "attention" if letter.reading.doubtful else "note"
            self._tools.banner.show_notice(Notice(f"reading {letter.path.name}", what, kind=kind, actions=(swap,)))
        if added.warnings:
            self._tools.banner.show_notice(Notice("added", " ".join(dict.fromkeys(added.warnings)), kind="attention"))

    def compare_version(self, label: str, version_id: str) -> None:
        """Compares another version as the submitted or the revised one; links stay with their two versions."""
        shown = self.state.study.source if label == SUBMITTED else self.state.study.target
        if self.state.reader is not None and (shown is None or shown.id != version_id):
            self._tools.act(partial(self.state.reader.papers.compare_as, version_id, label))

    def export(self, format_: Format) -> None:
        """Asks where to write a format, and writes it."""
        study, kind, files = self.state.study, KINDS[format_], self._files
        what = re.sub(r"…| \(.*", "", kind.title)  # "table of links"
        title, paper = f"Export {kind.title}".rstrip("…"), study.paper.title if study.paper else ""
        stem = f"{paper}, {what}" if paper else what.capitalize()
        if kind.ending:
            path = files.save_file(self._tools.owner, title, stem, kind.ending)
        else:
            path = files.choose_folder(self._tools.owner, title)
        if path is not None:
            self.export_to(format_, path)

    def export_to(self, format_: Format, path: Path) -> None:
        """Writes a format to a file (for ARIES to a folder) in a job."""
        from desktop_app.panes.linking.exporting import ExportRequest, linking_of, make_export

        state, service = self.state, self._tools.context.bridge.documents
        assert state.reader is not None
        shown, study = state.selection.edit_filter, state.study
        passing = tuple(edit.id for edit in study.edits if shown.passes(edit, study))
        linking, today = linking_of(state.reader, study, self._whose()), f"{datetime.now().astimezone():%d %B %Y}"
        request = ExportRequest(format_, path.name, linking, passing, today, study)
        folder, name = (path.parent, path.name) if KINDS[format_].ending else (path, "")
        make = partial(make_export, state.reader.documents, service, request)
        self._tools.submit(write_export("linking.export", folder, make, name), self._exported, "export")

    def _exported(self, written: Written) -> None:
        self._tools.banner.show_notice(written_notice("export", written.paths, written.loss))
