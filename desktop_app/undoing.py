"""Undo and redo: of typing in the focused text field, else of what the current pane removed outside the project, else
of the last action in the project."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from desktop_app.engine_bridge import EngineBridge
from engine.agreement.store import AgreementStore
from engine.errors import EnvironmentProblem
from engine.project import HistoryEntry
from engine.shown import shortened

TextField = QLineEdit | QTextEdit | QPlainTextEdit
Direction = Literal["undo", "redo"]


_LONGEST, _WITHIN = 60, str.maketrans("“”", "‘’")


def _step(title: str) -> str:
    """Returns a step's title in quotation marks, short enough for a menu."""
    return f"“{shortened(title, _LONGEST).translate(_WITHIN)}”"


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed (after undo: restored), and the function that undoes (redoes) it."""

    what: str
    run: Callable[[], object]
    undone: bool = False

    def can(self, direction: Direction) -> bool:
        return self.undone == (direction == "redo")


class Undoing:
    """Decides what Undo and Redo apply to. ``focus`` returns the focused widget, ``report`` shows a problem, and
    ``removal`` returns what the current pane removed from a list outside the project."""

    def __init__(
        self,
        bridge: EngineBridge,
        focus: Callable[[], QWidget | None],
        report: Callable[[EnvironmentProblem], object],
        removal: Callable[[], Removal | None],
    ) -> None:
        self._bridge, self._focus, self._report, self._removal = bridge, focus, report, removal
        self.done = ""
        """What was last undone or redone in the project, as a sentence."""

    def _field(self, direction: Direction) -> TextField | None:
        """Returns the focused text field if it has something to undo (redo), or None."""
        field = self._focus()
        if not isinstance(field, TextField) or field.isReadOnly():
            return None
        typed = field if isinstance(field, QLineEdit) else field.document()
        available = typed.isUndoAvailable() if direction == "undo" else typed.isRedoAvailable()
        return field if available else None

    def _entry(self, direction: Direction) -> HistoryEntry | None:
        project = self._bridge.project
        if project is None or project.read_only:
            return None
        return project.undo_entry if direction == "undo" else project.redo_entry

    def can(self, direction: Direction) -> bool:
        removal = self._removal()
        removed = removal is not None and removal.can(direction)
        return removed or self._field(direction) is not None or self._entry(direction) is not None

    def title(self, direction: Direction) -> str:
        verb = direction.capitalize()
        if self._field(direction) is not None:
            return f"{verb} typing"
        removal = self._removal()
        if removal is not None and removal.can(direction):
            return f"{verb} {_step(f'Remove {removal.what}')}"
        entry, project = self._entry(direction), self._bridge.project
        if entry is None or project is None:
            return verb
        return f"{verb} {_step(AgreementStore(project).titles([entry])[0])}"

    def run(self, direction: Direction) -> None:
        field, project, removal = self._field(direction), self._bridge.project, self._removal()
        try:
            if field is not None:
                field.undo() if direction == "undo" else field.redo()
            elif removal is not None and removal.can(direction):
                removal.run()
            elif project is not None:
                _verb, _space, step = self.title(direction).partition(" ")
                self.done = f"{'Undone' if direction == 'undo' else 'Redone'}: {step}."
                project.undo() if direction == "undo" else project.redo()
        except EnvironmentProblem as problem:
            self.done = ""
            self._report(problem)
