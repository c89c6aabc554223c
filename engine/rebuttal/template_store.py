"""The libraries of templates in a project, shared by all who work in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from engine.errors import BadInput
from engine.project import Action, Project, new_id, now
from engine.rebuttal.records import PERSONAL, STARTER, Template
from engine.rebuttal.templates import problems


class TemplateStore:
    """Readers and verbs of libraries."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def templates(self, library: str | None = None) -> tuple[Template, ...]:
        """The templates of the project's libraries, or of one, in their order."""
        rows = self._project.query(
            "SELECT * FROM rebuttal_template WHERE ? IS NULL OR library = ? ORDER BY library, position, id",
            (library, library),
        )
        return tuple(map(_template, rows))

    def libraries(self) -> tuple[tuple[str, int], ...]:
        """The project's libraries with the number of their templates."""
        rows = self._project.query("SELECT library, count(*) FROM rebuttal_template GROUP BY library ORDER BY library")
        return tuple((row[0], row[1]) for row in rows)

    def add_templates(
        self, templates: Sequence[Template], library: str, origin: str, *, initiator: object | None = None
    ) -> tuple[int, int]:
        """Takes templates over into a library of the project, in one step: how many are new, and how many replaced an
        older version of themselves. What is there in the same or a newer version stays.

        Raises BadInput where the library's name is taken by one outside of projects, or a template cannot be used.
        """
        if library in (STARTER, PERSONAL) or not library.strip():
            raise BadInput(
                f"“{library}” cannot be the name of a library of this project.", "Nothing was taken over.",
                "Give it another name.",
            )  # fmt: skip
        for template in templates:
            wrong = problems(template)
            if wrong:
                raise BadInput(f"The template “{template.id}” cannot be used: {'; '.join(wrong)}.")
        new = replaced = 0
        count = f"{len(templates)} template{'' if len(templates) == 1 else 's'}"
        with self._project.action(f"Add {count} to {library}", initiator=initiator) as act:
            known = {template.id: template for template in self.templates(library)}
            for template in templates:
                old = known.get(template.id)
                if old is None:
                    self._insert_template(act, template, library, origin)
                    new += 1
                elif template.version > old.version:
                    act.execute(
                        "UPDATE rebuttal_template SET action = ?, roots = ?, themes = ?, text = ?, register = ?,"
                        " provenance = ?, version = ?, score = ?, note = ?, origin = ?, updated_at = ? WHERE id = ?",
                        (*_template_values(template), origin, now(), old.key),
                    )
                    replaced += 1
        return new, replaced

    def change_template(self, template: Template, *, initiator: object | None = None) -> Template:
        """Writes a template of the project anew; its version rises. Raises BadInput where it cannot be used so."""
        wrong = problems(template)
        if wrong:
            raise BadInput(f"The template cannot be used: {'; '.join(wrong)}.", "It was left as it was.")
        with self._project.action("Change template", initiator=initiator) as act:
            act.execute(
                "UPDATE rebuttal_template SET action = ?, roots = ?, themes = ?, text = ?, register = ?,"
                " provenance = ?, version = ? + 1, score = ?, note = ?, updated_at = ? WHERE id = ?",
                (*_template_values(template), now(), template.key),
            )
        row = self._project.query_one("SELECT * FROM rebuttal_template WHERE id = ?", (template.key,))
        assert row is not None
        return _template(row)

    def remove_template(self, key: str, *, initiator: object | None = None) -> None:
        """Takes a template out of the project; its uses stay counted."""
        with self._project.action("Remove template", initiator=initiator) as act:
            act.execute("DELETE FROM rebuttal_template WHERE id = ?", (key,))

    def _insert_template(self, act: Action, template: Template, library: str, origin: str) -> None:
        stamp = now()
        act.execute(
            "INSERT INTO rebuttal_template(id, library, external_id, action, roots, themes, text, register, provenance,"
            " version, score, note, position, origin, annotator_id, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM rebuttal_template WHERE library = ?), ?, ?, ?, ?)",
            (
                new_id(), library, template.id, *_template_values(template), library, origin,
                self._project.annotator_id, stamp, stamp,
            ),
        )  # fmt: skip


def _template_values(template: Template) -> tuple[Any, ...]:
    return (
        template.action, json.dumps(template.roots), json.dumps(template.themes), template.text, template.register,
        template.provenance, template.version, template.score, template.note,
    )  # fmt: skip


def _template(row: sqlite3.Row) -> Template:
    return Template(
        row["external_id"], row["action"], row["text"], tuple(json.loads(row["roots"])),
        tuple(json.loads(row["themes"])), row["register"], row["provenance"], row["version"], row["library"],
        row["score"], row["note"], row["id"],
    )  # fmt: skip
