"""Automatic backups: shortly after a project was opened, and regularly while it changes."""

from functools import partial

from PySide6.QtCore import QObject, QTimer

from desktop_app.engine_bridge import EngineBridge
from engine.jobs import DuplicatePolicy, Report, Task
from engine.project import Changes, Project, backups

AFTER_OPENING_MS = 5_000
"""Late enough not to slow down the opening of the first pane."""
EVERY_MS = 10 * 60_000


def backup_task(project: Project, reason: str) -> Task[str]:
    run = partial(_back_up, project, reason)
    return Task("project.backup", f"Back up {project.path.name}", run, DuplicatePolicy.DISCARD, str(project.path))


def _back_up(project: Project, reason: str, report: Report) -> str:
    return str(project.back_up(reason, report.progress).path)


def is_due(project: Project) -> bool:
    """Returns whether the project changed since its newest backup."""
    if project.read_only:
        return False
    kept, entry = backups(project.path), project.last_entry
    return entry > 0 and (not kept or entry != kept[0].entry)


class RegularBackups(QObject):
    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.back_up_if_due)
        bridge.project_changed.connect(self._project_changed)
        bridge.changes.connect(self._changed)

    def _project_changed(self, project: Project | None) -> None:
        if project is None or project.read_only:
            self._timer.stop()
        else:
            self._timer.start(AFTER_OPENING_MS)

    def _changed(self, _changes: Changes) -> None:
        if not self._timer.isActive():
            self._timer.start(EVERY_MS)

    def back_up_if_due(self) -> None:
        project = self._bridge.project
        if project is not None and is_due(project):
            self._bridge.submit(backup_task(project, "regular"), self)
