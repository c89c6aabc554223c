"""The part of the pane that keeps templates: the person's own library, those of the project, files in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from desktop_app.panes.rebuttal.desk import EXPORT, WORK
from desktop_app.panes.rebuttal.leaving import Letting
from desktop_app.panes.rebuttal.libraries_dialog import LibrariesDialog
from desktop_app.widgets.banner import Notice
from desktop_app.writing import free_folder, write_export
from engine.exchange.template_files import TemplateFormat, library_files, read_templates, write_libraries
from engine.rebuttal.personal import PersonalLibrary
from engine.rebuttal.records import PERSONAL, STARTER, Template
from engine.rebuttal.templates import reworded, starter

TEMPLATE_FORMS: tuple[tuple[str, TemplateFormat], ...] = (
    ("JSON Lines", "jsonl"), ("CSV", "csv"), ("TOML", "toml"), ("JitsuPeer folder", "jitsupeer"),
)  # fmt: skip
TEAM = "Team"
"""The library of a project to which templates are copied for all who work in it."""


class Keeping(Letting):
    """Libraries of templates."""

    _libraries: LibrariesDialog | None = None

    def personal_templates(self) -> tuple[Template, ...]:
        """The person's own library; empty, and told, where its file cannot be read."""
        found: list[tuple[Template, ...]] = []
        self.act(lambda: found.append(PersonalLibrary().templates()), PERSONAL)
        return found[0] if found else ()

    def _who(self) -> str:
        """The name of the acting annotator."""
        reader = self.reader
        return dict(reader.project.annotators()).get(reader.project.annotator_id, "") if reader is not None else ""

    def can_keep(self) -> bool:
        return self.has_point() and self.point.action is not None and bool(self.editor.text.strip())

    def keep_template(self) -> None:
        """Keeps the selected words, or the whole reply, as a template of one's own."""
        entry, point = self.entry, self.point
        assert point.action is not None
        action = point.action
        here = self.editor.selected
        text = self.editor.text[here.start : here.end] or self.editor.text
        if self.act(
            lambda: PersonalLibrary().keep(
                text,
                action,
                root=entry.root if entry else "",
                themes=entry.themes if entry else (),
                provenance=self._who(),
            ),
            WORK,
        ):
            self.templates_changed()
            words = (
                "Kept in your own library. Words of this case become slots, such as {section}, when you write them so."
            )
            self.banner.show_notice(Notice(WORK, words, kind="note"))

    def templates_changed(self) -> None:
        """The libraries are others now: the pane reads them again."""
        raise NotImplementedError

    def ask_for_templates(self, *, folder: bool) -> None:
        """Asks for a library to take over into this project."""
        files = self.context.files
        if folder:
            path = files.choose_folder(self, "Import templates from a folder")
        else:
            path = files.open_file(self, "Import templates", "Templates (*.jsonl *.csv *.toml)")
        if path is not None:
            self.import_templates(path)

    def import_templates(self, path: Path) -> None:
        """Takes the templates of a file over, as a library of this project that is named after it, or those of all
        files of a folder, in one step."""
        reader = self.reader
        assert reader is not None
        told_: list[str] = []

        def take() -> None:
            read = [(file, read_templates(file, file.stem)) for file in library_files(path)]
            with reader.project.action(f"Import templates of {path.name}", initiator=self):
                for file, found in read:
                    name = file.stem if file.stem not in (STARTER, PERSONAL) else f"{file.stem} (imported)"
                    taken = reader.store.library.add_templates(
                        found.templates, name, f"import:{file.name}", initiator=self
                    )
                    told_.append(f"“{name}”: {taken.words}")
                    told_.extend(found.warnings)

        if self.act(take, WORK):
            self.banner.show_notice(Notice(WORK, told_[0], " ".join(told_[1:]), kind="note"))

    def export_templates(self, format_: TemplateFormat) -> None:
        """Asks for a folder, and has all templates but those that ship written into it, or those where there are no
        others."""
        folder = self.context.files.choose_folder(self, "Export templates")
        if folder is not None:
            self.export_templates_to(format_, folder)

    def export_templates_to(self, format_: TemplateFormat, path: Path) -> None:
        """As ``export_templates``, into a new folder below ``path``."""
        reader = self.reader
        assert reader is not None
        own = (*self.personal_templates(), *reader.store.library.templates()) or starter()
        task = write_export(
            "rebuttal.export_templates", free_folder(path, "templates"), lambda _report: write_libraries(own, format_)
        )
        self.context.bridge.submit(
            task, self, on_done=self._posts_written, on_error=lambda failure: self.show_failure(failure, EXPORT)
        )

    # --- looking through them -------------------------------------------------------------------------------------

    def all_templates(self) -> tuple[Template, ...]:
        """One's own first, then those of the project, then those that ship."""
        reader = self.reader
        of_project = reader.store.library.templates() if reader is not None else ()
        return (*self.personal_templates(), *of_project, *starter())

    def open_libraries(self) -> None:
        """All templates with their use and what became of it."""
        dialog = self._libraries = LibrariesDialog(self)
        dialog.copied.connect(self.copy_template)
        dialog.removed.connect(self.remove_template)
        dialog.reworded.connect(self.reword_template)
        dialog.finished.connect(self._libraries_closed)
        self._show_libraries()
        dialog.open()

    def _libraries_closed(self) -> None:
        if self._libraries is not None:
            self._libraries.deleteLater()
            self._libraries = None

    def _show_libraries(self) -> None:
        if self._libraries is not None and self.reader is not None:
            self._libraries.show_templates(self.all_templates(), self.reader.store.counts())

    def copy_template(self, template: Template, to: str) -> None:
        """Copies a template into one's own library, or into the project's for all who work in it."""
        reader = self.reader
        assert reader is not None
        told = []

        def copy() -> None:
            if to == PERSONAL:
                taken = PersonalLibrary().add((template,)) > 0
                told.append(
                    "Copied to your own library." if taken else "Your own library has it, this version or newer."
                )
                return
            found = reader.store.library.add_templates([template], TEAM, f"copy:{template.library}", initiator=self)
            if found.beside:
                told.append(f"“{TEAM}” has it in other words: the copy stands beside them.")
            else:
                taken = bool(found.new or found.newer)
                told.append(f"Copied to “{TEAM}”." if taken else f"“{TEAM}” has it, this version or newer.")

        self._change(copy)
        if self._libraries is not None and told:
            self._libraries.tell(told[0])

    def remove_template(self, template: Template) -> None:
        """Takes a template out of its library; its uses stay counted."""
        reader = self.reader
        assert reader is not None
        if template.library == PERSONAL:
            self._change(lambda: PersonalLibrary().remove(template.id))
        else:
            self._change(lambda: reader.store.library.remove_template(template.key, initiator=self))

    def reword_template(self, template: Template, text: str) -> None:
        """Gives a template other words; its version rises, and who changed it is named."""
        reader = self.reader
        assert reader is not None
        other = reworded(template, text, self._who())
        if template.library == PERSONAL:
            self._change(lambda: PersonalLibrary().add((replace(other, version=template.version + 1),)))
        else:
            self._change(lambda: reader.store.library.change_template(other, initiator=self))

    def _change(self, verb: Callable[[], object]) -> None:
        if self.act(verb, WORK):
            self.templates_changed()
            self._show_libraries()
