"""Keeps, imports and exports templates, and opens the dialog with all libraries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop_app.panes.base import PaneTools
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.panes.rebuttal.templates import Templates
from desktop_app.panes.rebuttal.transfer import EXPORT, WORK
from desktop_app.widgets.banner import written_notice
from desktop_app.writing import Written
from engine.rebuttal.records import PERSONAL, Template

if TYPE_CHECKING:
    from desktop_app.panes.rebuttal.libraries_dialog import LibrariesDialog
    from engine.exchange.template_files import TemplateFormat


class LibraryActions(QObject):
    """``changed`` follows every change of a library."""

    changed = Signal()

    def __init__(self, state: RebuttalState, templates: Templates, tools: PaneTools) -> None:
        super().__init__(tools.owner)
        self._state, self.templates, self._tools = state, templates, tools
        self._dialog: LibrariesDialog | None = None

    def read(self) -> None:
        """Reads all libraries; where the personal one can't be read, the banner says so and the others are used."""
        self._tools.act(self.templates.read, PERSONAL)

    def keep(self, text: str) -> None:
        """Saves words as a template in one's own library."""
        if self._change(lambda: self.templates.keep(text)):
            means = "Replace words that only fit this case with slots, such as {section}."
            self._tools.notify(WORK, "Saved in your own library.", means)

    def ask_for_import(self, *, folder: bool) -> None:
        """Lets the person choose a file or folder of templates to import into this project."""
        files, owner = self._tools.context.files, self._tools.owner
        if folder:
            path = files.choose_folder(owner, "Import templates from a folder")
        else:
            path = files.open_file(owner, "Import templates", "Templates (*.jsonl *.csv *.toml)")
        if path is not None:
            self.import_from(path)

    def import_from(self, path: Path) -> None:
        """Imports a file, or all files of a folder."""
        words: list[str] = []
        if self._change(lambda: words.extend(self.templates.import_files(path))):
            self._tools.notify(WORK, words[0], " ".join(words[1:]))

    def ask_for_export(self, format_: TemplateFormat) -> None:
        """Lets the person choose a folder to export all own templates to."""
        folder = self._tools.context.files.choose_folder(self._tools.owner, "Export templates")
        if folder is not None:
            self.export_to(format_, folder)

    def export_to(self, format_: TemplateFormat, path: Path) -> None:
        """Exports into a new folder below ``path``, as a job."""

        def done(written: Written) -> None:
            if written.names:
                self._tools.banner.show_notice(written_notice(EXPORT, written.paths, written.loss))

        self._tools.submit(self.templates.export_task(format_, path), done, EXPORT)

    def open(self) -> None:
        """Opens the dialog with all templates."""
        from desktop_app.panes.rebuttal.libraries_dialog import LibrariesDialog

        dialog = self._dialog = LibrariesDialog(self._tools.owner)
        dialog.copied.connect(self.copy)
        dialog.removed.connect(lambda template: self._change(lambda: self.templates.remove(template)))
        dialog.reworded.connect(self.reword)
        dialog.finished.connect(self._closed)
        self._show()
        dialog.open()

    def _closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _show(self) -> None:
        if self._dialog is not None:
            self._dialog.show_templates(self.templates.all(), self._state.store.counts())

    def copy(self, template: Template, to: str) -> None:
        """Copies a template into one's own library (``to`` is PERSONAL), or into the project's."""
        words: list[str] = []
        if self._change(lambda: words.append(self.templates.copy(template, to))) and self._dialog is not None:
            self._dialog.report(words[0])

    def reword(self, template: Template, text: str) -> None:
        """Changes the words of a template."""
        self._change(lambda: self.templates.reword(template, text))

    def _change(self, verb: Callable[[], object]) -> bool:
        done = self._tools.act(verb, WORK)
        if done:
            self.read()
            self.changed.emit()
            self._show()
        return done
