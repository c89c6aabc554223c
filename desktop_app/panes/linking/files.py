"""Import and export of files in the Linking pane: dialogs, jobs, and notices about the result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from desktop_app import if_any
from desktop_app.panes.base import PaneTools
from desktop_app.panes.linking.state import LinkingState
from desktop_app.panes.linking.terms import KINDS, Format
from desktop_app.widgets.banner import Notice
from desktop_app.widgets.dialogs import DialogButtons, lay_out_scrolling
from desktop_app.widgets.fields import ChoiceBox
from desktop_app.widgets.file_dialogs import file_filter
from desktop_app.widgets.labels import text_label
from desktop_app.widgets.layouts import spaced_grid
from desktop_app.writing import write_export
from engine.papers.records import Paper
from engine.papers.store import SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.marks import DOUBT
from engine.shown import today

if TYPE_CHECKING:
    from engine.operations.incoming import Added, Incoming, Place, Proposal


class PlacesDialog(QDialog):
    """Shows the proposed paper of each file and, for a letter, how comments are distinguished from responses, and lets
    the user change both."""

    def __init__(self, proposal: Proposal, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Add files")
        self._proposal = proposal
        self.boxes: dict[Path, ChoiceBox] = {}
        self.readings: dict[Path, ChoiceBox] = {}
        grid = spaced_grid(16, 8)
        for at, one in enumerate(proposal.files):
            box = ChoiceBox(f"Paper of {one.path.name}", [(_words(p), p) for p in one.places], letters=32, parent=self)
            box.setToolTip(f"Proposed: {one.place.why}")
            self.boxes[one.path] = box
            grid.addWidget(text_label(one.path.name, parent=self), 3 * at, 0)
            grid.addWidget(text_label(one.what, "muted", parent=self), 3 * at, 1)
            grid.addWidget(box, 3 * at, 2)
            ways = one.found.readings
            if ways and ways[0].rest != "review":
                ways = (*ways, ways[0].swap())
            if len(ways) > 1:
                choice = ChoiceBox(
                    f"How to read {one.path.name}", [(way.sentence(), way) for way in ways], letters=48, parent=self
                )
                choice.setToolTip("How this letter distinguishes the reviewers' comments from your responses.")
                self.readings[one.path] = choice
                grid.addWidget(choice, 3 * at + 1, 1, 1, 2)
                if ways[0].doubtful:
                    grid.addWidget(text_label(DOUBT, "muted", parent=self), 3 * at + 2, 1, 1, 2)
        grid.setColumnStretch(2, 1)
        rows = len(proposal.files) + len(self.readings)
        question, lines = "Which paper does each file belong to?", min(8 + 3 * rows, 40)
        parts = (text_label(question, "section"), grid, None)
        lay_out_scrolling(self, parts, [DialogButtons(self, "Add")], 90, lines, spacing=16)

    @property
    def proposal(self) -> Proposal:
        found = self._proposal
        for path, box in self.boxes.items():
            found = found.put(box.currentData(), [path])
        for path, choice in self.readings.items():
            found = found.read_as(path, choice.currentData())
        return found


def _words(place: Place) -> str:
    return place.title or "Untitled paper" if place.paper_id else f"New paper: {place.title}"


class LinkingFiles(QObject):
    """Imports files into the project of ``state``: examines them in a job, asks where they belong if that is unclear;
    and exports files. ``whose`` returns whose links are exported (empty: the acting annotator's), ``reviewer`` whose
    comments summaries and requests are limited to (empty: everyone's)."""

    added = Signal(object)
    """The result of an import: an ``Added``."""

    def __init__(self, tools: PaneTools, whose: Callable[[], str], reviewer: Callable[[], str]) -> None:
        super().__init__(tools.owner)
        self._tools, self._files, self._bridge = tools, tools.context.files, tools.context.bridge
        self._whose, self._reviewer = whose, reviewer
        self.state = LinkingState()
        self.dialog: PlacesDialog | None = None
        self._last: tuple[Project | None, list[Notice]] = (None, [])
        self.added.connect(self._added)

    def ask_for_files(self) -> None:
        from engine.exchange.sniff import ENDINGS

        kinds = file_filter("Papers, reviews, letters", ENDINGS)
        self.add_files(self._files.open_files(self._tools.owner, "Add files", kinds))

    def paste(self) -> None:
        """Adds the review or letter in the clipboard, or the files copied there."""
        copied = QGuiApplication.clipboard().mimeData() or QMimeData()  # None if nothing was copied
        files = [Path(url.toLocalFile()) for url in copied.urls() if url.isLocalFile()]
        text = "" if files else copied.text()
        link = re.fullmatch(r"\s*\w+://\S+\s*", text) is not None
        if link or not (files or text.strip()):
            what = f"The clipboard contains {'only a link' if link else 'no text'}."
            do = "Copy the text of a review or letter, then paste it here."
            self._tools.banner.show_notice(Notice("add", what, "Nothing was added.", do))
            return
        self.add_files(files, text)

    def add_files(self, paths: Sequence[Path], pasted: str = "") -> None:
        """Adds files, or a ``pasted`` text, by their content; problems with some don't stop the others. The current
        paper is proposed unless a file indicates another one."""
        from engine.operations.incoming import propose_files

        project, paper = self.state.project, self.state.study.paper
        if project is not None and (paths or pasted.strip()):
            shown = paper.id if paper else ""
            task = propose_files(project, self._bridge.documents, tuple(paths), shown, pasted=pasted)
            what = "the pasted text" if pasted else paths[0].name if len(paths) == 1 else f"{len(paths)} files"
            self._tools.notify("add", f"Reading {what}…")
            again, known = partial(self.add_files, paths, pasted), PaperStore(project).papers()
            self._tools.submit(task, partial(self._proposed, project, shown, known, again), "add")

    def _proposed(
        self, project: Project, shown: str, known: Sequence[Paper], again: Callable[[], None], proposal: Proposal
    ) -> None:
        self._tools.banner.dismiss("add")
        if self._bridge.project is project and {one.id for one in PaperStore(project).papers()} - {p.id for p in known}:
            again()  # what was added just before made a paper, to which these may belong
            return
        if proposal.certain:
            self._import(project, proposal, shown)
            return
        self.dialog = dialog = PlacesDialog(proposal, self._tools.owner)
        dialog.accepted.connect(lambda: self._import(project, dialog.proposal, shown))
        dialog.open()

    def swap(self, project: Project, text_id: str, letter: Incoming) -> None:
        """Exchanges the comments and responses of an imported letter, in one undo step."""
        from engine.operations.importing import swap_roles

        if self._bridge.project is project:
            if_any(self._tools.result(lambda: swap_roles(project, text_id, letter)), self.added.emit)

    def _import(self, project: Project, proposal: Proposal, shown: str) -> None:
        """Imports in one undo step, and warns about files that were added to a paper other than the current one."""
        from engine.operations.importing import take_in

        if self._bridge.project is not project:
            return
        added: Added | None = self._tools.result(lambda: take_in(project, proposal))
        if added is None:
            return
        titles = {one.path: one.place.title or "Untitled paper" for one in proposal.files}
        elsewhere: dict[str, list[str]] = {}
        for path, paper in added.papers.items():
            if shown and paper != shown:
                elsewhere.setdefault(titles[path], []).append(path.name)
        for title, names in elsewhere.items():
            were = "was" if len(names) == 1 else "were"
            see = "Choose this paper at the top of the window to see it."
            added.warnings.append(f"{', '.join(names)} {were} added to “{title}”. {see}")
        self.added.emit(added)

    @property
    def has_report(self) -> bool:
        """Whether there are messages about the files last added to the open project."""
        return bool(self._report())

    def show_report(self) -> None:
        for notice in self._report():
            self._tools.banner.show_notice(notice)

    def _report(self) -> list[Notice]:
        """Returns the last messages; those of an earlier session are restored without their buttons."""
        project = self.state.project
        if self._last[0] is project:
            return self._last[1]
        known = self._tools.context.state.text(f"added.{project.id}", "[]") if project is not None else "[]"
        with suppress(ValueError, TypeError):
            return [Notice(*one) for one in json.loads(known)]
        return []

    def _added(self, added: Added) -> None:
        project, said = self.state.project, added.messages
        swaps = {
            f"reading {letter.path.name}": ("Swap comments and responses", partial(self.swap, project, text_id, letter))
            for text_id, letter in added.letters.items()
            if project is not None
        }
        notices = [Notice(*one, (swaps[one[0]],) if one[0] in swaps else ()) for one in said]
        for earlier in self._report():
            if not earlier.actions:  # how a letter was read can still be corrected
                self._tools.banner.dismiss(earlier.key)  # about other files
        self._last = (project, notices)
        if project is not None:
            self._tools.context.state.forget(f"added.{project.id}")
            if said:
                self._tools.context.state.set_text(f"added.{project.id}", json.dumps(said))
        self.show_report()

    def compare_version(self, label: str, version_id: str) -> None:
        """Compares another version as the submitted or revised one; links stay with their two versions."""
        shown = self.state.study.source if label == SUBMITTED else self.state.study.target
        if self.state.reader is not None and (shown is None or shown.id != version_id):
            self._tools.act(partial(self.state.reader.papers.compare_as, version_id, label))

    def export(self, format_: Format) -> None:
        kind, files = KINDS[format_], self._files
        what = re.sub(r"…| \(.*", "", kind.title)  # "table of links"
        title = f"Export {kind.title}".rstrip("…")
        if kind.ending:
            of = self._reviewer() if format_.startswith(("summary", "requests")) else ""
            stem = self._tools.context.papers.file_name(f"{what}, {of}" if of else what)
            path = files.save_file(self._tools.owner, title, stem, kind.ending)
        else:
            path = files.choose_folder(self._tools.owner, title)
        if_any(path, partial(self.export_to, format_))

    def export_to(self, format_: Format, path: Path) -> None:
        """Writes a format to a file (for ARIES, a folder) in a job."""
        from desktop_app.panes.linking.exporting import ExportRequest, linking_of, make_export

        state, service = self.state, self._tools.context.bridge.documents
        assert state.reader is not None
        shown, study = state.selection.edit_filter, state.study
        passing = tuple(edit.id for edit in study.edits if shown.passes(edit, study))
        linking = linking_of(state.reader, study, self._whose())
        request = ExportRequest(format_, path.name, linking, passing, today(), study, self._reviewer())
        folder, name = (path.parent, path.name) if KINDS[format_].ending else (path, "")
        make = partial(make_export, state.reader.documents, service, request)
        self._tools.write_files(write_export("linking.export", folder, make, name))
