"""Both versions with their edits in the page views. Files are opened and texts unpacked in other threads."""

from collections.abc import Collection
from functools import partial
from operator import is_
from typing import cast

from PySide6.QtCore import QObject, QThread, Signal

from desktop_app.panes.base import AppContext
from desktop_app.panes.linking.study import VERSIONS, Study, StudyReader
from desktop_app.panes.linking.work import is_outdated
from desktop_app.theme import theme
from desktop_app.widgets.edit_words import changes_of
from desktop_app.widgets.fetcher import Fetcher, pdf_content
from desktop_app.widgets.pdf_pages import LOOKS, Look, wanted_look
from desktop_app.widgets.side_by_side import SideBySideView, Standing
from engine.documents.records import Paragraph, ParsedDocument
from engine.documents.service import OpenDocument
from engine.errors import about
from engine.papers.records import PaperVersion
from engine.revision.groups import aligned_pairs
from engine.revision.records import Edit, NewPassage, RevisionDiff


class Pages(QObject):
    """Keeps a ``SideBySideView`` up to date with the versions and edits of a study."""

    text_read = Signal()
    """The parsed text of a version was added to the reader's ``texts``."""

    def __init__(self, context: AppContext, side: SideBySideView, parent: QObject) -> None:
        super().__init__(parent)
        self._context, self._side = context, side
        self._study, self._reader = Study(), cast("StudyReader | None", None)
        self._edit_id, self._standing = "", Standing()
        self._files = {"source": "", "target": ""}
        self._overlay: tuple[object, ...] = ()
        self._look: Look | None = None
        self._paragraphs: tuple[ParsedDocument | None, dict[str, Paragraph]] = (None, {})
        self.fetcher = Fetcher(self)
        self.fetcher.fetched.connect(self._fetched)
        theme().follow(self._apply_look)

    def set_reader(self, reader: StudyReader | None) -> None:
        """Sets the reader of another project and clears the views until its versions arrive."""
        self.fetcher.forget()
        self._side.clear()
        self._study, self._reader = Study(), reader
        self._files, self._overlay = {"source": "", "target": ""}, ()
        if reader is not None:
            self._context.bridge.documents.warm()

    def choose(self, edit_id: str, standing: Standing) -> None:
        """Highlights an edit and scrolls to it; marks linked and suggested edits."""
        if edit_id != self._edit_id:
            self._edit_id = edit_id
            self._side.choose(edit_id)
        self._standing = standing
        self._side.set_standing(standing)

    def show_versions(self, study: Study, stale: Collection[str]) -> None:
        """Opens files that differ from those shown, and overlays the edits."""
        known, self._study = self._study.edits, study
        reader = self._reader
        if reader is None or not (VERSIONS | {"edit_link"}) & set(stale):
            return
        names = [(v.id, f"{v.filename or 'Untitled'} ({v.label})") for v in study.versions]
        for side, version in (("source", study.source), ("target", study.target)):
            header = self._side.source_header if side == "source" else self._side.target_header
            header.set_versions(names, version.id if version else "")
            key = version.document_id if version else ""
            if self._files[side] != key:
                self._files[side], self._overlay = key, ()
                self._open(side, version)
        for version in (study.source, study.target):  # after the pages, which are visible first
            if version and ({"document", "parsed_document"} & {*stale} or version.document_id not in reader.texts):
                key = version.document_id
                self.fetcher.fetch(f"text {key}", partial(reader.documents.parsed, key))
        if study.edits is not known:  # concurrently with the texts
            self.fetcher.fetch("words", partial(_fill_changes, study.edits))
        self._show_edits()

    def selected_passage(self) -> NewPassage | None:
        view = self._side.target
        if view.selection is None:
            return None
        held = view.text.paragraphs_between(*view.selection)
        ids = tuple(paragraph.id for paragraph in held)
        return NewPassage(view.selected_text, ids, held[0].section, view.text.position[ids[0]]) if held else None

    def source_paragraphs(self) -> dict[str, Paragraph]:
        parsed = self._reader.parsed(self._study.source) if self._reader is not None else None
        if parsed is not self._paragraphs[0]:
            self._paragraphs = (parsed, {p.id: p for p in parsed.paragraphs} if parsed is not None else {})
        return self._paragraphs[1]

    def next_look(self) -> None:
        """Switches to the next look (paper, sepia, light on dark), for this window only."""
        now = self._look or self._wanted_look()
        self._look = LOOKS[(LOOKS.index(now) + 1) % len(LOOKS)]
        self._apply_look()

    def _open(self, side: str, version: PaperVersion | None) -> None:
        (self._side.source if side == "source" else self._side.target).clear()
        if version is None or self._reader is None:
            return
        documents, service = self._reader.documents, self._context.bridge.documents
        key, name = version.document_id, version.filename

        def opened() -> OpenDocument:
            content = pdf_content(documents, key)
            with about(name):
                return service.open(content)

        self.fetcher.fetch(f"open {side}", opened)

    def _fetched(self, name: str, found: object) -> None:
        what, _, which = name.partition(" ")
        if what == "open":
            document = cast("OpenDocument", found)
            version = self._study.source if which == "source" else self._study.target
            view = self._side.source if which == "source" else self._side.target
            service = self._context.bridge.documents
            self._side.show_side(view, service, document.sha256, document.pages, version.filename if version else "")
            self._overlay = ()
            self._show_edits()
        elif what == "text" and self._reader is not None:
            self._reader.keep(which, cast("ParsedDocument | None", found), self._study)
            self._show_edits()
            self.text_read.emit()

    def _show_edits(self) -> None:
        """Overlays texts and edits on the pages if they changed."""
        if self._reader is None:
            return
        study, revision = self._study, self._study.revision
        source, target = self._reader.parsed(study.source), self._reader.parsed(study.target)
        # Versions without differences have no edits; the time of the comparison shows that they were compared.
        wanted = (source, target, study.edits, study.passages, revision.updated_at if revision else "")
        if self._overlay and wanted[-1] == self._overlay[-1] and all(map(is_, wanted[:-1], self._overlay[:-1])):
            return
        self._overlay = wanted
        old, new = (parsed.paragraphs if parsed else () for parsed in (source, target))
        self._side.set_texts(source, target)
        if is_outdated(self._reader, study):
            self._side.set_edits((), ())  # until these texts have been compared
        elif source is not None and target is not None and revision is not None:
            diff = RevisionDiff((*study.edits, *study.dismissed), revision.unchanged)
            self._side.set_edits(study.targets, aligned_pairs(diff, old, new), unmarked=study.dismissed)
            self._side.choose(self._edit_id)
            self._side.set_standing(self._standing)

    def _wanted_look(self) -> Look:
        return wanted_look(self._context.settings.text("documents.dark_page"))

    def _apply_look(self) -> None:
        self._side.set_look(self._look or self._wanted_look())


def _fill_changes(edits: tuple[Edit, ...]) -> None:
    """Computes the word differences that lists and pages will show (results are cached)."""
    for edit in edits:
        changes_of(edit.source_text, edit.target_text)
        QThread.msleep(2)  # release the GIL often, so that painting doesn't wait
