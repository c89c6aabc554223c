"""The libraries of templates in a project, shared by all who work in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from engine.errors import BadInput
from engine.project import Action, Project, new_id, now
from engine.rebuttal.records import PERSONAL, STARTER, Template
from engine.rebuttal.templates import problems

WORDED_HERE = "person"
"""The origin of a template that somebody wrote or changed in this project."""


class Taken(NamedTuple):
    """What came of taking templates over: ``new`` ones; those that gave way to a ``newer`` version of themselves; those
    that stand ``beside`` one of the same id, since that one was changed here; and those that are ``older`` than it.
    """

    new: int = 0
    newer: int = 0
    beside: int = 0
    older: int = 0

    @property
    def words(self) -> str:
        """What a person should know of it, as sentences."""
        parts = [f"{self.new} templates are new"]
        if self.newer:
            parts.append(f"{self.newer} gave way to a newer version")
        if self.older:
            parts.append(f"{self.older} are older than yours and stayed out")
        told = ", ".join(parts) + "."
        if self.beside:
            told += f" {self.beside} were changed on both sides: theirs stand beside yours."
        return told


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
    ) -> Taken:
        """Takes templates over into a library of the project, in one step.

        A newer version replaces the one that is there, unless that was changed in this project: nobody's words are
        lost, so the other then stands beside it under an id of its own, which is the same each time. So it does where
        both have the same version and different words. An older version stays out.

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
        count = f"{len(templates)} template{'' if len(templates) == 1 else 's'}"
        with self._project.action(f"Add {count} to {library}", initiator=initiator) as act:
            known = {template.id: template for template in self.templates(library)}
            ours = {
                row[0]
                for row in self._project.query(
                    "SELECT external_id FROM rebuttal_template WHERE library = ? AND origin = ?", (library, WORDED_HERE)
                )
            }
            done = [self._take(act, template, library, origin, known, ours) for template in templates]
        return Taken(*(done.count(field) for field in Taken._fields))

    def _take(  # noqa: PLR0917 - one row of the verb above
        self, act: Action, template: Template, library: str, origin: str, known: dict[str, Template], ours: set[str]
    ) -> str:
        """Takes one over and says what came of it, by the name of a field of ``Taken``; "" where nothing did."""
        old = known.get(template.id)
        if old is None:
            known[template.id] = template
            self._insert_template(act, template, library, origin)
            return "new"
        if _template_values(template) == _template_values(old):
            return ""
        if template.version < old.version:
            return "older" if template.text != old.text else ""
        if template.version > old.version and template.id not in ours:
            act.execute(
                "UPDATE rebuttal_template SET action = ?, roots = ?, themes = ?, text = ?, register = ?,"
                " provenance = ?, version = ?, score = ?, note = ?, origin = ?, updated_at = ? WHERE id = ?",
                (*_template_values(template), origin, now(), old.key),
            )
            return "newer"
        if template.text == old.text:
            return ""
        aside = replace(template, id=f"{template.id}-{blake2b(template.text.encode(), digest_size=3).hexdigest()}")
        if aside.id in known:
            return ""
        known[aside.id] = aside
        self._insert_template(act, aside, library, origin)
        return "beside"

    def change_template(self, template: Template, *, initiator: object | None = None) -> Template:
        """Writes a template of the project anew; its version rises, and from now on it counts as changed here. Raises
        BadInput where it cannot be used so.
        """
        wrong = problems(template)
        if wrong:
            raise BadInput(f"The template cannot be used: {'; '.join(wrong)}.", "It was left as it was.")
        with self._project.action("Change template", initiator=initiator) as act:
            act.execute(
                "UPDATE rebuttal_template SET action = ?, roots = ?, themes = ?, text = ?, register = ?,"
                " provenance = ?, version = ? + 1, score = ?, note = ?, origin = ?, updated_at = ? WHERE id = ?",
                (*_template_values(template), WORDED_HERE, now(), template.key),
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
