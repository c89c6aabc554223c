"""The person's own library of templates: one small file in their data folder, the same in every project."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from engine import user_files
from engine.rebuttal.records import PERSONAL, Action, Template
from engine.rebuttal.templates import plain, problems, template_of, unique


class PersonalLibrary:
    """Read at each call, so that two windows see the same. Raises EnvironmentProblem where the file cannot be read or
    written; one that is no library is moved aside, and nothing in it is lost.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_files.data_folder() / "templates.json"

    def templates(self) -> tuple[Template, ...]:
        entries: Any = user_files.read(self.path).get("templates", [])
        return unique([template_of(entry, library=PERSONAL) for entry in entries])

    def keep(
        self, text: str, action: Action, *, root: str = "", themes: tuple[str, ...] = (), provenance: str = ""
    ) -> Template:
        """Adds a text as a template under an id of its own. Raises BadInput where it cannot be one."""
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
        """Takes templates over; those whose id is there already in the same or a newer version stay out. How many."""
        known = {template.id: template for template in self.templates()}
        taken = 0
        for template in templates:
            old = known.get(template.id)
            if not problems(template) and (old is None or template.version > old.version):
                known[template.id] = replace(template, library=PERSONAL, key="")
                taken += 1
        self._write(tuple(known.values()))
        return taken

    def remove(self, template_id: str) -> None:
        """Removes one; its uses in projects stay counted there."""
        self._write(tuple(t for t in self.templates() if t.id != template_id))

    def _write(self, templates: tuple[Template, ...]) -> None:
        user_files.write(self.path, {"templates": [plain(template) for template in templates]})
