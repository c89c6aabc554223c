"""Who acts in a project: the annotator that this user of the computer last was in it, else a name to be asked for.

What is remembered is in the user's own folder, by the project's key, and never in the project file.
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
    """Who acts. Without a ``name`` a person has to be asked; ``choices`` are those who have worked in the project."""

    name: str
    choices: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        return bool(self.name)


def acting(project: Project, settings_name: str = "") -> Acting:
    """The annotator to act as on opening; changes nothing.

    In a work package it is the person whom it is for. Else the one that was last used in this project by this user;
    else, where nobody has worked in it yet, the name of the settings; else it is not known.
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
    """For reading: makes the named annotator the acting one, without a name the one who did the newest step.

    Raises BadInput where there is nobody of that name.
    """
    people = {known: key for key, known in project.annotators()}
    if name and name not in people:
        raise BadInput(f"No annotator named “{name}” worked on it.", do=f"Choose one of {', '.join(people)}.")
    last = next((act.annotator for act in project.history(1)), "")
    project.annotator_id = people.get(name or last, project.annotator_id)


def remember(project: Project) -> None:
    """Keeps who acts in this project now. Where that can't be written, the person is asked again next time."""
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
    """Names by project, the one that was remembered last at the end."""
    try:
        listed = user_files.read(_file()).get("projects", [])
    except EnvironmentProblem:
        return {}  # nothing of the person's own is in it, and the file has been kept aside
    pairs = [pair for pair in listed if isinstance(pair, list) and len(pair) == 2] if isinstance(listed, list) else []
    return {str(key): str(name) for key, name in pairs}
