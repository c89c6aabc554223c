"""Template libraries: those in a project, shared by everyone who works in it, and the user's own, a small file in their
data folder that is the same in every project."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from engine import user_files
from engine.errors import BadInput
from engine.project import Store, records
from engine.rebuttal.records import PERSONAL, STARTER, Action, Template
from engine.rebuttal.templates import plain, problems, template_of, unique

WORDED_HERE = "person"
"""The origin of a template that was written or changed in this project."""


_CONTENT = ("action", "roots", "themes", "text", "register", "provenance", "version", "score", "note")


class Taken(NamedTuple):
    """The outcome of adding templates: ``new`` ones; those ``newer`` than the existing version, which they replaced;
    those added ``beside`` one with the same id that was changed here; and those ``older`` than the existing version."""

    new: int = 0
    newer: int = 0
    beside: int = 0
    older: int = 0

    @property
    def words(self) -> str:
        """A summary for the user, in sentences."""
        parts = ["1 template is new" if self.new == 1 else f"{self.new or 'no'} templates are new"]
        if self.newer:
            parts.append(f"{self.newer} replaced by a newer version")
        if self.older:
            parts.append(f"{self.older} older than yours and not added")
        found = ", ".join(parts) + "."
        if self.beside:
            found += f" {self.beside} were changed on both sides. Both wordings are kept."
        return found


class TemplateStore(Store):
    def templates(self, library: str | None = None) -> tuple[Template, ...]:
        """Returns the templates of the project's libraries, or of one, in order."""
        return self._templates("? IS NULL OR library = ?", library, library)

    def _templates(self, where: str, *values: str | None) -> tuple[Template, ...]:
        sql = "SELECT id AS key, external_id AS id, * FROM rebuttal_template WHERE"
        found = self._project.query(f"{sql} {where} ORDER BY library, position, key", values)
        return tuple(records(Template, found))

    def add_templates(self, templates: Sequence[Template], library: str, origin: str) -> Taken:
        """Adds templates to a library of the project, in one step.

        A newer version replaces the existing one, unless that was changed in this project: then both are kept, the
        other under a separate, deterministic id. The same applies to two templates of one version with different texts.
        An older version isn't added.

        Raises BadInput if the library's name is reserved, or a template is invalid.
        """
        if library in (STARTER, PERSONAL) or not library.strip():
            raise BadInput(
                f"“{library}” can't be used as the name of a library in this project.", "Nothing was added.",
                "Choose another name.",
            )  # fmt: skip
        for template in templates:
            wrong = problems(template)
            if wrong:
                raise BadInput(f"The template “{template.id}” can't be used: {'; '.join(wrong)}.")
        count = f"{len(templates)} template{'' if len(templates) == 1 else 's'}"
        with self._project.action(f"Add {count} to {library}") as act:
            known = {template.id: template for template in self.templates(library)}
            ours = {template.id for template in self._templates("library = ? AND origin = ?", library, WORDED_HERE)}
            done = []
            for template in templates:
                done.append(what := _what_comes_of(template, known, ours))
                if what == "newer":
                    act.update("rebuttal_template", known[template.id].key, _values(template) | {"origin": origin})
                elif what in ("new", "beside"):
                    added = template if what == "new" else _aside(template)
                    values = {"library": library, "external_id": added.id, "origin": origin} | _values(added)
                    place = {"position": act.next_position("rebuttal_template", library=library)}
                    known[added.id] = replace(added, key=act.insert("rebuttal_template", values | place))
        return Taken(*(done.count(field) for field in Taken._fields))

    def change_template(self, template: Template) -> Template:
        """Changes a template of the project; its version is increased, and it counts as changed here from now on.
        Raises BadInput if it is invalid."""
        check_change(template)
        risen = {"version": template.version + 1, "origin": WORDED_HERE}
        with self._project.action("Change template") as act:
            act.update("rebuttal_template", template.key, _values(template) | risen)
        return self._templates("key = ?", template.key)[0]

    def remove_template(self, key: str) -> None:
        """Removes a template from the project; its recorded uses are kept."""
        with self._project.action("Remove template") as act:
            act.delete("rebuttal_template", id=key)


def check_change(template: Template) -> None:
    """Raises BadInput if a changed template is invalid."""
    if wrong := problems(template):
        raise BadInput(f"The template can't be used: {'; '.join(wrong)}.", "It wasn't changed.")


def _what_comes_of(template: Template, known: dict[str, Template], ours: set[str]) -> str:
    """Returns the outcome of adding a template, as a field name of ``Taken``; "" if nothing changes."""
    old = known.get(template.id)
    if old is None:
        return "new"
    if _values(template) == _values(old):
        return ""
    if template.version < old.version:
        return "older" if template.text != old.text else ""
    if template.version > old.version and template.id not in ours:
        return "newer"
    return "" if template.text == old.text or _aside(template).id in known else "beside"


def _aside(template: Template) -> Template:
    return replace(template, id=f"{template.id}-{blake2b(template.text.encode(), digest_size=3).hexdigest()}")


def _values(template: Template) -> dict[str, Any]:
    return {name: getattr(template, name) for name in _CONTENT}


class PersonalLibrary:
    """The user's own library. Read at each call, so that two windows see the same. Raises EnvironmentProblem if the
    file can't be read or written; an invalid file is moved aside, so nothing in it is lost."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_files.data_folder() / "templates.json"

    def templates(self) -> tuple[Template, ...]:
        entries: Any = user_files.read(self.path).get("templates", [])
        return unique([template_of(entry, library=PERSONAL) for entry in entries])

    def keep(
        self, text: str, action: Action, *, root: str = "", themes: tuple[str, ...] = (), provenance: str = ""
    ) -> Template:
        """Adds a text as a template with a new id. Raises BadInput if it is invalid."""
        known = self.templates()
        number = max((int(t.id.rpartition("-")[2]) for t in known if t.id.startswith("own-")), default=0) + 1
        words = " ".join(text.split())
        made = template_of(
            plain(Template(f"own-{number}", action, words, (root,) if root else (), themes, provenance=provenance)),
            library=PERSONAL,
        )
        self._write((*known, made))
        return made

    def add(self, templates: tuple[Template, ...]) -> int:
        """Adds valid templates, except those that exist in the same or a newer version; returns how many."""
        known = {template.id: template for template in self.templates()}
        taken = 0
        for template in templates:
            old = known.get(template.id)
            if not problems(template) and (old is None or template.version > old.version):
                known[template.id] = replace(template, library=PERSONAL, key="")
                taken += 1
        self._write(tuple(known.values()))
        return taken

    def remove(self, template_id: str) -> Callable[[], None]:
        """Removes one; its recorded uses in projects are kept. Returns a function that puts it back in its place."""
        before = self.templates()
        at = next((at for at, one in enumerate(before) if one.id == template_id), len(before))
        removed = before[at : at + 1]  # empty if another window removed it
        self._write(before[:at] + before[at + 1 :])

        def restore() -> None:
            now = self.templates()
            if template_id not in {one.id for one in now}:
                self._write((*now[:at], *removed, *now[at:]))

        return restore

    def _write(self, templates: tuple[Template, ...]) -> None:
        user_files.write(self.path, {"templates": [plain(template) for template in templates]})
