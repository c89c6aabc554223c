"""Determines who acts in a project: the annotator that this user last acted as in it, or a name to ask for.

It is remembered in the user's own folder, by the project's key, never in the project file.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine import user_files
from engine.errors import BadInput, EnvironmentProblem
from engine.packages.store import WorkStore
from engine.project import Project

KEPT = 500
"""How many projects are remembered."""


@dataclass(frozen=True, slots=True)
class Acting:
    """Who acts. Without a ``name``, the user must be asked; ``choices`` are the annotators in the project."""

    name: str
    choices: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.name)


def acting(project: Project, settings_name: str = "") -> Acting:
    """Returns the annotator to act as after opening, without changing anything.

    In a work package, that is its recipient. Otherwise it is the one this user last acted as in this project; in a
    project without annotators, that name or the one in the settings; otherwise it is unknown.
    """
    if own := WorkStore(project).own():
        name = dict(project.annotators())[own[1].annotator_id]
        return Acting(name, (name,))
    names = tuple(row[0] for row in project.query("SELECT name FROM annotator ORDER BY created_at, id"))
    last = _remembered().get(project.id, "")
    if last in names:
        return Acting(last, names)
    return Acting("" if names else last or settings_name.strip(), names)


def act_as(project: Project, name: str = "") -> None:
    """Sets the acting annotator for reading: the named one, or by default the author of the newest step. Raises
    BadInput if there is no annotator of that name."""
    people = {known: key for key, known in project.annotators()}
    if name and name not in people:
        raise BadInput(f"No annotator named “{name}” worked on it.", do=f"Choose one of {', '.join(people)}.")
    last = next((act.annotator for act in project.history(1)), "")
    project.annotator_id = people.get(name or last, project.annotator_id)


def remember(project: Project) -> None:
    """Remembers the acting annotator of this project. If that can't be stored, the user is asked again next time."""
    name = dict(project.annotators()).get(project.annotator_id, "")
    there = _remembered()
    if not name or there.get(project.id) == name:
        return
    there.pop(project.id, None)
    newest = dict([*there.items(), (project.id, name)][-KEPT:])
    with suppress(EnvironmentProblem):
        user_files.write(_file(), {"projects": [list(pair) for pair in newest.items()]})


def _file() -> Path:
    return user_files.config_folder() / "annotators.json"


def _remembered() -> dict[str, str]:
    """Returns names by project, the most recently remembered last."""
    try:
        listed = user_files.read(_file()).get("projects", [])
    except EnvironmentProblem:
        return {}  # the file contains no work of the user and was kept under another name
    pairs = [pair for pair in listed if isinstance(pair, list) and len(pair) == 2] if isinstance(listed, list) else []
    return {str(key): str(name) for key, name in pairs}
