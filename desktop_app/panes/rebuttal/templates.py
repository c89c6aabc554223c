"""Templates for responses: ranking, filling, and libraries. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import present
from desktop_app.panes.rebuttal.state import RebuttalState
from desktop_app.writing import Written, free_folder, write_export
from engine.errors import BadInput
from engine.jobs import Report, Task
from engine.rebuttal.fitting import Asked, Ranked, TemplateRanker
from engine.rebuttal.points import said
from engine.rebuttal.records import PERSONAL, STARTER, Template
from engine.rebuttal.slots import OUTLINE, outline, slot_values
from engine.rebuttal.template_store import PersonalLibrary, check_change
from engine.rebuttal.templates import reworded, starter

if TYPE_CHECKING:
    from engine.exchange.records import Export
    from engine.exchange.template_files import TemplateFormat
    from engine.rebuttal.tasks import Brief

TEAM = "Team"
"""A library in the project for templates shared with everyone who works in it."""


class Templates:
    """The templates of the user and of the project, and how they relate to the current point."""

    def __init__(self, state: RebuttalState) -> None:
        self._state = state
        self.ranker = TemplateRanker(())
        self._personal: tuple[Template, ...] = ()

    def fitting(self, words: str) -> tuple[Ranked, ...]:
        """Returns the templates that contain all words of a search. Without words, returns those that match the current
        point, best first, or an outline if none matches a comment."""
        state, entry = self._state, self._state.entry
        if state.found is None:
            return ()
        if words:
            return tuple(Ranked(template, 0.0, ()) for template in self.ranker.search(words))
        point, counts = state.point, state.store.counts()
        if entry is None:
            return self.ranker.rank(Asked("", action=point.action, opening=point.kind != "reply"), counts)
        comment = entry.comment
        asked = Asked(comment.comment, entry.aspect, entry.themes, point.action, linked=entry.edits > 0)
        found = self.ranker.rank(asked, counts)
        if found:
            return found
        quotes = state.rebuttal.plan.quoting not in ("full", "short")
        made = outline(comment, state.edits, state.claims.revised, point.action, quotes=quotes)
        return (Ranked(made, 0.0, (f"{'the request, ' * quotes}what changed, and where",)),)

    def heading(self, words: str, found: tuple[Ranked, ...]) -> str:
        if self._state.found is None:
            return "Templates"
        if words:
            return f"Templates  ·  {len(found)} of {len(self.ranker.templates)}"
        if not found:
            return "Templates"
        if found[0].template.library == OUTLINE:
            return "No template fits"
        return f"Templates  ·  {len(found)} fit{'s' if len(found) == 1 else ''}"

    def values(self) -> dict[str, str]:
        state = self._state
        reviewer = present(state.found)[0].reviewer
        if state.entry is None:
            return {"reviewer": reviewer}
        return slot_values(state.entry.comment, reviewer, state.edits, state.claims.revised)

    def brief(self, text: str) -> Brief:
        """Returns the input for a model's draft; ``text`` is the response so far."""
        from engine.rebuttal.tasks import Brief, describe

        state = self._state
        entry, line = state.entry, state.line
        assert entry is not None
        room = line.allotted if line is not None and state.rebuttal.limit.unit != "words" else None
        comment = entry.comment
        return Brief(
            comment.id, comment.comment, comment.context, entry.aspect, entry.themes, state.point.action,
            describe(entry.aspect, entry.themes), state.edits, said(text), room,
        )  # fmt: skip

    def read(self) -> None:
        """Reads all libraries. Passes on errors of the personal library after reading the others."""
        self._personal = ()
        try:
            self._personal = PersonalLibrary().templates()
        finally:
            if self.all() != self.ranker.templates:
                self.ranker = TemplateRanker(self.all())

    def all(self) -> tuple[Template, ...]:
        """Returns personal templates, then those of the project, then the bundled ones."""
        of_project = self._state.store.library.templates() if self._state.reader is not None else ()
        return (*self._personal, *of_project, *starter())

    def _annotator(self) -> str:
        project = self._state.project
        return dict(project.annotators()).get(project.annotator_id, "") if project is not None else ""

    def keep(self, text: str) -> None:
        entry, action = self._state.entry, self._state.point.action
        root, themes = (entry.aspect, entry.themes) if entry else ("", ())
        PersonalLibrary().keep(text, present(action), root=root, themes=themes, provenance=self._annotator())

    def copy(self, template: Template, to: str) -> str:
        """Copies a template to the personal library or to the project's; returns a message about the result."""
        if to == PERSONAL:
            new = PersonalLibrary().add((template,)) > 0
            return "Copied to your own library." if new else "Your own library already has this version or a newer one."
        found = self._state.store.library.add_templates([template], TEAM, f"copy:{template.library}")
        if found.beside:
            return f"Copied to “{TEAM}”, next to its own wording of this template."
        return (
            f"Copied to “{TEAM}”." if found.new or found.newer else f"“{TEAM}” already has this version or a newer one."
        )

    def remove(self, template: Template) -> Callable[[], object]:
        """Returns a function that restores it. A template of the project can also be restored by undo."""
        if template.library == PERSONAL:
            return PersonalLibrary().remove(template.id)
        project = present(self._state.project)
        self._state.store.library.remove_template(template.key)
        removal = project.undo_entry

        def restore() -> None:
            if project.undo_entry != removal:
                raise BadInput(
                    "Something else was changed in the project since.", "The template wasn't restored.",
                    "Undo its removal in History.",
                )  # fmt: skip
            project.undo()

        return restore

    def reword(self, template: Template, text: str) -> None:
        """Changes the text of a template, raising its version and recording who changed it."""
        other = reworded(template, text, self._annotator())
        if template.library == PERSONAL:
            check_change(other)
            PersonalLibrary().add((replace(other, version=template.version + 1),))
        else:
            self._state.store.library.change_template(other)

    def import_files(self, path: Path) -> list[str]:
        """Imports a file as a project library named after it, or all files of a folder, in one undo step; returns
        messages about the result."""
        from engine.exchange.template_files import library_files, read_templates

        project = present(self._state.project)
        read = [(file, read_templates(file, file.stem)) for file in library_files(path)]
        words: list[str] = []
        with project.action(f"Import templates of {path.name}"):
            for file, found in read:
                name = file.stem if file.stem not in (STARTER, PERSONAL) else f"{file.stem} (imported)"
                taken = self._state.store.library.add_templates(found.templates, name, f"import:{file.name}")
                words += [f"“{name}”: {taken.words}", *found.warnings]
        return words

    def export_task(self, format_: TemplateFormat, folder: Path) -> Task[Written]:
        """Returns the job that writes all templates except bundled ones into a new folder below ``folder``; if there
        are no others, the bundled ones."""
        own = tuple(template for template in self.all() if template.library != STARTER) or starter()
        target = free_folder(folder, "templates")
        return write_export("rebuttal.export_templates", target, partial(_write, own, format_))


def _write(templates: tuple[Template, ...], format_: TemplateFormat, _report: Report) -> Export:
    from engine.exchange.template_files import write_libraries

    return write_libraries(templates, format_)
