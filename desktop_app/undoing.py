"""Undo and redo: of typing in the text field that has the keyboard, else of the last act in the project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from desktop_app.engine_bridge import EngineBridge
from engine.agreement.store import AgreementStore
from engine.errors import EnvironmentProblem
from engine.project import HistoryEntry

TextField = QLineEdit | QTextEdit | QPlainTextEdit
Direction = Literal["undo", "redo"]


class Undoing:
    """What Undo and Redo do now; ``focus`` gives the widget that has the keyboard, ``report`` shows a problem."""

    def __init__(
        self, bridge: EngineBridge, focus: Callable[[], QWidget | None], report: Callable[[EnvironmentProblem], object]
    ) -> None:
        self._bridge, self._focus, self._report = bridge, focus, report
        self.done = ""
        """What was undone or redone last in the project, as a sentence."""

    def _field(self, direction: Direction) -> TextField | None:
        """The text field with something to undo (redo), or None."""
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
        return self._field(direction) is not None or self._entry(direction) is not None

    def title(self, direction: Direction) -> str:
        verb = direction.capitalize()
        if self._field(direction) is not None:
            return f"{verb} typing"
        entry, project = self._entry(direction), self._bridge.project
        return f"{verb} “{AgreementStore(project).title(entry)}”" if entry is not None and project is not None else verb

    def run(self, direction: Direction) -> None:
        field, project = self._field(direction), self._bridge.project
        try:
            if field is not None:
                field.undo() if direction == "undo" else field.redo()
            elif project is not None:
                _verb, _space, step = self.title(direction).partition(" ")
                self.done = f"{'Undone' if direction == 'undo' else 'Redone'}: {step}."
                project.undo() if direction == "undo" else project.redo()
        except EnvironmentProblem as problem:
            self._report(problem)
